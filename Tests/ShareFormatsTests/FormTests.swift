import JSON
import ShareCore
import ShareTestKit
import Testing

@testable import ShareFormats

struct FormTests {
    private func form(
        _ fields: String, _ rest: String = "", outside: [String]? = []
    ) throws(FormError) -> Form {
        try Form(
            json: "{\"form_id\":\"f\",\"fields\":[\(fields)]\(rest)}".octets, outside: outside)
    }

    @Test func `the example form says what the clinics need`() throws {
        let form = try Form(
            json: Fixture.bytes("examples/common-viruses/forms/common-viruses.json"))
        #expect(form.formID == "common-viruses" && form.version == "2026112101")
        #expect(form.displayTitle() == "Common viruses")
        #expect(form.warnings.isEmpty)
        #expect(form.key == ["Virus_Number", "Patient_ID"])
        let definition = form.definition(parents: [])
        #expect(
            definition.fields.map(\.type) == [.integer, .text, .integer, .text, .text, .integer])
        #expect(form.stored.map(\.isRequired) == [true, true, true, false, false, false])
        #expect(form.stored.last?.isPercent == true)
        #expect(Form(definition) == form)
    }

    @Test func `each type has its storage`() throws {
        let types: [(String, StorageType?)] = [
            ("text", .text), ("integer", .integer), ("decimal", .decimal), ("range", .decimal),
            ("date", .date), ("today", .date), ("time", .time), ("dateTime", .dateTime),
            ("start", .dateTime), ("end", .dateTime), ("note", nil), ("calculate", .text),
            ("hidden", .text), ("acknowledge", .text), ("barcode", .text), ("geopoint", .text),
            ("image", .text), ("deviceid", .text), ("username", .text), ("colour", .text),
        ]
        for (name, storage) in types {
            #expect(FieldKind(name: name).storage == storage, "\(name)")
            #expect(FieldKind(name: name).name == name)
        }
    }

    @Test func `fields of groups lie flat and the rest is kept and told`() throws {
        let form = try form(
            """
            {"name":"protocol","type":"select_one","list":"p","label":{"en":"Protocol","de":"P"}},
            {"name":"intro","type":"note","label":"Hello"},
            {"name":"mark","type":"group","relevant":"${protocol}='m'","fields":[
              {"name":"tag","type":"barcode","required":true},
              {"name":"inner","type":"group","fields":[{"name":"n","type":"number"}]}]},
            {"name":"more","type":"select_one p","x":{"persist":false}},
            {"name":"photo","type":"image"},
            {"name":"total","type":"calculate","calculation":"1+1"},
            {"name":"temp","type":"decimal","constraint":". < 60","x":{"unit":"Cel","warn":". > 45"}}
            """,
            #","lists":{"p":[{"name":"m","label":{"en":"Mark"},"parent":"x"},"w"]},"other":1"#)
        #expect(form.stored.map(\.name) == ["protocol", "tag", "n", "photo", "total", "temp"])
        #expect(form.fields.map(\.name).contains("intro"))
        #expect(form.stored[2].path == ["mark", "inner"])
        #expect(form.stored[1].isRequired == false)
        #expect(form.stored[0].label.text(in: "de") == "P")
        #expect(form.stored[0].label.text(in: "fr", "en") == "Protocol")
        #expect(form.lists[0].choices[0].columns.map(\.key) == ["parent"])
        #expect(form.stored[5].expressions.constraint == ". < 60")
        #expect(form.stored[5].expressions.warn == ". > 45")
        #expect(
            form.warnings.map(\.description) == [
                "n: type \"number\" is not known and kept as text",
                "n: did you mean integer or decimal?",
                "photo: attachments are not supported yet; the name of a file is kept",
            ])
    }

    @Test func `repeats have fields of their own`() throws {
        let form = try form(
            """
            {"name":"site","type":"text"},
            {"name":"sighting","type":"repeat","label":"Sighting","x":{"min":"1","max":5},
             "fields":[
              {"name":"site","type":"text"},
              {"name":"where","type":"group","fields":[{"name":"tree","type":"text"}]},
              {"name":"photo","type":"repeat","repeat_count":"${n}",
               "fields":[{"name":"n","type":"integer"},{"name":"look","type":"note"}]}]},
            {"name":"n","type":"integer","required":true}
            """)
        #expect(form.stored.map(\.name) == ["site", "n"])
        #expect(form.repeats.map(\.names) == [["sighting"], ["sighting", "photo"]])
        #expect(form.repeats[0].stored.map(\.name) == ["site", "tree"])
        #expect(form.repeats[0].fields[1].path == ["sighting", "where"])
        #expect((form.repeats[0].minimum, form.repeats[0].maximum) == (1, 5))
        #expect(form.repeats[1].fields.map(\.name) == ["n", "look"])
        #expect(form.repeats[1].stored.map(\.name) == ["n"])
        #expect(form.repeats[1].count == "${n}")
        #expect(form.content.count == 3)
        #expect(Form(form.definition(parents: [])) == form)
    }

    @Test func `a fault has its line and column`() throws {
        let json = """
            {"form_id": "f",
             "fields": [{"name": "a", "type": "text"},
              {"name": "g", "type": "group", "fields": [
                {"name": "é", "type": "text"}, {"name": "b"}]}]}
            """
        #expect {
            try Form(json: json.octets)
        } throws: {
            ($0 as? FormError)?.line == 4 && ($0 as? FormError)?.column == 37
        }
    }

    @Test func `all faults of a form are told at once to who writes it`() throws {
        let json = """
            {"form_id": "9a", "key": ["a"],
             "lists": {"l": 3},
             "fields": [{"name": "a", "type": "integr"},
              {"name": "g", "type": "group", "fields": [
                {"name": "b"}, {"name": "c", "type": "text", "list": 3},
                {"name": "r", "type": "repeat", "fields": [{"name": "_d", "type": "text"}]}]},
              {"name": "e", "type": "select_one", "list": "l"},
              {"name": "f", "type": "select_one", "list": "m"},
              {"name": "A", "type": "text"}]}
            """
        let error = try #require(
            #expect(throws: FormError.self) {
                try Form(json: json.octets, outside: [], isWritten: true)
            })
        #expect(
            ([error] + error.others).map { "\($0.line ?? 0) \($0.code.rawValue)" } == [
                "1 bad_form_id", "2 bad_shape", "3 bad_shape", "5 bad_shape", "5 bad_shape",
                "6 bad_field_name", "8 missing_list", "9 duplicate_field",
            ])
        // A form from elsewhere is read up to the first.
        #expect { try Form(json: json.octets) } throws: {
            ($0 as? FormError)?.others.isEmpty == true
        }
    }

    @Test func `a language is known by its name and by its code`() {
        let label = LocalizedText(texts: [
            .init(language: "English (en)", text: "Age"),
            .init(language: "Français (fr)", text: "Âge"),
        ])
        for wanted in ["Français (fr)", "fr", "FR", "français"] {
            #expect(label.text(in: wanted, "English (en)") == "Âge", "\(wanted)")
        }
        #expect(label.text(in: "pt", "en") == "Age")
        #expect(label.text(in: "f", nil) == "Age")
    }

    @Test func `without a version the content makes one`() throws {
        let one = try form(#"{"name":"a","type":"text"}"#)
        let same = try form(#"{"name":"a","type":"text"}"#)
        let other = try form(#"{"name":"b","type":"text"}"#)
        #expect(one.version.utf8.count == 10)
        #expect(one.version == same.version && one.version != other.version)
        #expect(try form(#"{"name":"a","type":"text"}"#, #","version":12"#).version == "12")
    }

    @Test func `what is no JSON has one place, and faults a bound`() throws {
        #expect {
            try Form(json: "{\n \"a\": x}".octets, isWritten: true)
        } throws: { error in
            let error = error as? FormError
            return error?.located == error?.description && error?.line == 2 && error?.column == 7
                && error?.located.hasPrefix("line 2, column 7: not valid JSON") == true
        }
        let fields = (0..<300).map { #"{"name": "f\#($0)", "type": "txt"}"# }
        let json = #"{"form_id": "f", "fields": [\#(fields.joined(separator: ","))]}"#
        #expect { try Form(json: json.octets, isWritten: true) } throws: { error in
            (error as? FormError)?.others.count == FormLimits.warnings - 1
        }
    }

    @Test func `a list may lie outside the form, where it is there`() throws {
        let field = #"{"name":"a","type":"select_one","list":"yes_no"}"#
        #expect(try form(field, outside: ["yes_no"]).outsideLists == ["yes_no"])
        #expect(try form(field, outside: nil).outsideLists == ["yes_no"])
        #expect {
            try form(field, outside: ["yes_on"])
        } throws: {
            ($0 as? FormError)?.code == .missingList
                && ($0 as? FormError)?.hint == "Did you mean yes_on?"
        }
        let file = #"{"name":"a","type":"select_one_from_file","list":"village.csv"}"#
        #expect(try form(file).outsideLists == ["village"])
        let entries = #"{"name":"a","type":"select_one","list":"@form:household"}"#
        #expect(try form(entries).outsideLists.isEmpty)
    }

    @Test(arguments: [
        ("{", FormError.Code.badJSON, "line 1, column 2: not valid JSON: the text ends too early"),
        ("[]", .badShape, "a form is an object, and this is a list"),
        (#"{"fields":[]}"#, .badFormID, "the form has no form_id"),
        (
            #"{"form_id":"9a","fields":[]}"#, .badFormID,
            "form_id \"9a\": it must start with a letter"
        ),
        (
            #"{"form_id":"SQLite_x","fields":[]}"#, .badFormID,
            "form_id \"SQLite_x\": names with sqlite_ are SQLite's own"
        ),
        (
            #"{"form_id":"a b","fields":[]}"#, .badFormID,
            "form_id \"a b\": only letters (a to z), digits and _ - . may be in it"
        ),
        (#"{"form_id":"f"}"#, .noFields, "the form has no fields"),
        (#"{"form_id":"f","fields":[]}"#, .noFields, "the form has no field that keeps a value"),
        (
            #"{"form_id":"f","fields":{}}"#, .badShape,
            "\"fields\" should be a list, found an object"
        ),
    ])
    func `a form that cannot be is refused`(json: String, code: FormError.Code, message: String) {
        #expect {
            try Form(json: json.octets)
        } throws: {
            let error = $0 as? FormError
            return error?.code == code && error?.description == message && error?.hint != ""
        }
    }

    @Test(arguments: [
        (#"{"type":"text"}"#, "fields[1]: the field has no name"),
        (#"{"name":"a"}"#, "fields[1] \"a\": the field has no type"),
        (
            #"{"name":"_id","type":"text"}"#,
            "fields[1] \"_id\": the name: names with _ in front are the system's"
        ),
        (#"{"name":"a=b","type":"text"}"#, "fields[1] \"a=b\": the name: it contains ="),
        (
            #"{"name":" a","type":"text"}"#,
            "fields[1] \" a\": the name: it begins or ends with a space"
        ),
        (
            #"{"name":"a\u0007","type":"text"}"#,
            "fields[1] \"a?\": the name: it contains a control character"
        ),
        (
            #"{"name":"a__INTEGER","type":"text"}"#,
            "fields[1] \"a__INTEGER\": the name: names ending in __integer are the system's"
        ),
        (
            #"{"name":"a","type":"text"},{"name":"A","type":"date"}"#,
            "fields[2] \"A\": \"a\" and \"A\" differ by upper and lower case only"
        ),
        (
            #"{"name":"a","type":"text"},{"name":"g","type":"group","fields":[{"name":"a","type":"text"}]}"#,
            "fields[2] \"g\" fields[1] \"a\": a second field of this name"
        ),
        (
            #"{"name":"s t","type":"repeat","fields":[]}"#,
            "fields[1] \"s t\": the name of the repeat: only letters (a to z), digits and _ - . may be in it"
        ),
        (
            #"{"name":"s","type":"repeat","fields":[],"x":{"min":"3","max":2}}"#,
            "fields[1] \"s\": its min is greater than its max"
        ),
        (
            #"{"name":"s","type":"select_one"}"#,
            "fields[1] \"s\": a field of choices needs its list"
        ),
        (
            #"{"name":"s","type":"select_one","list":"x"}"#,
            "fields[1] \"s\": there is no list \"x\""
        ),
        (
            #"{"name":"s","type":"text","required":3}"#,
            "fields[1] \"s\": \"required\" should be true or false, found a whole number"
        ),
        (
            #"{"name":"s","type":"text","label":[1]}"#,
            "fields[1] \"s\": \"label\" should be a text, found a list"
        ),
        ("7", "fields[1]: a field should be an object, found a whole number"),
    ])
    func `a bad field is named`(fields: String, message: String) {
        #expect {
            try form(fields)
        } throws: {
            String(describing: $0) == message && ($0 as? FormError)?.hint != ""
        }
    }

    @Test(arguments: [
        (#"{"l":[]}"#, "lists \"l\": the list is empty"),
        (#"{"l":[{"label":"A"}]}"#, "lists \"l\"[1]: the choice has no name"),
        (#"{"l":["a b"]}"#, "fields[1] \"s\": choice \"a b\" of list l has a space or comma"),
    ])
    func `a bad list is named`(lists: String, message: String) {
        #expect {
            try form(#"{"name":"s","type":"select_multiple","list":"l"}"#, ",\"lists\":\(lists)")
        } throws: {
            String(describing: $0) == message
        }
    }

    @Test func `bounds are kept`() throws {
        let fields = { (count: Int) in
            (0..<count).map { "{\"name\":\"f\($0)\",\"type\":\"text\"}" }.joined(separator: ",")
        }
        #expect(try form(fields(600)).stored.count == 600)
        #expect(throws: FormError.self) { try form(fields(601)) }
        let long = String(repeating: " ", count: 512 * 1024)
        #expect(throws: FormError.self) { try form(fields(1) + long) }
        let name = String(repeating: "é", count: 31)
        #expect(try form("{\"name\":\"\(name)\",\"type\":\"text\"}").stored[0].name == name)
        #expect(throws: FormError.self) { try form("{\"name\":\"\(name)é\",\"type\":\"text\"}") }
        #expect(throws: FormError.self) { try form(fields(1), #","key":["f1"]"#) }
    }

    @Test func `headers of a spreadsheet can be names`() throws {
        for name in ["Culmen Length (mm)", "Delta 15 N (o/oo)", "Größe, cm", "数量", "a'b", "100%"] {
            #expect(FormNames.fault(ofField: name) == nil, "\(name)")
        }
    }

    @Test func `a definition of unreadable or untrue JSON still shows its fields`() {
        for json in ["", "{", #"{"form_id":"f","fields":[{"name":"x","type":"text"}]}"#] {
            let definition = FormDefinition(
                formID: "f", version: "1", parents: [],
                fields: [FormField(name: "n", type: .integer), FormField(name: "_d", type: .date)],
                json: json)
            let form = Form(definition)
            #expect(form.definition(parents: []) == definition)
            #expect(form.warnings.count == 1)
        }
    }

    @Test func `a member that is misspelt or stands elsewhere is told, and no other`() throws {
        let json = """
            {"form_id":"f","titel":"F","com.example":1,"fields":[
             {"name":"a","type":"integer","requird":true,"unit":"kg","my_note":"x",
              "x":{"wran":". > 3"}}]}
            """
        #expect(
            try Form(json: json.octets).warnings.map(\.description) == [
                "a: \"unit\" is not looked at here: it belongs into \"x\", \"x\": {\"unit\": ...}",
                "a: \"requird\" is not known. Did you mean required?",
                "a: \"x.wran\" is not known. Did you mean warn?",
                "\"titel\" is not known. Did you mean title?",
            ])
    }

    @Test func `who writes a form is told the place of what is odd in it`() throws {
        let json = """
            {"form_id":"f","key":["a","a"],"fields":[
             {"name":"a","type":"integer",
              "requird":true}]}
            """
        let form = try Form(json: json.octets, isWritten: true)
        #expect(form.key == ["a"])
        #expect(
            form.warnings.map(\.description) == [
                "line 3, column 13: a: \"requird\" is not known. Did you mean required?",
                "line 1, column 27: key: \"a\" is there twice",
            ])
    }

    @Test func `what a form wants to become of entities and is not done is told`() throws {
        let form = """
            {"form_id":"f","fields":[{"name":"n","type":"text"}],"entities":[
            {"list_name":"a","label":"${n}"},{"list_name":"b","entity_id":"${n}","create_if":"1"}]}
            """
        #expect(
            try Form(json: form.octets).warnings.map(\.description) == [
                "entities: entity_id, create_if are kept and not checked here: "
                    + "each entry is an item of the list"
            ])
    }

    @Test func `the forms in the documentation are such`() throws {
        let text = String(decoding: try Fixture.bytes("docs/forms.md"), as: UTF8.self)
        let forms = try text.split(separator: "```json\n").dropFirst().map { block in
            try Form(json: Array(try #require(block.split(separator: "```").first).utf8))
        }
        #expect(forms.map(\.stored.count).contains(5) && forms.count == 4)
        #expect(forms.flatMap(\.warnings).isEmpty)
    }

    @Test func `no damage to a form or a file of entries stops the program`() throws {
        var seed = SeededRandom(seed: TestSeed.printed())
        let json = try Fixture.bytes("examples/common-viruses/forms/common-viruses.json")
        let file = try Fixture.bytes("examples/common-viruses/data/common-viruses.csv")
        let parser = ValueParser(try Form(json: json))
        func damaged(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            for _ in 0..<Int.random(in: 1...4, using: &seed) where !bytes.isEmpty {
                let place = Int.random(in: bytes.indices, using: &seed)
                switch Int.random(in: 0..<4, using: &seed) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &seed)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: seed.text(3).octets, at: place)
                default: bytes.removeLast(bytes.count - place)
                }
            }
            return bytes
        }
        for _ in 0..<500 {
            let json = damaged(json)
            let read = Result { () throws(FormError) in try Form(json: json) }
            if case .success(let form) = read {
                #expect(Form(form.definition(parents: [])) == form)
            }
            var state = EntryImport(parser)
            var count = 0
            state.read(damaged(file)) { _ in count += 1 }
            state.finish { _ in count += 1 }
            #expect(state.problemCount > 0 || count == state.rowCount)
        }
    }
}
