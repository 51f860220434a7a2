import ShareCore

/// What a version says beside its name, clock and parents.
struct VersionContent {
    struct Entry {
        let field: FormField
        let value: FieldValue
    }

    /// Sorted by field, for puts and edits.
    var values: [Entry] = []
    /// A review's state.
    var state: String?
    /// A review's note or a comment.
    var note: String?

    /// What the operation of `row` says.
    init(_ block: RecordsBlock, row: Int, definition: FormDefinition) {
        switch block.kind {
        case .put, .edit:
            for (column, place) in block.fields.enumerated() {
                let value = block.value(row: row, column: column)
                // A put leaves out what it has no value for; an edit clears it.
                if block.kind == .put, value == .absent { continue }
                values.append(Entry(field: definition.fields[place], value: value))
            }
            values.sort { $0.field < $1.field }
        case .delete, .restore: break
        case .review:
            if case .text(let text) = block.value(row: row, column: 0) { state = text }
            if case .text(let text) = block.value(row: row, column: 1) { note = text }
        case .comment:
            if case .text(let text) = block.value(row: row, column: 0) { note = text }
        }
    }

    init(values: [Entry]) { self.values = values }

    func writes(as kind: RecordsBlock.Kind) -> [RecordField] {
        switch kind {
        case .put, .edit: values.map { .field($0.field) }
        case .delete, .restore: [.deleted]
        case .review: [.reviewState]
        case .comment: []
        }
    }

    var encoded: [UInt8] {
        var writer = CBORWriter()
        writer.array(3)
        writer.array(values.count * 3)
        for entry in values {
            writer.write(text: entry.field.name)
            writer.write(Int(entry.field.type.rawValue))
            writer.write(entry.value)
        }
        for text in [state, note] {
            if let text { writer.write(text: text) } else { writer.writeNull() }
        }
        return writer.bytes
    }

    /// Reads what `encoded` wrote.
    init(encoded buffer: UnsafeRawBufferPointer) throws {
        var reader = CBORReader(buffer)
        try reader.readArray(exactly: 3)
        let count = try reader.readArray(upTo: Limits.fieldsPerForm * 3) / 3
        values.reserveCapacity(count)
        for _ in 0..<count {
            let name = try reader.readText(upTo: Limits.fieldName)
            guard let type = StorageType(rawValue: UInt8(try reader.readCount(upTo: 255))) else {
                throw StoreError.damaged("a version's type")
            }
            values.append(
                Entry(
                    field: FormField(name: name, type: type),
                    value: try FieldValue(reading: &reader, in: buffer)))
        }
        state = try VersionContent.optionalText(&reader)
        note = try VersionContent.optionalText(&reader)
        try reader.finish()
    }

    private static func optionalText(_ reader: inout CBORReader) throws -> String? {
        if reader.isNextNull {
            try reader.readNull()
            return nil
        }
        return try reader.readText(upTo: Limits.rawBody)
    }
}

extension FieldValue {
    /// Reads one value, its text copied out of `buffer`, which the reader walks over.
    init(reading reader: inout CBORReader, in buffer: UnsafeRawBufferPointer) throws {
        self.init(try reader.readCell(), in: buffer)
    }

    /// A value of which the text lies in `buffer`.
    init(_ cell: Cell, in buffer: UnsafeRawBufferPointer) {
        switch cell {
        case .absent: self = .absent
        case .integer(let value): self = .integer(value)
        case .decimal(let value): self = .decimal(value)
        case .text(let offset, let length):
            self = .text(
                String(decoding: buffer[Int(offset)..<Int(offset) + Int(length)], as: UTF8.self))
        }
    }
}
