/// Why a text is not the JSON that was expected.
package enum JSONError: Error, Hashable, Sendable {
    /// Not JSON at all; `offset` counts bytes from the start of the text.
    case malformed(offset: Int, reason: String)
    /// A member that must be there is not.
    case missing(key: String)
    /// A value of another kind than the one expected there; `path` is empty for the whole document.
    case wrongKind(path: String, expected: String, found: String)

    /// The same error as seen from the object that holds it in its member `key`.
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
        case .malformed(let offset, let reason): "not JSON at byte \(offset): \(reason)"
        case .missing(let key): "\(key) is missing"
        case .wrongKind(let path, let expected, let found):
            "\(path.isEmpty ? "the document" : path) must be \(expected), and is \(found)"
        }
    }
}
