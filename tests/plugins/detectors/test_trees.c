/* test_trees.c - the trees of the verdict: what a file says is what is walked, and a damaged file
 * is refused with its reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "plugins/detectors/nli/trees.h"

enum {
    NAME = 32,
    HEAD = 8,
    NAMES = HEAD + 20,
    STAGE = NAMES + 2 * NAME,
    POINT = STAGE + 2 * 16,
    SIZE = POINT + 3 * 8,
    NODE = SIZE + 3 * 4
};
enum { NODES = 7, BYTES = NODE + NODES * 8 };

static void put_u32(unsigned char *at, uint32_t x) { memcpy(at, &x, 4); }
static void put_f32(unsigned char *at, float x) { memcpy(at, &x, 4); }
static void put_node(unsigned char *at, float value, unsigned feature, unsigned right) {
    uint16_t two[2] = {(uint16_t)feature, (uint16_t)right};
    put_f32(at, value);
    memcpy(at + 4, two, 4);
}

/* Two stages over "near" and "far". The first: near <= 0.5 gives -1, else 2; a missing one goes
 * left. The second: one tree by far <= 3, a missing one goes right, and one that is a leaf; its
 * calibration has three points. */
static void make(unsigned char file[BYTES]) {
    memset(file, 0, BYTES);
    memcpy(file, "EGTREES1", 8);
    const uint32_t head[] = {2, 2, 3, 3, NODES};
    memcpy(file + HEAD, head, sizeof head);
    memcpy(file + NAMES, "near", 5);
    memcpy(file + NAMES + NAME, "far", 4);
    put_u32(file + STAGE, 1);
    put_f32(file + STAGE + 8, 0.25f);
    put_f32(file + STAGE + 12, -0.5f);
    put_u32(file + STAGE + 16, 2);
    put_u32(file + STAGE + 20, 3);
    put_f32(file + STAGE + 28, -9);
    static const float points[] = {-1, 0.1f, 1, 0.5f, 3, 0.9f};
    memcpy(file + POINT, points, sizeof points);
    static const uint32_t sizes[] = {3, 3, 1};
    memcpy(file + SIZE, sizes, sizeof sizes);
    put_node(file + NODE, 0.5f, 0x8000, 2);
    put_node(file + NODE + 8, -1, 0, 0);
    put_node(file + NODE + 16, 2, 0, 0);
    put_node(file + NODE + 24, 3, 1, 2);
    put_node(file + NODE + 32, -2, 0, 0);
    put_node(file + NODE + 40, 1, 0, 0);
    put_node(file + NODE + 48, 0.5f, 0, 0);
}

static const char *const names[] = {"other", "far", "near"};

static eg_status read_file(const unsigned char *file, size_t n, trees **out, eg_error *err) {
    return trees_read((eg_str){(const char *)file, n}, "verdict.bin", names, 3, 2, out, err);
}

static int is_close(double a, double b) { return fabs(a - b) < 1e-6; }

static void a_file_is_walked(void **state) {
    (void)state;
    unsigned char file[BYTES];
    trees *t;
    eg_error err = {0};
    make(file);
    assert_int_equal(read_file(file, BYTES, &t, &err), EG_OK);
    static const struct {
        float other, far, near;
        double first, second;
    } rows[] = {{9, 3, 0.5f, -0.75, -1.5}, {9, 3.1f, 0.6f, 2.25, 1.5}, {9, NAN, NAN, -0.75, 1.5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const float row[] = {rows[i].other, rows[i].far, rows[i].near};
        assert_true(is_close(trees_sum(t, 0, row), rows[i].first));
        assert_true(is_close(trees_sum(t, 1, row), rows[i].second));
    }
    assert_true(trees_pass(t, 0, -0.5) && !trees_pass(t, 0, -0.51) && trees_pass(t, 1, -8.9));
    static const double curve[][2] = {{-5, 0.1}, {-1, 0.1}, {0, 0.3}, {1, 0.5}, {2, 0.7}, {3, 0.9}, {9, 0.9}};
    for (size_t i = 0; i < sizeof curve / sizeof *curve; i++)
        assert_true(fabs(trees_probability(t, 1, curve[i][0]) - curve[i][1]) < 1e-6);
    assert_true(is_close(trees_probability(t, 0, 0), 0.5)); /* no points: the logistic curve */
    trees_destroy(t);
}

static void damaged_files_are_refused(void **state) {
    (void)state;
    unsigned char file[BYTES + 1];
    trees *t;
    eg_error err;
    for (size_t n = 0; n < BYTES; n++) { /* cut anywhere */
        make(file);
        err = (eg_error){0};
        assert_int_equal(read_file(file, n, &t, &err), EG_EFORMAT);
        assert_null(t);
        assert_non_null(strstr(err.text, "verdict.bin"));
    }
    make(file);
    assert_int_equal(read_file(file, BYTES + 1, &t, &err), EG_EFORMAT);
    assert_non_null(strstr(err.text, "bytes are left over"));
    static const struct {
        size_t at;
        uint32_t value;
        const char *why;
    } rows[] = {{0, 0, "does not begin"},
                {HEAD, 3, "names of the features"},
                {HEAD + 4, 3, "its head"},
                {HEAD + 8, 1u << 20, "its head"},
                {HEAD + 12, UINT32_MAX, "its head"},
                {NAMES, 0x78787878, "does not know"},
                {STAGE, 9, "a stage is out of range"},
                {STAGE + 8, 0x7fc00000, "a stage is out of range"},
                {STAGE + 16, 1, "belong to no stage"},
                {POINT, 0x40400000, "do not ascend"},
                {POINT + 4, 0x40000000, "point of the calibration is out of range"},
                {SIZE, 2, "a node is out of range"},
                {SIZE + 8, 2, "a tree has too many nodes"},
                {NODE + 4, 2u << 16 | 5, "a node is out of range"}, /* no such feature */
                {NODE + 4, 3u << 16 | 0, "a node is out of range"}, /* beyond the tree */
                {NODE + 4, 1u << 16 | 0, "a node is out of range"}, /* its own left child */
                {NODE + 8, 0x7f800000, "a leaf is not a number"},
                {NODE + 20, 2u << 16 | 0, "a node is out of range"}}; /* the last node is no leaf */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make(file);
        put_u32(file + rows[i].at, rows[i].value);
        err = (eg_error){0};
        if (read_file(file, BYTES, &t, &err) != EG_EFORMAT || !strstr(err.text, rows[i].why))
            fail_msg("row %zu: '%s', wanted '%s'", i, err.text, rows[i].why);
        assert_null(t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_is_walked), cmocka_unit_test(damaged_files_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
