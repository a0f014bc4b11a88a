/* results.c - what tools, resources and prompts give, as results of each revision. See answers.h.
 */
#include "answers.h"

static const char BROKEN[] =
    "the result of the tool is not a JSON object, or its content has no text or address; this is a defect of its plugin, please "
    "report it";

/* 1 when text is a JSON object. */
static int is_object(eg_str text) {
    pj_problem ignored;
    if (!text.ptr || !pj_valid(text, &ignored)) return 0;
    size_t i = 0;
    while (i < text.len && strchr(" \t\r\n", text.ptr[i])) i++;
    return text.ptr[i] == '{';
}

/* 1 when the result keeps to tool.h. A plugin that breaks its contract must not break the protocol.
 */
static int is_good(const eg_tool_result *r) {
    for (size_t i = 0; i < r->content_count; i++) {
        const eg_content *c = &r->content[i];
        if (c->kind == EG_CONTENT_TEXT ? !c->text.ptr : c->kind != EG_CONTENT_RESOURCE_LINK || !c->uri.len || !c->name.len)
            return 0;
    }
    return r->structured.ptr ? is_object(r->structured) : r->content_count > 0;
}

static void put_text(pj_out *o, eg_str text) {
    pj_begin(o, '{');
    pj_kstr(o, "type", EG_STR("text"));
    pj_kstr(o, "text", text);
    pj_end(o, '}');
}

/* A revision that knows no links gets the address as text. */
static void put_block(pj_out *o, const reply_to *to, const eg_content *c) {
    if (c->kind == EG_CONTENT_TEXT || !(to->rev->flags & REV_STRUCTURED)) {
        put_text(o, c->kind == EG_CONTENT_TEXT ? c->text : c->uri);
        return;
    }
    pj_begin(o, '{');
    pj_kstr(o, "type", EG_STR("resource_link"));
    pj_kstr(o, "uri", c->uri);
    pj_kstr(o, "name", c->name);
    if (c->text.len) pj_kstr(o, "description", c->text);
    if (c->mime_type.len) pj_kstr(o, "mimeType", c->mime_type);
    pj_end(o, '}');
}

static void put_content(pj_out *o, const reply_to *to, const eg_tool_result *r) {
    pj_key(o, "content");
    pj_begin(o, '[');
    for (size_t i = 0; i < r->content_count; i++) put_block(o, to, &r->content[i]);
    if (!r->content_count) put_text(o, r->structured);
    pj_end(o, ']');
}

void mcp_answer_tool_failed(pj_out *o, const reply_to *to, eg_str sentence) {
    const eg_content text = {.kind = EG_CONTENT_TEXT, .text = sentence};
    const eg_tool_result failed = {.content = &text, .content_count = 1};
    mcp_answer_begin(o, to, COMPLETE);
    put_content(o, to, &failed);
    pj_kbool(o, "isError", 1);
    mcp_answer_end(o);
}

/* --- questions --- */

/* message and schema point into tree and text of the question. */
typedef struct question {
    cJSON *tree;
    const char *message;
    const cJSON *properties;
    eg_str schema; /* JSON text */
} question;

/* 0 when the text is not {"message": TEXT, "requestedSchema": {"properties": {...}}}; else the
 * caller deletes q->tree. */
static int question_read(eg_str text, question *q) {
    pj_problem ignored;
    q->tree = pj_parse(text, &ignored);
    const cJSON *message = pj_get(q->tree, "message"), *schema = pj_get(q->tree, "requestedSchema");
    q->properties = cJSON_IsObject(schema) ? pj_get(schema, "properties") : NULL;
    if (cJSON_IsString(message) && cJSON_IsObject(q->properties)) {
        q->message = message->valuestring;
        q->schema = pj_value_text(text, pj_index(q->tree, "requestedSchema"));
        return 1;
    }
    cJSON_Delete(q->tree);
    return 0;
}

static void put_question(pj_out *o, const reply_to *to, const question *q) {
    mcp_answer_begin(o, to, "input_required");
    pj_key(o, "inputRequests");
    pj_begin(o, '{');
    pj_key(o, QUESTION_KEY);
    pj_begin(o, '{');
    pj_kstr(o, "method", EG_STR("elicitation/create"));
    pj_key(o, "params");
    pj_begin(o, '{');
    pj_kstr(o, "mode", EG_STR("form"));
    pj_kstr(o, "message", eg_str_of(q->message));
    pj_key(o, "requestedSchema");
    pj_json(o, q->schema);
    for (int i = 0; i < 3; i++) pj_end(o, '}');
    mcp_answer_end(o);
}

