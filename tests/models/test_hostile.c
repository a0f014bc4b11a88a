/* test_hostile.c - model folders that somebody broke, on purpose or not: each is refused with a
 * status and one clean sentence that names the file and what of it is wrong; nothing stays open,
 * nothing hangs. Made files only: see tiny_model.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/utf8.h"
#include "models/config.h"
#include "models/safetensors.h"
#include "tiny_model.h"

static eg_engine *engine;
static char dir[64];
static eg_error err;

static int begin(void **state) {
    (void)state;
    alarm(240); /* an open that hangs ends the test */
    tiny_folder(dir);
    return eg_engine_create(&(eg_engine_options){.size = sizeof(eg_engine_options), .threads = 2}, &engine, NULL) == EG_OK ? 0
                                                                                                                           : -1;
}

static int end(void **state) {
    (void)state;
    eg_engine_destroy(engine);
    tiny_folder_remove(dir);
    return 0;
}

/* The folder is refused with this status, and the sentence holds `file` and `says`. */
static void refused(const char *folder, eg_status wanted, const char *file, const char *says, const char *what) {
    size_t before = tiny_open_files();
    eg_model *m = (eg_model *)(uintptr_t)1;
    err = (eg_error){0};
    eg_status s = tiny_open(engine, folder, &m, &err);
    if (s == EG_OK) fail_msg("%s: was taken", what);
    assert_null(m);
    if (s != wanted || err.code != s) fail_msg("%s: status %d instead of %d: %s", what, (int)s, (int)wanted, err.text);
    if (!strstr(err.text, file) || !strstr(err.text, says))
        fail_msg("%s: '%s' does not say '%s' and '%s'", what, err.text, file, says);
    for (const char *p = err.text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f) fail_msg("%s: a control character in '%s'", what, err.text);
    assert_int_equal(eg_utf8_valid_prefix(err.text, strlen(err.text)), strlen(err.text));
    assert_int_equal(tiny_open_files(), before);
}

/* The folder opens and gives an answer, which goes to logits when that is not NULL. */
static void taken(const char *what, float logits[TINY_LABELS]) {
    size_t before = tiny_open_files();
    eg_model *m;
    float own[TINY_LABELS];
    eg_pair pair = {EG_STR("The limit of a port is 5."), EG_STR("The limit is not 57.")};
    if (tiny_open(engine, dir, &m, &err) != EG_OK) fail_msg("%s: %s", what, err.text);
    assert_int_equal(eg_model_classify(m, &pair, 1, logits ? logits : own, NULL, &err), EG_OK);
    for (int i = 0; i < TINY_LABELS; i++) assert_true(isfinite((logits ? logits : own)[i]));
    eg_model_close(m);
    assert_int_equal(tiny_open_files(), before);
}

/* ---- the header of model.safetensors ---- */

/* Writes a file whose length field says `length`, then the header and `data` zero bytes. */
static void write_raw(uint64_t length, const char *header, size_t header_size, size_t data) {
    eg_buffer b = {0};
    for (int i = 0; i < 8; i++) eg_buffer_add(&b, &(char){(char)(length >> 8 * i)}, 1);
    eg_buffer_add(&b, header, header_size);
    for (size_t i = 0; i < data; i++) eg_buffer_add(&b, "", 1);
    tiny_write_file(dir, "model.safetensors", b.ptr, b.len);
    eg_buffer_release(&b);
}

#define T(name, dtype, shape, offsets) "\"" name "\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define F(name, shape, offsets) T(name, "\"F32\"", shape, offsets)

