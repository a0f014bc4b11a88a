/* request.c - see request.h. */
#include "tests/support/request.h"

const eg_principal test_principal = {.size = sizeof test_principal, .role = EG_ROLE_ADMIN, .agent = {"tester", 6}};

static void *alloc(eg_request *rq, size_t size) { return eg_arena_alloc(((test_request *)(void *)rq)->arena, size); }

void test_request_set(test_request *r, eg_str workspace, const eg_principal *who, eg_cancel cancel, eg_error *err) {
    const eg_request rq = {.size = sizeof rq,
                           .cancel = cancel,
                           .alloc = alloc,
                           .err = err ? err : &r->err,
                           .workspace = workspace,
                           .who = who ? who : &test_principal};
    memcpy(&r->rq, &rq, sizeof rq); /* as a whole: its members are constant for those who use it */
}

void test_request_borrow(test_request *r, eg_arena *arena) {
    memset(r, 0, sizeof *r);
    r->arena = arena;
    test_request_set(r, EG_STR("local"), NULL, (eg_cancel){0}, NULL);
}

void test_request_init(test_request *r, size_t memory_limit) {
    test_request_borrow(r, &r->own);
    eg_arena_init(&r->own, memory_limit);
}

void test_request_release(test_request *r) { eg_arena_release(&r->own); }
