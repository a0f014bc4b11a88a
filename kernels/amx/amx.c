/* amx.c - the table of the ISA "amx": the lanes of avx512, the sums of s8 and bf16 in tiles. Called through dispatch.c. */
#include "kernels/avx512/lanes.h"

#include "kernels/amx/s8.h"

#include "kernels/avx512bf16/bf16.h" /* the rows; the sums are those of tiles */

#include "kernels/generic/table.h"

#include "kernels/tables.h"

const eg_kernels eg_kernels_amx = EG_KERNEL_TABLE(EG_ISA_AMX, "amx");
