#include "batch.h"

#include <cbor.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "fail.h"

static const char content_type[] = "application/vnd.shared.batch";

author make_author(void) {
    author made;
    crypto_sign_keypair(made.key, made.secret);
    return made;
}

uint64_t wall_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void next_id(unsigned char id[16]) {
    static unsigned char last[16];
    if (!last[6]) {
        uint64_t now = wall_milliseconds();
        for (int place = 0; place < 6; place++) last[place] = now >> (40 - 8 * place);
        randombytes_buf(last + 6, 10);
        last[6] = 0x70 | (last[6] & 15);
        last[8] = 0x80 | (last[8] & 31);
    } else {
        for (int place = 15; !++last[place]; place--) continue;
    }
    memcpy(id, last, 16);
}

void id_text(const unsigned char id[16], char text[ID_TEXT]) {
    for (int place = 0; place < 16; place++) {
        if (place == 4 || place == 6 || place == 8 || place == 10) *text++ = '-';
        *text++ = "0123456789abcdef"[id[place] >> 4];
        *text++ = "0123456789abcdef"[id[place] & 15];
    }
}

/* Writing ---------------------------------------------------------------------------------- */

typedef struct {
    unsigned char *start, *position, *end;
} writer;

#define ROOM(w) (w)->position, (size_t)((w)->end - (w)->position)
#define HEAD(w, call) ((w)->position += (call))

static void put_unsigned(writer *w, uint64_t n) { HEAD(w, cbor_encode_uint(n, ROOM(w))); }
static void put_array(writer *w, size_t n) { HEAD(w, cbor_encode_array_start(n, ROOM(w))); }

static void put_integer(writer *w, int64_t n) {
    if (n >= 0) put_unsigned(w, n);
    else HEAD(w, cbor_encode_negint((uint64_t)(-1 - n), ROOM(w)));
}

static void put_raw(writer *w, const void *bytes, size_t length) {
    if ((size_t)(w->end - w->position) < length) fail("a batch that is too long");
    memcpy(w->position, bytes, length);
    w->position += length;
}

static void put_bytes(writer *w, const void *bytes, size_t length) {
    HEAD(w, cbor_encode_bytestring_start(length, ROOM(w)));
    put_raw(w, bytes, length);
}

static void put_text(writer *w, const char *text, size_t length) {
    HEAD(w, cbor_encode_string_start(length, ROOM(w)));
    put_raw(w, text, length);
}

static void put_decimal(writer *w, double number) {
    _Float16 half = (_Float16)number;
    if ((double)half == number) {
        uint16_t bits;
        memcpy(&bits, &half, 2);
        unsigned char out[3] = {0xf9, bits >> 8, bits & 255};
        put_raw(w, out, 3);
    } else if ((double)(float)number == number) {
        HEAD(w, cbor_encode_single((float)number, ROOM(w)));
    } else {
        HEAD(w, cbor_encode_double(number, ROOM(w)));
    }
}

static writer over(unsigned char *buffer, size_t size) {
    return (writer){buffer, buffer, buffer + size};
}

static size_t written(const writer *w) { return w->position - w->start; }

static size_t protected_header(const unsigned char *key, unsigned char out[96]) {
    writer w = over(out, 96);
    HEAD(&w, cbor_encode_map_start(3, ROOM(&w)));
    put_integer(&w, 1);
    put_integer(&w, -8);
    put_integer(&w, 3);
    put_text(&w, content_type, sizeof content_type - 1);
    put_integer(&w, 4);
    put_bytes(&w, key, KEY);
    return written(&w);
}

/* What is signed: Sig_structure of RFC 9052, section 4.4. */
static size_t to_be_signed(const unsigned char *header, size_t header_length,
                           const unsigned char *payload, size_t length, unsigned char *out) {
    writer w = over(out, ENCODED_BATCH);
    put_array(&w, 4);
    put_text(&w, "Signature1", 10);
    put_bytes(&w, header, header_length);
    put_bytes(&w, "", 0);
    put_bytes(&w, payload, length);
    return written(&w);
}

