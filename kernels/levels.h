/* levels.h - the tables that this build holds. Used by dispatch.c only. */
#ifndef EG_KERNELS_LEVELS_H
#define EG_KERNELS_LEVELS_H

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
