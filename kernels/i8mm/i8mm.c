/* i8mm.c - the table of the ISA "i8mm": the lanes of neon, its own sums of small integers and of bf16. Called through
 * dispatch.c. */
#include "kernels/neon/lanes.h"

#include "kernels/i8mm/s8.h"

#include "kernels/i8mm/bf16.h"

#include "kernels/generic/table.h"

#include "kernels/tables.h"

const eg_kernels eg_kernels_i8mm = EG_KERNEL_TABLE(EG_ISA_I8MM, "i8mm");
