/* store_fixture.h - the SQLite backend opened alone and for tests, with the services of
 * tests/support. */
#ifndef EG_TEST_STORE_FIXTURE_H
#define EG_TEST_STORE_FIXTURE_H

#include "core/base/clock.h"
#include "tests/support/request.h"
#include "tests/support/services.h"

typedef struct store {
    eg_services services;
    eg_registrar registrar;
    eg_storage *handle;
    test_request request;
    int64_t now; /* what the store's clock was set to; 0: it goes by the system's */
} store;

/* Opens the backend on path with workspace "local". s must stay where it is. */
eg_status open_store(store *s, const char *path);
/* From here on s->request is of that workspace, whose name must live as long. */
void work_in(store *s, const char *workspace);
void close_store(store *s);

#endif
