/* s8.tmpl.h - the rows, panels and micro-kernels of the s8 format, over an ISA's multiply-and-add
 * of small integers. Included by table.tmpl.h after gemm.tmpl.h. The format is documented in
 * kernels.h.
 *
 * An ISA's s8.h provides:
 *   ISA_S8_GROUP          inputs of one output that are adjacent in a panel: 2, 4 or 8
 *   ISA_S8_VECTORS        width of a panel in v16: 1 or 2
 *   ISA_S8_ROWS           rows of the largest micro-kernel: 3, 4, 6 or 12
 *   ISA_S8_CENTRED        1: an activation is stored as q - zero point; 0: as q - ISA_S8_OFFSET
 *   ISA_S8_OFFSET         a float constant; 0 if ISA_S8_CENTRED
 *   s8_input              the integer that stores an activation
 *   s8_put                writes 16 activations, whole numbers in a v16
 *   s8_weights, s8_load   a group of 16 outputs, loaded
 *   s8_inputs, s8_splat   a group of inputs of a row, repeated for all outputs
 *   i16x, i16x_zero, i16x_to_v16   16 sums of int32
 *   s8_dot                adds the products of inputs and weights to an i16x
 * Optional:
 *   ISA_S8_PAD            blocks are padded with zeros to a multiple of this many inputs; default 4
 *   ISA_S8_ROWS_TOGETHER  2: an i16x holds the sums of two rows; then s8_splat_rows (of both rows)
 *                         replaces s8_splat, and s8_row_of (the sums of one row) i16x_to_v16
 *   ISA_S8_QUADS          1: where loads limit the product of a few rows; then s8_quad holds the
 *                         inputs of four steps, s8_load_quad loads them and s8_pick gives those of
 *                         one step, as s8_splat does */

#ifndef ISA_S8_ROWS_TOGETHER
#define ISA_S8_ROWS_TOGETHER 1
static inline s8_inputs s8_splat_rows(const s8_input *upper, const s8_input *lower) { return (void)lower, s8_splat(upper); }
static inline v16 s8_row_of(i16x x, size_t row) { return (void)row, i16x_to_v16(x); }
#endif
#ifndef ISA_S8_QUADS
#define ISA_S8_QUADS 0
typedef s8_inputs s8_quad;
static inline s8_quad s8_load_quad(const s8_input *p) { return s8_splat_rows(p, p); }
static inline s8_inputs s8_pick(s8_quad quad, const int at) { return (void)at, quad; }
#endif
enum { S8_BLOCK = 128, S8_PAD = ISA_S8_PAD, S8_GROUP = ISA_S8_GROUP, S8_VECTORS = ISA_S8_VECTORS };
enum { S8_STEP = S8_GROUP > 4 ? S8_GROUP : 4 /* inputs that the innermost loop takes at once */ };
_Static_assert(S8_PAD % S8_STEP == 0 && S8_STEP % S8_GROUP == 0 && S8_BLOCK % S8_PAD == 0,
               "blocks are whole steps of whole groups");

static inline size_t s8_padded(size_t K) { return (K + S8_PAD - 1) / S8_PAD * S8_PAD; }
static inline size_t s8_blocks(size_t K) { return (K + S8_BLOCK - 1) / S8_BLOCK; }
static inline size_t s8_data_bytes(size_t K) { return (s8_padded(K) * sizeof(s8_input) + 63) / 64 * 64; }

/* A row of activations: the inputs, then for each block a scale, then for each block a zero point
 * (as stored, negated). */
static size_t s8_row_bytes(size_t K) { return s8_data_bytes(K) + (2 * s8_blocks(K) * sizeof(float) + 63) / 64 * 64; }
static inline float *s8_row_scales(char *row, size_t K) { return (float *)(void *)(row + s8_data_bytes(K)); }

/* A panel: for each block its weights, group after group, then for each output a scale and the sum
 * of its weights. */
static inline size_t s8_panel_bytes(size_t K) { return S8_PANEL * (s8_padded(K) + 2 * s8_blocks(K) * sizeof(float)); }
static size_t s8_packed_bytes(size_t N, size_t K) { return (N + S8_PANEL - 1) / S8_PANEL * s8_panel_bytes(K); }

static void s8_pack(size_t N, size_t K, size_t n, const int8_t *w, const float *scales, void *packed) {
    char *panel = (char *)packed + n / S8_PANEL * s8_panel_bytes(K);
    /* the last row fills the lanes after it with zeros */
    size_t lane = n % S8_PANEL, last = n + 1 == N ? S8_PANEL : lane + 1;
    for (size_t from = 0; from < K; from += S8_BLOCK) {
        size_t length = K - from < S8_BLOCK ? K - from : S8_BLOCK, padded = s8_padded(length);
        float *tail = (float *)(void *)(panel + S8_PANEL * padded);
        int32_t sum = 0;
        for (size_t k = 0; k < length; k++) sum += w[from + k];
        char *group = panel + lane * S8_GROUP; /* groups lie S8_GROUP * S8_PANEL apart */
        size_t k = 0;
        for (; k + S8_GROUP <= length; k += S8_GROUP) memcpy(group + k * S8_PANEL, w + from + k, S8_GROUP);
        for (; k < padded; k++) group[k / S8_GROUP * S8_GROUP * S8_PANEL + k % S8_GROUP] = k < length ? (char)w[from + k] : 0;
        for (k = 0; last > lane + 1 && k < padded; k += S8_GROUP)
            memset(group + k * S8_PANEL + S8_GROUP, 0, (last - lane - 1) * S8_GROUP);
        tail[lane] = scales[from / S8_BLOCK];
        tail[S8_PANEL + lane] = (float)sum;
        for (size_t l = lane + 1; l < last; l++) tail[l] = tail[S8_PANEL + l] = 0;
        panel += S8_PANEL * (padded + 2 * sizeof(float));
    }
}

