import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// What rows of a file do to records: which cells say another thing, what the form makes of that, and
/// what is wrong with it.
struct RowEdits: Sendable {
    typealias Edit = ImportMatcher.Edit

    let rows: ImportRows
    /// The columns of the table that the file's fields are.
    let fields: [Int]
    /// Reads the form's fields.
    let parser: ValueParser
    /// The cells that a row leaves out, by row and then by cell.
    let unsaid: BitSet
    /// The cells that an entry may have under another name.
    let texts: CellTexts
    let check: ImportCheck?
    /// Where each row begins in the file; empty where nobody wants to know.
    let lines: [Int32]
    /// What is wrong with an edit, and what is unusual about it, by its row.
    private(set) var faults: RowDoubts
    private(set) var warnings: RowDoubts
    /// What was wrong with the record before, and stays so.
    private(set) var before: RowDoubts
    /// Rows that change nothing, as the form works out what they say; there are warnings of them.
    private(set) var overruled: [Int] = []

    /// - Parameter path: where the room's file is.
    init(
        _ rows: ImportRows, fields: [Int], parser: ValueParser, check: ImportCheck?,
        lines: [Int32], unsaid: BitSet, texts: CellTexts?, beside path: String
    ) {
        self.rows = rows
        self.fields = fields
        self.parser = parser
        self.check = check
        self.lines = lines
        self.unsaid = unsaid
        self.texts = texts ?? CellTexts(beside: path)
        faults = RowDoubts(beside: path)
        warnings = RowDoubts(beside: path)
        before = RowDoubts(beside: path)
    }

    /// Where a row begins in the file; 0 where nobody wants to know.
    func line(of row: Int) -> Int { lines.indices.contains(row) ? Int(lines[row]) : 0 }

    /// What the cells of a row say where just these names are meant, by the form's fields.
    func named(of row: Int) throws -> [Int: FieldValue] {
        try texts.of(row).reduce(into: [:]) { $0[$1.key] = parser.named($1.value, at: $1.key) }
    }

    /// - Parameters:
    ///   - updated: when the record was changed last, as far as the file knows.
    ///   - left: cells that are to be left alone.
    mutating func edit(
        _ row: Int, _ record: RecordRow, _ updated: ClosedRange<Int64>? = nil,
        leaving left: [Int] = []
    ) throws -> Edit {
        let values = try rows.values(row)
        let texts = try texts.of(row)
        var meant: [Int: FieldValue] = [:]
        for cell in fields.indices {
            guard let text = texts[fields[cell]],
                let value = try? parser.value(
                    text, at: fields[cell], keeping: record.values[fields[cell]])
            else { continue }
            meant[cell] = value
        }
        let settled = try settled(row, record, values, meant)
        for (cell, field) in fields.enumerated() {
            if let value = settled[field] { meant[cell] = value }
        }
        let differing = fields.indices.filter { cell in
            let stored = record.values[fields[cell]]
            let value = meant[cell] ?? values[cell]
            return value != stored && !unsaid.contains(row * fields.count + cell)
                && !parser.fields[fields[cell]].kind.isSamePlace(value, stored)
        }
        var edit = Edit(
            row: row, name: record.name,
            changed: left.isEmpty ? differing : differing.filter { !left.contains($0) })
        edit.differing = differing
        edit.left = left
        edit.meant = meant
        edit.kept = Set(
            differing.filter {
                parser.keeps(
                    record.values[fields[$0]], meant[$0] ?? values[$0], at: fields[$0])
            }.map { fields[$0] })
        edit.settled = Set(settled.keys)
        edit.isWithheld = record.isWithheld
        edit.isOlder = updated.map { !$0.contains(record.updated) } ?? false
        edit.isKnown = updated != nil
        guard let check, !edit.changed.isEmpty, !edit.isOlder else { return edit }
        var given: [Int: FieldValue] = [:]
        for cell in edit.changed { given[fields[cell]] = meant[cell] ?? values[cell] }
        let found = check.changed(record, by: given, line: line(of: row))
        func kept(_ problems: [ImportProblem]) -> [ImportedEntry.Doubt] {
            problems.map { ImportedEntry.Doubt(field: 0, problem: $0) }
        }
        try faults.set(kept(found.problems), of: row)
        try warnings.set(kept(found.warnings), of: row)
        try before.set(
            kept(
                found.before.map {
                    ImportProblem(line: 0, column: nil, reason: $0.line, hint: "")
                }), of: row)
        // A cell of what the form works out changes nothing, whatever it says.
        func stays(_ field: Int) -> Bool { found.writes[field] == record.values[field] }
        edit.changed.removeAll { stays(fields[$0]) }
        if edit.changed.isEmpty, !found.warnings.isEmpty { overruled.append(row) }
        edit.computed = found.writes.filter { given[$0.key] != $0.value && !stays($0.key) }
        edit.rows = found.rows
        return edit
    }

    /// The choices that are meant where several are called as a cell says, by their fields.
    private func settled(
        _ row: Int, _ record: RecordRow, _ values: [FieldValue], _ meant: [Int: FieldValue]
    ) throws -> [Int: FieldValue] {
        let open = Set(try texts.of(row).keys).subtracting(meant.keys.map { fields[$0] })
        guard let check, !open.isEmpty else { return [:] }
        let given = fields.indices.filter { !unsaid.contains(row * fields.count + $0) }
            .map { (fields[$0], meant[$0] ?? values[$0]) }
        return check.meant(
            Dictionary(given, uniquingKeysWith: { first, _ in first }), open.sorted(), in: record)
    }
}
