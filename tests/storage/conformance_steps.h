/* conformance_steps.h - what the checks of conformance.h share. */
#ifndef EG_TEST_CONFORMANCE_STEPS_H
#define EG_TEST_CONFORMANCE_STEPS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "conformance.h"

#define OPS(s, call, ...) ((s)->registrar.ops->call((s)->handle, &(s)->request.rq, __VA_ARGS__))
#define DAY INT64_C(86400000000)
enum { WIDTH = 16 }; /* of the vectors */

/* One change set; out may be NULL. */
eg_status apply(store *s, const eg_precondition *p, size_t np, const eg_change *c, size_t nc, eg_applied *out);
/* A fact of alice's whose words are its terms and whose vector points along one axis. */
eg_id put_fact(store *s, const char *content, const char *scope, uint32_t ttl_days, uint32_t axis);

#endif
