/* http.h - one GET over HTTP or HTTPS, for the download of models, by libcurl (core/curl/). Not a
 * client for anything else: no POST, no cookies, no state between calls. Thread class: worker; may
 * block. */
#ifndef EG_HUB_HTTP_H
#define EG_HUB_HTTP_H

#include "core/include/engram/infer.h"

enum { EG_HTTP_REDIRECTS = 5, EG_MAX_URL = 4096, EG_MAX_HEADER = 200 };

typedef struct eg_http_answer {
    int status;               /* of the last answer, 200 to 599; 0: none came */
    int connected;            /* 1: some server answered */
    uint64_t size;            /* Content-Length of the answer; UINT64_MAX: not given */
    uint64_t range_from;      /* of a 206 */
    char etag[EG_MAX_HEADER]; /* of the last answer, as it stands there: quoted, perhaps W/ before
                               * it; "" when there is none */
    /* what the first server said, before any redirect to another one */
    char linked_etag[EG_MAX_HEADER], commit[EG_MAX_HEADER], error_code[EG_MAX_HEADER];
    uint64_t linked_size;     /* UINT64_MAX: not given */
    char host[EG_MAX_HEADER]; /* that gave the last answer, for messages */
} eg_http_answer;

typedef struct eg_http_get {
    const char *url;
    const char *token;       /* sent as a bearer token to the scheme, host and port of url and to no
                              * other; NULL: none */
    uint64_t from;           /* > 0: only the bytes from there on are asked for ... */
    const char *if_range;    /* ... and only while the content still has this etag */
    const eg_cancel *cancel; /* may be NULL; the deadline is that of the whole transfer */
    /* Called once, before the body, for a 200 or 206: a status but EG_OK ends the transfer. */
    eg_status (*begin)(void *self, const eg_http_answer *answer, eg_error *err);
    eg_status (*take)(void *self, const void *bytes, size_t n, eg_error *err);
    void *self;
} eg_http_get;

/* EG_OK: an answer came whole; its status may be any: bodies of other answers than 200 and 206 are
 * thrown away. At most EG_HTTP_REDIRECTS redirects are followed, to http and https only, never from
 * https to http, nor to an address nearer than the first server's (address.h; not looked at behind
 * a proxy, which looks names up itself). EG_EBUSY: the transfer broke off or no server was reached,
 * which may go better the next time; EG_EREFUSED: a redirect that is not followed, a certificate
 * that is not trusted; EG_EUNSUPPORTED: libcurl is not there; EG_ECANCELLED: also after the
 * deadline; or what begin and take said. */
eg_status eg_http_run(const eg_http_get *get, eg_http_answer *out, eg_error *err);

#endif
