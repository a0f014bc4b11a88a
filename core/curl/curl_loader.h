/* curl_loader.h - libcurl, loaded when it is first needed: its headers are needed to build, the
 * library only where something goes over a network. And what all transfers of Engram have in
 * common. Not here: what is sent, redirects, how errors are told (core/hub/http.c, plugin llm).
 * Whoever links it has a copy of its own: a plugin sees nothing else of core but the public
 * headers. Thread class: any. */
#ifndef EG_CURL_LOADER_H
#define EG_CURL_LOADER_H

#include <curl/curl.h>

#include "engram/infer.h"

/* The functions of libcurl that are called. */
typedef struct eg_curl {
    __typeof__(curl_global_init) *global_init;
    __typeof__(curl_easy_init) *init;
    __typeof__(curl_easy_cleanup) *cleanup;
    __typeof__(curl_easy_setopt) *set;
    __typeof__(curl_easy_perform) *perform;
    __typeof__(curl_easy_getinfo) *info;
    __typeof__(curl_easy_strerror) *describe;
    __typeof__(curl_slist_append) *append;
    __typeof__(curl_slist_free_all) *release;
    int ready;
    char why[200]; /* when it is not */
} eg_curl;

/* Loads the library with the first call. Never NULL; of one that is not ready only `why` may be
 * used. */
const eg_curl *eg_curl_load(void);
/* A handle for one transfer: http and https only, no redirects, no signals, ended with
 * CURLE_ABORTED_BY_CALLBACK once `cancel` is set, which may be NULL; its deadline does not count.
 * For `cleanup`. NULL: no memory, or *wrong is set to 1: the address is not taken. */
CURL *eg_curl_open(const eg_curl *curl, const char *url, const eg_cancel *cancel, int *wrong);

#endif
