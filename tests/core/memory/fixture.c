/* fixture.c - see fixture.h. */
#include "fixture.h"

#include <ctype.h>
#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/memory/audit.h"
#include "core/memory/judge.h"
#include "core/memory/workspaces.h"
#include "tests/support/request.h"
#include "tests/support/services.h"

enum { DIMENSIONS = 64, BUDGET_MS = 20 };

const eg_plugin *eg_plugin_sqlite(void);
const eg_plugin *eg_plugin_rules(void);

typedef struct owned_request {
    test_request base; /* first */
    eg_case_source *source;
} owned_request;

static eg_status request_make(void *host, const eg_inner_request *of, eg_request **out, eg_error *err) {
    (void)err;
    owned_request *r = calloc(1, sizeof *r);
    assert_non_null(r);
    test_request_init(&r->base, ((fixture *)host)->memory_limit);
    r->source = of->source;
    test_request_set(&r->base, of->workspace, of->who, of->cancel, of->err);
    *out = &r->base.rq;
    return EG_OK;
}

static eg_status request_create(void *host, const eg_request_options *options, eg_request **out, eg_error *err) {
    const eg_inner_request of = {
        .workspace = EG_STR("local"), .who = &test_principal, .cancel = options ? options->cancel : (eg_cancel){0}};
    return request_make(host, &of, out, err);
}

eg_request *fixture_request(fixture *f, const char *workspace, const eg_principal *who, eg_cancel cancel) {
    eg_request *rq;
    const eg_inner_request of = {.workspace = eg_str_of(workspace), .who = who ? who : &test_principal, .cancel = cancel};
    assert_int_equal(request_make(f, &of, &rq, NULL), EG_OK);
    return rq;
}

static eg_status neighbour_margins(void *host, eg_request *rq, const eg_case *c, const eg_margin_question *questions, size_t n,
                                   eg_margin *out) {
    (void)host;
    return eg_memory_neighbour_margins(((owned_request *)rq)->source, rq, c, questions, n, out);
}

static eg_status earlier_findings(void *host, eg_request *rq, const eg_case *c, const eg_finding **out, size_t *n) {
    (void)host;
    return eg_memory_earlier_findings(((owned_request *)rq)->source, rq, c, out, n);
}

static void request_release(void *host, eg_request *rq) {
    (void)host;
    test_request_release(&((owned_request *)rq)->base);
    free(rq);
}

