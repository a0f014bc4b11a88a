/* tiles.h - the micro-kernels of the formats s8 and bf16 for ISAs with tiles, registers of 16 rows of 64 bytes; included by
 * narrow.h where an ISA says TILED. The weights of four bytes of inputs and 16 outputs are one row of a tile as they are packed:
 * a group of four in s8, a pair in bf16. In s8 the int32 sums of a block go through memory; scales and zero points are as in
 * s8_tile, so the results are the same bits. In bf16 the sums stay in the tiles from the first input to the last.
 *
 * The ISA gives tile_shape(64 bytes), tile_release(), tile_zero(t), tile_load(t, from, stride), tile_store(t, to, stride),
 * tile_dot(sums, inputs, weights), tile_dot_bf16 and i16x_load; its panels, PANEL and S8_PANEL, are 32 wide. Tiles are shaped at
 * the start of a call and released at its end, on whatever thread it runs. */

/* Sums of the upper and the lower rows times two vectors of outputs, the inputs of both, the weights of both. */
#define T_UPPER_0 0
#define T_UPPER_1 1
#define T_LOWER_0 2
#define T_LOWER_1 3
#define T_UPPER_INPUTS 4
#define T_LOWER_INPUTS 5
#define T_WEIGHTS_0 6
#define T_WEIGHTS_1 7

enum {
    TILES = 8,
    TILE_ROWS = 16,
    TILE_BYTES = 64,
    TILED_MOST = 2 * TILE_ROWS,
    TILED_PANEL = 32,
    STEP_BYTES = TILE_ROWS * 4 * TILED_PANEL
};
_Static_assert(PANEL == TILED_PANEL && S8_PANEL == TILED_PANEL && S8_GROUP == 4 && BF16_GROUP == 2,
               "the weights of a step are two tiles side by side");

/* What ldtilecfg reads. */
typedef struct tile_shapes {
    uint8_t palette, start_row, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
} tile_shapes;
_Static_assert(sizeof(tile_shapes) == 64, "the instruction reads 64 bytes");

static inline size_t tile_upper(size_t height) { return height <= TILE_ROWS ? height : (height + 1) / 2; }

/* Shapes the tiles for M rows; returns the rows of a block, all of equal height, or 0: fewer than `least` rows, no tiles. */
static size_t tiles_begin(size_t M, size_t least) {
    if (M < least) return 0;
    size_t blocks = (M + TILED_MOST - 1) / TILED_MOST, height = (M + blocks - 1) / blocks, upper = tile_upper(height);
    const size_t rows[TILES] = {[T_UPPER_0] = upper,          [T_UPPER_1] = upper,      [T_LOWER_0] = height - upper,
                                [T_LOWER_1] = height - upper, [T_UPPER_INPUTS] = upper, [T_LOWER_INPUTS] = height - upper,
                                [T_WEIGHTS_0] = TILE_ROWS,    [T_WEIGHTS_1] = TILE_ROWS};
    tile_shapes shapes = {.palette = 1};
    for (size_t t = 0; t < TILES; t++) {
        shapes.rows[t] = (uint8_t)rows[t];
        shapes.bytes[t] = rows[t] ? TILE_BYTES : 0;
    }
    tile_shape(&shapes);
    return height;
}
static void tiles_end(size_t height) {
    if (height) tile_release();
}

#define tile_add(bf16, sums, inputs, weights)           \
    do {                                                \
        if (bf16) tile_dot_bf16(sums, inputs, weights); \
        else tile_dot(sums, inputs, weights);           \
    } while (0)

/* The sums of `steps` times 64 bytes of inputs, left in tiles: int32, or f32 of bf16. A: the inputs of the first row. */
static inline __attribute__((always_inline)) void tile_sums(const int bf16, size_t height, size_t steps, const char *A,
                                                            size_t stride, const char *panel) {
    size_t upper = tile_upper(height);
    tile_zero(T_UPPER_0);
    tile_zero(T_UPPER_1);
    if (height > upper) {
        tile_zero(T_LOWER_0);
        tile_zero(T_LOWER_1);
    }
    for (size_t s = 0; s < steps; s++, A += TILE_BYTES, panel += STEP_BYTES) {
        tile_load(T_UPPER_INPUTS, A, stride);
        tile_load(T_WEIGHTS_0, panel, 2 * TILE_BYTES);
        tile_load(T_WEIGHTS_1, panel + TILE_BYTES, 2 * TILE_BYTES);
        tile_add(bf16, T_UPPER_0, T_UPPER_INPUTS, T_WEIGHTS_0);
        tile_add(bf16, T_UPPER_1, T_UPPER_INPUTS, T_WEIGHTS_1);
        if (height > upper) {
            tile_load(T_LOWER_INPUTS, A + upper * stride, stride);
            tile_add(bf16, T_LOWER_0, T_LOWER_INPUTS, T_WEIGHTS_0);
            tile_add(bf16, T_LOWER_1, T_LOWER_INPUTS, T_WEIGHTS_1);
        }
    }
}

