/* reader.h - what read.c and prose.c share: the state of reading statements, and handing one on.
 * Private to them. */
#ifndef EG_CORE_TEXT_READER_H
#define EG_CORE_TEXT_READER_H

#include "core/base/status.h"
#include "core/text/blocks.h"
#include "core/text/kinds.h"
#include "core/text/settings.h"

enum {
    EG_MAX_CONTEXT = 200, /* bytes of what is put in front of a statement */
    EG_MAX_SETTINGS = 64  /* of a listing whose names are remembered */
};

/* What a block says about those that stand under it. */
typedef struct eg_outline {
    eg_str context; /* goes in front of them */
    uint8_t lead;   /* eg_lead, its own or that of what it stands under */
    uint8_t leads;  /* blocks stand under it */
} eg_outline;

typedef struct eg_reader {
    eg_arena *arena;
    eg_str text;
    const eg_blocks *blocks;
    eg_outline *outlines; /* one a block */
    eg_str topic;         /* of a section without a heading, by its first words */
    eg_setting_path path; /* of the code block being read */
    uint32_t path_group;
    eg_str settings[EG_MAX_SETTINGS]; /* the names in it so far */
    size_t setting_count;
    eg_statement_sink take;
    void *sink;
    eg_error *err;
} eg_reader;

static inline eg_str eg_reader_words(const eg_reader *r, eg_span s) { return (eg_str){r->text.ptr + s.start, s.end - s.start}; }
static inline eg_status eg_reader_no_memory(const eg_reader *r) { return eg_fail_memory(r->err, EG_MAX_CONTEXT); }
static inline eg_outline *eg_reader_outline(const eg_reader *r, const eg_block *b) { return &r->outlines[b - r->blocks->items]; }
static inline eg_outline eg_reader_above(const eg_reader *r, const eg_block *b) {
    return b->above == EG_BLOCK_NONE ? (eg_outline){.context = {"", 0}} : r->outlines[b->above];
}

/* "a: b", or the one of them that is not empty. 0: out of memory. */
int eg_reader_join(eg_reader *r, eg_str a, eg_str b, eg_str *out);
/* Hands a statement on. alone: how it stands by itself. */
eg_status eg_reader_give(eg_reader *r, const eg_block *b, eg_span span, uint32_t kind, eg_str alone);

#endif
