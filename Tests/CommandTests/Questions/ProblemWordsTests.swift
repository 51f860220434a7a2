import ShareControl
import Testing

@testable import shared

/// What the questions say of an answer that cannot be taken.
struct ProblemWordsTests {
    private static let field = EntryField(
        path: "n", name: "n", type: "integer", label: "Who wants more, and how much")

    @Test func `what is wanted is said, whatever the label and the answer have in them`() {
        let problem = EntryProblem(
            path: "n", kind: .type,
            message: "field n (Who wants more, and how much) wants a whole number, not \"x\"",
            wanted: "a whole number, or none")
        #expect(
            InterviewScreen.message(problem, Self.field) == "This wants a whole number, or none.")
    }

    @Test func `a message without it is told as it is`() {
        let problem = EntryProblem(
            path: "n", kind: .type, message: "Whoever wants it, asks for it")
        #expect(InterviewScreen.message(problem, Self.field) == problem.message)
    }
}
