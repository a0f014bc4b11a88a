/* test_inference.c - which kernels search among vectors: those of the setting `isa`. */
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_isa_of_the_settings_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
