/* cli.h - what the commands of `engram` share: the command line that was read, opening the host,
 * printing errors. Each command is one function in a file named after its family. */
#ifndef EG_TOOLS_CLI_H
#define EG_TOOLS_CLI_H

#include <stdio.h>

#include "core/host/host.h"
#include "core/include/engram/infer.h"
#include "tools/command_table.h"

enum { EXIT_FINE = 0, EXIT_FOUND = 1, EXIT_ERROR = 2, MAX_POSITIONAL = 4096, MAX_REPEATED = 256 };

/* A command line that was read. */
typedef struct call {
    const struct command *command;
    const char *program;
    const char *values[MAX_OPTIONS];    /* of command->options; flags: "1"; NULL: not given */
    const char *common[COMMON_OPTIONS]; /* of common_options, in the same way; those that follow are
                                         * made from it */
    struct {
        const option *of;
        const char *value;
    } repeated[MAX_REPEATED]; /* of options that may be given several times, in their order */
    size_t repeated_count;
    const char *home, *workspace;
    int json, verbose;
    int closed_descriptors; /* bits of 0, 1, 2 that were closed when the program began */
    const char *positional[MAX_POSITIONAL];
    size_t positional_count;
} call;

/* The value of an option by its name; NULL when it was not given. */
const char *call_option(const call *c, const char *name);
/* All values of an option that may be repeated; returns their number. */
size_t call_options(const call *c, const char *name, const char *values[MAX_REPEATED]);
/* "engram: ..." on stderr, one line, in which hidden characters of names of files and of words are
 * shown; returns EXIT_ERROR. */
__attribute__((format(printf, 1, 2))) int complain(const char *format, ...);
/* Complains with the usage of the command; returns EXIT_ERROR. */
int complain_of_usage(const call *c);
/* What this call asks of a host; without_store and worker as in eg_host_options. */
eg_host_options host_options(const call *c, int without_store, int worker);
/* A host for this call; NULL with the reason in *err, or, for call_host, after complaining.
 * settings: extra "key=value". */
eg_host *open_host(const call *c, int without_store, int worker, const char *const *settings, size_t setting_count,
                   eg_error *err);
eg_host *call_host(const call *c, int without_store, int worker, const char *const *settings, size_t setting_count);
/* "engram: ..." on stderr, for what is no error. */
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);
/* Prints a text of a file or of an agent: characters that a reader does not see or a terminal obeys
 * are shown (core/base/hidden.h). */
void print_shown(eg_str text);
/* Prints valid JSON with a line break behind it; such characters in its strings as escapes. */
void print_json(eg_str json);
/* Reads a whole stream, at most `most` bytes; NUL-terminated; free it. NULL after complaining. */
char *read_stream(FILE *in, const char *name, size_t most, size_t *size);
/* SIGINT and SIGTERM set it to their number. The cancel flag of every request of the command
 * line. */
extern int stop_flag;
/* The number of the signal that asked to stop, or 0. */
static inline int stop_requested(void) { return __atomic_load_n(&stop_flag, __ATOMIC_ACQUIRE); }

/* What the options --threads, --isa, --gemm, --format ask for; 0, or EXIT_ERROR after
 * complaining. */
int infer_options(const call *c, eg_engine_options *engine, uint32_t *format);
/* The folder of --model, or of the model that `setting` names, and the cache folder, `size` bytes
 * each. What infer_options left open gets the values of the settings. 0, or EXIT_ERROR after
 * complaining. */
int model_folder(const call *c, const char *setting, char *folder, char *cache, size_t size, eg_engine_options *engine,
                 uint32_t *format);

/* commit, query, conflicts, resolve, judge, status, feedback, undo */
int run_memory(const call *c);
int run_review(const call *c);
int run_feedback(const call *c);
/* Calls a tool of the memory. *out: its result, to be deleted; NULL when it was printed as JSON
 * (--json) or failed. Returns the exit status, after complaining where there is something to
 * complain about. */
struct cJSON;
int memory_tool(const call *c, eg_host *host, const char *tool, const struct cJSON *arguments, struct cJSON **out);
/* The options of the command that are arguments of its tool, as a JSON object; NULL after
 * complaining. */
struct cJSON *memory_arguments(const call *c);
/* The same without complaining: *err says what was wrong. */
eg_status memory_try(eg_host *host, const char *tool, const struct cJSON *arguments, struct cJSON **out, eg_error *err);
/* After a change of the embedding model: some of the missing embeddings. */
void memory_reembed(const call *c, eg_host *host);
int run_batch(const call *c); /* commit --batch */
/* memory_tool for a result that is wanted here, also with --json. */
int memory_ask(const call *c, eg_host *host, const char *tool, const struct cJSON *arguments, struct cJSON **out);
/* The versions of a fact, as engram_lineage gives them, in *out, to be deleted, and in *named, part
 * of it, the one that was named. */
int memory_fact(const call *c, eg_host *host, const char *id, struct cJSON **out, const struct cJSON **named);
/* Calls a listing tool page by page until there is nothing more, or `limit` rows, which stand in
 * the member `rows` of its results. With --json each row is printed, a line each, as its page
 * comes; else all of them are put into *table, to be deleted. Says how to go on where there is
 * more. */
int memory_pages(const call *c, eg_host *host, const char *tool, struct cJSON *arguments, const char *rows, size_t limit,
                 struct cJSON **table);
/* --limit as a number; 0 after complaining. Without it `people`, or no limit with --json. */
size_t memory_limit(const call *c, size_t people);
/* 1: the fact of a result is not current: it was closed, or has expired. */
int fact_is_over(const struct cJSON *fact);
int run_facts(const call *c);
int run_recall(const call *c);
int run_show(const call *c);
int run_timeline(const call *c);
int run_diff(const call *c);
int run_mark(const call *c); /* pin, unpin, archive, restore */
int run_promote(const call *c);
int run_edit(const call *c);
int run_delete(const call *c);
int run_tool(const call *c);
int run_check(const call *c);
int run_mcp(const call *c);
int run_nli(const call *c);
int run_embed(const call *c);
int run_label(const call *c);
int run_bench(const call *c);
int run_pairs_bench(const call *c); /* engram bench nli FILE */
int run_plugins(const call *c);
int run_models(const call *c);
int run_workspaces(const call *c);
int run_export(const call *c);
int run_import(const call *c);
int run_erase(const call *c);
int run_audit(const call *c);
int run_install(const call *c);
int run_allow(const call *c);
int run_doctor(const call *c);
int run_version(const call *c);
int run_help(const call *c);

#endif
