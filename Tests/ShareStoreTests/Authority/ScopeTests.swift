import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// A member that was assigned some forms and areas: what lies outside is refused by every receiver,
/// whatever program sends it, and by its own device at once.
struct ScopeTests {
    /// A room with the forms `visit` and `other`, a repeat of `visit`, and a member that may enter
    /// visits of the north and the east.
    fileprivate struct Team {
        let bench: Bench
        let visit: OperationName
        let other: OperationName
        let stop: OperationName
        let member: TestRoom

        static let fields = [
            FormField(name: "area", type: .text), FormField(name: "age", type: .integer),
        ]
        static let north = Scope(forms: [
            .init(id: "visit", conditions: [.init(field: "area", values: ["north", "east"])])
        ])

        init(_ role: Role = .collector, scope: Scope? = Team.north) throws {
            bench = try Bench()
            visit = try bench.addForm("visit", Team.fields)
            other = try bench.addForm("other", Team.fields)
            stop = try bench.addForm("visit/stop", FormDefinition.repeatFields)
            let identity = DeviceIdentity.generate()
            bench.wall += 1
            try bench.founder.sealControl(
                [
                    .grant(
                        Grant(
                            subject: identity.key, role: role, scope: scope, firstControl: 1,
                            firstRecords: 1, supersedes: []))
                ], wall: bench.wall)
            member = try bench.store(identity)
            try Bench.merge(Bench.batches(of: bench.founder), into: member)
        }

        func row(_ form: OperationName, _ area: FieldValue, _ age: Int64) -> LocalChange {
            .put(NewRows(definition: form, fields: [0, 1], rows: [[area, .integer(age)]]))
        }

        /// What the founder says of one operation by a program that sends whatever it likes.
        func verdict(
            _ kind: RecordsBlock.Kind, _ form: OperationName, _ fields: [Int] = [],
            _ values: [FieldValue] = [], of record: RecordName? = nil,
            parents: [OperationName] = [], after last: Batch? = nil
        ) throws -> String {
            var storage: [UInt8] = []
            let cells = values.map { Cell($0, storage: &storage) }
            let clock = Timestamp(milliseconds: bench.wall, counter: 9)
            let id = record?.id ?? RecordID(milliseconds: bench.wall, random: (3, 3))
            let block = RecordsBlock(
                kind: kind, firstIndex: 0, form: form, fields: fields,
                creators: [member.identity.key],
                rows: [
                    .init(id: id, clock: clock, creator: 0, parents: 0..<Int32(parents.count))
                ], parents: parents, cells: cells, storage: storage)
            let batch = bench.sealed(
                [block], number: (last?.number ?? 0) + 1, after: last?.id, clock: clock,
                by: member.identity)
            try Bench.merge([batch], into: bench.founder)
            let row = try #require(try bench.founder.row(of: batch.id))
            let range = LocalName.range(of: row)
            let refused = try bench.founder.row(
                "SELECT reason FROM _refused WHERE operation BETWEEN ?1 AND ?2",
                .integer(range.first), .integer(range.last))
            if case .text(let reason)? = refused?.first { return reason }
            return "accepted"
        }

        /// An honest entry that everybody has.
        func entered() throws -> (record: RecordName, batch: Batch) {
            let record = try member.append([row(visit, .text("north"), 1)], wall: bench.wall)[0]
            let batch = try member.seal(wall: bench.wall)[0]
            try Bench.merge([batch], into: bench.founder)
            return (record, batch)
        }
    }

    @Test(arguments: [
        (FieldValue.text("north"), "accepted"), (.text("east"), "accepted"),
        (.text("south"), "scope"),
        (.text("North"), "scope"), (.text(""), "scope"), (.text("north east"), "scope"),
        (.absent, "scope"), (.integer(1), "scope"),
    ])
    func `a put counts where its own values lie inside`(_ area: FieldValue, _ verdict: String)
        throws
    {
        let team = try Team()
        #expect(try team.verdict(.put, team.visit, [0, 1], [area, .integer(1)]) == verdict)
    }

