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
