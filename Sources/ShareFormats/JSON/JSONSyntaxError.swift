/// Why a text is not JSON, and where: both counted from 1, the column in bytes.
package struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        case tooLong(limit: Int)
        case tooDeep(limit: Int)
        case notUTF8
        case unexpectedEnd
        case unexpected(Character)
        case expected(String)
        case controlCharacter
        case badEscape
        case badNumber
        case numberOutOfRange
        case duplicateName(String)
        case trailing
    }

    package let line: Int
    package let column: Int
    package let reason: Reason

    /// One line for people.
    package var description: String { "line \(line), column \(column): \(what)" }

    /// What is wrong, without the place.
    package var what: String {
        switch reason {
        case .tooLong(let limit): "longer than \(limit) bytes"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .notUTF8: "not UTF-8 text"
        case .unexpectedEnd: "the text ends too early"
        case .unexpected(let character): "did not expect '\(character)' here"
        case .expected(let what): "expected \(what)"
        case .controlCharacter: "a control character in a text; write it as \\u00XX"
        case .badEscape: "not an escape that JSON knows"
        case .badNumber: "not a number as JSON writes them"
        case .numberOutOfRange: "a number beyond what 64 bits hold"
        case .duplicateName(let name): "the name \"\(name)\" a second time in one object"
        case .trailing: "something after the end of the value"
        }
    }
}
