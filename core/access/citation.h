/* citation.h - what the evidence of a fact cites: a file of the repository and lines of it, as
 * "src/auth.c:42", "src/auth.c:42-50" or "src/auth.c#L42". Tells whether the file is there and
 * the lines still say what they did. Reads regular files inside the repository only, at most
 * EG_CITED_FILE bytes of each, and follows no symbolic link. Thread class: any; may block on
 * files. */
#ifndef EG_ACCESS_CITATION_H
#define EG_ACCESS_CITATION_H

#include "core/include/engram/status.h"

enum { EG_CITED_FILE = 1 << 20, EG_CITED_LINES = 200, EG_CITED_HASH = 80 };

typedef enum eg_cited {
    EG_CITED_NOTHING = 0, /* it names no file and line */
    EG_CITED_UNKNOWN,     /* it cannot be looked at, or nothing tells what stood there */
    EG_CITED_FITS,
    EG_CITED_MOVED,  /* the lines stand elsewhere in the file, not far away: `found` */
    EG_CITED_GONE,   /* the file is not there any more */
    EG_CITED_CHANGED /* the lines say something else, or the file has not so many */
} eg_cited;

typedef struct eg_citation {
    eg_cited state;
    eg_str path; /* a view of the evidence */
    uint32_t first, last, found;
    char hash[EG_CITED_HASH]; /* of the lines as they are now; empty: they are not there */
} eg_citation;

/* 1 when the evidence cites lines of a file: path, first and last. */
int eg_citation_parse(eg_str evidence, eg_citation *out);

/* Looks at what eg_citation_parse found. root: the working folder of the repository, absolute;
 * known: what the lines were, as `hash` told it when the fact was stored, or a SHA-256 of the whole
 * file in hex, with or without "sha256:" before it; empty: not known. sure: the fact is about this
 * repository, so that a missing file is gone. *budget: bytes that may still be read. */
void eg_citation_look(const char *root, int sure, eg_str known, size_t *budget, eg_citation *c);

#endif