static void test_headers(void **state) {
    (void)state;
    static const struct {
        const char *header;
        size_t data;
        const char *says;
    } table[] = {
        /* no JSON, or JSON of another shape */
        {"hello", 0, "a value was expected"},
        {"", 8, "ends too early"},
        {"{", 0, "ends too early"},
        {"[]", 0, "the header is no JSON object"},
        {"null", 0, "the header is no JSON object"},
        {"{}{}", 0, "bytes after the end"},
        {"{} x", 0, "bytes after the end"},
        {"\xEF\xBB\xBF{}", 0, "a value was expected"},
        {"{\"a\":1}", 0, "'a'"},
        {"{\"a\":[]}", 0, "'a'"},
        {"{\"a\":null}", 0, "'a'"},
        {"{\"a\":{}}", 0, "'a'"},
        {"{\"a\":{\"dtype\":{\"dtype\":\"F32\"}}}", 0, "'a'"},
        /* names */
        {"{" F("\xFF", "[1]", "[0,4]") "}", 4, "invalid UTF-8"},
        {"{" F("a\x01", "[1]", "[0,4]") "}", 4, "control character"},
        {"{" F("\\ud800", "[1]", "[0,4]") "}", 4, "\\u escape"},
        {"{" F("a\\u0000b", "[1]", "[0,4]") "}", 4, "name"},
        {"{" F("", "[1]", "[0,4]") "}", 4, "name"},
        {"{" F("evil\\n\\u001b[2J", "[1]", "[0,8]") "}", 8, "'evil??[2J'"},
        {"{" F("evil\\n", "[1]", "[4,8]") "}", 8, "'evil?'"},
        {"{" F("evil\\r", "[3]", "[0,12]") "}", 8, "'evil?'"},
        {"{" F("evil\\t", "[1]", "[0,4]") "," F("evil\\t", "[1]", "[4,8]") "}", 8, "'evil?'"},
        {"{\"evil\\n\":{\"more\":1}}", 8, "'evil?'"},
        {"{\"evil\\n\":{\"dtype\":7}}", 8, "'evil?'"},
        {"{" F("a", "[1]", "[0,4]") "," F("a", "[1]", "[4,8]") "}", 8, "'a' occurs twice"},
        {"{" F("b", "[0]", "[0,0]") "," F("b", "[0]", "[0,0]") "}", 0, "'b' occurs twice"},
        /* dtype */
        {"{" T("a", "\"F8\"", "[4]", "[0,4]") "}", 4, "'a'"},
        {"{" T("a", "\"f32\"", "[1]", "[0,4]") "}", 4, "'a'"},
        {"{" T("a", "\"F32\\u0000\"", "[1]", "[0,4]") "}", 4, "'a'"},
        {"{" T("a", "32", "[1]", "[0,4]") "}", 4, "'a'"},
        {"{" T("a", "null", "[1]", "[0,4]") "}", 4, "'a'"},
        {"{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "'a'"},
        /* shape */
        {"{" F("a", "[-1]", "[0,4]") "}", 4, "'a'"},
        {"{" F("a", "[1.0]", "[0,4]") "}", 4, "'a'"},
        {"{" F("a", "[1e0]", "[0,4]") "}", 4, "'a'"},
        {"{" F("a", "[\"1\"]", "[0,4]") "}", 4, "'a'"},
        {"{" F("a", "[null]", "[0,4]") "}", 4, "'a'"},
        {"{" F("a", "[[1]]", "[0,4]") "}", 4, "'a'"},
        {"{" F("a", "[01]", "[0,4]") "}", 4, "leading zero"},
        {"{" F("a", "[1,]", "[0,4]") "}", 4, "a value was expected"},
        {"{" F("a", "1", "[0,4]") "}", 4, "'a'"},
        {"{" F("a", "{}", "[0,4]") "}", 4, "'a'"},
        {"{" F("a", "[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", 4, "'a'"},
        {"{" F("a", "[2]", "[0,4]") "}", 4, "'a'"},
        {"{" F("a", "[0]", "[0,4]") "}", 4, "'a'"},
        {"{" F("a", "[]", "[0,8]") "}", 8, "'a'"},
        {"{" F("a", "[18446744073709551617]", "[0,4]") "}", 4, "'a'"},
        {"{" F("a", "[4294967296,4294967296]", "[0,0]") "}", 0, "'a'"},
        {"{" F("a", "[4611686018427387904]", "[0,0]") "}", 0, "'a'"},
        {"{" F("a", "[9223372036854775807,9223372036854775807,9223372036854775807]", "[0,4]") "}", 4, "'a'"},
        {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "'a'"},
        /* offsets */
        {"{" F("a", "[1]", "[4,0]") "}", 4, "'a'"},
        {"{" F("a", "[1]", "[4,8]") "}", 4, "'a'"},
        {"{" F("a", "[1]", "[9223372036854775803,9223372036854775807]") "}", 4, "'a'"},
        {"{" F("a", "[1]", "[18446744073709551612,18446744073709551616]") "}", 4, "'a'"},
        {"{" F("a", "[1]", "[-4,0]") "}", 4, "'a'"},
        {"{" F("a", "[1]", "[0.0,4.0]") "}", 4, "'a'"},
        {"{" F("a", "[1]", "[0]") "}", 4, "'a'"},
        {"{" F("a", "[1]", "[0,4,8]") "}", 4, "'a'"},
        {"{" F("a", "[1]", "[]") "}", 4, "'a'"},
        {"{" F("a", "[1]", "4") "}", 4, "'a'"},
        {"{" F("a", "[1]", "{\"begin\":0}") "}", 4, "'a'"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "'a'"},
        /* unknown and repeated fields */
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"more\":1}}", 4, "'a'"},
        {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "'a'"},
        {"{\"a\":{\"shape\":[1],\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "'a'"},
        /* how the data is divided */
        {"{" F("a", "[2]", "[0,8]") "," F("b", "[2]", "[4,12]") "}", 12, "'b' overlaps another"},
        {"{" F("a", "[2]", "[0,8]") "," F("b", "[2]", "[0,8]") "}", 8, "overlaps another"},
        {"{" F("a", "[1]", "[0,4]") "," F("b", "[1]", "[8,12]") "}", 12, "'b' leaves a hole"},
        {"{" F("a", "[1]", "[4,8]") "}", 8, "'a' leaves a hole"},
        {"{" F("a", "[1]", "[0,4]") "}", 5, "1 bytes follow the last tensor"},
        {"{}", 1, "1 bytes follow the last tensor"},
        /* __metadata__ maps strings to strings */
        {"{\"__metadata__\":1}", 0, "__metadata__"},
        {"{\"__metadata__\":null}", 0, "__metadata__"},
        {"{\"__metadata__\":[\"a\"]}", 0, "__metadata__"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "__metadata__"},
        {"{\"__metadata__\":{\"a\":{\"b\":\"c\"}}}", 0, "__metadata__"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "__metadata__"},
        {"{\"__metadata__\":" F("a", "[1]", "[0,4]") "}", 4, ":"},
        /* a good file that is none of ours */
        {"{}", 0, "word_embeddings"},
        {"{\"__metadata__\":{\"format\":\"pt\"}}   ", 0, "word_embeddings"},
        {"{" F("a", "[1]", "[0,4]") "}", 4, "word_embeddings"},
    };
    tiny_model *m = tiny_create();
    tiny_write(m, dir);
    free(m);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        write_raw(strlen(table[i].header), table[i].header, strlen(table[i].header), table[i].data);
        refused(dir, EG_EFORMAT, "model.safetensors", table[i].says, table[i].header);
    }
}

/* The file that fuzzing of the header begins from. */
static void test_fuzz_seed(void **state) {
    (void)state;
    eg_arena arena;
    eg_str bytes;
    eg_safetensors file;
    eg_arena_init(&arena, 0);
    assert_int_equal(eg_file_read(SEEDS "/five_types.safetensors", 1 << 16, &arena, &bytes, &err), EG_OK);
    if (eg_safetensors_parse("seed", bytes, &arena, &file, &err) != EG_OK) fail_msg("%s", err.text);
    assert_int_equal(file.count, 5);
    const eg_tensor *t = eg_safetensors_find(&file, "a.bias");
    assert_true(t && t->dtype == EG_F16 && t->elements == 2 && t->bytes == 4);
    eg_arena_release(&arena);
}

static void test_header_lengths(void **state) {
    (void)state;
    static const struct {
        uint64_t length;
        size_t bytes; /* behind the length field */
        eg_status status;
        const char *says;
    } table[] = {{0, 0, EG_EFORMAT, "ends too early"},
                 {0, 100, EG_EFORMAT, "ends too early"},
                 {1, 0, EG_EFORMAT, "truncated"},
                 {101, 100, EG_EFORMAT, "truncated"},
                 {100000000, 100, EG_EFORMAT, "truncated"},
                 {100000001, 100, EG_ELIMIT, "at most 100000000"},
                 {UINT64_C(1) << 63, 100, EG_ELIMIT, "9223372036854775808"},
                 {UINT64_MAX, 100, EG_ELIMIT, "18446744073709551615"},
                 {UINT64_MAX - 7, 100, EG_ELIMIT, "at most 100000000"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        write_raw(table[i].length, "", 0, table[i].bytes);
        refused(dir, table[i].status, "model.safetensors", table[i].says, "a length");
    }
    for (size_t n = 0; n < 8; n++) {
        tiny_write_file(dir, "model.safetensors", "\2\0\0\0\0\0\0", n);
        refused(dir, EG_EFORMAT, "model.safetensors", "too few for a safetensors file", "a few bytes");
    }
    char path[96]; /* as large as a header may be, and empty on the disk */
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    write_raw(100000000, "", 0, 0);
    assert_int_equal(truncate(path, 100000008), 0);
    refused(dir, EG_EFORMAT, "model.safetensors", "1:1: a value was expected", "100 MB of zero bytes");
}

static void test_large_headers(void **state) {
    (void)state;
    enum { TENSORS = 65537, DEEP = 5000 };
    eg_buffer b = {0};
    for (size_t i = 0; i < TENSORS; i++)
        eg_buffer_format(&b, "%c\"t%zu\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}", i ? ',' : '{', i);
    eg_buffer_text(&b, "}");
    write_raw(b.len, b.ptr, b.len, 0);
    refused(dir, EG_ELIMIT, "model.safetensors", "65537 tensors", "too many tensors");
    static const char *const opening[] = {"{\"__metadata__\":", "{\"a\":"}, *const bracket[] = {"[", "{\"a\":"};
    for (size_t i = 0; i < 4; i++) {
        b.len = 0;
        eg_buffer_text(&b, opening[i % 2]);
        for (size_t n = 0; n < DEEP; n++) eg_buffer_text(&b, bracket[i / 2]);
        write_raw(b.len, b.ptr, b.len, 0);
        refused(dir, EG_EFORMAT, "model.safetensors", "nested deeper", "a deep header");
    }
    b.len = 0; /* a name of 100,000 bytes in a sentence of 500 */
    eg_buffer_text(&b, "{\"");
    for (size_t n = 0; n < 50000; n++) eg_buffer_text(&b, "\xC3\xA9");
    eg_buffer_text(&b, "\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,8]}}");
    write_raw(b.len, b.ptr, b.len, 8);
    refused(dir, EG_EFORMAT, "model.safetensors", "\xC3\xA9'", "a long name");
    eg_buffer_release(&b);
}

static void test_cut_off(void **state) {
    (void)state;
    tiny_model *m = tiny_create();
    tiny_write(m, dir);
    char path[96];
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    for (off_t n = st.st_size - 1; n > 0; n -= n > 4096 ? 997 : n > 64 ? 61 : 1) {
        assert_int_equal(truncate(path, n), 0);
        refused(dir, EG_EFORMAT, "model.safetensors", "", "truncated");
    }
    free(m);
}

/* ---- tensors that the model does not fit ---- */

static void set_float(tiny_tensor *t, size_t at, float v) { memcpy(t->data + at * sizeof v, &v, sizeof v); }

/* Every tensor of the model, broken in every way; those of an I8 model run as s8. */
static void check_each_tensor(const tiny_model *whole) {
    enum { MISSING, WIDER, FEWER, FLAT, DEEPER, NOT_A_NUMBER, INFINITE, OTHER_TYPE, BARE_I8, WAYS };
    static const char *const says[WAYS] = {"missing", "shape", "shape", "shape", "shape", "NaN", "NaN", "type", ""};
    tiny_model *m = malloc(sizeof *m);
    for (size_t i = 0; i < whole->count; i++)
        for (int way = 0; way < WAYS; way++) {
            *m = *whole;
            tiny_tensor *t = &m->tensors[i];
            char name[96], what[128];
            size_t element = strcmp(t->dtype, "I8") == 0 ? 1 : sizeof(float), count = t->bytes / element;
            size_t row = (t->dims == 2 ? t->shape[1] : 1) * element;
            eg_status wanted = EG_EFORMAT;
            if (element == 1 && way >= NOT_A_NUMBER) continue;
            /* the prefix is a guess */
            snprintf(name, sizeof name, "%s", strncmp(t->name, "bert.", 5) == 0 ? t->name + 5 : t->name);
            snprintf(what, sizeof what, "%s, way %d", name, way);
            if (way == MISSING) tiny_remove(m, t->name);
            if (way == WIDER) t->shape[t->dims - 1]++, t->bytes += t->dims == 2 ? t->shape[0] * element : element;
            if (way == FEWER) t->shape[0]--, t->bytes -= row;
            if (way == FLAT && t->dims == 1) t->dims = 0, t->bytes = element; /* a scalar */
            if (way == FLAT && t->dims == 2) t->dims = 1, t->shape[0] = count;
            if (way == DEEPER) t->shape[t->dims++] = 1;
            if (way == NOT_A_NUMBER) set_float(t, count - 1, NAN);
            if (way == INFINITE) set_float(t, count / 2, -INFINITY);
            if (way == OTHER_TYPE) t->dtype = "I32", wanted = EG_EUNSUPPORTED;
            if (way == BARE_I8)
                t->dtype = "I8", t->bytes = count,
                wanted = t->dims == 2 && !strstr(name, ".scales") ? EG_EFORMAT : EG_EUNSUPPORTED;
            tiny_write(m, dir);
            refused(dir, wanted, "model.safetensors", name, what);
            if (!strstr(err.text, says[way])) fail_msg("%s: '%s' does not say %s", what, err.text, says[way]);
        }
    tiny_write(whole, dir);
    taken("the whole model", NULL);
    free(m);
}

static void test_each_tensor(void **state) {
    (void)state;
    tiny_model *whole = tiny_create();
    check_each_tensor(whole);
    tiny_quantize(whole, "bert.embeddings.word_embeddings.weight");
    tiny_quantize(whole, "bert.encoder.layer.0.output.dense.weight");
    check_each_tensor(whole);
    free(whole);
}

/* A weight that bf16 would round to infinity is refused in that format only; the largest that it
 * has is taken. */
static void test_too_large_for_bf16(void **state) {
    (void)state;
    static const char *const names[] = {"bert.embeddings.word_embeddings.weight", "bert.encoder.layer.1.output.dense.weight"};
    const eg_model_options options = {.size = sizeof options, .format = EG_FORMAT_BF16};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int larger = 0; larger < 2; larger++) {
            eg_model *m;
            tiny_model *whole = tiny_create();
            set_float(tiny_find(whole, names[i]), 17, larger ? 0x1.ffp127f : 0x1.fep127f);
            tiny_write(whole, dir);
            assert_int_equal(tiny_open(engine, dir, &m, &err), EG_OK);
            eg_model_close(m);
            eg_status s = eg_model_open(engine, dir, &options, &m, &err);
            assert_int_equal(s, larger ? EG_EUNSUPPORTED : EG_OK);
            if (larger && !(strstr(err.text, names[i]) && strstr(err.text, "too large for bf16 at element 17")))
                fail_msg("'%s'", err.text);
            eg_model_close(m);
            free(whole);
        }
}

static void test_quantized(void **state) {
    (void)state;
    static const char *const names[] = {"bert.embeddings.word_embeddings.weight",
                                        "bert.encoder.layer.0.attention.self.key.weight",
                                        "bert.encoder.layer.1.output.dense.weight", "classifier.weight"};
    enum { MISSING, WRONG_SHAPE, HALF, NOT_A_NUMBER, INFINITE, TOO_LARGE, WAYS };
    tiny_model *m = malloc(sizeof *m), *whole = tiny_create();
    float plain[TINY_LABELS], quantized[TINY_LABELS];
    tiny_write(whole, dir);
    taken("F32", plain);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *m = *whole;
        tiny_quantize(m, names[i]);
        tiny_write(m, dir);
        taken(names[i], quantized);
        for (int k = 0; k < TINY_LABELS; k++) assert_true(fabsf(plain[k] - quantized[k]) < 0.05f);
        char scales[96], what[128];
        snprintf(scales, sizeof scales, "%s.scales", names[i]);
        for (int way = 0; way < WAYS; way++) {
            *m = *whole;
            tiny_quantize(m, names[i]);
            tiny_tensor *t = tiny_find(m, scales);
            eg_status wanted = EG_EFORMAT;
            snprintf(what, sizeof what, "%s, way %d", scales, way);
            if (way == WRONG_SHAPE) t->shape[1] = 2, t->bytes *= 2;
            if (way == HALF) t->dtype = "F16", t->bytes /= 2, wanted = EG_EUNSUPPORTED;
            if (way == NOT_A_NUMBER) set_float(t, t->shape[0] - 1, NAN);
            if (way == INFINITE) set_float(t, 0, INFINITY);
            if (way == TOO_LARGE) set_float(t, 1, FLT_MAX), memset(tiny_find(m, names[i])->data, 127, TINY_HIDDEN * 2);
            if (way == MISSING) tiny_remove(m, scales);
            tiny_write(m, dir);
            refused(dir, wanted, "model.safetensors", strchr(names[i], '.') + 1, what);
        }
    }
    free(whole);
    free(m);
}

