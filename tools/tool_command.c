/* tool_command.c - `engram tool`: lists the tools that toolsets registered, or calls one with JSON
 * arguments and prints its JSON result. The memory commands (memory_commands.c) call the same tools
 * with options instead. */
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "tools/cli.h"

enum { MAX_ARGUMENTS = 1 << 20 /* bytes of JSON */ };

/* The first sentence of a description. */
static eg_str first_sentence(const char *text) {
    const char *end = strstr(text, ". ");
    return (eg_str){text, end ? (size_t)(end - text) + 1 : strlen(text)};
}

static void list_json(const eg_services *services) {
    puts("{\"tools\":[");
    for (size_t i = 0, n = services->tool_count(services->host); i < n; i++) {
        const eg_tool *t = services->tool(services->host, i);
        eg_buffer b = {0};
        eg_buffer_text(&b, " {\"name\":");
        eg_buffer_json(&b, eg_str_of(t->name));
        eg_buffer_text(&b, ",\"description\":");
        eg_buffer_json(&b, eg_str_of(t->description));
        eg_buffer_format(&b, ",\"input_schema\":%s}%s", t->input_schema, i + 1 < n ? "," : "");
        printf("%.*s\n", (int)b.len, b.len ? b.ptr : "");
        eg_buffer_release(&b);
    }
    puts("]}");
}

static int list(const call *c) {
    eg_host *host = call_host(c, 0, 0, NULL, 0);
    if (!host) return EXIT_ERROR;
    const eg_services *services = eg_host_services(host);
    if (c->json) list_json(services);
    for (size_t i = 0; !c->json && i < services->tool_count(services->host); i++) {
        const eg_tool *t = services->tool(services->host, i);
        eg_str what = first_sentence(t->description);
        printf("%-20s %.*s\n", t->name, (int)what.len, what.ptr);
    }
    eg_host_close(host);
    return EXIT_FINE;
}

static int is_tool(const eg_services *services, const char *name) {
    for (size_t i = 0; i < services->tool_count(services->host); i++)
        if (strcmp(services->tool(services->host, i)->name, name) == 0) return 1;
    return 0;
}

static int call_tool(eg_host *host, const char *name, eg_str arguments) {
    const eg_services *services = eg_host_services(host);
    eg_error err = {0};
    eg_request *rq = NULL;
    eg_tool_result result = EG_TOOL_RESULT_INIT;
    const eg_request_options options = {.size = sizeof options, .cancel.flag = &stop_flag};
    int status = EXIT_FINE;
    if (!is_tool(services, name)) return complain("there is no tool '%.60s': `engram tool` lists them", name);
    if (services->request_create(services->host, &options, &rq, &err) != EG_OK) return complain("%s", err.text);
    if (services->call_tool(services->host, rq, name, arguments, &result) == EG_OK) {
        if (result.structured.len) printf("%.*s\n", (int)result.structured.len, result.structured.ptr);
        for (size_t i = 0; !result.structured.len && i < result.content_count; i++)
            printf("%.*s\n", (int)result.content[i].text.len, result.content[i].text.ptr);
        if (result.kind != EG_RESULT_COMPLETE) status = EXIT_FOUND;
    } else {
        complain("%s", rq->err->text);
        status = EXIT_FOUND;
    }
    services->request_release(services->host, rq);
    return status;
}

int run_tool(const call *c) {
    const char *name = c->positional[0], *given = c->positional_count > 1 ? c->positional[1] : "{}";
    char *text = NULL;
    size_t size = strlen(given);
    if (c->positional_count == 0) return list(c);
    if (c->positional_count > 2)
        return complain("tool takes a name and one JSON object: quote the object, as in '{\"topic\": \"port\"}'");
    if (strcmp(given, "-") == 0) {
        if (!(text = read_stream(stdin, "standard input", MAX_ARGUMENTS, &size))) return EXIT_ERROR;
        given = text;
    }
    int status = EXIT_ERROR;
    eg_error err = {0};
    if (eg_json_check_object("arguments", (eg_str){given, size}, &err) != EG_OK) {
        complain("the arguments of the tool '%.60s' are not a JSON object: %s", name, err.text);
    } else {
        eg_host *host = call_host(c, 0, 0, NULL, 0);
        if (host) status = call_tool(host, name, (eg_str){given, size});
        eg_host_close(host);
    }
    free(text);
    return status;
}
