/* openblas.c - matrix products by OpenBLAS: the baseline in benchmarks, a second reference in
 * tests, and the choice on a CPU that we have no kernels for (setting gemm). The library is loaded
 * at the first use, so that processes that do not need it do not pay for it. One thread: the thread
 * pool is ours. Its results depend on the batch. */
#include <dlfcn.h>
#include <pthread.h>

#include "core/base/status.h"
#include "kernels/kernels.h"

/* cblas_sgemm of the CBLAS interface with 32-bit integers, and the constants that it takes. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };
typedef void sgemm_function(int order, int trans_a, int trans_b, int M, int N, int K, float alpha, const float *A, int lda,
                            const float *B, int ldb, float beta, float *C, int ldc);
static sgemm_function *sgemm; /* written once, by load */

static void load(void) {
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    void *threads = library ? dlsym(library, "openblas_set_num_threads") : NULL,
         *gemm = library ? dlsym(library, "cblas_sgemm") : NULL;
    void (*set_threads)(int) = NULL;
    if (!threads || !gemm) return;
    /* C does not convert between object and function pointers */
    memcpy(&set_threads, &threads, sizeof threads);
    set_threads(1);
    memcpy(&sgemm, &gemm, sizeof gemm);
}

eg_status eg_gemm_openblas(const eg_kernels *k, const eg_gemm_call *call, eg_error *err) {
    const size_t M = call->M, N = call->N, K = call->K, lda = call->lda, ldc = call->ldc, max = INT32_MAX;
    const eg_epilogue *e = call->epilogue;
    float *C = call->C;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (!sgemm)
        return eg_fail(err, EG_EUNSUPPORTED, "libopenblas.so.0 cannot be loaded: install OpenBLAS (Debian: libopenblas0)");
    if (M > max || N > max || K > max || lda > max || ldc > max)
        return eg_fail(err, EG_ELIMIT,
                       "a product of %zu x %zu x %zu is too large for OpenBLAS, whose sizes are below 2^31: choose gemm=own", M,
                       N, K);
    /* A residual that is the output itself would be overwritten, so the product is added to it. */
    int in_place = e && e->residual == C;
    if (in_place && e->activation != EG_ACT_NONE)
        return eg_fail(err, EG_EUNSUPPORTED,
                       "OpenBLAS cannot apply an activation if the residual is the output: choose gemm=own");
    sgemm(ROW_MAJOR, NO_TRANS, TRANS, (int)M, (int)N, (int)K, 1.0f, call->A, (int)lda, call->packed, (int)K,
          in_place ? 1.0f : 0.0f, C, (int)ldc);
    for (size_t m = 0; e && m < M; m++) {
        float *row = C + m * ldc;
        for (size_t n = 0; e->bias && n < N; n++) row[n] += e->bias[n];
        if (e->activation == EG_ACT_GELU) k->gelu(row, N);
        if (e->activation == EG_ACT_TANH) k->tanh(row, N);
        for (size_t n = 0; e->residual && !in_place && n < N; n++) row[n] += e->residual[m * e->ld_residual + n];
    }
    return EG_OK;
}
