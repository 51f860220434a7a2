/// The result of an expression, and the value of one answered field.
///
/// An unanswered field has the empty string.
package enum Value: Equatable, Sendable {
    case number(Double)
    /// UTF-8, as it was typed or read: never normalised.
    case string([UInt8])
    case boolean(Bool)
    case date(Moment)

    /// The value of a field without an answer.
    package static let empty = Value.string([])

    /// True for the empty string and for what is not a number: a field set to it has no answer.
    package var isEmpty: Bool {
        switch self {
        case .number(let number): number.isNaN
        case .string(let text): text.isEmpty
        case .boolean, .date: false
        }
    }

    /// The boolean that conditions see: a number other than 0, a text that is not empty, any date.
    package var isTrue: Bool {
        switch self {
        case .number(let number): number.magnitude > Value.tolerance
        case .string(let text): !text.isEmpty
        case .boolean(let truth): truth
        case .date: true
        }
    }

    /// The number that arithmetic sees; a date is its day, counted from 1970-01-01 in `zone`.
    package func number(in zone: any Zone) -> Double {
        switch self {
        case .number(let number): number
        case .string(let text): Value.number(parsing: text)
        case .boolean(let truth): truth ? 1 : 0
        case .date(let moment): Double(moment.localDay(in: zone))
        }
    }

    /// The text that `string()` returns; a date, with or without a time, is its day in `zone`.
    package func text(in zone: any Zone) -> [UInt8] {
        switch self {
        case .number(let number): Value.text(number)
        case .string(let text): text
        case .boolean(let truth): truth ? [UInt8]("true") : [UInt8]("false")
        case .date(let moment): moment.fields(in: zone).date
        }
    }

    /// Two numbers nearer to each other than this are equal, and one nearer to 0 is false.
    package static let tolerance = 1e-12

    /// The number that `text` spells: an optional minus, digits, one decimal point or comma, spaces
    /// around them. Anything else, also an exponent or a plus, is not a number.
    package static func number(parsing text: [UInt8]) -> Double {
        let trimmed = text.trimmed
        guard trimmed.count <= Value.longestNumber else { return .nan }
        var decimal = DecimalNumber()
        var point: Int?
        var digits = 0
        for (index, byte) in trimmed.enumerated() {
            switch byte {
            case UInt8(ascii: "-") where index == 0:
                decimal.isNegative = true
            case UInt8(ascii: "."), UInt8(ascii: ","):
                guard point == nil else { return .nan }
                point = digits
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                decimal.digits.append(byte - UInt8(ascii: "0"))
                digits += 1
            default:
                return .nan
            }
        }
        guard digits > 0 else { return .nan }
        decimal.exponent = (point ?? digits) - digits
        return decimal.value
    }

    /// No number is longer; a hostile text cannot make the exact conversion expensive.
    private static let longestNumber = 400

    /// The text of a number: without a point where it is an integer of 32 bits, otherwise the
    /// fewest digits that give the same number back, with an exponent from 10⁷ and below 10⁻³.
    package static func text(_ number: Double) -> [UInt8] {
        if number.isNaN { return [UInt8]("NaN") }
        if number.isInfinite { return [UInt8](number < 0 ? "-Infinity" : "Infinity") }
        if number.magnitude < tolerance { return [UInt8]("0") }
        if (-2_147_483_648...2_147_483_647).contains(number) {
            let truncated = number.rounded(.towardZero)
            if (number - truncated).magnitude < tolerance { return .decimal(Int(truncated)) }
        }
        return DecimalNumber(number).text
    }
}
