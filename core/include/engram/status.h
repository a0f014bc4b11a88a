/* status.h - the words that every part of Engram and every plugin shares: status codes, views of
 * text, the error record. The lowest header of all: it needs only libc and holds no code but inline
 * helpers.
 *
 * Errors: a function returns an eg_status; the sentence that a person reads stands in the eg_error
 * that the caller passed (what was wrong, with which input, what to do next). err may be NULL
 * everywhere. */
#ifndef ENGRAM_STATUS_H
#define ENGRAM_STATUS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One table gives the enum, the names and the default texts. Part of the plugin ABI: append
 * only. */
#define EG_STATUS_MAP(X)                                               \
    X(EG_OK, 0, "ok")                                                  \
    X(EG_EINVAL, 1, "an argument is not valid")                        \
    X(EG_ENOMEM, 2, "out of memory")                                   \
    X(EG_EIO, 3, "reading or writing failed")                          \
    X(EG_ENOENT, 4, "not found")                                       \
    X(EG_EFORMAT, 5, "the data is not in the expected format")         \
    X(EG_ELIMIT, 6, "a size limit was exceeded")                       \
    X(EG_EUNSUPPORTED, 7, "not supported")                             \
    X(EG_ECONFLICT, 8, "a precondition of the change no longer holds") \
    X(EG_EREFUSED, 9, "refused by a rule")                             \
    X(EG_ECANCELLED, 10, "cancelled or past its deadline")             \
    X(EG_EBUSY, 11, "busy, try again")                                 \
    X(EG_EREADONLY, 12, "the store cannot be written")                 \
    X(EG_EVERSION, 13, "made by another version")                      \
    X(EG_EPERM, 14, "the permissions are not safe or not sufficient")  \
    X(EG_EINTERNAL, 15, "a defect in Engram: please report it")        \
    X(EG_EUNAVAILABLE, 16, "not available here")                       \
    X(EG_EAUTH, 17, "not allowed")                                     \
    X(EG_ERATE, 18, "too many requests")

typedef enum eg_status {
#define X(name, number, text) name = number,
    EG_STATUS_MAP(X)
#undef X
} eg_status;

/* A view of bytes that somebody else owns, not NUL-terminated. Text past the border is UTF-8. */
typedef struct eg_str {
    const char *ptr;
    size_t len;
} eg_str;

/* 1 when the table or struct behind the pointer, which begins with its size, is long enough to hold
 * this field. Whoever reads a field that was added after 1.0 asks first: see the growth rule in
 * plugin.h. */
#define EG_HAS(pointer, field) ((pointer)->size >= offsetof(__typeof__(*(pointer)), field) + sizeof((pointer)->field))
/* Stops the build when a struct of the plugin ABI changes its size by accident. */
#ifdef __cplusplus
#define EG_SIZE_FROZEN(type, size_1_0) static_assert(sizeof(type) == (size_1_0), #type " has the size of ABI 1.0")
/* The same for one that has grown since: its first new field stands where it ended. */
#define EG_SIZE_GROWN(type, size_1_0, field) static_assert(offsetof(type, field) == (size_1_0), #type " begins as in ABI 1.0")
#else
#define EG_SIZE_FROZEN(type, size_1_0) _Static_assert(sizeof(type) == (size_1_0), #type " has the size of ABI 1.0")
#define EG_SIZE_GROWN(type, size_1_0, field) _Static_assert(offsetof(type, field) == (size_1_0), #type " begins as in ABI 1.0")
#endif

#define EG_STR(literal) ((eg_str){(literal), sizeof(literal) - 1})

static inline eg_str eg_str_of(const char *z) {
    eg_str s = {z, z ? strlen(z) : 0};
    return s;
}
static inline int eg_str_eq(eg_str a, eg_str b) { return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0); }

/* What a person reads. text is NUL-terminated UTF-8; a longer message is cut at a code point. */
typedef struct eg_error {
    eg_status code;
    char text[508];
} eg_error;

#ifdef __cplusplus
}
#endif
#endif
