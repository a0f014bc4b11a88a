/* waiting.c - see waiting.h. */
#include "waiting.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { MOMENT_MS = 250 };

static int64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int request_is_over(const eg_request *rq) {
    return rq && (eg_cancel_is_set(&rq->cancel) || (rq->cancel.deadline && now_us() >= rq->cancel.deadline));
}

static void tell(const waiting *w, int waits) {
    if (w->rq && EG_HAS(w->rq, waiting) && w->rq->waiting) __atomic_store_n(w->rq->waiting, waits, __ATOMIC_RELEASE);
}

int wait_goes_on(waiting *w, int times, int patience_ms) {
    int64_t now = now_us();
    if (times == 0) w->begun = now;
    if (now - w->begun >= (int64_t)patience_ms * 1000 || request_is_over(w->rq)) return 0;
    if (now - w->begun >= MOMENT_MS * 1000) tell(w, 1);
    return 1;
}

int wait_again(waiting *w, int times, int patience_ms) {
    if (!wait_goes_on(w, times, patience_ms)) return 0;
    int64_t range = 500 << (times < 5 ? times : 5); /* microseconds: up to 16 ms */
    usleep((useconds_t)(200 + now_us() % range));
    return 1;
}

void wait_ended(const waiting *w) { tell(w, 0); }

/* Looked up in /proc: asking by fcntl needs the file to be open, and closing it would end the locks
 * that this process has. */
pid_t lock_holder(const char *path, long long byte) {
    struct stat st;
    char line[200], kind[16], mode[16], access[16];
    long pid, found = 0;
    unsigned major, minor;
    unsigned long inode;
    long long first;
    if (stat(path, &st) != 0) return 0;
    FILE *f = fopen("/proc/locks", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%*s %15s %15s %15s %ld %x:%x:%lu %lld", kind, mode, access, &pid, &major, &minor, &inode, &first) != 8)
            continue; /* one that waits has an arrow before its kind */
        if (inode == st.st_ino && minor == minor(st.st_dev) && (byte < 0 || first == byte)) found = pid;
    }
    if (f) fclose(f);
    return found > 0 && found != getpid() ? (pid_t)found : 0;
}

const char *holder_text(pid_t holder, char text[40]) {
    if (holder) snprintf(text, 40, "process %ld", (long)holder);
    else snprintf(text, 40, "another process");
    return text;
}
