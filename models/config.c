/* config.c - see config.h. Unknown fields are ignored, since published files have many of them;
 * fields that change the result are checked. */
#include "models/config.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/status.h"

enum {
    MAX_FILE = 4 << 20,
    MAX_LABELS = 1024,
    MAX_HIDDEN = 16384,
    MAX_LAYERS = 256,
    MAX_POSITIONS = 1 << 20,
    MAX_VOCABULARY = 1 << 24,
    MAX_SPAN = 4096,
    MAX_PROMPTS = 256
};

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

/* {"0": "contradiction", ...}: names by id, each id from 0 on exactly once. */
static eg_status read_labels(eg_json *j, eg_arena *arena, eg_config *c, eg_error *err) {
    const char **names = eg_arena_array(arena, MAX_LABELS, sizeof *names);
    if (!names) return eg_fail_memory(err, MAX_LABELS * sizeof *names);
    uint32_t id = 0, count = 0;
    for (eg_json_kind k = eg_json_next(j); k != EG_JSON_OBJECT_END; k = eg_json_next(j)) {
        if (k == EG_JSON_KEY) {
            id = j->text.len ? 0 : MAX_LABELS;
            for (size_t i = 0; i < j->text.len && id < MAX_LABELS; i++)
                id = j->text.ptr[i] >= '0' && j->text.ptr[i] <= '9' ? id * 10 + (uint32_t)(j->text.ptr[i] - '0') : MAX_LABELS;
            if (id >= MAX_LABELS)
                return eg_fail(err, EG_EFORMAT, "config.json: id2label has a key that is not a valid id below %d", MAX_LABELS);
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
    return eg_fail(err, EG_EUNSUPPORTED, "config.json: %s is '%s'; supported: %s", field, eg_quote(value, 50, text, sizeof text),
                   supported);
}

/* The end of the name decides the head: BertForSequenceClassification. Its beginning is the
 * architecture, which model_type repeats. */
static eg_status read_architectures(eg_json *j, eg_config *c, eg_error *err) {
    static const struct {
        const char *ending;
        eg_head head;
    } known[] = {{"ForSequenceClassification", EG_HEAD_CLASSES},
                 {"ForTokenClassification", EG_HEAD_TOKENS},
                 {"ForMaskedLM", EG_HEAD_EMBEDDING},
                 {"Model", EG_HEAD_EMBEDDING}};
    for (eg_json_kind k = eg_json_next(j); k != EG_JSON_ARRAY_END; k = eg_json_next(j)) {
        if (k != EG_JSON_STRING) return eg_fail(err, EG_EFORMAT, "config.json: architectures must be a list of names");
        size_t i = 0, n = sizeof known / sizeof *known;
        for (; i < n; i++) {
            size_t length = strlen(known[i].ending);
            if (j->text.len > length && memcmp(j->text.ptr + j->text.len - length, known[i].ending, length) == 0) break;
        }
        if (i == n)
            return refuse(err, "architectures", j->text,
                          "...Model, ...ForMaskedLM, ...ForSequenceClassification, ...ForTokenClassification");
        c->head = known[i].head;
    }
    return EG_OK;
}

static eg_status read_model_type(const eg_json *j, eg_json_kind k, eg_config *c, int *seen, eg_error *err) {
    static const struct {
        const char *name;
        eg_architecture architecture;
    } known[] = {{"bert", EG_BERT}, {"roberta", EG_ROBERTA}, {"xlm-roberta", EG_ROBERTA}, {"deberta-v2", EG_DEBERTA}};
    for (size_t i = 0; k == EG_JSON_STRING && i < sizeof known / sizeof *known; i++)
        if (is(j, known[i].name)) {
            c->architecture = known[i].architecture;
            c->architecture_name = known[i].name;
            *seen = 1;
            return EG_OK;
        }
    if (k == EG_JSON_ERROR) return EG_EFORMAT;
    return refuse(err, "model_type", k == EG_JSON_STRING ? j->text : EG_STR("no text"), "bert, roberta, xlm-roberta, deberta-v2");
}

/* Fields that name a variant of the arithmetic, and the one value that is supported. NULL: the
 * field may also be missing. */
static const struct fixed_text {
    const char *name, *wanted;
} fixed_texts[] = {{"hidden_act", "gelu"},
                   {"position_embedding_type", "absolute"},
                   {"norm_rel_ebd", "layer_norm"},
                   {"pooler_hidden_act", "gelu"}};
static const struct fixed_flag {
    const char *name;
    int wanted, when_absent; /* when_absent: the value if the field is missing; -1: none */
    eg_architecture of;
} fixed_flags[] = {{"is_decoder", 0, 0, EG_BERT},
                   {"is_decoder", 0, 0, EG_ROBERTA},
                   {"relative_attention", 1, 0, EG_DEBERTA},
                   {"share_att_key", 1, 0, EG_DEBERTA},
                   {"position_biased_input", 0, 1, EG_DEBERTA},
                   {"attention_head_size", -1, -1, EG_DEBERTA}};

static eg_status read_text(const eg_json *j, eg_json_kind k, const char *field, const char *wanted, eg_error *err) {
    if (k == EG_JSON_NULL) return EG_OK;
    if (k == EG_JSON_ERROR) return EG_EFORMAT; /* the JSON reader has already reported where */
    if (k != EG_JSON_STRING || !is(j, wanted)) return refuse(err, field, k == EG_JSON_STRING ? j->text : EG_STR("?"), wanted);
    return EG_OK;
}

/* Collected first and checked when the whole file has been read, since fields come in any order. */
typedef struct pending {
    int model_type;
    int flags[sizeof fixed_flags / sizeof *fixed_flags]; /* 0 absent, 1 false, 2 true, 3 something
                                                          * else */
    int c2p, p2c;                                        /* pos_att_type */
    uint32_t padding, embedding_size, convolution, max_relative;
} pending;

/* "p2c|c2p" or ["p2c", "c2p"]; null: absent */
static eg_status read_position_terms(eg_json *j, eg_json_kind k, pending *p, eg_error *err) {
    int is_list = k == EG_JSON_ARRAY;
    if (k == EG_JSON_NULL) return EG_OK;
    if (is_list) k = eg_json_next(j);
    for (; k == EG_JSON_STRING; k = eg_json_next(j)) {
        p->c2p |= memmem(j->text.ptr, j->text.len, "c2p", 3) != NULL;
        p->p2c |= memmem(j->text.ptr, j->text.len, "p2c", 3) != NULL;
        if (!is_list) return EG_OK;
    }
    if (is_list && k == EG_JSON_ARRAY_END) return EG_OK;
    return k == EG_JSON_ERROR ? EG_EFORMAT
                              : eg_fail(err, EG_EFORMAT, "config.json: pos_att_type must be a text or a list of texts");
}

static eg_status read_field(eg_json *j, eg_arena *arena, eg_config *c, pending *p, eg_error *err) {
    const number_field numbers[] = {{"vocab_size", &c->vocabulary, 1, MAX_VOCABULARY},
                                    {"hidden_size", &c->hidden, 1, MAX_HIDDEN},
                                    {"num_hidden_layers", &c->layers, 1, MAX_LAYERS},
                                    {"num_attention_heads", &c->heads, 1, 1024},
                                    {"intermediate_size", &c->intermediate, 1, 4 * MAX_HIDDEN},
                                    {"max_position_embeddings", &c->positions, 4, MAX_POSITIONS},
                                    {"type_vocab_size", &c->types, 0, 16},
                                    {"pad_token_id", &p->padding, 0, MAX_VOCABULARY},
                                    {"embedding_size", &p->embedding_size, 1, MAX_HIDDEN},
                                    {"conv_kernel_size", &p->convolution, 0, 64},
                                    {"position_buckets", &c->buckets, 2, 1 << 15}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is(j, numbers[i].name)) {
            eg_json ahead = *j; /* null: absent */
            if (eg_json_next(&ahead) == EG_JSON_NULL ||
                (ahead.kind == EG_JSON_NUMBER && ahead.is_integer && ahead.integer == -1)) {
                *j = ahead;
                return EG_OK;
            }
            return read_number(j, eg_json_next(j), &numbers[i], err);
        }
    for (size_t i = 0; i < sizeof fixed_texts / sizeof *fixed_texts; i++)
        if (is(j, fixed_texts[i].name)) return read_text(j, eg_json_next(j), fixed_texts[i].name, fixed_texts[i].wanted, err);
    for (size_t i = 0; i < sizeof fixed_flags / sizeof *fixed_flags; i++)
        if (is(j, fixed_flags[i].name)) {
            const char *name = fixed_flags[i].name;
            eg_json_kind k = eg_json_next(j);
            int value = k == EG_JSON_FALSE ? 1 : k == EG_JSON_TRUE ? 2 : k == EG_JSON_NULL ? 0 : 3;
            for (size_t n = i; n < sizeof fixed_flags / sizeof *fixed_flags; n++)
                if (strcmp(fixed_flags[n].name, name) == 0) p->flags[n] = value;
            return eg_json_skip(j) ? EG_OK : EG_EFORMAT;
        }
    if (is(j, "layer_norm_eps")) {
        if (eg_json_next(j) != EG_JSON_NUMBER || !(j->number >= 0 && j->number < 1))
            return eg_fail(err, EG_EFORMAT, "config.json: layer_norm_eps must be a number from 0 to 1");
        c->layer_norm_eps = (float)j->number;
        return EG_OK;
    }
    if (is(j, "max_relative_positions")) { /* below 1: the number of positions */
        if (eg_json_next(j) != EG_JSON_NUMBER || !j->is_integer || j->integer > MAX_POSITIONS)
            return eg_fail(err, EG_EFORMAT, "config.json: max_relative_positions must be a number up to %d", MAX_POSITIONS);
        p->max_relative = j->integer < 1 ? 0 : (uint32_t)j->integer;
        return EG_OK;
    }
    if (is(j, "model_type")) return read_model_type(j, eg_json_next(j), c, &p->model_type, err);
    if (is(j, "pos_att_type")) return read_position_terms(j, eg_json_next(j), p, err);
    int architectures = is(j, "architectures"), labels = is(j, "id2label");
    eg_json_kind k = eg_json_next(j);
    if (architectures && k == EG_JSON_ARRAY) return read_architectures(j, c, err);
    if (labels && c->label_names) return eg_fail(err, EG_EFORMAT, "config.json: id2label occurs twice");
    if (labels && k == EG_JSON_OBJECT) return read_labels(j, arena, c, err);
    if ((architectures || labels) && k != EG_JSON_NULL && k != EG_JSON_ERROR)
        return eg_fail(err, EG_EFORMAT, "config.json: %s is of the wrong kind", labels ? "id2label" : "architectures");
    return eg_json_skip(j) ? EG_OK : EG_EFORMAT;
}

/* Checks for missing fields and for values that do not fit the architecture. */
static eg_status check(eg_config *c, const pending *p, eg_error *err) {
    static const char *const two_labels[] = {"LABEL_0", "LABEL_1"};
    const char *missing = !p->model_type     ? "model_type"
                          : !c->vocabulary   ? "vocab_size"
                          : !c->hidden       ? "hidden_size"
                          : !c->layers       ? "num_hidden_layers"
                          : !c->heads        ? "num_attention_heads"
                          : !c->intermediate ? "intermediate_size"
                          : !c->positions    ? "max_position_embeddings"
                                             : NULL;
    if (missing) return eg_fail(err, EG_EFORMAT, "config.json: %s is missing", missing);
    if (c->hidden % c->heads)
        return eg_fail(err, EG_EFORMAT, "config.json: hidden_size %u is not a multiple of num_attention_heads %u", c->hidden,
                       c->heads);
    for (size_t i = 0; i < sizeof fixed_flags / sizeof *fixed_flags; i++) {
        const struct fixed_flag *f = &fixed_flags[i];
        if (f->of != c->architecture) continue;
        if ((p->flags[i] ? p->flags[i] : f->when_absent + 1) != f->wanted + 1)
            return eg_fail(err, EG_EUNSUPPORTED, "config.json: %s is not %s: a %s model of this kind is not supported", f->name,
                           f->wanted < 0 ? "absent"
                           : f->wanted   ? "true"
                                         : "false",
                           c->architecture_name);
    }
    c->max_tokens = c->positions;
    if (c->architecture == EG_ROBERTA) {
        c->first_position = p->padding + 1;
        if (c->positions < c->first_position + 4)
            return eg_fail(err, EG_EFORMAT, "config.json: max_position_embeddings %u leaves no positions after pad_token_id %u",
                           c->positions, p->padding);
        c->max_tokens = c->positions - c->first_position;
    }
    if (c->architecture == EG_DEBERTA) {
        if (!p->c2p || !p->p2c) return eg_fail(err, EG_EUNSUPPORTED, "config.json: pos_att_type must name c2p and p2c");
        if (c->types)
            return eg_fail(err, EG_EUNSUPPORTED, "config.json: type_vocab_size is %u; supported with deberta-v2: 0", c->types);
        if (p->embedding_size && p->embedding_size != c->hidden)
            return eg_fail(err, EG_EUNSUPPORTED, "config.json: embedding_size %u is not hidden_size %u", p->embedding_size,
                           c->hidden);
        if (p->convolution)
            return eg_fail(err, EG_EUNSUPPORTED, "config.json: conv_kernel_size is %u; supported: 0", p->convolution);
        c->max_distance = p->max_relative ? p->max_relative : c->positions;
        c->span = c->buckets ? c->buckets : c->max_distance;
        if (c->buckets && c->buckets / 2 + 1 >= c->max_distance)
            return eg_fail(err, EG_EUNSUPPORTED, "config.json: position_buckets %u do not fit %u relative positions", c->buckets,
                           c->max_distance);
        if (c->span > MAX_SPAN)
            return eg_fail(err, EG_ELIMIT, "config.json: relative positions reach %u; at most %d", c->span, MAX_SPAN);
    } else if (!c->types) {
        return eg_fail(err, EG_EFORMAT, "config.json: type_vocab_size must be at least 1 for %s", c->architecture_name);
    }
    if (c->head == EG_HEAD_EMBEDDING) c->labels = 0;
    if (c->head != EG_HEAD_EMBEDDING && !c->labels) { /* the format's default */
        c->labels = 2;
        c->label_names = (const char **)two_labels;
    }
    return EG_OK;
}

eg_status eg_config_parse(eg_str json, eg_arena *arena, eg_config *c, eg_error *err) {
    *c = (eg_config){.types = UINT32_MAX, .layer_norm_eps = -1};
    eg_json j;
    pending p = {0};
    p.padding = UINT32_MAX;
    eg_json_init(&j, "config.json", json, arena, err);
    if (eg_json_next(&j) != EG_JSON_OBJECT) {
        eg_json_fail(&j, "an object was expected");
        return EG_EFORMAT;
    }
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_OBJECT_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k != EG_JSON_KEY) return eg_fail(err, EG_EFORMAT, "config.json: a field holds a value of the wrong kind");
        eg_status s = read_field(&j, arena, c, &p, err);
        if (s != EG_OK) return s;
        if (j.kind == EG_JSON_ERROR) return EG_EFORMAT;
    }
    if (eg_json_next(&j) != EG_JSON_END) return EG_EFORMAT;
    /* defaults of the architectures, as in the reference */
    if (c->types == UINT32_MAX) c->types = c->architecture == EG_DEBERTA ? 0 : 2;
    if (c->layer_norm_eps < 0) c->layer_norm_eps = c->architecture == EG_DEBERTA ? 1e-7f : 1e-12f;
    if (p.padding == UINT32_MAX) p.padding = c->architecture == EG_ROBERTA ? 1 : 0;
    return check(c, &p, err);
}

