/// The short code of an invite, written `K7QX-93MP`: a selector and a secret.
package struct JoinCode: Hashable, Sendable {
    package let selector: JoinSelector
    package let secret: JoinSecret

    package static let length = JoinSelector.length + JoinSecret.length

    package init(selector: JoinSelector, secret: JoinSecret) {
        self.selector = selector
        self.secret = secret
    }

    /// Reads a code as people type it: in either case, with or without hyphens and spaces, O for
    /// 0, I and L for 1.
    ///
    /// - Throws: `JoinCodeError`, which says what is wrong with it.
    package init(typed: String) throws(JoinCodeError) {
        var digits: [UInt8] = []
        for character in typed where character != "-" && character != " " {
            guard let ascii = character.asciiValue, let digit = CrockfordDigits.digit(for: ascii)
            else { throw .character(character) }
            digits.append(digit)
        }
        guard digits.count == JoinCode.length,
            let selector = JoinSelector(
                String(decoding: digits.prefix(JoinSelector.length), as: UTF8.self))
        else { throw .length(digits.count) }
        self.selector = selector
        secret = JoinSecret(digits: Array(digits.dropFirst(JoinSelector.length)))
    }

    /// Whether the text is a code in any spelling, and no word: a digit from 2 to 9 stands before a
    /// letter in it. Each code that is made is so (`InviteBook.make`), and hardly any name is.
    package static func hasShape(_ text: String) -> Bool {
        guard let code = try? JoinCode(typed: text) else { return false }
        return code.isUnlikeWords
    }

    /// `ward2024` is a word with a number; 0 and 1 are typed as letters too.
    var isUnlikeWords: Bool {
        let digits = Array((selector.text + secret.text).utf8)
        guard let first = digits.firstIndex(where: Self.figures.contains) else { return false }
        return digits[first...].contains { $0 >= UInt8(ascii: "A") }
    }

    static let figures = UInt8(ascii: "2")...UInt8(ascii: "9")

    /// How the code is shown: two groups of four. For the screen, never for a log.
    package var text: String {
        let all = selector.text + secret.text
        return "\(all.prefix(4))-\(all.suffix(4))"
    }
}

/// The first two characters of a code. They say which of a device's invites is meant and are no
/// secret.
package struct JoinSelector: Hashable, Sendable, CustomStringConvertible {
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

    /// The secret of an exchange about no invite: it is no code, so no guess is ever compared with
    /// one.
    static let dummy = JoinSecret(digits: [UInt8](repeating: CrockfordDigits.all[0], count: length))

    init(digits: [UInt8]) { text = String(decoding: digits, as: UTF8.self) }

    var password: [UInt8] { Array(text.utf8) }
    package var description: String { "(secret)" }
    package var debugDescription: String { description }
}

/// The mistakes in a code as it was typed.
package enum JoinCodeError: Error, Hashable, Sendable {
    /// The number of characters that it has, hyphens and spaces left out; it must be 8.
    case length(Int)
    /// A character that no code contains.
    case character(Character)
}

/// The digits of Crockford's base 32: no I, L, O or U, so that a code survives being read aloud.
enum CrockfordDigits {
    static let all = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The digit that a typed character stands for; nil if for none.
    static func digit(for typed: UInt8) -> UInt8? {
        let upper = typed >= UInt8(ascii: "a") && typed <= UInt8(ascii: "z") ? typed - 32 : typed
        switch upper {
        case UInt8(ascii: "O"): return UInt8(ascii: "0")
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return UInt8(ascii: "1")
        default: return all.contains(upper) ? upper : nil
        }
    }
}
