/* sentence.h - a statement as a row of units to be compared: values (from its claims), words, names.
 * Punctuation is only remembered as clause borders, articles are dropped, bounding words ("at most") belong
 * to their value. Thread class: any; memory is the request's. */
#ifndef EG_DETECTORS_SENTENCE_H
#define EG_DETECTORS_SENTENCE_H

#include "engram/detector.h"

enum { MOST_UNITS = 96 };

typedef enum unit_kind { UNIT_WORD = 0, UNIT_NAME, UNIT_VALUE } unit_kind;

typedef struct unit {
    eg_span span;          /* of the content */
    eg_str key;            /* folded, plain words stemmed */
    const eg_claim *claim; /* of a value */
    uint8_t kind;
    uint8_t content; /* 1: carries meaning: no stop word */
    uint8_t clause;  /* number of the clause in the statement, cut at , ; : ( ) and linking words */
    uint8_t code;    /* in backticks or an identifier */
} unit;

typedef struct sentence {
    const eg_case_fact *fact;
    uint32_t statement;
    uint32_t modality; /* the strongest of its claims' and of its own words */
    int updates;       /* says that something was replaced */
    int now;           /* says "now" or "since" a date or version */
    unit *units;
    size_t n;
    size_t colon;   /* units before the first colon; SIZE_MAX: none */
    uint64_t words; /* one bit a word of meaning: sentences without a common bit share none */
    size_t verb;    /* the first unit behind the subject part; n when none was found */
} sentence;

/* Reads statement i of fact. EG_ENOMEM. */
eg_status sentence_read(eg_request *rq, const eg_case_fact *fact, uint32_t i, sentence *out);

/* 1 when s, in any case, is one of the blank-separated lower-case words of list. */
int word_in(eg_str s, const char *list);

/* Its statement's part of the fact's content. */
eg_str sentence_text(const sentence *x);

/* 1 when the first statement of a fact begins with a pronoun: what it speaks of stands elsewhere. */
int points_elsewhere(const sentence *x);

/* 1 when what governs the words at `at` may have several objects: "supports", "is copied to", "some ...", "can". */
int takes_several(const sentence *x, const eg_span *at);

/* 1 when the value at `at` is one that may be chosen: "can be set to 10". */
int is_option(const sentence *x, const eg_span *at);

#endif
