import ShareCore
import ShareFormats
import ShareStore

/// The numbers (`_index`) by which rows of a repeat stand in their entry.
extension CSVImport {
    /// The rows with numbers behind all others of their entry, where the file gives new ones none.
    func numbered(
        _ rows: ImportRows, _ added: [Int32], _ info: FormInfo
    ) async throws -> ImportRows {
        let new = added.filter { unnumbered.contains(Int($0)) }
        guard !new.isEmpty, let parents = fields.firstIndex(of: 0),
            let numbers = fields.firstIndex(of: 1)
        else { return rows }
        var last: [FieldValue: Int64] = [:]
        for row in new { last[try rows.values(Int(row))[parents]] = 0 }
        for (parent, number) in try await RoomReader(path: room.store.path).lastNumbers(
            of: last.keys, in: info)
        {
            last[parent] = number
        }
        for row in 0..<rows.count where !unnumbered.contains(row) {
            let cells = try rows.values(row)
            guard case .integer(let number) = cells[numbers], let known = last[cells[parents]]
            else { continue }
            last[cells[parents]] = max(known, number)
        }
        var given: [Int32: Int64] = [:]
        for row in new {
            let cells = try rows.values(Int(row))
            let number = (last[cells[parents]] ?? 0).next
            last[cells[parents]] = number
            if cells[numbers] != .integer(number) { given[row] = number }
        }
        guard !given.isEmpty else { return rows }
        var numbered = ImportRows(width: rows.width, beside: room.store.path)
        for row in 0..<rows.count {
            try Task.checkCancellation()
            var cells = try rows.values(row)
            if let number = given[Int32(row)] { cells[numbers] = .integer(number) }
            try numbered.append(cells, at: Array(cells.indices))
        }
        return numbered
    }
}

extension Int64 {
    /// The number of a row behind this one; a file may give the greatest that there is.
    fileprivate var next: Int64 { self == .max ? self : self + 1 }
}
