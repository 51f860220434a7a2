/// A function of the XPath 1.0 core or of the XForms specification of the OpenRosa community
/// (getodk.github.io/xforms-spec).
package enum Function: UInt8, CaseIterable, Sendable {
    case yes, no, boolean, not, booleanFromString, condition
    case number, int, round, abs, pow, floor, ceiling, random
    case sqrt, exp, exp10, log, log10, sin, cos, tan, asin, acos, atan, atan2, pi
    case string, concat, join, substr, substring, substringBefore, substringAfter
    case contains, startsWith, endsWith, stringLength, translate, normalizeSpace, regex, uuid
    case selected, isSelected, countSelected, selectedAt, choiceName
    case today, now, date, dateTime, decimalDateTime, decimalTime, formatDate, formatDateTime
    case differenceInYears, differenceInMonths, differenceInWeeks, differenceInDays
    case plainDifferenceInMonths, addDate
    case count, countNonEmpty, sum, min, max, position, last
    case coalesce, once, indexedRepeat, pulldata
    case area, enclosedArea, distance, geofence
    case version, property

    /// The name, the numbers of arguments and the type of the value of a function.
    package struct Signature {
        /// The name in expressions.
        package let name: StaticString
        /// The numbers of arguments that it takes.
        package let arguments: ClosedRange<Int>
        /// The type of its value; `.any` where it depends on the arguments.
        package let type: ValueType

        fileprivate init(_ name: StaticString, _ arguments: ClosedRange<Int>, _ type: ValueType) {
            self.name = name
            self.arguments = arguments
            self.type = type
        }
    }

    /// No call has more arguments.
    private static let many = 1_000

    /// The signature that the parser checks a call against.
    package var signature: Signature {
        switch self {
        case .yes: Signature("true", 0...0, .boolean)
        case .no: Signature("false", 0...0, .boolean)
        case .boolean: Signature("boolean", 1...1, .boolean)
        case .not: Signature("not", 1...1, .boolean)
        case .booleanFromString: Signature("boolean-from-string", 1...1, .boolean)
        case .condition: Signature("if", 3...3, .any)
        case .number: Signature("number", 1...1, .number)
        case .int: Signature("int", 1...1, .number)
        case .round: Signature("round", 1...2, .number)
        case .abs: Signature("abs", 1...1, .number)
        case .pow: Signature("pow", 2...2, .number)
        case .floor: Signature("floor", 1...1, .number)
        case .ceiling: Signature("ceiling", 1...1, .number)
        case .random: Signature("random", 0...0, .number)
        case .sqrt: Signature("sqrt", 1...1, .number)
        case .exp: Signature("exp", 1...1, .number)
        case .exp10: Signature("exp10", 1...1, .number)
        case .log: Signature("log", 1...1, .number)
        case .log10: Signature("log10", 1...1, .number)
        case .sin: Signature("sin", 1...1, .number)
        case .cos: Signature("cos", 1...1, .number)
        case .tan: Signature("tan", 1...1, .number)
        case .asin: Signature("asin", 1...1, .number)
        case .acos: Signature("acos", 1...1, .number)
        case .atan: Signature("atan", 1...1, .number)
        case .atan2: Signature("atan2", 2...2, .number)
        case .pi: Signature("pi", 0...0, .number)
        case .string: Signature("string", 1...1, .string)
        case .concat: Signature("concat", 0...Self.many, .string)
        case .join: Signature("join", 1...Self.many, .string)
        case .substr: Signature("substr", 2...3, .string)
        case .substring: Signature("substring", 2...3, .string)
        case .substringBefore: Signature("substring-before", 2...2, .string)
        case .substringAfter: Signature("substring-after", 2...2, .string)
        case .contains: Signature("contains", 2...2, .boolean)
        case .startsWith: Signature("starts-with", 2...2, .boolean)
        case .endsWith: Signature("ends-with", 2...2, .boolean)
        case .stringLength: Signature("string-length", 0...1, .number)
        case .translate: Signature("translate", 3...3, .string)
        case .normalizeSpace: Signature("normalize-space", 0...1, .string)
        case .regex: Signature("regex", 2...2, .boolean)
        case .uuid: Signature("uuid", 0...1, .string)
        case .selected: Signature("selected", 2...2, .boolean)
        case .isSelected: Signature("is-selected", 2...2, .boolean)
        case .countSelected: Signature("count-selected", 1...1, .number)
        case .selectedAt: Signature("selected-at", 2...2, .string)
        case .choiceName: Signature("jr:choice-name", 2...2, .string)
        case .today: Signature("today", 0...0, .date)
        case .now: Signature("now", 0...0, .date)
        case .date: Signature("date", 1...1, .any)
        case .dateTime: Signature("date-time", 1...1, .any)
        case .decimalDateTime: Signature("decimal-date-time", 1...1, .any)
        case .decimalTime: Signature("decimal-time", 1...1, .any)
        case .formatDate: Signature("format-date", 2...2, .string)
        case .formatDateTime: Signature("format-date-time", 2...2, .string)
        case .differenceInYears: Signature("cht:difference-in-years", 2...2, .any)
        case .differenceInMonths: Signature("cht:difference-in-months", 2...2, .any)
        case .differenceInWeeks: Signature("cht:difference-in-weeks", 2...2, .any)
        case .differenceInDays: Signature("cht:difference-in-days", 2...2, .any)
        case .plainDifferenceInMonths: Signature("difference-in-months", 2...2, .any)
        case .addDate: Signature("add-date", 1...6, .any)
        case .count: Signature("count", 1...1, .number)
        case .countNonEmpty: Signature("count-non-empty", 1...1, .number)
        case .sum: Signature("sum", 1...1, .number)
        case .min: Signature("min", 0...Self.many, .number)
        case .max: Signature("max", 0...Self.many, .number)
        case .position: Signature("position", 0...1, .number)
        case .last: Signature("last", 0...0, .number)
        case .coalesce: Signature("coalesce", 2...2, .any)
        case .once: Signature("once", 1...1, .any)
        case .indexedRepeat: Signature("indexed-repeat", 3...11, .nodes)
        case .pulldata: Signature("pulldata", 4...4, .string)
        case .area: Signature("area", 1...1, .number)
        case .enclosedArea: Signature("enclosed-area", 1...1, .number)
        case .distance: Signature("distance", 1...Self.many, .number)
        case .geofence: Signature("geofence", 2...2, .boolean)
        case .version: Signature("version", 0...0, .string)
        case .property: Signature("property", 1...1, .string)
        }
    }

    /// True where two calls with the same arguments may have different values.
    package var isVolatile: Bool {
        switch self {
        case .random, .uuid, .today, .now: true
        default: false
        }
    }

    /// True where chance says what the value is.
    package var isByChance: Bool { self == .random || self == .uuid }

    /// Arguments that must be paths to fields, because the function looks at the fields themselves.
    func wantsPath(at argument: Int) -> Bool {
        switch self {
        case .count, .countNonEmpty, .sum, .position, .area, .enclosedArea: true
        case .indexedRepeat: argument == 0 || argument % 2 == 1
        case .geofence, .choiceName: argument == 1
        default: false
        }
    }

    static func named(_ name: [UInt8]) -> Function? {
        allCases.first { name.isEqual(to: $0.signature.name) }
    }

    /// The function whose name differs least from `name`, if it differs little.
    static func nearest(to name: [UInt8]) -> Function? {
        guard name.count <= 40 else { return nil }
        var best: (function: Function, distance: Int)?
        for function in allCases {
            let distance = editDistance(name, [UInt8](function.signature.name))
            let limit = Swift.min(best?.distance ?? 100, Swift.max(2, name.count / 3 + 1))
            if distance < limit { best = (function, distance) }
        }
        return best?.function
    }

    /// Letters to insert, delete or replace; case does not count.
    private static func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (index, byte) in a.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in b.indices {
                let replaced = diagonal + (byte | 0x20 == b[column] | 0x20 ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }
}
