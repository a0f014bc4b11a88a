/* review.c - see review.h. A contradiction becomes an open conflict; every other verdict settles
 * the pair as resolve would, so that it never comes back. The audit row of both is named
 * "judge". */
#include "core/memory/review.h"

#include "core/base/utf8.h"
#include "core/memory/arguments.h"
#include "core/memory/changes.h"
#include "core/memory/conflicts.h"
#include "core/memory/gates.h"
#include "core/memory/ids.h"
#include "core/memory/reads.h"
#include "core/memory/resolve.h"

/* The reason is kept as facts are: the same gates look at it. */
static eg_status pass_gates(eg_memory *m, eg_request *rq, const eg_judge_args *args) {
    const eg_commit_args as_commit = {.size = sizeof(eg_commit_args),
                                      .content = args->reason,
                                      .scope = EG_STR("general"),
                                      .confidence = 1,
                                      .agent_id = args->agent_id,
                                      .fact_type = EG_FACT_DECISION,
                                      .operation = EG_OP_ADD,
                                      .wait_ms = -1};
    return eg_pass_gates(m, rq, &as_commit);
}

/* The suspected pair becomes an open conflict with the sentence of who judged it. */
static eg_status open_conflict(eg_memory *m, eg_request *rq, const eg_judge_args *args, eg_resolved *out) {
    eg_id id;
    eg_conflict c;
    eg_draft d;
    eg_applied applied;
    eg_status s = eg_id_resolve(m, rq, "review_id", args->conflict_id, &id);
    if (s == EG_OK) s = eg_read_conflict(m, rq, id, &c);
    if (s == EG_OK) s = eg_check_suspected(rq, &c);
    if (s == EG_OK) s = pass_gates(m, rq, args);
    if (s != EG_OK) return s;
    eg_draft_begin(&d, rq);
    d.actor = args->agent_id;
    eg_draft_require(&d, EG_REQUIRE_CONFLICT_UNSETTLED)->conflict = id;
    c.status = EG_CONFLICT_OPEN;
    c.resolved_by = args->agent_id;
    c.resolution = args->reason;
    eg_draft_add(&d, EG_CHANGE_CONFLICT_STATUS)->conflict = &c;
    eg_draft_answer(&d, &c, 1, 1);
    char text[EG_ID_TEXT];
    eg_id_format(id, text);
    int asked = rq->asked.len > 0;
    eg_str payload =
        eg_request_printf(rq, "{\"conflict\":\"%s\",\"type\":\"contradiction\",\"was\":\"suspected\"%s%.*s%s}", text,
                          asked ? ",\"asked\":\"" : "", (int)rq->asked.len, asked ? rq->asked.ptr : "", asked ? "\"" : "");
    if (!payload.ptr) return EG_ENOMEM;
    eg_draft_audit(&d, "judge", c.fact_a, c.fact_b, payload);
    s = eg_draft_apply(&d, m, &applied);
    if (s == EG_ECONFLICT) s = eg_request_fail(rq, EG_EBUSY, "somebody else judged the pair at the same time: read it again");
    if (s != EG_OK) return s;
    out->undo_id = applied.audit_id;
    if (!eg_draft_told(m, rq, eg_read_conflict(m, rq, id, &out->conflict), &out->warning)) out->conflict = c;
    return EG_OK;
}

eg_status eg_review_by_model(eg_request *rq, eg_judge_args *args) {
    if (args->verdict != EG_JUDGED_UPDATE) return EG_OK;
    args->verdict = EG_JUDGED_CONTRADICTION;
    args->reason = eg_request_printf(rq, "the later fact may replace the earlier one: %.*s", (int)args->reason.len,
                                     args->reason.len ? args->reason.ptr : "");
    if (!args->reason.ptr) return EG_ENOMEM;
    if (args->reason.len > EG_MAX_RESOLUTION)
        args->reason.len = eg_utf8_floor(args->reason.ptr, args->reason.len, EG_MAX_RESOLUTION);
    return EG_OK;
}

eg_status eg_memory_judge(eg_memory *m, eg_request *rq, const eg_judge_args *args, eg_resolved *out) {
    *out = (eg_resolved){0};
    if (args->verdict > EG_JUDGED_UNRELATED) return eg_request_fail(rq, EG_EINVAL, "verdict is out of range");
    eg_judge_args own = *args;
    if (!own.agent_id.len) own.agent_id = rq->who->agent;
    eg_status s = eg_check_text(rq, "review_id", own.conflict_id, EG_MAX_NAME, 1);
    if (s == EG_OK) s = eg_check_stored(rq, "reason", own.reason, EG_MAX_RESOLUTION, 1);
    if (s == EG_OK) s = eg_check_stored(rq, "agent_id", own.agent_id, EG_MAX_NAME, 0);
    if (s != EG_OK) return s;
    if (eg_str_eq(rq->asked, EG_STR("sampling")) && (s = eg_review_by_model(rq, &own)) != EG_OK) return s;
    if (own.verdict == EG_JUDGED_CONTRADICTION) return open_conflict(m, rq, &own, out);
    static const uint32_t types[] = {[EG_JUDGED_UPDATE] = EG_RESOLUTION_WINNER,
                                     [EG_JUDGED_BOTH_VALID] = EG_RESOLUTION_BOTH_VALID,
                                     [EG_JUDGED_SAME] = EG_RESOLUTION_DISMISS,
                                     [EG_JUDGED_UNRELATED] = EG_RESOLUTION_DISMISS};
    const eg_resolve_args as_resolve = {.size = sizeof as_resolve,
                                        .conflict_id = own.conflict_id,
                                        .resolution_type = types[own.verdict],
                                        .resolution = own.reason,
                                        .agent_id = own.agent_id};
    const eg_settling how = {
        .suspected = 1, .same = own.verdict == EG_JUDGED_SAME, .later = own.verdict == EG_JUDGED_UPDATE, .asked = rq->asked};
    return eg_settle_conflict(m, rq, &as_resolve, &how, out);
}
