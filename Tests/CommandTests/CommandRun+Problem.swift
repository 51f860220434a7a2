import JSON
import ShareControl
import ShareTestKit
import Testing

extension CommandRun {
    /// What it wrote, in one line: prose is wrapped.
    var words: String { output.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// Expects one clear line, a hint, nothing on standard output, and this exit code.
    func expectProblem(
        _ words: String, code: Int32 = 1, by program: String = "shared",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(self.code == code, "\(errors)", sourceLocation: sourceLocation)
        #expect(output == "", sourceLocation: sourceLocation)
        let lines = errors.split(separator: "\n")
        #expect(lines.count == 2, "\(errors)", sourceLocation: sourceLocation)
        #expect(
            lines.first?.hasPrefix("\(program): error: ") == true, "\(errors)",
            sourceLocation: sourceLocation)
        #expect(
            lines.first?.contains(words) == true, "'\(words)' is not in: \(errors)",
            sourceLocation: sourceLocation)
        #expect(
            lines.last?.hasPrefix("\(program): hint: ") == true, "\(errors)",
            sourceLocation: sourceLocation)
    }

    /// Expects these words in the hint.
    func expectHint(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let hint = errors.split(separator: "\n").last { $0.hasPrefix("shared: hint: ") }
        #expect(hint?.contains(words) == true, "\(errors)", sourceLocation: sourceLocation)
    }

    /// The problem object that a command with `--json` wrote to standard error.
    var problem: Problem? { try? Problem(jsonText: errors.utf8) }
}
