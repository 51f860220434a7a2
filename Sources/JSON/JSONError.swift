/// The reason why a text is not the JSON that was expected, with its place.
package enum JSONError: Error, Hashable, Sendable {
    /// The text is no JSON; line and column are counted from 1, the column in bytes.
    case malformed(line: Int, column: Int, Reason)
    /// A member that must be there is not.
    case missing(key: String)
    /// A value is of another kind than the one expected there; `path` is empty for the whole
    /// document.
    case wrongKind(path: String, expected: String, found: String)

    /// A way in which a text fails to be JSON as `JSONReader` takes it.
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

    /// The same error as seen from the value that holds it in its member or element `key`.
    func inside(_ key: String) -> JSONError {
        switch self {
        case .malformed: self
        case .missing(let inner): .missing(key: "\(key).\(inner)")
        case .wrongKind(let path, let expected, let found):
            .wrongKind(
                path: path.isEmpty ? key : "\(key).\(path)", expected: expected, found: found)
        }
    }
}

extension JSONError: CustomStringConvertible {
    /// One clause for people, without a full stop.
    package var description: String {
        switch self {
        case .malformed(let line, let column, let reason):
            "not JSON at line \(line), column \(column): \(reason)"
        case .missing(let key): "\(key) is missing"
        case .wrongKind(let path, let expected, let found):
            "\(path.isEmpty ? "the document" : path) must be \(expected), and is \(found)"
        }
    }
}

extension JSONError.Reason: CustomStringConvertible {
    /// A few words for people, without the place.
    package var description: String {
        switch self {
        case .tooLong(let limit): "longer than \(limit) bytes"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .notUTF8: "not UTF-8 text"
        case .unexpectedEnd: "the text ends too early"
        case .unexpected(let character): "did not expect '\(character)' here"
        case .expected(let wanted): "expected \(wanted)"
        case .controlCharacter: "a control character in a text; write it as \\u00XX"
        case .badEscape: "not an escape that JSON knows"
        case .badNumber: "not a number as JSON writes them"
        case .numberOutOfRange: "a number beyond what 64 bits hold"
        case .duplicateName(let name): "the name \"\(name)\" a second time in one object"
        case .trailing: "something after the end of the value"
        }
    }
}
