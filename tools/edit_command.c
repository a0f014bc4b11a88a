/* edit_command.c - what changes the one fact that was named: edit and delete, which are commits (an
 * update and a deletion; `exact` makes the memory refuse a fact that has another version by now),
 * pin, unpin, archive, restore and promote. All by the tools that agents call. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "tools/cli.h"
#include "tools/memory_print.h"

enum { DEFAULT_WAIT_MS = 30000 };
#define BLANKS " \t\r\n"

extern char **environ;

/* ---- the text, from an editor ---- */

/* The editor's exit status; -1 after complaining. */
static int run_editor(const char *editor, const char *path) {
    char *line = NULL;
    pid_t child;
    int state = 0;
    if (asprintf(&line, "%s \"$1\"", editor) < 0) return complain("out of memory"), -1;
    const char *const argv[] = {"sh", "-c", line, editor, path, NULL};
    int error = posix_spawn(&child, "/bin/sh", NULL, NULL, (char *const *)argv, environ);
    free(line);
    if (error) return complain("the editor '%s' cannot be started: %s", editor, strerror(error)), -1;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 1;
}

static char *read_path(const char *path) {
    size_t size;
    FILE *in = fopen(path, "r");
    if (!in) return complain("'%s' cannot be read: %s", path, strerror(errno)), NULL;
    char *text = read_stream(in, path, 2 * EG_MAX_CONTENT, &size);
    fclose(in);
    if (!text || !memchr(text, '\0', size)) return text;
    free(text);
    return complain("the text contains a NUL byte: it must be text"), NULL;
}

/* What the person makes of the text; to be freed. NULL after complaining. */
static char *edit_text_of(const char *text) {
    const char *editor = getenv("VISUAL"), *folder = getenv("TMPDIR");
    char path[4096], *edited = NULL;
    if (!editor || !*editor) editor = getenv("EDITOR");
    if (!editor || !*editor)
        return complain("edit needs the new text: give --content, or set EDITOR to the editor that you want, such as vi"), NULL;
    snprintf(path, sizeof path, "%s/engram-XXXXXX.txt", folder && *folder ? folder : "/tmp");
    int fd = mkstemps(path, 4); /* readable by the user alone */
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out) return complain("'%s' cannot be created: %s", path, strerror(errno)), NULL;
    int failed = fprintf(out, "%s\n", text) < 0;
    failed |= fclose(out) != 0;
    int status = failed ? -1 : run_editor(editor, path);
    if (failed) complain("'%s' cannot be written: %s", path, strerror(errno));
    else if (status > 0) complain("the editor '%s' ended with status %d: nothing was changed", editor, status);
    if (status == 0) edited = read_path(path);
    unlink(path);
    return edited;
}

/* ---- edit ---- */

/* The new text: of --content, of standard input, or from the editor; to be freed. */
static char *new_text(const call *c, const cJSON *fact) {
    const char *given = call_option(c, "content");
    size_t size;
    char *text;
    if (given) {
        text = strdup(given);
        if (!text) complain("out of memory");
    } else if (isatty(STDIN_FILENO)) {
        text = edit_text_of(text_of(fact, "content"));
    } else {
        text = read_stream(stdin, "standard input", 2 * EG_MAX_CONTENT, &size);
        if (text && memchr(text, '\0', size)) {
            complain("standard input contains a NUL byte: it must be text");
            free(text);
            text = NULL;
        }
    }
    size_t n = text ? strlen(text) : 0, blank = text ? strspn(text, BLANKS) : 0;
    while (n > blank && strchr(BLANKS, text[n - 1])) n--;
    if (text) memmove(text, text + blank, n -= blank);
    if (text) text[n] = '\0';
    if (!text || n) return text;
    free(text);
    return complain("the new text is empty: nothing was changed; `engram delete` closes a fact"), NULL;
}

