/* test_batches.c - the promise of infer.h over the weights that ship: 40 texts from one token to
 * more than the model takes give the same bits alone, side by side, in reverse order, with one
 * thread and with two, with every ISA of this CPU (in bf16 with each ISA); OpenBLAS, which is
 * outside the promise, comes close. Tiny models: test_model.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/include/engram/infer.h"
#include "kernels/kernels.h"

#define EMBED WEIGHTS "/engram-embed-0"
#define NLI WEIGHTS "/engram-nli-0"

enum { TEXTS = 40, MAX_WORDS = 600, WIDEST = 512, MAX_ISAS = 8 };

static char storage[TEXTS][MAX_WORDS * 10];
static eg_str texts[TEXTS];

/* Few are long: 0, 1, 1 ... 600 words of about a token. */
static int make_texts(void **state) {
    (void)state;
    static const char *const words[] = {"the", "retry", "limit", "of", "5", "is", "not", "cached,", "api", "seconds"};
    uint32_t seed = 7;
    for (size_t i = 0; i < TEXTS; i++) {
        const double share = (double)i / (TEXTS - 1);
        size_t n = i ? 1 + (size_t)(share * share * share * share * (MAX_WORDS - 1)) : 0, used = 0;
        for (size_t k = 0; k < n; k++) {
            seed = seed * 1664525u + 1013904223u;
            used += (size_t)snprintf(storage[i] + used, sizeof storage[i] - used, "%s ", words[(seed >> 16) % 10]);
        }
        texts[i] = (eg_str){storage[i], used};
    }
    return 0;
}

static eg_engine *engine_of(eg_isa isa, uint32_t threads, eg_gemm_kind gemm) {
    eg_engine_options o = {.size = sizeof o, .threads = threads, .isa = isa, .gemm = gemm};
    eg_engine *e = NULL;
    eg_error err = {0};
    eg_status s = eg_engine_create(&o, &e, &err);
    if (s != EG_OK && s != EG_EUNSUPPORTED) fail_msg("%s", err.text);
    return e;
}

typedef struct subject {
    const char *dir;
    eg_format format;
    size_t width;  /* of a row, known once it was opened */
    float *wanted; /* TEXTS rows */
} subject;

/* The rows of texts[order[0]] ... in one call, each to its own place in out. */
static void run(subject *c, const eg_model *m, const size_t *order, size_t n, float *out) {
    static float rows[TEXTS * WIDEST];
    eg_str some[TEXTS];
    eg_pair pairs[TEXTS];
    eg_error err = {0};
    for (size_t i = 0; i < n; i++) {
        some[i] = texts[order[i]];
        pairs[i] = (eg_pair){texts[order[i]], texts[(order[i] * 7 + 3) % (TEXTS / 2)]};
    }
    eg_model_info info = {.size = sizeof info};
    assert_int_equal(eg_model_describe(m, &info, &err), EG_OK);
    c->width = info.head == EG_HEAD_CLASSES ? info.labels : info.hidden;
    assert_true(c->width <= WIDEST && info.max_tokens < MAX_WORDS);
    eg_status s = info.head == EG_HEAD_CLASSES ? eg_model_classify(m, pairs, n, rows, NULL, &err)
                                               : eg_model_embed(m, some, n, rows, NULL, &err);
    if (s != EG_OK) fail_msg("%s", err.text);
    for (size_t i = 0; i < n; i++) memcpy(out + order[i] * c->width, rows + i * c->width, c->width * sizeof *out);
}

static void run_all(subject *c, eg_engine *e, const size_t *order, size_t n, size_t each, float *out) {
    eg_model *m;
    eg_error err = {0};
    eg_model_options o = {.size = sizeof o, .format = c->format};
    if (eg_model_open(e, c->dir, &o, &m, &err) != EG_OK) fail_msg("%s", err.text);
    for (size_t i = 0; i < n; i += each) run(c, m, order + i, n - i < each ? n - i : each, out);
    eg_model_close(m);
}

