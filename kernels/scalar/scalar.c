/* scalar.c - the kernels of the ISA "scalar": the reference for the bits of all others. Called
 * through dispatch.c. */
#include "kernels/scalar/s8.h"

#define ISA_TABLE eg_kernels_scalar
#define ISA_ID EG_ISA_SCALAR
#define ISA_NAME "scalar"
#include "kernels/generic/table.tmpl.h"
