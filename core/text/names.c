/* names.c - see names.h. */
#include "core/text/names.h"

#include <stdlib.h>

#include "core/base/status.h"
#include "core/text/fold.h"
#include "core/text/lex.h"
#include "core/text/words.h"

enum { TOKENS = 1024, NAMES = 64 }; /* of a statement; further ones do not count */

static int is_name(eg_str s, int code) {
    for (size_t i = 1; i < s.len; i++) {
        char before = s.ptr[i - 1], c = s.ptr[i];
        if (c == '_' || (c == '-' && (code || eg_is_upper(before))) || (eg_is_upper(c) && eg_is_lower(before))) return 1;
        if (c == '.' && eg_is_alpha(before) && i + 1 < s.len && eg_is_alpha(s.ptr[i + 1])) return 1;
    }
    return 0;
}

static size_t letters_and_digits(char *p, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)p[i] >= 0x80 || eg_is_alpha(p[i]) || eg_is_digit(p[i])) p[kept++] = p[i];
    return kept;
}

/* The token as it counts among the words, in lower case; 0: it does not. */
static size_t word_of(eg_str s, eg_token_kind kind, char out[EG_LONGEST_WORD + 4]) {
    if (kind == EG_TOKEN_MARK && s.len == 1 && strchr(".,;:()[]{}'\"`*_-/\\", s.ptr[0])) return 0;
    if (eg_word_in(s, "a an the")) return 0;
    size_t n = eg_word_fold(s, out);
    if (kind == EG_TOKEN_WORD) return eg_word_stem(out, n);
    return kind == EG_TOKEN_IDENT ? letters_and_digits(out, n) : n;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t sort_once(uint64_t *v, size_t n) {
    size_t kept = 0;
    qsort(v, n, sizeof *v, by_value);
    for (size_t i = 0; i < n; i++)
        if (!kept || v[kept - 1] != v[i]) v[kept++] = v[i];
    return kept;
}

eg_status eg_names_begin(eg_names *n, eg_arena *arena, size_t capacity, eg_error *err) {
    *n = (eg_names){.arena = arena, .key = eg_hash_key_make(), .capacity = capacity};
    n->statements = eg_arena_array(arena, capacity, sizeof *n->statements);
    return n->statements ? EG_OK : eg_fail_memory(err, capacity * sizeof *n->statements);
}

eg_status eg_names_add(eg_names *n, eg_str statement, eg_error *err) {
    eg_token tokens[TOKENS];
    char words[TOKENS * sizeof(uint64_t)], word[EG_LONGEST_WORD + 4];
    uint64_t names[NAMES];
    size_t name_count = 0, word_count = 0;
    size_t count = eg_text_lex(statement, (eg_span){0, (uint32_t)statement.len}, tokens, TOKENS);
    for (size_t i = 0; i < count; i++) {
        eg_str s = {statement.ptr + tokens[i].start, tokens[i].end - tokens[i].start};
        size_t len = word_of(s, (eg_token_kind)tokens[i].kind, word);
        if (!len) continue;
        uint64_t hash = eg_hash(&n->key, word, len);
        memcpy(words + word_count++ * sizeof hash, &hash, sizeof hash);
        if (name_count == NAMES || !is_name(s, tokens[i].code)) continue;
        len = letters_and_digits(word, eg_word_fold(s, word));
        names[name_count++] = eg_hash(&n->key, word, len);
    }
    name_count = sort_once(names, name_count);
    struct eg_named *one = &n->statements[n->count];
    *one = (struct eg_named){.words = eg_hash(&n->key, words, word_count * sizeof(uint64_t)), .count = (uint32_t)name_count};
    one->names = eg_arena_array(n->arena, name_count, sizeof *names);
    if (!one->names) return eg_fail_memory(err, name_count * sizeof *names);
    if (name_count) memcpy(one->names, names, name_count * sizeof *names);
    n->count++;
    n->all_count += name_count;
    return EG_OK;
}

eg_status eg_names_finish(eg_names *n, eg_error *err) {
    size_t at = 0;
    n->all = eg_arena_array(n->arena, n->all_count, sizeof *n->all);
    if (!n->all) return eg_fail_memory(err, n->all_count * sizeof *n->all);
    for (size_t i = 0; i < n->count; i++) {
        if (n->statements[i].count) memcpy(n->all + at, n->statements[i].names, n->statements[i].count * sizeof *n->all);
        at += n->statements[i].count;
    }
    qsort(n->all, n->all_count, sizeof *n->all, by_value);
    return EG_OK;
}

int eg_names_same_words(const eg_names *n, size_t i, size_t k) { return n->statements[i].words == n->statements[k].words; }

/* 1 when two statements or more have the name. */
static int is_known(const eg_names *n, uint64_t name) {
    size_t low = 0, high = n->all_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (n->all[middle] < name) low = middle + 1;
        else high = middle;
    }
    return low + 1 < n->all_count && n->all[low + 1] == name;
}

/* 1 when a has names that b lacks, and statements besides a have all of them. */
static int has_known_names_of_its_own(const eg_names *n, const struct eg_named *a, const struct eg_named *b) {
    size_t own = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        if (bsearch(&a->names[i], b->names, b->count, sizeof *b->names, by_value)) continue;
        if (!is_known(n, a->names[i])) return 0;
        own++;
    }
    return own > 0;
}

int eg_names_of_two_things(const eg_names *n, size_t i, size_t k) {
    const struct eg_named *a = &n->statements[i], *b = &n->statements[k];
    return has_known_names_of_its_own(n, a, b) && has_known_names_of_its_own(n, b, a);
}
