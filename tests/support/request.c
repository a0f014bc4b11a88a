/* request.c - see request.h. */
#include "tests/support/request.h"

static void *alloc(eg_request *rq, size_t size) { return eg_arena_alloc(((test_request *)(void *)rq)->arena, size); }

void test_request_borrow(test_request *r, eg_arena *arena) {
    *r = (test_request){
        .rq = {.size = sizeof r->rq, .alloc = alloc, .err = &r->err, .workspace = EG_STR("local"), .actor = EG_STR("tester")},
        .arena = arena};
}

void test_request_init(test_request *r, size_t memory_limit) {
    test_request_borrow(r, &r->own);
    eg_arena_init(&r->own, memory_limit);
}

void test_request_release(test_request *r) { eg_arena_release(&r->own); }