/* ---- services ---- */
static void log_text(void *host, eg_log_level level, const char *plugin, const char *text) {
    (void)host;
    if (level <= EG_LOG_WARN) fprintf(stderr, "[%s] %s\n", plugin, text);
}
static eg_status config(void *host, const char *key, eg_str *value) {
    (void)host, (void)key, (void)value;
    return EG_ENOENT;
}
static int64_t now(void *host) { return ((fixture *)host)->now; }
static eg_status audit_hash(void *host, const uint8_t previous[32], const eg_audit_row *row, uint8_t out[32]) {
    return eg_audit_hash(&((fixture *)host)->services, previous, row, out);
}
/* As code does that needs more than there is; the last byte is gone. */
static eg_status take_all(eg_request *rq) {
    for (size_t n = (size_t)1 << 20; n; n /= 2)
        while (rq->alloc(rq, n)) {}
    return eg_request_fail(rq, EG_ENOMEM, "out of memory: on purpose");
}
/* Words hashed into buckets, square-rooted counts, normalised. */
static void embed_one(eg_str text, float *out) {
    memset(out, 0, DIMENSIONS * sizeof *out);
    uint32_t h = 2166136261u;
    size_t length = 0;
    for (size_t i = 0; i <= text.len; i++) {
        int c = i < text.len ? tolower((unsigned char)text.ptr[i]) : ' ';
        if (isalnum(c)) {
            h = (h ^ (uint32_t)c) * 16777619u;
            length++;
        } else {
            if (length) out[h % DIMENSIONS] += 1;
            h = 2166136261u;
            length = 0;
        }
    }
    float sum = 1e-6f;
    for (size_t i = 0; i < DIMENSIONS; i++) sum += out[i] * out[i];
    for (size_t i = 0; i < DIMENSIONS; i++) out[i] /= sqrtf(sum);
}
static eg_status embed(void *host, eg_request *rq, const eg_str *texts, size_t n, float *out, uint32_t dimensions) {
    assert_int_equal(dimensions, DIMENSIONS);
    fixture *f = host;
    if (f->embed_greedy) return take_all(rq);
    for (size_t i = 0; i < n; i++) {
        embed_one(texts[i], out + i * DIMENSIONS);
        /* another model, another space: nothing of one is near anything of the other */
        for (size_t k = 0; k < DIMENSIONS && strcmp(f->model, "hashed-words") != 0; k++)
            out[i * DIMENSIONS + k] *= k % 2 ? -1.0f : 1.0f;
    }
    f->embedded += n;
    return EG_OK;
}
static eg_status embed_model(void *host, eg_str *id, uint32_t *dimensions, eg_error *err) {
    fixture *f = host;
    if (!f->with_model || f->damaged) {
        if (err) *err = (eg_error){EG_EUNAVAILABLE, "no embedding model"};
        return EG_EUNAVAILABLE;
    }
    f->opened++;
    *id = eg_str_of(((fixture *)host)->model);
    *dimensions = DIMENSIONS;
    return EG_OK;
}
static int holds(eg_str s, const char *word) { return memmem(s.ptr, s.len, word, strlen(word)) != NULL; }
static eg_status classify(void *host, eg_request *rq, const eg_pair *pairs, size_t n, float *out) {
    const fixture *f = host;
    if (!f->contradicts) return eg_request_fail(rq, EG_EUNAVAILABLE, "no NLI model");
    for (size_t i = 0; i < n; i++) {
        int both = holds(pairs[i].first, f->contradicts) && holds(pairs[i].second, f->contradicts);
        out[3 * i] = both ? 0.98f : 0.02f;
        out[3 * i + 1] = 0.01f;
        out[3 * i + 2] = 1 - out[3 * i] - out[3 * i + 1];
    }
    return EG_OK;
}
static eg_status embed_id(void *host, eg_str *id, eg_error *err) {
    fixture *f = host;
    if (!f->with_model) return embed_model(host, id, NULL, err);
    *id = eg_str_of(f->model); /* known by its files, though it may not open */
    return EG_OK;
}
static double threshold(void *host, const char *name, double otherwise) {
    const fixture *f = host;
    double set = strcmp(name, "tier1_nli") == 0            ? f->threshold
                 : strcmp(name, "tier1_nli_review") == 0   ? f->review
                 : strcmp(name, "reviews_per_commit") == 0 ? f->per_commit
                                                           : 0;
    return set > 0 ? set : otherwise;
}
/* The stand-in for the NLI tier. */
static int says(const eg_case_fact *f, const char *word) {
    if (holds(f->fact->content, word)) return 1;
    for (size_t i = 0; f->details && i < f->statement_count; i++)
        if ((f->details[i].flags & EG_STATEMENT_GIVEN) && holds(f->details[i].alone, word)) return 1;
    return 0;
}
/* Counts the vectors that come with a fact of a case; each must be that of its text. */
static eg_status count_vectors(fixture *f, const eg_services *services, eg_request *rq, const eg_case_fact *fact) {
    for (size_t i = 0; fact->vectors && i <= fact->statement_count; i++) {
        float v[DIMENSIONS];
        const eg_str content = fact->fact->content, text = i ? eg_statement_text(content, &fact->details[i - 1]) : content;
        if (!fact->vectors[i]) continue;
        eg_status s = services->embed(services->host, rq, &text, 1, v, DIMENSIONS);
        if (s != EG_OK) return s;
        f->vectors += memcmp(v, fact->vectors[i], sizeof v) == 0;
        f->wrong_vectors += memcmp(v, fact->vectors[i], sizeof v) != 0;
    }
    return EG_OK;
}

