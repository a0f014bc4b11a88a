/* gemm.tmpl.h - the matrix product over packed panels, for f32 and bf16, and what the formats
 * share: micro-kernels, epilogue, prefetching. Included by table.tmpl.h. The formats are documented
 * in kernels.h.
 *
 * A step of a micro-kernel takes four bytes of each row: one float, or the inputs that an
 * instruction for bf16 takes together. An ISA with such an instruction provides, in its bf16.h:
 *   ISA_BF16_GROUP  2: inputs of one output that are adjacent in memory
 *   bf16_put        writes 16 activations, rounded, to 32 bytes
 *   bf16_dot        adds to 16 sums the products of a pair of inputs (four bytes, repeated) and the
 *                   pairs of 16 outputs; both are given as the bits of a v16
 * Without it, rows are floats whose lower half is 0, and weights are widened by a shift when they
 * are loaded. */

#ifndef ISA_BF16_GROUP
#define ISA_BF16_GROUP 1
static inline v16 bf16_dot(v16 acc, v16 x, v16 w) { return v16_fma(x, w, acc); }
static inline void bf16_put(void *p, v16 x) { v16_store(p, v16_to_bf16(x)); }
#endif

/* ---- products, panel by panel ---- */

/* What a micro-kernel prefetches while it computes: at each step as many cache lines at `address`
 * as the step reads, then the address moves on by `stride` bytes. It may lie beyond the weights, so
 * it is a number and not a pointer. */
typedef struct prefetch {
    uintptr_t address;
    size_t stride;
} prefetch;
static inline __attribute__((always_inline)) void prefetch_next(prefetch *next, const size_t bytes) {
    __builtin_prefetch((const void *)next->address);
    if (bytes > 64) __builtin_prefetch((const void *)(next->address + 64));
    next->address += next->stride;
}

/* A micro-kernel: the products of some rows of A, `stride` bytes apart, and one panel, summed over
 * `length` steps (s8: inputs). Writes all columns of the panel to sums, row after row. */
typedef void microkernel(size_t length, const char *A, size_t stride, const char *panel, prefetch next, float *sums);

/* How rows and panels of one product are laid out, and the micro-kernels for it. */
typedef struct panel_layout {
    microkernel *const *microkernels; /* indexed by the number of rows, 1 to max_rows */
    size_t max_rows;
    size_t width;       /* outputs of a panel */
    size_t length;      /* the argument of the micro-kernels */
    size_t stride;      /* bytes between rows of A */
    size_t panel_bytes; /* bytes between panels */
    size_t step_bytes;  /* of a panel that a micro-kernel reads in one step */
} panel_layout;

/* The part of a product that one panel contributes to some rows. */
typedef struct panel_part {
    const char *A;          /* row 0 of the product */
    size_t row, rows;       /* the rows [row, row + rows) are computed */
    const char *panel;      /* its packed weights */
    size_t column, columns; /* its first column in C, and how many of its columns C has */
    float *out;             /* where C[row][column] goes */
    size_t ld_out;          /* floats */
    const eg_epilogue *epilogue;
} panel_part;

/* ---- epilogue ---- */

typedef struct epilogue_rows {
    const float *sums, *bias, *residual; /* bias and residual may be NULL */
    float *out;
    size_t rows, columns, ld_sums, ld_residual, ld_out;
} epilogue_rows;

/* The activation, and whether the columns are whole vectors, are constants where this is inlined,
 * so that the loop does not test them. */
static inline __attribute__((always_inline)) void epilogue_of(const eg_activation activation, const int whole, epilogue_rows e) {
    for (size_t i = 0; i < e.columns; i += 16) {
        size_t left = whole ? 16 : e.columns - i;
        v16 b = e.bias ? load_part(e.bias + i, left) : v16_set(0);
        for (size_t r = 0; r < e.rows; r++) {
            v16 x = v16_load(e.sums + r * e.ld_sums + i);
            if (e.bias) x = v16_add(x, b);
            if (activation == EG_ACT_GELU) x = v16_gelu(x);
            if (activation == EG_ACT_TANH) x = v16_tanh(x);
            if (e.residual) x = v16_add(x, load_part(e.residual + r * e.ld_residual + i, left));
            store_part(e.out + r * e.ld_out + i, left, x);
        }
    }
}

/* Stores `rows` rows of sums, ld_sums floats apart, through the epilogue; the first one is row
 * p->row + done. Micro-kernels leave their sums in memory, where they fit into L1, so that this
 * code exists once and not in each of them. */
