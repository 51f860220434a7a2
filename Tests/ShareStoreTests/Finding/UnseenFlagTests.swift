import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Entries of which nobody knows yet whether they break their form.
struct UnseenFlagTests {
    private let bench: Bench
    private let visit: OperationName
    private let bed: OperationName
    private let follower: RowFollower<FlagDerivation>

    init() throws {
        bench = try Bench()
        let number = [FormField(name: "n", type: .integer)]
        visit = try bench.addForm("visit", number)
        bed = try bench.addForm("visit/bed", FormDefinition.repeatFields + number)
        // What is below 0 breaks the form, in the entry or in a row of it.
        follower = RowFollower(
            path: bench.founder.path,
            FlagDerivation { _ in
                { row in
                    let all = [row] + row.repeats.flatMap { $0 }
                    let isBad = all.contains {
                        if case .integer(let number)? = $0.values.last { number < 0 } else { false }
                    }
                    return EntryFlag(problems: isBad ? "bad" : nil, warnings: nil)
                }
            })
    }

    private func put(_ number: Int64) throws -> RecordName {
        try bench.founder.append(
            [.put(NewRows(definition: visit, fields: [0], rows: [[.integer(number)]]))],
            wall: bench.wall)[0]
    }

    private func count(_ valid: FieldValue) async throws -> Int {
        let info = try #require(bench.founder.form("visit"))
        return try await RoomReader(path: bench.founder.path, hasFlags: true).records(
            info, RecordQuery(where: [.init(.valid, equals: valid)])
        ).count
    }

    private func step() async throws -> Bool { try await follower.step(bench.founder.forms()) }

    @Test func `an entry is valid when it was looked at with its rows`() async throws {
        let name = try put(1)
        while try await step() {}
        #expect(try await count(.text("yes")) == 1)
        try bench.founder.append(
            [.edit(name, definition: visit, values: [.init(field: 0, value: .integer(-1))])],
            wall: bench.wall)
        // It is noted to be looked at, in a later step.
        #expect(try await step())
        #expect(try await count(.text("yes")) == 0)
        #expect(try await count(.absent) == 1)
        while try await step() {}
        #expect(try await count(.text("no")) == 1)
    }

    @Test func `an entry is not valid before its rows were looked at`() async throws {
        let name = try put(1)
        while try await step() {}
        func row(_ index: Int64, _ number: Int64) -> [FieldValue] {
            [.text(ParentName(name).text), .integer(index), .integer(number)]
        }
        let rows = (1...1_000).map { row($0, $0 == 6 ? -1 : 1) }
        let names = try bench.founder.append(
            [.put(NewRows(definition: bed, fields: [0, 1, 2], rows: rows))], wall: bench.wall)
        #expect(try await count(.text("yes")) == 0)
        // As many rows as one step takes.
        #expect(try await step())
        #expect(try await count(.text("yes")) == 0)
        while try await step() {}
        #expect(try await count(.text("no")) == 1)
        try bench.founder.append(
            [.edit(names[5], definition: bed, values: [.init(field: 2, value: .integer(1))])],
            wall: bench.wall)
        while try await step() {}
        #expect(try await count(.text("yes")) == 1)
    }

    @Test func `nothing is known of entries that are withheld`() async throws {
        let device = try bench.device(.collector)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        try device.append(
            [.put(NewRows(definition: visit, fields: [0], rows: [[.integer(-1)]]))],
            wall: bench.wall)
        let key = device.identity.key
        let lowered = try bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: key, role: .viewer, heads: bench.founder.heads(of: key),
                        supersedes: bench.founder.authority.latest(about: key)))
            ], wall: bench.wall)
        try Bench.merge([lowered], into: device)
        let info = try #require(device.form("visit"))
        let follower = RowFollower(path: device.path, FlagDerivation { _ in { _ in nil } })
        while try await follower.step(device.forms()) {}
        let reader = try RoomReader(path: device.path, hasFlags: true)
        for (value, count) in [(FieldValue.text("yes"), 0), (.absent, 1)] {
            let query = RecordQuery(where: [.init(.valid, equals: value)])
            #expect(try await reader.records(info, query).count == count)
        }
    }
}
