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
            knownForks[name] = (log.heads, try fork(name, branches: log.heads.count))
        }
        return knownForks.sorted { $0.key < $1.key }.map(\.value.fork)
    }

    private func fork(_ log: LogName, branches: Int) throws -> LogFork {
        guard let author = try devices.find(log.author) else {
            throw StoreError.damaged("a log without its author")
        }
        let rows = try database.rows(
            """
            SELECT DISTINCT number FROM _batch WHERE author = ?1 AND kind = ?2 AND state = 0
            GROUP BY number, previous HAVING count(*) > 1 ORDER BY number LIMIT ?3
            """, .integer(author), .integer(Int64(log.kind.rawValue)),
            .integer(Int64(LogFork.mostPlaces)))
        return LogFork(
            log: log,
            numbers: rows.compactMap {
                if case .integer(let number) = $0[0] { UInt64(exactly: number) } else { nil }
            }, branches: branches)
    }
}