/* A member of the fact as an argument, unless an option gave another. */
static void keep(cJSON *a, const cJSON *fact, const char *key) {
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(fact, key);
    if (!cJSON_GetObjectItemCaseSensitive(a, key) && v && !cJSON_IsNull(v)) cJSON_AddItemToObject(a, key, cJSON_Duplicate(v, 0));
}

static int commit(const call *c, eg_host *host, const cJSON *a) {
    cJSON *r;
    int status = memory_tool(c, host, c->command->tool, a, &r);
    if (r) print_result("commit", r);
    cJSON_Delete(r);
    return status;
}

static int edit(const call *c, eg_host *host, cJSON *a) {
    static const char *const kept[] = {"scope",      "fact_type", "confidence",   "durability",
                                       "provenance", "ttl_days",  "artifact_hash"};
    cJSON *lineage = NULL;
    const cJSON *fact;
    int status = memory_fact(c, host, c->positional[0], &lineage, &fact);
    if (status != EXIT_FINE) {
        cJSON_Delete(lineage);
        return status;
    }
    /* of one that is closed the memory says what came of it */
    char *text = fact_is_over(fact) ? strdup(text_of(fact, "content")) : new_text(c, fact);
    int moves = strcmp(text_of(a, "scope"), text_of(fact, "scope")) != 0 && *text_of(a, "scope");
    status = EXIT_ERROR;
    if (text && !fact_is_over(fact) && !moves && strcmp(text, text_of(fact, "content")) == 0) {
        note("the text is the same: nothing was changed");
        status = EXIT_FINE;
    } else if (text) {
        cJSON_DeleteItemFromObjectCaseSensitive(a, "content");
        cJSON_AddStringToObject(a, "content", text);
        cJSON_AddStringToObject(a, "operation", "update");
        cJSON_AddStringToObject(a, "corrects_lineage", text_of(fact, "fact_id"));
        cJSON_AddTrueToObject(a, "exact");
        if (!cJSON_GetObjectItemCaseSensitive(a, "wait_ms")) cJSON_AddNumberToObject(a, "wait_ms", DEFAULT_WAIT_MS);
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) keep(a, fact, kept[i]);
        status = commit(c, host, a);
    }
    free(text);
    cJSON_Delete(lineage);
    return status;
}

static int delete_fact(const call *c, eg_host *host, cJSON *a) {
    cJSON_AddStringToObject(a, "operation", "delete");
    cJSON_AddStringToObject(a, "corrects_lineage", c->positional[0]);
    cJSON_AddTrueToObject(a, "exact");
    return commit(c, host, a);
}

static int with_host(const call *c, int (*change)(const call *c, eg_host *host, cJSON *a)) {
    if (c->positional_count != 1) return complain("%s needs one FACT_ID: `engram facts` lists them", c->command->name);
    cJSON *a = memory_arguments(c);
    eg_host *host = a ? call_host(c, 0, 0, NULL, 0) : NULL;
    int status = host ? change(c, host, a) : EXIT_ERROR;
    eg_host_close(host);
    cJSON_Delete(a);
    return status;
}

int run_edit(const call *c) { return with_host(c, edit); }
int run_delete(const call *c) { return with_host(c, delete_fact); }

/* ---- marks ---- */

/* The command's name is the mark. */
static int mark(const call *c, eg_host *host, cJSON *a) {
    cJSON *r;
    cJSON_AddStringToObject(a, "fact_id", c->positional[0]);
    cJSON_AddStringToObject(a, "mark", c->command->name);
    int status = memory_tool(c, host, c->command->tool, a, &r);
    if (r) print_result("mark", r);
    cJSON_Delete(r);
    return status;
}

static int promote(const call *c, eg_host *host, cJSON *a) {
    cJSON *r;
    cJSON_AddStringToObject(a, "fact_id", c->positional[0]);
    int status = memory_tool(c, host, c->command->tool, a, &r);
    if (r) print_result("promote", r);
    cJSON_Delete(r);
    return status;
}

int run_mark(const call *c) { return with_host(c, mark); }
int run_promote(const call *c) { return with_host(c, promote); }
