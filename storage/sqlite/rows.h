/* rows.h - what read.c and parts.c share: a row of a statement as a struct, all rows of a statement
 * as an array. */
#ifndef EG_SQLITE_ROWS_H
#define EG_SQLITE_ROWS_H

#include "store.h"

/* Fills a row from the statement's columns; strings live in the request. 0: out of memory. */
typedef int row_reader(eg_request *rq, sqlite3_stmt *q, void *row);
row_reader fact_row;      /* eg_fact, FACT_COLUMNS */
row_reader conflict_row;  /* eg_conflict, CONFLICT_COLUMNS */
row_reader claim_row;     /* eg_claim, CLAIM_COLUMNS */
row_reader statement_row; /* eg_statement */
row_reader id_row;        /* eg_id */
row_reader numbers_row;   /* numbers */

enum { NUMBERS = 9 };
typedef struct numbers { /* the first columns of a row */
    uint64_t at[NUMBERS];
} numbers;

/* All rows of a bound statement, each of `size` bytes; q NULL: the error that the record holds. */
eg_status read_rows(connection *c, eg_request *rq, sqlite3_stmt *q, row_reader *read, size_t size, void **out, size_t *n);
/* Its first row; *found 0 when there is none. */
eg_status read_row(connection *c, eg_request *rq, sqlite3_stmt *q, row_reader *read, void *out, int *found);

#endif
