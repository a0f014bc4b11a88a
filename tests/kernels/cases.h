/* cases.h - what the files of test_kernels share: the tables to compare, random data that depend on
 * the case alone, buffers with guard bands, and the tests of the files other than test_kernels.c.
 * One thread. */
#ifndef TEST_KERNELS_CASES_H
#define TEST_KERNELS_CASES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/kernels.h"

#if defined(__x86_64__)
extern const eg_kernels eg_kernels_emulated, eg_kernels_emulated_amx; /* emulated.c */
int emulated_tiles_clean(void);
#else
static inline int emulated_tiles_clean(void) { return 1; }
#endif

enum { MAX_TABLES = 9 /* two of them emulated */ };
extern const eg_kernels *isas[MAX_TABLES]; /* the scalar one first; filled by main() */
extern size_t isa_count;

/* Starts the random data of a case. They depend on its name and sizes alone: not on the cases
 * before it, nor on how many tables this CPU runs, so that a failure is the same on every machine.
 * FNV-1a. */
void begin_case(const char *name, size_t a, size_t b, size_t c);
uint32_t next_random(void);
float next_float(void); /* (-2, 2), now and then an extreme */

/* Buffers with guard bands on both sides. `offset` shifts the alignment. */
typedef struct buffer {
    float *whole, *data;
    size_t n;
} buffer;

/* guarded: filled with the guard value; make: with random numbers; copy: draws none, since ISAs
 * make different numbers of copies. done frees it, after it has checked the guard bands. */
buffer guarded(size_t n, size_t offset);
buffer make(size_t n, size_t offset);
buffer copy(const buffer *from);
void done(buffer *b);

/* Fails with the first element whose bits differ. */
void same(const buffer *a, const buffer *b, const char *what, const eg_kernels *k, size_t n);

/* A sum of n terms, each added by one fused multiply-add or one addition that rounds to nearest,
 * differs from the exact sum by at most n u / (1 - n u) times the sum of the magnitudes of its
 * terms, u = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). No n here
 * is above 2,000, so 1 / (1 - n u) is below 1.001. */
double sum_error(size_t n, double magnitude);

/* The tests of products.c and attention.c. */
void gemm_is_the_same_everywhere(void **state);
void attention_is_the_same_everywhere(void **state);
void relative_attention_is_the_same_everywhere(void **state);
void s8_is_the_same_everywhere(void **state);
void s8_weights_are_rounded(void **state);
void bf16_is_as_documented_on_every_isa(void **state);
void bf16_is_rounded(void **state);

#endif
