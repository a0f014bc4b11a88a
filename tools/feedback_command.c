/* feedback_command.c - `engram feedback`: a verdict about one conflict (as other memory commands),
 * and `engram feedback export`: all answers of the workspace as labelled pairs, a JSON object a
 * line. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/hidden.h"
#include "core/memory/ids.h"
#include "tools/cli.h"

typedef struct export {
    FILE *out;
    int with_authors;
    size_t count;
}
export;

static void put_key(eg_buffer *l, const char *key) {
    eg_buffer_format(l, "%s\"%s\":", l->len && l->ptr[l->len - 1] != '{' ? "," : "", key);
}
static void put_text(eg_buffer *l, const char *key, eg_str value) {
    put_key(l, key);
    if (value.len) eg_buffer_json(l, value);
    else eg_buffer_text(l, "null");
}
static void put_word(eg_buffer *l, const char *key, const char *word) { put_text(l, key, eg_str_of(word)); }
static void put_flag(eg_buffer *l, const char *key, int value) {
    put_key(l, key);
    eg_buffer_text(l, value ? "true" : "false");
}
static void put_time(eg_buffer *l, const char *key, int64_t at) {
    char text[40] = "";
    time_t seconds = (time_t)(at / EG_SECOND);
    struct tm utc;
    if (at && gmtime_r(&seconds, &utc)) {
        size_t n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
        snprintf(text + n, sizeof text - n, ".%06dZ", (int)(at % EG_SECOND));
    }
    put_word(l, key, text);
}

static void put_id(eg_buffer *l, const char *key, eg_id id) {
    char text[EG_ID_TEXT];
    eg_id_format(id, text);
    put_text(l, key, eg_str_of(text));
}

static void put_side(eg_buffer *l, const export *e, const char *key, const eg_fact *f, eg_span said, eg_str statement) {
    put_key(l, key);
    eg_buffer_text(l, "{");
    put_id(l, "fact_id", f->id);
    put_text(l, "content", f->content);
    put_text(l, "scope", f->scope);
    put_time(l, "committed_at", f->committed_at);
    put_text(l, "statement", statement);
    put_key(l, "span");
    if (said.start < said.end) eg_buffer_format(l, "[%u,%u]", said.start, said.end);
    else eg_buffer_text(l, "null");
    if (e->with_authors) {
        put_text(l, "agent_id", f->agent_id);
        put_text(l, "engineer", f->engineer);
    }
    eg_buffer_text(l, "}");
}

/* An agent's name goes out, the e-mail address of a person only when it is asked for. */
static eg_str judge_of(const export *e, eg_str by) {
    int is_address = by.len && memchr(by.ptr, '@', by.len) != NULL;
    return is_address && !e->with_authors ? EG_STR("person") : by;
}

static void put_answer(eg_buffer *l, const export *e, const eg_answer *a) {
    static const char *const verdicts[] = EG_ANSWER_VERDICT_WORDS, *const statuses[] = EG_CONFLICT_STATUS_WORDS,
                             *const resolutions[] = EG_RESOLUTION_WORDS, *const severities[] = EG_SEVERITY_WORDS;
    const eg_conflict *c = &a->view.conflict;
    int settled = eg_is_settled(c->status);
    eg_buffer_text(l, "{");
    put_id(l, "conflict_id", c->id);
    put_word(l, "verdict", verdicts[a->verdict <= EG_ANSWER_NOT_CONTRADICTION ? a->verdict : EG_ANSWER_NOT_CONTRADICTION]);
    put_word(l, "outcome", settled ? resolutions[c->resolution_type & 3] : statuses[c->status % 5]);
    put_word(l, "winner",
             !settled || c->resolution_type != EG_RESOLUTION_WINNER ? ""
             : eg_id_eq(c->resolved_fact, c->fact_a)                ? "a"
             : eg_id_eq(c->resolved_fact, c->fact_b)                ? "b"
                                                                    : "");
    put_flag(l, "was_review", a->was_suspected != 0);
    put_text(l, "judged_by", judge_of(e, a->judged_by));
    put_text(l, "asked", a->asked);
    put_time(l, "judged_at", a->judged_at);
    put_text(l, "reason", c->resolution);
    put_text(l, "tier", c->tier);
    put_text(l, "detector", c->detector);
    put_key(l, "score");
    eg_buffer_format(l, "%.6g", c->score);
    put_word(l, "severity", severities[c->severity <= EG_SEVERITY_HIGH ? c->severity : EG_SEVERITY_HIGH]);
    put_text(l, "explanation", c->explanation);
    put_time(l, "detected_at", c->detected_at);
    put_flag(l, "same_author", eg_str_eq(a->view.a.agent_id, a->view.b.agent_id));
    put_side(l, e, "a", &a->view.a, c->span_a, a->statement_a);
    put_side(l, e, "b", &a->view.b, c->span_b, a->statement_b);
    eg_buffer_text(l, "}\n");
}

