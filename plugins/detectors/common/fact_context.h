/* fact_context.h - the scopes of two facts, and whether a text can be understood without its
 * context. Shared by the detectors. Thread class: any. */
#ifndef EG_DETECTORS_FACT_CONTEXT_H
#define EG_DETECTORS_FACT_CONTEXT_H

#include "engram/detector.h"

/* 1 when neither scope lies within the other, and neither is "general" or empty. */
int scopes_differ(const eg_fact *a, const eg_fact *b);

/* 1 when the text begins with a pronoun, and so does not say what it is about. */
int begins_with_pronoun(eg_str text);

/* 1 when only the context of the text, such as the heading above it, says what it is about: it
 * begins with a pronoun, or as entries of reference documentation do: "See `connect`.", "Returns: a
 * list", "DEPRECATED: use `--email` instead.", "Defaults to 30 s." Two such texts of different
 * scopes are not compared. */
int is_context_dependent(eg_str text);

#endif
