/* notebook.h - the reader of Jupyter notebooks. Private to this folder. */
#ifndef EG_DOCS_NOTEBOOK_H
#define EG_DOCS_NOTEBOOK_H

#include "core/docs/reader.h"

/* The cells of Markdown of a notebook (nbformat 4), each read as a document. The lines are those of
 * the file where it holds one line of text a line, as Jupyter writes it; else the one that the
 * cell's text begins on. */
eg_status eg_notebook_read(eg_document *d, eg_str text);

#endif
