import Expressions
import ShareCore

/// A condition on the records of one form, in the language of forms (docs/expressions.md): true for
/// the records wanted. A record for which it has no value is not wanted.
///
/// A field is written by its name, alone or as `${name}`; so are `_id`, `_author`, `_created`,
/// `_updated`, `_state`, `_valid` and `_warnings`.
package struct RecordExpression: Sendable {
    let expression: Expression
    /// What it can read: the form's columns, then what every record has.
    package let subjects: [RecordQuery.Subject]
    /// The same as expressions of the form's table.
    let columns: [String]
    private let names: [[UInt8]]
    private let types: [StorageType]
    /// The places of `subjects` that it does read.
    package let read: [Int]
    private let now: Moment
    private let label: Label

    /// The label of a choice of a field, for `jr:choice-name()`; nil where there is none.
    package typealias Label = @Sendable (_ choice: String, _ field: String) -> String?

    /// Reads a condition on the records of a form.
    ///
    /// - Parameter now: milliseconds since 1970, for `today()` and `now()`.
    /// - Throws: `FilterError`.
    package init(
        _ text: String, of form: FormInfo, now: Int64, label: @escaping Label = { _, _ in nil }
    ) throws(FilterError) {
        self.label = label
        switch Expression.parse(Array(text.utf8)) {
        case .expression(let expression): self.expression = expression
        case .unsupported(let what):
            throw .unsupported(
                what: String(decoding: what.what, as: UTF8.self),
                hint: what.hint.map { String(decoding: $0, as: UTF8.self) })
        case .invalid(let error):
            throw .syntax(
                offset: error.offset, found: String(decoding: error.found, as: UTF8.self),
                expected: String(decoding: error.expected, as: UTF8.self),
                hint: error.hint.map { String(decoding: $0, as: UTF8.self) })
        }
        self.now = Moment(milliseconds: now)
        var subjects: [RecordQuery.Subject] = []
        var columns: [String] = []
        var names: [[UInt8]] = []
        var types: [StorageType] = []
        // Of fields with one name the one of the definition in force comes first.
        for column in form.columns where !names.contains(Array(column.field.name.utf8)) {
            subjects.append(.column(column.name))
            columns.append(column.sql)
            names.append(Array(column.field.name.utf8))
            types.append(column.field.type)
        }
        for column in form.columns where !names.contains(Array(column.name.utf8)) {
            subjects.append(.column(column.name))
            columns.append(column.sql)
            names.append(Array(column.name.utf8))
            types.append(column.field.type)
        }
        for (subject, name) in RecordQuery.Subject.own {
            subjects.append(subject)
            columns.append((try? RecordSQL.column(subject, form)) ?? name)
            names.append(Array(name.utf8))
            types.append(subject == .created || subject == .updated ? .dateTime : .text)
        }
        self.subjects = subjects
        self.columns = columns
        self.names = names
        self.types = types
        var read: Set<Int> = []
        for reference in expression.references {
            guard
                let target = reference.target(
                    from: [Array("data".utf8)],
                    pathOfField: { names.contains($0) ? [Array("data".utf8), $0] : nil }),
                target.instance == nil
            else {
                if case .field(let name) = reference.root {
                    throw .unknownField(name: String(decoding: name, as: UTF8.self))
                }
                throw .unknownPath
            }
            guard let name = target.names.last, target.names.count == 2 else {
                throw .unknownPath
            }
            guard let position = names.firstIndex(of: name) else {
                throw .unknownField(name: String(decoding: name, as: UTF8.self))
            }
            read.insert(position)
        }
        guard read.count <= RecordExpression.mostFields else {
            throw .tooManyFields(limit: RecordExpression.mostFields)
        }
        self.read = read.sorted()
    }

    /// Arguments that a function of SQLite takes, less the one that names the condition.
    private static let mostFields = 100

    /// The place in `subjects` of a path that is one field; nil for another path.
    func position(of path: Path) -> Int? {
        switch path.root {
        case .field(let name):
            return path.steps.isEmpty ? names.firstIndex(of: name) : nil
        case .context, .current:
            guard path.steps.count == 1, path.steps[0].predicates.isEmpty,
                case .child(let name) = path.steps[0].move
            else { return nil }
            return names.firstIndex(of: name)
        case .document, .instance: return nil
        }
    }

    func type(at position: Int) -> StorageType { types[position] }

    /// A record that values can be put in, one record after the other.
    func context() -> RowContext { RowContext(names: names, now: now, label: label) }

    /// A field beside a text that stands there as it is: `seen >= '2026-11-01'`.
    package struct TextComparison: Sendable {
        package let subject: RecordQuery.Subject
        /// The name of the field as the condition has it.
        package let name: String
        package let text: String
        /// Whether it asks for more or less, as against equal or not.
        package let isOrder: Bool
    }

    /// All comparisons of a field with a text, in the order in which they stand there.
    package var textComparisons: [TextComparison] {
        func field(_ id: Term.ID) -> Int? {
            guard case .path(let path) = expression.terms[id].kind else { return nil }
            return position(of: path)
        }
        func text(_ id: Term.ID) -> String? {
            guard case .string(let text) = expression.terms[id].kind else { return nil }
            return String(decoding: text, as: UTF8.self)
        }
        return expression.terms.compactMap { term in
            guard case .binary(let operation, let left, let right) = term.kind else { return nil }
            let isOrder: Bool
            switch operation {
            case .equal, .unequal: isOrder = false
            case .less, .lessOrEqual, .greater, .greaterOrEqual: isOrder = true
            case .add, .subtract, .multiply, .divide, .remainder: return nil
            }
            guard let position = field(left) ?? field(right), let text = text(right) ?? text(left)
            else { return nil }
            return TextComparison(
                subject: subjects[position], name: String(decoding: names[position], as: UTF8.self),
                text: text, isOrder: isOrder)
        }
    }

    /// Whether the record that is in `context` is wanted.
    func holds(in context: RowContext) -> Bool {
        var budget = Budget()
        let value = try? expression.value(at: RowContext.record, in: context, budget: &budget)
        return value?.isTrue ?? false
    }

    /// A stored value as expressions see it.
    func value(_ value: FieldValue, at position: Int, in context: RowContext) -> Value {
        switch value {
        case .absent: return .empty
        case .integer(let number):
            if types[position] == .dateTime { return .date(Moment(milliseconds: number)) }
            return .number(Double(number))
        case .decimal(let number): return .number(number)
        case .text(let text):
            let bytes = Array(text.utf8)
            switch types[position] {
            case .date, .dateTime:
                return Moment(parsing: bytes, in: context).map { .date($0) } ?? .string(bytes)
            case .text, .time, .integer, .decimal: return .string(bytes)
            }
        }
    }
}

extension RecordQuery.Subject {
    /// What every record has, beside its fields.
    package static let own: [(subject: RecordQuery.Subject, name: String)] = [
        (.id, "_id"), (.author, "_author"), (.created, "_created"), (.updated, "_updated"),
        (.state, "_state"), (.valid, "_valid"), (.warnings, "_warnings"),
        (.sent, "_sent"), (.reviewed, "_reviewed"),
    ]
}
