/* products.c - matrix products of every ISA against plain loops, bit for bit: f32 (also against
 * OpenBLAS if it is installed), s8 and bf16, with every epilogue. bf16 on an ISA that has its own
 * instruction is compared with double precision. A part of test_kernels. */
#include "cases.h"

/* The f32 product as kernels.h promises it, in plain C: one accumulator an output, k ascending,
 * fused multiply-adds, then the epilogue. magnitude: the sum of the products' magnitudes. */
static float gemm_reference(const float *x, const float *w, size_t K, double *magnitude) {
    float sum = 0;
    *magnitude = 0;
    for (size_t k = 0; k < K; k++) {
        sum = fmaf(x[k], w[k], sum);
        *magnitude += fabs((double)x[k] * (double)w[k]);
    }
    return sum;
}
static float epilogue_reference(float sum, const eg_epilogue *e, size_t m, size_t n) {
    if (e->bias) sum += e->bias[n];
    if (e->activation == EG_ACT_GELU) isas[0]->gelu(&sum, 1);
    if (e->activation == EG_ACT_TANH) isas[0]->tanh(&sum, 1);
    if (e->residual) sum += e->residual[m * e->ld_residual + n];
    return sum;
}

/* Two callers that share the columns of a product, in units of `unit` columns. */
static void run_in_two(void (*gemm)(const eg_gemm_call *), eg_gemm_call call, size_t unit) {
    call.n0 = 0;
    call.n1 = call.N / unit / 2 * unit;
    gemm(&call);
    call.n0 = call.n1;
    call.n1 = call.N;
    gemm(&call);
}

static void gemm_case(size_t M, size_t N, size_t K, const eg_epilogue *e) {
    size_t lda = K + 3, ldc = N + 5;
    begin_case("gemm", M, N, K);
    buffer A = make(M * lda, 1), W = make(N * K, 2), residual = make(M * (N + 1), 3), bias = make(N, 1);
    eg_epilogue with = {.bias = e->bias ? bias.data : NULL,
                        .residual = e->residual ? residual.data : NULL,
                        .ld_residual = N + 1,
                        .activation = e->activation};
    buffer C = make(M * ldc, 1), expected = copy(&C), blas = copy(&C);
    eg_gemm_call call = {.M = M, .N = N, .K = K, .A = A.data, .lda = lda, .ldc = ldc, .epilogue = &with};
    call.packed = W.data;
    call.C = blas.data;
    int has_blas = eg_gemm_openblas(isas[0], &call, NULL) == EG_OK;
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++) {
            double magnitude;
            float sum = gemm_reference(A.data + m * lda, W.data + n * K, K, &magnitude), *out = &expected.data[m * ldc + n];
            *out = epilogue_reference(sum, &with, m, n);
            if (!has_blas) continue;
            /* Both sums are within sum_error of the exact one; the additions of the epilogue round
             * twice each. No slope of an activation is above 1.13 (GELU), and each is within 1e-6
             * of max(1, |x|) of its function. */
            double added = (with.bias ? fabs((double)bias.data[n]) : 0) +
                           (with.residual ? fabs((double)with.residual[m * with.ld_residual + n]) : 0);
            double tolerance = 1.13 * (2 * sum_error(K, magnitude) + 4 * 0x1p-24 * (magnitude + added)) +
                               (with.activation ? 2e-6 * fmax(1, magnitude + added) : 0);
            float got = blas.data[m * ldc + n];
            if (!(fabs((double)got - (double)*out) <= tolerance))
                fail_msg("gemm %zu x %zu x %zu: %.9g, OpenBLAS %.9g, tolerance %g", M, N, K, (double)*out, (double)got,
                         tolerance);
        }
    for (size_t l = 0; l < isa_count; l++) {
        const eg_kernels *k = isas[l];
        float *packed = aligned_alloc(64, (eg_gemm_packed_size(k, N, K) * 4 + 63) / 64 * 64);
        assert_non_null(packed);
        size_t half = N / 2; /* packing piece by piece is the same */
        eg_gemm_pack(k, N, K, 0, half, W.data, K, packed);
        eg_gemm_pack(k, N, K, half, N - half, W.data + half * K, K, packed);
        buffer out = copy(&C);
        call.packed = packed;
        call.C = out.data;
        run_in_two(k->gemm, call, k->panel_width);
        same(&expected, &out, "gemm", k, M * 1000000 + N * 1000 + K);
        done(&out);
        free(packed);
    }
    done(&A), done(&W), done(&residual), done(&bias), done(&C), done(&expected), done(&blas);
}

