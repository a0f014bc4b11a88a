/* kinds.h - what a statement does, told by its words and by what it stands under. Only kinds that
 * are compared with each other matter to detection, so whatever is not surely something else is an
 * assertion. Thread class: any. */
#ifndef EG_CORE_TEXT_KINDS_H
#define EG_CORE_TEXT_KINDS_H

#include "core/include/engram/types.h"

/* What a heading, a lead-in line or a label says about the statements under it. */
typedef enum eg_lead {
    EG_LEAD_NONE = 0,
    EG_LEAD_NEUTRAL,  /* a label that is no subject: "Note:", "Fix:", "Reason:" */
    EG_LEAD_FORBIDS,  /* "Do not:", "Never", "Off limits" */
    EG_LEAD_PROPOSES, /* "Rejected:", "Planned", "Open questions" */
    EG_LEAD_WEIGHS,   /* "Alternatives considered", "Pros", "Cons" */
    EG_LEAD_ASKS,     /* "Question:" */
    EG_LEAD_SHOWS,    /* "Example:" */
    EG_LEAD_TELLS     /* "History", "Before": what was */
} eg_lead;

/* words: plain, without a colon at the end. */
eg_lead eg_lead_of(eg_str words);

/* 1 for the name of a header field: status, date, author ... */
int eg_is_header_field(eg_str name);

/* An eg_statement_kind. words: plain text of the statement; numbered: it is an item of a numbered
 * list; lead: what it stands under says, the weightiest. */
uint32_t eg_kind_of(eg_str words, int numbered, eg_lead lead);

/* 1 when s begins with a verb in the imperative, or "please" or "always" and one. */
int eg_begins_imperative(eg_str s);

#endif
