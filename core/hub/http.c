/* http.c - see http.h. Redirects are followed here and not by libcurl, so that it is plain which
 * server gets the token and whose headers count. */
#include "core/hub/http.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/curl/curl_loader.h"
#include "core/hub/address.h"

/* A transfer stalls where less than a kilobyte a second comes. */
enum {
    CONNECT_SECONDS = 30,
    STALLED_SECONDS = 60,
    STALLED_BYTES = 1024,
    CLOCK_SLACK = 100000 /* us */,
    MOST_HEADERS = 64 << 10,
    MOST_THROWN = 1 << 20
};

typedef struct transfer {
    const eg_curl *curl;
    const eg_http_get *get;
    eg_http_answer *answer;
    eg_error *err;
    eg_status failed; /* of begin and take */
    size_t header_bytes, thrown_bytes;
    int first, begun; /* first: at the server of get->url */
    eg_reach *home;   /* of that server: the farthest of its addresses that was tried */
    int proxied;      /* 1: addresses may be those of a proxy */
    int is_near;      /* a redirect leads nearer than that */
} transfer;

/* libcurl counts whole milliseconds from a start of its own. */
static int is_over(const eg_http_get *get) {
    return get->cancel && get->cancel->deadline && eg_clock_monotonic() + CLOCK_SLACK >= get->cancel->deadline;
}

/* 1 when the environment names a proxy, by the variables that libcurl reads. */
static int has_proxy(void) {
    static const char *const variables[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value) return 1;
    }
    return 0;
}

/* Makes the socket for an address that a name stands for, unless a redirect leads nearer than the
 * first server: looked at here, where no second look-up can give another address. */
