/* avxvnni.c - the table of the ISA "avxvnni": the lanes of avx2, its own sums of small integers. Called through dispatch.c. */
#include "kernels/avx2/lanes.h"

#include "kernels/avxvnni/s8.h"

#include "kernels/generic/table.h"

#include "kernels/tables.h"

const eg_kernels eg_kernels_avxvnni = EG_KERNEL_TABLE(EG_ISA_AVXVNNI, "avxvnni");
