/* batch_command.c - `engram commit --batch`: a commit for each line of a JSONL file. All lines are
 * looked at before the first is stored; then each is a commit of its own, by the tool
 * engram_commit. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/base/json.h"
#include "tools/cli.h"
#include "tools/memory_print.h"

enum { MAX_FILE = 256 << 20, DEFAULT_WAIT_MS = 30000 };

typedef struct line {
    size_t number;
    eg_str text;
} line;

typedef struct batch {
    const call *c;
    eg_host *host;
    const char *name;
    char *text;
    line *lines;
    size_t count;
    cJSON *defaults; /* of the options */
    size_t stored, known, refused, conflicts;
} batch;

/* "engram: FILE: line 3: ..." */
static void complain_of(const batch *b, const line *l, const char *why) { complain("%s: line %zu: %s", b->name, l->number, why); }

static int read_lines(batch *b) {
    const char *path = call_option(b->c, "batch");
    int is_stdin = strcmp(path, "-") == 0;
    size_t size, capacity = 0, number = 0;
    FILE *in = is_stdin ? stdin : fopen(path, "r");
    b->name = is_stdin ? "standard input" : path;
    if (!in) return complain("'%s' cannot be read: %s", path, strerror(errno));
    b->text = read_stream(in, b->name, MAX_FILE, &size);
    if (!is_stdin) fclose(in);
    if (!b->text) return EXIT_ERROR;
    for (const char *at = b->text, *end = b->text + size, *next; at < end; at = next) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        next = stop ? stop + 1 : end;
        size_t n = (size_t)((stop ? stop : end) - at);
        number++;
        while (n && strchr(" \t\r", at[n - 1]) && at[n - 1]) n--;
        while (n && (*at == ' ' || *at == '\t')) at++, n--;
        if (!n) continue;
        if (b->count == capacity) {
            line *more = realloc(b->lines, (capacity = capacity ? 2 * capacity : 64) * sizeof *more);
            if (!more) return complain("out of memory");
            b->lines = more;
        }
        b->lines[b->count++] = (line){number, {at, n}};
    }
    return b->count ? EXIT_FINE : complain("%s has no facts: it must have a JSON object a line", b->name);
}

/* 1: a string of the JSON text has the character U+0000, at which cJSON would end it. */
static int has_nul(eg_str json) {
    for (size_t i = 0; i + 1 < json.len; i++) {
        if (json.ptr[i] != '\\') continue;
        if (json.len - i >= 6 && memcmp(json.ptr + i, "\\u0000", 6) == 0) return 1;
        i++; /* what the backslash escapes */
    }
    return 0;
}

/* The line as arguments, with the options for what it leaves out; NULL with the reason in *err. */
static cJSON *arguments_of(const batch *b, const line *l, eg_error *err) {
    *err = (eg_error){.text = "out of memory"};
    if (eg_json_check_object("column", l->text, err) != EG_OK) {
        static const char place[] = "column:1:"; /* a line has no lines: "column 7: ..." */
        if (strncmp(err->text, place, sizeof place - 1) == 0) {
            memmove(err->text + strlen("column "), err->text + sizeof place - 1, strlen(err->text + sizeof place - 1) + 1);
            err->text[strlen("column")] = ' ';
        }
        return NULL;
    }
    if (has_nul(l->text)) {
        snprintf(err->text, sizeof err->text, "a string contains the character U+0000; remove it");
        return NULL;
    }
    cJSON *a = cJSON_ParseWithLength(l->text.ptr, l->text.len);
    const cJSON *usual;
    cJSON_ArrayForEach(usual, b->defaults) if (a && !cJSON_GetObjectItemCaseSensitive(a, usual->string))
        cJSON_AddItemToObject(a, usual->string, cJSON_Duplicate(usual, 1));
    return a;
}

/* What is wrong with a line, without the place that it has in a list of one. */
static const char *without_index(const char *said) {
    static const char index[] = "facts[0]: ";
    return strncmp(said, index, sizeof index - 1) == 0 ? said + sizeof index - 1 : said;
}

/* Whether the line is a commit at all; complains. */
static int is_well_formed(const batch *b, const line *l) {
    eg_error err;
    cJSON *a = arguments_of(b, l, &err), *all = a ? cJSON_CreateObject() : NULL, *r = NULL;
    eg_status s = EG_EINVAL;
    if (all) {
        cJSON_AddItemToArray(cJSON_AddArrayToObject(all, "facts"), a);
        cJSON_AddTrueToObject(all, "check");
        s = memory_try(b->host, "engram_commit_batch", all, &r, &err);
    }
    if (s != EG_OK) {
        char *end = strstr(err.text, ": nothing was stored (");
        if (end) *end = '\0';
        complain_of(b, l, without_index(err.text));
    }
    cJSON_Delete(r);
    cJSON_Delete(all);
    return s == EG_OK;
}