/* Quantises one block of one row: n values to `to`, padded with zeros. */
static inline __attribute__((always_inline)) void s8_quantize_block(const float *x, size_t n, s8_input *to, float *scale,
                                                                    float *zero) {
    v16 low = v16_set(0), high = v16_set(0);
    for (size_t i = 0; i < n; i += 16) {
        v16 v = load_part(x + i, n - i);
        high = v16_max(v, high);
        low = v16_max(v16_sub(v16_set(0), v), low);
    }
    float below = v16_max_lane(low), range = v16_max_lane(high) + below;
    float inverse = range > 1e-30f ? 255.0f / range : 0, z = rintf(below * inverse);
    v16 inverses = v16_set(inverse), zeros = v16_set(z), shift = v16_set(ISA_S8_CENTRED ? z : ISA_S8_OFFSET);
    *scale = inverse > 0 ? range / 255.0f : 0;
    *zero = -(z - ISA_S8_OFFSET);
    for (size_t i = 0; i < n; i += 16) {
        v16 q = v16_add(v16_round(v16_mul(load_part(x + i, n - i), inverses)), zeros);
        q = v16_sub(v16_min(v16_max(q, v16_set(0)), v16_set(255)), shift);
        if (n - i >= 16) {
            s8_put(to + i, q);
        } else {
            s8_input part[16];
            s8_put(part, q);
            for (size_t k = i; k < n; k++) to[k] = part[k - i];
        }
    }
    for (size_t k = n; k < s8_padded(n); k++) to[k] = 0;
}

/* Writes the inputs [from, from + n) of a row of K: whole blocks, or up to its end. */
static void s8_put_part(const float *x, size_t n, size_t K, size_t from, char *row) {
    float *scales = s8_row_scales(row, K) + from / S8_BLOCK, *zeros = scales + s8_blocks(K);
    for (size_t i = 0; i < n; i += S8_BLOCK)
        s8_quantize_block(x + i, n - i < S8_BLOCK ? n - i : S8_BLOCK, (s8_input *)(void *)row + from + i, scales++, zeros++);
}

/* acc += one step of the inputs of each row; those of the first rows come from quads if it is
 * given. Not those of more rows: the shuffles for four rows cost as much as the loads that they
 * replace. */
enum { S8_QUAD_ROWS = 2 };
_Static_assert(!ISA_S8_QUADS || (ISA_S8_ROWS_TOGETHER == 1 && S8_STEP == ISA_S8_GROUP && 4 * S8_STEP * sizeof(s8_input) == 16),
               "a quad is 16 bytes");
static inline __attribute__((always_inline)) void s8_step(const size_t rows, i16x (*acc)[S8_VECTORS], const s8_input *a,
                                                          size_t lda, const s8_quad *quads, const int at, const char *panel,
                                                          prefetch *next) {
    prefetch_next(next, S8_PANEL * S8_STEP);
#pragma GCC unroll 4
    for (size_t g = 0; g < S8_STEP; g += S8_GROUP) {
        s8_weights w[S8_VECTORS];
#pragma GCC unroll 2
        for (size_t v = 0; v < S8_VECTORS; v++) w[v] = s8_load((const int8_t *)panel + S8_PANEL * g + 16 * S8_GROUP * v);
#pragma GCC unroll 16
        /* an odd last row is paired with itself */
        for (size_t r = 0; r < rows; r += ISA_S8_ROWS_TOGETHER) {
            s8_inputs x = quads && r < S8_QUAD_ROWS ? s8_pick(quads[r], at)
                                                    : s8_splat_rows(a + g + r * lda, a + g + (r + 1 < rows ? r + 1 : r) * lda);
#pragma GCC unroll 2
            for (size_t v = 0; v < S8_VECTORS; v++) acc[r][v] = s8_dot(acc[r][v], x, w[v]);
        }
    }
}

enum { S8_MAX_SUMS = ISA_S8_ROWS > 8 ? ISA_S8_ROWS : 8 };

/* The sums of rows x S8_PANEL outputs: the int32 sums of a block stay in registers, the f32 sums
 * are on the stack. */
