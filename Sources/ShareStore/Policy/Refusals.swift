import ShareCore

/// Notes on operations that have no effect, or none yet: `_refused` and `_waiting`, one row for
/// those of a batch that follow each other and come to the same, and `_refused_record` for the
/// histories of records.
struct Refusals {
    let database: Database

    func refuse(_ local: LocalName, count: Int, _ refusal: Refusal, what: String) throws {
        try database.run(
            "INSERT OR REPLACE INTO _refused(operation, count, reason, what) VALUES(?1,?2,?3,?4)",
            .integer(local.rawValue), .integer(Int64(count)), .text(refusal.rawValue), .text(what))
    }

    /// Lets the history of a record find a refused operation on it.
    func note(_ local: LocalName, on record: RecordID) throws {
        try database.run(
            "INSERT OR IGNORE INTO _refused_record(id, operation) VALUES(?1, ?2)",
            .blob(record.bytes), .integer(local.rawValue))
    }

    func wait(_ local: LocalName, count: Int, for waiting: Waiting, key: [UInt8]) throws {
        try database.run(
            "INSERT OR REPLACE INTO _waiting(operation, count, reason, key) VALUES(?1,?2,?3,?4)",
            .integer(local.rawValue), .integer(Int64(count)), .text(waiting.rawValue), .blob(key))
    }

    /// Removes what is noted of a batch.
    func remove(of batch: Int64) throws {
        let range = LocalName.range(of: batch)
        for table in ["_waiting", "_refused", "_refused_record"] {
            try database.run(
                "DELETE FROM \(table) WHERE operation BETWEEN ?1 AND ?2", .integer(range.first),
                .integer(range.last))
        }
    }
}
