/* tools_batch.c - engram_commit_batch: several commits in one call. Each is a transaction of its
 * own, as if it had come alone: what they contradict is found among them too, and each can be
 * undone. All are read before the first is stored. */
#include "tools.h"

#include "schemas.h"

enum { B_FACTS, B_CHECK, B_COUNT, B_MOST = 100 };

typedef struct batch {
    size_t count;
    eg_commit_args *args;
    eg_receipt *receipts;
    eg_str *errors; /* of those that were refused; empty: stored, or known */
} batch;

static void render_batch(result *r, const void *data) {
    const batch *b = data;
    size_t refused = 0;
    mt_put_notice(r);
    pj_key(&r->out, "results");
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < b->count; i++) {
        pj_begin(&r->out, '{');
        if (b->errors[i].len) pj_kstr(&r->out, "error", b->errors[i]);
        /* nobody is asked about a pair here: engram_query shows what waits for a review */
        else mt_put_receipt(r, &b->receipts[i], (eg_str){NULL, 0});
        refused += b->errors[i].len > 0;
        pj_end(&r->out, '}');
    }
    pj_end(&r->out, ']');
    if (refused || r->full) pj_kint(&r->out, "refused", (int64_t)refused);
}

static void render_checked(result *r, const void *data) {
    (void)data;
    pj_key(&r->out, "results");
    pj_begin(&r->out, '[');
    pj_end(&r->out, ']');
}

/* Reads all of them; EG_EINVAL names the first ones that are malformed. */
static eg_status read_facts(const eg_services *services, eg_request *rq, const arg_value *facts, batch *b) {
    char said[sizeof rq->err->text] = "";
    size_t used = 0, wrong = 0;
    for (size_t i = 0; i < facts->count; i++) {
        eg_status s = mt_read_commit(services, rq, facts->texts[i], &b->args[i]);
        if (s == EG_OK) continue;
        if (s != EG_EINVAL) return s;
        int n = snprintf(said + used, sizeof said - used, "%sfacts[%zu]: %s", used ? "; " : "", i, rq->err->text);
        if (n > 0 && (size_t)n < sizeof said - used) used += (size_t)n;
        else said[used] = 0;
        wrong++;
    }
    if (!wrong) return EG_OK;
    return eg_request_fail(rq, EG_EINVAL, "%.*s: nothing was stored (%zu of %zu are malformed)", (int)(used < 400 ? used : 400),
                           said, wrong, facts->count);
}

static eg_status call_batch(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    const arg_spec specs[B_COUNT] = {
        [B_FACTS] = {.name = "facts", .kind = ARG_OBJECTS, .required = 1, .high = B_MOST},
        /* only reads them: for programs that have more than fit one call */
        [B_CHECK] = {.name = "check", .kind = ARG_BOOLEAN},
    };
    arg_value v[B_COUNT];
    eg_status s = mt_args_read(rq, arguments, specs, B_COUNT, v);
    if (s != EG_OK) return s;
    size_t n = v[B_FACTS].count;
    batch b = {.count = n,
               .args = eg_request_array(rq, n, sizeof *b.args),
               .receipts = eg_request_array(rq, n, sizeof *b.receipts),
               .errors = eg_request_array(rq, n, sizeof *b.errors)};
    if (!b.args || !b.receipts || !b.errors) return EG_ENOMEM;
    if ((s = read_facts(services, rq, &v[B_FACTS], &b)) != EG_OK) return s;
    if (v[B_CHECK].integer) return mt_result_make(rq, arguments, render_checked, NULL, out);
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    size_t stored = 0;
    for (size_t i = 0; i < n; i++) {
        s = services->memory_ops->commit(memory, rq, &b.args[i], &b.receipts[i]);
        if (s == EG_OK) {
            stored++;
            continue;
        }
        b.errors[i] = eg_request_copy(rq, eg_str_of(rq->err->text));
        if (!b.errors[i].len) b.errors[i] = EG_STR("out of memory");
        if (i + 1 < n || stored) *rq->err = (eg_error){0};
    }
    if (!stored && n == 1) return s; /* as engram_commit would */
    return mt_result_make(rq, arguments, render_batch, &b, out);
}

const eg_tool mt_batch_tool = {
    sizeof(eg_tool),   0,           EG_PROFILE_TEAM, EG_NEEDS_WRITE, "engram_commit_batch", "Save several findings",
    BATCH_DESCRIPTION, BATCH_INPUT, BATCH_OUTPUT,    call_batch};
