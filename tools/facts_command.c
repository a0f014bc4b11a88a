/* facts_command.c - `engram facts` and `engram show`: what the memory holds, as a list and one by
 * one. Both call the tools that agents call. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "tools/cli.h"
#include "tools/memory_print.h"

enum { PEOPLES_LIMIT = 50, NARROWEST = 60 };

/* ---- facts ---- */

/* What a reader should know of a fact first, in one word. */
static const char *state_of(const cJSON *fact) {
    if (*text_of(fact, "close_reason")) return text_of(fact, "close_reason");
    if (fact_is_over(fact)) return "expired";
    if (true_of(fact, "has_open_conflict")) return "disputed";
    if (true_of(fact, "pinned")) return "pinned";
    if (strcmp(text_of(fact, "durability"), "ephemeral") == 0) return "ephemeral";
    return "current";
}

static size_t columns_of(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

/* Bytes of the text that fill at most so many columns. */
static size_t fitting(const char *text, size_t columns) {
    size_t i = 0;
    for (size_t n = 0; text[i]; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80 && n++ == columns) break;
    return i;
}

/* The width of the terminal; 0: the output is none, and nothing is cut. */
static size_t width_of_terminal(void) {
    struct winsize w;
    if (!isatty(STDOUT_FILENO)) return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0) return 0;
    return w.ws_col < NARROWEST ? NARROWEST : w.ws_col;
}

/* The text in one line, cut where the line ends. */
static void print_one_line(const char *text, size_t columns) {
    size_t n = columns ? fitting(text, columns) : strlen(text);
    int cut = text[n] != '\0';
    if (cut) n = fitting(text, columns - 1);
    for (size_t i = 0; i < n; i++) putchar(text[i] == '\n' || text[i] == '\t' ? ' ' : text[i]);
    fputs(cut ? "…\n" : "\n", stdout);
}

static void print_padded(const char *text, size_t width) {
    fputs(text, stdout);
    for (size_t n = columns_of(text); n < width + 2; n++) putchar(' ');
}

static void print_table(const cJSON *facts, int expiring) {
    enum { ID, DAY, SCOPE, AGENT, STATE, COLUMNS };
    static const char *const titles[COLUMNS] = {"ID", "COMMITTED", "SCOPE", "AGENT", "STATE"};
    size_t width[COLUMNS], used = 0, terminal = width_of_terminal();
    const cJSON *fact;
    char day[32];
    for (int i = 0; i < COLUMNS; i++) width[i] = strlen(titles[i]);
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            for (int i = 0; i < COLUMNS; i++) print_padded(i == DAY && expiring ? "EXPIRES" : titles[i], width[i]);
            puts("FACT");
            for (int i = 0; i < COLUMNS; i++) used += width[i] + 2;
        }
        cJSON_ArrayForEach(fact, facts) {
            snprintf(day, sizeof day, "%.*s", expiring ? 16 : 10, text_of(fact, expiring ? "valid_until" : "committed_at"));
            if (day[0] && expiring) day[10] = ' ';
            const char *const cells[COLUMNS] = {short_id(fact, "fact_id"), day, text_of(fact, "scope"), text_of(fact, "agent_id"),
                                                state_of(fact)};
            for (int i = 0; i < COLUMNS; i++) {
                if (pass) print_padded(cells[i], width[i]);
                else if (columns_of(cells[i]) > width[i]) width[i] = columns_of(cells[i]);
            }
            if (pass) print_one_line(text_of(fact, "content"), !terminal ? 0 : terminal > used + 20 ? terminal - used : 20);
        }
    }
}

int run_facts(const call *c) {
    size_t limit = memory_limit(c, PEOPLES_LIMIT);
    if (!limit) return EXIT_ERROR;
    if (c->positional_count)
        return complain("facts takes no arguments: '%s'; `engram query` finds facts about a topic, `engram show` prints one",
                        c->positional[0]);
    cJSON *a = memory_arguments(c);
    const char *expiring = call_option(c, "expiring");
    static const char *const others[] = {"type", "agent", "as-of", "since", "all", "cursor"};
    int status = a ? EXIT_FINE : EXIT_ERROR;
    for (size_t i = 0; expiring && i < sizeof others / sizeof *others; i++)
        if (call_option(c, others[i]))
            status = complain("--expiring goes with --scope and --limit only: leave --%s out", others[i]);
    eg_host *host = status == EXIT_FINE ? call_host(c, 0, 0, NULL, 0) : NULL;
    cJSON *table = NULL;
    if (host) status = memory_pages(c, host, expiring ? "engram_expiring" : c->command->tool, a, "facts", limit, &table);
    else status = EXIT_ERROR;
    if (table && cJSON_GetArraySize(table)) print_table(table, expiring != NULL);
    else if (table) puts("no facts");
    cJSON_Delete(table);
    eg_host_close(host);
    cJSON_Delete(a);
    return status;
}

