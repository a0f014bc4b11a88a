/* workspaces_command.c - `engram workspaces`: lists, renames, merges and removes workspaces. The
 * memory changes its rows; which repository has which workspace is changed here, so that the
 * repositories find theirs afterwards. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "core/access/record.h"
#include "core/base/file.h"
#include "tools/memory_request.h"

/* One request of the memory, and what it is told about. */
typedef struct work {
    const call *c;
    eg_host *host;
    const eg_services *services;
    eg_memory *memory;
    eg_request *rq;
    eg_arena arena;
    const char *data; /* the data folder */
    eg_str name;      /* of the workspace that is printed */
    cJSON *list;      /* of its repositories; NULL: for people */
} work;

static int complain_of_memory(const work *w) { return complain("%s", w->rq->err->text[0] ? w->rq->err->text : "out of memory"); }

/* "2026-11-24 05:12" in UTC; "never". */
static const char *minutes(int64_t time, char out[32]) {
    time_t seconds = (time_t)(time / 1000000);
    struct tm t;
    if (!time || !gmtime_r(&seconds, &t) || !strftime(out, 32, "%Y-%m-%d %H:%M", &t)) return "never";
    return out;
}

static void add_text(cJSON *o, const char *key, eg_str text) {
    char *copy = strndup(text.ptr ? text.ptr : "", text.len);
    if (copy) cJSON_AddStringToObject(o, key, copy);
    free(copy);
}

static eg_status print_repository(void *self, const eg_record *r) {
    const work *w = self;
    if (!eg_str_eq(r->workspace, w->name)) return EG_OK;
    char folder[4200];
    snprintf(folder, sizeof folder, "%.*s", (int)r->folder.len, r->folder.ptr);
    int there = eg_file_exists(folder);
    if (!w->list) {
        fputs("    ", stdout);
        print_shown(r->folder);
        if (!there) fputs(" (no longer there)", stdout);
        if (r->remote.len) fputs(", remote ", stdout);
        print_shown(r->remote);
        putchar('\n');
        return EG_OK;
    }
    cJSON *one = cJSON_CreateObject();
    add_text(one, "folder", r->folder);
    add_text(one, "remote", r->remote);
    cJSON_AddBoolToObject(one, "exists", there);
    cJSON_AddItemToArray(w->list, one);
    return EG_OK;
}

static eg_status print_workspace(work *w, const eg_workspace_view *v, cJSON *all, eg_error *err) {
    char time[32];
    int here = eg_str_eq(v->name, w->rq->workspace);
    w->name = v->name;
    if (!all) {
        printf("%c %.*s: %llu fact%s, %llu current; last change %s\n", here ? '*' : ' ', (int)v->name.len, v->name.ptr,
               (unsigned long long)v->facts, v->facts == 1 ? "" : "s", (unsigned long long)v->current_facts,
               minutes(v->changed_at, time));
    } else {
        cJSON *one = cJSON_CreateObject();
        add_text(one, "name", v->name);
        cJSON_AddBoolToObject(one, "here", here);
        cJSON_AddNumberToObject(one, "facts", (double)v->facts);
        cJSON_AddNumberToObject(one, "current_facts", (double)v->current_facts);
        cJSON_AddNumberToObject(one, "conflicts_open", (double)v->conflicts_open);
        if (v->changed_at) cJSON_AddStringToObject(one, "last_change", minutes(v->changed_at, time));
        w->list = cJSON_AddArrayToObject(one, "repositories");
        cJSON_AddItemToArray(all, one);
    }
    return eg_record_each(&w->arena, w->data, print_repository, w, err);
}

static int list(work *w) {
    eg_workspace_view *views;
    size_t n;
    eg_error err = {0};
    if (w->services->memory_ops->workspaces(w->memory, w->rq, &views, &n) != EG_OK) return complain_of_memory(w);
    cJSON *top = w->c->json ? cJSON_CreateObject() : NULL, *all = top ? cJSON_AddArrayToObject(top, "workspaces") : NULL;
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++) s = print_workspace(w, &views[i], all, &err);
    char *text = top ? cJSON_PrintUnformatted(top) : NULL;
    if (text) puts(text);
    else if (!n) puts("the store has no workspaces yet");
    cJSON_free(text);
    cJSON_Delete(top);
    return s == EG_OK ? EXIT_FINE : complain("%s", err.text);
}

