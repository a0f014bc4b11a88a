/* test_hostile_config.c - the same as test_hostile.c for what stands beside the weights:
 * config.json, the files of sentence models and the vocabularies; and for files and folders that
 * are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/json.h"
#include "hostile.h"
#include "models/config.h"

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
        cmocka_unit_test(test_config_fields), cmocka_unit_test(test_config_sizes),  cmocka_unit_test(test_sentence_files),
        cmocka_unit_test(test_vocabularies),  cmocka_unit_test(test_deberta_flags), cmocka_unit_test(test_no_files),
        cmocka_unit_test(test_no_folder),
    };
    return cmocka_run_group_tests(tests, hostile_begin, hostile_end);
}
