import JSON
import Spreadsheet
import Testing

@testable import XLSForm

/// Files that are laid out otherwise than most, and what is told of them.
@Suite struct OddTablesTests {
    private func csv(_ text: String) throws -> XLSFormReader.Reading {
        XLSFormReader.read(
            try Workbook(
                file: Array(text.utf8), name: "visit.csv", wanted: XLSFormReader.isFormSheet),
            name: "visit")
    }

    private static let made = #"""
        {"form_id":"visit","fields":[{"name":"a","type":"select_one","list":"l","label":"A"}],\#
        "lists":{"l":[{"name":"1","label":"One"}]}}
        """#

    @Test(arguments: [
        """
        survey,type,name,label
        ,select_one l,a,A
        choices,list_name,name,label
        ,l,1,One
        """,
        """
        survey,,,
        ,type,name,label
        ,select_one l,a,A
        choices,,,
        ,list_name,name,label
        ,l,1,One
        """,
        """
        survey
        ,type,name,label
        ,select_one l,a,A
        choices
        ,list_name,name,label
        ,l,1,One
        """,
    ])
    func `one CSV file may hold the sheets, their names in the first column`(_ text: String) throws
    {
        let reading = try csv(text)
        #expect(json(reading.form) == Self.made, "\(reading.issues)")
        #expect(reading.issues.isEmpty)
    }

    private static let parted = #"""
        {"form_id":"visit","fields":[{"name":"a","type":"select_one","list":"l","label":"A"},\#
        {"name":"b","type":"text","label":"B","hint":"H"}],\#
        "lists":{"l":[{"name":"1","label":"One"},{"name":"2","label":"Two"}]}}
        """#

    @Test func `a sheet may go on further down`() throws {
        let text = """
            survey,,,,
            ,type,name,label,
            ,select_one l,a,A,
            choices,,,,
            ,list_name,name,label,
            ,l,1,One,
            Survey,,,,
            ,label,hint,name,type
            ,B,H,b,text
            choices,,,,
            ,l,2,Two,
            """
        for reading in [
            try csv(text),
            try read(
                text.split(separator: "\n").map {
                    "| \($0.replacing(",", with: " | ")) |"
                }.joined(separator: "\n"), name: "visit"),
        ] {
            #expect(json(reading.form) == Self.parted, "\(reading.issues)")
            #expect(reading.issues.isEmpty)
        }
        // Its rows keep their numbers.
        let wrong = try csv(text.replacing(",B,H,b,text", with: ",B,H,b,txet"))
        #expect(wrong.issues.first?.description.hasPrefix("survey A9 (type)") == true, "\(wrong)")
    }

    @Test func `a CSV file of one sheet is the survey`() throws {
        let reading = try csv("type,name,label\ntext,a,A\n")
        #expect(reading.form != nil, "\(reading.issues)")
        #expect(reading.issues.map(\.message) == ["this sheet is read as the survey"])
    }

    @Test func `a workbook with one sheet is the survey, whatever that is called`() throws {
        let sheet = Sheet(
            name: "Sheet1", table: [["type", "name", "label"], ["text", "a", "A"]])
        let bytes = try Workbook([sheet]).xlsx()
        let workbook = try Workbook(
            file: bytes, name: "visit.xlsx", wanted: XLSFormReader.isFormSheet)
        let reading = XLSFormReader.read(workbook, name: "visit")
        #expect(
            json(reading.form)
                == #"{"form_id":"visit","fields":[{"name":"a","type":"text","label":"A"}]}"#)
        #expect(
            reading.issues.map(\.description) == ["Sheet1: this sheet is read as the survey"])
    }

    @Test(arguments: ["label", "label::English", "label::English (en)"])
    func `a row with nothing but a label is told, in whatever language`(_ header: String) throws {
        let reading = try read(
            """
            | survey |
            | | type | name | \(header) |
            | | text | a | A |
            | | | | Left |
            """)
        #expect(
            reading.issues.map(\.description) == ["survey A4 (type): the question has no type"])
    }

    @Test func `a header over two columns is told`() throws {
        let reading = try read(
            """
            | survey |
            | | type | name | label | label | note | note |
            | | select_one l | a | | Second | x | y |
            | | text | b | First | Second | | |
            | choices |
            | | list_name | name | label | g | g |
            | | l | 1 | One | u | v |
            """)
        let told = reading.issues.map(\.description).filter { $0.contains("this header too") }
        #expect(
            told.map { String($0.prefix { $0 != ":" }) } == [
                "survey column D (label)", "survey column F (note)", "choices column E (g)",
            ], "\(reading.issues)")
        #expect(told.first?.contains("column C has this header too") == true, "\(told)")
        let form = json(reading.form)
        for part in [
            #""label":"Second","columns":{"note":"x"}"#,
            #""name":"b","type":"text","label":"First""#,
            #""g":"u""#,
        ] {
            #expect(form.contains(part), "\(part): \(form)")
        }
    }
}
