/* json.h - a bounded pull reader for JSON (RFC 8259): configuration and tokenizer files, JSONL
 * input. It keeps no tree, does not recurse, reads 64-bit integers exactly and sees duplicate keys.
 * Not a writer of protocols: front ends use cJSON. Thread class: one thread at a time. */
#ifndef EG_BASE_JSON_H
#define EG_BASE_JSON_H

#include "core/base/arena.h"

enum { EG_JSON_DEPTH = 64 };

typedef enum eg_json_kind {
    EG_JSON_END = 0, /* the document is over */
    EG_JSON_OBJECT,  /* { */
    EG_JSON_OBJECT_END,
    EG_JSON_ARRAY, /* [ */
    EG_JSON_ARRAY_END,
    EG_JSON_KEY,
    EG_JSON_STRING,
    EG_JSON_NUMBER,
    EG_JSON_TRUE,
    EG_JSON_FALSE,
    EG_JSON_NULL,
    EG_JSON_ERROR
} eg_json_kind;

typedef struct eg_json {
    const char *start, *p, *end;
    eg_arena *arena;  /* unescaped strings; a string without escapes is a view of the input */
    eg_error *err;    /* position (line, column) and what was expected */
    const char *name; /* of the document, for messages */
    eg_str text;      /* of KEY and STRING: unescaped, valid UTF-8; of NUMBER: the digits */
    int is_integer;   /* NUMBER without fraction and exponent that fits an int64 */
    int64_t integer;
    double number;
    uint32_t depth;
    uint8_t state;                /* private */
    uint8_t stack[EG_JSON_DEPTH]; /* private */
    eg_json_kind kind;            /* the last token */
} eg_json;

/* Reads bytes (which must outlive the reader). name is used in messages ("config.json"). */
void eg_json_init(eg_json *j, const char *name, eg_str bytes, eg_arena *arena, eg_error *err);
/* The next token. EG_JSON_ERROR is final: err says where and what. A lone surrogate escape, invalid
 * UTF-8, a control character in a string, a leading zero, trailing bytes and depth over
 * EG_JSON_DEPTH are errors. */
eg_json_kind eg_json_next(eg_json *j);
/* Skips the value that begins with the token just read (a whole object or array). 0 on error. */
int eg_json_skip(eg_json *j);
/* Reads bytes to their end: EG_OK when they are one JSON object and nothing else. */
eg_status eg_json_check_object(const char *name, eg_str bytes, eg_error *err);
/* Fills err with "NAME:line:column: message" and makes every later call return EG_JSON_ERROR. */
__attribute__((format(printf, 2, 3))) eg_json_kind eg_json_fail(eg_json *j, const char *format, ...);

enum { EG_BUFFER_MEMORY = 1, EG_BUFFER_LIMIT };
/* Appends s as a JSON string with quotes to a growing buffer: the one escaper of the host. */
typedef struct eg_buffer {
    char *ptr;
    size_t len, capacity;
    size_t limit; /* of len; 0: none */
    int failed;   /* EG_BUFFER_MEMORY or EG_BUFFER_LIMIT; later appends do nothing */
} eg_buffer;
void eg_buffer_release(eg_buffer *b);
void eg_buffer_add(eg_buffer *b, const char *bytes, size_t n);
void eg_buffer_text(eg_buffer *b, const char *z);
__attribute__((format(printf, 2, 3))) void eg_buffer_format(eg_buffer *b, const char *format, ...);
void eg_buffer_json(eg_buffer *b, eg_str s);

#endif
