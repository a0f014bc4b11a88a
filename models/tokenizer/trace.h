/* trace.h - which bytes of the original text the bytes of normalised text come from. A traced
 * normaliser reports, for each code point that it writes, how many old ones it replaces; the source
 * bytes follow from that. Called by normalizer.c, unicode.c, charsmap.c, wordpiece.c, tokenizer.c,
 * and only if the caller wants spans. Not here: the text itself. */
#ifndef EG_TOKENIZER_TRACE_H
#define EG_TOKENIZER_TRACE_H

#include "core/base/arena.h"
#include "core/include/engram/infer.h"

typedef struct eg_places {
    /* for each byte of a text: the bytes of the original that its code point comes from */
    eg_range *of;
    size_t count, capacity;
} eg_places;

/* init with {0}. */
typedef struct eg_trace {
    eg_places now, next; /* of the current text, and of the one that a step writes */
    int32_t *changes;    /* of the step: for each code point written, 1: inserted; -n: replaces 1 +
                          * n old ones */
    size_t count, capacity;
    int failed; /* an allocation failed; later calls do nothing */
} eg_trace;
void eg_trace_release(eg_trace *t);

/* Begins with a text of n bytes: each code point comes from itself. */
void eg_trace_begin(eg_trace *t, eg_str text);

/* A step either reports changes and is then applied ... */
void eg_trace_change(eg_trace *t, int32_t change);
void eg_trace_apply(eg_trace *t, eg_str old, eg_str written);
/* ... or reports sources directly: n bytes that are copied from `from`, or n bytes that all come
 * from the source of the byte `from`; then the step is finished. */
void eg_trace_copy(eg_trace *t, size_t from, size_t n);
void eg_trace_repeat(eg_trace *t, size_t from, size_t n);
void eg_trace_done(eg_trace *t);

/* The text is cut to its bytes [begin, end). */
void eg_trace_cut(eg_trace *t, size_t begin, size_t end);

#endif
