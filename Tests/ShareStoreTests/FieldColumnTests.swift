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
}
