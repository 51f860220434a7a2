import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Enters what somebody does to records: on the disk when it returns, told to those who watch, and
/// on its way where the room pushes by itself.
struct Entering: Sendable {
    let own: OwnDevice
    let membership: Membership
    let autopush: Autopush
    let changes: ChangeEvents
    let wall: @Sendable () -> UInt64

    /// What is entered, put together from the room as it is at that moment.
    struct Entry<Answer: Sendable>: Sendable {
        /// Nothing is entered where there are none.
        var changes: [LocalChange]
        /// How those who watch are told; the record is filled in where it is new.
        var news: RecordNews
        var answer: Answer
    }

    /// This device has no role in the room.
    private struct NoRole: Error {}

    /// Enters what `make` puts together, in the store's turn: nothing else happens to the room
    /// meanwhile.
    ///
    /// - Parameter make: is given this device's role; nothing is entered if it throws.
    /// - Returns: the answer, and the record of each change.
    /// - Throws: `Problem` of `removed`, `not_a_member` or `not_allowed` where this device is no
    ///   member; what `make` and the store throw.
    func enter<Answer>(
        in room: OpenRoom,
        _ make: @escaping @Sendable (isolated RoomStore, Role) throws -> Entry<Answer>
    ) async throws -> (answer: Answer, records: [RecordName]) {
        let wall = wall()
        let entered: (entry: Entry<Answer>, records: [RecordName])
        do {
            entered = try await room.store.perform { store in
                guard let role = store.authority().currentRole(of: own.key) else { throw NoRole() }
                let entry = try make(store, role)
                guard !entry.changes.isEmpty else { return (entry, []) }
                return (entry, try store.append(entry.changes, wall: wall))
            }
        } catch is NoRole {
            try await membership.requireMember(of: room)
            throw RecordsPermission.notAMember
        }
        if let first = entered.records.first {
            var news = entered.entry.news
            if news.count == 1 { news.record = news.record ?? first }
            await noteEntered([news], in: room)
        }
        return (entered.entry.answer, entered.records)
    }

    /// Tells of what was entered, and pushes it where the room wants that.
    func noteEntered(_ news: [RecordNews], in room: OpenRoom) async {
        for one in news { await changes.tell(one, in: room) }
        await autopush.noteEntry(in: room)
    }
}

/// Pushes entries of rooms that want it: at once while everything sent has been acknowledged,
/// else gathered for up to 50 ms.
actor Autopush {
    private let rooms: RoomBook
    private let sealing: Sealing
    private let sync: SyncService
    private let log: Log
    private var busy: Set<RoomID> = []
    private var again: Set<RoomID> = []

    /// How long entries are gathered while peers are at work on earlier ones.
    private static let gathering = Duration.milliseconds(50)

    /// After a push that failed it is tried again.
    private static let pause = Duration.seconds(5)

    init(rooms: RoomBook, sealing: Sealing, sync: SyncService, log: Log) {
        self.rooms = rooms
        self.sealing = sealing
        self.sync = sync
        self.log = log
    }

    /// An entry was made in a room: it goes out at once where the room wants that.
    func noteEntry(in id: RoomID) async {
        guard let room = await rooms.open(id) else { return }
        noteEntry(in: room)
    }

    /// The same for a room that has just been looked up.
    func noteEntry(in room: OpenRoom) {
        guard room.autopush else { return }
        let id = room.id
        guard busy.insert(id).inserted else {
            again.insert(id)
            return
        }
        Task {
            repeat {
                self.again.remove(id)
                if await !self.push(id) {
                    try? await Task.sleep(for: Self.pause)
                    self.again.insert(id)
                }
            } while self.isWanted(id)
        }
    }

    /// Seals, offers, and returns when everybody in reach has it or the time is up; false if that
    /// failed.
    private func push(_ id: RoomID) async -> Bool {
        guard let room = await rooms.open(id) else { return true }
        do {
            let batches = try await sealing.records(in: room)
            _ = await sync.delivery(of: batches.map(\.id), in: id, within: Self.gathering)
            return true
        } catch {
            log.warning("pushing failed", ["room": id.short, "error": "\(error)"])
            return false
        }
    }

    private func isWanted(_ id: RoomID) -> Bool {
        if again.contains(id) { return true }
        busy.remove(id)
        return false
    }
}
