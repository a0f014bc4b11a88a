/* units.h - the table of units: what a unit measures and its factor to the canonical unit. Source
 * of the factors: SI brochure (BIPM, 9th edition), IEC 80000-13. Thread class: any. */
#ifndef EG_CORE_TEXT_UNITS_H
#define EG_CORE_TEXT_UNITS_H

#include "core/include/engram/types.h"

typedef struct eg_unit {
    const char *dimension;
    int64_t low, high; /* factor: a month has 28 to 31 days, so it is a range */
    int32_t exponent;
} eg_unit;

/* The unit that word (a whole word; case matters for symbols) names; NULL: none. attached: it stood
 * directly behind the number, where a lone "m" means minutes and not metres. */
const eg_unit *eg_unit_find(eg_str word, int attached);
/* A period as a word: hour, day, week ... (also plural); NULL: none. */
const eg_unit *eg_unit_period(eg_str word);
/* The unit before an amount: a currency sign or code; NULL: none. */
const eg_unit *eg_unit_currency(eg_str word);

#endif
