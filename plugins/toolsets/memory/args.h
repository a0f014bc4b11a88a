/* args.h - reads the arguments of a tool by the table of the tool. What it is not: the rules of the
 * domain (core/memory checks scopes, ids, operations). Used by the tools of this folder.
 *
 * It refuses unknown and repeated names, wrong types, numbers out of range, words that are not
 * among the choices, texts that are too long and missing arguments, and names the argument each
 * time. An optional argument that is null or an empty text counts as not given: some clients send
 * every field of a form. */
#ifndef ENGRAM_MEMORY_ARGS_H
#define ENGRAM_MEMORY_ARGS_H

#include "engram/plugin.h"

typedef enum arg_kind {
    ARG_TEXT,    /* value.text; high: most bytes */
    ARG_NUMBER,  /* value.number in low..high */
    ARG_INTEGER, /* value.integer in low..high */
    ARG_BOOLEAN, /* value.integer 0 or 1 */
    ARG_WORD,    /* value.integer: index into words */
    ARG_TIME,    /* value.integer: microseconds UTC */
    ARG_SPAN,    /* value.integer: microseconds, more than 0 */
    ARG_TEXTS,   /* value.texts, count; high: most items, each of 1 to low bytes */
    ARG_OBJECTS  /* value.texts, count, the JSON text of each object; high: most items */
} arg_kind;

typedef struct arg_spec {
    const char *name;
    arg_kind kind;
    int required;
    double low, high;
    const char *const *words; /* NULL-terminated */
} arg_spec;

typedef struct arg_value {
    int given;
    eg_str text;
    double number;
    int64_t integer;
    eg_str *texts;
    size_t count;
} arg_value;

/* Every tool takes the argument `verbose`, which no schema names: true gives the result with all of
 * its members. Agents pay for every byte of a result and need few of them; the commands of `engram`
 * and programs ask for all. 1: it is given and true. */
int mt_args_verbose(eg_str arguments);

/* Reads arguments into values[0..n), one for each spec; texts are copies in the request's memory.
 * EG_EINVAL with the sentence in the request's error record. */
eg_status mt_args_read(eg_request *rq, eg_str arguments, const arg_spec *specs, size_t n, arg_value *values);

#endif
