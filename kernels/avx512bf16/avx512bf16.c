/* avx512bf16.c - the table of the ISA "avx512bf16": avx512vnni with an instruction for bf16. Called through dispatch.c. */
#include "kernels/avx512/lanes.h"

#include "kernels/avx512vnni/s8.h"

#include "kernels/avx512bf16/bf16.h"

#include "kernels/generic/table.h"

#include "kernels/tables.h"

const eg_kernels eg_kernels_avx512bf16 = EG_KERNEL_TABLE(EG_ISA_AVX512BF16, "avx512bf16");
