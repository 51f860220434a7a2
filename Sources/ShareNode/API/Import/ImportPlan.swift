import ShareCore
import ShareStore
import Synchronization

/// Hands the changes of an import to the store, step by step.
final class ImportPlan: Sendable {
    private struct State {
        var added = 0
        var edited = 0
        /// Of `more`.
        var followed = 0
        var ids = RecordIDSource()
    }

    private let rows: ImportRows
    private let added: [Int32]
    private let editedRows: ImportRows
    private let more: [LocalChange]
    private let editedFields: [Int]
    /// Of those that are added under an id of their own.
    private let ids: [Int32: RecordID]
    private let wall: UInt64
    private let edits: [ImportMatcher.Edit]
    private let definition: OperationName
    private let fields: [Int]
    private let progress: @Sendable (Int, Int?) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - added: rows of new entries, with fields of their own; others change entries.
    ///   - more: what follows in entries that rows of the file belong to.
    ///   - wall: the moment of the whole import, by which the store has to enter it too.
    init(
        added: ImportPlan.Added, edits: [ImportMatcher.Edit], of rows: ImportRows, fields: [Int],
        more: [LocalChange] = [], wall: UInt64, definition: OperationName,
        progress: @escaping @Sendable (Int, Int?) -> Void
    ) {
        self.more = more
        editedRows = rows
        editedFields = fields
        let (rows, fields, ids) = (added.rows, added.fields, added.ids)
        let added = added.which
        self.rows = rows
        self.added = added
        self.ids = ids
        self.wall = wall
        self.edits = edits
        self.definition = definition
        self.fields = fields
        self.progress = progress
    }

    /// Rows that become new entries.
    struct Added {
        let rows: ImportRows
        /// The fields that their cells are.
        let fields: [Int]
        /// The rows that are meant.
        let which: [Int32]
        /// Of those that are added under an id of their own.
        let ids: [Int32: RecordID]
    }

    var isEmpty: Bool { added.isEmpty && edits.isEmpty }

    /// The next changes; nil after the last.
    ///
    /// - Throws: `CancellationError` where nobody waits any more.
    func next() throws -> [LocalChange]? {
        try Task.checkCancellation()
        let (changes, done) = try state.withLock { state in
            let changes = try step(&state)
            return (changes, state.added + state.edited)
        }
        progress(done, added.count + edits.count)
        return changes
    }

    /// The rows under their own ids, where any row of the import has one.
    private func withIDs(
        _ new: NewRows, of rows: ArraySlice<Int32>, _ state: inout State
    ) -> NewRows {
        guard !ids.isEmpty else { return new }
        return new.named(
            rows.prefix(new.count).map {
                ids[$0] ?? state.ids.next(wall: WallTime(milliseconds: wall))
            })
    }

    private func step(_ state: inout State) throws -> [LocalChange]? {
        let left = added[state.added...]
        if let next = try rows.laidOut(left, definition: definition, fields: fields) {
            state.added += next.count
            return [.put(withIDs(next.rows, of: left, &state))]
        }
        let step = edits[state.edited...].prefix(ImportLimits.editsPerStep)
        if step.isEmpty, state.followed < more.count {
            let last = more[state.followed...].prefix(ImportLimits.editsPerStep)
            state.followed += last.count
            return Array(last)
        }
        guard !step.isEmpty else { return nil }
        state.edited += step.count
        return try step.flatMap { edit in
            let own = LocalChange.edit(
                edit.name, definition: definition,
                values: edit.writes(try editedRows.values(edit.row), of: editedFields))
            return [own] + edit.rows
        }
    }
}

/// The bounds of an import: it is held until the whole file is known to be good.
enum ImportLimits {
    /// Bytes of a file.
    static let fileBytes = 200 << 20
    /// Bytes of rows that are put aside for being mended, as they stand in the answer: clients take
    /// lines of 16 MiB.
    static let rejectedBytes = 12 << 20
    /// Rows of a file whose changes are handed to the store at once.
    static let editsPerStep = 1_024
}
