/* avxvnni.c - the kernels of the ISA "avxvnni": AVX2 with vpdpbusd for s8. Called through
 * dispatch.c. */
#include "kernels/avxvnni/s8.h"

#define ISA_TABLE eg_kernels_avxvnni
#define ISA_ID EG_ISA_AVXVNNI
#define ISA_NAME "avxvnni"
#include "kernels/generic/table.tmpl.h"
