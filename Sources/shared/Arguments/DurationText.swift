internal import ShareControl

/// Lengths of time as people type them: `500ms`, `5s`, `10m`, `2h`, `1d`; a bare number is seconds.
enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("", 1000),
    ]

    /// The milliseconds that an option names; nil where it is not given.
    ///
    /// - Throws: `Problem` with `usage` for what is no length of time, or out of bounds.
    static func milliseconds(
        _ option: String, _ arguments: ParsedArguments, from least: Int = 0,
        to most: Int = 366 * 86_400_000
    ) throws(Problem) -> Int? {
        guard let text = arguments.value(option) else { return nil }
        if let length = milliseconds(text), (least...most).contains(length) { return length }
        let bounds = least > 0 ? "from \(self.text(least)) to" : "at most"
        throw arguments.syntax.problem(
            "\(option) needs a length of time such as 5s, 2m or 1h, \(bounds) \(self.text(most)), "
                + "not '\(Terminal.plain(text))'")
    }

    /// Nil for what is none, and for one beyond all bounds.
    private static func milliseconds(_ text: String) -> Int? {
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let number = Int(text.dropLast(unit.suffix.count)), number >= 0 else { continue }
            let (product, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
            return overflow ? nil : product
        }
        return nil
    }

    /// The length in its largest unit that divides it.
    private static func text(_ milliseconds: Int) -> String {
        let fitting = units.filter {
            !$0.suffix.isEmpty && milliseconds.isMultiple(of: $0.milliseconds)
        }
        guard let unit = fitting.last else { return "\(milliseconds)ms" }
        return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
    }
}
