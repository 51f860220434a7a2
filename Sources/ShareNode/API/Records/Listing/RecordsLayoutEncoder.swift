import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Records as CSV in columns that somebody chose, or that another program has (docs/analysis.md).
struct RecordsLayoutEncoder: RecordsEncoder {
    /// A column of the file.
    struct Column: Sendable {
        enum Source: Sendable {
            case id, author, authorName, created, updated, state
            /// What the version of the form is called under which it was made.
            case formVersion
            /// The id with `uuid:` in front, and that of what a row of a repeat belongs to.
            case key, parentKey
            /// The id alone of what a row of a repeat belongs to, and of the entry that it lies in.
            case parentID, entryID
            /// The place in this file, from 1, and that of what a row belongs to in its own file.
            case place, parentPlace
            case value(Int, isPercent: Bool)
            /// A number of a place: latitude, longitude, altitude, accuracy.
            case part(Int, Int)
            /// 1 where a choice is among those chosen, 0 where others are.
            case chosen(Int, String)
            case text(String)
        }

        let title: String
        let source: Source
    }

    /// What rows of a repeat belong to, by its id.
    typealias Parents = [RecordID: (place: Int, entry: RecordID)]

    private let parents: Parents
    private var place: Int64 = 0
    private let columns: [Column]
    private let names: [DeviceKey: String]
    private let versions: [OperationName: String]
    private var writer: CSVWriter

    /// - Parameter versions: of the form, for `Column.Source.formVersion`.
    init(
        _ columns: [Column], _ options: CSVWriter.Options, names: [DeviceKey: String],
        parents: Parents = [:], versions: [FormInfo.Root] = []
    ) {
        self.parents = parents
        self.versions = Dictionary(
            versions.map { ($0.definition, $0.form.version) }, uniquingKeysWith: { one, _ in one })
        self.columns = columns
        self.names = names
        writer = CSVWriter(options)
    }

    var count: Int { writer.bytes.count }
    var isWhole: Bool { false }

    mutating func begin() { writer.row(columns.map(\.title)) }
    mutating func end() {}
    mutating func take() -> [UInt8] { writer.take() }

    mutating func append(_ row: RecordRow) {
        place += 1
        for column in columns {
            switch column.source {
            case .id: writer.plain { row.name.id.append(to: &$0) }
            case .author: writer.text(row.name.creator.text)
            case .authorName: writer.text(names[row.name.creator] ?? "")
            case .created: writer.plain { RecordTimestamp.append(row.created, to: &$0) }
            case .updated: writer.plain { RecordTimestamp.append(row.updated, to: &$0) }
            case .state: writer.text(row.state ?? "")
            case .formVersion: writer.text(row.madeUnder.flatMap { versions[$0] } ?? "")
            case .key:
                writer.plain {
                    $0.append(contentsOf: "uuid:".utf8)
                    row.name.id.append(to: &$0)
                }
            case .parentKey: writer.text(Self.parent(row).map { "uuid:" + $0 } ?? "")
            case .parentID: writer.text(Self.parent(row) ?? "")
            case .entryID: writer.text(parent(of: row)?.entry.text ?? "")
            case .place: writer.integer(place)
            case .parentPlace:
                if let parent = parent(of: row) {
                    writer.integer(Int64(parent.place))
                } else {
                    writer.empty()
                }
            case .value(let index, let isPercent):
                writer.value(row.values[index], isPercent: isPercent)
            case .part(let index, let part):
                guard case .text(let text) = row.values[index] else {
                    writer.empty()
                    continue
                }
                let numbers = text.split(separator: " ")
                if part < numbers.count { writer.number(numbers[part]) } else { writer.empty() }
            case .chosen(let index, let choice):
                guard case .text(let text) = row.values[index] else {
                    writer.empty()
                    continue
                }
                writer.integer(text.split(separator: " ").contains { $0 == choice } ? 1 : 0)
            case .text(let text): writer.text(text)
            }
        }
        writer.endRow()
    }

    private func parent(of row: RecordRow) -> (place: Int, entry: RecordID)? {
        Self.parent(row).flatMap { RecordID(text: $0) }.flatMap { parents[$0] }
    }

    /// The id of what a row of a repeat belongs to.
    private static func parent(_ row: RecordRow) -> String? {
        guard case .text(let parent)? = row.values.first else { return nil }
        return String(parent.suffix(RecordID.textLength))
    }
}

extension RecordsLayoutEncoder {
    /// What every record has, by the names of its columns.
    private static let own: [(name: String, source: Column.Source)] = [
        ("_id", .id), ("_author", .author), ("_author_name", .authorName), ("_created", .created),
        ("_updated", .updated), ("_state", .state),
    ]

