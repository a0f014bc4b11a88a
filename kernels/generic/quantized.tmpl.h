/* quantized.tmpl.h - the matrix products of s8 and bf16: over the panels of a matrix, with results
 * in f32 or in the format itself, by vectors or by AMX tiles. Included by table.tmpl.h after
 * gemm.tmpl.h and s8.tmpl.h. */

/* What a format provides. */
typedef struct quantized_format {
    size_t min_amx_rows; /* products with fewer rows use vectors, not tiles */
    panel_layout (*layout)(size_t K);
    void (*put_part)(const float *x, size_t n, size_t K, size_t from, char *row);
    size_t (*row_bytes)(size_t K);
    /* One panel. amx_height: rows of a block in tiles, 0 to use vectors. */
    void (*multiply)(size_t amx_height, size_t K, const panel_layout *l, const panel_part *p);
} quantized_format;

static panel_layout s8_layout(size_t K) {
    return (panel_layout){.microkernels = s8_microkernels,
                          .max_rows = ISA_S8_ROWS,
                          .width = S8_PANEL,
                          .length = K,
                          .stride = s8_row_bytes(K),
                          .panel_bytes = s8_panel_bytes(K),
                          .step_bytes = S8_PANEL * S8_STEP};
}

static panel_layout bf16_layout(size_t K) {
    return (panel_layout){.microkernels = HAS_AMX ? NULL : microkernels[BF16],
                          .max_rows = ISA_F32_ROWS,
                          .width = F32_PANEL,
                          .length = bf16_steps(K),
                          .stride = bf16_row_bytes(K),
                          .panel_bytes = bf16_panel_bytes(K),
                          .step_bytes = F32_PANEL * ISA_BF16_GROUP * sizeof(uint16_t)};
}

#ifdef ISA_HAS_AMX
#include "kernels/generic/amx.tmpl.h"
enum { MAX_CHUNK_ROWS = 2 * AMX_MAX_ROWS };

static void s8_multiply(size_t amx_height, size_t K, const panel_layout *l, const panel_part *p) {
    if (amx_height) amx_multiply(s8_amx_block, amx_height, K, l, p);
    else multiply_panel(l, p);
}
static void bf16_multiply(size_t amx_height, size_t K, const panel_layout *l, const panel_part *p) {
    amx_multiply(bf16_amx_block, amx_height, K, l, p);
}
#else
enum { MAX_CHUNK_ROWS = 4 * ((int)ISA_S8_ROWS > (int)ISA_F32_ROWS ? (int)ISA_S8_ROWS : (int)ISA_F32_ROWS) };
static size_t amx_begin(size_t M, size_t least) { return (void)M, (void)least, 0; }
static void amx_end(size_t height) { (void)height; }

static void s8_multiply(size_t amx_height, size_t K, const panel_layout *l, const panel_part *p) {
    (void)amx_height, (void)K;
    multiply_panel(l, p);
}
static void bf16_multiply(size_t amx_height, size_t K, const panel_layout *l, const panel_part *p) {
    (void)amx_height, (void)K;
    multiply_panel(l, p);
}
#endif

/* In s8 the sums are exact, and fewer than four rows leave tiles nearly empty. In bf16 another
 * instruction would give other bits, so tiles are used down to one row. */
static const quantized_format s8_format = {4, s8_layout, s8_put_part, s8_row_bytes, s8_multiply};
static const quantized_format bf16_format = {1, bf16_layout, bf16_put_part, bf16_row_bytes, bf16_multiply};

static void quantize_rows(const quantized_format *f, const float *x, size_t rows, size_t K, size_t ld, void *out) {
    for (size_t r = 0; r < rows; r++) f->put_part(x + r * ld, K, K, 0, (char *)out + r * f->row_bytes(K));
}

static void multiply(const quantized_format *f, const eg_gemm_call *call) {
    size_t height = amx_begin(call->M, f->min_amx_rows), n1 = call->n1 < call->N ? call->n1 : call->N;
    const panel_layout l = f->layout(call->K);
    panel_part p = {.A = call->A,
                    .rows = call->M,
                    .panel = (const char *)call->packed + call->n0 / l.width * l.panel_bytes,
                    .column = call->n0,
                    .out = (float *)call->C + call->n0,
                    .ld_out = call->ldc,
                    .epilogue = call->epilogue ? call->epilogue : &no_epilogue};
    for (; p.column < n1; next_panel(&l, &p, 1)) {
        p.columns = n1 - p.column < l.width ? n1 - p.column : l.width;
        f->multiply(height, call->K, &l, &p);
    }
    amx_end(height);
}

/* Rows are computed in chunks, 128 columns at a time, as f32 in memory that stays in L1, and
 * quantised from there. */
static void multiply_quantized(const quantized_format *f, const eg_gemm_call *call) {
    float chunk[MAX_CHUNK_ROWS * S8_BLOCK];
    size_t height = amx_begin(call->M, f->min_amx_rows), n1 = call->n1 < call->N ? call->n1 : call->N;
    size_t row_bytes = f->row_bytes(call->N);
    const panel_layout l = f->layout(call->K);
    size_t chunk_rows = height ? 2 * height : 4 * l.max_rows;
    for (size_t from = call->n0; from < n1; from += S8_BLOCK) {
        size_t to = n1 - from < S8_BLOCK ? n1 : from + S8_BLOCK;
        for (size_t row = 0; row < call->M; row += chunk_rows) {
            panel_part p = {.A = call->A,
                            .row = row,
                            .rows = call->M - row < chunk_rows ? call->M - row : chunk_rows,
                            .panel = (const char *)call->packed + from / l.width * l.panel_bytes,
                            .column = from,
                            .out = chunk,
                            .ld_out = S8_BLOCK,
                            .epilogue = call->epilogue ? call->epilogue : &no_epilogue};
            for (; p.column < to; next_panel(&l, &p, 1)) {
                p.columns = to - p.column < l.width ? to - p.column : l.width;
                f->multiply(height, call->K, &l, &p);
            }
            for (size_t r = 0; r < p.rows; r++)
                f->put_part(chunk + r * S8_BLOCK, to - from, call->N, from, (char *)call->C + (row + r) * row_bytes);
        }
    }
    amx_end(height);
}

#define TMPL_FORMAT(name)                                                                      \
    static void name##_quantize(const float *x, size_t rows, size_t K, size_t ld, void *out) { \
        quantize_rows(&name##_format, x, rows, K, ld, out);                                    \
    }                                                                                          \
    static void name##_gemm(const eg_gemm_call *call) { multiply(&name##_format, call); }      \
    static void name##_gemm_quantized(const eg_gemm_call *call) { multiply_quantized(&name##_format, call); }
TMPL_FORMAT(s8)
TMPL_FORMAT(bf16)
#undef TMPL_FORMAT
