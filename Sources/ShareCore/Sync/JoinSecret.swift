/// The last six characters of a code: 30 bits that never leave the device but on a screen.
package struct JoinSecret: Hashable, Sendable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    static let length = 6

    /// The six digits; CPace's password. For the screen and the store, never for a log.
    package let text: String

    /// Exactly six digits in their written form; nil for anything else.
    package init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == JoinSecret.length, digits.allSatisfy(CrockfordDigits.all.contains)
        else { return nil }
        self.text = text
    }

    /// What an exchange about no invite is computed with: no code, so nothing is compared to it.
    static let dummy = JoinSecret(digits: [UInt8](repeating: CrockfordDigits.all[0], count: length))

    init(digits: [UInt8]) { text = String(decoding: digits, as: UTF8.self) }

    var password: [UInt8] { Array(text.utf8) }
    package var description: String { "(secret)" }
    package var debugDescription: String { description }
}
