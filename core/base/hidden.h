/* hidden.h - characters that a reader does not see and a model or a terminal obeys: controls,
 * bidirectional controls, zero-width characters, tags, fillers. Stored text may not have them
 * (core/memory/arguments.c), and whatever Engram prints or answers shows those that are there all
 * the same, in files and older stores, as <U+202E>. What it is not: a check for letters that look
 * alike. Thread class: any.
 *
 * Some such characters belong to what is written and stay as they are, where they stand alone:
 * - a line break (also CR before LF), a tab
 * - U+200C and U+200D behind a letter of a script whose letters join (Arabic, Indic and others)
 * - U+200D between two emoji, a variation selector behind a character that it can select from, and
 *   the tags of the three flags that are written with them (England, Scotland, Wales)
 * - U+200B between letters of scripts without blanks (Thai, Lao, Khmer, Myanmar)
 * - U+200E, U+200F and U+061C near right-to-left letters
 * A soft hyphen is none of them: it parts a word that is then not found. */
#ifndef EG_BASE_HIDDEN_H
#define EG_BASE_HIDDEN_H

#include "core/base/json.h"

enum { EG_NOT_UTF8 = 0x200000 }; /* added to a byte that is no valid UTF-8 */

/* The index of the first hidden character of s at or after `from` (the beginning of a code point);
 * s.len: there is none. *cp: the code point, or EG_NOT_UTF8 and the byte; may be NULL. */
size_t eg_hidden_next(eg_str s, size_t from, uint32_t *cp);

/* How text is shown. */
typedef enum eg_hidden_form {
    EG_HIDDEN_TEXT = 0, /* hidden characters as <U+202E>, bytes that are no UTF-8 as <0xFF> */
    EG_HIDDEN_LINE,     /* the same for a message of one line: line breaks too */
    EG_HIDDEN_JSON,     /* valid JSON: the same in its strings, also for what is written there as an
                         * escape; for readers of the strings */
    EG_HIDDEN_ESCAPED   /* valid JSON: as escapes (\u202e), so that the strings keep their value */
} eg_hidden_form;
void eg_hidden_show(eg_buffer *out, eg_str s, eg_hidden_form form);

#endif
