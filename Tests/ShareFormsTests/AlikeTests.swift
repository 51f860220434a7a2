import Expressions
import ShareCore
import ShareFormats
import Testing

@testable import ShareForms

/// Which choices are meant where several are called alike.
struct AlikeTests {
    /// A text that two choices are called.
    private func open(_ field: String, _ typed: String, _ names: [String]) -> ValueError {
        var several = SeveralChoices(named: names)
        several.answer = [[names]]
        return .severalChoices(field: field, got: typed, several)
    }

    @Test func `they are found where the form counts rows by one of them`() throws {
        let form = try questionnaire(
            """
            {"name":"people","type":"select_multiple","list":"who","choice_filter":"kind = 'x'"},
            {"name":"r","type":"repeat","repeat_count":"count-selected(${people})","fields":[
              {"name":"note","type":"text"}]},
            {"name":"place","type":"select_one","list":"where",
             "choice_filter":"near = ${people}"}
            """,
            lists: """
                {"who":[{"name":"p1","label":"Anna","kind":"x"},
                        {"name":"p2","label":"Anna","kind":"y"}],
                 "where":[{"name":"w1","label":"Market","near":"p1"},
                          {"name":"w2","label":"Market","near":"p2"}]}
                """)
        #expect(form.findings.isEmpty)
        let answers = Answers(
            fields: [.text(FillState.placeholder(0)), .text(FillState.placeholder(1))],
            repeats: [[Answers(fields: ["met"])]])
        for kind in [FillState.Kind.new, .stored, .imported] {
            let state = fill(form, answers: answers, kind: kind, clearing: .never)
            let settled = state.settle([
                0: open("people", "Anna", ["p1", "p2"]),
                1: open("place", "Market", ["w1", "w2"]),
            ])
            #expect(settled == [0: .success("p1"), 1: .success("w1")])
        }
    }

    @Test func `one in a row that the form does not count stays open`() throws {
        let form = try questionnaire(
            """
            {"name":"people","type":"select_one","list":"who","choice_filter":"kind = 'z'"},
            {"name":"r","type":"repeat","repeat_count":"count-selected(${people})","fields":[
              {"name":"place","type":"select_one","list":"who","choice_filter":"kind = 'x'"}]}
            """,
            lists: """
                {"who":[{"name":"p1","label":"Anna","kind":"x"},
                        {"name":"p2","label":"Anna","kind":"y"}]}
                """)
        let answers = Answers(
            fields: [.text(FillState.placeholder(0))],
            repeats: [[Answers(fields: [.text(FillState.placeholder(1))])]])
        let state = fill(form, answers: answers, clearing: .never)
        let place = open("place", "Anna", ["p1", "p2"])
        let settled = state.settle([0: open("people", "Anna", ["p1", "p2"]), 1: place])
        #expect(settled[1] == .failure(place))
        guard case .failure(.notAChoice) = settled[0] else {
            Issue.record("\(String(describing: settled[0]))")
            return
        }
    }
}
