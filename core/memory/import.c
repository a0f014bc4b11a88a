/* import.c - reads an exported memory and checks every record as a commit would be checked, before
 * anything is written. What becomes of them is decided in import_plan.c. */
#include "core/memory/import.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/memory/arguments.h"
#include "core/memory/gates.h"
#include "core/memory/given.h"
#include "core/memory/ids.h"
#include "core/memory/import_plan.h"
#include "core/memory/reembed.h"
#include "core/text/text.h"

#define ITEM "- <!-- engram "
#define ITEM_END " -->"
#define HEADING "## "

/* ---- reading ---- */

static eg_exchange_record *add_record(eg_importing *x, size_t line) {
    if (x->count == x->capacity) {
        size_t more = x->capacity ? 2 * x->capacity : 256;
        eg_exchange_record *rows = eg_arena_array(&x->arena, more, sizeof *rows);
        if (!rows) return NULL;
        if (x->count) memcpy(rows, x->records, x->count * sizeof *rows);
        x->records = rows;
        x->capacity = more;
    }
    eg_exchange_record *r = &x->records[x->count++];
    *r = (eg_exchange_record){.line = line};
    return r;
}

static eg_status read_record(eg_importing *x, eg_str text, size_t line, eg_exchange_record **out) {
    eg_exchange_record *r = *out = add_record(x, line);
    if (!r) return eg_fail_memory(x->rq->err, x->capacity * sizeof *r);
    return eg_import_at(x, line, eg_exchange_read(text, &x->arena, r, x->rq->err));
}

/* The lines of a text, one after the other, without their breaks. */
typedef struct lines {
    const char *p, *end;
    size_t number; /* of the line that was read last */
} lines;

static int next_line(lines *l, eg_str *line) {
    if (l->p == l->end) return 0;
    const char *stop = memchr(l->p, '\n', (size_t)(l->end - l->p));
    size_t n = (size_t)((stop ? stop : l->end) - l->p);
    *line = (eg_str){l->p, n && l->p[n - 1] == '\r' ? n - 1 : n};
    l->p = stop ? stop + 1 : l->end;
    l->number++;
    return 1;
}

static int begins_with(eg_str s, const char *with) {
    size_t n = strlen(with);
    return s.len >= n && memcmp(s.ptr, with, n) == 0;
}

static eg_status check_first_line(eg_importing *x, eg_str line) {
    eg_error ignored = {0};
    eg_str format = {0}, key = {0};
    int64_t version = 0;
    eg_json j;
    eg_json_init(&j, "line 1", line, &x->arena, &ignored);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END && k != EG_JSON_ERROR; k = eg_json_next(&j)) {
        if (k == EG_JSON_KEY) key = j.text;
        if (k == EG_JSON_STRING && eg_str_eq(key, EG_STR("format"))) format = j.text;
        if (k == EG_JSON_NUMBER && j.is_integer && eg_str_eq(key, EG_STR("version"))) version = j.integer;
    }
    if (!eg_str_eq(format, EG_STR("engram-memory")))
        return eg_request_fail(x->rq, EG_EFORMAT,
                               "line 1: this is not a memory that `engram export` wrote: such a file begins with %s, or with %s "
                               "in Markdown",
                               EG_EXCHANGE_FIRST, EG_EXCHANGE_MARKDOWN);
    if (version == 1) return EG_OK;
    return eg_request_fail(x->rq, EG_EVERSION,
                           "line 1: the file has version %lld of the format, this program reads version 1: upgrade it",
                           (long long)version);
}

static eg_status check_end(eg_importing *x, const eg_exchange_record *end) {
    eg_exchange_counts found = {{0}};
    for (size_t i = 0; i < x->count; i++)
        if (x->records[i].kind < EG_EXCHANGE_END) found.of[x->records[i].kind]++;
    if (end && memcmp(&found, &end->counts, sizeof found) == 0) return EG_OK;
    return eg_request_fail(
        x->rq, EG_EFORMAT,
        end ? "line %zu: the record end counts other records than the file has: it was changed, or is not whole"
            : "line %zu: the record end is missing behind it: the file was cut off; export it again",
        end        ? end->line
        : x->count ? x->records[x->count - 1].line
                   : 1);
}

