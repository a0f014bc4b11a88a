/* tiles.h (AMX) - the instructions on tiles, one line of assembler each: the compiler's intrinsics
 * do not tell it which memory they read. Tile numbers are literals. Used by the ISA amx and by
 * bench/peak.c. */
#ifndef EG_AMX_TILES_H
#define EG_AMX_TILES_H

#include <stddef.h>

#define AMX_TILE_STRING(text) #text
#define AMX_TILE_NAME(t) "%%tmm" AMX_TILE_STRING(t)

#define amx_tile_configure(config) __asm__ volatile("ldtilecfg %0" : : "m"(*(const char(*)[64])(const void *)(config)))
#define amx_tile_release() __asm__ volatile("tilerelease" : : : "memory")
#define amx_tile_zero(t) __asm__ volatile("tilezero " AMX_TILE_NAME(t) : :)
#define amx_tile_load(t, from, stride) \
    __asm__ volatile("tileloadd (%0,%1,1), " AMX_TILE_NAME(t) : : "r"(from), "r"((size_t)(stride)) : "memory")
#define amx_tile_store(t, to, stride) \
    __asm__ volatile("tilestored " AMX_TILE_NAME(t) ", (%0,%1,1)" : : "r"(to), "r"((size_t)(stride)) : "memory")
/* tdpbusd: adds four products of unsigned inputs and signed weights to each int32, without
 * saturation. */
#define amx_tile_dot_s8(sums, inputs, weights) \
    __asm__ volatile("tdpbusd " AMX_TILE_NAME(weights) ", " AMX_TILE_NAME(inputs) ", " AMX_TILE_NAME(sums) : :)
/* tdpbf16ps: for each output, sums the products of the first inputs of all pairs, fused one after
 * the other, likewise those of the second inputs, and adds both sums to the f32; subnormal numbers
 * count as 0. */
#define amx_tile_dot_bf16(sums, inputs, weights) \
    __asm__ volatile("tdpbf16ps " AMX_TILE_NAME(weights) ", " AMX_TILE_NAME(inputs) ", " AMX_TILE_NAME(sums) : :)

#endif
