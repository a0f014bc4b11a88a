/* words.h - the words of a text as sets of hashes, by class, with what marks its claims: negations,
 * environments, tenses. Knows no model and no case. Called by features.c. Thread class: any. */
#ifndef EG_NLI_WORDS_H
#define EG_NLI_WORDS_H

#include "engram/request.h"

typedef enum word_class {
    WORD_PLAIN = 0,  /* letters only, in lower case, without the usual endings */
    WORD_FILLER,     /* "the", "is", "of": says nothing about the subject */
    WORD_IDENTIFIER, /* "max_retries", "api-gateway", "src/main.c", "maxRetries"; its parts are
                      * plain words besides */
    WORD_NUMBER      /* "30", "1.5", "30s", "v2", "two" */
} word_class;

/* Bits of word_set.marks. */
typedef enum word_mark {
    MARK_NEGATION = 1,
    MARK_PAST = 2,
    MARK_PLAN = 4,
    MARK_CONDITION = 8,
    MARK_UNIVERSAL = 16,
    MARK_OBLIGATION = 32
} word_mark;
enum { WORD_MARKS = 6 };

typedef struct word {
    uint32_t hash;
    uint32_t class; /* word_class */
    uint32_t place; /* where it stands first, counted in words of the text */
    float weight;   /* 0 as it is read; the caller gives weights */
} word;

typedef struct word_set {
    word *words; /* by hash, each once */
    size_t count;
    uint32_t marks;        /* word_mark bits */
    uint32_t environments; /* a bit for each environment or platform that is named */
    uint32_t head;         /* hash of the first word that is no filler; 0: there is none */
    uint32_t total;        /* words of the text */
} word_set;

/* Reads at most MAX_WORDS words. EG_ENOMEM. */
enum { MAX_SET_WORDS = 512 };
eg_status word_set_read(eg_request *rq, eg_str text, word_set *out);

/* The word of the set with this hash, or NULL. */
const word *word_set_find(const word_set *set, uint32_t hash);

#endif
