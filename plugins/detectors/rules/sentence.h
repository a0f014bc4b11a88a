/* sentence.h - a statement as a sequence of units to compare: values (from its claims), words and
 * names. Of punctuation only the clause boundaries are kept, articles are dropped, and bounding
 * words ("at most") are part of their value. Thread class: any; memory is the request's. */
#ifndef EG_DETECTORS_SENTENCE_H
#define EG_DETECTORS_SENTENCE_H

#include "engram/detector.h"

enum { MAX_UNITS = 96 };

typedef enum unit_kind { UNIT_WORD = 0, UNIT_NAME, UNIT_VALUE } unit_kind;

typedef struct unit {
    eg_span span;          /* of the content */
    eg_str key;            /* in lower case; words that are not names are stemmed */
    const eg_claim *claim; /* of a value */
    uint8_t kind;
    uint8_t content; /* 1: not a stop word */
    uint8_t clause;  /* index of the clause in the statement; , ; : ( ) and conjunctions end a
                      * clause */
    uint8_t code;    /* in backticks or an identifier */
} unit;

typedef struct sentence {
    const eg_case_fact *fact;
    uint32_t statement;
    uint32_t modality; /* EG_MODALITY_..., from its claims and its words */
    int updates;       /* 1: says that something was replaced */
    int now;           /* 1: says "now", or "since" a date or version */
    unit *units;
    size_t n;
    size_t colon;   /* units before the first colon; SIZE_MAX: none */
    uint64_t words; /* a Bloom filter of its content words: sentences without a common bit share
                     * none */
    size_t verb;    /* index of the first unit after the subject; n when no verb was found */
} sentence;

/* Reads statement i of fact. EG_ENOMEM. */
eg_status sentence_read(eg_request *rq, const eg_case_fact *fact, uint32_t i, sentence *out);

/* 1 when s, in any case, is one of the blank-separated lower-case words of list. */
int word_in(eg_str s, const char *list);

/* The text of the statement. */
eg_str sentence_text(const sentence *x);

/* 1 for the first statement of a fact if it begins with a pronoun: the fact does not say what it is
 * about. */
int points_elsewhere(const sentence *x);

/* 1 when the verb before `at` can have several objects at once, "supports", "is copied to", "can",
 * or the subject is "some ...": then different objects are not a contradiction. */
int takes_several(const sentence *x, const eg_span *at);

/* 1 when the value at `at` is one of several that may be set: "can be set to 10". */
int is_option(const sentence *x, const eg_span *at);

#endif
