/* engram.c - the command line: the table of commands, parsing, help. Everything else stands in the file of its family. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cli.h"

int stop_flag;

#define END \
    { NULL, NULL, NULL, NULL, 0 }

static const option commit_options[] = {
    {"scope", "PATH", "topic of the fact, such as auth/jwt (default: the setting scope, else general)", "scope", 't'},
    {"agent", "NAME", "who says so", "agent_id", 't'},
    {"engineer", "NAME", "the person behind it", "engineer", 't'},
    {"confidence", "0..1", "how sure (default: 0.8)", "confidence", 'n'},
    {"provenance", "TEXT", "evidence: file and line, test output", "provenance", 't'},
    {"type", "TYPE", "observation, inference or decision", "fact_type", 't'},
    {"ttl-days", "N", "ends by itself after N days", "ttl_days", 'n'},
    {"operation", "OP", "add, update, delete or none", "operation", 't'},
    {"corrects", "LINEAGE", "the lineage or fact that it replaces", "corrects_lineage", 't'},
    {"durability", "D", "durable or ephemeral", "durability", 't'},
    {"wait-ms", "N", "how long to wait for the verdict (default: 30000)", "wait_ms", 'n'},
    END};
static const option query_options[] = {
    {"scope", "PATH", "only this scope and those below it; / is all (default: the setting scope, else all)", "scope", 't'},
    {"limit", "N", "at most N facts (default: 10)", "limit", 'n'},
    {"as-of", "TIME", "what was known then, for example 2026-11-01", "as_of", 't'},
    {"type", "TYPE", "observation, inference or decision", "fact_type", 't'},
    {"agent", "NAME", "only this agent's facts", "agent_id", 't'},
    {"ephemeral", NULL, "ephemeral facts too", "include_ephemeral", 'b'},
    {"history", NULL, "facts that were closed or have expired too", "include_history", 'b'},
    END};
static const option conflicts_options[] = {{"scope", "PATH", "only conflicts of this scope", "scope", 't'},
                                           {"status", "S", "open (default), resolved, dismissed, expired or all", "status", 't'},
                                           {"limit", "N", "at most N", "limit", 'n'},
                                           END};
static const option resolve_options[] = {{"type", "T", "winner, merge, dismissed or both_valid", "resolution_type", 't'},
                                         {"winner", "FACT", "the fact that is right (type winner)", "winning_fact_id", 't'},
                                         {"reason", "TEXT", "why; for merge: the merged fact", "resolution", 't'},
                                         END};
static const option feedback_options[] = {{"verdict", "V", "true_positive or false_positive", "feedback", 't'}, END};
static const option no_options[] = {END};
static const option check_options[] = {
    {"against-store", NULL, "compare with the facts of the workspace too", NULL, 'b'},
    {"sarif", NULL, "print SARIF 2.1.0", NULL, 'b'},
    {"progress", NULL, "tell on standard error how far it is, also when that is no terminal", NULL, 'b'},
    END};
static const option mcp_options[] = {{"profile", "P", "which tools: core (default), team or all", NULL, 't'}, END};
/* How to compute. */
#define RUN_OPTIONS                                                                                                           \
    {"threads", "N", "threads (default: the setting, else what this process may use)", NULL, 'n'},                            \
        {"isa", "ISA", "auto, scalar, avx2, avxvnni, avx512, avx512vnni, avx512bf16, amx, neon, dotprod or i8mm", NULL, 't'}, \
        {"gemm", "G", "own or openblas (default: the setting)", NULL, 't'}, {                                                 \
        "format", "F", "auto (as the weights are stored), f32, s8 or bf16 (default: the setting)", NULL, 't'                  \
    }
static const option model_options[] = {
    {"model", "DIR", "a model folder or the name of an installed model (default: the configured one)", NULL, 't'},
    RUN_OPTIONS,
    END};
static const option embed_options[] = {
    {"model", "DIR", "a model folder or the name of one that ships", NULL, 't'},
    {"prompt", "NAME", "what the model wants before a text: query, passage (default: what its folder says)", NULL, 't'},
    RUN_OPTIONS,
    END};
static const option label_options[] = {
    {"model", "DIR", "the folder of a token classification model", NULL, 't'},
    {"aggregation", "A", "simple (default), first, average or max: the label of a word of several tokens", NULL, 't'},
    RUN_OPTIONS,
    END};
