/* amx.tmpl.h - the matrix products of s8 and bf16 with AMX: registers ("tiles") of 16 rows of 64
 * bytes. Included by quantized.tmpl.h for ISAs that define ISA_HAS_AMX. The weights of four bytes
 * of inputs and 16 outputs are one row of a tile, as they are packed: a group of four in s8, a pair
 * in bf16. In s8 the int32 sums of a block go through memory and are scaled as in
 * s8_microkernel_sums, so the results are the same bits. In bf16 the sums stay in the tiles from
 * the first input to the last.
 *
 * Required beside what table.tmpl.h lists: amx_tile_configure(64 bytes), amx_tile_release(),
 * amx_tile_zero(t), amx_tile_load(t, from, stride), amx_tile_store(t, to, stride),
 * amx_tile_dot_s8(sums, inputs, weights), amx_tile_dot_bf16(...) as in amx/tiles.h; i16x_load;
 * panels of s8 and bf16 that are 32 outputs wide, ISA_S8_GROUP 4 and ISA_BF16_GROUP 2. Tiles are
 * configured at the start of a product and released at its end, on the thread that computes it. */

/* The tiles: sums of the upper and of the lower rows, each of two vectors of outputs; the inputs of
 * the upper and of the lower rows; the weights of the two vectors. Macros, since the assembler
 * needs literal numbers. */
#define AMX_TILE_UPPER_0 0
#define AMX_TILE_UPPER_1 1
#define AMX_TILE_LOWER_0 2
#define AMX_TILE_LOWER_1 3
#define AMX_TILE_UPPER_INPUTS 4
#define AMX_TILE_LOWER_INPUTS 5
#define AMX_TILE_WEIGHTS_0 6
#define AMX_TILE_WEIGHTS_1 7

enum {
    AMX_TILES = 8,
    AMX_TILE_ROWS = 16,
    AMX_TILE_BYTES = 64,
    AMX_MAX_ROWS = 2 * AMX_TILE_ROWS,
    AMX_PANEL = 32,
    AMX_STEP_BYTES = AMX_TILE_ROWS * 4 * AMX_PANEL
};
_Static_assert(ISA_PANEL_VECTORS == 2 && ISA_S8_VECTORS == 2 && ISA_S8_GROUP == 4 && ISA_BF16_GROUP == 2,
               "the weights of a step are two tiles side by side");

/* What ldtilecfg reads. */
typedef struct amx_tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
} amx_tile_config;
_Static_assert(sizeof(amx_tile_config) == 64, "the instruction reads 64 bytes");

static inline size_t amx_upper_rows(size_t height) { return height <= AMX_TILE_ROWS ? height : (height + 1) / 2; }

/* Configures the tiles for a product of M rows; returns the rows of a block, all of equal height.
 * 0, and nothing is done, if M is below min_rows. */
static size_t amx_begin(size_t M, size_t min_rows) {
    if (M < min_rows) return 0;
    size_t blocks = (M + AMX_MAX_ROWS - 1) / AMX_MAX_ROWS, height = (M + blocks - 1) / blocks, upper = amx_upper_rows(height);
    const size_t rows[AMX_TILES] = {
        [AMX_TILE_UPPER_0] = upper,           [AMX_TILE_UPPER_1] = upper,          [AMX_TILE_LOWER_0] = height - upper,
        [AMX_TILE_LOWER_1] = height - upper,  [AMX_TILE_UPPER_INPUTS] = upper,     [AMX_TILE_LOWER_INPUTS] = height - upper,
        [AMX_TILE_WEIGHTS_0] = AMX_TILE_ROWS, [AMX_TILE_WEIGHTS_1] = AMX_TILE_ROWS};
    amx_tile_config config = {.palette = 1};
    for (size_t t = 0; t < AMX_TILES; t++) {
        config.rows[t] = (uint8_t)rows[t];
        config.bytes[t] = rows[t] ? AMX_TILE_BYTES : 0;
    }
    amx_tile_configure(&config);
    return height;
}
static void amx_end(size_t height) {
    if (height) amx_tile_release();
}

#define AMX_TILE_ADD(bf16, sums, inputs, weights)           \
    do {                                                    \
        if (bf16) amx_tile_dot_bf16(sums, inputs, weights); \
        else amx_tile_dot_s8(sums, inputs, weights);        \
    } while (0)

/* Leaves the sums of `steps` times 64 bytes of inputs in the tiles: int32 in s8, f32 in bf16. A:
 * the inputs of the first row. */
