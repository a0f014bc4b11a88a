/* review_command.c - `engram review`: asks a person about the pairs of facts that may contradict
 * each other. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cli.h"
#include "tools/memory_print.h"

enum { MOST = 100 };

/* The verdict that an answer stands for; NULL: none. */
static const char *verdict_of(const char *answer) {
    static const char *const verdicts[] = {"contradiction", "update", "both_valid", "same", "unrelated"};
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (answer[0] == verdicts[i][0] && (!answer[1] || strcmp(answer, verdicts[i]) == 0)) return verdicts[i];
    return NULL;
}

/* A line of standard input without its end; 0 at the end of input or when a signal came. */
static int ask(const char *question, char *line, size_t size) {
    printf("%s", question);
    fflush(stdout);
    if (stop_requested() || !fgets(line, (int)size, stdin)) return 0;
    line[strcspn(line, "\n")] = '\0';
    return 1;
}

static int judge(const call *c, eg_host *host, const cJSON *conflict, const char *verdict, const char *reason) {
    cJSON *a = cJSON_CreateObject(), *r = NULL;
    cJSON_AddStringToObject(a, "review_id", text_of(conflict, "conflict_id"));
    cJSON_AddStringToObject(a, "verdict", verdict);
    cJSON_AddStringToObject(a, "reason", *reason ? reason : "judged by a person who read both facts");
    int status = memory_tool(c, host, "engram_judge", a, &r);
    if (r) print_result("judge", r);
    cJSON_Delete(r);
    cJSON_Delete(a);
    return status;
}

/* Asks about each pair in turn; -1: the person wants to stop. */
static int ask_about(const call *c, eg_host *host, const cJSON *conflict) {
    char answer[64], reason[EG_MAX_RESOLUTION];
    const cJSON *a = cJSON_GetObjectItemCaseSensitive(conflict, "fact_a"),
                *b = cJSON_GetObjectItemCaseSensitive(conflict, "fact_b");
    printf("\n%s\n", text_of(conflict, "explanation"));
    print_side("earlier", a);
    print_stated(conflict, "stated_a");
    print_side("later  ", b);
    print_stated(conflict, "stated_b");
    for (;;) {
        if (!ask("Do they contradict each other? c contradiction, u update (the later replaces the earlier), b both valid,\n"
                 "s same, n not related, Enter for later, q quit: ",
                 answer, sizeof answer))
            return -1;
        if (!*answer) return EXIT_FINE;
        if (strcmp(answer, "q") == 0) return -1;
        const char *verdict = verdict_of(strcmp(answer, "n") == 0 ? "unrelated" : answer);
        if (strcmp(answer, "u") == 0) verdict = "update";
        if (!verdict) {
            fputs("this is none of the answers: ", stdout);
            print_shown(eg_str_of(answer));
            putchar('\n');
            continue;
        }
        if (!ask("Why, in one sentence (may be empty): ", reason, sizeof reason)) return -1;
        return judge(c, host, conflict, verdict, reason);
    }
}

static int review(const call *c, eg_host *host) {
    cJSON *a = cJSON_CreateObject(), *r = NULL;
    cJSON_AddStringToObject(a, "status", "suspected");
    cJSON_AddNumberToObject(a, "limit", MOST);
    const char *scope = call_option(c, "scope");
    if (scope) cJSON_AddStringToObject(a, "scope", scope);
    int status = memory_tool(c, host, "engram_conflicts", a, &r);
    const cJSON *one, *list = cJSON_GetObjectItemCaseSensitive(r, "conflicts");
    if (r && cJSON_GetArraySize(list) == 0) puts("no pair of facts waits for a review");
    else if (r && !isatty(STDIN_FILENO)) print_result("conflicts", r);
    else cJSON_ArrayForEach(one, list) {
            int answered = ask_about(c, host, one);
            if (answered < 0) break;
            if (answered != EXIT_FINE) status = answered;
        }
    cJSON_Delete(r);
    cJSON_Delete(a);
    return status;
}

int run_review(const call *c) {
    if (c->positional_count) return complain("review takes no arguments: '%s'", c->positional[0]);
    eg_host *host = call_host(c, 0, 0, NULL, 0);
    if (!host) return EXIT_ERROR;
    int status = review(c, host);
    eg_host_close(host);
    return status;
}
