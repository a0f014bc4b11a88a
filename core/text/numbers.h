/* numbers.h - exact decimals and the words for numbers. Not here: units and where a number stands
 * (values.c). Thread class: any. */
#ifndef EG_CORE_TEXT_NUMBERS_H
#define EG_CORE_TEXT_NUMBERS_H

#include "core/include/engram/types.h"

/* The same number with the fewest digits of mantissa: equal numbers become equal structs. */
eg_decimal eg_decimal_simplest(eg_decimal d);
/* *d times factor times 10^exponent. 0: it does not fit. */
int eg_decimal_times(eg_decimal *d, int64_t factor, int32_t exponent);
/* *d divided by divisor (> 0), rounded to 15 digits when it does not come out even: equal quotients
 * stay equal. Always 1. */
int eg_decimal_divide(eg_decimal *d, int64_t divisor);
/* Digits with inner points and commas at the beginning of s. Returns the bytes taken, 0 when that
 * is no plain decimal number (1.2.3, 1,2) or does not fit. */
size_t eg_decimal_prefix(eg_str s, eg_decimal *out);

/* One word of a spelled number below a hundred, "twenty-five" included; -1: none. */
int64_t eg_spelled_small(eg_str s);
/* hundred, dozen, thousand, million, billion; 0: none of them. */
int64_t eg_spelled_scale(eg_str s);

#endif
