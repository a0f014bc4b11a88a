/* test_inference.c - which kernels search among vectors: those of the setting `level`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

#include "core/host/internal.h"

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
    return h.kernels->dot;
}

static dot_kernel of(eg_level level) {
    const eg_kernels *k;
    assert_int_equal(eg_kernels_select(level, &k, NULL), EG_OK);
    return k->dot;
}

/* One that nobody has named is one that is proven; one that this CPU lacks is never run. */
static void the_level_of_the_settings_runs(void **state) {
    (void)state;
    unsetenv("ENGRAM_LEVEL");
    assert_ptr_equal(chosen("level=scalar"), of(EG_LEVEL_SCALAR));
    assert_ptr_equal(chosen("level=auto"), of(EG_LEVEL_AUTO));
#if defined(__x86_64__)
    assert_ptr_equal(chosen("level=neon"), of(EG_LEVEL_SCALAR));
#else
    assert_ptr_equal(chosen("level=avx2"), of(EG_LEVEL_SCALAR));
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_level_of_the_settings_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
