/* gemm.h - the product of rows and packed panels once, for f32 and for bf16; included by table.h. What the two are stands in
 * kernels.h.
 *
 * A step is four bytes of a row: a float, or what an instruction for bf16 takes at once. An ISA that has such an instruction
 * gives in its bf16.h: BF16_GROUP 2 (inputs that lie side by side for one output), bf16_put (16 activations, rounded, to 32
 * bytes) and bf16_dot (onto 16 sums the products of a pair of inputs, four bytes repeated, and the pairs of 16 outputs; both in
 * the bits of a v16); TILED, where tiles.h does it. Elsewhere rows are floats whose lower half is 0, and weights are widened by a
 * shift as they are loaded. */

#ifndef BF16_GROUP
#define BF16_GROUP 1
static inline v16 bf16_dot(v16 acc, v16 x, v16 w) { return v16_fma(x, w, acc); }
static inline void bf16_put(void *p, v16 x) { v16_store(p, v16_to_bf16(x)); }
#endif

typedef enum form { F32, BF16 } form;

/* What a micro-kernel asks memory for while it works: at each step (s8: turn) as many lines at `at` as the step reads, then `at`
 * moves on by `pace` bytes. A place, not a pointer: it may lie beyond the weights. */
typedef struct ahead {
    uintptr_t at;
    size_t pace;
} ahead;
static inline __attribute__((always_inline)) void ask(ahead *next, const size_t bytes) {
    __builtin_prefetch((const void *)next->at);
    if (bytes > 64) __builtin_prefetch((const void *)(next->at + 64));
    next->at += next->pace;
}

/* A micro-kernel: the products of some rows of A, stride bytes apart, and one panel, summed over a length of steps (s8: of
 * inputs). All columns of the panel are written. */
typedef void tile_function(size_t length, const char *A, size_t stride, const char *panel, ahead next, float *sums);

/* Several steps a turn of the loop leave more of what the CPU takes in at once to the multiply-adds. */
#ifndef TURN
#define TURN 4
#endif
enum { STEPS_A_TURN = TURN };

/* Of one row and of two so many panels are summed at once: one leaves too few sums in flight to hide what an addition takes. */
enum { WIDE_1 = 4, WIDE_2 = 3 };
#define MOST(a, b) ((a) > (b) ? (a) : (b))
enum { SUMS = MOST(MOST(ROWS * PANEL, S8_ROWS *S8_PANEL), MOST(WIDE_1, 2 * WIDE_2) * PANEL) /* the most of a micro-kernel */ };

/* One micro-kernel a number of rows, so that no row is computed in vain: each(form, 1) ... each(form, most). */
#define EACH_3(each, form) each(form, 1) each(form, 2) each(form, 3)
#define EACH_4(each, form) EACH_3(each, form) each(form, 4)
#define EACH_6(each, form) EACH_4(each, form) each(form, 5) each(form, 6)
#define EACH_12(each, form) \
    EACH_6(each, form) each(form, 7) each(form, 8) each(form, 9) each(form, 10) each(form, 11) each(form, 12)
#define EACH_UP_TO(most, each, form) EACH_OF(most)(each, form)
#define EACH_OF(most) EACH_JOIN(most)
#define EACH_JOIN(most) EACH_##most

/* rows x panels x PANEL outputs: the accumulators stay in registers, k ascends, one fused multiply-add (bf16: or one instruction)
 * a term. `rows`, `panels` and `of` are constants at every call, so that everything unrolls. Panels lie panel_bytes apart; rows
 * of sums have all their columns. */
