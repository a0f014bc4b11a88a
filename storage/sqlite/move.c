/* move.c - a whole workspace that goes into another one, or goes away. See edit_workspace in
 * storage.h. The row of a workspace that is gone stays for its audit chain, whose hashes cover its
 * name; it is called ">TO KEY NAME" then, which no workspace can be called: TO is the key of the
 * workspace that has its facts, or 0. */
#include "vector_blocks.h"

typedef struct moving {
    eg_storage *s;
    connection *c;
    eg_request *rq;
    const eg_workspace_edit *edit;
    eg_workspace_edited *out;
    int64_t from, to, behind, now; /* behind: the last seq of `to` before */
    uint8_t head[32], to_head[32]; /* of the audit chains */
} moving;

/* 1 with key, last seq and head of the audit chain of a workspace; 0: there is none; -1 with the
 * error record filled. */
static int look_up(moving *m, eg_str name, int64_t *key, int64_t *seq, uint8_t head[32]) {
    sqlite3_stmt *q = prepare(m->c, m->rq, EG_SQL_WORKSPACE);
    if (!q) return -1;
    bind_text(q, 1, name);
    int row = step(m->c, m->rq, q);
    if (row > 0) {
        *key = sqlite3_column_int64(q, 0);
        *seq = sqlite3_column_int64(q, 1);
        if (sqlite3_column_bytes(q, 2) == 32) memcpy(head, sqlite3_column_blob(q, 2), 32);
    }
    sqlite3_reset(q);
    return row;
}

static eg_status set_workspace(moving *m, int64_t key, int64_t seq, const uint8_t head[32]) {
    sqlite3_stmt *q = prepare(m->c, m->rq, EG_SQL_SET_WORKSPACE);
    if (!q) return m->rq->err->code;
    sqlite3_bind_int64(q, 1, key);
    sqlite3_bind_int64(q, 2, seq);
    sqlite3_bind_blob(q, 3, head, 32, SQLITE_STATIC);
    return run(m->c, m->rq, q);
}

static eg_status note(moving *m, eg_str workspace, int64_t key, const char *action, eg_str payload, uint8_t head[32]) {
    eg_audit_row row = {.time = m->now,
                        .workspace = workspace,
                        .actor = m->edit->actor,
                        .action = eg_str_of(action),
                        .payload = payload,
                        .layout = EG_AUDIT_WORKSPACE};
    return audit_append(m->s, m->rq, key, &row, head);
}

/* ?1: from, ?2: to, ?3: what is added to numbers. */
typedef struct sql_step {
    const char *sql;
    int counts; /* it changes the facts */
} sql_step;

static eg_status run_steps(moving *m, const sql_step *steps, size_t n, int64_t added) {
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const int64_t values[] = {m->from, m->to, added};
        s = run_once(m->c, m->rq, steps[i].sql, values, 3);
        if (steps[i].counts) m->out->facts = (uint64_t)sqlite3_changes(m->c->db);
    }
    return s;
}
#define RUN_STEPS(m, steps, added) run_steps(m, steps, sizeof(steps) / sizeof *(steps), added)

#define OF_FACTS "(SELECT key FROM facts WHERE workspace = ?1)"

/* Vectors get new numbers, so that every process that keeps blocks of them reads them again, with
 * their new workspace. */
static eg_status renumber_vectors(moving *m) {
    static const sql_step steps[] = {
        {"UPDATE vectors_f32 SET key = key + ?3 WHERE key IN (SELECT key FROM vectors WHERE fact IN " OF_FACTS ") AND ?2 = ?2",
         0},
        {"UPDATE vectors SET key = key + ?3 WHERE fact IN " OF_FACTS " AND ?2 = ?2", 0}};
    sqlite3_stmt *q = NULL;
    int64_t last = 0;
    eg_status s = EG_OK;
    if (sqlite3_prepare_v2(m->c->db, "SELECT coalesce(max(key), 0) FROM vectors", -1, &q, NULL) == SQLITE_OK &&
        sqlite3_step(q) == SQLITE_ROW)
        last = sqlite3_column_int64(q, 0);
    else s = sqlite_error(m->c, m->rq, "changing a workspace");
    sqlite3_finalize(q);
    return s == EG_OK ? RUN_STEPS(m, steps, last) : s;
}

