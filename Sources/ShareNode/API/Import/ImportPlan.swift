import ShareCore
import ShareStore
import Synchronization

/// Hands the changes of an import to the store, step by step.
final class ImportPlan: Sendable {
    private struct State {
        var added = 0
        var edited = 0
    }

    private let rows: ImportRows
    private let added: [Int32]
    private let edits: [ImportMatcher.Edit]
    private let definition: OperationName
    private let fields: [Int]
    private let progress: @Sendable (Int, Int?) -> Void
    private let state = Mutex(State())

    init(
        rows: ImportRows, added: [Int32], edits: [ImportMatcher.Edit],
        definition: OperationName, fields: [Int],
        progress: @escaping @Sendable (Int, Int?) -> Void
    ) {
        self.rows = rows
        self.added = added
        self.edits = edits
        self.definition = definition
        self.fields = fields
        self.progress = progress
    }

    var isEmpty: Bool { added.isEmpty && edits.isEmpty }

    /// The next changes; nil after the last.
    ///
    /// - Throws: `CancellationError` where nobody waits any more.
    func next() throws -> [LocalChange]? {
        try Task.checkCancellation()
        let (changes, done) = state.withLock { state in
            let changes = step(&state)
            return (changes, state.added + state.edited)
        }
        progress(done, added.count + edits.count)
        return changes
    }

    private func step(_ state: inout State) -> [LocalChange]? {
        if let next = rows.laidOut(added[state.added...], definition: definition, fields: fields) {
            state.added += next.count
            return [.put(next.rows)]
        }
        let step = edits[state.edited...].prefix(ImportLimits.editsPerStep)
        guard !step.isEmpty else { return nil }
        state.edited += step.count
        return step.map { edit in
            let values = rows.values(edit.row)
            return .edit(
                edit.name, definition: definition,
                values: edit.changed.map { cell in
                    LocalChange.FieldChange(field: fields[cell], value: values[cell])
                })
        }
    }
}

/// The bounds of an import: it is held in memory until the whole file is known to be good.
enum ImportLimits {
    /// Bytes of a file.
    static let fileBytes = 200 << 20
    /// Changes handed to the store at once.
    static let editsPerStep = 1_024
}