static size_t encode_body(const log_state *log, uint64_t clock, const row *rows, int count,
                          unsigned char *out) {
    writer w = over(out, RAW_BODY);
    put_array(&w, 1);
    put_array(&w, 7);
    put_unsigned(&w, 32);
    put_unsigned(&w, count);
    put_array(&w, 1);
    put_bytes(&w, log->form, 32);
    put_array(&w, 0);
    put_array(&w, 2);
    put_unsigned(&w, 1);
    put_unsigned(&w, 0);
    put_array(&w, FIELDS);
    for (int field = 0; field < FIELDS; field++) put_unsigned(&w, field);
    put_array(&w, count);
    for (int place = 0; place < count; place++) {
        put_array(&w, 2 + FIELDS);
        if (place) put_unsigned(&w, 1); /* ids follow one another */
        else put_bytes(&w, rows[place].id, 16);
        put_integer(&w, (int64_t)(rows[place].clock - clock));
        clock = rows[place].clock;
        for (int field = 0; field < FIELDS; field++) {
            const value *cell = &rows[place].values[field];
            switch (cell->kind) {
            case VALUE_ABSENT: HEAD(&w, cbor_encode_null(ROOM(&w))); break;
            case VALUE_INTEGER: put_integer(&w, cell->as.integer); break;
            case VALUE_DECIMAL: put_decimal(&w, cell->as.decimal); break;
            case VALUE_TEXT: put_text(&w, cell->as.text.start, cell->as.text.length);
            }
        }
    }
    return written(&w);
}

size_t seal(log_state *log, const author *by, uint64_t clock, const row *rows, int count,
            unsigned char *out) {
    static unsigned char raw[RAW_BODY], packed[ENCODED_BATCH], payload[ENCODED_BATCH];
    static unsigned char whole[ENCODED_BATCH];
    size_t raw_length = encode_body(log, clock, rows, count, raw);
    size_t length = ZSTD_compress(packed, sizeof packed, raw, raw_length, 3);
    if (ZSTD_isError(length)) fail("zstd: %s", ZSTD_getErrorName(length));

    writer p = over(payload, sizeof payload);
    HEAD(&p, cbor_encode_map_start(8, ROOM(&p)));
    put_unsigned(&p, 0), put_unsigned(&p, 1);
    put_unsigned(&p, 1), put_bytes(&p, log->room, 32);
    put_unsigned(&p, 2), put_unsigned(&p, 1);
    put_unsigned(&p, 3), put_unsigned(&p, ++log->number);
    put_unsigned(&p, 4), put_bytes(&p, log->head, 32);
    put_unsigned(&p, 5), put_unsigned(&p, clock);
    put_unsigned(&p, 6), put_unsigned(&p, raw_length);
    put_unsigned(&p, 7), put_bytes(&p, packed, length);

    unsigned char header[96], signature[crypto_sign_BYTES];
    size_t header_length = protected_header(by->key, header);
    size_t message = to_be_signed(header, header_length, payload, written(&p), whole);
    crypto_sign_detached(signature, NULL, whole, message, by->secret);

    writer w = over(out, ENCODED_BATCH);
    HEAD(&w, cbor_encode_tag(18, ROOM(&w)));
    put_array(&w, 4);
    put_bytes(&w, header, header_length);
    HEAD(&w, cbor_encode_map_start(0, ROOM(&w)));
    put_bytes(&w, payload, written(&p));
    put_bytes(&w, signature, sizeof signature);
    crypto_generichash(log->head, 32, out, written(&w), NULL, 0);
    return written(&w);
}

/* Reading ---------------------------------------------------------------------------------- */

typedef struct {
    enum { ITEM_OTHER, ITEM_UNSIGNED, ITEM_NEGATIVE, ITEM_BYTES, ITEM_TEXT, ITEM_ARRAY, ITEM_MAP,
           ITEM_NULL, ITEM_FLOAT } kind;
    int width; /* bytes of the head's argument */
    uint64_t argument;
    double number;
    const unsigned char *start;
} item;

#define UNSIGNED(bits, size)                                                      \
    static void take_uint##bits(void *context, uint##bits##_t n) {               \
        *(item *)context = (item){.kind = ITEM_UNSIGNED, .width = size, .argument = n}; \
    }                                                                             \
    static void take_negint##bits(void *context, uint##bits##_t n) {             \
        *(item *)context = (item){.kind = ITEM_NEGATIVE, .width = size, .argument = n}; \
    }
UNSIGNED(8, 1)
UNSIGNED(16, 2)
UNSIGNED(32, 4)
UNSIGNED(64, 8)

