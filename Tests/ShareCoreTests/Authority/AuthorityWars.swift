import ShareCore
import ShareTestKit

/// Random histories in which most are owners, and act against each other.
enum AuthorityWars {
    /// - Parameter most: how many operations a batch holds at most.
    static func lines(_ random: inout SeededRandom, upTo most: Int = 2) -> [String] {
        let devices = ["A", "B", "C", "D", "E", "F", "G"]
        var logs: [String: [String]] = ["A": ["A1"]]
        var about: [String: [String]] = ["A": ["A1"]]
        var lines = ["A1 founds"]
        func write(_ author: String, on previous: String?, _ operations: [(String, String)]) {
            let number = (previous.map { AuthorityHistory.head($0).number } ?? 0) + 1
            var label = "\(author)\(number)"
            while logs[author, default: []].contains(label) { label += "'" }
            logs[author, default: []].append(label)
            for (place, operation) in operations.enumerated() {
                about[operation.0, default: []].append("\(label).\(place)")
            }
            let text = operations.map(\.1).joined(separator: "; ")
            lines.append("\(label)<\(previous ?? "A1") \(text)")
        }
        // Who makes whom owner: a tree, with somebody now and then granted twice.
        for (place, device) in devices.enumerated().dropFirst() {
            let above = devices[Int.random(in: 0..<place, using: &random)]
            write(above, on: logs[above]?.last, [(device, "grants \(device) owner")])
        }
        for _ in 0..<Int.random(in: 4...14, using: &random) {
            let isRecovery = Int.random(in: 0..<10, using: &random) == 0
            let device = devices[Int.random(in: 0..<devices.count, using: &random)]
            let author = isRecovery ? "R" : device
            let log = logs[author] ?? []
            let isFork = Int.random(in: 0..<6, using: &random) == 0
            let previous = isFork ? log.randomElement(using: &random) : log.last
            let operations = (0..<Int.random(in: 1...most, using: &random)).map { _ in
                operation(by: author, devices, logs, about, previous, &random)
            }
            write(author, on: previous, operations)
        }
        return lines
    }

    private static func operation(
        by author: String, _ devices: [String], _ logs: [String: [String]],
        _ about: [String: [String]], _ previous: String?, _ random: inout SeededRandom
    ) -> (String, String) {
        let subject = devices[Int.random(in: 0..<devices.count, using: &random)]
        let log = logs[subject] ?? []
        var head = log.randomElement(using: &random)
        // Heads that no honest device names: of another log, or with another number.
        switch Int.random(in: 0..<12, using: &random) {
        case 0: head = logs[author]?.randomElement(using: &random)
        case 1: head = head.map { "\($0)#\(Int.random(in: 1...8, using: &random))" }
        default: break
        }
        let covering =
            Int.random(in: 0..<4, using: &random) > 0
            ? head.map { " covering \($0)" } ?? "" : ""
        let seen = (about[subject] ?? []).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
        let after = seen.isEmpty ? "" : " after \(seen.joined(separator: " "))"
        switch Int.random(in: 0..<12, using: &random) {
        case 0...4: return (subject, "removes \(subject)\(covering)\(after)")
        case 5, 6:
            let role = ["viewer", "editor", "owner"].randomElement(using: &random) ?? "viewer"
            return (subject, "makes \(subject) \(role)\(covering)\(after)")
        case 7...9:
            let from = Int.random(in: 1...(log.count + 1), using: &random)
            let role = Int.random(in: 0..<4, using: &random) > 0 ? "owner" : "collector"
            return (subject, "grants \(subject) \(role) from \(from)\(after)")
        case 10:
            let number = Int.random(in: 1...5, using: &random)
            return (subject, "accepts \(subject) covering \(subject)r\(number)")
        default: return (author, "leaves covering \(previous ?? "X1")\(after)")
        }
    }
}
