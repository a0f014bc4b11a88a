/* test_http.c - what bounds a download: its deadline, and where redirects may lead. With a server
 * of its own on this machine. What pulls make of it is tested in tests/tools/test_models.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/curl/curl_loader.h"
#include "core/hub/address.h"
#include "core/hub/http.h"

enum { SECOND = 1000000 };

/* Answers one request with `head`, then with a byte each 20 ms until the client goes away. */
typedef struct server {
    int fd;
    const char *head;
    char url[64];
    pthread_t thread;
} server;

static void *serve(void *self) {
    server *s = self;
    char request[4096];
    int c = accept(s->fd, NULL, NULL);
    if (c < 0) return NULL;
    if (recv(c, request, sizeof request, 0) > 0 && send(c, s->head, strlen(s->head), MSG_NOSIGNAL) > 0)
        for (int i = 0; i < 500 && send(c, "x", 1, MSG_NOSIGNAL) == 1; i++) usleep(20000);
    close(c);
    return NULL;
}

static void start(server *s, const char *head) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    s->head = head;
    s->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(s->fd, (struct sockaddr *)&at, n), 0);
    assert_int_equal(listen(s->fd, 1), 0);
    assert_int_equal(getsockname(s->fd, (struct sockaddr *)&at, &n), 0);
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d/x", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(server *s) {
    shutdown(s->fd, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->fd);
}

static eg_status begin(void *self, const eg_http_answer *answer, eg_error *err) {
    (void)self, (void)answer, (void)err;
    return EG_OK;
}
static eg_status take(void *self, const void *bytes, size_t n, eg_error *err) {
    (void)bytes, (void)err;
    *(size_t *)self += n;
    return EG_OK;
}

static void skip_without_curl(void) {
    if (eg_curl_load()->ready) return;
    print_message("skip: libcurl is not there\n");
    skip();
}

/* A server that keeps sending a little does not hold a download for ever. */
static void the_deadline_of_a_transfer(void **state) {
    (void)state;
    skip_without_curl();
    server s;
    size_t taken = 0;
    eg_error err = {0};
    eg_http_answer answer;
    start(&s, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
    int64_t begun = eg_clock_monotonic();
    const eg_cancel cancel = {.deadline = begun + SECOND / 2};
    const eg_http_get get = {.url = s.url, .cancel = &cancel, .begin = begin, .take = take, .self = &taken};
    eg_status status = eg_http_run(&get, &answer, &err);
    if (status != EG_ECANCELLED) fail_msg("%d: %s", (int)status, err.text);
    assert_non_null(strstr(err.text, "the time for the download is over; the same command goes on where it was"));
    assert_true(taken > 0 && eg_clock_monotonic() - begun < 8 * SECOND);
    stop(&s);
}

/* From this machine to where clouds keep the secrets of machines: refused before anything is
 * sent. */
static void a_redirect_that_leads_nearer(void **state) {
    (void)state;
    skip_without_curl();
    server s;
    size_t taken = 0;
    eg_error err = {0};
    eg_http_answer answer;
    start(&s, "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    const eg_http_get get = {.url = s.url, .begin = begin, .take = take, .self = &taken};
    int64_t begun = eg_clock_monotonic();
    assert_int_equal(eg_http_run(&get, &answer, &err), EG_EREFUSED);
    assert_non_null(strstr(err.text, "a redirect leads to http://169.254.169.254, which only this machine or network can see"));
    assert_true(taken == 0 && eg_clock_monotonic() - begun < 8 * SECOND);
    stop(&s);
}

static eg_reach reach_of(const char *text) {
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &four.sin_addr) == 1) return eg_address_reach((struct sockaddr *)&four);
    assert_int_equal(inet_pton(AF_INET6, text, &six.sin6_addr), 1);
    return eg_address_reach((struct sockaddr *)&six);
}

static void reaches(void **state) {
    (void)state;
    static const struct {
        const char *text;
        eg_reach reach;
    } cases[] = {{"8.8.8.8", EG_REACH_WORLD},
                 {"172.15.255.255", EG_REACH_WORLD},
                 {"172.32.0.1", EG_REACH_WORLD},
                 {"100.128.0.1", EG_REACH_WORLD},
                 {"223.255.255.255", EG_REACH_WORLD},
                 {"2606:4700::1111", EG_REACH_WORLD},
                 {"::ffff:8.8.8.8", EG_REACH_WORLD},
                 {"10.0.0.1", EG_REACH_NETWORK},
                 {"172.16.0.1", EG_REACH_NETWORK},
                 {"172.31.255.255", EG_REACH_NETWORK},
                 {"192.168.3.4", EG_REACH_NETWORK},
                 {"100.64.0.1", EG_REACH_NETWORK},
                 {"198.19.0.1", EG_REACH_NETWORK},
                 {"fd12::1", EG_REACH_NETWORK},
                 {"64:ff9b::10.0.0.1", EG_REACH_NETWORK},
                 {"127.0.0.1", EG_REACH_MACHINE},
                 {"127.9.9.9", EG_REACH_MACHINE},
                 {"0.0.0.0", EG_REACH_MACHINE},
                 {"::1", EG_REACH_MACHINE},
                 {"::", EG_REACH_MACHINE},
                 {"::ffff:127.0.0.1", EG_REACH_MACHINE},
                 {"2002:7f00:1::", EG_REACH_MACHINE},
                 {"169.254.169.254", EG_REACH_LINK},
                 {"fe80::1", EG_REACH_LINK},
                 {"224.0.0.1", EG_REACH_LINK},
                 {"255.255.255.255", EG_REACH_LINK},
                 {"ff02::1", EG_REACH_LINK},
                 {"192.0.0.170", EG_REACH_LINK},
                 {"fec0::1", EG_REACH_LINK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (reach_of(cases[i].text) != cases[i].reach) fail_msg("%s", cases[i].text);
}

int main(void) {
    static const char *const proxies[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
    for (size_t i = 0; i < sizeof proxies / sizeof *proxies; i++) unsetenv(proxies[i]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_deadline_of_a_transfer),
                                       cmocka_unit_test(a_redirect_that_leads_nearer), cmocka_unit_test(reaches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
