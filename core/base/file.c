/* file.c - reading, mapping and replacing files. See file.h. */
#include "core/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/status.h"

static eg_status fail_errno(eg_error *err, const char *what, const char *path) {
    int e = errno;
    eg_status code = e == ENOENT || e == ENOTDIR ? EG_ENOENT
                     : e == ENOMEM               ? EG_ENOMEM
                     : e == EACCES || e == EPERM ? EG_EPERM
                     : e == EROFS                ? EG_EREADONLY
                                                 : EG_EIO;
    return eg_fail(err, code, "cannot %s '%s': %s", what, path, strerror(e));
}

/* Names the target of a link, which is what is not there. */
static eg_status fail_open(eg_error *err, const char *path) {
    int e = errno;
    char target[256];
    ssize_t n = e == ENOENT ? readlink(path, target, sizeof target - 1) : -1;
    errno = e;
    if (n <= 0) return fail_errno(err, "open", path);
    target[n] = '\0';
    return eg_fail(err, EG_ENOENT, "cannot open '%s', a link to '%s': %s; cp -rL copies a folder with what its links name", path,
                   target, strerror(e));
}

/* Opens a regular file for reading; *size: its length. O_NONBLOCK: a FIFO is refused, not waited
 * for. */
static eg_status open_regular(const char *path, int *fd, size_t *size, eg_error *err) {
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0) return fail_open(err, path);
    struct stat st;
    if (fstat(*fd, &st) != 0) {
        eg_status s = fail_errno(err, "stat", path);
        close(*fd);
        return s;
    }
    if (!S_ISREG(st.st_mode)) {
        close(*fd);
        return eg_fail(err, EG_EINVAL, "'%s' is not a regular file", path);
    }
    *size = (size_t)st.st_size;
    return EG_OK;
}

static eg_status read_all(int fd, char *to, size_t size, const char *path, eg_error *err) {
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(fd, to + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno(err, "read", path);
        if (n == 0) return eg_fail(err, EG_EIO, "cannot read '%s': it became shorter while it was read", path);
        done += (size_t)n;
    }
    return EG_OK;
}

eg_status eg_file_read(const char *path, size_t most, eg_arena *arena, eg_str *out, eg_error *err) {
    int fd;
    size_t size;
    eg_status s = open_regular(path, &fd, &size, err);
    if (s != EG_OK) return s;
    char *bytes = NULL;
    if (size > most) {
        s = eg_fail(err, EG_ELIMIT, "'%s' has %zu bytes; at most %zu are read", path, size, most);
    } else if (!(bytes = eg_arena_alloc(arena, size + 1))) {
        s = eg_fail_memory(err, size + 1);
    } else {
        s = read_all(fd, bytes, size, path, err);
    }
    close(fd);
    if (s == EG_OK) *out = (eg_str){bytes, size};
    return s;
}

eg_status eg_map_open(const char *path, eg_map *out, eg_error *err) {
    *out = (eg_map){0};
    int fd;
    size_t size;
    eg_status s = open_regular(path, &fd, &size, err);
    if (s != EG_OK) return s;
    if (size) {
        void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED) s = fail_errno(err, "map", path);
        else *out = (eg_map){p, size};
    }
    close(fd);
    return s;
}

void eg_map_close(eg_map *map) {
    if (map->bytes) munmap((void *)(uintptr_t)map->bytes, map->size);
    *map = (eg_map){0};
}

static eg_status write_all(int fd, const char *from, size_t size, const char *path, eg_error *err) {
    size_t done = 0;
    while (done < size) {
        ssize_t n = write(fd, from + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno(err, "write", path);
        done += (size_t)n;
    }
    return EG_OK;
}

void eg_folder_flush(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    close(fd);
}

static void flush_folder_of(const char *path) {
    char *copy = strdup(path);
    if (!copy) return;
    char *slash = strrchr(copy, '/');
    if (slash) *(slash == copy ? slash + 1 : slash) = '\0';
    eg_folder_flush(slash ? copy : ".");
    free(copy);
}

eg_status eg_file_replace(const char *path, const void *bytes, size_t size, unsigned mode, eg_error *err) {
    size_t length = strlen(path) + sizeof ".XXXXXX";
    char *temporary = malloc(length);
    if (!temporary) return eg_fail_memory(err, length);
    snprintf(temporary, length, "%s.XXXXXX", path);
    eg_status s = EG_OK;
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        s = fail_errno(err, "create a temporary file beside", path);
        free(temporary);
        return s;
    }
    if (fchmod(fd, (mode_t)mode) != 0) s = fail_errno(err, "set the mode of", temporary);
    if (s == EG_OK) s = write_all(fd, bytes, size, temporary, err);
    if (s == EG_OK && fsync(fd) != 0) s = fail_errno(err, "flush", temporary);
    close(fd);
    if (s == EG_OK && rename(temporary, path) != 0) s = fail_errno(err, "replace", path);
    if (s == EG_OK) flush_folder_of(path);
    else unlink(temporary);
    free(temporary);
    return s;
}

static int is_device(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode) || S_ISFIFO(st.st_mode));
}

static eg_status write_to_device(const char *path, const void *bytes, size_t size, eg_error *err) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return fail_errno(err, "open", path);
    eg_status s = write_all(fd, bytes, size, path, err);
    close(fd);
    return s;
}

eg_status eg_file_output(const char *path, const void *bytes, size_t size, unsigned mode, eg_error *err) {
    return is_device(path) ? write_to_device(path, bytes, size, err) : eg_file_replace(path, bytes, size, mode, err);
}

eg_status eg_folder_make(const char *path, unsigned mode, eg_error *err) {
    if (!*path) return eg_fail(err, EG_EINVAL, "the path of a folder to create is empty");
    char *copy = strdup(path);
    if (!copy) return eg_fail_memory(err, strlen(path) + 1);
    eg_status s = EG_OK;
    for (char *p = copy + 1; s == EG_OK; p++) {
        if (*p != '/' && *p != '\0') continue;
        char kept = *p;
        *p = '\0';
        if (mkdir(copy, (mode_t)mode) != 0 && errno != EEXIST) s = fail_errno(err, "create the folder", copy);
        *p = kept;
        if (!kept) break;
    }
    struct stat st;
    if (s == EG_OK && (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)))
        s = eg_fail(err, EG_EIO, "'%s' exists but is not a folder", path);
    free(copy);
    return s;
}

int eg_file_exists(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0;
}
