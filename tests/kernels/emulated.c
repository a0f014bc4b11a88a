/* emulated.c - the kernels for vpdpbusd (unsigned inputs in groups of four, zero points corrected after the sum), with that one
 * instruction written out in AVX2: so that everything but the instruction is tested on CPUs without it. */
#include "kernels/avx2/lanes.h"

#define s8_dot s8_dot_by_instruction
#include "kernels/avxvnni/s8.h"
#undef s8_dot

static inline __m256i four_products(__m256i acc, __m256i x, __m256i w) {
    __m256i low = _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm256_castsi256_si128(x)), _mm256_cvtepi8_epi16(_mm256_castsi256_si128(w)));
    __m256i high = _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm256_extracti128_si256(x, 1)),
                                     _mm256_cvtepi8_epi16(_mm256_extracti128_si256(w, 1)));
    return _mm256_add_epi32(acc, _mm256_permute4x64_epi64(_mm256_hadd_epi32(low, high), 0xd8));
}
static inline i16x s8_dot(i16x acc, s8_inputs x, s8_weights w) {
    return (i16x){four_products(acc.a, x, w.a), four_products(acc.b, x, w.b)};
}

#include "kernels/generic/table.h"

extern const eg_kernels eg_kernels_emulated;
const eg_kernels eg_kernels_emulated = EG_KERNEL_TABLE(EG_LEVEL_AVXVNNI, "emulated");
