/* statements.h - every SQL statement of the backend, each with a name. Parameters: ?1 ?2 ... in
 * order, NOW, and the named ones of VISIBLE. Included where a statement is prepared (connection.c)
 * and for the names. */
#ifndef EG_SQLITE_STATEMENTS_H
#define EG_SQLITE_STATEMENTS_H

/* Enumerators as SQL text: SQL(JOB_REEMBED) is "2". The preprocessor cannot read an enumerator, so
 * its number stands here once more; connection.c has the compiler compare the two. */
#define SQL_CONFLICT_OPEN 0
#define SQL_CONFLICT_DISMISSED 2
#define SQL_CONFLICT_RESOLVED 1
#define SQL_CONFLICT_SUSPECTED 4
#define SQL_CONFLICTS_CURRENT 1
#define SQL_CONFLICTS_PAST 2
#define SQL_RESOLUTION_BOTH_VALID 3
#define SQL_CLOSE_NONE 0
#define SQL_CLOSE_ERASED 6
#define SQL_DURABILITY_DURABLE 0
#define SQL_LINK_CORROBORATES 0
#define SQL_LINK_BOTH_VALID 1
#define SQL_JOB_DETECT 0
#define SQL_JOB_REEMBED 2
#define SQL_AUDIT_STORE 1
#define SQL_AUDIT_WORKSPACE 2
#define SQL_TEXT(number) #number
#define SQL_NUMBER(number) SQL_TEXT(number)
#define SQL(name) SQL_NUMBER(SQL_##name)

/* The one window predicate: current at :at; with :history also what is over; with :as_of only what
 * was known then. Never what was erased. Scope by whole segments: '0' is the character after
 * '/'. */
#define VISIBLE                                                                                                                                 \
    "f.workspace = (SELECT key FROM workspaces WHERE name = :workspace) AND f.close_reason <> " SQL(                                            \
        CLOSE_ERASED) " AND f.valid_from <= :at AND (:history OR f.valid_until > :at) AND (NOT :as_of OR f.committed_at <= :at) "               \
                      "AND (:ephemeral OR f.durability = " SQL(                                                                                 \
                          DURABILITY_DURABLE) ") AND (:types = 0 OR (:types >> f.fact_type) & 1) "                                              \
                                              "AND (:agent = '' OR f.agent_id = :agent) "                                                       \
                                              "AND (:scope = '' OR f.scope = :scope OR (f.scope > :scope || '/' AND f.scope < :scope || '0')) " \
                                              "AND f.committed_at >= :since AND (:ends_before = 0 OR f.valid_until < :ends_before)"

#define WORKSPACE_1 "(SELECT key FROM workspaces WHERE name = ?1)"

/* The store's now, in statements that ask for current facts; bound in read.c. The last
 * parameter. */
#define NOW "?30"

/* In the order that fact_row() reads. */
#define FACT_COLUMNS                                                                                                       \
    "f.seq, f.id, f.lineage_id, f.supersedes, f.restored_from, f.parent_a, f.parent_b, f.content, f.scope, "               \
    "f.agent_id, f.engineer, f.provenance, f.artifact_hash, f.confidence, f.fact_type, f.operation, "                      \
    "f.durability, f.ttl_days, f.committed_at, f.valid_from, f.valid_until, f.closed_at, f.close_reason, "                 \
    "f.closed_by, f.content_hash, f.query_hits, "                                                                          \
    "(SELECT count(*) FROM conflicts c JOIN facts o ON o.key = c.fact_a + c.fact_b - f.key WHERE "                         \
    "(c.fact_a = f.key OR c.fact_b = f.key) AND c.status = " SQL(                                                          \
        CONFLICT_OPEN) " AND min(f.valid_until, o.valid_until) > " NOW "), "                                               \
                       "(SELECT count(DISTINCT g.agent_id) FROM links l JOIN facts g ON g.key = l.fact + l.other - f.key " \
                       "WHERE (l.fact = f.key OR l.other = f.key) AND l.kind = " SQL(                                      \
                           LINK_CORROBORATES) " AND g.agent_id <> f.agent_id)"

/* In the order that claim_row() reads. */
#define CLAIM_COLUMNS                                                                                     \
    "c.statement, c.span_start, c.span_end, c.subject, c.attribute, c.qualifiers, c.value_kind, "         \
    "c.low_mantissa, c.low_exponent, c.low_infinite, c.high_mantissa, c.high_exponent, c.high_infinite, " \
    "c.text, c.dimension, c.polarity, c.modality, c.quantifier, c.extractor"

/* In the order that conflict_row() reads. */
#define CONFLICT_COLUMNS                                                                                        \
    "c.id, a.id, b.id, c.seq, c.detected_at, c.tier, c.detector, c.score, c.explanation, c.a_start, c.a_end, "  \
    "c.b_start, c.b_end, c.severity, c.status, c.resolution_type, c.resolved_at, c.resolved_by, c.resolution, " \
    "c.resolved_fact, a.valid_until, b.valid_until "                                                            \
    "FROM conflicts c JOIN facts a ON a.key = c.fact_a JOIN facts b ON b.key = c.fact_b"

