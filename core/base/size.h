/* size.h - arithmetic on sizes that cannot wrap. Each returns 1 and stores the result, or 0 on
 * overflow. Thread class: any. */
#ifndef EG_BASE_SIZE_H
#define EG_BASE_SIZE_H

#include <stddef.h>

static inline int eg_size_add(size_t a, size_t b, size_t *out) { return !__builtin_add_overflow(a, b, out); }
static inline int eg_size_mul(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }

/* a rounded up to a multiple of `to` (a power of two). */
static inline int eg_size_round_up(size_t a, size_t to, size_t *out) {
    if (!eg_size_add(a, to - 1, out)) return 0;
    *out &= ~(to - 1);
    return 1;
}

#endif
