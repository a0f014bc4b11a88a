/* stdio.c - the plugin `mcp`: serves one session of the Model Context Protocol on standard input
 * and output. The messages are the business of ../protocol, the lines of channel.c.
 *
 * While it serves, file descriptor 1 is standard error: whatever a library prints cannot get
 * between messages. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "../protocol/protocol.h"
#include "channel.h"

enum { WORKERS = 8 }; /* threads: as many as one session's calls may use */

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

static void sink_write(void *self, eg_str message) { mcp_channel_write(self, message); }
static int sink_gone(void *self) { return mcp_channel_gone(self); }

static eg_status serve_lines(channel *c, mcp_session *session, eg_error *err) {
    for (;;) {
        eg_str line;
        switch (mcp_channel_read(c, &line)) {
        case LINE_READ: mcp_session_receive(session, line); break;
        case LINE_TOO_LONG:
            mcp_session_refuse(session, "a message was longer than 4194304 bytes and was skipped; send a shorter one");
            break;
        case LINE_END:
        case LINE_STOPPED: return EG_OK;
        case LINE_FAILED:
            return fail(err, EG_EIO, "mcp: standard input cannot be read; start the server with an open standard input");
        }
    }
}

static eg_status serve(mcp_server *server, int out, const volatile int *stop, eg_error *err) {
    channel c;
    mcp_session *session;
    eg_status st = mcp_channel_init(&c, STDIN_FILENO, out, MCP_MAX_MESSAGE, stop);
    if (st != EG_OK) return fail(err, st, "mcp: out of memory for the connection");
    st = mcp_session_create(server, (mcp_sink){sink_write, sink_gone, &c}, &session, err);
    if (st == EG_OK) {
        st = serve_lines(&c, session, err);
        mcp_session_destroy(session);
    }
    mcp_channel_release(&c);
    return st;
}

static eg_status run(void *self, const eg_services *services, const eg_str *options, size_t option_count,
                     const volatile int *stop, eg_error *err) {
    (void)self;
    mcp_server *server;
    uint32_t profile;
    eg_status st = read_options(options, option_count, &profile, err);
    if (st == EG_OK) st = mcp_server_create(services, profile, WORKERS, &server, err);
    if (st != EG_OK) return st;
    int out = take_stdout();
    if (out >= 0) {
        st = serve(server, out, stop, err);
        give_stdout_back(out);
    } else {
        st = fail(err, EG_EIO,
                  "mcp: standard output is closed or cannot be duplicated; start the server with an open standard output");
    }
    mcp_server_destroy(server);
    return st;
}

static eg_status frontend_open(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    static const eg_frontend frontend = {.size = sizeof frontend, .name = "mcp", .run = run};
    *self = NULL;
    eg_status st = services->add_frontend(registrar, &frontend, NULL);
    return st == EG_OK
               ? st
               : fail(err, st,
                      "the mcp front end could not be registered; remove the other plugin that offers a front end named mcp");
}

static void frontend_close(void *self) { (void)self; }

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_FRONTEND, "mcp", "0.1.0", "Apache-2.0"), .open = frontend_open,
                                     .close = frontend_close};
    return &plugin;
}