static const option bench_options[] = {
    {"model", "DIR", "a model folder or the name of an installed model (default: the configured one)", NULL, 't'},
    {"threads", "N", "threads (default: the setting, else one, then all)", NULL, 'n'},
    {"isa", "ISA", "auto, scalar, avx2, avxvnni, avx512, avx512vnni, avx512bf16, amx, neon, dotprod or i8mm", NULL, 't'},
    {"gemm", "G", "own or openblas (default: the setting)", NULL, 't'},
    {"format", "F", "f32, s8 or bf16 (default: the setting, else f32 and s8 side by side)", NULL, 't'},
    {"quick", NULL, "fewer cells", NULL, 'b'},
    END};

static const option models_options[] = {
    {"as", "USE", "use: for nli or embed (default: what the model is made for)", NULL, 't'},
    {"now", NULL, "use, for an embedding model: make the vectors of this memory's facts now", NULL, 'b'},
    {"name", "NAME", "pull: its name here (default: that of the repository)", NULL, 't'},
    END};

static const command commands[] = {
    {"check", "PATH...", "find statements in files that contradict each other; writes nothing",
     "Reads Markdown, text and JSONL ({\"content\", \"scope\"}), files or folders; '-' is standard input: Markdown, or\n"
     "JSONL when it begins with {.\n"
     "Exit status: 0 clean (and silent), 1 contradictions, 2 error (what could be read is checked all the same).",
     check_options, run_check, NULL, NULL},
    {"commit", "FACT", "store a fact and say what it contradicts", "'-' reads the fact from standard input.", commit_options,
     run_memory, "engram_commit", "content"},
    {"query", "TOPIC", "what is known about a topic", NULL, query_options, run_memory, "engram_query", "topic"},
    {"conflicts", "[CONFLICT]", "pairs of facts that contradict each other, or one with the history of both", NULL,
     conflicts_options, run_memory, "engram_conflicts", "conflict_id"},
    {"resolve", "CONFLICT", "settle a conflict", NULL, resolve_options, run_memory, "engram_resolve", "conflict_id"},
    {"feedback", "CONFLICT", "tell whether a conflict was a real one", NULL, feedback_options, run_memory, "engram_feedback",
     "conflict_id"},
    {"undo", "UNDO_ID", "take back a commit, a delete or a resolution", NULL, no_options, run_memory, "engram_undo", "undo_id"},
    {"status", "", "the store, the workspace, the models", NULL, no_options, run_memory, "engram_status", NULL},
    {"mcp", "", "serve the Model Context Protocol on standard input and output", NULL, mcp_options, run_mcp, NULL, NULL},
    {"nli", "[FILE]", "probabilities of contradiction, entailment, neutral for pairs of texts",
     "Reads JSONL {\"premise\", \"hypothesis\"}, writes one JSON object a line with the probability of each label by name.",
     model_options, run_nli, NULL, NULL},
    {"embed", "[FILE]", "sentence embeddings of texts", "Reads JSONL {\"text\"}, writes {\"embedding\": [...]} a line.",
     embed_options, run_embed, NULL, NULL},
    {"label", "[FILE]", "named entities of texts, by a token classification model",
     "Reads JSONL {\"text\"}, writes {\"entities\": [{\"label\", \"text\", \"begin\", \"end\", \"score\"}]} a line; begin and end count bytes.",
     label_options, run_label, NULL, NULL},
    {"bench", "gemm|kernels|model|nli [FILE]", "measure this machine",
     "gemm: the matrix kernels. kernels: all others. model: a grid of batches and lengths. nli: 60 pairs, or the pairs of a JSONL file\n"
     "{\"premise\", \"hypothesis\"} from end to end.",
     bench_options, run_bench, NULL, NULL},
    {"plugins", "list | check FILE", "what is loaded, and the contract tests of a plugin", NULL, no_options, run_plugins, NULL,
     NULL},
    {"models", "list | pull MODEL | verify [MODEL] | use MODEL",
     "models: what is here and what is known, downloading, checking, choosing",
     "MODEL is a name of the list or a folder with a '/' in it; for pull also ORG/REPO or ORG/REPO@REVISION of a Hugging Face compatible hub.\n"
     "  pull    downloads what the engine reads, checks it and opens it; goes on where an earlier pull stopped. HF_ENDPOINT\n"
     "          names another hub than https://huggingface.co, HF_TOKEN is sent to that hub only\n"
     "  verify  compares the files with the checksums recorded when they were installed, and opens the model;\n"
     "          exit status: 0 as recorded, 1 a file is wrong, 2 it does not open\n"
     "  use     writes it into engram.conf, once it opens and is of the right kind",
     models_options, run_models, NULL, NULL},
    {"doctor", "", "check the installation: settings, paths, plugins, models, store", NULL, no_options, run_doctor, NULL, NULL},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

int complain(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    fputs(stop_requested() ? "engram: interrupted: " : "engram: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    return EXIT_ERROR;
}

static void print_overview(FILE *out) {
    fputs(
        "engram - a consistency layer and shared memory for AI coding agents\n\nusage: engram COMMAND [OPTION...] [ARGUMENT...]\n\n",
        out);
    for (size_t i = 0; i < COMMANDS; i++) fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`engram COMMAND --help` tells more. On each: --json, --workspace NAME, --home DIR, --verbose.\n", out);
}

static void print_help(const command *c) {
    printf("usage: engram %s [OPTION...] %s\n\n%s%c%s\n", c->name, c->arguments, "", c->summary[0] - 32, c->summary + 1);
    if (c->details) printf("%s\n", c->details);
    fputs("\n", stdout);
    for (const option *o = c->options; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        printf("  %-22s %s\n", left, o->help);
    }
    fputs("  --json                 print JSON\n"
          "  --workspace NAME       the memory to use (default: of the git repository here)\n"
          "  --home DIR             where Engram keeps its files (default: $ENGRAM_HOME, ~/.engram, XDG folders)\n"
          "  --verbose              say more on standard error\n"
          "  --help                 this\n",
          stdout);
}

/* Number of single-character edits between two words, for suggestions; words of over 30 characters are far from all. */
static size_t distance(const char *a, const char *b) {
    enum { MOST = 31 };
    size_t row[MOST], n = strlen(b);
    if (strlen(a) >= MOST || n >= MOST) return MOST;
    for (size_t k = 0; k <= n; k++) row[k] = k;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= n; k++) {
            size_t change = diagonal + (a[i - 1] != b[k - 1]), drop = row[k] + 1, add = row[k - 1] + 1;
            diagonal = row[k];
            row[k] = change < drop ? (change < add ? change : add) : drop < add ? drop : add;
        }
    }
    return row[n];
}