static int all_are_well_formed(const batch *b) {
    size_t wrong = 0;
    for (size_t i = 0; i < b->count && !stop_requested(); i++) wrong += !is_well_formed(b, &b->lines[i]);
    if (wrong) complain("nothing was stored: %zu of %zu lines are malformed", wrong, b->count);
    return !wrong;
}

static void print_stored(const batch *b, const line *l, cJSON *r) {
    const cJSON *conflicts = cJSON_GetObjectItemCaseSensitive(r, "conflicts"), *one;
    const cJSON *undo = cJSON_GetObjectItemCaseSensitive(r, "undo_id");
    if (b->c->json) {
        cJSON_DeleteItemFromObjectCaseSensitive(r, "notice");
        cJSON_AddNumberToObject(r, "line", (double)l->number);
        char *text = cJSON_PrintUnformatted(r);
        if (text) print_json(eg_str_of(text));
        cJSON_free(text);
        return;
    }
    printf("line %zu: %s: fact %s", l->number, true_of(r, "duplicate") ? "already known" : text_of(r, "operation"),
           short_id(r, "fact_id"));
    if (cJSON_IsNumber(undo)) printf("  (undo %.0f)", undo->valuedouble);
    if (cJSON_GetArraySize(conflicts)) fputs("  contradicts", stdout);
    cJSON_ArrayForEach(one, conflicts) {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(one, "fact_a");
        if (strcmp(text_of(other, "fact_id"), text_of(r, "fact_id")) == 0)
            other = cJSON_GetObjectItemCaseSensitive(one, "fact_b");
        printf(" %s", short_id(other, "fact_id"));
    }
    putchar('\n');
}

static void print_refused(const batch *b, const line *l, const char *why) {
    complain_of(b, l, why);
    if (!b->c->json) return;
    cJSON *r = cJSON_CreateObject();
    cJSON_AddNumberToObject(r, "line", (double)l->number);
    cJSON_AddStringToObject(r, "error", why);
    char *text = cJSON_PrintUnformatted(r);
    if (text) print_json(eg_str_of(text));
    cJSON_free(text);
    cJSON_Delete(r);
}

static void store(batch *b, const line *l) {
    eg_error err;
    cJSON *a = arguments_of(b, l, &err), *r = NULL;
    eg_status s = a ? memory_try(b->host, b->c->command->tool, a, &r, &err) : EG_ENOMEM;
    if (s == EG_OK) {
        b->known += (size_t)true_of(r, "duplicate");
        b->stored += !true_of(r, "duplicate");
        b->conflicts += (size_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(r, "conflicts"));
        print_stored(b, l, r);
    } else if (!stop_requested()) {
        b->refused++;
        print_refused(b, l, err.text);
    }
    fflush(stdout);
    cJSON_Delete(r);
    cJSON_Delete(a);
}

static int refuse_options(const call *c) {
    static const char *const others[] = {"statement", "corrects", "operation"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (call_option(c, others[i]))
            return complain("--%s is about one fact: with --batch, write it into the lines", others[i]);
    if (c->positional_count) return complain("--batch takes the place of FACT: leave '%s' out", c->positional[0]);
    return EXIT_FINE;
}

static int run_all(batch *b) {
    if (read_lines(b) != EXIT_FINE || !all_are_well_formed(b)) return EXIT_ERROR;
    for (size_t i = 0; i < b->count && !stop_requested(); i++) store(b, &b->lines[i]);
    if (!b->c->json)
        printf("%zu stored, %zu already known, %zu refused; %zu conflict%s%s\n", b->stored, b->known, b->refused, b->conflicts,
               b->conflicts == 1 ? "" : "s", b->conflicts ? ": see `engram conflicts`" : "");
    memory_reembed(b->c, b->host);
    return b->refused ? EXIT_ERROR : EXIT_FINE;
}

int run_batch(const call *c) {
    batch b = {.c = c};
    int status = refuse_options(c);
    if (status == EXIT_FINE) b.defaults = memory_arguments(c);
    if (b.defaults && !cJSON_GetObjectItem(b.defaults, "wait_ms"))
        cJSON_AddNumberToObject(b.defaults, "wait_ms", DEFAULT_WAIT_MS);
    if (b.defaults) b.host = call_host(c, 0, 0, NULL, 0);
    status = b.host ? run_all(&b) : EXIT_ERROR;
    eg_host_close(b.host);
    cJSON_Delete(b.defaults);
    free(b.lines);
    free(b.text);
    return status;
}
