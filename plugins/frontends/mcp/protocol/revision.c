/* revision.c - the table of revisions. See revision.h. */
#include "revision.h"

const revision mcp_revisions[] = {
    {"2026-07-28", REV_ANNOTATIONS | REV_STRUCTURED | REV_NO_ID | REV_STATELESS},
    {"2025-11-25", REV_ANNOTATIONS | REV_STRUCTURED | REV_NO_ID | REV_SAMPLING | REV_ELICITATION},
    {"2025-06-18", REV_ANNOTATIONS | REV_STRUCTURED | REV_SAMPLING | REV_ELICITATION},
    {"2025-03-26", REV_ANNOTATIONS | REV_BATCH | REV_SAMPLING},
    {"2024-11-05", REV_SAMPLING},
};
const size_t mcp_revision_count = sizeof mcp_revisions / sizeof *mcp_revisions;

const revision *mcp_revision_stateless(const char *name) {
    return strcmp(mcp_revisions[0].name, name) == 0 ? &mcp_revisions[0] : NULL;
}

const revision *mcp_revision_negotiate(const char *wanted) {
    for (size_t i = 1; i < mcp_revision_count; i++)
        if (strcmp(mcp_revisions[i].name, wanted) == 0) return &mcp_revisions[i];
    return &mcp_revisions[1];
}