static const command *find_command(const char *name) {
    const command *nearest = NULL;
    size_t least = 4;
    for (size_t i = 0; i < COMMANDS; i++) {
        size_t d = distance(name, commands[i].name);
        if (d == 0) return &commands[i];
        if (d < least) {
            least = d;
            nearest = &commands[i];
        }
    }
    if (nearest) complain("there is no command '%s'; did you mean '%s'? See `engram --help`", name, nearest->name);
    else complain("there is no command '%s': see `engram --help`", name);
    return NULL;
}

static int unknown_option(const command *c, const char *name) {
    const char *nearest = NULL;
    size_t least = 4;
    for (const option *o = c->options; o->name; o++)
        if (distance(name, o->name) < least) {
            least = distance(name, o->name);
            nearest = o->name;
        }
    if (nearest) return complain("%s has no option --%s; did you mean --%s?", c->name, name, nearest);
    return complain("%s has no option --%s: see `engram %s --help`", c->name, name, c->name);
}

/* Reads one "--name[=value]"; *i moves over a value that stands apart. 0, or EXIT_ERROR after complaining. */
static int parse_option(call *c, const char *word, int argc, char **argv, int *i) {
    char name[64];
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    if (length >= sizeof name) return complain("the option --%.40s... is unknown", word);
    memcpy(name, word, length);
    name[length] = '\0';
    const char **to = NULL;
    int takes_value = 1;
    if (strcmp(name, "home") == 0) to = &c->home;
    if (strcmp(name, "workspace") == 0) to = &c->workspace;
    for (size_t k = 0; !to && c->command->options[k].name; k++)
        if (strcmp(name, c->command->options[k].name) == 0) {
            to = &c->values[k];
            takes_value = c->command->options[k].value != NULL;
        }
    int *flag = strcmp(name, "json") == 0 ? &c->json : strcmp(name, "verbose") == 0 ? &c->verbose : NULL;
    if (!to && !flag) return unknown_option(c->command, name);
    if ((flag || !takes_value) && equals) return complain("--%s takes no value", name);
    if (flag) {
        ++*flag;
    } else if (!takes_value) {
        *to = "1";
    } else if (equals) {
        *to = equals + 1;
    } else {
        if (*i + 1 >= argc) return complain("--%s needs a value", name);
        *to = argv[++*i];
    }
    return 0;
}

const char *call_option(const call *c, const char *name) {
    for (size_t k = 0; c->command->options[k].name; k++)
        if (strcmp(name, c->command->options[k].name) == 0) return c->values[k];
    return NULL;
}

