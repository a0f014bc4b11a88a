/* infer_commands.c - `engram nli`, `engram embed` and `engram label`: JSONL in, JSONL out, in the
 * order of the input. For a line that cannot be used an error is printed in its place, and the
 * others are answered. Uses libengram-infer; the host only finds the model by its name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "tools/cli.h"

enum { BATCH = 64, MAX_LINE = 4 << 20 };

typedef struct line {
    eg_str a, b;
    size_t number;
    const eg_entity *entities; /* of the stream */
    size_t entity_count;
    char error[300]; /* empty: good */
} line;

/* What is asked of the model. */
typedef struct task {
    eg_head head;
    const char *keys[2]; /* keys[1] NULL: one text a line */
    const char *setting; /* that names the model where --model is not given; NULL: --model is
                          * required */
    const char *instead; /* the message for a model with another head, after "this model" */
} task;
static const task nli = {
    EG_HEAD_CLASSES, {"premise", "hypothesis"}, "model.nli", "does not classify pairs of texts: name an NLI model with --model"};
static const task embed = {EG_HEAD_EMBEDDING, {"text", NULL}, "model.embed", ""};
static const task label = {
    EG_HEAD_TOKENS, {"text", NULL}, NULL, "does not label tokens: name a token classification model with --model"};

typedef struct stream {
    FILE *in;
    const char *name;
    const task *task;
    uint32_t aggregation;
    const char *prompt; /* NULL: the default one */
    eg_model *model;
    eg_model_info info;
    eg_arena arena; /* of a batch */
    char *buffer;   /* MAX_LINE + 1 bytes: of a line */
    line lines[BATCH];
    size_t count, number;
    size_t bad_lines;
    eg_entity *entities;     /* of a batch: as many a line as a text can have tokens, and so
                              * entities */
    int failed, timed, json; /* timed: the rate instead of the answers */
    int64_t begun;
} stream;

/* The two texts of a line. */
static void read_fields(stream *s, line *l, eg_str text) {
    eg_error err = {0};
    eg_json j;
    char name[64];
    eg_str key = {0};
    snprintf(name, sizeof name, "line %zu", s->number);
    eg_json_init(&j, name, text, &s->arena, &err);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END && k != EG_JSON_ERROR; k = eg_json_next(&j)) {
        if (k == EG_JSON_KEY) key = j.text;
        if (k != EG_JSON_STRING || j.depth != 1) continue;
        if (eg_str_eq(key, eg_str_of(s->task->keys[0]))) l->a = j.text;
        if (s->task->keys[1] && eg_str_eq(key, eg_str_of(s->task->keys[1]))) l->b = j.text;
    }
    const char *missing = !l->a.ptr ? s->task->keys[0] : s->task->keys[1] && !l->b.ptr ? s->task->keys[1] : NULL;
    if (err.code != EG_OK) snprintf(l->error, sizeof l->error, "%.250s", err.text);
    else if (missing) snprintf(l->error, sizeof l->error, "line %zu: \"%s\" is missing or is not a string", s->number, missing);
}

/* 1 when a line can be read without blocking: a batch that holds a line is not kept waiting for
 * more. */
static int input_ready(FILE *in) {
    struct timeval no_time = {0, 0};
    fd_set set;
    int fd = fileno(in);
    if (fd >= FD_SETSIZE) return 1;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    return select(fd + 1, &set, NULL, NULL, &no_time) > 0;
}

/* The next line without its end: *length bytes, of which the buffer holds the first MAX_LINE + 1. 0
 * at the end of the input. */
static int read_line(stream *s, size_t *length) {
    size_t n = 0;
    int c = EOF;
    while (!stop_requested() && (c = getc_unlocked(s->in)) != EOF && c != '\n') {
        if (n <= MAX_LINE) s->buffer[n] = (char)c;
        n++;
    }
    int there = c == '\n' || (n > 0 && !stop_requested());
    while (n > 0 && n <= MAX_LINE + 1 && s->buffer[n - 1] == '\r') n--;
    *length = n;
    return there;
}

