import Expressions

/// What a handle of the evaluator stands for.
enum EntryNode: Equatable {
    /// Above the form.
    case document
    /// A node of the entry.
    case field(Int)
    /// Above a list, by its place among those in use.
    case list(Int)
    /// The root element of a list.
    case rows(Int)
    /// A row of a list.
    case row(list: Int, row: Int)
    /// A cell of a row.
    case cell(list: Int, row: Int, column: Int)

    // 4 bits say which; then 12 bits of a list, 32 of a row, 16 of a column.

    init(_ handle: Node) {
        let raw = handle.rawValue
        let list = Int(raw >> 48 & 0xFFF)
        let row = Int(raw >> 16 & 0xFFFF_FFFF)
        switch raw >> 60 {
        case 1: self = .field(Int(raw & 0xFFFF_FFFF))
        case 2: self = .list(list)
        case 3: self = .rows(list)
        case 4: self = .row(list: list, row: row)
        case 5: self = .cell(list: list, row: row, column: Int(raw & 0xFFFF))
        default: self = .document
        }
    }

    var handle: Node {
        switch self {
        case .document: Node(rawValue: 0)
        case .field(let node): Node(rawValue: 1 << 60 | UInt64(node))
        case .list(let list): Node(rawValue: 2 << 60 | UInt64(list) << 48)
        case .rows(let list): Node(rawValue: 3 << 60 | UInt64(list) << 48)
        case .row(let list, let row):
            Node(rawValue: 4 << 60 | UInt64(list) << 48 | UInt64(row) << 16)
        case .cell(let list, let row, let column):
            Node(rawValue: 5 << 60 | UInt64(list) << 48 | UInt64(row) << 16 | UInt64(column))
        }
    }
}
