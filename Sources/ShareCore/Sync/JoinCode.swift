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

    /// How the code is shown: two groups of four. For the screen, never for a log.
    package var text: String {
        let all = selector.text + secret.text
        return "\(all.prefix(4))-\(all.suffix(4))"
    }
}
