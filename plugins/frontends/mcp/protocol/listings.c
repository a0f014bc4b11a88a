/* listings.c - the lists of tools, resources and prompts. See answers.h. */
#include "answers.h"

static void list_begin(pj_out *o, const reply_to *to, const char *key) {
    mcp_answer_begin(o, to, COMPLETE);
    mcp_put_cache(o, to, LIST_TTL_MS);
    pj_key(o, key);
    pj_begin(o, '[');
}

static void list_end(pj_out *o) {
    pj_end(o, ']');
    mcp_answer_end(o);
}

/* The members that tools, resources and prompts have alike. */
static void put_names(pj_out *o, const reply_to *to, const char *name, const char *title, const char *description) {
    pj_kstr(o, "name", eg_str_of(name));
    if (title && (to->rev->flags & REV_STRUCTURED)) pj_kstr(o, "title", eg_str_of(title));
    if (description) pj_kstr(o, "description", eg_str_of(description));
}

/* What a revision puts beside the annotations is not repeated in them, nor what a read-only tool
 * makes meaningless, nor what is the default of the protocol (not idempotent): every client pays
 * for these bytes in each session. */
static void put_annotations(pj_out *o, const reply_to *to, const eg_tool *tool) {
    int reads = (tool->flags & EG_TOOL_READ_ONLY) != 0;
    pj_key(o, "annotations");
    pj_begin(o, '{');
    if (!(to->rev->flags & REV_STRUCTURED)) pj_kstr(o, "title", eg_str_of(tool->title));
    pj_kbool(o, "readOnlyHint", reads);
    if (!reads) {
        pj_kbool(o, "destructiveHint", (tool->flags & EG_TOOL_DESTRUCTIVE) != 0);
        if (tool->flags & EG_TOOL_IDEMPOTENT) pj_kbool(o, "idempotentHint", 1);
    }
    pj_kbool(o, "openWorldHint", (tool->flags & EG_TOOL_OPEN_WORLD) != 0);
    pj_end(o, '}');
}

static void put_tool(pj_out *o, const reply_to *to, const eg_tool *tool) {
    pj_begin(o, '{');
    put_names(o, to, tool->name, tool->title, tool->description);
    pj_key(o, "inputSchema");
    pj_json(o, eg_str_of(tool->input_schema));
    if ((to->rev->flags & REV_STRUCTURED) && tool->output_schema) {
        pj_key(o, "outputSchema");
        pj_json(o, eg_str_of(tool->output_schema));
    }
    if (to->rev->flags & REV_ANNOTATIONS) put_annotations(o, to, tool);
    pj_end(o, '}');
}

void mcp_answer_tools(pj_out *o, const reply_to *to, const offer *all) {
    list_begin(o, to, "tools");
    for (size_t i = 0; i < all->tool_count; i++) put_tool(o, to, all->tools[i]);
    list_end(o);
}

static void put_resource(pj_out *o, const reply_to *to, const char *uri_key, const eg_resource *r) {
    pj_begin(o, '{');
    pj_kstr(o, uri_key, eg_str_of(r->uri_template));
    put_names(o, to, r->name, r->title, r->description);
    if (r->mime_type) pj_kstr(o, "mimeType", eg_str_of(r->mime_type));
    pj_end(o, '}');
}

static int is_template(const eg_resource *r) { return strchr(r->uri_template, '{') != NULL; }

void mcp_answer_resources(pj_out *o, const reply_to *to, const offer *all) {
    list_begin(o, to, "resources");
    for (size_t i = 0; i < all->resource_count; i++)
        if (!is_template(all->resources[i])) put_resource(o, to, "uri", all->resources[i]);
    list_end(o);
}

void mcp_answer_templates(pj_out *o, const reply_to *to, const offer *all) {
    list_begin(o, to, "resourceTemplates");
    for (size_t i = 0; i < all->resource_count; i++)
        if (is_template(all->resources[i])) put_resource(o, to, "uriTemplate", all->resources[i]);
    list_end(o);
}

static void put_prompt(pj_out *o, const reply_to *to, const eg_prompt *p) {
    pj_begin(o, '{');
    put_names(o, to, p->name, p->title, p->description);
    if (p->argument_count) {
        pj_key(o, "arguments");
        pj_begin(o, '[');
        for (size_t i = 0; i < p->argument_count; i++) {
            pj_begin(o, '{');
            put_names(o, to, p->arguments[i].name, NULL, p->arguments[i].description);
            pj_kbool(o, "required", p->arguments[i].required != 0);
            pj_end(o, '}');
        }
        pj_end(o, ']');
    }
    pj_end(o, '}');
}

void mcp_answer_prompts(pj_out *o, const reply_to *to, const offer *all) {
    list_begin(o, to, "prompts");
    for (size_t i = 0; i < all->prompt_count; i++) put_prompt(o, to, all->prompts[i]);
    list_end(o);
}
