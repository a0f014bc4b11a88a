/* avx512bf16.c - the kernels of the ISA "avx512bf16": AVX-512 with vpdpbusd for s8 and vdpbf16ps
 * for bf16. Called through dispatch.c. */
#include "kernels/avx512bf16/bf16.h"
#include "kernels/avx512vnni/s8.h"

#define ISA_TABLE eg_kernels_avx512bf16
#define ISA_ID EG_ISA_AVX512BF16
#define ISA_NAME "avx512bf16"
#include "kernels/generic/table.tmpl.h"
