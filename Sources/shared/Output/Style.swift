import Glibc

/// How text stands out on a terminal; never the only sign of anything.
enum Style: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case yellow = "33"

    /// Whether standard output shows colours: a terminal does, where nobody asks for none
    /// (`NO_COLOR`, `TERM=dumb`).
    static let isShown: Bool =
        isatty(STDOUT_FILENO) == 1 && (Terminal.variable("NO_COLOR") ?? "").isEmpty
        && Terminal.variable("TERM") != "dumb"

    /// The text, which must be measured before.
    func callAsFunction(_ text: String, if isShown: Bool = Style.isShown) -> String {
        isShown && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
