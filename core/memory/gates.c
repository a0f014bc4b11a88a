/* gates.c - see gates.h. */
#include "core/memory/gates.h"

eg_status eg_pass_gates(eg_memory *m, eg_request *rq, const eg_commit_args *args) {
    for (size_t i = 0; i < m->env.gate_count; i++) {
        const eg_gate_slot *slot = &m->env.gates[i];
        eg_status s = slot->gate.check(slot->self, SERVICES(m), rq, args);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}
