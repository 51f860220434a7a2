// SQLite: constants that are casts in C, and so unknown to Swift.
#pragma once
#include <sqlite3.h>

static inline sqlite3_destructor_type shim_sqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type shim_sqlite_static(void) { return SQLITE_STATIC; }
