import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Times that people see: each is its author's own, whatever clock somebody else has.
struct WallClockTests {
    private static let tenYears: UInt64 = 315_576_000_000

    /// A room with a device ten years ahead, whose entry everybody has.
    private struct Ward {
        let bench: Bench
        let form: OperationName
        let honest: TestRoom
        let ahead: TestRoom
        let first: RecordName

        init() throws {
            bench = try Bench()
            form = try bench.addForm()
            honest = try bench.device(.editor)
            ahead = try bench.device(.editor)
            for device in [honest, ahead] {
                try Bench.merge(Bench.batches(of: bench.founder), into: device)
            }
            first = try ahead.append(
                [bench.row(form, "Ann", 1)], wall: bench.wall + WallClockTests.tenYears)[0]
            let batches = try ahead.seal(wall: bench.wall + WallClockTests.tenYears)
            for device in [honest, bench.founder] { try Bench.merge(batches, into: device) }
        }

        /// When a record was made and changed last, by a device's table.
        func times(of name: RecordName, on device: TestRoom) throws -> [SQLValue]? {
            try device.row(
                "SELECT _created, _updated FROM visit WHERE _id = ?1", .text(name.id.text))
        }
    }

    @Test func `one device ten years ahead changes nobody else's dates`() throws {
        let ward = try Ward()
        let wall = ward.bench.wall
        #expect(ward.honest.clock.last.milliseconds >= wall + Self.tenYears)
        let own = try ward.honest.append([ward.bench.row(ward.form, "Sara", 30)], wall: wall + 5)[0]
        try ward.honest.append(
            [.edit(own, definition: ward.form, values: [.init(field: 1, value: .integer(31))])],
            wall: wall + 9)
        try ward.honest.append(
            [
                .edit(
                    ward.first, definition: ward.form, values: [.init(field: 1, value: .integer(2))]
                )
            ],
            wall: wall + 7)
        try ward.honest.append([.comment(own, text: "seen")], wall: wall + 11)
        let batches = try ward.honest.seal(wall: wall + 12)
        #expect(batches.map(\.wall.milliseconds) == [wall + 12])
        try Bench.merge(batches, into: ward.bench.founder)
        for device in [ward.honest, ward.bench.founder] {
            #expect(
                try ward.times(of: own, on: device)
                    == [.integer(Int64(wall + 5)), .integer(Int64(wall + 9))])
            // What the other entered keeps its own date; the honest change after it has its own.
            #expect(
                try ward.times(of: ward.first, on: device)
                    == [.integer(Int64(wall + Self.tenYears)), .integer(Int64(wall + 7))])
            let history = try device.history(of: own)
            #expect(history.map(\.at) == [5, 9, 11].map { Int64(wall) + $0 })
            #expect(history.map(\.isVerified) == [true, true, true])
            #expect(try device.detail(of: own).comments.map(\.at) == [Int64(wall + 11)])
            // The edit that has seen the other wins, whatever the clocks.
            #expect(
                try device.integer(
                    "SELECT age FROM visit WHERE _id = ?1", .text(ward.first.id.text))
                    == 2)
        }
        #expect(
            try ward.bench.founder.extent(of: ward.honest.identity.key).last
                == WallTime(milliseconds: wall + 12))
    }

    @Test func `a rebuild, and a check, come to the same times`() throws {
        let ward = try Ward()
        let wall = ward.bench.wall
        let own = try ward.honest.append([ward.bench.row(ward.form, "Sara", 30)], wall: wall + 5)[0]
        try ward.honest.append([.delete(own)], wall: wall + 6)
        try ward.honest.append([.restore(own)], wall: wall + 8)
        let before = try Bench.dump(ward.honest)
        #expect(
            try ward.times(of: own, on: ward.honest)
                == [.integer(Int64(wall + 5)), .integer(Int64(wall + 8))])
        try ward.honest.rebuild()
        #expect(try Bench.dump(ward.honest) == before)
        _ = try ward.honest.seal(wall: wall + 9)
        #expect(
            try Bench.dump(ward.honest).filter { $0.hasPrefix("form") }
                == before.filter { $0.hasPrefix("form") })
        try ward.honest.rebuild()
        #expect(
            try Bench.dump(ward.honest).filter { $0.hasPrefix("form") }
                == before.filter { $0.hasPrefix("form") })
    }

    @Test func `decisions have their author's time`() throws {
        let ward = try Ward()
        let wall = ward.bench.wall + 20
        let key = ward.ahead.identity.key
        let removal = try ward.bench.founder.sealControl(
            [
                .removal(
                    Removal(
                        subject: key, heads: ward.bench.founder.heads(of: key),
                        supersedes: ward.bench.founder.authority.latest(about: key), reason: ""))
            ], wall: wall)
        let entry = try #require(
            ward.bench.founder.file.room.policy.entry(
                of: OperationName(batch: removal.id, index: 0)))
        #expect(entry.wall.milliseconds == wall)
        #expect(entry.clock.milliseconds >= wall + Self.tenYears - 20)
        #expect(removal.wall.milliseconds == wall)
    }

    @Test func `records of a device are cut off by its own clock`() throws {
        let ward = try Ward()
        let wall = ward.bench.wall
        for (name, at) in [("Sara", wall + 100), ("Eve", wall + 200)] {
            try ward.honest.append([ward.bench.row(ward.form, name, 1)], wall: at)
            try Bench.merge(try ward.honest.seal(wall: at), into: ward.bench.founder)
        }
        let extent = try ward.bench.founder.extent(
            of: ward.honest.identity.key, before: WallTime(milliseconds: wall + 200))
        #expect(extent.operations == 1)
        #expect(extent.pastHeads == 1)
        #expect(extent.last == WallTime(milliseconds: wall + 100))
    }

    @Test func `a clock at either end is held there, and its entries are read back`() throws {
        let ward = try Ward()
        for wall in [0, UInt64.max] {
            let name = try ward.honest.append([ward.bench.row(ward.form, "Sara", 1)], wall: wall)[0]
            try ward.honest.append(
                [.edit(name, definition: ward.form, values: [.init(field: 1, value: .integer(2))])],
                wall: wall)
            try Bench.merge(try ward.honest.seal(wall: wall), into: ward.bench.founder)
            let expected = Int64(min(wall, Timestamp.latest.milliseconds))
            #expect(
                try ward.times(of: name, on: ward.bench.founder)
                    == [.integer(expected), .integer(expected)])
        }
    }
}
