import ShareCore
import ShareCrypto
import ShareStore

extension ImportMatcher {
    /// A row that names the record it changes.
    struct Named: Sendable {
        let row: Int
        let id: RecordID
        let author: DeviceKey?
        let line: Int
        /// Whether the row adds the record where there is none.
        var isNewWithout = false
        /// When it was changed last, as far as the file knows: milliseconds since 1970.
        var updated: ClosedRange<Int64>?
    }
}

/// Rows of an import that name their entries by ids, and the records that have these.
struct NamedRows: Sendable {
    typealias Row = ImportMatcher.Named
    typealias Edit = ImportMatcher.Edit

    /// An entry as a row names it.
    private struct Whose: Hashable, Sendable {
        let id: RecordID
        /// Nil where the row does not say.
        var author: DeviceKey?
    }

    /// What is known of a row when all records have been looked at.
    enum Outcome {
        /// Its record was deleted.
        case deleted
        /// There is no such record, and the row adds it.
        case new
        /// There is no such record.
        case unknown
        /// Several devices have one of the id.
        case several
        case edit(Edit)
    }

    let rows: [Row]
    /// Rows that name the entry of another one, with that.
    private(set) var repeated: [(row: Row, other: Row)] = []
    private(set) var isRepeated: [Bool]
    /// Positions in `rows`; under no author the first one of that id.
    private var positions: [Whose: Int] = [:]
    private var found: [(count: Int, edit: Edit)?]
    /// What the first row of an id would do to records of authors that no row names.
    private var strays: [Int: (count: Int, edit: Edit)] = [:]
    /// Ids of rows that a record has.
    private var taken: Set<RecordID> = []

    init(_ rows: [Row]) {
        self.rows = rows
        found = Array(repeating: nil, count: rows.count)
        isRepeated = Array(repeating: false, count: rows.count)
        for (position, row) in rows.enumerated() {
            let whose = Whose(id: row.id, author: row.author)
            let first = positions[Whose(id: row.id)]
            let isAnyones = row.author == nil || first.map { rows[$0].author == nil } == true
            guard let other = isAnyones ? first : positions[whose] else {
                positions[whose] = position
                if first == nil { positions[Whose(id: row.id)] = position }
                continue
            }
            isRepeated[position] = true
            repeated.append((row, rows[other]))
        }
    }

    /// Whether some name an entry of a record's id.
    func areOf(_ record: RecordRow) -> Bool { positions[Whose(id: record.name.id)] != nil }

    /// The ids that rows name and no record has.
    var unknown: Set<RecordID> {
        var ids: Set<RecordID> = []
        for (position, row) in rows.enumerated()
        where found[position] == nil && strays[position] == nil { ids.insert(row.id) }
        return ids
    }

    /// Takes a record into account, if a row names it.
    ///
    /// - Parameter edit: makes what a row does to it; whether the row may name just this record.
    /// - Returns: whether it is a named one.
    mutating func take(
        _ record: RecordRow, edit: (Row, _ isMeant: Bool) throws -> Edit
    ) rethrows -> Bool {
        guard let first = positions[Whose(id: record.name.id)] else { return false }
        taken.insert(record.name.id)
        let whose = Whose(id: record.name.id, author: record.name.creator)
        if let position = rows[first].author == nil ? first : positions[whose] {
            let edit = try edit(rows[position], true)
            found[position] = ((found[position]?.count ?? 0) + 1, edit)
            return true
        }
        guard rows[first].isNewWithout else { return false }
        // What is found already comes first, and one row has the faults of one edit.
        guard found[first] == nil else { return true }
        // A file of another room names its devices, and its entries have come in here.
        let edit = try edit(rows[first], false)
        strays[first] = ((strays[first]?.count ?? 0) + 1, edit)
        return true
    }

    /// - Parameter creators: whose deleted records have the id of the row.
    func outcome(of position: Int, deleted creators: [DeviceKey]) -> Outcome {
        let row = rows[position]
        switch found[position] ?? strays[position] {
        case nil:
            let isGone =
                row.isNewWithout || row.author == nil
                ? !creators.isEmpty : row.author.map(creators.contains) == true
            return isGone ? .deleted : row.isNewWithout ? .new : .unknown
        case (let count, let edit)?: return count > 1 ? .several : .edit(edit)
        }
    }

    /// Takes an id for a new record; false where another one has it.
    mutating func takes(_ id: RecordID) -> Bool { taken.insert(id).inserted }
}
