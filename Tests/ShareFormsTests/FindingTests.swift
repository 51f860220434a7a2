import Expressions
import ShareCore
import ShareFormats
import Testing

@testable import ShareForms

struct FindingTests {
    @Test func `faults of the logic are told with their place and stop nothing`() throws {
        let json = """
            {"form_id": "f", "lists": {"l": [{"name": "a", "parent": "x"}]}, "fields": [
              {"name": "age", "type": "integer", "constraint": ". > 0 and"},
              {"name": "temp", "type": "decimal", "relevant": "${ages} > 1"},
              {"name": "a", "type": "integer", "calculation": "${b} + 1"},
              {"name": "b", "type": "integer", "calculation": "${a} + 1"},
              {"name": "self", "type": "integer", "calculation": "${self} + 1"},
              {"name": "site", "type": "select_one", "list": "l", "choice_filter": "parnt=${age}"},
              {"name": "secret", "type": "calculate", "calculation": "digest(${age}, 'MD5')"}]}
            """
        let form = Questionnaire(try Form(json: Array(json.utf8)))
        let found = form.findings.map { $0.description(in: Array(json.utf8)) }
        #expect(
            found == [
                "line 2, column 62: age: constraint: not checked here: there is the end in place of a value. Something is missing at the end.",
                "line 3, column 52: temp: relevant: not checked here: there is no field ages. Did you mean age?",
                "line 4, column 51: a: calculation: not checked here: a, b depend on each other in a circle. One of them has to be an answer, or leave the others out.",
                "line 5, column 51: b: calculation: not checked here: a, b depend on each other in a circle. One of them has to be an answer, or leave the others out.",
                "line 6, column 54: self: calculation: it names its own answer, and other programs refuse that. Name another question; `once(...)` keeps what was computed first.",
                "line 7, column 73: site: choice_filter: not checked here: the list l has no column parnt. Did you mean parent?",
                "line 8, column 59: secret: calculation: not checked here: the function digest() is not known",
            ])
        let state = fill(form, ["age": -5, "temp": 1.0, "a": 1, "site": "a"])
        #expect(state.problems.isEmpty && state["temp"] == 1.0 && state["a"] == 1)
    }

    @Test func `a name in a text that no field has is told, and stays in it`() throws {
        let json = #"""
            {"form_id": "f", "fields": [
              {"name": "host", "type": "text", "label": "Who, \"${ghost}\"?", "hint": "${ host }"},
              {"name": "n", "type": "integer", "hint": {"en": "see ${nn}", "fr": "voir ${n}"},
                "required_message": "${hots} and ${hots}", "constraint_message": "$ {x} ${",
                "x": {"warn": ". > 5", "warn_message": "as ${zzzzzzzz}", "tip": "${last-saved#n}"}},
              {"name": "g", "type": "group", "label": "${hostt}", "fields": [
                {"name": "m", "type": "text"}]}]}
            """#
        let form = Questionnaire(try Form(json: Array(json.utf8)))
        #expect(
            form.findings.map { $0.description(in: Array(json.utf8)) } == [
                #"line 2, column 53: host: label: there is no field ghost, so that people read ${ghost}. Did you mean host?"#,
                "line 3, column 56: n: hint: there is no field nn, so that people read ${nn}. Did you mean n?",
                "line 4, column 26: n: required_message: there is no field hots, so that people read ${hots}. Did you mean host?",
                "line 5, column 48: n: x.warn_message: there is no field zzzzzzzz, so that people read ${zzzzzzzz}",
                "line 6, column 44: g: label: there is no field hostt, so that people read ${hostt}. Did you mean host?",
            ])
        let state = fill(form, ["host": "Ada", "n": 9])
        let node = try #require(state.node(at: "n"))
        #expect(state.text(LocalizedText("${ghost} ${host}"), at: node) == "${ghost} Ada")
    }

    @Test func `what only an answer in it could show is told, and asked`() throws {
        let json = """
            {"form_id": "f", "fields": [
              {"name": "g", "type": "group", "relevant": "${a} = '1'", "fields": [
                {"name": "a", "type": "text"}]},
              {"name": "b", "type": "text", "relevant": "${b} != ''"},
              {"name": "o", "type": "group", "relevant": "${d} = '1'", "fields": [
                {"name": "i", "type": "group", "relevant": "${c} = '1'", "fields": [
                  {"name": "d", "type": "text"}]}]},
              {"name": "c", "type": "text"},
              {"name": "r", "type": "repeat", "relevant": "count(${n}) > 0", "fields": [
                {"name": "n", "type": "text"},
                {"name": "m", "type": "text", "relevant": "${n} = 'x' and position(..) > 0"}]},
              {"name": "x", "type": "text", "relevant": "${y} = 1"},
              {"name": "y", "type": "text", "relevant": "${x} = 1"}]}
            """
        let form = Questionnaire(try Form(json: Array(json.utf8)))
        #expect(
            form.findings.map { $0.description(in: Array(json.utf8)) } == [
                "line 2, column 46: g: relevant: not checked here: it depends on an answer in it. Its own answer cannot decide whether it is asked: name a question outside of it.",
                "line 4, column 45: b: relevant: not checked here: it depends on itself. Its own answer cannot decide whether it is asked: name a question outside of it.",
                "line 5, column 46: o: relevant: not checked here: it depends on an answer in it. Its own answer cannot decide whether it is asked: name a question outside of it.",
                "line 9, column 47: r: relevant: not checked here: it depends on an answer in it. Its own answer cannot decide whether it is asked: name a question outside of it.",
                "line 12, column 45: x: relevant: not checked here: x, y depend on each other in a circle. One of them has to be an answer, or leave the others out.",
                "line 13, column 45: y: relevant: not checked here: x, y depend on each other in a circle. One of them has to be an answer, or leave the others out.",
            ])
        let state = fill(form, ["a": "2", "b": "x", "d": "x", "c": "2", "x": "1"])
        #expect(state["a"] == "2" && state["b"] == "x" && state["x"] == "1")
        #expect(state["d"] == .absent, "the group within is checked")
        state.set("c", "1")
        #expect(state["d"] == "x")
        let outer = try #require(form.form.repeats(in: []).first)
        #expect(state.isRelevant(outer, in: 0))
    }

    @Test func `of thousands of names that no field has a part is kept, and fewer are looked up`()
        throws
    {
        let many = [String](repeating: "${abc}", count: 2_500).joined(separator: " + ")
        let form = try questionnaire(
            """
            {"name":"ab","type":"text"},
            {"name":"b","type":"integer","calculation":"\(many)"},
            {"name":"c","type":"select_one","list":"l","default":"red"}
            """, lists: #"{"l":["reds"]}"#)
        #expect(form.findings.count == 1_001 && form.furtherFindings == 1_500)
        #expect(form.findings.count { $0.hint == "Did you mean ab?" } == 100)
        #expect(form.notes.last == "and 2401 more")
        #expect(form.faults.map(\.message).count == 1, "what has to be mended is always kept")
    }

    @Test func `columns that a list does not have are looked up as far as they are shown`() throws {
        let many = (0..<2_000).map { "kin\($0 % 9)=1" }.joined(separator: " or ")
        let form = try questionnaire(
            #"{"name":"a","type":"select_one","list":"l","choice_filter":"\#(many)"}"#,
            lists: #"{"l":[{"name":"x","kind":"tree"}]}"#)
        #expect(form.findings.count == 1_000 && form.furtherFindings == 1_000)
        #expect(form.findings.count { $0.hint == "Did you mean kind?" } == 100)
    }

    @Test func `what an expression names is found once for all labels that it looks up`() throws {
        let form = try Form(
            json: Array(#"{"form_id":"f","fields":[{"name":"a","type":"text"}]}"#.utf8))
        var compiler = QuestionnaireCompiler(form)
        compiler.compile()
        let calls = [String](repeating: "jr:choice-name(${a}, '${a}')", count: 900)
        let text = "concat(\(calls.joined(separator: ",")))"
        guard case .expression(let expression) = Expression.parse(Array(text.utf8)) else {
            Issue.record("it is not read")
            return
        }
        var lookups = 0
        let isOutside = compiler.looksOutside(expression) {
            lookups += 1
            return compiler.items(of: expression, at: 0)
        }
        #expect(!isOutside && lookups == 1)
    }

    @Test func `two circles are told apart, and what lies between them is computed`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"integer","calculation":"${b} + 1"},
            {"name":"b","type":"integer","calculation":"${a} + 1"},
            {"name":"m","type":"integer","calculation":"${b} * 2"},
            {"name":"x","type":"integer","calculation":"${y} + ${m}"},
            {"name":"y","type":"integer","calculation":"${x} + 1"},
            {"name":"z","type":"integer","calculation":"${y} * 3"}
            """)
        let told = "not checked here: "
        #expect(
            form.findings.map(\.sentence) == [
                "a: calculation: \(told)a, b depend on each other in a circle",
                "b: calculation: \(told)a, b depend on each other in a circle",
                "x: calculation: \(told)x, y depend on each other in a circle",
                "y: calculation: \(told)x, y depend on each other in a circle",
            ])
        let state = fill(form, ["b": 4, "y": 5])
        #expect(state["m"] == 8 && state["z"] == 15)
    }

    @Test func `circles are found in a row of many thousand steps, and those that meet are one`() {
        let count = 60_000
        var after = (0..<count).map { Set([$0 + 1]) }
        after[count - 1] = []
        #expect(Circles(among: Set(0..<count), after: after).found.isEmpty)
        after[10].insert(8)
        after[11].insert(10)
        after[count - 1] = [count - 3]
        let found = Circles(among: Set(0..<count), after: after).found
        #expect(Set(found) == [[8, 9, 10, 11], [count - 3, count - 2, count - 1]])
        after[count - 1] = [0]
        #expect(Circles(among: Set(0..<count), after: after).found.map(\.count) == [count])
    }

    @Test func `bounds and defaults that nobody can mean are told`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"range","parameters":{"start":"10","end":"1","step":"-1"}},
            {"name":"b","type":"range","parameters":{"start":"1","end":"10","step":"0"}},
            {"name":"c","type":"select_one","list":"l","default":"red"},
            {"name":"d","type":"select_multiple","list":"l","default":"x z"},
            {"name":"e","type":"select_one","list":"l","default":"x"},
            {"name":"f","type":"range","parameters":{"start":"0","end":"1","step":"0.1"}},
            {"name":"g","type":"integer","default":"abc"},
            {"name":"h","type":"integer","default":"a lot"},
            {"name":"i","type":"decimal","default":"2 * 3"},
            {"name":"j","type":"date","default":"22.11.2026"}
            """, lists: #"{"l":["x","reds"]}"#)
        #expect(
            form.findings.map(\.sentence) == [
                "a: parameters: start is greater than end: it is read as between 1 and 10 in steps of 1",
                "b: parameters: step is 0: it is read as between 1 and 10",
                "c: default: \"red\" is no choice of l",
                "d: default: \"z\" is no choice of l",
                "g: default: \"abc\" is no value of this field",
                "h: default: \"a lot\" is no value of this field",
                "j: default: \"22.11.2026\" is no value of this field",
            ])
        #expect(form.findings[2].hint == "Did you mean reds?")
        #expect(form.findings.filter(\.isFault).map(\.subject) == ["c", "d", "g", "h", "j"])
        // An entry begins without what it could not keep.
        let state = fill(form)
        #expect(state["c"] == .absent && state["d"] == .absent && state["g"] == .absent)
        #expect(state["e"] == "x" && state["i"] == 6.0 && state.problems.isEmpty)
    }

    @Test func `a default that its own field refuses is no default`() throws {
        let form = try questionnaire(
            """
            {"name":"p","type":"geopoint","default":"100 200"},
            {"name":"l","type":"geotrace","default":"1 2"},
            {"name":"k","type":"acknowledge","default":"maybe"},
            {"name":"r","type":"range","parameters":{"start":"1","end":"5"},"default":"9"},
            {"name":"q","type":"geopoint","default":"12.65 -8 0 0"},
            {"name":"o","type":"acknowledge","default":"OK"},
            {"name":"s","type":"range","parameters":{"start":"1","end":"5"},"default":"3"}
            """)
        #expect(form.findings.filter(\.isFault).map(\.subject) == ["p", "l", "k", "r"])
        let state = fill(form)
        #expect(state["p"] == .absent && state["k"] == .absent && state["r"] == .absent)
        #expect(state["q"] == "12.65 -8 0 0" && state["o"] == "OK" && state["s"] == 3.0)
    }

    @Test func `a name that no field has is told in the label of a choice`() throws {
        let form = try questionnaire(
            #"{"name":"who","type":"text"}, {"name":"c","type":"select_one","list":"l"}"#,
            lists: ##"{"l":[{"name":"x","label":"${who}"},{"name":"y","label":"Y ${nobody}"}]}"##)
        #expect(
            form.findings.map(\.sentence) == [
                "l: y: label: there is no field nobody, so that people read ${nobody}"
            ])
    }

    @Test func `a path that leads to no field is led to the field of that name`() throws {
        let form = try questionnaire(
            #"{"name":"a","type":"integer"}, {"name":"b","type":"integer","calculation":"a + 1"}"#)
        #expect(form.findings.map(\.hint) == ["Did you mean ${a}?"])
    }

    @Test func `what is compared with no choice of a field is told with its place`() throws {
        let json = """
            {"form_id": "f", "lists": {"yn": ["yes", "no"], "several": ["ash", "beech"]}, "fields": [
              {"name": "b", "type": "select_one", "list": "yn", "constraint": ". != 'No'"},
              {"name": "s", "type": "select_multiple", "list": "several"},
              {"name": "c", "type": "text", "relevant": "${b} = 'yess' or 'maybe' = ${b}"},
              {"name": "d", "type": "text", "relevant": "selected(${s}, 'Ash') or ${s} = 'beech oak'"},
              {"name": "r", "type": "repeat", "fields": [
                {"name": "x", "type": "select_one", "list": "yn"}]},
              {"name": "e", "type": "integer", "calculation": "count(${r}[x = 'y']) + if(${b} = 'yse', 1, 2)"}]}
            """
        let form = Questionnaire(try Form(json: Array(json.utf8)))
        #expect(
            form.findings.map { $0.description(in: Array(json.utf8)) } == [
                "line 2, column 73: b: constraint: no choice of b is called No. Did you mean no?",
                "line 4, column 53: c: relevant: no choice of b is called yess. Did you mean yes?",
                "line 4, column 63: c: relevant: no choice of b is called maybe. There are yes, no.",
                "line 5, column 61: d: relevant: no choice of s is called Ash. Did you mean ash?",
                "line 5, column 78: d: relevant: no choice of s is called oak. There are ash, beech.",
                "line 8, column 67: e: calculation: no choice of x is called y. There are yes, no.",
                "line 8, column 85: e: calculation: no choice of b is called yse. Did you mean yes?",
            ])
        // Told, and computed all the same.
        #expect(fill(form, ["b": "yes"])["c"] == .absent)
    }

    @Test func `of what may be a choice nothing is told`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"select_one","list":"l","choice_filter":"kind = 'tree'"},
            {"name":"b","type":"select_one","list":"room"},
            {"name":"c","type":"select_one_from_file","list":"village.csv"},
            {"name":"d","type":"select_one","list":"@form:house"},
            {"name":"e","type":"select_one","list":"m","appearance":"minimal search('x')"},
            {"name":"t","type":"text"},
            {"name":"z","type":"text","relevant":"${a} = '' or ${a} != 'x' or ${a} = ${t} or ${a} = 7",
             "constraint":"${b} = 'q' or ${c} = 'q' or ${d} = 'q' or ${e} = 'q' or ${t} = 'q'",
             "calculation":"concat(selected(${a}, ${t}), instance('l')/root/item[name = 'q']/kind)"}
            """, lists: #"{"l":[{"name":"x","kind":"tree"}],"m":["col"]}"#)
        #expect(form.findings.map(\.sentence) == [])
    }

    @Test func `a column of the sheet of choices may be empty in a list`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"select_one","list":"l"},
            {"name":"b","type":"calculate",
             "calculation":"concat('<', instance('l')/root/item[name = ${a}]/parent, '>')"}
            """, lists: #"{"l":["x"],"m":[{"name":"y","parent":"x"}]}"#)
        #expect(form.findings.isEmpty)
        #expect(fill(form, ["a": "x"])["b"] == "<>")
    }

    @Test func `a condition may be a plain word`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"text","relevant":"no"},{"name":"b","type":"text","relevant":"TRUE"},
            {"name":"c","type":"group","relevant":"false","fields":[{"name":"d","type":"text"}]}
            """)
        #expect(form.findings.isEmpty)
        let state = fill(form, ["a": "x", "b": "x", "d": "x"])
        #expect(state["a"] == .absent && state["b"] == "x" && state["d"] == .absent)
    }

    @Test func `a form that computes too much holds nobody up`() throws {
        var fields = #"{"name":"n0","type":"text","default":"abababababababababababab"}"#
        for index in 1...40 {
            fields += """
                ,{"name":"n\(index)","type":"calculate",
                  "calculation":"concat(${n\(index - 1)}, ${n\(index - 1)}, 'a')"}
                ,{"name":"c\(index)","type":"text","constraint":"regex(${n\(index)}, '(a|b|ab)*c')"}
                """
        }
        let form = try questionnaire(fields)
        let state = fill(form, steps: 20_000)
        for index in 1...40 {
            if let node = state.node(at: "c\(index)") { state.set("x", at: node) }
        }
        #expect(state.budget.steps < 10)
        #expect(state.cautions().contains { $0.message.contains("computes too much") })
        #expect(state["c40"] == "x")
    }
}
