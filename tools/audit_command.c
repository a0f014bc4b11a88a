/* audit_command.c - `engram audit`: what in the memory wants to be looked at, by the tool that
 * agents call; its exit status says whether there is anything. */
#include <stdio.h>

#include <cjson/cJSON.h>

#include "tools/cli.h"
#include "tools/memory_print.h"

static void print_example(const cJSON *e) {
    int of_conflict = *text_of(e, "conflict_id") != '\0';
    printf("  %s  ", short_id(e, of_conflict ? "conflict_id" : "fact_id"));
    print_lines(text_of(e, "text"), 12);
    putchar('\n');
    if (!*text_of(e, "detail") && !*text_of(e, "other_id")) return;
    printf("            %s%s", short_id(e, "other_id"), *text_of(e, "other_id") && *text_of(e, "detail") ? "  " : "");
    print_lines(text_of(e, "detail"), 12);
    putchar('\n');
}

/* Returns how many findings there are. */
static double print_findings(const cJSON *r) {
    const cJSON *f, *e;
    double all = 0;
    cJSON_ArrayForEach(f, cJSON_GetObjectItemCaseSensitive(r, "findings")) {
        double count = number_of(f, "count");
        int shown = 0;
        all += count;
        if (count == 0) continue;
        printf("%s: %.0f\n  %s\n", text_of(f, "what"), count, text_of(f, "advice"));
        cJSON_ArrayForEach(e, cJSON_GetObjectItemCaseSensitive(f, "examples")) {
            print_example(e);
            shown++;
        }
        if (count > shown) printf("  and %.0f more\n", count - shown);
    }
    return all;
}

static int audit(const call *c, eg_host *host) {
    static call as_text; /* large; one command runs in a process */
    cJSON *nothing = cJSON_CreateObject(), *r = NULL;
    as_text = *c;
    as_text.json = 0;
    int status = nothing ? memory_tool(&as_text, host, "engram_audit", nothing, &r) : complain("out of memory");
    cJSON_Delete(nothing);
    if (!r) return status;
    double found = 0;
    const cJSON *f;
    cJSON_ArrayForEach(f, cJSON_GetObjectItemCaseSensitive(r, "findings")) found += number_of(f, "count");
    if (c->json) {
        char *text = cJSON_PrintUnformatted(r);
        if (text) print_json(eg_str_of(text));
        else status = complain("out of memory");
        cJSON_free(text);
    } else if (print_findings(r) == 0) {
        printf("nothing to look after in %.0f facts\n", number_of(r, "facts"));
    }
    if (!c->json && number_of(r, "compared") == 0 && number_of(r, "facts") > 0)
        note("no embeddings are there: near duplicates were not looked for");
    cJSON_Delete(r);
    return status ? status : found > 0 ? EXIT_FOUND : EXIT_FINE;
}

int run_audit(const call *c) {
    if (c->positional_count) return complain("audit takes no arguments: '%s'", c->positional[0]);
    eg_host *host = call_host(c, 0, 0, NULL, 0);
    if (!host) return EXIT_ERROR;
    int status = audit(c, host);
    eg_host_close(host);
    return status;
}
