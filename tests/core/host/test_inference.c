/* test_inference.c - which kernels search among vectors (those of the setting `isa`), and what
 * plugins may read beside a model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

#include "core/host/internal.h"
#include "kernels/kernels.h"

typedef float (*dot_kernel)(const float *, const float *, size_t);

/* The dot product of the kernels of a host with this setting. */
static dot_kernel chosen(const char *setting) {
    eg_host h = {0};
    eg_error err = {0};
    eg_arena_init(&h.arena, 0);
    assert_int_equal(eg_conf_create(&h.arena, &h.config, &err), EG_OK);
    assert_int_equal(eg_conf_option(h.config, setting, &err), EG_OK);
    eg_host_fill_inference(&h);
    eg_arena_release(&h.arena);
    return h.vectors.dot;
}

static dot_kernel of(eg_isa isa) {
    const eg_kernels *k;
    assert_int_equal(eg_kernels_select(isa, &k, NULL), EG_OK);
    return k->dot;
}

/* The setting decides; an ISA that this CPU lacks is replaced by the scalar one. */
static void the_isa_of_the_settings_runs(void **state) {
    (void)state;
    unsetenv("ENGRAM_ISA");
    assert_ptr_equal(chosen("isa=scalar"), of(EG_ISA_SCALAR));
    assert_ptr_equal(chosen("isa=auto"), of(EG_ISA_AUTO));
#if defined(__x86_64__)
    assert_ptr_equal(chosen("isa=neon"), of(EG_ISA_SCALAR));
#else
    assert_ptr_equal(chosen("isa=avx2"), of(EG_ISA_SCALAR));
#endif
}

static void put_file(const char *folder, const char *name, const char *bytes) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(bytes, f);
    assert_int_equal(fclose(f), 0);
}

/* A plugin reads files beside the weights of a model, by name, and no others. */
static void files_beside_a_model_are_read(void **state) {
    (void)state;
    char folder[] = "/tmp/engram-model-XXXXXX", setting[64], command[64];
    assert_non_null(mkdtemp(folder));
    put_file(folder, "config.json", "{}");
    put_file(folder, "verdict.bin", "bytes");
    eg_host h = {0};
    eg_error err = {0};
    eg_request *rq = NULL;
    const eg_inner_request of = {.err = &err};
    eg_arena_init(&h.arena, 0);
    assert_int_equal(eg_conf_create(&h.arena, &h.config, &err), EG_OK);
    snprintf(setting, sizeof setting, "model.nli=%s", folder);
    assert_int_equal(eg_conf_option(h.config, setting, &err), EG_OK);
    assert_int_equal(eg_conf_option(h.config, "model.embed=", &err), EG_OK);
    eg_host_fill_inference(&h);
    assert_int_equal(eg_host_request_make(&h, &of, &rq, &err), EG_OK);
    static const struct {
        const char *setting, *name, *bytes;
        eg_status status;
    } rows[] = {{"model.nli", "verdict.bin", "bytes", EG_OK},
                {"model.nli", "other.bin", NULL, EG_ENOENT},
                {"model.nli", "../verdict.bin", NULL, EG_EINVAL},
                {"model.other", "verdict.bin", NULL, EG_EINVAL},
                {"model.embed", "verdict.bin", NULL, EG_ENOENT}}; /* no model is set */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        eg_str bytes;
        err = (eg_error){0};
        eg_status s = h.services.model_file(&h, rq, rows[i].setting, rows[i].name, &bytes);
        if (s != rows[i].status) fail_msg("row %zu: %d, %s", i, (int)s, err.text);
        assert_int_equal(err.code, s);
        if (rows[i].bytes) assert_true(eg_str_eq(bytes, eg_str_of(rows[i].bytes)));
    }
    uint32_t dimensions = 7;
    err = (eg_error){0};
    assert_int_equal(h.services.embed_size(&h, rq, &dimensions), EG_EUNAVAILABLE);
    assert_int_equal(dimensions, 0);
    eg_host_fill_services(&h);
    h.services.request_release(&h, rq);
    eg_arena_release(&h.arena);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_isa_of_the_settings_runs),
                                       cmocka_unit_test(files_beside_a_model_are_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
