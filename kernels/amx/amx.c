/* amx.c - the table of the level "amx": the lanes of avx512, sums of small integers in tiles. Called through dispatch.c. */
#include "kernels/avx512/lanes.h"

#include "kernels/amx/s8.h"

#include "kernels/generic/table.h"

#include "kernels/levels.h"

const eg_kernels eg_kernels_amx = EG_KERNEL_TABLE(EG_LEVEL_AMX, "amx");
