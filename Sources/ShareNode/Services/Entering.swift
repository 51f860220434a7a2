import ShareControl
import ShareCore
import ShareCrypto
import ShareStore
import Synchronization

/// Enters what somebody does to records: on the disk when it returns, told to those who watch, and
/// on its way where the room pushes by itself.
struct Entering: Sendable {
    let own: OwnDevice
    let membership: Membership
    let sealing: Sealing
    let autopush: Autopush
    let sync: SyncService
    let changes: ChangeEvents
    let flags: FlagService
    let wall: @Sendable () -> UInt64

    /// A change to be entered, put together from the room as it is at that moment.
    struct Entry<Answer: Sendable>: Sendable {
        /// Nothing is entered where there are none.
        var changes: [LocalChange]
        /// How those who watch are told; the record is filled in where it is new.
        var news: RecordEffect
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
        let isPushing = autopush.begin(in: room)
        do {
            let done = try await commit(in: room, sealing: isPushing, make)
            guard let first = done.records.first else {
                if isPushing { autopush.giveUp(in: room) }
                return (done.entry.answer, [])
            }
            var news = done.entry.news
            if news.count == 1 { news.record = news.record ?? first }
            await changes.tell(news, in: room)
            await flags.noteChange(of: room.id)
            if isPushing {
                autopush.goOn(in: room, with: done.batches)
            } else {
                await noteUnsent(in: room)
            }
            return (done.entry.answer, done.records)
        } catch {
            if isPushing { autopush.giveUp(in: room) }
            guard error is NoRole else { throw error }
            try await membership.requireMember(of: room)
            throw RecordsPermission.notAMember
        }
    }

    /// One turn of the store, and one transaction: the entry, and where it is pushed at once also
    /// the batch that it travels in.
    private func commit<Answer>(
        in room: OpenRoom, sealing isPushing: Bool,
        _ make: @escaping @Sendable (isolated RoomStore, Role) throws -> Entry<Answer>
    ) async throws -> (entry: Entry<Answer>, records: [RecordName], batches: [Batch]) {
        let wall = wall()
        let seals = isPushing ? await sealing.isFree(in: room) : false
        return try await room.store.perform { store in
            guard let role = store.authority().currentRole(of: own.key) else { throw NoRole() }
            let entry = try make(store, role)
            guard !entry.changes.isEmpty else { return (entry, [], []) }
            let done = try store.enter(entry.changes, sealing: seals, wall: wall)
            return (entry, done.records, done.batches)
        }
    }

    /// Tells of what was entered, and pushes it where the room wants that.
    func noteEntered(_ news: [RecordEffect], in room: OpenRoom) async {
        for one in news { await changes.tell(one, in: room) }
        await flags.noteChange(of: room.id)
        await noteUnsent(in: room)
    }

    /// Pushes entries where the room wants that, soon; else members hear how many are not sent.
    private func noteUnsent(in room: OpenRoom) async {
        if !room.autopush { await sync.notePending(in: room.id) }
        autopush.noteEntry(in: room)
    }
}

/// Pushes entries of rooms that want it: at once while everything sent has been acknowledged,
/// else gathered for up to 50 ms.
final class Autopush: Sendable {
    private struct State {
        /// Rooms with a push under way.
        var busy: Set<RoomID> = []
        /// Rooms in which something was entered meanwhile.
        var again: Set<RoomID> = []
    }

    private let rooms: RoomBook
    private let sealing: Sealing
    private let sync: SyncService
    private let log: Log
    private let state = Mutex(State())

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

    /// Takes in what the room's owners have set; what is pending goes out where they want that.
    func follow(_ room: OpenRoom) async {
        room.pushing.follow(await room.store.settings().autopush)
        noteEntry(in: room)
    }

    /// Notes that an entry was made in a room: it goes out at once where the room wants that.
    func noteEntry(in id: RoomID) async {
        guard let room = await rooms.open(id) else { return }
        noteEntry(in: room)
    }

    /// The same for a room that has just been looked up.
    func noteEntry(in room: OpenRoom) {
        guard room.autopush else { return }
        let isFirst = state.withLock { state in
            guard state.busy.insert(room.id).inserted else {
                state.again.insert(room.id)
                return false
            }
            return true
        }
        if isFirst { Task { await run(in: room.id, isWanted: true) } }
    }

    // MARK: An entry that is pushed as it is made

    /// Begins a push with an entry that is about to be made; `goOn` or `giveUp` has to follow.
    ///
    /// - Returns: false where the room does not want it, or a push is under way.
    func begin(in room: OpenRoom) -> Bool {
        room.autopush && state.withLock { $0.busy.insert(room.id).inserted }
    }

    /// The entry was made, and sealed in these batches; in none where that has to wait.
    func goOn(in room: OpenRoom, with batches: [Batch]) {
        Task {
            if !batches.isEmpty { await offer(batches, in: room) }
            await run(in: room.id, isWanted: batches.isEmpty)
        }
    }

    /// The entry was not made.
    func giveUp(in room: OpenRoom) { Task { await run(in: room.id, isWanted: false) } }

    private func offer(_ batches: [Batch], in room: OpenRoom) async {
        do {
            try await sealing.offer(batches, in: room)
            _ = await sync.delivery(of: batches.map(\.id), in: room.id, within: Self.gathering)
        } catch {
            log.warning("pushing failed", ["room": room.id.short, "error": "\(error)"])
        }
    }

    // MARK: Pushing

    /// Pushes once if that is wanted, and as long as more is entered meanwhile.
    private func run(in id: RoomID, isWanted: Bool) async {
        var isWanted = isWanted
        while isWanted || isWantedAgain(id) {
            isWanted = false
            state.withLock { _ = $0.again.remove(id) }
            if await !push(id) {
                try? await Task.sleep(for: Self.pause)
                isWanted = true
            }
        }
    }

    /// Seals, offers, and returns when everybody in reach has it or the time is up; false if that
    /// failed.
    private func push(_ id: RoomID) async -> Bool {
        guard let room = await rooms.open(id) else { return true }
        do {
            let batches = try await sealing.records(in: room)
            _ = await sync.delivery(of: batches, in: id, within: Self.gathering)
            return true
        } catch {
            log.warning("pushing failed", ["room": id.short, "error": "\(error)"])
            return false
        }
    }

    /// Whether something was entered meanwhile; if not, the push is over.
    private func isWantedAgain(_ id: RoomID) -> Bool {
        state.withLock { state in
            if state.again.contains(id) { return true }
            state.busy.remove(id)
            return false
        }
    }
}
