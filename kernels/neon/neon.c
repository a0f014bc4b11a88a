/* neon.c - the table of the level "neon": the kernels of generic/table.h over this level's lanes. Called through dispatch.c. */
#include "kernels/neon/lanes.h"

#include "kernels/neon/s8.h"

#include "kernels/generic/table.h"

#include "kernels/levels.h"

const eg_kernels eg_kernels_neon = EG_KERNEL_TABLE(EG_LEVEL_NEON, "neon");
