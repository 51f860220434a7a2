import ShareCore
import ShareFormats
import ShareStore

/// What people call the entries that rows of a repeat are in, for who shows these rows one by one.
struct RowEntryNames: Sendable {
    /// The repeat that the rows are of, and the form of their entries.
    private let rows: String
    private let entry: FormSchema
    /// Of the row before: neighbours are mostly in the same entry.
    private var last: (parent: String, name: String?)?

    /// - Parameters:
    ///   - rows: the id of the repeat's form.
    ///   - entry: its outermost form.
    init(_ rows: String, in entry: FormSchema) {
        self.rows = rows
        self.entry = entry
    }

    /// The name of the entry that a row is in, whose `_parent` that is; nil where it has none, or is
    /// not here.
    mutating func name(of parent: FieldValue?) -> String? {
        guard case .text(let text)? = parent else { return nil }
        if let last, last.parent.utf8.elementsEqual(text.utf8) { return last.name }
        let name = find(.text(text))
        last = (text, name)
        return name
    }

    /// The same by the id of what was deleted: the entry, or the row.
    func name(ofDeleted id: String) -> String? {
        let lists = entry.info.lists
        if let entries = lists.entries(of: entry.info.formID),
            let found = lists.deleted(id, of: entries)
        {
            return name(of: found, entries)
        }
        return lists.entries(of: rows).flatMap { entries in
            lists.deleted(id, of: entries).flatMap { find(entries.value(of: "_parent", in: $0)) }
        }
    }

    private func find(_ parent: FieldValue) -> String? {
        let lists = entry.info.lists
        var parent = parent
        var form = rows
        while let outer = RecordName(parent: parent, ofRowsIn: form),
            let entries = lists.entries(of: outer.form),
            let row = lists.rows(of: entries, where: "name", equals: outer.id.text, limit: 1)?
                .rows.first.flatMap({ lists.entry($0, of: entries) })
                ?? lists.deleted(outer.id.text, of: entries)
        {
            guard FormDefinition.parentForm(of: outer.form) != nil else {
                return name(of: row, entries)
            }
            (parent, form) = (entries.value(of: "_parent", in: row), outer.form)
        }
        return nil
    }

    private func name(of found: RoomEntry, _ entries: RoomEntries) -> String? {
        entry.name(of: entry.info.columns.map { entries.value(of: $0.field.name, in: found) })
    }
}