static void check_same(subject *c, eg_isa isa, uint32_t threads, const size_t *order, size_t n, size_t each) {
    static float got[TEXTS * WIDEST];
    eg_engine *e = engine_of(isa, threads, EG_GEMM_OWN);
    assert_non_null(e);
    memset(got, 0, sizeof got);
    run_all(c, e, order, n, each, got);
    for (size_t i = 0; i < n; i++)
        if (memcmp(got + order[i] * c->width, c->wanted + order[i] * c->width, c->width * sizeof *got) != 0)
            fail_msg("%s, format %d: text %zu in calls of %zu differs with ISA %s with %u threads", c->dir, (int)c->format,
                     order[i], each, eg_isa_name(isa), threads);
    eg_engine_destroy(e);
}

/* One thread, one text a call. */
static void run_reference(subject *c, eg_isa isa, const size_t *order) {
    eg_engine *e = engine_of(isa, 1, EG_GEMM_OWN);
    assert_non_null(e);
    run_all(c, e, order, TEXTS, 1, c->wanted);
    eg_engine_destroy(e);
}

/* few: what the scalar ISA runs, which is a hundred times slower. The rows stay in c->wanted. */
static void check(subject *c, const size_t *few, size_t few_count) {
    static float close[TEXTS * WIDEST];
    size_t forward[TEXTS], backward[TEXTS];
    for (size_t i = 0; i < TEXTS; i++) forward[i] = i, backward[i] = TEXTS - 1 - i;
    const eg_kernels *isas[MAX_ISAS];
    size_t n = eg_kernels_available(isas, MAX_ISAS);
    size_t best = n - 1; /* the reference */
    while (c->format == EG_FORMAT_BF16 && !isas[best]->bf16_as_scalar) best--;
    run_reference(c, isas[best]->isa, forward);
    for (size_t k = 0; k < n; k++) {
        if (best > 0 && isas[k]->isa == EG_ISA_SCALAR) {
            check_same(c, EG_ISA_SCALAR, 2, few, few_count, TEXTS);
            continue;
        }
        /* an instruction for bf16: a reference of its own */
        if (k > best) run_reference(c, isas[k]->isa, forward);
        check_same(c, isas[k]->isa, 1, forward, TEXTS, TEXTS);
        check_same(c, isas[k]->isa, 2, backward, TEXTS, TEXTS);
        check_same(c, isas[k]->isa, 2, forward, TEXTS, k >= best ? 1 : 7);
    }
    eg_engine *e = c->format == EG_FORMAT_F32 ? engine_of(isas[n - 1]->isa, 1, EG_GEMM_OPENBLAS) : NULL;
    if (!e) return; /* it was not built */
    run_all(c, e, forward, TEXTS, TEXTS, close);
    eg_engine_destroy(e);
    for (size_t i = 0; i < TEXTS * c->width; i++)
        if (!(fabsf(close[i] - c->wanted[i]) < 1e-4f))
            fail_msg("%s: %zu: OpenBLAS %.7g, own %.7g", c->dir, i, (double)close[i], (double)c->wanted[i]);
}

/* Every format; bf16 within a cosine of 0.9999 of f32, `together` rows at a time: vectors one by
 * one, but all logits at once, since three of them that are near 0 have no direction. (The rows of
 * the last ISA: those of its own instruction, if it has one.) */
static void check_formats(const char *dir, size_t together, const size_t *few, size_t few_count) {
    static float rows[EG_FORMAT_BF16 + 1][TEXTS * WIDEST];
    subject c = {.dir = dir};
    float least = 1;
    for (c.format = EG_FORMAT_F32; c.format <= EG_FORMAT_BF16; c.format++) {
        c.wanted = rows[c.format];
        check(&c, few, few_count);
    }
    for (size_t i = 0; i < TEXTS; i += together)
        least =
            fminf(least, eg_cosine(rows[EG_FORMAT_F32] + i * c.width, rows[EG_FORMAT_BF16] + i * c.width, together * c.width));
    print_message("%s: bf16 against f32: least cosine %.7f\n", dir, (double)least);
    assert_true(least >= 0.9999f);
}

static void test_embedding(void **state) {
    (void)state;
    const size_t few[] = {14, 24, 0, 1};
    check_formats(EMBED, 1, few, sizeof few / sizeof *few);
}

static void test_classification(void **state) {
    (void)state;
    const size_t few[] = {1, 14, 0};
    check_formats(NLI, TEXTS, few, sizeof few / sizeof *few);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_embedding), cmocka_unit_test(test_classification)};
    return cmocka_run_group_tests(tests, make_texts, NULL);
}
