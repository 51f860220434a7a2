// libcbor: its streaming decoder reports each item through one of 23 callbacks. This turns one
// call into one value, so that Swift can ask for the next item.
#pragma once
#include <cbor.h>

typedef enum {
  SHIM_CBOR_UNSIGNED,
  SHIM_CBOR_NEGATIVE,  // argument n stands for -1 - n
  SHIM_CBOR_BYTES,
  SHIM_CBOR_TEXT,
  SHIM_CBOR_ARRAY,
  SHIM_CBOR_MAP,
  SHIM_CBOR_TAG,
  SHIM_CBOR_HALF,
  SHIM_CBOR_SINGLE,
  SHIM_CBOR_DOUBLE,
  SHIM_CBOR_NULL,
  SHIM_CBOR_FALSE,
  SHIM_CBOR_TRUE,
  SHIM_CBOR_OTHER  // undefined, indefinite lengths, break
} shim_cbor_kind;

typedef struct {
  int32_t kind;
  uint64_t argument;  // number, tag, or length of bytes, text, array, map
  double number;
  const uint8_t *bytes;
} shim_cbor_item;

static inline void shim_cbor_set(void *item, int kind, uint64_t argument) {
  ((shim_cbor_item *)item)->kind = kind;
  ((shim_cbor_item *)item)->argument = argument;
}
static void shim_cbor_uint8(void *c, uint8_t v) { shim_cbor_set(c, SHIM_CBOR_UNSIGNED, v); }
static void shim_cbor_uint16(void *c, uint16_t v) { shim_cbor_set(c, SHIM_CBOR_UNSIGNED, v); }
static void shim_cbor_uint32(void *c, uint32_t v) { shim_cbor_set(c, SHIM_CBOR_UNSIGNED, v); }
static void shim_cbor_uint64(void *c, uint64_t v) { shim_cbor_set(c, SHIM_CBOR_UNSIGNED, v); }
static void shim_cbor_negint8(void *c, uint8_t v) { shim_cbor_set(c, SHIM_CBOR_NEGATIVE, v); }
static void shim_cbor_negint16(void *c, uint16_t v) { shim_cbor_set(c, SHIM_CBOR_NEGATIVE, v); }
static void shim_cbor_negint32(void *c, uint32_t v) { shim_cbor_set(c, SHIM_CBOR_NEGATIVE, v); }
static void shim_cbor_negint64(void *c, uint64_t v) { shim_cbor_set(c, SHIM_CBOR_NEGATIVE, v); }
static void shim_cbor_bytes(void *c, cbor_data bytes, size_t length) {
  shim_cbor_set(c, SHIM_CBOR_BYTES, length);
  ((shim_cbor_item *)c)->bytes = bytes;
}
static void shim_cbor_text(void *c, cbor_data bytes, size_t length) {
  shim_cbor_set(c, SHIM_CBOR_TEXT, length);
  ((shim_cbor_item *)c)->bytes = bytes;
}
static void shim_cbor_array(void *c, size_t length) { shim_cbor_set(c, SHIM_CBOR_ARRAY, length); }
static void shim_cbor_map(void *c, size_t length) { shim_cbor_set(c, SHIM_CBOR_MAP, length); }
static void shim_cbor_tag(void *c, uint64_t tag) { shim_cbor_set(c, SHIM_CBOR_TAG, tag); }
static void shim_cbor_half(void *c, float v) {
  shim_cbor_set(c, SHIM_CBOR_HALF, 0);
  ((shim_cbor_item *)c)->number = v;
}
static void shim_cbor_single(void *c, float v) {
  shim_cbor_set(c, SHIM_CBOR_SINGLE, 0);
  ((shim_cbor_item *)c)->number = v;
}
static void shim_cbor_double(void *c, double v) {
  shim_cbor_set(c, SHIM_CBOR_DOUBLE, 0);
  ((shim_cbor_item *)c)->number = v;
}
static void shim_cbor_null(void *c) { shim_cbor_set(c, SHIM_CBOR_NULL, 0); }
static void shim_cbor_boolean(void *c, bool v) {
  shim_cbor_set(c, v ? SHIM_CBOR_TRUE : SHIM_CBOR_FALSE, 0);
}
static void shim_cbor_other(void *c) { shim_cbor_set(c, SHIM_CBOR_OTHER, 0); }

static const struct cbor_callbacks shim_cbor_callbacks = {
    .uint8 = shim_cbor_uint8,
    .uint16 = shim_cbor_uint16,
    .uint32 = shim_cbor_uint32,
    .uint64 = shim_cbor_uint64,
    .negint64 = shim_cbor_negint64,
    .negint32 = shim_cbor_negint32,
    .negint16 = shim_cbor_negint16,
    .negint8 = shim_cbor_negint8,
    .byte_string_start = shim_cbor_other,
    .byte_string = shim_cbor_bytes,
    .string = shim_cbor_text,
    .string_start = shim_cbor_other,
    .indef_array_start = shim_cbor_other,
    .array_start = shim_cbor_array,
    .indef_map_start = shim_cbor_other,
    .map_start = shim_cbor_map,
    .tag = shim_cbor_tag,
    .float2 = shim_cbor_half,
    .float4 = shim_cbor_single,
    .float8 = shim_cbor_double,
    .undefined = shim_cbor_other,
    .null = shim_cbor_null,
    .boolean = shim_cbor_boolean,
    .indef_break = shim_cbor_other,
};

// Reads one item's head (for strings, the string too) and returns the bytes it took; 0 if the
// bytes end too early or are no CBOR.
static inline size_t shim_cbor_next(const uint8_t *source, size_t size, shim_cbor_item *item) {
  struct cbor_decoder_result result =
      cbor_stream_decode(source, size, &shim_cbor_callbacks, item);
  return result.status == CBOR_DECODER_FINISHED ? result.read : 0;
}