/* 1 when it may be removed. */
static int may_remove(const work *w, const char *name) {
    char question[EG_MAX_NAME + 100], doing[EG_MAX_NAME + 100];
    eg_workspace_view *views;
    size_t n, i = 0;
    if (w->services->memory_ops->workspaces(w->memory, w->rq, &views, &n) != EG_OK) return complain_of_memory(w), 0;
    while (i < n && !eg_str_eq(views[i].name, eg_str_of(name))) i++;
    if (i == n) return 1; /* the memory says that there is none */
    unsigned long long facts = (unsigned long long)views[i].facts;
    snprintf(question, sizeof question, "Remove the workspace '%.*s' and its %llu facts for good?", EG_MAX_NAME, name, facts);
    snprintf(doing, sizeof doing, "removing '%.*s' takes %llu facts away for good", EG_MAX_NAME, name, facts);
    return is_confirmed(w->c, question, doing);
}

/* to "": it is removed. */
static int edit(work *w, const char *name, const char *to, uint32_t flags, const char *done) {
    eg_workspace_moved moved = {0};
    eg_error err = {0};
    int status = EXIT_FINE;
    const eg_edit_workspace_args args = {.size = sizeof args, .flags = flags, .name = eg_str_of(name), .to = eg_str_of(to)};
    if (w->services->memory_ops->edit_workspace(w->memory, w->rq, &args, &moved) != EG_OK) status = complain_of_memory(w);
    if (status && !moved.facts) return status;
    /* the repositories follow the facts, also where something went wrong after these were moved */
    if (eg_record_rename(&w->arena, w->data, args.name, args.to, &err) != EG_OK)
        return complain(
            "the workspace '%s' is %s, but its repositories still have the old one (%s): set workspace in engram.conf", name,
            done, err.text);
    if (status) return status;
    unsigned long long facts = moved.facts, equal = moved.equal;
    if (w->c->json)
        printf("{\"workspace\":\"%s\",\"%s\":\"%s\",\"facts\":%llu,\"equal\":%llu}\n", name, *to ? "to" : "removed",
               *to ? to : name, facts, equal);
    else
        printf("'%s' is %s%s%s%s with %llu fact%s; restart servers that use it\n", name, done, *to ? " '" : "", to,
               *to ? "'" : "", facts, facts == 1 ? "" : "s");
    if (!w->c->json && equal)
        printf("  %llu fact%s said what another one of the scope says, and %s closed\n", equal, equal == 1 ? "" : "s",
               equal == 1 ? "was" : "were");
    return EXIT_FINE;
}

static int run_action(work *w) {
    const call *c = w->c;
    const char *const *p = c->positional;
    const char *what = c->positional_count ? p[0] : "list";
    if (strcmp(what, "list") == 0) return list(w);
    if (strcmp(what, "rename") == 0) return edit(w, p[1], p[2], 0, "renamed to");
    if (strcmp(what, "merge") == 0) return edit(w, p[1], p[2], EG_EDIT_MERGE, "merged into");
    return may_remove(w, p[1]) ? edit(w, p[1], "", 0, "removed") : EXIT_ERROR;
}

int run_workspaces(const call *c) {
    static const struct {
        const char *name;
        size_t words;
    } actions[] = {{"list", 1}, {"rename", 3}, {"merge", 3}, {"remove", 2}};
    const char *what = c->positional_count ? c->positional[0] : "list";
    size_t words = c->positional_count ? c->positional_count : 1, i = 0;
    while (i < 4 && strcmp(what, actions[i].name) != 0) i++;
    if (i == 4 || words != actions[i].words) return complain_of_usage(c);
    if (call_option(c, "yes") && strcmp(what, "remove") != 0) return complain("--yes is for remove: leave it out");
    work w = {.c = c, .host = call_host(c, 0, 0, NULL, 0)};
    if (!w.host) return EXIT_ERROR;
    eg_error err = {0};
    const eg_request_options options = {.size = sizeof options, .cancel.flag = &stop_flag};
    w.services = eg_host_services(w.host);
    w.memory = w.services->memory(w.services->host);
    w.data = eg_host_paths_of(w.host)->data;
    eg_arena_init(&w.arena, 0);
    int status = EXIT_ERROR;
    if (w.services->request_create(w.services->host, &options, &w.rq, &err) != EG_OK) complain("%s", err.text);
    else status = run_action(&w);
    if (w.rq) w.services->request_release(w.services->host, w.rq);
    eg_arena_release(&w.arena);
    eg_host_close(w.host);
    return status;
}