/* Fills a batch; 0 at the end of the input. */
static int read_batch(stream *s) {
    size_t n;
    s->count = 0;
    eg_arena_release(&s->arena);
    while (!s->failed && s->count < BATCH && (s->count == 0 || input_ready(s->in)) && read_line(s, &n)) {
        line *l = &s->lines[s->count];
        s->number++;
        *l = (line){.number = s->number};
        if (n == 0) continue;
        s->count++;
        if (n > MAX_LINE) {
            snprintf(l->error, sizeof l->error, "line %zu has %zu bytes: the limit is %d", s->number, n, MAX_LINE);
            continue;
        }
        char *copy = eg_arena_copy(&s->arena, (eg_str){s->buffer, n});
        if (copy) read_fields(s, l, (eg_str){copy, n});
        else s->failed = complain("out of memory at line %zu of %s", s->number, s->name);
    }
    if (ferror(s->in) && !stop_requested()) {
        complain("cannot read %s: %s", s->name, strerror(errno));
        s->failed = 1;
    }
    return s->count > 0;
}

static void put_floats(const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) printf("%s%.9g", i ? "," : "", (double)x[i]);
}

static void print_entities(const line *l) {
    eg_buffer b = {0};
    for (size_t i = 0; i < l->entity_count; i++) {
        const eg_entity *e = &l->entities[i];
        eg_buffer_text(&b, i ? ",{\"label\":" : "{\"label\":");
        eg_buffer_json(&b, e->label);
        eg_buffer_text(&b, ",\"text\":");
        eg_buffer_json(&b, (eg_str){l->a.ptr + e->span.begin, e->span.end - e->span.begin});
        eg_buffer_format(&b, ",\"begin\":%zu,\"end\":%zu,\"score\":%.9g}", e->span.begin, e->span.end, (double)e->score);
    }
    printf("{\"entities\":[%.*s]}\n", (int)b.len, b.len ? b.ptr : "");
    eg_buffer_release(&b);
}

static void print_error(const line *l) {
    eg_buffer b = {0};
    eg_buffer_json(&b, eg_str_of(l->error));
    printf("{\"error\":%.*s}\n", (int)b.len, b.ptr);
    eg_buffer_release(&b);
}

static void print_line(const stream *s, const float *row) {
    eg_buffer b = {0};
    if (!s->task->keys[1]) {
        fputs("{\"embedding\":[", stdout);
        put_floats(row, s->info.hidden);
        puts("]}");
    } else {
        for (size_t i = 0; i < s->info.labels; i++) {
            eg_buffer_text(&b, i ? "," : "{");
            eg_buffer_json(&b, eg_str_of(s->info.label_names[i]));
            eg_buffer_format(&b, ":%.9g", (double)row[i]);
        }
        printf("%.*s}\n", (int)b.len, b.ptr);
    }
    eg_buffer_release(&b);
}

/* Runs the good lines of a batch together; line by line if that fails, so that one bad text does
 * not spoil the others. */
static void infer(stream *s, float *rows, size_t width) {
    eg_pair pairs[BATCH];
    eg_str texts[BATCH];
    size_t good[BATCH], n = 0;
    eg_error err = {0};
    for (size_t i = 0; i < s->count; i++)
        if (!s->lines[i].error[0]) {
            pairs[n] = (eg_pair){s->lines[i].a, s->lines[i].b};
            texts[n] = s->lines[i].a;
            good[n++] = i;
        }
    float *out = malloc((n + 1) * width * sizeof *out);
    if (!out) {
        complain("out of memory");
        s->failed = 1;
        return;
    }
    eg_status st = s->task->keys[1] ? eg_model_classify(s->model, pairs, n, out, NULL, &err)
                                    : eg_model_embed_prompted(s->model, s->prompt, texts, n, out, NULL, &err);
    for (size_t i = 0; i < n; i++) {
        line *l = &s->lines[good[i]];
        if (st != EG_OK) {
            float *one = out + i * width;
            eg_status again = s->task->keys[1] ? eg_model_classify(s->model, &pairs[i], 1, one, NULL, &err)
                                               : eg_model_embed_prompted(s->model, s->prompt, &texts[i], 1, one, NULL, &err);
            if (again != EG_OK) snprintf(l->error, sizeof l->error, "%.250s", err.text);
        }
        memcpy(rows + good[i] * width, out + i * width, width * sizeof *rows);
    }
    if (s->task->keys[1]) eg_softmax(rows, s->count, width);
    free(out);
}

/* The entities of the good lines of a batch; line by line if the batch fails, so that one bad text
 * does not spoil the others. */
