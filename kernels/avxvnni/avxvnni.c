/* avxvnni.c - the table of the level "avxvnni": the lanes of avx2, its own sums of small integers. Called through dispatch.c. */
#include "kernels/avx2/lanes.h"

#include "kernels/avxvnni/s8.h"

#include "kernels/generic/table.h"

#include "kernels/levels.h"

const eg_kernels eg_kernels_avxvnni = EG_KERNEL_TABLE(EG_LEVEL_AVXVNNI, "avxvnni");
