package import ShareCrypto

/// Operations of one kind on records of one form that write the same fields, row by row.
package struct RecordsBlock: Sendable {
    package enum Kind: UInt64, Sendable, CaseIterable {
        case put = 32
        case edit = 34
        case delete = 36
        case restore = 38
        case review = 40
        case comment = 42

        /// What changes a record that is there; reviews and comments leave it as it is.
        package static let changes: [Kind] = [.edit, .delete, .restore]
    }

    /// One operation.
    package struct Row: Sendable {
        package let id: RecordID
        package let clock: Timestamp
        /// The author's own clock; of a put that of the record's id.
        package let wall: WallTime
        /// Index into `creators`.
        package let creator: Int32
        /// Where this operation's parent names lie in `parents`.
        package let parents: Range<Int32>

        /// - Parameter wall: nil for the time that the hybrid clock says.
        package init(
            id: RecordID, clock: Timestamp, wall: WallTime? = nil, creator: Int32,
            parents: Range<Int32>
        ) {
            self.id = id
            self.clock = clock
            self.wall = wall ?? WallTime(clock)
            self.creator = creator
            self.parents = parents
        }
    }

    package let kind: Kind
    /// The place of the first row among the batch's operations.
    package var firstIndex: Int
    /// The definition that fields and types are taken from.
    package let form: OperationName
    /// Places in that definition's list of fields, ascending; empty but for put and edit.
    package let fields: [Int]
    /// Creators of the records; the first is the batch's author.
    package let creators: [DeviceKey]
    package var rows: [Row]
    package var parents: [OperationName]
    /// `width` cells a row: a value for each field; for a review its state and a note; for a
    /// comment its text.
    package var cells: [Cell]
    /// The bytes that the cells' texts point into.
    package var storage: [UInt8]

    package init(
        kind: Kind, firstIndex: Int, form: OperationName, fields: [Int], creators: [DeviceKey],
        rows: [Row], parents: [OperationName], cells: [Cell], storage: [UInt8]
    ) {
        self.kind = kind
        self.firstIndex = firstIndex
        self.form = form
        self.fields = fields
        self.creators = creators
        self.rows = rows
        self.parents = parents
        self.cells = cells
        self.storage = storage
    }

    /// Cells in a row.
    package var width: Int { RecordsBlock.width(of: kind, fields: fields.count) }

    static func width(of kind: Kind, fields: Int) -> Int {
        switch kind {
        case .put, .edit: fields
        case .delete, .restore: 0
        case .review: 2
        case .comment: 1
        }
    }

    /// The value in one cell, with its text copied out.
    package func value(row: Int, column: Int) -> FieldValue {
        switch cells[row * width + column] {
        case .absent: .absent
        case .integer(let value): .integer(value)
        case .decimal(let value): .decimal(value)
        case .text(let offset, let length):
            .text(
                String(decoding: storage[Int(offset)..<Int(offset + length)], as: UTF8.self))
        }
    }

    /// The parent names of a row's operation.
    package func parents(of row: Row) -> ArraySlice<OperationName> {
        parents[Int(row.parents.lowerBound)..<Int(row.parents.upperBound)]
    }
}

/// A value of one field in a block; text is a place in the block's storage, so that decoding a
/// block allocates nothing for it.
package enum Cell: Sendable, Hashable {
    case absent
    case integer(Int64)
    case decimal(Double)
    case text(offset: UInt32, length: UInt32)
}
