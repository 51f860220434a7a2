package import Expressions
internal import JSON
package import ShareFormats
internal import Synchronization

/// The rows of a list: of the form itself, of a file, or entries of another form.
///
/// Rows and columns are counted from 0. One of the columns is `name`, unless a form says
/// otherwise; those of a list of entries are the fields of these.
package protocol ChoiceRows {
    var columns: [[UInt8]] { get }
    /// The rows in their order; of very many entries the first.
    var all: [Int] { get }
    /// How many these are, or more.
    var count: Int { get }
    /// Whether the last answer, to this or to a lookup, left rows out.
    var isCut: Bool { get }
    /// Whether they are entries of another form, which come and go.
    var areEntries: Bool { get }
    /// Steps that it takes to read a row; 0 for one that lies in memory.
    var cost: Int { get }
    /// The text of a cell in UTF-8; empty where there is none.
    func text(row: Int, column: Int) -> [UInt8]
    /// What people read, in that language where there is such a text; nil where there is none.
    func label(row: Int, language: String?) -> String?
    /// All that people may know a row by: its name, and its label in every language.
    func texts(row: Int) -> [String]
    /// The rows whose cell is exactly this, in order; at most `limit`.
    ///
    /// - Returns: Nil where there is no index of that column; all rows are then looked at.
    func rows(where column: Int, equals text: [UInt8], limit: Int) -> [Int]?
    /// The work of that.
    func lookupCost(_ column: Int) -> LookupCost
    /// The rows whose name or label contains what people typed, at most `limit`, and how many
    /// there are.
    ///
    /// - Returns: Nil where it cannot be told without a look at all rows.
    func rows(matching typed: String, limit: Int) -> (rows: [Int], count: Int)?
}

extension ChoiceRows {
    package var count: Int { all.count }
    package var isCut: Bool { false }
    package var areEntries: Bool { false }
    package var cost: Int { 0 }

    package func lookupCost(_ column: Int) -> LookupCost { LookupCost() }

    package func rows(matching typed: String, limit: Int) -> (rows: [Int], count: Int)? { nil }

    package func texts(row: Int) -> [String] {
        let name = columns.firstIndex { $0.elementsEqual("name".utf8) }
        return [
            name.map { String(decoding: text(row: row, column: $0), as: UTF8.self) },
            label(row: row, language: nil),
        ].compactMap(\.self)
    }
}

/// A list that lies in the form.
package final class ChoiceTable: ChoiceRows, Sendable {
    package let columns: [[UInt8]]
    /// Whether it has further columns, which cannot be looked up.
    let isNarrowed: Bool
    private let list: ChoiceList
    private let cells: [[[UInt8]]]
    private let defaultLanguage: String?
    /// Made when a column is first looked up.
    private let indexes = Mutex<[Int: [[UInt8]: [Int]]]>([:])

    /// Shorter lists are looked through.
    private static let indexed = 16

    package init(_ list: ChoiceList, defaultLanguage: String?) {
        self.list = list
        self.defaultLanguage = defaultLanguage
        var columns: [[UInt8]] = [Array("name".utf8), Array("label".utf8)]
        var positions: [[UInt8]: Int] = [:]
        var isNarrowed = false
        for choice in list.choices {
            for column in choice.columns {
                let name = Array(column.key.utf8)
                guard positions[name] == nil else { continue }
                // Every row has a cell for each of them.
                guard columns.count < FormLimits.listColumns else {
                    isNarrowed = true
                    continue
                }
                positions[name] = columns.count
                columns.append(name)
            }
        }
        self.columns = columns
        self.isNarrowed = isNarrowed
        cells = list.choices.map { choice in
            var row = [[UInt8]](repeating: [], count: columns.count)
            row[0] = Array(choice.name.utf8)
            row[1] = Array((choice.label.text(in: defaultLanguage) ?? choice.name).utf8)
            for column in choice.columns {
                if let position = positions[Array(column.key.utf8)] {
                    row[position] = Array((column.value.plainText ?? "").utf8)
                }
            }
            return row
        }
    }

    package var all: [Int] { Array(list.choices.indices) }

    package func text(row: Int, column: Int) -> [UInt8] { cells[row][column] }

    package func label(row: Int, language: String?) -> String? {
        list.choices[row].label.text(in: language, defaultLanguage)
    }

    package var count: Int { list.choices.count }

    package func rows(where column: Int, equals text: [UInt8], limit: Int) -> [Int]? {
        guard list.choices.count > Self.indexed else { return nil }
        let found = indexes.withLock { indexes in
            if let index = indexes[column] { return index[text] ?? [] }
            var index: [[UInt8]: [Int]] = [:]
            for (row, cells) in cells.enumerated() { index[cells[column], default: []].append(row) }
            indexes[column] = index
            return index[text] ?? []
        }
        return found.count <= limit ? found : Array(found.prefix(limit))
    }
}
