/* curl_loader.c - see curl_loader.h. */
#include "curl_loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static eg_curl curl; /* written once */

static void load(void) {
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (i == 0 && !library) snprintf(curl.why, sizeof curl.why, "%s", dlerror());
    }
    if (library) snprintf(curl.why, sizeof curl.why, "the library lacks a function or does not start");
    const struct {
        const char *name;
        void *to;
    } symbols[] = {
        {"curl_global_init", &curl.global_init}, {"curl_easy_init", &curl.init},       {"curl_easy_cleanup", &curl.cleanup},
        {"curl_easy_setopt", &curl.set},         {"curl_easy_perform", &curl.perform}, {"curl_easy_getinfo", &curl.info},
        {"curl_easy_strerror", &curl.describe},  {"curl_slist_append", &curl.append},  {"curl_slist_free_all", &curl.release}};
    for (size_t i = 0; library && i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (!found) return;
        /* C has no cast between the two kinds of pointers */
        memcpy(symbols[i].to, &found, sizeof found);
    }
    curl.ready = library && curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const eg_curl *eg_curl_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return &curl;
}

static int look_at_stop(void *cancel, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    (void)a, (void)b, (void)c, (void)d;
    return eg_cancel_is_set(cancel);
}

CURL *eg_curl_open(const eg_curl *with, const char *url, const eg_cancel *cancel, int *wrong) {
    CURL *c = with->init();
    *wrong = c && (with->set(c, CURLOPT_URL, url) != CURLE_OK || with->set(c, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK);
    if (*wrong) with->cleanup(c);
    if (!c || *wrong) return NULL;
    with->set(c, CURLOPT_USERAGENT, "engram");
    with->set(c, CURLOPT_FOLLOWLOCATION, 0L);
    with->set(c, CURLOPT_NOSIGNAL, 1L);
    with->set(c, CURLOPT_NOPROGRESS, 0L);
    with->set(c, CURLOPT_XFERINFOFUNCTION, look_at_stop);
    with->set(c, CURLOPT_XFERINFODATA, (void *)cancel);
    return c;
}
