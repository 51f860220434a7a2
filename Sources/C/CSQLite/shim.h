// SQLite: constants that are casts in C, and so unknown to Swift.
#pragma once
#include <sqlite3.h>

static inline sqlite3_destructor_type shim_sqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type shim_sqlite_static(void) { return SQLITE_STATIC; }

/// The system's number of the last failed read or write of the file or its log; 0 for none. It is
/// forgotten: a read behind the end of a file is none that fails, and SQLite notes no number then.
static inline int shim_sqlite_take_errno(sqlite3 *database) {
    const int files[] = {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER};
    int found = 0;
    for (int index = 0; index < 2; index++) {
        sqlite3_file *file = 0;
        int code = 0;
        char byte;
        if (sqlite3_file_control(database, "main", files[index], &file) != SQLITE_OK) continue;
        if (!file || !file->pMethods) continue;
        if (file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &code) != SQLITE_OK || !code)
            continue;
        found = code;
        file->pMethods->xRead(file, &byte, 1, (sqlite3_int64)1 << 60);
    }
    return found;
}

/// The file of a connection as it lies there, whatever its log has.
static inline int shim_sqlite_file_size(sqlite3 *database, sqlite3_int64 *size) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    if (!file || !file->pMethods) return SQLITE_CANTOPEN;
    return file->pMethods->xFileSize(file, size);
}

static inline int shim_sqlite_read_file(
    sqlite3 *database, void *bytes, int count, sqlite3_int64 offset) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    if (!file || !file->pMethods) return SQLITE_CANTOPEN;
    return file->pMethods->xRead(file, bytes, count, offset);
}

/// Only before the first connection is opened.
static inline int shim_sqlite_forget_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