static __attribute__((noinline)) void apply_epilogue(const float *sums, size_t ld_sums, const panel_part *p, size_t done,
                                                     size_t rows) {
    const eg_epilogue *given = p->epilogue;
    size_t n = p->columns;
    epilogue_rows e = {.sums = sums,
                       .bias = given->bias ? given->bias + p->column : NULL,
                       .residual = given->residual ? given->residual + (p->row + done) * given->ld_residual + p->column : NULL,
                       .out = p->out + done * p->ld_out,
                       .rows = rows,
                       .columns = n,
                       .ld_sums = ld_sums,
                       .ld_residual = given->ld_residual,
                       .ld_out = p->ld_out};
    if (n % 16 || given->activation == EG_ACT_TANH) epilogue_of(given->activation, 0, e);
    else if (given->activation == EG_ACT_GELU) epilogue_of(EG_ACT_GELU, 1, e);
    else epilogue_of(EG_ACT_NONE, 1, e);
}

/* ---- micro-kernels of f32 and bf16 ---- */

typedef enum element { F32, BF16 } element;

/* Several steps in one iteration of the loop leave more of the CPU's instruction decoding to the
 * multiply-adds. */
enum { UNROLL_STEPS = ISA_UNROLL };

/* With one or two rows, so many panels are computed together: the sums of one panel are too few to
 * hide the latency of an addition. */
enum { PANELS_OF_1_ROW = 4, PANELS_OF_2_ROWS = 3 };

/* Floats that a micro-kernel writes at most. */
enum {
    MAX_WIDE_VECTORS = PANELS_OF_1_ROW > 2 * PANELS_OF_2_ROWS ? PANELS_OF_1_ROW : 2 * PANELS_OF_2_ROWS,
    MAX_F32_VECTORS = ISA_F32_ROWS > MAX_WIDE_VECTORS ? ISA_F32_ROWS : MAX_WIDE_VECTORS,
    MAX_F32_SUMS = MAX_F32_VECTORS * F32_PANEL,
    MAX_SUMS = MAX_F32_SUMS > ISA_S8_ROWS *S8_PANEL ? MAX_F32_SUMS : ISA_S8_ROWS *S8_PANEL
};

/* Expands macro(arg, 1) ... macro(arg, max): one micro-kernel for each number of rows, so that no
 * row is computed in vain. */
#define TMPL_ROWS_3(macro, arg) macro(arg, 1) macro(arg, 2) macro(arg, 3)
#define TMPL_ROWS_4(macro, arg) TMPL_ROWS_3(macro, arg) macro(arg, 4)
#define TMPL_ROWS_6(macro, arg) TMPL_ROWS_4(macro, arg) macro(arg, 5) macro(arg, 6)
#define TMPL_ROWS_12(macro, arg) \
    TMPL_ROWS_6(macro, arg) macro(arg, 7) macro(arg, 8) macro(arg, 9) macro(arg, 10) macro(arg, 11) macro(arg, 12)
#define TMPL_FOR_ROWS(max, macro, arg) TMPL_ROWS_OF(max)(macro, arg)
#define TMPL_ROWS_OF(max) TMPL_ROWS_JOIN(max)
#define TMPL_ROWS_JOIN(max) TMPL_ROWS_##max

/* What a micro-kernel multiplies: rows of A, `stride` bytes apart, and panels, panel_bytes
 * apart. */
typedef struct operands {
    const char *A;
    size_t stride;
    const char *panels;
    size_t panel_bytes;
} operands;

/* The sums of rows x panels x F32_PANEL outputs: accumulators stay in registers, k ascends, one
 * fused multiply-add (or instruction for bf16) a term. `rows`, `panels` and `of` are constants at
 * every call, so that everything unrolls. */
