/* narrow.h - the products of the formats s8 and bf16 once: over the panels of a matrix, with results as f32 or in the format
 * itself, by vectors or by tiles; included by table.h. */

#ifdef TILED
#include "kernels/generic/tiles.h"
enum { CHUNK_MOST = 2 * TILED_MOST };
#else
enum { CHUNK_MOST = 4 * (S8_ROWS > ROWS ? S8_ROWS : ROWS) };
#define tiles_begin(M, least) 0
#define tiles_end(height) (void)(height)
#endif

/* Rows [row, row + M) of the panel that starts at column, to C, which points at that row and column. height: of the tiles, 0:
 * none. */
typedef void panel_rows_function(size_t height, size_t row, size_t M, size_t N, size_t K, size_t column, const char *A,
                                 const char *packed, float *C, size_t ldc, const eg_epilogue *e);

static void s8_panel_rows(size_t height, size_t row, size_t M, size_t N, size_t K, size_t column, const char *A,
                          const char *packed, float *C, size_t ldc, const eg_epilogue *e) {
#ifdef TILED
    if (height) {
        tiled_rows(s8_tiled_block, s8_row_bytes(K), s8_panel_bytes(K), height, row, M, N, K, column, A, packed, C, ldc, e);
        return;
    }
#endif
    (void)height;
    panel_rows(s8_tiles, S8_ROWS, S8_PANEL, row, M, N, K, column, A, s8_row_bytes(K),
               packed + column / S8_PANEL * s8_panel_bytes(K), s8_panel_bytes(K), S8_PANEL * S8_TURN, C, ldc, e);
}

static void bf16_panel_rows(size_t height, size_t row, size_t M, size_t N, size_t K, size_t column, const char *A,
                            const char *packed, float *C, size_t ldc, const eg_epilogue *e) {
#ifdef TILED
    tiled_rows(bf16_tiled_block, bf16_row_bytes(K), bf16_panel_bytes(K), height, row, M, N, K, column, A, packed, C, ldc, e);
#else
    (void)height;
    panel_rows(tiles[BF16], ROWS, PANEL, row, M, N, bf16_steps(K), column, A, bf16_row_bytes(K),
               packed + column / PANEL * bf16_panel_bytes(K), bf16_panel_bytes(K), PANEL * BF16_GROUP * sizeof(uint16_t), C, ldc,
               e);
#endif
}

typedef struct narrow {
    size_t panel, rows, least; /* rows of the vectors' micro-kernel; the fewest rows that tiles are used for */
    size_t (*row_bytes)(size_t K);
    panel_rows_function *panel_rows;
    void (*put_part)(const float *x, size_t n, size_t K, size_t from, char *row);
} narrow;
/* In s8 the sums are exact and fewer than four rows leave tiles near empty; in bf16 another instruction would give other bits. */
static const narrow narrow_s8 = {S8_PANEL, S8_ROWS, 4, s8_row_bytes, s8_panel_rows, s8_put_part};
static const narrow narrow_bf16 = {PANEL, ROWS, 1, bf16_row_bytes, bf16_panel_rows, bf16_put_part};

static void narrow_quantize(const narrow *f, const float *x, size_t rows, size_t K, size_t ld, void *out) {
    for (size_t r = 0; r < rows; r++) f->put_part(x + r * ld, K, K, 0, (char *)out + r * f->row_bytes(K));
}

static void narrow_gemm(const narrow *f, size_t M, size_t N, size_t K, size_t n0, size_t n1, const void *A, const void *packed,
                        float *C, size_t ldc, const eg_epilogue *e) {
    size_t height = tiles_begin(M, f->least);
    for (size_t column = n0; column < n1 && column < N; column += f->panel)
        f->panel_rows(height, 0, M, n1 < N ? n1 : N, K, column, A, packed, C + column, ldc, e);
    tiles_end(height);
}

static void narrow_gemm_quantized(const narrow *f, size_t M, size_t N, size_t K, size_t n0, size_t n1, const void *A,
                                  const void *packed, void *out, const eg_epilogue *e) {
    float part[CHUNK_MOST * S8_BLOCK];
    size_t height = tiles_begin(M, f->least), chunk = height ? 2 * height : 4 * f->rows;
    if (n1 > N) n1 = N;
    for (size_t from = n0; from < n1; from += S8_BLOCK) {
        size_t to = n1 - from < S8_BLOCK ? n1 : from + S8_BLOCK;
        for (size_t row = 0; row < M; row += chunk) {
            size_t rows = M - row < chunk ? M - row : chunk;
            for (size_t column = from; column < to; column += f->panel)
                f->panel_rows(height, row, rows, to, K, column, A, packed, part + (column - from), S8_BLOCK, e);
            for (size_t r = 0; r < rows; r++)
                f->put_part(part + r * S8_BLOCK, to - from, N, from, (char *)out + (row + r) * f->row_bytes(N));
        }
    }
    tiles_end(height);
}

#define NARROW(name)                                                                                                         \
    static void name##_quantize(const float *x, size_t rows, size_t K, size_t ld, void *out) {                               \
        narrow_quantize(&narrow_##name, x, rows, K, ld, out);                                                                \
    }                                                                                                                        \
    static void name##_gemm(size_t M, size_t N, size_t K, size_t n0, size_t n1, const void *A, const void *packed, float *C, \
                            size_t ldc, const eg_epilogue *e) {                                                              \
        narrow_gemm(&narrow_##name, M, N, K, n0, n1, A, packed, C, ldc, e ? e : &(const eg_epilogue){0});                    \
    }                                                                                                                        \
    static void name##_gemm_quantized(size_t M, size_t N, size_t K, size_t n0, size_t n1, const void *A, const void *packed, \
                                      void *out, const eg_epilogue *e) {                                                     \
        narrow_gemm_quantized(&narrow_##name, M, N, K, n0, n1, A, packed, out, e ? e : &(const eg_epilogue){0});             \
    }
NARROW(s8)
NARROW(bf16)
#define NARROW_TABLE(name, panel) \
    { panel, name##_row_bytes, name##_packed_bytes, name##_quantize, name##_gemm, name##_gemm_quantized }
