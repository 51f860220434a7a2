import JSON
import ShareTestKit
import Spreadsheet
import Testing

@testable import XLSForm

/// What is told of XLSForms that are wrong, too large or no forms at all.
@Suite struct XLSFormFindingTests {
    @Test(arguments: [
        (
            "| survey |\n| | kind | name |", "survey: there is no column type",
            "There are kind, name."
        ),
        (
            "| survey |\n| | type | name |\n| | text | a b |",
            "survey B3 (name): a b cannot be a name",
            "Letters, digits, _ - . with a letter first: a_b."
        ),
        (
            "| survey |\n| | type | name |\n| | text | meta |",
            "survey B3 (name): meta is the name of the form's own metadata", "Choose another name."
        ),
        (
            "| survey |\n| | type | name | label |\n| | text | | A |",
            "survey B3 (name): the question has no name",
            "The name is what its answers are stored under."
        ),
        (
            "| survey |\n| | type | name |\n| | text | a |\n| | text | a |",
            "survey B4 (name): a second question is called a", "Each name once in its group."
        ),
        (
            "| survey |\n| | type | name |\n| | select_one colour | a |\n| choices |\n| | list_name | name |\n| | colours | x |",
            "survey A3 (type): there is no list colour", "Did you mean colours?"
        ),
        (
            "| survey |\n| | type | name | relevant |\n| | text | age | |\n| | text | b | ${agee} > 1 |",
            "survey C4 (relevant): there is no question agee", "Did you mean age?"
        ),
        (
            "| survey |\n| | type | name |\n| | begin_group | g |\n| | text | a |",
            "survey A3 (type): this group is never ended", "Add a row with the type end group."
        ),
        (
            "| survey |\n| | type | name |\n| | begin_group | g |\n| | end_repeat | |",
            "survey A4 (type): this ends a repeat, and row 3 begins a group",
            "Each begin needs its end, of the same kind, the inner first."
        ),
        (
            "| survey |\n| | type | name |\n| | end group | |",
            "survey A3 (type): this ends a group that nothing begins",
            "Each begin needs its end, of the same kind, the inner first."
        ),
        (
            "| survey |\n| | type | name |\n| | select_one | a |",
            "survey A3 (type): select_one needs a list",
            "Write it after the type: select_one yes_no."
        ),
        (
            "| survey |\n| | type | name |\n| | select_multiple l | a |\n| choices |\n| | list_name | name |\n| | l | a b |",
            "choices B6 (name): choice a b of list l has a space",
            "Row 3 of survey chooses several, which stand side by side: write_it_like_this."
        ),
        (
            "| survey |\n| | type | name |\n| | text | a |\n| choices |\n| | list_name | title |\n| | l | x |",
            "choices: there is no column name", "There are list_name, title."
        ),
        (
            "| survey |\n| | type | name |\n| | begin loop over l | a |",
            "survey A3 (type): loops over choices are not supported",
            "Write a repeat, or a group for each choice."
        ),
        (
            "| survey |\n| | clause | type | name |\n| | if | text | a |",
            "survey: this is a form for ODK-X, whose columns mean other things",
            "Forms for ODK Collect, KoboToolbox and their like can be read."
        ),
        (
            "| surveys |\n| | a |\n| | b |", "the file: there is no sheet survey",
            "Did you mean surveys?"
        ),
        (
            "| survey |\n| | type | name |", "survey: there is no question",
            "Each row has a type, a name and a label."
        ),
        (
            "| survey |\n| | type | name |\n| | text | a |\n| entities |\n| | label |\n| | ${a} |",
            "entities row 6: the entity has no list_name", "Name the list that its entries go into."
        ),
        (
            "| survey |\n| | type | name |\n| | text | a |\n| settings |\n| | instance_name |\n| | ${b} |",
            "settings A6 (instance_name): there is no question b", "Did you mean a?"
        ),
    ])
    func `what is wrong is told with its cell`(form: String, message: String, hint: String) throws {
        let reading = try read(form)
        let found = reading.issues.filter { $0.severity == .error }.map {
            [$0.description, $0.hint]
        }
        #expect(reading.form == nil)
        #expect(found == [[message, hint]])
    }

