import ShareCore
import ShareCrypto

@testable import ShareStore

/// Some editors of one room with one record, who exchange what they have when the test says so.
final class ConflictBench {
    let bench: Bench
    let form: OperationName
    let devices: [TestRoom]
    let record: RecordName

    init(editors: Int, roles: [Role] = []) throws {
        bench = try Bench()
        form = try bench.addForm()
        var devices = [bench.founder]
        for _ in 0..<editors { devices.append(try bench.device(.editor)) }
        for role in roles { devices.append(try bench.device(role)) }
        self.devices = devices
        record = try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)[0]
        try exchange()
    }

    subscript(_ place: Int) -> TestRoom { devices[place] }

    /// Seals what is pending on some devices and hands it to all of them.
    func exchange(_ places: [Int]? = nil) throws {
        let some = places.map { $0.map { devices[$0] } } ?? devices
        for device in some { _ = try device.seal(wall: bench.wall) }
        let batches = try some.map { try Bench.batches(of: $0) }
        for device in some {
            for batches in batches { try Bench.merge(batches, into: device) }
        }
    }

    func edit(_ place: Int, _ values: [Int: FieldValue], _ record: RecordName? = nil) throws {
        bench.wall += 1
        try devices[place].append(
            [
                .edit(
                    record ?? self.record, definition: form,
                    values: values.map { LocalChange.FieldChange(field: $0, value: $1) })
            ], wall: bench.wall)
    }

    func change(_ place: Int, _ change: LocalChange) throws {
        bench.wall += 1
        try devices[place].append([change], wall: bench.wall)
    }

    /// Fields in conflict on a device, with the values, the winner's first.
    func conflicts(_ place: Int = 0) throws -> [String] {
        try devices[place].conflicts(after: nil, limit: 100).items.map(ConflictBench.text)
    }

    func parallel(_ place: Int = 0) throws -> [String] {
        try devices[place].parallelUpdates(after: nil, limit: 100).items.map { update in
            update.branches.map { branch in
                (branch.changes.map { "\($0.field.name)=\(ConflictBench.text($0.value))" }
                    + (branch.isDeleted.map { [$0 ? "deleted" : "restored"] } ?? [])
                    + (branch.state.map { [$0] } ?? [])).joined(separator: ",")
            }.joined(separator: " | ")
        }
    }

    static func text(_ conflict: RecordConflict) -> String {
        let sides = [conflict.winner] + conflict.losers
        return conflict.field.columns.name + ": "
            + sides.map { side in
                side.changes.isEmpty
                    ? text(side.value)
                    : side.changes.map { "\($0.field.name)=\(text($0.value))" }
                        .joined(separator: ",")
            }.joined(separator: " > ")
    }

    static func text(_ value: FieldValue) -> String {
        switch value {
        case .absent: "-"
        case .integer(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .text(let value): value
        }
    }

    /// Everything that people are told of conflicts, in full, to compare devices by.
    static func told(_ device: TestRoom) throws -> [String] {
        let conflicts = try device.conflicts(after: nil, limit: 10_000)
        let parallel = try device.parallelUpdates(after: nil, limit: 10_000)
        var told = conflicts.items.map { "\($0)" } + parallel.items.map { "\($0)" }
        let records = Set(conflicts.items.map(\.record) + parallel.items.map(\.record)).sorted()
        for record in records {
            told += try device.history(of: record, limit: 1_000).map { "\($0)" }
        }
        return told
    }
}
