import Glibc

/// Numbers as people read them: digits in groups of three, a true minus, no more than is known.
package enum Numeral {
    /// The number to four significant digits, whole ones in full, followed by the unit.
    package static func value(_ number: Double, unit: String = "") -> String {
        (number == number.rounded() ? exact(number) : rounded(number))
            + (unit.isEmpty ? "" : " " + unit)
    }

    /// The number in few signs, such as `950`, `12k`, `1.2M`.
    static func compact(_ number: Double) -> String {
        let powers: [(Double, String)] = [(1e12, "tn"), (1e9, "bn"), (1e6, "M"), (1e3, "k")]
        let size = number.magnitude
        guard size < 1e15, let power = powers.first(where: { size >= $0.0 * 0.9995 }) else {
            return size >= 1e15 || number == number.rounded() ? exact(number) : rounded(number)
        }
        return fixed(number / power.0, places: size / power.0 < 9.95 ? 1 : 0) + power.1
    }

    /// The fullest way of writing in which each of the numbers fits: with the unit, without it, or
    /// in few signs.
    static func writer(
        for numbers: [Double], unit: String, fits: (String) -> Bool
    ) -> (Double) -> String {
        let ways: [(Double) -> String] = [
            { value($0, unit: unit) }, { value($0) }, { compact($0) },
        ]
        return ways.first { way in numbers.allSatisfy { fits(way($0)) } } ?? { compact($0) }
    }

    /// A whole number in full; beyond 10¹⁵ as a power of ten.
    static func exact(_ number: Double) -> String {
        number.magnitude < 1e15 ? fixed(number, places: 0) : scientific(number, places: 2)
    }

    private static func rounded(_ number: Double) -> String {
        let size = number.magnitude
        guard size >= 1e-4, size < 1e15 else { return scientific(number, places: 2) }
        let places = min(max(3 - Int(log10(size).rounded(.down)), 0), 8)
        return trimmed(fixed(number, places: places))
    }

    /// The texts of ticks that are `step` apart: all with the same places and the same power.
    static func ticks(_ numbers: [Double], step: Double) -> [String] {
        let largest = numbers.reduce(0) { max($0, $1.magnitude) }
        let exponent = Int(log10(step).rounded(.down))
        if largest >= 1e15 || largest < 1e-4 {
            let places = min(max(Int(log10(max(largest, step)).rounded(.down)) - exponent, 0), 6)
            return numbers.map { ($0 == 0 ? "0" : scientific($0, places: places)) }
        }
        let powers: [(Double, String)] = [(1e12, "tn"), (1e9, "bn"), (1e6, "M")]
        let power = powers.first { largest >= $0.0 && step >= $0.0 / 1000 } ?? (1, "")
        let apart = Int(log10(step / power.0 * 1.000_001).rounded(.down))
        let places = min(max(-apart, 0), 12)
        return numbers.map { fixed($0 / power.0, places: places) + ($0 == 0 ? "" : power.1) }
    }

    /// The number with so many places; its digits before the point in groups of three.
    static func fixed(_ number: Double, places: Int) -> String {
        var power = 1.0
        for _ in 0..<places { power *= 10 }
        let scaled = (number.magnitude * power).rounded()
        guard scaled < 9e18 else { return scientific(number, places: 2) }
        let digits = String(Int64(scaled))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        let whole = Array(padded.dropLast(places))
        var text = number < 0 && scaled > 0 ? "−" : ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return places == 0 ? text : text + "." + padded.suffix(places)
    }

    private static func scientific(_ number: Double, places: Int) -> String {
        guard number.isFinite else { return number.isNaN ? "no number" : "too large" }
        guard number != 0 else { return "0" }
        var exponent = Int(log10(number.magnitude).rounded(.down))
        // Ten to the power of less than -300 is no normal number: two steps.
        var mantissa =
            number / pow(10, Double(exponent / 2)) / pow(10, Double(exponent - exponent / 2))
        if fixed(mantissa.magnitude, places: places).hasPrefix("10") {
            mantissa /= 10
            exponent += 1
        }
        let sign = exponent < 0 ? "−" : ""
        return trimmed(fixed(mantissa, places: places)) + "e\(sign)\(exponent.magnitude)"
    }

    /// The number with the words for one or for several, such as `1 point is`, `2 points are`.
    static func count(_ number: Int, _ one: String, _ several: String) -> String {
        exact(Double(number)) + " " + (number == 1 ? one : several)
    }

    private static func trimmed(_ text: String) -> String {
        guard text.contains(".") else { return text }
        var text = text
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}
