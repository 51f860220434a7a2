/// A command line that cannot be followed.
package struct UsageError: Error, Sendable, Equatable {
    package static let exitCode: Int32 = 2

    /// What is wrong.
    package let message: String
    /// What to do about it.
    package let hint: String

    /// The two lines for standard error.
    package var lines: String {
        "sharedd: error: \(message)\nsharedd: hint: \(hint)\n"
    }
}
