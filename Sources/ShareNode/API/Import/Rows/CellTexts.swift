import JSON

/// What cells say that an entry may have under another name, as its form, or a list, offers other
/// choices by now: packed, and beyond a megabyte in a file, as every row of a long one may have some.
struct CellTexts: Sendable {
    /// Rows that have some, ascending.
    private var rows: [Int32] = []
    private var packed: SourceRows

    /// - Parameter path: where the room's file is.
    init(beside path: String) { packed = SourceRows(beside: path) }

    var isEmpty: Bool { rows.isEmpty }

    /// Keeps those of a row, which comes behind all that were kept.
    ///
    /// - Parameter texts: by their places in `form.stored`.
    /// - Throws: `SQLiteError` where the disk is full.
    mutating func append(_ texts: [Int: String], of row: Int) throws {
        guard !texts.isEmpty else { return }
        rows.append(Int32(row))
        try packed.append(
            JSONValue.array(
                texts.flatMap { [.integer(Int64($0.key)), .string($0.value)] }
            ).text)
    }

    /// Those of a row, by their places in `form.stored`.
    ///
    /// - Complexity: O(log rows).
    func of(_ row: Int) throws -> [Int: String] {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle] < Int32(row) { low = middle + 1 } else { high = middle }
        }
        guard low < rows.count, rows[low] == Int32(row) else { return [:] }
        let values = try JSONValue(text: packed.row(low)).array ?? []
        return stride(from: 0, to: values.count - 1, by: 2).reduce(into: [:]) { texts, place in
            guard case .integer(let field) = values[place] else { return }
            texts[Int(field)] = values[place + 1].string
        }
    }
}
