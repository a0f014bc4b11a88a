/* shown.h - what a reader of a page of Markdown sees of its HTML: tags and comments are left
 * out, entities decoded. Private to this folder. */
#ifndef EG_DOCS_SHOWN_H
#define EG_DOCS_SHOWN_H

#include "core/base/json.h"
#include "core/docs/reader.h"

/* A text as it is shown. Begin with {0}; release it whatever was returned. */
typedef struct eg_shown {
    eg_buffer text;  /* still Markdown; an element that ends a block is a blank line */
    uint32_t *lines; /* of each of its lines, the line of the document that it comes from */
    size_t line_count, line_capacity;
} eg_shown;

/* Reads the text of a document, and its comments for marks (reader.h). Code, fenced or indented,
 * stays as it is. EG_ENOMEM. */
eg_status eg_shown_read(eg_document *d, eg_str text, eg_shown *out);
void eg_shown_release(eg_shown *s);

#endif
