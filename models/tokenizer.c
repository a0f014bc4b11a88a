/* tokenizer.c - see tokenizer.h. Which kind a folder holds, and what all kinds share: growing token lists, special tokens
 * around texts, truncation. */
#include "models/tokenizer.h"

#include <stdlib.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/size.h"
#include "core/base/status.h"
#include "models/wordpiece.h"

enum { MAX_FILE = 64 << 20 };

struct eg_tokenizer {
    const eg_wordpiece *wordpiece;
};

/* ---- opening ---- */

static eg_status wrap(const eg_wordpiece *w, eg_arena *arena, const eg_tokenizer **out, eg_error *err) {
    eg_tokenizer *t = eg_arena_alloc(arena, sizeof *t);
    if (!t) return eg_fail_memory(err, sizeof *t);
    t->wordpiece = w;
    *out = t;
    return EG_OK;
}

eg_status eg_tokenizer_from_json(eg_str json, eg_arena *arena, const eg_tokenizer **out, eg_error *err) {
    const eg_wordpiece *w;
    *out = NULL;
    eg_status s = eg_wordpiece_from_json(json, arena, &w, err);
    return s == EG_OK ? wrap(w, arena, out, err) : s;
}

eg_status eg_tokenizer_from_vocab(eg_str vocab, int lowercase, eg_arena *arena, const eg_tokenizer **out, eg_error *err) {
    const eg_wordpiece *w;
    *out = NULL;
    eg_status s = eg_wordpiece_from_vocab(vocab, lowercase, arena, &w, err);
    return s == EG_OK ? wrap(w, arena, out, err) : s;
}

/* do_lower_case of tokenizer_config.json; 1 when it does not say. */
static eg_status read_lowercase(const char *path, eg_arena *arena, int *lowercase, eg_error *err) {
    *lowercase = 1;
    eg_str bytes;
    if (!eg_file_exists(path)) return EG_OK;
    eg_status s = eg_file_read(path, MAX_FILE, arena, &bytes, err);
    if (s != EG_OK) return s;
    eg_json j;
    eg_json_init(&j, "tokenizer_config.json", bytes, arena, err);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k == EG_JSON_KEY && j.depth == 1 && eg_str_eq(j.text, EG_STR("do_lower_case")))
            *lowercase = eg_json_next(&j) != EG_JSON_FALSE;
    }
    return EG_OK;
}

eg_status eg_tokenizer_open(const char *dir, eg_arena *arena, const eg_tokenizer **out, eg_error *err) {
    char *json = eg_arena_printf(arena, "%s/tokenizer.json", dir), *vocab = eg_arena_printf(arena, "%s/vocab.txt", dir);
    char *config = eg_arena_printf(arena, "%s/tokenizer_config.json", dir);
    *out = NULL;
    if (!json || !vocab || !config) return eg_fail_memory(err, strlen(dir) + 32);
    eg_str bytes;
    eg_status s;
    if (eg_file_exists(json)) {
        s = eg_file_read(json, MAX_FILE, arena, &bytes, err);
        return s == EG_OK ? eg_tokenizer_from_json(bytes, arena, out, err) : s;
    }
    int lowercase;
    if ((s = read_lowercase(config, arena, &lowercase, err)) != EG_OK) return s;
    s = eg_file_read(vocab, MAX_FILE, arena, &bytes, err);
    if (s == EG_ENOENT) return eg_fail(err, s, "'%s' has neither tokenizer.json nor vocab.txt", dir);
    return s == EG_OK ? eg_tokenizer_from_vocab(bytes, lowercase, arena, out, err) : s;
}

uint32_t eg_tokenizer_size(const eg_tokenizer *t) { return eg_wordpiece_size(t->wordpiece); }

uint32_t eg_tokenizer_types(const eg_tokenizer *t) {
    (void)t;
    return 2;
}

/* ---- tokens ---- */

void eg_tokens_release(eg_tokens *t) {
    free(t->ids);
    *t = (eg_tokens){0};
}

eg_status eg_tokens_reserve(eg_tokens *t, size_t more, eg_error *err) {
    size_t need, bytes;
    if (!eg_size_add(t->count, more, &need)) return eg_fail_memory(err, SIZE_MAX);
    if (need <= t->capacity) return EG_OK;
    size_t capacity = t->capacity ? t->capacity : 128;
    while (capacity < need && capacity <= SIZE_MAX / 2) capacity *= 2;
    uint32_t *p = eg_size_mul(capacity, sizeof *p, &bytes) ? realloc(t->ids, bytes) : NULL;
    if (!p) return eg_fail_memory(err, need * sizeof *p);
    t->ids = p;
    t->capacity = capacity;
    return EG_OK;
}

eg_status eg_tokenizer_encode(const eg_tokenizer *t, eg_str text, eg_tokens *out, eg_error *err) {
    return eg_wordpiece_encode(t->wordpiece, text, out, err);
}

/* How many tokens of each side stay: the longer side gives first; when both are too long they share, and the odd one goes
 * to the longer. */
static void truncate_longest_first(size_t *first, size_t *second, size_t most) {
    if (*first + *second <= most) return;
    size_t *lesser = *first > *second ? second : first, *longer = lesser == first ? second : first;
    size_t n1 = *lesser, n2 = n1 > most || most - n1 < n1 ? n1 : most - n1;
    if (n1 + n2 > most) {
        n1 = most / 2;
        n2 = n1 + most % 2;
    }
    *lesser = n1;
    *longer = n2;
}

eg_status eg_tokenizer_join(const eg_tokenizer *t, const eg_tokens *first, const eg_tokens *second, size_t most,
                            eg_tokens *ids, uint8_t *types, eg_error *err) {
    uint32_t classify, separate;
    eg_wordpiece_around(t->wordpiece, &classify, &separate);
    size_t around = second ? 3 : 2, n1 = first->count, n2 = second ? second->count : 0;
    if (most < around + 1) return eg_fail(err, EG_EINVAL, "at most %zu tokens leave no room for text", most);
    truncate_longest_first(&n1, &n2, most - around);
    eg_status s = eg_tokens_reserve(ids, n1 + n2 + around, err);
    if (s != EG_OK) return s;
    uint32_t *to = ids->ids + ids->count;
    *to++ = classify;
    if (n1) memcpy(to, first->ids, n1 * sizeof *to);
    to += n1;
    *to++ = separate;
    if (second) {
        if (n2) memcpy(to, second->ids, n2 * sizeof *to);
        to += n2;
        *to++ = separate;
    }
    if (types) {
        memset(types, 0, n1 + 2);
        if (second) memset(types + n1 + 2, 1, n2 + 1);
    }
    ids->count += n1 + n2 + around;
    return EG_OK;
}
