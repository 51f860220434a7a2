import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// The columns of fields that come and go.
struct FieldColumnTests {
    @Test func `a field that goes leaves its column to the next one, whatever it is called`()
        async throws
    {
        let bench = try Bench()
        let old = try bench.addForm()
        let editor = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: bench.founder), into: editor)
        let key = editor.identity.key
        // Names like those that the store gives columns without a field.
        let odd = ["spare_1", "moving_1", "SPARE_2", "name"].map {
            FormField(name: $0, type: $0 == "name" ? .integer : .text)
        }
        let wide = try bench.addForm("visit", odd, by: editor, version: "2")
        try editor.append(
            [
                .put(
                    NewRows(
                        definition: wide, fields: [0, 3],
                        rows: [[.text("x"), .integer(7)]]))
            ], wall: bench.wall)
        _ = try editor.seal(wall: bench.wall)
        try Bench.merge(Bench.batches(of: editor), into: bench.founder)
        try bench.founder.append([bench.row(old, "Ann", 1)], wall: bench.wall)
        let full = try Bench.dump(bench.founder)
        let columns = "SELECT count(*) FROM pragma_table_info('visit')"
        let width = try bench.founder.integer(columns)
        for _ in 0..<3 {
            try bench.remove(key)
            #expect(bench.founder.form("visit")?.columns.map(\.name) == Bench.fields.map(\.name))
            #expect(try await CheckTests.check(bench.founder) == [])
            _ = try bench.founder.sealControl(
                [
                    .grant(
                        Grant(
                            subject: key, role: .editor, firstControl: 1, firstRecords: 1,
                            supersedes: bench.founder.authority.latest(about: key)))
                ], wall: bench.wall)
            #expect(
                try Bench.dump(bench.founder).filter { $0.hasPrefix("form") }
                    == full.filter { $0.hasPrefix("form") })
            #expect(try bench.founder.integer(columns) == width)
        }
    }

    @Test func `a field that becomes decimal has one column, whatever comes in which order`()
        async throws
    {
        let bench = try Bench()
        let store = bench.founder
        let old = try bench.addForm("visit", [FormField(name: "nets", type: .integer)])
        let far = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: store), into: far)
        func put(_ form: OperationName, _ value: FieldValue) -> LocalChange {
            .put(NewRows(definition: form, fields: [0], rows: [[value]]))
        }
        func edit(_ name: RecordName, _ form: OperationName, _ value: FieldValue) -> LocalChange {
            .edit(
                name, definition: form,
                values: [LocalChange.FieldChange(field: 0, value: value)])
        }
        let big = Int64(1) << 53 + 1
        let names = try store.append(
            [put(old, .integer(1)), put(old, .integer(2)), put(old, .integer(big))],
            wall: bench.wall)
        try store.append([edit(names[1], old, .integer(20))], wall: bench.wall)
        _ = try store.seal(wall: bench.wall)
        // Somebody who has not heard of the new version.
        try far.append([put(old, .integer(7))], wall: bench.wall)
        let late = try far.seal(wall: bench.wall)
        let editor = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: store), into: editor)
        let new = try bench.addForm(
            "visit", [FormField(name: "nets", type: .decimal)], by: editor, version: "2")
        try editor.append(
            [put(new, .decimal(4.5)), edit(names[1], new, .decimal(2.5))], wall: bench.wall)
        _ = try editor.seal(wall: bench.wall)
        try Bench.merge(Bench.batches(of: editor), into: store)
        try Bench.merge(late, into: store)
        let sql = "SELECT nets FROM visit_view ORDER BY nets"
        #expect(
            try store.rows(sql).map { $0[0] } == [
                .real(1), .real(2.5), .real(4.5), .real(7), .real(Double(big)),
            ])
        #expect(
            try store.rows("SELECT name FROM pragma_table_info('visit')").map { $0[0] }.last
                == "nets")
        // To the last digit, as it was signed.
        #expect(try store.integer("SELECT nets FROM visit WHERE nets > 100") == big)
        #expect(try await CheckTests.check(store) == [])
        let dump = try Bench.dump(store)
        try store.rebuild()
        #expect(try Bench.dump(store) == dump)
        let other = try bench.store()
        try Bench.merge(Bench.batches(of: store), into: other)
        #expect(try Bench.dump(other) == dump)
        // What is said last shows, by whichever version; what is cleared is gone.
        try store.append(
            [edit(names[1], old, .integer(3)), edit(names[0], new, .absent)], wall: bench.wall + 9)
        #expect(
            try store.rows("SELECT nets FROM visit WHERE nets < 4 OR nets IS NULL ORDER BY 1")
                == [[.null], [3]])
        let reader = try RoomReader(path: store.path)
        let rows = try await reader.records(#require(store.form("visit")))
        #expect(rows.allSatisfy { if case .integer = $0.values[0] { false } else { true } })
        // Without the new version it is a column of whole numbers again.
        try bench.remove(editor.identity.key)
        while try store.reapply() {}
        #expect(
            try store.rows("SELECT nets FROM visit ORDER BY nets").map { $0[0] }
                == [1, 3, 7, .integer(big)])
        #expect(try await CheckTests.check(store) == [])
    }

    @Test func `a conflict of whole numbers is settled by who has seen it and writes a decimal`()
        throws
    {
        let bench = try Bench()
        let store = bench.founder
        let old = try bench.addForm("visit", [FormField(name: "nets", type: .integer)])
        let name = try store.append(
            [.put(NewRows(definition: old, fields: [0], rows: [[.integer(1)]]))],
            wall: bench.wall)[0]
        _ = try store.seal(wall: bench.wall)
        let other = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: store), into: other)
        func edit(_ form: OperationName, _ value: FieldValue) -> LocalChange {
            .edit(
                name, definition: form,
                values: [LocalChange.FieldChange(field: 0, value: value)])
        }
        try store.append([edit(old, .integer(2))], wall: bench.wall + 1)
        _ = try store.seal(wall: bench.wall + 1)
        try other.append([edit(old, .integer(3))], wall: bench.wall + 2)
        try Bench.merge(other.seal(wall: bench.wall + 2), into: store)
        #expect(try store.counts().conflicts == 1)
        let new = try bench.addForm(
            "visit", [FormField(name: "nets", type: .decimal)], version: "2")
        #expect(try store.counts().conflicts == 1)
        try store.append([edit(new, .decimal(2.5))], wall: bench.wall + 3)
        #expect(try store.counts().conflicts == 0)
        #expect(try store.rows("SELECT nets FROM visit") == [[.real(2.5)]])
    }
}
