/// Numbers as text, the same on every device and in every locale.
package enum NumberText {
    /// The shortest text that reads back as the same double, without a `.0` at its end.
    package static func shortest(_ value: Double) -> String {
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// The same with all its zeros, where it is small: `0.00005`, as places want it.
    package static func withoutExponent(_ value: Double) -> String {
        let text = shortest(value)
        guard let mark = text.firstIndex(of: "e"),
            let power = Int(text[text.index(after: mark)...]), power < 0
        else { return text }
        let sign = text.hasPrefix("-") ? "-" : ""
        let digits = text[..<mark].filter(\.isNumber)
        return "\(sign)0." + String(repeating: "0", count: -power - 1) + digits
    }

    /// The fault of a text that should have been a number.
    package enum Fault: Hashable, Sendable {
        case notANumber
        case outOfRange
    }

    /// A whole number: an optional sign and digits, nothing else.
    package static func integer(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Result<Int64, Fault> {
        var digits = bytes[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
        guard !digits.isEmpty else { return .failure(.notANumber) }
        var value: Int64 = 0
        var overflows = false
        for byte in digits {
            guard (48...57).contains(byte) else { return .failure(.notANumber) }
            let digit = Int64(byte) - 48
            let (tenfold, first) = value.multipliedReportingOverflow(by: 10)
            let (sum, second) =
                isNegative
                ? tenfold.subtractingReportingOverflow(digit)
                : tenfold.addingReportingOverflow(digit)
            overflows = overflows || first || second
            value = sum
        }
        return overflows ? .failure(.outOfRange) : .success(value)
    }

    /// A finite number: digits with an optional sign, point and exponent; zero is never negative.
    package static func decimal(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Result<Double, Fault> {
        var index = 0
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative || bytes.first == UInt8(ascii: "+") { index = 1 }
        var mantissa: UInt64 = 0
        var digits = 0
        var fraction = 0
        var seenPoint = false
        while index < bytes.count {
            let byte = bytes[index]
            if (48...57).contains(byte) {
                mantissa = mantissa &* 10 &+ UInt64(byte - 48)
                digits += 1
                if seenPoint { fraction += 1 }
            } else if byte == UInt8(ascii: "."), !seenPoint {
                seenPoint = true
            } else {
                break
            }
            index += 1
        }
        guard digits > 0 else { return .failure(.notANumber) }
        if index == bytes.count, digits <= 15 {
            // Both fit a double exactly, so one division rounds once and correctly.
            let value = Double(mantissa) / powers[fraction]
            return .success(isNegative && mantissa != 0 ? -value : value)
        }
        return slowly(bytes, exponentAt: index)
    }

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    private static func slowly(
        _ bytes: UnsafeBufferPointer<UInt8>, exponentAt index: Int
    ) -> Result<Double, Fault> {
        var rest = bytes[index...]
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
                rest = rest.dropFirst()
            }
            guard !rest.isEmpty, rest.allSatisfy({ (48...57).contains($0) }) else {
                return .failure(.notANumber)
            }
        } else if !rest.isEmpty {
            return .failure(.notANumber)
        }
        guard let value = Double(String(decoding: bytes, as: UTF8.self)) else {
            return .failure(.notANumber)
        }
        guard value.isFinite else { return .failure(.outOfRange) }
        return .success(value == 0 ? 0 : value)
    }
}

extension NumberText.Fault: Error {}