/* What is no error: unaligned data, tensors that nobody asks for, empty ones, metadata. The answer
 * stays the same. */
static void test_odd_but_good(void **state) {
    (void)state;
    tiny_model *m = tiny_create();
    float plain[TINY_LABELS], odd[TINY_LABELS];
    tiny_write(m, dir);
    taken("plain", plain);
    tiny_add(m, "bert.embeddings.position_ids", "I64", 1, TINY_MAX_TOKENS, 8);
    tiny_add(m, "cls.predictions.empty", "F64", 0, 7, 8);
    tiny_tensor first = {.name = "a\\u00e9", .dtype = "U8", .dims = 1, .shape = {1}, .bytes = 1};
    memmove(m->tensors + 1, m->tensors, m->count++ * sizeof *m->tensors);
    m->tensors[0] = first;
    tiny_write(m, dir);
    taken("unaligned, with more tensors", odd);
    assert_memory_equal(plain, odd, sizeof plain);
    free(m);
}

/* ---- a model in several files ---- */

#define INDEX "model.safetensors.index.json"

static void test_shards(void **state) {
    (void)state;
    static const struct {
        const char *index;
        eg_status status;
        const char *file, *says;
    } table[] = {{"", EG_EFORMAT, INDEX, "1:1:"},
                 {"[]", EG_EFORMAT, INDEX, "object"},
                 {"{}", EG_EFORMAT, INDEX, "does not name any file"},
                 {"{\"weight_map\": {}}", EG_EFORMAT, INDEX, "does not name any file"},
                 {"{\"weight_map\": null}", EG_EFORMAT, INDEX, "weight_map"},
                 {"{\"weight_map\": [\"a.safetensors\"]}", EG_EFORMAT, INDEX, "weight_map"},
                 {"{\"weight_map\": {\"x\": 1}}", EG_EFORMAT, INDEX, "weight_map"},
                 {"{\"weight_map\": {\"x\": {\"y\": \"a.safetensors\"}}}", EG_EFORMAT, INDEX, "weight_map"},
                 {"{\"weight_map\": {\"x\": \"a.safetensors\"", EG_EFORMAT, INDEX, "1:"},
                 {"{\"weight_map\": {\"x\": \"a.safetensors\"}} more", EG_EFORMAT, INDEX, "bytes after the end"},
                 {"{\"weight_map\": {\"x\": \"\"}}", EG_EFORMAT, INDEX, "file name"},
                 {"{\"weight_map\": {\"x\": \"../a.safetensors\"}}", EG_EFORMAT, INDEX, "file name"},
                 {"{\"weight_map\": {\"x\": \"/etc/passwd\"}}", EG_EFORMAT, INDEX, "file name"},
                 {"{\"weight_map\": {\"x\": \"a.safetensors\\u0000\"}}", EG_EFORMAT, INDEX, "file name"},
                 {"{\"weight_map\": {\"x\": \"a\\u001b[2J\\n\"}}", EG_EFORMAT, INDEX, "file name"},
                 {"{\"weight_map\": {\"x\": \"no.safetensors\"}}", EG_ENOENT, "no.safetensors", "No such file"},
                 {"{\"weight_map\": {\"x\": \"vocab.txt\"}}", EG_ELIMIT, "vocab.txt", "header"},
                 {"{\"weight_map\": {\"x\": \"a.safetensors\"}}", EG_EFORMAT, "a.safetensors", "missing"},
                 {"{\"weight_map\": {\"x\": \"a.safetensors\", \"y\": \"b.safetensors\", \"z\": \"c.safetensors\"}}", EG_EFORMAT,
                  "c.safetensors", "'eviltwin?'"}};
    tiny_model *m = tiny_create();
    float plain[TINY_LABELS], sharded[TINY_LABELS];
    char path[96];
    tiny_write(m, dir);
    taken("one file", plain);
    tiny_write_tensors(m, 0, 20, dir, "a.safetensors");
    tiny_write_tensors(m, 20, m->count - 20, dir, "b.safetensors");
    tiny_model twin = {.count = 1, .tensors = {{.name = "eviltwin\\n", .dtype = "U8", .dims = 1, .shape = {1}, .bytes = 1}}};
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    assert_int_equal(unlink(path), 0);
    const char *good =
        "{\"metadata\": {\"total_size\": 1}, \"weight_map\": {\"x\": \"b.safetensors\", \"y\": \"a.safetensors\", \"z\": \"a.safetensors\"}}";
    tiny_write_file(dir, INDEX, good, strlen(good));
    taken("two files", sharded);
    assert_memory_equal(plain, sharded, sizeof plain);
    tiny_write_tensors(&twin, 0, 1, dir, "c.safetensors");
    *tiny_add(m, "", "U8", 1, 0, 1) = twin.tensors[0];
    tiny_write_tensors(m, 20, m->count - 20, dir, "b.safetensors"); /* the twin is in both */
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        tiny_write_file(dir, INDEX, table[i].index, strlen(table[i].index));
        refused(dir, table[i].status, table[i].file, table[i].says, table[i].index);
    }
    eg_buffer b = {0};
    for (int i = 0; i < 300; i++) eg_buffer_format(&b, "%s\"%d\": \"%d\"", i ? ", " : "{\"weight_map\": {", i, i);
    eg_buffer_text(&b, "}}");
    tiny_write_file(dir, INDEX, b.ptr, b.len);
    refused(dir, EG_ELIMIT, INDEX, "more than 256 files", "too many files");
    eg_buffer_release(&b);
    snprintf(path, sizeof path, "%s/%s", dir, INDEX);
    assert_int_equal(unlink(path), 0);
    free(m);
}

