/* conformance.h - what every storage backend must do (core/include/engram/storage.h), written
 * against eg_storage_ops alone. Each check takes an empty store that was opened with
 * EG_STORAGE_FOR_TESTS, and fails by cmocka. */
#ifndef EG_TEST_CONFORMANCE_H
#define EG_TEST_CONFORMANCE_H

#include "store_fixture.h"

#define CONFORMANCE_CHECKS(X) \
    X(windows)                \
    X(preconditions)          \
    X(arguments)              \
    X(searches)               \
    X(claims)                 \
    X(conflicts)              \
    X(agents)                 \
    X(moved_conflicts)        \
    X(closing)                \
    X(run_out)                \
    X(pairs)                  \
    X(job_order)              \
    X(clock_set_back)         \
    X(jobs)                   \
    X(leased_from_the_start)  \
    X(workspaces)             \
    X(audit_windows)          \
    X(unembedded)             \
    X(journal)                \
    X(found_again)            \
    X(workspace_list)         \
    X(waiting)                \
    X(moved_workspaces)       \
    X(removed_workspaces)     \
    X(closed_facts)           \
    X(links)                  \
    X(snapshots)              \
    X(erased)                 \
    X(listing)                \
    X(events)                 \
    X(marks)
#define X(name) void conformance_##name(store *s);
CONFORMANCE_CHECKS(X)
#undef X

#endif
