/* vector_blocks.h - the int8 vectors of a model in blocks: in memory, where searches scan them, and
 * in the table vector_blocks, from which a process that starts reads them many times as fast as
 * row by row. A stored block is a copy of the rows of `vectors` whose keys lie between its
 * first and its last; triggers of the schema take it away in the transaction that changes or
 * deletes one of them, and leave a row in vector_gaps that says which rows it had. So each block
 * that is there is true, whoever wrote, and nothing but speed depends on it. */
#ifndef EG_SQLITE_VECTOR_BLOCKS_H
#define EG_SQLITE_VECTOR_BLOCKS_H

#include "store.h"

enum { BLOCK = 1024 };

typedef struct block {
    size_t count;
    int32_t workspace; /* of all its rows; 0: of several */
    int full;          /* nothing is added to it any more */
    int64_t facts[BLOCK];
    int32_t workspaces[BLOCK];
    float scales[BLOCK];
    int8_t *rows; /* BLOCK x dimensions */
} block;

block *block_create(uint32_t dimensions);
void block_destroy(block *b);
/* Makes it empty. */
void block_clear(block *b);

/* The vectors of a model behind `key`, in the order of their keys. */
typedef struct vector_source {
    eg_storage *s;
    connection *c; /* in a transaction */
    eg_request *rq;
    int64_t model;
    uint32_t dimensions;
    int64_t key;        /* of the last one that was read */
    sqlite3_blob *data; /* of the stored block that was read last; vectors_end() lets go of it */
} vector_source;

/* Adds the next vectors to a block, as many as come in one piece. 1: some were added; 0: there are
 * no more; -1: error with the record filled. b->full is set where the next ones do not fit. */
int read_vectors(vector_source *v, block *b);
void vectors_end(vector_source *v);

/* At the end of a transaction of c: writes the blocks that lie in gaps and those of new vectors,
 * once there are enough for a block, a few at a time, so that no commit takes long; and the counts
 * of terms (term_counts.h). Where that fails, the store is as it was before the call, and as
 * good. */
eg_status keep_reading_fast(eg_storage *s, connection *c, eg_request *rq);

#endif
