/* run_detectors.c - see run_detectors.h. */
#include "run_detectors.h"

#include "core/text/text.h"
#include "tests/support/request.h"
#include "tests/support/services.h"

const eg_plugin *eg_plugin_rules(void);

eg_status test_fact_read(eg_arena *arena, eg_str content, eg_str scope, eg_case_fact *out, eg_error *err) {
    eg_fact *fact = eg_arena_array(arena, 1, sizeof *fact);
    eg_span *spans = eg_arena_array(arena, EG_MAX_STATEMENTS, sizeof *spans);
    eg_claim *claims = eg_arena_array(arena, EG_MAX_CLAIMS, sizeof *claims);
    if (!fact || !spans || !claims) return EG_ENOMEM;
    fact->content = content;
    fact->scope = scope;
    size_t n = eg_text_statements(content, spans, EG_MAX_STATEMENTS), claim_count;
    eg_status status = eg_text_claims(arena, content, scope, spans, n, claims, EG_MAX_CLAIMS, &claim_count, err);
    *out = (eg_case_fact){.fact = fact, .statements = spans, .statement_count = n, .claims = claims, .claim_count = claim_count};
    return status;
}

typedef struct sink {
    eg_finding *out;
    size_t n, max;
} sink;

static eg_status add(void *self, const eg_finding *finding) {
    sink *s = self;
    if (s->n < s->max) s->out[s->n++] = *finding;
    return EG_OK;
}

eg_status test_detect(eg_arena *arena, const eg_case_fact *fact, const eg_case_fact *earlier, eg_finding *out, size_t max,
                      size_t *n, eg_error *err) {
    test_request request;
    test_request_borrow(&request, arena);
    test_request_set(&request, EG_STR("test"), NULL, (eg_cancel){0}, err);
    eg_services services = test_services(NULL);
    eg_case c = {.size = sizeof c, .candidate_count = 1, .subject = fact, .candidates = &earlier};
    sink s = {.out = out, .max = max};
    eg_registrar registrar = {0};
    eg_status status = test_registrar_open(&registrar, &services, eg_plugin_rules(), NULL, err);
    if (status == EG_OK)
        status = registrar.detectors[0]->examine(registrar.detector_self[0], &services, &request.rq, &c, add, &s);
    *n = s.n;
    return status;
}
