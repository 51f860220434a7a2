import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Writes records one after the other as a document.
protocol RecordsEncoder: Sendable {
    /// Bytes written and not taken yet.
    var count: Int { get }
    /// Whether it writes the rows of repeats with their records.
    var isWhole: Bool { get }

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

    /// A form, or one of the repeats in it.
    private struct Shape: Sendable {
        /// `,"name":` for each column; nil for those that the place in the document says.
        let keys: [[UInt8]?]
        let isSeveral: [Bool]
        let repeats: [(key: [UInt8], shape: Shape, isWanted: Bool)]

        /// - Parameter isInside: whether its rows lie in their entries, which say whose they are.
        init(_ schema: FormSchema, only columns: [String]? = nil, isInside: Bool = false) {
            let own = isInside ? FormDefinition.repeatFields.map(\.name) : []
            // Two devices may have made a question and a repeat of one name.
            let repeats = Set(schema.repeats.map(\.info.name))
            keys = zip(schema.names, schema.info.columns).map { name, column in
                if repeats.contains(name) { return Shape.key("\(name)_\(column.field.type.name)") }
                let isWanted = columns?.contains(name) ?? !own.contains(name)
                return isWanted ? Shape.key(name) : nil
            }
            isSeveral = schema.info.columns.indices.map { schema.isSeveral($0) }
            self.repeats = schema.repeats.map {
                (
                    Shape.key($0.info.name), Shape($0, isInside: true),
                    columns?.contains($0.info.name) ?? true
                )
            }
        }

        private static func key(_ name: String) -> [UInt8] {
            var output = JSONWriter()
            output.raw(",")
            output.text(name)
            output.raw(":")
            return output.bytes
        }
    }

    private let layout: Layout
    private let shape: Shape
    private let schema: FormSchema
    private let names: [DeviceKey: String]
    private let head: ListHead?
    /// The fields that hold entries of other forms, by their places in `form.stored`.
    private let chosen: [Int]
    /// Of the rows of a repeat.
    private var entries: RowEntryNames?
    private var output = JSONWriter()
    private var isFirst = true
    /// Of the record before, with its name: neighbours mostly have the same.
    private var author: (key: DeviceKey, text: [UInt8])?

    /// - Parameters:
    ///   - names: of the devices that made records.
    ///   - head: what a list begins with, before its first record.
    ///   - columns: the fields wanted; nil for all.
    ///   - entry: of a repeat, the form of the entries that its rows are in.
    init(
        _ schema: FormSchema, _ layout: Layout, names: [DeviceKey: String] = [:],
        head: ListHead? = nil, columns: [String]? = nil, entry: FormSchema? = nil
    ) {
        self.layout = layout
        self.names = names
        self.head = head
        shape = Shape(schema, only: columns)
        chosen = schema.form.stored.indices.filter { schema.holdsEntries(at: $0) }
        entries = entry.map { RowEntryNames(schema.info.formID, in: $0) }
        self.schema = schema
    }

    var isWhole: Bool { shape.repeats.contains { $0.isWanted } }

    var count: Int { output.bytes.count }

    mutating func begin() {
        guard layout == .list else { return }
        output.raw("[")
        guard let head else { return }
        output.raw(head.jsonText)
        isFirst = false
    }

    mutating func append(_ row: RecordRow) {
        if layout == .list, !isFirst { output.raw(",\n") }
        isFirst = false
        object(row)
        if layout == .lines { output.raw("\n") }
    }

    mutating func end() { if layout == .list { output.raw("]\n") } }

    mutating func take() -> [UInt8] { output.take() }

    /// One record alone.
    static func object(
        _ row: RecordRow, _ schema: FormSchema, names: [DeviceKey: String]
    ) -> [UInt8] {
        var encoder = RecordsJSONEncoder(schema, .lines, names: names)
        encoder.object(row)
        return encoder.take()
    }

    private mutating func object(_ row: RecordRow) {
        output.raw("{\"_id\":\"")
        row.name.id.append(to: &output.bytes)
        output.raw("\",\"_author\":")
        if author?.key != row.name.creator {
            let name = names[row.name.creator].json.text
            author = (
                row.name.creator,
                row.name.creator.text.json.text + Array(",\"_author_name\":".utf8) + name
            )
        }
        if let author { output.raw(author.text) }
        output.raw(",\"_created\":\"")
        RecordTimestamp.append(row.created, to: &output.bytes)
        output.raw("\",\"_updated\":\"")
        RecordTimestamp.append(row.updated, to: &output.bytes)
        if let trail = row.trail {
            output.raw("\",\"_updated_by\":")
            output.text(names[trail.changer] ?? trail.changer.short)
            output.raw(",\"_sent\":")
            output.raw(trail.isSent ? "true" : "false")
            if let device = row.deletedBy {
                output.raw(",\"_deleted_by\":")
                output.text(device.text)
            }
            if trail.isAlone { output.raw(",\"_alone\":true") }
            if trail.hasWithheldChange { output.raw(",\"_change_withheld\":true") }
            if trail.comments > 0 {
                output.raw(",\"_comment_count\":")
                output.integer(Int64(trail.comments))
            }
            if trail.isInConflict { output.raw(",\"_in_conflict\":true") }
            if trail.isChangedSinceReview { output.raw(",\"_changed_since_review\":true") }
            output.raw(",\"_state\":")
        } else {
            output.raw("\",\"_state\":")
        }
        if let state = row.state { output.text(state) } else { output.null() }
        if let name = schema.namer?.name(of: row, schema) {
            output.raw(",\"_name\":")
            output.text(name)
        }
        if let problems = row.flag?.problems {
            output.raw(",\"_valid\":false,\"_problems\":")
            output.raw(Array(problems.utf8))
        }
        if let warnings = row.flag?.warnings {
            output.raw(",\"_warnings\":")
            output.raw(Array(warnings.utf8))
        }
        values(of: row, shape)
        // For people, also of what stands in no table yet.
        if head != nil { called(in: row) }
        output.raw("}")
    }

