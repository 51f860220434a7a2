import ShareCore
import ShareCrypto

extension RoomWriter {
    /// The logs that have forked, by their names.
    ///
    /// - Complexity: nothing where no log has; O(batches of a log) for one whose heads are new.
    func forks() throws -> [LogFork] {
        let forked = state.logs.filter { $0.value.heads.count > 1 }
        knownForks = knownForks.filter { forked[$0.key]?.heads == $0.value.heads }
        for (name, log) in forked where knownForks[name] == nil {
            knownForks[name] = (log.heads, try placesTakenTwice(in: name))
        }
        return try knownForks.sorted { $0.key < $1.key }.map { name, known in
            LogFork(
                log: name, numbers: known.numbers, branches: known.heads.count,
                isRefused: try known.heads.count > Limits.headsPerLog
                    && isRefusedForBranches(name, known.heads))
        }
    }

    /// Whether a branch counts for nothing because the log has too many and nobody has named it.
    private func isRefusedForBranches(_ log: LogName, _ heads: [LogHead]) throws -> Bool {
        let authority = state.judgement.authority
        guard authority.cut(of: log) == nil, let author = try devices.find(log.author) else {
            return false
        }
        let ancestry = try ancestry(of: author, log.kind)
        return try ancestry.asked { ancestry in
            heads.contains {
                authority.standing(of: log.author, kind: log.kind, at: $0, in: ancestry)
                    == .refused(.forked)
            }
        }
    }

    private func placesTakenTwice(in log: LogName) throws -> [UInt64] {
        guard let author = try devices.find(log.author) else {
            throw StoreError.damaged("a log without its author")
        }
        let rows = try database.rows(
            """
            SELECT DISTINCT number FROM _batch WHERE author = ?1 AND kind = ?2 AND state = 0
            GROUP BY number, previous HAVING count(*) > 1 ORDER BY number LIMIT ?3
            """, .integer(author), .integer(Int64(log.kind.rawValue)),
            .integer(Int64(LogFork.mostPlaces)))
        return rows.compactMap {
            if case .integer(let number) = $0[0] { UInt64(exactly: number) } else { nil }
        }
    }
}
