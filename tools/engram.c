/* engram.c - the program: reads the command line by the table of commands (command_table.h) and
 * runs the command, which stands in the file of its family. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/hidden.h"
#include "core/base/spelling.h"
#include "tools/cli.h"
#include "tools/help_formats.h"

int stop_flag;

/* Prints the message as one line. */
__attribute__((format(printf, 2, 0))) static void tell(const char *before, const char *format, va_list ap) {
    char *text = NULL;
    if (vasprintf(&text, format, ap) < 0) text = NULL;
    eg_buffer line = {0};
    eg_buffer_text(&line, before);
    eg_hidden_show(&line, eg_str_of(text ? text : "out of memory"), EG_HIDDEN_LINE);
    eg_buffer_text(&line, "\n");
    if (line.len) fwrite(line.ptr, 1, line.len, stderr);
    eg_buffer_release(&line);
    free(text);
}

int complain(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    tell(stop_requested() ? "engram: interrupted: " : "engram: ", format, ap);
    va_end(ap);
    return EXIT_ERROR;
}

void note(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    tell("engram: ", format, ap);
    va_end(ap);
}

void print_shown(eg_str text) {
    eg_buffer b = {0};
    eg_hidden_show(&b, text, EG_HIDDEN_TEXT);
    if (b.len) fwrite(b.ptr, 1, b.len, stdout);
    eg_buffer_release(&b);
}

/* The row of a name; NULL after complaining. */
static const command *find_command(const char *name) {
    eg_suggestion s = {.written = name};
    for (const command *c = next_command(NULL); c; c = next_command(c)) {
        if (strcmp(c->name, name) == 0) return c;
        eg_suggestion_offer(&s, c->name);
    }
    if (*name == '-') complain("'%s' stands before the command: write engram COMMAND %s, see `engram --help`", name, name);
    else if (s.meant) complain("there is no command '%s'; did you mean '%s'? See `engram --help`", name, s.meant);
    else complain("there is no command '%s': see `engram --help`", name);
    return NULL;
}

/* The option of that name, or of that letter where name is NULL; *slot: where its value goes. NULL:
 * there is none. */
static const option *find_option(call *c, const char *name, char letter, const char ***slot) {
    for (int common = 0; common < 2; common++) {
        const option *list = common ? common_options : c->command->options;
        for (size_t k = 0; list[k].name; k++)
            if (name ? strcmp(name, list[k].name) == 0 : letter == list[k].short_name) {
                *slot = common ? &c->common[k] : &c->values[k];
                return &list[k];
            }
    }
    return NULL;
}

static int unknown_option(const command *c, const char *name) {
    eg_suggestion s = {.written = name};
    for (int common = 0; common < 2; common++)
        for (const option *o = common ? common_options : c->options; o->name; o++) eg_suggestion_offer(&s, o->name);
    if (s.meant) return complain("%s has no option --%s; did you mean --%s?", c->name, name, s.meant);
    return complain("%s has no option --%s: see `engram help %s`", c->name, name, c->name);
}

/* 1 when value is one of the words of choices. */
static int is_choice(const char *value, const char *choices) {
    size_t n = strlen(value);
    for (const char *p = choices; *p; p += strcspn(p, " "), p += *p == ' ')
        if (strcspn(p, " ") == n && n && memcmp(p, value, n) == 0) return 1;
    return 0;
}

