/* workers.c - the threads that run calls. See workers.h. */
#include "workers.h"

#include <pthread.h>
#include <stdlib.h>

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t work;
    task *first, **last;
    size_t queued, idle, count, max;
    int closing;
    pthread_t thread[];
};

workers *mcp_workers_create(size_t max) {
    workers *w = calloc(1, sizeof *w + max * sizeof(pthread_t));
    if (!w) return NULL;
    w->max = max;
    w->last = &w->first;
    if (pthread_mutex_init(&w->lock, NULL) == 0) {
        if (pthread_cond_init(&w->work, NULL) == 0) return w;
        pthread_mutex_destroy(&w->lock);
    }
    free(w);
    return NULL;
}

static task *take(workers *w) {
    task *t = w->first;
    w->first = t->next;
    if (!w->first) w->last = &w->first;
    w->queued--;
    return t;
}

static void *work(void *self) {
    workers *w = self;
    pthread_mutex_lock(&w->lock);
    while (w->first || !w->closing) {
        if (!w->first) {
            w->idle++;
            pthread_cond_wait(&w->work, &w->lock);
            w->idle--;
            continue;
        }
        task *t = take(w);
        pthread_mutex_unlock(&w->lock);
        t->run(t);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

int mcp_workers_submit(workers *w, task *t) {
    pthread_mutex_lock(&w->lock);
    if (w->queued >= w->idle && w->count < w->max && pthread_create(&w->thread[w->count], NULL, work, w) == 0) w->count++;
    int taken = w->count > 0;
    if (taken) {
        t->next = NULL;
        *w->last = t;
        w->last = &t->next;
        w->queued++;
        pthread_cond_signal(&w->work);
    }
    pthread_mutex_unlock(&w->lock);
    return taken;
}

void mcp_workers_destroy(workers *w) {
    pthread_mutex_lock(&w->lock);
    w->closing = 1;
    pthread_cond_broadcast(&w->work);
    pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < w->count; i++) pthread_join(w->thread[i], NULL);
    pthread_cond_destroy(&w->work);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
