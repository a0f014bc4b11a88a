/* llm.c - an escalator that asks a language model about pairs which the detectors leave open: a
 * server that speaks the chat completions of OpenAI or the messages of Anthropic, or a command of
 * this machine. Without llm.protocol it offers nothing. Loaded by the host, which sees to budget,
 * deadline and retries; one call is one question. */
#include <stdlib.h>
#include <strings.h>

#include "command.h"
#include "engram/plugin.h"
#include "messages.h"

enum { MAX_ARGUMENTS = 64, MAX_HEADER = 4096 };

typedef struct llm {
    llm_protocol protocol;
    eg_escalator table;
    char *url, *model, *header; /* header: with the key; NULL: none */
    char **argv;                /* of the command, in one block with its texts */
} llm;

static void release(llm *x) {
    if (!x) return;
    if (x->header) explicit_bzero(x->header, strlen(x->header));
    free(x->url);
    free(x->model);
    free(x->header);
    free(x->argv);
    free(x);
}

/* What an HTTP status other than 200 means. The body is not told: a server may repeat the key. */
static eg_status refuse(eg_request *rq, const llm_post *post) {
    long status = post->status;
    if (status == 429 || status == 529) return eg_request_fail(rq, EG_ERATE, "the server was asked too often (HTTP %ld)", status);
    if (status == 401 || status == 403)
        return eg_request_fail(rq, EG_EUNAVAILABLE, "the server refuses the key (HTTP %ld): check llm.api_key", status);
    if (status >= 500) return eg_request_fail(rq, EG_EUNAVAILABLE, "the server failed (HTTP %ld)", status);
    return eg_request_fail(rq, EG_EUNAVAILABLE, "the server answered HTTP %ld: check llm.url and llm.model", status);
}

static eg_status ask_server(const llm *x, eg_request *rq, eg_str question, eg_pair_verdict *out) {
    static const char json[] = "Content-Type: application/json", version[] = "anthropic-version: 2023-06-01";
    const char *headers[4] = {json};
    size_t n = 1;
    if (x->protocol == LLM_ANTHROPIC) headers[n++] = version;
    if (x->header) headers[n++] = x->header;
    llm_post post = {.url = x->url, .headers = headers, .body = question};
    eg_status s = llm_http_post(rq, &post);
    if (s != EG_OK) return s;
    out->retry_after_s = post.retry_after_s;
    return post.status == 200 ? llm_read_answer(rq, x->protocol, post.answer, out) : refuse(rq, &post);
}

static eg_status judge(void *self, const eg_services *services, eg_request *rq, const eg_pair_case *pair, eg_pair_verdict *out) {
    const llm *x = self;
    pj_out o = {0};
    eg_str answer;
    (void)services;
    if (!llm_write_request(&o, x->protocol, x->model, pair)) {
        pj_release(&o);
        return eg_request_fail(rq, EG_ENOMEM, "out of memory for a question");
    }
    const eg_str question = {o.p, o.len};
    eg_status s;
    if (x->protocol == LLM_COMMAND) {
        s = llm_run_command(rq, x->argv, question, &answer);
        if (s == EG_OK) s = llm_read_answer(rq, x->protocol, answer, out);
    } else {
        s = ask_server(x, rq, question, out);
    }
    pj_release(&o);
    return s;
}

/* ---- settings ---- */

/* All of them, so that the host knows their names whatever the protocol. */
typedef struct settings {
    eg_str protocol, url, model, api_key, command, timeout_ms, calls_per_day;
} settings;

