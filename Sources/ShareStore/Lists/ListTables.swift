import ShareCore
import ShareCrypto

/// The rows of the lists in force: `_list`, `_list_column` and `_list_part` say which there are,
/// `_list_row` and `_list_cell` have the rows of each part, once, however many lists name it.
///
/// A row's number is its part's with its place in it. `_list_cell` finds rows by what a cell holds,
/// by a hash: what it finds is compared with the cell itself.
struct ListTables {
    let database: Database
    private(set) var catalog = ListCatalog()

    init(_ database: Database) { self.database = database }

    /// Takes over the tables of a file that is up to date.
    mutating func load(_ catalog: ListCatalog) { self.catalog = catalog }

    mutating func removeAll() throws {
        try database.execute(
            """
            DELETE FROM _list; DELETE FROM _list_column; DELETE FROM _list_part;
            DELETE FROM _list_row; DELETE FROM _list_cell
            """)
        catalog = ListCatalog()
    }

    /// Makes the tables what a catalog says; parts that are there already stay.
    mutating func install(_ catalog: ListCatalog, _ log: BatchLog) throws {
        let (old, new) = (shown(self.catalog), shown(catalog))
        self.catalog = catalog
        guard old != new else { return }
        let (before, after) = (searched(old), searched(new))
        for (part, columns) in before where after[part] != columns { try remove(part) }
        for plan in Set(old).subtracting(new) {
            for table in ["_list", "_list_column", "_list_part"] {
                try database.run(
                    "DELETE FROM \(table) WHERE list = ?1", .integer(plan.local.rawValue))
            }
        }
        for plan in new where !old.contains(plan) { try add(plan) }
        let added = after.filter { before[$0.key] != $0.value }
            .sorted { $0.key.local < $1.key.local }
        var opened: (batch: Int64, body: Body)?
        for (part, columns) in added {
            if opened?.batch != part.local.batch {
                let batch = try log.readBatch(
                    try log.bytes(of: part.local.batch), at: part.local.batch)
                opened = (part.local.batch, try batch.openBody())
            }
            guard let content = opened?.body.part(at: part.local.index) else {
                throw StoreError.damaged("batch \(part.local.batch)")
            }
            try add(content, part.local, searched: columns.sorted())
        }
    }

    /// The parts of some lists, each with the columns in which any of these is searched: what a part
    /// has in its rows depends on the lists that have it.
    private func searched(_ plans: [ListCatalog.Plan]) -> [ListCatalog.Part: Set<Int>] {
        var parts: [ListCatalog.Part: Set<Int>] = [:]
        for plan in plans {
            let columns = ListText.searched(plan.definition.columns)
            for part in plan.parts { parts[part, default: []].formUnion(columns) }
        }
        return parts
    }

    /// The first lists, as far as their rows are few enough: of more nobody has use.
    private func shown(_ catalog: ListCatalog) -> [ListCatalog.Plan] { Self.kept(catalog.lists) }

    static func kept(_ lists: [ListCatalog.Plan]) -> [ListCatalog.Plan] {
        var rows = 0
        return lists.prefix(Limits.listsInForce).filter { plan in
            guard rows + plan.rows <= Limits.rowsInForce else { return false }
            rows += plan.rows
            return true
        }
    }

    private func add(_ plan: ListCatalog.Plan) throws {
        let list = SQLValue.integer(plan.local.rawValue)
        try database.run(
            "INSERT INTO _list(list, name, rows) VALUES(?1, ?2, ?3)", list,
            .text(plan.definition.name), .integer(Int64(plan.rows)))
        for (position, column) in plan.definition.columns.enumerated() {
            try database.run(
                "INSERT INTO _list_column(list, place, name) VALUES(?1, ?2, ?3)", list,
                .integer(Int64(position)), .text(column))
        }
        var first = 0
        for part in plan.parts {
            try database.run(
                "INSERT INTO _list_part(list, first, part, rows) VALUES(?1, ?2, ?3, ?4)", list,
                .integer(Int64(first)), .integer(part.local.rawValue), .integer(Int64(part.rows)))
            first += part.rows
        }
    }

