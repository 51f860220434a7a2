import ShareCore
import ShareCrypto
import ShareTestKit

/// A device with a room, and one session with a member who sends whatever a test wants.
struct HostileSession {
    var engine: SyncEngine
    let room: RoomID
    let owner = TestBatches.identity(1)
    let member = TestBatches.identity(2)
    let id = SessionID(1)
    var now = Duration.zero
    /// Everything that the device did, in order.
    var actions: [SyncEngine.Action] = []
    /// What the device holds.
    var memory: MemoryRoom

    /// - Parameter role: the member's.
    init(role: Role = .collector) {
        let founding = TestBatches.founding(by: owner)
        memory = MemoryRoom(
            room: founding.room,
            standings: [owner.key: .member(.owner), member.key: .member(role)])
        _ = memory.merge(founding)
        room = founding.room
        engine = SyncEngine(key: owner.key, name: "honest", random: SeededRandom(seed: 1))
        handle(.room(memory.view))
        open(id, with: member)
    }

    /// Lets one more member in, and opens a session with it.
    mutating func admit(_ identity: DeviceIdentity, as role: Role, _ id: SessionID) {
        memory.standings[identity.key] = .member(role)
        handle(.room(memory.view))
        open(id, with: identity)
    }

    private mutating func open(_ id: SessionID, with peer: DeviceIdentity) {
        var other = SyncEngine(key: peer.key, name: "hostile", random: SeededRandom(seed: 2))
        _ = other.handle(.room(memory.view), now: now, wall: 0)
        handle(opening(id, of: peer.key, isInitiator: false))
        for case .send(_, let hello) in other.handle(
            opening(id, of: owner.key, isInitiator: true), now: now, wall: 0)
        {
            receive(hello, from: id)
        }
    }

    private func opening(
        _ id: SessionID, of peer: DeviceKey, isInitiator: Bool
    ) -> SyncEngine.Event {
        .opened(
            id, peer: peer, isInitiator: isInitiator, exporter: Hash.digest([7]).value,
            address: "127.0.0.1:1", network: "127.0.0.1")
    }

    mutating func handle(_ event: SyncEngine.Event) {
        actions += engine.handle(event, now: now, wall: 0)
    }

    /// Through the bytes, as on a wire.
    mutating func receive(_ message: WireMessage, from other: SessionID? = nil) {
        guard let read = try? WireMessage(decoding: message.encoded()) else { return }
        handle(.received(other ?? id, read))
    }

    /// Tells of one log.
    mutating func have(_ log: LogName, _ heads: LogHead..., operations: UInt64 = 1) {
        receive(.have(room, [log: LogState(heads: heads, operations: operations)]))
    }

    func head(_ number: UInt64, _ name: UInt64 = 0) -> LogHead {
        let bytes = withUnsafeBytes(of: name.bigEndian) { Array($0) }
        return LogHead(number: number, batch: BatchID(Hash.digest(bytes)))
    }

    var records: LogName { LogName(author: owner.key, kind: .records) }

    /// Asks for the device's own records, and is sent this batch.
    mutating func serve(_ batch: Batch) {
        receive(.want(room, records, after: []))
        handle(
            .loaded(
                id, serving: lastLoad,
                SyncEngine.LoadedBatches(
                    room: room, log: records, batches: [batch], next: nil, isLost: false)))
    }

    /// The number of the request for which the store was asked last.
    var lastLoad: UInt64 {
        for case .load(_, let number, _, _, _, _, _) in actions.reversed() { return number }
        return 0
    }

    /// - Parameter log: nil for the device's own records.
    func acknowledgement(
        of head: LogHead, in log: LogName? = nil, isStored: Bool = true
    ) -> WireMessage {
        .acknowledge(
            room,
            [
                Acknowledgement(
                    log: log ?? records, head: head, isStored: isStored, accepted: 1, waiting: 0,
                    refused: 0)
            ])
    }

    /// Why the device ended the session; nil while it has not.
    var end: SessionEnd? {
        for case .close(_, let reason) in actions { return reason }
        return nil
    }

    func count(_ isCounted: (SyncEngine.Action) -> Bool) -> Int { actions.count(where: isCounted) }
}
