/* What plain C with the same libraries reaches on the work that a bulk catch-up is: batches from
   one file over TLS into the rows of another, checked on the way. One thread a side, no more.

     path entries COUNT CSV [SEED]    makes the sample; prints what it measures as JSON
     path measure CSV DIRECTORY       measures with it; prints the figures as JSON */
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "batch.h"
#include "fail.h"
#include "store.h"
#include "wire.h"

enum {
    BATCHES_PER_COMMIT = 32,
    WINDOW = 8 << 20,
    SINGLE_ROUNDS = 200,
    HUNDRED_ROUNDS = 20,
    TLS_BYTES = 512 << 20,
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double cpu_seconds(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_utime.tv_sec + used.ru_stime.tv_sec
        + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void path_in(char out[512], const char *directory, const char *name) {
    if (snprintf(out, 512, "%s/%s", directory, name) >= 512) fail("a path that is too long");
}

static char *contents(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    struct stat facts;
    if (!file || fstat(fileno(file), &facts)) fail("cannot read %s", path);
    char *bytes = malloc(facts.st_size + 1);
    if (!bytes || fread(bytes, 1, facts.st_size, file) != (size_t)facts.st_size)
        fail("cannot read %s", path);
    fclose(file);
    *length = facts.st_size;
    return bytes;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int count) {
    qsort(times, count, sizeof *times, by_size);
    return times[count / 2];
}

/* The side that has the records ------------------------------------------------------------- */

typedef struct {
    author by;
    log_state log;
    store file;
    uint64_t clock;
} maker;

static row rows[ROWS_PER_BATCH];
static unsigned char encoded[ENCODED_BATCH];

/* Seals and stores what is in `rows`; its bytes are in `encoded` afterwards. */
static size_t make_batch(maker *m, int count) {
    unsigned char previous[32];
    memcpy(previous, m->log.head, 32);
    uint64_t first = m->clock = wall_milliseconds() << 16 > m->clock ? wall_milliseconds() << 16
                                                                    : m->clock + 1;
    for (int place = 0; place < count; place++) {
        next_id(rows[place].id);
        rows[place].clock = m->clock = first + place;
    }
    size_t length = seal(&m->log, &m->by, m->clock, rows, count, encoded);
    store_rows(&m->file, (int64_t)m->log.number, rows, count);
    store_batch(&m->file, &m->log, previous, m->clock, count, encoded, length);
    return length;
}

/* From CSV to rows and signed batches. */
static long ingest(maker *m, char *csv, size_t length) {
    csv_reader reader = csv_open(csv, length);
    long total = 0;
    int count = 0, batches = 0, more;
    store_run(&m->file, "BEGIN IMMEDIATE");
    do {
        more = csv_next(&reader, rows[count].values);
        count += more;
        if (count && (count == ROWS_PER_BATCH || !more)) {
            make_batch(m, count);
            total += count;
            count = 0;
            if (++batches % BATCHES_PER_COMMIT == 0) store_run(&m->file, "COMMIT; BEGIN IMMEDIATE");
        }
    } while (more);
    store_run(&m->file, "COMMIT");
    return total;
}

/* What both sides tell their parent. */
typedef struct {
    double seconds, cpu, one, hundred;
    size_t wire;
    long peak_kb;
} figures;

static long peak(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

static uint64_t receive_ack(SSL *tls) {
    uint64_t number;
    receive_all(tls, &number, sizeof number);
    return number;
}

/* Times from before a local commit until the other side's reader has seen the rows. */
static double rounds(maker *m, SSL *tls, csv_reader *more, int count, int times) {
    double taken[SINGLE_ROUNDS];
    for (int round = 0; round < times; round++) {
        for (int place = 0; place < count; place++)
            if (!csv_next(more, rows[place].values)) fail("the sample is too small");
        double start = now();
        store_run(&m->file, "BEGIN IMMEDIATE");
        size_t length = make_batch(m, count);
        store_run(&m->file, "COMMIT");
        send_frame(tls, encoded, length);
        if (receive_ack(tls) != m->log.number) fail("another batch was acknowledged");
        taken[round] = now() - start;
    }
    return median(taken, times);
}

static figures serve(maker *m, const char *directory, int listener, const char *csv_path) {
    char path[512];
    size_t csv_length;
    path_in(path, directory, "a.sqlite");
    m->file = store_open(path);
    figures f = {0};
    SSL *tls = secure(accept_one(listener), 1);
    double start_cpu = cpu_seconds();
    sqlite3_stmt *batches;
    sqlite3_prepare_v2(m->file.database, "SELECT bytes FROM _batch WHERE author=1 AND kind=1"
                       " ORDER BY number", -1, &batches, NULL);
    size_t in_flight = 0;
    static size_t sizes[1 << 16];
    uint64_t sent = 0, stored = 0;
    for (int state; (state = sqlite3_step(batches)) != SQLITE_DONE;) {
        if (state != SQLITE_ROW || sent + 1 >= sizeof sizes / sizeof *sizes) fail("sqlite");
        size_t length = sqlite3_column_bytes(batches, 0);
        send_frame(tls, sqlite3_column_blob(batches, 0), length);
        in_flight += sizes[++sent] = length;
        while (in_flight > WINDOW || can_receive(tls))
            for (uint64_t number = receive_ack(tls); stored < number;) in_flight -= sizes[++stored];
    }
    sqlite3_finalize(batches);
    while (stored < sent) stored = receive_ack(tls);
    f.cpu = cpu_seconds() - start_cpu;
    f.wire = bytes_on_wire(tls);
    char *csv = contents(csv_path, &csv_length);
    csv_reader more = csv_open(csv, csv_length);
    f.one = rounds(m, tls, &more, 1, SINGLE_ROUNDS);
    f.hundred = rounds(m, tls, &more, 100, HUNDRED_ROUNDS);
    store_close(&m->file);
    free(csv);
    return f;
}

/* The side that is empty ------------------------------------------------------------------- */

static void take_in(store *file, log_state *log, const author *by, size_t length) {
    unsigned char previous[32];
    memcpy(previous, log->head, 32);
    int count = open_batch(log, by->key, encoded, length, rows);
    store_rows(file, (int64_t)log->number, rows, count);
    store_batch(file, log, previous, rows[count - 1].clock, count, encoded, length);
}

static figures catch_up(const maker *m, log_state log, const char *directory, int port) {
    char path[512];
    path_in(path, directory, "b.sqlite");
    store file = store_open(path), reading = store_open(path);
    figures f = {0};
    double start = now(), start_cpu = cpu_seconds();
    SSL *tls = secure(dial(port), 0);
    while (log.number < m->log.number) {
        store_run(&file, "BEGIN IMMEDIATE");
        int group = 0;
        do take_in(&file, &log, &m->by, receive_frame(tls, encoded, sizeof encoded));
        while (++group < BATCHES_PER_COMMIT && log.number < m->log.number && can_receive(tls));
        store_run(&file, "COMMIT");
        send_all(tls, &log.number, sizeof log.number);
    }
    f.seconds = now() - start;
    f.cpu = cpu_seconds() - start_cpu;
    f.peak_kb = peak();

    sqlite3_stmt *find;
    sqlite3_prepare_v2(reading.database, "SELECT _clock FROM visits WHERE _id=?1", -1, &find, NULL);
    for (int round = 0; round < SINGLE_ROUNDS + HUNDRED_ROUNDS; round++) {
        size_t length = receive_frame(tls, encoded, sizeof encoded);
        store_run(&file, "BEGIN IMMEDIATE");
        take_in(&file, &log, &m->by, length);
        store_run(&file, "COMMIT");
        char id[ID_TEXT];
        id_text(rows[0].id, id);
        sqlite3_bind_text(find, 1, id, ID_TEXT, SQLITE_STATIC);
        if (sqlite3_step(find) != SQLITE_ROW) fail("a row that was committed is not seen");
        sqlite3_reset(find);
        send_all(tls, &log.number, sizeof log.number);
    }
    sqlite3_finalize(find);
    store_close(&reading);
    store_close(&file);
    return f;
}

/* The limits of the pieces ----------------------------------------------------------------- */

/* Rows a second into the same table from memory, in transactions as large as the path's. */
static double sqlite_limit(const char *directory, char *csv, size_t length) {
    char path[512];
    path_in(path, directory, "limit.sqlite");
    csv_reader reader = csv_open(csv, length);
    store file = store_open(path);
    long total = 0;
    double seconds = 0;
    for (int count = 1, number = 1; count; number++) {
        for (count = 0; count < ROWS_PER_BATCH && csv_next(&reader, rows[count].values); count++) {
            next_id(rows[count].id);
            rows[count].clock = wall_milliseconds() << 16 | (count & 65535);
        }
        double start = now();
        if (number % BATCHES_PER_COMMIT == 1) store_run(&file, "BEGIN IMMEDIATE");
        store_rows(&file, number, rows, count);
        if (number % BATCHES_PER_COMMIT == 0 || !count) {
            if (!sqlite3_get_autocommit(file.database)) store_run(&file, "COMMIT");
        }
        seconds += now() - start;
        total += count;
    }
    store_close(&file);
    return total / seconds;
}

static figures tls_sink(int port) {
    figures f = {0};
    static char buffer[64 << 10];
    SSL *tls = secure(dial(port), 0);
    double start = now();
    for (size_t got = 0; got < TLS_BYTES; got += sizeof buffer)
        receive_all(tls, buffer, sizeof buffer);
    f.seconds = now() - start;
    return f;
}

static double tls_limit(void) {
    static char buffer[64 << 10];
    int port, listener = listen_on_loopback(&port), pipes[2];
    if (pipe(pipes)) fail("no pipe");
    pid_t child = fork();
    if (child < 0) fail("no process");
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(listener);
        figures f = tls_sink(port);
        _exit(write(pipes[1], &f, sizeof f) != sizeof f);
    }
    SSL *tls = secure(accept_one(listener), 1);
    for (size_t sent = 0; sent < TLS_BYTES; sent += sizeof buffer)
        send_all(tls, buffer, sizeof buffer);
    figures f;
    int status;
    if (read(pipes[0], &f, sizeof f) != sizeof f || waitpid(child, &status, 0) < 0 || status)
        fail("the other side of the TLS limit");
    return TLS_BYTES / f.seconds;
}

/* ------------------------------------------------------------------------------------------ */

static void measure(const char *csv_path, const char *directory) {
    size_t length;
    char *csv = contents(csv_path, &length);
    maker m = {.by = make_author()};
    randombytes_buf(m.log.room, 32);
    randombytes_buf(m.log.form, 32);
    memcpy(m.log.head, m.log.room, 32);
    log_state empty = m.log;

    char path[512];
    path_in(path, directory, "a.sqlite");
    m.file = store_open(path);
    double start = now(), start_cpu = cpu_seconds();
    long records = ingest(&m, csv, length);
    double ingest_seconds = now() - start, ingest_cpu = cpu_seconds() - start_cpu;
    store_close(&m.file);
    free(csv); /* so that it does not count for the receiver, which is forked off here */

    int port, listener = listen_on_loopback(&port), pipes[2];
    if (pipe(pipes)) fail("no pipe");
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) fail("no process");
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(listener);
        figures f = catch_up(&m, empty, directory, port);
        _exit(write(pipes[1], &f, sizeof f) != sizeof f);
    }
    figures a = serve(&m, directory, listener, csv_path), b;
    int status;
    if (read(pipes[0], &b, sizeof b) != sizeof b || waitpid(child, &status, 0) < 0 || status)
        fail("the receiving side");

