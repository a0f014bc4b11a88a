/* s8.h (AMX) - tiles for four rows and more, vpdpbusd for fewer; both read the same panels, which
 * are padded to whole tiles. */
#ifndef EG_AMX_S8_H
#define EG_AMX_S8_H

#include "kernels/avx512vnni/s8.h"

#include "kernels/amx/tiles.h"

#define ISA_HAS_AMX 1
#define ISA_S8_PAD 64
#undef ISA_S8_ROWS
#define ISA_S8_ROWS 3 /* products of more rows use tiles */

static inline i16x i16x_load(const int32_t *p) { return _mm512_loadu_si512(p); }

#endif
