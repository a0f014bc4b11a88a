/* message.c - one JSON-RPC message, read. See message.h. */
#include "message.h"

#include "answers.h"

/* 1 when the value of a valid number's text is whole: 11, 11.0 and 1e1 are, 1.5 and 1e-1 are not.
 */
static int whole_number(eg_str text) {
    long places = 0, zeros = 0; /* digits behind the point; zeros at the end of all digits */
    int behind = 0, all_zero = 1;
    size_t i = text.ptr[0] == '-';
    for (; i < text.len && text.ptr[i] != 'e' && text.ptr[i] != 'E'; i++) {
        if (text.ptr[i] == '.') {
            behind = 1;
            continue;
        }
        places += behind;
        zeros = text.ptr[i] == '0' ? zeros + 1 : 0;
        all_zero &= text.ptr[i] == '0';
    }
    long power = 0;
    int negative = i + 1 < text.len && text.ptr[i + 1] == '-';
    for (i++; i < text.len; i++)
        if (text.ptr[i] >= '0' && text.ptr[i] <= '9' && power < 1000) power = power * 10 + (text.ptr[i] - '0');
    return all_zero || (negative ? -power : power) + zeros >= places;
}

int mcp_is_id(eg_str raw) {
    if (!raw.ptr) return 0;
    char c = raw.ptr[0];
    return c == '"' || ((c == '-' || (c >= '0' && c <= '9')) && whole_number(raw));
}

/* The raw text of the id under key. Ids are kept as text because they are echoed as they came:
 * cJSON would round large numbers. */
static eg_str id_member(const cJSON *object, eg_str raw_object, const char *key) {
    eg_str raw = pj_get(object, key) ? pj_value_text(raw_object, pj_index(object, key)) : (eg_str){NULL, 0};
    return mcp_is_id(raw) ? raw : (eg_str){NULL, 0};
}

static eg_str params_text(const message *m) { return pj_value_text(m->text, pj_index(m->tree, "params")); }

eg_str mcp_message_arguments(const message *m) {
    const cJSON *arguments = m->params ? pj_get(m->params, "arguments") : NULL;
    if (!arguments || cJSON_IsNull(arguments)) return (eg_str){NULL, 0};
    return pj_value_text(params_text(m), pj_index(m->params, "arguments"));
}

eg_str mcp_message_answers(const message *m, const char *key) {
    static const char all_key[] = "inputResponses";
    const cJSON *all = m->params ? pj_get(m->params, all_key) : NULL, *one = all ? pj_get(all, key) : NULL;
    if (!one || !pj_get(one, "content")) return (eg_str){NULL, 0};
    eg_str text = pj_value_text(params_text(m), pj_index(m->params, all_key));
    return pj_value_text(pj_value_text(text, pj_index(all, key)), pj_index(one, "content"));
}

eg_str mcp_message_progress_token(const message *m) {
    if (!m->meta) return (eg_str){NULL, 0};
    return id_member(m->meta, pj_value_text(params_text(m), pj_index(m->params, "_meta")), "progressToken");
}

eg_str mcp_message_id_param(const message *m, const char *key) {
    return m->params ? id_member(m->params, params_text(m), key) : (eg_str){NULL, 0};
}

eg_str mcp_client_name(const cJSON *info) {
    const cJSON *name = cJSON_IsObject(info) ? pj_get(info, "name") : NULL;
    if (!cJSON_IsString(name)) return (eg_str){NULL, 0};
    eg_str text = eg_str_of(name->valuestring);
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7F) return (eg_str){NULL, 0};
    if (text.len <= EG_MAX_NAME) return text;
    text.len = EG_MAX_NAME;
    while (text.len > 0 && ((unsigned char)text.ptr[text.len] & 0xC0) == 0x80) text.len--;
    return text;
}

/* 1 when a string outside params.arguments holds U+0000, or a member stands twice: such a message
 * would mean one thing to us and another to whoever sent it. (Arguments are checked by their tool.)
 */
static int ambiguous(const message *m) {
    const char *end = m->text.ptr + m->text.len;
    eg_str a = mcp_message_arguments(m);
    if (!a.ptr) a = (eg_str){end, 0};
    eg_str before = {m->text.ptr, (size_t)(a.ptr - m->text.ptr)}, after = {a.ptr + a.len, (size_t)(end - a.ptr) - a.len};
    return pj_has_nul(before) || pj_has_nul(after) || pj_duplicate(m->tree) || (m->params && pj_duplicate(m->params)) ||
           (m->meta && pj_duplicate(m->meta));
}

static message_kind wrong(refusal *why, int code, const char *text) {
    *why = (refusal){code, text};
    return MESSAGE_WRONG;
}

message_kind mcp_message_read(message *m, refusal *why) {
    const cJSON *version = pj_get(m->tree, "jsonrpc"), *method = pj_get(m->tree, "method");
    const cJSON *params = pj_get(m->tree, "params");
    if (cJSON_IsNull(params)) params = NULL;
    m->id = id_member(m->tree, m->text, "id");
    int bad_id = pj_get(m->tree, "id") && !m->id.ptr;
    if (!method && (pj_get(m->tree, "result") || pj_get(m->tree, "error"))) return MESSAGE_RESPONSE;
    if (!cJSON_IsString(version) || strcmp(version->valuestring, "2.0") != 0 || !cJSON_IsString(method) || bad_id)
        return wrong(why, RPC_REQUEST,
                     "not a JSON-RPC 2.0 message: it must have \"jsonrpc\":\"2.0\", a method, and an id that is "
                     "a string or an integer");
    m->method = method->valuestring;
    if (cJSON_IsObject(params)) m->params = params;
    const cJSON *meta = m->params ? pj_get(m->params, "_meta") : NULL;
    if (cJSON_IsObject(meta)) m->meta = meta;
    if (!m->id.ptr) return !params || m->params ? MESSAGE_NOTIFICATION : MESSAGE_IGNORED;
    if ((params && !m->params) || (meta && !m->meta))
        return wrong(why, RPC_PARAMS, "params and params._meta must be JSON objects");
    if (ambiguous(m))
        return wrong(why, RPC_REQUEST,
                     "a member is given twice, or a string contains U+0000; send each member once, without that character");
    return MESSAGE_REQUEST;
}
