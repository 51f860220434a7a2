import ShareStore

/// Rows as they were in their file, in lines of CSV, for those that turn out to be wrong at the
/// end; long ones lie in a file of their own.
struct SourceRows: Sendable {
    /// Where the room's file is, beside which they lie.
    private let path: String
    private var file: SpillFile?
    /// Where each row begins, of all bytes.
    private var starts: [Int] = []
    private var last: [UInt8] = []
    /// Bytes that are in the file.
    private var written = 0

    private static let bytesInMemory = 1 << 20

    init(beside path: String) { self.path = path }

    /// - Throws: `SQLiteError` where the disk is full.
    mutating func append(_ row: [UInt8]) throws {
        if last.count > Self.bytesInMemory {
            let file = try file ?? SpillFile(beside: path)
            self.file = file
            _ = try file.append(last)
            written += last.count
            last.removeAll(keepingCapacity: true)
        }
        starts.append(written + last.count)
        last += row
    }

    /// A row by its place among those that were appended.
    func row(_ position: Int) throws -> [UInt8] {
        let end = position + 1 < starts.count ? starts[position + 1] : written + last.count
        let range = starts[position]..<end
        guard range.lowerBound < written else {
            return Array(last[range.lowerBound - written..<range.upperBound - written])
        }
        return try file?.read(range) ?? []
    }
}
