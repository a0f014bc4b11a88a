/* reader.c - see reader.h. */
#include "core/text/reader.h"

#include "core/text/plain.h"

int eg_reader_join(eg_reader *r, eg_str a, eg_str b, eg_str *out) {
    eg_str parts[] = {a, EG_STR(": "), b};
    if (a.len == 0 || b.len == 0) return *out = a.len ? a : b, 1;
    return eg_text_join(r->arena, parts, 3, out);
}

eg_status eg_reader_give(eg_reader *r, const eg_block *b, eg_span span, uint32_t kind, eg_str alone) {
    eg_statement s = {.span = span, .kind = kind, .alone = alone};
    if (eg_str_eq(alone, eg_reader_words(r, span))) s.alone = (eg_str){"", 0};
    return r->take(r->sink, &s, b);
}
