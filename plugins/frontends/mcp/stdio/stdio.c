/* stdio.c - the plugin `mcp`: serves one session of the Model Context Protocol on standard input
 * and output. The messages are the business of ../protocol, the lines of channel.c.
 *
 * While it serves, file descriptor 1 is standard error: whatever a library prints cannot get
 * between messages. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "../protocol/protocol.h"
#include "channel.h"

enum {
    WORKERS = 8, /* threads: as many as one session's calls may use */
    USUAL_ANSWER_S = 600,
    MAX_ANSWER_S = 86400
};

/* The settings, read when the plugin is opened. */
typedef struct settings {
    mcp_asking asking;
    uint32_t answer_s; /* how long an answer counts */
} settings;

static eg_status fail(eg_error *err, eg_status code, const char *text) {
    if (err) {
        err->code = code;
        snprintf(err->text, sizeof err->text, "%s", text);
    }
    return code;
}

/* "profile=core|team|all" to an eg_profile. */
static eg_status read_options(const eg_str *options, size_t n, uint32_t *profile, eg_error *err) {
    static const struct {
        eg_str option;
        uint32_t profile;
    } known[] = {
        {{"profile=core", 12}, EG_PROFILE_CORE}, {{"profile=team", 12}, EG_PROFILE_TEAM}, {{"profile=all", 11}, EG_PROFILE_ALL}};
    *profile = EG_PROFILE_CORE;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < 3 && !eg_str_eq(known[k].option, options[i])) k++;
        if (k == 3) {
            char text[160];
            snprintf(text, sizeof text, "mcp: unknown option '%.*s'; use profile=core, profile=team or profile=all",
                     options[i].len < 60 ? (int)options[i].len : 60, options[i].ptr);
            return fail(err, EG_EINVAL, text);
        }
        *profile = known[k].profile;
    }
    return EG_OK;
}

/* Duplicates standard output and puts standard error in its place. Returns the duplicate, or -1. */
static int take_stdout(void) {
    fflush(stdout);
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (out < 0) return -1;
    if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) return out;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0) {
        close(null);
        return out;
    }
    if (null >= 0) close(null);
    close(out);
    return -1;
}

static void give_stdout_back(int out) {
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
}

/* A front end that serves. */
typedef struct serving {
    mcp_server *server;
    mcp_session *session;
    channel channel;
    int out; /* what was standard output; -1: not taken yet */
    int has_channel;
    uint32_t grace_ms;
    void (*ended)(void *ended_self, eg_status status, const char *why);
    void *ended_self;
    pthread_t thread;
} serving;

/* One stream carries all messages of the session, whatever they are about. */
static void sink_write(void *self, eg_str message, mcp_origin origin) {
    (void)origin;
    mcp_channel_write(self, message);
}
static int sink_gone(void *self) { return mcp_channel_gone(self); }
static int sink_can_ask(void *self) { return !mcp_channel_gone(self); }

/* Everything but the thread. */
static void release(serving *s) {
    mcp_session_destroy(s->session);
    if (s->has_channel) mcp_channel_release(&s->channel);
    if (s->out >= 0) give_stdout_back(s->out);
    mcp_server_destroy(s->server);
    free(s);
}

/* The reading thread: until the input ends or the front end is stopped; then every accepted request
 * is answered. */
static void *serve(void *self) {
    serving *s = self;
    line_kind kind;
    eg_str line;
    while ((kind = mcp_channel_read(&s->channel, &line)) == LINE_READ || kind == LINE_TOO_LONG || kind == LINE_IDLE) {
        if (kind == LINE_READ) mcp_session_receive(s->session, line);
        if (kind == LINE_TOO_LONG)
            mcp_session_refuse(s->session, "a message was longer than 4194304 bytes and was skipped; send a shorter one");
        mcp_session_tick(s->session);
    }
    mcp_session_destroy(s->session);
    s->session = NULL;
    if (kind == LINE_END) s->ended(s->ended_self, EG_OK, "");
    if (kind == LINE_FAILED)
        s->ended(s->ended_self, EG_EIO, "mcp: standard input cannot be read; start the server with an open standard input");
    return NULL;
}

