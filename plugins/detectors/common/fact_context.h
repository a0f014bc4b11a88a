/* fact_context.h - where two facts stand, and whether what they say is understood without that place. Thread class: any. */
#ifndef EG_DETECTORS_FACT_CONTEXT_H
#define EG_DETECTORS_FACT_CONTEXT_H

#include "engram/detector.h"

/* 1 when the facts stand in different scope trees: their first segments differ and neither is "general". */
int scopes_differ(const eg_fact *a, const eg_fact *b);

/* 1 when the text begins with a pronoun: what it speaks of stands elsewhere. */
int begins_with_pronoun(eg_str text);

/* 1 when the text begins as what stands below a heading or in a table of parameters does, or with a pronoun: "See `connect`.",
 * "Returns: a list", "DEPRECATED: use `--email` instead.", "Defaults to 30 s.", "This is ...". What it speaks of stands
 * elsewhere. */
int is_context_dependent(eg_str text);

#endif
