import Expressions
import ShareCore
import ShareFormats
import Testing

@testable import ShareForms

struct FillStateTests {
    @Test func `calculations follow the answers, along chains`() throws {
        let form = try questionnaire(
            """
            {"name":"bmi","type":"decimal","calculation":"round(${kg} div (${m} * ${m}), 1)"},
            {"name":"class","type":"calculate","calculation":"if(${bmi} > 30, 'high', if(${bmi} > 0, 'fine', ''))"},
            {"name":"kg","type":"decimal"},{"name":"m","type":"decimal"}
            """)
        #expect(form.findings.isEmpty)
        let state = fill(form)
        #expect(state["bmi"] == .absent && state["class"] == .absent)
        state.set("kg", 80.0)
        state.set("m", 1.6)
        #expect(state["bmi"] == 31.2 && state["class"] == "high")
        state.set("kg", 70.0)
        #expect(state["bmi"] == 27.3 && state["class"] == "fine")
        state.set("kg", .absent)
        #expect(state["bmi"] == .absent && state["class"] == .absent)
    }

    @Test func `null is no value, unless a field is called so`() throws {
        let form = try questionnaire(
            """
            {"name":"unit","type":"text"},
            {"name":"days","type":"integer","calculation":"if(${unit} = 'months', 30, null)"},
            {"name":"any","type":"text","calculation":"coalesce(null, 'none')"}
            """)
        #expect(form.findings.isEmpty)
        let state = fill(form)
        #expect(state["days"] == .absent && state["any"] == "none")
        state.set("unit", "months")
        #expect(state["days"] == 30)
        let other = try questionnaire(
            """
            {"name":"unit","type":"text"},
            {"name":"days","type":"text","calculation":"if(${unit} = 'months', 30, nul)"}
            """)
        #expect(other.findings.count == 1)
    }

    @Test func `what is not relevant is absent, and so for what depends on it`() throws {
        let form = try questionnaire(
            """
            {"name":"protocol","type":"text"},
            {"name":"mark","type":"group","relevant":"${protocol}='m'","fields":[
              {"name":"tag","type":"text","required":true,"required_message":"Which tag?"},
              {"name":"inner","type":"group","relevant":"${tag}='x'","fields":[
                {"name":"n","type":"integer","default":"4"}]}]},
            {"name":"twice","type":"integer","calculation":"${n} * 2"}
            """)
        let state = fill(form)
        #expect(state["tag"] == .absent && state["n"] == .absent && state["twice"] == .absent)
        #expect(state.problems.isEmpty)
        state.set("protocol", "m")
        #expect(state.problems == ["tag: Which tag?"])
        state.set("tag", "x")
        #expect(state["n"] == 4 && state["twice"] == 8 && state.problems.isEmpty)
        state.set("protocol", "p")
        #expect(state["tag"] == .absent && state["n"] == .absent && state["twice"] == .absent)
        #expect(state.answers.fields == ["p", .absent, nil, .absent])
        #expect(state.progress == (1, 1))
    }

