import ShareCore
import ShareStore
import Synchronization

/// The rows of a repeat by their entries and their `_index`, as KoboToolbox names them where other
/// rows belong to them.
struct RowIndexes {
    private struct RowIndex: Hashable {
        let entry: RecordID
        let index: Int64
    }

    private var rows: [RowIndex: RecordID] = [:]

    /// - Parameter formID: of the repeat.
    init(of formID: String, in room: OpenRoom) async throws {
        let reader = try RoomReader(path: room.store.path)
        var forms = [formID]
        while let parent = FormDefinition.parentForm(of: forms[0]) { forms.insert(parent, at: 0) }
        // Which entry each row of the repeat around it lies in.
        var entries: [RecordID: RecordID] = [:]
        for form in forms.dropFirst() {
            guard let info = await room.store.form(form) else { return }
            let found = Mutex<[(row: RecordID, parent: RecordID, index: Int64)]>([])
            try await reader.list(info) { row in
                guard case .text(let text)? = row.values.first,
                    let parent = ParentName(text.utf8), case .integer(let index) = row.values[1]
                else { return true }
                found.withLock { $0.append((row.name.id, parent.id, index)) }
                return true
            }
            let isOutermost = form == forms.dropFirst().first
            var next: [RecordID: RecordID] = [:]
            for one in found.withLock({ $0 }) {
                guard let entry = isOutermost ? one.parent : entries[one.parent] else { continue }
                next[one.row] = entry
                if form == formID { rows[RowIndex(entry: entry, index: one.index)] = one.row }
            }
            entries = next
        }
    }

    /// The row at a place; nil where there is none.
    func row(_ index: Int64, in entry: RecordID?) -> RecordID? {
        entry.flatMap { rows[RowIndex(entry: $0, index: index)] }
    }
}