static void label_lines(stream *s) {
    eg_str texts[BATCH];
    line *good[BATCH];
    size_t offsets[BATCH + 1] = {0}, n = 0, most = s->info.max_tokens;
    eg_error err = {0};
    for (size_t i = 0; i < s->count; i++)
        if (!s->lines[i].error[0]) texts[n] = s->lines[i].a, good[n++] = &s->lines[i];
    eg_status st = eg_model_entities(s->model, texts, n, s->aggregation, s->entities, n * most, offsets, NULL, &err);
    for (size_t i = 0; i < n; i++) {
        size_t one[2] = {offsets[i], offsets[i + 1]};
        eg_entity *to = s->entities + i * most;
        if (st != EG_OK && eg_model_entities(s->model, &texts[i], 1, s->aggregation, to, most, one, NULL, &err) != EG_OK)
            snprintf(good[i]->error, sizeof good[i]->error, "line %zu: %.250s", good[i]->number, err.text);
        good[i]->entities = st == EG_OK ? s->entities + one[0] : to;
        good[i]->entity_count = one[1] - one[0];
    }
}

/* For `engram bench nli`: the rate instead of the answers. */
static void print_rate(const stream *s, int last) {
    double seconds = (double)(eg_clock_monotonic() - s->begun) / 1e6;
    size_t n = s->number - s->bad_lines;
    if (last && s->json)
        printf("{\"pairs\":%zu,\"errors\":%zu,\"seconds\":%.3f,\"pairs_per_second\":%.1f}\n", n, s->bad_lines, seconds,
               (double)n / seconds);
    else if (last)
        printf("%zu pairs in %.2f s: %.1f pairs/s; %zu lines with errors\n", n, seconds, (double)n / seconds, s->bad_lines);
    else fprintf(stderr, "\r%zu pairs, %.0f pairs/s ", n, (double)n / seconds);
}

static int run_stream(stream *s) {
    size_t width = s->task->keys[1] ? s->info.labels : s->info.hidden;
    float *rows = calloc(BATCH * width, sizeof *rows);
    s->buffer = malloc(MAX_LINE + 1);
    if (s->task->head == EG_HEAD_TOKENS) s->entities = calloc((size_t)BATCH * s->info.max_tokens, sizeof *s->entities);
    if (!rows || !s->buffer || (s->task->head == EG_HEAD_TOKENS && !s->entities)) {
        free(rows);
        return complain("out of memory");
    }
    int64_t shown = s->begun = eg_clock_monotonic();
    while (!s->failed && !stop_requested() && read_batch(s)) {
        if (s->task->head == EG_HEAD_TOKENS) label_lines(s);
        else infer(s, rows, width);
        for (size_t i = 0; !s->failed && i < s->count; i++) {
            line *l = &s->lines[i];
            if (!l->error[0] && s->task->head == EG_HEAD_TOKENS) print_entities(l);
            else if (!l->error[0] && !s->timed) print_line(s, rows + i * width);
            s->bad_lines += l->error[0] != 0;
            if (l->error[0]) complain("%s", l->error);
            if (l->error[0] && !s->timed) print_error(l);
            s->failed = ferror(stdout) != 0; /* main reports it */
        }
        if (s->timed && isatty(2) && eg_clock_monotonic() - shown > 1000000) {
            shown = eg_clock_monotonic();
            print_rate(s, 0);
        }
        fflush(stdout);
    }
    if (s->timed && isatty(2)) fprintf(stderr, "\n");
    if (s->timed && !s->failed) print_rate(s, 1);
    free(rows);
    return s->failed || s->bad_lines ? EXIT_ERROR : EXIT_FINE;
}

int infer_options(const call *c, eg_engine_options *engine, uint32_t *format) {
    static const char *const formats[] = {"auto", "f32", "s8", "bf16"};
    const char *threads = call_option(c, "threads"), *isa = call_option(c, "isa"), *gemm = call_option(c, "gemm"),
               *f = call_option(c, "format");
    *engine = (eg_engine_options){.size = sizeof *engine, .threads = threads ? (uint32_t)strtoul(threads, NULL, 10) : 0};
    *format = EG_FORMAT_AUTO;
    if (threads && (strspn(threads, "0123456789") != strlen(threads) || !*threads || strlen(threads) > 9))
        return complain("--threads is '%s': it must be a whole number", threads);
    if (isa) setenv("ENGRAM_ISA", isa, 1); /* checked by name where the environment is */
    if (gemm && strcmp(gemm, "openblas") == 0) engine->gemm = EG_GEMM_OPENBLAS;
    for (uint32_t i = 0; f && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(f, formats[i]) == 0) *format = i;
    return 0;
}

