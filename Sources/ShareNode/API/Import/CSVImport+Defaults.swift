import ShareCore
import ShareFormats

/// What new entries have of fields that the file does not have.
extension CSVImport {
    /// Says of each default in how many entries it is: `today()` is a wrong day for last week's paper.
    func defaults(in added: ImportPlan.Added) throws -> [ImportProblem] {
        let defaulted = check?.defaulted ?? defaultsOfRows
        guard !defaulted.isEmpty, !added.which.isEmpty else { return [] }
        var found = added.fields.indices.filter { defaulted.contains(added.fields[$0]) }
            .map { CommonValue(cell: $0) }
        for row in added.which {
            let cells = try added.rows.values(Int(row))
            for position in found.indices { found[position].take(cells) }
        }
        return found.compactMap { common in
            guard common.count > 0 else { return nil }
            let place = added.fields[common.cell]
            let shown = common.value.map {
                ", \(schema.parser.label($0, at: place).shortened(to: ImportCheck.shownBytes)),"
            }
            let entries =
                schema.form.isRepeat
                ? EntryWords.rows(common.count)
                : common.count == 1 ? "1 entry" : "\(common.count) entries"
            return ImportProblem(
                line: 0, column: nil,
                reason: "\(schema.form.stored[place].name) is not in the file: its default"
                    + "\(shown ?? "") is in \(entries)", hint: "")
        }
    }

    /// The fields of a repeat that people answer, that begin with a default, and that the file does not
    /// have.
    private var defaultsOfRows: [Int] {
        guard schema.form.isRepeat else { return [] }
        return schema.form.stored.indices.filter {
            schema.form.stored[$0].beginsWithDefault && !fields.contains($0)
        }
    }
}

/// The value that a cell has in all rows that have one.
private struct CommonValue {
    let cell: Int
    /// Rows that have any.
    var count = 0
    /// Nil where they have several.
    var value: FieldValue?

    init(cell: Int) { self.cell = cell }

    mutating func take(_ cells: [FieldValue]) {
        guard cells[cell] != .absent else { return }
        if count == 0 { value = cells[cell] } else if value != cells[cell] { value = nil }
        count += 1
    }
}
