/* s8.h (AMX) - tiles for four rows and more, vpdpbusd for fewer; both read the same panels, padded to whole tiles. */
#ifndef EG_AMX_S8_H
#define EG_AMX_S8_H

#include "kernels/avx512vnni/s8.h"

#include "kernels/amx/tiles.h"

#define TILED 1
#define S8_PAD 64
#undef S8_ROWS
#define S8_ROWS 3 /* more are the tiles' */

static inline i16x i16x_load(const int32_t *p) { return _mm512_loadu_si512(p); }

#endif
