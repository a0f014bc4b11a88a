/* everything.c - a plugin of the tests: the tools, resources and prompts that the official
 * conformance suite asks a server for (@modelcontextprotocol/conformance), as far as toolsets
 * can give them: texts, errors, progress, questions to a person. Its images, sounds, embedded
 * resources, log messages, completion and subscriptions are not in the contract of toolsets
 * (engram/tool.h). */
#include <string.h>
#include <unistd.h>

#include "engram/plugin.h"

static eg_status text_result(eg_request *rq, eg_str text, const char *mime_type, eg_tool_result *out) {
    eg_content *block = rq->alloc(rq, sizeof *block);
    if (!block) return EG_ENOMEM;
    *block = (eg_content){.kind = EG_CONTENT_TEXT, .text = text, .mime_type = eg_str_of(mime_type)};
    out->content = block;
    out->content_count = 1;
    return EG_OK;
}

static int has(eg_str arguments, const char *word) { return memmem(arguments.ptr, arguments.len, word, strlen(word)) != NULL; }

/* ---- tools ---- */

static eg_status simple_text(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self, (void)services, (void)arguments;
    return text_result(rq, EG_STR("This is a simple text response for testing."), "", out);
}

static eg_status error_handling(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self, (void)services, (void)arguments;
    out->kind = EG_RESULT_ERROR;
    return text_result(rq, EG_STR("This tool intentionally returns an error for testing"), "", out);
}

static eg_status with_progress(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self, (void)services, (void)arguments;
    for (size_t done = 0; done <= 100; done += 50) {
        if (rq->progress) rq->progress(rq->progress_self, done, 100);
        usleep(50000);
    }
    return text_result(rq, EG_STR("It is done."), "", out);
}

/* self: a question. The call is made again with the answers among its arguments. */
static eg_status ask(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    static const char *const answered[] = {"\"username\"", "\"name\"", "\"untitledSingle\"", NULL};
    (void)services;
    for (const char *const *name = answered; *name; name++)
        if (has(arguments, *name))
            return text_result(
                rq,
                eg_request_printf(rq, "Elicitation completed: action=accept, content=%.*s", (int)arguments.len, arguments.ptr),
                "", out);
    out->kind = EG_RESULT_INPUT_REQUIRED;
    out->structured = eg_str_of(self);
    return EG_OK;
}

static char ask_user[] =
    "{\"message\":\"Please provide your information\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"username\":{"
    "\"type\":\"string\",\"description\":\"User's response\"},\"email\":{\"type\":\"string\",\"description\":\"User's email "
    "address\"}},\"required\":[\"username\",\"email\"]}}";
static char ask_defaults[] =
    "{\"message\":\"Please review the values\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":"
    "\"string\",\"default\":\"John Doe\"},\"age\":{\"type\":\"integer\",\"default\":30},\"score\":{\"type\":\"number\","
    "\"default\":95.5},\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],\"default\":\"active\"},"
    "\"verified\":{\"type\":\"boolean\",\"default\":true}},\"required\":[]}}";
#define TITLED(word)                                        \
    "{\"const\":\"value1\",\"title\":\"First " word "\"},"  \
    "{\"const\":\"value2\",\"title\":\"Second " word "\"}," \
    "{\"const\":\"value3\",\"title\":\"Third " word "\"}"
static char ask_enums[] =
    "{\"message\":\"Please choose\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
    "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]},"
    "\"titledSingle\":{\"type\":\"string\",\"oneOf\":[" TITLED(
        "Option") "]},"
                  "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
                  "\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"
                  "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]}},"
                  "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":[" TITLED("Choice") "]}}},\"required\":[]}}";

#define NO_ARGUMENTS "{\"type\":\"object\"}"
#define TOOL(tool_name, about, schema, function)                                                                          \
    {                                                                                                                     \
        .size = sizeof(eg_tool), .flags = EG_TOOL_READ_ONLY, .name = tool_name, .title = tool_name, .description = about, \
        .input_schema = schema, .call = function                                                                          \
    }