int model_folder(const call *c, const char *setting, char *folder, char *cache, size_t size, eg_engine_options *engine,
                 uint32_t *format) {
    static const char *const none[] = {"plugins="};
    const char *name = call_option(c, "model");
    eg_error err = {0};
    eg_host *host = call_host(c, 1, 0, none, 1);
    if (!host) return EXIT_ERROR;
    eg_status s =
        name ? eg_host_model_folder(host, name, folder, size, &err) : eg_host_model_configured(host, setting, folder, size, &err);
    snprintf(cache, size, "%s", eg_host_paths_of(host)->cache);
    eg_engine_options set;
    uint32_t set_format;
    eg_host_inference(host, &set, &set_format);
    if (!call_option(c, "threads")) engine->threads = set.threads;
    if (!call_option(c, "isa")) engine->isa = set.isa;
    if (!call_option(c, "gemm")) engine->gemm = set.gemm;
    if (!call_option(c, "format")) *format = set_format;
    eg_host_close(host);
    return s == EG_OK ? 0 : complain("%s", err.text);
}

/* The engine and model that the options name. */
static int open_model(const call *c, const char *setting, eg_engine **engine, eg_model **model) {
    char folder[4096], cache[4096];
    eg_error err = {0};
    eg_engine_options o;
    eg_model_options options = {.size = sizeof options, .cache = cache};
    int status = infer_options(c, &o, &options.format);
    if (!status) status = model_folder(c, setting, folder, cache, sizeof folder, &o, &options.format);
    if (status) return status;
    eg_status s = eg_engine_create(&o, engine, &err);
    if (s == EG_OK) s = eg_model_open(*engine, folder, &options, model, &err);
    return s == EG_OK ? 0 : complain("%s", err.text);
}

/* file NULL: standard input */
static int run_inference(const call *c, const task *t, uint32_t aggregation, const char *file, int timed) {
    eg_engine *engine = NULL;
    eg_model *model = NULL;
    if (!t->setting && !call_option(c, "model"))
        return complain("%s needs --model MODEL: Engram ships no model of this kind", c->command->name);
    stream *s = calloc(1, sizeof *s);
    if (!s) return complain("out of memory");
    int status = open_model(c, t->setting, &engine, &model);
    *s = (stream){.in = stdin,
                  .name = file ? file : "standard input",
                  .task = t,
                  .aggregation = aggregation,
                  .model = model,
                  .info = {.size = sizeof s->info},
                  .timed = timed,
                  .json = c->json};
    if (!status && file && strcmp(file, "-") != 0 && !(s->in = fopen(file, "re")))
        status = complain("cannot open '%s': %s", file, strerror(errno));
    if (!status) {
        (void)eg_model_describe(model, &s->info, NULL);
        eg_error err = {0};
        s->prompt = t->head == EG_HEAD_EMBEDDING ? call_option(c, "prompt") : NULL;
        if (t->head != EG_HEAD_EMBEDDING && s->info.head != t->head) status = complain("this model %s", t->instead);
        else if (s->prompt && eg_model_embed_prompted(model, s->prompt, NULL, 0, NULL, NULL, &err) != EG_OK)
            status = complain("%s", err.text);
        else status = run_stream(s);
    }
    if (s->in && s->in != stdin) fclose(s->in);
    eg_arena_release(&s->arena);
    free(s->entities);
    free(s->buffer);
    free(s);
    eg_model_close(model);
    eg_engine_destroy(engine);
    return status;
}

static int one_file(const call *c, const task *t, uint32_t aggregation) {
    if (c->positional_count > 1) return complain("%s takes one file, or reads standard input", c->command->name);
    return run_inference(c, t, aggregation, c->positional[0], 0);
}

int run_label(const call *c) {
    /* as eg_aggregation */
    static const char *const names[] = {"simple", "first", "average", "max"};
    const char *wanted = call_option(c, "aggregation");
    uint32_t a = 0;
    while (wanted && a < 3 && strcmp(wanted, names[a]) != 0) a++;
    return one_file(c, &label, a);
}
int run_nli(const call *c) { return one_file(c, &nli, 0); }
int run_embed(const call *c) { return one_file(c, &embed, 0); }
int run_pairs_bench(const call *c) { return run_inference(c, &nli, 0, c->positional[1], 1); }
