/* fuzz_exchange.c - libFuzzer entry for a record of an exported memory and the evidence of a
 * fact: what is read is written and read again as the same bytes. A finding is a crash, a
 * sanitizer report, or a broken promise of core/memory/exchange.h or core/access/citation.h. */
#include <stdlib.h>

#include "core/access/citation.h"
#include "core/memory/exchange.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PROMISE(x)         \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

static void check_record(eg_str line) {
    eg_arena a;
    eg_error err = {0};
    eg_exchange_record one = {.line = 7}, two = {0};
    eg_buffer first = {0}, second = {0};
    eg_arena_init(&a, (size_t)16 << 20);
    eg_status s = eg_exchange_read(line, &a, &one, &err);
    PROMISE(s == EG_OK || (err.code == s && err.text[0]));
    if (s == EG_OK) {
        PROMISE(one.line == 7 && one.kind < EG_EXCHANGE_KINDS && one.statement_count <= EG_MAX_STATEMENTS);
        eg_exchange_write(&first, &one);
        PROMISE(!first.failed && first.ptr[first.len - 1] == '\n');
        PROMISE(eg_exchange_read((eg_str){first.ptr, first.len - 1}, &a, &two, &err) == EG_OK);
        eg_exchange_write(&second, &two);
        PROMISE(first.len == second.len && memcmp(first.ptr, second.ptr, first.len) == 0);
    }
    eg_buffer_release(&first);
    eg_buffer_release(&second);
    eg_arena_release(&a);
}

static void check_evidence(eg_str text) {
    eg_citation c;
    if (!eg_citation_parse(text, &c)) return;
    PROMISE(c.path.ptr >= text.ptr && c.path.ptr + c.path.len <= text.ptr + text.len && c.path.len);
    PROMISE(c.first && c.first <= c.last && c.last - c.first < EG_CITED_LINES);
    size_t budget = 1 << 16;
    eg_citation_look("/nowhere", 1, text, &budget, &c);
    PROMISE(c.state == EG_CITED_UNKNOWN || c.state == EG_CITED_GONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const eg_str text = {(const char *)data, size};
    check_record(text);
    check_evidence(text);
    return 0;
}
