/* config.c - see config.h. Unknown fields are ignored: published configs carry many; fields that change the result
 * are checked. */
#include "models/config.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/status.h"

enum { MAX_FILE = 4 << 20, MAX_LABELS = 1024, MAX_HIDDEN = 16384, MAX_LAYERS = 256, MAX_POSITIONS = 1 << 20, MAX_VOCABULARY = 1 << 24 };

static int is(const eg_json *j, const char *z) { return eg_str_eq(j->text, eg_str_of(z)); }

/* The number fields of config.json. */
typedef struct number_field {
    const char *name;
    uint32_t *to;
    uint32_t least, most;
} number_field;

static eg_status read_number(eg_json *j, eg_json_kind k, const number_field *f, eg_error *err) {
    if (k != EG_JSON_NUMBER || !j->is_integer || j->integer < f->least || j->integer > f->most)
        return eg_fail(err, EG_EFORMAT, "config.json: %s must be a number from %u to %u", f->name, f->least, f->most);
    *f->to = (uint32_t)j->integer;
    return EG_OK;
}

/* {"0": "contradiction", ...}: names by id, every id from 0 on exactly once. */
static eg_status read_labels(eg_json *j, eg_arena *arena, eg_config *c, eg_error *err) {
    const char **names = eg_arena_array(arena, MAX_LABELS, sizeof *names);
    if (!names) return eg_fail_memory(err, MAX_LABELS * sizeof *names);
    uint32_t id = 0, count = 0;
    for (eg_json_kind k = eg_json_next(j); k != EG_JSON_OBJECT_END; k = eg_json_next(j)) {
        if (k == EG_JSON_KEY) {
            id = j->text.len ? 0 : MAX_LABELS;
            for (size_t i = 0; i < j->text.len && id < MAX_LABELS; i++)
                id = j->text.ptr[i] >= '0' && j->text.ptr[i] <= '9' ? id * 10 + (uint32_t)(j->text.ptr[i] - '0') : MAX_LABELS;
            if (id >= MAX_LABELS) return eg_fail(err, EG_EFORMAT, "config.json: id2label has a key that is no id below %d", MAX_LABELS);
        } else if (k == EG_JSON_STRING && !names[id]) {
            names[id] = eg_arena_copy(arena, j->text);
            if (!names[id]) return eg_fail_memory(err, j->text.len);
            count++;
        } else {
            return eg_fail(err, EG_EFORMAT, "config.json: id2label must give one name for each id");
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (!names[i]) return eg_fail(err, EG_EFORMAT, "config.json: id2label leaves out id %u", i);
    c->labels = count;
    c->label_names = names;
    return EG_OK;
}

static eg_status refuse(eg_error *err, const char *field, eg_str value, const char *supported) {
    char text[64];
    return eg_fail(err, EG_EUNSUPPORTED, "config.json: %s is '%s'; supported: %s", field,
                   eg_quote(value, 50, text, sizeof text), supported);
}

/* The last word decides the head: BertForSequenceClassification. */
static eg_status read_architectures(eg_json *j, eg_config *c, eg_error *err) {
    for (eg_json_kind k = eg_json_next(j); k != EG_JSON_ARRAY_END; k = eg_json_next(j)) {
        if (k != EG_JSON_STRING) return eg_fail(err, EG_EFORMAT, "config.json: architectures must be a list of names");
        if (is(j, "BertForSequenceClassification"))
            c->head = EG_HEAD_CLASSES;
        else if (!is(j, "BertModel"))
            return refuse(err, "architectures", j->text, "BertModel, BertForSequenceClassification");
    }
    return EG_OK;
}

static eg_status read_text(const eg_json *j, eg_json_kind k, const char *field, const char *wanted, eg_error *err) {
    if (k == EG_JSON_NULL) return EG_OK;
    if (k == EG_JSON_ERROR) return EG_EFORMAT; /* the reader has said where */
    if (k != EG_JSON_STRING || !is(j, wanted)) return refuse(err, field, k == EG_JSON_STRING ? j->text : EG_STR("?"), wanted);
    return EG_OK;
}

static eg_status read_field(eg_json *j, eg_arena *arena, eg_config *c, int *model_type, eg_error *err) {
    const number_field numbers[] = {{"vocab_size", &c->vocabulary, 1, MAX_VOCABULARY},
                                    {"hidden_size", &c->hidden, 1, MAX_HIDDEN},
                                    {"num_hidden_layers", &c->layers, 1, MAX_LAYERS},
                                    {"num_attention_heads", &c->heads, 1, 1024},
                                    {"intermediate_size", &c->intermediate, 1, 4 * MAX_HIDDEN},
                                    {"max_position_embeddings", &c->positions, 4, MAX_POSITIONS},
                                    {"type_vocab_size", &c->types, 1, 16}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is(j, numbers[i].name)) return read_number(j, eg_json_next(j), &numbers[i], err);
    if (is(j, "layer_norm_eps")) {
        if (eg_json_next(j) != EG_JSON_NUMBER || !(j->number >= 0 && j->number < 1))
            return eg_fail(err, EG_EFORMAT, "config.json: layer_norm_eps must be a number from 0 to 1");
        c->layer_norm_eps = (float)j->number;
        return EG_OK;
    }
    if (is(j, "model_type")) {
        *model_type = 1;
        eg_json_kind k = eg_json_next(j);
        return k == EG_JSON_NULL ? refuse(err, "model_type", EG_STR("null"), "bert") : read_text(j, k, "model_type", "bert", err);
    }
    if (is(j, "hidden_act")) return read_text(j, eg_json_next(j), "hidden_act", "gelu", err);
    if (is(j, "position_embedding_type")) return read_text(j, eg_json_next(j), "position_embedding_type", "absolute", err);
    if (is(j, "is_decoder")) {
        eg_json_kind k = eg_json_next(j);
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        return k == EG_JSON_FALSE || k == EG_JSON_NULL ? EG_OK : refuse(err, "is_decoder", EG_STR("not false"), "false");
    }
    int architectures = is(j, "architectures"), labels = is(j, "id2label");
    eg_json_kind k = eg_json_next(j);
    if (architectures && k == EG_JSON_ARRAY) return read_architectures(j, c, err);
    if (labels && c->label_names) return eg_fail(err, EG_EFORMAT, "config.json: id2label stands there twice");
    if (labels && k == EG_JSON_OBJECT) return read_labels(j, arena, c, err);
    if ((architectures || labels) && k != EG_JSON_NULL && k != EG_JSON_ERROR)
        return eg_fail(err, EG_EFORMAT, "config.json: %s is of the wrong kind", labels ? "id2label" : "architectures");
    return eg_json_skip(j) ? EG_OK : EG_EFORMAT;
}

eg_status eg_config_parse(eg_str json, eg_arena *arena, eg_config *c, eg_error *err) {
    *c = (eg_config){.architecture = EG_STR("bert"), .types = 2, .layer_norm_eps = 1e-12f};
    eg_json j;
    int model_type = 0;
    eg_json_init(&j, "config.json", json, arena, err);
    if (eg_json_next(&j) != EG_JSON_OBJECT) {
        eg_json_fail(&j, "an object was expected");
        return EG_EFORMAT;
    }
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_OBJECT_END; k = eg_json_next(&j)) {
        if (k != EG_JSON_KEY) return EG_EFORMAT;
        eg_status s = read_field(&j, arena, c, &model_type, err);
        if (s != EG_OK) return s;
        if (j.kind == EG_JSON_ERROR) return EG_EFORMAT;
    }
    if (eg_json_next(&j) != EG_JSON_END) return EG_EFORMAT;
    const char *missing = !model_type        ? "model_type"
                          : !c->vocabulary   ? "vocab_size"
                          : !c->hidden       ? "hidden_size"
                          : !c->layers       ? "num_hidden_layers"
                          : !c->heads        ? "num_attention_heads"
                          : !c->intermediate ? "intermediate_size"
                          : !c->positions    ? "max_position_embeddings"
                                             : NULL;
    if (missing) return eg_fail(err, EG_EFORMAT, "config.json: %s is missing", missing);
    if (c->hidden % c->heads)
        return eg_fail(err, EG_EFORMAT, "config.json: hidden_size %u is no multiple of num_attention_heads %u", c->hidden, c->heads);
    c->max_tokens = c->positions;
    if (c->head == EG_HEAD_EMBEDDING) c->labels = 0;
    return EG_OK;
}

/* A JSON file of the folder; *found 0 when it is not there. */
static eg_status open_json(const char *dir, const char *name, eg_arena *arena, eg_json *j, int *found, eg_error *err) {
    char *path = eg_arena_printf(arena, "%s/%s", dir, name);
    eg_str bytes;
    if (!path) return eg_fail_memory(err, strlen(dir));
    *found = eg_file_exists(path);
    if (!*found) return EG_OK;
    eg_status s = eg_file_read(path, MAX_FILE, arena, &bytes, err);
    if (s == EG_OK) eg_json_init(j, name, bytes, arena, err);
    return s;
}

static eg_status read_pooling(const char *dir, eg_arena *arena, eg_config *c, eg_error *err) {
    eg_json j;
    int found, mean = 0, cls = 0, other = 0;
    eg_status s = open_json(dir, "1_Pooling/config.json", arena, &j, &found, err);
    if (s != EG_OK || !found) return s;
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k != EG_JSON_KEY) continue;
        int *flag = is(&j, "pooling_mode_mean_tokens") ? &mean
                    : is(&j, "pooling_mode_cls_token") ? &cls
                    : j.text.len > 13 && memcmp(j.text.ptr, "pooling_mode_", 13) == 0 ? &other
                                                                                     : NULL;
        if (flag && eg_json_next(&j) == EG_JSON_TRUE) *flag = 1;
    }
    if (other || mean + cls != 1)
        return eg_fail(err, EG_EUNSUPPORTED, "1_Pooling/config.json: supported: pooling_mode_mean_tokens or "
                                             "pooling_mode_cls_token, one of them");
    c->pooling = cls ? EG_POOL_CLS : EG_POOL_MEAN;
    return EG_OK;
}

