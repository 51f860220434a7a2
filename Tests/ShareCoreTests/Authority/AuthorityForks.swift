import ShareCore
import ShareTestKit

/// Random histories in which one log has more branches than count, an owner's or an editor's, and
/// others name some of them.
enum AuthorityForks {
    static func lines(_ random: inout SeededRandom) -> [String] {
        var lines = [
            "A1 founds", "A2 grants B owner; grants C editor",
            "B1 grants D collector; grants E owner", "C1 grants F collector",
        ]
        var logs = ["A": ["A1", "A2"], "B": ["B1"], "C": ["C1"], "E": [String](), "R": []]
        let forked = ["A", "B", "C", "E"].randomElement(using: &random) ?? "B"
        let branches = Int.random(in: 7...11, using: &random)
        for place in 0..<branches {
            let base = Int.random(in: 0..<3, using: &random) > 0
            let previous = base ? logs[forked]?.first : logs[forked]?.randomElement(using: &random)
            let what = ["grants G owner", "removes D", "leaves", "grants G owner; leaves"]
            write(forked, on: previous, what[place % what.count], &lines, &logs)
        }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let author = ["A", "B", "E", "R", "R"].randomElement(using: &random) ?? "R"
            let head = logs[forked]?.randomElement(using: &random) ?? "X1"
            let what = [
                "makes \(forked) owner covering \(head)", "makes \(forked) editor covering \(head)",
                "removes \(forked) covering \(head)", "removes \(forked)", "grants G collector",
                "grants \(forked) owner from 3",
            ].randomElement(using: &random)
            write(author, on: logs[author]?.last, what ?? "leaves", &lines, &logs)
        }
        return lines
    }

    private static func write(
        _ author: String, on previous: String?, _ text: String, _ lines: inout [String],
        _ logs: inout [String: [String]]
    ) {
        let number = (previous.map { AuthorityHistory.head($0).number } ?? 0) + 1
        var label = "\(author)\(number)"
        while logs[author, default: []].contains(label) { label += "'" }
        lines.append("\(label)<\(previous ?? "A1") \(text)")
        logs[author, default: []].append(label)
    }
}
