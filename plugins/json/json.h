/* json.h - strict JSON for plugins that speak protocols: a validator in front of cJSON, the raw
 * text of members, and a writer. What it is not: a parser of its own (cJSON builds the tree), or of
 * files. Used by the memory toolset and the MCP front end; linked statically into each.
 *
 * The validator exists because cJSON is lenient (control characters, leading zeros, invalid UTF-8)
 * and because cJSON keeps numbers as doubles: what must be echoed exactly (request ids, arguments)
 * is taken as raw text. */
#ifndef ENGRAM_PLUGIN_JSON_H
#define ENGRAM_PLUGIN_JSON_H

#include <cjson/cJSON.h>

#include "engram/status.h"

enum {
    PJ_MAX_DEPTH = 64, /* nesting of a text that we read; bounds cJSON's recursion */
    PJ_MAX_NUMBER = 63 /* characters of a number: cJSON reads no longer ones */
};

typedef struct pj_problem {
    const char *what; /* static text: "an unfinished string" */
    size_t at;        /* byte offset */
    int limit;        /* 1: JSON so far, but beyond the limits above */
} pj_problem;

/* 1 when text is exactly one JSON value by RFC 8259, valid UTF-8, within the limits above. */
int pj_valid(eg_str text, pj_problem *problem);
/* Validates, then parses; the caller frees with cJSON_Delete. NULL with *problem filled. Half of a
 * surrogate pair as an escape, which the grammar lets through, is read as U+FFFD. */
cJSON *pj_parse(eg_str text, pj_problem *problem);

/* The member of an object, case-sensitive; NULL when there is none. */
const cJSON *pj_get(const cJSON *object, const char *key);
/* Its place among the object's members, counted from 0; the object's size when there is none. */
size_t pj_index(const cJSON *object, const char *key);
/* A key that stands twice in the object, or NULL. */
const char *pj_duplicate(const cJSON *object);
/* Raw text of the i-th value of a valid object or array; ptr NULL when there are fewer. */
eg_str pj_value_text(eg_str container, size_t i);
/* Of a text that was refused with this problem: the raw string or number that is the member `key`
 * of its object, found before the problem, or anywhere when that was a limit; ptr NULL when there
 * is none. */
eg_str pj_salvage(eg_str text, const pj_problem *problem, const char *key);
/* 1 when a string of the valid text holds an escaped U+0000, which would end it early in C. */
int pj_has_nul(eg_str text);

/* Writer. Grows on the heap; after a failed allocation all calls do nothing and `failed` stays 1.
 * Commas are put by themselves: before a value or key unless the last byte is '{', '[' or ':'. */
typedef struct pj_out {
    char *p;
    size_t len, cap;
    int failed;
} pj_out;

void pj_release(pj_out *o);
void pj_begin(pj_out *o, char bracket); /* '{' or '[' */
void pj_end(pj_out *o, char bracket);   /* '}' or ']' */
void pj_key(pj_out *o, const char *key);
void pj_str(pj_out *o, eg_str s); /* invalid UTF-8 becomes U+FFFD */
void pj_int(pj_out *o, int64_t n);
void pj_num(pj_out *o, double x); /* the shortest text that reads back the same; not finite: 0 */
void pj_bool(pj_out *o, int b);
void pj_null(pj_out *o);
/* A valid JSON value as it is, line breaks between its tokens made spaces (a message is one line).
 */
void pj_json(pj_out *o, eg_str value);

/* Key and value in one. */
void pj_kstr(pj_out *o, const char *key, eg_str s);
void pj_kopt(pj_out *o, const char *key, eg_str s); /* empty: null */
void pj_kint(pj_out *o, const char *key, int64_t n);
void pj_knum(pj_out *o, const char *key, double x);
void pj_kbool(pj_out *o, const char *key, int b);

#endif
