package import ShareCore

/// A change to records by this device's user.
package enum LocalChange: Sendable {
    case put(NewRows)
    /// Writes fields by their place in the definition; `.absent` clears one.
    case edit(RecordName, definition: OperationName, values: [FieldChange])
    case delete(RecordName)
    case restore(RecordName)
    case review(RecordName, state: String, note: String?)
    case comment(RecordName, text: String)

    /// The kind of operation that it becomes.
    package var kind: RecordsBlock.Kind {
        switch self {
        case .put: .put
        case .edit: .edit
        case .delete: .delete
        case .restore: .restore
        case .review: .review
        case .comment: .comment
        }
    }

    /// Operations that it becomes.
    var operations: Int {
        if case .put(let rows) = self { rows.count } else { 1 }
    }

    /// Bytes that these take in a batch, or some more.
    var sizeAtMost: Int {
        switch self {
        case .put(let rows): 32 * rows.count + 10 * rows.cells.count + rows.storage.count
        case .edit(_, _, let values):
            values.reduce(4_096) { size, change in
                if case .text(let text) = change.value { size + text.utf8.count } else { size + 10 }
            }
        case .delete, .restore, .review, .comment: 4_096
        }
    }

    /// One field's new value.
    package struct FieldChange: Hashable, Sendable {
        package let field: Int
        package let value: FieldValue

        package init(field: Int, value: FieldValue) {
            self.field = field
            self.value = value
        }
    }
}

/// New records of one form that fill the same fields, laid out flat: what an import and a single
/// `add` hand to the store.
package struct NewRows: Sendable {
    /// The definition that `fields` are places in.
    package let definition: OperationName
    /// Places in the definition's list of fields, ascending.
    package let fields: [Int]
    package let count: Int
    /// `fields.count` cells a row.
    package let cells: [Cell]
    /// The bytes that the cells' texts point into.
    package let storage: [UInt8]
    /// The ids of the first rows, where others are to name them; all further ones get new ones.
    package let ids: [RecordID]

    package init(
        definition: OperationName, fields: [Int], count: Int, cells: [Cell], storage: [UInt8],
        ids: [RecordID] = []
    ) {
        self.ids = ids
        self.definition = definition
        self.fields = fields
        self.count = count
        self.cells = cells
        self.storage = storage
    }

    /// The same rows under ids that the caller has made.
    package func named(_ ids: [RecordID]) -> NewRows {
        NewRows(
            definition: definition, fields: fields, count: count, cells: cells, storage: storage,
            ids: ids)
    }

    /// Lays out values that lie apart.
    package init(
        definition: OperationName, fields: [Int], rows: [[FieldValue]], ids: [RecordID] = []
    ) {
        var cells: [Cell] = []
        var storage: [UInt8] = []
        for row in rows {
            for value in row.prefix(fields.count) {
                cells.append(Cell(value, storage: &storage))
            }
            for _ in row.count..<max(row.count, fields.count) { cells.append(.absent) }
        }
        self.init(
            definition: definition, fields: fields, count: rows.count, cells: cells,
            storage: storage, ids: ids)
    }
}

extension Cell {
    /// The value as a cell, its text added to `storage`.
    init(_ value: FieldValue, storage: inout [UInt8]) {
        switch value {
        case .absent: self = .absent
        case .integer(let value): self = .integer(value)
        case .decimal(let value): self = .decimal(value)
        case .text(let value):
            let offset = storage.count
            storage.append(contentsOf: value.utf8)
            self = .text(offset: UInt32(offset), length: UInt32(storage.count - offset))
        }
    }
}
