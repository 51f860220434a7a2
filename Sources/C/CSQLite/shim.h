// SQLite: constants that are casts in C, and so unknown to Swift.
#pragma once
#include <sqlite3.h>

static inline sqlite3_destructor_type shim_sqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type shim_sqlite_static(void) { return SQLITE_STATIC; }

/// Only before the first connection is opened.
static inline int shim_sqlite_forget_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