static inline __attribute__((always_inline)) void tile(const size_t rows, const size_t panels, const form of, size_t steps,
                                                       const char *A, size_t stride, const char *packed, size_t panel_bytes,
                                                       ahead next, float *sums) {
    const int widen = of == BF16 && BF16_GROUP == 1;
    const size_t bytes = widen ? 32 : 64; /* of a step's weights of 16 outputs */
    v16 acc[ROWS][WIDE_1 * PANEL_VECTORS];
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (size_t v = 0; v < panels * PANEL_VECTORS; v++) acc[r][v] = v16_set(0);
    const char *a = A;
#pragma GCC unroll STEPS_A_TURN
    for (size_t s = 0; s < steps; s++, a += sizeof(float), packed += PANEL_VECTORS * bytes) {
#pragma GCC unroll 4
        for (size_t p = 0; p < panels; p++) {
            const char *panel = packed + p * panel_bytes;
            v16 b[PANEL_VECTORS];
            if (panels == 1) {
                ask(&next, PANEL_VECTORS * bytes);
            } else {
                __builtin_prefetch(panel + 8 * PANEL_VECTORS * bytes);
                if (PANEL_VECTORS == 2 && !widen) __builtin_prefetch(panel + 8 * PANEL_VECTORS * bytes + 64);
            }
#pragma GCC unroll 2
            for (size_t v = 0; v < PANEL_VECTORS; v++)
                b[v] = widen ? v16_widen((const void *)(panel + bytes * v)) : v16_load((const void *)(panel + bytes * v));
#pragma GCC unroll 16
            for (size_t r = 0; r < rows; r++) {
                float four;
                memcpy(&four, a + r * stride, sizeof four);
                v16 x = v16_set(four);
#pragma GCC unroll 2
                for (size_t v = 0; v < PANEL_VECTORS; v++) {
                    v16 *sum = &acc[r][p * PANEL_VECTORS + v];
                    *sum = of == BF16 ? bf16_dot(*sum, x, b[v]) : v16_fma(x, b[v], *sum);
                }
            }
        }
    }
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (size_t v = 0; v < panels * PANEL_VECTORS; v++) v16_store(sums + r * panels * PANEL + 16 * v, acc[r][v]);
}

#define TILE(form, rows)                                                                                                       \
    static void tile_##form##_##rows(size_t steps, const char *A, size_t stride, const char *panel, ahead next, float *sums) { \
        tile(rows, 1, form, steps, A, stride, panel, 0, next, sums);                                                           \
    }
#define TILE_ENTRY(form, rows) [form][rows] = tile_##form##_##rows,
EACH_UP_TO(ROWS, TILE, F32)
#ifndef TILED
EACH_UP_TO(ROWS, TILE, BF16)
#endif
static tile_function *const tiles[][ROWS + 1] = {EACH_UP_TO(ROWS, TILE_ENTRY, F32)
#ifndef TILED
                                                     EACH_UP_TO(ROWS, TILE_ENTRY, BF16)
#endif
};

enum { AHEAD = 4096 /* bytes */, MOST_SHARES = 16 };

/* Rows [row, row + M) of one panel, `width` wide, to C, which points at the first of them and the panel's column: as few blocks
 * of rows as fit, of even height: 16 rows are 8 + 8, not 12 + 4. of: the micro-kernels by their rows, up to `most`; step: the
 * bytes of the panel that they take at once. One block asks for what it reads AHEAD bytes later; of several each asks for a share
 * of the next panel, which has come when the last one ends. */
static void panel_rows(tile_function *const *of, size_t most, size_t width, size_t row, size_t M, size_t N, size_t length,
                       size_t column, const char *A, size_t stride, const char *panel, size_t panel_bytes, size_t step, float *C,
                       size_t ldc, const eg_epilogue *e) {
    _Alignas(64) float sums[SUMS];
    size_t blocks = (M + most - 1) / most, shares = blocks < MOST_SHARES ? blocks : MOST_SHARES, done = 0,
           n = N - column < width ? N - column : width;
    for (size_t b = 0; b < blocks; b++) {
        size_t rows = (M - done + (blocks - b) - 1) / (blocks - b);
        ahead next = {(uintptr_t)panel + (blocks > 1 ? panel_bytes + panel_bytes / shares * (b % shares) : AHEAD), step / shares};
        of[rows](length, A + (row + done) * stride, stride, panel, next, sums);
        finish(sums, width, rows, n, row + done, column, C + done * ldc, ldc, e);
        done += rows;
    }
}

