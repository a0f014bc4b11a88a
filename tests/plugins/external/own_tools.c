/* own_tools.c - tools for `engram plugins check`: two that read, of which one misses an argument,
 * and two that must not be called. Definitions (SCHEMA, ANSWER, KIND, SILENT) give the first one a
 * fault; with SETTING it does not open unless that is set. For tests/tools/test_cli.py. */
#include <stdlib.h>

#include "engram/plugin.h"

#ifndef NAME
#define NAME "own"
#endif
#ifndef SCHEMA
#define SCHEMA "{\"type\": \"object\"}"
#endif
#ifndef ANSWER
#define ANSWER "{\"size\": 3}"
#endif
#ifndef KIND
#define KIND EG_RESULT_COMPLETE
#endif

static eg_status measure(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *result) {
    (void)self, (void)services, (void)rq;
    if (!eg_str_eq(arguments, EG_STR("{}"))) abort();
#ifdef SILENT
    return EG_EIO;
#endif
    result->kind = KIND;
    result->structured = EG_STR(ANSWER);
    return EG_OK;
}

static eg_status look_up(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *result) {
    (void)self, (void)services, (void)arguments, (void)result;
    return eg_request_fail(rq, EG_EINVAL, "name: is missing: say what to look up");
}

static eg_status never(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *result) {
    (void)self, (void)services, (void)rq, (void)arguments, (void)result;
    abort();
}

#define TOOL(tool_name, tool_flags, schema, function)                                                                \
    {                                                                                                                \
        .size = sizeof(eg_tool), .flags = (tool_flags), .needs = EG_NEEDS_READ, .name = (tool_name), .title = "T",   \
        .description = "D.", .input_schema = (schema), .output_schema = "{\"type\": \"object\"}", .call = (function) \
    }
static const eg_tool tools[] = {
    TOOL("measure", EG_TOOL_READ_ONLY, SCHEMA, measure),
    TOOL("look_up", EG_TOOL_READ_ONLY, "{\"properties\": {\"type\": {}}, \"type\": \"object\"}", look_up),
    TOOL("write", 0, "{\"type\": \"object\"}", never),
    TOOL("fetch", EG_TOOL_READ_ONLY | EG_TOOL_OPEN_WORLD, "{\"type\": \"object\"}", never)};

static eg_status open_plugin(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    eg_status s = EG_OK;
    (void)err, *self = NULL;
#ifdef SETTING
    eg_str value;
    s = services->config(services->host, SETTING, &value);
#endif
    for (size_t i = 0; s == EG_OK && i < sizeof tools / sizeof *tools; i++) s = services->add_tool(registrar, &tools[i], NULL);
    return s;
}

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_TOOLSET, NAME, "1", "MIT"), .open = open_plugin};
    return &plugin;
}
