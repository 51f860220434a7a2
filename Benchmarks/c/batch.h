/* Signed batches in the format of docs/protocol: made from rows, and checked and read again. */
#ifndef BATCH_H
#define BATCH_H

#include <sodium.h>
#include <stddef.h>
#include <stdint.h>

#include "entries.h"

enum {
    ROWS_PER_BATCH = 4096,
    RAW_BODY = 1 << 20,
    ENCODED_BATCH = (1 << 20) + (64 << 10),
    KEY = 32,
    ID_TEXT = 36,
};

typedef struct {
    unsigned char key[KEY];
    unsigned char secret[crypto_sign_SECRETKEYBYTES];
} author;

/* A log as its author or a receiver knows it. */
typedef struct {
    unsigned char room[32], form[32], head[32];
    uint64_t number;
} log_state;

typedef struct {
    unsigned char id[16];
    uint64_t clock;
    value values[FIELDS];
} row;

author make_author(void);

/* Seals rows as the next batch of the log into `out` (ENCODED_BATCH bytes); returns its size. */
size_t seal(log_state *log, const author *by, uint64_t clock, const row *rows, int count,
            unsigned char *out);

/* Checks a batch and that it follows in the log, reads its rows, and moves the log on. The texts
   of the rows lie in a buffer that the next call uses again. */
int open_batch(log_state *log, const unsigned char *author_key, const unsigned char *bytes,
               size_t length, row *rows);

/* Ids as a bulk import makes them: a random start, and then one after another. */
void next_id(unsigned char id[16]);
void id_text(const unsigned char id[16], char text[ID_TEXT]);

uint64_t wall_milliseconds(void);

#endif
