/// Functions that return numbers, but not of texts or nodes.
extension Evaluator {
    mutating func numberFunction(
        _ function: Function, _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Double {
        switch function {
        case .number: return try number(arguments[0], focus)
        case .int: return try number(arguments[0], focus).rounded(.towardZero)
        case .round:
            let places = arguments.count > 1 ? try integer(arguments[1], focus) : 0
            let number = try number(arguments[0], focus)
            try budget.spend(DecimalNumber.steps(of: number))
            return Evaluator.rounded(number, places)
        case .floor: return try number(arguments[0], focus).rounded(.down)
        case .ceiling: return try number(arguments[0], focus).rounded(.up)
        case .abs: return try double(arguments[0], focus).magnitude
        case .sqrt: return try double(arguments[0], focus).squareRoot()
        case .random:
            try budget.spend(4)
            return Double(context.randomBits() >> 11) * 0x1p-53
        case .pi: return .pi
        case .pow: return try compute(.pow, arguments, focus)
        case .exp: return try compute(.exp, arguments, focus)
        case .exp10: return context.compute(.pow, 10, try double(arguments[0], focus))
        case .log: return try compute(.log, arguments, focus)
        case .log10: return try compute(.log10, arguments, focus)
        case .sin: return try compute(.sin, arguments, focus)
        case .cos: return try compute(.cos, arguments, focus)
        case .tan: return try compute(.tan, arguments, focus)
        case .asin: return try compute(.asin, arguments, focus)
        case .acos: return try compute(.acos, arguments, focus)
        case .atan: return try compute(.atan, arguments, focus)
        case .atan2: return try compute(.atan2, arguments, focus)
        default: throw EvaluationError(.mismatch)
        }
    }

    private mutating func compute(
        _ function: MathFunction, _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Double {
        try budget.spend(4)
        let x = try double(arguments[0], focus)
        let y = arguments.count > 1 ? try double(arguments[1], focus) : 0
        if function == .pow, x.magnitude == 1, !y.isFinite {
            // C says 1, as IEEE 754 has it; Java and ECMAScript say that nobody knows.
            return .nan
        }
        return context.compute(function, x, y)
    }

    /// A number as mathematical functions take it: of a date that was computed also the fraction of
    /// the day.
    private mutating func double(_ id: Term.ID, _ focus: Focus) throws(EvaluationError) -> Double {
        switch try operand(id, focus) {
        case .value(.date(let moment)):
            let start = Moment(localDay: 0, in: context)
            return Moment(milliseconds: moment.milliseconds - start.milliseconds).days
        case let other:
            return try number(try single(other, id))
        }
    }

    /// Rounds to decimals, or to tens where `places` is negative, as the decimal text of the number
    /// says: 1.005 to two places is 1.01, although the binary number lies below it.
    static func rounded(_ number: Double, _ places: Int) -> Double {
        guard number.isFinite else { return number }
        guard (-30...30).contains(places) else { return .nan }
        let value = DecimalNumber(number).rounded(toPlaces: places).value
        return value == 0 ? 0 : value
    }
}
