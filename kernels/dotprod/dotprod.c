/* dotprod.c - the kernels of the ISA "dotprod": NEON with sdot for s8. Called through
 * dispatch.c. */
#include "kernels/dotprod/s8.h"

#define ISA_TABLE eg_kernels_dotprod
#define ISA_ID EG_ISA_DOTPROD
#define ISA_NAME "dotprod"
#include "kernels/generic/table.tmpl.h"
