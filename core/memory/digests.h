/* digests.h - the texts of facts under the audit: each change that stores facts has, in the payload
 * of its record, the SHA-256 of their contents, so that a text which was changed in the file of the
 * store is found. A number of chance goes with them: once an erased payload is gone, its hash,
 * which stays in the chain, tells nothing about a text that somebody guesses. Records from before
 * have none of this and stay valid. */
#ifndef EG_MEMORY_DIGESTS_H
#define EG_MEMORY_DIGESTS_H

#include "core/base/arena.h"
#include "core/memory/state.h"

/* The payload, an object, with the digests of the facts that these changes insert; as it is where
 * they insert none. In the request's memory; no text: no memory. */
eg_str eg_digests_note(eg_memory *m, eg_request *rq, eg_str payload, const eg_change *changes, size_t n);

/* Compares the facts of the request's workspace with the digests of its audit. EG_EFORMAT names the
 * first fact whose text is another one, or that is missing although nobody erased it. */
eg_status eg_digests_verify(eg_memory *m, eg_request *rq);

/* What the record of an erasing must keep, since it takes away the payloads of all records that
 * name the facts: the digests of other facts in them. Those of records that were themselves
 * changed are not kept. */
typedef struct eg_digests_kept {
    eg_str members;         /* for the payload, with a comma before; empty: none */
    const int64_t *records; /* that have a digest of a fact that leaves, but do not name it */
    size_t record_count;
} eg_digests_kept;

/* Of n facts that are about to be erased. The result lives in the arena. */
eg_status eg_digests_keep(eg_memory *m, eg_request *rq, eg_arena *arena, const eg_id *leaving, size_t n, eg_digests_kept *out);

#endif
