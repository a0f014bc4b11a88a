/* conformance_steps.c - see conformance_steps.h. */
#include "conformance_steps.h"

eg_status apply(store *s, const eg_precondition *p, size_t np, const eg_change *c, size_t nc, eg_applied *out) {
    eg_change_set set = {.workspace = s->request.rq.workspace,
                         .actor = EG_STR("test"),
                         .preconditions = p,
                         .precondition_count = np,
                         .changes = c,
                         .change_count = nc};
    eg_applied ignored;
    return OPS(s, apply, &set, out ? out : &ignored);
}

eg_id put_fact(store *s, const char *content, const char *scope, uint32_t ttl_days, uint32_t axis) {
    float v[WIDTH] = {0};
    eg_term terms[32];
    eg_new_fact row = {
        .fact = {.content = eg_str_of(content), .scope = eg_str_of(scope), .agent_id = EG_STR("alice"), .ttl_days = ttl_days}};
    row.fact.id = row.fact.lineage_id = test_id();
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