static inline __attribute__((always_inline)) void microkernel_sums(const size_t rows, const size_t panels, const element of,
                                                                   size_t steps, operands in, prefetch next, float *sums) {
    const int widen = of == BF16 && ISA_BF16_GROUP == 1;
    const size_t bytes = widen ? 32 : 64; /* of a step's weights of 16 outputs */
    v16 acc[ISA_F32_ROWS][PANELS_OF_1_ROW * ISA_PANEL_VECTORS];
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (size_t v = 0; v < panels * ISA_PANEL_VECTORS; v++) acc[r][v] = v16_set(0);
    const char *a = in.A, *packed = in.panels;
#pragma GCC unroll UNROLL_STEPS
    for (size_t s = 0; s < steps; s++, a += sizeof(float), packed += ISA_PANEL_VECTORS * bytes) {
#pragma GCC unroll 4
        for (size_t p = 0; p < panels; p++) {
            const char *panel = packed + p * in.panel_bytes;
            v16 b[ISA_PANEL_VECTORS];
            if (panels == 1) {
                prefetch_next(&next, ISA_PANEL_VECTORS * bytes);
            } else {
                __builtin_prefetch(panel + 8 * ISA_PANEL_VECTORS * bytes);
                if (ISA_PANEL_VECTORS == 2 && !widen) __builtin_prefetch(panel + 8 * ISA_PANEL_VECTORS * bytes + 64);
            }
#pragma GCC unroll 2
            for (size_t v = 0; v < ISA_PANEL_VECTORS; v++)
                b[v] = widen ? v16_widen((const void *)(panel + bytes * v)) : v16_load((const void *)(panel + bytes * v));
#pragma GCC unroll 16
            for (size_t r = 0; r < rows; r++) {
                float four;
                memcpy(&four, a + r * in.stride, sizeof four);
                v16 x = v16_set(four);
#pragma GCC unroll 2
                for (size_t v = 0; v < ISA_PANEL_VECTORS; v++) {
                    v16 *sum = &acc[r][p * ISA_PANEL_VECTORS + v];
                    *sum = of == BF16 ? bf16_dot(*sum, x, b[v]) : v16_fma(x, b[v], *sum);
                }
            }
        }
    }
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (size_t v = 0; v < panels * ISA_PANEL_VECTORS; v++) v16_store(sums + r * panels * F32_PANEL + 16 * v, acc[r][v]);
}

#define TMPL_MICROKERNEL(of, rows)                                                                                      \
    static void microkernel_##of##_##rows(size_t steps, const char *A, size_t stride, const char *panel, prefetch next, \
                                          float *sums) {                                                                \
        microkernel_sums(rows, 1, of, steps, (operands){A, stride, panel, 0}, next, sums);                              \
    }
#define TMPL_MICROKERNEL_ENTRY(of, rows) [of][rows] = microkernel_##of##_##rows,
TMPL_FOR_ROWS(ISA_F32_ROWS, TMPL_MICROKERNEL, F32)
#ifndef ISA_HAS_AMX
TMPL_FOR_ROWS(ISA_F32_ROWS, TMPL_MICROKERNEL, BF16)
#endif
static microkernel *const microkernels[][ISA_F32_ROWS + 1] = {TMPL_FOR_ROWS(ISA_F32_ROWS, TMPL_MICROKERNEL_ENTRY, F32)
#ifndef ISA_HAS_AMX
                                                                  TMPL_FOR_ROWS(ISA_F32_ROWS, TMPL_MICROKERNEL_ENTRY, BF16)
#endif
};
#undef TMPL_MICROKERNEL
#undef TMPL_MICROKERNEL_ENTRY

enum { PREFETCH_DISTANCE = 4096 /* bytes */, MAX_SHARES = 16 };

/* The rows are cut into as few blocks as the micro-kernels allow, of even height: 16 rows are 8 +
 * 8, not 12 + 4. A single block prefetches its own panel, PREFETCH_DISTANCE bytes ahead. Of several
 * blocks, each prefetches a share of the next panel, which is in the cache when the last one ends.
 */
static void multiply_panel(const panel_layout *l, const panel_part *p) {
    _Alignas(64) float sums[MAX_SUMS];
    size_t blocks = (p->rows + l->max_rows - 1) / l->max_rows, shares = blocks < MAX_SHARES ? blocks : MAX_SHARES, done = 0;
    for (size_t b = 0; b < blocks; b++) {
        size_t rows = (p->rows - done + (blocks - b) - 1) / (blocks - b);
        size_t ahead = blocks > 1 ? l->panel_bytes + l->panel_bytes / shares * (b % shares) : PREFETCH_DISTANCE;
        prefetch next = {(uintptr_t)p->panel + ahead, l->step_bytes / shares};
        l->microkernels[rows](l->length, p->A + (p->row + done) * l->stride, l->stride, p->panel, next, sums);
        apply_epilogue(sums, l->width, p, done, rows);
        done += rows;
    }
}

/* The next `count` panels. */
static inline void next_panel(const panel_layout *l, panel_part *p, size_t count) {
    p->column += count * l->width;
    p->panel += count * l->panel_bytes;
    p->out += count * l->width;
}

