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