/* Reads a JSON file of the folder; *found is 0 if it does not exist. */
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

/* The config of the pooling module in `folder`, which is a path inside dir; guessed: modules.json
 * does not name it. */
static eg_status read_pooling(const char *dir, eg_str folder, int guessed, eg_arena *arena, eg_config *c, eg_error *err) {
    static const struct {
        const char *name;
        eg_pooling pooling;
    } known[] = {{"pooling_mode_mean_tokens", EG_POOL_MEAN},
                 {"pooling_mode_cls_token", EG_POOL_CLS},
                 {"pooling_mode_max_tokens", EG_POOL_MAX},
                 {"pooling_mode_mean_sqrt_len_tokens", EG_POOL_MEAN_SQRT}};
    eg_json j;
    int found, modes = 0;
    char *name = eg_arena_printf(arena, "%.*s/config.json", (int)folder.len, folder.ptr), mode[64];
    if (!name) return eg_fail_memory(err, folder.len);
    eg_status s = open_json(dir, name, arena, &j, &found, err);
    if (s == EG_OK && !found && !guessed)
        return eg_fail(err, EG_ENOENT,
                       "'%s/%s', which modules.json names, is not there; copy the model's folder with all that is in it", dir,
                       name);
    if (s != EG_OK || !found) return s;
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k != EG_JSON_KEY || j.depth != 1) continue;
        int is_mode = j.text.len > 13 && memcmp(j.text.ptr, "pooling_mode_", 13) == 0, without_prompt = is(&j, "include_prompt");
        if (!is_mode && !without_prompt) continue;
        size_t i = 0;
        while (i < sizeof known / sizeof *known && !is(&j, known[i].name)) i++;
        eg_quote(j.text, 50, mode, sizeof mode);
        k = eg_json_next(&j);
        if (without_prompt && k == EG_JSON_FALSE)
            return eg_fail(err, EG_EUNSUPPORTED, "%s: include_prompt is false: prompts are pooled with their texts or not at all",
                           name);
        if (without_prompt || k != EG_JSON_TRUE) continue;
        if (i == sizeof known / sizeof *known)
            return eg_fail(err, EG_EUNSUPPORTED,
                           "%s: %s is true; supported: pooling_mode_ mean_tokens, cls_token, max_tokens, mean_sqrt_len_tokens",
                           name, mode);
        c->pooling = known[i].pooling;
        modes++;
    }
    return modes == 1
               ? EG_OK
               : eg_fail(err, EG_EUNSUPPORTED, "%s: of the fields pooling_mode_... %d are true; one is supported", name, modes);
}

