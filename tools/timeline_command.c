/* timeline_command.c - `engram timeline` and `engram diff`: what happened, and its net effect. Both
 * call the tool engram_timeline. */
#include <string.h>

#include <cjson/cJSON.h>

#include "tools/cli.h"
#include "tools/memory_print.h"

enum { PEOPLES_LIMIT = 50 };

/* A fact behind what stands in the line so far; all but its first line are indented. */
static void print_content(const cJSON *fact, int indent) {
    print_lines(text_of(fact, "content"), indent);
    printf("  [%s, %s]\n", text_of(fact, "scope"), text_of(fact, "agent_id"));
}

static int print_head(const char *mark, const cJSON *o, const char *id) { return printf("%s %s  ", mark, short_id(o, id)); }

/* ---- timeline ---- */

static void print_event(const cJSON *e) {
    const cJSON *fact = cJSON_GetObjectItemCaseSensitive(e, "fact"), *before = cJSON_GetObjectItemCaseSensitive(e, "before"),
                *conflict = cJSON_GetObjectItemCaseSensitive(e, "conflict");
    const char *at = text_of(e, "at"), *word = text_of(e, "event");
    int indent = printf("%.10s %.8s  %-8s  ", at, strlen(at) > 11 ? at + 11 : "", word);
    if (fact) {
        int head = printf("%s  ", short_id(fact, "fact_id"));
        print_content(fact, indent + head);
        if (strcmp(word, "closed") == 0)
            printf("%*s%s%s%s\n", indent, "", text_of(fact, "close_reason"), *text_of(fact, "closed_by") ? " by " : "",
                   text_of(fact, "closed_by"));
        if (before) {
            head = printf("%*s%s %s  ", indent, "", strcmp(word, "changed") == 0 ? "was" : "from", short_id(before, "fact_id"));
            print_lines(text_of(before, "content"), head);
            putchar('\n');
        }
        return;
    }
    printf("%s  %s, %s %.2f", short_id(conflict, "conflict_id"), text_of(conflict, "severity"),
           text_of(conflict, "detection_tier"), number_of(conflict, "score"));
    if (strcmp(word, "settled") == 0) {
        printf(": %s%s%s", text_of(conflict, "resolution_type"), *text_of(conflict, "resolved_by") ? " by " : "",
               text_of(conflict, "resolved_by"));
        if (*text_of(conflict, "resolution")) fputs(": ", stdout);
        print_lines(text_of(conflict, "resolution"), indent);
    }
    putchar('\n');
    static const char *const sides[] = {"fact_a", "fact_b"};
    for (int i = 0; i < 2; i++) {
        const cJSON *side = cJSON_GetObjectItemCaseSensitive(conflict, sides[i]);
        int head = printf("%*s%s  ", indent, "", short_id(side, "fact_id"));
        print_content(side, head);
    }
}

int run_timeline(const call *c) {
    size_t limit = memory_limit(c, PEOPLES_LIMIT);
    if (!limit) return EXIT_ERROR;
    if (c->positional_count)
        return complain("timeline takes no arguments: '%s'; --since and --until say a time", c->positional[0]);
    cJSON *a = memory_arguments(c), *table = NULL;
    const cJSON *event;
    int status = EXIT_ERROR;
    eg_host *host = a ? call_host(c, 0, 0, NULL, 0) : NULL;
    if (host) status = memory_pages(c, host, c->command->tool, a, "events", limit, &table);
    cJSON_ArrayForEach(event, table) print_event(event);
    if (table && !cJSON_GetArraySize(table)) puts("nothing happened");
    eg_host_close(host);
    cJSON_Delete(table);
    cJSON_Delete(a);
    return status;
}

/* ---- diff ---- */

static int print_facts_of(const cJSON *r, const char *key, const char *mark) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(r, key), *f;
    cJSON_ArrayForEach(f, list) {
        int indent = print_head(mark, f, "fact_id");
        print_content(f, indent);
        if (mark[0] == '-') printf("%*s%s\n", indent, "", *text_of(f, "close_reason") ? text_of(f, "close_reason") : "expired");
    }
    return cJSON_GetArraySize(list);
}

static void print_diff(const cJSON *r) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(r, "changed"), *c;
    int added = print_facts_of(r, "added", "+"), changed = cJSON_GetArraySize(list);
    cJSON_ArrayForEach(c, list) {
        const cJSON *after = cJSON_GetObjectItemCaseSensitive(c, "after"),
                    *before = cJSON_GetObjectItemCaseSensitive(c, "before");
        int indent = print_head("~", after, "fact_id");
        print_content(after, indent);
        indent = printf("  was %s  ", short_id(before, "fact_id"));
        print_content(before, indent);
    }
    int closed = print_facts_of(r, "closed", "-");
    printf("%d added, %d changed, %d closed\n", added, changed, closed);
}

int run_diff(const call *c) {
    if (c->positional_count < 1 || c->positional_count > 2)
        return complain("diff needs one time or two, such as `engram diff yesterday` or `engram diff 7d 1d`");
    cJSON *a = memory_arguments(c), *r = NULL;
    int status = EXIT_ERROR;
    if (a) cJSON_AddStringToObject(a, "since", c->positional[0]);
    if (a && c->positional_count > 1) cJSON_AddStringToObject(a, "until", c->positional[1]);
    if (a) cJSON_AddTrueToObject(a, "net");
    eg_host *host = a ? call_host(c, 0, 0, NULL, 0) : NULL;
    if (host) status = memory_tool(c, host, c->command->tool, a, &r);
    if (r) print_diff(r);
    eg_host_close(host);
    cJSON_Delete(r);
    cJSON_Delete(a);
    return status;
}
