/* fuzz_plugins.c - libFuzzer entries for what reads a client's bytes in the plugins: plugins/json
 * alone, answers to questions of the MCP front end, and that front end with the memory toolset over
 * a memory that is made up, from standard input to standard output; one program each, chosen by a
 * definition. A finding is a crash, a
 * sanitizer report, two readers that disagree, or an answer that is no JSON. */
#include <stdlib.h>
#include <unistd.h>

#include "json.h"
#if defined(FUZZ_MCP)
#include <semaphore.h>
#include <sys/mman.h>

#include "fake_host.h"
#elif defined(FUZZ_ANSWERS)
#include "questions.h"
#else
#include "core/base/json.h"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PROMISE(x)         \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

#if defined(FUZZ_MCP)
const eg_plugin *eg_plugin_memory(void);
const eg_plugin *eg_plugin_mcp(void);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* From now on standard input and output are files in memory. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++) {
        int file = memfd_create("fuzz", MFD_CLOEXEC);
        PROMISE(file >= 0 && dup2(file, fd) == fd);
        close(file);
    }
    return 0;
}

static void be_silent(void *host, eg_log_level level, const char *plugin, const char *text) {
    (void)host, (void)level, (void)plugin, (void)text;
}

static void on_end(void *over, eg_status status, const char *why) {
    (void)why;
    PROMISE(status == EG_OK);
    sem_post(over);
}

