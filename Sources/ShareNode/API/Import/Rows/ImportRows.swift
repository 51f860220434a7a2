import ShareCore
import ShareStore

/// Rows of an import with their types, packed: about as many bytes as they had in the file. Those
/// of a long file lie in a file of their own.
///
/// A chunk's bytes are at the same time what the store's cells point into.
struct ImportRows: Sendable {
    /// Rows of a chunk at most: what a batch holds.
    static let rowsPerChunk = 4_096
    private static let bytesPerChunk = 8 << 20
    /// Bytes that are kept in memory, beside the chunk that is being filled.
    private static let bytesInMemory = 8 << 20

    private enum Chunk: Sendable {
        case memory([UInt8])
        case file(Range<Int>)
    }

    /// Cells of a row.
    let width: Int
    private(set) var count = 0
    /// Where the room's file is, beside which long imports lie.
    private let path: String
    private var file: SpillFile?
    private var chunks: [Chunk] = []
    private var last: [UInt8] = []
    private var rowsInLast = 0
    private var bytesHeld = 0
    /// Where each row begins: its chunk, and the offset in there.
    private var starts: [(chunk: UInt32, offset: UInt32)] = []

    init(width: Int, beside path: String) {
        self.width = width
        self.path = path
    }

    /// Adds a row; `positions` says which values are its cells.
    ///
    /// - Throws: `SQLiteError` where the disk is full.
    mutating func append(_ values: [FieldValue], at positions: [Int]) throws {
        if rowsInLast == ImportRows.rowsPerChunk || last.count > ImportRows.bytesPerChunk {
            try closeChunk()
        }
        starts.append((UInt32(chunks.count), UInt32(last.count)))
        ImportRows.write(values, at: positions, to: &last)
        rowsInLast += 1
        count += 1
    }

    private mutating func closeChunk() throws {
        if bytesHeld + last.count <= ImportRows.bytesInMemory {
            bytesHeld += last.count
            chunks.append(.memory(last))
        } else {
            let file = try file ?? SpillFile(beside: path)
            self.file = file
            let start = try file.append(last)
            chunks.append(.file(start..<start + last.count))
        }
        rowsInLast = 0
        // Memory that is taken anew has to be cleared by the system first.
        guard case .memory = chunks.last else { return last.removeAll(keepingCapacity: true) }
        let size = last.count
        last = []
        last.reserveCapacity(size * 9 / 8)
    }

    private func bytes(of chunk: Int) throws -> [UInt8] {
        guard chunk < chunks.count else { return last }
        switch chunks[chunk] {
        case .memory(let bytes): return bytes
        case .file(let range): return try file?.read(range) ?? []
        }
    }

    // MARK: One row

    /// Lends the bytes of a row, alike for alike values and no others; more may follow them.
    func withRow<R>(_ row: Int, _ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
        let start = starts[row]
        let chunk = Int(start.chunk)
        if chunk < chunks.count, case .file(let range) = chunks[chunk], let file {
            let isLast = row + 1 == starts.count || starts[row + 1].chunk != start.chunk
            let end = isLast ? range.count : Int(starts[row + 1].offset)
            return try file.read(range.lowerBound + Int(start.offset)..<range.lowerBound + end)
                .withUnsafeBytes(body)
        }
        return try bytes(of: chunk).withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[Int(start.offset)...]))
        }
    }

    /// The values of a row.
    func values(_ row: Int) throws -> [FieldValue] {
        try withRow(row) { bytes in
            var offset = 0
            return (0..<width).map { _ in
                switch ImportRows.cell(bytes, &offset) {
                case .absent: .absent
                case .integer(let value): .integer(value)
                case .decimal(let value): .decimal(value)
                case .text(let start, let length):
                    .text(
                        String(
                            decoding: bytes[Int(start)..<Int(start + length)], as: UTF8.self))
                }
            }
        }
    }

    /// Some rows as the store takes them: the first of `rows` and those after it in its chunk.
    ///
    /// - Returns: the rows laid out, and how many of `rows` they are.
    func laidOut(
        _ rows: ArraySlice<Int32>, definition: OperationName, fields: [Int]
    ) throws -> (rows: NewRows, count: Int)? {
        guard let first = rows.first else { return nil }
        let chunk = starts[Int(first)].chunk
        let taken = rows.prefix { starts[Int($0)].chunk == chunk }
        let storage = try bytes(of: Int(chunk))
        var cells: [Cell] = []
        cells.reserveCapacity(taken.count * width)
        storage.withUnsafeBytes { bytes in
            for row in taken {
                var offset = Int(starts[Int(row)].offset)
                for _ in 0..<width { cells.append(ImportRows.cell(bytes, &offset)) }
            }
        }
        return (
            NewRows(
                definition: definition, fields: fields, count: taken.count, cells: cells,
                storage: storage), taken.count
        )
    }

    // MARK: Bytes

    /// A kind, then 8 bytes of a number, or a length of 4 bytes and the text.
    static func write(_ values: [FieldValue], at positions: [Int], to bytes: inout [UInt8]) {
        for position in positions {
            switch values[position] {
            case .absent: bytes.append(0)
            case .integer(let value): write(1, value, to: &bytes)
            case .decimal(let value): write(2, value.bitPattern, to: &bytes)
            case .text(var text):
                text.withUTF8 { utf8 in
                    write(3, UInt32(utf8.count), to: &bytes)
                    bytes.append(contentsOf: utf8)
                }
            }
        }
    }

    /// A kind and a number, as they lie in memory, at once: nine cells of each row come through.
    private static func write(
        _ kind: UInt8, _ number: some FixedWidthInteger, to bytes: inout [UInt8]
    ) {
        withUnsafeTemporaryAllocation(byteCount: 9, alignment: 8) { buffer in
            buffer.storeBytes(of: kind, as: UInt8.self)
            buffer.storeBytes(of: number, toByteOffset: 1, as: type(of: number))
            let count = 1 + number.bitWidth / 8
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Reads the cell at `offset` and steps over it.
    static func cell(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Cell {
        let kind = bytes[offset]
        offset += 1
        switch kind {
        case 1:
            defer { offset += 8 }
            return .integer(bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
        case 2:
            defer { offset += 8 }
            let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            return .decimal(Double(bitPattern: bits))
        case 3:
            let length = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            offset += 4
            defer { offset += Int(length) }
            return .text(offset: UInt32(offset), length: length)
        default: return .absent
        }
    }
}
