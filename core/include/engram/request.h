/* request.h - what travels with one request or job: who asks, in which workspace, its memory, its
 * error record, its cancellation. Made by the host only; plugins read it. */
#ifndef ENGRAM_REQUEST_H
#define ENGRAM_REQUEST_H

#include <stdarg.h>
#include <stdio.h>

#include "infer.h"
#include "types.h"

/* What a principal may do; each role may do all that the ones before it may. */
typedef enum eg_role {
    EG_ROLE_NONE = 0,
    EG_ROLE_READER,     /* query, list, check */
    EG_ROLE_WRITER,     /* commit, promote, judge detections */
    EG_ROLE_MAINTAINER, /* settle conflicts, take back changes */
    EG_ROLE_ADMIN       /* maintenance of the store */
} eg_role;

/* What an operation, tool, resource or prompt needs; the role of the same number has it. */
typedef enum eg_need { EG_NEEDS_NOTHING = 0, EG_NEEDS_READ, EG_NEEDS_WRITE, EG_NEEDS_RESOLVE, EG_NEEDS_ADMIN } eg_need;

struct eg_access;

/* Who asks. */
typedef struct eg_principal {
    uint32_t size;                  /* sizeof(eg_principal) of the host */
    uint32_t role;                  /* eg_role */
    eg_str member;                  /* the person or service, by a credential; empty in local
                                     * mode */
    eg_str agent;                   /* the client's own name for itself; not empty, proves
                                     * nothing */
    const struct eg_access *access; /* the host's; NULL: everything that the role allows */
} eg_principal;

typedef struct eg_request {
    uint32_t size;  /* sizeof(eg_request) of the host */
    uint32_t flags; /* 0 */
    const eg_cancel cancel;
    /* Zeroed memory that lives until the request ends; NULL: none left. Freed as a whole only. */
    void *(*const alloc)(struct eg_request *request, size_t size);
    eg_error *const err;           /* never NULL */
    const eg_str workspace;        /* never empty */
    const eg_principal *const who; /* never NULL */
    /* Told how far a long operation is: done of all, never less than before. NULL: nobody listens.
     * Called on the request's own thread; must not block for long. */
    void (*const progress)(void *self, size_t done, size_t all);
    void *const progress_self;
    /* How the front end puts the questions of a result (eg_question) to the client: "elicitation"
     * (a person answers) or "sampling" (a model does); empty: it asks nobody. */
    const eg_str asks;
    /* This call is the answer to such a question, asked in this way; empty: it is not. The host
     * writes it into the audit. */
    const eg_str asked;
    /* 1 while the request waits for somebody else who writes to the store, so that others need not
     * wait for it; set by the backend, atomically. NULL: nobody looks. */
    int *const waiting;
} eg_request;

enum { EG_MAX_ASKED_BY = 32 };
/* What a front end or the command line asks for (eg_services.request_create). */
#define EG_REQUEST_OPTIONS_SIZE_1_0 56
typedef struct eg_request_options {
    uint32_t size;
    uint32_t flags; /* 0 */
    eg_str agent;   /* the client's name; empty: the host's */
    eg_cancel cancel;
    void (*progress)(void *self, size_t done, size_t all);
    void *progress_self;
    eg_str asks, asked; /* as in eg_request: words of [a-z_], at most EG_MAX_ASKED_BY bytes */
    int *waiting;       /* as in eg_request; lives as long as the request */
} eg_request_options;
EG_SIZE_GROWN(eg_request_options, EG_REQUEST_OPTIONS_SIZE_1_0, asks);

/* Fills the request's error record, returns code. A message too long is cut at a code point. */
__attribute__((format(printf, 3, 4))) static inline eg_status eg_request_fail(eg_request *request, eg_status code,
                                                                              const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    request->err->code = code;
    char *text = request->err->text;
    int n = vsnprintf(text, sizeof request->err->text, format, ap);
    va_end(ap);
    if (n >= (int)sizeof request->err->text) {
        size_t end = sizeof request->err->text - 1, last = end - 1;
        while (last > end - 4 && ((unsigned char)text[last] & 0xC0) == 0x80) last--;
        unsigned char lead = (unsigned char)text[last];
        if (lead >= 0xC0 && last + (lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4) > end) text[last] = '\0';
    }
    return code;
}

/* Memory of the request with the overflow check; fills the error record when there is none. */
static inline void *eg_request_array(eg_request *request, size_t n, size_t size) {
    size_t bytes;
    void *p = __builtin_mul_overflow(n, size, &bytes) ? NULL : request->alloc(request, bytes ? bytes : 1);
    if (!p) eg_request_fail(request, EG_ENOMEM, "out of memory: %zu x %zu bytes were asked for", n, size);
    return p;
}

/* A NUL-terminated copy in the request's memory; ptr NULL when there is none. */
static inline eg_str eg_request_copy(eg_request *request, eg_str s) {
    char *p = (char *)eg_request_array(request, s.len + 1, 1);
    if (p && s.len) memcpy(p, s.ptr, s.len);
    return (eg_str){p, p ? s.len : 0};
}

__attribute__((format(printf, 2, 3))) static inline eg_str eg_request_printf(eg_request *request, const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    char *p = n < 0 ? NULL : (char *)eg_request_array(request, (size_t)n + 1, 1);
    if (p) vsnprintf(p, (size_t)n + 1, format, again);
    va_end(again);
    return (eg_str){p, p ? (size_t)n : 0};
}

#endif
