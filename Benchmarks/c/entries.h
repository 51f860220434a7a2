/* The sample: visits to a clinic, nine fields each, the same for the same seed. */
#ifndef ENTRIES_H
#define ENTRIES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { FIELDS = 9 };

typedef enum { TYPE_INTEGER, TYPE_TEXT, TYPE_DATE, TYPE_DECIMAL } field_type;

extern const char *const field_names[FIELDS];
extern const field_type field_types[FIELDS];

/* One value; text points into memory that somebody else keeps. */
typedef struct {
    enum { VALUE_ABSENT, VALUE_INTEGER, VALUE_DECIMAL, VALUE_TEXT } kind;
    union {
        int64_t integer;
        double decimal;
        struct {
            const char *start;
            size_t length;
        } text;
    } as;
} value;

/* Writes `count` entries as CSV; returns what they measure as JSON objects, in bytes. */
size_t write_entries(FILE *csv, long count, uint64_t seed);

/* Reads rows from CSV that lies in memory, and checks each value against its field's type. */
typedef struct {
    char *position;
    char *end;
    long line;
} csv_reader;

/* Skips the line of names; ends the program where they are others. */
csv_reader csv_open(char *bytes, size_t length);
/* One row, unquoted in place; 0 at the end; ends the program on a bad value. */
int csv_next(csv_reader *reader, value row[FIELDS]);

int is_date(const char *text, size_t length);
int is_utf8(const unsigned char *text, size_t length);

#endif
