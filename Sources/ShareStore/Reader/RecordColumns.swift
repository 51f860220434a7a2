import ShareCore
import ShareCrypto

/// Reads records from rows that hold what every record has, then its fields.
struct RecordColumns {
    private let form: FormInfo
    private let devices: DeviceTable
    /// Where the first column stands.
    private let first: Int32
    /// The author of the row before: neighbours mostly have the same.
    private var author: (number: Int64, key: DeviceKey)?

    /// - Parameter devices: those of the file that the rows are read from.
    init(_ form: FormInfo, _ devices: DeviceTable, from first: Int32 = 0) {
        self.form = form
        self.devices = devices
        self.first = first
    }

    /// The columns to select.
    var sql: String { RecordColumns.sql(form) }

    /// The columns of a form's table to select.
    static func sql(_ form: FormInfo) -> String {
        "_id, _author, _created, _updated, _state"
            + form.columns.map { ", " + $0.sql }.joined()
    }

    /// - Throws: `StoreError.damaged` for a row without an id or an author.
    mutating func row(_ statement: Statement) throws -> RecordRow {
        let number = statement.integer(first + 1)
        if author?.number != number { author = (number, try devices.key(of: number)) }
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
