import Foundation
import JSON
import ShareTestKit
import Testing

/// What is wrong with a form is told with its place and what to do.
@Suite(.serialized) struct FormFindingTests {
    @Test func `what is wrong with a workbook or a table is told by its place`() async throws {
        let daemon = try await Daemon.clinic()
        let path = try daemon.write(
            """
            | survey | | | |
            | | type | name | relevant |
            | | integer | age | |
            | | text | why | ${agee} > 3 |
            """, "bad.md")
        let run = try await daemon.shared("form", "add", path)
        run.expectProblem("there is no question agee")
        #expect(run.errors.contains("Did you mean age?"), "\(run.errors)")
        // What is wrong with the logic is told in the same go, and no slip twice.
        let both = try daemon.write(
            """
            | survey | | | | |
            | | type | name | constraint | relevant |
            | | integer | age | . > ( | |
            | | select_one villag | where | | |
            | | text | why | colour(.) | ${agee} > 3 |
            """, "both.md")
        let all = try await daemon.shared("form", "check", both)
        #expect(all.code == 1)
        for part in ["villag", "agee", "age: constraint: not checked", "colour"] {
            #expect(all.errors.contains(part), "\(part): \(all.errors)")
        }
        #expect(all.errors.components(separatedBy: "no question agee").count == 2)
        #expect(!all.errors.contains("no field agee"), "\(all.errors)")
        // What only the form as a whole shows is told by its cell too.
        let slips = try daemon.write(
            """
            | survey | | | | |
            | | type | name | label | shared::min |
            | | text | hh_id | Household | |
            | | intger | nets | Nets | |
            | | begin repeat | person | Person | many |
            | | intger | nets | Nets | |
            | | end repeat | | | |
            """, "slips.md")
        let key = try daemon.write(
            """
            | survey | | |
            | | type | name |
            | | text | hh_id |
            | settings | | |
            | | form_id | shared::key |
            | | household | hh_di |
            """, "key.md")
        for command in ["add", "check"] {
            let told = try await daemon.shared("form", command, slips)
            #expect(told.code == 1 && told.errors.contains("2 things are wrong"), "\(told)")
            #expect(
                told.errors.contains("survey A4 (type): there is no type \"intger\""), "\(told)")
            #expect(told.errors.contains("survey D5 (shared::min): x.min should be"), "\(told)")
            #expect(!told.errors.contains("line "), "\(told)")
            let wrong = try await daemon.shared("form", command, key)
            wrong.expectProblem(
                "settings B6 (shared::key): \"hh_di\" is no field that keeps a value")
            wrong.expectHint("hh_id")
        }
        let broken = try daemon.write("PK\u{3}\u{4} no archive", "broken.xlsx")
        let unread = try await daemon.shared("form", "check", broken)
        #expect(unread.code == 1 && unread.errors.contains("\(broken): "), "\(unread)")
        #expect(unread.errors.split(separator: "broken.xlsx").count == 2, "\(unread)")
        let json = try daemon.write(
            #"{"form_id":"x","fields":[{"name":"a","type":"intger"}]}"#, "x.json")
        let slip = try await daemon.shared("form", "add", json)
        slip.expectProblem("there is no type \"intger\"")
        #expect(slip.errors.contains("integer"))
        let faulty = try daemon.write(
            #"{"form_id":"x","fields":[{"name":"a","type":"intger"},"# + "\n"
                + #"{"name":"_b","type":"text"}]}"#, "faulty.json")
        for command in ["add", "check"] {
            let told = try await daemon.shared("form", command, faulty)
            #expect(told.code == 1 && told.errors.contains("2 things are wrong with the form"))
            #expect(told.errors.contains("line 1, column "), "\(told)")
            #expect(told.errors.contains("line 2, column "), "\(told)")
        }
    }

    @Test func `what is only not checked here is counted among nothing that is wrong`() async throws
    {
        let daemon = try await Daemon("ward-1")
        let file = try daemon.write(
            """
            | survey | | | |
            | | type | name | relevant |
            | | text | a | cht:foo(1) = 2 |
            | | text | b c | |
            | | text | d e | |
            """, "odd.md")
        let told = try await daemon.shared("form", "check", file)
        #expect(told.code == 1, "\(told)")
        #expect(told.errors.contains("2 things are wrong, and 1 more is told"), "\(told)")
        #expect(told.errors.contains("not checked here"), "\(told)")
    }

    @Test func `a key is looked at beside other faults, and a language without texts is told`()
        async throws
    {
        let daemon = try await Daemon("ward-1")
        let form = """
            {"form_id":"g","default_language":"de","key":["nme","tag"],"title":[1],"fields":[
             {"name":"name","type":"text","label":{"en":"One","fr":"Un"}},
             {"name":"tag","type":"textt"}]}
            """
        let wrong = try await daemon.shared("form", "check", "-", input: form)
        #expect(wrong.code != 0)
        for part in ["3 things are wrong", "key: \"nme\"", "\"title\"", "no type \"textt\""] {
            #expect(wrong.errors.contains(part), "\(part): \(wrong)")
        }
        let mended = form.replacing("nme", with: "name").replacing("textt", with: "text")
            .replacing("\"title\":[1],", with: "")
        let right = try await daemon.shared("form", "check", "-", input: mended)
        #expect(right.code == 0, "\(right)")
        #expect(
            right.errors.contains(
                "default_language: no text is in \"de\"; there is en, fr"), "\(right)")
    }

