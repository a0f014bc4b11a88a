/* conformance_steps.c - see conformance_steps.h. */
#include "conformance_steps.h"

void set_clock(store *s, int64_t time) {
    s->now = time;
    assert_int_equal(OPS(s, set_clock, time), EG_OK);
}
void advance_clock(store *s, int64_t by) { set_clock(s, s->now + by); }

eg_status apply(store *s, const eg_precondition *p, size_t np, const eg_change *c, size_t nc, eg_applied *out) {
    eg_change_set set = {.size = sizeof set,
                         .actor = EG_STR("test"),
                         .preconditions = p,
                         .precondition_count = np,
                         .changes = c,
                         .change_count = nc};
    eg_applied ignored;
    return OPS(s, apply, &set, out ? out : &ignored);
}

eg_new_fact new_fact(const char *content, const char *scope) {
    eg_new_fact row = {.size = sizeof row,
                       .fact = {.content = eg_str_of(content), .scope = eg_str_of(scope), .agent_id = EG_STR("alice")}};
    row.fact.id = row.fact.lineage_id = test_id();
    return row;
}

eg_conflict new_conflict(eg_id a, eg_id b) {
    return (eg_conflict){.id = test_id(),
                         .fact_a = a,
                         .fact_b = b,
                         .tier = EG_STR("tier"),
                         .detector = EG_STR("d 1"),
                         .explanation = EG_STR("why")};
}

eg_id put_fact(store *s, const char *content, const char *scope, int64_t lifetime, uint32_t axis) {
    float v[WIDTH] = {0};
    eg_term terms[32];
    eg_new_fact row = new_fact(content, scope);
    row.lifetime = lifetime;
    s->services.sha256(s->services.host, content, strlen(content), row.fact.content_hash);
    for (const char *p = content; *p && row.term_count < 32;) {
        size_t n = strcspn(p, " ");
        if (n) terms[row.term_count++] = (eg_term){{p, n}, 1};
        p += n + (p[n] != 0);
    }
    v[axis % WIDTH] = 0.8f;
    v[(axis + 1) % WIDTH] = 0.6f;
    eg_vector vector = {.statement = UINT32_MAX, .dimensions = WIDTH, .model_id = EG_STR("m"), .values = v};
    row.terms = terms;
    row.vectors = &vector;
    row.vector_count = 1;
    eg_change change = {.kind = EG_CHANGE_FACT, .new_fact = &row};
    if (apply(s, NULL, 0, &change, 1, NULL) != EG_OK) fail_msg("%s", s->request.err.text);
    return row.fact.id;
}

void close_fact(store *s, eg_id id, eg_close_reason reason) {
    eg_change c = {.kind = EG_CHANGE_CLOSE, .close = {.fact = id, .reason = reason, .by = EG_STR("bob")}};
    assert_int_equal(apply(s, NULL, 0, &c, 1, NULL), EG_OK);
}

eg_fact_parts part(store *s, eg_id id, uint32_t flags) {
    eg_parts_args args = {.size = sizeof args, .flags = flags, .ids = &id, .count = 1};
    eg_fact_parts *rows;
    assert_int_equal(OPS(s, parts, &args, &rows, NULL), EG_OK);
    return *rows;
}
eg_fact get_fact(store *s, eg_id id) { return part(s, id, 0).fact; }

uint32_t pair_of(store *s, eg_id subject, eg_id other) {
    eg_parts_args args = {.size = sizeof args, .flags = EG_PARTS_PAIRS, .ids = &other, .count = 1, .subject = subject};
    eg_fact_parts *rows;
    assert_int_equal(OPS(s, parts, &args, &rows, NULL), EG_OK);
    return rows->pair;
}

eg_conflict get_conflict(store *s, eg_id id) {
    eg_conflict_filter f = {.size = sizeof f, .ids = &id, .id_count = 1};
    eg_conflict *rows;
    size_t n;
    assert_int_equal(OPS(s, conflicts, &f, &rows, &n), EG_OK);
    return n ? *rows : (eg_conflict){.status = EG_CONFLICT_OPEN};
}

size_t count_page(store *s, const eg_filter *f) {
    eg_fact *rows;
    size_t n;
    assert_int_equal(OPS(s, page, f, 0, 1000, &rows, &n), EG_OK);
    return n;
}

eg_scored_list search_one(store *s, const eg_filter *f, eg_search search) {
    eg_scored_list list;
    assert_int_equal(OPS(s, search, f, &search, 1, &list), EG_OK);
    return list;
}

eg_search by_vector(eg_vector *v, const char *model, const float *values, uint32_t limit) {
    *v = (eg_vector){.dimensions = WIDTH, .model_id = eg_str_of(model), .values = values};
    return (eg_search){.kind = EG_SEARCH_VECTOR, .vector = v, .limit = limit};
}

eg_store_stats stats_of(store *s) {
    eg_store_stats stats;
    assert_int_equal(OPS(s, stats, EG_STATS_FACTS | EG_STATS_JOBS, &stats), EG_OK);
    return stats;
}

eg_feedback_row feedback_on(store *s, const char *tier) {
    eg_feedback_row *rows;
    size_t n;
    assert_int_equal(OPS(s, feedback, &rows, &n), EG_OK);
    for (size_t i = 0; i < n; i++)
        if (eg_str_eq(rows[i].tier, eg_str_of(tier))) return rows[i];
    return (eg_feedback_row){0};
}

eg_change job_for(eg_id fact, uint32_t kind, const char *owner) {
    return (eg_change){.kind = EG_CHANGE_JOB, .job = {.kind = kind, .fact = fact, .owner = eg_str_of(owner)}};
}

size_t lease(store *s, const char *owner, int64_t grace, uint32_t limit, eg_job **jobs) {
    eg_lease_args args = {
        .size = sizeof args, .owner = eg_str_of(owner), .lease_time = 10 * EG_SECOND, .grace = grace, .limit = limit};
    size_t n;
    assert_int_equal(OPS(s, lease, &args, jobs, &n), EG_OK);
    return n;
}

void fail_job(store *s, const eg_job *job) {
    const eg_change failed = {.kind = EG_CHANGE_JOB_FAILED, .job_failed = {.token = job->token, .error = EG_STR("no")}};
    const eg_precondition held = {.kind = EG_REQUIRE_LEASE, .token = job->token};
    assert_int_equal(apply(s, &held, 1, &failed, 1, NULL), EG_OK);
}
