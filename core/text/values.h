/* values.h - finds the values in a tokenised statement: quantities with units in canonical form,
 * versions, ports, booleans, clock times, dates, weekdays. Not here: what a value is about
 * (claims.c), comparing (detectors). Thread class: any. */
#ifndef EG_CORE_TEXT_VALUES_H
#define EG_CORE_TEXT_VALUES_H

#include "core/base/arena.h"
#include "core/text/lex.h"

typedef struct eg_text_value {
    uint32_t first, last;      /* its tokens, both inclusive: number and unit, no bounding words
                                * ("at most") */
    uint32_t from, to;         /* its tokens with the bounding words */
    uint32_t kind, quantifier; /* eg_value_kind, eg_quantifier */
    eg_decimal low, high;
    const char *dimension; /* of a quantity; "count" before a noun is joined by the claim */
    uint32_t noun;         /* token of the noun that a count counts; UINT32_MAX: none */
    const char *word;      /* canonical text of a boolean or weekday; NULL: the text as written */
} eg_text_value;

/* Values of tokens[0..n) in order, without overlap. Returns how many (at most `most`). */
size_t eg_text_values(eg_str content, const eg_token *tokens, size_t n, eg_text_value *out, size_t most);

#endif
