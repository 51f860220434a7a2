/// One version of a list of choices that the forms of a room share: its columns, and the names of
/// the parts that have its rows (docs/protocol.md, "Lists").
package struct ListDefinition: Hashable, Sendable {
    package let name: String
    /// The definitions of this list that its author had seen and replaces.
    package let parents: [OperationName]
    /// The names of its columns.
    package let columns: [String]
    /// Its rows, in this order; none where the list is taken away.
    package let parts: [OperationName]

    package init(
        name: String, parents: [OperationName], columns: [String], parts: [OperationName]
    ) {
        self.name = name
        self.parents = parents
        self.columns = columns
        self.parts = parts
    }

    /// Whether devices can use it: its name and its columns are names, and none stands twice. A
    /// name with `@` in front means entries.
    package var isSound: Bool {
        let names = columns.map { Array($0.utf8) }
        return Self.isName(Array(name.utf8)) && name.utf8.first != UInt8(ascii: "@")
            && !names.isEmpty && names.allSatisfy(Self.isName) && Set(names).count == names.count
            && Set(parts).count == parts.count
    }

    private static func isName(_ bytes: [UInt8]) -> Bool { !bytes.isEmpty && !bytes.contains(0) }
}

/// Some rows of a list. Definitions name it by its operation, so that versions which differ in few
/// rows share most parts.
package struct ListPart: Hashable, Sendable {
    /// Cells of a row.
    package let width: Int
    package let rows: Int
    /// Row by row, each cell as a CBOR text; empty where the rows themselves are not needed.
    package let cells: [UInt8]

    /// - Parameter cells: `rows * width` texts that were checked.
    init(width: Int, rows: Int, cells: [UInt8]) {
        self.width = width
        self.rows = rows
        self.cells = cells
    }

    /// A part of these rows, each as wide as the first.
    package init(_ rows: some Sequence<[[UInt8]]>) {
        var writer = CBORWriter()
        var (width, count) = (0, 0)
        for row in rows {
            width = row.count
            count += 1
            for cell in row { writer.write(utf8: cell) }
        }
        self.init(width: width, rows: count, cells: writer.bytes)
    }

    /// The same without its rows: a list may be long, and control batches are kept in memory.
    package var withoutCells: ListPart { ListPart(width: width, rows: rows, cells: []) }

    /// Calls `body` with each row, as the places of its cells in `cells`.
    package func forEachRow(_ body: (Int, [Range<Int>]) throws -> Void) throws {
        try cells.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            var row: [Range<Int>] = []
            for position in 0..<rows {
                row.removeAll(keepingCapacity: true)
                for _ in 0..<width {
                    guard case .text(let offset, let length) = try reader.readCell() else {
                        throw CBORError.unexpected
                    }
                    row.append(Int(offset)..<Int(offset + length))
                }
                try body(position, row)
            }
        }
    }
}
