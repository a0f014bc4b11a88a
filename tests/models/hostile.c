/* hostile.c - see hostile.h. */
#include "hostile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/utf8.h"

eg_engine *engine;
char dir[64];
eg_error err;

int hostile_begin(void **state) {
    (void)state;
    alarm(240); /* an open that hangs ends the test */
    tiny_folder(dir);
    return eg_engine_create(&(eg_engine_options){.size = sizeof(eg_engine_options), .threads = 2}, &engine, NULL) == EG_OK ? 0
                                                                                                                           : -1;
}

int hostile_end(void **state) {
    (void)state;
    eg_engine_destroy(engine);
    tiny_folder_remove(dir);
    return 0;
}

void refused(const char *folder, eg_status wanted, const char *file, const char *says, const char *what) {
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

void taken(const char *what, float logits[TINY_LABELS]) {
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
