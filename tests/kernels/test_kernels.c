/* test_kernels.c - every kernel of every ISA of this CPU against the scalar table, bit for bit,
 * over many sizes and alignments with guard bands; the scalar table against double precision.
 * Matrix products are in products.c, attention in attention.c. */
#include "cases.h"

/* Runs f(table, buffer) on the scalar table and on each ISA and compares. */
#define COMPARE(what, n, offset, call)                 \
    do {                                               \
        begin_case(what, n, offset, 0);                \
        buffer input = make(n, offset);                \
        for (size_t l = 1; l < isa_count; l++) {       \
            buffer x = copy(&input), y = copy(&input); \
            const eg_kernels *k = isas[0];             \
            float *p = x.data;                         \
            call;                                      \
            k = isas[l];                               \
            p = y.data;                                \
            call;                                      \
            same(&x, &y, what, k, n);                  \
            done(&x);                                  \
            done(&y);                                  \
        }                                              \
        done(&input);                                  \
    } while (0)

static void elementwise_and_rows(void **state) {
    (void)state;
    begin_case("operands", 2000, 0, 0);
    buffer gamma = make(2000, 1), beta = make(2000, 2), third = make(2000, 3);
    for (size_t n = 1; n <= 400; n += n < 70 ? 1 : 33) {
        size_t offset = n % 16;
        COMPARE("gelu", n, offset, k->gelu(p, n));
        COMPARE("tanh", n, offset, k->tanh(p, n));
        COMPARE("softmax", n, offset, k->softmax(p, 1, n, n));
        COMPARE("l2_normalize", n, offset, k->l2_normalize(p, n));
        COMPARE("dot", n, offset, p[0] = k->dot(p, gamma.data, n));
        COMPARE("add3", n, offset, k->add3(p, gamma.data, beta.data, p, n));
        size_t rows = 6, ld = n + 2;
        COMPARE("layer_norm", rows * ld, offset, k->layer_norm(p, rows, n, ld, gamma.data, beta.data, 1e-12f));
        COMPARE("softmax rows", rows * ld, offset, k->softmax(p, rows, n, ld));
        COMPARE("mean_rows", rows * ld, offset, k->mean_rows(p, rows, n, ld, third.data); memcpy(p, third.data, n * 4));
    }
    done(&gamma);
    done(&beta);
    done(&third);
}

/* A case has the same data whatever ran before it and however many tables copied its buffers. */
static void data_depend_on_the_case_alone(void **state) {
    (void)state;
    begin_case("data", 1, 2, 3);
    buffer first = make(50, 1), second = make(50, 2);
    begin_case("other data", 1, 2, 3);
    buffer other = make(50, 1);
    begin_case("data", 1, 2, 3);
    buffer first_again = make(50, 1), copied = copy(&first_again), second_again = make(50, 2);
    assert_memory_equal(first.data, first_again.data, 50 * sizeof(float));
    assert_memory_equal(second.data, second_again.data, 50 * sizeof(float));
    assert_memory_equal(copied.data, first.data, 50 * sizeof(float));
    assert_memory_not_equal(first.data, second.data, 50 * sizeof(float));
    assert_memory_not_equal(first.data, other.data, 50 * sizeof(float));
    done(&first), done(&second), done(&other), done(&first_again), done(&copied), done(&second_again);
}

/* Rows one behind the other have what each has by itself. */
static void check_rows(const eg_kernels *k, const int8_t *rows, const int8_t *query, size_t n) {
    static int8_t many[7 * 1000];
    int32_t out[8] = {0};
    for (size_t r = 0; r < 7; r++)
        for (size_t i = 0; i < n; i++) many[r * n + i] = rows[(i + 31 * r) % n];
    k->dots_s8(many, 7, query, n, out);
    for (size_t r = 0; r < 7; r++) assert_int_equal(out[r], k->dot_s8(many + r * n, query, n));
    assert_int_equal(out[7], 0);
}

static void integers_are_exact(void **state) {
    (void)state;
    static int8_t a[1000], b[1000];
    float scales[8], x[1000], y[1000];
    for (size_t n = 0; n <= 1000; n += n < 80 ? 1 : 37) {
        int32_t expected = 0;
        begin_case("dot_s8", n, 0, 0);
        for (size_t i = 0; i < n; i++) {
            uint32_t random = next_random();
            a[i] = (int8_t)(i % 5 == 0 ? -128 : (int)(random >> 24) - 128);
            b[i] = (int8_t)(i % 7 == 0 ? -128 : (int)(random >> 16 & 255) - 128);
            expected += a[i] * b[i];
        }
        for (size_t i = 0; i < 8; i++) scales[i] = next_float();
        for (size_t l = 0; l < isa_count; l++) {
            assert_int_equal(isas[l]->dot_s8(a, b, n), expected);
            check_rows(isas[l], a, b, n);
            isas[l]->dequantize_s8(a, scales, n, l ? y : x);
            if (l) assert_memory_equal(x, y, n * sizeof(float));
        }
        for (size_t i = 0; i < n; i++) assert_true(x[i] == (float)a[i] * scales[i / 128]);
    }
}

