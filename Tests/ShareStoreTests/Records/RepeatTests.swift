import Foundation
import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Records of a repeat: rows that belong to an entry of another form.
struct RepeatTests {
    private static let fields =
        FormDefinition.repeatFields + [FormField(name: "species", type: .text)]

    /// A survey with its sightings.
    private struct Survey {
        let bench: Bench
        let form: OperationName
        let sighting: OperationName

        init() throws {
            bench = try Bench()
            form = try bench.addForm("survey")
            sighting = try bench.addForm("survey/sighting", RepeatTests.fields)
        }

        func device(_ role: Role) throws -> TestRoom {
            let device = try bench.device(role)
            try Bench.merge(Bench.batches(of: bench.founder), into: device)
            return device
        }

        func sightings(
            _ species: [String], of parent: ParentName, ids: [RecordID] = []
        ) -> LocalChange {
            .put(
                NewRows(
                    definition: sighting, fields: [0, 1, 2],
                    rows: species.enumerated().map {
                        [.text(parent.text), .integer(Int64($0.offset + 1)), .text($0.element)]
                    }, ids: ids))
        }

        /// An entry with rows, entered in one transaction.
        @discardableResult
        func enter(_ species: [String], on device: TestRoom) throws -> RecordName {
            var ids = RecordIDSource()
            let id = ids.next(wall: WallTime(milliseconds: bench.wall))
            let parent = ParentName(creator: device.identity.key, id: id)
            return try device.append(
                [
                    .put(
                        NewRows(
                            definition: form, fields: [0], rows: [[.text("meadow")]], ids: [id])),
                    sightings(species, of: parent),
                ], wall: bench.wall)[0]
        }

        func rows(_ device: TestRoom) throws -> [[SQLValue]] {
            try device.rows(
                """
                SELECT s.name, r._index, r.species FROM "survey/sighting" r
                LEFT JOIN survey_view s ON r._parent = s._author || '/' || s._id ORDER BY 2, 3
                """)
        }
    }

    @Test func `an entry with its rows is in one batch and the same elsewhere`() throws {
        let survey = try Survey()
        let other = try survey.device(.collector)
        try survey.enter(["Vanessa", "Pieris"], on: survey.bench.founder)
        let sealed = try survey.bench.founder.seal(wall: survey.bench.wall)
        #expect(sealed.count == 1)
        try Bench.merge(Bench.batches(of: survey.bench.founder), into: other)
        #expect(try survey.rows(other) == [["meadow", 1, "Vanessa"], ["meadow", 2, "Pieris"]])
        #expect(try Bench.dump(other) == Bench.dump(survey.bench.founder))
        #expect(try other.view().digest == survey.bench.founder.view().digest)
    }

    @Test func `an entry that is not sent counts once with its rows`() throws {
        let survey = try Survey()
        let device = survey.bench.founder
        try survey.enter(["Vanessa", "Pieris"], on: device)
        let name = try survey.enter(["Apatura"], on: device)
        _ = try device.append(
            [
                .edit(
                    name, definition: survey.form, values: [.init(field: 0, value: .text("wood"))])
            ], wall: survey.bench.wall)
        #expect(try device.counts().pending == 6)
        #expect(try device.counts().pendingEntries == 2)

        // A file of the version before, in which a block alone says what it is about.
        let path = survey.bench.scratch.path("before.sqlite")
        try device.execute("VACUUM INTO '\(path)'")
        try Database(path: path).execute(
            """
            ALTER TABLE _pending DROP COLUMN creates; ALTER TABLE _pending DROP COLUMN form;
            ALTER TABLE _record DROP COLUMN changed_since_review;
            PRAGMA user_version = 12
            """)
        let later = try TestRoom(path: path, identity: device.identity)
        #expect(try later.schemaVersion() == Schema.room.version)
        #expect(try later.counts() == device.counts())
        #expect(try later.seal(wall: survey.bench.wall).count == 1)
        #expect(try survey.rows(later) == survey.rows(device))
    }