/* The model reads the question instead, and how to give the answer. */
static void put_question_as_error(pj_out *o, const reply_to *to, const char *tool, const question *q) {
    char names[300];
    size_t used = 0;
    const cJSON *property;
    names[0] = 0;
    cJSON_ArrayForEach(property, q->properties) {
        int n = snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", property->string);
        if (n > 0 && (size_t)n < sizeof names - used) used += (size_t)n;
    }
    char text[1200];
    int n = snprintf(text, sizeof text, "%.700s Ask the person, then call %.80s again with the answer as: %s", q->message, tool,
                     names);
    mcp_answer_tool_failed(o, to, (eg_str){text, n < (int)sizeof text ? (size_t)n : sizeof text - 1});
}

static void answer_question(pj_out *o, const reply_to *to, const char *tool, eg_str text, int may_ask) {
    question q;
    if (!question_read(text, &q)) {
        mcp_answer_tool_failed(o, to, EG_STR(BROKEN));
        return;
    }
    if (may_ask) put_question(o, to, &q);
    else put_question_as_error(o, to, tool, &q);
    cJSON_Delete(q.tree);
}

/* --- results --- */

void mcp_answer_tool_result(pj_out *o, const reply_to *to, const char *tool, const eg_tool_result *result, int may_ask) {
    if (!is_good(result) || result->kind > EG_RESULT_ERROR) {
        mcp_answer_tool_failed(o, to, EG_STR(BROKEN));
        return;
    }
    if (result->kind == EG_RESULT_INPUT_REQUIRED) {
        answer_question(o, to, tool, result->structured, may_ask);
        return;
    }
    mcp_answer_begin(o, to, COMPLETE);
    put_content(o, to, result);
    if (result->structured.ptr && (to->rev->flags & REV_STRUCTURED)) {
        pj_key(o, "structuredContent");
        pj_json(o, result->structured);
    }
    if (result->kind == EG_RESULT_ERROR) pj_kbool(o, "isError", 1);
    mcp_answer_end(o);
}

static void put_contents(pj_out *o, eg_str uri, eg_str mime_type, eg_str text) {
    pj_begin(o, '{');
    pj_kstr(o, "uri", uri);
    if (mime_type.len) pj_kstr(o, "mimeType", mime_type);
    pj_kstr(o, "text", text);
    pj_end(o, '}');
}

int mcp_answer_contents(pj_out *o, const reply_to *to, eg_str uri, const eg_tool_result *result) {
    if (!is_good(result) || result->kind != EG_RESULT_COMPLETE) return 0;
    mcp_answer_begin(o, to, COMPLETE);
    mcp_put_cache(o, to, 0); /* facts change at any time */
    pj_key(o, "contents");
    pj_begin(o, '[');
    for (size_t i = 0; i < result->content_count; i++) {
        const eg_content *c = &result->content[i];
        put_contents(o, c->uri.len ? c->uri : uri, c->mime_type, c->text);
    }
    if (!result->content_count) put_contents(o, uri, EG_STR("application/json"), result->structured);
    pj_end(o, ']');
    mcp_answer_end(o);
    return 1;
}

static void put_message(pj_out *o, const reply_to *to, const eg_content *c) {
    pj_begin(o, '{');
    pj_kstr(o, "role", EG_STR("user"));
    pj_key(o, "content");
    put_block(o, to, c);
    pj_end(o, '}');
}

int mcp_answer_messages(pj_out *o, const reply_to *to, const eg_prompt *prompt, const eg_tool_result *result) {
    if (!is_good(result) || result->kind != EG_RESULT_COMPLETE) return 0;
    const eg_content whole = {.kind = EG_CONTENT_TEXT, .text = result->structured};
    mcp_answer_begin(o, to, COMPLETE);
    if (prompt->description) pj_kstr(o, "description", eg_str_of(prompt->description));
    pj_key(o, "messages");
    pj_begin(o, '[');
    for (size_t i = 0; i < result->content_count; i++) put_message(o, to, &result->content[i]);
    if (!result->content_count) put_message(o, to, &whole);
    pj_end(o, ']');
    mcp_answer_end(o);
    return 1;
}
