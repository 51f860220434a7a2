import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// A form with more fields over all its versions than a table has columns.
struct WideFormTests {
    private static let fields = Limits.fieldsPerForm

    private static func fields(_ label: String) -> [FormField] {
        (0..<fields).map { FormField(name: "\(label)\($0)", type: .integer) }
    }

    /// An editor whose control log forks after two definitions: the branches have another one
    /// each, and all four together have more fields than there are columns.
    private struct Fork {
        let bench: Bench
        let editor = DeviceIdentity.generate()
        let common: [Batch]
        let branches: [[Batch]]

        init() throws {
            bench = try Bench()
            try bench.grant(.editor, to: editor.key)
            let (room, editor) = (bench.founding.room, editor)
            func definition(_ label: String, after previous: Batch?) -> Batch {
                let clock = Timestamp(
                    milliseconds: 1_700_000_000_000 + (previous?.number ?? 0), counter: 0)
                let form = FormDefinition(
                    formID: "wide", version: label, parents: [],
                    fields: WideFormTests.fields(label), json: "{}")
                return Batch.seal(
                    room: room, kind: .control, number: (previous?.number ?? 0) + 1,
                    previous: previous?.id ?? BatchID(room.digest), clock: clock,
                    blocks: [
                        .control(
                            ControlBlock(
                                firstIndex: 0,
                                entries: [.init(clock: clock, operation: .form(form))]))
                    ], by: editor)
            }
            let first = definition("a", after: nil)
            let second = definition("b", after: first)
            common = [first, second]
            branches = ["c", "d"].map { label in
                let one = definition(label, after: second)
                return [one, definition(label + label, after: one)]
            }
        }

        /// An entry of the editor's that fills every field of one definition.
        func entry(_ definition: Batch, number: UInt64, after previous: Batch?) -> Batch {
            let clock = Timestamp(milliseconds: 1_700_000_100_000 + number, counter: 0)
            let block = RecordsBlock(
                kind: .put, firstIndex: 0,
                form: OperationName(batch: definition.id, index: 0),
                fields: Array(0..<WideFormTests.fields), creators: [editor.key],
                rows: [
                    RecordsBlock.Row(
                        id: RecordID(high: number, low: number), clock: clock, creator: 0,
                        parents: 0..<0)
                ], parents: [],
                cells: (0..<WideFormTests.fields).map { .integer(Int64($0)) }, storage: [])
            return Batch.seal(
                room: bench.founding.room, kind: .records, number: number,
                previous: previous?.id ?? BatchID(bench.founding.room.digest), clock: clock,
                blocks: [.records(block)], by: editor)
        }
    }

    @Test func `definitions with more fields than there are columns part nobody`() async throws {
        let fork = try Fork()
        let granted = try Bench.batches(of: fork.bench.founder)
        var entries: [Batch] = []
        for definition in [fork.common[0], fork.branches[0][1], fork.branches[1][1]] {
            entries.append(
                fork.entry(definition, number: UInt64(entries.count + 1), after: entries.last))
        }
        var dumps: [[String]] = []
        for order in [[0, 1], [1, 0]] {
            let device = try fork.bench.store()
            try Bench.merge(granted + fork.common, into: device)
            for branch in order { try Bench.merge(fork.branches[branch], into: device) }
            try Bench.merge(entries, into: device)
            dumps.append(try Bench.dump(device))
            #expect(try device.counts().records == entries.count)
            #expect(try await CheckTests.check(device) == [])
            try device.rebuild()
            #expect(try Bench.dump(device) == dumps.last)
        }
        #expect(dumps[0] == dumps[1])
    }

    /// The fields of a form that have no column on a device.
    private func unplaced(_ device: TestRoom) -> Int {
        device.catalog.plans["wide"]?.unplaced.count ?? -1
    }

