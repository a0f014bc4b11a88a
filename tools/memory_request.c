/* memory_request.c - see memory_request.h. */
#include "tools/memory_request.h"

#include <string.h>
#include <unistd.h>

int memory_request_begin(const call *c, memory_request *r) {
    eg_error err = {0};
    const eg_request_options options = {.size = sizeof options, .cancel.flag = &stop_flag};
    *r = (memory_request){.host = call_host(c, 0, 0, NULL, 0)};
    if (!r->host) return EXIT_ERROR;
    r->services = eg_host_services(r->host);
    r->ops = r->services->memory_ops;
    r->memory = r->services->memory(r->services->host);
    if (r->services->request_create(r->services->host, &options, &r->rq, &err) == EG_OK) return EXIT_FINE;
    return complain("%s", err.text);
}

void memory_request_end(memory_request *r) {
    if (r->rq) r->services->request_release(r->services->host, r->rq);
    if (r->host) eg_host_close(r->host);
}

int memory_request_complain(const memory_request *r) {
    return complain("%s", r->rq->err->text[0] ? r->rq->err->text : "out of memory");
}

int is_confirmed(const call *c, const char *question, const char *doing) {
    char answer[16] = "";
    if (call_option(c, "yes")) return 1;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        complain("%s: add --yes", doing);
        return 0;
    }
    printf("%s Type yes: ", question);
    fflush(stdout);
    if (!stop_requested() && fgets(answer, sizeof answer, stdin) && strcmp(answer, "yes\n") == 0) return 1;
    complain("nothing was changed");
    return 0;
}