static eg_status read_max_length(const char *dir, eg_arena *arena, eg_config *c, eg_error *err) {
    eg_json j;
    int found;
    eg_status s = open_json(dir, "sentence_bert_config.json", arena, &j, &found, err);
    if (s != EG_OK || !found) return s;
    if (eg_json_next(&j) != EG_JSON_OBJECT) eg_json_fail(&j, "an object was expected");
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k != EG_JSON_KEY || j.depth != 1 || !is(&j, "max_seq_length") || eg_json_next(&j) == EG_JSON_NULL) continue;
        if (j.kind != EG_JSON_NUMBER || !j.is_integer || j.integer < 4)
            return eg_fail(err, EG_EFORMAT, "sentence_bert_config.json: max_seq_length must be a number from 4 on");
        if (j.integer < c->max_tokens) c->max_tokens = (uint32_t)j.integer;
    }
    return EG_OK;
}

eg_status eg_config_read(const char *dir, eg_arena *arena, eg_config *out, eg_error *err) {
    char *path = eg_arena_printf(arena, "%s/config.json", dir);
    eg_str bytes;
    if (!path) return eg_fail_memory(err, strlen(dir));
    eg_status s = eg_file_read(path, MAX_FILE, arena, &bytes, err);
    if (s == EG_OK) s = eg_config_parse(bytes, arena, out, err);
    if (s == EG_OK) s = read_pooling(dir, arena, out, err);
    return s == EG_OK ? read_max_length(dir, arena, out, err) : s;
}
