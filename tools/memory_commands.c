/* memory_commands.c - commit, query, conflicts, resolve, feedback, undo, status: each calls the same tool that agents call
 * over MCP, with its options as JSON arguments, and renders the structured result for people or prints it as it is. */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/base/clock.h"
#include "tools/cli.h"

#define REEMBED_US 250000     /* that a command spends on embeddings which are missing */
#define DEFAULT_WAIT_MS 30000 /* longer than the setting: people want the contradictions, not a promise of them */

/* The arguments as a JSON object; NULL after complaining. */
static cJSON *arguments_of(const call *c) {
    cJSON *a = cJSON_CreateObject();
    for (size_t i = 0; a && c->command->options[i].name; i++) {
        const option *o = &c->command->options[i];
        const char *v = c->values[i];
        if (!v) continue;
        char *end = NULL;
        double number = o->kind == JSON_NUMBER ? strtod(v, &end) : 0;
        if (o->kind == JSON_NUMBER && (end == v || *end)) {
            complain("--%s is '%s': it must be a number", o->name, v);
            cJSON_Delete(a);
            return NULL;
        }
        if (o->kind == JSON_NUMBER) cJSON_AddNumberToObject(a, o->argument, number);
        else if (o->kind == JSON_FLAG) cJSON_AddBoolToObject(a, o->argument, 1);
        else cJSON_AddStringToObject(a, o->argument, v);
    }
    if (!a) complain("out of memory");
    return a;
}

/* The positional words joined by spaces, or standard input for "-"; to be freed. */
static char *positional_text(const call *c) {
    size_t size = 1;
    if (c->positional_count == 1 && strcmp(c->positional[0], "-") == 0) {
        char *text = read_stream(stdin, "standard input", 2 * EG_MAX_CONTENT, &size);
        if (!text || !memchr(text, '\0', size)) return text;
        free(text);
        complain("standard input contains a NUL byte: it must be text");
        return NULL;
    }
    for (size_t i = 0; i < c->positional_count; i++) size += strlen(c->positional[i]) + 1;
    char *p = malloc(size), *to = p;
    if (!p) {
        complain("out of memory");
        return NULL;
    }
    for (size_t i = 0; i < c->positional_count; i++) to += sprintf(to, "%s%s", i ? " " : "", c->positional[i]);
    *to = '\0';
    return p;
}

static const char *text_of(const cJSON *o, const char *key) {
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsString(v) ? tame(v->valuestring) : "";
}
static double number_of(const cJSON *o, const char *key) {
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(v) ? v->valuedouble : 0;
}
static int true_of(const cJSON *o, const char *key) { return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, key)); }

/* Ids as they are shown to people: the last eight digits. */
static const char *short_id(const cJSON *o, const char *key) {
    const char *id = text_of(o, key);
    size_t n = strlen(id);
    return n > 8 ? id + n - 8 : id;
}

/* Prints a text of several lines: all but the first are indented by `indent` columns. */
static void print_lines(const char *text, int indent) {
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
        printf("%.*s\n%*s", (int)(end - text), text, indent, "");
    fputs(text, stdout);
}

static void print_side(const char *label, const cJSON *fact) {
    int indent = printf("  %s  ", label);
    print_lines(text_of(fact, "content"), indent);
    printf("  [%s, %s%s%s]\n", text_of(fact, "scope"), text_of(fact, "agent_id"), *text_of(fact, "provenance") ? ", " : "",
           text_of(fact, "provenance"));
}

static void print_conflict(const cJSON *c) {
    printf("conflict %s  %s  %s %.2f  %s\n", short_id(c, "conflict_id"), text_of(c, "severity"), text_of(c, "detection_tier"),
           number_of(c, "score"), text_of(c, "status"));
    const cJSON *a = cJSON_GetObjectItemCaseSensitive(c, "fact_a"), *b = cJSON_GetObjectItemCaseSensitive(c, "fact_b");
    print_side(short_id(a, "fact_id"), a);
    print_side(short_id(b, "fact_id"), b);
    fputs("  ", stdout);
    print_lines(text_of(c, "explanation"), 2);
    putchar('\n');
    if (strcmp(text_of(c, "status"), "expired") == 0) {
        const char *of_a = text_of(a, "valid_until"), *of_b = text_of(b, "valid_until");
        int first = *of_a && (!*of_b || strcmp(of_a, of_b) <= 0); /* UTC: as texts they are in order */
        printf("  expired: fact %s was valid until %s\n", short_id(first ? a : b, "fact_id"), first ? of_a : of_b);
    }
    if (!*text_of(c, "resolution_type")) return;
    printf("  settled: %s by %s  ", text_of(c, "resolution_type"), text_of(c, "resolved_by"));
    print_lines(text_of(c, "resolution"), 2);
    putchar('\n');
}

/* The number for `engram undo`, where the change can be undone. */
static void print_undo_id(const cJSON *r) {
    if (number_of(r, "undo_id") > 0) printf("  (undo %.0f)", number_of(r, "undo_id"));
    putchar('\n');
}

