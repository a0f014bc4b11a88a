/* derive.h - everything that is computed from a fact's content, and from the statements that its
 * author gave, before it is stored or judged. */
#ifndef EG_MEMORY_DERIVE_H
#define EG_MEMORY_DERIVE_H

#include "core/memory/state.h"
#include "core/text/text.h"

enum { MAX_VECTORS = 9 /* of the whole content and of eight statements */ };

typedef struct eg_derived {
    eg_span *statements;
    eg_statement *details; /* of the statements */
    size_t statement_count;
    eg_claim *claims;
    size_t claim_count;
    eg_term *terms;
    size_t term_count;
    eg_vector vectors[MAX_VECTORS];
    size_t vector_count; /* 0: no embedding model */
} eg_derived;

/* Statements, claims and terms; arena: owns what they point to. kept: statements of the same
 * content, of which those that were given (EG_STATEMENT_GIVEN) are taken over in the place of what
 * is read there; out has views of their texts. */
eg_status eg_derive_text(eg_request *rq, eg_arena *arena, eg_str content, eg_str scope, eg_statement_list kept, eg_derived *out);
/* Moves what eg_derive_text gave into another arena, which is then the only one that it needs:
 * deriving leaves a multiple of that behind. */
eg_status eg_derived_move(eg_arena *to, eg_derived *d, eg_error *err);
/* The vectors: of the whole content and, unless the content is one statement that stands alone, of
 * eight statements in the form that stands alone, given ones first. vector_count stays 0 when there
 * is no model. */
eg_status eg_derive_vectors(eg_memory *m, eg_request *rq, eg_str content, eg_derived *d);
/* Makes the parts those of a row that is to be stored; d must live as long as the row. */
void eg_derived_attach(const eg_derived *d, eg_new_fact *row);
/* SHA-256 of the content's normal form. */
eg_status eg_content_hash(eg_memory *m, eg_request *rq, eg_arena *arena, eg_str content, uint8_t out[32]);

#endif