    /// Columns by their names.
    ///
    /// - Throws: `ValueError.unknownField` with the nearest name.
    static func columns(
        named names: [String], of schema: FormSchema, hasUnits: Bool
    ) throws -> [Column] {
        try names.map { name in
            if let own = own.first(where: { $0.name == name }) {
                return Column(title: name, source: own.source)
            }
            if name == ImportColumns.key { return Column(title: name, source: .id) }
            if schema.form.isRepeat, name == ImportColumns.parentKey {
                return Column(title: name, source: .parentID)
            }
            let index = try schema.names.firstIndex(of: name) ?? schema.parser.position(of: name)
            let fields = schema.form.stored
            return Column(
                title: schema.names[index],
                source: .value(
                    index,
                    isPercent: hasUnits && index < fields.count && fields[index].isPercent))
        }
    }

    /// The columns that files of another program have.
    static func columns(
        _ convention: ColumnConvention, of schema: FormSchema
    ) -> [Column] {
        switch convention {
        case .central: central(schema)
        case .kobo: kobo(schema)
        }
    }

    /// Fields with the names of their groups, of a repeat from the repeat on.
    private static func fields(
        _ schema: FormSchema, _ separator: String
    ) -> [(index: Int, title: String, group: String, field: Form.Field)] {
        let own = schema.form.isRepeat ? FormDefinition.repeatFields.count : 0
        return schema.form.stored.enumerated().dropFirst(own).map { index, field in
            let groups = ImportColumns.groups(of: field, in: schema.form)
            let group = groups.map { $0 + separator }.joined()
            return (index, group + field.name, group, field)
        }
    }

    /// As ODK Central has them.
    private static func central(_ schema: FormSchema) -> [Column] {
        var columns: [Column] = []
        if !schema.form.isRepeat {
            columns.append(Column(title: "SubmissionDate", source: .created))
        }
        for (index, title, _, field) in fields(schema, "-") {
            guard field.kind == .geopoint else {
                columns.append(Column(title: title, source: .value(index, isPercent: false)))
                continue
            }
            columns += ImportColumns.centralParts.enumerated().map {
                Column(title: title + $1, source: .part(index, $0))
            }
        }
        guard !schema.form.isRepeat else {
            return columns + [
                Column(title: ImportColumns.parentKey, source: .parentKey),
                Column(title: ImportColumns.key, source: .key),
            ]
        }
        return columns + [
            Column(title: "meta-instanceID", source: .key),
            Column(title: ImportColumns.key, source: .key),
            Column(title: "SubmitterID", source: .author),
            Column(title: "SubmitterName", source: .authorName),
            Column(title: "AttachmentsPresent", source: .text("0")),
            Column(title: "AttachmentsExpected", source: .text("0")),
            Column(title: "Status", source: .text("")),
            Column(title: "ReviewState", source: .state),
            Column(title: "DeviceID", source: .author),
            Column(title: "Edits", source: .text("")),
            Column(title: "FormVersion", source: .formVersion),
        ]
    }

    /// As KoboToolbox has them, with a column for each choice of several.
    private static func kobo(_ schema: FormSchema) -> [Column] {
        var columns: [Column] = []
        for (index, title, group, field) in fields(schema, "/") {
            columns.append(Column(title: title, source: .value(index, isPercent: false)))
            if field.kind == .geopoint {
                columns += ImportColumns.koboParts.enumerated().map {
                    Column(title: "\(group)_\(field.name)\($1)", source: .part(index, $0))
                }
            }
            guard field.kind.isSeveral else { continue }
            let choices = field.list.flatMap { schema.form.list(named: $0) }?.choices ?? []
            // A file of thousands of columns is of use to nobody.
            guard choices.count <= mostChoiceColumns else { continue }
            columns += choices.map {
                Column(title: "\(title)/\($0.name)", source: .chosen(index, $0.name))
            }
        }
        if schema.form.isRepeat {
            let parent = FormDefinition.parentForm(of: schema.info.formID) ?? ""
            return columns + [
                Column(title: "_index", source: .place),
                Column(
                    title: "_parent_table_name",
                    source: .text(parent.split(separator: "/").last.map(String.init) ?? "")),
                Column(title: ImportColumns.koboParentPlace, source: .parentPlace),
                Column(title: ImportColumns.koboEntry, source: .entryID),
                // It has none of these two, and passes over them.
                Column(title: ImportColumns.koboParent, source: .parentID),
                Column(title: "_uuid", source: .id),
            ]
        }
        return columns + [
            Column(title: "_uuid", source: .id),
            Column(title: "__version__", source: .formVersion),
            Column(title: "_submission_time", source: .created),
            Column(title: "_validation_status", source: .state),
            Column(title: "_submitted_by", source: .authorName),
            Column(title: "_index", source: .place),
        ]
    }

    private static let mostChoiceColumns = 200
}
