/* trie.c - see trie.h. A node's keys are sorted by their next byte when the node gets its children;
 * free units form a list. */
#include "models/tokenizer/trie.h"

#include <stdlib.h>

#include "core/base/status.h"

enum { BYTES = 256, FEW = 16, TRIES = 64 /* places to try before the array grows */, MAX_UNITS = 1 << 28 };
#define NO_PARENT UINT32_MAX /* of the root and of free units */

/* Of a free unit, base is the next free one and value the one before; 0 ends the list, as the root
 * is never free. */
typedef struct builder {
    eg_trie_unit *units;
    size_t count;
    uint32_t first, last; /* free */
    uint32_t end;         /* units from here on have never been used */
} builder;

/* The keys order[begin..end) share their first `depth` bytes, which lead to node. */
typedef struct task {
    uint32_t begin, end, depth, node;
} task;

static eg_status grow(builder *b, eg_error *err) {
    size_t count = b->count + b->count / 2 + 4 * BYTES;
    if (count > MAX_UNITS) return eg_fail(err, EG_ELIMIT, "a vocabulary of more than %d nodes", MAX_UNITS);
    eg_trie_unit *units = realloc(b->units, count * sizeof *units);
    if (!units) return eg_fail_memory(err, count * sizeof *units);
    /* the root's; no base is below 1 */
    for (; b->count < BYTES; b->count++) units[b->count] = (eg_trie_unit){0, NO_PARENT, 0};
    for (uint32_t i = (uint32_t)b->count; i < count; i++) {
        units[i] = (eg_trie_unit){0, NO_PARENT, b->last};
        *(b->last ? &units[b->last].base : &b->first) = i;
        b->last = i;
    }
    b->units = units;
    b->count = count;
    return EG_OK;
}

static void take(builder *b, uint32_t i, uint32_t parent) {
    uint32_t next = b->units[i].base, before = b->units[i].value;
    *(before ? &b->units[before].base : &b->first) = next;
    *(next ? &b->units[next].value : &b->last) = before;
    b->units[i] = (eg_trie_unit){0, parent, 0};
    if (i >= b->end) b->end = i + 1;
}

static int fits(const builder *b, uint32_t base, const uint8_t *labels, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (b->units[base + labels[i]].parent != NO_PARENT) return 0;
    return 1; /* base > 0: never the root */
}

/* A base at which all labels (ascending) fall on free units. */
static eg_status find_base(builder *b, const uint8_t *labels, size_t n, uint32_t *base, eg_error *err) {
    uint32_t at = b->first;
    for (int tries = 0; at && tries < TRIES; tries++, at = b->units[at].base) {
        *base = at - labels[0];
        if (*base + BYTES <= b->count && fits(b, *base, labels, n)) return EG_OK;
    }
    *base = b->end - labels[0];
    return *base + BYTES > b->count ? grow(b, err) : EG_OK;
}

/* Sorts the n keys of part, all longer than depth, by the byte there. */
static void sort_by_byte(const eg_str *keys, uint32_t *part, size_t n, uint32_t depth, uint32_t *copy) {
#define BYTE(key) ((unsigned char)keys[key].ptr[depth])
    if (n <= FEW) {
        for (size_t i = 1; i < n; i++) {
            uint32_t moved = part[i];
            size_t to = i;
            for (; to > 0 && BYTE(part[to - 1]) > BYTE(moved); to--) part[to] = part[to - 1];
            part[to] = moved;
        }
        return;
    }
    size_t starts[BYTES + 1] = {0};
    for (size_t i = 0; i < n; i++) starts[BYTE(part[i]) + 1]++;
    for (size_t i = 1; i <= BYTES; i++) starts[i] += starts[i - 1];
    for (size_t i = 0; i < n; i++) copy[starts[BYTE(part[i])]++] = part[i];
    memcpy(part, copy, n * sizeof *part);
#undef BYTE
}

/* Makes the children of one node; appends tasks for them at *out. */
static eg_status make_children(builder *b, const eg_str *keys, uint32_t *order, uint32_t *copy, task t, task **out,
                               eg_error *err) {
    for (uint32_t i = t.begin; i < t.end; i++) { /* keys that end here */
        uint32_t key = order[i];
        if (keys[key].len != t.depth) continue;
        if (key + 1 > b->units[t.node].value) b->units[t.node].value = key + 1;
        order[i] = order[t.begin];
        order[t.begin++] = key;
    }
    if (t.begin == t.end) return EG_OK;
    sort_by_byte(keys, order + t.begin, t.end - t.begin, t.depth, copy);
    uint8_t labels[BYTES];
    uint32_t starts[BYTES + 1], base;
    size_t n = 0;
    for (uint32_t i = t.begin; i < t.end; i++) {
        uint8_t byte = (uint8_t)keys[order[i]].ptr[t.depth];
        if (n && labels[n - 1] == byte) continue;
        labels[n] = byte;
        starts[n++] = i;
    }
    starts[n] = t.end;
    eg_status s = find_base(b, labels, n, &base, err);
    if (s != EG_OK) return s;
    b->units[t.node].base = base;
    for (size_t i = 0; i < n; i++) {
        take(b, base + labels[i], t.node);
        *(*out)++ = (task){starts[i], starts[i + 1], t.depth + 1, base + labels[i]};
    }
    return EG_OK;
}

static eg_status build(builder *b, const eg_str *keys, uint32_t n, uint32_t *order, uint32_t *copy, task *tasks, eg_error *err) {
    eg_status s = grow(b, err);
    task *top = tasks; /* waiting tasks have disjoint keys, so there are at most n */
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    if (n) *top++ = (task){0, n, 0, 0};
    while (s == EG_OK && top > tasks) {
        task t = *--top;
        s = make_children(b, keys, order, copy, t, &top, err);
    }
    return s;
}

eg_status eg_trie_build(const eg_str *keys, size_t n, eg_arena *arena, eg_trie *out, eg_error *err) {
    if (n >= MAX_UNITS) return eg_fail(err, EG_ELIMIT, "a vocabulary of %zu pieces", n);
    builder b = {.end = BYTES};
    uint32_t *order = malloc((n + 1) * sizeof *order), *copy = malloc((n + 1) * sizeof *copy);
    task *tasks = malloc((n + 1) * sizeof *tasks);
    eg_status s =
        order && copy && tasks ? build(&b, keys, (uint32_t)n, order, copy, tasks, err) : eg_fail_memory(err, n * sizeof *tasks);
    size_t count = b.end + BYTES; /* no base is as far as end */
    eg_trie_unit *units = s == EG_OK ? eg_arena_array(arena, count, sizeof *units) : NULL;
    if (s == EG_OK && !units) s = eg_fail_memory(err, count * sizeof *units);
    for (size_t i = 0; units && i < count; i++)
        units[i] = i < b.count && (i == 0 || b.units[i].parent != NO_PARENT) ? b.units[i] : (eg_trie_unit){0, NO_PARENT, 0};
    if (units) out->units = units;
    free(order);
    free(copy);
    free(tasks);
    free(b.units);
    return s;
}
