internal import ShareControl

/// The words `on` and `off`.
enum OnOff {
    /// Whether the first operand is `on`.
    ///
    /// - Throws: `Problem` with `usage` for any other word than the two.
    static func read(_ arguments: ParsedArguments) throws(Problem) -> Bool {
        switch arguments.operand(0) {
        case "on": return true
        case "off": return false
        default:
            throw arguments.syntax.problem(
                "'on' or 'off' was expected, not '\(Terminal.plain(arguments.operand(0)))'")
        }
    }
}