/* ---- config.json and its neighbours ---- */

/* tiny_config with `from` replaced by `to`; the caller frees it. */
static char *replaced(const char *from, const char *to) {
    const char *at = strstr(tiny_config, from);
    assert_non_null(at);
    size_t size = strlen(tiny_config) + strlen(to) + 1;
    char *text = malloc(size);
    snprintf(text, size, "%.*s%s%s", (int)(at - tiny_config), tiny_config, to, at + strlen(from));
    return text;
}

static void test_config_fields(void **state) {
    (void)state;
    static const struct {
        const char *from, *to;
        eg_status status;
        const char *says;
    } table[] = {
        {"\"model_type\": \"bert\", ", "", EG_EFORMAT, "model_type"},
        {"\"vocab_size\": 24,", "", EG_EFORMAT, "vocab_size"},
        {"\"hidden_size\": 16,", "", EG_EFORMAT, "hidden_size"},
        {"\"num_hidden_layers\": 2,", "", EG_EFORMAT, "num_hidden_layers"},
        {"\"num_attention_heads\": 2,", "", EG_EFORMAT, "num_attention_heads"},
        {"\"intermediate_size\": 32,", "", EG_EFORMAT, "intermediate_size"},
        {"\"max_position_embeddings\": 24,", "", EG_EFORMAT, "max_position_embeddings"},
        {"\"bert\"", "null", EG_EUNSUPPORTED, "model_type"},
        {"\"bert\"", "[\"bert\"]", EG_EUNSUPPORTED, "model_type"},
        {"\"bert\"", "\"be\\nrt\\u0000\"", EG_EUNSUPPORTED, "model_type"},
        {"\"BertForSequenceClassification\"", "7", EG_EFORMAT, "architectures"},
        {"[\"BertForSequenceClassification\"]", "\"BertModel\"", EG_EFORMAT, "architectures"},
        {"[\"BertForSequenceClassification\"]", "{}", EG_EFORMAT, "architectures"},
        {"BertForSequenceClassification", "BertForNothing", EG_EUNSUPPORTED, "architectures"},
        {"\"vocab_size\": 24", "\"vocab_size\": 23", EG_EFORMAT, "vocab_size"},
        {"\"vocab_size\": 24", "\"vocab_size\": 25", EG_EFORMAT, "tensor word_embeddings"},
        /* 1 TB */
        {"\"vocab_size\": 24,\n \"hidden_size\": 16", "\"vocab_size\": 16777216,\n \"hidden_size\": 16384", EG_EFORMAT,
         "tensor word_embeddings"},
        {"\"vocab_size\": 24", "\"vocab_size\": 4294967320", EG_EFORMAT, "vocab_size"},
        {"\"hidden_size\": 16", "\"hidden_size\": 0", EG_EFORMAT, "hidden_size"},
        {"\"hidden_size\": 16", "\"hidden_size\": -16", EG_EFORMAT, "hidden_size"},
        {"\"hidden_size\": 16", "\"hidden_size\": 16.0", EG_EFORMAT, "hidden_size"},
        {"\"hidden_size\": 16", "\"hidden_size\": 1e400", EG_EFORMAT, "hidden_size"},
        {"\"hidden_size\": 16", "\"hidden_size\": \"16\"", EG_EFORMAT, "hidden_size"},
        {"\"hidden_size\": 16", "\"hidden_size\": null", EG_EFORMAT, "hidden_size"},
        {"\"hidden_size\": 16", "\"hidden_size\": [16]", EG_EFORMAT, "hidden_size"},
        {"\"hidden_size\": 16", "\"hidden_size\": true", EG_EFORMAT, "hidden_size"},
        {"\"hidden_size\": 16", "\"hidden_size\": 99999999999999999999", EG_EFORMAT, "hidden_size"},
        {"\"hidden_size\": 16", "\"hidden_size\": 32", EG_EFORMAT, "tensor word_embeddings"},
        {"\"hidden_size\": 16", "\"hidden_size\": 16384", EG_EFORMAT, "tensor word_embeddings"},
        {"\"num_attention_heads\": 2", "\"num_attention_heads\": 3", EG_EFORMAT, "num_attention_heads"},
        {"\"num_attention_heads\": 2", "\"num_attention_heads\": 32", EG_EFORMAT, "num_attention_heads"},
        {"\"num_attention_heads\": 2", "\"num_attention_heads\": 0", EG_EFORMAT, "num_attention_heads"},
        {"\"num_hidden_layers\": 2", "\"num_hidden_layers\": 0", EG_EFORMAT, "num_hidden_layers"},
        {"\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3", EG_EFORMAT, "tensor encoder.layer.2"},
        {"\"num_hidden_layers\": 2", "\"num_hidden_layers\": 100000", EG_EFORMAT, "num_hidden_layers"},
        {"\"intermediate_size\": 32", "\"intermediate_size\": 31", EG_EFORMAT, "tensor intermediate.dense"},
        {"\"intermediate_size\": 32", "\"intermediate_size\": 65536", EG_EFORMAT, "tensor intermediate.dense"},
        {"\"intermediate_size\": 32", "\"intermediate_size\": 1e9", EG_EFORMAT, "intermediate_size"},
        {"\"max_position_embeddings\": 24", "\"max_position_embeddings\": 3", EG_EFORMAT, "max_position_embeddings"},
        {"\"max_position_embeddings\": 24", "\"max_position_embeddings\": 1048576", EG_EFORMAT, "tensor position_embeddings"},
        {"\"max_position_embeddings\": 24", "\"max_position_embeddings\": 1048577", EG_EFORMAT, "max_position_embeddings"},
        {"\"type_vocab_size\": 2", "\"type_vocab_size\": 0", EG_EFORMAT, "type_vocab_size"},
        {"\"type_vocab_size\": 2", "\"type_vocab_size\": 3", EG_EFORMAT, "tensor token_type_embeddings"},
        {"\"type_vocab_size\": 2", "\"type_vocab_size\": {}", EG_EFORMAT, "type_vocab_size"},
        {"\"gelu\"", "\"gelu_new\"", EG_EUNSUPPORTED, "hidden_act"},
        {"\"gelu\"", "[]", EG_EUNSUPPORTED, "hidden_act"},
        {"1e-12", "1", EG_EFORMAT, "layer_norm_eps"},
        {"1e-12", "-1e-12", EG_EFORMAT, "layer_norm_eps"},
        {"1e-12", "1e999", EG_EFORMAT, "layer_norm_eps"},
        {"1e-12", "\"1e-12\"", EG_EFORMAT, "layer_norm_eps"},
        {"\"id2label\": {", "\"id2label\": [], \"label2id\": {", EG_EFORMAT, "id2label"},
        {"\"id2label\": {", "\"id2label\": \"no\", \"label2id\": {", EG_EFORMAT, "id2label"},
        {"\"0\": \"contra", "\"-1\": \"contra", EG_EFORMAT, "id2label"},
        {"\"0\": \"contra", "\" 0\": \"contra", EG_EFORMAT, "id2label"},
        {"\"0\": \"contra", "\"0\\u0000\": \"contra", EG_EFORMAT, "id2label"},
        {"\"0\": \"contra", "\"\": \"contra", EG_EFORMAT, "id2label"},
        {"\"0\": \"contra", "\"1024\": \"contra", EG_EFORMAT, "id2label"},
        {"\"0\": \"contra", "\"99999999999999999999\": \"contra", EG_EFORMAT, "id2label"},
        {"\"0\": \"contra", "\"1\": \"contra", EG_EFORMAT, "id2label"},
        {"\"0\": \"contra", "\"3\": \"contra", EG_EFORMAT, "id2label"},
        {"\"contradiction\"", "0", EG_EFORMAT, "id2label"},
        {"\"contradiction\"", "{\"0\": \"contradiction\"}", EG_EFORMAT, "id2label"},
        {"\"id2label\": {", "\"id2label\": {\"0\": \"a\"}, \"id2label\": {", EG_EFORMAT, "id2label"},
        {", \"2\": \"neutral\"", "", EG_EFORMAT, "tensor classifier.weight"},
        {"\"architectures\"", "\"is_decoder\": true, \"architectures\"", EG_EUNSUPPORTED, "is_decoder"},
        {"\"architectures\"", "\"is_decoder\": [], \"architectures\"", EG_EUNSUPPORTED, "is_decoder"},
        {"\"architectures\"", "\"position_embedding_type\": \"relative_key\", \"architectures\"", EG_EUNSUPPORTED,
         "position_embedding_type"},
        {"\"architectures\"", "\"pos_att_type\": [{}], \"architectures\"", EG_EFORMAT, "pos_att_type"},
        {"\"architectures\"", "\"pos_att_type\": [\"c2p\", {\"a\": {}}], \"architectures\"", EG_EFORMAT, "pos_att_type"},
        {"\"architectures\"", "\"pos_att_type\": [[\"c2p\"]], \"architectures\"", EG_EFORMAT, "pos_att_type"},
        {"\"architectures\"", "\"pos_att_type\": {}, \"architectures\"", EG_EFORMAT, "pos_att_type"},
        {"\"architectures\"", "\"pos_att_type\": [\"c2p\", }, \"architectures\"", EG_EFORMAT, "1:"},
        {"{\"architectures\"", "[\"architectures\"", EG_EFORMAT, "1:"},
        {"\"model_type\"", "\"model\xFF_type\"", EG_EFORMAT, "1:"},
        {"{\"architectures\"", "{\"more\": 1e, \"architectures\"", EG_EFORMAT, "1:"},
    };
    tiny_model *m = tiny_create();
    tiny_write(m, dir);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *text = replaced(table[i].from, table[i].to);
        tiny_write_file(dir, "config.json", text, strlen(text));
        int tensor = strncmp(table[i].says, "tensor ", 7) == 0;
        refused(dir, table[i].status, tensor ? "model.safetensors: tensor" : "config.json", table[i].says + (tensor ? 7 : 0),
                table[i].to);
        free(text);
    }
    for (size_t n = 0; n < strlen(tiny_config); n++) { /* cut off anywhere */
        tiny_write_file(dir, "config.json", tiny_config, n);
        refused(dir, EG_EFORMAT, "config.json", "", "a config cut off");
    }
    tiny_write(m, dir);
    taken("the whole config", NULL);
    free(m);
}

