/* avx2.c - the table of the ISA "avx2": the kernels of generic/table.h over this ISA's lanes. Called through dispatch.c. */
#include "kernels/avx2/lanes.h"

#include "kernels/avx2/s8.h"

#include "kernels/generic/table.h"

#include "kernels/tables.h"

const eg_kernels eg_kernels_avx2 = EG_KERNEL_TABLE(EG_ISA_AVX2, "avx2");