/* Reads the element of modules.json at which j is. */
static eg_status read_module(eg_json *j, eg_str *type, eg_str *path, eg_error *err) {
    eg_json_kind k = j->kind;
    *type = *path = (eg_str){0};
    if (k != EG_JSON_OBJECT) return eg_fail(err, EG_EFORMAT, "modules.json: a list of objects was expected");
    for (k = eg_json_next(j); k != EG_JSON_OBJECT_END; k = eg_json_next(j)) {
        eg_str *to = k != EG_JSON_KEY ? NULL : is(j, "type") ? type : is(j, "path") ? path : NULL;
        if (k != EG_JSON_KEY) return EG_EFORMAT;
        k = eg_json_next(j);
        if (to && k == EG_JSON_STRING) *to = j->text;
        if (!eg_json_skip(j)) return EG_EFORMAT;
    }
    if (!type->ptr || !path->ptr) return eg_fail(err, EG_EFORMAT, "modules.json: a module has no type or no path");
    return EG_OK;
}

static int ends_with(eg_str s, const char *end) {
    size_t n = strlen(end);
    return s.len >= n && memcmp(s.ptr + s.len - n, end, n) == 0;
}

/* The modules that sentence-transformers runs in this order: Transformer, Pooling, and perhaps
 * Normalize. */