    @Test func `what loses its column, and what gets one, keeps its values`() async throws {
        let bench = try Bench()
        var rows: [RecordName] = []
        func fill(_ label: String) throws {
            let definition = try bench.addForm("wide", Self.fields(label), version: label)
            // One entry with a value in the last column, one without.
            for fields in [[0, Self.fields - 1], [0]] {
                rows += try bench.founder.append(
                    [
                        .put(
                            NewRows(
                                definition: definition, fields: fields,
                                rows: [fields.map { .integer(Int64($0)) }]))
                    ], wall: bench.wall)
            }
            _ = try bench.founder.seal(wall: bench.wall)
        }
        for label in ["v", "w", "x"] { try fill(label) }
        let editor = try bench.device(.editor)
        try Bench.merge(try Bench.batches(of: bench.founder), into: editor)
        #expect(unplaced(bench.founder) == 0)
        let before = try bench.founder.detail(of: rows[4]).values

        // Fields that come first in the order of names push the last ones out.
        try bench.addForm("wide", Self.fields("a"), by: editor, version: "a")
        let other = try bench.store()
        try Bench.merge(try Bench.batches(of: editor), into: bench.founder)
        try Bench.merge(try Bench.batches(of: bench.founder), into: other)
        for device in [bench.founder, other] {
            #expect(unplaced(device) == 4 * Self.fields - 1_900)
            #expect(try device.history(of: rows[4], limit: 1).first?.changes.count == 2)
            #expect(try await CheckTests.check(device) == [])
        }
        #expect(try Bench.dump(bench.founder) == Bench.dump(other))
        let digest = bench.founder.recordSum

        // The editor is removed with its definition: they are all back.
        bench.wall += 1
        let none = CoveredHeads(control: [], records: [])
        let removal = try bench.founder.sealControl(
            [
                .removal(
                    Removal(
                        subject: editor.identity.key, heads: none,
                        supersedes: bench.founder.authority.latest(
                            about: editor.identity.key), reason: ""))
            ], wall: bench.wall)
        while try bench.founder.reapply() {}
        try Bench.merge([removal], into: other)
        for device in [bench.founder, other] {
            #expect(unplaced(device) == 0)
            #expect(try device.detail(of: rows[4]).values == before)
            #expect(device.recordSum == digest)
            #expect(try await CheckTests.check(device) == [])
        }
        #expect(try Bench.dump(bench.founder) == Bench.dump(other))
        let dump = try Bench.dump(other)
        try other.rebuild()
        #expect(try Bench.dump(other) == dump)
    }

    @Test func `columns that were given up leave room for others`() async throws {
        let bench = try Bench()
        let editor = try bench.device(.editor)
        let founder = bench.founder
        let definition = try bench.addForm("wide", Self.fields("a"), version: "a")
        let name = try founder.append(
            [
                .put(
                    NewRows(
                        definition: definition, fields: [0, 1],
                        rows: [[.integer(1), .integer(2)]]))
            ], wall: bench.wall)[0]
        _ = try founder.seal(wall: bench.wall)
        try Bench.merge(try Bench.batches(of: founder), into: editor)
        for type in [StorageType.text, .decimal] {
            try bench.addForm(
                "wide",
                (0..<Self.fields).map { FormField(name: "\(type.name)\($0)", type: type) },
                by: editor, version: type.name)
        }
        try Bench.merge(try Bench.batches(of: editor), into: founder)
        let none = CoveredHeads(control: [], records: [])
        _ = try founder.sealControl(
            [
                .removal(
                    Removal(
                        subject: editor.identity.key, heads: none,
                        supersedes: founder.authority.latest(
                            about: editor.identity.key), reason: ""))
            ], wall: bench.wall)
        while try founder.reapply() {}
        // Spare columns of other types, and room for those of the form.
        for label in ["b", "c"] { try bench.addForm("wide", Self.fields(label), version: label) }
        #expect(try founder.detail(of: name).values.filter { $0 != .absent }.count == 2)
        #expect(try await CheckTests.check(founder) == [])
        let dump = try Bench.dump(founder)
        try founder.rebuild()
        #expect(try Bench.dump(founder) == dump)
    }
}