static eg_status read_lines(eg_importing *x, eg_str text) {
    lines l = {.p = text.ptr, .end = text.ptr + text.len};
    eg_str line = {0};
    eg_exchange_record *r = NULL;
    next_line(&l, &line);
    eg_status s = check_first_line(x, line);
    while (s == EG_OK && next_line(&l, &line)) {
        if (!line.len) continue;
        if (r && r->kind == EG_EXCHANGE_END)
            return eg_request_fail(x->rq, EG_EFORMAT, "line %zu: it stands behind the record end", l.number);
        s = read_record(x, line, l.number, &r);
    }
    if (s != EG_OK) return s;
    int ended = r && r->kind == EG_EXCHANGE_END;
    s = check_end(x, ended ? r : NULL);
    x->count -= s == EG_OK;
    return s;
}

/* Reads the text of an item up to the next item or heading, which *line is then. */
static eg_status read_item_text(eg_importing *x, lines *l, eg_str *line, int *more, eg_str *out) {
    eg_buffer b = {0};
    while ((*more = next_line(l, line)) && !begins_with(*line, ITEM) && !begins_with(*line, HEADING)) {
        size_t indent = begins_with(*line, "  ") ? 2 : 0;
        if (b.len) eg_buffer_text(&b, "\n");
        eg_buffer_add(&b, line->ptr + indent, line->len - indent);
    }
    while (b.len && b.ptr[b.len - 1] == '\n') b.len--;
    const char *copy = b.failed ? NULL : eg_arena_copy(&x->arena, (eg_str){b.ptr, b.len});
    *out = (eg_str){copy, b.len};
    eg_buffer_release(&b);
    return copy ? EG_OK : eg_fail_memory(x->rq->err, out->len);
}

static eg_status read_markdown(eg_importing *x, eg_str text) {
    lines l = {.p = text.ptr, .end = text.ptr + text.len};
    eg_str line, scope = {0};
    eg_status s = EG_OK;
    int more = next_line(&l, &line);
    while (s == EG_OK && more) {
        if (begins_with(line, HEADING)) scope = (eg_str){line.ptr + 3, line.len - 3};
        if (!begins_with(line, ITEM)) {
            more = next_line(&l, &line);
            continue;
        }
        size_t frame = sizeof ITEM - 1 + sizeof ITEM_END - 1, number = l.number;
        eg_exchange_record *r;
        if (line.len < frame || memcmp(line.ptr + line.len - (sizeof ITEM_END - 1), ITEM_END, sizeof ITEM_END - 1) != 0)
            return eg_request_fail(x->rq, EG_EFORMAT, "line %zu: the comment of the fact does not end on its line with -->",
                                   number);
        s = read_record(x, (eg_str){line.ptr + sizeof ITEM - 1, line.len - frame}, number, &r);
        if (s == EG_OK && (r->kind != EG_EXCHANGE_FACT || r->fact.content.len || r->fact.scope.len))
            s = eg_request_fail(x->rq, EG_EFORMAT,
                                "line %zu: in Markdown there are facts only, with their text below and their scope above",
                                number);
        if (s != EG_OK) return s;
        r->fact.scope = scope;
        s = read_item_text(x, &l, &line, &more, &r->fact.content);
    }
    return s;
}

/* ---- checking ---- */

static eg_status pass_gates(eg_importing *x, const eg_commit_args *args) { return eg_pass_gates(x->m, x->rq, args); }

/* A text that belongs to no fact: the gates look at it as at a content. */
static eg_status check_note(eg_importing *x, const char *name, eg_str text, size_t most, int needed) {
    eg_status s = eg_check_stored(x->rq, name, text, most, needed);
    if (s != EG_OK || !text.len) return s;
    const eg_commit_args note = {.size = sizeof note, .content = text, .scope = EG_STR("general"), .agent_id = x->rq->who->agent};
    char why[sizeof x->rq->err->text];
    if ((s = pass_gates(x, &note)) == EG_OK) return s;
    memcpy(why, x->rq->err->text, sizeof why);
    return eg_request_fail(x->rq, s, "%s: %s", name, why);
}

