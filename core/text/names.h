/* names.h - which of many statements are alike and yet about two things, or only worded in two
 * ways. Documentation describes options, classes and endpoints in the same words one after the
 * other, so two statements that differ in a name contradict each other only if one of the names is
 * gone: of 41 wrong findings of a model in the documents of eight public repositories, 13 had two
 * names that other statements mention as well; of 31 right ones none. Knows no model. Called by
 * core/memory/check.c. Thread class: one thread builds it, any read it. */
#ifndef EG_CORE_TEXT_NAMES_H
#define EG_CORE_TEXT_NAMES_H

#include "core/base/arena.h"
#include "core/base/hash.h"
#include "core/include/engram/types.h"

/* Names are words with a capital inside, an underscore, an inner full stop, or a hyphen behind a
 * capital or in a code span: "DateField", "max_size", "server.cors", "HTTP-01", `max-age`. */
typedef struct eg_names {
    eg_arena *arena;
    eg_hash_key key;
    struct eg_named {
        uint64_t words;  /* hash of all words without their endings, articles and punctuation */
        uint64_t *names; /* sorted, each once */
        uint32_t count;
    } * statements;
    size_t count, capacity;
    uint64_t *all; /* the names of all statements, sorted */
    size_t all_count;
} eg_names;

/* For at most so many statements, in the arena, which must live as long. EG_ENOMEM. */
eg_status eg_names_begin(eg_names *n, eg_arena *arena, size_t capacity, eg_error *err);
/* The next statement. EG_ENOMEM. */
eg_status eg_names_add(eg_names *n, eg_str statement, eg_error *err);
/* After the last one. EG_ENOMEM. */
eg_status eg_names_finish(eg_names *n, eg_error *err);
/* 1 for statements i and k, counted from 0, with the same words. */
int eg_names_same_words(const eg_names *n, size_t i, size_t k);
/* 1 when each of the two has names that the other lacks, and further statements mention all of
 * these. */
int eg_names_of_two_things(const eg_names *n, size_t i, size_t k);

#endif
