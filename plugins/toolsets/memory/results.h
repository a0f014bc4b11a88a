/* results.h - how facts and conflicts look in the results of the memory tools: the same members in
 * the same order wherever one appears. What it is not: the schemas (schemas.h), which say the same
 * to callers. */
#ifndef ENGRAM_MEMORY_RESULTS_H
#define ENGRAM_MEMORY_RESULTS_H

#include "args.h"
#include "json.h"

/* Bytes that a serialised result should not exceed, since an agent reads all of it. Long texts are
 * cut until the result fits or every text has RESULT_LEAST_TEXT bytes; facts are never left out.
 * The two facts of a conflict that is asked for by its id are never cut. */
enum { RESULT_CAP = 16000, RESULT_LEAST_TEXT = 160 };
/* Of the other fact of a conflict in a receipt: its explanation quotes what disagrees, and
 * engram_conflicts shows all of it. */
enum { RESULT_OTHER_TEXT = 400 };
/* Bytes of an id as an argument: 36 of a UUID, with room for what people paste around one. */
enum { MAX_ID_TEXT = 64 };

typedef struct result {
    pj_out out;
    size_t text_limit; /* bytes of one long text */
    int full;          /* 1: every member, nulls and the notice too, ids and times in full. 0, for
                        * agents: what is null, usual or known to the caller is left out, ids are
                        * their last twelve digits */
    int dates;         /* 1: of a time, only the day */
    int disputed;      /* 1: what stands around says whether a fact is disputed */
    int whole;         /* set by who renders: with `full`, a program reads it, and no text is cut */
} result;

/* The canonical text of an id: 36 characters. Its last group, twelve digits of chance, names a fact
 * or conflict among millions as well. */
enum { ID_TEXT = 40, ID_SHORT = 12 };
eg_str mt_id_format(eg_id id, char out[ID_TEXT]);

/* 1 when text is the id, or ends it, or is its beginning. */
int mt_id_names(eg_str text, eg_id id);

/* The members of a fact, into an open object; members that not every fact has come last. */
void mt_put_fact_members(result *r, const eg_fact *fact);
/* Which of the versions of a lineage, oldest first, an id names: the latest one where it names
 * none of them, but the lineage. */
const eg_fact *mt_version_named(const eg_fact *versions, size_t n, eg_str id);
void mt_put_fact(result *r, const eg_fact *fact); /* an object, or null when the fact has no id */
void mt_put_facts(result *r, const char *key, const eg_fact *facts, size_t n);
/* A fact with the statements that its author gave, where there are any. */
void mt_put_fact_stated(result *r, const eg_fact *fact, const eg_statement_list *statements);
/* The same with what its evidence cites; cited NULL: not looked at. */
void mt_put_fact_cited(result *r, const eg_fact *fact, const eg_statement_list *statements, const eg_citation_view *cited);
/* The member `stale` of a fact whose evidence does not hold any more: into an open object. */
void mt_put_stale(result *r, const eg_citation_view *cited);
/* What n facts cite, a view for each; in the memory of the request. NULL: no memory, or an older
 * host, which does not look. */
eg_citation_view *mt_citations_of(const eg_services *services, eg_memory *memory, eg_request *rq, const eg_fact *const *facts,
                                  size_t n);
/* *out: the statements of n facts, a list for each; in the memory of the request. */
eg_status mt_statements_of(const eg_services *services, eg_memory *memory, eg_request *rq, const eg_fact *facts, size_t n,
                           eg_statement_list **out);
/* own: a fact that the caller knows and that is not repeated, or NULL. */
void mt_put_conflict_view(result *r, const eg_conflict_view *view, const eg_id *own);
/* The same with all of its texts: who asks for one wants to read all of it. */
void mt_put_whole_conflict(result *r, const eg_conflict_view *view);
/* A member of what may be missing: null, or left out. */
void mt_put_optional(result *r, const char *key, eg_str text);
void mt_put_id(result *r, const char *key, eg_id id);      /* key NULL: an array's item */
void mt_put_time(result *r, const char *key, int64_t t);   /* RFC 3339; 0 and EG_FOREVER: null */
void mt_put_flag(result *r, const char *key, int flag);    /* 0: false, or left out */
void mt_put_score(result *r, const char *key, double x);   /* 4 decimals */
void mt_put_text(result *r, const char *key, eg_str text); /* cut to the limit at a code point;
                                                            * empty: null */
void mt_put_undo_id(result *r, int64_t undo_id);           /* 0, nothing to undo: null */
void mt_put_word(result *r, const char *key, const char *const *words, size_t n, uint32_t i);
/* The facts of both lineages of a conflict. Its two facts stand above: an agent gets only the
 * others, and in a full result their texts are the first to be cut. */
void mt_put_history(result *r, const eg_conflict *c, const eg_fact *facts, size_t n);
/* The first member of every full result that carries stored text. Agents are told once a session,
 * by the instructions of the MCP front end and the descriptions of the tools. */
void mt_put_notice(result *r);

/* Writes out->structured with render(), again with shorter texts while it exceeds RESULT_CAP; *out
 * is in the memory of the request. arguments: of the tool, which may ask for a full result; empty,
 * as for resources: it is full. */
eg_status mt_result_make(eg_request *rq, eg_str arguments, void (*render)(result *r, const void *data), const void *data,
                         eg_tool_result *out);

extern const char *const mt_fact_type_words[],
    *const mt_operation_words[], *const mt_durability_words[], *const mt_conflict_status_words[],
                                                                   *const mt_severity_words[], *const mt_resolution_words[];

/* One conflict and every version of both facts. */
typedef struct one_conflict {
    eg_conflict_view view;
    eg_fact *history;
    size_t count;
} one_conflict;

/* Writes out->structured for the conflict with this id; render() gets a one_conflict. */
eg_status mt_one_conflict(const eg_services *services, eg_request *rq, eg_str arguments, eg_str id,
                          void (*render)(result *r, const void *data), eg_tool_result *out);

/* The memory of the host, or NULL with the sentence in the request's error record. */
eg_memory *mt_memory_of(const eg_services *services, eg_request *rq);

#endif
