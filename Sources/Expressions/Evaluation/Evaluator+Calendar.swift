/// Sums and differences of dates, as the forms of the Community Health Toolkit have them
/// (docs.communityhealthtoolkit.org, XPath functions). Each counts by the local calendar.
extension Evaluator {
    mutating func calendarFunction(
        _ function: Function, _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Value {
        guard let first = try fields(arguments[0], focus) else { return .empty }
        if function == .addDate { return try sum(first, arguments, focus) }
        guard let second = try fields(arguments[1], focus) else { return .empty }
        let days = second.localMilliseconds - first.localMilliseconds
        let whole: Int64 =
            switch function {
            case .differenceInYears: Int64(first.months(until: second) / 12)
            case .differenceInWeeks: days / (7 * Moment.day)
            case .differenceInDays: days / Moment.day
            default: Int64(first.months(until: second))
            }
        return .number(Double(whole))
    }

    /// The local date and time of an argument; nil where there is none.
    private mutating func fields(
        _ argument: Term.ID, _ focus: Focus
    ) throws(EvaluationError) -> DateFields? {
        let value = try value(argument, focus)
        // Days as a number begin here at midnight.
        let isNumber = if case .number = value { true } else { false }
        guard case .date(let moment) = try date(value, keepsTime: !isNumber) else { return nil }
        return moment.fields(in: context)
    }

    /// `add-date(date, years, months, days, hours, minutes)`: what is no number counts as 0.
    private mutating func sum(
        _ start: DateFields, _ arguments: [Term.ID], _ focus: Focus
    ) throws(EvaluationError) -> Value {
        var parts: [Int64] = []
        for argument in arguments.dropFirst() {
            let number = try number(argument, focus)
            guard number.isNaN || number.magnitude <= Evaluator.farthestDay else {
                throw EvaluationError(.mismatch, at: terms[argument].offset)
            }
            parts.append(number.isNaN ? 0 : Int64(number.rounded(.toNearestOrAwayFromZero)))
        }
        while parts.count < 5 { parts.append(0) }
        let months = start.adding(months: Int(parts[0]) * 12).adding(months: Int(parts[1]))
        guard abs(months.year) < Evaluator.farthestYear else { throw EvaluationError(.mismatch) }
        let day = DateFields(
            localMilliseconds: months.localMilliseconds + parts[2] * Moment.day)
        let time = Moment(day, in: context)
        let moment = Moment(
            milliseconds: time.milliseconds + parts[3] * 3_600_000 + parts[4] * 60_000)
        guard abs(moment.fields(in: context).year) < Evaluator.farthestYear else {
            throw EvaluationError(.mismatch)
        }
        return .date(moment)
    }

    private static let farthestYear = 1_000_000
}

extension DateFields {
    /// So many months later: the last day of a month that is too short for the same one.
    func adding(months: Int) -> DateFields {
        var later = self
        let month = Int64(year) * 12 + Int64(self.month - 1) + Int64(months)
        later.year = Int(month.floorDivided(by: 12))
        later.month = Int(month - Int64(later.year) * 12) + 1
        later.day = min(day, DateFields.days(ofMonth: later.month, year: later.year))
        return later
    }

    /// The whole months until another date, negative where that is earlier. They are counted from
    /// the later day of the two, so that a month lies between 31 January and 28 February.
    func months(until other: DateFields) -> Int {
        if day < other.day { return -other.months(until: self) }
        let months = (other.year - year) * 12 + other.month - month
        let rest = other.localMilliseconds - adding(months: months).localMilliseconds
        if rest < 0, months > 0 { return months - 1 }
        if rest > 0, months < 0 { return months + 1 }
        return months
    }
}
