import ShareCore
import ShareTestKit

/// Random histories in which few devices write far more than can come into force: leaves by
/// hundreds, grants of one device, and whatever their role does not allow. In some the logs have
/// many branches, up to too many heads.
enum AuthorityFloods {
    static func lines(_ random: inout SeededRandom) -> [String] {
        var lines = [
            "A1 founds", "A2 grants B owner; grants C editor; grants D collector",
            "C1 grants E collector; grants D viewer",
        ]
        var logs: [String: [String]] = ["A": ["A1", "A2"], "C": ["C1"]]
        var about: [String: [String]] = [
            "A": ["A1"], "B": ["A2.0"], "C": ["A2.1"], "D": ["A2.2", "C1.1"], "E": ["C1.0"],
        ]
        let isForked = Int.random(in: 0..<3, using: &random) == 0
        let authors = isForked ? ["A", "B", "D", "D"] : ["A", "B", "B", "C", "D", "D", "E"]
        for _ in 0..<(isForked ? 24 : Int.random(in: 2...7, using: &random)) {
            let author = authors.randomElement(using: &random) ?? "D"
            let log = logs[author] ?? []
            let previous =
                Int.random(in: 0..<6, using: &random) > (isForked ? 4 : 0)
                ? log.last : log.randomElement(using: &random)
            let number = (previous.map { AuthorityHistory.head($0).number } ?? 0) + 1
            var label = "\(author)\(number)"
            while log.contains(label) { label += "'" }
            let kind = Int.random(in: 0..<6, using: &random)
            let most = author == "A" ? 2 : isForked ? 30 : 130
            let count = Int.random(in: 1...most, using: &random)
            let operations = (0..<count).map { _ -> String in
                let isLeave =
                    author == "A"
                    ? kind == 0 : kind < 3 || Int.random(in: 0..<4, using: &random) == 0
                let subject = isLeave ? author : subject(&random)
                let after = (about[subject] ?? []).suffix(8).filter { _ in
                    Int.random(in: 0..<4, using: &random) == 0
                }
                let seen = after.isEmpty ? "" : " after \(after.joined(separator: " "))"
                let covering = covering(subject, logs[subject] ?? [], &random)
                if isLeave { return "leaves\(covering)\(seen)" }
                switch Int.random(in: 0..<5, using: &random) {
                case 0: return "removes \(subject)\(covering)\(seen)"
                case 1: return "makes \(subject) viewer\(covering)\(seen)"
                case 2: return "accepts \(subject)\(covering)"
                case 3 where author == "A": return "grants \(subject) owner from 2\(seen)"
                default: return "grants \(subject) collector\(seen)"
                }
            }
            lines.append("\(label)<\(previous ?? "A1") \(operations.joined(separator: "; "))")
            logs[author, default: []].append(label)
            for (place, operation) in operations.enumerated() {
                let words = operation.split(separator: " ").map(String.init)
                about[words[0] == "leaves" ? author : words[1], default: []]
                    .append("\(label).\(place)")
            }
        }
        return lines
    }

    private static func subject(_ random: inout SeededRandom) -> String {
        ["B", "C", "D", "E", "Z"].randomElement(using: &random) ?? "Z"
    }

    /// One of its batches, a head that nobody holds, or none.
    private static func covering(
        _ subject: String, _ log: [String], _ random: inout SeededRandom
    ) -> String {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: ""
        case 1: " covering \(subject)9x"
        default: log.randomElement(using: &random).map { " covering \($0)" } ?? ""
        }
    }
}