/* No conflict that is open or was confirmed has the fact f on this side. */
#define NOT_IN_CONFLICT(side)                             \
    "NOT EXISTS (SELECT 1 FROM conflicts c WHERE c." side \
    " = f.key AND c.status IN (" SQL(CONFLICT_OPEN) ", " SQL(CONFLICT_RESOLVED) "))"

/* The statuses of eg_conflict_filter as bits in ?2 and its flags in ?5: one of them asks whether
 * both facts are current at NOW, both or none do not ask. */
#define CONFLICT_PASSES                                                                  \
    "(?2 = 0 OR (?2 >> c.status) & 1) AND (?5 IN (0, " SQL(CONFLICTS_CURRENT) " | " SQL( \
        CONFLICTS_PAST) ") "                                                             \
                        "OR (min(a.valid_until, b.valid_until) > " NOW ") = (?5 = " SQL(CONFLICTS_CURRENT) "))"

/* The keys of the conflicts of the fact with id `id`. */
#define CONFLICT_KEYS_OF(id)                                                                                  \
    "(SELECT c1.key FROM conflicts c1 JOIN facts f1 ON f1.key = c1.fact_a WHERE f1.id = " id " UNION SELECT " \
    "c2.key FROM conflicts c2 JOIN facts f2 ON f2.key = c2.fact_b WHERE f2.id = " id ")"

/* In the order that read_job() reads. */
#define JOB_COLUMNS                                                                                      \
    "j.id, j.kind, j.attempts, w.name, j.name, j.payload, j.fact, j.created_at, j.not_before, j.owner, " \
    "j.last_error FROM jobs j CROSS JOIN workspaces w ON w.key = j.workspace"

/* Jobs that may be leased at ?2, in the order of an index: the first ones are found without a look
 * at the others. What ends behind ?6, or is later than ?7, is from before the clock was set back.
 * ?8: bits of the kinds left alone. */
#define DUE                                                                                           \
    "j.attempts < ?1 AND ((?8 >> j.kind) & 1) = 0 AND (j.not_before <= ?2 OR j.not_before > ?7) AND " \
    "(j.lease_until <= ?2 OR j.lease_until > ?6) ORDER BY j.id LIMIT ?5"
#define IS_REEMBED(yes) "(j.kind = " SQL(JOB_REEMBED) ") = " yes
#define DUE_OWN(last) "SELECT * FROM (SELECT " JOB_COLUMNS " WHERE j.owner = ?3 AND " IS_REEMBED(last) " AND " DUE ")"
#define DUE_OTHERS(last)                 \
    "SELECT * FROM (SELECT " JOB_COLUMNS \
    " WHERE ?4 >= 0 AND j.owner <> ?3 AND " IS_REEMBED(last) " AND (j.created_at <= ?4 OR j.created_at > ?7) AND " DUE ")"

/* Facts of workspace ?1 behind seq ?3 without a vector of model ?2. */
#define UNEMBEDDED                                                                                   \
    "FROM facts f WHERE f.workspace = " WORKSPACE_1 " AND f.seq > ?3 AND f.close_reason <> " SQL(    \
        CLOSE_ERASED) " AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.fact = f.key AND v.model = " \
                      "(SELECT key FROM models WHERE model_id = ?2))"

/* In the order that read_row() and check_row() of audit.c read. */
#define AUDIT_COLUMNS                                                                              \
    "u.id, u.at, u.actor, u.action, p.payload, u.fact, u.other, u.payload_hash, u.layout, u.hash " \
    "FROM audit u LEFT JOIN audit_payloads p ON p.id = u.id"

/* Of a workspace that went into another one: ">TO KEY NAME" (move.c). */
#define NAME_BEFORE "substr(substr(w.name, instr(w.name, ' ') + 1), instr(substr(w.name, instr(w.name, ' ') + 1), ' ') + 1)"
/* The same with the name that a workspace had when the row was written. */
#define AUDIT_COLUMNS_AND_NAME                                                                      \
    "u.id, u.at, u.actor, u.action, p.payload, u.fact, u.other, u.payload_hash, u.layout, u.hash, " \
    "CASE WHEN w.name GLOB '>*' THEN " NAME_BEFORE " ELSE w.name END "                              \
    "FROM audit u JOIN workspaces w ON w.key = u.workspace LEFT JOIN audit_payloads p ON p.id = u.id"

