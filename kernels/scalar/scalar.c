/* scalar.c - the table of the level "scalar": the kernels of generic/table.h over this level's lanes. Called through dispatch.c.
 */
#include "kernels/scalar/lanes.h"

#include "kernels/scalar/s8.h"

#include "kernels/generic/table.h"

#include "kernels/levels.h"

const eg_kernels eg_kernels_scalar = EG_KERNEL_TABLE(EG_LEVEL_SCALAR, "scalar");