eg_host *open_host(const call *c, int without_store, int worker, const char *const *settings, size_t setting_count,
                   eg_error *err) {
    eg_host_options o = {.workspace = c->workspace,
                         .home = c->home,
                         .program = c->program,
                         .settings = settings,
                         .setting_count = setting_count,
                         .without_store = without_store,
                         .worker = worker,
                         .verbose = c->verbose};
    eg_host *host = NULL;
    return eg_host_open(&o, &host, err) == EG_OK ? host : NULL;
}

eg_host *call_host(const call *c, int without_store, int worker, const char *const *settings, size_t setting_count) {
    eg_error err = {0};
    eg_host *host = open_host(c, without_store, worker, settings, setting_count, &err);
    if (!host) complain("%s", err.text);
    return host;
}

char *tame(char *text) {
    for (char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p, next = (unsigned char)p[1];
        int wide = c == 0xC2 && next >= 0x80 && next < 0xA0; /* U+0080 to U+009F */
        if ((c < ' ' && c != '\t' && c != '\n') || c == 0x7F || wide) *p = '?';
        if (wide) *++p = '?';
    }
    return text;
}

char *read_stream(FILE *in, const char *name, size_t most, size_t *size) {
    size_t capacity = 4096, n = 0;
    char *p = malloc(capacity + 1);
    while (p && !feof(in)) {
        n += fread(p + n, 1, capacity - n, in);
        if (ferror(in)) {
            complain("cannot read %s", name);
            free(p);
            return NULL;
        }
        if (n > most) {
            complain("%s has more than %zu bytes: shorten it or split it", name, most);
            free(p);
            return NULL;
        }
        if (n < capacity) continue;
        char *more = realloc(p, 2 * capacity + 1);
        if (!more) free(p);
        p = more;
        capacity *= 2;
    }
    if (!p) {
        complain("out of memory while %s was read", name);
        return NULL;
    }
    p[n] = '\0';
    *size = n;
    return p;
}

static void stop(int signal_number) { __atomic_store_n(&stop_flag, signal_number, __ATOMIC_RELEASE); }

/* The first signal asks, a second one ends; a measurement never asks. */
static void set_signals(int asks) {
    struct sigaction a = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    if (asks) sigaction(SIGINT, &a, NULL);
    if (asks) sigaction(SIGTERM, &a, NULL);
    a.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &a, NULL);
}

/* Output that was lost is an error, but for a pipe whose reader had enough (`| head`): then the verdict stands. */
static int end_output(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (poll(&out, 1, 0) == 1 && (out.revents & POLLERR)) return status;
    return complain("the output could not be written");
}

/* A descriptor that the caller closed must not be given to a database or a model: /dev/null takes its place. */
static void keep_standard_descriptors(call *c) {
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1) continue;
        c->closed_descriptors |= 1 << fd;
        if (open("/dev/null", fd ? O_WRONLY : O_RDONLY) != fd) _exit(EXIT_ERROR); /* the lowest that is free */
    }
}

int main(int argc, char **argv) {
    static call c;
    keep_standard_descriptors(&c);
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_overview(argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_ERROR : EXIT_FINE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("engram %s (plugin ABI %d.%d)\n", ENGRAM_VERSION, EG_ABI_MAJOR, EG_ABI_MINOR);
        return EXIT_FINE;
    }
    c.program = argv[0];
    if (!(c.command = find_command(argv[1]))) return EXIT_ERROR;
    int only_words = 0;
    for (int i = 2; i < argc; i++) {
        const char *word = argv[i];
        if (!only_words && strcmp(word, "--") == 0) {
            only_words = 1;
        } else if (!only_words && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            print_help(c.command);
            return end_output(EXIT_FINE);
        } else if (!only_words && strncmp(word, "--", 2) == 0) {
            if (parse_option(&c, word + 2, argc, argv, &i)) return EXIT_ERROR;
        } else if (!only_words && word[0] == '-' && word[1]) {
            return complain("'%s' is no option: options begin with --; write -- before words that begin with -", word);
        } else if (c.positional_count == MAX_POSITIONAL) {
            return complain("more than %d arguments", MAX_POSITIONAL);
        } else {
            c.positional[c.positional_count++] = word;
        }
    }
    set_signals(c.command->run != run_bench);
    int status = end_output(c.command->run(&c));
    return stop_requested() && c.command->run != run_mcp ? 128 + stop_requested() : status;
}
