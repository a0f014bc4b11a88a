/* services.c - see services.h. */
#include "tests/support/services.h"

#include <math.h>
#include <pthread.h>
#include <sodium.h>

eg_id test_id(void) {
    eg_id id;
    randombytes_buf(id.bytes, sizeof id.bytes);
    return id;
}

static eg_id new_id(void *host) {
    (void)host;
    return test_id();
}

static void sha256(void *host, const void *bytes, size_t n, uint8_t out[32]) {
    (void)host;
    crypto_hash_sha256(out, bytes, n);
}

static void quantize_s8(void *host, const float *x, size_t n, int8_t *out, float *scale) {
    (void)host;
    float largest = 1e-12f;
    for (size_t i = 0; i < n; i++) largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest;
    *scale = largest / 127;
    for (size_t i = 0; i < n; i++) out[i] = (int8_t)lrintf(x[i] / *scale);
}

static void scan_s8(void *host, const int8_t *rows, const float *scales, size_t n, size_t dimensions, const int8_t *q,
                    float q_scale, float *out) {
    (void)host;
    for (size_t i = 0; i < n; i++) {
        int32_t sum = 0;
        for (size_t k = 0; k < dimensions; k++) sum += rows[i * dimensions + k] * q[k];
        out[i] = scales[i] * q_scale * (float)sum;
    }
}

static float dot(void *host, const float *a, const float *b, size_t n) {
    (void)host;
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

typedef struct one_task {
    void (*task)(void *arg, size_t i);
    void *arg;
    size_t i;
    pthread_t thread;
} one_task;

static void *run_task(void *self) {
    const one_task *t = self;
    t->task(t->arg, t->i);
    return NULL;
}

/* Each in a thread of its own, as far as there are some. */
static void parallel(void *host, size_t n, void (*task)(void *arg, size_t i), void *arg) {
    (void)host;
    one_task tasks[32];
    size_t started = 0;
    for (; started < n && started < 32; started++) {
        tasks[started] = (one_task){.task = task, .arg = arg, .i = started};
        if (pthread_create(&tasks[started].thread, NULL, run_task, &tasks[started]) != 0) break;
    }
    for (size_t i = started; i < n; i++) task(arg, i);
    for (size_t i = 0; i < started; i++) pthread_join(tasks[i].thread, NULL);
}

eg_services test_services(void *host) {
    eg_services services = {.size = sizeof services,
                            .host = host,
                            .new_id = new_id,
                            .sha256 = sha256,
                            .quantize_s8 = quantize_s8,
                            .scan_s8 = scan_s8,
                            .dot = dot,
                            .parallel = parallel,
                            .version = "0.1.0-test"};
    test_registrar_fill(&services);
    return services;
}
