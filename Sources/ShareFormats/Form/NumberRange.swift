/// The numbers that a `range` allows: from one end to the other in equal steps.
package struct NumberRange: Hashable, Sendable {
    package let start: Double
    package let end: Double
    /// Greater than 0; nil where any number between the ends will do.
    package let step: Double?

    /// Whether a number is one of them, but for what decimals cannot say.
    package func contains(_ number: Double) -> Bool {
        guard (min(start, end)...max(start, end)).contains(number) else { return false }
        guard let step else { return true }
        let steps = (number - start) / step
        return abs(steps - steps.rounded()) < 1e-6
    }

    /// `between 0 and 10`, or `between 0 and 10 in steps of 2`.
    package var words: String {
        let (least, most) = (min(start, end), max(start, end))
        let ends = "between \(NumberText.shortest(least)) and \(NumberText.shortest(most))"
        return step.map { "\(ends) in steps of \(NumberText.shortest($0))" } ?? ends
    }
}

extension Form.Field {
    /// The bounds of a `range`; 0 to 10 where the form says nothing.
    package var range: NumberRange {
        func number(_ name: String) -> Double? {
            parameter(name).flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
        }
        let step = number("step").map(abs)
        return NumberRange(
            start: number("start") ?? 0, end: number("end") ?? 10,
            step: step.flatMap { $0 > 0 ? $0 : nil })
    }
}
