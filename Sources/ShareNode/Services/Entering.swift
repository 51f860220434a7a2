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
        /// When they are made, where ids of new records have that time in them: what is entered
        /// together has one time, by which it is found again together (`undo`).
        var wall: UInt64?
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
        do {
            let done = try await commit(in: room, make)
            // What others wait for comes first.
            if let push = done.push { await autopush.goOn(push, in: room) }
            guard let first = done.records.first else { return (done.entry.answer, []) }
            var news = done.entry.news
            if news.count == 1 { news.record = news.record ?? first }
            await changes.tell(news, in: room)
            await flags.noteChange(of: room.id)
            if done.push == nil { await noteUnsent(in: room) }
            return (done.entry.answer, done.records)
        } catch is NoRole {
            try await membership.requireMember(of: room)
            throw RecordsPermission.notAMember
        }
    }

    /// One turn of the store, and one transaction: the entry, and where it is pushed at once also
    /// the batch that it travels in.
    ///
    /// - Returns: also what it is pushed with, for `Autopush.goOn`; nil where it is not.
    private func commit<Answer>(
        in room: OpenRoom,
        _ make: @escaping @Sendable (isolated RoomStore, Role) throws -> Entry<Answer>
    ) async throws -> (entry: Entry<Answer>, records: [RecordName], push: Autopush.Push?) {
        let now = wall()
        let isFree = room.autopush ? await sealing.isFree(in: room) : false
        return try await room.store.perform { store in
            guard let role = store.authority().currentRole(of: own.key) else { throw NoRole() }
            let entry = try make(store, role)
            guard !entry.changes.isEmpty else { return (entry, [], nil) }
            let wall = entry.wall ?? now
            // Now and no sooner: what was under way may have been acknowledged meanwhile.
            guard isFree, autopush.begin(in: room) else {
                return (entry, try store.append(entry.changes, wall: wall), nil)
            }
            do {
                let done = try store.enter(entry.changes, wall: wall)
                // The next look at the room fails where this one does.
                let view = done.batches.isEmpty ? nil : try? store.view()
                return (entry, done.records, Autopush.Push(batches: done.batches, view: view))
            } catch {
                autopush.giveUp(in: room)
                throw error
            }
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

/// Pushes entries of rooms that want it, while somebody is in reach: at once while everything sent
/// has been acknowledged, else gathered for up to 50 ms.
final class Autopush: Sendable {
    private struct State {
        /// Rooms with a push under way.
        var busy: Set<RoomID> = []
        /// Rooms in which something was entered meanwhile.
        var again: Set<RoomID> = []
        /// Rooms whose entries wait for somebody in reach.
        var waiting: Set<RoomID> = []
    }

    private let rooms: RoomBook
    private let sealing: Sealing
    private let sync: SyncService
    private let log: Log
    private let state = Mutex(State())

    /// How long entries are gathered while peers are at work on earlier ones.
    private static let gathering = Duration.milliseconds(50)

    /// After a push that failed it is tried again, ever more seldom.
    private static let pause = Duration.seconds(5)
    private static let longestPause = Duration.seconds(300)

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

    /// A member of a room has come up with this device, or this device with it: entries that waited
    /// for that go out.
    func noteReach(in id: RoomID) async {
        guard state.withLock({ $0.waiting.contains(id) }), await sealing.isWorthwhile(in: id),
            state.withLock({ $0.waiting.remove(id) }) != nil
        else { return }
        await noteEntry(in: id)
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

    /// What was sealed with an entry, and the room as it is since then.
    struct Push: Sendable {
        /// None where that has to wait.
        var batches: [Batch]
        var view: RoomView?
    }

    /// Begins a push with an entry that is about to be made; `goOn` or `giveUp` has to follow.
    ///
    /// - Returns: false where the room does not want it, or a push is under way.
    func begin(in room: OpenRoom) -> Bool {
        room.autopush && state.withLock { $0.busy.insert(room.id).inserted }
    }

    /// Offers what was sealed with an entry, and sees in the background to what is left.
    func goOn(_ push: Push, in room: OpenRoom) async {
        var isWanted = push.batches.isEmpty
        do {
            if !isWanted { try await sealing.offer(push.batches, view: push.view, in: room) }
        } catch {
            log.warning("pushing failed", ["room": room.id.short, "error": "\(error)"])
            isWanted = true
        }
        Task { [isWanted] in
            if !isWanted {
                _ = await sync.delivery(
                    of: push.batches.map(\.id), in: room.id, within: Self.gathering)
            }
            await run(in: room.id, isWanted: isWanted)
        }
    }

    /// The entry was not made.
    func giveUp(in room: OpenRoom) { Task { await run(in: room.id, isWanted: false) } }

    // MARK: Pushing

    /// Pushes once if that is wanted, and as long as more is entered meanwhile.
    private func run(in id: RoomID, isWanted: Bool) async {
        var isWanted = isWanted
        var pause = Self.pause
        while isWanted || isWantedAgain(id) {
            isWanted = false
            state.withLock { _ = $0.again.remove(id) }
            if await push(id) {
                pause = Self.pause
            } else {
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, Self.longestPause)
                isWanted = true
            }
        }
    }

    /// Seals, offers, and returns when everybody in reach has it or the time is up; false if that
    /// failed. Where nobody is in reach, it waits for somebody. Members hear how many stay here.
    private func push(_ id: RoomID) async -> Bool {
        guard let room = await rooms.open(id) else { return true }
        // Noted first: who comes while that is asked finds it (`noteReach`).
        state.withLock { _ = $0.waiting.insert(id) }
        guard await sealing.isWorthwhile(in: id) else {
            await sync.notePending(in: id)
            return true
        }
        state.withLock { _ = $0.waiting.remove(id) }
        do {
            let batches = try await sealing.records(in: room)
            if batches.isEmpty { await sync.notePending(in: id) }
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
