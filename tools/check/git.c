/* git.c - see git.h. */
#include "tools/check/git.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_OUTPUT = 256 << 20 };

extern char **environ;

/* Reads the pipe to its end; NULL without memory or with more than MAX_OUTPUT. */
static char *read_all(int fd, size_t *size) {
    size_t capacity = 1 << 16, n = 0;
    char *p = malloc(capacity + 1);
    while (p) {
        ssize_t got = read(fd, p + n, capacity - n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        n += (size_t)got;
        if (n < capacity) continue;
        char *more = capacity < MAX_OUTPUT ? realloc(p, 2 * capacity + 1) : NULL;
        if (!more) free(p);
        p = more;
        capacity *= 2;
    }
    if (p) p[n] = '\0';
    *size = n;
    return p;
}

static int start(const char *folder, const char *const *words, int out, pid_t *child) {
    const char *argv[GIT_MAX_WORDS + 8] = {"git", "--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false",
                                           "-C",  folder};
    size_t n = 7;
    for (size_t i = 0; words[i] && n < GIT_MAX_WORDS + 7; i++) argv[n++] = words[i];
    posix_spawn_file_actions_t files;
    if (posix_spawn_file_actions_init(&files) != 0) return ENOMEM;
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(child, "git", &files, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

int git_run(const char *folder, const char *const *words, char **out, size_t *size) {
    int ends[2], state = 0;
    pid_t child;
    *out = NULL;
    *size = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    int error = start(folder, words, ends[1], &child);
    close(ends[1]);
    if (!error) *out = read_all(ends[0], size);
    close(ends[0]);
    if (error) return error == ENOENT ? GIT_MISSING : -1;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return -1;
    return *out && WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}