static eg_status read_modules(const char *dir, eg_arena *arena, eg_config *c, eg_error *err) {
    static const char *const order[] = {".Transformer", ".Pooling", ".Normalize"};
    enum { POOLING = 1, NORMALIZE = 2, MODULES = 3 };
    eg_json j;
    int found;
    size_t n = 0;
    eg_status s = open_json(dir, "modules.json", arena, &j, &found, err);
    if (s != EG_OK) return s;
    c->normalizes = 1;
    if (!found) return read_pooling(dir, EG_STR("1_Pooling"), 1, arena, c, err);
    c->normalizes = 0;
    if (eg_json_next(&j) != EG_JSON_ARRAY) {
        eg_json_fail(&j, "a list was expected");
        return EG_EFORMAT;
    }
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_ARRAY_END; k = eg_json_next(&j), n++) {
        eg_str type, path;
        char text[96];
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        s = read_module(&j, &type, &path, err);
        if (s != EG_OK) return s;
        if (n == MODULES || !ends_with(type, order[n]) || (n == 0 && path.len))
            return eg_fail(
                err, EG_EUNSUPPORTED,
                "modules.json: type of module %zu is '%s'; supported: Transformer at the top, Pooling, Normalize, in this order",
                n, eg_quote(type, 80, text, sizeof text));
        if (n == POOLING && (memchr(path.ptr, '.', path.len) || path.len == 0))
            return eg_fail(err, EG_EFORMAT, "modules.json: the path of module %zu is not a folder inside the model folder", n);
        if (n == POOLING) s = read_pooling(dir, path, 0, arena, c, err);
        if (s != EG_OK) return s;
        c->normalizes |= n == NORMALIZE;
    }
    return n > POOLING ? EG_OK
                       : eg_fail(err, EG_EUNSUPPORTED, "modules.json has no Pooling module: token embeddings are not supported");
}

