/* avx512.c - the kernels of the ISA "avx512": AVX-512 F, BW, DQ and VL. Called through dispatch.c.
 */
#include "kernels/avx512/s8.h"

#define ISA_TABLE eg_kernels_avx512
#define ISA_ID EG_ISA_AVX512
#define ISA_NAME "avx512"
#include "kernels/generic/table.tmpl.h"
