/* fuzz_install.c - libFuzzer entries for the editors of clients' configuration files and of marked
 * blocks (tools/install/config_edit.h, block.h), one program for each. A finding is a crash, a
 * sanitizer report, or a broken promise: what was entered is found, and taken away leaves each byte
 * as it was. */
#include <stdlib.h>

#include "tools/install/block.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PROMISE(x)         \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

#if defined(FUZZ_INSTALL_BLOCK)
/* The first bytes of the text choose the kind of the block. */
static const marked_block *block_for(eg_str text) {
    static const marked_block blocks[] = {{"# <", "# >", "a\n\nb\n", NULL}, {"# <", "# >", "a\n", "#!/bin/sh\n"}};
    return &blocks[text.len > 1 && text.ptr[0] == '#' && text.ptr[1] == '!'];
}
static config_state find(eg_str text, const config_entry *e, config_fault *fault) {
    (void)e;
    return block_find(text, block_for(text), fault);
}
static void put(eg_str text, const config_entry *e, eg_buffer *out) {
    (void)e;
    block_put(text, block_for(text), out);
}
static int take(eg_str text, const config_entry *e, eg_buffer *out) {
    (void)e;
    return block_take(text, block_for(text), out);
}
static const config_format block_format = {find, put, take};
#define FORMAT (&block_format)
#elif defined(FUZZ_INSTALL_TOML)
#define FORMAT (&config_toml)
#elif defined(FUZZ_INSTALL_JSONC_HOOK)
#define FORMAT (&config_hook)
#else
#define FORMAT (&config_jsonc)
#endif

static eg_str text_of(const eg_buffer *b) {
    PROMISE(!b->failed);
    return (eg_str){b->ptr ? b->ptr : "", b->len};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const config_field fields[] = {{"command", "\"/usr/bin/engram\""}, {"args", "[\"mcp\"]"}};
    static const char *const foreign[] = {"url", "headers", NULL};
    static const config_entry server = {
        .table = "mcp", .name = "engram", .inner = "servers", .fields = fields, .field_count = 2, .foreign = foreign};
    static const config_field command = {"command", "\"'/usr/bin/engram'" CONFIG_HOOK_MARK "\""};
    static const config_entry hook = {.table = "hooks", .name = "SessionStart", .fields = &command, .field_count = 1};
    const config_entry entry = FORMAT == &config_hook ? hook : server;
    eg_str text = {size ? (const char *)data : "", size};
    eg_buffer with = {0}, without = {0};
    config_fault fault;
    config_state state = FORMAT->find(text, &entry, &fault);
    if (state == CONFIG_REFUSED) {
        PROMISE(fault.what && fault.line >= 1 && fault.column >= 1 && fault.line <= size + 1 && fault.column <= size + 1);
        return 0;
    }
    FORMAT->put(text, &entry, &with);
    PROMISE(FORMAT->find(text_of(&with), &entry, &fault) == CONFIG_SAME);
    int gone = FORMAT->take(text_of(&with), &entry, &without);
    if (state == CONFIG_ABSENT) PROMISE(!gone && eg_str_eq(text_of(&without), text));
    /* a mark of byte order that comes to stand at the beginning is no text any more */
    if (size < 2 || !memmem(text.ptr + 1, size - 1, "\xEF\xBB\xBF", 3))
        PROMISE(FORMAT->find(text_of(&without), &entry, &fault) == CONFIG_ABSENT);
    eg_buffer_release(&with);
    eg_buffer_release(&without);
    return 0;
}