static void test_config_sizes(void **state) {
    (void)state;
    eg_buffer b = {0};
    for (size_t i = 0; i < 5 << 20; i++) eg_buffer_add(&b, " ", 1);
    tiny_write_file(dir, "config.json", b.ptr, b.len);
    refused(dir, EG_ELIMIT, "config.json", "5242880 bytes", "a large config");
    b.len = 0;
    eg_buffer_text(&b, "{\"a\":");
    for (int i = 0; i < 100000; i++) eg_buffer_text(&b, "[");
    tiny_write_file(dir, "config.json", b.ptr, b.len);
    refused(dir, EG_EFORMAT, "config.json", "nested deeper", "a deep config");
    eg_buffer_release(&b);
    static const char *const texts[] = {"", " ", "\0", "null", "7", "\"x\"", "{}", "\xEF\xBB\xBF{}", "PK\3\4"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tiny_write_file(dir, "config.json", texts[i], strlen(texts[i]) + (i == 2));
        refused(dir, EG_EFORMAT, "config.json", "", "no config");
    }
}

static void test_sentence_files(void **state) {
    (void)state;
    static const struct {
        const char *file, *text;
        eg_status status;
        const char *says; /* NULL: taken */
    } table[] = {{"1_Pooling/config.json", "{\"pooling_mode_mean_tokens\": true}", EG_OK, NULL},
                 {"1_Pooling/config.json", "{\"pooling_mode_mean_tokens\": false}", EG_EUNSUPPORTED, "pooling_mode"},
                 {"1_Pooling/config.json", "{\"pooling_mode_mean_tokens\": \"true\"}", EG_EUNSUPPORTED, "pooling_mode"},
                 {"1_Pooling/config.json", "{\"pooling_mode_mean_tokens\": true, \"pooling_mode_cls_token\": true}",
                  EG_EUNSUPPORTED, "pooling_mode"},
                 {"1_Pooling/config.json", "{\"pooling_mode_max_tokens\": true}", EG_OK, NULL},
                 {"1_Pooling/config.json", "{\"pooling_mode_lasttoken\": true}", EG_EUNSUPPORTED, "pooling_mode_lasttoken"},
                 {"1_Pooling/config.json", "[]", EG_EUNSUPPORTED, "pooling_mode"},
                 {"1_Pooling/config.json", "{\"pooling_mode_mean_tokens\": true", EG_EFORMAT, "1:"},
                 {"1_Pooling/config.json", "", EG_EFORMAT, "1:1:"},
                 {"sentence_bert_config.json", "{\"max_seq_length\": 8}", EG_OK, NULL},
                 {"sentence_bert_config.json", "{\"max_seq_length\": null}", EG_OK, NULL},
                 {"sentence_bert_config.json", "{\"max_seq_length\": 99999999999}", EG_OK, NULL},
                 {"sentence_bert_config.json", "{\"max_seq_length\": 3}", EG_EFORMAT, "max_seq_length"},
                 {"sentence_bert_config.json", "{\"max_seq_length\": -8}", EG_EFORMAT, "max_seq_length"},
                 {"sentence_bert_config.json", "{\"max_seq_length\": 8.5}", EG_EFORMAT, "max_seq_length"},
                 {"sentence_bert_config.json", "{\"max_seq_length\": \"8\"}", EG_EFORMAT, "max_seq_length"},
                 {"sentence_bert_config.json", "{\"max_seq_length\": [8]}", EG_EFORMAT, "max_seq_length"},
                 /* the tokenizer does */
                 {"sentence_bert_config.json", "{\"do_lower_case\": true}", EG_OK, NULL},
                 {"sentence_bert_config.json", "{\"do_lower_case\": 1}", EG_EFORMAT, "do_lower_case"},
                 {"sentence_bert_config.json", "[8]", EG_EFORMAT, "object"},
                 {"sentence_bert_config.json", "{\"max_seq_length\": 8", EG_EFORMAT, "1:"},
                 {"tokenizer_config.json", "{\"do_lower_case\": ", EG_EFORMAT, "1:"}};
    tiny_model *m = tiny_create();
    char path[128];
    tiny_write(m, dir);
    free(m);
    snprintf(path, sizeof path, "%s/1_Pooling", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        tiny_write_file(dir, table[i].file, table[i].text, strlen(table[i].text));
        if (table[i].says) refused(dir, table[i].status, table[i].file, table[i].says, table[i].text);
        else taken(table[i].text, NULL);
        snprintf(path, sizeof path, "%s/%s", dir, table[i].file);
        assert_int_equal(unlink(path), 0);
    }
    snprintf(path, sizeof path, "%s/1_Pooling", dir);
    assert_int_equal(rmdir(path), 0);
    static const char cased[] = "{\"do_lower_case\": false}", *const names[] = {"tokenizer_config.json",
                                                                                "sentence_bert_config.json"};
    tiny_write_file(dir, names[0], cased, strlen(cased));
    tiny_write_file(dir, names[1], cased, strlen(cased));
    taken("a cased model", NULL);
    tiny_write_file(dir, names[1], "{\"do_lower_case\": true}", 23);
    refused(dir, EG_EUNSUPPORTED, names[1], "do_lower_case", "a cased tokenizer, lower-cased texts");
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        assert_int_equal(unlink(path), 0);
    }
}

