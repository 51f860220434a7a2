import JSON
import ShareFormats

/// What may be wrong with rows of an import, until it is known what each of them does: packed, and
/// beyond a megabyte in a file, as every row of a long one may have some.
struct RowDoubts: Sendable {
    private var places: [Int32: Int32] = [:]
    private var packed: SourceRows
    private var count: Int32 = 0

    /// - Parameter path: where the room's file is.
    init(beside path: String) { packed = SourceRows(beside: path) }

    /// Keeps them for a row, in place of those that it had.
    ///
    /// - Throws: `SQLiteError` where the disk is full.
    mutating func set(_ doubts: [ImportedEntry.Doubt], of row: Int) throws {
        places[Int32(row)] = doubts.isEmpty ? nil : count
        guard !doubts.isEmpty else { return }
        let values = doubts.map { doubt in
            JSONValue.array([
                .integer(Int64(doubt.field)), .integer(Int64(doubt.problem.line)),
                doubt.problem.column.map { .string($0) } ?? .null,
                .string(doubt.problem.reason), .string(doubt.problem.hint),
                .bool(doubt.isUnreadable),
            ])
        }
        try packed.append(JSONValue.array(values).text)
        count += 1
    }

    /// Those of a row.
    func of(_ row: Int) throws -> [ImportedEntry.Doubt] {
        guard let place = places[Int32(row)] else { return [] }
        let values = try JSONValue(text: packed.row(Int(place))).array ?? []
        return values.compactMap { value in
            guard let parts = value.array, parts.count == 6,
                case .integer(let field) = parts[0], case .integer(let line) = parts[1],
                case .string(let reason) = parts[3], case .string(let hint) = parts[4]
            else { return nil }
            return ImportedEntry.Doubt(
                field: Int(field),
                problem: ImportProblem(
                    line: Int(line), column: parts[2].string, reason: reason, hint: hint),
                isUnreadable: parts[5] == .bool(true))
        }
    }
}