static eg_status examine(void *self, const eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *, const eg_finding *), void *sink) {
    fixture *f = self;
    f->nli_asked++;
    if (f->naps) usleep(2 * BUDGET_MS * 1000);
    if (f->greedy) return take_all(rq);
    f->vectors = f->wrong_vectors = 0;
    for (uint32_t i = 0; f->counts_vectors && i <= c->candidate_count; i++) {
        eg_status s = count_vectors(f, services, rq, i ? c->candidates[i - 1] : c->subject);
        if (s != EG_OK) return s;
    }
    for (uint32_t i = 0; f->nli_word && i < c->candidate_count; i++) {
        if (!says(c->subject, f->nli_word) || !says(c->candidates[i], f->nli_word)) continue;
        const eg_margin_question question = {f->wrong_candidate ? c->candidate_count : i, 0, f->asked[0], f->asked[1]};
        const eg_finding *earlier;
        size_t earlier_count;
        eg_status s =
            services->earlier_findings(services->host, rq, f->another_case ? f->another_case : c, &earlier, &earlier_count);
        f->told = s;
        if (s != EG_OK) continue;
        f->earlier = (eg_finding){0};
        for (size_t k = 0; k < earlier_count; k++)
            if (earlier[k].candidate == i) f->earlier = earlier[k];
        f->margins = (eg_margin){-1, -1};
        f->asking = 1;
        f->told =
            services->neighbour_margins(services->host, rq, f->another_case ? f->another_case : c, &question, 1, &f->margins);
        f->asking = 0;
        if (f->told != EG_OK && f->told != EG_EUNAVAILABLE && f->told != EG_EINVAL) return f->told;
        eg_finding one = {.size = sizeof one,
                          .candidate = i,
                          .outcome = EG_OUTCOME_CONTRADICTION,
                          .severity = EG_SEVERITY_HIGH,
                          .score = f->nli_score,
                          .tier = EG_STR("tier1_nli"),
                          .explanation = EG_STR("both hold the word")};
        if ((s = add(sink, &one)) != EG_OK) return s;
    }
    return EG_OK;
}

static void load(fixture *f, eg_registrar *r, const eg_plugin *p) {
    eg_error err = {0};
    assert_int_equal(test_registrar_open(r, &f->services, p, NULL, &err), EG_OK);
}

static void wake(void *host) { ((fixture *)host)->wakes++; }

