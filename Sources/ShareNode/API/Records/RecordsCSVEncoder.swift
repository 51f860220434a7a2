import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Records as CSV that an import takes back without a change (docs/forms.md).
///
/// It has the fields of the definition in force: a column of a field that is gone would be an
/// unknown one on the way in.
struct RecordsCSVEncoder: RecordsEncoder {
    static let systemColumns = ["_id", "_author", "_created", "_updated", "_state"]

    private var writer: CSVWriter
    private let fields: [Form.Field]
    /// Of the record before: neighbours mostly have the same.
    private var author: (key: DeviceKey, text: String)?

    init(_ schema: FormSchema, _ options: CSVWriter.Options) {
        writer = CSVWriter(options)
        fields = schema.form.stored
    }

    var count: Int { writer.bytes.count }

    mutating func begin() {
        writer.row(RecordsCSVEncoder.systemColumns + fields.map(\.name))
    }

    mutating func append(_ row: RecordRow) {
        writer.text(row.name.id.text)
        if author?.key != row.name.creator {
            author = (row.name.creator, row.name.creator.text)
        }
        writer.text(author?.text ?? "")
        writer.text(RecordTimestamp.text(row.created))
        writer.text(RecordTimestamp.text(row.updated))
        if let state = row.state { writer.text(state) } else { writer.empty() }
        for (field, value) in zip(fields, row.values) {
            writer.value(value, isPercent: field.isPercent)
        }
        writer.endRow()
    }

    mutating func end() {}

    mutating func take() -> [UInt8] { writer.take() }
}
