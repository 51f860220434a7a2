import JSON
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Writes records one after the other as a document.
protocol RecordsEncoder: Sendable {
    /// Bytes written and not taken yet.
    var count: Int { get }

    /// What stands before the first record.
    mutating func begin()
    mutating func append(_ row: RecordRow)
    /// What stands behind the last one.
    mutating func end()
    /// Hands out what was written and starts anew.
    mutating func take() -> [UInt8]
}

/// Records as JSON objects: one document that is a list, or one object a line.
struct RecordsJSONEncoder: RecordsEncoder {
    enum Layout: Sendable { case list, lines }

    private let layout: Layout
    /// `,"name":` for each column.
    private let keys: [[UInt8]]
    private let isSeveral: [Bool]
    private var output = JSONWriter()
    private var isFirst = true
    /// Of the record before: neighbours mostly have the same.
    private var author: (key: DeviceKey, text: [UInt8])?

    init(_ schema: FormSchema, _ layout: Layout) {
        self.layout = layout
        keys = schema.names.map { name in
            var output = JSONWriter()
            output.raw(",")
            output.text(name)
            output.raw(":")
            return output.bytes
        }
        isSeveral = schema.info.columns.indices.map { schema.isSeveral($0) }
    }

    var count: Int { output.bytes.count }

    mutating func begin() { if layout == .list { output.raw("[") } }

    mutating func append(_ row: RecordRow) {
        if layout == .list, !isFirst { output.raw(",\n") }
        isFirst = false
        object(row)
        if layout == .lines { output.raw("\n") }
    }

    mutating func end() { if layout == .list { output.raw("]\n") } }

    mutating func take() -> [UInt8] { output.take() }

    /// One record alone.
    static func object(_ row: RecordRow, _ schema: FormSchema) -> [UInt8] {
        var encoder = RecordsJSONEncoder(schema, .lines)
        encoder.object(row)
        return encoder.take()
    }

    private mutating func object(_ row: RecordRow) {
        output.raw("{\"_id\":\"")
        let length = RecordID.textLength
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { buffer in
            row.name.id.write(to: buffer)
            output.bytes.append(contentsOf: UnsafeBufferPointer(buffer))
        }
        output.raw("\",\"_author\":\"")
        if author?.key != row.name.creator {
            author = (row.name.creator, Array(row.name.creator.text.utf8))
        }
        if let author { output.raw(author.text) }
        output.raw("\",\"_created\":\"")
        RecordTimestamp.append(row.created, to: &output.bytes)
        output.raw("\",\"_updated\":\"")
        RecordTimestamp.append(row.updated, to: &output.bytes)
        output.raw("\",\"_state\":")
        if let state = row.state { output.text(state) } else { output.null() }
        for (index, value) in row.values.enumerated() where index < keys.count {
            switch value {
            case .absent: continue
            case .integer(let number):
                output.raw(keys[index])
                output.integer(number)
            case .decimal(let number):
                output.raw(keys[index])
                output.decimal(number)
            case .text(let text):
                output.raw(keys[index])
                if isSeveral[index] { list(text) } else { output.text(text) }
            }
        }
        output.raw("}")
    }

    private mutating func list(_ text: String) {
        output.raw("[")
        for (index, choice) in text.split(separator: " ").enumerated() {
            if index > 0 { output.raw(",") }
            output.text(String(choice))
        }
        output.raw("]")
    }
}

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