void gemm_is_the_same_everywhere(void **state) {
    (void)state;
    static const float some;
    const eg_epilogue kinds[] = {{0},
                                 {.bias = &some},
                                 {.bias = &some, .activation = EG_ACT_GELU},
                                 {.bias = &some, .activation = EG_ACT_TANH},
                                 {.bias = &some, .residual = &some}};
    for (size_t M = 1; M <= 26; M++)
        for (size_t n = 0; n < 5; n++) {
            static const size_t Ns[] = {1, 15, 32, 49, 100};
            gemm_case(M, Ns[n], 1 + (M * 7 + n * 13) % 40, &kinds[(M + n) % 5]);
        }
    gemm_case(37, 384, 384, &kinds[4]);
    gemm_case(5, 1152, 384, &kinds[1]);
    gemm_case(3, 3, 384, &kinds[1]);
    for (size_t M = 1; M <= 4; M++) gemm_case(M, 400, 384, &kinds[M]); /* several panels at once */
    for (size_t l = 0; l < isa_count; l++) {
        float none[3 * 64] = {0}, before[3 * 64] = {0};
        eg_epilogue gelu = {.activation = EG_ACT_GELU};
        isas[l]->gemm(&(eg_gemm_call){
            .N = 64, .K = 1, .n1 = 64, .A = none, .lda = 1, .packed = none, .C = none, .ldc = 64, .epilogue = &gelu});
        assert_memory_equal(none, before, sizeof none);
    }
}

/* The s8 format as kernels.h defines it, with plain loops over one row of inputs and one of
 * weights. */
static float s8_reference(const float *x, const int8_t *w, const float *scales, size_t K) {
    float sum = 0;
    for (size_t from = 0; from < K; from += 128) {
        size_t n = K - from < 128 ? K - from : 128;
        float low = 0, high = 0;
        for (size_t i = from; i < from + n; i++) low = fminf(low, x[i]), high = fmaxf(high, x[i]);
        float range = high - low, inverse = range > 1e-30f ? 255.0f / range : 0, zero = rintf(-low * inverse);
        int32_t exact = 0;
        for (size_t i = from; i < from + n; i++)
            exact += (int32_t)(fminf(fmaxf(rintf(x[i] * inverse) + zero, 0), 255) - zero) * w[i];
        sum = fmaf((float)exact, (inverse > 0 ? range / 255.0f : 0) * scales[from / 128], sum);
    }
    return sum;
}

