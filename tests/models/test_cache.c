/* test_cache.c - the cache of packed weights: the same answers with and without it, in every state
 * that its files can be in; ten starts at once pack once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "models/block.h"
#include "tiny_model.h"

enum { STARTS = 10, MAX_SIZE = 1 << 20 };

static char model_dir[64], cache_dir[96];
static eg_engine *engine;
static float expected[TINY_LABELS];

/* Opens with the cache, answers, closes. */
static void answer(const char *cache, eg_format format, float out[TINY_LABELS]) {
    eg_error err = {0};
    eg_model *m;
    eg_model_options o = {.size = sizeof o, .format = format, .cache = cache};
    eg_pair pair = {EG_STR("the limit"), EG_STR("a limit")};
    if (eg_model_open(engine, model_dir, &o, &m, &err) != EG_OK) fail_msg("%s", err.text);
    if (eg_model_classify(m, &pair, 1, out, NULL, &err) != EG_OK) fail_msg("%s", err.text);
    eg_model_close(m);
}

static void same_answer(void) {
    float got[TINY_LABELS];
    answer(cache_dir, EG_FORMAT_F32, got);
    assert_memory_equal(got, expected, sizeof got);
}

/* The only pack file of f32; anything else in the folder must be a lock. */
static void pack_path(char out[400]) {
    int found = 0;
    DIR *d = opendir(cache_dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        size_t n = strlen(e->d_name);
        if (n > 9 && strcmp(e->d_name + n - 9, ".f32.pack") == 0) {
            snprintf(out, 400, "%s/%s", cache_dir, e->d_name);
            found++;
        } else if (!strstr(e->d_name, ".lock") && !strstr(e->d_name, ".s8.pack") && !strstr(e->d_name, ".bf16.pack")) {
            fail_msg("%s stayed behind", e->d_name);
        }
    }
    closedir(d);
    assert_int_equal(found, 1);
}

static void read_pack(eg_arena *a, eg_str *bytes) {
    char path[400];
    pack_path(path);
    assert_int_equal(eg_file_read(path, MAX_SIZE, a, bytes, NULL), EG_OK);
}

static ino_t pack_inode(void) {
    char path[400];
    struct stat st;
    pack_path(path);
    assert_int_equal(stat(path, &st), 0);
    return st.st_ino;
}

static int begin(void **state) {
    (void)state;
    tiny_model *m = tiny_create();
    tiny_folder(model_dir);
    tiny_folder(cache_dir);
    tiny_write(m, model_dir);
    free(m);
    eg_engine_options o = {.size = sizeof o, .threads = 2};
    if (eg_engine_create(&o, &engine, NULL) != EG_OK) return -1;
    answer(NULL, EG_FORMAT_F32, expected);
    return 0;
}

static int end(void **state) {
    (void)state;
    eg_engine_destroy(engine);
    tiny_folder_remove(model_dir);
    tiny_folder_remove(cache_dir);
    return 0;
}

