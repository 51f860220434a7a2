import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What people read in a room's file: who an author is, and a view for each form.
@Suite struct ViewTests {
    @Test func `a view shows an entry with its author's name, once that is known`() throws {
        let bench = try Bench()
        let store = bench.founder
        let form = try bench.addForm("device", [FormField(name: "name", type: .text)])
        try store.append(
            [.put(NewRows(definition: form, fields: [0], rows: [[.text("Asha")]]))],
            wall: bench.wall)
        let key = store.identity.key
        let view = try #require(
            store.rows("SELECT name FROM sqlite_schema WHERE type = 'view' AND name <> 'device'")
                .first?.first)
        guard case .text(let name) = view else {
            Issue.record("\(view)")
            return
        }
        let sql = "SELECT name, _author_name, _author, _created FROM \(SQLName.quote(name))"
        let row = try #require(try store.rows(sql).first)
        #expect(row[0] == .text("Asha") && row[1] == .text(key.short) && row[2] == .text(key.text))
        guard case .text(let created) = row[3] else {
            Issue.record("\(row[3])")
            return
        }
        #expect(created.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/) != nil, "\(created)")

        try store.file.change { try $0.devices.note([key: "ward-1"]) }
        #expect(try store.rows(sql).first?[1] == .text("ward-1"))
        #expect(
            try store.rows("SELECT id, name FROM device").contains([
                .text(key.text), .text("ward-1"),
            ]))
        try store.rebuild()
        #expect(try store.rows(sql).first?[1] == .text("ward-1"))
    }

    @Test func `a place has its latitude and longitude as numbers`() throws {
        let bench = try Bench()
        let json =
            #"{"form_id":"visit","fields":[{"name":"g","type":"group","fields":["#
            + #"{"name":"gps","type":"geopoint"}]},{"name":"gps_lat","type":"text"},"#
            + #"{"name":"home","type":"geopoint"}]}"#
        let fields = ["gps", "gps_lat", "home"].map { FormField(name: $0, type: .text) }
        let form = try bench.addForm("visit", fields, json: json)
        try bench.founder.append(
            [
                .put(
                    NewRows(
                        definition: form, fields: [0, 2],
                        rows: [
                            [.text("1 2"), .text("-48.2082 16.3738 150 5")], [.absent, .absent],
                        ]))
            ], wall: bench.wall)
        #expect(
            try bench.founder.rows("SELECT home_lat, home_lon FROM visit_view ORDER BY home")
                == [[.null, .null], [.real(-48.2082), .real(16.3738)]])
        // Another field has the name already.
        #expect(try bench.founder.rows("SELECT gps_lat FROM visit_view")[0] == [.null])
        // What entries have in a field that is not asked any more is still a place.
        try bench.addForm("visit", [FormField(name: "gps_lat", type: .text)], version: "2")
        #expect(
            try bench.founder.rows("SELECT home_lat FROM visit_view WHERE home IS NOT NULL")
                == [[.real(-48.2082)]])
        let view = "SELECT sql FROM sqlite_schema WHERE name = 'visit_view'"
        let made = try bench.founder.rows(view)
        try bench.founder.rebuild()
        #expect(try bench.founder.rows(view) == made)
    }

    @Test func `choices have their labels behind them`() throws {
        let bench = try Bench()
        func json(_ choices: String) -> String {
            #"{"form_id":"visit","default_language":"fr","fields":[{"name":"v","type":"select_one","#
                + #""list":"v"},{"name":"g","type":"group","fields":[{"name":"m","#
                + #""type":"select_multiple","list":"v"}]},{"name":"x","type":"select_one","#
                + #""list":"x"}],"lists":{"v":[\#(choices)],"x":[{"name":"a"},"b"]}}"#
        }
        let fields = ["v", "m", "x"].map { FormField(name: $0, type: .text) }
        let form = try bench.addForm(
            "visit", fields,
            json: json(
                #"{"name":"kor","label":"Koro's"},{"name":"old","label":"Old"},"#
                    + #"{"name":"b","label":{"en":"Bala","fr":"Balà"}}"#))
        try bench.founder.append(
            [
                .put(
                    NewRows(
                        definition: form, fields: [0, 1, 2],
                        rows: [
                            [.text("kor"), .text("b zz kor"), .text("a")],
                            [.text("old"), .text(#"b"x"#), .text("b")],
                            [.absent, .absent, .absent],
                        ]))
            ], wall: bench.wall)
        let sql = "SELECT v, v_label, m_label FROM visit_view ORDER BY v"
        #expect(
            try bench.founder.rows(sql) == [
                [.null, .null, .null], ["kor", "Koro's", "Balà, zz, Koro's"],
                ["old", "Old", #"b"x"#],
            ])
        #expect(throws: (any Error).self) {
            try bench.founder.rows("SELECT x_label FROM visit_view")
        }
        // What is not offered any more keeps its label.
        try bench.addForm(
            "visit", fields, version: "2", json: json(#"{"name":"kor","label":"Koro"}"#))
        #expect(
            try bench.founder.rows(sql).map { $0[1] } == [.null, "Koro", "Old"])
    }

    @Test func `a repeat has a view too`() throws {
        let bench = try Bench()
        let form = try bench.addForm("survey")
        let sighting = try bench.addForm(
            "survey/sighting",
            FormDefinition.repeatFields + [FormField(name: "species", type: .text)])
        var ids = RecordIDSource()
        let id = ids.next(wall: WallTime(milliseconds: bench.wall))
        let parent = ParentName(creator: bench.founder.identity.key, id: id)
        try bench.founder.append(
            [
                .put(NewRows(definition: form, fields: [0], rows: [[.text("meadow")]], ids: [id])),
                .put(
                    NewRows(
                        definition: sighting, fields: [0, 1, 2],
                        rows: [[.text(parent.text), .integer(1), .text("Pieris")]])),
            ], wall: bench.wall)
        #expect(
            try bench.founder.rows(
                """
                SELECT s.name, r._index, r.species, r._author_name FROM survey_view s
                JOIN "survey/sighting_view" r ON r._parent = s._author || '/' || s._id
                """) == [["meadow", 1, "Pieris", .text(bench.founder.identity.key.short)]])
    }

    @Test func `no table and no view takes another's name`() {
        let tables = ColumnNames.tables(["device", "a", "a_view", "A_VIEW"])
        #expect(tables["a"] == "a" && tables["a_view"] != nil)
        #expect(tables["device"]?.hasPrefix("device__") == true)
        let views = ColumnNames.views(tables)
        let all =
            (Array(tables.values) + Array(views.values)).map { SQLName.folded($0) } + ["device"]
        #expect(Set(all).count == all.count, "\(tables) \(views)")
        #expect(views["a"]?.hasPrefix("a_view__") == true)
    }
}
