/* block.c - see block.h. */
#include "models/block.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/crc32c.h"
#include "core/base/file.h"
#include "core/base/size.h"
#include "core/base/status.h"

enum { CHUNK = 1 << 20, MAX_KEY = 16 << 10, PAGE = 4096, WAIT_US = 30 * 1000000, POLL_US = 5000 };
static const char magic[8] = "EGPACK1";

typedef struct header {
    char magic[8];
    uint64_t size, data_at, key_size;
    /* followed by the key, then by a checksum for each chunk */
} header;

static size_t chunks_of(size_t size) { return (size + CHUNK - 1) / CHUNK; }

/* The offset of the block in the file; 0 on overflow. */
static size_t data_offset(size_t key_size, size_t size) {
    size_t at;
    return eg_size_round_up(sizeof(header) + key_size + 8 + chunks_of(size) * sizeof(uint32_t), PAGE, &at) ? at : 0;
}
static uint32_t *sums_of(void *map, size_t key_size) {
    return (uint32_t *)(void *)((char *)map + (sizeof(header) + key_size + 7) / 8 * 8);
}

typedef struct sum_task {
    const char *data;
    size_t size;
    uint32_t *sums;
    const uint32_t *wanted; /* NULL: only compute */
    _Atomic int *wrong;
} sum_task;

static void sum_chunk(void *arg, size_t i, uint32_t lane) {
    (void)lane;
    const sum_task *t = arg;
    size_t n = t->size - i * CHUNK < CHUNK ? t->size - i * CHUNK : CHUNK;
    uint32_t sum = eg_crc32c(t->data + i * CHUNK, n);
    if (t->wanted && t->wanted[i] != sum) *t->wrong = 1;
    if (!t->wanted) t->sums[i] = sum;
}

static void forget_map(eg_block *b) {
    if (b->map) munmap(b->map, b->map_size);
    b->map = b->data = NULL;
}

/* Private memory, in large pages if the system has them: filling a mapped file page by page takes
 * several times longer. */
static int allocate(eg_block *b) {
    size_t bytes;
    b->data = eg_size_round_up(b->size, 64, &bytes) ? aligned_alloc(64, bytes) : NULL;
    if (!b->data) return 0;
    uintptr_t first = ((uintptr_t)b->data + PAGE - 1) / PAGE * PAGE, last = ((uintptr_t)b->data + bytes) / PAGE * PAGE;
    if (first < last) (void)madvise((char *)b->data + (first - (uintptr_t)b->data), last - first, MADV_HUGEPAGE);
    return 1;
}

/* Maps the file if it is the one that the key describes. */
static int open_existing(eg_block *b, const eg_block_key *key, eg_pool *pool) {
    struct stat st;
    size_t at = data_offset(key->size, b->size);
    int fd = open(b->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return 0;
    int good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022) &&
               (uint64_t)st.st_size == at + b->size;
    b->map_size = at + b->size;
    b->map = good ? mmap(NULL, b->map_size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0) : NULL;
    close(fd);
    if (b->map == MAP_FAILED) b->map = NULL;
    if (!b->map) return 0;
    const header *h = b->map;
    _Atomic int wrong = 0;
    b->data = (char *)b->map + at;
    if (memcmp(h->magic, magic, sizeof magic) != 0 || h->size != b->size || h->data_at != at || h->key_size != key->size ||
        memcmp(h + 1, key->bytes, key->size) != 0)
        wrong = 1;
    sum_task t = {.data = b->data, .size = b->size, .wanted = sums_of(b->map, key->size), .wrong = &wrong};
    if (!wrong) eg_pool_run(pool, chunks_of(b->size), sum_chunk, &t);
    if (wrong) forget_map(b);
    return !wrong;
}

/* Takes the lock with which one process at a time packs; -1: pack privately. The lock file is never
 * removed, since then two processes could each hold a lock. */
static int take_lock(const char *path) {
    char name[4096 + 8];
    snprintf(name, sizeof name, "%s.lock", path);
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int64_t until = eg_clock_monotonic() + WAIT_US;
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || eg_clock_monotonic() >= until) {
            close(fd);
            return -1;
        }
        usleep(POLL_US);
    }
    return fd;
}

/* A child that another thread forked meanwhile holds the file as well, so closing it here would not
 * release the lock. */
