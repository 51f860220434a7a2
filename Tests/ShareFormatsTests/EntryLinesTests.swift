import ShareCore
import Testing

@testable import ShareFormats

/// Entries in JSON: lines, lists and GeoJSON.
struct EntryLinesTests {
    private static let form = """
        {"form_id": "visit", "fields": [
          {"name": "id", "type": "text"}, {"name": "gps", "type": "geopoint"},
          {"name": "plot", "type": "geoshape"},
          {"name": "colours", "type": "select_multiple", "list": "colours"},
          {"name": "seen", "type": "repeat", "fields": [{"name": "tally", "type": "integer"}]}],
         "lists": {"colours": ["1", "2", "3", "red"]}}
        """

    private func read(
        _ json: String, repeat name: String? = nil, keepsGood: Bool = false, step: Int = .max
    ) throws -> (entries: [ImportedEntry], reader: EntryLines) {
        var form = try Form(json: Array(Self.form.utf8))
        if let name {
            form = try #require(
                form.form(
                    ofRepeat: FormDefinition(
                        formID: "visit/\(name)", version: "1", parents: [],
                        fields: FormDefinition.repeatFields + [
                            FormField(name: "tally", type: .integer)
                        ], json: "")))
        }
        var reader = EntryLines(ValueParser(form), keepsGood: keepsGood)
        var entries: [ImportedEntry] = []
        var rest = Array(json.utf8)[...]
        while !rest.isEmpty {
            reader.read(Array(rest.prefix(step))) { entries.append($0) }
            rest = rest.dropFirst(step)
        }
        reader.finish { entries.append($0) }
        return (entries, reader)
    }

    private func reasons(_ json: String) throws -> [String] {
        try read(json).reader.problems.map(\.reason)
    }

    @Test func `names of choices may be numbers, and nothing else`() throws {
        let entries = try read(#"{"colours": [1, 3]}"#).entries
        #expect(entries.map { $0.values[3] } == [.text("1 3")])
        for wrong in ["[1.5]", "[true]", "[null]", "[[1]]"] {
            #expect(try reasons(#"{"colours": \#(wrong)}"#).count == 1, "\(wrong)")
        }
    }

    @Test func `rows that are none, and ids that are none, are told`() throws {
        let id = "0190a000-0000-7000-8000-000000000001"
        #expect(
            try reasons(#"{"_id": "\#(id)", "seen": [{"tally": 1}, 2]}"#)
                == ["a row of seen is a whole number, and no object"])
        #expect(
            try reasons(#"{"_id": "\#(id)", "seen": {"tally": 1}}"#)
                == ["the rows of seen are a list, and this is an object"])
        #expect(try reasons(#"{"_id": 12, "id": "a"}"#) == ["\"12\" is not the id of an entry"])
        #expect(try reasons(#"{"_id": null, "id": "a"}"#) == [])
        #expect(
            try read(#"{"_id": 12, "seen": [{"tally": 1}]}"#, repeat: "seen").reader.problems
                .map(\.reason) == ["\"12\" is not the id of an entry"])
    }

    @Test func `a line is taken as a whole or put aside as a whole, once`() throws {
        let good = #"{"_id": "0190a000-0000-7000-8000-000000000001", "seen": [{"tally": 1}]}"#
        let bad =
            #"{"_id": "0190a000-0000-7000-8000-000000000002", "#
            + #""seen": [{"tally": 1}, {"tally": "x"}, {"tally": "y"}]}"#
        let read = try read("\(good)\n\(bad)\n7\n", repeat: "seen", keepsGood: true)
        #expect(read.entries.map(\.line) == [1])
        #expect(read.reader.badRows.map(\.line) == [2, 3])
        #expect(read.reader.badRows.first?.raw == Array((bad + "\n").utf8))
        #expect(read.reader.rowCount == 5 && read.reader.badRowCount == 4)
        let whole = try self.read("{\"id\": \"a\"}\n{\"_id\": 12, \"x\": 1}\n", keepsGood: true)
            .reader
        #expect(whole.rowCount == 2 && whole.badRowCount == 1 && whole.badRows.count == 1)
        #expect(try self.read("{\"_id\": 12}\n").entries.isEmpty)
    }

    @Test func `what is put aside of a list has a line for each entry`() throws {
        let read = try read(
            "[\n {\"id\": \"a\"},\n {\"id\": \"b\",\n  \"x\": 1}\n]\n", keepsGood: true)
        #expect(
            read.entries.map { String(decoding: $0.raw, as: UTF8.self) } == ["{\"id\": \"a\"}\n"])
        #expect(
            read.reader.badRows.map { String(decoding: $0.raw, as: UTF8.self) }
                == ["{\"id\": \"b\",   \"x\": 1}\n"])
    }

    @Test func `a document of GeoJSON is known wherever it says so`() throws {
        let features = #"[{"type": "Feature", "properties": {"id": "a"}, "geometry": null}]"#
        let long = String(repeating: "x", count: 5_000)
        for text in [
            "{\"features\": \(features),\n\t\"type\"\t:\r\n\"FeatureCollection\"}",
            "{\"name\": \"\(long)\", \"type\": \"FeatureCollection\", \"features\": \(features)}",
        ] {
            for step in [7, Int.max] {
                let read = try read(text, step: step)
                #expect(read.reader.problems.isEmpty, "\(read.reader.problems)")
                #expect(read.entries.map { $0.values[0] } == [.text("a")])
            }
        }
        // An entry may have such a text in a field.
        let entry = try read(#"{"id": "\"type\":\"FeatureCollection\""}"#)
        #expect(entry.entries.count == 1 && entry.reader.problems.isEmpty)
    }

    private func document(_ geometry: String) -> String {
        #"{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": "#
            + #"{"id": "a"}, "geometry": \#(geometry)}]}"#
    }

    @Test(arguments: [
        (#"{"type": "Point", "coordinates": [16.37, 0.00005, 150]}"#, "0.00005 16.37 150"),
        (#"{"type": "Point", "coordinates": [-0.000012, 48]}"#, "48 -0.000012"),
        (#"{"type": "MultiPoint", "coordinates": [[16.37, 48.2]]}"#, "48.2 16.37"),
    ])
    func `the place of a feature is that of its geometry`(geometry: String, place: String) throws {
        let read = try read(document(geometry))
        #expect(read.reader.problems.isEmpty, "\(read.reader.problems)")
        #expect(read.entries.map { $0.values[1] } == [.text(place)])
    }

    @Test(arguments: [
        #"{"type": "MultiPoint", "coordinates": [[1, 2], [3, 4]]}"#,
        #"{"type": "MultiPolygon", "coordinates": [[[[1, 2]]], [[[3, 4]]]]}"#,
        #"{"type": "Point", "coordinates": [1]}"#, #"{"type": "Point", "coordinates": ["1", 2]}"#,
        #"{"type": "Point"}"#, #"{"type": "GeometryCollection", "geometries": []}"#, "7",
        #"{"type": "Polygon", "coordinates": [[[1, 2], [3], [4, 5], [1, 2]]]}"#,
    ])
    func `a geometry that is no place is told, and its entry not taken`(geometry: String) throws {
        let read = try read(document(geometry), keepsGood: true)
        #expect(read.entries.isEmpty && read.reader.problemCount == 1)
        #expect(read.reader.rowCount == 1 && read.reader.badRowCount == 1)
    }

    @Test(arguments: [
        #"{"type": "FeatureCollection"}"#, #"{"type": "FeatureCollection", "features": {}}"#,
        #"{"type": "FeatureCollection", "features": [7]}"#,
        #"{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": []}]}"#,
    ])
    func `a document without features, and what is no feature, are told`(text: String) throws {
        #expect(try reasons(text).count == 1)
    }

    @Test(arguments: [#"[{"id": "a"},,]"#, #"[{"id": "a"},]"#, "[{\"id\": 3 5}]"])
    func `a list that is no JSON is told`(text: String) throws {
        #expect(try reasons(text).count == 1, "\(text)")
    }
}
