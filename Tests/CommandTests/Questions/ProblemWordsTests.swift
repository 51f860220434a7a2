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

    /// Of what the daemon says the name of the field is left out, which stands above it.
    @Test(arguments: [
        ("field n: 7 is not allowed", false, "7 is not allowed."),
        ("field n (Who wants more, and how much): 7 is odd", false, "7 is odd."),
        ("field n: ask in the field office", true, "field n: ask in the field office"),
    ])
    func `a form's own message is told whole`(message: String, isOwn: Bool, told: String) {
        let problem = EntryProblem(
            path: "n", kind: .constraint, message: message, isOwnText: isOwn)
        #expect(InterviewScreen.message(problem, Self.field) == told)
    }

    @Test(arguments: [(false, "An answer is needed here."), (true, "field n is required")])
    func `so is its own message for a missing answer`(isOwn: Bool, told: String) {
        let problem = EntryProblem(
            path: "n", kind: .required, message: "field n is required", isOwnText: isOwn)
        #expect(InterviewScreen.message(problem, Self.field) == told)
    }

    @Test func `a message without it is told as it is`() {
        let problem = EntryProblem(
            path: "n", kind: .type, message: "Whoever wants it, asks for it")
        #expect(InterviewScreen.message(problem, Self.field) == problem.message)
    }
}