    @Test func `a constraint refuses, a warning flags, in the language asked for`() throws {
        let form = try questionnaire(
            """
            {"name":"limit","type":"integer"},
            {"name":"temp","type":"decimal","constraint":". <= ${limit}",
             "constraint_message":{"en":"At most ${limit}","de":"Höchstens ${limit}"},
             "x":{"warn":". > 39","warn_message":{"en":"Check the thermometer"},"tip":"Measure again"}},
            {"name":"plain","type":"integer","constraint":". > 0"}
            """, ",\"default_language\":\"en\"")
        let state = fill(form, ["limit": 42, "temp": 43.5, "plain": 0])
        #expect(
            state.problems == ["temp: At most 42", "plain: field plain: 0 is not allowed"])
        #expect(
            state.faults(isSaving: true)[1].hint == "The form wants: the answer is more than 0.")
        #expect(state.cautions().map(\.message) == ["Check the thermometer"])
        #expect(state.cautions().map(\.tip) == ["Measure again"])
        let german = fill(form, language: "de", ["limit": 42, "temp": 43.5])
        #expect(german.problems == ["temp: Höchstens 42"])
        state.set("temp", .absent)
        state.set("plain", 1)
        #expect(state.problems.isEmpty && state.cautions().isEmpty)
    }

    @Test func `required can be a condition`() throws {
        let form = try questionnaire(
            """
            {"name":"status","type":"text"},
            {"name":"grade","type":"text","required":"${status} = 'done'"},
            {"name":"more","type":"text","required":true,"x":{"persist":false}}
            """)
        let state = fill(form)
        #expect(state.faults(isSaving: true).isEmpty)
        #expect(state.problems == ["more: field more is required"])
        state.set("status", "done")
        #expect(state.faults(isSaving: true).map(\.path) == ["grade"])
    }

    @Test func `defaults and what the device knows stand in a new entry alone`() throws {
        let form = try questionnaire(
            """
            {"name":"site","type":"text","default":"north (old)"},
            {"name":"n","type":"integer","default":3},
            {"name":"day","type":"date","default":"today()"},
            {"name":"copy","type":"text","default":"concat(${site}, '!')"},
            {"name":"begun","type":"start"},{"name":"done","type":"end"},{"name":"t","type":"today"},
            {"name":"d","type":"deviceid"},{"name":"u","type":"username"}
            """)
        let state = fill(form)
        #expect(state["site"] == "north (old)" && state["n"] == 3)
        #expect(state["day"] == "2026-11-23" && state["copy"] == "north (old)!")
        #expect(state["begun"] == "2026-11-23T12:00:00.000Z" && state["t"] == "2026-11-23")
        #expect(state["d"] == "device" && state["u"] == "ward-1" && state["done"] == .absent)
        state.finish()
        #expect(state["done"] == "2026-11-23T12:00:00.000Z")
        // An answer that was taken away stays away.
        let cleared = fill(form, answers: Answers(fields: [.absent, 4]))
        #expect(cleared["site"] == .absent && cleared["n"] == 4 && cleared["copy"] == "!")
        let stored = fill(form, kind: .stored)
        #expect(stored.answers.fields.allSatisfy { $0 == .absent })
    }

    @Test func `a default of a number is an expression where it is none`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"integer","default":"2 + 3"},{"name":"b","type":"decimal","default":"-1.5"},
            {"name":"c","type":"text","default":"2 + 3"},{"name":"d","type":"date","default":"2026-01-02"}
            """)
        let state = fill(form)
        #expect(state.answers.fields == [5, -1.5, "2 + 3", "2026-01-02"])
    }

    @Test func `what is not relevant yet still waits for its default`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"text"},
            {"name":"b","type":"integer","default":"5","relevant":"${a} = 'x'"},
            {"name":"c","type":"integer","default":"2 * ${n}","relevant":"${a} = 'x'"},
            {"name":"n","type":"integer","default":"3"}
            """)
        var answers = fill(form).answers
        #expect(answers.fields == [.absent, nil, nil, 3])
        answers.fields[0] = "x"
        #expect(fill(form, answers: answers).answers.fields == ["x", 5, 6, 3])
        // An answer that was given, and is not relevant any more, does not come back as a default.
        answers.fields[1] = 7
        answers.fields[0] = "y"
        let left = fill(form, answers: answers).answers
        #expect(left.fields == ["y", .absent, nil, 3])
    }

    @Test func `a computed boolean is one for what depends on it`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"integer"},
            {"name":"old","type":"calculate","calculation":"${a} > 17"},
            {"name":"first","type":"calculate","calculation":"once(${a} > 17)"},
            {"name":"word","type":"calculate","calculation":"if(${a} > 17, 'true', 'false')"},
            {"name":"is","type":"calculate",
             "calculation":"join(' ', if(${old}, 1, 0), if(${first}, 1, 0), if(${word}, 1, 0))"},
            {"name":"work","type":"text","relevant":"${old}"}
            """)
        let state = fill(form, ["a": 3])
        #expect(state["old"] == "false" && state["is"] == "0 0 1")
        #expect(state.node(at: "work").map { state.isRelevant($0) } == false)
        // The next call has the texts of the one before.
        let again = fill(form, answers: state.answers, ["a": 18])
        #expect(again["old"] == "true" && again["first"] == "false" && again["is"] == "1 0 1")
    }

    @Test func `a date that is computed once, on a condition, stays one`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"integer"}, {"name":"day","type":"date"},
            {"name":"first","type":"calculate",
             "calculation":"once(if(${a} > 1, date('2026-01-31'), ${day}))"},
            {"name":"open","type":"calculate","calculation":"once(if(${a} > 1, today(), ''))"},
            {"name":"next","type":"integer","calculation":"${first} + 1"},
            {"name":"since","type":"integer","calculation":"${open} - ${first}"}
            """)
        for a: FieldValue in [5, 0] {
            let state = fill(form, ["a": a, "day": "2026-03-01"])
            let again = fill(form, answers: state.answers, ["a": 7])
            #expect(state["next"] == (a == 5 ? 20485 : 20514))
            #expect(again["first"] == state["first"] && again["next"] == state["next"])
            if a == 5 { #expect(again["since"] == state["since"] && state["since"] != .absent) }
        }
    }

    @Test func `a computed date is one for what depends on it, and keeps its time`() throws {
        let form = try questionnaire(
            """
            {"name":"day","type":"date"},
            {"name":"next","type":"calculate","calculation":"date(${day} + 1)"},
            {"name":"late","type":"calculate","calculation":"${next} > date('2026-01-01')"},
            {"name":"month","type":"calculate","calculation":"format-date(${next}, '%Y-%m')"},
            {"name":"now","type":"calculate","calculation":"now()"},
            {"name":"minutes","type":"decimal",
             "calculation":"round((decimal-date-time(${now}) - decimal-date-time(${day})) * 1440, 1)"}
            """)
        let state = fill(form, ["day": "2026-11-23"])
        #expect(state["next"] == "2026-11-24" && state["late"] == "true")
        #expect(state["month"] == "2026-11" && state["now"] == "2026-11-23T12:00:00.000Z")
        let again = fill(form, answers: state.answers)
        #expect(again["minutes"] == 720.0 && again["late"] == "true")
    }

    @Test func `a whole number that is computed loses what comes after its point`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"decimal"},{"name":"n","type":"integer","calculation":"${a} div 2"}
            """)
        let state = fill(form, ["a": 5.9])
        #expect(state["n"] == 2)
        state.set("a", -5.9)
        #expect(state["n"] == -2)
    }

    @Test func `a field can have another name in paths than its column has`() throws {
        let form = try questionnaire(
            """
            {"name":"name","type":"text"},
            {"name":"contact","type":"group","fields":[
              {"name":"contact.name","type":"text","x":{"node":"name"}},
              {"name":"copy","type":"calculate","calculation":"../name"}]},
            {"name":"both","type":"calculate",
             "calculation":"concat(/data/contact/name, '-', /data/name, '-', ${contact.name})"}
            """)
        #expect(form.findings.isEmpty)
        let state = fill(form, ["name": "Ada", "contact.name": "Bo"])
        #expect(state["copy"] == "Bo" && state["both"] == "Bo-Ada-Bo")
    }

    @Test func `what is computed once stays`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"text"},
            {"name":"id","type":"calculate","calculation":"once(concat(${a}, '-1'))"},
            {"name":"when","type":"dateTime","calculation":"now()"},
            {"name":"chance","type":"calculate","calculation":"random()"}
            """)
        let state = fill(form, ["a": "x"])
        #expect(state["id"] == "-1" && state["when"] == "2026-11-23T12:00:00.000Z")
        let later = fill(
            form, answers: Answers(fields: ["y", "old", "2020-01-01T00:00:00Z", "0.5"]))
        #expect(later["id"] == "old" && later["when"] == "2020-01-01T00:00:00Z")
        #expect(later["chance"] == "0.5")
    }

    @Test func `a changed parent clears its children, with several roots`() throws {
        let form = try questionnaire(
            """
            {"name":"region","type":"select_one","list":"region"},
            {"name":"town","type":"select_one","list":"town","choice_filter":"parent=${region}"},
            {"name":"seen","type":"select_multiple","list":"town","choice_filter":"parent=${region}"}
            """,
            lists: """
                {"region":["n","s"],"town":[{"name":"a","parent":"n","label":"Aa"},
                 {"name":"b","parent":"n"},{"name":"c","parent":"s"}]}
                """)
        let state = fill(form, ["region": "n", "town": "a", "seen": "a b"])
        let town = try #require(state.node(at: "town"))
        #expect(state.choices(at: town, limit: 9)?.offers.map(\.label) == ["Aa", "b"])
        #expect(state.choices(at: town, matching: "A", limit: 9)?.offers.map(\.name) == ["a"])
        #expect(state.choices(at: town, limit: 1)?.count == 2)
        #expect(state["town"] == "a" && state["seen"] == "a b")
        state.set("region", "s")
        #expect(state["town"] == .absent && state["seen"] == .absent)
        // Whoever imports is told instead.
        let kept = fill(form, clearing: .never, ["region": "s", "town": "a"])
        #expect(kept["town"] == "a")
        #expect(kept.problems == ["town: field town has no choice \"Aa\""])
        let hint = kept.faults(isSaving: true)[0].hint
        #expect(hint == "It is there, but cannot be chosen with region s.")
    }

    @Test func `names and labels are made of answers`() throws {
        let form = try questionnaire(
            """
            {"name":"who","type":"text"},
            {"name":"sex","type":"select_one","list":"sex"},
            {"name":"sum","type":"note","label":"Hello ${who}, ${sex}, ${nobody}"},
            {"name":"named","type":"calculate","calculation":"jr:choice-name(${sex}, '${sex}')"}
            """,
            lists: #"{"sex":[{"name":"f","label":{"en":"woman","fr":"femme"}}]}"#,
            #","instance_name":"concat(${who}, ' - ', ${sex})""#)
        let state = fill(form, language: "fr", ["who": "Ada", "sex": "f"])
        let note = try #require(state.node(at: "sum"))
        #expect(
            state.text(form.form.fields[2].label, at: note) == "Hello Ada, femme, ${nobody}")
        #expect(state.instanceName == "Ada - f" && state["named"] == "femme")
        #expect(form.languages == ["en", "fr"])
    }

    @Test func `labels of choices name answers too`() throws {
        let form = try questionnaire(
            """
            {"name":"who","type":"text"},{"name":"house","type":"select_one","list":"house"},
            {"name":"named","type":"calculate","calculation":"jr:choice-name(${house}, '${house}')"}
            """,
            lists:
                #"{"house":[{"name":"own","label":"${who}'s house"},{"name":"a","label":"<${house}>"}]}"#
        )
        let state = fill(form, ["who": "Ada", "house": "own"])
        let house = try #require(state.node(at: "house"))
        #expect(state["named"] == "Ada's house" && state.display(at: house) == "Ada's house")
        #expect(
            state.choices(at: house, limit: 9)?.offers.map(\.label) == [
                "Ada's house", "<${who}'s house>",
            ])
        // A label that names its own question ends.
        state.set("house", "a")
        #expect(state["named"] == "<<${house}>>")
    }

    @Test func `dates are dates in expressions and days in fields`() throws {
        let form = try questionnaire(
            """
            {"name":"born","type":"date","constraint":". <= today()"},
            {"name":"age","type":"integer","calculation":"int((today() - ${born}) div 365.25)"},
            {"name":"week","type":"date","calculation":"${born} + 7"},
            {"name":"minutes","type":"decimal",
             "calculation":"round((decimal-date-time(${b}) - decimal-date-time(${a})) * 1440, 1)"},
            {"name":"a","type":"dateTime"},{"name":"b","type":"dateTime"}
            """)
        let state = fill(
            form,
            [
                "born": "1990-05-04", "a": "2026-11-23T10:00:00+05:30",
                "b": "2026-11-23T05:15:30Z",
            ])
        #expect(state["age"] == 36 && state["minutes"] == 45.5)
        #expect(state.problems.isEmpty)
        state.set("born", "2026-11-24")
        #expect(state.problems.count == 1)
    }

    @Test func `a field of the range is bounded`() throws {
        let form = try questionnaire(
            #"{"name":"r","type":"range","parameters":{"start":"1","end":"5","step":"1"}}"#)
        #expect(fill(form, ["r": 5.0]).problems.isEmpty)
        #expect(
            fill(form, ["r": 6.0]).problems
                == ["r: field r: 6 is not between 1 and 5 in steps of 1"])
    }
}