static void s8_case(size_t M, size_t N, size_t K, const eg_epilogue *kind) {
    size_t blocks = (K + 127) / 128, ld = K + 3, ldc = N + 5;
    begin_case("s8 gemm", M, N, K);
    buffer A = make(M * ld, 1), bias = make(N, 1), residual = make(M * (N + 1), 3), C = make(M * ldc, 1), expected = copy(&C);
    eg_epilogue with = {.bias = kind->bias ? bias.data : NULL,
                        .residual = kind->residual ? residual.data : NULL,
                        .ld_residual = N + 1,
                        .activation = kind->activation};
    if (M > 2) memset(A.data + ld, 0, K * sizeof(float)); /* a row without range */
    int8_t *W = malloc(N * K);
    float *scales = malloc(N * blocks * sizeof *scales), *back = malloc(M * N * sizeof *back);
    assert_true(W && scales && back);
    for (size_t i = 0; i < N * K; i++) {
        int random = (int)(next_random() >> 24) % 127 - 63;
        W[i] = (int8_t)(i % 11 == 0 ? -127 : i % 13 == 0 ? 127 : random);
    }
    for (size_t i = 0; i < N * blocks; i++) scales[i] = fabsf(next_float()) * 0.01f;
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++) {
            float sum = s8_reference(A.data + m * ld, W + n * K, scales + n * blocks, K);
            expected.data[m * ldc + n] = epilogue_reference(sum, &with, m, n);
        }
    for (size_t l = 0; l < isa_count; l++) {
        const eg_kernels *k = isas[l];
        char *rows = aligned_alloc(64, M * k->s8.row_bytes(K)), *out_rows = aligned_alloc(64, M * k->s8.row_bytes(N));
        size_t bytes = (k->s8.packed_bytes(N, K) + 63) / 64 * 64;
        char *packed = aligned_alloc(64, bytes), *direct = aligned_alloc(64, M * k->s8.row_bytes(N));
        assert_true(rows && packed && out_rows && direct);
        memset(packed, 0x55, bytes); /* what packing leaves untouched must not matter */
        memset(rows, 0x55, M * k->s8.row_bytes(K));
        for (size_t n = 0; n < N; n++) k->s8_pack(N, K, n, W + n * K, scales + n * blocks, packed);
        k->s8.quantize(A.data, M, K, ld, rows);
        buffer out = copy(&C);
        eg_gemm_call call = {
            .M = M, .N = N, .K = K, .n1 = N, .A = rows, .packed = packed, .C = out.data, .ldc = ldc, .epilogue = &with};
        run_in_two(k->s8.gemm, call, k->s8.panel_width);
        same(&expected, &out, "s8_gemm", k, M * 1000000 + N * 1000 + K);
        /* the residual may be the output itself: the epilogue runs once for each row */
        if (with.residual) {
            buffer own = copy(&C);
            eg_epilogue onto = with;
            onto.residual = own.data;
            onto.ld_residual = ldc;
            for (size_t m = 0; m < M; m++) memcpy(own.data + m * ldc, residual.data + m * (N + 1), N * sizeof(float));
            eg_gemm_call in_place = call;
            in_place.C = own.data;
            in_place.epilogue = &onto;
            k->s8.gemm(&in_place);
            same(&expected, &own, "s8_gemm onto its residual", k, M * 1000000 + N * 1000 + K);
            done(&own);
        }
        /* quantised results: the same rows as quantising the results */
        memset(out_rows, 0, M * k->s8.row_bytes(N));
        memset(direct, 0, M * k->s8.row_bytes(N));
        k->s8.quantize(out.data, M, N, ldc, out_rows);
        call.C = direct;
        run_in_two(k->s8.gemm_quantized, call, 128);
        assert_memory_equal(out_rows, direct, M * k->s8.row_bytes(N));
        assert_true(emulated_tiles_clean());
        done(&out);
        free(rows), free(packed), free(out_rows), free(direct);
    }
    free(W), free(scales), free(back);
    done(&A), done(&bias), done(&residual), done(&C), done(&expected);
}

typedef void quantized_case(size_t M, size_t N, size_t K, const eg_epilogue *e);

/* Over numbers of rows, outputs and inputs around the sizes of micro-kernels, panels and blocks (K
 * up to max_K, and some larger), with each epilogue. */
static void sweep(quantized_case *one, size_t most) {
    static const float some;
    const eg_epilogue kinds[] = {
        {0}, {.bias = &some}, {.bias = &some, .activation = EG_ACT_GELU}, {.bias = &some, .residual = &some}};
    for (size_t M = 1; M <= 26; M++)
        for (size_t n = 0; n < 5; n++) {
            static const size_t Ns[] = {1, 15, 32, 49, 100};
            one(M, Ns[n], 1 + (M * 7 + n * 13) % most, &kinds[(M + n) % 4]);
        }
    for (size_t M = 27; M <= 110; M += 9) one(M, 1 + M * 29 % 70, 1 + M * 53 % 300, &kinds[M % 4]);
    one(37, 384, 384, &kinds[3]);
    one(5, 300, 129, &kinds[2]);
    one(50, 257, 312, &kinds[1]);
    one(3, 3, 1536, &kinds[1]);
    one(1, 100, 300, &kinds[2]); /* few rows over several blocks */
    one(1, 33, 129, &kinds[1]);
    one(2, 49, 1536, &kinds[3]);
    one(3, 49, 300, &kinds[2]);
    one(4, 49, 300, &kinds[3]);
}

void s8_is_the_same_everywhere(void **state) {
    (void)state;
    sweep(s8_case, 40);
}

/* The bf16 format as kernels.h defines it, and what the instructions of some ISAs make of it, with
 * plain loops. */