static eg_status check_past(eg_importing *x, const char *name, int64_t at) {
    if (at <= 0) return eg_request_fail(x->rq, EG_EINVAL, "%s is missing", name);
    if (at <= x->now) return EG_OK;
    return eg_request_fail(x->rq, EG_EINVAL, "%s lies in the future of this store: check the clock of both machines", name);
}

static eg_status check_window(eg_importing *x, eg_fact *f) {
    eg_status s = check_past(x, "committed_at", f->committed_at);
    if (!f->valid_from) f->valid_from = f->committed_at;
    if (s == EG_OK) s = check_past(x, "valid_from", f->valid_from);
    if (s == EG_OK && f->valid_until < f->valid_from) s = eg_request_fail(x->rq, EG_EINVAL, "valid_until lies before valid_from");
    if (s != EG_OK) return s;
    if (f->close_reason == EG_CLOSE_ERASED) return eg_request_fail(x->rq, EG_EINVAL, "an erased fact cannot be imported");
    if (f->close_reason == EG_CLOSE_NONE)
        return f->closed_at || f->closed_by.len ? eg_request_fail(x->rq, EG_EINVAL, "it is closed, but close_reason is missing")
                                                : EG_OK;
    if ((s = check_past(x, "closed_at", f->closed_at)) != EG_OK) return s;
    return f->valid_until <= f->closed_at
               ? EG_OK
               : eg_request_fail(x->rq, EG_EINVAL, "it is closed, but valid_until lies behind closed_at");
}

static eg_status hash_content(eg_importing *x, eg_fact *f) {
    eg_arena scratch;
    eg_arena_init(&scratch, 0);
    eg_status s = eg_content_hash(x->m, x->rq, &scratch, f->content, f->content_hash);
    eg_arena_release(&scratch);
    return s;
}

/* As commit.c checks its arguments; fills what is derived from the content. */
static eg_status check_fact(eg_importing *x, eg_exchange_record *r) {
    eg_fact *f = &r->fact;
    eg_request *rq = x->rq;
    if (eg_id_is_none(f->id)) return eg_request_fail(rq, EG_EINVAL, "fact_id is missing");
    if (eg_id_is_none(f->lineage_id)) f->lineage_id = f->id;
    if (!f->agent_id.len) f->agent_id = rq->who->agent;
    eg_status s = eg_check_stored(rq, "content", f->content, EG_MAX_CONTENT, 1);
    if (s == EG_OK) s = eg_check_stored(rq, "agent_id", f->agent_id, EG_MAX_NAME, 0);
    if (s == EG_OK) s = eg_check_stored(rq, "engineer", f->engineer, EG_MAX_NAME, 0);
    if (s == EG_OK) s = eg_check_stored(rq, "closed_by", f->closed_by, EG_MAX_NAME, 0);
    if (s == EG_OK) s = eg_check_stored(rq, "provenance", f->provenance, EG_MAX_PROVENANCE, 0);
    if (s == EG_OK) s = eg_check_stored(rq, "artifact_hash", f->artifact_hash, EG_MAX_PROVENANCE, 0);
    if (s == EG_OK) s = eg_check_scope(rq, f->scope, 0, &f->scope);
    if (s != EG_OK) return s;
    if (!(f->confidence >= 0 && f->confidence <= 1))
        return eg_request_fail(rq, EG_EINVAL, "confidence must be a number from 0 to 1");
    if (f->ttl_days > EG_MAX_TTL_DAYS) return eg_request_fail(rq, EG_EINVAL, "ttl_days is over %d", EG_MAX_TTL_DAYS);
    if ((s = check_window(x, f)) != EG_OK) return s;
    const eg_commit_args as_commit = {.size = sizeof as_commit,
                                      .content = f->content,
                                      .scope = f->scope,
                                      .confidence = f->confidence,
                                      .agent_id = f->agent_id,
                                      .engineer = f->engineer,
                                      .provenance = f->provenance,
                                      .artifact_hash = f->artifact_hash,
                                      .fact_type = f->fact_type,
                                      .durability = f->durability,
                                      .ttl_days = f->ttl_days,
                                      .statements = r->statements,
                                      .statement_count = r->statement_count};
    eg_import_fact *fact = &x->facts[x->fact_count];
    *fact = (eg_import_fact){.record = r, .here = f->id};
    if ((s = eg_given_check(rq, &as_commit)) == EG_OK) s = pass_gates(x, &as_commit);
    if (s == EG_OK && f->closed_by.len) s = check_note(x, "closed_by", f->closed_by, EG_MAX_NAME, 0);
    if (s == EG_OK) s = hash_content(x, f);
    if (s == EG_OK) s = eg_given_match(rq, &x->arena, &as_commit, f->scope, &fact->given);
    if (s != EG_OK) return s;
    x->fact_keys[x->fact_count] = (eg_import_key){f->id, x->fact_count};
    x->fact_count++;
    return EG_OK;
}