static const struct {
    eg_tool tool;
    char *self;
} tools[] = {
    {TOOL("test_simple_text", "Returns a text.", NO_ARGUMENTS, simple_text), NULL},
    {TOOL("test_error_handling", "Fails.", NO_ARGUMENTS, error_handling), NULL},
    {TOOL("test_tool_with_progress", "Reports progress.", NO_ARGUMENTS, with_progress), NULL},
    {TOOL("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features",
          "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"$defs\":{\"address\":{\"type\":"
          "\"object\",\"properties\":{\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},\"properties\":{"
          "\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$defs/address\"}},\"additionalProperties\":false}",
          simple_text),
     NULL},
    {TOOL("test_elicitation", "Asks the person.",
          "{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"}},\"required\":[\"message\"]}", ask),
     ask_user},
    {TOOL("test_elicitation_sep1034_defaults", "Asks with defaults.", NO_ARGUMENTS, ask), ask_defaults},
    {TOOL("test_elicitation_sep1330_enums", "Asks with enums.", NO_ARGUMENTS, ask), ask_enums},
};

/* ---- resources and prompts ---- */

static eg_status static_text(void *self, const eg_services *services, eg_request *rq, eg_str uri, eg_tool_result *out) {
    (void)self, (void)services, (void)uri;
    return text_result(rq, EG_STR("This is the content of the static text resource."), "text/plain", out);
}

static eg_status template_data(void *self, const eg_services *services, eg_request *rq, eg_str uri, eg_tool_result *out) {
    (void)self, (void)services;
    size_t before = strlen("test://template/"), n = uri.len - before - strlen("/data");
    out->structured = eg_request_printf(rq, "{\"id\":\"%.*s\",\"templateTest\":true,\"data\":\"Data for ID: %.*s\"}", (int)n,
                                        uri.ptr + before, (int)n, uri.ptr + before);
    return EG_OK;
}

static const eg_resource resources[] = {
    {.size = sizeof(eg_resource),
     .name = "static-text",
     .uri_template = "test://static-text",
     .mime_type = "text/plain",
     .read = static_text},
    {.size = sizeof(eg_resource),
     .name = "template",
     .uri_template = "test://template/{id}/data",
     .mime_type = "application/json",
     .read = template_data},
};

static eg_status simple_prompt(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self, (void)services, (void)arguments;
    return text_result(rq, EG_STR("This is a simple prompt for testing."), "", out);
}

/* The text of an argument, as it stands in the JSON; the suite's texts have no escapes. */
static eg_str argument_of(eg_str arguments, const char *name) {
    const char *at = memmem(arguments.ptr, arguments.len, name, strlen(name));
    size_t left = at ? (size_t)(arguments.ptr + arguments.len - at) : 0;
    at = left ? memchr(at + strlen(name), ':', left - strlen(name)) : NULL;
    at = at ? memchr(at, '"', (size_t)(arguments.ptr + arguments.len - at)) : NULL;
    const char *end = at ? memchr(at + 1, '"', (size_t)(arguments.ptr + arguments.len - at - 1)) : NULL;
    return end ? (eg_str){at + 1, (size_t)(end - at - 1)} : EG_STR("");
}

static eg_status prompt_with_arguments(void *self, const eg_services *services, eg_request *rq, eg_str arguments,
                                       eg_tool_result *out) {
    (void)self, (void)services;
    eg_str one = argument_of(arguments, "\"arg1\""), two = argument_of(arguments, "\"arg2\"");
    return text_result(
        rq,
        eg_request_printf(rq, "Prompt with arguments: arg1='%.*s', arg2='%.*s'", (int)one.len, one.ptr, (int)two.len, two.ptr),
        "", out);
}

static const eg_prompt_argument prompt_arguments[] = {{.name = "arg1", .description = "First test argument", .required = 1},
                                                      {.name = "arg2", .description = "Second test argument", .required = 1}};
static const eg_prompt prompts[] = {
    {.size = sizeof(eg_prompt), .name = "test_simple_prompt", .title = "Simple", .description = "A text.", .get = simple_prompt},
    {.size = sizeof(eg_prompt),
     .name = "test_prompt_with_arguments",
     .title = "With arguments",
     .description = "A text.",
     .arguments = prompt_arguments,
     .argument_count = 2,
     .get = prompt_with_arguments},
};

static eg_status open_plugin(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    eg_status st = EG_OK;
    (void)err, *self = NULL;
    for (size_t i = 0; i < sizeof tools / sizeof *tools && st == EG_OK; i++)
        st = services->add_tool(registrar, &tools[i].tool, tools[i].self);
    for (size_t i = 0; i < sizeof resources / sizeof *resources && st == EG_OK; i++)
        st = services->add_resource(registrar, &resources[i], NULL);
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts && st == EG_OK; i++)
        st = services->add_prompt(registrar, &prompts[i], NULL);
    return st;
}

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_TOOLSET, "everything", "1", "Apache-2.0"), .open = open_plugin};
    return &plugin;
}