/* Flags of DeBERTa's config, each with the reference's default where it is not there. */
static void test_deberta_flags(void **state) {
    (void)state;
#define DEBERTA                                                                                            \
    "{\"model_type\": \"deberta-v2\", \"vocab_size\": 24, \"hidden_size\": 16, \"num_hidden_layers\": 2, " \
    "\"num_attention_heads\": 2, \"intermediate_size\": 32, \"max_position_embeddings\": 24, \"pos_att_type\": \"c2p|p2c\""
    static const struct {
        const char *json, *says; /* NULL: taken */
    } table[] = {{DEBERTA ", \"relative_attention\": true, \"share_att_key\": true, \"position_biased_input\": false}", NULL},
                 {DEBERTA ", \"relative_attention\": true, \"share_att_key\": true, \"position_biased_input\": true}",
                  "position_biased_input"},
                 {DEBERTA ", \"relative_attention\": true, \"share_att_key\": true}", "position_biased_input"},
                 {DEBERTA ", \"relative_attention\": true, \"position_biased_input\": false}", "share_att_key"},
                 {DEBERTA ", \"share_att_key\": true, \"position_biased_input\": false}", "relative_attention"},
                 {DEBERTA ", \"relative_attention\": true, \"share_att_key\": true, \"position_biased_input\": false, "
                          "\"attention_head_size\": 8}",
                  "attention_head_size"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        eg_arena arena;
        eg_config config;
        eg_arena_init(&arena, 0);
        err = (eg_error){0};
        eg_status s = eg_config_parse(eg_str_of(table[i].json), &arena, &config, &err);
        assert_int_equal(s, table[i].says ? EG_EUNSUPPORTED : EG_OK);
        if (table[i].says && !strstr(err.text, table[i].says)) fail_msg("'%s' does not say %s", err.text, table[i].says);
        eg_arena_release(&arena);
    }
}

static void test_vocabularies(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } table[] = {{"", "[UNK]"},
                 {"[PAD]\n[UNK]\n[CLS]\n", "[SEP]"},
                 {"[PAD]\n[UNK]\n[SEP]\na\xFF\n[CLS]\n", "invalid UTF-8 at byte 19"},
                 {"{\"not\": \"lines\"}", "[UNK]"}};
    tiny_model *m = tiny_create();
    tiny_write(m, dir);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        tiny_write_file(dir, "vocab.txt", table[i].text, strlen(table[i].text));
        refused(dir, EG_EFORMAT, "vocab.txt", table[i].says, table[i].text);
    }
    char larger[512];
    snprintf(larger, sizeof larger, "%smore\n", tiny_vocabulary);
    tiny_write_file(dir, "vocab.txt", larger, strlen(larger));
    refused(dir, EG_EFORMAT, "config.json", "vocab_size", "a vocabulary that is larger than the config says");
    enum { LINES = (1 << 20) + 1 };
    char *lines = malloc(LINES);
    memset(lines, '\n', LINES);
    tiny_write_file(dir, "vocab.txt", lines, LINES);
    refused(dir, EG_ELIMIT, "vocab.txt", "at most 1048576", "a vocabulary of a million lines");
    free(lines);
    char path[96];
    snprintf(path, sizeof path, "%s/vocab.txt", dir);
    assert_int_equal(unlink(path), 0);
    refused(dir, EG_ENOENT, dir, "vocab.txt", "no vocabulary");
    tiny_write(m, dir);
    free(m);
}

