/* tokenizer_parts.h - the parts of a tokenizer, for the files that read one (tokenizer_json.c,
 * tokenizer_open.c) and the one that runs it (tokenizer.c). Not for others. */
#ifndef EG_TOKENIZER_PARTS_H
#define EG_TOKENIZER_PARTS_H

#include "core/base/json.h"
#include "models/tokenizer/added.h"
#include "models/tokenizer/bpe.h"
#include "models/tokenizer/normalizer.h"
#include "models/tokenizer/tokenizer.h"
#include "models/tokenizer/unigram.h"
#include "models/tokenizer/wordpiece.h"

typedef enum eg_tokenizer_kind { EG_WORDPIECE = 1, EG_BPE, EG_UNIGRAM } eg_tokenizer_kind;

/* A template: special tokens, and where the texts go. */
typedef enum eg_around_what { EG_AROUND_TOKEN, EG_AROUND_FIRST, EG_AROUND_SECOND } eg_around_what;
typedef struct eg_around_item {
    eg_around_what what;
    uint32_t id;
    uint8_t type;
} eg_around_item;
enum { EG_MAX_AROUND = 16, EG_MAX_TRIMS = 4 };
typedef struct eg_around {
    eg_around_item items[EG_MAX_AROUND];
    size_t count;
} eg_around;

struct eg_tokenizer {
    eg_tokenizer_kind kind;
    eg_wordpiece wordpiece; /* one of the three is set */
    eg_bpe bpe;
    eg_unigram unigram;
    eg_normalizer normalizer;
    eg_added_set raw, normalized; /* matched in the text, and in the normalised text */
    eg_around single, pair;
    /* how often spaces are trimmed from the ends of spans; 1: the space put before the first word
     * stays */
    int trims[EG_MAX_TRIMS];
    size_t trim_count;
    uint32_t size; /* greatest id + 1 */
};

/* The id of a token of the vocabulary, as the files write it. 0: there is none. */
int eg_tokenizer_find(const eg_tokenizer *t, eg_str token, uint32_t *id);
/* Tokens of the vocabulary, without added ones. */
uint32_t eg_tokenizer_vocabulary(const eg_tokenizer *t);

/* The template of BERT: cls first sep, or cls first sep second sep with types 0 and 1; that of
 * RoBERTa: two sep between the texts, no types. */
void eg_tokenizer_set_around(eg_tokenizer *t, uint32_t cls, uint32_t sep, int is_roberta);

/* The last step of reading, after vocabulary, normaliser, single and pair are set: adds n tokens to
 * the vocabulary, with the ids of the reference, and checks the whole. name is used in messages.
 * EG_EFORMAT, EG_ENOMEM. */
eg_status eg_tokenizer_finish(eg_tokenizer *t, const char *name, eg_added_token *added, size_t n, eg_arena *arena, eg_error *err);

/* ---- reading objects of JSON ---- */

/* A value for later: a reader that stands at it, and the number of its members or elements. kind
 * END: it was missing. */
typedef struct eg_value {
    eg_json at;
    size_t children;
} eg_value;

/* A member of an object and where it goes. If it is null or missing, *to stays unchanged. */
typedef enum eg_field_kind {
    EG_FIELD_TEXT,   /* eg_str */
    EG_FIELD_FLAG,   /* int */
    EG_FIELD_NUMBER, /* int64_t */
    EG_FIELD_ANY,    /* eg_value */
    EG_FIELD_READ    /* eg_reader: a large object, which is read immediately */
} eg_field_kind;
typedef struct eg_field {
    const char *name;
    eg_field_kind kind;
    void *to;
} eg_field;
typedef struct eg_reader {
    eg_status (*read)(eg_json *j, void *self, eg_error *err); /* j stands on the object */
    void *self;
} eg_reader;

/* Reads the object at which j is, to its end; other members are skipped. section is used in
 * messages. EG_EFORMAT if a member has another kind or occurs twice. */
eg_status eg_fields_read(eg_json *j, const char *section, const eg_field *fields, size_t n, eg_error *err);
#define EG_FIELDS_READ(j, section, fields, err) eg_fields_read(j, section, fields, sizeof(fields) / sizeof *(fields), err)

/* Reads one added token of tokenizer.json or tokenizer_config.json, at whose object j is. *id is -1
 * if it has none. */
eg_status eg_added_read(eg_json *j, eg_added_token *out, int64_t *id, eg_error *err);

/* The vocabulary {"token": id, ...} of WordPiece or BPE (t->kind), with room for so many merges. */
eg_status eg_vocabulary_read(eg_tokenizer *t, const eg_value *vocabulary, size_t merges, eg_arena *arena, eg_error *err);

#endif
