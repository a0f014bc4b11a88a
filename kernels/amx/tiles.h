/* tiles.h (AMX) - the instructions on tiles, one line of assembler each: the compiler's own say nothing of the memory that they
 * read. Tile numbers are literals. Used by the ISA amx and by bench/peak.c. */
#ifndef EG_AMX_TILES_H
#define EG_AMX_TILES_H

#include <stddef.h>

#define TILE_STRING(text) #text
#define TILE_NAME(t) "%%tmm" TILE_STRING(t)

#define tile_shape(shapes) __asm__ volatile("ldtilecfg %0" : : "m"(*(const char(*)[64])(const void *)(shapes)))
#define tile_release() __asm__ volatile("tilerelease" : : : "memory")
#define tile_zero(t) __asm__ volatile("tilezero " TILE_NAME(t) : :)
#define tile_load(t, from, stride) \
    __asm__ volatile("tileloadd (%0,%1,1), " TILE_NAME(t) : : "r"(from), "r"((size_t)(stride)) : "memory")
#define tile_store(t, to, stride) \
    __asm__ volatile("tilestored " TILE_NAME(t) ", (%0,%1,1)" : : "r"(to), "r"((size_t)(stride)) : "memory")
/* tdpbusd: unsigned inputs times signed weights, four products onto each int32, no saturation */
#define tile_dot(sums, inputs, weights) \
    __asm__ volatile("tdpbusd " TILE_NAME(weights) ", " TILE_NAME(inputs) ", " TILE_NAME(sums) : :)
/* tdpbf16ps: per output the products of the first inputs of all pairs, fused one after the other, the same of the second ones,
 * and the sum of both onto the f32; subnormal numbers count as 0 */
#define tile_dot_bf16(sums, inputs, weights) \
    __asm__ volatile("tdpbf16ps " TILE_NAME(weights) ", " TILE_NAME(inputs) ", " TILE_NAME(sums) : :)

#endif
