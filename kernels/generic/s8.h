/* s8.h - the kernels of the s8 format once, over an ISA's multiply-and-sum of small integers; included by table.h. The
 * format and its one meaning stand in kernels.h.
 *
 * An ISA's s8.h gives: S8_GROUP (inputs that lie side by side for one output: 2, 4 or 8), S8_VECTORS and S8_ROWS (the
 * micro-kernel, in v16 and rows), s8_input and S8_OFFSET (how an ISA stores an activation: q - zero point where
 * S8_CENTRED, else q - S8_OFFSET), i16x (16 int32 sums), i16x_zero, i16x_to_v16, s8_weights, s8_load, s8_splat, s8_dot, s8_put;
 * S8_PAD where blocks are filled up with zeros to more than a multiple of 4; TILED as tiles.h says. S8_PAIR is 2 where an
 * i16x holds two rows: then s8_splat_rows (of both) and s8_row_of stand for s8_splat and i16x_to_v16. S8_QUADS: an ISA whose
 * loads bound the product of a few rows gives s8_quad (the inputs of four turns), s8_load_quad and s8_pick (one of the four, for
 * s8_splat). */

#ifndef S8_PAIR
#define S8_PAIR 1
#define s8_splat_rows(upper, lower) s8_splat(upper)
#define s8_row_of(x, row) i16x_to_v16(x)
#endif
#ifndef S8_QUADS
enum { S8_QUADS = 0 };
typedef s8_inputs s8_quad;
static inline s8_quad s8_load_quad(const s8_input *p) { return s8_splat_rows(p, p); }
static inline s8_inputs s8_pick(s8_quad quad, const int at) { return (void)at, quad; }
#endif
enum { S8_BLOCK = 128, S8_TURN = S8_GROUP > 4 ? S8_GROUP : 4 /* inputs that the innermost loop takes at once */ };
_Static_assert(S8_PAD % S8_TURN == 0 && S8_TURN % S8_GROUP == 0 && S8_BLOCK % S8_PAD == 0,
               "blocks are whole turns of whole groups");

static inline size_t s8_padded(size_t K) { return (K + S8_PAD - 1) / S8_PAD * S8_PAD; }
static inline size_t s8_blocks(size_t K) { return (K + S8_BLOCK - 1) / S8_BLOCK; }
static inline size_t s8_data_bytes(size_t K) { return (s8_padded(K) * sizeof(s8_input) + 63) / 64 * 64; }

/* A row of activations: the inputs, then a scale a block, then a zero point (as stored, negated) a block. */
static size_t s8_row_bytes(size_t K) { return s8_data_bytes(K) + (2 * s8_blocks(K) * sizeof(float) + 63) / 64 * 64; }
static inline float *s8_row_scales(char *row, size_t K) { return (float *)(void *)(row + s8_data_bytes(K)); }

/* A panel: for each block its weights, group after group, then a scale and the sum of the weights an output. */
static inline size_t s8_panel_bytes(size_t K) { return S8_PANEL * (s8_padded(K) + 2 * s8_blocks(K) * sizeof(float)); }
static size_t s8_packed_bytes(size_t N, size_t K) { return (N + S8_PANEL - 1) / S8_PANEL * s8_panel_bytes(K); }

