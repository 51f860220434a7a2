import ShareCore

/// Follows the conflicts of the records that a transaction touches, to tell at its end which have
/// arisen: what is taken out and put back on the way counts for nothing.
struct ConflictTrace {
    /// A record by its numbers in the file, which outlive its row in the side tables.
    struct RecordKey: Hashable {
        let form: Int64
        let creator: Int64
        let id: RecordID
    }

    /// The versions that stand against each other, by field.
    typealias Sides = [RecordField: Set<LocalName>]

    private var before: [RecordKey: Sides] = [:]
    private var after: [RecordKey: Sides] = [:]

    /// Notes what a record has come to; `old` is what it was until now.
    mutating func note(_ position: RecordKey, old: Sides, new: Sides) {
        // Records without conflicts leave no trace: there may be millions of them.
        guard before[position] != nil || !old.isEmpty || !new.isEmpty else { return }
        if before[position] == nil { before[position] = old }
        after[position] = new
    }

    /// Records and fields where versions stand against each other that did not before.
    var arisen: [(place: RecordKey, fields: [RecordField])] {
        after.compactMap { position, sides in
            let fields = sides.filter { field, versions in
                !versions.isSubset(of: before[position]?[field] ?? [])
            }
            return fields.isEmpty ? nil : (position, fields.keys.sorted { $0 < $1 })
        }
    }
}
