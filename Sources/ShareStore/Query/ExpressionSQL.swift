import Expressions
import ShareCore

/// The part of an expression that SQL computes to the same value as the evaluator does, for every
/// record; the rest is left to the evaluator.
///
/// What SQL has no value for (`NULL`) is not a number here. A boolean is 0 or 1, a text never NULL.
struct ExpressionSQL {
    private let condition: RecordExpression
    private let context: RowContext
    private var values: SQLParameters

    /// A term in SQL.
    private enum Compiled {
        case constant(Value)
        /// NULL for what is not a number.
        case number(String)
        /// A column with numbers; NULL for the empty text.
        case numbers(String)
        case text(String)
        case boolean(String)
        /// A column with days as texts; NULL for the empty text.
        case days(String)
    }

    /// Longer expressions would be too deep for SQLite.
    private static let mostTerms = 300

    /// Adds a condition to a statement.
    ///
    /// - Returns: what SQL can say of it, and whether that is all: where it is not, the condition
    ///   itself is asked as well.
    static func compile(
        _ condition: RecordExpression, _ values: inout SQLParameters
    ) -> (sql: [String], isAll: Bool) {
        let terms = condition.expression.terms
        guard terms.count <= mostTerms else { return ([], false) }
        var compiler = ExpressionSQL(
            condition: condition, context: condition.context(), values: values)
        var parts = [condition.expression.root]
        if case .logical(.and, let operands) = terms[condition.expression.root].kind {
            parts = operands
        }
        var sql: [String] = []
        for part in parts {
            let before = compiler.values
            if let compiled = compiler.compile(part), let truth = compiler.truth(compiled) {
                sql.append(truth)
            } else {
                compiler.values = before
            }
        }
        values = compiler.values
        return (sql, sql.count == parts.count)
    }

    private mutating func compile(_ id: Term.ID) -> Compiled? {
        if let value = condition.expression.constant(id, in: context) { return .constant(value) }
        switch condition.expression.terms[id].kind {
        case .number, .string, .match: return nil
        case .path(let path): return condition.position(of: path).flatMap { column($0) }
        case .negation(let operand):
            return compile(operand).flatMap { number($0) }.map { .number("(-\($0))") }
        case .binary(let operation, let left, let right):
            // SQLite bounds how deep an expression is.
            guard condition.expression.terms.chain(at: left).rest.count < ExpressionLimit.depth
            else { return nil }
            guard let left = compile(left), let right = compile(right) else { return nil }
            return binary(operation, left, right)
        case .logical(let operation, let operands):
            var parts: [String] = []
            for operand in operands {
                guard let compiled = compile(operand), let truth = truth(compiled) else {
                    return nil
                }
                parts.append(truth)
            }
            let word = operation == .and ? " AND " : " OR "
            return .boolean("(" + parts.joined(separator: word) + ")")
        case .call(let function, let arguments): return call(function, arguments)
        }
    }

    private func column(_ position: Int) -> Compiled? {
        let column = condition.columns[position]
        switch condition.type(at: position) {
        case .integer: return .numbers("CAST(\(column) AS REAL)")
        case .decimal: return .numbers(column)
        case .date: return .days(column)
        case .text, .time: return .text("coalesce(\(column), '')")
        // The instant follows from the zone of this device.
        case .dateTime: return nil
        }
    }

    private mutating func call(_ function: Function, _ arguments: [Term.ID]) -> Compiled? {
        switch function {
        case .boolean:
            return compile(arguments[0]).flatMap { truth($0) }.map { .boolean($0) }
        case .not:
            return compile(arguments[0]).flatMap { truth($0) }.map { .boolean("(NOT \($0))") }
        case .selected, .isSelected:
            guard case .text(let text)? = compile(arguments[0]),
                case .constant(.string(let choice))? = compile(arguments[1])
            else { return nil }
            let position = values.add(.text(" \(RecordQuery.choice(choice)) "))
            return .boolean("(instr(' ' || \(text) || ' ', \(position)) > 0)")
        case .contains, .startsWith:
            guard case .text(let text)? = compile(arguments[0]),
                case .constant(.string(let part))? = compile(arguments[1])
            else { return nil }
            if part.isEmpty { return .boolean("1") }
            let wanted = String(decoding: part, as: UTF8.self)
            let position = values.add(.text(wanted))
            if function == .contains { return .boolean("(instr(\(text), \(position)) > 0)") }
            return .boolean(
                "(substr(\(text), 1, \(wanted.unicodeScalars.count)) = \(position))")
        default: return nil
        }
    }

    // MARK: Operators

