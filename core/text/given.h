/* given.h - statements that the author of a fact wrote: which of the statements that were read each
 * of them speaks of, and the two lists as one. A given statement takes the place (span and kind) of
 * the one that it shares the most telling words with; its words become the form that stands alone.
 * Not here: limits and checks of their text (core/memory). Thread class: any. */
#ifndef EG_CORE_TEXT_GIVEN_H
#define EG_CORE_TEXT_GIVEN_H

#include "core/base/arena.h"
#include "core/include/engram/types.h"

typedef enum eg_given_fault {
    EG_GIVEN_FITS = 0,
    EG_GIVEN_ADDS, /* it has a number or an identifier that the content lacks */
    EG_GIVEN_FAR   /* it shares too few words with the content */
} eg_given_fault;

/* The first statement that does not fit. */
typedef struct eg_given_refusal {
    size_t index;
    eg_given_fault fault;
    eg_str word; /* that the content lacks, a view of the statement */
} eg_given_refusal;

/* Fills out[0..count) in the order of texts: span and kind of a read statement, EG_STATEMENT_GIVEN,
 * alone a view of the text. read: what eg_text_read_statements gave, at least one. refusal->fault
 * is EG_GIVEN_FITS, or tells why out is not to be used. EG_ENOMEM. */
eg_status eg_text_match_given(eg_arena *arena, eg_str content, eg_str scope, const eg_statement *read, size_t read_count,
                              const eg_str *texts, size_t count, eg_statement *out, eg_given_refusal *refusal, eg_error *err);

/* out: the given statements, and those of `read` that they do not cover, in the order of the text;
 * at most `most` of them, of which given ones are the last to be left out. A read statement is
 * covered when given ones stand in its place and have more than half of its words between them.
 * EG_ENOMEM. */
eg_status eg_text_merge_given(eg_arena *arena, eg_str content, const eg_statement *read, size_t read_count,
                              const eg_statement *given, size_t count, eg_statement *out, size_t most, size_t *n, eg_error *err);

#endif
