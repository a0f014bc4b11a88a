/* exchange.h - the form in which a memory leaves a store and enters another one: JSON Lines, one
 * record a line. The first line names format and version, the last one counts the records before
 * it, so that a file that was cut off is seen. Members that are empty are left out; times are
 * RFC 3339 in UTC with microseconds. Which records there are, and in which order, is in export.c;
 * what is made of them in import.c. The members are in docs/keeping.md.
 *
 * A second form is Markdown, for people, with the current facts only: each is an item of a list
 * whose first line is a comment with the members of its record, and its text is what follows. */
#ifndef EG_MEMORY_EXCHANGE_H
#define EG_MEMORY_EXCHANGE_H

#include "core/base/json.h"
#include "core/memory/state.h"

#define EG_EXCHANGE_FIRST "{\"format\":\"engram-memory\",\"version\":1}"
#define EG_EXCHANGE_MARKDOWN "<!-- engram-memory 1 -->" /* the first line of the other form */

typedef enum eg_exchange_kind {
    EG_EXCHANGE_FACT = 0,
    EG_EXCHANGE_LINK,
    EG_EXCHANGE_CONFLICT,
    EG_EXCHANGE_ANSWER,
    EG_EXCHANGE_END,
    EG_EXCHANGE_KINDS
} eg_exchange_kind;

/* What a person or an agent said of a conflict: see answers.c. */
typedef struct eg_exchange_answer {
    eg_id conflict;
    uint32_t verdict, was_review; /* eg_answer_verdict; 1: the answer to a question */
    int64_t judged_at;
    eg_str judged_by, asked;
} eg_exchange_answer;

/* How many records of each kind came before. */
typedef struct eg_exchange_counts {
    uint32_t of[EG_EXCHANGE_END];
} eg_exchange_counts;

typedef struct eg_exchange_record {
    uint32_t kind; /* eg_exchange_kind */
    size_t line;   /* of the text, from 1 */
    union {
        eg_fact fact;
        eg_link_row link;
        eg_conflict conflict;
        eg_exchange_answer answer;
        eg_exchange_counts counts;
    };
    eg_str *statements; /* of a fact: those that its author gave */
    size_t statement_count;
} eg_exchange_record;

/* Appends the record as a line of JSON with a line break behind it. */
void eg_exchange_write(eg_buffer *out, const eg_exchange_record *r);
/* Appends the record of a fact as an item of Markdown. */
void eg_exchange_write_item(eg_buffer *out, const eg_exchange_record *r);

/* Reads one line. Texts are views of the line or lie in the arena. EG_EFORMAT, EG_EINVAL without
 * the number of the line. What the values mean together is not looked at. */
eg_status eg_exchange_read(eg_str line, eg_arena *arena, eg_exchange_record *out, eg_error *err);

#endif
