/* rst_tables.h - tables of reStructuredText. Private to this folder. */
#ifndef EG_DOCS_RST_TABLES_H
#define EG_DOCS_RST_TABLES_H

#include "core/docs/front.h"

/* Where a table begins at line i: adds its rows and returns the line behind it; else i. */
size_t eg_rst_table(eg_front *f, const eg_source *s, size_t i);
/* The body from..to of a directive list-table or csv-table. head: how many of its first rows are
 * one; header: that of a  csv-table, or empty. */
void eg_rst_list_table(eg_front *f, const eg_source *s, size_t from, size_t to, size_t head);
void eg_rst_csv_table(eg_front *f, const eg_source *s, size_t from, size_t to, eg_str header, size_t head);

#endif
