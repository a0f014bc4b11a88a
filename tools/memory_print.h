/* memory_print.h - the structured results of the memory's tools as text on standard output. */
#ifndef EG_TOOLS_MEMORY_PRINT_H
#define EG_TOOLS_MEMORY_PRINT_H

#include <cjson/cJSON.h>

/* A member that is a text, with hidden characters shown; "" where there is none. */
const char *text_of(const cJSON *o, const char *key);
/* Ids as they are shown to people: the last eight digits. */
const char *short_id(const cJSON *o, const char *key);
double number_of(const cJSON *o, const char *key); /* 0 where there is none */
/* Prints a text of several lines: all but the first are indented by `indent` columns. */
void print_lines(const char *text, int indent);
/* A fact with its scope and author, behind a label. */
void print_side(const char *label, const cJSON *fact);
/* Below a fact: the member that is the form which its author gave of what was compared; nothing
 * where there is none. */
void print_stated(const cJSON *o, const char *key);
/* A text of several lines: all but the first are indented by `indent` columns. */
void print_lines(const char *text, int indent);
void print_conflict(const cJSON *conflict);
double number_of(const cJSON *o, const char *key);
int true_of(const cJSON *o, const char *key);
/* The result of the command with this name. */
void print_result(const char *command, const cJSON *r);

#endif