    csv = contents(csv_path, &length);
    double sqlite = sqlite_limit(directory, csv, length);
    free(csv);
    double tls = tls_limit();
    struct {
        const char *name;
        double figure;
    } all[] = {
        {"records", records},
        {"ingest_per_second", records / ingest_seconds},
        {"ingest_cpu_us", ingest_cpu * 1e6 / records},
        {"catch_up_per_second", records / b.seconds},
        {"receiver_cpu_us", b.cpu * 1e6 / records},
        {"sender_cpu_us", a.cpu * 1e6 / records},
        {"wire_bytes", (double)a.wire / records},
        {"one_ms", a.one * 1e3},
        {"hundred_ms", a.hundred * 1e3},
        {"receiver_peak_kb", b.peak_kb},
        {"sqlite_per_second", sqlite},
        {"tls_mb_per_second", tls / 1e6},
    };
    for (size_t place = 0; place < sizeof all / sizeof *all; place++)
        printf("%s\"%s\": %.4f", place ? ", " : "{", all[place].name, all[place].figure);
    puts("}");
}

int main(int count, char **arguments) {
    if (sodium_init() < 0) fail("libsodium");
    signal(SIGPIPE, SIG_IGN);
    if (count >= 4 && !strcmp(arguments[1], "entries")) {
        long entries = atol(arguments[2]);
        FILE *csv = fopen(arguments[3], "w");
        if (!csv || entries < 1) fail("cannot write %s", arguments[3]);
        size_t json = write_entries(csv, entries, count > 4 ? strtoull(arguments[4], NULL, 10) : 1);
        if (fclose(csv)) fail("cannot write %s", arguments[3]);
        printf("{\"records\": %ld, \"json_bytes\": %.1f}\n", entries, (double)json / entries);
    } else if (count == 4 && !strcmp(arguments[1], "measure")) {
        measure(arguments[2], arguments[3]);
    } else {
        fprintf(stderr, "usage: path entries COUNT CSV [SEED] | path measure CSV DIRECTORY\n");
        return 2;
    }
    return 0;
}
