/* avx512vnni.c - the table of the ISA "avx512vnni": the lanes of avx512, its own sums of small integers. Called through
 * dispatch.c. */
#include "kernels/avx512/lanes.h"

#include "kernels/avx512vnni/s8.h"

#include "kernels/generic/table.h"

#include "kernels/tables.h"

const eg_kernels eg_kernels_avx512vnni = EG_KERNEL_TABLE(EG_ISA_AVX512VNNI, "avx512vnni");
