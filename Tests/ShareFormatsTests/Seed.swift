import Foundation
import ShareTestKit

/// Random numbers that a printed seed brings back. `SHARED_TEST_SEED` sets it.
struct Seed: RandomNumberGenerator {
    private var random: SeededRandom

    init(_ name: String) {
        let given = ProcessInfo.processInfo.environment["SHARED_TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0 ... .max)
        random = SeededRandom(seed: seed)
        print("\(name): SHARED_TEST_SEED=\(seed)")
    }

    mutating func next() -> UInt64 { random.next() }

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
