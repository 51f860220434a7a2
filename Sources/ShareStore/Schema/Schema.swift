/// A kind of file: the numbered steps that bring it up to date.
struct Schema {
    /// The version that the first step makes of a new file. Files of an older one are refused.
    var first = 1
    /// Each leads from one version to the next.
    let steps: [String]

    /// The version of a file that is up to date.
    var version: Int { first + steps.count - 1 }

    /// Brings the file up to date, in one transaction.
    ///
    /// - Throws: `StoreError.newerSchema` or `.olderSchema`, before anything is changed.
    func migrate(_ database: Database) throws {
        let found = try check(database)
        guard found < version else { return }
        try database.transaction {
            for step in steps[max(found - first + 1, 0)...] { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(version)")
        }
    }

    /// - Returns: the version that it has; 0 for a new file.
    /// - Throws: `StoreError.newerSchema` or `.olderSchema` for a file that this release cannot
    ///   read.
    @discardableResult
    func check(_ database: Database) throws -> Int {
        let found = Int(try database.integer("PRAGMA user_version") ?? 0)
        guard found <= version else {
            throw StoreError.newerSchema(found: found, known: version)
        }
        guard found == 0 || found >= first else {
            throw StoreError.olderSchema(found: found, known: first)
        }
        return found
    }
}

extension Schema {
    /// A room's file beside its form tables (docs/storage.md). In files before version 8 batches
    /// have no wall clocks, or rows have the ids of their authors.
    ///
    /// An operation is named `batch * 8192 + index` in here, its local name.
    static let room = Schema(
        first: 8,
        steps: [
            """
            CREATE TABLE _meta(key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
            CREATE TABLE _device(
                device INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, id TEXT NOT NULL,
                name TEXT) STRICT;
            -- Who an author's number in the rows stands for, for people.
            CREATE VIEW device AS SELECT device, id, name FROM _device;

            -- The truth: every batch as it was signed. A batch that is still being filled (state 1)
            -- has no id yet.
            CREATE TABLE _batch(
                batch INTEGER PRIMARY KEY, id BLOB UNIQUE, author INTEGER NOT NULL,
                kind INTEGER NOT NULL, number INTEGER, previous BLOB, clock INTEGER, wall INTEGER,
                operations INTEGER NOT NULL, state INTEGER NOT NULL, bytes BLOB) STRICT;
            CREATE INDEX _batch_log ON _batch(author, kind, number);
            CREATE INDEX _batch_open ON _batch(batch) WHERE state = 1;
            CREATE INDEX _batch_control ON _batch(batch) WHERE kind = 0;
            CREATE TABLE _head(
                id BLOB PRIMARY KEY, author INTEGER NOT NULL, kind INTEGER NOT NULL,
                number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            CREATE INDEX _head_log ON _head(author, kind);
            CREATE TABLE _log(
                author INTEGER NOT NULL, kind INTEGER NOT NULL, operations INTEGER NOT NULL,
                PRIMARY KEY(author, kind)) STRICT, WITHOUT ROWID;

            -- Batches of authors without a grant: bounded, never counted or passed on.
            CREATE TABLE _quarantine(
                quarantine INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, author BLOB NOT NULL,
                kind INTEGER NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;

            -- Sound batches that came after a damaged one, until that is here again; truth as well.
            CREATE TABLE _orphan(
                orphan INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL) STRICT;

            -- Operations made here and not sealed; truth as well.
            CREATE TABLE _pending(
                operation INTEGER PRIMARY KEY, count INTEGER NOT NULL, block BLOB NOT NULL) STRICT;
            CREATE TABLE _delivered(
                peer BLOB NOT NULL, author INTEGER NOT NULL, kind INTEGER NOT NULL,
                number INTEGER NOT NULL, id BLOB NOT NULL, refused INTEGER NOT NULL,
                PRIMARY KEY(peer, author, kind)) STRICT, WITHOUT ROWID;

            -- All that follows is computed from the batches and the pending operations.
            CREATE TABLE _form(
                form INTEGER PRIMARY KEY, form_id TEXT NOT NULL UNIQUE, table_name TEXT,
                records INTEGER NOT NULL) STRICT;
            CREATE TABLE _field(
                form INTEGER NOT NULL, name TEXT NOT NULL, type INTEGER NOT NULL,
                column_name TEXT NOT NULL, PRIMARY KEY(form, name, type)) STRICT, WITHOUT ROWID;
            CREATE TABLE _definition(
                operation INTEGER PRIMARY KEY, form_id TEXT NOT NULL, version TEXT NOT NULL,
                verdict TEXT NOT NULL, in_force INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
            CREATE TABLE _member(key BLOB PRIMARY KEY, role INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            -- What its author could do at each batch of records when it was judged.
            CREATE TABLE _judged(batch INTEGER PRIMARY KEY, standing TEXT NOT NULL) STRICT;
            CREATE TABLE _uses(
                definition BLOB NOT NULL, batch INTEGER NOT NULL,
                PRIMARY KEY(definition, batch)) STRICT, WITHOUT ROWID;
            CREATE TABLE _waiting(
                operation INTEGER PRIMARY KEY, count INTEGER NOT NULL, reason TEXT NOT NULL,
                key BLOB) STRICT;
            CREATE TABLE _refused(
                operation INTEGER PRIMARY KEY, count INTEGER NOT NULL, reason TEXT NOT NULL,
                what TEXT NOT NULL) STRICT;
            -- Records with more than one version, or that are not in their form's table.
            CREATE TABLE _record(
                record INTEGER PRIMARY KEY, form INTEGER NOT NULL, creator INTEGER NOT NULL,
                id BLOB NOT NULL, created INTEGER NOT NULL, hidden INTEGER NOT NULL,
                item BLOB) STRICT;
            CREATE UNIQUE INDEX _record_name ON _record(form, creator, id);
            CREATE INDEX _record_hidden ON _record(form, creator, id) WHERE hidden;
            CREATE INDEX _record_gone ON _record(id) WHERE hidden AND created;
            CREATE INDEX _record_early ON _record(record) WHERE NOT created;
            CREATE TABLE _version(
                version INTEGER PRIMARY KEY, record INTEGER NOT NULL, kind INTEGER NOT NULL,
                clock INTEGER NOT NULL, wall INTEGER NOT NULL, parents BLOB NOT NULL,
                content BLOB NOT NULL) STRICT;
            CREATE INDEX _version_record ON _version(record);
            CREATE TABLE _conflict(
                record INTEGER NOT NULL, field TEXT NOT NULL, type INTEGER NOT NULL,
                loser INTEGER NOT NULL, winner INTEGER NOT NULL,
                PRIMARY KEY(record, field, type, loser)) STRICT, WITHOUT ROWID;
            -- Records that several sides have changed in fields without a conflict, unseen.
            CREATE TABLE _parallel(record INTEGER PRIMARY KEY) STRICT;
            -- Refused operations on records that are there: their history shows them.
            CREATE TABLE _refused_record(
                id BLOB NOT NULL, operation INTEGER NOT NULL,
                PRIMARY KEY(id, operation)) STRICT, WITHOUT ROWID;
            CREATE INDEX _refused_record_operation ON _refused_record(operation);
            -- Batches to be judged anew since a change of authority, and how far they have been.
            CREATE TABLE _reindex(
                kind INTEGER NOT NULL, subject BLOB NOT NULL, number INTEGER NOT NULL,
                row INTEGER NOT NULL, last INTEGER NOT NULL, done INTEGER NOT NULL,
                total INTEGER NOT NULL, takes_out INTEGER NOT NULL,
                PRIMARY KEY(kind, subject)) STRICT, WITHOUT ROWID;
            """,
            """
            -- Rows of form tables that have changed or gone, for those who follow the rows. A file
            -- has numbers of its own, so that nobody takes it for the one that was there before.
            CREATE TABLE _touched(touch INTEGER PRIMARY KEY, form INTEGER, row INTEGER) STRICT;
            INSERT INTO _touched(touch) VALUES(1 + (random() & 0xffffffffff));
            """,
            """
            -- The lists in force, named by the operation that defines them, and the parts that have
            -- their rows, also named by their operation. A row is `part * 65536 + place`; a cell is
            -- found by the hash of its text.
            CREATE TABLE _list(
                list INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, rows INTEGER NOT NULL) STRICT;
            CREATE TABLE _list_column(
                list INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL,
                PRIMARY KEY(list, place)) STRICT, WITHOUT ROWID;
            CREATE TABLE _list_part(
                list INTEGER NOT NULL, first INTEGER NOT NULL, part INTEGER NOT NULL,
                rows INTEGER NOT NULL, PRIMARY KEY(list, first)) STRICT, WITHOUT ROWID;
            CREATE TABLE _list_row(
                row INTEGER PRIMARY KEY, found TEXT NOT NULL, cells BLOB NOT NULL) STRICT;
            CREATE TABLE _list_cell(
                part INTEGER NOT NULL, place INTEGER NOT NULL, hash INTEGER NOT NULL,
                row INTEGER NOT NULL, PRIMARY KEY(part, place, hash, row)) STRICT, WITHOUT ROWID;
            """,
            "-- Whole numbers share the column of decimals of their name.",
            "ALTER TABLE _delivered DROP COLUMN refused",
            """
            -- Whether a block of pending operations creates records, and by which definition, stand
            -- before it: counting must not read all of the blocks.
            ALTER TABLE _pending RENAME TO _pending_before;
            CREATE TABLE _pending(
                operation INTEGER PRIMARY KEY, count INTEGER NOT NULL, creates INTEGER NOT NULL,
                form BLOB NOT NULL, block BLOB NOT NULL) STRICT;
            INSERT INTO _pending SELECT operation, count, substr(block, 1, 3) = x'861820',
                substr(block, 6, 34), block FROM _pending_before;
            DROP TABLE _pending_before;
            """,
            """
            -- A checksum of each block and of its place; blocks of before have none.
            ALTER TABLE _pending ADD COLUMN checksum INTEGER
            """,
            """
            -- Whether a change is among a record's versions that its review had not seen.
            ALTER TABLE _record ADD COLUMN changed_since_review INTEGER NOT NULL DEFAULT 0
            """,
        ])
}