    @Test func `headers of settings and choices that were meant to be others are told`() throws {
        let reading = try read(
            """
            | survey |
            | | type | name | label | choice_filter |
            | | select_one village | home | Home | regio = 'n' and nane = 1 |
            | choices |
            | | list_name | name | lable | lable::French (fr) | label:Fula | regio | nane | note |
            | | village | koro | Koro | Koro | Koro | n | 1 | |
            | settings |
            | | form_id | versoin | shared::kye | key | style | kobo--lock | our note |
            | | home | 3 | home | home | pages | | |
            """)
        #expect(
            reading.issues.map { "\($0.description); \($0.hint)" } == [
                "choices column C (lable): a column that is not known is kept for choice filters,"
                    + " and none has it; Did you mean label?",
                "choices column D (lable::French (fr)): a column that is not known is kept for"
                    + " choice filters, and none has it; Did you mean label::French (fr)?",
                "choices column E (label:Fula): a column that is not known is kept for choice"
                    + " filters, and none has it; Did you mean label::Fula?",
                "settings column B (versoin): a setting that is not known is kept and has no"
                    + " effect; Did you mean version?",
                "settings column C (shared::kye): a setting that is not known is kept and has no"
                    + " effect; Did you mean shared::key?",
                "settings column D (key): a setting that is not known is kept and has no effect;"
                    + " Did you mean shared::key?",
                "settings column G (our note): a setting that is not known is kept and has no"
                    + " effect; Settings are form_id, form_title, version, default_language,"
                    + " instance_name, shared::key.",
            ])
    }

    @Test func `forms without measure are refused before they cost anything`() {
        let head = ["type", "name"]
        let groups = (0..<5_000).map { ["begin group", "g\($0)"] }
        let rows = (0..<10_000).map { ["text", "q\($0)"] }
        let languages = (0..<65).map { "label::l\($0)" }
        for (table, message) in [
            (
                [head] + groups,
                "survey A26 (type): more than 24 groups and repeats within each other"
            ),
            ([head] + rows, "survey: more than 10000 rows"),
            ([head + languages, ["text", "a"]], "survey: more than 64 languages"),
            ([head + Array(repeating: "x", count: 499)], "survey: more than 500 columns"),
        ] {
            let book = Workbook([Sheet(name: "survey", table: table)])
            let reading = XLSFormReader.read(book, name: "f")
            #expect(reading.form == nil)
            #expect(reading.issues.first?.description == message)
        }
    }

    @Test func `a hundred findings are told, and more are counted`() throws {
        let rows = (0..<150).map { "| | text | ${$0} $0 |".replacing("$0", with: "\($0)") }
        let form = "| survey |\n| | type | name |\n" + rows.joined(separator: "\n")
        let reading = try read(form)
        #expect(reading.issues.count == 101)
        #expect(reading.issues.last?.message == "50 more findings")
    }

    @Test func `no table ends the process`() throws {
        var random = SeededRandom(seed: TestSeed.printed())
        let books = try FixtureForm.names.map { try FixtureForm.workbook($0) }
        let texts = books.flatMap(\.sheets).flatMap(\.rows).flatMap(\.cells).map(\.text)
        var read = 0
        for round in 0..<500 {
            var book = books[round % books.count]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let sheet = Int.random(in: book.sheets.indices, using: &random)
                let row = Int.random(in: book.sheets[sheet].rows.indices, using: &random)
                let column = Int.random(in: 1...12, using: &random)
                let text =
                    Bool.random(using: &random) ? texts.randomElement(using: &random) ?? "" : ""
                book.sheets[sheet].rows[row].set(column: column, text)
            }
            let reading = XLSFormReader.read(book, name: "form")
            #expect((reading.form == nil) == reading.issues.contains { $0.severity == .error })
            guard let form = reading.form else { continue }
            read += 1
            _ = try XFormWriter.write(form)
            _ = try XLSFormWriter.write(form).xlsx()
        }
        #expect(read > 30 && read < 480)
    }
}
