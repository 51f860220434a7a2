import Expressions
package import ShareCore

/// Functions of SQL that a reading connection has for conditions that SQL cannot express.
final class RowFunctions {
    /// A text without case and marks on letters.
    static let fold = "_fold"
    /// The number that a text spells in the language of forms; NULL where it is none, or not finite.
    static let number = "_number"
    /// The median of a group's numbers; an integer where there are more than its second argument.
    static let median = "_median"
    /// Whether a record is wanted: the condition's number, then the columns that it reads.
    static let holds = "_holds"

    private struct Asked {
        let expression: RecordExpression
        let context: RowContext
    }

    /// Conditions of the statements that were made last.
    private var asked: [Asked] = []
    private var first = 0

    /// Conditions that are remembered: those of one statement are fewer.
    private static let most = 256

    func define(in database: Database) throws(SQLiteError) {
        try database.define(RowFunctions.fold) { arguments in
            guard case .text(let text) = arguments.value(0) else { return .null }
            return .text(FoldedText.fold(text))
        }
        try database.defineMedian(RowFunctions.median)
        try database.define(RowFunctions.number) { arguments in
            arguments.withText(0) { text in
                FieldValue.number(spelledBy: Array(text)).map { .real($0) } ?? .null
            }
        }
        // A condition may draw lots, and reads no column then.
        try database.define(RowFunctions.holds, isByChance: true) { [weak self] arguments in
            self?.holds(arguments) == true ? 1 : 0
        }
    }

    /// The number of a condition, for a statement that is run soon.
    func add(_ expression: RecordExpression) -> Int {
        asked.append(Asked(expression: expression, context: expression.context()))
        if asked.count > RowFunctions.most {
            asked.removeFirst()
            first += 1
        }
        return first + asked.count - 1
    }

    private func holds(_ arguments: SQLArguments) -> Bool {
        guard case .integer(let number) = arguments.value(0),
            asked.indices.contains(Int(number) - first)
        else { return false }
        let asked = asked[Int(number) - first]
        for (position, subject) in asked.expression.read.enumerated() {
            asked.context.values[subject] = asked.expression.value(
                FieldValue(arguments.value(position + 1)), at: subject, in: asked.context)
        }
        return asked.expression.holds(in: asked.context)
    }
}

extension RecordQuery.Condition {
    /// The same for a record that stands in no table.
    func holds(for row: RecordRow, of form: FormInfo) throws -> Bool {
        switch self {
        case .compare(let subject, let comparison, let wanted):
            let value = try row.value(of: subject, form)
            switch comparison {
            case .equal: return value == wanted
            case .unequal: return value != wanted
            case .less: return value.isLess(than: wanted) == true
            case .lessOrEqual: return wanted.isLess(than: value) == false
            case .greater: return wanted.isLess(than: value) == true
            case .greaterOrEqual: return value.isLess(than: wanted) == false
            }
        case .anyOf(let subject, let texts):
            guard case .text(let text) = try row.value(of: subject, form) else { return false }
            return texts.contains(text)
        case .chosen(let subject, let choice):
            guard case .text(let text) = try row.value(of: subject, form) else { return false }
            return text.split(separator: " ").contains { $0 == choice }
        case .contains(let subject, let part):
            guard case .text(let text) = try row.value(of: subject, form) else { return false }
            return FoldedText.fold(text).contains(FoldedText.fold(part))
        case .expression(let expression):
            let context = expression.context()
            for position in expression.read {
                context.values[position] = expression.value(
                    try row.value(of: expression.subjects[position], form), at: position,
                    in: context)
            }
            return expression.holds(in: context)
        case .either(let conditions):
            return try conditions.contains { try $0.holds(for: row, of: form) }
        case .belongs:
            // What it belongs to may stand in no table either: such rows come with all of a form.
            return false
        }
    }
}

extension FieldValue {
    /// By number or by the bytes of a text; nil where the two cannot be compared.
    fileprivate func isLess(than other: FieldValue) -> Bool? {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): a < b
        case (.integer(let a), .decimal(let b)): Double(a) < b
        case (.decimal(let a), .integer(let b)): a < Double(b)
        case (.decimal(let a), .decimal(let b)): a < b
        case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        default: nil
        }
    }
}

extension FieldValue {
    /// The number that a text spells in the language of forms, or as a calculation writes what is very
    /// large or small, `1.0E-4`; nil where it is none.
    package static func number(spelledBy text: String) -> Double? {
        number(spelledBy: Array(text.utf8))
    }

    static func number(spelledBy text: [UInt8]) -> Double? {
        let number = Value.number(parsing: text)
        guard number.isNaN else { return number.isFinite ? number : nil }
        // Seventeen digits, a point, and an exponent of three, with their signs.
        guard text.count <= 24, let mark = text.firstIndex(of: UInt8(ascii: "E")),
            !Value.number(parsing: Array(text[..<mark])).isNaN
        else { return nil }
        let exponent = text[(mark + 1)...].drop { $0 == UInt8(ascii: "-") }
        guard text.count - mark - 1 - exponent.count <= 1, !exponent.isEmpty,
            exponent.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Double(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }
}

extension RecordRow {
    /// - Throws: `StoreError.unknownField`.
    func value(of subject: RecordQuery.Subject, _ form: FormInfo) throws -> FieldValue {
        switch subject {
        case .id: return .text(name.id.text)
        case .author: return .text(name.creator.text)
        case .created: return .integer(created)
        case .updated: return .integer(updated)
        case .state: return state.map { .text($0) } ?? .absent
        // Nobody has looked at what is withheld.
        case .valid: return flag?.problems == nil ? .absent : .text("no")
        case .warnings: return flag?.warnings.map { .text($0) } ?? .absent
        case .sent: return .text("no")
        case .reviewed: return .text(state == nil ? "no" : "yes")
        case .column(let name):
            guard let index = form.columns.firstIndex(where: { $0.name == name }) else {
                throw StoreError.unknownField(name)
            }
            return values[index]
        case .number(let name):
            guard case .text(let text) = try value(of: .column(name), form) else { return .absent }
            return FieldValue.number(spelledBy: text).map { .decimal($0) } ?? .absent
        case .clock(let name):
            let value = try value(of: .column(name), form)
            guard case .text(let text) = value, text.hasSuffix("Z") else { return value }
            return .text(String(text.dropLast()))
        }
    }
}
