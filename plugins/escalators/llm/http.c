/* http.c - see http.h. */
#include "http.h"

#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "curl_loader.h"

long llm_milliseconds_left(const eg_request *rq) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!rq->cancel.deadline) return 60000;
    int64_t left = rq->cancel.deadline / 1000 - ((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
    return left < 1 ? 1 : left > 600000 ? 600000 : (long)left;
}

typedef struct transfer {
    eg_request *rq;
    llm_post *post;
    char *bytes; /* room for LLM_MAX_ANSWER */
    size_t size;
    int too_long;
} transfer;

static size_t take_body(char *bytes, size_t size, size_t count, void *self) {
    transfer *t = self;
    size_t n = size * count;
    t->too_long = n > LLM_MAX_ANSWER - t->size;
    if (t->too_long) return 0; /* which ends the transfer */
    memcpy(t->bytes + t->size, bytes, n);
    t->size += n;
    return n;
}

static size_t take_header(char *line, size_t size, size_t count, void *self) {
    transfer *t = self;
    static const char name[] = "Retry-After:";
    size_t n = size * count, length = sizeof name - 1;
    char value[16] = "";
    if (n <= length || strncasecmp(line, name, length) != 0) return n;
    snprintf(value, sizeof value, "%.*s", (int)(n - length < 15 ? n - length : 15), line + length);
    long seconds = strtol(value, NULL, 10); /* a date reads as 0: not known */
    t->post->retry_after_s = seconds > 0 && seconds < 1000000 ? (uint32_t)seconds : 0;
    return n;
}

static eg_status perform(const eg_curl *curl, CURL *handle, transfer *t) {
    curl->set(handle, CURLOPT_POSTFIELDS, t->post->body.ptr);
    curl->set(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->post->body.len);
    curl->set(handle, CURLOPT_TIMEOUT_MS, llm_milliseconds_left(t->rq));
    curl->set(handle, CURLOPT_WRITEFUNCTION, take_body);
    curl->set(handle, CURLOPT_WRITEDATA, t);
    curl->set(handle, CURLOPT_HEADERFUNCTION, take_header);
    curl->set(handle, CURLOPT_HEADERDATA, t);
    CURLcode code = curl->perform(handle);
    if (t->too_long)
        return eg_request_fail(t->rq, EG_EFORMAT, "the response is longer than %d bytes: it was not read", LLM_MAX_ANSWER);
    if (code == CURLE_ABORTED_BY_CALLBACK) return eg_request_fail(t->rq, EG_ECANCELLED, "stopped");
    if (code == CURLE_OPERATION_TIMEDOUT) return eg_request_fail(t->rq, EG_EUNAVAILABLE, "no answer in time: see llm.timeout_ms");
    if (code != CURLE_OK) return eg_request_fail(t->rq, EG_EUNAVAILABLE, "cannot ask %s: %s", t->post->url, curl->describe(code));
    curl->info(handle, CURLINFO_RESPONSE_CODE, &t->post->status);
    t->post->answer = (eg_str){t->bytes, t->size};
    return EG_OK;
}

eg_status llm_http_post(eg_request *rq, llm_post *post) {
    const eg_curl *curl = eg_curl_load();
    int wrong = 0;
    if (!curl->ready)
        return eg_request_fail(rq, EG_EUNAVAILABLE, "libcurl cannot be loaded: install the package libcurl4, or use llm.command");
    transfer t = {.rq = rq, .post = post, .bytes = eg_request_array(rq, LLM_MAX_ANSWER, 1)};
    struct curl_slist *headers = NULL;
    if (!t.bytes) return EG_ENOMEM;
    CURL *handle = eg_curl_open(curl, post->url, &rq->cancel, &wrong);
    if (wrong) return eg_request_fail(rq, EG_EUNAVAILABLE, "cannot ask %s: %s", post->url, curl->describe(CURLE_URL_MALFORMAT));
    int whole = handle != NULL;
    for (size_t i = 0; whole && post->headers[i]; i++) {
        struct curl_slist *more = curl->append(headers, post->headers[i]);
        whole = more != NULL;
        if (more) headers = more;
    }
    if (whole) curl->set(handle, CURLOPT_HTTPHEADER, headers);
    eg_status s = whole ? perform(curl, handle, &t) : eg_request_fail(rq, EG_ENOMEM, "out of memory for a request");
    if (handle) curl->cleanup(handle);
    curl->release(headers);
    return s;
}
