/* host_commands.c - `engram mcp`, `bench`, `plugins` and `doctor`: the front end, and what the host
 * says about itself. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "bench/model.h"
#include "core/base/clock.h"
#include "core/base/cpu.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/host/config.h"
#include "tools/cli.h"

enum { GRACE_MS = 1000 }; /* that open calls get when a signal asks to stop */

/* What a front end tells when it has nothing left to serve. */
typedef struct ending {
    int event; /* eventfd: readable from then on */
    eg_status status;
    char why[400];
} ending;

static void on_end(void *self, eg_status status, const char *why) {
    ending *e = self;
    uint64_t one = 1;
    e->status = status;
    snprintf(e->why, sizeof e->why, "%s", why ? why : "");
    /* cannot fail: the counter is 0 */
    if (write(e->event, &one, sizeof one) != sizeof one) abort();
}

/* Serves until the front end's input ends or a signal asks to stop. Both signals are blocked but
 * while this waits, so none is lost between a look at the flag and the wait. */
static eg_status serve(eg_host *host, const char *name, const eg_str *options, size_t n, const sigset_t *open, eg_error *err) {
    const eg_frontend *frontend;
    void *self, *running = NULL;
    ending end = {.event = eventfd(0, EFD_CLOEXEC)};
    if (end.event < 0) return eg_fail(err, EG_EIO, "cannot make an eventfd: %s", strerror(errno));
    const eg_frontend_args args = {
        .size = sizeof args, .grace_ms = GRACE_MS, .options = options, .option_count = n, .ended = on_end, .ended_self = &end};
    eg_status s = eg_host_frontend(host, name, &frontend, &self, err);
    if (s == EG_OK) s = frontend->start(self, eg_host_services(host), &args, &running, err);
    if (s == EG_OK) {
        struct pollfd p = {.fd = end.event, .events = POLLIN};
        while (!stop_requested() && ppoll(&p, 1, NULL, open) < 0 && errno == EINTR) {}
        pthread_sigmask(SIG_SETMASK, open, NULL); /* a second signal ends the program at once */
        frontend->stop(running);
        uint64_t ended = 0;
        if (poll(&p, 1, 0) == 1 && read(end.event, &ended, sizeof ended) == sizeof ended && end.status != EG_OK)
            s = eg_fail(err, end.status, "%s", end.why);
    }
    close(end.event);
    return s;
}

int run_mcp(const call *c) {
    if (c->positional_count) return complain("mcp takes no arguments: '%s'", c->positional[0]);
    if (c->closed_descriptors & 3) return complain("mcp needs standard input and output, and one of them is closed");
    char profile[64];
    int chosen = snprintf(profile, sizeof profile, "profile=%s", call_option(c, "profile") ? call_option(c, "profile") : "core");
    if (chosen >= (int)sizeof profile) return complain("--profile is core, team or all");
    sigset_t stops, open;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stops, &open); /* before any thread is made: they inherit it */
    eg_host *host = call_host(c, 0, 1, NULL, 0);
    if (!host) return EXIT_ERROR;
    eg_error err = {0};
    eg_status s = serve(host, "mcp", (eg_str[]){{profile, (size_t)chosen}}, 1, &open, &err);
    eg_host_close(host);
    return s == EG_OK ? EXIT_FINE : complain("%s", err.text);
}

static int measured(eg_status s, const eg_error *err) { return s == EG_OK ? EXIT_FINE : complain("%s", err->text); }

int run_bench(const call *c) {
    const char *what = c->positional_count ? c->positional[0] : "";
    int nli = strcmp(what, "nli") == 0, model = strcmp(what, "model") == 0, quick = call_option(c, "quick") != NULL;
    eg_error err = {0};
    if (nli && c->positional_count == 2) return run_pairs_bench(c);
    if (c->positional_count != 1 || (!nli && !model)) return complain_of_usage(c);
    char folder[4096], cache[4096];
    eg_bench_subject subject = {.dir = folder, .quick = quick};
    int status = infer_options(c, &subject.engine, &subject.format);
    if (status) return status;
    status = model_folder(c, nli ? "model.nli" : "model.embed", folder, cache, sizeof folder, &subject.engine, &subject.format);
    if (status) return status;
    return measured(nli ? eg_bench_nli(&subject, stdout, c->json, &err) : eg_bench_model(&subject, stdout, c->json, &err), &err);
}

static const char *kind_name(uint32_t kind) {
    static const char *const names[] = {"?", "detector", "storage", "toolset", "gate", "frontend", "escalator"};
    return names[kind < sizeof names / sizeof *names ? kind : 0];
}

/* A list that is being printed. */
typedef struct listing {
    int json, count, problems;
} listing;

