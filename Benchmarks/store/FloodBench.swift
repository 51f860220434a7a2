import ShareCore
import ShareCrypto
import ShareStore

/// What a member that writes control batches without end costs the others.
struct FloodBench {
    let folder: String
    /// How many a receiver takes in at once when more are waiting.
    private static let group = 32

    /// - Parameter count: batches, each with one operation against the founder's order.
    func run(_ role: Role, batches count: Int) async throws {
        var room = try await BenchRoom(folder: folder, name: "flood-\(role.name)")
        let hostile = DeviceIdentity.generate()
        _ = try await room.grant(role, to: hostile.key)
        let receiver = try await room.device(.generate(), "receiver")

        let clock = Timestamp(milliseconds: BenchRoom.wall, counter: 0)
        var head = BatchID(room.founding.room.digest)
        var waiting: [IncomingBatch] = []
        var worst = 0.0
        let whole = try await Measure.seconds {
            for number in 1...count {
                let subject = number % 2 == 0 ? room.owner.key : DeviceIdentity.generate().key
                let operation: ControlOperation =
                    number % 2 == 0
                    ? .removal(
                        Removal(
                            subject: subject, heads: CoveredHeads(control: [], records: []),
                            supersedes: [], reason: ""))
                    : .grant(
                        Grant(
                            subject: subject, role: .collector, firstControl: 1, firstRecords: 1,
                            supersedes: []))
                let entry = ControlBlock.Entry(clock: clock, operation: operation)
                let batch = Batch.seal(
                    room: room.founding.room, kind: .control, number: UInt64(number),
                    previous: head,
                    clock: clock, blocks: [.control(ControlBlock(firstIndex: 0, entries: [entry]))],
                    by: hostile)
                head = batch.id
                waiting.append(IncomingBatch(batch))
                if waiting.count == Self.group || number == count {
                    let merged = waiting
                    worst = max(
                        worst,
                        try await Measure.seconds { try await receiver.merge(merged) }.seconds)
                    waiting = []
                }
            }
        }
        Measure.line(
            "\(count) control batches of a hostile \(role.name)",
            "\(Measure.text(whole.cpu)) s CPU, the longest \(Self.group) "
                + "\(Measure.text(worst)) s")
    }
}