static void leave_lock(int lock) {
    (void)flock(lock, LOCK_UN);
    close(lock);
}

/* All writers use one name: the lock admits one at a time, and the next one removes what a killed
 * one left. */
static void temporary_name(const char *path, char out[4096 + 8]) { snprintf(out, 4096 + 8, "%s.new", path); }

static int write_all(int fd, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, (const char *)bytes + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        done += (size_t)n;
    }
    return 1;
}

/* A block that is being written to the cache by a thread of its own, while the model is already in
 * use. */
typedef struct eg_block_writer {
    pthread_t thread;
    int threaded, lock;
    const void *data;
    size_t size, at;
    header *head; /* with the key; the checksums follow */
    uint32_t *sums;
    char path[4096];
} eg_block_writer;

static void *write_file(void *arg) {
    eg_block_writer *w = arg;
    char name[4096 + 8];
    temporary_name(w->path, name);
    /* always a new file: an existing one could be a link, or open in another program */
    unlink(name);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        sum_task t = {.data = w->data, .size = w->size, .sums = w->sums};
        for (size_t i = 0; i < chunks_of(w->size); i++) sum_chunk(&t, i, 0);
        int good = write_all(fd, w->head, w->at) && write_all(fd, w->data, w->size);
        close(fd);
        if (!good || rename(name, w->path) != 0) unlink(name);
    }
    leave_lock(w->lock);
    return NULL;
}

static void end_writer(eg_block *b) {
    if (!b->writer) return;
    if (b->writer->threaded) pthread_join(b->writer->thread, NULL);
    free(b->writer->head);
    free(b->writer);
    b->writer = NULL;
}

static void end_packing(eg_block *b) {
    if (b->packing) leave_lock(b->lock);
    b->packing = 0;
}

eg_status eg_block_take(const char *cache, const eg_block_key *key, size_t size, eg_pool *pool, eg_block *b, eg_error *err) {
    *b = (eg_block){.size = size};
    if (!size || !data_offset(key->size, size)) return eg_fail_memory(err, size);
    if (cache && key->size <= MAX_KEY && snprintf(b->path, sizeof b->path, "%s/%s", cache, key->name) < (int)sizeof b->path &&
        eg_folder_make(cache, 0700, NULL) == EG_OK) {
        b->ready = open_existing(b, key, pool);
        if (b->ready) return EG_OK;
        b->lock = take_lock(b->path);
        b->packing = b->lock >= 0;
        b->ready = b->packing && open_existing(b, key, pool); /* somebody was first */
        if (b->ready) return end_packing(b), EG_OK;
    }
    if (allocate(b)) return EG_OK;
    eg_block_release(b);
    return eg_fail_memory(err, size);
}

void eg_block_publish(eg_block *b, const eg_block_key *key, eg_pool *pool) {
    size_t at = data_offset(key->size, b->size);
    b->ready = 1;
    if (!b->packing) return;
    b->writer = calloc(1, sizeof *b->writer);
    header *h = b->writer ? calloc(1, at) : NULL;
    if (!h) {
        free(b->writer);
        b->writer = NULL;
        return end_packing(b);
    }
    *h = (header){.size = b->size, .data_at = at, .key_size = key->size};
    memcpy(h->magic, magic, sizeof magic);
    memcpy(h + 1, key->bytes, key->size);
    *b->writer =
        (eg_block_writer){.lock = b->lock, .data = b->data, .size = b->size, .at = at, .head = h, .sums = sums_of(h, key->size)};
    memcpy(b->writer->path, b->path, sizeof b->path);
    b->packing = 0; /* the writer owns the lock now */
    /* The writer blocks all signals: those of the program, and the one that would end a process
     * whose file exceeds its limit. */
    sigset_t all, too_large, waiting, before;
    sigfillset(&all);
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int had = sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ);
    b->writer->threaded = eg_pool_threads(pool) > 1 && pthread_create(&b->writer->thread, NULL, write_file, b->writer) == 0;
    if (!b->writer->threaded) write_file(b->writer);
    if (!had) (void)sigtimedwait(&too_large, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void eg_block_release(eg_block *b) {
    end_packing(b);
    end_writer(b);
    if (b->map) forget_map(b);
    else free(b->data);
    *b = (eg_block){0};
}