static void s8_pack(size_t N, size_t K, size_t n, const int8_t *w, const float *scales, void *packed) {
    char *panel = (char *)packed + n / S8_PANEL * s8_panel_bytes(K);
    size_t lane = n % S8_PANEL, last = n + 1 == N ? S8_PANEL : lane + 1; /* the last row leaves zeros in the empty lanes */
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

/* One block of one row: `n` values to `to`, padded with zeros. */
static inline __attribute__((always_inline)) void s8_quantize_block(const float *x, size_t n, s8_input *to, float *scale,
                                                                    float *zero) {
    v16 low = v16_set(0), high = v16_set(0);
    for (size_t i = 0; i < n; i += 16) {
        v16 v = load_part(x + i, n - i);
        high = v16_max(v, high);
        low = v16_max(v16_sub(v16_set(0), v), low);
    }
    float least = v16_max_lane(low), range = v16_max_lane(high) + least;
    float inverse = range > 1e-30f ? 255.0f / range : 0, z = rintf(least * inverse);
    v16 inverses = v16_set(inverse), zeros = v16_set(z), shift = v16_set(S8_CENTRED ? z : S8_OFFSET);
    *scale = inverse > 0 ? range / 255.0f : 0;
    *zero = -(z - S8_OFFSET);
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

/* Inputs [from, from + n) of a row of K, whole blocks or its end. */
static void s8_put_part(const float *x, size_t n, size_t K, size_t from, char *row) {
    float *scales = s8_row_scales(row, K) + from / S8_BLOCK, *zeros = scales + s8_blocks(K);
    for (size_t i = 0; i < n; i += S8_BLOCK)
        s8_quantize_block(x + i, n - i < S8_BLOCK ? n - i : S8_BLOCK, (s8_input *)(void *)row + from + i, scales++, zeros++);
}

/* acc += one turn of the inputs of each row, of the first rows those at a place in quads. Not of more: shuffles for four rows
 * cost as much as their loads did. */
enum { S8_QUAD_ROWS = 2 };
_Static_assert(!S8_QUADS || (S8_PAIR == 1 && S8_TURN == S8_GROUP && 4 * S8_TURN * sizeof(s8_input) == 16), "a quad is 16 bytes");
static inline __attribute__((always_inline)) void s8_turn(const size_t rows, i16x (*acc)[S8_VECTORS], const s8_input *a,
                                                          size_t lda, const s8_quad *quads, const int at, const char *panel,
                                                          ahead *next) {
    ask(next, S8_PANEL * S8_TURN);
#pragma GCC unroll 4
    for (size_t g = 0; g < S8_TURN; g += S8_GROUP) {
        s8_weights w[S8_VECTORS];
#pragma GCC unroll 2
        for (size_t v = 0; v < S8_VECTORS; v++) w[v] = s8_load((const int8_t *)panel + S8_PANEL * g + 16 * S8_GROUP * v);
#pragma GCC unroll 16
        for (size_t r = 0; r < rows; r += S8_PAIR) { /* an odd last row with itself */
            s8_inputs x = quads && r < S8_QUAD_ROWS ? s8_pick(quads[r], at)
                                                    : s8_splat_rows(a + g + r * lda, a + g + (r + 1 < rows ? r + 1 : r) * lda);
#pragma GCC unroll 2
            for (size_t v = 0; v < S8_VECTORS; v++) acc[r][v] = s8_dot(acc[r][v], x, w[v]);
        }
    }
}

/* rows x S8_PANEL outputs; the int32 sums of a block stay in registers, the f32 sums of a row lie on the stack. */
static inline __attribute__((always_inline)) void s8_tile(const size_t rows, size_t K, const char *A, size_t stride,
                                                          const char *panel, ahead next, float *out) {
    /* A few rows add to several sums of an output by turns: one leaves too few in flight to hide what an addition takes. */
    const size_t few = S8_QUADS ? 4 : 3, chains = S8_PAIR > 1 || rows > few ? 1 : rows == 1 ? 4 : 2;
    size_t blocks = s8_blocks(K), lda = stride / sizeof(s8_input);
    v16 sums[S8_ROWS][S8_VECTORS];
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < S8_VECTORS; v++) sums[r][v] = v16_set(0);
    for (size_t b = 0; b < blocks; b++) {
        size_t from = b * S8_BLOCK, padded = s8_padded(K - from < S8_BLOCK ? K - from : S8_BLOCK);
        const s8_input *a = (const s8_input *)(const void *)A + from;
        i16x acc[MOST(S8_ROWS, 8)][S8_VECTORS]; /* [chain * rows + row] */
#pragma GCC unroll 16
        for (size_t r = 0; r < chains * rows; r += S8_PAIR)
#pragma GCC unroll 2
            for (size_t v = 0; v < S8_VECTORS; v++) acc[r][v] = i16x_zero();
        size_t k = 0;
        for (; S8_QUADS && rows > 1 && rows <= few && k + 4 * S8_TURN <= padded; k += 4 * S8_TURN) {
            s8_quad quads[S8_QUAD_ROWS];
#pragma GCC unroll 2
            for (size_t r = 0; r < rows && r < S8_QUAD_ROWS; r++) quads[r] = s8_load_quad(a + r * lda);
#pragma GCC unroll 4
            for (int t = 0; t < 4; t++, a += S8_TURN, panel += S8_PANEL * S8_TURN)
                s8_turn(rows, acc + (size_t)t % chains * rows, a, lda, quads, t, panel, &next);
        }
        for (; k + chains * S8_TURN <= padded; k += chains * S8_TURN)
#pragma GCC unroll 4
            for (size_t c = 0; c < chains; c++, a += S8_TURN, panel += S8_PANEL * S8_TURN)
                s8_turn(rows, acc + c * rows, a, lda, NULL, 0, panel, &next);
        for (; k < padded; k += S8_TURN, a += S8_TURN, panel += S8_PANEL * S8_TURN)
            s8_turn(rows, acc, a, lda, NULL, 0, panel, &next);
        const float *tail = (const float *)(const void *)panel;
        for (size_t t = 0; t < 2 * sizeof(float); t += S8_TURN) ask(&next, S8_PANEL * S8_TURN);
        panel += S8_PANEL * 2 * sizeof(float);
#pragma GCC unroll 16
        for (size_t r = 0; r < rows; r++) {
            const float *scales = (const float *)(const void *)(A + r * stride + s8_data_bytes(K));
#pragma GCC unroll 2
            for (size_t v = 0; v < S8_VECTORS; v++) {
                v16 t = s8_row_of(acc[r - r % S8_PAIR][v], r % S8_PAIR); /* exact, as all sums of chains: below 2^24 */
#pragma GCC unroll 4
                for (size_t c = 1; c < chains; c++) t = v16_add(t, s8_row_of(acc[c * rows + r - r % S8_PAIR][v], r % S8_PAIR));
                if (!S8_CENTRED) t = v16_fma(v16_set(scales[blocks + b]), v16_load(tail + S8_PANEL + 16 * v), t); /* exact too */
                sums[r][v] = v16_fma(t, v16_mul(v16_set(scales[b]), v16_load(tail + 16 * v)), sums[r][v]);
            }
        }
    }
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
        for (size_t v = 0; v < S8_VECTORS; v++) v16_store(out + r * S8_PANEL + 16 * v, sums[r][v]);
}

#define S8_TILE(form, rows)                                                                                              \
    static void form##_tile_##rows(size_t K, const char *A, size_t stride, const char *panel, ahead next, float *sums) { \
        s8_tile(rows, K, A, stride, panel, next, sums);                                                                  \
    }
#define S8_TILE_ENTRY(form, rows) [rows] = form##_tile_##rows,
EACH_UP_TO(S8_ROWS, S8_TILE, s8)
static tile_function *const s8_tiles[] = {EACH_UP_TO(S8_ROWS, S8_TILE_ENTRY, s8)};
