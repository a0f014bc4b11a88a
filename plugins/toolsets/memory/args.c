/* args.c - reading tool arguments by a table. See args.h. */
#include "args.h"

#include <math.h>
#include <time.h>

#include "json.h"
#include "time_text.h"

static const char *type_name(const cJSON *v) {
    if (cJSON_IsString(v)) return "a string";
    if (cJSON_IsNumber(v)) return "a number";
    if (cJSON_IsBool(v)) return "a boolean";
    if (cJSON_IsArray(v)) return "an array";
    return cJSON_IsNull(v) ? "null" : "an object";
}

static eg_status wrong_type(eg_request *rq, const char *name, const char *wanted, const cJSON *v) {
    return eg_request_fail(rq, EG_EINVAL, "%s: must be %s, but %s was given", name, wanted, type_name(v));
}

static eg_status copy_text(eg_request *rq, const char *from, eg_str *out) {
    *out = eg_request_copy(rq, eg_str_of(from));
    return out->ptr ? EG_OK : EG_ENOMEM;
}

static eg_status read_text(eg_request *rq, const arg_spec *spec, const cJSON *v, arg_value *out) {
    if (!cJSON_IsString(v)) return wrong_type(rq, spec->name, "a string", v);
    size_t len = strlen(v->valuestring), most = (size_t)spec->high;
    if (len > most)
        return eg_request_fail(rq, EG_EINVAL, "%s: is %zu bytes long, the limit is %zu; shorten it", spec->name, len, most);
    if (len == 0 && spec->required) return eg_request_fail(rq, EG_EINVAL, "%s: must not be empty; give a text", spec->name);
    out->given = len > 0;
    return copy_text(rq, v->valuestring, &out->text);
}

static eg_status read_number(eg_request *rq, const arg_spec *spec, const cJSON *v, arg_value *out) {
    int whole = spec->kind == ARG_INTEGER;
    if (!cJSON_IsNumber(v)) return wrong_type(rq, spec->name, whole ? "an integer" : "a number", v);
    double x = v->valuedouble;
    if (whole && floor(x) != x) return eg_request_fail(rq, EG_EINVAL, "%s: must be an integer, but %g was given", spec->name, x);
    if (!(x >= spec->low && x <= spec->high))
        return eg_request_fail(rq, EG_EINVAL, "%s: must be %.16g to %.16g, not %.15g", spec->name, spec->low, spec->high, x);
    *out = (arg_value){.given = 1, .number = x, .integer = whole ? (int64_t)x : 0};
    return EG_OK;
}

static eg_status read_boolean(eg_request *rq, const arg_spec *spec, const cJSON *v, arg_value *out) {
    if (!cJSON_IsBool(v)) return wrong_type(rq, spec->name, "true or false", v);
    *out = (arg_value){.given = 1, .integer = cJSON_IsTrue(v) != 0};
    return EG_OK;
}

enum { CHOICES_SIZE = 256 };

/* "a, b, c": the words that an argument can be. */
static void list_choices(const arg_spec *spec, char choices[CHOICES_SIZE]) {
    size_t used = 0;
    choices[0] = 0;
    for (size_t i = 0; spec->words[i]; i++) {
        int n = snprintf(choices + used, CHOICES_SIZE - used, "%s%s", i ? ", " : "", spec->words[i]);
        if (n > 0 && (size_t)n < CHOICES_SIZE - used) used += (size_t)n;
    }
}

static eg_status read_word(eg_request *rq, const arg_spec *spec, const cJSON *v, arg_value *out) {
    char choices[CHOICES_SIZE];
    if (!cJSON_IsString(v)) return wrong_type(rq, spec->name, "a string", v);
    if (v->valuestring[0] == 0 && !spec->required) return EG_OK;
    for (size_t i = 0; spec->words[i]; i++) {
        if (strcmp(spec->words[i], v->valuestring) == 0) {
            *out = (arg_value){.given = 1, .integer = (int64_t)i};
            return EG_OK;
        }
    }
    list_choices(spec, choices);
    return eg_request_fail(rq, EG_EINVAL, "%s: '%.60s' is not a valid value; use one of %s", spec->name, v->valuestring, choices);
}