/* {"query": "query: ", ...} */
static eg_status read_prompt_texts(eg_json *j, eg_arena *arena, eg_config *c, eg_error *err) {
    c->prompt_names = eg_arena_array(arena, MAX_PROMPTS, sizeof *c->prompt_names);
    c->prompt_texts = eg_arena_array(arena, MAX_PROMPTS, sizeof *c->prompt_texts);
    if (!c->prompt_names || !c->prompt_texts) return eg_fail_memory(err, MAX_PROMPTS * sizeof *c->prompt_texts);
    for (eg_json_kind k = eg_json_next(j); k != EG_JSON_OBJECT_END; k = eg_json_next(j)) {
        if (k != EG_JSON_KEY) return EG_EFORMAT;
        if (c->prompts == MAX_PROMPTS)
            return eg_fail(err, EG_ELIMIT, "config_sentence_transformers.json: more than %d prompts", MAX_PROMPTS);
        c->prompt_names[c->prompts] = eg_arena_copy(arena, j->text);
        if (eg_json_next(j) != EG_JSON_STRING)
            return eg_fail(err, EG_EFORMAT, "config_sentence_transformers.json: prompts must map names to texts");
        c->prompt_texts[c->prompts] = eg_arena_copy(arena, j->text);
        if (!c->prompt_names[c->prompts] || !c->prompt_texts[c->prompts]) return eg_fail_memory(err, j->text.len);
        c->prompts++;
    }
    return EG_OK;
}

