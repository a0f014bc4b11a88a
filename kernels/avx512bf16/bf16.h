/* bf16.h (AVX-512 BF16) - vdpbf16ps: adds to each sum the product of the second input of a pair,
 * then that of the first, fused; subnormal numbers count as 0. In assembler, as in avx512vnni/s8.h.
 */
#ifndef EG_AVX512BF16_BF16_H
#define EG_AVX512BF16_BF16_H

#include <immintrin.h>

#include "kernels/avx512/lanes.h"

#define ISA_BF16_GROUP 2

static inline v16 bf16_dot(v16 acc, v16 x, v16 w) {
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(acc) : "v"(x), "v"(w));
    return acc;
}
static inline void bf16_put(void *p, v16 x) {
    _mm256_storeu_si256(p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_castps_si512(v16_to_bf16(x)), 16)));
}

#endif