static const eg_epilogue no_epilogue = {0};

/* The columns of whole groups of panels, for one row or two; p moves on to the first column that is
 * left. */
static void multiply_few_rows(const panel_layout *l, panel_part *p, size_t n1) {
    _Alignas(64) float sums[MAX_SUMS];
    const size_t panels = p->rows == 1 ? PANELS_OF_1_ROW : PANELS_OF_2_ROWS;
    p->columns = panels * F32_PANEL;
    for (; p->column + p->columns <= n1; next_panel(l, p, panels)) {
        operands in = {p->A, l->stride, p->panel, l->panel_bytes};
        if (p->rows == 1) microkernel_sums(1, PANELS_OF_1_ROW, F32, l->length, in, (prefetch){0}, sums);
        else microkernel_sums(2, PANELS_OF_2_ROWS, F32, l->length, in, (prefetch){0}, sums);
        apply_epilogue(sums, p->columns, p, 0, p->rows);
    }
}

static void gemm(const eg_gemm_call *call) {
    size_t n1 = call->n1 < call->N ? call->n1 : call->N;
    const panel_layout l = {.microkernels = microkernels[F32],
                            .max_rows = ISA_F32_ROWS,
                            .width = F32_PANEL,
                            .length = call->K,
                            .stride = call->lda * sizeof(float),
                            .panel_bytes = F32_PANEL * call->K * sizeof(float),
                            .step_bytes = F32_PANEL * sizeof(float)};
    panel_part p = {.A = call->A,
                    .rows = call->M,
                    .panel = (const char *)call->packed + call->n0 / F32_PANEL * l.panel_bytes,
                    .column = call->n0,
                    .out = (float *)call->C + call->n0,
                    .ld_out = call->ldc,
                    .epilogue = call->epilogue ? call->epilogue : &no_epilogue};
    if (call->M == 1 || call->M == 2) multiply_few_rows(&l, &p, n1);
    for (; p.column < n1; next_panel(&l, &p, 1)) {
        p.columns = n1 - p.column < F32_PANEL ? n1 - p.column : F32_PANEL;
        multiply_panel(&l, &p);
    }
}

/* ---- rows and packed panels of bf16 ---- */

enum { BF16_INPUT = 4 / ISA_BF16_GROUP /* bytes of one input of a row */ };
static size_t bf16_row_bytes(size_t K) { return (K * BF16_INPUT + 63) / 64 * 64; }
/* With AMX rows are whole tiles, with zeros after the last input. */
static inline size_t bf16_steps(size_t K) { return HAS_AMX ? bf16_row_bytes(K) / 4 : (K + ISA_BF16_GROUP - 1) / ISA_BF16_GROUP; }
static inline size_t bf16_panel_bytes(size_t K) { return F32_PANEL * bf16_steps(K) * ISA_BF16_GROUP * sizeof(uint16_t); }
static size_t bf16_packed_bytes(size_t N, size_t K) { return (N + F32_PANEL - 1) / F32_PANEL * bf16_panel_bytes(K); }

static void bf16_pack(size_t N, size_t K, size_t n, const uint16_t *w, void *packed) {
    uint16_t *panel = (uint16_t *)(void *)((char *)packed + n / F32_PANEL * bf16_panel_bytes(K));
    size_t inputs = bf16_steps(K) * ISA_BF16_GROUP, lane = n % F32_PANEL,
           /* the last row fills the lanes after it with zeros */
        last = n + 1 == N ? F32_PANEL : lane + 1;
    for (size_t k = 0; k < inputs; k++) {
        uint16_t *to = panel + k / ISA_BF16_GROUP * ISA_BF16_GROUP * F32_PANEL + k % ISA_BF16_GROUP;
        to[lane * ISA_BF16_GROUP] = k < K ? w[k] : 0;
        for (size_t l = lane + 1; l < last; l++) to[l * ISA_BF16_GROUP] = 0;
    }
}

/* Writes the inputs [from, from + n) of a row of K; after the last input of the row, zeros up to
 * the row's end. */
static void bf16_put_part(const float *x, size_t n, size_t K, size_t from, char *row) {
    size_t end = from + n < K ? from + n : bf16_row_bytes(K) / BF16_INPUT;
    for (size_t i = 0; from + i < end; i += 16)
        bf16_put(row + (from + i) * BF16_INPUT, i < n ? load_part(x + i, n - i) : v16_set(0));
}
