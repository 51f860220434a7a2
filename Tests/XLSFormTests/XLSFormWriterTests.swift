import JSON
import ShareTestKit
import Spreadsheet
import Testing

@testable import XLSForm

/// XLSForms that are written of forms, and read again.
@Suite struct XLSFormWriterTests {
    @Test(arguments: FixtureForm.names)
    func `a form comes back from the XLSForm written of it`(name: String) throws {
        let form = try #require(XLSFormReader.read(try FixtureForm.workbook(name), name: name).form)
        let written = try XLSFormWriter.write(form)
        for workbook in [
            try Workbook(xlsx: written.xlsx()),
            try Workbook(markdown: Array(written.markdown.utf8)),
        ] {
            let again = XLSFormReader.read(workbook, name: name)
            #expect(sorted(.object(again.form ?? JSONObject())) == sorted(.object(form)))
        }
    }

    @Test func `what only this project says comes back too`() throws {
        let text = #"""
            {"form_id":"f","key":["a"],"fields":[{"name":"a","label":"A","type":"select_one_from_file",
            "list":"@form:household","x":{"where":"_state='approved'","persist":false,
            "warn_message":{"en":"Look","fr":"Voyez"}}}]}
            """#
        let form = try #require(try JSONValue(text: Array(text.utf8)).object)
        let again = XLSFormReader.read(try XLSFormWriter.write(form), name: "x")
        #expect(sorted(.object(again.form ?? JSONObject())) == sorted(.object(form)))
    }

    @Test func `a choice without a label is written with its name, in the languages of others`()
        throws
    {
        func labels(_ lists: String, _ more: String = "") throws -> [[String: String]] {
            let text = """
                {"form_id":"f",\(more)"fields":[{"name":"a","type":"select_one","list":"l"}],
                "lists":\(lists)}
                """
            let form = try #require(try JSONValue(text: Array(text.utf8)).object)
            let sheets = try XLSFormWriter.write(form).sheets
            let rows = try #require(sheets.first { $0.name == "choices" }?.rows)
            let headers = rows[0].cells.map(\.text)
            return rows.dropFirst().map { row in
                Dictionary(
                    uniqueKeysWithValues: headers.enumerated().map { ($1, row[$0 + 1]) }.filter {
                        $0.0.hasPrefix("label") && !$0.1.isEmpty
                    })
            }
        }
        #expect(try labels(#"{"l":["n","s"]}"#) == [["label": "n"], ["label": "s"]])
        #expect(
            try labels(#"{"l":["n",{"name":"s","label":{"en":"South","fr":"Sud"}}]}"#) == [
                ["label::en": "n", "label::fr": "n"], ["label::en": "South", "label::fr": "Sud"],
            ])
        #expect(try labels(#"{"l":[{"name":"n","media":{"image":"n.png"}}]}"#) == [[:]])
        // A plain one beside that of the form's own language would be none to pyxform.
        #expect(
            try labels(
                #"""
                {"l":["n",{"name":"s","label":{"en":"South","fr":"Sud"}},{"name":"p","label":"P"}],
                "m":["x"]}
                """#, #""default_language":"fr","#) == [
                    ["label": "n", "label::en": "n"], ["label::en": "South", "label::fr": "Sud"],
                    ["label": "P", "label::en": "P"], ["label": "x"],
                ])
    }

    @Test func `a range without bounds is written with those that it has here`() throws {
        let text = #"""
            {"form_id":"f","fields":[{"name":"a","type":"range","label":"A"},
            {"name":"b","type":"range","label":"B","parameters":{"end":1000}}]}
            """#
        let form = try #require(try JSONValue(text: Array(text.utf8)).object)
        let written = try XLSFormWriter.write(form).markdown
        #expect(written.contains("start=0 end=10 step=0.1"), "\(written)")
        #expect(written.contains("end=1000 start=0 step=1"), "\(written)")
        let xform = String(decoding: try XFormWriter.write(form), as: UTF8.self)
        #expect(xform.contains(#"start="0" end="10" step="0.1""#), "\(xform)")
        #expect(xform.contains(#"nodeset="/data/a" type="decimal""#), "\(xform)")
        #expect(xform.contains(#"nodeset="/data/b" type="int""#), "\(xform)")
    }

    @Test func `names that no element can have are others in files, with all that refers to them`()
        throws
    {
        let text = #"""
            {"form_id":"f","key":["Body temp"],"settings":{"name":"a><b"},
            "instance_name":"concat(${Body temp}, ${last-saved#Body temp})","fields":[
            {"name":"Body temp","type":"decimal"},{"name":"Body_temp","type":"text","label":"T"},
            {"name":"a><b","type":"group","fields":[
            {"name":"2nd (°C)","type":"text","label":"was ${Body temp}","relevant":"${Body temp} > 38"},
            {"name":"Température","type":"integer"}]},
            {"name":"meta","type":"text"},{"name":"(x)","type":"note","label":"X"}]}
            """#
        let form = try #require(try JSONValue(text: Array(text.utf8)).object)
        let mended = MendedNames(form)
        #expect(
            mended.changes.map { "\($0.old): \($0.new)" } == [
                "Body temp: Body_temp_2", "a><b: a__b", "2nd (°C): q_2nd__\u{5F}C_", "meta: meta_2",
                "(x): x_", "a><b: a__b",
            ])
        let reader = ElementNames()
        let parser = XMLParser(part: "form", handler: reader)
        let bytes = try XFormWriter.write(form)
        try bytes.withUnsafeBytes { try parser.parse($0, isLast: true) }
        for name in ["Body_temp", "Body_temp_2", "a__b", "Température", "meta_2", "x_"] {
            #expect(reader.names.contains(name), "\(name)")
        }
        let xform = String(decoding: bytes, as: UTF8.self)
        #expect(xform.contains(#"relevant="/a__b/Body_temp_2  &gt; 38""#), "\(xform)")
        let workbook = try XLSFormWriter.write(form)
        let reading = XLSFormReader.read(workbook, name: "f")
        #expect(!reading.issues.contains { $0.severity == .error }, "\(reading.issues)")
        let again = try #require(reading.form)
        #expect(again["key"] == .array(["Body_temp_2"]))
        #expect(again["fields"]?.array?.first?.object?["label"] == "Body temp")
        #expect(MendedNames(again).changes.isEmpty)
    }

    @Test func `numbers and truth values of JSON are written as what they mean here`() throws {
        let text = #"""
            {"form_id":"f","fields":[
            {"name":"a","type":"range","label":"A","parameters":{"start":0,"end":10,"step":0.5}},
            {"name":"b","type":"select_one","list":"l","label":"B","choice_filter":"urban='true'"}],
            "lists":{"l":[{"name":"x","label":"X","urban":true,"level":2}]}}
            """#
        let form = try #require(try JSONValue(text: Array(text.utf8)).object)
        let written = try XLSFormWriter.write(form).markdown
        #expect(written.contains("start=0 end=10 step=0.5"), "\(written)")
        #expect(written.contains("| l | x | X | true | 2 |"), "\(written)")
        let xform = String(decoding: try XFormWriter.write(form), as: UTF8.self)
        #expect(xform.contains(#"start="0" end="10" step="0.5""#), "\(xform)")
        #expect(xform.contains("<urban>true</urban><level>2</level>"), "\(xform)")
    }

    @Test func `a text without a language is in all of them wherever others would show a stroke`()
        throws
    {
        let text = #"""
            {"form_id":"f","default_language":"fr","fields":[
            {"name":"a","type":"select_one","list":"l","label":{"en":"One","fr":"Un"}},
            {"name":"b","type":"text","label":"Plain","media":{"image":"b.png"}},
            {"name":"c","type":"text","label":"Alone"}],
            "lists":{"l":[{"name":"s","label":{"en":"South","fr":"Sud"}},{"name":"p","label":"P"}]}}
            """#
        let form = try #require(try JSONValue(text: Array(text.utf8)).object)
        let xform = String(decoding: try XFormWriter.write(form), as: UTF8.self)
        #expect(!xform.contains("<value>-</value>"), "\(xform)")
        #expect(xform.contains("<label>Alone</label>"))
        let written = try XLSFormWriter.write(form)
        #expect(written.markdown.contains("| text | b | Plain | Plain | "))
        let again = try #require(XLSFormReader.read(written, name: "x").form)
        #expect(again["lists"] == form["lists"])
        #expect(again["fields"]?.array?.last == form["fields"]?.array?.last)
    }

    @Test func `a title in several languages comes back, and others see that of the form`() throws {
        for title in [#"{"en":"Visit","fr":"Visite"}"#, #"{"":"Visit","fr":"Visite"}"#] {
            let text = """
                {"form_id":"f","title":\(title),"default_language":"fr",
                "fields":[{"name":"a","type":"text","label":"A"}]}
                """
            let form = try #require(try JSONValue(text: Array(text.utf8)).object)
            let written = try XLSFormWriter.write(form)
            #expect(written.markdown.contains("| Visite |"))
            let again = XLSFormReader.read(written, name: "x")
            #expect(again.issues.isEmpty)
            #expect(sorted(.object(again.form ?? JSONObject())) == sorted(.object(form)))
        }
    }

    @Test func `entries of another form are a file beside it to other programs`() throws {
        let text = #"""
            {"form_id":"f","fields":[
            {"name":"hh","type":"select_one_from_file","list":"@form:household","label":"Household"},
            {"name":"head","type":"text","calculation":
            "instance('@form:household')/root/item[name=${hh}]/head"},
            {"name":"bare","type":"integer"}]}
            """#
        let form = try #require(try JSONValue(text: Array(text.utf8)).object)
        let written = try XLSFormWriter.write(form)
        let sheet = written.markdown
        #expect(sheet.contains("instance('household')/root/item[name=${hh}]/head"))
        #expect(!sheet.contains("'@form:"))
        let again = XLSFormReader.read(written, name: "x")
        #expect(again.form?["fields"]?.array?.prefix(2) == form["fields"]?.array?.prefix(2))
        // A question without a text is shown by its name, here as well.
        #expect(again.form?["fields"]?.array?.last?["label"] == "bare")
        let xform = String(decoding: try XFormWriter.write(form), as: UTF8.self)
        #expect(xform.contains("instance('household')/root/item[name="))
    }
}

/// Collects the names of elements.
private final class ElementNames: XMLHandler {
    var names: Set<String> = []
    func start(_ name: String, _ attributes: XMLAttributes) { names.insert(name) }
    func end(_ name: String) {}
    func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
}