    @Test func `a default that no entry can keep is an error, and in an XLSForm left out`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let json = try daemon.write(
            #"{"form_id":"x","fields":[{"name":"a","type":"integer","default":"abc"},"# + "\n"
                + #"{"name":"b","type":"select_one","list":"l","default":"yess"}],"#
                + #""lists":{"l":["yes","no"]}}"#, "x.json")
        for command in ["add", "check"] {
            let told = try await daemon.shared("form", command, json)
            #expect(told.code == 1 && told.errors.contains("2 things are wrong"), "\(told)")
            #expect(
                told.errors.contains(
                    "line 1, column 65: a: default: \"abc\" is no value of this field"), "\(told)")
            #expect(
                told.errors.contains("line 2, column 54: b: default: \"yess\" is no choice of l"),
                "\(told)")
            #expect(told.errors.contains("Did you mean yes?"), "\(told)")
        }
        // On a phone nothing is chosen then.
        let tables = try daemon.write(
            """
            | survey | | | |
            | | type | name | default |
            | | integer | a | abc |
            | | select_one l | b | yess |
            | | select_one l | c | no |
            | choices | | |
            | | list_name | name | label |
            | | l | yes | Yes |
            | | l | no | No |
            """, "x.md")
        for command in ["check", "add"] {
            let told = try await daemon.shared("form", command, tables)
            #expect(told.code == 0, "\(told)")
            #expect(
                told.errors.contains(
                    "survey C4 (default): \"yess\" is no choice of l, and is left out; Did you mean yes?"
                ), "\(told)")
            #expect(told.errors.contains("survey C3 (default): \"abc\""), "\(told)")
        }
        try #require(try await daemon.shared("add", "x", "a=1").code == 0)
        let entry = try await daemon.answer("list", "x")[0]
        #expect(entry["b"].string == nil && entry["c"].string == "no", "\(entry.shown)")
    }

    @Test func `a condition on no choice of a field is a warning`() async throws {
        let daemon = try await Daemon.clinic()
        let json = try daemon.write(
            #"{"form_id":"x","fields":[{"name":"b","type":"select_one","list":"l"},"# + "\n"
                + #"{"name":"c","type":"text","relevant":"${b} = 'yess'"}],"#
                + #""lists":{"l":["yes","no"]}}"#, "x.json")
        for command in ["check", "add"] {
            let told = try await daemon.shared("form", command, json)
            #expect(told.code == 0, "\(told)")
            #expect(
                told.errors.contains(
                    "line 2, column 46: c: relevant: no choice of b is called yess. Did you mean yes?"
                ), "\(told)")
        }
    }
}
