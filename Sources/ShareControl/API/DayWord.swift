/// Words that stand for days in a condition (docs/analysis.md).
package enum DayWord {
    package static let all = [
        "today", "yesterday", "tomorrow", "this-week", "last-week", "this-month", "last-month",
    ]

    /// Whether a word is meant as a day or a month: one of `all`, or `2026-11-22`, `22.11.2026`,
    /// `2026-11`. Whether there is such a day the daemon says.
    package static func isDay(_ word: String) -> Bool {
        if all.contains(word.lowercased()) { return true }
        let parts = word.utf8.split(
            omittingEmptySubsequences: false, whereSeparator: { "-./".utf8.contains($0) })
        return (2...3).contains(parts.count) && parts.contains { $0.count == 4 }
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
    }
}