static void read_settings(const eg_services *services, settings *s) {
    const struct {
        const char *name;
        eg_str *value;
    } all[] = {{"llm.protocol", &s->protocol},
               {"llm.url", &s->url},
               {"llm.model", &s->model},
               {"llm.api_key", &s->api_key},
               {"llm.command", &s->command},
               {"llm.timeout_ms", &s->timeout_ms},
               {"llm.calls_per_day", &s->calls_per_day}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (services->config(services->host, all[i].name, all[i].value) != EG_OK) *all[i].value = (eg_str){0};
}

__attribute__((format(printf, 2, 3))) static eg_status fail(eg_error *err, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    err->code = EG_EINVAL;
    vsnprintf(err->text, sizeof err->text, format, ap);
    va_end(ap);
    return EG_EINVAL;
}

static eg_status read_number(eg_str value, const char *name, uint32_t low, uint32_t high, uint32_t *out, eg_error *err) {
    if (!value.len) return EG_OK;
    uint64_t x = 0;
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] < '0' || value.ptr[i] > '9' || x > high) x = UINT64_MAX / 20;
        else x = 10 * x + (uint64_t)(value.ptr[i] - '0');
    }
    if (x < low || x > high)
        return fail(err, "%s is '%.*s': it must be a whole number from %u to %u", name, (int)(value.len < 40 ? value.len : 40),
                    value.ptr, low, high);
    *out = (uint32_t)x;
    return EG_OK;
}

static int begins(const char *text, const char *with) { return strncasecmp(text, with, strlen(with)) == 0; }

