/* dotprod.c - the table of the ISA "dotprod": the lanes of neon, its own sums of small integers. Called through dispatch.c. */
#include "kernels/neon/lanes.h"

#include "kernels/dotprod/s8.h"

#include "kernels/generic/table.h"

#include "kernels/tables.h"

const eg_kernels eg_kernels_dotprod = EG_KERNEL_TABLE(EG_ISA_DOTPROD, "dotprod");
