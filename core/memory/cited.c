/* cited.c - whether the lines that facts cite still say what they did. See
 * core/access/citation.h for how that is told. Only facts that are about to be shown are looked
 * at, and of their files only so many bytes. */
#include "core/memory/cited.h"

#include "core/access/citation.h"

enum { MOST_READ = 8 << 20 /* bytes of files for one answer */ };

static void look(eg_memory *m, eg_str evidence, eg_str known, size_t *budget, eg_citation *c) {
    if (!m->env.working_folder || !eg_citation_parse(evidence, c)) {
        *c = (eg_citation){.state = EG_CITED_NOTHING};
        return;
    }
    int sure = 0;
    const char *root = m->env.working_folder(m->env.host, &sure);
    if (root) eg_citation_look(root, sure, known, budget, c);
}

eg_status eg_cited_hash(eg_memory *m, eg_request *rq, eg_str provenance, eg_str *hash) {
    eg_citation c;
    size_t budget = EG_CITED_FILE;
    look(m, provenance, (eg_str){0}, &budget, &c);
    *hash = c.state == EG_CITED_NOTHING || !c.hash[0] ? EG_STR("") : eg_request_copy(rq, eg_str_of(c.hash));
    return hash->ptr ? EG_OK : EG_ENOMEM;
}

static eg_str describe(eg_request *rq, const eg_citation *c) {
    int n = (int)c->path.len;
    if (c->state == EG_CITED_GONE) return eg_request_printf(rq, "%.*s is not there any more", n, c->path.ptr);
    if (c->state != EG_CITED_CHANGED) return EG_STR("");
    if (!c->hash[0]) return eg_request_printf(rq, "%.*s has no line %u any more", n, c->path.ptr, c->last);
    if (c->first == c->last) return eg_request_printf(rq, "line %u of %.*s has changed", c->first, n, c->path.ptr);
    return eg_request_printf(rq, "lines %u to %u of %.*s have changed", c->first, c->last, n, c->path.ptr);
}

eg_status eg_memory_citations(eg_memory *m, eg_request *rq, const eg_fact *const *facts, size_t n, eg_citation_view *out) {
    size_t budget = MOST_READ;
    for (size_t i = 0; i < n; i++) {
        eg_citation c;
        look(m, facts[i]->provenance, facts[i]->artifact_hash, &budget, &c);
        out[i] = (eg_citation_view){
            .state = (uint32_t)c.state, .path = c.path, .line = c.first, .found = c.found, .stale = describe(rq, &c)};
        if (!out[i].stale.ptr) return EG_ENOMEM;
    }
    return EG_OK;
}
