/* safetensors.c - see safetensors.h. */
#include "models/safetensors.h"

#include <stdlib.h>

#include "core/base/json.h"
#include "core/base/size.h"
#include "core/base/status.h"

enum { MAX_HEADER = 100000000, MAX_TENSORS = 65536 };

/* Bytes of an element; 0: unknown. Types that we do not compute with are read as EG_OTHER_DTYPE. */
static size_t dtype_of(eg_str s, eg_dtype *dtype) {
    static const struct {
        const char *name;
        eg_dtype dtype;
        size_t size;
    } known[] = {{"F32", EG_F32, 4},         {"F16", EG_F16, 2},          {"BF16", EG_BF16, 2},       {"I8", EG_I8, 1},
                 {"U8", EG_OTHER_DTYPE, 1},  {"BOOL", EG_OTHER_DTYPE, 1}, {"I16", EG_OTHER_DTYPE, 2}, {"U16", EG_OTHER_DTYPE, 2},
                 {"I32", EG_OTHER_DTYPE, 4}, {"U32", EG_OTHER_DTYPE, 4},  {"I64", EG_OTHER_DTYPE, 8}, {"U64", EG_OTHER_DTYPE, 8},
                 {"F64", EG_OTHER_DTYPE, 8}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (eg_str_eq(s, eg_str_of(known[i].name))) {
            *dtype = known[i].dtype;
            return known[i].size;
        }
    return 0;
}

static int read_size(eg_json *j, size_t *out) {
    if (eg_json_next(j) != EG_JSON_NUMBER || !j->is_integer || j->integer < 0) return 0;
    *out = (size_t)j->integer;
    return 1;
}

static eg_status refuse(eg_json *j, eg_str name, const char *why) {
    char quoted[96];
    eg_json_fail(j, "tensor '%s' %s", eg_quote(name, 80, quoted, sizeof quoted), why);
    return EG_EFORMAT;
}

/* Reads the object of one tensor, at whose brace the reader is. The range of its data goes to
 * *begin, *end. */
static eg_status read_tensor(eg_json *j, eg_tensor *t, size_t *begin, size_t *end) {
    enum { DTYPE = 1, SHAPE = 2, OFFSETS = 4 };
    size_t element = 0;
    int seen = 0;
    for (eg_json_kind k = eg_json_next(j); k != EG_JSON_OBJECT_END; k = eg_json_next(j)) {
        if (k != EG_JSON_KEY) return EG_EFORMAT;
        int field = eg_str_eq(j->text, EG_STR("dtype"))          ? DTYPE
                    : eg_str_eq(j->text, EG_STR("shape"))        ? SHAPE
                    : eg_str_eq(j->text, EG_STR("data_offsets")) ? OFFSETS
                                                                 : 0;
        if (!field || (seen & field)) return refuse(j, t->name, "has an unknown or repeated field");
        seen |= field;
        k = eg_json_next(j);
        int good = field == DTYPE ? k == EG_JSON_STRING && (element = dtype_of(j->text, &t->dtype)) > 0 : k == EG_JSON_ARRAY;
        if (good && field == SHAPE) {
            eg_json ahead = *j;
            while (good && eg_json_next(&ahead) == EG_JSON_NUMBER)
                good = t->dims < EG_TENSOR_DIMS && read_size(j, &t->shape[t->dims]) && ++t->dims;
            good = good && eg_json_next(j) == EG_JSON_ARRAY_END;
        }
        if (good && field == OFFSETS) good = read_size(j, begin) && read_size(j, end) && eg_json_next(j) == EG_JSON_ARRAY_END;
        if (!good) return refuse(j, t->name, "has a dtype, shape or data_offsets that cannot be read");
    }
    t->elements = 1;
    int fits = seen == (DTYPE | SHAPE | OFFSETS) && *begin <= *end;
    for (uint32_t i = 0; fits && i < t->dims; i++) fits = eg_size_mul(t->elements, t->shape[i], &t->elements);
    if (!fits || !eg_size_mul(t->elements, element, &t->bytes) || t->bytes != *end - *begin)
        return refuse(j, t->name, "has a shape and dtype that do not give the bytes of its data_offsets");
    return EG_OK;
}

/* "__metadata__", at most once: strings by name, which we do not use. */
static eg_status skip_metadata(eg_json *j, int *seen) {
    int good = !*seen && eg_json_next(j) == EG_JSON_OBJECT;
    *seen = 1;
    for (eg_json_kind k = EG_JSON_KEY; good && (k = eg_json_next(j)) != EG_JSON_OBJECT_END;)
        good = k == EG_JSON_KEY && eg_json_next(j) == EG_JSON_STRING;
    if (good) return EG_OK;
    eg_json_fail(j, "__metadata__ must stand there once and hold strings only");
    return EG_EFORMAT;
}

static int by_data(const void *a, const void *b) {
    const eg_tensor *x = a, *y = b;
    if (x->data != y->data) return x->data < y->data ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int by_name(const void *a, const void *b) {
    const eg_tensor *x = a, *y = b;
    size_t n = x->name.len < y->name.len ? x->name.len : y->name.len;
    int c = n ? memcmp(x->name.ptr, y->name.ptr, n) : 0;
    return c ? c : (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

/* The ranges must cover the data: no overlap, no gap, nothing after the last one. Duplicate names
 * are refused, too. */
static eg_status check_layout(eg_safetensors *s, const unsigned char *data, size_t size, eg_error *err) {
    char name[96];
    qsort(s->tensors, s->count, sizeof *s->tensors, by_data);
    const unsigned char *at = data;
    for (size_t i = 0; i < s->count; i++) {
        const eg_tensor *t = &s->tensors[i];
        if (t->data != at)
            return eg_fail(err, EG_EFORMAT, "%s: tensor '%s' %s", s->name, eg_quote(t->name, 80, name, sizeof name),
                           t->data < at ? "overlaps another one" : "leaves a hole in the data before it");
        at += t->bytes;
    }
    if (at != data + size)
        return eg_fail(err, EG_EFORMAT, "%s: %zu bytes follow the last tensor", s->name, (size_t)(data + size - at));
    qsort(s->tensors, s->count, sizeof *s->tensors, by_name);
    for (size_t i = 1; i < s->count; i++)
        if (eg_str_eq(s->tensors[i - 1].name, s->tensors[i].name))
            return eg_fail(err, EG_EFORMAT, "%s: tensor '%s' occurs twice", s->name,
                           eg_quote(s->tensors[i].name, 80, name, sizeof name));
    return EG_OK;
}

/* Number of tensors that the header names, so that they are allocated once. */
static eg_status count_tensors(eg_json j, size_t *n) {
    *n = 0;
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        *n += k == EG_JSON_KEY && j.depth == 1;
    }
    return EG_OK;
}

eg_status eg_safetensors_parse(const char *name, eg_str bytes, eg_arena *arena, eg_safetensors *out, eg_error *err) {
    *out = (eg_safetensors){.name = name};
    if (bytes.len < 8) return eg_fail(err, EG_EFORMAT, "%s: %zu bytes are too few for a safetensors file", name, bytes.len);
    uint64_t length = 0;
    for (int i = 7; i >= 0; i--) length = length << 8 | (unsigned char)bytes.ptr[i];
    if (length > MAX_HEADER)
        return eg_fail(err, EG_ELIMIT, "%s: its header has %llu bytes; at most %d are supported", name,
                       (unsigned long long)length, MAX_HEADER);
    if (length > bytes.len - 8)
        return eg_fail(err, EG_EFORMAT, "%s: its header of %llu bytes exceeds the file of %zu bytes: it is truncated", name,
                       (unsigned long long)length, bytes.len);
    eg_str header = {bytes.ptr + 8, (size_t)length};
    const unsigned char *data = (const unsigned char *)bytes.ptr + 8 + length;
    size_t size = bytes.len - 8 - (size_t)length, count;

    eg_json j;
    eg_json_init(&j, name, header, arena, err);
    eg_status s = count_tensors(j, &count);
    if (s != EG_OK) return s;
    if (count > MAX_TENSORS) return eg_fail(err, EG_ELIMIT, "%s: %zu tensors; at most %d", name, count, MAX_TENSORS);
    out->tensors = eg_arena_array(arena, count, sizeof *out->tensors);
    if (!out->tensors) return eg_fail_memory(err, count * sizeof *out->tensors);
    if (eg_json_next(&j) != EG_JSON_OBJECT) {
        eg_json_fail(&j, "the header is no JSON object");
        return EG_EFORMAT;
    }
    int metadata = 0;
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_OBJECT_END; k = eg_json_next(&j)) {
        if (k != EG_JSON_KEY) return EG_EFORMAT;
        eg_str key = j.text;
        if (eg_str_eq(key, EG_STR("__metadata__"))) {
            if ((s = skip_metadata(&j, &metadata)) != EG_OK) return s;
            continue;
        }
        if (!key.len || memchr(key.ptr, 0, key.len)) return refuse(&j, key, "has a name that is empty or holds U+0000");
        if (eg_json_next(&j) != EG_JSON_OBJECT) return refuse(&j, key, "is described by something that is no object");
        eg_tensor *t = &out->tensors[out->count];
        size_t begin = 0, end = 0;
        t->file = name;
        t->name = key;
        if ((s = read_tensor(&j, t, &begin, &end)) != EG_OK) return s;
        char quoted[96];
        if (end > size)
            return eg_fail(err, EG_EFORMAT, "%s: tensor '%s' ends at byte %zu of %zu: the file is truncated", name,
                           eg_quote(key, 80, quoted, sizeof quoted), end, size);
        t->data = data + begin;
        out->count++;
    }
    return check_layout(out, data, size, err);
}

const eg_tensor *eg_safetensors_find(const eg_safetensors *s, const char *name) {
    eg_tensor key = {.name = eg_str_of(name)};
    return s->count ? bsearch(&key, s->tensors, s->count, sizeof key, by_name) : NULL;
}
