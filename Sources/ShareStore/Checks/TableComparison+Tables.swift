/// The tables that are compared. Numbers of forms and records may differ between the two files, so
/// names stand in for them.
extension TableComparison {
    /// The tables that a rebuild of the derived ones leaves alone.
    static let bookkeeping = [
        Table(
            name: "_head", keys: 1, columns: ["id", "author", "kind", "number"],
            sql: """
                SELECT h.id, d.key, h.kind, h.number FROM _head h
                LEFT JOIN _device d ON d.device = h.author ORDER BY 1
                """),
        Table(
            name: "_log", keys: 2, columns: ["author", "kind", "operations"],
            sql: """
                SELECT d.key, l.kind, l.operations FROM _log l
                LEFT JOIN _device d ON d.device = l.author ORDER BY 1, 2
                """),
    ]

    /// The tables computed from the batches, but for the forms' own.
    static let derived = [
        Table(
            name: "_device", keys: 1, columns: ["key", "id"],
            sql: """
                SELECT key, id FROM _device WHERE device IN (SELECT author FROM _batch) ORDER BY 1
                """),
        Table(
            name: "_member", keys: 1, columns: ["key", "role"],
            sql: "SELECT key, role FROM _member ORDER BY 1"),
        Table(
            name: "_definition", keys: 1,
            columns: ["operation", "form_id", "version", "verdict", "in_force", "json"],
            sql: """
                SELECT operation, form_id, version, verdict, in_force, json FROM _definition
                ORDER BY 1
                """),
        Table(
            name: "_list", keys: 1, columns: ["list", "name", "rows"],
            sql: "SELECT list, name, rows FROM _list ORDER BY 1"),
        Table(
            name: "_list_column", keys: 2, columns: ["list", "place", "name"],
            sql: "SELECT list, place, name FROM _list_column ORDER BY 1, 2"),
        Table(
            name: "_list_part", keys: 2, columns: ["list", "first", "part", "rows"],
            sql: "SELECT list, first, part, rows FROM _list_part ORDER BY 1, 2"),
        Table(
            name: "_list_row", keys: 1, columns: ["row", "found", "cells"],
            sql: "SELECT row, found, cells FROM _list_row ORDER BY 1"),
        Table(
            name: "_list_cell", keys: 4, columns: ["part", "place", "hash", "row"],
            sql: "SELECT part, place, hash, row FROM _list_cell ORDER BY 1, 2, 3, 4"),
        Table(
            name: "_refused", keys: 1, columns: ["operation", "count", "reason", "what"],
            sql: "SELECT operation, count, reason, what FROM _refused ORDER BY 1"),
        Table(
            name: "_waiting", keys: 1, columns: ["operation", "count", "reason", "key"],
            sql: "SELECT operation, count, reason, key FROM _waiting ORDER BY 1"),
        Table(
            name: "_judged", keys: 1, columns: ["batch", "standing"],
            sql: "SELECT batch, standing FROM _judged ORDER BY 1"),
        Table(
            name: "_uses", keys: 2, columns: ["definition", "batch"],
            sql: "SELECT definition, batch FROM _uses ORDER BY 1, 2"),
        Table(
            name: "_form", keys: 1, columns: ["form_id", "table_name", "records"],
            sql: """
                SELECT form_id, table_name, records FROM _form
                WHERE table_name IS NOT NULL ORDER BY 1
                """),
        Table(
            name: "_field", keys: 3, columns: ["form_id", "name", "type", "column_name"],
            sql: """
                SELECT f.form_id, c.name, c.type, c.column_name FROM _field c
                LEFT JOIN _form f ON f.form = c.form ORDER BY 1, 2, 3
                """),
        Table(
            name: "_conflict", keys: 6,
            columns: ["form_id", "creator", "id", "field", "type", "loser", "winner"],
            sql: """
                SELECT f.form_id, d.key, r.id, c.field, c.type, c.loser, c.winner
                FROM _conflict c LEFT JOIN _record r ON r.record = c.record
                LEFT JOIN _form f ON f.form = r.form LEFT JOIN _device d ON d.device = r.creator
                ORDER BY 1, 2, 3, 4, 5, 6
                """),
        Table(
            name: "_refused_record", keys: 2, columns: ["id", "operation"],
            sql: "SELECT id, operation FROM _refused_record ORDER BY 1, 2"),
        Table(
            name: "_parallel", keys: 3, columns: ["form_id", "creator", "id"],
            sql: """
                SELECT f.form_id, d.key, r.id FROM _parallel p
                LEFT JOIN _record r ON r.record = p.record
                LEFT JOIN _form f ON f.form = r.form LEFT JOIN _device d ON d.device = r.creator
                ORDER BY 1, 2, 3
                """),
        // A record keeps its place here when a second version of it has gone again, so only
        // those that a rebuild has too are compared.
        Table(
            name: "_record", keys: 3,
            columns: ["form_id", "creator", "id", "created", "hidden", "changed_since_review"],
            sql: """
                SELECT f.form_id, d.key, r.id, r.created, r.hidden, r.changed_since_review
                FROM _record r
                LEFT JOIN _form f ON f.form = r.form LEFT JOIN _device d ON d.device = r.creator
                WHERE r.hidden OR NOT r.created
                OR (SELECT count(*) FROM _version v WHERE v.record = r.record) > 1 ORDER BY 1, 2, 3
                """),
        Table(
            name: "_version", keys: 1,
            columns: [
                "version", "form_id", "creator", "id", "kind", "clock", "wall", "parents",
                "content",
            ],
            sql: """
                SELECT v.version, f.form_id, d.key, r.id, v.kind, v.clock, v.wall, v.parents, v.content
                FROM _version v LEFT JOIN _record r ON r.record = v.record
                LEFT JOIN _form f ON f.form = r.form LEFT JOIN _device d ON d.device = r.creator
                WHERE r.record IS NULL OR r.hidden OR NOT r.created
                OR EXISTS(
                    SELECT 1 FROM _version o
                    WHERE o.record = v.record AND o.version <> v.version) ORDER BY 1
                """, parents: 7),
    ]
}