static curl_socket_t open_socket(void *self, curlsocktype purpose, struct curl_sockaddr *address) {
    transfer *t = self;
    (void)purpose;
    eg_reach reach = eg_address_reach(&address->addr);
    if (t->first && reach < *t->home) *t->home = reach;
    if (!t->first && !t->proxied && reach > *t->home) {
        t->is_near = 1;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* scheme://host:port of a URL: its length. */
static size_t origin_length(const char *url) {
    const char *host = strstr(url, "://");
    return host ? (size_t)(host + 3 - url) + strcspn(host + 3, "/?#") : strlen(url);
}

static int same_origin(const char *a, const char *b) {
    return origin_length(a) == origin_length(b) && strncasecmp(a, b, origin_length(a)) == 0;
}

static int is_secure(const char *url) { return strncasecmp(url, "https://", 8) == 0; }

/* A header line "Name: value" into out, when it has this name. */
static int header(const char *line, size_t n, const char *name, char out[EG_MAX_HEADER]) {
    size_t length = strlen(name);
    if (n <= length || strncasecmp(line, name, length) != 0 || line[length] != ':') return 0;
    const char *p = line + length + 1, *end = line + n;
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    while (end > p && ((unsigned char)end[-1] <= ' ')) end--;
    for (const char *c = p; c < end; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f) return 0;
    if ((size_t)(end - p) >= EG_MAX_HEADER) return 0;
    memcpy(out, p, (size_t)(end - p));
    out[end - p] = '\0';
    return 1;
}

static uint64_t number(const char *text) {
    char *end;
    unsigned long long x = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : UINT64_MAX;
    return x;
}

static size_t take_header(char *line, size_t size, size_t count, void *self) {
    transfer *t = self;
    eg_http_answer *a = t->answer;
    size_t n = size * count;
    char text[EG_MAX_HEADER];
    if ((t->header_bytes += n) > MOST_HEADERS) return 0;
    if (n > 5 && memcmp(line, "HTTP/", 5) == 0) { /* also after a 100 or the answer of a proxy */
        const char *space = memchr(line, ' ', n);
        a->status = space ? (int)strtol(space + 1, NULL, 10) : 0;
        a->connected = 1;
        a->etag[0] = '\0';
        a->size = a->range_from = UINT64_MAX;
    }
    (void)header(line, n, "ETag", a->etag);
    if (header(line, n, "Content-Length", text)) a->size = number(text);
    if (header(line, n, "Content-Range", text) && strncasecmp(text, "bytes ", 6) == 0) a->range_from = number(text + 6);
    if (!t->first) return n;
    (void)header(line, n, "X-Linked-ETag", a->linked_etag);
    (void)header(line, n, "X-Repo-Commit", a->commit);
    (void)header(line, n, "X-Error-Code", a->error_code);
    if (header(line, n, "X-Linked-Size", text)) a->linked_size = number(text);
    return n;
}

static int has_body(const eg_http_answer *a) { return a->status == 200 || a->status == 206; }

static size_t take_body(char *bytes, size_t size, size_t count, void *self) {
    transfer *t = self;
    size_t n = size * count;
    if (!has_body(t->answer)) return (t->thrown_bytes += n) > MOST_THROWN ? CURL_WRITEFUNC_ERROR : n;
    if (!t->begun) {
        t->begun = 1;
        t->failed = t->get->begin(t->get->self, t->answer, t->err);
    }
    if (t->failed == EG_OK) t->failed = t->get->take(t->get->self, bytes, n, t->err);
    return t->failed == EG_OK ? n : CURL_WRITEFUNC_ERROR;
}

/* What libcurl said, in words that help. */
static eg_status explain(const transfer *t, CURLcode code, const char *detail, eg_error *err) {
    const char *what = *detail ? detail : t->curl->describe(code), *host = t->answer->host;
    if (t->failed != EG_OK) return t->failed; /* begin or take said it */
    if (t->is_near)
        return eg_fail(err, EG_EREFUSED,
                       "a redirect leads to %s, which only this machine or network can see: that is not followed", host);
    if (code == CURLE_OPERATION_TIMEDOUT && is_over(t->get))
        return eg_fail(err, EG_ECANCELLED, "%s: the time for the download is over; the same command goes on where it was", host);
    switch (code) {
    case CURLE_ABORTED_BY_CALLBACK: return eg_fail(err, EG_ECANCELLED, "stopped");
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        return eg_fail(
            err, EG_EREFUSED,
            "the certificate of %s is not trusted (%s): is the package ca-certificates installed, and the clock right?", host,
            what);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT: return eg_fail(err, EG_EREFUSED, "%s: %s", host, what);
    case CURLE_OUT_OF_MEMORY: return eg_fail_memory(err, 0);
    default: return eg_fail(err, EG_EBUSY, "%s: %s", host, what);
    }
}

/* One request without redirects; *next: where a redirect leads, else empty. */
static eg_status run_one(transfer *t, const char *url, char next[EG_MAX_URL], eg_error *err) {
    char detail[CURL_ERROR_SIZE] = "", line[EG_MAX_HEADER + 600];
    struct curl_slist *headers = NULL;
    const eg_http_get *g = t->get;
    const eg_curl *curl = t->curl;
    int wrong = 0;
    t->begun = 0;
    t->header_bytes = t->thrown_bytes = 0;
    t->answer->status = 0;
    snprintf(t->answer->host, sizeof t->answer->host, "%.*s", (int)(origin_length(url) < 180 ? origin_length(url) : 180), url);
    CURL *c = eg_curl_open(curl, url, g->cancel, &wrong);
    if (!c) return wrong ? explain(t, CURLE_URL_MALFORMAT, detail, err) : eg_fail_memory(err, 0);
    headers = curl->append(headers, "Accept-Encoding: identity");
    if (g->from && g->if_range && *g->if_range) {
        snprintf(line, sizeof line, "If-Range: %.190s", g->if_range);
        headers = curl->append(headers, line);
    }
    if (g->token && t->first) {
        snprintf(line, sizeof line, "Authorization: Bearer %.500s", g->token);
        headers = curl->append(headers, line);
    }
    curl->set(c, CURLOPT_HTTPHEADER, headers);
    curl->set(c, CURLOPT_ERRORBUFFER, detail);
    curl->set(c, CURLOPT_HEADERFUNCTION, take_header);
    curl->set(c, CURLOPT_HEADERDATA, t);
    curl->set(c, CURLOPT_WRITEFUNCTION, take_body);
    curl->set(c, CURLOPT_WRITEDATA, t);
    curl->set(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl->set(c, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl->set(c, CURLOPT_OPENSOCKETDATA, t);
    if (g->cancel && g->cancel->deadline) {
        int64_t left = (g->cancel->deadline - eg_clock_monotonic()) / 1000;
        curl->set(c, CURLOPT_TIMEOUT_MS, (long)(left > 1 ? left : 1));
    }
    curl->set(c, CURLOPT_LOW_SPEED_LIMIT, (long)STALLED_BYTES);
    curl->set(c, CURLOPT_LOW_SPEED_TIME, (long)STALLED_SECONDS);
    snprintf(line, sizeof line, "%llu-", (unsigned long long)g->from);
    if (g->from) curl->set(c, CURLOPT_RANGE, line);
    CURLcode code = headers ? curl->perform(c) : CURLE_URL_MALFORMAT;
    /* a long page about an error: enough of it */
    if (code == CURLE_WRITE_ERROR && !has_body(t->answer)) code = CURLE_OK;
    eg_status s = code == CURLE_OK ? EG_OK : explain(t, code, detail, err);
    /* an empty body */
    if (s == EG_OK && !t->begun && has_body(t->answer)) s = g->begin(g->self, t->answer, err);
    char *to = NULL;
    *next = '\0';
    if (s == EG_OK && t->answer->status >= 300 && t->answer->status < 400 &&
        curl->info(c, CURLINFO_REDIRECT_URL, &to) == CURLE_OK && to) {
        if (strlen(to) < EG_MAX_URL) memcpy(next, to, strlen(to) + 1);
        else
            s = eg_fail(err, EG_EREFUSED, "%s redirects to an address of %zu bytes: more than %d are not followed",
                        t->answer->host, strlen(to), EG_MAX_URL);
    }
    curl->release(headers);
    curl->cleanup(c);
    return s;
}

eg_status eg_http_run(const eg_http_get *get, eg_http_answer *out, eg_error *err) {
    const eg_curl *curl = eg_curl_load();
    char url[EG_MAX_URL], next[EG_MAX_URL];
    *out = (eg_http_answer){.linked_size = UINT64_MAX};
    if (!curl->ready) return eg_fail(err, EG_EUNSUPPORTED, "downloading needs libcurl (Debian: libcurl4): %s", curl->why);
    if (strlen(get->url) >= sizeof url) return eg_fail(err, EG_ELIMIT, "the address '%.60s...' is too long", get->url);
    memcpy(url, get->url, strlen(get->url) + 1);
    eg_reach home = EG_REACH_LINK;
    for (int hop = 0; hop <= EG_HTTP_REDIRECTS; hop++) {
        transfer t = {.curl = curl,
                      .get = get,
                      .answer = out,
                      .err = err,
                      .first = same_origin(url, get->url),
                      .home = &home,
                      .proxied = has_proxy()};
        eg_status s = run_one(&t, url, next, err);
        if (s != EG_OK || !*next) return s;
        if (!is_secure(next) && strncasecmp(next, "http://", 7) != 0)
            return eg_fail(err, EG_EREFUSED, "%s redirects to '%.60s...': only http and https are followed", out->host, next);
        if (is_secure(url) && !is_secure(next))
            return eg_fail(err, EG_EREFUSED, "%s redirects from https to http: that is not followed", out->host);
        memcpy(url, next, sizeof url);
    }
    return eg_fail(err, EG_EREFUSED, "%s redirects more than %d times", get->url, EG_HTTP_REDIRECTS);
}
