import Expressions
import ShareCore
import ShareFormats
import ShareForms
import ShareStore

/// A list of the room as forms see it while they are filled in: rows are read one by one.
final class RoomChoices: ChoiceRows {
    let columns: [[UInt8]]
    private let lists: RoomLists
    private let list: RoomList
    private let defaultLanguage: String?
    /// The rows that were looked at last: a condition looks at several cells of a row.
    private var recent: [Int: [[UInt8]]] = [:]
    private static let kept = 256
    /// A row is read in 3 to 4 microseconds.
    let cost = 40

    init(_ list: RoomList, in lists: RoomLists, defaultLanguage: String?) {
        self.list = list
        self.lists = lists
        self.defaultLanguage = defaultLanguage
        columns = list.columns.map { Array($0.utf8) }
    }

    var all: [Int] { Array(0..<list.rows) }
    var count: Int { list.rows }

    func text(row: Int, column: Int) -> [UInt8] {
        let cells = cells(row)
        return cells.indices.contains(column) ? cells[column] : []
    }

    func label(row: Int, language: String?) -> String? {
        list.labels(cells(row)).text(in: language, defaultLanguage)
    }

    func texts(row: Int) -> [String] {
        let cells = cells(row)
        let name = columns.firstIndex { $0.elementsEqual("name".utf8) }
        return (name.map { [cells.indices.contains($0) ? cells[$0] : []] } ?? [])
            .map { String(decoding: $0, as: UTF8.self) } + list.labels(cells).texts.map(\.text)
    }

    func rows(where column: Int, equals text: [UInt8], limit: Int) -> [Int]? {
        lists.rows(of: list, where: column, equals: text, limit: limit)
    }

    /// The index names rows, of which each is read: its hash may be that of another text.
    func lookupCost(_ column: Int) -> LookupCost { LookupCost(eighths: 8 * 15) }

    func rows(matching typed: String, limit: Int) -> (rows: [Int], count: Int)? {
        let found = lists.search(list, typed, limit: limit)
        return (found.positions, found.count)
    }

    private func cells(_ row: Int) -> [[UInt8]] {
        if let known = recent[row] { return known }
        guard let cells = lists.cells(of: list, row: row) else { return [] }
        if recent.count >= Self.kept { recent.removeAll(keepingCapacity: true) }
        recent[row] = cells
        return cells
    }
}

/// The lists of a room for those who read what people type, and show what is stored.
struct RoomChoiceSource: ChoiceSource {
    let lists: RoomLists
    let surroundings: EntrySurroundings

    func choices(of field: Form.Field) -> (any ChoiceLookup)? {
        guard let name = field.listName else { return nil }
        if let entries = ChosenForms.entries(of: name, in: lists) {
            return EntryChoiceLookup(
                lists: lists, entries: entries,
                chosen: surroundings.chosen.chosen(entries, lists, surroundings),
                surroundings: surroundings)
        }
        guard let list = lists.list(name),
            let column = list.columns.firstIndex(of: field.parameter("value") ?? "name")
        else { return nil }
        return RoomChoiceLookup(lists: lists, list: list, column: column)
    }
}

/// Finds the choices of a list of the room by what people type.
struct RoomChoiceLookup: ChoiceLookup {
    let lists: RoomLists
    let list: RoomList
    /// The column that is stored.
    let column: Int

    /// Rows that are looked at for a name or label that is not written exactly.
    private static let looked = 50
    /// Rows of one label that are looked at.
    private static let namesakes = 2_000

    func name(exactly bytes: UnsafeBufferPointer<UInt8>) -> String? {
        row(Array(bytes)) == nil ? nil : String(decoding: bytes, as: UTF8.self)
    }

    func candidates(for typed: String) -> [[String]] {
        if row(Array(typed.utf8)) != nil { return [[typed]] }
        let wanted = typed.folded
        var names: [String] = []
        var labelled: [String] = []
        func add(_ name: String, _ names: inout [String]) {
            if !names.contains(name) { names.append(name) }
        }
        // Of many that begin so, those that are called just so may come late.
        let same = list.columns.indices.filter {
            list.columns[$0] == "label" || list.columns[$0].hasPrefix("label::")
        }.flatMap {
            lists.rows(of: list, where: $0, equals: Array(typed.utf8), limit: Self.namesakes)
        }
        for position in same + lists.search(list, typed, limit: Self.looked).positions {
            guard let cells = lists.cells(of: list, row: position), cells.indices.contains(column)
            else { continue }
            let name = String(decoding: cells[column], as: UTF8.self)
            if name.folded == wanted { add(name, &names) }
            if list.labels(cells).texts.contains(where: { $0.text.folded == wanted }) {
                add(name, &labelled)
            }
        }
        return [labelled, names].filter { !$0.isEmpty }
    }

    func label(of name: String, in languages: [String?]) -> String? {
        guard let position = row(Array(name.utf8)), let cells = lists.cells(of: list, row: position)
        else { return nil }
        return list.labels(cells).text(among: languages)
    }

    func advice(for typed: String) -> String {
        "Look for one: `shared lists show \(list.name) --search TEXT`."
    }

    func labels(of name: String) -> [String] {
        row(Array(name.utf8)).flatMap { lists.cells(of: list, row: $0) }
            .map { list.labels($0).texts.map(\.text) } ?? []
    }

    func names(like typed: String, in languages: [String?]) -> [String] {
        // Of a long list one alone, as those that it gives are taken for all that there are.
        guard list.rows > Self.looked else {
            return labels(of: Array(0..<list.rows), in: languages)
        }
        // What shares its first letters is near enough to be meant.
        let found = lists.search(list, String(typed.prefix(3)), limit: Self.looked).positions
        return Suggestion.nearest(to: typed, among: labels(of: found, in: languages))
            .map { [$0] } ?? []
    }

    private func labels(of positions: [Int], in languages: [String?]) -> [String] {
        positions.compactMap { position in
            lists.cells(of: list, row: position).map { cells in
                list.labels(cells).text(among: languages)
                    ?? (cells.indices.contains(column)
                        ? String(decoding: cells[column], as: UTF8.self) : "")
            }
        }
    }

    func names(containing text: String, limit: Int, fold: (String) -> String) -> [String] {
        names(of: lists.search(list, text, limit: limit).positions)
    }

    private func names(of positions: [Int]) -> [String] {
        positions.compactMap { position in
            lists.cells(of: list, row: position).flatMap { cells in
                cells.indices.contains(column)
                    ? String(decoding: cells[column], as: UTF8.self) : nil
            }
        }
    }

    private func row(_ name: [UInt8]) -> Int? {
        lists.rows(of: list, where: column, equals: name, limit: 1).first
    }
}

extension RoomList {
    /// What people read of a row, by language.
    func labels(_ cells: [[UInt8]]) -> LocalizedText {
        LocalizedText(
            columns: columns, cells: cells.map { String(decoding: $0, as: UTF8.self) })
    }
}

extension String {
    /// Without upper case and accents.
    fileprivate var folded: String { FoldedText.fold(self) }
}
