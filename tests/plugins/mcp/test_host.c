/* test_host.c - serves the MCP front end with the memory toolset over the made-up memory: what
 * drive.py talks to. Arguments are options of the front end ("profile=team"); "noise" lets a tool
 * print to standard output.
 * */
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

#include "fake_host.h"

const eg_plugin *eg_plugin_memory(void);
const eg_plugin *eg_plugin_mcp(void);

static sem_t over; /* posted at the end of the input and by a signal */
static eg_status ended_with;

static void on_signal(int number) {
    (void)number;
    sem_post(&over);
}

static void on_end(void *self, eg_status status, const char *why) {
    (void)self;
    if (status != EG_OK) fprintf(stderr, "%s\n", why);
    ended_with = status;
    sem_post(&over);
}

static int has(eg_str arguments, const char *word) { return memmem(arguments.ptr, arguments.len, word, strlen(word)) != NULL; }

/* What a tool may give, and what breaks its contract on purpose, as its argument text says. */
static eg_status call_odd(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self, (void)services;
    static const eg_content blocks[] = {
        {.kind = EG_CONTENT_TEXT, .text = {"first", 5}},
        {.kind = EG_CONTENT_RESOURCE_LINK,
         .uri = {"test://a", 8},
         .name = {"a", 1},
         .text = {"a link", 6},
         .mime_type = {"text/plain", 10}},
    };
    static const eg_content nameless = {.kind = EG_CONTENT_RESOURCE_LINK, .uri = {"test://a", 8}};
    puts("a library prints to standard output");
    fflush(stdout);
    if (has(arguments, "fail")) return EG_EIO;
    if (has(arguments, "broken")) {
        out->structured = EG_STR("{\"broken\":");
    } else if (has(arguments, "array")) {
        out->structured = EG_STR("[1]");
    } else if (has(arguments, "nothing")) {
        out->structured = (eg_str){NULL, 0};
    } else if (has(arguments, "nameless")) {
        out->content = &nameless;
        out->content_count = 1;
    } else if (has(arguments, "unheard")) {
        out->kind = 77;
        out->structured = EG_STR("{}");
    } else if (has(arguments, "shapeless")) {
        out->kind = EG_RESULT_INPUT_REQUIRED;
        out->structured = EG_STR("{\"message\":\"?\"}");
    } else if (has(arguments, "blocks")) {
        out->content = blocks;
        out->content_count = 2;
        out->structured = EG_STR("{\"n\":2}");
    } else if (has(arguments, "refuse")) {
        out->kind = EG_RESULT_ERROR;
        out->structured = EG_STR("{\"reason\":\"closed\"}");
    } else if (has(arguments, "ask") && !has(arguments, "city")) {
        out->kind = EG_RESULT_INPUT_REQUIRED;
        out->structured = EG_STR("{\"message\":\"Which city?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
                                 "\"city\":{\"type\":\"string\"}},\"required\":[\"city\"]}}");
    } else {
        out->structured = eg_request_printf(rq, "{\n  \"arguments\":\r\n %.*s\n}", (int)arguments.len, arguments.ptr);
    }
    return EG_OK;
}

static const eg_tool odd_tool = {.size = sizeof(eg_tool),
                                 .flags = EG_TOOL_READ_ONLY,
                                 .profile = EG_PROFILE_ALL,
                                 .name = "test_odd",
                                 .title = "Odd",
                                 .description = "Echoes its arguments, printed over several lines.",
                                 .input_schema = "{\n\"type\":\"object\"\n}",
                                 .call = call_odd};

/* A resource without a variable, of two texts; it breaks its contract when the memory is empty,
 * which is never asked. */
static eg_status read_pair(void *self, const eg_services *services, eg_request *rq, eg_str uri, eg_tool_result *out) {
    (void)self, (void)services, (void)rq, (void)uri;
    static const eg_content texts[] = {{.kind = EG_CONTENT_TEXT, .text = {"one", 3}, .mime_type = {"text/plain", 10}},
                                       {.kind = EG_CONTENT_TEXT, .text = {"two", 3}, .uri = {"test://pair/2", 13}}};
    out->content = texts;
    out->content_count = 2;
    return EG_OK;
}

static eg_status read_broken(void *self, const eg_services *services, eg_request *rq, eg_str uri, eg_tool_result *out) {
    (void)self, (void)services, (void)rq, (void)uri;
    out->structured = EG_STR("[]");
    return EG_OK;
}

static const eg_resource resources[] = {
    {.size = sizeof(eg_resource), .name = "pair", .uri_template = "test://pair", .read = read_pair},
    {.size = sizeof(eg_resource), .name = "broken", .uri_template = "test://broken/{x}", .read = read_broken},
};

int main(int argc, char **argv) {
    static fake_host host;
    eg_error err = {0};
    eg_str options[8];
    size_t n = 0;
    struct sigaction action = {.sa_handler = on_signal};
    sem_init(&over, 0, 0);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    fake_host_init(&host);
    if (fake_host_open(&host, eg_plugin_memory(), &err) != EG_OK || fake_host_open(&host, eg_plugin_mcp(), &err) != EG_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    host.services.add_tool(&host.registrar, &odd_tool, NULL);
    for (int i = 1; i < argc && n < 8; i++) options[n++] = eg_str_of(argv[i]);
    for (size_t i = 0; i < 2; i++) /* other profiles show what the memory toolset alone offers */
        if (n && eg_str_eq(options[0], EG_STR("profile=all"))) host.services.add_resource(&host.registrar, &resources[i], NULL);
    const eg_frontend_args args = {.size = sizeof args, .grace_ms = 200, .options = options, .option_count = n, .ended = on_end};
    void *running = NULL;
    eg_status st = host.registrar.frontend->start(host.registrar.frontend_self, &host.services, &args, &running, &err);
    if (st == EG_OK) {
        while (sem_wait(&over) != 0) {} /* a signal interrupts it */
        host.registrar.frontend->stop(running);
        st = ended_with;
    } else {
        fprintf(stderr, "%s\n", err.text);
    }
    fake_host_release(&host);
    return st == EG_OK ? 0 : 1;
}
