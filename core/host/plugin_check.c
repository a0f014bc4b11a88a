/* plugin_check.c - `engram plugins check FILE`: loads one plugin the way the host would, prints its
 * descriptor, and runs the contract tests of what it offers: many openings; for detectors,
 * escalators and gates calls with small inputs whose answers must be in range; for tools that only
 * read a call without arguments. No store, no models: nothing is changed. Called by
 * tools/host_commands.c. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/host/internal.h"
#include "core/text/text.h"

enum { TIMES = 100, CASE_FACTS = 4 };

typedef struct checked {
    size_t findings, wrong;
    const eg_case *c;
} checked;

static int span_fits(eg_span s, eg_str content) { return s.start <= s.end && s.end <= content.len; }

static eg_status take(void *sink, const eg_finding *f) {
    checked *k = sink;
    k->findings++;
    int good = f->size >= EG_FINDING_SIZE_1_0 && f->candidate < k->c->candidate_count && f->outcome <= EG_OUTCOME_UNRELATED &&
               f->severity <= EG_SEVERITY_HIGH && f->score >= 0 && f->score <= 1 &&
               span_fits(f->span_subject, k->c->subject->fact->content) &&
               span_fits(f->span_candidate, k->c->candidates[f->candidate]->fact->content);
    k->wrong += !good;
    return good ? EG_OK : EG_EINVAL;
}

/* Facts that a detector may meet: equal, contradicting, other, and of one word. */
static const char *const contents[CASE_FACTS] = {"The auth service runs on port 8080.", "The auth service runs on port 9090.",
                                                 "The billing team owns the ledger.", "Blue."};

