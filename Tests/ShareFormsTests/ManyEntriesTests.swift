import Expressions
import ShareCore
import ShareFormats
import Testing

@testable import ShareForms

/// One state for many entries: nothing of one is told of another.
struct ManyEntriesTests {
    @Test func `what was too much for the name of one entry is not for that of another`() throws {
        let form = try questionnaire(
            #"{"name":"age","type":"integer"}"#,
            """
            ,"instance_name":"if(${age} > 5, count(instance('l')/root/item[x > ${age}]), 'few')"
            """)
        let rows = ChoiceTable(
            ChoiceList(name: "l", choices: (0..<100_000).map { Choice(name: "n\($0)") }),
            defaultLanguage: nil)
        let setting = EntrySetting.noon { $0 == "l" ? rows : nil }
        let state = fill(form, kind: .stored, setting: setting)
        state.show([9], known: [true], now: setting.now)
        #expect(state.instanceName == nil)
        state.show([3], known: [true], now: setting.now)
        #expect(state.instanceName == "few")
    }

    @Test func `a value that a row cannot keep is told of that row alone`() throws {
        let form = try questionnaire(
            """
            {"name":"a","type":"text"},
            {"name":"b","type":"select_one","list":"l",
             "calculation":"if(today() > date('2000-01-01'), ${a}, '')"}
            """, lists: #"{"l":["x","y"]}"#)
        let state = fill(form, kind: .imported)
        state.reset(to: ["w", .absent], known: [true, true])
        #expect(state["b"] == .absent && state.cautions().map(\.path) == ["b"])
        // What a row brings itself is not computed.
        state.reset(to: ["w", "y"], known: [true, true])
        #expect(state["b"] == "y" && state.cautions().isEmpty)
    }

    @Test func `a value that is not kept is told of its field alone where rows are counted`() throws
    {
        let form = try questionnaire(
            """
            {"name":"r","type":"repeat","repeat_count":"if(${b} = 'x', 1, 2)","fields":[
              {"name":"c","type":"text"}]},
            {"name":"b","type":"select_one","list":"l","calculation":"'w'"}
            """, lists: #"{"l":["x","y"]}"#)
        let state = fill(form)
        #expect(state.answers.repeats[0].count == 2)
        #expect(state.cautions().map(\.path) == ["b"])
    }

    @Test func `a computed no is a no in names too`() throws {
        let form = try questionnaire(
            """
            {"name":"age","type":"integer"},
            {"name":"flag","type":"calculate","calculation":"${age} > 17"},
            {"name":"first","type":"calculate","calculation":"once(${age} > 17)"}
            """, #","instance_name":"if(${flag}, 'adult', if(${first}, 'older', 'child'))""#)
        let made = fill(form, ["age": 5])
        #expect(made.stored == [5, "false", "false"] && made.instanceName == "child")
        let state = fill(form, kind: .stored)
        state.show([5, "false", "false"], known: [true, true, true], now: made.now)
        #expect(state.instanceName == "child")
        state.show([20, "true", "true"], known: [true, true, true], now: made.now)
        #expect(state.instanceName == "adult")
        state.reset(to: [5, "false", "false"], known: [true, true, true])
        #expect(state.instanceName == "child")
    }
}
