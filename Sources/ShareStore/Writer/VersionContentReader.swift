import ShareCore

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
        for place in 0..<count {
            _ = try reader.readCell()
            _ = try reader.readCount(upTo: 255)
            let cell = try reader.readCell()
            guard place < fields.count else { continue }
            try body(Int(fields[place])) { FieldValue(cell, in: buffer) }
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