/* ---- files that are none ---- */

static const char *const all_files[] = {"config.json",          "model.safetensors",     "vocab.txt",
                                        "tokenizer.json",       "tokenizer_config.json", "sentence_bert_config.json",
                                        "1_Pooling/config.json"};

static void be_loop(const char *path) { assert_int_equal(symlink(path, path), 0); }
static void be_dangling(const char *path) { assert_int_equal(symlink("nowhere", path), 0); }
static void be_fifo(const char *path) { assert_int_equal(mkfifo(path, 0600), 0); }
static void be_folder(const char *path) { assert_int_equal(mkdir(path, 0700), 0); }
static void be_device(const char *path) { assert_int_equal(symlink("/dev/zero", path), 0); }
static void be_unreadable(const char *path) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0), 0);
}

/* Each file of a model folder, whether it must be there or may, as something else than a file. */
static void test_no_files(void **state) {
    (void)state;
    static const struct {
        const char *what, *says;
        void (*make)(const char *path);
        eg_status status;
    } kinds[] = {
        {"a link to itself", "symbolic link", be_loop, EG_EIO}, {"a link to nothing", "No such file", be_dangling, EG_ENOENT},
        {"a FIFO", "regular file", be_fifo, EG_EINVAL},         {"a folder", "regular file", be_folder, EG_EINVAL},
        {"a device", "regular file", be_device, EG_EINVAL},     {"unreadable", "Permission denied", be_unreadable, EG_EPERM}};
    tiny_model *m = tiny_create();
    char path[128], pooling[96];
    snprintf(pooling, sizeof pooling, "%s/1_Pooling", dir);
    assert_int_equal(mkdir(pooling, 0700), 0);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < sizeof all_files / sizeof *all_files; i++) {
            tiny_write(m, dir);
            snprintf(path, sizeof path, "%s/%s", dir, all_files[i]);
            remove(path);
            kinds[k].make(path);
            /* root reads everything */
            if (kinds[k].make == be_unreadable && access(path, R_OK) == 0) {
                remove(path);
                continue;
            }
            refused(dir, kinds[k].status, all_files[i],
                    strcmp(all_files[i], "vocab.txt") == 0 && kinds[k].status == EG_ENOENT ? "" : kinds[k].says, kinds[k].what);
            remove(path);
        }
    assert_int_equal(rmdir(pooling), 0);
    free(m);
}