/* What was written: a JSON object or array a line, the last line ended. */
static void check_answers(void) {
    off_t size = lseek(STDOUT_FILENO, 0, SEEK_CUR);
    PROMISE(size >= 0);
    char *text = malloc((size_t)size + 1);
    PROMISE(text && pread(STDOUT_FILENO, text, (size_t)size, 0) == size);
    for (const char *p = text, *end = text + size; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        pj_problem problem;
        PROMISE(stop && pj_valid((eg_str){p, (size_t)(stop - p)}, &problem) && (*p == '{' || *p == '['));
        p = stop + 1;
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static fake_host host;
    static const eg_str options[] = {{"profile=all", 11}};
    eg_error err = {0};
    PROMISE(ftruncate(STDIN_FILENO, 0) == 0 && ftruncate(STDOUT_FILENO, 0) == 0 && lseek(STDOUT_FILENO, 0, SEEK_SET) == 0);
    PROMISE(pwrite(STDIN_FILENO, data, size, 0) == (ssize_t)size && lseek(STDIN_FILENO, 0, SEEK_SET) == 0);
    fake_host_init(&host);
    host.services.log = be_silent;
    PROMISE(fake_host_open(&host, eg_plugin_memory(), &err) == EG_OK && fake_host_open(&host, eg_plugin_mcp(), &err) == EG_OK);
    sem_t over;
    void *running;
    PROMISE(sem_init(&over, 0, 0) == 0);
    const eg_frontend_args args = {
        .size = sizeof args, .options = options, .option_count = 1, .ended = on_end, .ended_self = &over};
    PROMISE(host.registrar.frontend->start(host.registrar.frontend_self, &host.services, &args, &running, &err) == EG_OK);
    while (sem_wait(&over) != 0) {}
    host.registrar.frontend->stop(running);
    eg_plugin_mcp()->close(host.registrar.frontend_self);
    sem_destroy(&over);
    fake_host_release(&host);
    check_answers();
    return 0;
}

#elif defined(FUZZ_ANSWERS)
/* The first byte says how it was asked; the rest is the client's response. What is taken for an
 * answer has the words of the schema only. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char schema_text[] = "{\"type\":\"object\",\"properties\":{\"verdict\":{\"type\":\"string\",\"enum\":["
                                      "\"same\",\"no\"]},\"reason\":{\"type\":\"string\"}},\"required\":[\"verdict\"]}";
    static const char arguments_text[] = "{\"id\":7,\"reason\":\"none\"}";
    const eg_str schema = EG_STR(schema_text), arguments = EG_STR(arguments_text);
    pj_problem problem;
    PROMISE(pj_valid(schema, &problem) && pj_valid(arguments, &problem));
    if (size == 0) return 0;
    message m = {.text = {(const char *)data + 1, size - 1}};
    cJSON *tree = pj_parse(m.text, &problem);
    m.tree = tree;
    refusal ignored;
    if (cJSON_IsObject(tree) && mcp_message_read(&m, &ignored) == MESSAGE_RESPONSE) {
        const char *why = NULL;
        pj_out out = {0};
        if (mcp_read_answer(*data & 1 ? MCP_ASK_SAMPLING : MCP_ASK_ELICITATION, &m, schema, arguments, &out, &why)) {
            cJSON *read = pj_parse((eg_str){out.p, out.len}, &problem);
            const cJSON *verdict = pj_get(read, "verdict");
            PROMISE(cJSON_IsString(verdict) &&
                    (strcmp(verdict->valuestring, "same") == 0 || strcmp(verdict->valuestring, "no") == 0));
            PROMISE(cJSON_GetArraySize(read) == 3 && cJSON_IsNumber(pj_get(read, "id")) &&
                    cJSON_IsString(pj_get(read, "reason")));
            cJSON_Delete(read);
        } else {
            PROMISE(why && *why);
        }
        pj_release(&out);
    }
    cJSON_Delete(tree);
    return 0;
}

#else
/* The other reader of JSON in this house. */
static int is_json(eg_str text, eg_arena *a) {
    eg_error err = {0};
    eg_json j;
    eg_json_kind k;
    eg_json_init(&j, "fuzz", text, a, &err);
    while ((k = eg_json_next(&j)) != EG_JSON_END && k != EG_JSON_ERROR) {}
    return k == EG_JSON_END;
}

/* 1 when an escape of text may be half of a surrogate pair, which only this reader takes. */
static int has_surrogate(eg_str text) {
    for (size_t i = 0; i + 3 < text.len; i++)
        if (text.ptr[i] == '\\' && text.ptr[i + 1] == 'u' && (text.ptr[i + 2] | 0x20) == 'd' && text.ptr[i + 3] >= '8') return 1;
    return 0;
}

/* The raw text of each member says what the tree says; a string is written so that it is read
 * again. */
static void check_members(const cJSON *tree, eg_str text) {
    pj_problem problem;
    size_t i = 0;
    const cJSON *m;
    cJSON_ArrayForEach(m, tree) {
        cJSON *again = pj_parse(pj_value_text(text, i++), &problem);
        char *one = cJSON_PrintUnformatted(again), *other = cJSON_PrintUnformatted(m);
        PROMISE(one && other && strcmp(one, other) == 0);
        cJSON_free(one);
        cJSON_free(other);
        if (cJSON_IsString(m)) {
            pj_out o = {0};
            pj_str(&o, eg_str_of(m->valuestring));
            cJSON *read = pj_parse((eg_str){o.p, o.len}, &problem);
            PROMISE(read && strcmp(read->valuestring, m->valuestring) == 0);
            cJSON_Delete(read);
            pj_release(&o);
        }
        if (cJSON_IsObject(tree)) PROMISE(pj_index(tree, m->string) < i || pj_duplicate(tree));
        cJSON_Delete(again);
    }
    PROMISE(pj_value_text(text, i).ptr == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    eg_str text = {(const char *)data, size};
    eg_arena a;
    eg_arena_init(&a, 0);
    pj_problem problem = {0};
    cJSON *tree = pj_parse(text, &problem);
    PROMISE(tree ? pj_valid(text, &problem) : problem.what != NULL && problem.at <= size);
    PROMISE(has_surrogate(text) ? tree || !is_json(text, &a) : (tree != NULL) == is_json(text, &a));
    if (!tree) { /* what is found in it stands in it */
        eg_str found = pj_salvage(text, &problem, "id");
        PROMISE(!found.ptr || (pj_valid(found, &problem) && found.ptr + found.len < text.ptr + text.len));
    }
    if (cJSON_IsObject(tree) || cJSON_IsArray(tree)) check_members(tree, text);
    if (tree) { /* one line whatever the line breaks */
        pj_out o = {0};
        pj_json(&o, text);
        PROMISE(!o.failed && pj_valid((eg_str){o.p, o.len}, &problem) && !memchr(o.p, '\n', o.len));
        pj_release(&o);
        (void)pj_has_nul(text);
    }
    cJSON_Delete(tree);
    eg_arena_release(&a);
    return 0;
}
#endif
