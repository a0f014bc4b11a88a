/* arguments.c - the checks that text from outside passes before anything is done with it. */
#include "core/memory/arguments.h"

#include "core/base/hidden.h"
#include "core/base/utf8.h"
#include "core/text/text.h"

static int is_blank(eg_str s) {
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return 0;
    }
    return 1;
}

eg_status eg_check_text(eg_request *rq, const char *name, eg_str s, size_t most, int needed) {
    if (s.len > most)
        return eg_request_fail(rq, EG_ELIMIT, "%s has %zu bytes; at most %zu are taken: shorten it or split it", name, s.len,
                               most);
    size_t valid = eg_utf8_valid_prefix(s.ptr, s.len);
    if (valid < s.len) return eg_request_fail(rq, EG_EINVAL, "%s is not valid UTF-8 at byte %zu: send it as UTF-8", name, valid);
    const void *nul = s.len ? memchr(s.ptr, 0, s.len) : NULL;
    if (nul)
        return eg_request_fail(rq, EG_EINVAL, "%s holds a NUL byte at byte %zu: remove it", name,
                               (size_t)((const char *)nul - s.ptr));
    if (needed && is_blank(s)) return eg_request_fail(rq, EG_EINVAL, "%s is empty: give it some text", name);
    return EG_OK;
}

eg_status eg_check_stored(eg_request *rq, const char *name, eg_str s, size_t most, int needed) {
    eg_status code = eg_check_text(rq, name, s, most, needed);
    if (code != EG_OK) return code;
    uint32_t cp = 0;
    size_t at = eg_hidden_next(s, 0, &cp);
    if (at == s.len) return EG_OK;
    return eg_request_fail(rq, EG_EINVAL,
                           "%s holds U+%04X at byte %zu, a character that readers do not see: remove it and all others of the "
                           "kind, or write its name in words",
                           name, cp, at);
}

eg_status eg_check_scope(eg_request *rq, eg_str scope, int empty_is_all, eg_str *out) {
    *out = (eg_str){0};
    size_t slashes = 0;
    while (slashes < scope.len && scope.ptr[slashes] == '/') slashes++;
    if (empty_is_all && slashes == scope.len) return EG_OK;
    eg_status s = eg_check_text(rq, "scope", scope, EG_MAX_SCOPE, 0);
    if (s != EG_OK) return s;
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_str canonical;
    s = eg_text_scope(&arena, scope, &canonical, rq->err);
    if (s == EG_OK) {
        *out = eg_request_copy(rq, canonical);
        if (!out->ptr) s = EG_ENOMEM;
    }
    eg_arena_release(&arena);
    return s;
}
