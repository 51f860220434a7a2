#include "store.h"

#include "fail.h"

static const char schema[] =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
    "PRAGMA wal_autocheckpoint=4000; PRAGMA journal_size_limit=67108864;"
    "CREATE TABLE IF NOT EXISTS visits("
    " _id TEXT NOT NULL, _author INTEGER NOT NULL, _created INTEGER NOT NULL,"
    " _updated INTEGER NOT NULL, _state TEXT, _version INTEGER NOT NULL, _clock INTEGER NOT NULL,"
    " patient_id INTEGER, first_name TEXT, last_name TEXT, birth_date TEXT, village TEXT,"
    " visited_on TEXT, diagnosis TEXT, temperature REAL, remarks TEXT,"
    " UNIQUE(_id, _author)) STRICT;"
    "CREATE TABLE IF NOT EXISTS _batch("
    " batch INTEGER PRIMARY KEY, id BLOB UNIQUE, author INTEGER NOT NULL, kind INTEGER NOT NULL,"
    " number INTEGER, previous BLOB, clock INTEGER, operations INTEGER NOT NULL,"
    " state INTEGER NOT NULL, bytes BLOB) STRICT;"
    "CREATE INDEX IF NOT EXISTS _batch_log ON _batch(author, kind, number);";

static void check(store *s, int code) {
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
        fail("sqlite: %s", sqlite3_errmsg(s->database));
}

void store_run(store *s, const char *sql) {
    check(s, sqlite3_exec(s->database, sql, NULL, NULL, NULL));
}

store store_open(const char *path) {
    store s = {0};
    check(&s, sqlite3_open(path, &s.database));
    store_run(&s, schema);
    check(&s, sqlite3_prepare_v3(
        s.database,
        "INSERT INTO visits(_id,_author,_created,_updated,_version,_clock,patient_id,first_name,"
        "last_name,birth_date,village,visited_on,diagnosis,temperature,remarks)"
        "VALUES(?1,?2,?3,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)ON CONFLICT DO NOTHING",
        -1, SQLITE_PREPARE_PERSISTENT, &s.insert_row, NULL));
    check(&s, sqlite3_prepare_v3(
        s.database,
        "INSERT INTO _batch(id,author,kind,number,previous,clock,operations,state,bytes)"
        "VALUES(?1,1,1,?2,?3,?4,?5,0,?6)",
        -1, SQLITE_PREPARE_PERSISTENT, &s.insert_batch, NULL));
    return s;
}

void store_close(store *s) {
    sqlite3_finalize(s->insert_row);
    sqlite3_finalize(s->insert_batch);
    check(s, sqlite3_close(s->database));
}

void store_rows(store *s, int64_t batch, const row *rows, int count) {
    sqlite3_stmt *statement = s->insert_row;
    char id[ID_TEXT];
    sqlite3_bind_int64(statement, 2, 1);
    for (int place = 0; place < count; place++) {
        const row *r = &rows[place];
        id_text(r->id, id);
        sqlite3_bind_text(statement, 1, id, ID_TEXT, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 3, (int64_t)(r->clock >> 16));
        sqlite3_bind_int64(statement, 4, batch * 8192 + place);
        sqlite3_bind_int64(statement, 5, (int64_t)r->clock);
        for (int field = 0; field < FIELDS; field++) {
            const value *v = &r->values[field];
            switch (v->kind) {
            case VALUE_ABSENT: sqlite3_bind_null(statement, 6 + field); break;
            case VALUE_INTEGER: sqlite3_bind_int64(statement, 6 + field, v->as.integer); break;
            case VALUE_DECIMAL: sqlite3_bind_double(statement, 6 + field, v->as.decimal); break;
            case VALUE_TEXT:
                sqlite3_bind_text(statement, 6 + field, v->as.text.start,
                                  (int)v->as.text.length, SQLITE_STATIC);
            }
        }
        check(s, sqlite3_step(statement));
        check(s, sqlite3_reset(statement));
        if (sqlite3_changes(s->database) != 1) fail("a record came twice");
    }
}

void store_batch(store *s, const log_state *log, const unsigned char *previous, uint64_t clock,
                 int operations, const unsigned char *bytes, size_t length) {
    sqlite3_stmt *statement = s->insert_batch;
    sqlite3_bind_blob(statement, 1, log->head, 32, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, (int64_t)log->number);
    sqlite3_bind_blob(statement, 3, previous, 32, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 4, (int64_t)clock);
    sqlite3_bind_int64(statement, 5, operations);
    sqlite3_bind_blob(statement, 6, bytes, (int)length, SQLITE_STATIC);
    check(s, sqlite3_step(statement));
    check(s, sqlite3_reset(statement));
}
