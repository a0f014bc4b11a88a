/* gates.c - see gates.h. */
#include "core/memory/gates.h"

static eg_status pass(eg_memory *m, eg_request *rq, const eg_commit_args *args) {
    for (size_t i = 0; i < m->env.gate_count; i++) {
        const eg_gate_slot *slot = &m->env.gates[i];
        eg_status s = slot->gate.check(slot->self, SERVICES(m), rq, args);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

eg_status eg_pass_gates(eg_memory *m, eg_request *rq, const eg_commit_args *args) {
    eg_str problem = m->env.writing_problem;
    if (problem.len) return eg_request_fail(rq, EG_EUNAVAILABLE, "%.*s", (int)problem.len, problem.ptr);
    eg_status s = pass(m, rq, args);
    eg_commit_args one = *args;
    one.statements = NULL;
    one.statement_count = 0;
    for (size_t i = 0; s == EG_OK && i < args->statement_count; i++) {
        char why[sizeof rq->err->text];
        one.content = args->statements[i];
        if ((s = pass(m, rq, &one)) == EG_OK) continue;
        memcpy(why, rq->err->text, sizeof why);
        return eg_request_fail(rq, s, "statements: number %zu is refused: %s", i + 1, why);
    }
    return s;
}

eg_status eg_pass_reason(eg_memory *m, eg_request *rq, eg_str agent, eg_str reason) {
    if (!reason.len) return EG_OK;
    const eg_commit_args said = {.size = sizeof said, .content = reason, .agent_id = agent};
    eg_status s = eg_pass_gates(m, rq, &said);
    if (s == EG_OK) return s;
    char why[sizeof rq->err->text];
    memcpy(why, rq->err->text, sizeof why);
    return eg_request_fail(rq, s, "reason: %s", why);
}
