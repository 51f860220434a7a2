import JSON
import ShareTestKit
import Spreadsheet
import Testing

@testable import XLSForm

/// XLSForms as people write them.
@Suite struct XLSFormReaderTests {
    @Test func `a form is the JSON that its columns say`() throws {
        let reading = try read(
            """
            | survey |
            | | type | name | label | label::French (fr) | required | constraint | constraint_message | relevant | parameters | shared::unit | shared::warn | shared::warn_message | shared::persist | save_to | our note |
            | | integer | temp | Temperature | Température | yes | . < 60 | Too hot | ${more} = 'yes' | | Cel | . > 45 | Check it | | temp | n.b. |
            | | select_one yes_no | more | More | | ${temp} > 3 | | | | | | | | no | | |
            | | begin_repeat | sighting | | | | | | | | | | | | | |
            | | range | score | Score | | no | | | | start=0, end=10; step=2 | | | | | | |
            | | end_repeat | | | | | | | | | | | | | | |
            | choices |
            | | list_name | name | label | label::French (fr) | region |
            | | yes_no | yes | Yes | Oui | |
            | | yes_no | no | No | | north |
            | settings |
            | | form_title | form_id | version | default_language | instance_name | shared::key | style |
            | | Survey | survey | 2026112101 | English (en) | ${temp} | temp more | pages |
            """)
        #expect(
            json(reading.form)
                == #"""
                {"form_id":"survey","version":"2026112101","title":"Survey",\#
                "default_language":"English (en)","instance_name":"${temp}","key":["temp","more"],\#
                "settings":{"style":"pages"},"fields":[\#
                {"name":"temp","type":"integer",\#
                "label":{"English (en)":"Temperature","French (fr)":"Température"},"required":true,\#
                "relevant":"${more} = 'yes'","constraint":". < 60","constraint_message":"Too hot",\#
                "save_to":"temp","x":{"unit":"Cel","warn":". > 45","warn_message":"Check it"},\#
                "columns":{"our note":"n.b."}},\#
                {"name":"more","type":"select_one","list":"yes_no","label":"More",\#
                "required":"${temp} > 3","x":{"persist":false}},\#
                {"name":"sighting","type":"repeat","fields":[\#
                {"name":"score","type":"range","label":"Score",\#
                "parameters":{"start":"0","end":"10","step":"2"}}]}],\#
                "lists":{"yes_no":[\#
                {"name":"yes","label":{"English (en)":"Yes","French (fr)":"Oui"}},\#
                {"name":"no","label":"No","region":"north"}]}}
                """#)
        #expect(
            reading.issues.map(\.description) == [
                "survey column O (our note): a column that is not known is kept and has no effect"
            ])
    }

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

    @Test(arguments: [
        ("text", RowType.question("text")),
        ("Select One  yes_no", .question("select_one", list: "yes_no")),
        ("select_one l or other", .question("select_one", list: "l", orOther: true)),
        ("select_multiple l or_other", .question("select_multiple", list: "l", orOther: true)),
        ("select all that apply from l", .question("select_multiple", list: "l")),
        ("select one external", .question("select_one", list: "external")),
        ("select_one or_other", .question("select_one", list: "or_other")),
        ("select_one_from_file a b.csv", .question("select_one_from_file", list: "a b.csv")),
        ("DateTime", .question("dateTime")), ("imei", .question("deviceid")),
        ("Begin Group", .begin(.group)), ("begin_lgroup", .begin(.repeat)),
        ("end repeat", .end(.repeat)),
        ("START-GEOPOINT", .question("start-geopoint")), ("tel", .question("tel")),
    ])
    func `types are known by all their names`(text: String, type: RowType) {
        #expect(RowType(text) == type)
    }

    @Test func `forms of the field are read where pyxform refuses them`() throws {
        let reading = try read(
            """
            | survey |
            | | type | name | label | image | media::image | relevant | disabled |
            | | start | | | | | | |
            | | begin group | | Group | | | | |
            | | note | | Look | a.png | b.png | | |
            | | tel | phone | Phone | | | ${kind} = ‘new’ | |
            | | select_one kind | kind | Kind | | | | |
            | | text | gone | Gone | | | | yes |
            | | end group | | | | | | |
            | choices |
            | | list name | name | label |
            | | kind | new | New |
            | | kind | new | Newer |
            | settings |
            | | form_id |
            | | contact:person:create |
            """)
        let text = json(reading.form)
        #expect(
            text.contains(
                #"{"form_id":"contact-person-create","settings":{"form_id":"contact:person:create"}"#
            ))
        #expect(text.contains(#"{"name":"start","type":"start"},{"name":"group_4","type":"group""#))
        #expect(
            text.contains(
                #""name":"generated_note_name_5","type":"note","label":"Look","media":{"image":"a.png"}"#
            ))
        #expect(text.contains(#""type":"tel","label":"Phone","relevant":"${kind} = 'new'""#))
        #expect(!text.contains("gone"))
        #expect(reading.issues.allSatisfy { $0.severity == .warning })
        #expect(reading.issues.count == 5)
    }

    @Test func `a name twice, or one of the system's, is another column and the same path`() throws
    {
        let reading = try read(
            """
            | survey |
            | | type | name | label | calculation |
            | | text | name | Name | |
            | | begin group | contact | Contact | |
            | | text | _id | Id | |
            | | text | Name | Name | |
            | | calculate | copy | | ../_id |
            | | end group | | | |
            | | begin repeat | visit | Visit | |
            | | text | name | Name | |
            | | end repeat | | | |
            | | text | _id | Id | |
            """)
        let form = try #require(reading.form)
        let text = json(form)
        #expect(
            text.contains(#"{"name":"contact._id","type":"text","label":"Id","x":{"node":"_id"}}"#))
        #expect(
            text.contains(
                #"{"name":"contact.Name","type":"text","label":"Name","x":{"node":"Name"}}"#))
        #expect(text.contains(#""fields":[{"name":"name","type":"text","label":"Name"}]"#))
        #expect(text.contains(#"{"name":"id","type":"text","label":"Id","x":{"node":"_id"}}"#))
        #expect(
            reading.issues.map(\.description).first
                == "survey B5 (name): the column of _id is called contact._id")
        let again = XLSFormReader.read(try XLSFormWriter.write(form), name: "form")
        #expect(sorted(.object(again.form ?? JSONObject())) == sorted(.object(form)))
        let xform = String(decoding: try XFormWriter.write(form), as: UTF8.self)
        #expect(xform.contains("<contact><_id/><Name/><copy/></contact>"))
    }

    @Test func `a list of external choices is another one than that of its name`() throws {
        let form = try read(
            """
            | survey |
            | | type | name | label |
            | | select_one town | a | A |
            | | select_one_external town | b | B |
            | choices |
            | | list_name | name | label |
            | | town | x | X |
            | external_choices |
            | | list_name | name | label |
            | | town | x | X |
            | | town | y | Y |
            """
        ).form
        let text = json(form)
        #expect(text.contains(#""name":"a","type":"select_one","list":"town""#))
        #expect(text.contains(#""name":"b","type":"select_one","list":"town_external""#))
        #expect(text.contains(#""town":[{"name":"x","label":"X"}],"town_external":[{"#))
    }

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
