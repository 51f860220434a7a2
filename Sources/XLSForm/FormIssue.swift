internal import Spreadsheet

/// A finding about an XLSForm, with its place.
package struct FormIssue: Error, Hashable, Sendable {
    package enum Severity: Hashable, Sendable {
        /// No form can be made of it.
        case error
        /// The form is made; something of it is changed, or has no effect.
        case warning
    }

    package let severity: Severity
    package let sheet: String
    /// The number of the row, from 1.
    package let row: Int?
    /// The number of the column, from 1, and its header.
    package let column: Column?
    package let message: String
    /// The remedy.
    package let hint: String

    package struct Column: Hashable, Sendable {
        package let number: Int
        package let header: String
    }
}

extension FormIssue: CustomStringConvertible {
    /// Place and finding in one line, without the hint.
    package var description: String {
        var place = sheet
        switch (row, column) {
        case (let row?, let column?):
            place += " \(CellPosition(row: row, column: column.number)) (\(column.header))"
        case (let row?, nil): place += " row \(row)"
        case (nil, let column?):
            place += " column \(CellPosition.letters(ofColumn: column.number)) (\(column.header))"
        case (nil, nil): break
        }
        return "\(place): \(message)"
    }
}

/// The findings so far; beyond a bound they are only counted.
struct FormIssues {
    private static let limit = 100

    private(set) var all: [FormIssue] = []
    private(set) var hasErrors = false
    private var more = 0

    /// Adds a finding; the hint, which may take a search, is made only where it is kept.
    mutating func add(
        _ severity: FormIssue.Severity, _ place: SheetPosition, _ message: String,
        hint: @autoclosure () -> String
    ) {
        if severity == .error { hasErrors = true }
        guard all.count < FormIssues.limit else {
            more += 1
            return
        }
        all.append(
            FormIssue(
                severity: severity, sheet: place.sheet, row: place.row, column: place.column,
                message: message, hint: hint()))
    }

    /// All findings, errors first, with a last one that counts what was left out.
    var sorted: [FormIssue] {
        var sorted = all.filter { $0.severity == .error } + all.filter { $0.severity == .warning }
        if more > 0 {
            sorted.append(
                FormIssue(
                    severity: .warning, sheet: "", row: nil, column: nil,
                    message: "\(more) more findings", hint: "Mend these first."))
        }
        return sorted
    }
}

/// The place of a finding.
struct SheetPosition {
    var sheet: String
    var row: Int?
    var column: FormIssue.Column?
}