static void list_plugin(void *self, const char *path, const eg_plugin *p, const char *problem) {
    listing *l = self;
    eg_buffer b = {0};
    if (l->json) {
        eg_buffer_text(&b, l->count ? ",\n {\"path\":" : " {\"path\":");
        eg_buffer_json(&b, eg_str_of(path));
        if (p && !problem)
            eg_buffer_format(&b, ",\"name\":\"%s\",\"kind\":\"%s\",\"version\":\"%s\",\"licence\":\"%s\",\"abi\":\"%u.%u\"}",
                             p->name, kind_name(p->kind), p->version, p->licence, p->abi_major, p->abi_minor);
        if (problem) {
            eg_buffer_text(&b, ",\"problem\":");
            eg_buffer_json(&b, eg_str_of(problem));
            eg_buffer_text(&b, "}");
        }
        printf("%.*s", (int)b.len, b.ptr);
    } else if (problem) {
        fputs("not loaded  ", stdout);
        print_shown(eg_str_of(path));
        fputs("\n            ", stdout);
        print_shown(eg_str_of(problem));
        putchar('\n');
    } else {
        printf("%-10s  %-12s version %s, ABI %u.%u, %s  %s\n", kind_name(p->kind), p->name, p->version, p->abi_major,
               p->abi_minor, p->licence, path);
    }
    eg_buffer_release(&b);
    l->count++;
    l->problems += problem != NULL;
}

int run_plugins(const call *c) {
    const char *what = c->positional_count ? c->positional[0] : "list";
    if (strcmp(what, "list") == 0 && c->positional_count <= 1) {
        eg_host *host = call_host(c, 1, 0, NULL, 0);
        if (!host) return EXIT_ERROR;
        listing l = {.json = c->json};
        if (c->json) puts("{\"plugins\":[");
        eg_host_plugins(host, list_plugin, &l);
        if (c->json) puts("\n]}");
        eg_host_close(host);
        return l.problems ? EXIT_ERROR : EXIT_FINE;
    }
    if (strcmp(what, "check") == 0 && c->positional_count == 2) {
        eg_error err = {0};
        return eg_host_plugin_check(c->positional[1], stdout, &err) == EG_OK ? EXIT_FINE : complain("%s", err.text);
    }
    return complain_of_usage(c);
}

/* ---- doctor ---- */

typedef struct doctor {
    int problems;
    cJSON *checks, *settings; /* NULL: for people */
} doctor;

static void report(doctor *d, int good, const char *what, const char *detail) {
    d->problems += !good;
    if (!d->checks) {
        printf("%-8s %-18s ", good ? "ok" : "PROBLEM", what);
        print_shown(eg_str_of(detail));
        putchar('\n');
        return;
    }
    cJSON *one = cJSON_CreateObject();
    cJSON_AddBoolToObject(one, "ok", good);
    cJSON_AddStringToObject(one, "what", what);
    cJSON_AddStringToObject(one, "detail", detail);
    cJSON_AddItemToArray(d->checks, one);
}

static void report_plugin(void *self, const char *path, const eg_plugin *p, const char *problem) {
    report(self, !problem, p && !problem ? p->name : "plugin", problem ? problem : path);
}

static void report_setting(void *self, const char *key, const char *value, const char *origin) {
    doctor *d = self;
    if (!d->settings) {
        printf("         %-28s ", key);
        print_shown(eg_str_of(value && *value ? value : "-"));
        fputs("  (", stdout);
        print_shown(eg_str_of(origin));
        fputs(")\n", stdout);
        return;
    }
    cJSON *one = cJSON_AddObjectToObject(d->settings, key);
    cJSON_AddStringToObject(one, "value", value ? value : "");
    cJSON_AddStringToObject(one, "origin", origin);
}

/* Creates the engine as every process does, or with the defaults if the settings cannot be read.
 * Returns 0 if it cannot be created. */
static int report_engine(doctor *d, const eg_host *host) {
    char text[200];
    eg_error err = {0};
    eg_engine *engine = NULL;
    eg_engine_options o = {.size = sizeof o};
    uint32_t format;
    if (host) eg_host_inference(host, &o, &format);
    eg_status s = eg_engine_create(&o, &engine, &err);
    if (s == EG_OK)
        snprintf(text, sizeof text, "ISA %s, %u threads of %u allowed%s", eg_engine_isa(engine), eg_engine_threads(engine),
                 eg_cpu_allowance(), o.gemm == EG_GEMM_OPENBLAS ? ", OpenBLAS" : "");
    report(d, s == EG_OK, "engine", s == EG_OK ? text : err.text);
    eg_engine_destroy(engine);
    return s == EG_OK;
}

static void report_cache(doctor *d, const char *folder) {
    char text[4400];
    int writable = access(folder, W_OK) == 0 || !eg_file_exists(folder);
    snprintf(text, sizeof text, "%s%s", folder,
             writable ? "" : " is not writable, so that models load more slowly: give yourself the right to write");
    report(d, writable, "cache", text);
}

