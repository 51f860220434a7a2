internal import COpenSSL

/// A failure of TLS, in the library's own words.
package struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was being done, and what the library said of it.
    package let description: String

    /// The error with what the library left in its queue, which this empties.
    static func last(_ doing: String) -> TLSError {
        var reasons: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            if let text = ERR_reason_error_string(code) {
                reasons.append(String(cString: text))
            } else {
                reasons.append("error \(code)")
            }
        }
        let said = reasons.isEmpty ? "no reason given" : reasons.joined(separator: ", ")
        return TLSError(description: "\(doing): \(said)")
    }

    /// Runs `call` with an empty error queue, as the library demands for its answers to be right,
    /// and checks that it returned 1.
    static func check(_ doing: String, _ call: () -> Int32) throws(TLSError) {
        ERR_clear_error()
        guard call() == 1 else { throw last(doing) }
    }

    /// Runs `call` with an empty error queue, and checks that it returned something.
    static func unwrap<T>(_ doing: String, _ call: () -> T?) throws(TLSError) -> T {
        ERR_clear_error()
        guard let value = call() else { throw last(doing) }
        return value
    }
}
