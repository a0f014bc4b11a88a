/* test_hostile.c - model folders that somebody broke, on purpose or not: each is refused with a
 * status and one clean sentence that names the file and what of it is wrong; nothing stays open,
 * nothing hangs. Here: the weights. Made files only: see tiny_model.h. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "hostile.h"
#include "models/safetensors.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),        cmocka_unit_test(test_fuzz_seed),
        cmocka_unit_test(test_header_lengths), cmocka_unit_test(test_large_headers),
        cmocka_unit_test(test_cut_off),        cmocka_unit_test(test_each_tensor),
        cmocka_unit_test(test_quantized),      cmocka_unit_test(test_too_large_for_bf16),
        cmocka_unit_test(test_odd_but_good),   cmocka_unit_test(test_shards),
    };
    return cmocka_run_group_tests(tests, hostile_begin, hostile_end);
}
