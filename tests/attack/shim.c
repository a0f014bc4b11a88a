/* shim.c - preloaded into the program by the attacks: its clock goes ahead by ATTACK_AHEAD seconds;
 * and what the file ATTACK_ORDER says happens to reads and writes of files whose path holds
 * ATTACK_FILE, from the moment on that it says so:
 *   read-eio   reads fail: I/O error       write-eio   writes fail: I/O error
 *   full       writes fail: no space       torn N      the Nth write from now on is half done, and
 *                                                      the process dies */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

#define SEEN __attribute__((visibility("default")))

typedef int (*clock_call)(clockid_t, struct timespec *);
typedef ssize_t (*read_call)(int, void *, size_t, off_t);
typedef ssize_t (*write_call)(int, const void *, size_t, off_t);

SEEN int clock_gettime(clockid_t clock, struct timespec *t) {
    static clock_call real;
    if (!real) real = (clock_call)next("clock_gettime");
    int r = real(clock, t);
    const char *ahead = getenv("ATTACK_AHEAD");
    if (r == 0 && clock == CLOCK_REALTIME && ahead) t->tv_sec += atoll(ahead);
    return r;
}

/* What is to happen to this file now; nothing: an empty text. */
static const char *order(int fd, char text[64]) {
    char link[40], path[4096];
    const char *file = getenv("ATTACK_FILE"), *from = getenv("ATTACK_ORDER");
    int e = errno;
    text[0] = '\0';
    if (!file || !from) return text;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    ssize_t n = in < 0 ? -1 : read(in, text, 63);
    if (in >= 0) close(in);
    text[n > 0 ? n : 0] = '\0';
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    if (!strstr(path, file)) text[0] = '\0';
    errno = e;
    return text;
}

static ssize_t attacked_read(read_call real, int fd, void *to, size_t n, off_t at) {
    char text[64];
    if (strncmp(order(fd, text), "read-eio", 8) != 0) return real(fd, to, n, at);
    errno = EIO;
    return -1;
}

static ssize_t attacked_write(write_call real, int fd, const void *from, size_t n, off_t at) {
    static long writes;
    char text[64];
    order(fd, text);
    if (strncmp(text, "torn ", 5) == 0 && ++writes >= atol(text + 5)) {
        (void)!real(fd, from, n / 2, at);
        kill(getpid(), SIGKILL);
    }
    int full = strncmp(text, "full", 4) == 0;
    if (!full && strncmp(text, "write-eio", 9) != 0) return real(fd, from, n, at);
    errno = full ? ENOSPC : EIO;
    return -1;
}

#define READ(name)                                            \
    SEEN ssize_t name(int fd, void *to, size_t n, off_t at) { \
        static read_call real;                                \
        if (!real) real = (read_call)next(#name);             \
        return attacked_read(real, fd, to, n, at);            \
    }
#define WRITE(name)                                                   \
    SEEN ssize_t name(int fd, const void *from, size_t n, off_t at) { \
        static write_call real;                                       \
        if (!real) real = (write_call)next(#name);                    \
        return attacked_write(real, fd, from, n, at);                 \
    }
READ(pread)
READ(pread64)
WRITE(pwrite)
WRITE(pwrite64)
