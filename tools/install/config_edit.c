/* config_edit.c - see config_edit.h: what both formats share. */
#include "tools/install/config_edit.h"

#include <string.h>

#include "core/base/utf8.h"

size_t config_bom(eg_str text) { return text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; }

const char *config_newline(eg_str text) {
    if (!text.len) return "\n";
    const char *end = memchr(text.ptr, '\n', text.len);
    if (!end) end = text.ptr + text.len;
    return end > text.ptr && end[-1] == '\r' ? "\r\n" : "\n";
}

config_state config_refuse(config_fault *fault, eg_str text, size_t at, const char *what) {
    *fault = (config_fault){.line = 1, .column = 1, .what = what};
    for (size_t i = config_bom(text); i < at && i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\n') {
            fault->line++;
            fault->column = 1;
        } else if ((c & 0xC0) != 0x80) {
            fault->column++;
        }
    }
    return CONFIG_REFUSED;
}

static uint32_t hex(eg_str s, size_t at, size_t digits) {
    uint32_t value = 0;
    for (size_t i = at; i < at + digits && i < s.len; i++) {
        char c = s.ptr[i];
        value = value * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return value;
}

/* What the quoted string says. Escapes of surrogates stay as they are written: no name or path that
 * is looked for has one. */
static void unquote(eg_buffer *out, eg_str quoted) {
    static const char escapes[] = "btnfre\"\\/", meant[] = "\b\t\n\f\r\033\"\\/";
    if (quoted.len < 2) return;
    size_t end = quoted.len - 1;
    if (quoted.ptr[0] == '\'') {
        config_copy(out, quoted, 1, end);
        return;
    }
    for (size_t i = 1; i < end; i++) {
        char c = quoted.ptr[i], next = i + 1 < end ? quoted.ptr[i + 1] : '\0';
        const char *simple = c == '\\' && next ? strchr(escapes, next) : NULL;
        size_t digits = c != '\\' ? 0 : next == 'u' ? 4 : next == 'U' ? 8 : next == 'x' ? 2 : 0;
        char bytes[4];
        uint32_t cp = digits && i + 2 + digits <= end ? hex(quoted, i + 2, digits) : 0xD800;
        if (simple) {
            eg_buffer_add(out, &meant[simple - escapes], 1);
            i++;
        } else if (cp < 0xD800 || (cp > 0xDFFF && cp <= 0x10FFFF)) {
            eg_buffer_add(out, bytes, eg_utf8_encode(cp, bytes));
            i += 1 + digits;
        } else {
            eg_buffer_add(out, &c, 1);
        }
    }
}

int config_string_is(eg_str quoted, const char *word) {
    eg_buffer b = {0};
    unquote(&b, quoted);
    int is = !b.failed && b.len == strlen(word) && memcmp(b.len ? b.ptr : "", word, b.len) == 0;
    eg_buffer_release(&b);
    return is;
}

void config_add_string(eg_buffer *out, eg_str quoted) {
    eg_buffer b = {0};
    unquote(&b, quoted);
    eg_buffer_json(out, (eg_str){b.ptr ? b.ptr : "", b.len});
    out->failed |= b.failed;
    eg_buffer_release(&b);
}

size_t config_before_newline(eg_str text, size_t at) {
    if (at == 0 || text.ptr[at - 1] != '\n') return at;
    at--;
    return at > 0 && text.ptr[at - 1] == '\r' ? at - 1 : at;
}

int config_open_end(eg_str text, eg_buffer *out) {
    /* behind a CR that stands alone, LF would make one line end out of two */
    const char *newline = text.len && text.ptr[text.len - 1] == '\r' ? "\r\n" : config_newline(text);
    int ended = !text.ptr || (text.len && text.ptr[text.len - 1] == '\n');
    config_copy(out, text, 0, text.len);
    if (text.len) eg_buffer_text(out, newline);
    if (text.len && !ended) eg_buffer_text(out, newline);
    return ended;
}

size_t config_open_start(eg_str text, size_t start, size_t end) {
    size_t above = config_before_newline(text, start), first = config_bom(text);
    int blank = above > first && text.ptr[above - 1] == '\n', ended = text.ptr[end - 1] == '\n';
    if (above < start && (blank || above == first)) start = above;
    return !ended && start == above ? config_before_newline(text, start) : start;
}
