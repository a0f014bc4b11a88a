/* avx512vnni.c - the kernels of the ISA "avx512vnni": AVX-512 with vpdpbusd for s8. Called through
 * dispatch.c. */
#include "kernels/avx512vnni/s8.h"

#define ISA_TABLE eg_kernels_avx512vnni
#define ISA_ID EG_ISA_AVX512VNNI
#define ISA_NAME "avx512vnni"
#include "kernels/generic/table.tmpl.h"
