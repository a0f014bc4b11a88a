/* scalar.c - the table of the ISA "scalar": the kernels of generic/table.h over this ISA's lanes. Called through dispatch.c.
 */
#include "kernels/scalar/lanes.h"

#include "kernels/scalar/s8.h"

#include "kernels/generic/table.h"

#include "kernels/tables.h"

const eg_kernels eg_kernels_scalar = EG_KERNEL_TABLE(EG_ISA_SCALAR, "scalar");
