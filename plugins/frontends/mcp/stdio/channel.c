/* channel.c - lines in, messages out. See channel.h. All waiting is in poll() with a short limit,
 * so that a stop is seen soon whatever the other side does; writes go in pieces that a pipe which
 * polls writable takes whole. */
#include "channel.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 100, READ_PIECE = 64 << 10 };

eg_status mcp_channel_init(channel *c, int in, int out, size_t max_line) {
    *c = (channel){.in = in, .out = out, .max_line = max_line, .capacity = READ_PIECE};
    c->buffer = malloc(c->capacity);
    if (!c->buffer) return EG_ENOMEM;
    if (pthread_mutex_init(&c->writing, NULL) == 0) return EG_OK;
    free(c->buffer);
    return EG_ENOMEM;
}

void mcp_channel_release(channel *c) {
    pthread_mutex_destroy(&c->writing);
    free(c->buffer);
}

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t stopped_until(const channel *c) { return __atomic_load_n(&c->until, __ATOMIC_ACQUIRE); }

static int given_up(const channel *c) {
    int64_t until = stopped_until(c);
    return until && now_ms() >= until;
}

void mcp_channel_stop(channel *c, uint32_t grace_ms) { __atomic_store_n(&c->until, now_ms() + grace_ms, __ATOMIC_RELEASE); }

int mcp_channel_gone(channel *c) {
    if (given_up(c) || __atomic_load_n(&c->broken, __ATOMIC_ACQUIRE)) return 1;
    struct pollfd p = {.fd = c->out};
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP | POLLNVAL));
}

/* Room for one more piece behind the unread bytes. */
static int make_room(channel *c) {
    if (c->begin) {
        memmove(c->buffer, c->buffer + c->begin, c->end - c->begin);
        c->end -= c->begin;
        c->scanned -= c->begin;
        c->begin = 0;
    }
    if (c->capacity - c->end >= READ_PIECE) return 1;
    /* at most 2 * (max_line + READ_PIECE): longer lines are skipped */
    size_t capacity = c->capacity * 2;
    char *buffer = realloc(c->buffer, capacity);
    if (!buffer) return 0;
    c->buffer = buffer;
    c->capacity = capacity;
    return 1;
}

/* A whole line out of the buffer: 1 and *kind, or 0 when more must be read. */
static int take_line(channel *c, eg_str *line, line_kind *kind) {
    char *nl = memchr(c->buffer + c->scanned, '\n', c->end - c->scanned);
    /* the last line needs no end */
    if (!nl && c->ended && c->end > c->begin) nl = c->buffer + c->end;
    if (!nl && c->ended && c->skipping) nl = c->buffer + c->end;
    if (!nl) {
        c->scanned = c->end;
        if (c->end - c->begin > c->max_line) c->skipping = 1;
        if (c->skipping) c->begin = c->scanned = c->end = 0;
        return 0;
    }
    size_t at = (size_t)(nl - c->buffer), len = at - c->begin;
    *line = (eg_str){c->buffer + c->begin, len && nl[-1] == '\r' ? len - 1 : len};
    *kind = c->skipping || len > c->max_line ? LINE_TOO_LONG : LINE_READ;
    c->skipping = 0;
    c->begin = at < c->end ? at + 1 : c->end;
    c->scanned = c->begin;
    return 1;
}

line_kind mcp_channel_read(channel *c, eg_str *line) {
    line_kind kind;
    while (!take_line(c, line, &kind)) {
        if (c->ended) return LINE_END;
        if (stopped_until(c)) return LINE_STOPPED;
        if (__atomic_load_n(&c->broken, __ATOMIC_ACQUIRE)) return LINE_END;
        struct pollfd p = {.fd = c->in, .events = POLLIN};
        int ready = poll(&p, 1, TICK_MS);
        if (ready < 0 && errno != EINTR) return LINE_FAILED;
        if (ready == 0) return LINE_IDLE;
        if (ready < 0) continue;
        if (!make_room(c)) return LINE_FAILED;
        ssize_t n = read(c->in, c->buffer + c->end, READ_PIECE);
        if (n < 0 && errno != EINTR && errno != EAGAIN) return LINE_FAILED;
        if (n > 0) c->end += (size_t)n;
        if (n == 0) c->ended = 1;
    }
    return kind;
}

/* 1 when some of the text can be written without blocking. */
static int wait_writable(channel *c) {
    for (;;) {
        struct pollfd p = {.fd = c->out, .events = POLLOUT};
        int ready = poll(&p, 1, TICK_MS);
        if (ready < 0 && errno != EINTR) return 0;
        if (ready > 0) return (p.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
        if (given_up(c)) return 0; /* not while it is writable: the last answers still go out */
    }
}

/* Text and a line break; whether all of it was written. */
static int write_line(channel *c, eg_str text) {
    char end[] = "\n";
    for (size_t done = 0; done <= text.len;) {
        size_t piece = text.len - done < PIPE_BUF - 1 ? text.len - done : PIPE_BUF - 1;
        const struct iovec parts[2] = {{(char *)text.ptr + done, piece}, {end, done + piece == text.len}};
        if (!wait_writable(c)) return 0;
        ssize_t n = writev(c->out, parts, 2);
        if (n < 0 && errno != EINTR && errno != EAGAIN) return 0;
        if (n > 0) done += (size_t)n;
    }
    return 1;
}

void mcp_channel_write(channel *c, eg_str text) {
    pthread_mutex_lock(&c->writing);
    if (!__atomic_load_n(&c->broken, __ATOMIC_ACQUIRE) && !write_line(c, text)) __atomic_store_n(&c->broken, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&c->writing);
}
