import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// Devices that change the same few records against each other, meet now and then, and in the end
/// hold the same: then all of them tell of the same conflicts.
struct ConflictWarTests {
    static let seed = TestSeed.printed(by: "ConflictWarTests")

    @Test(arguments: 0..<(Exhaustive.isOn ? 60 : 8))
    func `the list is the same on every device, in any order of arrival`(_ round: Int) throws {
        let seed = ConflictWarTests.seed &+ UInt64(round)
        var random = SeededRandom(seed: seed)
        let room = try ConflictBench(editors: 3, roles: [.reviewer, .collector])
        let records = try war(room, &random)
        for device in room.devices { _ = try device.seal(wall: room.bench.wall) }
        let all = try room.devices.flatMap { try Bench.batches(of: $0) }
        var told: [[String]] = []
        var dumps: [[String]] = []
        for device in room.devices + [try room.bench.store()] {
            try deliver(all.shuffled(using: &random), to: device, &random)
            told.append(try ConflictBench.told(device))
            dumps.append(try Bench.dump(device))
        }
        for (place, list) in told.enumerated() {
            try #require(dumps[place] == dumps[0], "seed \(seed), device \(place)")
            try #require(list == told[0], "seed \(seed), device \(place)")
        }

        // Somebody resolves all of it, and it is resolved for all.
        let resolver = room.devices[Int.random(in: 0...3, using: &random)]
        for record in records {
            let detail = try resolver.detail(of: record)
            room.bench.wall += 1
            try resolver.append(
                [
                    Bool.random(using: &random) ? .delete(record) : .restore(record),
                    .review(record, state: "approved", note: nil),
                    .edit(
                        record, definition: room.form,
                        values: (0...2).map {
                            LocalChange.FieldChange(field: $0, value: detail.values[$0])
                        }),
                ], wall: room.bench.wall)
        }
        let last = try resolver.seal(wall: room.bench.wall)
        for (place, device) in room.devices.enumerated() {
            try Bench.merge(last, into: device)
            #expect(try ConflictBench.told(device) == [], "seed \(seed), device \(place)")
        }
    }

    /// - Returns: all records.
    private func war(_ room: ConflictBench, _ random: inout SeededRandom) throws -> [RecordName] {
        var records = [room.record]
        for step in 0..<60 {
            // Clocks stand still now and then, so that keys and hashes have to decide.
            room.bench.wall += UInt64.random(in: 0...1, using: &random)
            let place = room.devices.indices.randomElement(using: &random) ?? 0
            let device = room[place]
            guard let record = records.randomElement(using: &random) else { break }
            let field = Int.random(in: 0...2, using: &random)
            let value: FieldValue =
                switch field {
                case 0: .text("name \(Int.random(in: 0...2, using: &random))")
                case 1: .integer(Int64.random(in: 0...2, using: &random))
                default: Bool.random(using: &random) ? .absent : .decimal(1.5)
                }
            let edit = LocalChange.edit(
                record, definition: room.form,
                values: [LocalChange.FieldChange(field: field, value: value)])
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<10: _ = try? device.append([edit], wall: room.bench.wall)
            case 10: _ = try? device.append([.delete(record)], wall: room.bench.wall)
            case 11: _ = try? device.append([.restore(record)], wall: room.bench.wall)
            case 12:
                let state = Bool.random(using: &random) ? "approved" : "rejected"
                _ = try? device.append(
                    [.review(record, state: state, note: nil)], wall: room.bench.wall)
            case 13:
                _ = try? device.append(
                    [.comment(record, text: "\(step)")], wall: room.bench.wall)
            case 14 where records.count < 5:
                let made = try? device.append(
                    [room.bench.row(room.form, "new", 1)], wall: room.bench.wall)
                records += made ?? []
            case 15..<17: _ = try device.seal(wall: room.bench.wall)
            default:
                let other = room.devices.indices.randomElement(using: &random) ?? 0
                if other != place { try room.exchange([place, other]) }
            }
        }
        return records
    }

    private func deliver(
        _ batches: [Batch], to device: TestRoom, _ random: inout SeededRandom
    ) throws {
        var left = batches
        while !left.isEmpty {
            var next: [Batch] = []
            while !left.isEmpty {
                let group = Array(left.prefix(Int.random(in: 1...4, using: &random)))
                left.removeFirst(group.count)
                let outcomes = try Bench.merge(group, into: device)
                for (batch, outcome) in zip(group, outcomes)
                where outcome.fate == .gap || outcome.fate == .apart {
                    next.append(batch)
                }
            }
            left = next
        }
    }
}
