import Foundation
import JSON
import ShareTestKit
import Spreadsheet
import Testing

@testable import XLSForm

/// XForms beside those of pyxform (Tests/interop/xlsform), and what no form there has.
@Suite struct XFormTests {
    private func xform(_ markdown: String) throws -> String {
        let form = try #require(try read(markdown).form)
        return String(decoding: try XFormWriter.write(form), as: UTF8.self)
    }

    @Test(arguments: FixtureForm.names)
    func `an XForm says what pyxform's says`(name: String) async throws {
        let reading = XLSFormReader.read(try FixtureForm.workbook(name), name: name)
        #expect(!reading.issues.contains { $0.severity == .error }, "\(reading.issues)")
        let folder = try ScratchFolder()
        let path = "\(folder.path)/\(name).xml"
        let bytes = try XFormWriter.write(try #require(reading.form))
        try Data(bytes).write(to: URL(filePath: path))
        if let kept = ProcessInfo.processInfo.environment["SHARED_XFORM_FOLDER"] {
            try Data(bytes).write(to: URL(filePath: "\(kept)/\(name).xml"))
        }
        let expected = FixtureForm.folder.appending(path: "expected/\(name).txt").path
        let run = try await Interop.run("xlsform/summary.py", [path, expected])
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test func `a list of another form is a file of that form`() throws {
        let text = try xform(
            """
            | survey |
            | | type | name | label | shared::list |
            | | select_one_from_file household.csv | hh | Household | @form:household |
            """)
        #expect(text.contains(#"<instance id="household" src="jr://file-csv/household.csv"/>"#))
        #expect(text.contains(#"<itemset nodeset="instance('household')/root/item">"#))
    }

    @Test func `external choices become choices of the form`() throws {
        let text = try xform(
            """
            | survey |
            | | type | name | label | choice_filter |
            | | text | land | Land | |
            | | select_one_external city | city | City | land=${land} |
            | external_choices |
            | | list_name | name | label | land |
            | | city | bonn | Bonn | de |
            """)
        #expect(text.contains("instance('city')/root/item[land= /data/land]"))
        #expect(text.contains("<name>bonn</name><label>Bonn</label><land>de</land>"))
    }

    @Test func `names that XML cannot take never reach it`() throws {
        let text = try xform(
            """
            | survey |
            | | type | name | label | instance::a b | body::x:y | bind::1 |
            | | select_one l | a | <A> & "B" | 1 | 2 | 3 |
            | choices |
            | | list_name | name | my column | p:q | ok |
            | | l | x | 1 | 2 | 3 |
            """)
        #expect(text.contains("&lt;A&gt; &amp; \"B\""))
        #expect(text.contains("<name>x</name><label>x</label><ok>3</ok>"))
        for absent in ["a b=", "x:y", " 1=", "my column", "p:q"] { #expect(!text.contains(absent)) }
    }

    @Test func `a definition that is none is refused with its place`() {
        func error(_ text: String) -> FormWritingError? {
            do {
                let form = try JSONValue(text: Array(text.utf8)).object ?? JSONObject()
                _ = try XFormWriter.write(form)
                return nil
            } catch { return error as? FormWritingError }
        }
        #expect(error("{}") == .badShape(path: "fields", expected: "a list of fields"))
        #expect(
            error(#"{"fields":[{"name":"g","type":"group","fields":[{"name":"a"}]}]}"#)
                == .badShape(path: "fields[1].fields[1]", expected: "a field with name and type"))
        #expect(
            error(#"{"fields":[{"name":"a","type":"text","relevant":"${b} = 1"}]}"#)
                == .unknownReference(name: "b", field: "a"))
        // Text in place of expressions, and members of other kinds, are written or left out.
        #expect(
            error(
                #"{"fields":[{"name":"a","type":"odd","label":7,"required":1,"x":[]}],"lists":{"l":3}}"#
            )
                == nil)
    }

    @Test(arguments: [
        ("1 + 2", "text", true), ("today()", "date", true), ("2026-11-21", "date", false),
        ("2026-11-21", "text", false), ("foo-bar", "text", false), ("-5", "integer", false),
        ("a b", "text", false), ("it's (here", "text", false), ("'(' x", "text", false),
        ("${a}", "text", true), ("a[1]", "text", true), ("6 div 2", "text", true),
        ("1.5 -2.5 0 0", "geopoint", false), ("a | b", "text", true), ("", "text", false),
    ])
    func `a default is computed or taken as it is`(text: String, type: String, isDynamic: Bool) {
        #expect(References.isDynamic(text, type: type) == isDynamic)
    }

    @Test func `references are cut out of texts`() {
        #expect(
            References("a ${b} ${last-saved#c}d").pieces == [
                .text("a "), .reference(name: "b", isLastSaved: false), .text(" "),
                .reference(name: "c", isLastSaved: true), .text("d"),
            ])
        #expect(References("$ {a} ${b $${c}").names == ["b $${c"])
        #expect(References("no $").isEmpty)
    }
}
