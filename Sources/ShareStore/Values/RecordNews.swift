package import ShareCore
package import ShareCrypto

/// Something that was done to records.
package struct RecordNews: Hashable, Sendable {
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