    @Test func `rows that come before their entry are kept and found once it is there`() throws {
        let survey = try Survey()
        let other = try survey.device(.collector)
        let writer = try survey.device(.collector)
        try Bench.merge(Bench.batches(of: survey.bench.founder), into: other)
        let id = RecordID(high: 5, low: 5)
        let parent = ParentName(creator: writer.identity.key, id: id)
        try writer.append([survey.sightings(["Vanessa"], of: parent)], wall: survey.bench.wall)
        let early = try writer.seal(wall: survey.bench.wall)
        #expect(try Bench.merge(early, into: other).map(\.accepted) == [1])
        #expect(try survey.rows(other) == [[.null, 1, "Vanessa"]])
        try writer.append(
            [
                .put(
                    NewRows(
                        definition: survey.form, fields: [0], rows: [[.text("late")]], ids: [id]))
            ], wall: survey.bench.wall)
        try Bench.merge(writer.seal(wall: survey.bench.wall), into: other)
        #expect(try survey.rows(other) == [["late", 1, "Vanessa"]])
    }

    @Test(arguments: [Role.contributor, .collector, .editor, .owner])
    func `only editors and owners add rows to the entries of others`(_ role: Role) throws {
        let survey = try Survey()
        let name = try survey.enter([], on: survey.bench.founder)
        let writer = try survey.device(role)
        let row = survey.sightings(["Vanessa"], of: ParentName(name))
        if role >= .editor {
            try writer.append([row], wall: survey.bench.wall)
            #expect(try survey.rows(writer).count == 1)
        } else {
            #expect(throws: StoreError.self) {
                try writer.append([row], wall: survey.bench.wall)
            }
        }
        // A program that does not ask: every receiver refuses it, by the operation alone.
        let forged = survey.bench.sealed(
            [
                Self.put(
                    survey.sighting, [.text(ParentName(name).text), .integer(1)],
                    by: writer.identity.key)
            ],
            clock: Timestamp(milliseconds: survey.bench.wall, counter: 0), by: writer.identity)
        _ = try Bench.merge(Bench.batches(of: survey.bench.founder), into: writer)
        let outcome = try Bench.merge([forged], into: survey.bench.founder)
        #expect(outcome.map(\.refused) == [role >= .editor ? 0 : 1])
        let reasons = try survey.bench.founder.refused(
            at: survey.bench.founder.refusedPlaces()
        ).map(\.refusal)
        #expect(reasons == (role >= .editor ? [] : [.role]))
    }

    @Test func `rows without a right parent or place are refused one by one`() throws {
        let survey = try Survey()
        let writer = try survey.device(.collector)
        let own = ParentName(creator: writer.identity.key, id: RecordID(high: 1, low: 2)).text
        let cases: [[FieldValue]] = [
            [.text(own), .integer(1)], [.text(own), .integer(0)], [.absent, .integer(1)],
            [.text(own.uppercased()), .integer(1)], [.text(own), .absent],
            [.text(own + "x"), .integer(1)], [.text(own), .integer(.max)],
        ]
        let blocks = cases.enumerated().map {
            Self.put(survey.sighting, $1, id: UInt64($0), by: writer.identity.key)
        }
        let batch = survey.bench.sealed(
            blocks, clock: Timestamp(milliseconds: survey.bench.wall, counter: 0),
            by: writer.identity)
        let outcome = try Bench.merge([batch], into: survey.bench.founder)
        #expect(outcome.map(\.accepted) == [2])
        #expect(outcome.map(\.refused) == [5])
        // What comes of it does not depend on whether the digest was computed beforehand.
        let other = try survey.bench.store()
        try Bench.merge(Bench.batches(of: survey.bench.founder), into: other)
        #expect(try Bench.dump(other) == Bench.dump(survey.bench.founder))
    }

    @Test func `an identity that is given up leaves entry and rows together`() throws {
        let survey = try Survey()
        let device = try survey.device(.collector)
        try survey.enter(["Vanessa", "Pieris"], on: device)
        let next = DeviceIdentity.generate()
        try survey.bench.grant(.collector, to: next.key)
        let again = try TestRoom(path: device.path, identity: next)
        try Bench.merge(Bench.batches(of: survey.bench.founder), into: again)
        #expect(try survey.rows(again) == [["meadow", 1, "Vanessa"], ["meadow", 2, "Pieris"]])
        let sealed = try again.seal(wall: survey.bench.wall)
        #expect(
            try Bench.merge(sealed, into: survey.bench.founder).map(\.accepted) == [3])
    }

    @Test func `what a lowered editor added to others' entries stays apart`() throws {
        let survey = try Survey()
        let name = try survey.enter([], on: survey.bench.founder)
        let editor = try survey.device(.editor)
        try editor.append(
            [survey.sightings(["Vanessa"], of: ParentName(name))], wall: survey.bench.wall)
        try survey.enter(["Pieris"], on: editor)
        let founder = survey.bench.founder
        try founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: editor.identity.key, role: .collector,
                        heads: CoveredHeads(control: [], records: []),
                        supersedes: founder.authority.latest(about: editor.identity.key)))
            ], wall: survey.bench.wall)
        try Bench.merge(Bench.batches(of: founder), into: editor)
        let sealed = try editor.seal(wall: survey.bench.wall)
        #expect(try Bench.merge(sealed, into: founder).map(\.refused) == [0])
        #expect(try survey.rows(founder).map { $0[2] } == ["Pieris"])
        #expect(try editor.counts().pending == 1)
    }

    @Test func `a power cut leaves an entry with all its rows or none`() throws {
        let survey = try Survey()
        let device = survey.bench.founder
        try device.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try survey.enter((0..<200).map { "species \($0)" }, on: device)
        let database = try Data(contentsOf: URL(fileURLWithPath: device.path))
        let log = try Data(contentsOf: URL(fileURLWithPath: device.path + "-wal"))
        var seen: Set<[Int64]> = []
        for length in Array(stride(from: 0, to: log.count, by: 2_060)) + [log.count] {
            let path = survey.bench.scratch.path("cut\(length).sqlite")
            try database.write(to: URL(fileURLWithPath: path))
            try log.prefix(length).write(to: URL(fileURLWithPath: path + "-wal"))
            let cut = try TestRoom(path: path, identity: device.identity)
            seen.insert([
                try cut.integer("SELECT count(*) FROM survey") ?? -1,
                try cut.integer(#"SELECT count(*) FROM "survey/sighting""#) ?? -1,
            ])
        }
        #expect(seen == [[0, 0], [1, 200]])
    }

    @Test func `rows are looked up by their entry over an index, also after a rebuild`() throws {
        let survey = try Survey()
        try survey.enter(["Vanessa"], on: survey.bench.founder)
        func plan() throws -> String {
            let rows = try survey.bench.founder.rows(
                """
                EXPLAIN QUERY PLAN SELECT * FROM "survey/sighting" WHERE _parent = 'x'
                ORDER BY _index
                """)
            return rows.map { "\($0[3])" }.joined()
        }
        #expect(try plan().contains("USING INDEX"))
        // A second form whose name folds alike takes the first one's table name.
        try survey.bench.addForm("Survey/sighting", RepeatTests.fields)
        #expect(try !plan().isEmpty)
        try survey.bench.founder.rebuild()
        #expect(try plan().contains("USING INDEX"))
    }

    private static func put(
        _ form: OperationName, _ values: [FieldValue], id: UInt64 = 9, by author: DeviceKey
    ) -> RecordsBlock {
        var storage: [UInt8] = []
        let cells = values.map { Cell($0, storage: &storage) }
        return RecordsBlock(
            kind: .put, firstIndex: 0, form: form, fields: Array(values.indices),
            creators: [author],
            rows: [
                RecordsBlock.Row(
                    id: RecordID(high: 9, low: id),
                    clock: Timestamp(milliseconds: 1_700_000_500_000, counter: 0), creator: 0,
                    parents: 0..<0)
            ], parents: [], cells: cells, storage: storage)
    }
}