static eg_status make_facts(const eg_services *services, eg_arena *arena, eg_fact *facts, eg_case_fact *rows, eg_error *err) {
    for (size_t i = 0; i < CASE_FACTS; i++) {
        eg_span *spans = eg_arena_array(arena, EG_MAX_STATEMENTS, sizeof *spans);
        eg_claim *claims = eg_arena_array(arena, EG_MAX_CLAIMS, sizeof *claims);
        if (!spans || !claims) return eg_fail_memory(err, EG_MAX_CLAIMS * sizeof *claims);
        facts[i] = (eg_fact){.seq = (int64_t)i + 1,
                             .id = services->new_id(services->host),
                             .content = eg_str_of(contents[i]),
                             .scope = EG_STR("auth"),
                             .agent_id = EG_STR("agent"),
                             .confidence = 0.8,
                             .valid_until = EG_FOREVER};
        rows[i] = (eg_case_fact){
            .fact = &facts[i], .statements = spans, .claims = claims, .cosine = 0.9, .found_by = i ? EG_FOUND_VECTOR : 0};
        rows[i].statement_count = eg_text_statements(facts[i].content, spans, EG_MAX_STATEMENTS);
        eg_status s = eg_text_claims(arena, facts[i].content, facts[i].scope, spans, rows[i].statement_count, claims,
                                     EG_MAX_CLAIMS, &rows[i].claim_count, err);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

static eg_status check_detector(eg_host *h, const eg_detector_slot *slot, FILE *out, eg_error *err) {
    const eg_detector *d = &slot->detector;
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_fact facts[CASE_FACTS];
    eg_case_fact rows[CASE_FACTS];
    const eg_case_fact *candidates[CASE_FACTS - 1] = {&rows[1], &rows[2], &rows[3]};
    eg_status s = make_facts(&h->services, &arena, facts, rows, err);
    size_t found = 0;
    for (int i = 0; s == EG_OK && i < TIMES; i++) {
        eg_request *rq = NULL;
        if ((s = h->services.request_create(h, NULL, &rq, err)) != EG_OK) break;
        uint32_t count = (uint32_t)(i % CASE_FACTS); /* none, one, two, three candidates */
        eg_case c = {.size = sizeof c, .candidate_count = count, .subject = &rows[0], .candidates = candidates};
        checked k = {.c = &c};
        s = d->examine(slot->self, &h->services, rq, &c, take, &k);
        if (s == EG_OK && k.wrong) s = EG_EINVAL;
        if (s != EG_OK)
            eg_fail(err, s, "detector %s with %u candidates: %s", d->name, count,
                    k.wrong ? "a finding is out of range" : rq->err->text);
        found += k.findings;
        h->services.request_release(h, rq);
    }
    eg_arena_release(&arena);
    if (s == EG_OK)
        fprintf(out, "detector %s, order %u, budget %u ms: %d cases, %zu findings, all in range\n", d->name, d->order,
                d->budget_ms, TIMES, found);
    return s;
}

static eg_status check_gate(eg_host *h, const eg_gate_slot *slot, FILE *out, eg_error *err) {
    eg_request *rq = NULL;
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = eg_str_of(contents[0]);
    eg_status s = h->services.request_create(h, NULL, &rq, err);
    if (s != EG_OK) return s;
    s = slot->gate.check(slot->self, &h->services, rq, &args);
    if (s != EG_OK) eg_fail(err, s, "gate %s refuses a harmless fact: %s", slot->gate.name, rq->err->text);
    h->services.request_release(h, rq);
    if (s == EG_OK) fprintf(out, "gate %s: lets a harmless fact pass\n", slot->gate.name);
    return s;
}

/* An escalator may ask a service that is not there, but what it answers must be in range. */
static eg_status check_escalator(eg_host *h, const eg_escalator_slot *slot, FILE *out, eg_error *err) {
    const eg_escalator *e = &slot->escalator;
    const eg_request_options options = {.size = sizeof options,
                                        .cancel.deadline = eg_clock_monotonic() + (int64_t)e->timeout_ms * 1000};
    eg_pair_case pair = {.size = sizeof pair};
    eg_pair_verdict v = {.size = sizeof v};
    eg_request *rq = NULL;
    for (int i = 0; i < 2; i++)
        pair.sides[i] = (eg_pair_side){.text = eg_str_of(contents[i]), .scope = EG_STR("auth"), .committed_at = i + 1};
    eg_status s = h->services.request_create(h, &options, &rq, err);
    if (s != EG_OK) return s;
    s = e->judge(slot->self, &h->services, rq, &pair, &v);
    int idle = s == EG_EUNAVAILABLE || s == EG_ERATE, good = idle || s == EG_OK;
    if (!good) eg_fail(err, s, "escalator %s: %s", e->name, rq->err->text);
    else if (!idle && (v.outcome > EG_OUTCOME_UNRELATED || v.severity > EG_SEVERITY_HIGH || !(v.score >= 0 && v.score <= 1)))
        s = eg_fail(err, EG_EINVAL, "escalator %s: its verdict is out of range", e->name), good = 0;
    if (good)
        fprintf(out, "escalator %s, order %u, at most %u ms: %s\n", e->name, e->order, e->timeout_ms,
                idle ? rq->err->text : "its verdict of a pair is in range");
    h->services.request_release(h, rq);
    return good ? EG_OK : s;
}

/* A JSON Schema of an object: one JSON object whose "type" is "object", as MCP demands of both
 * schemas. */
static eg_status check_schema(const eg_tool *t, const char *which, const char *schema, eg_error *err) {
    eg_error problem = {0};
    eg_arena arena;
    eg_json j;
    int typed = 0;
    eg_status s = eg_json_check_object(which, eg_str_of(schema), &problem);
    if (s != EG_OK) return eg_fail(err, s, "tool %s: its schema is not a JSON object: %s", t->name, problem.text);
    eg_arena_init(&arena, 0);
    eg_json_init(&j, which, eg_str_of(schema), &arena, &problem);
    eg_json_next(&j);
    while (!typed && eg_json_next(&j) == EG_JSON_KEY) {
        int is_type = eg_str_eq(j.text, EG_STR("type"));
        typed = eg_json_next(&j) == EG_JSON_STRING && is_type && eg_str_eq(j.text, EG_STR("object"));
        eg_json_skip(&j);
    }
    eg_arena_release(&arena);
    return typed ? EG_OK : eg_fail(err, EG_EFORMAT, "tool %s: its %s lacks \"type\": \"object\"", t->name, which);
}

static int is_result(const eg_tool_result *r) {
    eg_error problem = {0};
    if (r->kind > EG_RESULT_ERROR || (!r->structured.len && !r->content_count)) return 0;
    for (size_t i = 0; i < r->content_count; i++)
        if (r->content[i].kind > EG_CONTENT_RESOURCE_LINK) return 0;
    return !r->structured.len || eg_json_check_object("result", r->structured, &problem) == EG_OK;
}

/* Any answer to a call without arguments will do, also an error that says what is missing. */
static eg_status call_tool(eg_host *h, const eg_tool *t, FILE *out, eg_error *err) {
    eg_request *rq = NULL;
    eg_tool_result result = EG_TOOL_RESULT_INIT;
    eg_status s = h->services.request_create(h, NULL, &rq, err);
    if (s != EG_OK) return s;
    eg_status answer = h->services.call_tool(h, rq, t->name, EG_STR("{}"), &result);
    if (answer == EG_OK && !is_result(&result))
        s = eg_fail(err, EG_EFORMAT,
                    "tool %s: called without arguments, it answers neither a JSON object nor content, or one of unknown kind",
                    t->name);
    else if (answer != EG_OK && !rq->err->text[0])
        s = eg_fail(err, answer, "tool %s: called without arguments, it fails and does not say why: use eg_request_fail",
                    t->name);
    else
        fprintf(out, "tool %s: called without arguments, it answers%s%s\n", t->name, answer == EG_OK ? "" : ": ",
                answer == EG_OK ? "" : rq->err->text);
    h->services.request_release(h, rq);
    return s;
}

/* Only a tool that reads, and only here, can be called without an effect. */
static eg_status check_tool(eg_host *h, const eg_tool *t, FILE *out, eg_error *err) {
    if (!t->description || !t->output_schema) return eg_fail(err, EG_EFORMAT, "tool %s: its table is incomplete", t->name);
    eg_status s = check_schema(t, "input_schema", t->input_schema, err);
    if (s == EG_OK) s = check_schema(t, "output_schema", t->output_schema, err);
    if (s != EG_OK) return s;
    if ((t->flags & EG_TOOL_READ_ONLY) && !(t->flags & EG_TOOL_OPEN_WORLD)) return call_tool(h, t, out, err);
    fprintf(out, "tool %s: not called, because it %s; its schemas are JSON\n", t->name,
            t->flags & EG_TOOL_READ_ONLY ? "asks something outside of Engram" : "may write");
    return EG_OK;
}

static eg_status check_tables(const eg_registrar *r, FILE *out, eg_error *err) {
    for (size_t i = 0; i < r->committed.resources; i++)
        fprintf(out, "resource %s: %s\n", r->resources[i].resource.name, r->resources[i].resource.uri_template);
    for (size_t i = 0; i < r->committed.prompts; i++) fprintf(out, "prompt %s\n", r->prompts[i].prompt.name);
    for (size_t i = 0; i < r->committed.storages; i++) {
        const eg_storage_ops *s = &r->storages[i].storage;
        /* all that follows open are functions */
        void *const *p = (void *const *)(const void *)&s->open;
        for (size_t k = 0; k < (s->size - offsetof(eg_storage_ops, open)) / sizeof *p; k++)
            if (!p[k]) return eg_fail(err, EG_EFORMAT, "storage %s: operation %zu is missing", s->name, k);
        fprintf(out, "storage %s\n", s->name);
    }
    for (size_t i = 0; i < r->committed.frontends; i++) fprintf(out, "front end %s\n", r->frontends[i].frontend.name);
    for (size_t i = 0; i < r->committed.job_kinds; i++) fprintf(out, "kind of jobs %s\n", r->job_kinds[i].kind.name);
    for (size_t i = 0; i < r->committed.listeners; i++) fprintf(out, "change listener %s\n", r->listeners[i].listener.name);
    return EG_OK;
}

static eg_status check_loaded(eg_host *h, FILE *out, eg_error *err) {
    const eg_loaded_plugin *row = &h->plugins.rows[0];
    const eg_plugin *p = row->plugin;
    if (!p) return eg_fail(err, EG_EFORMAT, "%s", row->problem);
    fprintf(out, "%s\nplugin %s, version %s, licence %s, ABI %u.%u\n", row->path, p->name, p->version, p->licence, p->abi_major,
            p->abi_minor);
    const eg_registrar *r = &h->plugins.registrar;
    eg_status s = check_tables(r, out, err);
    for (size_t i = 0; s == EG_OK && i < r->committed.tools; i++) s = check_tool(h, &r->tools[i].tool, out, err);
    for (size_t i = 0; s == EG_OK && i < r->committed.detectors; i++) s = check_detector(h, &r->detectors[i], out, err);
    for (size_t i = 0; s == EG_OK && i < r->committed.escalators; i++) s = check_escalator(h, &r->escalators[i], out, err);
    for (size_t i = 0; s == EG_OK && i < r->committed.gates; i++) s = check_gate(h, &r->gates[i], out, err);
    if (s == EG_OK && !(r->committed.tools + r->committed.resources + r->committed.prompts + r->committed.storages +
                        r->committed.frontends + r->committed.detectors + r->committed.escalators + r->committed.gates +
                        r->committed.job_kinds + r->committed.listeners))
        s = eg_fail(err, EG_EFORMAT, "the plugin registers nothing");
    return s;
}

eg_status eg_host_plugin_check(const char *path, FILE *out, eg_error *err) {
    char real[MAX_PATH], setting[MAX_PATH + 16];
    if (!realpath(path, real)) return eg_fail(err, EG_ENOENT, "'%s' is not there", path);
    if (strpbrk(real, " ,\t"))
        return eg_fail(err, EG_EINVAL,
                       "'%s' has a blank or a comma in its path, which part the names of the setting plugins: move or rename it",
                       real);
    snprintf(setting, sizeof setting, "plugins=%s", real);
    /* what is wrong is returned, not logged as well */
    const char *settings[] = {setting, "log=error"};
    eg_host_options o = {.settings = settings, .setting_count = 2, .without_store = 1, .workspace = "local"};
    for (int i = 0; i < TIMES; i++) { /* opened and closed many times; looked at once */
        eg_host *h = NULL;
        eg_status s = eg_host_open(&o, &h, err);
        if (s == EG_OK && i == 0) s = check_loaded(h, out, err);
        eg_host_close(h);
        if (s != EG_OK) return s;
    }
    fprintf(out, "opened and closed %d times: fine\n", TIMES);
    return EG_OK;
}
