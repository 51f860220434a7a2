package import ShareCore
package import ShareCrypto

/// The batches of a room as they were at one moment, read one after the other over a connection
/// of its own: the writer goes on meanwhile.
package actor RoomArchive {
    /// Vector and digest of that moment; nil where the reader may not have everything.
    package nonisolated let state: (vector: Digest, digest: Digest)?
    private let database: Database
    private let excluded: Set<Int64>
    /// How many batches are left out, as they are passed on to nobody but owners.
    package nonisolated var excludedCount: Int { excluded.count }
    private let records: Int64?
    private let executor: QueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - excluded: rows of batches that are left out.
    ///   - records: the number of the one device whose records are read; nil for all.
    init(
        path: String, state: (vector: Digest, digest: Digest)?, excluded: Set<Int64>,
        records: Int64?, vfs: String?
    ) throws {
        executor = QueueExecutor(label: "room archive")
        let database = try Database(path: path, access: .readOnly, vfs: vfs)
        // From its first read on the view does not change; it ends with the connection.
        try database.execute("BEGIN")
        _ = try database.integer("SELECT batch FROM _batch LIMIT 1")
        self.database = database
        self.state = state
        self.excluded = excluded
        self.records = records
    }

    /// Calls `body` with the bytes of each batch until it returns false: control batches first,
    /// each after the one before it in its log.
    ///
    /// - Complexity: O(batches) time; memory for one batch.
    package func batches(_ body: @Sendable ([UInt8]) throws -> Bool) throws {
        for kind in LogKind.allCases {
            guard try batches(of: kind, body) else { return }
        }
    }

    /// By rows, which is the order in which they could be judged here. Only a device that has
    /// taken its own batches back can hold one before its predecessor; those come last.
    private func batches(
        of kind: LogKind, _ body: @Sendable ([UInt8]) throws -> Bool
    ) throws -> Bool {
        var last: [Int64: Int64] = [:]
        var late: [(number: Int64, row: Int64)] = []
        let statement = try database.prepare(
            """
            SELECT batch, author, number, bytes FROM _batch
            WHERE kind = ?1 AND state = 0 ORDER BY batch
            """)
        try statement.bind([.integer(Int64(kind.rawValue))])
        while try statement.step() {
            let (row, author, number) = (
                statement.integer(0), statement.integer(1), statement.integer(2)
            )
            guard !excluded.contains(row),
                kind == .control || records == nil || records == author
            else { continue }
            guard number <= last[author, default: 0] + 1 else {
                late.append((number, row))
                continue
            }
            last[author] = max(last[author, default: 0], number)
            guard try body(statement.blob(3)) else { return false }
        }
        for (_, row) in late.sorted(by: { $0 < $1 }) {
            guard
                case .blob(let bytes)? = try database.row(
                    "SELECT bytes FROM _batch WHERE batch = ?1", .integer(row))?.first
            else { continue }
            guard try body(bytes) else { return false }
        }
        return true
    }
}

/// A room that is not here, as control batches describe it: its founder and its members.
package struct RoomPreview: Sendable {
    package let founding: Batch
    /// As founded.
    package let name: String
    package let authority: Authority

    /// Nil where the founding batch is not among them, or founds nothing.
    package init?(_ batches: [Batch]) {
        guard let founding = batches.first(where: \.isFounding) else { return nil }
        let controls = batches.filter { $0.room == founding.room }.compactMap {
            ControlBatch($0, body: try? $0.openBody())
        }
        guard
            case .found(let found)? = controls.first(where: { $0.head == founding.head })?
                .entries.first?.operation
        else { return nil }
        self.founding = founding
        name = found.name
        authority = Authority(room: founding.room, batches: controls)
    }
}
