/// Rows of form tables that have changed or gone since they were inserted, the latest of them, for
/// those who follow the rows (`RowFollower`).
///
/// It owns `_touched`. New rows are not in it: they have numbers above those that a follower has
/// passed, so it costs nothing to merge them. Lines are numbered without a gap, and the newest is
/// never taken out: a gap tells a follower that it has missed something.
struct TouchedRows {
    let database: Database

    /// Lines that are kept: a follower that is further behind begins anew.
    static let kept = 65_536

    private func note(_ row: Int64, of form: FormTable) throws {
        try database.run(
            "INSERT INTO _touched(form, row) VALUES(?1, ?2)", .integer(form.number),
            .integer(row))
    }

    /// Steps through a change of rows that gives back their numbers, and notes them.
    func note(_ statement: Statement, of form: FormTable) throws {
        while try statement.step() { try note(statement.integer(0), of: form) }
    }

    /// Notes rows that are gone. Where the last one is among them, the numbers from there on are
    /// given to new rows, also those that were free before: a line says after which row.
    func noteGone(_ rows: [Int64], of form: FormTable) throws {
        guard let greatest = rows.max() else { return }
        for row in rows { try note(row, of: form) }
        let last = try database.integer("SELECT max(rowid) FROM \(form.quoted)") ?? 0
        if last < greatest { try note(-1 - last, of: form) }
    }

    /// Lets everybody who follows the rows begin anew.
    func beginAnew() throws {
        try database.run("INSERT INTO _touched(touch) SELECT max(touch) + 2 FROM _touched")
        try database.run(
            "DELETE FROM _touched WHERE touch < (SELECT max(touch) FROM _touched)")
    }

    /// Drops the oldest lines, at the end of a transaction.
    func persist() throws {
        try database.run(
            "DELETE FROM _touched WHERE touch <= (SELECT max(touch) FROM _touched) - \(Self.kept)")
    }
}
