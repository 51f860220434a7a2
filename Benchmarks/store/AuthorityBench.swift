import ShareCore
import ShareCrypto
import ShareStore

/// What authority costs for a batch, by how many members a room has.
struct AuthorityBench {
    let folder: String
    private static let repeats = 20

    func run(members: Int) async throws {
        var room = try await BenchRoom(folder: folder, name: "authority\(members)")
        let writer = DeviceIdentity.generate()
        _ = try await room.grant(.collector, to: writer.key)
        while room.control.count < members + 2 {
            _ = try await room.grant(.collector, to: DeviceIdentity.generate().key)
        }
        let other = try await room.device(.generate(), "other")
        let mine = try await room.device(writer, "writer")

        let bodies = room.control.compactMap { batch in
            ControlBatch(batch, body: try? batch.openBody())
        }
        let alone = await Measure.seconds {
            for _ in 0..<Self.repeats { _ = Authority(room: room.founding.room, batches: bodies) }
        }
        var control = 0.0
        for _ in 0..<Self.repeats {
            let batch = IncomingBatch(
                try await room.grant(.viewer, to: DeviceIdentity.generate().key))
            control += try await Measure.seconds { try await other.merge([batch]) }.cpu
        }
        var small = 0.0
        for number in 0..<Self.repeats {
            _ = try await mine.append(
                [.put(VisitRows.rows(number..<number + 1, of: room.form))], wall: BenchRoom.wall)
            let batches = try await mine.seal(wall: BenchRoom.wall).map { IncomingBatch($0) }
            small += try await Measure.seconds { try await other.merge(batches) }.cpu
        }
        func milliseconds(_ seconds: Double) -> String {
            Measure.text(seconds / Double(Self.repeats) * 1_000) + " ms CPU"
        }
        Measure.line("\(members) members: authority computed anew", milliseconds(alone.cpu))
        Measure.line("\(members) members: a control batch merged", milliseconds(control))
        Measure.line("\(members) members: a batch of one record merged", milliseconds(small))
    }
}
