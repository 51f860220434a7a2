import ShareCore
import ShareStore

/// Rows of a repeat that are here and not in a file that names the rows of their entries: an import
/// deletes nothing, so they stay, and it says so.
struct MissingRows: Sendable {
    private(set) var count = 0
    /// The first of them: `row 2 of 1b2c3d4e`.
    private(set) var names: [String] = []

    private static let named = 10

    /// Takes a row that the file does not name.
    ///
    /// - Parameter parents: what the rows of the file belong to.
    mutating func take(_ row: RecordRow, of parents: Set<String>) {
        guard case .text(let text)? = row.values.first, parents.contains(text),
            let parent = ParentName(text.utf8)
        else { return }
        count += 1
        guard names.count < Self.named, case .integer(let place) = row.values[1] else { return }
        names.append("row \(place) of \(parent.id.text.suffix(8))")
    }
}
