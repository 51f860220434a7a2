import ShareCore
import ShareCrypto

/// Reads records from rows that hold what every record has, then its fields.
struct RecordColumns {
    private let form: FormInfo
    /// Where the first column stands.
    private let first: Int32
    /// The author of the row before: neighbours mostly have the same, and reading a key from its
    /// text costs more than all the rest of a row.
    private var author: (text: String, key: DeviceKey)?

    init(_ form: FormInfo, from first: Int32 = 0) {
        self.form = form
        self.first = first
    }

    /// The columns to select.
    var sql: String {
        "_id, _author, _created, _updated, _state"
            + form.columns.map { ", " + $0.sql }.joined()
    }

    /// - Throws: `StoreError.damaged` for a row without an id or an author.
    mutating func row(_ statement: Statement) throws -> RecordRow {
        let text = statement.text(first + 1)
        if author?.text != text { author = DeviceKey(text: text).map { (text, $0) } }
        guard let id = RecordID(text: statement.text(first)), let creator = author?.key
        else { throw StoreError.damagedTable(statement.file, form.table) }
        return RecordRow(
            name: RecordName(form: form.formID, creator: creator, id: id),
            created: statement.integer(first + 2), updated: statement.integer(first + 3),
            state: statement.optionalText(first + 4),
            values: form.columns.indices.map {
                FieldValue(statement.value(first + 5 + Int32($0)))
            })
    }
}