static void test_written_once(void **state) {
    (void)state;
    struct stat st;
    char path[400];
    same_answer();
    ino_t first = pack_inode();
    for (int i = 0; i < 3; i++) same_answer();
    assert_int_equal(pack_inode(), first);
    pack_path(path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    /* other formats beside it */
    for (eg_format format = EG_FORMAT_S8; format <= EG_FORMAT_BF16; format++) {
        float other[2][TINY_LABELS];
        answer(NULL, format, other[0]);
        for (int i = 0; i < 2; i++) {
            answer(cache_dir, format, other[1]);
            assert_memory_equal(other[0], other[1], sizeof other[0]);
        }
        assert_memory_not_equal(other[0], expected, sizeof expected);
    }
    assert_int_equal(pack_inode(), first);
}

/* Every state of the file that is not whole is noticed and mended. */
static void test_damage(void **state) {
    (void)state;
    eg_arena a;
    eg_str good, now;
    char path[400];
    eg_arena_init(&a, 0);
    same_answer();
    read_pack(&a, &good);
    pack_path(path);
    char *bytes = eg_arena_copy(&a, good);
    for (size_t at = 0; at < good.len; at += at < 600 ? 7 : 997) { /* one bit anywhere */
        bytes[at] = (char)(bytes[at] ^ 16);
        assert_int_equal(eg_file_replace(path, bytes, good.len, 0600, NULL), EG_OK);
        bytes[at] = (char)(bytes[at] ^ 16);
        same_answer();
        read_pack(&a, &now);
        size_t header = 4096 < good.len ? 4096 : good.len; /* its unused end may differ */
        assert_int_equal(now.len, good.len);
        assert_memory_equal(now.ptr + header, good.ptr + header, good.len - header);
    }
    for (size_t n = 0; n < good.len; n += n < 64 ? 9 : 1009) { /* cut off, or with more behind */
        assert_int_equal(eg_file_replace(path, bytes, n, 0600, NULL), EG_OK);
        same_answer();
    }
    char *longer = eg_arena_alloc(&a, good.len + 100);
    memcpy(longer, bytes, good.len);
    assert_int_equal(eg_file_replace(path, longer, good.len + 100, 0600, NULL), EG_OK);
    same_answer();
    read_pack(&a, &now);
    assert_int_equal(now.len, good.len);
    eg_arena_release(&a);
}

static void test_not_ours(void **state) {
    (void)state;
    char path[400], other[480];
    same_answer();
    pack_path(path);
    ino_t first = pack_inode();
    assert_int_equal(chmod(path, 0662), 0); /* others could have written it */
    same_answer();
    assert_true(pack_inode() != first);
    snprintf(other, sizeof other, "%s.kept.lock", path);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0); /* a link is not followed, but replaced */
    same_answer();
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    unlink(other);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0); /* in the way: costs the packing */
    float got[TINY_LABELS];
    answer(cache_dir, EG_FORMAT_F32, got);
    assert_memory_equal(got, expected, sizeof got);
    assert_int_equal(rmdir(path), 0);
    same_answer();
}

/* Other weights under the same name, and the same weights written again. */
static void test_stale(void **state) {
    (void)state;
    same_answer();
    ino_t first = pack_inode();
    tiny_model *m = tiny_create();
    tiny_find(m, "classifier.bias")->data[3] = 0x40; /* 2.0 and more */
    tiny_write(m, model_dir);
    float changed[TINY_LABELS], got[TINY_LABELS];
    answer(NULL, EG_FORMAT_F32, changed);
    assert_true(memcmp(changed, expected, sizeof expected) != 0);
    answer(cache_dir, EG_FORMAT_F32, got);
    assert_memory_equal(got, changed, sizeof got);
    assert_true(pack_inode() != first);
    free(m);
    m = tiny_create();
    tiny_write(m, model_dir);
    free(m);
    same_answer();
}

/* Other weights written over the file, of the same size, its time put back. */
static void test_stale_in_place(void **state) {
    (void)state;
    char path[96];
    struct stat before, after;
    tiny_model *m = tiny_create();
    snprintf(path, sizeof path, "%s/model.safetensors", model_dir);
    same_answer();
    assert_int_equal(stat(path, &before), 0);
    tiny_find(m, "classifier.bias")->data[3] = 0x40;
    usleep(20000); /* more than the step of the file system's clock */
    tiny_write(m, model_dir);
    assert_int_equal(utimensat(AT_FDCWD, path, (const struct timespec[]){before.st_atim, before.st_mtim}, 0), 0);
    assert_int_equal(stat(path, &after), 0);
    assert_true(after.st_ino == before.st_ino && after.st_size == before.st_size);
    assert_memory_equal(&after.st_mtim, &before.st_mtim, sizeof after.st_mtim);
    float changed[TINY_LABELS], got[TINY_LABELS];
    answer(NULL, EG_FORMAT_F32, changed);
    assert_memory_not_equal(changed, expected, sizeof expected);
    answer(cache_dir, EG_FORMAT_F32, got);
    assert_memory_equal(got, changed, sizeof got);
    free(m);
    m = tiny_create();
    tiny_write(m, model_dir);
    free(m);
    same_answer();
}

