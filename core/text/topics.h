/* topics.h - what a sentence, a label or a heading is about, told by its words alone: closed word
 * lists, no grammar. What is not sure is left as it stands. Thread class: any. */
#ifndef EG_CORE_TEXT_TOPICS_H
#define EG_CORE_TEXT_TOPICS_H

#include "core/base/arena.h"

/* Bytes of the label that s begins with ("Staging:", "**Rule**:"), its colon and emphasis included;
 * 0: none. *words: the bytes before the colon. */
size_t eg_label_at(eg_str s, eg_str *words);

/* Plain words without those that only tell of the writing: a session, a ticket, a date, who asked.
 * Empty: nothing is left. 0: out of memory. */
int eg_gist_of(eg_arena *arena, eg_str s, eg_str *out);

/* What a plain sentence is about: the words before its verb, at most eight; empty where it tells a
 * story instead. */
eg_str eg_subject_of(eg_str s);

int eg_has_verb(eg_str s);
size_t eg_count_words(eg_str s);
/* s without colons, full stops and blanks at its end. */
eg_str eg_without_colon(eg_str s);

#endif
