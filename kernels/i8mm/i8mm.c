/* i8mm.c - the kernels of the ISA "i8mm": NEON with smmla for s8 and bfdot for bf16. Called through
 * dispatch.c. */
#include "kernels/i8mm/bf16.h"
#include "kernels/i8mm/s8.h"

#define ISA_TABLE eg_kernels_i8mm
#define ISA_ID EG_ISA_I8MM
#define ISA_NAME "i8mm"
#include "kernels/generic/table.tmpl.h"
