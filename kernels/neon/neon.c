/* neon.c - the table of the ISA "neon": the kernels of generic/table.h over this ISA's lanes. Called through dispatch.c. */
#include "kernels/neon/lanes.h"

#include "kernels/neon/s8.h"

#include "kernels/generic/table.h"

#include "kernels/tables.h"

const eg_kernels eg_kernels_neon = EG_KERNEL_TABLE(EG_ISA_NEON, "neon");