static eg_status prepare(serving *s, const settings *set, const eg_services *services, const eg_frontend_args *args,
                         eg_error *err) {
    uint32_t profile;
    eg_status st = read_options(args->options, args->option_count, &profile, err);
    if (st == EG_OK) st = mcp_server_create(services, profile, WORKERS, &s->server, err);
    if (st != EG_OK) return st;
    mcp_server_ask(s->server, set->asking, set->answer_s * 1000);
    s->out = take_stdout();
    if (s->out < 0)
        return fail(err, EG_EIO,
                    "mcp: standard output is closed or cannot be duplicated; start the server with an open standard output");
    st = mcp_channel_init(&s->channel, STDIN_FILENO, s->out, MCP_MAX_MESSAGE);
    if (st != EG_OK) return fail(err, st, "mcp: out of memory for the connection");
    s->has_channel = 1;
    return mcp_session_create(s->server, (mcp_sink){sink_write, sink_gone, sink_can_ask, &s->channel}, &s->session, err);
}

static eg_status start(void *self, const eg_services *services, const eg_frontend_args *args, void **running, eg_error *err) {
    serving *s = calloc(1, sizeof *s);
    if (!s) return fail(err, EG_ENOMEM, "mcp: out of memory");
    s->out = -1;
    s->grace_ms = args->grace_ms;
    s->ended = args->ended;
    s->ended_self = args->ended_self;
    eg_status st = prepare(s, self, services, args, err);
    if (st == EG_OK && pthread_create(&s->thread, NULL, serve, s) != 0)
        st = fail(err, EG_EBUSY, "mcp: no thread can be started; try again when the machine is less busy");
    if (st == EG_OK) *running = s;
    else release(s);
    return st;
}

static void stop(void *running) {
    serving *s = running;
    mcp_channel_stop(&s->channel, s->grace_ms);
    pthread_join(s->thread, NULL);
    release(s);
}

/* Both settings are read in any case, so that the host knows their names. */
static eg_status read_settings(const eg_services *services, settings *set, eg_error *err) {
    static const char *const words[] = {"receipt", "elicitation", "sampling"};
    eg_str how = {0}, seconds = {0};
    char text[200];
    *set = (settings){.answer_s = USUAL_ANSWER_S};
    int has_how = services->config(services->host, "mcp.reviews", &how) == EG_OK;
    int has_seconds = services->config(services->host, "mcp.review_timeout_s", &seconds) == EG_OK;
    size_t i = 0;
    while (has_how && i < 3 && !eg_str_eq(how, eg_str_of(words[i]))) i++;
    if (i == 3) {
        snprintf(text, sizeof text, "mcp.reviews is '%.*s': it must be receipt, elicitation or sampling",
                 how.len < 40 ? (int)how.len : 40, how.ptr);
        return fail(err, EG_EINVAL, text);
    }
    set->asking = (mcp_asking)i;
    if (!has_seconds) return EG_OK;
    set->answer_s = 0;
    for (i = 0; i < seconds.len && seconds.ptr[i] >= '0' && seconds.ptr[i] <= '9' && set->answer_s <= MAX_ANSWER_S; i++)
        set->answer_s = set->answer_s * 10 + (uint32_t)(seconds.ptr[i] - '0');
    if (i == seconds.len && set->answer_s >= 1 && set->answer_s <= MAX_ANSWER_S) return EG_OK;
    snprintf(text, sizeof text, "mcp.review_timeout_s is '%.*s': it must be a whole number of seconds from 1 to %d",
             seconds.len < 40 ? (int)seconds.len : 40, seconds.ptr, MAX_ANSWER_S);
    return fail(err, EG_EINVAL, text);
}

static eg_status frontend_open(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    static const eg_frontend frontend = {.size = sizeof frontend, .name = "mcp", .start = start, .stop = stop};
    settings *set = calloc(1, sizeof *set);
    *self = NULL;
    if (!set) return fail(err, EG_ENOMEM, "mcp: out of memory");
    eg_status st = read_settings(services, set, err);
    if (st == EG_OK) {
        st = services->add_frontend(registrar, &frontend, set);
        if (st != EG_OK)
            fail(err, st, "the mcp front end could not be registered; remove the other plugin that offers a front end named mcp");
    }
    if (st == EG_OK) *self = set;
    else free(set);
    return st;
}

static void frontend_close(void *self) { free(self); }

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_FRONTEND, "mcp", "0.1.0", "Apache-2.0"), .open = frontend_open,
                                     .close = frontend_close};
    return &plugin;
}
