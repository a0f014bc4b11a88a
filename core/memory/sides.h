/* sides.h - the two statements that a pair of facts is about: what answers are exported with, and
 * all that an escalator gets to see of the facts. */
#ifndef EG_MEMORY_SIDES_H
#define EG_MEMORY_SIDES_H

#include "core/memory/state.h"

/* One fact of a pair. */
typedef struct eg_side {
    eg_str content;
    const eg_span *statements;
    const eg_statement *details; /* of the statements; NULL: their own words stand alone */
    size_t statement_count;
    eg_span said; /* the bytes that disagree; empty: the whole content */
} eg_side;

/* text[k]: of each side the statement that it is about, as it stands alone. Where the bytes that
 * disagree touch several statements, the two that share most words. A side without statements is
 * its bytes that disagree. Views of the content or of the details. */
void eg_sides_statements(const eg_side sides[2], eg_str text[2]);

/* stated[k]: the same where it is a statement that the author of the fact gave with it, else empty.
 * A view of the details. */
void eg_sides_stated(const eg_side sides[2], eg_str stated[2]);

/* The sides of a stored conflict, which were read with EG_PARTS_STATEMENTS. */
void eg_sides_of(const eg_conflict *c, const eg_fact_parts *a, const eg_fact_parts *b, eg_side sides[2]);

#endif