static eg_status read_prompts(const char *dir, eg_arena *arena, eg_config *c, eg_error *err) {
    eg_json j;
    int found;
    const char *name = NULL;
    eg_status s = open_json(dir, "config_sentence_transformers.json", arena, &j, &found, err);
    if (s != EG_OK || !found) return s;
    if (eg_json_next(&j) != EG_JSON_OBJECT) eg_json_fail(&j, "an object was expected");
    for (eg_json_kind k = eg_json_next(&j); s == EG_OK && k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k != EG_JSON_KEY || j.depth != 1) continue;
        int is_prompts = is(&j, "prompts"), is_name = is(&j, "default_prompt_name");
        k = eg_json_next(&j);
        if (is_prompts && k == EG_JSON_OBJECT && c->prompts == 0) s = read_prompt_texts(&j, arena, c, err);
        if (is_name && k == EG_JSON_STRING && !(name = eg_arena_copy(arena, j.text))) return eg_fail_memory(err, j.text.len);
        if (s == EG_OK && !(is_prompts && k == EG_JSON_OBJECT) && !eg_json_skip(&j)) return EG_EFORMAT;
    }
    for (uint32_t i = 0; name && i < c->prompts; i++)
        if (strcmp(name, c->prompt_names[i]) == 0) c->default_prompt = c->prompt_texts[i];
    if (s == EG_OK && name && !c->default_prompt)
        return eg_fail(err, EG_EFORMAT,
                       "config_sentence_transformers.json: default_prompt_name '%.60s' is not one of its prompts", name);
    return s;
}

