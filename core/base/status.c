/* status.c - names of status codes, filling of error records. See status.h. */
#include "core/base/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/base/utf8.h"

const char *eg_status_name(eg_status code) {
    switch (code) {
#define X(name, number, text) \
    case name: return #name;
        EG_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

const char *eg_status_text(eg_status code) {
    switch (code) {
#define X(name, number, text) \
    case name: return text;
        EG_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

eg_status eg_fail(eg_error *err, eg_status code, const char *format, ...) {
    if (!err) return code;
    err->code = code;
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(err->text, sizeof err->text, format, ap);
    va_end(ap);
    if (n < 0) {
        snprintf(err->text, sizeof err->text, "%s", eg_status_text(code));
    } else if ((size_t)n >= sizeof err->text) {
        err->text[eg_utf8_floor(err->text, sizeof err->text - 1, sizeof err->text - 1)] = '\0';
    }
    return code;
}

eg_status eg_fail_memory(eg_error *err, size_t bytes) {
    return eg_fail(err, EG_ENOMEM, "out of memory: %zu bytes were asked for", bytes);
}

const char *eg_quote(eg_str s, size_t most, char *buf, size_t buf_size) {
    if (buf_size == 0) return "";
    size_t n = s.len < most ? s.len : most;
    if (n > buf_size - 1) n = buf_size - 1;
    if (n < s.len) n = eg_utf8_floor(s.ptr, s.len, n);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        buf[i] = (c < 0x20 || c == 0x7f) ? '?' : (char)c;
    }
    buf[n] = '\0';
    return buf;
}
