/* conformance.h - what every storage backend must do (core/include/engram/storage.h), written against eg_storage_ops alone. */
#ifndef EG_TEST_CONFORMANCE_H
#define EG_TEST_CONFORMANCE_H

#include "store_fixture.h"

/* Runs every check on empty stores that open_empty opens; fails by cmocka. */
void conformance_windows(store *s);
void conformance_preconditions(store *s);
void conformance_searches(store *s);
void conformance_conflicts(store *s);
void conformance_agents(store *s);
void conformance_closing(store *s);
void conformance_run_out(store *s);
void conformance_job_order(store *s);
void conformance_clock_set_back(store *s);
void conformance_jobs(store *s);
void conformance_workspaces(store *s);
void conformance_audit_windows(store *s);
void conformance_unembedded(store *s);

#endif
