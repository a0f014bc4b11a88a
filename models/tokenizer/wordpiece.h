/* wordpiece.h - BERT's tokenizer: normaliser, word splitting, WordPiece. Not here: reading files
 * (tokenizer_open.c, tokenizer_json.c), special tokens (tokenizer.c). Called by tokenizer.c. Thread
 * class: any once it is filled. */
#ifndef EG_TOKENIZER_WORDPIECE_H
#define EG_TOKENIZER_WORDPIECE_H

#include "core/base/json.h"
#include "models/tokenizer/tokens.h"
#include "models/tokenizer/trace.h"
#include "models/tokenizer/vocabulary.h"

enum { EG_WORDPIECE_WORD = 100 /* code points; a longer word is unknown */ };

typedef struct eg_wordpiece {
    eg_vocabulary vocabulary;
    int lowercase; /* and no accents */
    uint32_t unknown;
} eg_wordpiece;

/* A token of the vocabulary, for which eg_vocabulary_init made room. */
void eg_wordpiece_add(eg_wordpiece *w, eg_str token, uint32_t id);
/* The id of a token as the vocabulary writes it. 0: there is none. */
int eg_wordpiece_find(const eg_wordpiece *w, eg_str token, uint32_t *id);

/* Brings text into a form for which sources are known: without control characters, and decomposed
 * where that matters. It gives the same tokens. *out is a view of text or of a buffer; the trace is
 * filled, unless *out is text. EG_ENOMEM. */
eg_status eg_wordpiece_prepare(const eg_wordpiece *w, eg_str text, eg_buffer scratch[2], eg_trace *trace, eg_str *out,
                               eg_error *err);

/* Appends the ids of text (valid UTF-8); their sources are spans of it. EG_ENOMEM. */
eg_status eg_wordpiece_encode(const eg_wordpiece *w, eg_str text, eg_tokens *out, eg_error *err);

#endif
