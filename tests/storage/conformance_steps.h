/* conformance_steps.h - what the checks of conformance.h share: short forms of the operations, and
 * rows to write. */
#ifndef EG_TEST_CONFORMANCE_STEPS_H
#define EG_TEST_CONFORMANCE_STEPS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "conformance.h"

#define OPS(s, call, ...) ((s)->registrar.ops->call((s)->handle, &(s)->request.rq, __VA_ARGS__))
#define DAY INT64_C(86400000000)
#define ALL_FACTS \
    (eg_filter) { .size = sizeof(eg_filter) }
enum { WIDTH = 16 }; /* of the vectors */

/* The store's clock stands at this time from now on. */
void set_clock(store *s, int64_t time);
void advance_clock(store *s, int64_t by);
/* One change set; out may be NULL. */
eg_status apply(store *s, const eg_precondition *p, size_t np, const eg_change *c, size_t nc, eg_applied *out);
/* A fact of alice's whose words are its terms and whose vector points along one axis. */
eg_id put_fact(store *s, const char *content, const char *scope, int64_t lifetime, uint32_t axis);
void close_fact(store *s, eg_id id, eg_close_reason reason);
/* Zeroed but for what a fact, a conflict must have. */
eg_new_fact new_fact(const char *content, const char *scope);
eg_conflict new_conflict(eg_id a, eg_id b);

/* One fact with the parts that the flags name. */
eg_fact_parts part(store *s, eg_id id, uint32_t flags);
eg_fact get_fact(store *s, eg_id id); /* seq 0: there is none */
uint32_t pair_of(store *s, eg_id subject, eg_id other);
eg_conflict get_conflict(store *s, eg_id id); /* id none: there is none */
size_t count_page(store *s, const eg_filter *f);
eg_scored_list search_one(store *s, const eg_filter *f, eg_search search);
eg_search by_vector(eg_vector *v, const char *model, const float *values, uint32_t limit);
eg_store_stats stats_of(store *s);
eg_feedback_row feedback_on(store *s, const char *tier); /* of no tier: there is none */

eg_change job_for(eg_id fact, uint32_t kind, const char *owner);
/* grace: see eg_lease_args; for 10 seconds. */
size_t lease(store *s, const char *owner, int64_t grace, uint32_t limit, eg_job **jobs);
/* Gives a leased job back as failed. */
void fail_job(store *s, const eg_job *job);

#endif
