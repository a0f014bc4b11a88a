/* text.h - what Engram reads out of the text of a fact without any model: normal form, statements,
 * search terms, claims, scopes. Knows no store and no inference. All functions: valid UTF-8 in,
 * results in the arena (or views of the input), no recursion, time linear in the input. Thread
 * class: any. */
#ifndef EG_CORE_TEXT_H
#define EG_CORE_TEXT_H

#include "core/base/arena.h"
#include "core/include/engram/storage.h"

/* The form whose SHA-256 tells duplicates: white space folded to one space, trimmed, a final full
 * stop or exclamation mark dropped, the backticks around plain words of code too, typographic
 * quotes and dashes made plain, case folded only in words of plain letters with at most a leading
 * capital that are no unit after a number (10 Mb is not 10 MB). EG_ENOMEM. */
eg_status eg_text_normalize(eg_arena *arena, eg_str content, eg_str *out, eg_error *err);

/* Splits into statements (sentences, list items, clauses after ';'), as byte spans without
 * surrounding white space. Full stops in versions, numbers, paths, hosts, abbreviations and code
 * spans end nothing. Returns the number, at most `most`: what is over belongs to the last one.
 * Content that is not blank gives at least one. */
size_t eg_text_statements(eg_str content, eg_span *out, size_t most);

/* Reads the statements of a fact: their spans, what each does, and the form that stands alone where
 * its own words do not. Fills at most `most`, in the order of the text: what is over belongs to the
 * last one. EG_ENOMEM. */
eg_status eg_text_read_statements(eg_arena *arena, eg_str content, eg_statement *out, size_t most, size_t *n, eg_error *err);

/* Index terms of a fact: folded words, identifiers whole and in parts (snake_case, camelCase,
 * dotted, kebab), paths and their segments, numbers; light English suffix stemming where both index
 * and query use it; each once with its count; at most `most`. The scope's segments are terms
 * too. */
eg_status eg_text_terms(eg_arena *arena, eg_str content, eg_str scope, eg_term *out, size_t most, size_t *n, eg_error *err);
/* Terms of a query: the same, without stop words (unless nothing else is left), at most
 * EG_MAX_TERMS. */
eg_status eg_text_query_terms(eg_arena *arena, eg_str topic, eg_term *out, size_t most, size_t *n, eg_error *err);

enum { EG_EXTRACTOR_VERSION = 1 };
/* Claims of the statements. Everything that is not sure is left out. scope helps to name the
 * subject. */
eg_status eg_text_claims(eg_arena *arena, eg_str content, eg_str scope, const eg_span *statements, size_t statement_count,
                         eg_claim *out, size_t most, size_t *n, eg_error *err);

/* Checks and canonicalises a scope: lower-cases ASCII, trims '/' at both ends, refuses other
 * characters by name. Empty gives "general". EG_EINVAL with the rule, EG_ELIMIT. */
eg_status eg_text_scope(eg_arena *arena, eg_str scope, eg_str *out, eg_error *err);
/* 1 when scope is `under` or below it, by whole segments; an empty `under` holds all. */
int eg_text_scope_within(eg_str scope, eg_str under);

#endif
