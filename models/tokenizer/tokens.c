/* tokens.c - see tokens.h. */
#include "models/tokenizer/tokens.h"

#include <stdint.h>
#include <stdlib.h>

#include "core/base/size.h"
#include "core/base/status.h"

void eg_tokens_release(eg_tokens *t) {
    free(t->ids);
    free(t->sources);
    *t = (eg_tokens){0};
}

eg_status eg_tokens_reserve(eg_tokens *t, size_t more, eg_error *err) {
    size_t need, bytes;
    if (!eg_size_add(t->count, more, &need)) return eg_fail_memory(err, SIZE_MAX);
    if (need <= t->capacity && (!t->has_sources || need <= t->source_capacity)) return EG_OK;
    size_t capacity = t->capacity ? t->capacity : 128;
    while (capacity < need && capacity <= SIZE_MAX / 2) capacity *= 2;
    if (t->capacity < capacity) {
        uint32_t *p = eg_size_mul(capacity, sizeof *p, &bytes) ? realloc(t->ids, bytes) : NULL;
        if (!p) return eg_fail_memory(err, need * sizeof *p);
        t->ids = p;
        t->capacity = capacity;
    }
    if (t->has_sources && t->source_capacity < capacity) {
        eg_source *p = eg_size_mul(capacity, sizeof *p, &bytes) ? realloc(t->sources, bytes) : NULL;
        if (!p) return eg_fail_memory(err, need * sizeof *p);
        t->sources = p;
        t->source_capacity = capacity;
    }
    return EG_OK;
}
