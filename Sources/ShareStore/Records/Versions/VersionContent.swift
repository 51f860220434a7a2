import ShareCore

/// The content of a version, beside its name, clock and parents.
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

    /// What it gives a field; a decimal may have been a whole number in its version of the form.
    func value(of field: FormField) -> FieldValue {
        if let own = values.first(where: { $0.field == field }) { return own.value }
        guard field.type == .decimal else { return .absent }
        let whole = FormField(name: field.name, type: .integer)
        return values.first { $0.field == whole }?.value.asDecimal ?? .absent
    }

    /// The content of the operation of `row`.
    init(_ block: RecordsBlock, row: Int, definition: FormDefinition) {
        switch block.kind {
        case .put, .edit:
            for (column, position) in block.fields.enumerated() {
                let value = block.value(row: row, column: column)
                // A put leaves out what it has no value for; an edit clears it.
                if block.kind == .put, value == .absent { continue }
                values.append(Entry(field: definition.fields[position], value: value))
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

/// Walks over what a version says, as `VersionContent` has encoded it, without keeping any of it.
struct VersionContentReader {
    private let buffer: UnsafeRawBufferPointer

    init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

    /// Calls `body` with each field that the version writes, in order, and a way to its value.
    ///
    /// - Parameter fields: the numbers of these fields, in the same order.
    func each(
        of fields: [Int32], _ body: (Int, () throws -> FieldValue) throws -> Void
    ) throws {
        var reader = CBORReader(buffer)
        try reader.readArray(exactly: 3)
        let count = try reader.readArray(upTo: Limits.fieldsPerForm * 3) / 3
        if count == 0, fields.count == 1 {
            // A review, or a decision about the record itself.
            try body(Int(fields[0])) {
                try VersionContent(encoded: buffer).state.map { .text($0) } ?? .absent
            }
            return
        }
        for position in 0..<count {
            _ = try reader.readCell()
            _ = try reader.readCount(upTo: 255)
            let cell = try reader.readCell()
            guard position < fields.count else { continue }
            try body(Int(fields[position])) { FieldValue(cell, in: buffer) }
        }
    }

    /// Adds names and types of the fields that a put or an edit writes to `key`, as they are
    /// encoded: alike for versions that write the same.
    func appendNames(to key: inout [UInt8]) throws {
        var reader = CBORReader(buffer)
        try reader.readArray(exactly: 3)
        let count = try reader.readArray(upTo: Limits.fieldsPerForm * 3) / 3
        for _ in 0..<count {
            guard case .text(let offset, let length) = try reader.readCell() else {
                throw StoreError.damaged("a version's field")
            }
            key.append(UInt8(truncatingIfNeeded: length))
            key.append(contentsOf: buffer[Int(offset)..<Int(offset) + Int(length)])
            key.append(UInt8(truncatingIfNeeded: try reader.readCount(upTo: 255)))
            _ = try reader.readCell()
        }
    }
}

/// Finds the shape of one version after another, most of which are like the one before.
struct VersionShapes {
    private var last: (kind: RecordsBlock.Kind, names: [UInt8], shape: Int)?
    private var names: [UInt8] = []

    /// The number of what a version writes.
    ///
    /// - Parameter content: what it says, encoded.
    mutating func shape(
        _ kind: RecordsBlock.Kind, _ content: UnsafeRawBufferPointer,
        in versions: inout RecordVersions
    ) throws -> Int {
        names.removeAll(keepingCapacity: true)
        if kind == .put || kind == .edit {
            try VersionContentReader(content).appendNames(to: &names)
        }
        if let last, last.kind == kind, last.names == names { return last.shape }
        let writes = try VersionContent(encoded: content).writes(as: kind)
        let shape = versions.shape(kind, writing: writes)
        last = (kind, names, shape)
        return shape
    }
}
