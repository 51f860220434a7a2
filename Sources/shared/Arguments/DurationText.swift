internal import ShareControl

/// Lengths of time as people type them: `500ms`, `5s`, `10m`, `2h`, `1d`; a bare number is seconds.
enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("", 1000),
    ]

    /// The milliseconds that an option names; nil where it is not given.
    static func milliseconds(_ option: String, _ arguments: ParsedArguments) throws(Problem) -> Int?
    {
        guard let text = arguments.value(option) else { return nil }
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let number = Int(text.dropLast(unit.suffix.count)), number >= 0 else { continue }
            let (product, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
            guard !overflow, product <= 366 * 86_400_000 else { break }
            return product
        }
        throw arguments.syntax.problem(
            "\(option) needs a length of time such as 5s, 10m or 2h, "
                + "not '\(Terminal.plain(text))'")
    }
}
