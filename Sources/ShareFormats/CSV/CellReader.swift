internal import ShareCore

/// Reads the cells of a form's fields as their file writes them, and guesses from those that cannot be
/// read so how it does.
struct CellReader: Sendable {
    private(set) var parser: ValueParser
    let habits: CSVHabits
    private(set) var guess = HabitGuess()
    /// Cells whose problem came with a hint that was looked for.
    private var hints = 0

    init(_ parser: ValueParser, _ habits: CSVHabits) {
        self.parser = parser
        self.habits = habits
    }

    /// A cell without spaces at its ends, and without the guard that spreadsheets need.
    static func text(of row: CSVRow, _ cell: Int, isGuarded: Bool) -> String {
        let text = row[cell]
        guard isGuarded else { return ValueReader.trimmed(text) }
        var guarded = text
        return guarded.withUTF8 {
            ValueReader.trimmed(String(decoding: FormulaGuard.taken(from: $0), as: UTF8.self))
        }
    }

    // It takes no reader: a closure that did would copy all of it for each cell.
    static func value(
        _ cell: UnsafeBufferPointer<UInt8>, at position: Int, _ parser: ValueParser,
        _ habits: CSVHabits
    ) throws(ValueError) -> FieldValue {
        guard habits.areUnusual,
            let written = habits.rewritten(cell, as: parser.form.stored[position].storage)
        else { return try parser.value(utf8: cell, at: position) }
        return try parser.value(String(decoding: written, as: UTF8.self), at: position)
    }

    /// Notes that a cell was read as this value.
    mutating func note(_ value: FieldValue, of row: CSVRow, _ cell: Int) {
        if !habits.hasDecimalComma, !guess.hasDecimalPoint, case .decimal = value,
            row.withCell(cell, { $0.contains(Self.point) })
        {
            guess.takeDecimalPoint()
        }
    }

    private static let point = UInt8(ascii: ".")

    /// What is wrong with a cell; where it is no value of its field at all, as it was typed, its row
    /// can never be the same as an entry, and it is looked at for the guess.
    mutating func doubt(
        _ error: ValueError, _ typed: String, at position: Int, _ line: Int, _ title: String
    ) -> ImportedEntry.Doubt {
        if error.code == "unknown_choice" {
            hints += 1
            if hints == CSVLimits.hints { parser = parser.withoutHints() }
        }
        switch error {
        case .retired, .severalChoices:
            return ImportedEntry.Doubt(field: position, problem: problem(error, line, title))
        case .notAChoice(_, _, let hint):
            let error = ValueError.notAChoice(
                field: parser.form.stored[position].name, got: typed, hint: hint)
            return ImportedEntry.Doubt(field: position, problem: problem(error, line, title))
        default:
            look(at: typed, at: position, line, title)
            let hint = habits.hint(typed, as: parser.form.stored[position].storage)
            return ImportedEntry.Doubt(
                field: position, problem: problem(error.withGot(typed), line, title, hint: hint),
                isUnreadable: true)
        }
    }

    /// Looks in which ways a cell could be read.
    private mutating func look(
        at typed: String, at position: Int, _ line: Int, _ title: String
    ) {
        func read(_ change: (inout CSVHabits) -> Void) -> String? {
            var (habits, typed) = (habits, typed)
            change(&habits)
            let value = typed.withUTF8 { bytes in
                try? Self.value(bytes, at: position, parser, habits)
            }
            return value.map { parser.text($0, at: position) }
        }
        switch parser.form.stored[position].storage {
        case .date where habits.dates == nil, .dateTime where habits.dates == nil:
            guess.take(
                day: typed, as: HabitGuess.orders.map { order in read { $0.dates = order } }, line,
                title)
        case .integer where !habits.hasDecimalComma, .decimal where !habits.hasDecimalComma:
            guess.take(number: typed, withComma: read { $0.hasDecimalComma = true } != nil)
        default: return
        }
    }

    func problem(
        _ error: ValueError, _ line: Int, _ column: String?, hint: String? = nil
    ) -> ImportProblem {
        ImportProblem(
            line: line, column: column, reason: error.description, hint: hint ?? error.hint)
    }
}