static inline __attribute__((always_inline)) void s8_microkernel_sums(const size_t rows, size_t K, const char *A, size_t stride,
                                                                      const char *panel, prefetch next, float *out) {
    /* With a few rows, each output has several integer sums that take turns: a single one would
     * wait for each addition. */
    const size_t few = ISA_S8_QUADS ? 4 : 3, chains = ISA_S8_ROWS_TOGETHER > 1 || rows > few ? 1 : rows == 1 ? 4 : 2;
    size_t blocks = s8_blocks(K), lda = stride / sizeof(s8_input);
    v16 sums[ISA_S8_ROWS][S8_VECTORS];
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < S8_VECTORS; v++) sums[r][v] = v16_set(0);
    for (size_t b = 0; b < blocks; b++) {
        size_t from = b * S8_BLOCK, padded = s8_padded(K - from < S8_BLOCK ? K - from : S8_BLOCK);
        const s8_input *a = (const s8_input *)(const void *)A + from;
        i16x acc[S8_MAX_SUMS][S8_VECTORS]; /* [chain * rows + row] */
#pragma GCC unroll 16
        for (size_t r = 0; r < chains * rows; r += ISA_S8_ROWS_TOGETHER)
#pragma GCC unroll 2
            for (size_t v = 0; v < S8_VECTORS; v++) acc[r][v] = i16x_zero();
        size_t k = 0;
        for (; ISA_S8_QUADS && rows > 1 && rows <= few && k + 4 * S8_STEP <= padded; k += 4 * S8_STEP) {
            s8_quad quads[S8_QUAD_ROWS];
#pragma GCC unroll 2
            for (size_t r = 0; r < rows && r < S8_QUAD_ROWS; r++) quads[r] = s8_load_quad(a + r * lda);
#pragma GCC unroll 4
            for (int t = 0; t < 4; t++, a += S8_STEP, panel += S8_PANEL * S8_STEP)
                s8_step(rows, acc + (size_t)t % chains * rows, a, lda, quads, t, panel, &next);
        }
        for (; k + chains * S8_STEP <= padded; k += chains * S8_STEP)
#pragma GCC unroll 4
            for (size_t c = 0; c < chains; c++, a += S8_STEP, panel += S8_PANEL * S8_STEP)
                s8_step(rows, acc + c * rows, a, lda, NULL, 0, panel, &next);
        for (; k < padded; k += S8_STEP, a += S8_STEP, panel += S8_PANEL * S8_STEP)
            s8_step(rows, acc, a, lda, NULL, 0, panel, &next);
        const float *tail = (const float *)(const void *)panel;
        for (size_t t = 0; t < 2 * sizeof(float); t += S8_STEP) prefetch_next(&next, S8_PANEL * S8_STEP);
        panel += S8_PANEL * 2 * sizeof(float);
#pragma GCC unroll 16
        for (size_t r = 0; r < rows; r++) {
            const float *scales = (const float *)(const void *)(A + r * stride + s8_data_bytes(K));
#pragma GCC unroll 2
            for (size_t v = 0; v < S8_VECTORS; v++) {
                /* exact, as is the sum of all chains: below 2^24 */
                v16 t = s8_row_of(acc[r - r % ISA_S8_ROWS_TOGETHER][v], r % ISA_S8_ROWS_TOGETHER);
#pragma GCC unroll 4
                for (size_t c = 1; c < chains; c++)
                    t = v16_add(t, s8_row_of(acc[c * rows + r - r % ISA_S8_ROWS_TOGETHER][v], r % ISA_S8_ROWS_TOGETHER));
                /* exact, too */
                if (!ISA_S8_CENTRED) t = v16_fma(v16_set(scales[blocks + b]), v16_load(tail + S8_PANEL + 16 * v), t);
                sums[r][v] = v16_fma(t, v16_mul(v16_set(scales[b]), v16_load(tail + 16 * v)), sums[r][v]);
            }
        }
    }
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < S8_VECTORS; v++) v16_store(out + r * S8_PANEL + 16 * v, sums[r][v]);
}

#define TMPL_S8_MICROKERNEL(name, rows)                                                                             \
    static void name##_microkernel_##rows(size_t K, const char *A, size_t stride, const char *panel, prefetch next, \
                                          float *sums) {                                                            \
        s8_microkernel_sums(rows, K, A, stride, panel, next, sums);                                                 \
    }
#define TMPL_S8_MICROKERNEL_ENTRY(name, rows) [rows] = name##_microkernel_##rows,
TMPL_FOR_ROWS(ISA_S8_ROWS, TMPL_S8_MICROKERNEL, s8)
static microkernel *const s8_microkernels[] = {TMPL_FOR_ROWS(ISA_S8_ROWS, TMPL_S8_MICROKERNEL_ENTRY, s8)};

#undef TMPL_S8_MICROKERNEL
#undef TMPL_S8_MICROKERNEL_ENTRY
#undef TMPL_FOR_ROWS
#undef TMPL_ROWS_OF
#undef TMPL_ROWS_JOIN
#undef TMPL_ROWS_3
#undef TMPL_ROWS_4
#undef TMPL_ROWS_6
#undef TMPL_ROWS_12
