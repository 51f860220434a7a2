/// The first two characters of a code. They say which of a device's invites is meant and are no
/// secret.
package struct JoinSelector: Hashable, Sendable, CustomStringConvertible {
    /// How many there are.
    static let count = 32 * 32
    static let length = 2

    package let text: String

    /// Exactly two digits in their written form, as they cross the wire; nil for anything else.
    package init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == JoinSelector.length,
            digits.allSatisfy(CrockfordDigits.all.contains)
        else { return nil }
        self.text = text
    }

    /// Reads a selector as people type it, in either case, O for 0, I and L for 1; nil for
    /// anything but two digits.
    package init?(typed: String) {
        let digits = typed.compactMap { $0.asciiValue.flatMap(CrockfordDigits.digit) }
        guard digits.count == typed.count else { return nil }
        self.init(String(decoding: digits, as: UTF8.self))
    }

    /// The selector with this number, counted round.
    init(number: Int) {
        let digits = [number / 32 % 32, number % 32].map { CrockfordDigits.all[$0] }
        text = String(decoding: digits, as: UTF8.self)
    }

    package var description: String { text }
    var bytes: [UInt8] { Array(text.utf8) }
}