static void print_commit(const cJSON *r) {
    const cJSON *one;
    if (!*text_of(r, "fact_id")) {
        puts("nothing was stored");
        return;
    }
    int known = true_of(r, "duplicate"), deleted = strcmp(text_of(r, "operation"), "delete") == 0;
    printf("%s: fact %s", known ? "already known" : text_of(r, "operation"), short_id(r, "fact_id"));
    if (deleted) fputs(" closed, nothing replaces it", stdout); /* what it superseded itself is of no interest now */
    else if (!known && *text_of(r, "supersedes_fact_id")) printf(", supersedes %s", short_id(r, "supersedes_fact_id"));
    print_undo_id(r);
    const cJSON *conflicts = cJSON_GetObjectItemCaseSensitive(r, "conflicts");
    cJSON_ArrayForEach(one, conflicts) print_conflict(one);
    if (strcmp(text_of(r, "detection"), "queued") == 0)
        puts("the search for contradictions has not finished yet: run `engram conflicts` later");
}

static void print_query(const cJSON *r) {
    const cJSON *one;
    int n = 0;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(r, "results")) {
        n++;
        printf("%.2f  %s  ", number_of(one, "relevance"), short_id(one, "fact_id"));
        print_lines(text_of(one, "content"), 6);
        printf("\n      [%s, %s, %s%s%s] %s\n", text_of(one, "scope"), text_of(one, "agent_id"), text_of(one, "fact_type"),
               *text_of(one, "provenance") ? ", " : "", text_of(one, "provenance"), text_of(one, "why"));
        if (*text_of(one, "close_reason"))
            printf("      CLOSED %s: %s\n", text_of(one, "closed_at"), text_of(one, "close_reason"));
        else if (*text_of(one, "valid_until")) printf("      valid until %s\n", text_of(one, "valid_until"));
        if (true_of(one, "has_open_conflict")) puts("      DISPUTED: another fact contradicts it; see `engram conflicts`");
    }
    if (n == 0) puts("nothing is known about that");
}

static void print_conflicts(const cJSON *r) {
    const cJSON *one;
    int n = 0;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(r, "conflicts")) {
        if (n++) putchar('\n');
        print_conflict(one);
    }
    if (n == 0) puts("no conflicts");
    const cJSON *history = cJSON_GetObjectItemCaseSensitive(r, "history");
    if (cJSON_GetArraySize(history) > 2) puts("history:");
    if (cJSON_GetArraySize(history) <= 2) return; /* the two facts stand above */
    cJSON_ArrayForEach(one, history) {
        printf("  %s  ", text_of(one, "committed_at"));
        print_lines(text_of(one, "content"), 6);
        printf("  [%s%s%s]\n", text_of(one, "agent_id"), *text_of(one, "close_reason") ? ", closed: " : "",
               text_of(one, "close_reason"));
    }
}

static void print_facts(const cJSON *r, const char *key, const char *label) {
    const cJSON *one;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(r, key)) {
        printf("  %s %s  ", label, short_id(one, "fact_id"));
        print_lines(text_of(one, "content"), 6);
        putchar('\n');
    }
}

static void print_undone(const cJSON *r) {
    printf("undone: %s", text_of(r, "undone"));
    print_undo_id(r);
    print_facts(r, "restored", "restored");
    print_facts(r, "closed", "closed  ");
}

static void print_resolved(const cJSON *r) {
    const cJSON *merged = cJSON_GetObjectItemCaseSensitive(r, "merged");
    printf("conflict %s: %s", short_id(r, "conflict_id"), text_of(r, "resolution_type"));
    print_undo_id(r);
    print_facts(r, "closed", "closed ");
    if (cJSON_IsObject(merged)) printf("  new     %s  %s\n", short_id(merged, "fact_id"), text_of(merged, "content"));
}

/* Members of the result, one a line; nested ones indented. The status has two levels. */
static void print_members(const cJSON *o, const char *indent) {
    const cJSON *one, *inner;
    cJSON_ArrayForEach(one, o) {
        if (strcmp(one->string ? one->string : "", "notice") == 0) continue;
        char *text = cJSON_IsString(one) ? NULL : cJSON_PrintUnformatted(one);
        if (cJSON_IsObject(one)) {
            printf("%s%s:\n", indent, one->string);
            cJSON_ArrayForEach(inner, one) {
                char *value = cJSON_IsString(inner) ? NULL : cJSON_PrintUnformatted(inner);
                printf("%s  %-14s %s\n", indent, inner->string, tame(value ? value : inner->valuestring));
                cJSON_free(value);
            }
        } else {
            printf("%s%-16s %s\n", indent, one->string ? one->string : "", tame(text ? text : one->valuestring));
        }
        cJSON_free(text);
    }
}

static void print_result(const call *c, const cJSON *r) {
    const char *name = c->command->name;
    if (strcmp(name, "commit") == 0) print_commit(r);
    else if (strcmp(name, "query") == 0) print_query(r);
    else if (strcmp(name, "conflicts") == 0) print_conflicts(r);
    else if (strcmp(name, "resolve") == 0) print_resolved(r);
    else if (strcmp(name, "undo") == 0) print_undone(r);
    else print_members(r, "");
}

