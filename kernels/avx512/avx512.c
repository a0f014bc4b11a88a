/* avx512.c - the table of the ISA "avx512": the kernels of generic/table.h over this ISA's lanes. Called through dispatch.c.
 */
#include "kernels/avx512/lanes.h"

#include "kernels/avx512/s8.h"

#include "kernels/generic/table.h"

#include "kernels/tables.h"

const eg_kernels eg_kernels_avx512 = EG_KERNEL_TABLE(EG_ISA_AVX512, "avx512");
