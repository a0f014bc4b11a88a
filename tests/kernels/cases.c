/* cases.c - see cases.h. */
#include "cases.h"

enum { GUARD = 32 };
#define GUARD_VALUE 12345.678f

const eg_kernels *isas[MAX_TABLES];
size_t isa_count;
static uint32_t seed;

void begin_case(const char *name, size_t a, size_t b, size_t c) {
    const size_t sizes[] = {a, b, c};
    seed = 2166136261u;
    for (; *name; name++) seed = (seed ^ (uint8_t)*name) * 16777619u;
    for (size_t i = 0; i < 3; i++) seed = (seed ^ (uint32_t)sizes[i]) * 16777619u;
}

uint32_t next_random(void) { return seed = seed * 1664525u + 1013904223u; }

float next_float(void) {
    uint32_t s = next_random() >> 8;
    if (s % 97 == 0) return s & 1024 ? 60.0f : -60.0f;
    if (s % 89 == 0) return s & 1024 ? 0.0f : -0.0f;
    return ((float)(s & 0xffff) / 16384.0f - 2.0f);
}

buffer guarded(size_t n, size_t offset) {
    buffer b = {aligned_alloc(64, (n + 2 * GUARD + 32) * 4 / 64 * 64 + 64), NULL, n};
    assert_non_null(b.whole);
    for (size_t i = 0; i < n + 2 * GUARD; i++) b.whole[i] = GUARD_VALUE;
    b.data = b.whole + GUARD + offset;
    return b;
}

buffer make(size_t n, size_t offset) {
    buffer b = guarded(n, offset);
    for (size_t i = 0; i < n; i++) b.data[i] = next_float();
    return b;
}

buffer copy(const buffer *from) {
    buffer b = guarded(from->n, (size_t)(from->data - from->whole) - GUARD);
    memcpy(b.data, from->data, from->n * sizeof(float));
    return b;
}

void done(buffer *b) {
    for (size_t i = 0; i < (size_t)(b->data - b->whole); i++) assert_true(b->whole[i] == GUARD_VALUE);
    for (float *p = b->data + b->n; p < b->whole + b->n + 2 * GUARD; p++) assert_true(*p == GUARD_VALUE);
    free(b->whole);
}

void same(const buffer *a, const buffer *b, const char *what, const eg_kernels *k, size_t n) {
    for (size_t i = 0; i < a->n; i++)
        if (memcmp(&a->data[i], &b->data[i], sizeof(float)) != 0)
            fail_msg("%s of %s, size %zu: element %zu is %.9g, expected %.9g", what, k->name, n, i, (double)b->data[i],
                     (double)a->data[i]);
}

double sum_error(size_t n, double magnitude) { return (double)n * 0x1p-24 * 1.001 * magnitude; }
