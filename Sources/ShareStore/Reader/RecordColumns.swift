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

    /// Whether what the form has against a record comes along.
    private let hasFlags: Bool

    /// - Parameters:
    ///   - devices: those of the file that the rows are read from.
    ///   - hasFlags: wants a connection with `EntryFlags`.
    init(
        _ form: FormInfo, _ devices: DeviceTable, from first: Int32 = 0, hasFlags: Bool = false
    ) {
        self.form = form
        self.devices = devices
        self.first = first
        self.hasFlags = hasFlags
    }

    /// The columns to select.
    var sql: String { RecordColumns.sql(form, hasFlags: hasFlags) }

    /// The columns of a form's table to select.
    static func sql(_ form: FormInfo, hasFlags: Bool = false) -> String {
        "_id, _author, _created, _updated, _state"
            + form.columns.map { ", " + $0.sql }.joined()
            + (hasFlags
                ? ", \(EntryFlags.text("problems", form)), \(EntryFlags.text("warnings", form))"
                : "")
    }

    /// - Throws: `StoreError.damaged` for a row without an id or an author.
    mutating func row(_ statement: Statement) throws -> RecordRow {
        let number = statement.integer(first + 1)
        if author?.number != number { author = (number, try devices.key(of: number)) }
        guard let id = RecordID(text: statement.text(first)), let creator = author?.key
        else { throw StoreError.damagedTable(statement.file, form.table) }
        let last = first + 5 + Int32(form.columns.count)
        return RecordRow(
            name: RecordName(form: form.formID, creator: creator, id: id),
            created: statement.integer(first + 2), updated: statement.integer(first + 3),
            state: statement.optionalText(first + 4),
            flag: hasFlags
                ? EntryFlag(
                    problems: statement.optionalText(last),
                    warnings: statement.optionalText(last + 1)) : nil,
            values: form.columns.indices.map {
                FieldValue(statement.value(first + 5 + Int32($0)))
            })
    }
}
