/* neon.c - the kernels of the ISA "neon": 64-bit Arm. Called through dispatch.c. */
#include "kernels/neon/s8.h"

#define ISA_TABLE eg_kernels_neon
#define ISA_ID EG_ISA_NEON
#define ISA_NAME "neon"
#include "kernels/generic/table.tmpl.h"
