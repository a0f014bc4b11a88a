/* avx2.c - the kernels of the ISA "avx2": AVX2 and FMA. Called through dispatch.c. */
#include "kernels/avx2/s8.h"

#define ISA_TABLE eg_kernels_avx2
#define ISA_ID EG_ISA_AVX2
#define ISA_NAME "avx2"
#include "kernels/generic/table.tmpl.h"
