/* revision.h - the five revisions of the Model Context Protocol that are served, and what each of
 * them knows. Facts from the published schemas (tests/data/mcp). */
#ifndef ENGRAM_MCP_REVISION_H
#define ENGRAM_MCP_REVISION_H

#include "json.h"

enum {
    REV_ANNOTATIONS = 1, /* tools have hints */
    REV_STRUCTURED = 2,  /* title, outputSchema, structuredContent */
    REV_BATCH = 4,       /* arrays of messages */
    REV_NO_ID = 8,       /* an error without a known id leaves the member out; before: null, as
                          * JSON-RPC says */
    REV_STATELESS = 16,  /* no initialize: each request names its revision */
    REV_SAMPLING = 32,   /* the server may ask the client for the answer of a model */
    REV_ELICITATION = 64 /* and for that of a person */
};

typedef struct revision {
    const char *name;
    unsigned flags;
} revision;

/* Newest first; the first is the stateless one. */
extern const revision mcp_revisions[];
extern const size_t mcp_revision_count;

/* The revision of a request that names it in _meta: the stateless one, or NULL. */
const revision *mcp_revision_stateless(const char *name);
/* What initialize agrees on: the wanted one, or the newest of that era. */
const revision *mcp_revision_negotiate(const char *wanted);

#endif
