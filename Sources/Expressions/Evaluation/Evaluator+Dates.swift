/// Functions of dates. A date alone is a local midnight; a number is days since 1970-01-01.
extension Evaluator {
    mutating func dateFunction(
        _ function: Function, _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Value {
        switch function {
        case .now: return .date(context.now)
        case .today: return .date(context.now.midnight(in: context))
        case .date: return try date(try value(arguments[0], focus), keepsTime: false)
        case .dateTime: return try date(try value(arguments[0], focus), keepsTime: true)
        case .decimalDateTime, .decimalTime:
            return try decimal(
                try value(arguments[0], focus), keepsDate: function == .decimalDateTime)
        default:
            let value = try date(try value(arguments[0], focus), keepsTime: true)
            guard case .date(let moment) = value else { return .empty }
            let format = try text(arguments[1], focus)
            try budget.spend(4 * format.count)
            guard let text = moment.fields(in: context).formatted(as: format) else {
                throw EvaluationError(.mismatch, at: terms[arguments[1]].offset)
            }
            return .string(text)
        }
    }

    /// The date that a value stands for; what is empty stays empty.
    mutating func date(
        _ value: Value, keepsTime: Bool
    ) throws(EvaluationError) -> Value {
        try budget.spend(10)
        switch value {
        case .number(let days):
            if days.isNaN { return value }
            guard days.magnitude <= Evaluator.farthestDay else { throw EvaluationError(.mismatch) }
            if keepsTime {
                return .date(Moment(milliseconds: Int64(days * Double(Moment.day))))
            }
            return .date(Moment(localDay: Int64(days), in: context))
        case .string(let text):
            if text.isEmpty { return value }
            guard let moment = Moment(parsing: text, in: context) else {
                throw EvaluationError(.mismatch)
            }
            return .date(moment)
        case .date(let moment):
            return .date(keepsTime ? moment : moment.midnight(in: context))
        case .boolean:
            throw EvaluationError(.mismatch)
        }
    }

    static let farthestDay = 2_147_483_647.0

    /// Days since 1970-01-01T00:00Z with their fraction, or the fraction of the local day alone.
    private mutating func decimal(
        _ value: Value, keepsDate: Bool
    ) throws(EvaluationError) -> Value {
        switch try date(value, keepsTime: true) {
        case .date(let moment):
            if case .number(let days) = value {
                return .number(keepsDate ? days : days - days.rounded(.down))
            }
            if keepsDate { return .number(moment.days) }
            let local = Moment(milliseconds: moment.milliseconds + context.offset(at: moment)).days
            return .number(local - local.rounded(.down))
        case let empty:
            return empty
        }
    }
}
