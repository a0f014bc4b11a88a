/* exchange_command.c - `engram export` and `engram import`: a memory as a file. The form of the
 * file is core's (core/memory/exchange.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "tools/memory_request.h"

static eg_status write_text(void *self, eg_str text) { return fwrite(text.ptr, 1, text.len, self) == text.len ? EG_OK : EG_EIO; }

static eg_status run_operation(const memory_request *r, const call *c, FILE *out, eg_exported *done) {
    const char *scope = call_option(c, "scope"), *format = call_option(c, "format");
    const eg_export_args args = {.size = sizeof args,
                                 .flags = (call_option(c, "all") ? EG_EXPORT_ALL : 0u) |
                                          (format && strcmp(format, "markdown") == 0 ? EG_EXPORT_MARKDOWN : 0u),
                                 .scope = eg_str_of(scope)};
    return r->ops->export_memory(r->memory, r->rq, &args, write_text, out, done);
}

static void tell_exported(const call *c, const char *path, const eg_exported *done) {
    eg_buffer b = {0};
    eg_buffer_text(&b, "{\"file\":");
    eg_buffer_json(&b, eg_str_of(path));
    eg_buffer_format(&b, ",\"facts\":%llu,\"links\":%llu,\"conflicts\":%llu,\"answers\":%llu}", (unsigned long long)done->facts,
                     (unsigned long long)done->links, (unsigned long long)done->conflicts, (unsigned long long)done->answers);
    if (c->json) print_json((eg_str){b.ptr, b.len});
    else
        printf("%llu fact%s and %llu conflict%s written to '%s'\n", (unsigned long long)done->facts, done->facts == 1 ? "" : "s",
               (unsigned long long)done->conflicts, done->conflicts == 1 ? "" : "s", path);
    eg_buffer_release(&b);
}

static int export_to(const memory_request *r, const call *c, const char *path) {
    char *bytes = NULL;
    size_t size = 0;
    eg_error err = {0};
    eg_exported done = {0};
    FILE *out = path ? open_memstream(&bytes, &size) : stdout;
    if (!out) return complain("out of memory");
    int status = run_operation(r, c, out, &done) == EG_OK ? EXIT_FINE : memory_request_complain(r);
    if (path && fclose(out) != 0 && !status) status = complain("out of memory");
    if (!path && fflush(out) != 0 && !status) status = complain("the output cannot be written: %s", strerror(errno));
    if (path && !status && eg_file_output(path, bytes, size, 0600, &err) != EG_OK) status = complain("%s", err.text);
    free(bytes);
    if (path && !status) tell_exported(c, path, &done);
    if (!status && !done.facts) note("there is nothing to export here: see `engram status` for the workspace in use");
    return status;
}

int run_export(const call *c) {
    if (c->positional_count > 1) return complain_of_usage(c);
    const char *path = c->positional_count && strcmp(c->positional[0], "-") != 0 ? c->positional[0] : NULL;
    if (c->json && !path) return complain("--json tells what was written to a file: name one, or leave --json out");
    memory_request r;
    int status = memory_request_begin(c, &r);
    if (!status) status = export_to(&r, c, path);
    memory_request_end(&r);
    return status;
}

static void print_line(uint64_t n, const char *one, const char *many) {
    if (n) printf("  %llu %s\n", (unsigned long long)n, n == 1 ? one : many);
}

static void tell_imported(const call *c, const eg_imported *i, int dry_run) {
    if (c->json) {
        printf("{\"dry_run\":%s,\"facts\":%llu,\"links\":%llu,\"conflicts\":%llu,\"answers\":%llu,\"known\":%llu,\"closed\":%llu,"
               "\"equal\":%llu,\"apart\":%llu,\"to_compare\":%llu}\n",
               dry_run ? "true" : "false", (unsigned long long)i->facts, (unsigned long long)i->links,
               (unsigned long long)i->conflicts, (unsigned long long)i->answers, (unsigned long long)i->known,
               (unsigned long long)i->closed, (unsigned long long)i->equal, (unsigned long long)i->apart,
               (unsigned long long)i->to_compare);
        return;
    }
    printf("%s %llu fact%s, %llu conflict%s and %llu answer%s\n", dry_run ? "would import" : "imported",
           (unsigned long long)i->facts, i->facts == 1 ? "" : "s", (unsigned long long)i->conflicts, i->conflicts == 1 ? "" : "s",
           (unsigned long long)i->answers, i->answers == 1 ? "" : "s");
    print_line(i->known, "fact of the file was here already", "facts of the file were here already");
    print_line(i->closed, "of them was closed, as in the file", "of them were closed, as in the file");
    print_line(i->equal, "fact was left out, since a current one here says the same",
               "facts were left out, since current ones here say the same");
    print_line(i->apart, "fact became a lineage of its own, since another version is current here",
               "facts became lineages of their own, since other versions are current here");
    print_line(i->to_compare, "fact is compared with those of the store in the background",
               "facts are compared with those of the store in the background");
}

static int import_text(const call *c, eg_str text) {
    memory_request r;
    eg_imported done;
    int dry_run = call_option(c, "dry-run") != NULL, status = memory_request_begin(c, &r);
    const eg_import_args args = {.size = sizeof args, .flags = dry_run ? EG_IMPORT_DRY_RUN : 0u, .text = text};
    if (!status && r.ops->import_memory(r.memory, r.rq, &args, &done) != EG_OK) {
        status = memory_request_complain(&r);
        if (status) note("nothing was imported");
    } else if (!status) {
        tell_imported(c, &done, dry_run);
    }
    memory_request_end(&r);
    return status;
}

int run_import(const call *c) {
    if (c->positional_count != 1) return complain_of_usage(c);
    const char *path = c->positional[0];
    int standard = strcmp(path, "-") == 0;
    char name[300];
    size_t size;
    FILE *in = standard ? stdin : fopen(path, "rbe");
    if (!in) return complain("cannot read '%s': %s", path, strerror(errno));
    snprintf(name, sizeof name, standard ? "standard input" : "'%.200s'", path);
    char *text = read_stream(in, name, EG_MAX_IMPORT, &size);
    if (!standard) fclose(in);
    int status = text ? import_text(c, (eg_str){text, size}) : EXIT_ERROR;
    free(text);
    return status;
}