#define STATEMENTS(X)                                                                                                                                                                                                       \
    X(BEGIN_READ, "BEGIN")                                                                                                                                                                                                  \
    X(BEGIN_WRITE, "BEGIN IMMEDIATE")                                                                                                                                                                                       \
    X(COMMIT, "COMMIT")                                                                                                                                                                                                     \
    X(ROLLBACK, "ROLLBACK")                                                                                                                                                                                                 \
    X(META, "SELECT schema, min_reader, min_writer, last_time, upgraded_by FROM meta")                                                                                                                                      \
    X(SET_LAST_TIME, "UPDATE meta SET last_time = ?1")                                                                                                                                                                      \
    X(WORKSPACE, "SELECT key, last_seq, audit_head FROM workspaces WHERE name = ?1")                                                                                                                                        \
    X(NEW_WORKSPACE, "INSERT INTO workspaces (name) VALUES (?1)")                                                                                                                                                           \
    X(SET_WORKSPACE, "UPDATE workspaces SET last_seq = ?2, audit_head = ?3 WHERE key = ?1")                                                                                                                                 \
    X(SET_HEAD, "UPDATE workspaces SET audit_head = ?2 WHERE key = ?1")                                                                                                                                                     \
    X(JOURNAL, "INSERT INTO journal (workspace, seq, at, kind, fact, other) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")                                                                                                               \
    X(NAME_SET, "UPDATE journal SET change_set = ?3, fact_seq = ?4, audit = ?5, ended = ?6 WHERE workspace = ?1 AND seq = ?2")                                                                                              \
    X(FIND_SET, "SELECT seq, at, fact_seq, audit, ended FROM journal WHERE workspace = ?1 AND change_set = ?2")                                                                                                             \
    X(CHANGES_SINCE,                                                                                                                                                                                                        \
      "SELECT seq, at, kind, fact, other FROM journal WHERE workspace = " WORKSPACE_1 " AND seq > ?2 ORDER BY seq LIMIT ?3")                                                                                                \
    X(LAST_SEQ, "SELECT last_seq FROM workspaces WHERE name = ?1")                                                                                                                                                          \
    X(SEQ_SUM, "SELECT coalesce(sum(last_seq), 0) FROM workspaces")                                                                                                                                                         \
    X(WORKSPACES, "SELECT name, last_seq FROM workspaces WHERE name NOT GLOB '>*' ORDER BY name")                                                                                                                           \
    /* preconditions */                                                                                                                                                                                                     \
    X(CURRENT_HASH, "SELECT id FROM facts INDEXED BY facts_hash WHERE workspace = ?1 AND content_hash = ?2 AND scope = ?3 "                                                                                                 \
                    "AND valid_from <= ?4 AND valid_until > ?4 AND id <> ?5 LIMIT 1")                                                                                                                                       \
    X(IS_CURRENT, "SELECT lineage_id, seq FROM facts WHERE workspace = ?1 AND id = ?2 AND valid_from <= ?3 "                                                                                                                \
                  "AND valid_until > ?3")                                                                                                                                                                                   \
    X(NEWER_IN_LINEAGE, "SELECT id FROM facts WHERE workspace = ?1 AND lineage_id = ?2 AND seq > ?3 LIMIT 1")                                                                                                               \
    X(CURRENT_IN_LINEAGE, "SELECT id FROM facts INDEXED BY facts_lineage WHERE workspace = ?1 AND lineage_id = ?2 "                                                                                                         \
                          "AND valid_from <= ?3 AND valid_until > ?3 AND id <> ?4 LIMIT 1")                                                                                                                                 \
    X(PAIR_CONFLICT, "SELECT c.id FROM conflicts c JOIN facts a ON a.key = c.fact_a JOIN facts b ON "                                                                                                                       \
                     "b.key = c.fact_b WHERE c.workspace = ?1 AND ((a.id = ?2 AND b.id = ?3) OR "                                                                                                                           \
                     "(a.id = ?3 AND b.id = ?2)) LIMIT 1")                                                                                                                                                                  \
    X(PAIR_LINK, "SELECT 1 FROM links l JOIN facts a ON a.key = l.fact JOIN facts b ON b.key = l.other "                                                                                                                    \
                 "WHERE a.workspace = ?1 AND l.kind = " SQL(                                                                                                                                                                \
                     LINK_BOTH_VALID) " AND ((a.id = ?2 AND b.id = ?3) OR (a.id = ?3 AND b.id = ?2)) LIMIT 1")                                                                                                              \
    X(CONFLICT_STATUS, "SELECT status FROM conflicts WHERE workspace = ?1 AND id = ?2")                                                                                                                                     \
    X(JOB_OF_KIND, "SELECT 1 FROM jobs WHERE workspace = ?1 AND kind = ?2 AND (attempts < ?3 OR not_before > ?4) LIMIT 1")                                                                                                  \
    X(LEASE_OF_TOKEN, "SELECT 1 FROM jobs INDEXED BY jobs_leased WHERE token IS NOT NULL AND token = ?1 AND workspace = ?2")                                                                                                \
    /* changes */                                                                                                                                                                                                           \
    X(INSERT_FACT, "INSERT INTO facts (workspace, seq, id, lineage_id, supersedes, restored_from, parent_a, parent_b, "                                                                                                     \
                   "content, scope, agent_id, engineer, provenance, artifact_hash, confidence, fact_type, operation, "                                                                                                      \
                   "durability, ttl_days, committed_at, valid_from, valid_until, content_hash, closed_at, close_reason, "                                                                                                   \
                   "closed_by, query_hits) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, "                                                                                                 \
                   "?17, ?18, ?19, ?20, ?21, ?22, ?23, 0, " SQL(CLOSE_NONE) ", '', 0)")                                                                                                                                     \
    X(INSERT_STATEMENT,                                                                                                                                                                                                     \
      "INSERT INTO statements (fact, number, span_start, span_end, kind, flags, alone) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")                                                                                                \
    X(INSERT_CLAIM, "INSERT INTO claims (workspace, fact, statement, span_start, span_end, subject, attribute, qualifiers, "                                                                                                \
                    "value_kind, low_mantissa, low_exponent, low_infinite, high_mantissa, high_exponent, high_infinite, "                                                                                                   \
                    "text, dimension, polarity, modality, quantifier, extractor) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "                                                                                                  \
                    "?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)")                                                                                                                                      \
    X(DELETE_STATEMENTS, "DELETE FROM statements WHERE fact = ?1")                                                                                                                                                          \
    X(DELETE_CLAIMS, "DELETE FROM claims WHERE fact = ?1")                                                                                                                                                                  \
    X(INSERT_TERMS, "INSERT INTO terms (rowid, words) VALUES (?1, ?2)")                                                                                                                                                     \
    X(MODEL_KEY, "SELECT key FROM models WHERE model_id = ?1")                                                                                                                                                              \
    X(NEW_MODEL, "INSERT INTO models (model_id, dimensions) VALUES (?1, ?2)")                                                                                                                                               \
    X(HAS_VECTORS, "SELECT 1 FROM vectors v JOIN models m ON m.key = v.model WHERE v.fact = ?1 AND m.model_id = ?2 LIMIT 1")                                                                                                \
    X(INSERT_VECTOR, "INSERT INTO vectors (fact, statement, model, scale, s8) VALUES (?1, ?2, ?3, ?4, ?5)")                                                                                                                 \
    X(INSERT_VECTOR_F32, "INSERT INTO vectors_f32 (key, f32) VALUES (?1, ?2)")                                                                                                                                              \
    X(FACT_KEY, "SELECT key FROM facts WHERE workspace = ?1 AND id = ?2")                                                                                                                                                   \
    X(CLOSE_FACT, "UPDATE facts SET valid_until = min(valid_until, ?3), closed_at = ?3, close_reason = ?4, "                                                                                                                \
                  "closed_by = ?5 WHERE workspace = ?1 AND id = ?2")                                                                                                                                                        \
    X(PROMOTE_FACT, "UPDATE facts SET durability = " SQL(                                                                                                                                                                   \
                        DURABILITY_DURABLE) ", ttl_days = 0, "                                                                                                                                                              \
                                            "valid_until = max(valid_until, ?3) WHERE workspace = ?1 AND id = ?2")                                                                                                          \
    X(INSERT_CONFLICT, "INSERT INTO conflicts (workspace, seq, id, fact_a, fact_b, detected_at, tier, detector, score, "                                                                                                    \
                       "explanation, a_start, a_end, b_start, b_end, severity, status, resolution_type, resolved_at, "                                                                                                      \
                       "resolved_by, resolution, resolved_fact) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "                                                                                                \
                       "?13, ?14, ?15, ?16, 0, 0, '', '', NULL)")                                                                                                                                                           \
    X(SET_CONFLICT, "UPDATE conflicts SET status = ?3, resolution_type = ?4, resolved_at = ?5, resolved_by = "                                                                                                              \
                    "?6, resolution = ?7, resolved_fact = ?8 WHERE workspace = ?1 AND id = ?2")                                                                                                                             \
    X(CONFLICT_KEYS, "SELECT fact_a, fact_b FROM conflicts WHERE workspace = ?1 AND id = ?2")                                                                                                                               \
    /* it names the status, so that a trigger flags the new facts */                                                                                                                                                        \
    X(MOVE_CONFLICT, "UPDATE conflicts SET fact_a = ?3, fact_b = ?4, a_start = ?5, a_end = ?6, b_start = ?7, b_end = ?8, "                                                                                                  \
                     "status = status WHERE workspace = ?1 AND id = ?2")                                                                                                                                                    \
    X(UNFLAG, "DELETE FROM flagged WHERE (workspace, agent_id, fact) IN (SELECT f.workspace, f.agent_id, f.key FROM facts f "                                                                                               \
              "WHERE f.key = ?1 AND " NOT_IN_CONFLICT("fact_a") " AND " NOT_IN_CONFLICT("fact_b") ")")                                                                                                                      \
    X(CONFLICTS_TO_END, "SELECT " CONFLICT_COLUMNS " WHERE c.key IN " CONFLICT_KEYS_OF(                                                                                                                                     \
                            "?2") " AND +c.workspace = ?1 "                                                                                                                                                                 \
                                  "AND c.status = " SQL(CONFLICT_OPEN) " AND min(a.valid_until, b.valid_until) >= ?3")                                                                                                      \
    X(INSERT_LINK, "INSERT OR IGNORE INTO links (fact, other, kind, at) VALUES (?1, ?2, ?3, ?4)")                                                                                                                           \
    X(DELETE_LINK, "DELETE FROM links WHERE fact = ?1 AND other = ?2 AND kind = ?3")                                                                                                                                        \
    X(INSERT_JOB, "INSERT INTO jobs (workspace, kind, fact, owner, name, payload, created_at, not_before, attempts, token, "                                                                                                \
                  "lease_until, last_error) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9, ?10, '')")                                                                                                                       \
    X(DELETE_JOB, "DELETE FROM jobs INDEXED BY jobs_leased WHERE token IS NOT NULL AND token = ?1 AND workspace = ?2")                                                                                                      \
    X(FAIL_JOB,                                                                                                                                                                                                             \
      "UPDATE jobs INDEXED BY jobs_leased SET attempts = attempts + 1, token = NULL, lease_until = 0, not_before = ?3, "                                                                                                    \
      "last_error = ?4 WHERE token IS NOT NULL AND token = ?1 AND workspace = ?2")                                                                                                                                          \
    X(SEE_AGENT, "INSERT INTO agents (workspace, agent_id, engineer, registered_at, last_seen, commits) "                                                                                                                   \
                 "VALUES (?1, ?2, ?3, ?4, ?4, ?5) ON CONFLICT (workspace, agent_id) DO UPDATE SET "                                                                                                                         \
                 "last_seen = ?4, commits = commits + ?5, "                                                                                                                                                                 \
                 "engineer = CASE WHEN ?3 = '' THEN engineer ELSE ?3 END")                                                                                                                                                  \
    X(INSERT_FEEDBACK, "INSERT INTO feedback (workspace, conflict, tier, score, confirmed, at) "                                                                                                                            \
                       "VALUES (?1, ?2, ?3, ?4, ?5, ?6)")                                                                                                                                                                   \
    X(DELETE_FEEDBACK, "DELETE FROM feedback WHERE key = (SELECT min(key) FROM feedback WHERE workspace = ?1 AND "                                                                                                          \
                       "tier = ?2 AND conflict = ?3 AND at = ?4)")                                                                                                                                                          \
    X(SET_SETTING, "INSERT INTO settings (workspace, key, value) VALUES (?1, ?2, ?3) "                                                                                                                                      \
                   "ON CONFLICT (workspace, key) DO UPDATE SET value = ?3")                                                                                                                                                 \
    X(NEXT_AUDIT_ID, "SELECT coalesce(max(id), 0) + 1 FROM audit")                                                                                                                                                          \
    X(INSERT_AUDIT, "INSERT INTO audit (id, workspace, at, actor, action, fact, other, payload_hash, hash, layout) "                                                                                                        \
                    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, " SQL(AUDIT_WORKSPACE) ")")                                                                                                                                \
    X(INSERT_WINDOW, "INSERT INTO audit_windows (audit, number, fact, from_before, until_before, from_after, until_after) "                                                                                                 \
                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")                                                                                                                                                                 \
    X(WINDOW, "SELECT valid_from, valid_until FROM facts WHERE workspace = ?1 AND id = ?2")                                                                                                                                 \
    X(INSERT_PAYLOAD, "INSERT INTO audit_payloads (id, payload) VALUES (?1, ?2)")                                                                                                                                           \
    /* reads */                                                                                                                                                                                                             \
    X(FACT, "SELECT " FACT_COLUMNS " FROM facts f WHERE f.workspace = " WORKSPACE_1 " AND f.id = ?2 "                                                                                                                       \
            "AND f.close_reason <> " SQL(CLOSE_ERASED))                                                                                                                                                                     \
    X(FACT_BY_HASH, "SELECT " FACT_COLUMNS " FROM facts f INDEXED BY facts_hash WHERE f.workspace = " WORKSPACE_1                                                                                                           \
                    " AND f.content_hash = ?2 AND f.scope = ?3 AND f.close_reason <> " SQL(                                                                                                                                 \
                        CLOSE_ERASED) " AND f.valid_from <= " NOW " AND f.valid_until > " NOW " ORDER BY f.seq LIMIT 1")                                                                                                    \
    X(LINEAGE, "SELECT * FROM (SELECT " FACT_COLUMNS " FROM facts f INDEXED BY facts_lineage WHERE f.workspace = " WORKSPACE_1                                                                                              \
               " AND f.lineage_id = coalesce((SELECT lineage_id FROM facts WHERE workspace = " WORKSPACE_1                                                                                                                  \
               " AND lineage_id = ?2 LIMIT 1), (SELECT lineage_id FROM facts WHERE workspace = " WORKSPACE_1 " AND id = ?2)) "                                                                                              \
               "AND f.close_reason <> " SQL(CLOSE_ERASED) " ORDER BY f.seq DESC LIMIT ?3) ORDER BY seq")                                                                                                                    \
    X(PAGE, "SELECT " FACT_COLUMNS " FROM facts f WHERE " VISIBLE " AND f.seq > :after ORDER BY f.seq LIMIT :limit")                                                                                                        \
    X(PAGE_BACK, "SELECT " FACT_COLUMNS " FROM facts f WHERE " VISIBLE " AND f.seq < :after ORDER BY f.seq DESC LIMIT :limit")                                                                                              \
    X(IDS_BETWEEN, "SELECT id FROM facts WHERE workspace = " WORKSPACE_1 " AND id BETWEEN ?2 AND ?3 UNION ALL SELECT id FROM "                                                                                              \
                   "conflicts WHERE workspace = " WORKSPACE_1 " AND id BETWEEN ?2 AND ?3 ORDER BY 1 LIMIT ?4")                                                                                                              \
    X(IDS_BY_SUFFIX, "SELECT id FROM (SELECT id FROM facts WHERE workspace = " WORKSPACE_1 " UNION ALL SELECT "                                                                                                             \
                     "id FROM conflicts WHERE workspace = " WORKSPACE_1 ") WHERE "                                                                                                                                          \
                     "substr(lower(hex(id)), -length(?2)) = ?2 LIMIT ?3")                                                                                                                                                   \
    X(STATEMENTS_OF,                                                                                                                                                                                                        \
      "SELECT s.span_start, s.span_end, s.kind, s.flags, s.alone FROM statements s JOIN facts f ON f.key = s.fact "                                                                                                         \
      "WHERE f.workspace = " WORKSPACE_1 " AND f.id = ?2 ORDER BY s.number")                                                                                                                                                \
    X(CLAIMS_OF, "SELECT " CLAIM_COLUMNS " FROM claims c JOIN facts f ON f.key = c.fact "                                                                                                                                   \
                 "WHERE f.workspace = " WORKSPACE_1 " AND f.id = ?2 ORDER BY c.key")                                                                                                                                        \
    X(CONFLICT_IDS_OF, "SELECT c.id FROM conflicts c JOIN facts a ON a.key = c.fact_a JOIN facts b ON b.key = c.fact_b "                                                                                                    \
                       "WHERE c.key IN " CONFLICT_KEYS_OF("?2") " AND +c.workspace = " WORKSPACE_1 " AND c.status = ?3 "                                                                                                    \
                                                                "AND min(a.valid_until, b.valid_until) > " NOW                                                                                                              \
                                                                " ORDER BY c.severity DESC, c.seq DESC")                                                                                                                    \
    X(CLEARED_OF, "SELECT iif(a.id = ?2, b.id, a.id), c.status FROM conflicts c JOIN facts a ON a.key = c.fact_a JOIN facts b "                                                                                             \
                  "ON b.key = c.fact_b WHERE c.key IN " CONFLICT_KEYS_OF(                                                                                                                                                   \
                      "?2") " AND +c.workspace = " WORKSPACE_1                                                                                                                                                              \
                            " AND (c.status = " SQL(CONFLICT_DISMISSED) " OR (c.status = " SQL(                                                                                                                             \
                                CONFLICT_RESOLVED) " AND c.resolution_type = " SQL(RESOLUTION_BOTH_VALID) "))")                                                                                                             \
    X(RESTORED_FROM,                                                                                                                                                                                                        \
      "SELECT restored_from FROM facts WHERE workspace = " WORKSPACE_1 " AND id = ?2 AND close_reason <> " SQL(CLOSE_ERASED))                                                                                               \
    X(CONFLICT, "SELECT " CONFLICT_COLUMNS " WHERE c.workspace = " WORKSPACE_1 " AND " CONFLICT_PASSES " AND c.id = ?3 "                                                                                                    \
                "LIMIT ?4")                                                                                                                                                                                                 \
    X(CONFLICTS_OF, "SELECT " CONFLICT_COLUMNS                                                                                                                                                                              \
                    " WHERE c.key IN " CONFLICT_KEYS_OF("?3") " AND +c.workspace = " WORKSPACE_1 " AND " CONFLICT_PASSES                                                                                                    \
                                                              " ORDER BY c.severity DESC, c.seq DESC LIMIT ?4")                                                                                                             \
    X(CONFLICTS, "SELECT " CONFLICT_COLUMNS " WHERE c.workspace = " WORKSPACE_1 " AND " CONFLICT_PASSES                                                                                                                     \
                 " AND (?3 = '' OR a.scope = ?3 OR b.scope = ?3 OR (a.scope > ?3 || '/' AND a.scope < ?3 || '0') "                                                                                                          \
                 "OR (b.scope > ?3 || '/' AND b.scope < ?3 || '0')) ORDER BY c.severity DESC, c.seq DESC LIMIT ?4")                                                                                                         \
    X(SETTING, "SELECT value FROM settings WHERE workspace = " WORKSPACE_1 " AND key = ?2")                                                                                                                                 \
    X(FEEDBACK, "SELECT tier, sum(confirmed), count(*) FROM (SELECT tier, confirmed, max(key) FROM feedback WHERE "                                                                                                         \
                "workspace = " WORKSPACE_1 " GROUP BY tier, conflict) GROUP BY tier")                                                                                                                                       \
    X(AGENT, "SELECT g.commits, (SELECT count(*) FROM flagged l WHERE l.workspace = g.workspace AND l.agent_id = g.agent_id) "                                                                                              \
             "FROM agents g WHERE g.workspace = " WORKSPACE_1 " AND g.agent_id = ?2")                                                                                                                                       \
    X(AUDIT, "SELECT " AUDIT_COLUMNS " WHERE u.workspace = " WORKSPACE_1 " AND u.id > ?2 ORDER BY u.id LIMIT ?3")                                                                                                           \
    X(MOVED_HERE, "SELECT key, " NAME_BEFORE " FROM workspaces w WHERE name GLOB '>' || " WORKSPACE_1 " || ' *' ORDER BY key")                                                                                              \
    X(AUDIT_AND_MOVED, "SELECT " AUDIT_COLUMNS_AND_NAME " WHERE u.id > ?2 AND (w.name = ?1 OR w.name GLOB '>' || " WORKSPACE_1                                                                                              \
                       " || ' *') ORDER BY u.id LIMIT ?3")                                                                                                                                                                  \
    X(AUDIT_WINDOWS, "SELECT fact, from_before, until_before, from_after, until_after FROM audit_windows "                                                                                                                  \
                     "WHERE audit = ?1 ORDER BY number")                                                                                                                                                                    \
    X(CHAIN_OF_STORE, "SELECT " AUDIT_COLUMNS " WHERE u.layout = " SQL(AUDIT_STORE) " ORDER BY u.id")                                                                                                                       \
    X(CHAIN_OF_WORKSPACE,                                                                                                                                                                                                   \
      "SELECT " AUDIT_COLUMNS " WHERE u.workspace = ?1 AND u.layout = " SQL(AUDIT_WORKSPACE) " ORDER BY u.id")                                                                                                              \
    X(CHAIN_ENDS, "SELECT audit_anchor, audit_head FROM workspaces WHERE key = ?1")                                                                                                                                         \
    X(FACT_STATS,                                                                                                                                                                                                           \
      "SELECT (SELECT count(*) FROM facts WHERE workspace = w.key), (SELECT count(*) FROM facts WHERE "                                                                                                                     \
      "workspace = w.key AND valid_from <= " NOW " AND valid_until > " NOW "), (SELECT count(*) FROM conflicts c "                                                                                                          \
      "JOIN facts a ON a.key = c.fact_a JOIN facts b ON b.key = c.fact_b WHERE c.workspace = w.key AND "                                                                                                                    \
      "c.status = " SQL(                                                                                                                                                                                                    \
          CONFLICT_OPEN) " AND min(a.valid_until, b.valid_until) > " NOW "), "                                                                                                                                              \
                         "(SELECT count(*) FROM conflicts WHERE workspace = w.key AND status <> " SQL(                                                                                                                      \
                             CONFLICT_SUSPECTED) "), "                                                                                                                                                                      \
                                                 "(SELECT count(*) FROM agents WHERE workspace = w.key), (SELECT count(*) FROM statements s JOIN "                                                                          \
                                                 "facts f ON f.key = s.fact WHERE f.workspace = w.key), (SELECT count(*) FROM claims WHERE "                                                                                \
                                                 "workspace = w.key), (SELECT count(*) FROM vectors v JOIN facts f ON f.key = v.fact WHERE "                                                                                \
                                                 "f.workspace = w.key), (SELECT count(*) FROM conflicts c JOIN facts a ON a.key = c.fact_a JOIN facts b ON b.key = c.fact_b WHERE c.workspace = w.key AND c.status = " SQL( \
                                                     CONFLICT_SUSPECTED) " AND min(a.valid_until, b.valid_until) > " NOW                                                                                                    \
                                                                         ") FROM workspaces w WHERE w.name = ?1")                                                                                                           \
    X(JOB_STATS, "SELECT coalesce(sum(lease_until <= ?3 AND attempts < ?2), 0), coalesce(sum(lease_until > ?3), 0), "                                                                                                       \
                 "coalesce(sum(attempts >= ?2), 0), coalesce(min(created_at), 0) FROM jobs WHERE workspace = " WORKSPACE_1)                                                                                                 \
    /* search */                                                                                                                                                                                                            \
    X(TERM_DOCUMENTS, "SELECT doc FROM term_counts WHERE term = ?1")                                                                                                                                                        \
    X(POSTINGS, "SELECT engram_postings(terms) FROM terms WHERE terms MATCH ?1 LIMIT 1")                                                                                                                                    \
    X(SEARCH_SUBJECT, "SELECT * FROM (SELECT f.id, f.seq, 0, c.key FROM claims c JOIN facts f ON f.key = c.fact WHERE "                                                                                                     \
                      "c.workspace = (SELECT key FROM workspaces WHERE name = :workspace) AND c.subject = :subject AND "                                                                                                    \
                      "(:attribute = '' OR c.attribute = :attribute) AND " VISIBLE                                                                                                                                          \
                      " ORDER BY f.seq DESC, c.key DESC LIMIT :limit) ORDER BY 2, 4")                                                                                                                                       \
    X(LAST_VECTOR, "SELECT max(key) FROM vectors WHERE model = ?1")                                                                                                                                                         \
    X(VECTORS_AFTER, "SELECT v.key, v.fact, v.scale, v.s8, f.workspace FROM vectors v CROSS JOIN facts f ON f.key = v.fact "                                                                                                \
                     "WHERE v.model = ?1 AND v.key > ?2 ORDER BY v.key LIMIT ?3")                                                                                                                                           \
    X(VECTORS_OF, "SELECT v.statement, m.dimensions, m.model_id, x.f32 FROM facts f JOIN vectors v ON v.fact = f.key "                                                                                                      \
                  "JOIN models m ON m.key = v.model JOIN vectors_f32 x ON x.key = v.key "                                                                                                                                   \
                  "WHERE f.workspace = " WORKSPACE_1 " AND f.id = ?2 AND m.model_id = ?3 ORDER BY v.statement")                                                                                                             \
    X(VECTORS_F32_OF,                                                                                                                                                                                                       \
      "SELECT x.f32 FROM vectors v CROSS JOIN vectors_f32 x ON x.key = v.key WHERE v.fact = ?1 AND v.model = ?2")                                                                                                           \
    X(UNEMBEDDED_FACTS, "SELECT " FACT_COLUMNS " " UNEMBEDDED " ORDER BY f.seq LIMIT ?4")                                                                                                                                   \
    X(UNEMBEDDED_COUNT, "SELECT count(*) " UNEMBEDDED)                                                                                                                                                                      \
    X(COUNT_CURRENT,                                                                                                                                                                                                        \
      "SELECT count(*) FROM (SELECT 1 FROM facts WHERE workspace = " WORKSPACE_1 " AND valid_until > ?2 LIMIT ?3)")                                                                                                         \
    X(COUNT_SCOPE, "SELECT count(*) FROM (SELECT 1 FROM facts WHERE workspace = " WORKSPACE_1                                                                                                                               \
                   " AND scope >= ?2 AND scope < ?2 || '0' LIMIT ?3)")                                                                                                                                                      \
    X(VISIBLE_FACTS_OF_SCOPE, "SELECT f.key FROM facts f WHERE f.scope >= :scope AND f.scope < :scope || '0' AND " VISIBLE)                                                                                                 \
    X(VISIBLE_FACTS, "SELECT f.key FROM facts f WHERE " VISIBLE)                                                                                                                                                            \
    X(LAST_FACT, "SELECT max(key) FROM facts")                                                                                                                                                                              \
    X(VISIBLE_FACT, "SELECT f.id, f.seq FROM facts f WHERE f.key = :key AND " VISIBLE)                                                                                                                                      \
    /* jobs and counters */                                                                                                                                                                                                 \
    X(DUE_JOBS, DUE_OWN("0") " UNION ALL " DUE_OTHERS("0") " UNION ALL " DUE_OWN("1") " UNION ALL " DUE_OTHERS("1") " LIMIT ?5")                                                                                            \
    X(EXPIRE_LEASES,                                                                                                                                                                                                        \
      "UPDATE jobs SET attempts = attempts + 1, token = NULL, lease_until = 0, not_before = ?1, last_error = 'the process "                                                                                                 \
      "that had this job ended, or took too long' WHERE token IS NOT NULL AND (lease_until <= ?1 OR lease_until > ?2)")                                                                                                     \
    X(TAKE_JOB, "UPDATE jobs SET token = ?2, lease_until = ?3 WHERE id = ?1")                                                                                                                                               \
    X(JOBS_OF,                                                                                                                                                                                                              \
      "SELECT coalesce(sum(attempts < ?3), 0), coalesce(sum(attempts >= ?3), 0) FROM jobs WHERE workspace = " WORKSPACE_1                                                                                                   \
      " AND fact = ?2 AND kind = " SQL(JOB_DETECT))                                                                                                                                                                         \
    X(COUNT_HIT, "UPDATE facts SET query_hits = query_hits + 1 WHERE workspace = " WORKSPACE_1 " AND id = ?2")

#define X(name, sql) EG_SQL_##name,
typedef enum eg_sql { STATEMENTS(X) EG_SQL_COUNT } eg_sql;
#undef X

#endif
