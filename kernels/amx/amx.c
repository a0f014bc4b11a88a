/* amx.c - the kernels of the ISA "amx": AVX-512 with tiles for s8 and bf16. Called through
 * dispatch.c. */
#include "kernels/amx/s8.h"
#include "kernels/avx512bf16/bf16.h"

#define ISA_TABLE eg_kernels_amx
#define ISA_ID EG_ISA_AMX
#define ISA_NAME "amx"
#include "kernels/generic/table.tmpl.h"
