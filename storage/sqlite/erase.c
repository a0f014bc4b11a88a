/* erase.c - takes the texts of facts out of every table. The rows of facts, conflicts, links and
 * the audit stay: which facts there were, when, and in which conflicts. The bytes of the files
 * are left to purge.c. */
#include "erase.h"

#include <errno.h>

#define LEAVING "(SELECT key FROM temp.leaving)"
#define LEAVING_IDS "(SELECT id FROM temp.leaving)"
#define HEX(column, from, n) "substr(lower(hex(" column ")), " #from ", " #n ")"
/* The text form of an id. */
#define UUID(c) HEX(c, 1, 8) "||'-'||" HEX(c, 9, 4) "||'-'||" HEX(c, 13, 4) "||'-'||" HEX(c, 17, 4) "||'-'||" HEX(c, 21, 12)
/* A text that names one of the conflicts of these facts. */
#define NAMES_CONFLICT(text) "EXISTS (SELECT 1 FROM temp.leaving_conflicts l WHERE instr(" text ", l.name))"

/* Temporary tables that are there all the same are those of a transaction that failed. */
static const char *const begin[] = {"DROP TABLE IF EXISTS temp.leaving", "DROP TABLE IF EXISTS temp.leaving_conflicts",
                                    "CREATE TEMP TABLE leaving (key INTEGER PRIMARY KEY, id BLOB)",
                                    "CREATE TEMP TABLE leaving_conflicts (name TEXT)"};

static const char *const steps[] = {
    "INSERT INTO temp.leaving_conflicts SELECT " UUID("id") " FROM conflicts WHERE fact_a IN " LEAVING " OR fact_b IN " LEAVING,
    "DELETE FROM statements WHERE fact IN " LEAVING, "DELETE FROM claims WHERE fact IN " LEAVING,
    "DELETE FROM vectors_f32 WHERE key IN (SELECT key FROM vectors WHERE fact IN " LEAVING ")",
    "DELETE FROM vectors WHERE fact IN " LEAVING, "DELETE FROM jobs WHERE fact IN " LEAVING_IDS " OR " NAMES_CONFLICT("payload"),
    "UPDATE conflicts SET explanation = '" EG_ERASED_TEXT "', a_start = 0, a_end = 0, b_start = 0, b_end = 0, "
    "resolution = CASE WHEN resolution = '' THEN '' ELSE '" EG_ERASED_TEXT "' END WHERE fact_a IN " LEAVING
    " OR fact_b IN " LEAVING,
    "DELETE FROM audit_payloads WHERE id IN (SELECT id FROM audit WHERE fact IN " LEAVING_IDS " OR other IN " LEAVING_IDS
    " UNION SELECT audit FROM audit_windows WHERE fact IN " LEAVING_IDS ") OR " NAMES_CONFLICT("payload"),
    "UPDATE facts SET content = '" EG_ERASED_TEXT "', provenance = '', artifact_hash = '', engineer = '', "
    "content_hash = zeroblob(32), close_reason = " SQL(CLOSE_ERASED) " WHERE key IN " LEAVING,
    /* a person whom no fact names any more */
    "UPDATE agents SET engineer = '' WHERE engineer <> '' AND NOT EXISTS (SELECT 1 FROM facts f WHERE "
    "f.workspace = agents.workspace AND f.agent_id = agents.agent_id AND f.engineer = agents.engineer)",
    "DROP TABLE temp.leaving", "DROP TABLE temp.leaving_conflicts"};

static eg_status run_all(writing *w, const char *const *sql, size_t n) {
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++) s = run_once(w->c, w->rq, sql[i], NULL, 0);
    return s;
}
#define RUN_ALL(w, list) run_all(w, list, sizeof(list) / sizeof *(list))

static eg_status add(writing *w, eg_id fact) {
    sqlite3_stmt *q = NULL;
    errno = 0;
    if (sqlite3_prepare_v2(w->c->db,
                           "INSERT OR IGNORE INTO temp.leaving SELECT key, id FROM facts WHERE workspace = ?1 AND id = ?2", -1,
                           &q, NULL) != SQLITE_OK)
        return sqlite_error(w->c, w->rq, "erasing facts");
    sqlite3_bind_int64(q, 1, w->workspace);
    bind_id(q, 2, fact);
    eg_status s = run(w->c, w->rq, q);
    int known = s == EG_OK && sqlite3_changes(w->c->db) == 1;
    sqlite3_finalize(q);
    return known ? journal(w, EG_CHANGE_ERASE, fact, (eg_id){{0}}) : s;
}

static eg_status forget_records(writing *w, const int64_t *records, size_t n) {
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const int64_t values[] = {w->workspace, records[i]};
        s = run_once(w->c, w->rq,
                     "DELETE FROM audit_payloads WHERE id = ?2 AND EXISTS (SELECT 1 FROM audit u JOIN workspaces k ON "
                     "k.key = u.workspace WHERE u.id = ?2 AND (k.key = ?1 OR k.name GLOB '>' || ?1 || ' *'))",
                     values, 2);
    }
    return s;
}

eg_status erase_facts(writing *w, const eg_change *change) {
    const eg_id *facts = change->erase.facts;
    size_t n = change->erase.count;
    /* what is deleted is overwritten in its page; of this connection from now on */
    eg_status s = run_once(w->c, w->rq, "PRAGMA secure_delete = ON", NULL, 0);
    if (s == EG_OK) s = RUN_ALL(w, begin);
    for (size_t i = 0; s == EG_OK && i < n; i++) s = add(w, facts[i]);
    if (s == EG_OK) s = remove_terms(w->c, w->rq);
    if (s == EG_OK) s = RUN_ALL(w, steps);
    return s == EG_OK ? forget_records(w, change->erase.records, change->erase.record_count) : s;
}
