/// A number in decimal digits: `digits × 10^exponent`.
///
/// The conversions to and from binary are exact in both directions, without a C library, so that
/// every device and every browser prints and reads the same.
struct DecimalNumber {
    var isNegative = false
    /// Each 0 to 9, the first one most significant; none is 0.
    var digits: [UInt8] = []
    var exponent = 0

    init() {}

    /// The fewest digits that give `number` back, and of those the nearest.
    init(_ number: Double) {
        isNegative = number.sign == .minus
        let magnitude = number.magnitude
        guard magnitude > 0 else { return }
        if !setShort(magnitude) { setShortest(magnitude) }
    }

    /// The steps of a budget that the digits of a number take: near 1 they fit into machine words.
    static func steps(of number: Double) -> Int {
        number == 0 || !number.isFinite || plain.contains(number.magnitude) ? 20 : 1_000
    }

    /// Magnitudes that are computed without long numbers.
    private static let plain = 1e-5..<1e15

    /// The common case: up to 15 digits, of which some are decimals. No two such decimals are the
    /// same binary number, so the one that divides back exactly is the shortest.
    private mutating func setShort(_ magnitude: Double) -> Bool {
        guard magnitude < 1e15, magnitude > 1e-5 else { return false }
        for decimals in 0...20 {
            let scaled = (magnitude * DecimalNumber.powersOfTen[decimals]).rounded(.toNearestOrEven)
            guard scaled < 1e15 else { return false }
            if scaled / DecimalNumber.powersOfTen[decimals] == magnitude {
                var rest = UInt64(scaled)
                while rest > 0 {
                    digits.append(UInt8(rest % 10))
                    rest /= 10
                }
                digits.reverse()
                exponent = -decimals
                return true
            }
        }
        return false
    }

    /// The general case; numbers near 1 fit into 128 bits.
    private mutating func setShortest(_ magnitude: Double) {
        let exponent = magnitude.isSubnormal ? -1074 : Int(magnitude.exponent) - 52
        if DecimalNumber.plain.contains(magnitude) {
            setShortest(magnitude, binaryExponent: exponent, in: UInt128.self)
        } else {
            setShortest(magnitude, binaryExponent: exponent, in: Natural.self)
        }
    }

    /// Generates digits until what is left lies within half a step of the binary number
    /// (Steele and White 1990, "How to print floating-point numbers accurately").
    private mutating func setShortest<Integer: WideInteger>(
        _ magnitude: Double, binaryExponent: Int, in type: Integer.Type
    ) {
        let significand = magnitude.significandBitPattern | (magnitude.isSubnormal ? 0 : 1 << 52)
        let isEven = significand & 1 == 0
        // Under a power of two the step is half as long.
        let isPower = magnitude.significandBitPattern == 0 && !magnitude.isSubnormal
        var value = Integer(significand)
        var scale = Integer(1)
        var below = Integer(1)
        if binaryExponent > 0 {
            value.shiftLeft(binaryExponent)
            below.shiftLeft(binaryExponent)
        } else {
            scale.shiftLeft(-binaryExponent)
        }
        var above = below
        // Halves are avoided: everything is doubled.
        value.shiftLeft(isPower ? 2 : 1)
        scale.shiftLeft(isPower ? 2 : 1)
        if isPower { above.shiftLeft(1) }

        func isTooLarge() -> Bool {
            let order = Integer.compare(value.adding(above), scale)
            return isEven ? order >= 0 : order > 0
        }
        func multiplyByTen() {
            value.multiply(by: 10)
            above.multiply(by: 10)
            below.multiply(by: 10)
        }
        var point = 0
        while isTooLarge() {
            scale.multiply(by: 10)
            point += 1
        }
        multiplyByTen()
        while !isTooLarge() {
            multiplyByTen()
            point -= 1
        }
        while true {
            var digit: UInt8 = 0
            while Integer.compare(value, scale) >= 0 {
                value.subtract(scale)
                digit += 1
            }
            let low = Integer.compare(value, below)
            let isLow = isEven ? low <= 0 : low < 0
            let isHigh = isTooLarge()
            if isLow || isHigh {
                let isUpper = Integer.compare(value.adding(value), scale) >= 0
                digits.append(isHigh && (!isLow || isUpper) ? digit + 1 : digit)
                break
            }
            digits.append(digit)
            multiplyByTen()
        }
        exponent = point - digits.count
        carry()
    }

    /// Moves a digit of 10 up.
    private mutating func carry() {
        var index = digits.count - 1
        while index >= 0, digits[index] > 9 {
            digits[index] = 0
            if index == 0 { digits.insert(1, at: 0) } else { digits[index - 1] += 1 }
            index -= 1
        }
    }

