package import ShareCore
package import ShareCrypto

/// The events that batches have caused in a room, for those who watch.
package struct RoomChanges: Hashable, Sendable {
    /// Records that are named one by one; the rest is counted.
    package static let namedRecords = 64

    /// The effects of accepted operations. Puts are counted for each form and author.
    package var records: [RecordEffect] = []
    /// The refused operations.
    package var refused: [MergeRefusal] = []
    /// Ascending by record.
    package var conflicts: [ArisenConflict] = []
    /// Records with conflicts that have arisen beyond those in `conflicts`.
    package var moreConflicts = 0
    /// Forms whose definition in force is another now, ascending.
    package var changedForms: [String] = []

    package init() {}
}

/// Something that was done to records.
package struct RecordEffect: Hashable, Sendable {
    package let kind: RecordsBlock.Kind
    package let form: String
    package let author: DeviceKey
    /// Operations; above one where they are not told one by one.
    package var count: Int
    /// The record, where it is a single one.
    package var record: RecordName?
    /// Fields that an edit writes.
    package var fields: [String]
    /// A review's state.
    package var state: String?

    package init(
        _ kind: RecordsBlock.Kind, form: String, author: DeviceKey, count: Int = 1,
        record: RecordName? = nil, fields: [String] = [], state: String? = nil
    ) {
        self.kind = kind
        self.form = form
        self.author = author
        self.count = count
        self.record = record
        self.fields = fields
        self.state = state
    }
}

/// A conflict that a merge has brought about.
package struct ArisenConflict: Hashable, Sendable {
    package let record: RecordName
    /// Ascending.
    package let fields: [RecordField]
}

/// The operations of a merge that the room's rules do not allow, counted for each reason.
package struct MergeRefusal: Hashable, Sendable {
    package let author: DeviceKey
    /// The kind of operation, or the field whose value does not fit.
    package let what: String
    package let refusal: Refusal
    package let count: Int
}
