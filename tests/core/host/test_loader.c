/* test_loader.c - what the loader takes and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/host/plugin_loader.h"

static eg_arena arena;
static eg_plugins *table;
static eg_services services;
static char folder[] = "/tmp/eg-loader-XXXXXX";

static int set_up(void **state) {
    (void)state;
    eg_arena_init(&arena, 0);
    table = eg_arena_alloc(&arena, sizeof *table);
    table->arena = &arena;
    services = (eg_services){.size = sizeof services};
    eg_plugins_fill_services(&services);
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    eg_plugins_close(table);
    eg_arena_release(&arena);
    return 0;
}

/* A private copy of a plugin (the build tree's folders may be open to its group), a new file each
 * time: a library that is mapped must not be written over. */
static const char *copy(const char *name) {
    static char path[128];
    static int copies;
    char command[512];
    snprintf(path, sizeof path, "%s/%s-%d", folder, name, copies++);
    snprintf(command, sizeof command, "cp '%s/loader_%s.so' '%s' && chmod 600 '%s'", PLUGINS, name, path, path);
    assert_int_equal(system(command), 0);
    return path;
}

static void refused(const char *path, eg_status code, const char *words) {
    eg_error err = {0};
    assert_int_equal(eg_plugins_load(table, path, &services, &err), code);
    assert_non_null(strstr(err.text, words));
    assert_int_equal(table->registrar.committed.detectors, 0);
    assert_null(table->rows[table->count - 1].plugin);
    assert_non_null(table->rows[table->count - 1].problem);
}

static void good_and_duplicates(void **state) {
    (void)state;
    eg_error err = {0};
    const char *path = copy("good");
    char second[128];
    assert_int_equal(eg_plugins_load(table, path, &services, &err), EG_OK);
    assert_int_equal(table->registrar.committed.detectors, 1);
    assert_string_equal(table->registrar.detectors[0].detector.name, "fault");
    /* the same file */
    assert_int_equal(eg_plugins_load(table, path, &services, &err), EG_ECONFLICT);
    snprintf(second, sizeof second, "%s.copy", path);
    char command[512];
    snprintf(command, sizeof command, "cp '%s' '%s' && chmod 600 '%s'", path, second, second);
    assert_int_equal(system(command), 0);
    /* the same name */
    assert_int_equal(eg_plugins_load(table, second, &services, &err), EG_ECONFLICT);
    assert_int_equal(table->registrar.committed.detectors, 1);
    /* outside open() nothing can be registered */
    assert_int_equal(services.add_detector(&table->registrar, &table->registrar.detectors[0].detector, NULL), EG_EREFUSED);
}

static void descriptors(void **state) {
    (void)state;
    char both[32];
    snprintf(both, sizeof both, "%d.%d", EG_ABI_MAJOR + 1, EG_ABI_MINOR);
    refused(copy("major"), EG_EVERSION, both);
    snprintf(both, sizeof both, "%d.%d", EG_ABI_MAJOR, EG_ABI_MINOR + 1);
    refused(copy("minor"), EG_EVERSION, both);
    refused(copy("magic"), EG_EFORMAT, "magic");
    refused(copy("size"), EG_EFORMAT, "55 bytes");
    refused(copy("nameless"), EG_EFORMAT, "name");
    refused("/nonexistent/x.so", EG_ENOENT, "/nonexistent/x.so");
    refused("relative.so", EG_EINVAL, "absolute");
}

static void failing_open_rolls_back(void **state) {
    (void)state;
    refused(copy("fails"), EG_EIO, "no luck today");
    assert_int_equal(table->registrar.pending.detectors, 0);
    eg_error err;
    /* its name is free again */
    assert_int_equal(eg_plugins_load(table, copy("good"), &services, &err), EG_OK);
}

/* A file that was not copied whole is refused at every length, and loads when it is whole: touching
 * what is missing would kill the process. */
static void cut_off_files(void **state) {
    (void)state;
    const char *path = copy("good");
    struct stat whole;
    char shorter[256];
    assert_int_equal(stat(path, &whole), 0);
    snprintf(shorter, sizeof shorter, "%s.cut", path);
    for (off_t size = 0; size < whole.st_size; size += size < 1024 ? 61 : 509) {
        char command[600];
        snprintf(command, sizeof command, "head -c %lld '%s' > '%s' && chmod 600 '%s'", (long long)size, path, shorter, shorter);
        assert_int_equal(system(command), 0);
        eg_error err = {0};
        table->count = 0;
        eg_status s = eg_plugins_load(table, shorter, &services, &err);
        /* the table of sections, which nothing loads, stands at the end */
        if (s != EG_OK) assert_int_equal(s, EG_EFORMAT);
        if (size > 1024 && size < whole.st_size / 8) assert_non_null(strstr(err.text, "is cut off"));
        if (s == EG_OK) break;
    }
}

static void unsafe_files(void **state) {
    (void)state;
    const char *path = copy("good");
    assert_int_equal(chmod(path, 0602), 0);
    refused(path, EG_EPERM, "chmod go-w");
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(chmod(folder, 0770), 0);
    refused(path, EG_EPERM, "chmod go-w");
    assert_int_equal(chmod(folder, 0700), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
        refused(path, EG_EPERM, "belongs to user 12345");
    } else {
        print_message("not root: the owner check is not tested\n");
    }
    refused(folder, EG_EINVAL, "regular");
}

static void run(const char *format, const char *a, const char *b) {
    char command[512];
    snprintf(command, sizeof command, format, a, b);
    assert_int_equal(system(command), 0);
}