static eg_status move_rows(moving *m) {
    static const sql_step steps[] = {
        {"UPDATE facts SET workspace = ?2, seq = seq + ?3 WHERE workspace = ?1", 1},
        {"UPDATE claims SET workspace = ?2 WHERE workspace = ?1", 0},
        {"UPDATE conflicts SET workspace = ?2, seq = seq + ?3 WHERE workspace = ?1", 0},
        {"UPDATE flagged SET workspace = ?2 WHERE workspace = ?1", 0},
        {"UPDATE feedback SET workspace = ?2 WHERE workspace = ?1", 0},
        {"UPDATE jobs SET workspace = ?2 WHERE workspace = ?1", 0},
        {"UPDATE journal SET workspace = ?2, seq = seq + ?3, fact_seq = fact_seq + CASE WHEN fact_seq > 0 THEN ?3 ELSE 0 END "
         "WHERE workspace = ?1",
         0},
        {"INSERT INTO agents SELECT ?2, agent_id, engineer, registered_at, last_seen, commits FROM agents WHERE workspace = ?1 "
         "ON CONFLICT (workspace, agent_id) DO UPDATE SET registered_at = min(registered_at, excluded.registered_at), "
         "last_seen = max(last_seen, excluded.last_seen), commits = commits + excluded.commits",
         0},
        {"DELETE FROM agents WHERE workspace = ?1", 0},
        {"INSERT OR IGNORE INTO settings SELECT ?2, key, value FROM settings WHERE workspace = ?1", 0},
        {"DELETE FROM settings WHERE workspace = ?1", 0},
        /* what was moved into it before goes along */
        {"UPDATE workspaces SET name = '>' || ?2 || substr(name, instr(name, ' ')) WHERE name GLOB '>' || ?1 || ' *'", 0},
        {"UPDATE workspaces SET name = '>' || ?2 || ' ' || key || ' ' || name, last_seq = 0 WHERE key = ?1", 0}};
    eg_status s = renumber_vectors(m);
    return s == EG_OK ? RUN_STEPS(m, steps, m->behind) : s;
}

/* A detection job for each current fact that came into a workspace with others. */
static eg_status queue_detection(moving *m) {
    sqlite3_stmt *q = NULL;
    static const char sql[] =
        "INSERT INTO jobs (workspace, kind, fact, owner, created_at, not_before, attempts, token, lease_until, last_error) "
        "SELECT ?1, ?4, f.id, '', ?3, ?3, 0, NULL, 0, '' FROM facts f WHERE f.workspace = ?1 AND f.seq > ?2 "
        "AND f.valid_from <= ?5 AND f.valid_until > ?5 AND f.durability = ?6 AND NOT EXISTS "
        "(SELECT 1 FROM jobs j WHERE j.fact = f.id AND j.kind = ?4) ORDER BY f.seq";
    if (sqlite3_prepare_v2(m->c->db, sql, -1, &q, NULL) != SQLITE_OK) return sqlite_error(m->c, m->rq, "queueing detection");
    sqlite3_bind_int64(q, 1, m->to);
    sqlite3_bind_int64(q, 2, m->behind);
    sqlite3_bind_int64(q, 3, store_clock(m->s));
    sqlite3_bind_int(q, 4, EG_JOB_DETECT);
    sqlite3_bind_int64(q, 5, m->now);
    sqlite3_bind_int(q, 6, EG_DURABILITY_DURABLE);
    eg_status s = sqlite3_step(q) == SQLITE_DONE ? EG_OK : sqlite_error(m->c, m->rq, "queueing detection");
    sqlite3_finalize(q);
    return s;
}

static eg_status move_all(moving *m, int64_t seq) {
    eg_str to = m->edit->to;
    int known = look_up(m, to, &m->to, &m->behind, m->to_head);
    if (known < 0) return m->rq->err->code;
    if (known && (m->edit->flags & EG_WORKSPACE_TO_NEW))
        return eg_request_fail(m->rq, EG_ECONFLICT, "there is a workspace '%.*s' already", (int)to.len, to.ptr);
    if (!known) {
        sqlite3_stmt *q = prepare(m->c, m->rq, EG_SQL_NEW_WORKSPACE);
        if (!q) return m->rq->err->code;
        bind_text(q, 1, to);
        eg_status s = run(m->c, m->rq, q);
        if (s != EG_OK) return s;
        m->to = sqlite3_last_insert_rowid(m->c->db);
    }
    eg_str left = eg_request_printf(m->rq, "{\"to\":\"%.*s\"}", (int)to.len, to.ptr);
    eg_str joined = eg_request_printf(m->rq, "{\"from\":\"%.*s\"}", (int)m->rq->workspace.len, m->rq->workspace.ptr);
    if (!left.ptr || !joined.ptr) return EG_ENOMEM;
    eg_status s = note(m, m->rq->workspace, m->from, "workspace_left", left, m->head);
    if (s == EG_OK) s = note(m, to, m->to, "workspace_joined", joined, m->to_head);
    if (s == EG_OK) s = set_workspace(m, m->from, 0, m->head);
    if (s == EG_OK) s = move_rows(m);
    /* one more than was there: whoever waits for changes of the store sees one */
    if (s == EG_OK) s = set_workspace(m, m->to, m->behind + seq + 1, m->to_head);
    return s == EG_OK && m->behind ? queue_detection(m) : s;
}

