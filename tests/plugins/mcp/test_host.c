/* test_host.c - serves the MCP front end with the memory toolset over the made-up memory: what
 * drive.py talks to. Arguments are options of the front end ("profile=team"); "noise" lets a tool
 * print to standard output.
 * */
#include <signal.h>
#include <stdlib.h>

#include "fake_host.h"

const eg_plugin *eg_plugin_memory(void);
const eg_plugin *eg_plugin_mcp(void);

static volatile int stop;
static void on_signal(int number) {
    (void)number;
    stop = 1;
}

/* Breaks its contract on purpose, as its argument text says. */
static eg_status call_odd(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_str *result) {
    (void)self, (void)services;
    puts("a library prints to standard output");
    fflush(stdout);
    if (memmem(arguments.ptr, arguments.len, "broken", 6)) {
        *result = EG_STR("{\"broken\":");
    } else if (memmem(arguments.ptr, arguments.len, "array", 5)) {
        *result = EG_STR("[1]");
    } else if (memmem(arguments.ptr, arguments.len, "fail", 4)) {
        return EG_EIO;
    } else {
        *result = eg_request_printf(rq, "{\n  \"arguments\":\r\n %.*s\n}", (int)arguments.len, arguments.ptr);
    }
    return EG_OK;
}

static const eg_tool odd_tool = {sizeof(eg_tool),
                                 EG_TOOL_READ_ONLY,
                                 EG_PROFILE_ALL,
                                 0,
                                 "test_odd",
                                 "Odd",
                                 "Echoes its arguments, printed over several lines.",
                                 "{\n\"type\":\"object\"\n}",
                                 NULL,
                                 call_odd};

int main(int argc, char **argv) {
    static fake_host host;
    eg_error err = {0};
    eg_str options[8];
    size_t n = 0;
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    fake_host_init(&host);
    if (fake_host_open(&host, eg_plugin_memory(), &err) != EG_OK || fake_host_open(&host, eg_plugin_mcp(), &err) != EG_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    host.services.add_tool(&host.registrar, &odd_tool, NULL);
    for (int i = 1; i < argc && n < 8; i++) options[n++] = eg_str_of(argv[i]);
    eg_status st = host.registrar.frontend->run(NULL, &host.services, options, n, &stop, &err);
    if (st != EG_OK) fprintf(stderr, "%s\n", err.text);
    fake_host_release(&host);
    return st == EG_OK ? 0 : 1;
}