static void test_no_folder(void **state) {
    (void)state;
    char empty[64], path[128];
    tiny_folder(empty);
    refused(empty, EG_ENOENT, "config.json", empty, "an empty folder");
    snprintf(path, sizeof path, "%s/none", empty);
    refused(path, EG_ENOENT, "config.json", path, "no folder");
    tiny_write_file(empty, "none", "x", 1);
    refused(path, EG_ENOENT, "config.json", path, "a file in place of the folder");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(path, path), 0);
    refused(path, EG_EIO, "config.json", path, "a link to itself in place of the folder");
    refused("", EG_EINVAL, "eg_model_open", "empty", "no name");
    char *longest = malloc(8193);
    memset(longest, 'x', 8192);
    longest[8192] = 0;
    refused(longest, EG_EIO, "", "xxx", "a long name");
    free(longest);
    tiny_folder_remove(empty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),        cmocka_unit_test(test_fuzz_seed),
        cmocka_unit_test(test_header_lengths), cmocka_unit_test(test_large_headers),
        cmocka_unit_test(test_cut_off),        cmocka_unit_test(test_each_tensor),
        cmocka_unit_test(test_quantized),      cmocka_unit_test(test_too_large_for_bf16),
        cmocka_unit_test(test_odd_but_good),   cmocka_unit_test(test_config_fields),
        cmocka_unit_test(test_config_sizes),   cmocka_unit_test(test_shards),
        cmocka_unit_test(test_sentence_files), cmocka_unit_test(test_vocabularies),
        cmocka_unit_test(test_no_files),       cmocka_unit_test(test_no_folder),
        cmocka_unit_test(test_deberta_flags),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
