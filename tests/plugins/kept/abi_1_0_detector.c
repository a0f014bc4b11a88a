/* abi_1_0_detector.c - a detector of ABI 1.0, written down for ever: it is built against
 * include-1.0/, a copy of the headers as they were in the first release of the ABI, and
 * abi_1_0_detector.x86_64.so is it as built then. Whatever the headers become within major 1, both
 * must load and see the same. It reads a field of every struct that a detector gets and tells what
 * it read. */
#include "engram/plugin.h"

static eg_status tell(eg_request *rq, const eg_services *services, const eg_case *c, uint32_t i, eg_str *out) {
    const eg_case_fact *a = c->subject, *b = c->candidates[i];
    /* the last: it stands right only if the struct kept its size */
    const eg_claim *claim = &b->claims[b->claim_count - 1];
    const eg_span statement = b->statements[b->statement_count - 1];
    uint8_t hash[32];
    services->sha256(services->host, "abc", 3, hash);
    *out = eg_request_printf(
        rq, "%.*s|%.*s|%lld|%.*s|%.*s|%u-%u|%.*s=%.*s|%d|%.2f|%u|%.*s/%.*s|%02x%02x|%s", (int)a->fact->content.len,
        a->fact->content.ptr, (int)b->fact->scope.len, b->fact->scope.ptr, (long long)b->fact->seq, (int)b->fact->agent_id.len,
        b->fact->agent_id.ptr, (int)b->fact->closed_by.len, b->fact->closed_by.ptr, statement.start, statement.end,
        (int)claim->attribute.len, claim->attribute.ptr, (int)claim->text.len, claim->text.ptr, claim->polarity, b->cosine,
        b->found_by, (int)rq->workspace.len, rq->workspace.ptr, (int)rq->who->agent.len, rq->who->agent.ptr, hash[0], hash[31],
        eg_cancel_is_set(&rq->cancel) ? "cancelled" : "runs");
    return out->ptr ? EG_OK : EG_ENOMEM;
}

static eg_status examine(void *self, const eg_services *services, eg_request *rq, const eg_case *c,
                         eg_status (*add)(void *sink, const eg_finding *finding), void *sink) {
    /* what was registered comes back */
    eg_status s = self == &EG_PLUGIN_ENTRY ? EG_OK : EG_EINTERNAL;
    for (uint32_t i = 0; s == EG_OK && i < c->candidate_count; i++) {
        eg_finding f = {.size = sizeof f,
                        .candidate = i,
                        .outcome = EG_OUTCOME_CONTRADICTION,
                        .severity = EG_SEVERITY_HIGH,
                        .score = 0.75,
                        .span_candidate = {1, 3}};
        s = tell(rq, services, c, i, &f.explanation);
        if (s == EG_OK) s = add(sink, &f);
    }
    return s;
}

static const eg_detector detector = {.size = sizeof detector,
                                     .flags = EG_DETECTOR_DETERMINISTIC,
                                     .order = 500,
                                     .budget_ms = 100,
                                     .name = "kept",
                                     .version = "1.0",
                                     .examine = examine};

static eg_status open_plugin(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    (void)err;
    *self = NULL;
    return services->add_detector(registrar, &detector, (void *)&EG_PLUGIN_ENTRY);
}

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_DETECTOR, "kept", "1.0", "Apache-2.0"), .open = open_plugin};
    return &plugin;
}
