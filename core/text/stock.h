/* stock.h - the numbers and identifiers that a text holds, and whether another text holds any that
 * it does not. What a statement may say of a fact's content is decided with it: the content is the
 * record, and no value enters beside it. Not here: what a statement is about (given.c).
 *
 * A number stands in the content in any usual form: 10,000 and 10k, 14 days and two weeks, 2 and
 * two; with a unit it must be the same quantity, or a number that stands there without one. An
 * identifier (of code, a path, a host, letters with digits) stands there as it is or by its parts:
 * `ticket_types.price_cents` where both names do. Plain words and names are free. Thread class:
 * any. */
#ifndef EG_CORE_TEXT_STOCK_H
#define EG_CORE_TEXT_STOCK_H

#include "core/base/arena.h"
#include "core/text/values.h"

/* A text cut into tokens, with its values. */
typedef struct eg_lexed {
    eg_str text;
    eg_token *tokens;
    size_t token_count;
    eg_text_value *values;
    size_t value_count;
} eg_lexed;

typedef struct eg_word_set {
    eg_str *words; /* sorted */
    size_t count, capacity;
} eg_word_set;

typedef struct eg_stock {
    eg_lexed of;
    eg_str lower;        /* the text in ASCII lower case */
    eg_word_set numbers; /* in normal form: 15000, 1.2.3 */
    eg_word_set bare;    /* those of them that stand without a unit */
    eg_word_set letters; /* runs of letters and the humps of camelCase, in lower case */
} eg_stock;

/* What a content holds; the words of the scope count too. Views of content. EG_ENOMEM. */
eg_status eg_stock_read(eg_arena *arena, eg_str content, eg_str scope, eg_stock *out, eg_error *err);
/* *word: the first number or identifier of `statement` that the stock lacks, a view of it; empty:
 * there is none. EG_ENOMEM. */
eg_status eg_stock_lacks(eg_arena *arena, const eg_stock *stock, eg_str statement, eg_str *word, eg_error *err);

/* How many numbers the stock holds, each counted once; *shared: how many of them `other` holds
 * too. */
size_t eg_stock_numbers(const eg_stock *stock, const eg_stock *other, size_t *shared);

#endif