static void take_bytes(void *context, cbor_data data, size_t length) {
    *(item *)context = (item){.kind = ITEM_BYTES, .argument = length, .start = data};
}
static void take_text(void *context, cbor_data data, size_t length) {
    *(item *)context = (item){.kind = ITEM_TEXT, .argument = length, .start = data};
}
static void take_array(void *context, size_t n) {
    *(item *)context = (item){.kind = ITEM_ARRAY, .argument = n};
}
static void take_map(void *context, size_t n) {
    *(item *)context = (item){.kind = ITEM_MAP, .argument = n};
}
static void take_null(void *context) { *(item *)context = (item){.kind = ITEM_NULL}; }
static void take_half(void *context, float n) {
    *(item *)context = (item){.kind = ITEM_FLOAT, .width = 2, .number = n};
}
static void take_single(void *context, float n) {
    *(item *)context = (item){.kind = ITEM_FLOAT, .width = 4, .number = n};
}
static void take_double(void *context, double n) {
    *(item *)context = (item){.kind = ITEM_FLOAT, .width = 8, .number = n};
}

typedef struct {
    const unsigned char *position, *end;
    struct cbor_callbacks calls;
} reader;

static reader reader_over(const unsigned char *bytes, size_t length) {
    reader r = {bytes, bytes + length, cbor_empty_callbacks};
    r.calls.uint8 = take_uint8, r.calls.uint16 = take_uint16;
    r.calls.uint32 = take_uint32, r.calls.uint64 = take_uint64;
    r.calls.negint8 = take_negint8, r.calls.negint16 = take_negint16;
    r.calls.negint32 = take_negint32, r.calls.negint64 = take_negint64;
    r.calls.byte_string = take_bytes, r.calls.string = take_text;
    r.calls.array_start = take_array, r.calls.map_start = take_map;
    r.calls.null = take_null;
    r.calls.float2 = take_half, r.calls.float4 = take_single, r.calls.float8 = take_double;
    return r;
}

/* The next item, of deterministic CBOR only (RFC 8949, section 4.2.1). */
static item take(reader *r) {
    item found = {0};
    const unsigned char *start = r->position;
    struct cbor_decoder_result result
        = cbor_stream_decode(start, r->end - start, &r->calls, &found);
    if (result.status != CBOR_DECODER_FINISHED || found.kind == ITEM_OTHER) fail("bad CBOR");
    r->position += result.read;
    uint64_t n = found.argument;
    size_t head = n < 24 ? 1 : n < 256 ? 2 : n < 65536 ? 3 : n >> 32 ? 9 : 5, expected = head;
    switch (found.kind) {
    case ITEM_FLOAT:
        expected = 1 + found.width;
        if ((found.width == 8 && (double)(float)found.number == found.number)
            || (found.width > 2 && (double)(_Float16)found.number == found.number))
            fail("a number wider than it needs to be");
        break;
    case ITEM_TEXT:
        if (!is_utf8(found.start, n)) fail("text that is not UTF-8");
        expected += n;
        break;
    case ITEM_BYTES: expected += n; break;
    default: break;
    }
    if (result.read != expected) fail("an item longer than it needs to be");
    return found;
}

static uint64_t take_unsigned(reader *r) {
    item found = take(r);
    if (found.kind != ITEM_UNSIGNED) fail("a number was expected");
    return found.argument;
}

static void expect(reader *r, int kind, uint64_t argument) {
    item found = take(r);
    if ((int)found.kind != kind || found.argument != argument) fail("another item was expected");
}

static void expect_bytes(reader *r, const void *bytes, size_t length) {
    item found = take(r);
    if (found.kind != ITEM_BYTES || found.argument != length || memcmp(found.start, bytes, length))
        fail("other bytes were expected");
}

static value take_value(reader *r, field_type type) {
    item found = take(r);
    value result = {.kind = VALUE_ABSENT};
    switch (found.kind) {
    case ITEM_NULL: return result;
    case ITEM_UNSIGNED:
    case ITEM_NEGATIVE:
        if (type != TYPE_INTEGER || found.argument > INT64_MAX) fail("a value of another type");
        result.kind = VALUE_INTEGER;
        result.as.integer = found.kind == ITEM_UNSIGNED ? (int64_t)found.argument
                                                        : -1 - (int64_t)found.argument;
        return result;
    case ITEM_FLOAT:
        if (type != TYPE_DECIMAL) fail("a value of another type");
        result.kind = VALUE_DECIMAL;
        result.as.decimal = found.number;
        return result;
    case ITEM_TEXT:
        if (type == TYPE_DATE ? !is_date((const char *)found.start, found.argument)
                              : type != TYPE_TEXT)
            fail("a value of another type");
        result.kind = VALUE_TEXT;
        result.as.text.start = (const char *)found.start;
        result.as.text.length = found.argument;
        return result;
    default: fail("no value");
    }
}

