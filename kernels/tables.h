/* tables.h - the tables of kernels, one for each ISA, that this build contains. Used by dispatch.c
 * only. */
#ifndef EG_KERNELS_TABLES_H
#define EG_KERNELS_TABLES_H

#include "kernels/kernels.h"

extern const eg_kernels eg_kernels_scalar;
#if defined(__x86_64__)
extern const eg_kernels eg_kernels_avx2;
extern const eg_kernels eg_kernels_avxvnni;
extern const eg_kernels eg_kernels_avx512;
extern const eg_kernels eg_kernels_avx512vnni;
extern const eg_kernels eg_kernels_avx512bf16;
extern const eg_kernels eg_kernels_amx;
#elif defined(__aarch64__)
extern const eg_kernels eg_kernels_neon;
extern const eg_kernels eg_kernels_dotprod;
extern const eg_kernels eg_kernels_i8mm;
#endif

#endif
