/* waiting.h - waiting for locks that other threads or processes hold: how long, until when, who has
 * them. */
#ifndef EG_SQLITE_WAITING_H
#define EG_SQLITE_WAITING_H

#include <sys/types.h>

#include "engram/request.h"

/* One wait of a request; rq may be NULL. */
typedef struct waiting {
    eg_request *rq;
    int64_t begun; /* CLOCK_MONOTONIC microseconds */
} waiting;

enum { WRITE_PATIENCE_MS = 10000, OPEN_PATIENCE_MS = 15000 };

/* 1 when the request was cancelled, or its deadline is over. */
int request_is_over(const eg_request *rq);
/* 0 when the wait is over without success: it took patience_ms, or the request is over.
 * times: how often it was called for this wait; 0 begins one. Who made the request is told by
 * rq->waiting when it takes longer than a moment, until wait_ended(). */
int wait_goes_on(waiting *w, int times, int patience_ms);
/* The same, and sleeps a short random time, longer at each try, so that those who wait do not all
 * try again at the same moment. */
int wait_again(waiting *w, int times, int patience_ms);
void wait_ended(const waiting *w);
/* The process that has a lock on the file, at this byte of it or (-1) on the whole of it; 0: nobody
 * has, or it cannot be told. */
pid_t lock_holder(const char *path, long long byte);
/* "process 4711", or "another process". */
const char *holder_text(pid_t holder, char text[40]);

#endif
