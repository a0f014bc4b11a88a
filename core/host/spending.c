/* spending.c - how often each escalator was called today, by all processes with this data folder: a
 * file with a line "NAME YYYY-MM-DD CALLS" for each, changed under a lock. It is not in the store,
 * since `engram check` asks escalators without one. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/status.h"
#include "core/host/internal.h"

enum { MAX_FILE = 8192, DAY_TEXT = 16 };

/* The next line of *text, cut at its end; NULL: there is none. */
static char *next_line(char **text) {
    char *line = *text;
    if (!*line) return NULL;
    char *end = strchr(line, '\n');
    *text = end ? end + 1 : line + strlen(line);
    if (end) *end = '\0';
    return line;
}

/* The calls of a line of this day, *name_length its name; -1: another day, or no such line. */
static long calls_of(const char *line, const char *day, size_t *name_length) {
    const char *space = strchr(line, ' ');
    if (!space || strncmp(space + 1, day, strlen(day)) != 0 || space[1 + strlen(day)] != ' ') return -1;
    *name_length = (size_t)(space - line);
    long calls = strtol(space + 2 + strlen(day), NULL, 10);
    return calls < 0 ? 0 : calls;
}

/* Counts one more in the text of the file, if that is allowed; out gets the new text. */
static size_t count_one(char *text, const char *name, const char *day, uint32_t most, int *allowed, char out[MAX_FILE]) {
    size_t n = 0, length = 0;
    long mine = 0;
    for (char *line; (line = next_line(&text));) {
        long calls = calls_of(line, day, &length);
        if (calls < 0) continue;
        if (length == strlen(name) && memcmp(line, name, length) == 0) mine = calls;
        else if (n + strlen(line) + 200 < MAX_FILE) n += (size_t)snprintf(out + n, MAX_FILE - n, "%s\n", line);
    }
    *allowed = mine < (long)most;
    n += (size_t)snprintf(out + n, MAX_FILE - n, "%.100s %s %ld\n", name, day, mine + *allowed);
    return n;
}

static eg_status count_in(int fd, const char *name, const char *day, uint32_t most, int *allowed) {
    char text[MAX_FILE], out[MAX_FILE];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    if (n < 0) return EG_EIO;
    text[n] = '\0';
    size_t size = count_one(text, name, day, most, allowed, out);
    if (!*allowed) return EG_OK;
    return pwrite(fd, out, size, 0) == (ssize_t)size && ftruncate(fd, (off_t)size) == 0 ? EG_OK : EG_EIO;
}

eg_status eg_host_spend(void *host, const char *escalator, uint32_t most, int *allowed, eg_error *err) {
    eg_host *h = host;
    char path[MAX_PATH], day[DAY_TEXT] = "";
    time_t now = (time_t)(h->services.now(h) / EG_SECOND);
    struct tm utc;
    *allowed = 0;
    if (!gmtime_r(&now, &utc) || !strftime(day, sizeof day, "%Y-%m-%d", &utc)) return eg_fail(err, EG_EIO, "no date");
    if (snprintf(path, sizeof path, "%s/escalator-calls", h->paths.data) >= (int)sizeof path)
        return eg_fail(err, EG_ELIMIT, "the path of the data folder is too long");
    eg_status s = eg_folder_make(h->paths.data, 0700, err);
    if (s != EG_OK) return s;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return eg_fail(err, EG_EIO, "cannot count the calls of the escalator in '%s': %s", path, strerror(errno));
    s = flock(fd, LOCK_EX) == 0 ? count_in(fd, escalator, day, most, allowed) : EG_EIO;
    if (s != EG_OK) eg_fail(err, s, "cannot count the calls of the escalator in '%s': %s", path, strerror(errno));
    close(fd);
    return s;
}