    private func add(_ part: ListPart, _ local: LocalName, searched: [Int]) throws {
        let row = try database.cached(
            "INSERT OR REPLACE INTO _list_row(row, found, cells) VALUES(?1, ?2, ?3)")
        let cell = try database.cached(
            "INSERT OR REPLACE INTO _list_cell(part, place, hash, row) VALUES(?1, ?2, ?3, ?4)")
        var hashes: [[(hash: Int64, row: Int64)]] = Array(repeating: [], count: part.width)
        try part.forEachRow { position, cells in
            let number = ListText.row(local, position)
            var found: [UInt8] = []
            for column in searched {
                found += FoldedText.bytes(
                    String(decoding: part.cells[cells[column]], as: UTF8.self))
                found.append(UInt8(ascii: "\n"))
            }
            for (column, range) in cells.enumerated() {
                hashes[column].append((ListText.hash(part.cells[range]), number))
            }
            row.reset()
            try row.bind([
                .integer(number), .text(String(decoding: found, as: UTF8.self)),
                .blob(ListText.row(of: part, cells)),
            ])
            _ = try row.step()
        }
        row.reset()
        // In the order of the table, so that it is only appended to.
        for (column, entries) in hashes.enumerated() {
            for entry in entries.sorted(by: { ($0.hash, $0.row) < ($1.hash, $1.row) }) {
                cell.reset()
                try cell.bind([
                    .integer(local.rawValue), .integer(Int64(column)), .integer(entry.hash),
                    .integer(entry.row),
                ])
                _ = try cell.step()
            }
        }
        cell.reset()
    }

    private func remove(_ part: ListCatalog.Part) throws {
        let (first, last) = ListText.rows(part.local)
        try database.run(
            "DELETE FROM _list_row WHERE row BETWEEN ?1 AND ?2", .integer(first), .integer(last))
        try database.run("DELETE FROM _list_cell WHERE part = ?1", .integer(part.local.rawValue))
    }
}

extension Body {
    /// The rows of a list that the operation at a place has.
    func part(at index: Int) -> ListPart? {
        for case .control(let block) in blocks
        where block.entries.indices.contains(index - block.firstIndex) {
            if case .part(let part) = block.entries[index - block.firstIndex].operation {
                return part
            }
        }
        return nil
    }
}

/// How rows of lists lie in their tables.
enum ListText {
    /// The number of a row in its part: the part's own with as many bits behind it as there can be
    /// rows. A damaged file may say any number.
    static func row(_ part: LocalName, _ position: Int) -> Int64 {
        part.rawValue &* Int64(Limits.cellsPerPart) &+ Int64(position)
    }

    static func rows(_ part: LocalName) -> (first: Int64, last: Int64) {
        (row(part, 0), row(part, Limits.cellsPerPart - 1))
    }

    /// FNV-1a in 64 bits.
    static func hash(_ bytes: some Sequence<UInt8>) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }

    /// A row's cells, each with its length in two bytes in front.
    static func row(of part: ListPart, _ cells: [Range<Int>]) -> [UInt8] {
        var bytes: [UInt8] = []
        for range in cells {
            bytes.append(UInt8(truncatingIfNeeded: range.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: range.count))
            bytes += part.cells[range]
        }
        return bytes
    }

    static func cells(_ bytes: [UInt8]) -> [[UInt8]] {
        var cells: [[UInt8]] = []
        var start = 0
        while start + 2 <= bytes.count {
            let end = start + 2 + Int(bytes[start]) << 8 + Int(bytes[start + 1])
            guard end <= bytes.count else { break }
            cells.append(Array(bytes[start + 2..<end]))
            start = end
        }
        return cells
    }

    /// Whether a cell of a row is exactly this, without the others being taken apart.
    static func hasCell(_ text: [UInt8], at column: Int, in bytes: [UInt8]) -> Bool {
        var (start, left) = (0, column)
        while start + 2 <= bytes.count {
            let end = start + 2 + Int(bytes[start]) << 8 + Int(bytes[start + 1])
            guard end <= bytes.count else { return false }
            if left == 0 {
                return end - start - 2 == text.count && bytes[(start + 2)..<end].elementsEqual(text)
            }
            left -= 1
            start = end
        }
        return false
    }

    /// The columns in which people search: names and labels; all of a list that has no labels.
    static func searched(_ columns: [String]) -> [Int] {
        let labels = columns.indices.filter { isLabel(columns[$0]) }
        guard !labels.isEmpty else { return Array(columns.indices) }
        return columns.indices.filter { columns[$0] == "name" || isLabel(columns[$0]) }
    }

    private static func isLabel(_ column: String) -> Bool {
        column == "label" || column.hasPrefix("label::")
    }
}