int open_batch(log_state *log, const unsigned char *author_key, const unsigned char *bytes,
               size_t length, row *rows) {
    static unsigned char raw[RAW_BODY], whole[ENCODED_BATCH + 256];
    unsigned char header[96], id[32];
    size_t header_length = protected_header(author_key, header);
    if (length < 1 || bytes[0] != 0xd2) fail("not a batch");
    reader outer = reader_over(bytes + 1, length - 1);
    expect(&outer, ITEM_ARRAY, 4);
    expect_bytes(&outer, header, header_length);
    expect(&outer, ITEM_MAP, 0);
    item payload = take(&outer), signature = take(&outer);
    if (payload.kind != ITEM_BYTES || signature.kind != ITEM_BYTES
        || signature.argument != crypto_sign_BYTES || outer.position != outer.end)
        fail("not a batch");
    size_t message = to_be_signed(header, header_length, payload.start, payload.argument, whole);
    if (crypto_sign_verify_detached(signature.start, whole, message, author_key))
        fail("a wrong signature");
    crypto_generichash(id, 32, bytes, length, NULL, 0);

    reader inner = reader_over(payload.start, payload.argument);
    expect(&inner, ITEM_MAP, 8);
    expect(&inner, ITEM_UNSIGNED, 0), expect(&inner, ITEM_UNSIGNED, 1);
    expect(&inner, ITEM_UNSIGNED, 1), expect_bytes(&inner, log->room, 32);
    expect(&inner, ITEM_UNSIGNED, 2), expect(&inner, ITEM_UNSIGNED, 1);
    expect(&inner, ITEM_UNSIGNED, 3), expect(&inner, ITEM_UNSIGNED, log->number + 1);
    expect(&inner, ITEM_UNSIGNED, 4), expect_bytes(&inner, log->head, 32);
    expect(&inner, ITEM_UNSIGNED, 5);
    uint64_t clock = take_unsigned(&inner);
    expect(&inner, ITEM_UNSIGNED, 6);
    uint64_t raw_length = take_unsigned(&inner);
    expect(&inner, ITEM_UNSIGNED, 7);
    item body = take(&inner);
    if (body.kind != ITEM_BYTES || inner.position != inner.end || raw_length > RAW_BODY
        || ZSTD_getFrameContentSize(body.start, body.argument) != raw_length
        || ZSTD_decompress(raw, RAW_BODY, body.start, body.argument) != raw_length)
        fail("a bad body");

    reader r = reader_over(raw, raw_length);
    expect(&r, ITEM_ARRAY, 1);
    expect(&r, ITEM_ARRAY, 7);
    expect(&r, ITEM_UNSIGNED, 32);
    uint64_t count = take_unsigned(&r);
    if (count < 1 || count > ROWS_PER_BATCH) fail("too many operations");
    expect(&r, ITEM_ARRAY, 1), expect_bytes(&r, log->form, 32);
    expect(&r, ITEM_ARRAY, 0);
    expect(&r, ITEM_ARRAY, 2), expect(&r, ITEM_UNSIGNED, 1), expect(&r, ITEM_UNSIGNED, 0);
    expect(&r, ITEM_ARRAY, FIELDS);
    for (int field = 0; field < FIELDS; field++) expect(&r, ITEM_UNSIGNED, field);
    expect(&r, ITEM_ARRAY, count);
    for (uint64_t place = 0; place < count; place++) {
        row *out = &rows[place];
        expect(&r, ITEM_ARRAY, 2 + FIELDS);
        item step = take(&r);
        if (step.kind == ITEM_BYTES && step.argument == 16) {
            memcpy(out->id, step.start, 16);
        } else if (step.kind == ITEM_UNSIGNED && place) {
            uint64_t low = 0;
            memcpy(out->id, rows[place - 1].id, 16);
            for (int byte = 8; byte < 16; byte++) low = low << 8 | out->id[byte];
            low += step.argument;
            for (int byte = 15; byte >= 8; byte--, low >>= 8) out->id[byte] = low & 255;
        } else {
            fail("not an id");
        }
        item moved = take(&r);
        if (moved.kind == ITEM_UNSIGNED) clock += moved.argument;
        else if (moved.kind == ITEM_NEGATIVE) clock -= moved.argument + 1;
        else fail("not a clock");
        out->clock = clock;
        for (int field = 0; field < FIELDS; field++)
            out->values[field] = take_value(&r, field_types[field]);
    }
    if (r.position != r.end) fail("bytes after the body");
    log->number++;
    memcpy(log->head, id, 32);
    return (int)count;
}