void fixture_open(fixture *f, int with_model) {
    static const eg_detector nli = {
        .size = sizeof nli, .order = 100, .budget_ms = BUDGET_MS, .name = "stand-in", .version = "1", .examine = examine};
    assert_true(sodium_init() >= 0);
    *f = (fixture){.now = INT64_C(1800000000) * EG_SECOND, .with_model = with_model, .model = "hashed-words", .threshold = 0.8};
    f->services = test_services(f);
    f->services.audit_hash = audit_hash;
    f->services.log = log_text;
    f->services.config = config;
    f->services.now = now;
    f->services.request_create = request_create;
    f->services.request_release = request_release;
    f->services.embed = embed;
    f->services.nli = classify;
    f->services.neighbour_margins = neighbour_margins;
    f->services.earlier_findings = earlier_findings;
    f->services.threshold = threshold;
    eg_registrar r = {0};
    load(f, &r, eg_plugin_sqlite());
    load(f, &r, eg_plugin_rules());
    for (size_t i = 0; i < r.detector_count; i++) f->detectors[i] = (eg_detector_slot){*r.detectors[i], r.detector_self[i]};
    f->detectors[r.detector_count] = (eg_detector_slot){nli, f};

    strcpy(f->folder, "/tmp/engram-memory-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    eg_error err = {0};
    request_create(f, NULL, &f->rq, &err);
    char path[96];
    snprintf(path, sizeof path, "%s/knowledge.db", f->folder);
    const eg_storage_open_args where = {.size = sizeof where, .flags = EG_STORAGE_FOR_TESTS, .location = eg_str_of(path)};
    if (r.ops->open(&f->services, f->rq, &where, &f->storage) != EG_OK) fail_msg("%s", f->rq->err->text);
    eg_memory_env env = {.services = &f->services,
                         .storage_ops = r.ops,
                         .storage = f->storage,
                         .detectors = f->detectors,
                         .detector_count = r.detector_count + 1,
                         .embed_model = embed_model,
                         .embed_id = embed_id,
                         .request_make = request_make,
                         .wake = wake,
                         .host = f,
                         .self = test_principal,
                         .owner = EG_STR("test-1"),
                         .mode = EG_STR("local"),
                         .default_wait_ms = 20000,
                         .max_leased = 4};
    assert_int_equal(eg_memory_create(&env, &f->memory, &err), EG_OK);
    f->ops = eg_memory_table();
}

void fixture_close(fixture *f) {
    const eg_storage_ops *ops = f->memory->env.storage_ops;
    eg_memory_destroy(f->memory);
    ops->close(f->storage);
    request_release(f, f->rq);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    assert_int_equal(system(command), 0);
}

eg_request *request_in(fixture *f, const char *workspace) { return fixture_request(f, workspace, NULL, (eg_cancel){0}); }

void forget(fixture *f) { eg_workspaces_release(f->memory); }

eg_receipt commit_args(fixture *f, eg_commit_args args) {
    eg_receipt r;
    f->now += EG_SECOND;
    if (f->ops->commit(f->memory, f->rq, &args, &r) != EG_OK) fail_msg("commit: %s", f->rq->err->text);
    return r;
}

eg_receipt commit_as(fixture *f, const char *agent, const char *scope, const char *content) {
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = eg_str_of(content);
    args.scope = eg_str_of(scope);
    args.agent_id = eg_str_of(agent);
    return commit_args(f, args);
}

eg_hits query(fixture *f, const char *topic) {
    eg_query_args args = EG_QUERY_DEFAULTS;
    args.topic = eg_str_of(topic);
    eg_hits hits;
    if (f->ops->query(f->memory, f->rq, &args, &hits) != EG_OK) fail_msg("query: %s", f->rq->err->text);
    return hits;
}

size_t open_conflicts(fixture *f, eg_conflict_view **out) {
    size_t n = 0;
    eg_conflict_view *views = NULL;
    if (f->ops->conflicts(f->memory, f->rq, (eg_str){0}, EG_CONFLICT_OPEN, 0, &views, &n) != EG_OK)
        fail_msg("conflicts: %s", f->rq->err->text);
    if (out) *out = views;
    return n;
}

void work(fixture *f) {
    size_t ran, left;
    assert_int_equal(f->ops->work(f->memory, f->rq, &ran, &left), EG_OK);
    assert_int_equal(left, 0);
}

eg_resolve_args settling(settling_ids *ids, eg_id conflict, eg_resolution how, eg_id winner) {
    eg_id_format(conflict, ids->conflict);
    eg_id_format(winner, ids->winner);
    return (eg_resolve_args){.size = sizeof(eg_resolve_args),
                             .conflict_id = eg_str_of(ids->conflict),
                             .resolution_type = how,
                             .resolution = EG_STR("as agreed"),
                             .merged_content =
                                 how == EG_RESOLUTION_MERGE ? EG_STR("The auth service uses both ports.") : (eg_str){0},
                             .winning_fact_id = how == EG_RESOLUTION_WINNER ? eg_str_of(ids->winner) : (eg_str){0}};
}

eg_resolved settle(fixture *f, eg_id conflict, eg_resolution how, eg_id winner) {
    settling_ids ids;
    const eg_resolve_args args = settling(&ids, conflict, how, winner);
    eg_resolved done;
    f->now += EG_SECOND;
    if (f->ops->resolve(f->memory, f->rq, &args, &done) != EG_OK) fail_msg("resolve: %s", f->rq->err->text);
    return done;
}

eg_undone undo(fixture *f, int64_t undo_id) {
    eg_undone undone;
    f->now += EG_SECOND;
    if (f->ops->undo(f->memory, f->rq, undo_id, &undone) != EG_OK) fail_msg("undo: %s", f->rq->err->text);
    return undone;
}

void refuses_undo(fixture *f, int64_t undo_id, const char *why) {
    eg_undone undone;
    f->now += EG_SECOND;
    assert_int_equal(f->ops->undo(f->memory, f->rq, undo_id, &undone), EG_EINVAL);
    if (!strstr(f->rq->err->text, why)) fail_msg("not '%s': '%s'", why, f->rq->err->text);
}

eg_receipt correct(fixture *f, eg_fact fact, eg_operation operation, const char *content) {
    char lineage[EG_ID_TEXT];
    eg_id_format(fact.lineage_id, lineage);
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = eg_str_of(content);
    args.scope = fact.scope;
    args.operation = operation;
    args.corrects_lineage = eg_str_of(lineage);
    return commit_args(f, args);
}

size_t current_of(fixture *f, eg_id lineage) {
    char id[EG_ID_TEXT];
    eg_id_format(lineage, id);
    eg_fact *rows;
    size_t n, current = 0;
    assert_int_equal(f->ops->lineage(f->memory, f->rq, eg_str_of(id), &rows, &n), EG_OK);
    for (size_t i = 0; i < n; i++) current += rows[i].valid_until > f->now;
    return current;
}

eg_receipt commit_for(fixture *f, const char *agent, uint32_t ttl_days, const char *content) {
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = eg_str_of(content);
    args.scope = EG_STR("auth");
    args.agent_id = eg_str_of(agent);
    args.ttl_days = ttl_days;
    return commit_args(f, args);
}
