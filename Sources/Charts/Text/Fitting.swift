/// Text made to fit a width; the measure is of a font or of a terminal's columns.
struct Fitting {
    let measure: (String) -> Double
    /// The mark of what is left out.
    var dots = "…"
    /// Whether the dots stand inside: long names often differ at their ends alone.
    var keepsEnd = false

    /// The text, or as much of it as fits, with dots; empty where not even they fit.
    func shorten(_ text: String, to limit: Double) -> String {
        if measure(text) <= limit { return text }
        var end = ""
        for character in text.reversed() where keepsEnd {
            if measure(String(character) + end) > limit / 3 { break }
            end = String(character) + end
        }
        var kept = ""
        for character in text {
            if measure(kept + String(character) + dots + end) > limit { break }
            kept.append(character)
        }
        while kept.last == " " { kept.removeLast() }
        return measure(kept + dots + end) <= limit ? kept + dots + end : ""
    }

    /// The text in at most `most` lines, broken at blanks, and inside words that are too long.
    func wrap(_ text: String, to limit: Double, most: Int) -> [String] {
        if measure(text) <= limit { return [text] }
        var lines: [String] = []
        var line = ""
        var words = text.split(separator: " ").map(String.init)[...]
        while let word = words.first {
            let longer = line.isEmpty ? word : line + " " + word
            if measure(longer) <= limit {
                line = longer
                words.removeFirst()
            } else if lines.count == most - 1 {
                return lines + [
                    shorten(longer + " " + words.dropFirst().joined(separator: " "), to: limit)
                ]
            } else if !line.isEmpty {
                lines.append(line)
                line = ""
            } else {
                let head = prefix(of: word, to: limit)
                lines.append(head)
                words[words.startIndex] = String(word.dropFirst(head.count))
            }
        }
        return lines + [line]
    }

    /// As much of the word as fits, at least a character.
    private func prefix(of word: String, to limit: Double) -> String {
        var head = ""
        for character in word {
            if !head.isEmpty, measure(head + String(character)) > limit { break }
            head.append(character)
        }
        return head
    }
}

/// Labels side by side or below one another, moved no more than is needed to keep them apart.
enum Spread {
    /// The middles of labels of the sizes given, near the ones wanted, in the same order, inside
    /// the range; nil where they have no room.
    ///
    /// `wanted` ascends. Neighbours that collide are moved together, half each way.
    static func positions(
        _ wanted: [Double], sizes: [Double], in range: ClosedRange<Double>
    ) -> [Double]? {
        let room = range.upperBound - range.lowerBound
        guard sizes.reduce(0, +) <= room + 1e-6 else { return nil }
        struct Block {
            var first: Int
            var top: Double
            var size: Double
        }
        var blocks: [Block] = []
        for index in wanted.indices {
            var block = Block(
                first: index, top: wanted[index] - sizes[index] / 2, size: sizes[index])
            block.top = min(max(block.top, range.lowerBound), range.upperBound - block.size)
            while let last = blocks.last, last.top + last.size > block.top {
                blocks.removeLast()
                let overlap = last.top + last.size - block.top
                block = Block(
                    first: last.first, top: last.top - overlap / 2, size: last.size + block.size)
                block.top = min(max(block.top, range.lowerBound), range.upperBound - block.size)
            }
            blocks.append(block)
        }
        var middles: [Double] = []
        for block in blocks {
            var top = block.top
            while middles.count < wanted.count {
                let index = middles.count
                if let next = blocks.first(where: { $0.first > block.first }), index >= next.first {
                    break
                }
                middles.append(top + sizes[index] / 2)
                top += sizes[index]
            }
        }
        return middles
    }
}
