/// All rows of a list, as one that makes a version of it has them, and how they are cut into parts.
///
/// Where a part ends hangs on the rows there, so that a row which is put in or taken out changes
/// one part, and all others go on to be named.
package struct ListContent: Sendable {
    /// Why a list cannot travel.
    package enum Fault: Error, Hashable, Sendable {
        case columns(Int)
        case cell(bytes: Int)
        case rows(Int)
        /// Too many bytes in all.
        case length
    }

    package let columns: [String]
    /// The cells as they travel, row by row.
    private var writer = CBORWriter()
    /// Where each row ends in them.
    private var ends: [UInt32] = []

    /// Bytes of all cells that surely fit into the parts of a list.
    package static let bytes = Limits.partsPerList * Limits.listPart / 2

    package init(columns: [String]) throws(Fault) {
        guard (1...Limits.listColumns).contains(columns.count) else {
            throw .columns(columns.count)
        }
        self.columns = columns
    }

    package var rows: Int { ends.count }

    /// Adds a row with a cell for each column, each UTF-8.
    package mutating func append(_ row: [String]) throws(Fault) {
        precondition(row.count == columns.count, "a cell for each column")
        for cell in row {
            guard cell.utf8.count <= Limits.listCell else { throw .cell(bytes: cell.utf8.count) }
            writer.write(text: cell)
        }
        guard ends.count < Limits.rowsPerList else { throw .rows(ends.count + 1) }
        guard writer.bytes.count <= Self.bytes else { throw .length }
        ends.append(UInt32(writer.bytes.count))
    }

    /// The rows in parts that each fit into an operation.
    package func parts() -> [ListPart] {
        let total = writer.bytes.count
        var wanted = 32 << 10
        while total / wanted > Limits.partsPerList / 3, wanted < Limits.listPart / 2 { wanted *= 2 }
        let found = cut(wanted: wanted)
        // Rows that are all alike may not end where others would.
        return found.count <= Limits.partsPerList ? found : cut(wanted: nil)
    }

    /// - Parameter wanted: bytes of a part that are worth an operation; nil to fill each.
    private func cut(wanted: Int?) -> [ListPart] {
        let mostRows = Limits.cellsPerPart / columns.count
        let mean = max(writer.bytes.count / max(rows, 1), 1)
        var step = 1
        while let wanted, step * mean * 2 < wanted { step *= 2 }
        var parts: [ListPart] = []
        var (first, start, before) = (0, 0, 0)
        func close(at row: Int, _ end: Int) {
            guard row > first else { return }
            parts.append(
                ListPart(
                    width: columns.count, rows: row - first,
                    cells: Array(writer.bytes[start..<end])))
            (first, start) = (row, end)
        }
        for (row, end) in ends.enumerated() {
            let end = Int(end)
            if end - start > Limits.listPart || row - first == mostRows { close(at: row, before) }
            if let wanted, end - start >= wanted / 2,
                Self.mark(writer.bytes[before..<end]) & UInt64(step - 1) == 0
            {
                close(at: row + 1, end)
            }
            before = end
        }
        close(at: rows, before)
        return parts
    }

    /// FNV-1a, its bits mixed.
    private static func mark(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash ^ hash >> 32
    }
}