static void test_no_cache_possible(void **state) {
    (void)state;
    float got[TINY_LABELS];
    char inside[160];
    answer("/dev/null/cache", EG_FORMAT_F32, got);
    assert_memory_equal(got, expected, sizeof got);
    answer("", EG_FORMAT_F32, got);
    assert_memory_equal(got, expected, sizeof got);
    snprintf(inside, sizeof inside, "%s/new/folder", cache_dir); /* made when it is not there */
    answer(inside, EG_FORMAT_F32, got);
    assert_memory_equal(got, expected, sizeof got);
    /* no room: files of this process may not grow, which it has not asked to survive; with a thread
     * that writes, and without */
    struct rlimit before, none;
    eg_engine *two = engine;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = before;
    none.rlim_cur = 1000;
    snprintf(inside, sizeof inside, "%s/full", cache_dir);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        eg_engine_options o = {.size = sizeof o, .threads = threads};
        assert_int_equal(eg_engine_create(&o, &engine, NULL), EG_OK);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
        answer(inside, EG_FORMAT_F32, got);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_memory_equal(got, expected, sizeof got);
        tiny_folder_remove(inside);
        eg_engine_destroy(engine);
    }
    engine = two;
    sigset_t waiting;
    assert_int_equal(sigpending(&waiting), 0);
    assert_false(sigismember(&waiting, SIGXFSZ));
    snprintf(inside, sizeof inside, "%s/new/folder", cache_dir);
    tiny_folder_remove(inside);
    snprintf(inside, sizeof inside, "%s/new", cache_dir);
    tiny_folder_remove(inside);
}

/* Beside the pack: the rest of a start that was killed, and links that somebody planted. The first
 * is removed, nothing is written through the others. */
static void test_left_behind(void **state) {
    (void)state;
    static const char text[] = "another file";
    char path[400], name[480], victim[160];
    eg_arena a;
    eg_str kept;
    eg_arena_init(&a, 0);
    same_answer();
    pack_path(path);
    snprintf(victim, sizeof victim, "%s/victim.lock", cache_dir);
    for (int hard = 0; hard < 3; hard++) {
        assert_int_equal(eg_file_replace(victim, text, sizeof text, 0666, NULL), EG_OK);
        snprintf(name, sizeof name, "%s.new", path);
        if (hard < 2) assert_int_equal(hard ? link(victim, name) : symlink(victim, name), 0);
        if (hard == 2) assert_int_equal(eg_file_replace(name, text, sizeof text, 0600, NULL), EG_OK);
        assert_int_equal(unlink(path), 0);
        same_answer();
        pack_path(path); /* it is there, and the other is not */
        assert_int_equal(eg_file_read(victim, MAX_SIZE, &a, &kept, NULL), EG_OK);
        assert_int_equal(kept.len, sizeof text);
        assert_memory_equal(kept.ptr, text, sizeof text);
    }
    assert_int_equal(unlink(victim), 0);
    eg_arena_release(&a);
}

/* A file of an engine whose blocks are of another version has another name, and stays. */
static void test_versions_side_by_side(void **state) {
    (void)state;
    char path[400], other[408];
    struct stat st;
    same_answer();
    pack_path(path);
    char *version = strstr(path, ".v2.");
    assert_non_null(version);
    snprintf(other, sizeof other, "%.*s.v0.%s", (int)(version - path), path, version + 4);
    assert_int_equal(rename(path, other), 0);
    ino_t older = stat(other, &st) == 0 ? st.st_ino : 0;
    same_answer();
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(stat(other, &st), 0);
    assert_true(st.st_ino == older);
    assert_int_equal(unlink(other), 0);
}

/* A thread forks while another packs: the child holds the lock's file, but does not keep others
 * from packing. */