    @Test func `a put without the field, or of another form, is refused; of a repeat it counts`()
        throws
    {
        #expect(try Team().with { try $0.verdict(.put, $0.visit, [1], [.integer(1)]) } == "scope")
        #expect(
            try Team().with { try $0.verdict(.put, $0.other, [0], [.text("north")]) } == "scope")
        #expect(
            try Team().with { team in
                let entry = RecordID(milliseconds: 1, random: (1, 1))
                let parent = ParentName(creator: team.member.identity.key, id: entry).text
                return try team.verdict(
                    .put, team.stop, [0, 1], [.text(parent), .integer(1)])
            } == "accepted")
    }

    @Test(
        arguments: [
            ([0], [FieldValue.text("east")], "accepted"), ([0], [.text("south")], "scope"),
            ([0], [.absent], "scope"), ([1], [.integer(9)], "accepted"),
        ] as [([Int], [FieldValue], String)])
    func `an edit counts where what it sets lies inside`(
        _ fields: [Int], _ values: [FieldValue], _ verdict: String
    ) throws {
        let team = try Team()
        let (record, batch) = try team.entered()
        #expect(
            try team.verdict(
                .edit, team.visit, fields, values, of: record,
                parents: [OperationName(batch: batch.id, index: 0)], after: batch) == verdict)
    }

    @Test(arguments: [
        (RecordsBlock.Kind.delete, [FieldValue]()), (.restore, []), (.comment, [.text("seen")]),
    ])
    func `what names a form in scope alone is not looked at further`(
        _ kind: RecordsBlock.Kind, _ values: [FieldValue]
    ) throws {
        let team = try Team()
        let (record, batch) = try team.entered()
        #expect(
            try team.verdict(kind, team.visit, [], values, of: record, after: batch) == "accepted")
        let outside = try Team()
        let (own, last) = try outside.entered()
        #expect(
            try outside.verdict(kind, outside.other, [], values, of: own, after: last) == "scope")
    }

    @Test func `the role is looked at before the scope, the types after it`() throws {
        let team = try Team()
        let (record, batch) = try team.entered()
        #expect(
            try team.verdict(
                .review, team.other, [], [.text("approved"), .absent], of: record, after: batch)
                == "role")
        #expect(
            try Team().with {
                try $0.verdict(.put, $0.visit, [0, 1], [.text("south"), .text("x")])
            } == "scope")
        #expect(
            try Team().with {
                try $0.verdict(.put, $0.visit, [0, 1], [.text("north"), .text("x")])
            } == "type")
    }

    @Test func `of an import the rows inside count, on every path`() throws {
        let team = try Team()
        let areas = ["north", "south", "south", "east", "west", "north"]
        var storage: [UInt8] = []
        let cells = areas.flatMap {
            [Cell(.text($0), storage: &storage), Cell.integer(1)]
        }
        let clock = Timestamp(milliseconds: team.bench.wall, counter: 0)
        let block = RecordsBlock(
            kind: .put, firstIndex: 0, form: team.visit, fields: [0, 1],
            creators: [team.member.identity.key],
            rows: areas.indices.map {
                .init(
                    id: RecordID(milliseconds: team.bench.wall, random: (0, UInt64($0))),
                    clock: clock, creator: 0, parents: 0..<0)
            }, parents: [], cells: cells, storage: storage)
        let batch = team.bench.sealed([block], clock: clock, by: team.member.identity)
        // With what can be computed beforehand, and without.
        try team.bench.founder.merge([
            IncomingBatch(batch, definitions: team.bench.founder.definitions())
        ])
        let other = try team.bench.store()
        try Bench.merge(Bench.batches(of: team.bench.founder), into: other)
        for device in [team.bench.founder, other] {
            #expect(try device.integer("SELECT count(*) FROM visit") == 3)
            #expect(
                try device.rows("SELECT count, reason FROM _refused ORDER BY operation")
                    == [[.integer(2), "scope"], [.integer(1), "scope"]])
            let digest = device.digest
            try device.rebuild()
            #expect(device.digest == digest)
        }
        #expect(try Bench.dump(team.bench.founder) == Bench.dump(other))
    }

    @Test func `its own device says no at once`() throws {
        let team = try Team()
        #expect(
            throws: StoreError.outsideScope(
                form: "visit", field: "area", allowed: ["east", "north"])
        ) {
            try team.member.append([team.row(team.visit, .text("south"), 1)], wall: team.bench.wall)
        }
        #expect(throws: StoreError.outsideScope(form: "other", field: nil, allowed: [])) {
            try team.member.append([team.row(team.other, .text("north"), 1)], wall: team.bench.wall)
        }
        let (record, _) = try team.entered()
        #expect(
            throws: StoreError.outsideScope(
                form: "visit", field: "area", allowed: ["east", "north"])
        ) {
            try team.member.append(
                [.edit(record, definition: team.visit, values: [.init(field: 0, value: .absent)])],
                wall: team.bench.wall)
        }
        #expect(try team.member.counts().pending == 0)
        try team.member.append(
            [.edit(record, definition: team.visit, values: [.init(field: 1, value: .integer(2))])],
            wall: team.bench.wall)
        #expect(try team.member.seal(wall: team.bench.wall).count == 1)
    }

    @Test func `a narrower scope holds for what comes after, and keeps what is not sent back`()
        throws
    {
        let team = try Team(scope: nil)
        let key = team.member.identity.key
        _ = try team.entered()
        try team.member.append([team.row(team.other, .text("south"), 1)], wall: team.bench.wall)
        try team.member.append([team.row(team.visit, .text("east"), 2)], wall: team.bench.wall)
        let change = try team.bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: key, role: .collector, scope: Team.north,
                        heads: team.bench.founder.heads(of: key),
                        supersedes: team.bench.founder.authority.latest(about: key)))
            ], wall: team.bench.wall)
        #expect(team.bench.founder.authority.currentScopes(of: key) == [Team.north])
        try Bench.merge([change], into: team.member)
        #expect(try team.member.counts().withheld == 1)
        let sealed = try team.member.seal(wall: team.bench.wall)
        try Bench.merge(sealed, into: team.bench.founder)
        #expect(try team.bench.founder.integer("SELECT count(*) FROM visit") == 2)
        #expect(try team.bench.founder.integer("SELECT count(*) FROM other") == 0)
        #expect(try team.bench.founder.integer("SELECT count(*) FROM _refused") == 0)
        // Without the scope it is sent.
        let back = try team.bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: key, role: .collector, heads: team.bench.founder.heads(of: key),
                        supersedes: team.bench.founder.authority.latest(about: key)))
            ], wall: team.bench.wall)
        try Bench.merge([back], into: team.member)
        try Bench.merge(try team.member.seal(wall: team.bench.wall), into: team.bench.founder)
        #expect(try team.bench.founder.integer("SELECT count(*) FROM other") == 1)
    }
}

extension ScopeTests.Team {
    fileprivate func with<R>(_ body: (ScopeTests.Team) throws -> R) rethrows -> R { try body(self) }
}