    private mutating func binary(
        _ operation: BinaryOperator, _ left: Compiled, _ right: Compiled
    ) -> Compiled? {
        switch operation {
        case .equal: return equality(left, right).map { .boolean($0) }
        case .unequal: return equality(left, right).map { .boolean("(NOT \($0))") }
        case .less: return order("<", left, right)
        case .lessOrEqual: return order("<=", left, right)
        case .greater: return order(">", left, right)
        case .greaterOrEqual: return order(">=", left, right)
        case .add: return arithmetic("+", left, right)
        case .subtract: return arithmetic("-", left, right)
        case .multiply: return arithmetic("*", left, right)
        case .divide:
            // By 0 SQL has no value where it is infinite.
            guard case .constant(let value) = right,
                value.number(in: context).magnitude > 0
            else { return nil }
            return arithmetic("/", left, right)
        case .remainder: return nil
        }
    }

    private mutating func arithmetic(
        _ sign: String, _ left: Compiled, _ right: Compiled
    ) -> Compiled? {
        guard let left = number(left), let right = number(right) else { return nil }
        return .number("(\(left) \(sign) \(right))")
    }

    private mutating func order(
        _ sign: String, _ left: Compiled, _ right: Compiled
    ) -> Compiled? {
        // Days in the order of their texts: SQLite need not read them as days, and an index helps.
        if case .days(let column) = left, case .constant(let value) = right,
            let day = CalendarText.day(value.number(in: context))
        {
            return .boolean("coalesce(\(column) \(sign) \(values.add(.text(day))), 0)")
        }
        guard let left = number(left), let right = number(right) else { return nil }
        return .boolean("coalesce(\(left) \(sign) \(right), 0)")
    }

    private mutating func equality(_ left: Compiled, _ right: Compiled) -> String? {
        switch (left, right) {
        case (.boolean, _), (_, .boolean), (.constant(.boolean), _), (_, .constant(.boolean)):
            guard let left = truth(left), let right = truth(right) else { return nil }
            return "(\(left) = \(right))"
        case (.numbers(let a), .numbers(let b)):
            return "(\(a) IS NULL AND \(b) IS NULL OR \(near(a, b)))"
        case (.numbers(let a), .days(let b)), (.days(let b), .numbers(let a)):
            return "(\(a) IS NULL AND \(b) IS NULL OR \(near(a, day(b))))"
        case (.numbers(let column), .constant(.string([]))),
            (.constant(.string([])), .numbers(let column)):
            return "(\(column) IS NULL)"
        case (.number, _), (_, .number), (.numbers, _), (_, .numbers), (.constant(.number), _),
            (_, .constant(.number)):
            guard let left = number(left), let right = number(right) else { return nil }
            return near(left, right)
        default:
            guard let left = text(left), let right = text(right) else { return nil }
            return "(\(left) = \(right))"
        }
    }

    private func near(_ a: String, _ b: String) -> String {
        "coalesce(abs(\(a) - \(b)) < 1e-12, 0)"
    }

    // MARK: Conversions

    private mutating func number(_ term: Compiled) -> String? {
        switch term {
        case .constant(let value):
            let number = value.number(in: context)
            return number.isNaN ? "NULL" : values.add(.real(number))
        case .number(let sql), .numbers(let sql): return sql
        case .boolean(let sql): return "CAST(\(sql) AS REAL)"
        case .days(let column): return day(column)
        case .text: return nil
        }
    }

    private func day(_ column: String) -> String { "(julianday(\(column)) - 2440587.5)" }

    private mutating func text(_ term: Compiled) -> String? {
        switch term {
        case .constant(let value):
            return values.add(.text(String(decoding: value.text(in: context), as: UTF8.self)))
        case .text(let sql): return sql
        case .days(let column): return "coalesce(\(column), '')"
        case .number, .numbers, .boolean: return nil
        }
    }

    private func truth(_ term: Compiled) -> String? {
        switch term {
        case .constant(let value): value.isTrue ? "1" : "0"
        case .number(let sql), .numbers(let sql): "coalesce(abs(\(sql)) > 1e-12, 0)"
        case .text(let sql): "(\(sql) <> '')"
        case .boolean(let sql): sql
        case .days(let column): "(\(column) IS NOT NULL)"
        }
    }
}

extension CalendarText {
    /// The text of a day, counted from 1970-01-01; nil where it is no whole day of the years 0 to
    /// 9999.
    static func day(_ number: Double) -> String? {
        guard number == number.rounded(), (-719_528...2_932_896).contains(number) else {
            return nil
        }
        let text = String(
            decoding: Value.date(Moment(milliseconds: Int64(number) * 86_400_000)).text(in: UTC()),
            as: UTF8.self)
        // Years before 1000 have four digits where they are stored.
        return String(repeating: "0", count: max(10 - text.utf8.count, 0)) + text
    }
}
