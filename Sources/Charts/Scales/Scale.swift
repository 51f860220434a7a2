import Glibc

/// An axis: its scale and what it measures.
package struct Axis: Hashable, Sendable {
    /// The way from values to places.
    package var scale: Scale
    /// The measure, such as `Recovery, %`; may be empty.
    package var title: String
    /// The unit of its numbers, such as `%`; may be empty.
    package var unit: String

    /// Makes an axis; title and unit are cleaned and cut at 200 and 16 characters.
    package init(_ scale: Scale, title: String = "", unit: String = "") {
        self.scale = scale
        self.title = CleanText.line(title, most: 200)
        self.unit = CleanText.line(unit, most: 16)
    }

    /// Title and unit, once, so that no tick has to repeat them; a long title gives way to the unit.
    func caption(_ fitting: Fitting, to limit: Double) -> String {
        guard !title.isEmpty, !unit.isEmpty else { return fitting.shorten(title + unit, to: limit) }
        let end = ", " + unit
        let short = fitting.shorten(title, to: limit - fitting.measure(end))
        return short.isEmpty ? fitting.shorten(unit, to: limit) : short + end
    }

    var hasCaption: Bool { !title.isEmpty || !unit.isEmpty }
}

/// A mark on an axis.
package struct Tick: Hashable, Sendable {
    /// The place on the axis: a number, seconds, or the index of a band.
    package let value: Double
    /// The value as it stands beside the axis, without its unit.
    package let text: String
    /// A second line, where it differs from the tick before: the day of an hour, the year of a day.
    package var context = ""
}

/// The way from numbers to places on an axis, from 0 to 1.
package enum Scale: Hashable, Sendable {
    /// Numbers; ticks of counts are whole.
    case linear(ClosedRange<Double>, isWhole: Bool = false)
    /// Seconds since 1970, shown by clocks that are `zone` seconds ahead of UTC; no two marks are
    /// nearer than `least` seconds, as where only days or months were told.
    case time(ClosedRange<Double>, zone: Int, least: Int = 0)
    /// Categories beside one another; a value is an index.
    case band([String])

    /// The place of a value: (value - start) / range, and the middle where the range is zero.
    package func position(of value: Double) -> Double {
        switch self {
        case .linear(let range, _), .time(let range, _, _):
            // Halves, as the difference of the ends may not be finite.
            let length = range.upperBound / 2 - range.lowerBound / 2
            return length > 0 ? (value / 2 - range.lowerBound / 2) / length : 0.5
        case .band(let names):
            return names.isEmpty ? 0.5 : (value + 0.5) / Double(names.count)
        }
    }

    /// Round, equidistant marks, at most so many; for bands every one, or every second, third …
    package func ticks(atMost most: Int) -> [Tick] {
        switch self {
        case .linear(let range, let isWhole):
            Self.numbers(in: range, atMost: max(most, 1), isWhole: isWhole)
        case .time(let range, let zone, let least):
            TimeTicks.ticks(in: range, zone: zone, atMost: max(most, 1), least: least)
        case .band(let names):
            stride(from: 0, to: names.count, by: max(1, (names.count + most - 1) / max(most, 1)))
                .map { Tick(value: Double($0), text: names[$0]) }
        }
    }

    private static func numbers(
        in range: ClosedRange<Double>, atMost most: Int, isWhole: Bool
    ) -> [Tick] {
        let length = range.upperBound - range.lowerBound
        guard length > 0 else {
            return [Tick(value: range.lowerBound, text: Numeral.value(range.lowerBound))]
        }
        // A range of n steps has n + 1 ticks; one that begins between two has n.
        for intervals in stride(from: most, through: 1, by: -1) {
            let step = max(Self.step(length, intervals: intervals), isWhole ? 1 : 0)
            let first = (range.lowerBound / step - 1e-6).rounded(.up)
            let last = (range.upperBound / step + 1e-6).rounded(.down)
            guard last - first < Double(most) else { continue }
            // A step of 5 may be longer than a range for which one of 2 was too short.
            guard last >= first else { break }
            let values = (0...Int(last - first)).map { (first + Double($0)) * step }
            let texts = Numeral.ticks(values, step: step)
            return zip(values, texts).map { Tick(value: $0, text: $1) }
        }
        guard most < 100 else { return [] }
        let finer = numbers(in: range, atMost: most * 2 + 1, isWhole: isWhole)
        return stride(from: finer.count / 2 % 3, to: finer.count, by: 3).prefix(most)
            .map { finer[$0] }
    }

    /// The smallest of 1, 2, 5 times a power of ten of which `intervals` cover the length.
    static func step(_ length: Double, intervals: Int) -> Double {
        let rough = length / Double(intervals)
        let power = pow(10, log10(rough).rounded(.down))
        for factor in [1.0, 2, 5] where factor * power >= rough * (1 - 1e-9) {
            return factor * power
        }
        return 10 * power
    }

    /// A linear scale for values between `lowest` and `highest`, ends on round numbers.
    ///
    /// - Parameters:
    ///   - fromZero: whether zero belongs to it, as for lengths of bars.
    ///   - isWhole: whether its ticks are whole numbers, as for counts.
    static func around(
        _ lowest: Double?, _ highest: Double?, fromZero: Bool, isWhole: Bool = false
    ) -> Scale {
        var low = lowest ?? 0
        var high = highest ?? 0
        // Zero is shown, too, where it costs less than a quarter of the height.
        if fromZero || (low > 0 && low < high / 4) { low = min(low, 0) }
        if fromZero || (high < 0 && high > low / 4) { high = max(high, 0) }
        let size = max(low.magnitude, high.magnitude)
        if high - low <= max(size * 1e-9, 1e-290) {
            let margin = size > 1e-290 ? size / 10 : 1
            if !fromZero || low < 0 { low -= margin }
            if !fromZero || high >= 0 { high += margin }
        }
        var step = step(high - low, intervals: 5)
        if isWhole { step = max(step, 1) }
        return .linear(
            (low / step + 1e-9).rounded(.down) * step...(high / step - 1e-9).rounded(.up) * step,
            isWhole: isWhole)
    }
}
