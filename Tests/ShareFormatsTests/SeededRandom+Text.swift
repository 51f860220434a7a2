import ShareTestKit

extension SeededRandom {
    /// Up to `limit` characters that CSV, JSON and spreadsheets find hard.
    mutating func text(_ limit: Int) -> String {
        let signs: [String] = [
            "a", "B", "0", " ", "'", "=", "+", "-", "@", "\t", "\r", "\n", "\r\n", ",", ";", "\"",
            "\"\"", "é", "e\u{301}", "🦋", "\u{0}", "\u{1f}", "\u{7f}", "\u{2028}", "\\", "/", "%",
            "\u{feff}", "sep=;", "中",
        ]
        return (0..<Int.random(in: 0...limit, using: &self)).map { _ in
            signs.randomElement(using: &self) ?? ""
        }.joined()
    }
}

extension String {
    /// Its bytes: Swift's == calls texts equal that differ in normalisation.
    var octets: [UInt8] { Array(utf8) }
}
