/* scope.c - the form of a scope and what lies below another. See text.h. */
#include "core/text/text.h"

#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/text/fold.h"

static int is_scope_char(char c) { return eg_is_lower(c) || eg_is_digit(c) || c == '.' || c == '_' || c == '-' || c == '/'; }

/* Refuses the character at `at` by name. */
static eg_status refuse(eg_str scope, size_t at, eg_error *err) {
    uint32_t cp;
    size_t k = eg_utf8_decode(scope.ptr + at, scope.len - at, &cp);
    if (cp < 0x20 || cp == 0x7F)
        return eg_fail(err, EG_EINVAL,
                       "scope holds the control character U+%04X at byte %zu: use segments of a-z, "
                       "0-9, '.', '_' and '-' joined by '/'",
                       (unsigned)cp, at);
    return eg_fail(err, EG_EINVAL,
                   "scope holds '%.*s' at byte %zu: use segments of a-z, 0-9, '.', '_' and '-' "
                   "joined by '/', for example \"payments/api\"",
                   (int)k, scope.ptr + at, at);
}

eg_status eg_text_scope(eg_arena *arena, eg_str scope, eg_str *out, eg_error *err) {
    size_t start = 0, end = scope.len;
    while (start < end && scope.ptr[start] == '/') start++;
    while (end > start && scope.ptr[end - 1] == '/') end--;
    if (start == end) {
        *out = EG_STR("general");
        return EG_OK;
    }
    if (end - start > EG_MAX_SCOPE)
        return eg_fail(err, EG_ELIMIT, "scope has %zu bytes, at most %d are allowed: use a shorter path", end - start,
                       (int)EG_MAX_SCOPE);
    char *p = eg_arena_copy(arena, (eg_str){scope.ptr + start, end - start});
    if (!p) return eg_fail_memory(err, end - start + 1);
    for (size_t i = 0; i < end - start; i++) {
        p[i] = eg_lower(p[i]);
        if (!is_scope_char(p[i])) return refuse(scope, start + i, err);
        if (p[i] == '/' && p[i + 1] == '/')
            return eg_fail(err, EG_EINVAL, "scope has an empty segment at byte %zu: write one '/' between segments", start + i);
    }
    *out = (eg_str){p, end - start};
    return EG_OK;
}

int eg_text_scope_within(eg_str scope, eg_str under) {
    if (under.len == 0) return 1;
    if (scope.len < under.len || memcmp(scope.ptr, under.ptr, under.len) != 0) return 0;
    return scope.len == under.len || scope.ptr[under.len] == '/';
}