static eg_status write_answer(void *self, const eg_answer *a) {
    export *e = self;
    eg_buffer l = {0}, shown = {0};
    put_answer(&l, e, a);
    /* as escapes: the places of the words that disagree stay what they are */
    if (!l.failed) eg_hidden_show(&shown, (eg_str){l.ptr, l.len}, EG_HIDDEN_ESCAPED);
    eg_status s = l.failed || shown.failed ? EG_ENOMEM : EG_OK;
    if (s == EG_OK && fwrite(shown.ptr, 1, shown.len, e->out) != shown.len) s = EG_EIO;
    if (s == EG_OK) e->count++;
    eg_buffer_release(&shown);
    eg_buffer_release(&l);
    return s;
}

/* 0, or EXIT_ERROR after complaining. */
static int read_answers(eg_host *host, export *e) {
    const eg_services *services = eg_host_services(host);
    eg_error err = {0};
    eg_request *rq = NULL;
    const eg_request_options options = {.size = sizeof options, .cancel.flag = &stop_flag};
    if (services->request_create(services->host, &options, &rq, &err) != EG_OK) return complain("%s", err.text);
    eg_status s = services->memory_ops->answers(services->memory(services->host), rq, write_answer, e);
    int status = EXIT_FINE;
    if (s != EG_OK)
        status = complain("%s", rq->err->text[0] ? rq->err->text
                                : s == EG_ENOMEM ? "out of memory"
                                                 : "the answers could not be written");
    services->request_release(services->host, rq);
    return status;
}

static int export_to(eg_host *host, export *e, const char *path) {
    char *bytes = NULL;
    size_t size = 0;
    eg_error err = {0};
    int standard = !path || strcmp(path, "-") == 0;
    e->out = standard ? stdout : open_memstream(&bytes, &size);
    if (!e->out) return complain("out of memory");
    int status = read_answers(host, e);
    if (!standard && fclose(e->out) != 0 && !status) status = complain("out of memory");
    if (!standard && !status && eg_file_output(path, bytes, size, 0600, &err) != EG_OK) status = complain("%s", err.text);
    free(bytes);
    if (!status && !e->count)
        note("nobody has answered anything in this workspace yet: %s is empty", standard ? "the output" : path);
    return status;
}

int run_feedback(const call *c) {
    int exports = c->positional_count && strcmp(c->positional[0], "export") == 0;
    if (!exports && call_option(c, "with-authors"))
        return complain("--with-authors is for `engram feedback export`: leave it out");
    if (!exports) return run_memory(c);
    if (call_option(c, "verdict")) return complain("--verdict is for one conflict: leave it out to export");
    if (c->positional_count > 2) return complain_of_usage(c);
    eg_host *host = call_host(c, 0, 0, NULL, 0);
    if (!host) return EXIT_ERROR;
    export e = {.with_authors = call_option(c, "with-authors") != NULL};
    int status = export_to(host, &e, c->positional_count == 2 ? c->positional[1] : NULL);
    eg_host_close(host);
    return status;
}