static eg_status remove_all(moving *m) {
    static const sql_step steps[] = {
        {"DELETE FROM statements WHERE fact IN " OF_FACTS, 0},
        {"DELETE FROM claims WHERE workspace = ?1", 0},
        {"DELETE FROM vectors_f32 WHERE key IN (SELECT key FROM vectors WHERE fact IN " OF_FACTS ")", 0},
        {"DELETE FROM vectors WHERE fact IN " OF_FACTS, 0},
        {"DELETE FROM conflicts WHERE workspace = ?1", 0},
        {"DELETE FROM links WHERE fact IN " OF_FACTS " OR other IN " OF_FACTS, 0},
        {"DELETE FROM flagged WHERE workspace = ?1", 0},
        {"DELETE FROM feedback WHERE workspace = ?1", 0},
        {"DELETE FROM jobs WHERE workspace = ?1", 0},
        {"DELETE FROM agents WHERE workspace = ?1", 0},
        {"DELETE FROM settings WHERE workspace = ?1", 0},
        {"DELETE FROM journal WHERE workspace = ?1", 0},
        {"DELETE FROM facts WHERE workspace = ?1", 1},
        {"DELETE FROM audit_payloads WHERE id IN (SELECT u.id FROM audit u JOIN workspaces w ON w.key = u.workspace "
         "WHERE w.key = ?1 OR w.name GLOB '>' || ?1 || ' *')",
         0},
        {"UPDATE workspaces SET name = '>0' || substr(name, instr(name, ' ')) WHERE name GLOB '>' || ?1 || ' *'", 0},
        {"UPDATE workspaces SET name = '>0 ' || key || ' ' || name, last_seq = 0 WHERE key = ?1", 0}};
    static const sql_step leave[] = {{"CREATE TEMP TABLE leaving AS SELECT key FROM facts WHERE workspace = ?1", 0}};
    eg_status s = RUN_STEPS(m, leave, 0);
    if (s == EG_OK) s = remove_terms(m->c, m->rq);
    if (s == EG_OK) s = run_once(m->c, m->rq, "DROP TABLE temp.leaving", NULL, 0);
    if (s == EG_OK) s = RUN_STEPS(m, steps, 0);
    if (s == EG_OK) s = note(m, m->rq->workspace, m->from, "workspace_removed", EG_STR("{}"), m->head);
    return s == EG_OK ? set_workspace(m, m->from, 0, m->head) : s;
}

static eg_status edit_all(moving *m) {
    int64_t seq = 0;
    int known = look_up(m, m->rq->workspace, &m->from, &seq, m->head);
    if (known < 0) return m->rq->err->code;
    if (!known)
        return eg_request_fail(m->rq, EG_ENOENT, "there is no workspace '%.*s'", (int)m->rq->workspace.len, m->rq->workspace.ptr);
    eg_status s = m->edit->to.len ? move_all(m, seq) : remove_all(m);
    if (s == EG_OK) s = keep_reading_fast(m->s, m->c, m->rq);
    if (s != EG_OK) return s;
    sqlite3_stmt *q = prepare(m->c, m->rq, EG_SQL_SET_LAST_TIME);
    if (q) sqlite3_bind_int64(q, 1, m->now);
    return run(m->c, m->rq, q);
}

eg_status sqlite_edit_workspace(eg_storage *s, eg_request *rq, const eg_workspace_edit *edit, eg_workspace_edited *out) {
    *out = (eg_workspace_edited){0};
    eg_status st = refuse_read_only(s, rq);
    if (st == EG_OK)
        st = check_flags(rq, "eg_workspace_edit", edit->size, EG_WORKSPACE_EDIT_SIZE_1_0, edit->flags, EG_WORKSPACE_TO_NEW);
    if (st != EG_OK) return st;
    if (eg_str_eq(edit->to, rq->workspace))
        return eg_request_fail(rq, EG_EINVAL, "the workspace '%.*s' cannot be moved into itself", (int)edit->to.len,
                               edit->to.ptr);
    moving m = {.s = s, .c = &s->writer, .rq = rq, .edit = edit, .out = out};
    int64_t last = 0, clock;
    if ((st = writer_take(&s->writer, rq)) != EG_OK) return st;
    st = begin_write(&s->writer, rq, &last);
    if (st == EG_OK) {
        clock = store_clock(s);
        m.now = clock > last ? clock : last;
        st = end_write(&s->writer, rq, edit_all(&m));
    }
    connection_give(&s->writer);
    if (st == EG_OK) commit_seen(s);
    return st;
}
