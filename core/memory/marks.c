/* marks.c - what somebody says of a fact without changing it: pinned, or archived. A pin is a mark
 * on the row. An archived fact is closed like every fact that does not hold any more, so that
 * queries, detection and what was known at a time need to know nothing of it. */
#include "core/memory/marks.h"

#include "core/memory/arguments.h"
#include "core/memory/changes.h"
#include "core/memory/gates.h"
#include "core/memory/reads.h"

static eg_status not_current(eg_request *rq, eg_status s) {
    return s == EG_ECONFLICT ? eg_request_fail(rq, EG_EINVAL, "the fact is not current any more: look at its versions") : s;
}

eg_status eg_memory_pin(eg_memory *m, eg_request *rq, eg_str fact_id, int pinned, eg_fact *out) {
    eg_status s = eg_current_fact(m, rq, fact_id, out);
    if (s != EG_OK || ((out->marks & EG_MARK_PINNED) != 0) == (pinned != 0)) return s;
    eg_draft d;
    eg_draft_begin(&d, rq);
    eg_draft_require(&d, EG_REQUIRE_CURRENT)->fact = out->id;
    eg_change *c = eg_draft_add(&d, EG_CHANGE_MARK);
    c->mark.fact = out->id;
    c->mark.set = pinned ? EG_MARK_PINNED : 0;
    c->mark.clear = pinned ? 0 : EG_MARK_PINNED;
    /* it has no end any more, and is compared as durable facts are */
    if (pinned && (out->valid_until < EG_FOREVER || out->durability == EG_DURABILITY_EPHEMERAL)) eg_draft_promote(&d, m, out, 0);
    eg_draft_audit(&d, pinned ? "pin" : "unpin", out->id, (eg_id){{0}}, EG_STR("{}"));
    eg_applied applied;
    if ((s = eg_draft_apply(&d, m, &applied)) != EG_OK) return not_current(rq, s);
    eg_fact now;
    eg_str warning = {0};
    out->marks ^= EG_MARK_PINNED;
    if (eg_draft_told(m, rq, eg_read_fact(m, rq, out->id, &now, NULL), &warning)) *out = now;
    return EG_OK;
}

eg_status eg_memory_archive(eg_memory *m, eg_request *rq, eg_str fact_id, eg_str reason, eg_undone *out) {
    *out = (eg_undone){.action = EG_STR("archive")};
    eg_fact *f = eg_request_array(rq, 1, sizeof *f);
    eg_str payload = {0};
    if (!f) return EG_ENOMEM;
    eg_status s = eg_check_stored(rq, "reason", reason, EG_MAX_RESOLUTION, 0);
    if (s == EG_OK) s = eg_pass_reason(m, rq, rq->who->agent, reason);
    if (s == EG_OK) s = eg_current_fact(m, rq, fact_id, f);
    if (s == EG_OK) s = eg_draft_reason(rq, reason, &payload);
    if (s != EG_OK) return s;
    eg_draft d;
    eg_draft_begin(&d, rq);
    eg_draft_close_for(&d, f, EG_CLOSE_ARCHIVED, "archived", reason);
    eg_draft_audit(&d, "archive", f->id, (eg_id){{0}}, payload);
    eg_applied applied;
    if ((s = eg_draft_apply(&d, m, &applied)) != EG_OK) return not_current(rq, s);
    eg_fact now;
    out->undo_id = applied.audit_id;
    if (eg_draft_told(m, rq, eg_read_fact(m, rq, f->id, &now, NULL), &out->warning)) *f = now;
    out->closed = f;
    out->closed_count = 1;
    return EG_OK;
}
