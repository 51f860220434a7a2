import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Tells which lists people have changed at once: one version is in force on all devices, and what
/// another has can be chosen nowhere.
struct ParallelLists: Sendable {
    let names: DeviceNames

    /// The lists of a room with other versions than the one in force that nobody has seen with it.
    ///
    /// - Throws: the disk's error.
    func list(in room: OpenRoom) async throws -> [ParallelList] {
        var found: [ParallelList] = []
        for list in try await room.store.parallelLists() {
            var others: [ListVersionAnswer] = []
            for other in list.others { others.append(await answer(other, in: room)) }
            found.append(
                ParallelList(
                    list: list.list, inForce: await answer(list.inForce, in: room),
                    others: others))
        }
        return found
    }

    /// What people have made of one list at once; nil where nobody has.
    func of(_ list: String, in room: OpenRoom) async throws -> ParallelList? {
        try await self.list(in: room).first { $0.list.utf8.elementsEqual(list.utf8) }
    }

    /// The version of a list that a device made while others made theirs.
    ///
    /// - Parameter device: its name, or the beginning of its id.
    /// - Throws: `Problem` where it made none of these, or took the list away; the disk's error.
    func version(
        of list: String, by device: String, in room: OpenRoom
    ) async throws -> ParallelListVersions.Made {
        let found = try await room.store.parallelLists()
            .first { $0.list.utf8.elementsEqual(list.utf8) }
        guard let found else {
            throw Problem(
                .badRequest, "nobody has changed \(list.prefix(80)) at once with somebody else",
                hint: "`shared lists` says which lists there are.")
        }
        let all = [found.inForce] + found.others
        let author = try await names.author(
            device, among: all.map(\.author), of: list, in: room)
        // Of several that a copied device made, the latest is meant.
        guard let made = all.first(where: { $0.author == author }), made.rows > 0 else {
            throw Problem(
                .notFoundList, "\(device.prefix(80)) has taken \(list) away",
                hint: "`shared status` says who has changed it.")
        }
        return made
    }

    private func answer(
        _ made: ParallelListVersions.Made, in room: OpenRoom
    ) async -> ListVersionAnswer {
        ListVersionAnswer(
            rows: made.rows, by: await names.named(made.author, in: room),
            at: WallClock.text(made.wall.milliseconds))
    }
}
