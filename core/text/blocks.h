/* blocks.h - the structure of a text: its headings, paragraphs, list items, rows of tables and
 * lines of code, and what each of them stands under. The one reader of structure, for facts and for
 * documents. It reads Markdown as people and agents leave it; a front of another format (core/docs)
 * turns its text into Markdown with the same lines first. Not here: sentences and what they say
 * (statements.c), HTML (core/docs). No recursion; time and memory are linear in the text. Thread
 * class: any. */
#ifndef EG_CORE_TEXT_BLOCKS_H
#define EG_CORE_TEXT_BLOCKS_H

#include "core/base/arena.h"
#include "core/include/engram/types.h"

#define EG_BLOCK_NONE UINT32_MAX

typedef enum eg_block_kind {
    EG_BLOCK_HEADING = 0,
    EG_BLOCK_PARAGRAPH,
    EG_BLOCK_ITEM, /* of a list with bullets */
    EG_BLOCK_STEP, /* of a numbered list */
    EG_BLOCK_HEAD, /* the names of a table's columns */
    EG_BLOCK_ROW,  /* of a table */
    EG_BLOCK_CODE, /* one line between fences or of indented code */
    EG_BLOCK_FIELD /* one line of front matter */
} eg_block_kind;

typedef struct eg_block {
    eg_span span;   /* its words: without the marker, the bars at the ends of a row, and the blanks
                     * around; those of a paragraph of several lines hold the line ends and, in a
                     * quote, its signs */
    uint32_t kind;  /* eg_block_kind */
    uint32_t level; /* heading: 1 to 6; item: how deep, from 0; line of code: its indentation in
                     * columns */
    uint32_t above; /* index of the block that it stands under: the parent of an item, the line that
                     * leads to a list, a table or code, the head of a row, else the heading;
                     * EG_BLOCK_NONE: none */
    uint32_t group; /* index of the first line of the same code block or row of the same table */
    uint32_t line;  /* the number of its first line, from 1 */
    eg_span info;   /* line of code: what stands behind the opening fence */
} eg_block;

typedef struct eg_blocks {
    eg_block *items;
    size_t count;
} eg_blocks;

/* Takes one statement of a block; s->alone lives in the arena. Another status than EG_OK ends the
 * reading and is returned. */
typedef eg_status (*eg_statement_sink)(void *sink, const eg_statement *s, const eg_block *block);

/* The blocks of a text of less than 4 GiB, in its order. EG_ENOMEM. */
eg_status eg_text_blocks(eg_arena *arena, eg_str text, eg_blocks *out, eg_error *err);

/* The fence that is open. Begin with {0}. */
typedef struct eg_fence {
    char sign; /* 0: none is open */
    size_t signs;
} eg_fence;

/* 1 when s, a line without blanks at its ends, opens a fence or closes the open one. It is closed
 * by at least as many of the same sign with nothing behind them: a longer one may hold shorter
 * ones. */
int eg_fence_read(eg_fence *f, eg_str s);

/* Bytes of a list marker that s begins with ("- ", "* ", "12. ", "- [x] "), blanks behind it
 * included; 0: none. *numbered: whether it is a number. */
size_t eg_list_marker(eg_str s, int *numbered);

#endif