static eg_status check_conflict(eg_importing *x, const eg_exchange_record *r, size_t at) {
    const eg_conflict *c = &r->conflict;
    eg_request *rq = x->rq;
    if (eg_id_is_none(c->id)) return eg_request_fail(rq, EG_EINVAL, "conflict_id is missing");
    if (eg_id_is_none(c->fact_a) || eg_id_is_none(c->fact_b) || eg_id_eq(c->fact_a, c->fact_b))
        return eg_request_fail(rq, EG_EINVAL, "fact_a and fact_b must be two facts");
    if (!(c->score >= 0 && c->score <= 1)) return eg_request_fail(rq, EG_EINVAL, "score must be a number from 0 to 1");
    if (c->status == EG_CONFLICT_EXPIRED)
        return eg_request_fail(rq, EG_EINVAL, "status cannot be expired: such a conflict is stored as open");
    eg_status s = check_past(x, "detected_at", c->detected_at);
    if (s == EG_OK && eg_is_settled(c->status)) s = check_past(x, "resolved_at", c->resolved_at);
    if (s == EG_OK && !eg_is_settled(c->status) && (c->resolved_at || !eg_id_is_none(c->resolved_fact)))
        s = eg_request_fail(rq, EG_EINVAL, "it is not settled, but has resolved_at or resolved_fact_id");
    if (s == EG_OK) s = check_note(x, "detection_tier", c->tier, EG_MAX_NAME, 1);
    if (s == EG_OK) s = check_note(x, "detector", c->detector, EG_MAX_NAME, 0);
    if (s == EG_OK) s = check_note(x, "explanation", c->explanation, EG_MAX_CONTENT, 0);
    if (s == EG_OK) s = check_note(x, "resolved_by", c->resolved_by, EG_MAX_NAME, 0);
    if (s == EG_OK) s = check_note(x, "resolution", c->resolution, EG_MAX_RESOLUTION, 0);
    if (s == EG_OK) x->conflict_keys[x->conflict_count++] = (eg_import_key){c->id, at};
    return s;
}

static eg_status check_answer(eg_importing *x, const eg_exchange_record *r) {
    const eg_exchange_answer *a = &r->answer;
    if (eg_id_is_none(a->conflict)) return eg_request_fail(x->rq, EG_EINVAL, "conflict_id is missing");
    eg_status s = check_past(x, "judged_at", a->judged_at);
    if (s == EG_OK) s = check_note(x, "judged_by", a->judged_by, EG_MAX_NAME, 1);
    for (size_t i = 0; s == EG_OK && i < a->asked.len; i++)
        if (a->asked.len > EG_MAX_ASKED_BY || !((a->asked.ptr[i] >= 'a' && a->asked.ptr[i] <= 'z') || a->asked.ptr[i] == '_'))
            s = eg_request_fail(x->rq, EG_EINVAL, "asked must be a word of [a-z_], such as elicitation");
    return s;
}