/* ---- show ---- */

static void print_field(const char *name, const char *text) {
    if (!*text) return;
    int indent = printf("%-11s", name);
    print_lines(text, indent);
    putchar('\n');
}

static void print_window(const cJSON *f) {
    const char *until = text_of(f, "valid_until"), *reason = text_of(f, "close_reason"), *by = text_of(f, "closed_by");
    printf("%-11s%s", "valid", text_of(f, "valid_from"));
    if (*reason) printf(" to %s: %s%s%s", until, reason, *by ? " by " : "", by);
    else if (fact_is_over(f)) printf(" to %s: expired", until);
    else if (*until) printf(" until %s", until);
    else fputs(" until something replaces it", stdout);
    putchar('\n');
}

static void print_fact(const cJSON *f) {
    const cJSON *one;
    printf("fact %s\n", text_of(f, "fact_id"));
    fputs("  ", stdout);
    print_lines(text_of(f, "content"), 2);
    putchar('\n');
    print_field("scope", text_of(f, "scope"));
    printf("%-11s%s, confidence %g, %s%s\n", "type", text_of(f, "fact_type"), number_of(f, "confidence"),
           text_of(f, "durability"), true_of(f, "pinned") ? ", pinned" : "");
    printf("%-11s%s%s%s%s\n", "by", *text_of(f, "agent_id") ? text_of(f, "agent_id") : "nobody",
           *text_of(f, "engineer") ? " for " : "", text_of(f, "engineer"), true_of(f, "has_open_conflict") ? ", DISPUTED" : "");
    print_field("committed", text_of(f, "committed_at"));
    print_window(f);
    print_field("evidence", text_of(f, "provenance"));
    print_field("artifact", text_of(f, "artifact_hash"));
    if (number_of(f, "corroborations") > 0) printf("%-11s%g other agents\n", "said by", number_of(f, "corroborations"));
    print_field("merged of", text_of(f, "parent_a"));
    print_field("", text_of(f, "parent_b"));
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(f, "statements")) {
        eg_str text = eg_str_of(cJSON_IsString(one) ? one->valuestring : "");
        printf("%-11s", "statement");
        print_shown(text);
        putchar('\n');
    }
}

static void print_versions(const cJSON *versions, const char *shown) {
    const cJSON *f;
    int n = 0, all = cJSON_GetArraySize(versions);
    if (all < 2) return;
    printf("versions, oldest first:\n");
    cJSON_ArrayForEach(f, versions) {
        int this = strcmp(text_of(f, "fact_id"), shown) == 0;
        int indent = printf("%c %d  %s  %.10s  ", this ? '*' : ' ', ++n, short_id(f, "fact_id"), text_of(f, "committed_at"));
        print_lines(text_of(f, "content"), indent);
        printf("  [%s, %s%s]\n", text_of(f, "agent_id"), *text_of(f, "restored_from_fact_id") ? "brought back, " : "",
               state_of(f));
    }
}

static void print_conflicts_of(const cJSON *conflicts) {
    const cJSON *one;
    cJSON_ArrayForEach(one, conflicts) {
        print_conflict(one);
        if (*text_of(one, "resolution_type"))
            printf("  settled: %s%s%s%s%s\n", text_of(one, "resolution_type"), *text_of(one, "resolved_by") ? " by " : "",
                   text_of(one, "resolved_by"), *text_of(one, "resolution") ? ": " : "", text_of(one, "resolution"));
    }
}

static void print_shown_fact(const cJSON *r) {
    const cJSON *f, *versions = cJSON_GetObjectItemCaseSensitive(r, "versions");
    const char *shown = text_of(r, "fact_id");
    cJSON_ArrayForEach(f, versions) if (strcmp(text_of(f, "fact_id"), shown) == 0) print_fact(f);
    print_versions(versions, shown);
    print_conflicts_of(cJSON_GetObjectItemCaseSensitive(r, "conflicts"));
}

int run_show(const call *c) {
    if (c->positional_count != 1) return complain("show needs one FACT_ID: `engram facts` lists them");
    cJSON *a = cJSON_CreateObject(), *r = NULL;
    int status = EXIT_ERROR;
    cJSON_AddStringToObject(a, "lineage_id", c->positional[0]);
    eg_host *host = call_host(c, 0, 0, NULL, 0);
    if (host) status = memory_tool(c, host, c->command->tool, a, &r);
    if (r) print_shown_fact(r);
    eg_host_close(host);
    cJSON_Delete(r);
    cJSON_Delete(a);
    return status;
}