/* A length in one file of the folder; *given is 0 if the file or the field is missing, or null. */
static eg_status read_length(const char *dir, const char *file, const char *field, eg_arena *arena, uint32_t *given,
                             eg_error *err) {
    eg_json j;
    int found;
    *given = 0;
    eg_status s = open_json(dir, file, arena, &j, &found, err);
    if (s != EG_OK || !found) return s;
    if (eg_json_next(&j) != EG_JSON_OBJECT) eg_json_fail(&j, "an object was expected");
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k != EG_JSON_KEY || j.depth != 1 || !is(&j, field) || eg_json_next(&j) == EG_JSON_NULL) continue;
        if (j.kind != EG_JSON_NUMBER || !(j.number >= 4) || (j.number < MAX_POSITIONS && !j.is_integer))
            return eg_fail(err, EG_EFORMAT, "%s: %s must be a whole number of at least 4", file, field);
        /* files write 1e30 for "no limit" */
        *given = j.number < MAX_POSITIONS ? (uint32_t)j.integer : MAX_POSITIONS;
    }
    return EG_OK;
}

/* The model's positions, limited by what sentence-transformers, or else the tokenizer, truncates
 * to. */
static eg_status read_max_length(const char *dir, eg_arena *arena, eg_config *c, eg_error *err) {
    uint32_t given;
    eg_status s = read_length(dir, "sentence_bert_config.json", "max_seq_length", arena, &given, err);
    if (s == EG_OK && !given) s = read_length(dir, "tokenizer_config.json", "model_max_length", arena, &given, err);
    if (s == EG_OK && given && given < c->max_tokens) c->max_tokens = given;
    return s;
}

/* do_lower_case of sentence_bert_config.json. */
static eg_status read_lowercases(const char *dir, eg_arena *arena, eg_config *c, eg_error *err) {
    eg_json j;
    int found;
    eg_status s = open_json(dir, "sentence_bert_config.json", arena, &j, &found, err);
    if (s != EG_OK || !found) return s;
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k != EG_JSON_KEY || j.depth != 1 || !is(&j, "do_lower_case")) continue;
        k = eg_json_next(&j);
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k != EG_JSON_TRUE && k != EG_JSON_FALSE && k != EG_JSON_NULL)
            return eg_fail(err, EG_EFORMAT, "sentence_bert_config.json: do_lower_case must be true or false");
        c->lowercases = k == EG_JSON_TRUE;
    }
    return EG_OK;
}

eg_status eg_config_read(const char *dir, eg_arena *arena, eg_config *out, eg_error *err) {
    char *path = eg_arena_printf(arena, "%s/config.json", dir);
    eg_str bytes;
    if (!path) return eg_fail_memory(err, strlen(dir));
    eg_status s = eg_file_read(path, MAX_FILE, arena, &bytes, err);
    if (s == EG_OK) s = eg_config_parse(bytes, arena, out, err);
    if (s == EG_OK) s = read_modules(dir, arena, out, err);
    if (s == EG_OK) s = read_prompts(dir, arena, out, err);
    if (s == EG_OK) s = read_max_length(dir, arena, out, err);
    return s == EG_OK ? read_lowercases(dir, arena, out, err) : s;
}
