internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared import`
enum ImportCommand: Command {
    static let syntax = CommandSyntax(
        name: "import", summary: "read entries from a CSV file",
        operands: [.init(name: "FORM"), .init(name: "FILE.csv")],
        notes: [
            "The first line names the fields. FILE - is standard input. All rows are taken or,",
            "where one is wrong, none; the message names its line. Importing a file twice adds",
            "nothing the second time where the form has a key.",
        ],
        examples: ["shared import common-viruses common-viruses.csv"],
        interrupted: ("nothing was imported", "Start it again: `shared import`."))

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let path = session.arguments.operand(1)
        let file = try InputFile(path)
        // Who types into standard input, or pipes from slow work, may take a while.
        let request = session.request(
            "POST", ["import", session.arguments.operand(0)],
            body: .stream(mediaType: "text/csv", length: file.length, read: file.read),
            silence: file.length == nil ? .seconds(86_400) : .seconds(120))
        let answer: ImportAnswer = try session.work(request, "importing")
        if session.wantsJSON { session.output.line(answer.json) }
        guard answer.rejected.isEmpty, answer.rejectedCount == 0 else {
            throw rejected(answer, path)
        }
        if !session.wantsJSON { session.output.line(summary(answer)) }
        return .done
    }

    private static func summary(_ answer: ImportAnswer) -> String {
        var parts: [String] = []
        if answer.added > 0 {
            parts.append("added \(Text.entries(answer.added))")
        }
        if answer.updated > 0 { parts.append("updated \(Text.number(answer.updated))") }
        if answer.unchanged > 0 { parts.append("\(Text.number(answer.unchanged)) unchanged") }
        return parts.isEmpty ? "the file has no rows" : parts.joined(separator: ", ")
    }

    private static func hint(_ errors: [RowError], isOne: Bool) -> String {
        if errors.allSatisfy({ $0.line == 1 }) {
            return "correct the first line, which names the fields, and import the file again"
        }
        return "correct \(isOne ? "the row" : "the rows") and import the file again"
    }

    private static func rejected(_ answer: ImportAnswer, _ path: String) -> Problem {
        let count = max(answer.rejectedCount, answer.rejected.count)
        let inHeader = answer.rejected.allSatisfy { $0.line == 1 }
        let what =
            if count == 1, let only = answer.rejected.first {
                Diagnostics.text(only)
            } else {
                "\(Text.number(count)) \(inHeader ? "columns" : "rows") are wrong"
            }
        let name = path == "-" ? "standard input" : path
        return Problem(
            .rowsRejected, "\(name): \(what); nothing was imported",
            hint: hint(answer.rejected, isOne: count == 1),
            errors: answer.rejected)
    }
}
