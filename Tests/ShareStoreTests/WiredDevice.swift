import ShareCore
import ShareCrypto
import ShareTestKit

@testable import ShareStore

/// A device with a real file and the real synchronisation, and no network: what it sends is
/// kept, in order, as the bytes that would cross.
final class WiredDevice {
    let writer: TestRoom
    private(set) var engine: SyncEngine
    private(set) var outbox: [(session: SessionID, frame: [UInt8])] = []
    /// What became of the batches that came in.
    private(set) var outcomes: [MergeOutcome] = []
    private var now: Duration = .zero

    init(_ writer: TestRoom, seed: UInt64) throws {
        self.writer = writer
        engine = SyncEngine(
            key: writer.identity.key, name: "device \(seed)", random: SeededRandom(seed: seed))
        try refresh()
    }

    /// Tells the engine what the room has come to.
    func refresh() throws {
        while try writer.reapply() {}
        try handle(.room(try writer.view()))
    }

    func open(_ session: SessionID, with peer: DeviceKey, isInitiator: Bool) throws {
        try handle(
            .opened(
                session, peer: peer, isInitiator: isInitiator, exporter: Hash.digest([1]).value,
                address: "wire", network: "wire"))
    }

    func receive(_ frame: [UInt8], in session: SessionID) throws {
        try handle(.received(session, try WireMessage(decoding: frame)))
    }

    /// Takes in batches that this device sealed or got elsewhere, and spreads them.
    func take(_ batches: [Batch]) throws {
        for batch in batches { try merge(batch, from: nil) }
    }

    func tick(after time: Duration) throws {
        now += time
        try handle(.tick)
    }

    func emptyOutbox() -> [(session: SessionID, frame: [UInt8])] {
        defer { outbox = [] }
        return outbox
    }

    private func handle(_ event: SyncEngine.Event) throws {
        for action in engine.handle(event, now: now, wall: 0) { try perform(action) }
    }

    private func perform(_ action: SyncEngine.Action) throws {
        switch action {
        case .send(let session, let message): outbox.append((session, message.encoded()))
        case .load(let session, let serving, _, let log, let after, let cursor, let bytes):
            try handle(
                .loaded(
                    session, serving: serving,
                    try writer.load(log, after: after, cursor: cursor, bytes: bytes)))
        case .find(let session, let room, let log, let heads):
            let (missing, places) = try writer.find(log, heads)
            try handle(.found(session, room, log, missing: missing, positions: places))
        case .loadGrantProof(let session, let room):
            try handle(.grantProof(session, room, try writer.grantProof(of: writer.identity.key)))
        case .loadRemoval(let session, let room, of: let subject):
            try handle(
                .removal(session, room, try writer.removal(of: subject)))
        case .merge(let session, _, let batch): try merge(batch, from: session)
        default:
            break
        }
    }

    private func merge(_ batch: Batch, from session: SessionID?) throws {
        let outcomes = try writer.merge([IncomingBatch(batch)]).outcomes
        self.outcomes += outcomes
        try refresh()
        try handle(.merged(batch.room, from: session, outcomes))
        if outcomes.contains(where: { $0.fate == .stored }) {
            try handle(.fresh(batch.room, [batch]))
        }
    }
}

/// A connection between two wired devices.
struct Wire {
    let ends: [WiredDevice]
    let sessions: [SessionID]
    /// All frames that the first end has sent.
    private(set) var sent: [[UInt8]] = []

    init(_ first: WiredDevice, _ second: WiredDevice, id: UInt64 = 1) throws {
        ends = [first, second]
        sessions = [SessionID(2 * id), SessionID(2 * id + 1)]
        try first.open(
            sessions[0], with: second.writer.identity.key, isInitiator: true)
        try second.open(
            sessions[1], with: first.writer.identity.key, isInitiator: false)
        try run()
    }

    /// Carries frames until both ends are quiet.
    mutating func run() throws {
        var isMoving = true
        while isMoving {
            isMoving = false
            for side in 0..<2 {
                for (session, frame) in ends[side].emptyOutbox() where session == sessions[side] {
                    if side == 0 { sent.append(frame) }
                    try ends[1 - side].receive(frame, in: sessions[1 - side])
                    isMoving = true
                }
            }
        }
    }

    /// Hands the first end a message as if the second had sent it.
    mutating func inject(_ message: WireMessage) throws {
        try ends[0].receive(message.encoded(), in: sessions[0])
        try run()
    }
}