    /// What the entries are called that a record has chosen, or that a row is in: people do not know
    /// them by their ids.
    private mutating func called(in row: RecordRow) {
        var isFirst = true
        func add(_ name: String, _ text: String) {
            output.raw(isFirst ? ",\"_called\":{" : ",")
            isFirst = false
            output.text(name)
            output.raw(":")
            output.text(text)
        }
        if let name = entries?.name(of: row.values.first) { add("_parent", name) }
        for place in chosen where place < row.values.count && row.values[place] != .absent {
            add(schema.names[place], schema.parser.label(row.values[place], at: place))
        }
        if !isFirst { output.raw("}") }
    }

    private mutating func values(of row: RecordRow, _ shape: Shape) {
        for (index, value) in row.values.enumerated() where index < shape.keys.count {
            guard value != .absent, let key = shape.keys[index] else { continue }
            output.raw(key)
            switch value {
            case .absent: continue
            case .integer(let number): output.integer(number)
            case .decimal(let number): output.decimal(number)
            case .text(let text):
                if shape.isSeveral[index] { list(text) } else { output.text(text) }
            }
        }
        for (part, rows) in zip(shape.repeats, row.repeats) where part.isWanted && !rows.isEmpty {
            output.raw(part.key)
            for (index, row) in rows.enumerated() {
                output.raw(index == 0 ? "[{\"_id\":\"" : ",{\"_id\":\"")
                row.name.id.append(to: &output.bytes)
                output.raw("\"")
                if row.values.count > 1, case .integer(let position) = row.values[1],
                    position != Int64(index + 1)
                {
                    output.raw(",\"_index\":")
                    output.integer(position)
                }
                values(of: row, part.shape)
                output.raw("}")
            }
            output.raw("]")
        }
    }

    /// Choices as a list; a text that is none of names with one space between them stays as it is.
    private mutating func list(_ text: String) {
        let parts = text.utf8.split(separator: 0x20, omittingEmptySubsequences: false)
        guard !parts.contains(where: \.isEmpty) else { return output.text(text) }
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
/// Fields of earlier versions come last; an import passes them over.
struct RecordsCSVEncoder: RecordsEncoder {
    static let systemColumns = [
        "_id", "_author", "_author_name", "_created", "_updated", "_state",
    ]

    private var writer: CSVWriter
    private let fields: [Form.Field]
    private let names: [DeviceKey: String]
    private let hasUnits: Bool
    private let isRepeat: Bool
    /// Columns of fields that the form in force does not have.
    private let earlier: [String]
    /// How many values come before those of `earlier`.
    private let current: Int
    /// Of the record before: neighbours mostly have the same.
    private var author: (key: DeviceKey, id: [UInt8], name: String)?

    /// - Parameters:
    ///   - names: of the devices that made records.
    ///   - hasUnits: whether a percent sign stands behind numbers of percent.
    ///   - isCurrent: whether fields of earlier versions are left out.
    init(
        _ schema: FormSchema, _ options: CSVWriter.Options, names: [DeviceKey: String],
        hasUnits: Bool, isCurrent: Bool = false
    ) {
        writer = CSVWriter(options)
        self.names = names
        self.hasUnits = hasUnits
        current = schema.form.stored.count
        earlier = isCurrent ? [] : schema.earlierFields
        isRepeat = schema.form.isRepeat
        fields = isRepeat ? Array(schema.form.stored.dropFirst()) : schema.form.stored
    }

    var count: Int { writer.bytes.count }
    var isWhole: Bool { false }

    mutating func begin() {
        let own =
            isRepeat
            ? [ImportColumns.parentKey, ImportColumns.key] : RecordsCSVEncoder.systemColumns
        writer.row(own + fields.map(\.name) + earlier)
    }

    mutating func append(_ row: RecordRow) {
        guard !isRepeat else { return appendRow(row) }
        writer.plain { row.name.id.append(to: &$0) }
        let creator = row.name.creator
        if author?.key != creator {
            author = (creator, Array(creator.text.utf8), names[creator] ?? "")
        }
        if let author {
            writer.plain { $0.append(contentsOf: author.id) }
            writer.text(author.name)
        }
        writer.plain { RecordTimestamp.append(row.created, to: &$0) }
        writer.plain { RecordTimestamp.append(row.updated, to: &$0) }
        if let state = row.state { writer.text(state) } else { writer.empty() }
        for (field, value) in zip(fields, row.values) {
            writer.value(value, isPercent: hasUnits && field.isPercent)
        }
        appendEarlier(row)
        writer.endRow()
    }

    /// A row of a repeat: the ids of its entry and of itself, then its place and its values.
    private mutating func appendRow(_ row: RecordRow) {
        if case .text(let parent)? = row.values.first {
            writer.text(String(parent.suffix(RecordID.textLength)))
        } else {
            writer.empty()
        }
        writer.plain { row.name.id.append(to: &$0) }
        for (field, value) in zip(fields, row.values.dropFirst()) {
            writer.value(value, isPercent: field.isPercent)
        }
        appendEarlier(row)
        writer.endRow()
    }

    private mutating func appendEarlier(_ row: RecordRow) {
        guard !earlier.isEmpty else { return }
        for value in row.values.dropFirst(current) { writer.value(value, isPercent: false) }
    }

    mutating func end() {}

    mutating func take() -> [UInt8] { writer.take() }
}
