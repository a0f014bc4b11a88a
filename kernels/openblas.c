/* openblas.c - OpenBLAS as a GEMM by name: the baseline in benches, the oracle in tests, and the way out on a CPU that
 * we have no kernels for. The only file that sees it, and only when it is asked for: the library is loaded then, so that no
 * other process pays for it. One thread: the pool is ours. Not batch invariant. */
#include <dlfcn.h>
#include <pthread.h>

#include "core/base/status.h"
#include "kernels/kernels.h"

/* cblas_sgemm of the CBLAS interface with 32-bit integers, and the constants that it takes. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };
typedef void sgemm_function(int order, int trans_a, int trans_b, int M, int N, int K, float alpha, const float *A, int lda,
                            const float *B, int ldb, float beta, float *C, int ldc);
static sgemm_function *sgemm; /* written once */

static void load(void) {
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    void *threads = library ? dlsym(library, "openblas_set_num_threads") : NULL,
         *gemm = library ? dlsym(library, "cblas_sgemm") : NULL;
    void (*set_threads)(int) = NULL;
    if (!threads || !gemm) return;
    memcpy(&set_threads, &threads, sizeof threads); /* C has no cast between the two kinds of pointers */
    set_threads(1);
    memcpy(&sgemm, &gemm, sizeof gemm);
}

eg_status eg_gemm_openblas(const eg_kernels *k, size_t M, size_t N, size_t K, const float *A, size_t lda, const float *W,
                           float *C, size_t ldc, const eg_epilogue *e, eg_error *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (!sgemm)
        return eg_fail(err, EG_EUNSUPPORTED, "libopenblas.so.0 cannot be loaded: install OpenBLAS (Debian: libopenblas0)");
    const size_t most = INT32_MAX;
    if (M > most || N > most || K > most || lda > most || ldc > most)
        return eg_fail(err, EG_ELIMIT, "a matrix of %zu x %zu x %zu is too large for OpenBLAS", M, N, K);
    /* a residual that is the output itself would be overwritten: let the product be added to it */
    int in_place = e && e->residual == C;
    if (in_place && e->activation != EG_ACT_NONE)
        return eg_fail(err, EG_EUNSUPPORTED, "OpenBLAS: an activation with a residual in place");
    sgemm(ROW_MAJOR, NO_TRANS, TRANS, (int)M, (int)N, (int)K, 1.0f, A, (int)lda, W, (int)K, in_place ? 1.0f : 0.0f, C, (int)ldc);
    for (size_t m = 0; e && m < M; m++) {
        float *row = C + m * ldc;
        for (size_t n = 0; e->bias && n < N; n++) row[n] += e->bias[n];
        if (e->activation == EG_ACT_GELU) k->gelu(row, N);
        if (e->activation == EG_ACT_TANH) k->tanh(row, N);
        for (size_t n = 0; e->residual && !in_place && n < N; n++) row[n] += e->residual[m * e->ld_residual + n];
    }
    return EG_OK;
}
