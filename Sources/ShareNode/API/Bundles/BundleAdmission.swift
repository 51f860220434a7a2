import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// The wish to admit one of the devices that ask in a bundle.
struct BundleAdmission {
    private let device: String
    private let role: Role

    /// Nil where nobody is to be admitted.
    ///
    /// - Throws: `Problem` for too little of a device's id, and for an unknown role.
    init?(device: String?, role: String?) throws {
        guard let device else {
            guard role == nil else {
                throw Problem(
                    .badRequest, "a role is for a device that is admitted",
                    hint: "Say which: --admit DEVICE.")
            }
            return nil
        }
        let role = try role.map { try Role(typed: $0) } ?? .collector
        // Eight characters can be made to match by whoever has the file in hand and a computer.
        guard DeviceText.plain(device).utf8.count >= BundleLimits.comparedCharacters else {
            throw Problem(
                .badRequest,
                "the first \(BundleLimits.comparedCharacters) characters of the id are needed",
                hint: "Compare them with what the device showed as it wrote its request.")
        }
        self.device = device
        self.role = role
    }

    /// Writes the grant, or finds the one that holds.
    func admit(
        _ requests: [BundleRequest], to room: OpenRoom, on node: Node
    ) async throws -> BundleRequestAnswer {
        let found = requests.filter {
            DeviceText.matches(device, $0.key) && ($0.room == nil || $0.room == room.id)
        }
        guard let request = found.first else {
            throw Problem(
                .notFoundRequest, "no device of that id asks to be admitted to \(room.name)",
                hint: "`shared bundle read FILE` lists those that do.")
        }
        let authority = await room.store.authority()
        try role.require(admitter: authority.currentRole(of: node.identity.key))
        func next(_ heads: [LogHead]) -> UInt64 { (heads.map(\.number).max() ?? 0) + 1 }
        _ = try await room.admit(
            request.key, as: role, firstControl: next(request.heads.control),
            firstRecords: next(request.heads.records), through: node.sealing)
        await node.noteMembers(of: room)
        await node.reach.note(request.name, of: request.key)
        var answer = BundleRequestAnswer(request, in: await room.store.authority())
        answer.before = authority.currentRole(of: request.key)?.name
        return answer
    }
}

extension BundleRequestAnswer {
    init(_ request: BundleRequest, in authority: Authority) {
        self.init(
            id: request.key.text, name: request.name, asked: WallClock.text(request.wall),
            role: authority.currentRole(of: request.key)?.name)
    }
}
