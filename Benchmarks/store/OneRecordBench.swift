import ShareCore
import ShareCrypto
import ShareStore

/// What a member that edits one record without end, beside all that there is, costs the others.
struct OneRecordBench {
    let folder: String
    /// How many a receiver takes in at once when more are waiting.
    private static let group = 32

    /// - Parameters:
    ///   - count: batches.
    ///   - edits: of the record in each of them, which have seen nothing.
    func run(batches count: Int, edits: Int) async throws {
        var room = try await BenchRoom(folder: folder, name: "one-record")
        let hostile = DeviceIdentity.generate()
        _ = try await room.grant(.collector, to: hostile.key)
        let receiver = try await room.device(.generate(), "receiver")

        var head: LogHead?
        var sent = 0
        func seal(_ kind: RecordsBlock.Kind, _ rows: Int) -> IncomingBatch {
            let clock = Timestamp(
                milliseconds: BenchRoom.wall + (head?.number ?? 0), counter: 0)
            let row = RecordsBlock.Row(
                id: RecordID(high: 1, low: 1), clock: clock, creator: 0, parents: 0..<0)
            // Each says something else than the one before it, so all of them are in conflict.
            let value = Cell.integer(Int64(head?.number ?? 0))
            let block = RecordsBlock(
                kind: kind, firstIndex: 0, form: room.form, fields: [0], creators: [hostile.key],
                rows: [RecordsBlock.Row](repeating: row, count: rows), parents: [],
                cells: [Cell](repeating: value, count: rows), storage: [])
            let batch = Batch.seal(
                room: room.founding.room, kind: .records, number: (head?.number ?? 0) + 1,
                previous: head?.batch ?? BatchID(room.founding.room.digest), clock: clock,
                blocks: [.records(block)], by: hostile)
            head = batch.head
            sent += batch.bytes.count
            return IncomingBatch(batch)
        }
        _ = try await receiver.merge([seal(.put, 1)])
        _ = Measure.peak()
        var longest = 0.0
        let merge = try await Measure.seconds {
            var left = count
            while left > 0 {
                let group = (0..<min(left, Self.group)).map { _ in seal(.edit, edits) }
                left -= group.count
                let step = try await Measure.seconds { try await receiver.merge(group) }
                longest = max(longest, step.cpu)
            }
        }
        Measure.line(
            "\(count) batches, \(edits) edits of one record in each",
            "\(sent / 1_000) kB sent, \(Measure.text(merge.cpu)) s CPU, the longest \(Self.group) "
                + "\(Measure.text(longest)) s, peak \(Measure.peak()) MB")
        let rebuild = try await Measure.seconds { _ = try await receiver.rebuild() }
        Measure.line(
            "rebuild", "\(Measure.text(rebuild.cpu)) s CPU, peak \(Measure.peak()) MB")
        let check = try await receiver.check()
        let verify = try await Measure.seconds {
            try await check.run(scratch: "\(folder)/one-record.check") { _, _ in }
        }
        Measure.line(
            "verify",
            "\(Measure.text(verify.cpu)) s CPU, peak \(Measure.peak()) MB, "
                + "\(verify.result.count) findings")
    }
}