static float bf16_of(float x) {
    uint16_t upper;
    eg_float_to_bfloat16(&x, &upper, 1);
    eg_bfloat16_to_float(&upper, &x, 1);
    return x;
}
static float normal(float x) { return fabsf(x) >= 0x1p-126f ? x : copysignf(0, x); }
static float bf16_product(float sum, float x, float w) { return normal(fmaf(normal(bf16_of(x)), normal(w), sum)); }
static float bf16_reference(const eg_kernels *k, const float *x, const float *w, size_t K) {
    float sum = 0;
    if (k->bf16_as_scalar) {
        for (size_t i = 0; i < K; i++) sum = fmaf(bf16_of(x[i]), w[i], sum);
    } else if (k->isa != EG_ISA_AMX) { /* pairs, the second input first */
        for (size_t i = 0; i < K; i += 2) {
            if (i + 1 < K) sum = bf16_product(sum, x[i + 1], w[i + 1]);
            sum = bf16_product(sum, x[i], w[i]);
        }
    } else { /* tiles of 32 inputs, sums of first and second inputs apart */
        for (size_t from = 0; from < K; from += 32) {
            float part[2] = {0, 0};
            for (size_t i = from; i < K && i < from + 32; i++) part[i % 2] = bf16_product(part[i % 2], x[i], w[i]);
            sum = normal(sum + normal(part[0] + part[1]));
        }
    }
    return sum;
}

/* Whether the results of an ISA must equal bf16_reference: with fused multiply-adds, or with
 * emulated instructions. For others only the error is bounded. */
static int bf16_is_known(const eg_kernels *k) { return k->bf16_as_scalar || strncmp(k->name, "emulated", 8) == 0; }

static void bf16_case(size_t M, size_t N, size_t K, const eg_epilogue *kind) {
    size_t ld = K + 3, ldc = N + 5;
    begin_case("bf16 gemm", M, N, K);
    buffer A = make(M * ld, 1), W = make(N * K, 2), bias = make(N, 1), residual = make(M * (N + 1), 3), C = make(M * ldc, 1);
    eg_epilogue with = {.bias = kind->bias ? bias.data : NULL,
                        .residual = kind->residual ? residual.data : NULL,
                        .ld_residual = N + 1,
                        .activation = kind->activation};
    uint16_t *w = malloc(N * K * sizeof *w);
    assert_non_null(w);
    if (M > 4) A.data[2 * ld] = 0x1.8p-130f; /* subnormal: 0 to some instructions */
    eg_float_to_bfloat16(W.data, w, N * K);
    eg_bfloat16_to_float(w, W.data, N * K);
    for (size_t l = 0; l < isa_count; l++) {
        const eg_kernels *k = isas[l];
        size_t bytes = (k->bf16.packed_bytes(N, K) + 63) / 64 * 64, row_bytes = M * k->bf16.row_bytes(K),
               out_bytes = M * k->bf16.row_bytes(N);
        char *rows = aligned_alloc(64, row_bytes), *packed = aligned_alloc(64, bytes), *out_rows = aligned_alloc(64, out_bytes),
             *direct = aligned_alloc(64, out_bytes);
        assert_true(rows && packed && out_rows && direct);
        memset(packed, 0x55, bytes); /* what packing leaves untouched must not matter */
        memset(rows, 0x55, row_bytes);
        for (size_t n = 0; n < N; n++) k->bf16_pack(N, K, n, w + n * K, packed);
        k->bf16.quantize(A.data, M, K, ld, rows);
        buffer out = copy(&C), expected = copy(&C);
        for (size_t m = 0; m < M; m++)
            for (size_t n = 0; n < N; n++) {
                float sum = bf16_reference(k, A.data + m * ld, W.data + n * K, K);
                expected.data[m * ldc + n] = epilogue_reference(sum, &with, m, n);
            }
        eg_gemm_call call = {
            .M = M, .N = N, .K = K, .n1 = N, .A = rows, .packed = packed, .C = out.data, .ldc = ldc, .epilogue = &with};
        run_in_two(k->bf16.gemm, call, k->bf16.panel_width);
        if (bf16_is_known(k)) same(&expected, &out, "bf16 gemm", k, M * 1000000 + N * 1000 + K);
        for (size_t m = 0; m < M; m++) /* alone: the same bits */
            if (m % 7 == M % 7) {
                buffer alone = copy(&C);
                eg_epilogue one = with;
                if (one.residual) one.residual += m * one.ld_residual;
                eg_gemm_call of_one = call;
                of_one.M = 1;
                of_one.A = rows + m * k->bf16.row_bytes(K);
                of_one.C = alone.data;
                of_one.epilogue = &one;
                k->bf16.gemm(&of_one);
                assert_memory_equal(alone.data, out.data + m * ldc, N * sizeof(float));
                done(&alone);
            }
        /* within the error that kernels.h allows, plus the roundings of the epilogue */
        if (!with.activation)
            for (size_t m = 0; m < M; m++)
                for (size_t n = 0; n < N; n++) {
                    double exact = 0, magnitude = 0, slack = 0, got = (double)out.data[m * ldc + n];
                    for (size_t i = 0; i < K; i++) {
                        double product = (double)bf16_of(A.data[m * ld + i]) * (double)W.data[n * K + i];
                        exact += product, magnitude += fabs(product);
                    }
                    if (with.bias) exact += (double)bias.data[n], slack += fabs((double)bias.data[n]);
                    if (with.residual)
                        exact += (double)residual.data[m * (N + 1) + n], slack += fabs((double)residual.data[m * (N + 1) + n]);
                    if (!(fabs(got - exact) <= (double)K * 0x1p-23 * magnitude + (magnitude + slack) * 0x1p-22 + 0x1p-120))
                        fail_msg("bf16 gemm of %s, %zu x %zu x %zu: %.9g, exactly %.9g", k->name, M, N, K, got, exact);
                }
        /* the residual may be the output itself: the epilogue runs once for each row */
        if (with.residual) {
            buffer own = copy(&C);
            eg_epilogue onto = with;
            onto.residual = own.data;
            onto.ld_residual = ldc;
            for (size_t m = 0; m < M; m++) memcpy(own.data + m * ldc, residual.data + m * (N + 1), N * sizeof(float));
            eg_gemm_call in_place = call;
            in_place.C = own.data;
            in_place.epilogue = &onto;
            k->bf16.gemm(&in_place);
            same(&out, &own, "bf16 gemm onto its residual", k, M * 1000000 + N * 1000 + K);
            done(&own);
        }
        /* rounded results: the same rows as rounding the results, up to their ends */
        memset(out_rows, 0x33, out_bytes);
        memset(direct, 0x77, out_bytes);
        k->bf16.quantize(out.data, M, N, ldc, out_rows);
        call.C = direct;
        run_in_two(k->bf16.gemm_quantized, call, 128);
        assert_memory_equal(out_rows, direct, out_bytes);
        assert_true(emulated_tiles_clean());
        done(&out), done(&expected);
        free(rows), free(packed), free(out_rows), free(direct);
    }
    free(w);
    done(&A), done(&W), done(&bias), done(&residual), done(&C);
}