/* This machine: the key does not leave it. */
static int is_loopback(const char *url) {
    static const char *const hosts[] = {"http://127.0.0.1", "http://localhost", "http://[::1]"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (begins(url, hosts[i]) && strchr(":/", url[strlen(hosts[i])])) return 1;
    return 0;
}

/* The address of the protocol's endpoint below llm.url. */
static eg_status make_url(llm *x, eg_str given, eg_error *err) {
    static const char *const defaults[] = {
        [LLM_OPENAI] = "https://api.openai.com/v1", [LLM_ANTHROPIC] = "https://api.anthropic.com"};
    static const char *const paths[] = {[LLM_OPENAI] = "/chat/completions", [LLM_ANTHROPIC] = "/v1/messages"};
    eg_str base = given.len ? given : eg_str_of(defaults[x->protocol]);
    while (base.len && base.ptr[base.len - 1] == '/') base.len--;
    if (asprintf(&x->url, "%.*s%s", (int)base.len, base.ptr, paths[x->protocol]) < 0) {
        x->url = NULL;
        return fail(err, "out of memory");
    }
    const char *host = strstr(x->url, "://");
    if (!host || (!begins(x->url, "https://") && !begins(x->url, "http://")))
        return fail(err, "llm.url is '%.*s': it must begin with https:// or http://", (int)(base.len < 200 ? base.len : 200),
                    base.ptr);
    host += 3;
    if (memchr(host, '@', strcspn(host, "/?#")) || strpbrk(x->url, "?#"))
        return fail(err, "llm.url must have no user, query or fragment: give the key as llm.api_key");
    if (x->header && begins(x->url, "http://") && !is_loopback(x->url))
        return fail(err, "llm.url begins with http://, so llm.api_key could be read on its way: use https://");
    return EG_OK;
}

static eg_status make_header(llm *x, eg_str key, eg_error *err) {
    if (!key.len) return EG_OK;
    for (size_t i = 0; i < key.len; i++)
        if (key.ptr[i] <= ' ' || key.ptr[i] > '~')
            return fail(err, "llm.api_key has a character that no key has, such as a blank");
    const char *name = x->protocol == LLM_ANTHROPIC ? "x-api-key: " : "Authorization: Bearer ";
    if (key.len > MAX_HEADER) return fail(err, "llm.api_key is longer than %d bytes", MAX_HEADER);
    if (asprintf(&x->header, "%s%.*s", name, (int)key.len, key.ptr) >= 0) return EG_OK;
    x->header = NULL;
    return fail(err, "out of memory");
}

/* The words of llm.command, separated by blanks, or the strings of a JSON array. */
static eg_status make_argv(llm *x, eg_str command, eg_error *err) {
    size_t words = (MAX_ARGUMENTS + 1) * sizeof *x->argv, n = 0;
    pj_problem problem;
    if (!command.len) return fail(err, "llm.command is missing: name the program that answers, with its arguments");
    cJSON *list = command.ptr[0] == '[' ? pj_parse(command, &problem) : NULL;
    if (command.ptr[0] == '[' && !list) return fail(err, "llm.command begins with [ and is not a JSON array of strings");
    x->argv = calloc(1, words + command.len + MAX_ARGUMENTS + 1);
    if (!x->argv) {
        cJSON_Delete(list);
        return fail(err, "out of memory");
    }
    char *to = (char *)x->argv + words;
    int good = 1;
    const cJSON *item;
    if (list) cJSON_ArrayForEach(item, list) {
            good = good && cJSON_IsString(item) && n < MAX_ARGUMENTS;
            if (!good) break;
            x->argv[n++] = to;
            to = stpcpy(to, item->valuestring) + 1;
        }
    for (size_t i = 0; !list && good && i < command.len;) {
        while (i < command.len && strchr(" \t", command.ptr[i])) i++;
        size_t from = i;
        while (i < command.len && !strchr(" \t", command.ptr[i])) i++;
        if (i == from) break;
        if (!(good = n < MAX_ARGUMENTS)) break;
        x->argv[n++] = to;
        memcpy(to, command.ptr + from, i - from);
        to += i - from + 1;
    }
    cJSON_Delete(list);
    if (!good) return fail(err, "llm.command must be at most %d words, or a JSON array of so many strings", MAX_ARGUMENTS);
    return n && *x->argv[0] ? EG_OK : fail(err, "llm.command names no program");
}

static eg_status make_server(llm *x, const settings *s, eg_error *err) {
    if (!s->model.len) return fail(err, "llm.model is missing: name the model that the server of llm.url is asked for");
    x->model = strndup(s->model.ptr, s->model.len);
    if (!x->model) return fail(err, "out of memory");
    eg_status status = make_header(x, s->api_key, err);
    return status == EG_OK ? make_url(x, s->url, err) : status;
}

static eg_status make(const settings *s, llm *x, eg_error *err) {
    static const char *const words[] = LLM_PROTOCOL_WORDS;
    uint32_t protocol = 0, timeout_ms = 30000, calls = 100;
    while (protocol <= LLM_COMMAND && !eg_str_eq(s->protocol, eg_str_of(words[protocol]))) protocol++;
    if (protocol > LLM_COMMAND)
        return fail(err, "llm.protocol is '%.*s': it must be openai, anthropic or command",
                    (int)(s->protocol.len < 40 ? s->protocol.len : 40), s->protocol.ptr);
    eg_status status = read_number(s->timeout_ms, "llm.timeout_ms", 100, 50000, &timeout_ms, err);
    if (status == EG_OK) status = read_number(s->calls_per_day, "llm.calls_per_day", 1, 1000000, &calls, err);
    if (status != EG_OK) return status;
    x->protocol = (llm_protocol)protocol;
    x->table = (eg_escalator){.size = sizeof x->table,
                              .order = 100,
                              .timeout_ms = timeout_ms,
                              .max_calls_per_day = calls,
                              .name = "llm",
                              .version = "1",
                              .judge = judge};
    return protocol == LLM_COMMAND ? make_argv(x, s->command, err) : make_server(x, s, err);
}

static eg_status plugin_open(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    settings s;
    *self = NULL;
    read_settings(services, &s);
    if (!s.protocol.len) return EG_OK; /* off */
    llm *x = calloc(1, sizeof *x);
    if (!x) return fail(err, "out of memory");
    eg_status status = make(&s, x, err);
    if (status == EG_OK) status = services->add_escalator(registrar, &x->table, x);
    if (status == EG_OK) *self = x;
    else release(x);
    return status;
}

static void plugin_close(void *self) { release(self); }

static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_ESCALATOR, "llm", "1", "Apache-2.0"), .open = plugin_open,
                                 .close = plugin_close};

const eg_plugin *EG_PLUGIN_ENTRY(void) { return &plugin; }