static inline __attribute__((always_inline)) void amx_sums(const int bf16, size_t height, size_t steps, const char *A,
                                                           size_t stride, const char *panel) {
    size_t upper = amx_upper_rows(height);
    amx_tile_zero(AMX_TILE_UPPER_0);
    amx_tile_zero(AMX_TILE_UPPER_1);
    if (height > upper) {
        amx_tile_zero(AMX_TILE_LOWER_0);
        amx_tile_zero(AMX_TILE_LOWER_1);
    }
    for (size_t s = 0; s < steps; s++, A += AMX_TILE_BYTES, panel += AMX_STEP_BYTES) {
        amx_tile_load(AMX_TILE_UPPER_INPUTS, A, stride);
        amx_tile_load(AMX_TILE_WEIGHTS_0, panel, 2 * AMX_TILE_BYTES);
        amx_tile_load(AMX_TILE_WEIGHTS_1, panel + AMX_TILE_BYTES, 2 * AMX_TILE_BYTES);
        AMX_TILE_ADD(bf16, AMX_TILE_UPPER_0, AMX_TILE_UPPER_INPUTS, AMX_TILE_WEIGHTS_0);
        AMX_TILE_ADD(bf16, AMX_TILE_UPPER_1, AMX_TILE_UPPER_INPUTS, AMX_TILE_WEIGHTS_1);
        if (height > upper) {
            amx_tile_load(AMX_TILE_LOWER_INPUTS, A + upper * stride, stride);
            AMX_TILE_ADD(bf16, AMX_TILE_LOWER_0, AMX_TILE_LOWER_INPUTS, AMX_TILE_WEIGHTS_0);
            AMX_TILE_ADD(bf16, AMX_TILE_LOWER_1, AMX_TILE_LOWER_INPUTS, AMX_TILE_WEIGHTS_1);
        }
    }
}

/* Stores the sums as rows of 32 numbers of four bytes. */
static inline void amx_store_sums(size_t height, void *out) {
    enum { STRIDE = 4 * AMX_PANEL };
    char *to = out;
    size_t upper = amx_upper_rows(height);
    amx_tile_store(AMX_TILE_UPPER_0, to, STRIDE);
    amx_tile_store(AMX_TILE_UPPER_1, to + AMX_TILE_BYTES, STRIDE);
    if (height == upper) return;
    amx_tile_store(AMX_TILE_LOWER_0, to + upper * STRIDE, STRIDE);
    amx_tile_store(AMX_TILE_LOWER_1, to + upper * STRIDE + AMX_TILE_BYTES, STRIDE);
}

/* A block of rows of one panel: `height` rows from A on, of which the first `skip` were computed
 * before and are not stored. */
typedef struct amx_block {
    size_t height, skip, K;
    const char *A;
    const panel_layout *layout;
    const panel_part *part;
    size_t done; /* the first row that is stored, counted from part->row */
} amx_block;

/* While the sums of a block of 128 inputs are scaled, the tiles already work on the next one. */
static void s8_amx_block(const amx_block *x) {
    const size_t height = x->height, skip = x->skip, K = x->K, stride = x->layout->stride, blocks = s8_blocks(K);
    const char *A = x->A, *panel = x->part->panel;
    size_t steps = s8_padded(K < S8_BLOCK ? K : S8_BLOCK) / AMX_TILE_BYTES;
    _Alignas(64) int32_t acc[AMX_MAX_ROWS][S8_PANEL];
    _Alignas(64) float sums[AMX_MAX_ROWS][S8_PANEL];
    memset(sums[skip], 0, (height - skip) * sizeof sums[0]);
    amx_sums(0, height, steps, A, stride, panel);
    for (size_t b = 0; b < blocks; b++) {
        const float *tail = (const float *)(const void *)(panel + steps * AMX_STEP_BYTES);
        amx_store_sums(height, acc);
        if (b + 1 < blocks) {
            size_t left = K - (b + 1) * S8_BLOCK;
            panel = (const char *)(tail + 2 * S8_PANEL);
            steps = s8_padded(left < S8_BLOCK ? left : S8_BLOCK) / AMX_TILE_BYTES;
            amx_sums(0, height, steps, A + (b + 1) * S8_BLOCK, stride, panel);
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
    apply_epilogue(sums[skip], S8_PANEL, x->part, x->done, height - skip);
}

static void bf16_amx_block(const amx_block *x) {
    _Alignas(64) float sums[AMX_MAX_ROWS][F32_PANEL];
    amx_sums(1, x->height, bf16_row_bytes(x->K) / AMX_TILE_BYTES, x->A, x->layout->stride, x->part->panel);
    amx_store_sums(x->height, sums);
    apply_epilogue(sums[x->skip], F32_PANEL, x->part, x->done, x->height - x->skip);
}

/* As multiply_panel, by tiles. They keep their height: a last block that is shorter begins with
 * rows of the block before. */
static void amx_multiply(void (*compute)(const amx_block *), size_t height, size_t K, const panel_layout *l,
                         const panel_part *p) {
    for (size_t done = 0; done < p->rows; done += height) {
        size_t rows = p->rows - done < height ? p->rows - done : height, skip = height - rows;
        const char *A = p->A + (p->row + done - skip) * l->stride;
        compute(&(amx_block){.height = height, .skip = skip, .K = K, .A = A, .layout = l, .part = p, .done = done});
    }
}

#undef AMX_TILE_UPPER_0
#undef AMX_TILE_UPPER_1
#undef AMX_TILE_LOWER_0
#undef AMX_TILE_LOWER_1
#undef AMX_TILE_UPPER_INPUTS
#undef AMX_TILE_LOWER_INPUTS
#undef AMX_TILE_WEIGHTS_0
#undef AMX_TILE_WEIGHTS_1
#undef AMX_TILE_ADD
