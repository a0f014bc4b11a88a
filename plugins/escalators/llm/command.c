/* command.c - see command.h. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 100 /* how often the cancellation is looked at */ };

extern char **environ;

/* In a process group of its own, with the two pipes as its streams and the signals as usual. */
static int start(char *const argv[], int in, int out, pid_t *pid) {
    posix_spawn_file_actions_t streams;
    posix_spawnattr_t how;
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    int e = posix_spawn_file_actions_init(&streams);
    if (e) return e;
    if ((e = posix_spawnattr_init(&how)) == 0) {
        posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setpgroup(&how, 0);
        posix_spawnattr_setsigdefault(&how, &usual);
        posix_spawn_file_actions_adddup2(&streams, in, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&streams, out, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        e = posix_spawnp(pid, argv[0], &streams, &how, argv, environ);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&streams);
    return e;
}

static void close_one(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* Writes the question and reads the answer, side by side. */
static eg_status talk(eg_request *rq, int *to, int *from, eg_str question, char *bytes, size_t *size) {
    while (*from >= 0) {
        long left = llm_milliseconds_left(rq);
        struct pollfd fds[2] = {{.fd = *from, .events = POLLIN}, {.fd = *to, .events = POLLOUT}};
        if (left <= 1) return eg_request_fail(rq, EG_EUNAVAILABLE, "no answer in time: see llm.timeout_ms");
        if (eg_cancel_is_set(&rq->cancel)) return eg_request_fail(rq, EG_ECANCELLED, "stopped");
        if (poll(fds, 2, left < LOOK_MS ? (int)left : LOOK_MS) <= 0) continue;
        if (fds[1].revents) {
            ssize_t n = write(*to, question.ptr, question.len);
            if (n > 0) question = (eg_str){question.ptr + n, question.len - (size_t)n};
            if (question.len == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) close_one(to);
        }
        if (!fds[0].revents) continue;
        if (*size == LLM_MAX_ANSWER)
            return eg_request_fail(rq, EG_EFORMAT, "the command writes more than %d bytes", LLM_MAX_ANSWER);
        ssize_t n = read(*from, bytes + *size, LLM_MAX_ANSWER - *size);
        if (n > 0) *size += (size_t)n;
        else if (n == 0 || (errno != EAGAIN && errno != EINTR)) close_one(from);
    }
    return EG_OK;
}

/* It closed its output: it ends soon, or is killed. */
static eg_status wait_for(eg_request *rq, pid_t pid) {
    int status = 0;
    for (;;) {
        pid_t done = waitpid(pid, &status, WNOHANG);
        if (done == pid) break;
        if (done < 0 && errno != EINTR) return eg_request_fail(rq, EG_EUNAVAILABLE, "the command cannot be waited for");
        if (llm_milliseconds_left(rq) <= 1 || eg_cancel_is_set(&rq->cancel)) {
            kill(-pid, SIGKILL);
            waitpid(pid, &status, 0);
            return eg_request_fail(rq, EG_EUNAVAILABLE, "no answer in time: see llm.timeout_ms");
        }
        usleep(2000);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return EG_OK;
    return eg_request_fail(rq, EG_EUNAVAILABLE, "the command failed (%s %d): run it by hand to see why",
                           WIFEXITED(status) ? "exit status" : "signal",
                           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

eg_status llm_run_command(eg_request *rq, char *const argv[], eg_str question, eg_str *answer) {
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    pid_t pid = 0;
    size_t size = 0;
    char *bytes = eg_request_array(rq, LLM_MAX_ANSWER, 1);
    if (!bytes) return EG_ENOMEM;
    eg_status s = EG_OK;
    int e = pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) ? errno : 0;
    if (!e) e = start(argv, in[0], out[1], &pid);
    close_one(&in[0]);
    close_one(&out[1]);
    if (e) {
        s = eg_request_fail(rq, EG_EUNAVAILABLE, "cannot start '%s' of llm.command: %s", argv[0], strerror(e));
    } else {
        fcntl(in[1], F_SETFL, O_NONBLOCK);
        fcntl(out[0], F_SETFL, O_NONBLOCK);
        s = talk(rq, &in[1], &out[0], question, bytes, &size);
        close_one(&in[1]);
        if (s == EG_OK) {
            s = wait_for(rq, pid);
        } else {
            kill(-pid, SIGKILL);
            waitpid(pid, NULL, 0);
        }
    }
    close_one(&in[1]);
    close_one(&out[0]);
    if (s == EG_OK) *answer = (eg_str){bytes, size};
    return s;
}