void bf16_is_as_documented_on_every_isa(void **state) {
    (void)state;
    sweep(bf16_case, 70);
}

/* To the nearest, ties to even, for weights and, by every ISA, for activations. */
void bf16_is_rounded(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        uint16_t wanted;
    } table[] = {{0x3f800000, 0x3f80}, {0x3f808000, 0x3f80}, {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81},
                 {0x3f807fff, 0x3f80}, {0xbf808001, 0xbf81}, {0x00000000, 0x0000}, {0x80000000, 0x8000},
                 {0x00008000, 0x0000}, {0x00018000, 0x0002}, {0x007fffff, 0x0080}, {0x7f7f7fff, 0x7f7f},
                 {0x7f7f8000, 0x7f80}, {0xff7fffff, 0xff80}, {0x7f800000, 0x7f80}, {0x3fffffff, 0x4000}};
    enum { N = sizeof table / sizeof *table };
    float x[N];
    uint16_t got[N];
    for (size_t i = 0; i < N; i++) memcpy(&x[i], &table[i].bits, sizeof x[i]);
    eg_float_to_bfloat16(x, got, N);
    for (size_t i = 0; i < N; i++) assert_int_equal(got[i], table[i].wanted);
    for (size_t l = 0; l < isa_count; l++) {
        _Alignas(64) uint16_t row[64];
        size_t step = isas[l]->bf16_as_scalar ? 2 : 1; /* floats, of which the lower half is 0 */
        isas[l]->bf16.quantize(x, 1, N, N, row);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(row[i * step + step - 1], table[i].wanted);
            if (step == 2) assert_int_equal(row[i * step], 0);
        }
    }
}

void s8_weights_are_rounded(void **state) {
    (void)state;
    begin_case("s8 weights", 300, 0, 0);
    buffer w = make(300, 1);
    int8_t q[300];
    float scales[3];
    memset(w.data + 128, 0, 128 * sizeof(float));
    eg_s8_quantize_weights(w.data, 300, q, scales);
    assert_true(scales[1] == 0);
    for (size_t i = 0; i < 300; i++) {
        assert_true(q[i] >= -127);
        assert_true(fabsf((float)q[i] * scales[i / 128] - w.data[i]) <= scales[i / 128] * 0.5001f);
    }
    done(&w);
}