    /// The binary number nearest to this one, the even one of two.
    var value: Double {
        let significant = digits.drop { $0 == 0 }
        guard let first = significant.first, first > 0 else { return isNegative ? -0.0 : 0 }
        let magnitude: Double
        if significant.count + exponent > 310 {
            magnitude = .infinity
        } else if significant.count + exponent < -330 {
            magnitude = 0
        } else if significant.count <= 15, (-22...22).contains(exponent) {
            let whole = Double(significant.reduce(UInt64(0)) { $0 * 10 + UInt64($1) })
            let power = DecimalNumber.powersOfTen[abs(exponent)]
            magnitude = exponent < 0 ? whole / power : whole * power
        } else {
            magnitude = DecimalNumber.nearest(to: significant, exponent: exponent)
        }
        return isNegative ? -magnitude : magnitude
    }

    /// The quotient of two exact integers, to 53 bits, rounded by what is left.
    private static func nearest(to digits: ArraySlice<UInt8>, exponent: Int) -> Double {
        var numerator = Natural(0)
        for digit in digits {
            numerator.multiply(by: 10)
            numerator.add(UInt32(digit))
        }
        var denominator = Natural(1)
        for _ in 0..<abs(exponent) {
            if exponent > 0 { numerator.multiply(by: 10) } else { denominator.multiply(by: 10) }
        }
        // Scales so that the quotient has 53 bits, or fewer where the number is subnormal.
        var shift = numerator.bitWidth - denominator.bitWidth - 53
        func scaled(_ shift: Int) -> (Natural, Natural) {
            var (upper, lower) = (numerator, denominator)
            if shift < 0 { upper.shiftLeft(-shift) } else { lower.shiftLeft(shift) }
            return (upper, lower)
        }
        shift = max(shift, -1074)
        var (upper, lower) = scaled(shift)
        var bits = upper.quotient(by: lower)
        if bits >> 53 != 0 {
            shift += 1
            (upper, lower) = scaled(shift)
            bits = upper.quotient(by: lower)
        }
        let order = Natural.compare(upper.adding(upper), lower)
        if order > 0 || order == 0 && bits & 1 == 1 { bits += 1 }
        if bits >> 53 != 0 {
            bits >>= 1
            shift += 1
        }
        if shift > 971 { return .infinity }
        if bits >> 52 == 0 { return Double(bitPattern: bits) }
        return Double(bitPattern: UInt64(shift + 1075) << 52 | bits & (1 << 52 - 1))
    }

    /// The digits with a point, or with an exponent where the number is from 10⁷ or below 10⁻³.
    var text: [UInt8] {
        var significant = digits
        var exponent = exponent
        while significant.count > 1, significant.last == 0 {
            significant.removeLast()
            exponent += 1
        }
        guard significant.contains(where: { $0 != 0 }) else {
            return [UInt8](isNegative ? "-0.0" : "0.0")
        }
        let characters = significant.map { UInt8(ascii: "0") + $0 }
        let point = characters.count + exponent
        var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        func zeros(_ count: Int) -> [UInt8] {
            .init(repeating: UInt8(ascii: "0"), count: max(0, count))
        }
        if point > 7 || point < -2 {
            text.append(characters[0])
            text.append(UInt8(ascii: "."))
            text += characters.count > 1 ? characters[1...] : zeros(1)[...]
            text.append(UInt8(ascii: "E"))
            text += .decimal(point - 1)
        } else if point <= 0 {
            text += [UInt8]("0.") + zeros(-point) + characters
        } else {
            text += characters.prefix(point) + zeros(point - characters.count)
            text.append(UInt8(ascii: "."))
            text += point < characters.count ? characters[point...] : zeros(1)[...]
        }
        return text
    }

    /// Rounds to `places` decimals: a half goes up for a positive number and towards zero for a
    /// negative one.
    func rounded(toPlaces places: Int) -> DecimalNumber {
        let dropped = -exponent - places
        guard dropped > 0 else { return self }
        var result = self
        result.exponent = -places
        guard dropped <= digits.count else {
            result.digits = []
            return result
        }
        let tail = digits[(digits.count - dropped)...]
        result.digits.removeLast(dropped)
        let half =
            tail[tail.startIndex] > 5
            || tail[tail.startIndex] == 5 && (!isNegative || tail.dropFirst().contains { $0 != 0 })
        if half {
            if result.digits.isEmpty { result.digits = [0] }
            result.digits[result.digits.count - 1] += 1
            result.carry()
        }
        return result
    }

    static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
