internal import ShareCore

/// "Did you mean …?"
package enum Suggestion {
    /// The one of `words` that `word` was probably meant to be; nil where none is near.
    ///
    /// - Complexity: O(words × length²), over the first 1,000 words.
    package static func nearest(to word: String, among words: [String]) -> String? {
        let typed = Array(FoldedText.bytes(word).prefix(64))
        var best: (word: String, distance: Int)?
        for candidate in words.prefix(1_000) {
            let other = Array(FoldedText.bytes(candidate).prefix(64))
            let limit = min(best?.distance ?? 100, max(1, min(typed.count, other.count) / 3) + 1)
            let found = distance(typed, other)
            if found < limit { best = (candidate, found) }
        }
        return best?.word
    }

    /// Those of `words` that `word` was probably meant to be, the nearest first.
    package static func near(_ word: String, among words: [String], count: Int) -> [String] {
        let typed = Array(FormNames.folded(word).prefix(64))
        let found = words.prefix(1_000).map { candidate in
            (
                word: candidate,
                distance: distance(typed, Array(FormNames.folded(candidate).prefix(64)))
            )
        }
        let limit = max(1, typed.count / 3)
        return found.filter { $0.distance <= limit }
            .sorted { ($0.distance, $0.word) < ($1.distance, $1.word) }.prefix(count).map(\.word)
    }

    /// A hint that names the nearest word, else lists the first few, else says `otherwise`.
    package static func hint(
        for word: String, among words: [String], otherwise: String
    ) -> String {
        if let nearest = nearest(to: word, among: words) { return "Did you mean \(nearest)?" }
        guard !words.isEmpty else { return otherwise }
        if words.count == 1 { return "There is only \(words[0])." }
        let more = words.count > 12 ? ", ..." : "."
        return "There are \(words.prefix(12).joined(separator: ", "))\(more)"
    }

    /// Letters to insert, delete, replace or swap with their neighbour.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            row.reserveCapacity(b.count + 1)
            for j in b.indices {
                var cost = min(
                    last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = min(cost, before[j - 1] + 1)
                }
                row.append(cost)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
