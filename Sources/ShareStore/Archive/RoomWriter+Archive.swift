import ShareCore
import ShareCrypto

/// What of a room leaves in a file.
extension RoomWriter {
    /// The room as it is now.
    ///
    /// - Parameters:
    ///   - reader: whom the file is for, by the rules for a session with it; nil: any member.
    ///   - isWhole: whether what is passed on to nobody comes along too.
    func archive(for reader: DeviceKey?, isWhole: Bool) throws -> RoomArchive {
        var records: Int64?
        if let reader, state.judgement.authority.currentRole(of: reader) == .contributor {
            // Without a record of its own it has no number, and no batch has this one.
            records = try devices.find(reader) ?? 0
        }
        let view = try view()
        // While records follow a change of authority the state is on its way to another one.
        let isComparable = records == nil && !view.isSettling
        return try RoomArchive(
            path: path, state: isComparable ? (view.vector, view.digest) : nil,
            excluded: isWhole ? [] : try rowsBeyondCuts(), records: records, vfs: vfs)
    }

    /// The rows of batches that do not count any more, or whose author has no grant any more.
    private func rowsBeyondCuts() throws -> Set<Int64> {
        var rows: Set<Int64> = []
        for log in state.logs.keys {
            guard let author = try devices.find(log.author) else { continue }
            guard state.judgement.isKnown(log.author) else {
                let unknown = try database.rows(
                    "SELECT batch FROM _batch WHERE author = ?1 AND kind = ?2 AND state = 0",
                    .integer(author), .integer(Int64(log.kind.rawValue)))
                for case .integer(let row)? in unknown.map(\.first) { rows.insert(row) }
                continue
            }
            guard let cut = state.judgement.authority.cut(of: log) else { continue }
            let line = try ancestry(of: author, log.kind)
            let statement = try database.prepare(
                """
                SELECT batch, number, id FROM _batch
                WHERE author = ?1 AND kind = ?2 AND state = 0
                """)
            try statement.bind([.integer(author), .integer(Int64(log.kind.rawValue))])
            while try statement.step() {
                guard let id = Digest(statement.blob(2)) else { continue }
                let head = LogHead(
                    number: UInt64(max(statement.integer(1), 0)), batch: BatchID(id))
                if !isCovered(head, by: cut, in: line) { rows.insert(statement.integer(0)) }
            }
        }
        return rows
    }
}
