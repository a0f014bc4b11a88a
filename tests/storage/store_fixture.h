/* store_fixture.h - a backend opened alone, with services of a test: a clock that may be set, ids by chance, plain arithmetic. */
#ifndef EG_TEST_STORE_FIXTURE_H
#define EG_TEST_STORE_FIXTURE_H

#include "core/base/arena.h"
#include "core/base/clock.h"
#include "core/include/engram/plugin.h"

struct eg_registrar {
    const eg_storage_ops *ops;
};

typedef struct store {
    eg_services services;
    eg_registrar registrar;
    eg_storage *handle;
    eg_request rq;
    eg_arena arena;
    eg_error err;
    int64_t now; /* 0: the system's clock */
} store;

/* Opens the plugin `entry` on path with workspace "local". s must stay where it is. */
eg_status open_store(store *s, const char *path);
void close_store(store *s);
eg_id test_id(void);

#endif
