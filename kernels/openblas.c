/* openblas.c - OpenBLAS as a GEMM by name: the baseline in benches, the oracle in tests, and the way out on a CPU that
 * we have no kernels for. The only file that sees it. One thread: the pool is ours. Not batch invariant. */
#include "core/base/status.h"
#include "kernels/kernels.h"

#ifdef ENGRAM_WITH_OPENBLAS
#include <cblas.h>
#include <pthread.h>

static void one_thread(void) { openblas_set_num_threads(1); }

eg_status eg_gemm_openblas(const eg_kernels *k, size_t M, size_t N, size_t K, const float *A, size_t lda, const float *W,
                           float *C, size_t ldc, const eg_epilogue *e, eg_error *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, one_thread);
    const size_t most = INT32_MAX;
    if (M > most || N > most || K > most || lda > most || ldc > most)
        return eg_fail(err, EG_ELIMIT, "a matrix of %zu x %zu x %zu is too large for OpenBLAS", M, N, K);
    /* a residual that is the output itself would be overwritten: let the product be added to it */
    int in_place = e && e->residual == C;
    if (in_place && e->activation != EG_ACT_NONE)
        return eg_fail(err, EG_EUNSUPPORTED, "OpenBLAS: an activation with a residual in place");
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)M, (blasint)N, (blasint)K, 1.0f, A, (blasint)lda, W,
                (blasint)K, in_place ? 1.0f : 0.0f, C, (blasint)ldc);
    for (size_t m = 0; e && m < M; m++) {
        float *row = C + m * ldc;
        for (size_t n = 0; e->bias && n < N; n++) row[n] += e->bias[n];
        if (e->activation == EG_ACT_GELU) k->gelu(row, N);
        if (e->activation == EG_ACT_TANH) k->tanh(row, N);
        for (size_t n = 0; e->residual && !in_place && n < N; n++) row[n] += e->residual[m * e->ld_residual + n];
    }
    return EG_OK;
}
#else
eg_status eg_gemm_openblas(const eg_kernels *k, size_t M, size_t N, size_t K, const float *A, size_t lda, const float *W,
                           float *C, size_t ldc, const eg_epilogue *e, eg_error *err) {
    (void)k, (void)M, (void)N, (void)K, (void)A, (void)lda, (void)W, (void)C, (void)ldc, (void)e;
    return eg_fail(err, EG_EUNSUPPORTED, "this build has no OpenBLAS: configure it with -DENGRAM_OPENBLAS=ON");
}
#endif