/* Adds the positional words as an argument; 0 after complaining. */
static int add_positional(const call *c, cJSON *a) {
    const char *key = c->command->positional;
    if (!key) return c->positional_count == 0 || (complain("%s takes no arguments: '%s'", c->command->name, c->positional[0]), 0);
    int deletes = cJSON_IsString(cJSON_GetObjectItem(a, "operation")) && strcmp(text_of(a, "operation"), "delete") == 0;
    if (c->positional_count == 0 && (deletes || strcmp(text_of(a, "operation"), "none") == 0)) return 1;
    if (c->positional_count == 0 && c->command->synopsis[0] == '[') return 1;
    if (c->positional_count == 0) return complain("%s needs %s", c->command->name, c->command->synopsis), 0;
    char *text = positional_text(c);
    if (!text) return 0;
    int valid = 1;
    if (strcmp(key, "undo_id") == 0) {
        size_t digits = strspn(text, "0123456789");
        valid = digits > 0 && digits < 16 && !text[digits];
        if (!valid) complain("undo needs the number that a commit or a resolution printed, not '%.60s'", tame(text));
        if (valid) cJSON_AddNumberToObject(a, key, strtod(text, NULL));
    } else {
        cJSON_AddStringToObject(a, key, text);
    }
    free(text);
    return valid;
}

/* The message of a tool, with the name of the argument at its beginning replaced by the option that sets it. */
static int complain_for_people(const call *c, const char *said) {
    for (const option *o = c->command->options; o->name; o++) {
        size_t n = o->argument ? strlen(o->argument) : 0;
        if (n && strncmp(said, o->argument, n) == 0 && (said[n] == ':' || said[n] == ' '))
            return complain("--%s%s", o->name, said + n);
    }
    return complain("%s", said);
}

static int call_tool(const call *c, eg_host *host, const cJSON *a) {
    const eg_services *services = eg_host_services(host);
    eg_error err = {0};
    eg_request *rq = NULL;
    eg_tool_result result = EG_TOOL_RESULT_INIT;
    char *text = cJSON_PrintUnformatted(a);
    int status = EXIT_FINE;
    const eg_request_options options = {.size = sizeof options, .cancel.flag = &stop_flag};
    if (!text || services->request_create(services->host, &options, &rq, &err) != EG_OK) {
        cJSON_free(text);
        return complain("%s", err.text[0] ? err.text : "out of memory");
    }
    if (services->call_tool(services->host, rq, c->command->tool, eg_str_of(text), &result) != EG_OK) {
        status = complain_for_people(c, rq->err->text);
    } else if (c->json) {
        printf("%.*s\n", (int)result.structured.len, result.structured.ptr);
    } else {
        cJSON *r = cJSON_ParseWithLength(result.structured.ptr, result.structured.len);
        if (r) print_result(c, r);
        else status = complain("the result of the tool %s is not valid JSON; --json prints it as it is", c->command->tool);
        cJSON_Delete(r);
    }
    services->request_release(services->host, rq);
    cJSON_free(text);
    return status;
}

/* After a change of the embedding model: computes some of the missing embeddings, and says how many are left. Only in commands
 * that have loaded the model anyway. */
static void reembed_a_little(const call *c, eg_host *host) {
    const eg_services *services = eg_host_services(host);
    eg_error err = {0};
    eg_request *rq;
    uint64_t left = 0;
    if (strcmp(c->command->name, "commit") != 0 && strcmp(c->command->name, "query") != 0) return;
    fflush(stdout); /* the answer does not wait for it */
    const eg_request_options options = {.size = sizeof options,
                                        .cancel = {.flag = &stop_flag, .deadline = eg_clock_monotonic() + REEMBED_US}};
    if (services->request_create(services->host, &options, &rq, &err) != EG_OK) return;
    /* the command itself has done its work: what fails here is done by a later one, and shown by the status until then */
    if (services->memory_ops->reembed(services->memory(services->host), rq, &left) != EG_OK && c->verbose)
        complain("%s", rq->err->text);
    if (left)
        fprintf(stderr, "engram: %llu facts have no embedding of the current model yet; queries find them by their words only\n",
                (unsigned long long)left);
    services->request_release(services->host, rq);
}

int run_memory(const call *c) {
    cJSON *a = arguments_of(c);
    int status = EXIT_ERROR;
    if (a && add_positional(c, a)) {
        if (strcmp(c->command->name, "commit") == 0 && !cJSON_GetObjectItem(a, "wait_ms"))
            cJSON_AddNumberToObject(a, "wait_ms", DEFAULT_WAIT_MS);
        eg_host *host = call_host(c, 0, 0, NULL, 0);
        if (host) {
            status = call_tool(c, host, a);
            if (status == EXIT_FINE) reembed_a_little(c, host);
            eg_host_close(host);
        }
    }
    cJSON_Delete(a);
    return status;
}
