/* trace.h - where the bytes of normalised text come from. Normalisers that are asked to be traced tell for each code point that
 * they write how many of the old ones it stands for; from that follow the bytes of the original. Used by normalizer.c, unicode.c,
 * charsmap.c, wordpiece.c, tokenizer.c; nobody pays for it who does not ask. Not here: the text itself. */
#ifndef EG_TOKENIZER_TRACE_H
#define EG_TOKENIZER_TRACE_H

#include "core/base/arena.h"
#include "core/include/engram/infer.h"

typedef struct eg_places {
    eg_range *of; /* for each byte of a text: the bytes of the original that its code point comes from */
    size_t count, capacity;
} eg_places;

/* init with {0}. */
typedef struct eg_trace {
    eg_places now, next; /* of the text at hand, and of the one that a step is writing */
    int32_t *changes;    /* of the step: for each code point written, 1: put in; -n: in place of 1 + n old ones */
    size_t count, capacity;
    int failed; /* an allocation failed; later calls do nothing */
} eg_trace;
void eg_trace_release(eg_trace *t);

/* Begins with a text of n bytes: each code point comes from itself. */
void eg_trace_begin(eg_trace *t, eg_str text);

/* A step either tells changes and is then applied ... */
void eg_trace_change(eg_trace *t, int32_t change);
void eg_trace_apply(eg_trace *t, eg_str old, eg_str written);
/* ... or says itself where what it writes comes from: n bytes as they stand at `from`, or n bytes that all come from where the
 * byte `from` comes from; and is done. */
void eg_trace_copy(eg_trace *t, size_t from, size_t n);
void eg_trace_repeat(eg_trace *t, size_t from, size_t n);
void eg_trace_done(eg_trace *t);

/* The text is cut to its bytes [begin, end). */
void eg_trace_cut(eg_trace *t, size_t begin, size_t end);

#endif
