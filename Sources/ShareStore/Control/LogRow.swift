import ShareCore
import ShareCrypto

/// A sealed batch of a log as its row says, without its bytes.
struct LogRow {
    let row: Int64
    let head: LogHead
    let previous: BatchID
    /// When it was sealed, by its author's clock; nil where the row holds no moment.
    let clock: Timestamp?
    let operations: Int
}

extension RoomWriter {
    /// Goes through the batches of a log by number. Rows whose ids cannot be read are passed
    /// over.
    func eachBatch(of author: Int64, _ kind: LogKind, _ body: (LogRow) throws -> Void) throws {
        let statement = try database.prepare(
            """
            SELECT number, id, previous, clock, operations, batch FROM _batch
            WHERE author = ?1 AND kind = ?2 AND state = 0 ORDER BY number
            """)
        try statement.bind([.integer(author), .integer(Int64(kind.rawValue))])
        while try statement.step() {
            guard let head = LogHead(statement.integer(0), statement.blob(1)),
                let previous = Digest(statement.blob(2))
            else { continue }
            try body(
                LogRow(
                    row: statement.integer(5), head: head, previous: BatchID(previous),
                    clock: UInt64(exactly: statement.integer(3)).flatMap(Timestamp.init(rawValue:)),
                    operations: Int(max(statement.integer(4), 0))))
        }
    }
}

extension LogHead {
    /// A head from a row; nil where the id is none.
    init?(_ number: Int64, _ id: [UInt8]) {
        guard let digest = Digest(id) else { return nil }
        self.init(number: UInt64(max(number, 0)), batch: BatchID(digest))
    }

    /// A head from two columns of a row; nil where they hold none.
    init?(_ number: SQLValue, _ id: SQLValue) {
        guard case .integer(let number) = number, case .blob(let id) = id else { return nil }
        self.init(number, id)
    }
}
