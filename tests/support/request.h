/* request.h - a request of workspace "local" and of a principal "tester" that may do everything,
 * over an arena. */
#ifndef EG_TEST_REQUEST_H
#define EG_TEST_REQUEST_H

#include "core/base/arena.h"
#include "engram/request.h"

typedef struct test_request {
    eg_request rq; /* first: its allocator finds the arena from it */
    eg_arena *arena;
    eg_arena own;
    eg_error err;
} test_request;

/* A request with an arena of its own. memory_limit: of all that it allocates, in bytes; 0: no
 * limit. r must stay where it is. */
void test_request_init(test_request *r, size_t memory_limit);

/* A request that allocates from the caller's arena, which outlives it: there is nothing to
 * release. */
void test_request_borrow(test_request *r, eg_arena *arena);

extern const eg_principal test_principal;

/* Another workspace, principal (NULL: test_principal), cancellation or error record (NULL: its
 * own). All that is given must live as long as the request. */
void test_request_set(test_request *r, eg_str workspace, const eg_principal *who, eg_cancel cancel, eg_error *err);

/* Frees what was allocated; the request can be used again. */
void test_request_release(test_request *r);

#endif