/* Complains with "a, b or c" out of "a b c". */
static int complain_of_choice(const option *o, const char *value) {
    char list[300];
    size_t n = 0;
    const char *last = strrchr(o->choices, ' ');
    for (const char *p = o->choices; *p && n + 8 < sizeof list; p++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%.*s", *p == ' ' ? 4 : 1, p == last ? " or " : *p == ' ' ? ", " : p);
    return complain("--%s is '%s': it must be %s", o->name, value, list);
}

/* Reads one option; *i moves over a value that stands apart. 0, or EXIT_ERROR after complaining. */
static int parse_option(call *c, int argc, char **argv, int *i) {
    const char *word = argv[*i], *equals = strchr(word, '='), *value = NULL, **slot = NULL;
    int is_long = word[1] == '-';
    char name[64];
    size_t length = equals ? (size_t)(equals - word - 2) : strlen(word) - 2;
    if (is_long && length >= sizeof name) return complain("there is no option '%.40s...'", word);
    if (is_long) snprintf(name, sizeof name, "%.*s", (int)length, word + 2);
    const option *o = find_option(c, is_long ? name : NULL, word[1], &slot);
    if (!o && is_long) return unknown_option(c->command, name);
    if (!o)
        return complain("%s has no option %s: see `engram help %s`; write -- before words that begin with -", c->command->name,
                        word, c->command->name);
    if (is_long && equals) value = equals + 1;
    else if (!is_long && word[2]) value = word + 2;
    if (!o->value && value) return complain("--%s takes no value", o->name);
    if (o->value && !value && *i + 1 >= argc) return complain("--%s needs a value: --%s %s", o->name, o->name, o->value);
    if (o->value && !value) value = argv[++*i];
    if (o->choices && !is_choice(value, o->choices)) return complain_of_choice(o, value);
    *slot = o->value ? value : "1";
    if (!o->repeats) return 0;
    if (c->repeated_count == MAX_REPEATED) return complain("--%s is given more than %d times: give fewer", o->name, MAX_REPEATED);
    c->repeated[c->repeated_count].of = o;
    c->repeated[c->repeated_count++].value = value;
    return 0;
}

/* Complains about a word that is none of the command's actions. */
static int unknown_action(const command *c, const char *word) {
    eg_suggestion s = {.written = word};
    char list[200] = "";
    size_t n = 0;
    for (const action *a = c->actions; a->name && n < sizeof list; a++) {
        const char *before = a == c->actions ? "" : a[1].name ? ", " : " or ";
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", before, a->name);
        eg_suggestion_offer(&s, a->name);
    }
    if (s.meant)
        return complain("%s has no subcommand '%s'; did you mean '%s'? It must be %s: see `engram help %s`", c->name, word,
                        s.meant, list, c->name);
    return complain("%s has no subcommand '%s': it must be %s; see `engram help %s`", c->name, word, list, c->name);
}

int complain_of_usage(const call *c) {
    const action *a = c->positional_count ? c->command->actions : NULL;
    while (a && a->name && strcmp(a->name, c->positional[0]) != 0) a++;
    if (a && !a->name) return unknown_action(c->command, c->positional[0]);
    if (a && !*a->arguments)
        return complain("%s %s takes no arguments: leave out '%s'", c->command->name, a->name, c->positional[1]);
    if (a)
        return complain("write: engram %s %s %s; see `engram help %s`", c->command->name, a->name, a->arguments,
                        c->command->name);
    return complain("usage: engram %s [OPTION...] %s; see `engram help %s`", c->command->name, c->command->synopsis,
                    c->command->name);
}

const char *call_option(const call *c, const char *name) {
    for (size_t k = 0; c->command->options[k].name; k++)
        if (strcmp(name, c->command->options[k].name) == 0) return c->values[k];
    return NULL;
}

size_t call_options(const call *c, const char *name, const char *values[MAX_REPEATED]) {
    size_t n = 0;
    for (size_t i = 0; i < c->repeated_count; i++)
        if (strcmp(name, c->repeated[i].of->name) == 0) values[n++] = c->repeated[i].value;
    return n;
}

eg_host_options host_options(const call *c, int without_store, int worker) {
    return (eg_host_options){.workspace = c->workspace,
                             .home = c->home,
                             .program = c->program,
                             .without_store = without_store,
                             .worker = worker,
                             .verbose = c->verbose};
}

eg_host *open_host(const call *c, int without_store, int worker, const char *const *settings, size_t setting_count,
                   eg_error *err) {
    eg_host_options o = host_options(c, without_store, worker);
    o.settings = settings;
    o.setting_count = setting_count;
    eg_host *host = NULL;
    return eg_host_open(&o, &host, err) == EG_OK ? host : NULL;
}

eg_host *call_host(const call *c, int without_store, int worker, const char *const *settings, size_t setting_count) {
    eg_error err = {0};
    eg_host *host = open_host(c, without_store, worker, settings, setting_count, &err);
    if (!host) complain("%s", err.text);
    return host;
}

void print_json(eg_str json) {
    eg_buffer b = {0};
    eg_hidden_show(&b, json, EG_HIDDEN_ESCAPED);
    eg_buffer_text(&b, "\n");
    if (b.len) fwrite(b.ptr, 1, b.len, stdout);
    eg_buffer_release(&b);
}

char *read_stream(FILE *in, const char *name, size_t most, size_t *size) {
    size_t capacity = 4096, n = 0;
    char *p = malloc(capacity + 1);
    while (p && !feof(in)) {
        n += fread(p + n, 1, capacity - n, in);
        if (ferror(in)) {
            complain("cannot read %s: %s", name, strerror(errno));
            free(p);
            return NULL;
        }
        if (n > most) {
            complain("%s has more than %zu bytes: split it", name, most);
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
        complain("out of memory while reading %s", name);
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
    /* over the limit of a file (ulimit -f) writing then fails, as on a full disk */
    sigaction(SIGXFSZ, &a, NULL);
}

/* Output that was lost is an error, but for a pipe whose reader had enough (`| head`): then the
 * verdict stands. */
static int end_output(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (poll(&out, 1, 0) == 1 && (out.revents & POLLERR)) return status;
    return complain("the output could not be written: is the disk full?");
}

/* A descriptor that the caller closed must not be given to a database or a model: /dev/null takes
 * its place. */
static void keep_standard_descriptors(call *c) {
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1) continue;
        c->closed_descriptors |= 1 << fd;
        /* the lowest that is free */
        if (open("/dev/null", fd ? O_WRONLY : O_RDONLY) != fd) _exit(EXIT_ERROR);
    }
}

int run_version(const call *c) {
    if (c->positional_count) return complain("version takes no arguments: '%s'", c->positional[0]);
    if (c->json) printf("{\"version\":\"%s\",\"abi\":\"%d.%d\"}\n", ENGRAM_VERSION, EG_ABI_MAJOR, EG_ABI_MINOR);
    else printf("engram %s (plugin ABI %d.%d)\n", ENGRAM_VERSION, EG_ABI_MAJOR, EG_ABI_MINOR);
    return EXIT_FINE;
}

int run_help(const call *c) {
    const char *format = call_option(c, "format");
    const command *of = NULL;
    if (c->positional_count > 1) return complain("help explains one command at a time: leave out '%s'", c->positional[1]);
    if (c->positional_count && !(of = find_command(c->positional[0]))) return EXIT_ERROR;
    if (!format || strcmp(format, "text") == 0) {
        if (of) print_command_help(stdout, of);
        else print_overview(stdout);
    } else if (strcmp(format, "man") == 0) {
        if (of) print_command_man(stdout, of, ENGRAM_VERSION);
        else print_program_man(stdout, ENGRAM_VERSION);
    } else if (of) {
        return complain("--format %s is for all commands together: leave out '%s'", format, of->name);
    } else if (strcmp(format, "bash") == 0) {
        print_bash_completion(stdout);
    } else if (strcmp(format, "zsh") == 0) {
        print_zsh_completion(stdout);
    } else if (strcmp(format, "fish") == 0) {
        print_fish_completion(stdout);
    } else {
        print_command_names(stdout);
    }
    return EXIT_FINE;
}

/* Fills the call from the words behind the command; 0, or EXIT_ERROR after complaining. Words
 * behind --help are not read. */
static int parse_words(call *c, int argc, char **argv) {
    int only_words = 0;
    for (int i = 2; i < argc && !c->common[COMMON_HELP]; i++) {
        const char *word = argv[i];
        if (!only_words && strcmp(word, "--") == 0) {
            only_words = 1;
        } else if (!only_words && word[0] == '-' && word[1]) {
            if (parse_option(c, argc, argv, &i)) return EXIT_ERROR;
        } else if (c->positional_count == MAX_POSITIONAL) {
            return complain("more than %d arguments: give fewer", MAX_POSITIONAL);
        } else {
            c->positional[c->positional_count++] = word;
        }
    }
    c->json = c->common[COMMON_JSON] != NULL;
    c->verbose = c->common[COMMON_VERBOSE] != NULL;
    c->workspace = c->common[COMMON_WORKSPACE];
    c->home = c->common[COMMON_HOME];
    return 0;
}

int main(int argc, char **argv) {
    static call c;
    keep_standard_descriptors(&c);
    const char *name = argc < 2 ? "" : argv[1];
    if (argc < 2 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_overview(argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_ERROR : end_output(EXIT_FINE);
    }
    c.program = argv[0];
    if (!(c.command = find_command(strcmp(name, "--version") == 0 ? "version" : name))) return EXIT_ERROR;
    if (parse_words(&c, argc, argv)) return EXIT_ERROR;
    if (c.common[COMMON_HELP]) {
        print_command_help(stdout, c.command);
        return end_output(EXIT_FINE);
    }
    set_signals(c.command->run != run_bench);
    int status = end_output(c.command->run(&c));
    return stop_requested() && c.command->run != run_mcp ? 128 + stop_requested() : status;
}
