/* vocabulary.c - see vocabulary.h. */
#include "models/tokenizer/vocabulary.h"

#include "core/base/status.h"

/* The slot that holds the token, or the empty slot for it. */
static eg_piece *slot_of(const eg_vocabulary *v, const char *p, size_t n, uint32_t tag) {
    for (size_t i = ((size_t)eg_hash(&v->key, p, n) ^ tag) & v->mask;; i = (i + 1) & v->mask) {
        eg_piece *s = &v->slots[i];
        if (!s->text.ptr || (s->tag == tag && s->text.len == n && memcmp(s->text.ptr, p, n) == 0)) return s;
    }
}

eg_status eg_vocabulary_init(eg_vocabulary *v, const char *file, size_t entries, eg_arena *arena, eg_error *err) {
    if (entries > EG_MAX_VOCABULARY)
        return eg_fail(err, EG_ELIMIT, "%s: a vocabulary of %zu tokens; at most %d", file, entries, EG_MAX_VOCABULARY);
    size_t slots = 64;
    while (slots < entries * 2) slots *= 2;
    *v = (eg_vocabulary){.slots = eg_arena_array(arena, slots, sizeof *v->slots), .mask = slots - 1, .key = eg_hash_key_make()};
    return v->slots ? EG_OK : eg_fail_memory(err, slots * sizeof *v->slots);
}

void eg_vocabulary_add(eg_vocabulary *v, eg_str text, uint32_t tag, uint32_t id) {
    if (text.len > v->longest) v->longest = text.len;
    if (id >= v->size) v->size = id + 1;
    eg_piece *s = slot_of(v, text.ptr, text.len, tag);
    v->count += s->text.ptr == NULL;
    *s = (eg_piece){text, id, tag};
}

const eg_piece *eg_vocabulary_find(const eg_vocabulary *v, const char *p, size_t n, uint32_t tag) {
    const eg_piece *s = slot_of(v, p, n, tag);
    return s->text.ptr ? s : NULL;
}