/* Rows of 32 sums, four bytes each. */
static inline void tile_sums_to(size_t height, void *out) {
    enum { STRIDE = 4 * TILED_PANEL };
    char *to = out;
    size_t upper = tile_upper(height);
    tile_store(T_UPPER_0, to, STRIDE);
    tile_store(T_UPPER_1, to + TILE_BYTES, STRIDE);
    if (height == upper) return;
    tile_store(T_LOWER_0, to + upper * STRIDE, STRIDE);
    tile_store(T_LOWER_1, to + upper * STRIDE + TILE_BYTES, STRIDE);
}

/* height x 32 outputs, of which the first `skip` rows are not finished: C points at the first one that is. While the sums of a
 * block are scaled, the tiles work on the next one. */
static void s8_tiled_block(size_t height, size_t skip, size_t K, const char *A, const char *panel, float *C, size_t ldc,
                           size_t row, size_t column, size_t n, const eg_epilogue *e) {
    size_t stride = s8_row_bytes(K), blocks = s8_blocks(K), steps = s8_padded(K < S8_BLOCK ? K : S8_BLOCK) / TILE_BYTES;
    _Alignas(64) int32_t acc[TILED_MOST][S8_PANEL];
    _Alignas(64) float sums[TILED_MOST][S8_PANEL];
    memset(sums[skip], 0, (height - skip) * sizeof sums[0]);
    tile_sums(0, height, steps, A, stride, panel);
    for (size_t b = 0; b < blocks; b++) {
        const float *tail = (const float *)(const void *)(panel + steps * STEP_BYTES);
        tile_sums_to(height, acc);
        if (b + 1 < blocks) {
            size_t left = K - (b + 1) * S8_BLOCK;
            panel = (const char *)(tail + 2 * S8_PANEL);
            steps = s8_padded(left < S8_BLOCK ? left : S8_BLOCK) / TILE_BYTES;
            tile_sums(0, height, steps, A + (b + 1) * S8_BLOCK, stride, panel);
        }
        for (size_t r = skip; r < height; r++) {
            const float *scales = (const float *)(const void *)(A + r * stride + s8_data_bytes(K));
            v16 scale = v16_set(scales[b]), zero = v16_set(scales[blocks + b]);
#pragma GCC unroll 2
            for (size_t v = 0; v < S8_VECTORS; v++) {
                v16 t = v16_fma(zero, v16_load(tail + S8_PANEL + 16 * v), i16x_to_v16(i16x_load(acc[r] + 16 * v)));
                v16_store(sums[r] + 16 * v, v16_fma(t, v16_mul(scale, v16_load(tail + 16 * v)), v16_load(sums[r] + 16 * v)));
            }
        }
    }
    finish(sums[skip], S8_PANEL, height - skip, n, row + skip, column, C, ldc, e);
}

/* The same in bf16. */
static void bf16_tiled_block(size_t height, size_t skip, size_t K, const char *A, const char *panel, float *C, size_t ldc,
                             size_t row, size_t column, size_t n, const eg_epilogue *e) {
    _Alignas(64) float acc[TILED_MOST][PANEL];
    tile_sums(1, height, bf16_row_bytes(K) / TILE_BYTES, A, bf16_row_bytes(K), panel);
    tile_sums_to(height, acc);
    finish(acc[skip], PANEL, height - skip, n, row + skip, column, C, ldc, e);
}

/* As panel_rows. The tiles keep their height: a last block that is shorter starts with rows that were done before. */
typedef void tiled_block(size_t height, size_t skip, size_t K, const char *A, const char *panel, float *C, size_t ldc, size_t row,
                         size_t column, size_t n, const eg_epilogue *e);
static void tiled_rows(tiled_block *block, size_t row_bytes, size_t panel_bytes, size_t height, size_t row, size_t M, size_t N,
                       size_t K, size_t column, const char *A, const char *packed, float *C, size_t ldc, const eg_epilogue *e) {
    const char *panel = packed + column / TILED_PANEL * panel_bytes;
    size_t n = N - column < TILED_PANEL ? N - column : TILED_PANEL;
    for (size_t done = 0; done < M; done += height) {
        size_t rows = M - done < height ? M - done : height, skip = height - rows, first = row + done - skip;
        block(height, skip, K, A + first * row_bytes, panel, C + done * ldc, ldc, first, column, n, e);
    }
}