static eg_status read_time(eg_request *rq, const arg_spec *spec, const cJSON *v, arg_value *out) {
    if (!cJSON_IsString(v)) return wrong_type(rq, spec->name, "a string", v);
    if (v->valuestring[0] == 0 && !spec->required) return EG_OK;
    out->given = 1;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (mt_time_said(eg_str_of(v->valuestring), (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000, &out->integer)) return EG_OK;
    return eg_request_fail(
        rq, EG_EINVAL,
        "%s: '%.60s' is not a valid time; write it like 2026-07-28 or 2026-07-28T09:30:00Z, or yesterday, 12h or 3d (ago)",
        spec->name, v->valuestring);
}

static eg_status read_span(eg_request *rq, const arg_spec *spec, const cJSON *v, arg_value *out) {
    if (!cJSON_IsString(v)) return wrong_type(rq, spec->name, "a string", v);
    if (v->valuestring[0] == 0 && !spec->required) return EG_OK;
    out->given = 1;
    if (mt_span_parse(eg_str_of(v->valuestring), &out->integer) && out->integer > 0) return EG_OK;
    return eg_request_fail(rq, EG_EINVAL, "%s: '%.60s' is not a length of time; write it like 12h, 7d or 2w", spec->name,
                           v->valuestring);
}

static eg_status read_texts(eg_request *rq, const arg_spec *spec, const cJSON *v, arg_value *out) {
    if (!cJSON_IsArray(v)) return wrong_type(rq, spec->name, "an array of strings", v);
    size_t n = (size_t)cJSON_GetArraySize(v), most = (size_t)spec->high, i = 0;
    if (n == 0) return eg_request_fail(rq, EG_EINVAL, "%s: must contain at least one string", spec->name);
    if (n > most)
        return eg_request_fail(rq, EG_EINVAL, "%s: has %zu items, the limit is %zu; send the rest in another call", spec->name, n,
                               most);
    *out = (arg_value){.given = 1, .count = n, .texts = eg_request_array(rq, n, sizeof(eg_str))};
    if (!out->texts) return EG_ENOMEM;
    const cJSON *item;
    cJSON_ArrayForEach(item, v) {
        char name[80];
        snprintf(name, sizeof name, "%.40s[%zu]", spec->name, i);
        const arg_spec one = {.name = name, .required = 1, .high = spec->low};
        arg_value value = {0};
        eg_status s = read_text(rq, &one, item, &value);
        if (s != EG_OK) return s;
        out->texts[i++] = value.text;
    }
    return EG_OK;
}

static eg_status read_objects(eg_request *rq, const arg_spec *spec, const cJSON *v, arg_value *out) {
    if (!cJSON_IsArray(v)) return wrong_type(rq, spec->name, "an array of objects", v);
    size_t n = (size_t)cJSON_GetArraySize(v), most = (size_t)spec->high, i = 0;
    if (n == 0) return eg_request_fail(rq, EG_EINVAL, "%s: must contain at least one object", spec->name);
    if (n > most)
        return eg_request_fail(rq, EG_EINVAL, "%s: has %zu items, the limit is %zu; send the rest in another call", spec->name, n,
                               most);
    *out = (arg_value){.given = 1, .count = n, .texts = eg_request_array(rq, n, sizeof(eg_str))};
    if (!out->texts) return EG_ENOMEM;
    const cJSON *item;
    cJSON_ArrayForEach(item, v) {
        if (!cJSON_IsObject(item))
            return eg_request_fail(rq, EG_EINVAL, "%.40s[%zu]: must be an object, but %s was given", spec->name, i,
                                   type_name(item));
        char *text = cJSON_PrintUnformatted(item);
        eg_status s = text ? copy_text(rq, text, &out->texts[i++]) : EG_ENOMEM;
        cJSON_free(text);
        if (s != EG_OK) return s == EG_ENOMEM ? eg_request_fail(rq, s, "out of memory while the arguments were read") : s;
    }
    return EG_OK;
}

static eg_status read_value(eg_request *rq, const arg_spec *spec, const cJSON *v, arg_value *out) {
    if (cJSON_IsNull(v) && !spec->required) return EG_OK;
    switch (spec->kind) {
    case ARG_TEXT: return read_text(rq, spec, v, out);
    case ARG_NUMBER:
    case ARG_INTEGER: return read_number(rq, spec, v, out);
    case ARG_BOOLEAN: return read_boolean(rq, spec, v, out);
    case ARG_WORD: return read_word(rq, spec, v, out);
    case ARG_TIME: return read_time(rq, spec, v, out);
    case ARG_SPAN: return read_span(rq, spec, v, out);
    case ARG_TEXTS: return read_texts(rq, spec, v, out);
    case ARG_OBJECTS: return read_objects(rq, spec, v, out);
    }
    return eg_request_fail(rq, EG_EINTERNAL, "%s: its kind is unknown; this is a defect of Engram, please report it", spec->name);
}

static eg_status unknown_name(eg_request *rq, const char *name, const arg_spec *specs, size_t n) {
    char known[300];
    size_t used = 0;
    known[0] = 0;
    for (size_t i = 0; i < n; i++) {
        int len = snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", specs[i].name);
        if (len > 0 && (size_t)len < sizeof known - used) used += (size_t)len;
    }
    return eg_request_fail(rq, EG_EINVAL, "%.80s: unknown argument; this tool takes %s", name, n ? known : "no arguments");
}

static eg_status missing(eg_request *rq, const arg_spec *spec) {
    char choices[CHOICES_SIZE];
    if (spec->kind != ARG_WORD) return eg_request_fail(rq, EG_EINVAL, "%s: is missing and required", spec->name);
    list_choices(spec, choices);
    return eg_request_fail(rq, EG_EINVAL, "%s: is missing and required; use one of %s", spec->name, choices);
}

static eg_status read_all(eg_request *rq, const cJSON *object, const arg_spec *specs, size_t n, arg_value *values) {
    const char *twice = pj_duplicate(object);
    if (twice) return eg_request_fail(rq, EG_EINVAL, "%.80s: is given twice; give it once", twice);
    const cJSON *v;
    cJSON_ArrayForEach(v, object) {
        size_t i = 0;
        while (i < n && strcmp(specs[i].name, v->string) != 0) i++;
        if (i == n && !(strcmp(v->string, "verbose") == 0 && cJSON_IsBool(v))) return unknown_name(rq, v->string, specs, n);
    }
    for (size_t i = 0; i < n; i++) {
        v = pj_get(object, specs[i].name);
        if (!v && specs[i].required) return missing(rq, &specs[i]);
        eg_status s = v ? read_value(rq, &specs[i], v, &values[i]) : EG_OK;
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

eg_status mt_args_read(eg_request *rq, eg_str arguments, const arg_spec *specs, size_t n, arg_value *values) {
    pj_problem problem;
    for (size_t i = 0; i < n; i++) values[i] = (arg_value){0};
    cJSON *object = pj_parse(arguments, &problem);
    if (!object) return eg_request_fail(rq, EG_EINVAL, "arguments: not valid JSON: %s at byte %zu", problem.what, problem.at);
    eg_status s = EG_OK;
    if (!cJSON_IsObject(object))
        s = eg_request_fail(rq, EG_EINVAL, "arguments: must be an object, but %s was given", type_name(object));
    else if (pj_has_nul(arguments))
        s = eg_request_fail(rq, EG_EINVAL, "arguments: a string contains the character U+0000; remove it");
    else s = read_all(rq, object, specs, n, values);
    cJSON_Delete(object);
    return s;
}

int mt_args_verbose(eg_str arguments) {
    pj_problem ignored;
    cJSON *object = pj_parse(arguments, &ignored);
    int verbose = cJSON_IsTrue(pj_get(object, "verbose"));
    cJSON_Delete(object);
    return verbose;
}
