/* A room's file: the typed table of the form, and the signed batches as they are. */
#ifndef STORE_H
#define STORE_H

#include <sqlite3.h>
#include <stddef.h>

#include "batch.h"

typedef struct {
    sqlite3 *database;
    sqlite3_stmt *insert_row, *insert_batch;
} store;

store store_open(const char *path);
void store_close(store *s);
void store_run(store *s, const char *sql);
/* Rows of the batch that is inserted next, number `batch` of the file. */
void store_rows(store *s, int64_t batch, const row *rows, int count);
void store_batch(store *s, const log_state *log, const unsigned char *previous, uint64_t clock,
                 int operations, const unsigned char *bytes, size_t length);

#endif
