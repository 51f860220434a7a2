import Glibc

/// How text stands out on a terminal; never the only sign of anything.
enum Style: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case yellow = "33"

    /// Whether standard output shows colours.
    static let isShown = isShown(on: STDOUT_FILENO)

    /// Whether standard error does.
    static let isShownWithErrors = isShown(on: STDERR_FILENO)

    /// A terminal shows colours, where nobody asks for none (`NO_COLOR`, `TERM=dumb`).
    private static func isShown(on descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && (Terminal.variable("NO_COLOR") ?? "").isEmpty
            && Terminal.variable("TERM") != "dumb"
    }

    /// The text, which must be measured before.
    func callAsFunction(_ text: String, if isShown: Bool = Style.isShown) -> String {
        isShown && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
