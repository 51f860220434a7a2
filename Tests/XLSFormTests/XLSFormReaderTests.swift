import JSON
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

    @Test func `other answers of two groups are two columns`() throws {
        let reading = try read(
            """
            | survey |
            | | type | name | label |
            | | begin group | one | One |
            | | select_one l or_other | fruit | Fruit |
            | | end group | | |
            | | begin group | two | Two |
            | | select_one l or_other | fruit | Fruit |
            | | end group | | |
            | choices |
            | | list_name | name | label |
            | | l | fig | Fig |
            """)
        let groups = (reading.form?["fields"]?.array ?? []).compactMap {
            $0.object?["fields"]?.array
        }
        let names = groups.joined().compactMap { $0.object?["name"]?.string }
        #expect(Set(names).count == 4, "\(names)")
        let others = groups.compactMap { $0.last?.object }
        #expect(others[0]["name"] == "fruit_other" && others[0]["x"] == nil)
        #expect(others[1]["x"]?.object?["node"] == "fruit_other")
        #expect(others.allSatisfy { $0["relevant"] == "selected(../fruit, 'other')" })
    }

    @Test func `a sheet of choices without its columns is told once`() throws {
        let reading = try read(
            """
            | survey |
            | | type | name | label |
            | | select_one l | a | A |
            | | select_multiple l | b | B |
            | choices |
            | | list | name | label |
            | | l | fig | Fig |
            """)
        let errors = reading.issues.filter { $0.severity == .error }
        #expect(errors.map(\.message) == ["there is no column list_name"], "\(errors)")
    }

    @Test func `a range has the bounds that XLSForm means where it says nothing`() throws {
        let reading = try read(
            """
            | survey |
            | | type | name | label | parameters |
            | | range | a | A | |
            | | range | b | B | end=5 |
            """)
        #expect(
            json(reading.form).contains(
                #""label":"A","parameters":{"start":"1","end":"10","step":"1"}"#))
        #expect(
            json(reading.form).contains(
                #""label":"B","parameters":{"end":"5","start":"1","step":"1"}"#))
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
}