static void functions_are_accurate(void **state) {
    (void)state;
    double worst_gelu = 0, worst_tanh = 0, worst_exp = 0;
    for (float x = -12; x < 12; x += 0.00037f) {
        float g = x, t = x, row[2] = {x, 0};
        isas[0]->gelu(&g, 1);
        isas[0]->tanh(&t, 1);
        isas[0]->softmax(row, 1, 2, 2);
        double d = (double)x, gelu = d * 0.5 * erfc(-d / sqrt(2)), sigmoid = 1 / (1 + exp(-d));
        worst_gelu = fmax(worst_gelu, fabs((double)g - gelu) / fmax(1, fabs(d)));
        worst_tanh = fmax(worst_tanh, fabs((double)t - tanh(d)));
        worst_exp = fmax(worst_exp, fabs((double)row[0] - sigmoid));
    }
    print_message("worst error: gelu %.2g of x or of 1, tanh %.2g, softmax %.2g\n", worst_gelu, worst_tanh, worst_exp);
    assert_true(worst_gelu <= 2.5e-7 && worst_tanh <= 1e-6 && worst_exp <= 3e-7);
}

static void gelu_of_extreme_values(void **state) {
    (void)state;
    for (size_t l = 0; l < isa_count; l++) {
        float x[] = {-1e30f, -1000, 1000, 1e30f, -0.0f, 0, NAN, INFINITY}, y[8];
        memcpy(y, x, sizeof y);
        isas[l]->gelu(y, 8);
        assert_true(fabsf(y[0]) <= 1e-6f && fabsf(y[1]) <= 1e-6f && y[4] == 0 && y[5] == 0 && isnan(y[6]) && isinf(y[7]));
        assert_true(fabsf(y[2] / x[2] - 1) <= 2.5e-7f && fabsf(y[3] / x[3] - 1) <= 2.5e-7f);
    }
}

static void half_floats_are_exact(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 65536; i++) {
        uint16_t h = (uint16_t)i;
        float f, b;
        eg_half_to_float(&h, &f, 1);
        eg_bfloat16_to_float(&h, &b, 1);
        int exponent = h >> 10 & 31, fraction = h & 1023;
        double expected = exponent == 31 ? (fraction ? NAN : INFINITY)
                          : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                         : ldexp(fraction, -24);
        if (h & 0x8000) expected = -expected;
        assert_true(isnan(expected) ? isnan(f) : (double)f == expected && !signbit(f) == !signbit(expected));
        uint32_t bits;
        memcpy(&bits, &b, 4);
        assert_int_equal(bits, i << 16);
    }
}

static void isas_can_be_named(void **state) {
    (void)state;
    const eg_kernels *k;
    eg_error err = {0};
    for (size_t l = 0; l < isa_count; l++) {
        if (strncmp(isas[l]->name, "emulated", 8) == 0) continue;
        assert_int_equal(eg_kernels_select(isas[l]->isa, &k, &err), EG_OK);
        assert_ptr_equal(k, isas[l]);
    }
    char *before = getenv("ENGRAM_ISA") ? strdup(getenv("ENGRAM_ISA")) : NULL;
    setenv("ENGRAM_ISA", "scalar", 1);
    assert_int_equal(eg_kernels_select(EG_ISA_AUTO, &k, &err), EG_OK);
    assert_int_equal(k->isa, EG_ISA_SCALAR);
    setenv("ENGRAM_ISA", "mmx", 1);
    assert_int_equal(eg_kernels_select(EG_ISA_AUTO, &k, &err), EG_EINVAL);
    assert_non_null(strstr(err.text, "mmx"));
    if (before) setenv("ENGRAM_ISA", before, 1);
    else unsetenv("ENGRAM_ISA");
    free(before);
    eg_isa foreign = isas[1]->isa == EG_ISA_NEON ? EG_ISA_AVX2 : EG_ISA_NEON;
    assert_int_equal(eg_kernels_select(foreign, &k, &err), EG_EUNSUPPORTED);
    assert_int_equal(eg_kernels_select((eg_isa)99, &k, &err), EG_EINVAL);
}

int main(void) {
    isa_count = eg_kernels_available(isas, MAX_TABLES - 2);
    for (size_t l = 0; l < isa_count; l++) print_message("ISA %s\n", isas[l]->name);
    static const char *const all[] = {"avx2", "avxvnni", "avx512", "avx512vnni", "avx512bf16", "amx", "neon", "dotprod", "i8mm"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int here = 0;
        for (size_t l = 0; l < isa_count; l++) here |= strcmp(isas[l]->name, all[i]) == 0;
        if (!here) print_message("ISA %s: not run here\n", all[i]);
    }
#if defined(__x86_64__)
    for (size_t l = 0; l < isa_count; l++)
        if (isas[l]->isa == EG_ISA_AVX2) {
            isas[isa_count++] = &eg_kernels_emulated;
            isas[isa_count++] = &eg_kernels_emulated_amx;
            break;
        }
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_depend_on_the_case_alone),
        cmocka_unit_test(elementwise_and_rows),
        cmocka_unit_test(gemm_is_the_same_everywhere),
        cmocka_unit_test(attention_is_the_same_everywhere),
        cmocka_unit_test(relative_attention_is_the_same_everywhere),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(s8_is_the_same_everywhere),
        cmocka_unit_test(s8_weights_are_rounded),
        cmocka_unit_test(bf16_is_as_documented_on_every_isa),
        cmocka_unit_test(bf16_is_rounded),
        cmocka_unit_test(functions_are_accurate),
        cmocka_unit_test(gelu_of_extreme_values),
        cmocka_unit_test(half_floats_are_exact),
        cmocka_unit_test(isas_can_be_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