static void test_fork_while_packing(void **state) {
    (void)state;
    const eg_block_key key = {.name = "fork.f32.pack", .bytes = "abcdefgh", .size = 8};
    char path[400];
    eg_pool *pool;
    eg_block b;
    int gate[2];
    assert_int_equal(eg_pool_create(1, &pool, NULL), EG_OK);
    for (int published = 0; published < 2; published++) {
        assert_int_equal(eg_block_take(cache_dir, &key, 1000, pool, &b, NULL), EG_OK);
        assert_true(b.packing);
        assert_int_equal(pipe(gate), 0);
        pid_t child = fork();
        if (child == 0) {
            char go;
            close(gate[1]);
            _exit(read(gate[0], &go, 1) != 0); /* until the parent is through */
        }
        close(gate[0]);
        if (published) {
            memset(b.data, 1, b.size);
            eg_block_publish(&b, &key, pool);
        }
        eg_block_release(&b);
        snprintf(path, sizeof path, "%s/%s", cache_dir, key.name);
        assert_int_equal(unlink(path), published ? 0 : -1);
        assert_int_equal(eg_block_take(cache_dir, &key, 1000, pool, &b, NULL),
                         EG_OK); /* with the lock taken: after 30 s, in private memory */
        assert_true(b.packing);
        eg_block_release(&b);
        close(gate[1]);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    eg_pool_destroy(pool);
}

static void test_ten_starts(void **state) {
    (void)state;
    char path[400], fresh[96];
    snprintf(fresh, sizeof fresh, "%.60s/ten", cache_dir);
    assert_int_equal(mkdir(fresh, 0700), 0);
    char before[96];
    memcpy(before, cache_dir, sizeof before);
    snprintf(cache_dir, sizeof cache_dir, "%s", fresh);
    int gate[2], inodes[2];
    assert_int_equal(pipe(gate), 0);
    assert_int_equal(pipe(inodes), 0);
    pid_t children[STARTS];
    for (int i = 0; i < STARTS; i++) {
        children[i] = fork();
        if (children[i] != 0) continue;
        char go;
        close(gate[1]);
        (void)!read(gate[0], &go, 1); /* ends for all at once */
        eg_engine_options o = {.size = sizeof o, .threads = 1};
        eg_model *m;
        float got[TINY_LABELS];
        eg_model_options options = {.size = sizeof options, .format = EG_FORMAT_F32, .cache = cache_dir};
        eg_pair pair = {EG_STR("the limit"), EG_STR("a limit")};
        int good = eg_engine_create(&o, &engine, NULL) == EG_OK &&
                   eg_model_open(engine, model_dir, &options, &m, NULL) == EG_OK &&
                   eg_model_classify(m, &pair, 1, got, NULL, NULL) == EG_OK && memcmp(got, expected, sizeof got) == 0;
        DIR *d = opendir(cache_dir);
        for (struct dirent *e; good && (e = readdir(d));) {
            size_t n = strlen(e->d_name);
            if (n > 5 && strcmp(e->d_name + n - 5, ".pack") == 0)
                good = write(inodes[1], &e->d_ino, sizeof e->d_ino) == sizeof e->d_ino;
        }
        _exit(!good);
    }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < STARTS; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    ino_t last = pack_inode(); /* whoever was first wrote it, and nobody replaced it */
    for (int i = 0; i < STARTS; i++) {
        ino_t seen;
        assert_int_equal(read(inodes[0], &seen, sizeof seen), sizeof seen);
        assert_int_equal(seen, last);
    }
    close(inodes[0]);
    close(inodes[1]);
    pack_path(path);
    tiny_folder_remove(cache_dir);
    memcpy(cache_dir, before, sizeof cache_dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_once),   cmocka_unit_test(test_damage),
        cmocka_unit_test(test_not_ours),       cmocka_unit_test(test_stale),
        cmocka_unit_test(test_stale_in_place), cmocka_unit_test(test_no_cache_possible),
        cmocka_unit_test(test_left_behind),    cmocka_unit_test(test_fork_while_packing),
        cmocka_unit_test(test_ten_starts),     cmocka_unit_test(test_versions_side_by_side),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
