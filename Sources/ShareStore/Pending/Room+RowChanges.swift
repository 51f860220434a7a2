import ShareCore
import ShareCrypto

/// Rows of repeats that are changed, added and taken away, and entries that are changed themselves.
struct RowChanges {
    /// Forms with repeats, of all others nothing is noted: an import may change very many entries.
    private let outer: Set<String>
    /// Entries with an operation of their own.
    fileprivate var changed: Set<RecordName> = []
    /// Rows, and what new rows lie in, of which it is not known yet what entry they are in.
    fileprivate var rows: Set<RecordName> = []
    /// Entries with such rows.
    fileprivate var entries: Set<RecordName> = []

    init(in catalog: FormCatalog) {
        outer = Set(catalog.forms.keys.compactMap(FormDefinition.parentForm(of:)))
    }

    /// Notes what a change is of; new entries say by their time that they are changed.
    ///
    /// - Parameter form: of new rows.
    mutating func note(_ change: LocalChange, form: String?) {
        switch change {
        case .put(let new):
            guard let form, FormDefinition.parentForm(of: form) != nil else { return }
            let width = new.fields.count
            for row in 0..<new.count {
                guard case .text(let offset, let length) = new.cells[row * width],
                    let outer = FormDefinition.parentForm(of: form),
                    let parent = ParentName(new.storage[Int(offset)..<Int(offset + length)])
                else { continue }
                rows.insert(RecordName(form: outer, creator: parent.creator, id: parent.id))
            }
        case .edit(let name, _, _), .delete(let name), .restore(let name):
            if FormDefinition.parentForm(of: name.form) != nil {
                rows.insert(name)
            } else if outer.contains(name.form) {
                changed.insert(name)
            }
        case .review, .comment: break
        }
    }
}

extension Room {
    /// Finds the entries of the rows that were noted last, and keeps these in their place: a long
    /// import has more rows than entries.
    func gather(_ changes: inout RowChanges) throws {
        for row in changes.rows {
            if let entry = try entry(around: row) { changes.entries.insert(entry) }
        }
        changes.rows = []
    }

    /// Writes an edit without fields for each entry of which rows alone were changed: an entry with
    /// its rows is one thing, and who changed it last, when, and whether since it was reviewed, is
    /// told of it and not of its rows (docs/protocol.md, "Repeats"). An entry that is made with its rows
    /// has none.
    ///
    /// - Parameter start: the first operation of what is entered now; nil where it comes in parts, and
    ///   all that is not sent yet is taken for it.
    mutating func noteEntries(
        of changes: RowChanges, since start: LocalName?, wall: UInt64
    ) throws {
        let entries = changes.entries.subtracting(changes.changed)
        guard !entries.isEmpty,
            let role = policy.judgement.authority.currentRole(of: identity.key)
        else { return }
        for entry in entries.sorted() {
            guard RecordPermission.allows(role, .edit, own: entry.creator == identity.key),
                let form = forms.catalog.forms[entry.form], form.inForce.isAccepted,
                case .integer(let version)? = try shown(entry, "_version", in: form),
                try !isNew(version, since: start)
            else { continue }
            _ = try appendOne(
                .edit(entry, definition: form.inForce.name, values: []), wall: wall)
        }
    }

    /// Whether the one operation of a record is new; of several there is another number.
    private func isNew(_ version: Int64, since start: LocalName?) throws -> Bool {
        guard version > 0 else { return false }
        if let start { return version >= start.rawValue }
        return try database.row(
            "SELECT 1 FROM _batch WHERE batch = ?1 AND state = 1",
            .integer(LocalName(rawValue: version).batch)) != nil
    }

    /// The entry that a row lies in, or an entry itself; nil where something between them is not
    /// known.
    private func entry(around row: RecordName) throws -> RecordName? {
        var name = row
        while FormDefinition.parentForm(of: name.form) != nil {
            guard let form = forms.catalog.forms[name.form] else { return nil }
            let parent: FieldValue?
            if case .text(let text)? = try shown(name, "_parent", in: form) {
                parent = .text(text)
            } else {
                // One that was deleted is no row of the table.
                let outcome = try RecordOutcome(
                    try records.allVersions(of: name, in: forms), in: records.versions)
                parent = outcome.values[FormDefinition.repeatFields[0]]?.value
            }
            guard let above = RecordName(parent: parent, ofRowsIn: name.form) else { return nil }
            name = above
        }
        return name
    }

    private func shown(
        _ name: RecordName, _ column: String, in form: FormTable
    ) throws -> SQLValue? {
        guard let creator = try devices.find(name.creator) else { return nil }
        return try database.row(
            "SELECT \(column) FROM \(form.quoted) WHERE _id = ?1 AND _author = ?2",
            .text(name.id.text), .integer(creator))?.first
    }
}
