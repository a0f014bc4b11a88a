/* verify.c - looks at the whole store for damage, when `engram doctor` asks for it and once a day
 * of use, and remembers what was found: in the file `verified` of the data folder, which has the
 * time, the store and the problem on a line each. Not in the store: it may be what is damaged. */
#include "core/memory/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/status.h"
#include "core/host/internal.h"

#define AGAIN (600 * EG_SECOND) /* how often the worker looks whether a day is over */

enum { MAX_RECORD = 2 * MAX_PATH };

/* The record, read: texts point into the buffer that it was read from. */
typedef struct record {
    int64_t at; /* 0: there is none about this store */
    const char *problem;
} record;

static int record_path(const eg_host *h, char path[MAX_PATH]) {
    return snprintf(path, MAX_PATH, "%s/verified", h->paths.data) < MAX_PATH;
}

static record read_record(const eg_host *h, int fd, char text[MAX_RECORD]) {
    ssize_t n = pread(fd, text, MAX_RECORD - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    char *lines[3] = {text};
    for (int i = 1; i < 3; i++) {
        char *end = strchr(lines[i - 1], '\n');
        if (!end) return (record){0};
        *end = '\0';
        lines[i] = end + 1;
    }
    lines[2][strcspn(lines[2], "\n")] = '\0';
    return strcmp(lines[1], h->paths.database_shown) == 0 ? (record){strtoll(lines[0], NULL, 10), lines[2]} : (record){0};
}

/* What cannot be remembered is looked for again the next time. */
static void write_record(const eg_host *h, int fd, const eg_verified *found) {
    const eg_error *worst = found->pages.code ? &found->pages : &found->audit;
    char text[MAX_RECORD];
    int n = snprintf(text, sizeof text, "%" PRId64 "\n%s\n", h->services.now((void *)h), h->paths.database_shown);
    size_t from = (size_t)n;
    if (n < 0 || n >= (int)sizeof text) return;
    n += snprintf(text + n, sizeof text - (size_t)n, "%s", worst->code ? worst->text : "");
    if (n >= (int)sizeof text - 1) return;
    for (size_t i = from; i < (size_t)n; i++)
        if (text[i] == '\n') text[i] = ' ';
    text[n++] = '\n';
    if (pwrite(fd, text, (size_t)n, 0) != n || ftruncate(fd, n) != 0)
        h->services.log((void *)h, EG_LOG_INFO, "verify", "the result cannot be kept in the data folder");
}

static eg_status verify(eg_host *h, int deep, const int *cancel, eg_verified *found, int64_t *ahead, eg_error *err) {
    eg_request *rq;
    const eg_request_options options = {.size = sizeof options, .cancel.flag = cancel};
    eg_status s = h->services.request_create(h, &options, &rq, err);
    if (s != EG_OK) return s;
    int64_t now = 0, clock = h->services.now(h);
    s = eg_memory_verify(h->memory, rq, deep, found);
    if (s == EG_OK && h->storage_ops->now(h->storage, rq, &now) == EG_OK && now > clock) *ahead = now - clock;
    if (s != EG_OK) *err = *rq->err;
    h->services.request_release(h, rq);
    return s;
}

static int open_record(const eg_host *h, int flags) {
    char path[MAX_PATH];
    return record_path(h, path) ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
}

eg_status eg_host_verify(eg_host *h, int deep, const int *cancel, eg_host_verified *out, eg_error *err) {
    eg_verified found;
    *out = (eg_host_verified){0};
    if (!h->storage) return eg_fail(err, EG_EINVAL, "no store is open");
    eg_status s = verify(h, deep, cancel, &found, &out->ahead, err);
    if (s != EG_OK) return s;
    out->pages = found.pages;
    out->audit = found.audit;
    out->workspaces = found.workspaces;
    int fd = open_record(h, O_RDWR | O_CREAT);
    if (fd < 0) return EG_OK; /* a data folder that cannot be written */
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) write_record(h, fd, &found);
    close(fd);
    return EG_OK;
}

eg_status eg_host_repair_time(eg_host *h, uint64_t *facts, eg_error *err) {
    eg_request *rq;
    *facts = 0;
    if (!h->storage || !h->storage_ops->repair_time)
        return eg_fail(err, EG_EUNSUPPORTED, "this store has its time from a server");
    eg_status s = h->services.request_create(h, NULL, &rq, err);
    if (s != EG_OK) return s;
    s = h->storage_ops->repair_time(h->storage, rq, facts);
    if (s != EG_OK) *err = *rq->err;
    h->services.request_release(h, rq);
    return s;
}

static void verify_locked(eg_host *h, int fd, const int *cancel) {
    char text[MAX_RECORD];
    eg_verified found;
    eg_error err = {0};
    int64_t ahead = 0, age = h->services.now(h);
    age -= read_record(h, fd, text).at;
    if (age >= 0 && age < EG_DAY) return;
    eg_status s = verify(h, 0, cancel, &found, &ahead, &err);
    if (s == EG_OK) write_record(h, fd, &found);
    const eg_error *why = s != EG_OK ? &err : found.pages.code ? &found.pages : &found.audit;
    if (why->code != EG_OK && why->code != EG_ECANCELLED) h->services.log(h, EG_LOG_WARN, "verify", why->text);
}

void eg_host_verify_if_due(eg_host *h, const int *cancel) {
    if (eg_clock_monotonic() < h->verify_from) return;
    h->verify_from = eg_clock_monotonic() + AGAIN;
    int fd = open_record(h, O_RDWR | O_CREAT);
    if (fd < 0) return;
    /* another process that looks just now is as good */
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) verify_locked(h, fd, cancel);
    close(fd);
}

void eg_host_last_verified(void *host, eg_request *rq, eg_memory_status *out) {
    eg_host *h = host;
    char text[MAX_RECORD];
    int fd = open_record(h, O_RDONLY);
    if (fd < 0) return;
    record last = read_record(h, fd, text);
    close(fd);
    out->store_checked_at = last.at;
    if (last.at) out->store_problem = eg_request_copy(rq, eg_str_of(last.problem));
}
