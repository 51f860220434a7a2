/// Guesses which command or option was meant.
enum NearestWord {
    /// What other programs call commands of this one.
    static let synonyms = [
        "ls": "list", "log": "history", "rm": "delete", "new": "add", "find": "search",
        "grep": "search", "who": "members", "devices": "peers", "nearby": "rooms --nearby",
        "pull": "sync", "send": "push", "commit": "push", "check": "doctor", "plot": "chart",
        "sum": "stats", "revert": "undo", "init": "create", "info": "status",
        "start": "status",
    ]

    /// The candidate nearest to `word`; nil where none is near.
    static func guess(_ word: String, among candidates: [String]) -> String? {
        let limit = max(1, min(3, word.count / 2))
        // A word that was cut short is nearer than its length says.
        if word.count >= 2, let longer = candidates.first(where: { $0.hasPrefix(word) }) {
            return longer
        }
        let near = candidates.map { (word: $0, distance: distance(word, $0)) }
            .filter { $0.distance <= limit }
        return near.min { $0.distance < $1.distance }?.word
    }

    /// How many letters to add, remove, replace or swap with their neighbour.
    static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a.lowercased().utf8.prefix(64))
        let b = Array(b.lowercased().utf8.prefix(64))
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, before[j - 1] + 1)
                }
                row.append(best)
            }
            before = last
            last = row
        }
        return last.last ?? 0
    }
}
