/* fp.c - the floating-point control word: results must not depend on the one of the calling thread.
 */
#include "kernels/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

uint64_t eg_fp_enter(void) {
    unsigned before = _mm_getcsr();
    _mm_setcsr(0x1f80); /* the default: all exceptions masked, to nearest, no flush to zero */
    return before;
}
void eg_fp_leave(uint64_t before) { _mm_setcsr((unsigned)before); }
#elif defined(__aarch64__)
uint64_t eg_fp_enter(void) {
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return before;
}
void eg_fp_leave(uint64_t before) { __asm__ volatile("msr fpcr, %0" : : "r"(before)); }
#else
uint64_t eg_fp_enter(void) { return 0; }
void eg_fp_leave(uint64_t before) { (void)before; }
#endif