static void wide_tile_1(size_t K, const float *A, const float *packed, float *sums) {
    tile(1, WIDE_1, F32, K, (const char *)A, 0, (const char *)packed, PANEL * K * sizeof *packed, (ahead){0}, sums);
}
static void wide_tile_2(size_t K, const float *A, size_t lda, const float *packed, float *sums) {
    tile(2, WIDE_2, F32, K, (const char *)A, lda * sizeof *A, (const char *)packed, PANEL * K * sizeof *packed, (ahead){0}, sums);
}

/* The columns of whole groups of panels for M of 1 or 2; returns where it ended. */
static size_t few_rows(size_t M, size_t n0, size_t n1, size_t K, const float *A, size_t lda, const float *packed, float *C,
                       size_t ldc, const eg_epilogue *e) {
    _Alignas(64) float sums[SUMS];
    size_t column = n0, width = (M == 1 ? WIDE_1 : WIDE_2) * PANEL;
    for (; column + width <= n1; column += width) {
        if (M == 1) wide_tile_1(K, A, packed + column * K, sums);
        else wide_tile_2(K, A, lda, packed + column * K, sums);
        finish(sums, width, M, width, 0, column, C + column, ldc, e);
    }
    return column;
}

static void gemm(size_t M, size_t N, size_t K, size_t n0, size_t n1, const float *A, size_t lda, const float *packed, float *C,
                 size_t ldc, const eg_epilogue *epilogue) {
    static const eg_epilogue none = {0};
    const eg_epilogue *e = epilogue ? epilogue : &none;
    if (n1 > N) n1 = N;
    for (size_t column = M == 1 || M == 2 ? few_rows(M, n0, n1, K, A, lda, packed, C, ldc, e) : n0; column < n1; column += PANEL)
        panel_rows(tiles[F32], ROWS, PANEL, 0, M, n1, K, column, (const char *)A, lda * sizeof *A,
                   (const char *)(packed + column * K), PANEL * K * sizeof *packed, PANEL * sizeof *packed, C + column, ldc, e);
}

/* ---- bf16: its rows and its packed panels ---- */

enum { BF16_INPUT = 4 / BF16_GROUP /* bytes of a row's input */ };
static size_t bf16_row_bytes(size_t K) { return (K * BF16_INPUT + 63) / 64 * 64; }
#ifdef TILED
static inline size_t bf16_steps(size_t K) { return bf16_row_bytes(K) / 4; } /* whole tiles; zeros behind the last input */
#else
static inline size_t bf16_steps(size_t K) { return (K + BF16_GROUP - 1) / BF16_GROUP; }
#endif
static inline size_t bf16_panel_bytes(size_t K) { return PANEL * bf16_steps(K) * BF16_GROUP * sizeof(uint16_t); }
static size_t bf16_packed_bytes(size_t N, size_t K) { return (N + PANEL - 1) / PANEL * bf16_panel_bytes(K); }

static void bf16_pack(size_t N, size_t K, size_t n, const uint16_t *w, void *packed) {
    uint16_t *panel = (uint16_t *)(void *)((char *)packed + n / PANEL * bf16_panel_bytes(K));
    size_t inputs = bf16_steps(K) * BF16_GROUP, lane = n % PANEL,
           last = n + 1 == N ? PANEL : lane + 1; /* empty lanes become zeros */
    for (size_t k = 0; k < inputs; k++) {
        uint16_t *to = panel + k / BF16_GROUP * BF16_GROUP * PANEL + k % BF16_GROUP;
        to[lane * BF16_GROUP] = k < K ? w[k] : 0;
        for (size_t l = lane + 1; l < last; l++) to[l * BF16_GROUP] = 0;
    }
}

/* Inputs [from, from + n) of a row of K; where they are its last, zeros up to the row's end. */
static void bf16_put_part(const float *x, size_t n, size_t K, size_t from, char *row) {
    size_t end = from + n < K ? from + n : bf16_row_bytes(K) / BF16_INPUT;
    for (size_t i = 0; from + i < end; i += 16)
        bf16_put(row + (from + i) * BF16_INPUT, i < n ? load_part(x + i, n - i) : v16_set(0));
}
