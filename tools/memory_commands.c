/* memory_commands.c - commit, query, conflicts, resolve, judge, feedback, undo, status: each calls
 * the same tool that agents call over MCP, with its options as JSON arguments, and renders the
 * structured result for people or prints it as it is. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "core/base/clock.h"
#include "tools/cli.h"
#include "tools/memory_print.h"

enum { LIST_PAGE = 200 }; /* rows of a listing that are asked for at once */
#define REEMBED_US 250000 /* that a command spends on embeddings which are missing */
/* Longer than the setting: people want the contradictions, not a promise of them. */
#define DEFAULT_WAIT_MS 30000

/* All values of an option that may be repeated, as an array. */
static void add_texts(const call *c, const option *o, cJSON *a) {
    const char *values[MAX_REPEATED];
    size_t n = call_options(c, o->name, values);
    cJSON *list = cJSON_AddArrayToObject(a, o->argument);
    for (size_t i = 0; list && i < n; i++) cJSON_AddItemToArray(list, cJSON_CreateString(values[i]));
}

cJSON *memory_arguments(const call *c) {
    cJSON *a = cJSON_CreateObject();
    for (size_t i = 0; a && c->command->options[i].name; i++) {
        const option *o = &c->command->options[i];
        const char *v = c->values[i];
        if (!v || !o->argument) continue;
        if (o->repeats) {
            add_texts(c, o, a);
            continue;
        }
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

/* Adds the positional words as an argument; 0 after complaining. */
static int add_positional(const call *c, cJSON *a) {
    const char *key = c->command->positional;
    if (!key) return c->positional_count == 0 || (complain("%s takes no arguments: '%s'", c->command->name, c->positional[0]), 0);
    int deletes = cJSON_IsString(cJSON_GetObjectItem(a, "operation")) && strcmp(text_of(a, "operation"), "delete") == 0;
    if (c->positional_count == 0 && (deletes || strcmp(text_of(a, "operation"), "none") == 0)) return 1;
    if (c->positional_count == 0 && c->command->synopsis[0] == '[') return 1;
    if (c->positional_count == 0) {
        complain("%s needs %s: see `engram help %s`", c->command->name, c->command->synopsis, c->command->name);
        return 0;
    }
    char *text = positional_text(c);
    if (!text) return 0;
    int valid = 1;
    if (strcmp(key, "undo_id") == 0) {
        size_t digits = strspn(text, "0123456789");
        valid = digits > 0 && digits < 16 && !text[digits];
        if (!valid) complain("undo needs the number that a commit or a resolution printed, not '%.60s'", text);
        if (valid) cJSON_AddNumberToObject(a, key, strtod(text, NULL));
    } else {
        cJSON_AddStringToObject(a, key, text);
    }
    free(text);
    return valid;
}

/* The message of a tool, with the name of the argument at its beginning replaced by the option that
 * sets it, or by the FACT_ID of the command line. */
static int complain_for_people(const call *c, const char *said) {
    static const char *const ids[] = {"lineage_id", "corrects_lineage", "fact_id"};
    size_t named = strcspn(said, " :");
    for (size_t i = 0; strncmp(c->command->synopsis, "FACT_ID", strlen("FACT_ID")) == 0 && i < sizeof ids / sizeof *ids; i++)
        if (strlen(ids[i]) == named && strncmp(said, ids[i], named) == 0) return complain("FACT_ID%s", said + named);
    for (const option *o = c->command->options; o->name; o++) {
        size_t n = o->argument ? strlen(o->argument) : 0;
        if (n && strncmp(said, o->argument, n) == 0 && (said[n] == ':' || said[n] == ' '))
            return complain("--%s%s", o->name, said + n);
    }
    return complain("%s", said);
}

/* Calls a tool of the memory. EG_OK: *text is its result, to be freed; else *err says what was
 * wrong. */
static eg_status call_for_text(eg_host *host, const char *tool, const cJSON *a, char **text, eg_error *err) {
    const eg_services *services = eg_host_services(host);
    eg_request *rq = NULL;
    eg_tool_result result = EG_TOOL_RESULT_INIT;
    cJSON *all = cJSON_Duplicate(a, 1);
    /* people and programs get every member; agents only what they need */
    char *arguments = cJSON_AddTrueToObject(all, "verbose") ? cJSON_PrintUnformatted(all) : NULL;
    cJSON_Delete(all);
    *text = NULL;
    *err = (eg_error){.code = EG_ENOMEM, .text = "out of memory"};
    const eg_request_options options = {.size = sizeof options, .cancel.flag = &stop_flag};
    eg_status s = arguments ? services->request_create(services->host, &options, &rq, err) : EG_ENOMEM;
    if (s == EG_OK) {
        s = services->call_tool(services->host, rq, tool, eg_str_of(arguments), &result);
        if (s != EG_OK) *err = *rq->err;
        else if (!(*text = strndup(result.structured.ptr, result.structured.len))) s = EG_ENOMEM;
    }
    services->request_release(services->host, rq);
    cJSON_free(arguments);
    return s;
}

eg_status memory_try(eg_host *host, const char *tool, const cJSON *a, cJSON **out, eg_error *err) {
    char *text;
    *out = NULL;
    eg_status s = call_for_text(host, tool, a, &text, err);
    if (s == EG_OK && !(*out = cJSON_Parse(text))) {
        s = EG_EINTERNAL;
        snprintf(err->text, sizeof err->text, "the result of the tool %s is not valid JSON; --json prints it as it is", tool);
    }
    free(text);
    return s;
}

int memory_tool(const call *c, eg_host *host, const char *tool, const cJSON *a, cJSON **out) {
    eg_error err;
    char *text = NULL;
    *out = NULL;
    eg_status s = c->json ? call_for_text(host, tool, a, &text, &err) : memory_try(host, tool, a, out, &err);
    if (text) puts(text);
    free(text);
    return s == EG_OK ? EXIT_FINE : complain_for_people(c, err.text);
}

int memory_ask(const call *c, eg_host *host, const char *tool, const cJSON *a, cJSON **out) {
    call *quiet = malloc(sizeof *quiet);
    *out = NULL;
    if (!quiet) return complain("out of memory");
    *quiet = *c;
    quiet->json = 0;
    int status = memory_tool(quiet, host, tool, a, out);
    free(quiet);
    return status;
}

size_t memory_limit(const call *c, size_t people) {
    const char *given = call_option(c, "limit");
    char *end = NULL;
    if (!given) return c->json ? SIZE_MAX : people;
    double n = strtod(given, &end);
    if (end != given && !*end && n >= 1 && n <= 1e9 && n == (double)(size_t)n) return (size_t)n;
    complain("--limit is '%s': give a whole number from 1 on", given);
    return 0;
}

static void print_rows(const cJSON *rows) {
    const cJSON *row;
    cJSON_ArrayForEach(row, rows) {
        char *text = cJSON_PrintUnformatted(row);
        if (text) print_json(eg_str_of(text));
        cJSON_free(text);
    }
}

/* The tool's arguments for the next page; `want` rows are still wanted. */
static void set_page(cJSON *a, size_t want, const char *cursor) {
    cJSON_DeleteItemFromObjectCaseSensitive(a, "limit");
    cJSON_AddNumberToObject(a, "limit", (double)(want < LIST_PAGE ? want : LIST_PAGE));
    if (!*cursor) return;
    cJSON_DeleteItemFromObjectCaseSensitive(a, "cursor");
    cJSON_AddStringToObject(a, "cursor", cursor);
}

int memory_pages(const call *c, eg_host *host, const char *tool, cJSON *a, const char *member, size_t limit, cJSON **table) {
    char cursor[80] = "";
    size_t left = limit;
    int status = EXIT_FINE, more = 1;
    *table = c->json ? NULL : cJSON_CreateArray();
    while (more && left && status == EXIT_FINE) {
        cJSON *r;
        set_page(a, left, cursor);
        status = memory_ask(c, host, tool, a, &r);
        cJSON *rows = cJSON_GetObjectItemCaseSensitive(r, member);
        size_t n = (size_t)cJSON_GetArraySize(rows);
        left -= n < left ? n : left;
        snprintf(cursor, sizeof cursor, "%s", text_of(r, "next_cursor"));
        more = *cursor != '\0';
        if (c->json) print_rows(rows);
        while (*table && cJSON_GetArraySize(rows)) cJSON_AddItemToArray(*table, cJSON_DetachItemFromArray(rows, 0));
        cJSON_Delete(r);
    }
    fflush(stdout);
    if (status == EXIT_FINE && more) note("there are more: add --cursor %s", cursor);
    if (status == EXIT_FINE) return status;
    cJSON_Delete(*table);
    *table = NULL;
    return status;
}

int memory_fact(const call *c, eg_host *host, const char *id, cJSON **out, const cJSON **named) {
    cJSON *a = cJSON_CreateObject();
    cJSON_AddStringToObject(a, "lineage_id", id);
    int status = memory_ask(c, host, "engram_lineage", a, out);
    const cJSON *f;
    *named = NULL;
    cJSON_ArrayForEach(f, cJSON_GetObjectItemCaseSensitive(
                              *out, "versions")) if (strcmp(text_of(f, "fact_id"), text_of(*out, "fact_id")) == 0) *named = f;
    cJSON_Delete(a);
    if (status == EXIT_FINE && !*named) return complain("the tool engram_lineage did not tell which version '%.60s' is", id);
    return status;
}

int fact_is_over(const cJSON *fact) {
    const char *until = text_of(fact, "valid_until");
    char now[32];
    struct tm t;
    time_t seconds = time(NULL);
    if (*text_of(fact, "close_reason")) return 1;
    gmtime_r(&seconds, &t);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%S", &t);
    return *until && strncmp(until, now, strlen(now)) < 0; /* times of one form */
}

static int call_tool(const call *c, eg_host *host, const cJSON *a) {
    cJSON *r;
    int status = memory_tool(c, host, c->command->tool, a, &r);
    if (r) print_result(c->command->name, r);
    cJSON_Delete(r);
    return status;
}

/* After a change of the embedding model: computes some of the missing embeddings, and says how many
 * are left. Only in commands that have loaded the model anyway. */
void memory_reembed(const call *c, eg_host *host) {
    const eg_services *services = eg_host_services(host);
    eg_error err = {0};
    eg_request *rq;
    uint64_t left = 0;
    if (strcmp(c->command->name, "commit") != 0 && strcmp(c->command->name, "query") != 0) return;
    fflush(stdout); /* the answer does not wait for it */
    const eg_request_options options = {.size = sizeof options,
                                        .cancel = {.flag = &stop_flag, .deadline = eg_clock_monotonic() + REEMBED_US}};
    if (services->request_create(services->host, &options, &rq, &err) != EG_OK) return;
    /* the command itself has done its work: what fails here is done by a later one, and shown by
     * the status until then */
    if (services->memory_ops->reembed(services->memory(services->host), rq, &left) != EG_OK && c->verbose)
        complain("%s", rq->err->text);
    if (left)
        fprintf(stderr, "engram: %llu facts have no embedding of the current model yet; queries find them by their words only\n",
                (unsigned long long)left);
    services->request_release(services->host, rq);
}

int run_memory(const call *c) {
    if (call_option(c, "batch")) return run_batch(c);
    cJSON *a = memory_arguments(c);
    int status = EXIT_ERROR;
    if (a && add_positional(c, a)) {
        if (strcmp(c->command->name, "commit") == 0 && !cJSON_GetObjectItem(a, "wait_ms"))
            cJSON_AddNumberToObject(a, "wait_ms", DEFAULT_WAIT_MS);
        eg_host *host = call_host(c, 0, 0, NULL, 0);
        if (host) {
            status = call_tool(c, host, a);
            if (status == EXIT_FINE) memory_reembed(c, host);
            eg_host_close(host);
        }
    }
    cJSON_Delete(a);
    return status;
}