static eg_status check_record(eg_importing *x, size_t i) {
    eg_exchange_record *r = &x->records[i];
    switch ((eg_exchange_kind)r->kind) {
    case EG_EXCHANGE_FACT: return check_fact(x, r);
    case EG_EXCHANGE_CONFLICT: return check_conflict(x, r, i);
    case EG_EXCHANGE_ANSWER: return check_answer(x, r);
    case EG_EXCHANGE_LINK:
        if (!eg_id_is_none(r->link.fact) && !eg_id_is_none(r->link.other) && !eg_id_eq(r->link.fact, r->link.other)) return EG_OK;
        return eg_request_fail(x->rq, EG_EINVAL, "fact_id and other_fact_id must be two facts");
    case EG_EXCHANGE_END:
    case EG_EXCHANGE_KINDS: break;
    }
    return EG_EINTERNAL;
}

/* Sorts keys, and refuses an id that stands there twice. */
static eg_status sort_keys(eg_importing *x, eg_import_key *keys, size_t n, int of_facts) {
    eg_import_sort(keys, n);
    for (size_t i = 1; i < n; i++) {
        if (!eg_id_eq(keys[i].id, keys[i - 1].id)) continue;
        size_t a = of_facts ? x->facts[keys[i].at].record->line : x->records[keys[i].at].line;
        size_t b = of_facts ? x->facts[keys[i - 1].at].record->line : x->records[keys[i - 1].at].line;
        char id[EG_ID_TEXT];
        eg_id_format(keys[i].id, id);
        return eg_request_fail(x->rq, EG_EINVAL, "line %zu: the id %s stands in line %zu already", a > b ? a : b, id,
                               a > b ? b : a);
    }
    return EG_OK;
}

static eg_status check(eg_importing *x) {
    x->facts = eg_arena_array(&x->arena, x->count, sizeof *x->facts);
    x->fact_keys = eg_arena_array(&x->arena, x->count, sizeof *x->fact_keys);
    x->conflict_keys = eg_arena_array(&x->arena, x->count, sizeof *x->conflict_keys);
    if (!x->facts || !x->fact_keys || !x->conflict_keys) return eg_fail_memory(x->rq->err, x->count * sizeof *x->facts);
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < x->count; i++) s = eg_import_at(x, x->records[i].line, check_record(x, i));
    if (s == EG_OK) s = sort_keys(x, x->fact_keys, x->fact_count, 1);
    return s == EG_OK ? sort_keys(x, x->conflict_keys, x->conflict_count, 0) : s;
}

static eg_status run(eg_importing *x, const eg_import_args *args) {
    eg_status s = eg_check_text(x->rq, "the file", args->text, EG_MAX_IMPORT, 1);
    if (s == EG_OK) s = eg_now(x->m, x->rq, &x->now);
    if (s == EG_OK) s = begins_with(args->text, EG_EXCHANGE_MARKDOWN) ? read_markdown(x, args->text) : read_lines(x, args->text);
    if (s == EG_OK) s = check(x);
    if (s != EG_OK) return s;
    s = EG_ECONFLICT;
    for (int i = 0; s == EG_ECONFLICT && i < MAX_RETRIES; i++) s = eg_import_decide(x);
    if (s == EG_ECONFLICT)
        return eg_request_fail(x->rq, EG_EBUSY, "other writers changed the same facts %d times in a row: try again", MAX_RETRIES);
    if (s != EG_OK || x->dry_run || !x->out->facts) return s;
    /* It is stored; the worker of any process looks for what has no vectors too. */
    if (eg_reembed_begin(x->m, x->rq) != EG_OK) *x->rq->err = (eg_error){0};
    eg_memory_wake(x->m);
    return EG_OK;
}

eg_status eg_memory_import(eg_memory *m, eg_request *rq, const eg_import_args *args, eg_imported *out) {
    eg_importing *x = eg_request_array(rq, 1, sizeof *x);
    *out = (eg_imported){0};
    if (!x) return EG_ENOMEM;
    *x = (eg_importing){.m = m, .rq = rq, .out = out, .dry_run = (args->flags & EG_IMPORT_DRY_RUN) != 0};
    eg_arena_init(&x->arena, 0);
    eg_status s = run(x, args);
    eg_arena_release(&x->arena);
    return s;
}