/* A shared object that is none of ours, a text file, an empty one. */
static void files_that_are_no_plugins(void **state) {
    (void)state;
    char path[128];
    refused(copy("entryless"), EG_EFORMAT, "exports no eg_plugin_entry");
    snprintf(path, sizeof path, "%s/text.so", folder);
    run("echo not a library > '%s' && chmod 600 '%s'", path, path);
    refused(path, EG_EFORMAT, path);
    run(": > '%s' && chmod 600 '%s'", path, path);
    refused(path, EG_EFORMAT, path);
}

/* A link is followed once, to a path whose every folder and file is then checked: what it leads to
 * decides, under its real name. */
static void links(void **state) {
    (void)state;
    eg_error err = {0};
    char link[128], real[160], through[192];
    const char *path = copy("good");
    snprintf(link, sizeof link, "%s/link.so", folder);
    run("ln -s '%s' '%s'", path, link);
    assert_int_equal(chmod(path, 0606), 0);
    refused(link, EG_EPERM, path); /* the file that others can write, not the link */
    assert_int_equal(chmod(path, 0600), 0);
    run("ln -s '%s.gone' '%s.dangling'", path, link);
    snprintf(through, sizeof through, "%s.dangling", link);
    refused(through, EG_ENOENT, through);
    run("ln -s '%s.loop' '%s.loop'", link, link);
    snprintf(through, sizeof through, "%s.loop", link);
    refused(through, EG_ENOENT, "symbolic links");

    snprintf(real, sizeof real, "%s/real", folder);
    snprintf(link, sizeof link, "%s/linked", folder);
    run("mkdir '%s' && chmod 777 '%s'", real, real);
    run("ln -s '%s' '%s'", real, link);
    run("cp -p '%s' '%s/good.so'", path, real);
    snprintf(through, sizeof through, "%s/good.so", link);
    refused(through, EG_EPERM, real);
    assert_non_null(strstr(table->rows[table->count - 1].problem, "chmod go-w"));
    assert_int_equal(chmod(real, 0755), 0);
    assert_int_equal(eg_plugins_load(table, through, &services, &err), EG_OK);
    assert_string_equal(table->rows[table->count - 1].path, through);
    snprintf(through, sizeof through, "%s/good.so", real);
    /* the same file by its other name */
    assert_int_equal(eg_plugins_load(table, through, &services, &err), EG_ECONFLICT);
    assert_non_null(strstr(err.text, "same file"));
}

/* Registers a detector whose table is `size` bytes long and whose bytes behind ABI 1.0 are not
 * zero. */
static eg_status add_of_size(uint32_t size, uint32_t flags) {
    eg_registrar *r = &table->registrar;
    struct {
        eg_detector detector;
        uint64_t later[2]; /* fields of a later minor */
    } x = {.detector = {.flags = flags, .order = 7, .name = "grown", .version = "1"}, .later = {1, 2}};
    *(void **)&x.detector.examine = &x; /* never called here */
    x.detector.size = size;
    r->pending = r->committed;
    r->is_open = 1;
    eg_status s = services.add_detector(r, &x.detector, &x);
    r->is_open = 0;
    return s;
}

/* A table of the first 1.0 header is taken however much the host has grown since, and one of a
 * later minor as far as this host knows it; what is shorter than 1.0, or sets a flag that nobody
 * knows, is refused. */
static void tables_grow(void **state) {
    (void)state;
    eg_registrar *r = &table->registrar;
    assert_int_equal(add_of_size(EG_DETECTOR_SIZE_1_0, 0), EG_OK);
    assert_int_equal(r->pending.detectors, 1);
    assert_int_equal(r->detectors[0].detector.size, sizeof(eg_detector)); /* the host's own copy */
    assert_int_equal(r->detectors[0].detector.order, 7);
    assert_string_equal(r->detectors[0].detector.name, "grown");
    assert_non_null(r->detectors[0].self);
    assert_int_equal(add_of_size(sizeof(eg_detector) + 16, EG_DETECTOR_DETERMINISTIC), EG_OK);
    assert_int_equal(r->detectors[0].detector.size, sizeof(eg_detector));
    assert_int_equal(r->detectors[0].detector.flags, EG_DETECTOR_DETERMINISTIC);
    assert_int_equal(add_of_size(EG_DETECTOR_SIZE_1_0 - 1, 0), EG_EINVAL);
    assert_non_null(strstr(r->why, "bytes: ABI 1.0 has 40"));
    assert_int_equal(add_of_size(0, 0), EG_EINVAL);
    assert_int_equal(add_of_size(EG_DETECTOR_SIZE_1_0, 0x80), EG_EUNSUPPORTED);
    assert_non_null(strstr(r->why, "flags that this host does not know"));
    assert_int_equal(r->pending.detectors, 0);
}

/* An escalator is always waited for with an end. */
static void escalators_have_a_timeout(void **state) {
    (void)state;
    eg_registrar *r = &table->registrar;
    eg_escalator x = {.size = sizeof x, .name = "asker", .version = "1"};
    *(void **)&x.judge = &x; /* never called here */
    r->is_open = 1;
    assert_int_equal(services.add_escalator(r, &x, NULL), EG_EINVAL);
    assert_int_equal(r->pending.escalators, 0);
    x.timeout_ms = 1000;
    assert_int_equal(services.add_escalator(r, &x, NULL), EG_OK);
    assert_int_equal(services.add_escalator(r, &x, NULL), EG_ECONFLICT); /* the same name */
    r->is_open = 0;
    assert_int_equal(r->pending.escalators, 1);
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(good_and_duplicates, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(descriptors, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(tables_grow, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(escalators_have_a_timeout, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(failing_open_rolls_back, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(cut_off_files, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(unsafe_files, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(files_that_are_no_plugins, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(links, set_up, tear_down)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) != 0 ? 1 : failed;
}
