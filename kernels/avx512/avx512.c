/* avx512.c - the table of the level "avx512": the kernels of generic/table.h over this level's lanes. Called through dispatch.c.
 */
#include "kernels/avx512/lanes.h"

#include "kernels/avx512/s8.h"

#include "kernels/generic/table.h"

#include "kernels/levels.h"

const eg_kernels eg_kernels_avx512 = EG_KERNEL_TABLE(EG_LEVEL_AVX512, "avx512");