/* Opens the model that the setting names, as its first use would. */
static void report_model(doctor *d, eg_host *host, const char *setting) {
    char folder[4096], text[4400];
    eg_error err = {0};
    int64_t begun = eg_clock_monotonic();
    eg_status s = eg_host_model_configured(host, setting, folder, sizeof folder, &err);
    if (s == EG_OK) s = eg_host_model_try(host, setting, &err);
    if (s == EG_OK) snprintf(text, sizeof text, "%s, loaded in %.0f ms", folder, (double)(eg_clock_monotonic() - begun) / 1000);
    report(d, s == EG_OK, setting, s == EG_OK ? text : err.text);
}

/* Reads the whole store, as the worker of a server does once a day. */
static void report_store(doctor *d, eg_host *host, int deep) {
    char text[1200];
    eg_error err = {0};
    eg_host_verified v;
    if (eg_host_verify(host, deep, &stop_flag, &v, &err) != EG_OK) {
        report(d, 0, "store", err.text);
        return;
    }
    snprintf(text, sizeof text, "%s; stop all processes of engram, keep the file, and put a backup in its place", v.pages.text);
    report(d, v.pages.code == EG_OK, "pages", v.pages.code ? text : deep ? "whole, and the indexes agree" : "whole");
    if (v.audit.code == EG_OK) snprintf(text, sizeof text, "the chain holds in each of %zu workspaces", v.workspaces);
    else
        snprintf(text, sizeof text, "%s; somebody changed the file past engram, or it is damaged: compare it with a backup",
                 v.audit.text);
    report(d, v.audit.code == EG_OK, "audit", text);
    if (v.ahead <= EG_DAY) return;
    snprintf(text, sizeof text,
             "the last commit lies %lld days ahead of the clock, so every commit carries its time and nothing expires: see that "
             "`date` is right, make a backup, and run `engram doctor --repair-time`",
             (long long)(v.ahead / EG_DAY));
    report(d, 0, "time", text);
}

static void repair_time(doctor *d, eg_host *host) {
    char text[200];
    eg_error err = {0};
    uint64_t facts;
    eg_status s = eg_host_repair_time(host, &facts, &err);
    snprintf(text, sizeof text, "%llu facts from the future are from now", (unsigned long long)facts);
    report(d, s == EG_OK, "repair", s == EG_OK ? text : err.text);
}

/* The defaults of all settings, for an installation whose settings cannot be read. */
static void report_defaults(doctor *d) {
    size_t n;
    const eg_setting *all = eg_settings(&n);
    if (!d->settings) puts("settings (the defaults, because those of this installation cannot be read)");
    for (size_t i = 0; i < n; i++) report_setting(d, all[i].key, all[i].otherwise, "default");
}

int run_doctor(const call *c) {
    cJSON *all = c->json ? cJSON_CreateObject() : NULL;
    doctor d = {.checks = all ? cJSON_AddArrayToObject(all, "checks") : NULL,
                .settings = all ? cJSON_AddObjectToObject(all, "settings") : NULL};
    eg_error err = {0}, store = {0};
    if (all) cJSON_AddStringToObject(all, "version", ENGRAM_VERSION);
    else printf("engram %s\n", ENGRAM_VERSION);
    eg_host *host = open_host(c, 0, 0, NULL, 0, &store);
    int stored = host != NULL;
    if (!host) host = open_host(c, 1, 0, NULL, 0, &err);
    int runs = report_engine(&d, host);
    if (!host) {
        report(&d, 0, "host", err.text);
        report_defaults(&d);
    } else {
        const eg_host_paths *p = eg_host_paths_of(host);
        report(&d, stored, stored ? "database" : "store", !stored ? store.text : p->database_shown ? p->database_shown : "-");
        if (stored && call_option(c, "repair-time")) repair_time(&d, host);
        if (stored) report_store(&d, host, call_option(c, "deep") != NULL);
        if (p->passed) report(&d, 1, "home", p->passed);
        report_cache(&d, p->cache);
        eg_host_plugins(host, report_plugin, &d);
        eg_str problem = eg_host_writing_problem(host);
        report(&d, !problem.len, "writing", problem.len ? problem.ptr : "the gates that are required are there");
        if (runs) report_model(&d, host, "model.nli");
        if (runs) report_model(&d, host, "model.embed");
        if (!all) puts("settings");
        eg_host_settings(host, report_setting, &d);
        eg_host_close(host);
    }
    char *json = all ? cJSON_PrintUnformatted(all) : NULL;
    if (json) print_json(eg_str_of(json));
    cJSON_free(json);
    cJSON_Delete(all);
    if (d.problems && !c->json)
        printf("%d problem%s: the lines marked PROBLEM say what to do\n", d.problems, d.problems == 1 ? "" : "s");
    return d.problems ? EXIT_ERROR : EXIT_FINE;
}
