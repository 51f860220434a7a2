import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// The rows of an entry, which go and come back with it.
extension RecordsEditor {
    /// Brings back the rows that were deleted with an entry: those that this device's role lets it.
    static func restorations(
        ofRowsOf detail: RecordDetail, _ schema: FormSchema, _ store: isolated RoomStore,
        by own: DeviceKey
    ) throws -> [LocalChange] {
        guard !schema.repeats.isEmpty else { return [] }
        let role = role(store, own)
        return try store.deletedRows(of: detail.name, in: schema.info).filter {
            role >= .editor || $0.creator == own
        }.map { .restore($0) }
    }

    /// Whether a record that is deleted has rows that are not.
    static func leavesRows(
        _ detail: RecordDetail, in store: isolated RoomStore
    ) throws -> Bool {
        try store.repeats(of: detail.name, in: detail.form).contains { !$0.isEmpty }
    }

    /// Deletes the rows of an entry that goes, as far as this device's role lets it.
    static func deletions(
        ofRowsOf detail: RecordDetail, _ schema: FormSchema, _ store: isolated RoomStore,
        by own: DeviceKey
    ) throws -> [LocalChange] {
        guard !schema.repeats.isEmpty else { return [] }
        return RepeatChanges.deletions(
            of: try store.repeats(of: detail.name, in: schema.info), by: own,
            as: role(store, own))
    }

    /// Looks into rows that a request names and that are not there: somebody may have deleted them
    /// meanwhile, and one that was to go is gone.
    ///
    /// - Parameter seen: what the request says that it has seen.
    /// - Throws: `SeenAnswers.Conflict` where it says so of such a row, and changes it; else
    ///   `Problem` of `not_found_record`.
    static func requireRows(
        _ missing: [EntryValues.Missing], of entry: RecordName, _ schema: FormSchema,
        seen: SeenAnswers?, in store: isolated RoomStore
    ) throws {
        guard !missing.isEmpty else { return }
        let rows = try store.allRows(of: entry, in: schema.info, limit: FormLimits.rows)
        let known = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
        let missed = try missing.filter { !$0.isGoing || known[$0.id] == nil }.map { one in
            guard let row = known[one.id] else { throw EntryValues.Row.missing(one.path) }
            guard let path = seen?.path(of: one.id) else {
                throw Problem(
                    .notFoundRecord, "\(one.path): the row is deleted",
                    hint: "Leave its _id out for a new row; who deleted it: `shared history"
                        + " \(one.id.text.suffix(8))`.")
            }
            return SeenAnswers.Missed(path: path, record: row, isGone: true)
        }
        guard missed.isEmpty else {
            throw try SeenAnswers.Conflict(missed, of: entry.id, in: store)
        }
    }

    static func role(_ store: isolated RoomStore, _ own: DeviceKey) -> Role {
        store.authority().currentRole(of: own) ?? .viewer
    }
}
