/* test_vector_blocks.c - what a store keeps only so that reading is fast: the blocks of its
 * vectors, that they hold what the rows hold after every change, whichever process made it, that
 * searches read them and find the same without them, that nothing of an erased vector is left;
 * and the counts of common words. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sodium.h> /* randombytes */
#include <sqlite3.h>

#include "conformance_steps.h"

enum { BLOCK = 1024, PART = 128 };

typedef struct place {
    char folder[64], path[112];
} place;

static void make_place(place *p) {
    strcpy(p->folder, "/tmp/engram-blocks-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->path, sizeof p->path, "%s/knowledge.db", p->folder);
}
static void remove_place(const place *p) {
    char command[200];
    snprintf(command, sizeof command, "chmod -R u+rwX %s && rm -rf %s", p->folder, p->folder);
    assert_int_equal(system(command), 0);
}
static void open_at(store *s, const place *p) {
    if (open_store(s, p->path) != EG_OK) fail_msg("%s", s->request.err.text);
}

/* Runs SQL past the backend; the first number of its last row. */
static int64_t ask(const place *p, const char *sql) {
    sqlite3 *db;
    sqlite3_stmt *q;
    int64_t number = 0;
    int row = SQLITE_DONE;
    assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    for (const char *rest = sql; *rest;) {
        if (sqlite3_prepare_v2(db, rest, -1, &q, &rest) != SQLITE_OK) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
        while (q && (row = sqlite3_step(q)) == SQLITE_ROW) number = sqlite3_column_int64(q, 0);
        if (row != SQLITE_DONE) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
        sqlite3_finalize(q);
    }
    sqlite3_close(db);
    return number;
}

/* The vector of the nth fact: each has its own. */
static void direction(uint32_t n, float v[WIDTH]) {
    uint32_t x = n * 2654435761u + 12345;
    float sum = 0;
    for (size_t k = 0; k < WIDTH; k++) {
        x = x * 1664525u + 1013904223u;
        v[k] = (float)(int32_t)x * 0x1p-31f;
        sum += v[k] * v[k];
    }
    for (size_t k = 0; k < WIDTH; k++) v[k] /= __builtin_sqrtf(sum);
}

/* Facts first to first + n - 1, several in one change set. ids may be NULL. */
static eg_status put_facts(store *s, uint32_t first, uint32_t n, eg_id *ids) {
    static eg_new_fact rows[PART];
    static eg_vector vectors[PART];
    static eg_change changes[PART];
    static float values[PART][WIDTH];
    static const eg_term common = {EG_STR("common"), 1};
    for (uint32_t done = 0; done < n;) {
        uint32_t count = n - done < PART ? n - done : PART;
        for (uint32_t i = 0; i < count; i++) {
            direction(first + done + i, values[i]);
            vectors[i] = (eg_vector){.statement = UINT32_MAX, .dimensions = WIDTH, .model_id = EG_STR("m"), .values = values[i]};
            rows[i] = new_fact("a fact", "x");
            memcpy(rows[i].fact.content_hash, rows[i].fact.id.bytes, 16);
            rows[i].vectors = &vectors[i];
            rows[i].vector_count = 1;
            rows[i].terms = &common;
            rows[i].term_count = 1;
            changes[i] = (eg_change){.kind = EG_CHANGE_FACT, .new_fact = &rows[i]};
            if (ids) ids[done + i] = rows[i].fact.id;
        }
        eg_status st = apply(s, NULL, 0, changes, count, NULL);
        if (st != EG_OK) return st;
        test_request_release(&s->request);
        done += count;
    }
    return EG_OK;
}

/* The best three facts for the vector of the nth. */
static eg_scored_list nearest(store *s, uint32_t n) {
    static float v[WIDTH];
    static eg_vector query;
    const eg_filter f = ALL_FACTS;
    direction(n, v);
    return search_one(s, &f, by_vector(&query, "m", v, 3));
}
static void expect_nearest(store *s, uint32_t n, eg_id fact) {
    eg_scored_list list = nearest(s, n);
    assert_true(list.count == 3 && eg_id_eq(list.rows[0].fact, fact) && list.rows[0].score > 0.9999);
}

/* Compares each block with the rows that it stands for; the number of vectors that are in one. */
static int64_t true_blocks(const place *p) {
    sqlite3 *db;
    sqlite3_stmt *blocks, *rows;
    int64_t count = 0, last = 0;
    assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT first_key, last_key, model, count, data FROM vector_blocks ORDER BY 2", -1, &blocks, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT v.fact, f.workspace, v.scale, v.s8 FROM vectors v JOIN facts f ON f.key = v.fact "
                                        "WHERE v.key BETWEEN ?1 AND ?2 AND v.model = ?3 ORDER BY v.key",
                                        -1, &rows, NULL),
                     SQLITE_OK);
    while (sqlite3_step(blocks) == SQLITE_ROW) {
        int64_t first = sqlite3_column_int64(blocks, 0);
        size_t n = (size_t)sqlite3_column_int64(blocks, 3);
        const char *data = sqlite3_column_blob(blocks, 4);
        assert_true(first > last && n >= 1 && n <= BLOCK);
        assert_int_equal(sqlite3_column_bytes(blocks, 4), n * (16 + WIDTH));
        last = sqlite3_column_int64(blocks, 1);
        sqlite3_reset(rows);
        sqlite3_bind_int64(rows, 1, first);
        sqlite3_bind_int64(rows, 2, last);
        sqlite3_bind_int64(rows, 3, sqlite3_column_int64(blocks, 2));
        for (size_t i = 0; i < n; i++) {
            int64_t fact;
            int32_t workspace;
            float scale;
            assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
            memcpy(&fact, data + 8 * i, 8);
            memcpy(&workspace, data + 8 * n + 4 * i, 4);
            memcpy(&scale, data + 12 * n + 4 * i, 4);
            assert_true(fact == sqlite3_column_int64(rows, 0) && workspace == sqlite3_column_int(rows, 1));
            assert_true((double)scale == sqlite3_column_double(rows, 2));
            assert_memory_equal(data + (16 * n + WIDTH * i), sqlite3_column_blob(rows, 3), WIDTH);
        }
        assert_int_equal(sqlite3_step(rows), SQLITE_DONE);
        count += (int64_t)n;
    }
    sqlite3_finalize(blocks);
    sqlite3_finalize(rows);
    sqlite3_close(db);
    return count;
}

/* Blocks come with the commits, and a process that starts reads them. */
static void a_start_reads_blocks(void **state) {
    (void)state;
    enum { FACTS = 3 * BLOCK + 100 };
    static eg_id ids[FACTS];
    place p;
    store s;
    make_place(&p);
    open_at(&s, &p);
    assert_int_equal(put_facts(&s, 0, FACTS, ids), EG_OK);
    close_store(&s);
    assert_int_equal(true_blocks(&p), 3 * BLOCK);
    assert_int_equal(ask(&p, "SELECT count(*) FROM vector_blocks"), 3);
    open_at(&s, &p);
    for (uint32_t i = 0; i < FACTS; i += 97) expect_nearest(&s, i, ids[i]);
    expect_nearest(&s, FACTS - 1, ids[FACTS - 1]);
    close_store(&s);
    /* vectors of 0 in the place of the first block's: it is the block that was read */
    ask(&p, "UPDATE vector_blocks SET data = substr(data, 1, 16 * count) || zeroblob(16 * count) WHERE first_key = 1");
    open_at(&s, &p);
    assert_false(eg_id_eq(nearest(&s, 5).rows[0].fact, ids[5]));
    expect_nearest(&s, BLOCK + 5, ids[BLOCK + 5]);
    close_store(&s);
    /* blocks of a size that cannot be, or that name no facts, are passed over for their rows */
    ask(&p, "UPDATE vector_blocks SET data = zeroblob(length(data)) WHERE first_key = 1;"
            "UPDATE vector_blocks SET data = substr(data, 2) WHERE first_key = 1025;"
            "UPDATE vector_blocks SET count = 1000000 WHERE first_key = 2049");
    open_at(&s, &p);
    for (uint32_t i = 0; i < FACTS; i += 97) expect_nearest(&s, i, ids[i]);
    close_store(&s);
    remove_place(&p);
}

/* A process that has some vectors in memory finds what others add, and what they add as blocks. */
static void blocks_of_other_processes_are_read(void **state) {
    (void)state;
    static eg_id ids[100];
    place p;
    store s;
    make_place(&p);
    open_at(&s, &p);
    assert_int_equal(put_facts(&s, 0, 100, ids), EG_OK);
    expect_nearest(&s, 7, ids[7]);
    for (uint32_t round = 0; round < 3; round++) {
        pid_t child = fork();
        if (child == 0) {
            store own;
            if (open_store(&own, p.path) != EG_OK) _exit(1);
            _exit(put_facts(&own, 1000 + round * 1500, 1500, NULL) == EG_OK ? 0 : 2);
        }
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        eg_scored_list list = nearest(&s, 1000 + round * 1500 + 1400);
        assert_true(list.count == 3 && list.rows[0].score > 0.9999);
        expect_nearest(&s, 99, ids[99]);
    }
    close_store(&s);
    assert_int_equal(true_blocks(&p), 4 * BLOCK);
    remove_place(&p);
}

/* 1 when the bytes are somewhere in the files of the store. */
static int is_in_files(const place *p, const void *bytes, size_t n) {
    static const char *const ends[] = {"", "-wal"};
    int found = 0;
    for (size_t i = 0; i < 2; i++) {
        char path[128];
        static char content[8 << 20];
        snprintf(path, sizeof path, "%s%s", p->path, ends[i]);
        FILE *f = fopen(path, "rb");
        if (!f) continue;
        size_t size = fread(content, 1, sizeof content, f);
        assert_true(size < sizeof content);
        fclose(f);
        found |= memmem(content, size, bytes, n) != NULL;
    }
    return found;
}

/* Of a vector that is erased nothing is left in the files; its block comes again without it. */
static void erasing_leaves_no_trace(void **state) {
    (void)state;
    enum { FACTS = 2 * BLOCK + 10, GONE = 300 };
    static eg_id ids[FACTS];
    place p;
    store s;
    float v[WIDTH], scale;
    int8_t s8[WIDTH];
    make_place(&p);
    open_at(&s, &p);
    assert_int_equal(put_facts(&s, 0, FACTS, ids), EG_OK);
    direction(GONE, v);
    s.services.quantize_s8(s.services.host, v, WIDTH, s8, &scale);
    assert_true(is_in_files(&p, s8, WIDTH));
    const eg_change changes[] = {{.kind = EG_CHANGE_CLOSE, .close = {ids[GONE], EG_CLOSE_DELETED, EG_STR("bob")}},
                                 {.kind = EG_CHANGE_ERASE, .erase = {&ids[GONE], 1}}};
    if (apply(&s, NULL, 0, changes, 2, NULL) != EG_OK) fail_msg("%s", s.request.err.text);
    eg_purged purged;
    assert_int_equal(OPS(&s, purge, &purged), EG_OK);
    assert_false(is_in_files(&p, s8, WIDTH));
    assert_int_equal(true_blocks(&p), 2 * BLOCK - 1);
    assert_int_equal(ask(&p, "SELECT count(*) FROM vector_gaps"), 0);
    close_store(&s);
    open_at(&s, &p);
    assert_true(nearest(&s, GONE).rows[0].score < 0.9999);
    expect_nearest(&s, GONE + 1, ids[GONE + 1]);
    /* a program of before knows nothing of blocks: they are taken away with the row all the same */
    ask(&p, "DELETE FROM vectors_f32 WHERE key = 1500; DELETE FROM vectors WHERE key = 1500");
    assert_int_equal(true_blocks(&p), BLOCK - 1);
    assert_int_equal(ask(&p, "SELECT count(*) FROM vector_gaps"), 1);
    close_store(&s);
    open_at(&s, &p);
    expect_nearest(&s, BLOCK + 1, ids[BLOCK + 1]);
    assert_true(nearest(&s, 1499).rows[0].score < 0.9999);
    assert_int_equal(put_facts(&s, FACTS, 1, NULL), EG_OK);
    assert_int_equal(true_blocks(&p), 2 * BLOCK - 2);
    assert_int_equal(ask(&p, "SELECT count(*) FROM vector_gaps"), 0);
    close_store(&s);
    remove_place(&p);
}

static void edit(store *s, const char *to) {
    const eg_workspace_edit e = {.size = sizeof e, .to = eg_str_of(to), .actor = EG_STR("test")};
    eg_workspace_edited out;
    if (OPS(s, edit_workspace, &e, &out) != EG_OK) fail_msg("%s", s->request.err.text);
}

/* Workspaces whose vectors lie among each other's in the blocks: moved, merged, removed. */
static void workspaces_move_with_their_blocks(void **state) {
    (void)state;
    static const char *const names[] = {"local", "second", "third"};
    enum { EACH = 900 };
    static eg_id ids[3][EACH];
    place p;
    store s;
    make_place(&p);
    open_at(&s, &p);
    for (uint32_t i = 0; i < EACH; i += 50)
        for (uint32_t w = 0; w < 3; w++) {
            work_in(&s, names[w]);
            assert_int_equal(put_facts(&s, w * EACH + i, 50, ids[w] + i), EG_OK);
        }
    assert_int_equal(true_blocks(&p), 2 * BLOCK);
    work_in(&s, "second");
    expect_nearest(&s, EACH + 70, ids[1][70]);
    edit(&s, "local");
    work_in(&s, "third");
    edit(&s, "");
    for (int again = 0; again < 2; again++) {
        work_in(&s, "local");
        assert_true(true_blocks(&p) >= BLOCK);
        expect_nearest(&s, 70, ids[0][70]);
        expect_nearest(&s, EACH + 870, ids[1][870]);
        assert_true(nearest(&s, 2 * EACH + 70).rows[0].score < 0.9999);
        close_store(&s);
        open_at(&s, &p);
    }
    close_store(&s);
    remove_place(&p);
}

#define WITHOUT_BLOCKS                                          \
    "DROP TRIGGER vector_deleted; DROP TRIGGER vector_changed;" \
    "DROP TABLE vector_blocks; DROP TABLE vector_gaps; DROP TABLE term_totals"

/* A store from before there were blocks answers at once; commits make them, a few at a time. */
static void stores_without_blocks_get_them(void **state) {
    (void)state;
    enum { FACTS = 6 * BLOCK };
    static eg_id ids[FACTS];
    place p;
    store s;
    make_place(&p);
    open_at(&s, &p);
    assert_int_equal(put_facts(&s, 0, FACTS, ids), EG_OK);
    close_store(&s);
    ask(&p, WITHOUT_BLOCKS);
    open_at(&s, &p);
    assert_int_equal(true_blocks(&p), 0);
    expect_nearest(&s, 77, ids[77]);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(put_facts(&s, FACTS + i, 1, NULL), EG_OK);
        assert_int_equal(true_blocks(&p), (i ? 6 : 4) * BLOCK);
        expect_nearest(&s, 5500, ids[5500]);
    }
    close_store(&s);
    open_at(&s, &p);
    expect_nearest(&s, 77, ids[77]);
    expect_nearest(&s, 5500, ids[5500]);
    close_store(&s);
    remove_place(&p);
}

/* A store that cannot be written answers with its blocks, and without where it has none. */
static void read_only_stores_answer(void **state) {
    (void)state;
    enum { NOBODY = 65534, FACTS = BLOCK + 10 };
    static eg_id ids[FACTS];
    place p;
    store s;
    make_place(&p);
    open_at(&s, &p);
    assert_int_equal(put_facts(&s, 0, FACTS, ids), EG_OK);
    close_store(&s);
    for (int without = 0; without < 2; without++) {
        char command[300];
        if (without) ask(&p, WITHOUT_BLOCKS);
        snprintf(command, sizeof command, "cd %s && rm -f *-wal *-shm && chmod 444 * && chmod 555 .", p.folder);
        assert_int_equal(system(command), 0);
        if (getuid() == 0 && seteuid(NOBODY) != 0) fail_msg("seteuid failed");
        open_at(&s, &p);
        expect_nearest(&s, 5, ids[5]);
        expect_nearest(&s, FACTS - 1, ids[FACTS - 1]);
        assert_int_equal(put_facts(&s, FACTS, 1, NULL), EG_EREADONLY);
        close_store(&s);
        if (getuid() == 0 && seteuid(0) != 0) fail_msg("seteuid failed");
        snprintf(command, sizeof command, "chmod -R u+rwX %s", p.folder);
        assert_int_equal(system(command), 0);
    }
    remove_place(&p);
}

/* A block that cannot be written is no reason to refuse a commit. */
static void commits_do_not_depend_on_blocks(void **state) {
    (void)state;
    static eg_id ids[BLOCK + 10];
    place p;
    store s;
    make_place(&p);
    open_at(&s, &p);
    assert_int_equal(put_facts(&s, 0, 10, ids), EG_OK);
    ask(&p, "CREATE TRIGGER refused BEFORE INSERT ON vector_blocks BEGIN SELECT RAISE(ABORT, 'no room'); END");
    assert_int_equal(put_facts(&s, 10, BLOCK, ids + 10), EG_OK);
    assert_int_equal(ask(&p, "SELECT count(*) FROM vectors"), BLOCK + 10);
    assert_int_equal(ask(&p, "SELECT count(*) FROM vector_blocks"), 0);
    expect_nearest(&s, BLOCK, ids[BLOCK]);
    ask(&p, "DROP TRIGGER refused");
    assert_int_equal(put_facts(&s, 5000, 1, NULL), EG_OK);
    assert_int_equal(true_blocks(&p), BLOCK);
    close_store(&s);
    remove_place(&p);
}

/* Processes that are killed while they write leave blocks that are true. */
static void kills_leave_true_blocks(void **state) {
    (void)state;
    enum { KILLS = 20 };
    place p;
    store s;
    make_place(&p);
    open_at(&s, &p);
    close_store(&s);
    for (uint32_t i = 0; i < KILLS; i++) {
        int ends[2], status;
        char sign = 0; /* of its first commit */
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            if (open_store(&s, p.path) != EG_OK) _exit(1);
            for (uint32_t n = 0;; n += PART) {
                if (put_facts(&s, i * 100000 + n, PART, NULL) != EG_OK) _exit(2);
                if (n == 0 && write(ends[1], &sign, 1) != 1) _exit(3);
            }
        }
        close(ends[1]);
        assert_int_equal(read(ends[0], &sign, 1), 1);
        close(ends[0]);
        usleep(randombytes_uniform(40000));
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        int64_t in_blocks = true_blocks(&p), all = ask(&p, "SELECT count(*) FROM vectors");
        assert_true(in_blocks == all / BLOCK * BLOCK);
    }
    open_at(&s, &p);
    assert_int_equal(nearest(&s, 0).count, 3);
    close_store(&s);
    remove_place(&p);
}

/* A fact that has the vectors of the numbers first to first + n - 1. */
static eg_id put_long_fact(store *s, uint32_t first, uint32_t n) {
    float(*values)[WIDTH] = malloc(n * sizeof *values);
    eg_vector *vectors = malloc(n * sizeof *vectors);
    eg_new_fact row = new_fact("a long fact", "x");
    assert_true(values && vectors);
    for (uint32_t i = 0; i < n; i++) {
        direction(first + i, values[i]);
        vectors[i] = (eg_vector){.statement = i, .dimensions = WIDTH, .model_id = EG_STR("m"), .values = values[i]};
    }
    memcpy(row.fact.content_hash, row.fact.id.bytes, 16);
    row.vectors = vectors;
    row.vector_count = n;
    const eg_change change = {.kind = EG_CHANGE_FACT, .new_fact = &row};
    assert_int_equal(apply(s, NULL, 0, &change, 1, NULL), EG_OK);
    test_request_release(&s->request);
    free(values);
    free(vectors);
    return row.fact.id;
}

/* Many blocks are scanned in parts side by side: each fact is found once with its best vector, also
 * one whose vectors lie in two parts, or fill a whole block and more. */
static void parts_find_what_one_scan_finds(void **state) {
    (void)state;
    enum { PARTS = 3, ROWS = PARTS * 16 * BLOCK, LONG = 3000, LIMIT = 50 };
    static eg_id ids[ROWS]; /* of the fact of each vector */
    place p;
    store s;
    make_place(&p);
    open_at(&s, &p);
    for (uint32_t n = 0; n < ROWS;) {
        /* across the ends of the first and the second part */
        int at_end = n % (16 * BLOCK) >= 15 * BLOCK && n % (16 * BLOCK) < 15 * BLOCK + 100;
        uint32_t count = at_end ? LONG : 100;
        if (count > ROWS - n) count = ROWS - n;
        eg_id id = put_long_fact(&s, n, count);
        for (uint32_t i = 0; i < count; i++) ids[n + i] = id;
        n += count;
    }
    for (int again = 0; again < 2; again++) {
        for (uint32_t n = 0; n < ROWS; n += 2477) {
            float query[WIDTH], v[WIDTH], best = -2;
            eg_id found = {{0}}, second_of = ids[n];
            eg_vector vector;
            const eg_filter f = ALL_FACTS;
            direction(n, query);
            for (uint32_t i = 0; i < ROWS; i++) { /* the best of another fact than its own */
                float score = 0;
                if (eg_id_eq(ids[i], second_of)) continue;
                direction(i, v);
                for (size_t k = 0; k < WIDTH; k++) score += query[k] * v[k];
                if (score > best) best = score, found = ids[i];
            }
            eg_scored_list list = search_one(&s, &f, by_vector(&vector, "m", query, LIMIT));
            assert_int_equal(list.count, LIMIT);
            assert_true(eg_id_eq(list.rows[0].fact, second_of) && eg_id_eq(list.rows[1].fact, found));
            for (size_t i = 0; i < LIMIT; i++)
                for (size_t k = 0; k < i; k++) assert_false(eg_id_eq(list.rows[i].fact, list.rows[k].fact));
            test_request_release(&s.request);
        }
        close_store(&s);
        open_at(&s, &p);
    }
    /* a host of ABI 1.0 lends no threads */
    float query[WIDTH];
    eg_vector vector;
    const eg_filter f = ALL_FACTS;
    direction(1, query);
    s.services.size = offsetof(eg_services, parallel);
    s.services.parallel = NULL;
    assert_true(eg_id_eq(search_one(&s, &f, by_vector(&vector, "m", query, LIMIT)).rows[0].fact, ids[1]));
    close_store(&s);
    remove_place(&p);
}

/* What a fact with the common word can score: much where few facts have it. */
static double attainable_of_common(const place *p) {
    const eg_term common = {EG_STR("common"), 1};
    const eg_filter f = ALL_FACTS;
    double attainable = 0;
    store s;
    open_at(&s, p);
    search_one(&s, &f, (eg_search){.terms = &common, .term_count = 1, .limit = 3, .attainable = &attainable});
    assert_int_equal(put_facts(&s, 50000, 1, NULL), EG_OK); /* stores what was counted */
    close_store(&s);
    return attainable;
}

/* How many facts have a common word is counted once and then read by every process that starts. */
static void counts_of_common_words_are_stored(void **state) {
    (void)state;
    enum { FACTS = 5000 };
    static eg_id ids[FACTS];
    place p;
    store s;
    make_place(&p);
    open_at(&s, &p);
    assert_int_equal(put_facts(&s, 0, FACTS, ids), EG_OK);
    close_store(&s);
    double all_have_it = attainable_of_common(&p);
    assert_true(all_have_it < 0.001);
    assert_int_equal(ask(&p, "SELECT documents FROM term_totals WHERE term = '636f6d6d6f6e' AND facts = 5000"), FACTS);
    assert_true(attainable_of_common(&p) == all_have_it);
    ask(&p, "UPDATE term_totals SET documents = 1"); /* it is this number that is taken */
    assert_true(attainable_of_common(&p) > 10);
    ask(&p, "UPDATE term_totals SET facts = 4900"); /* there are more than a sixty-fourth more
                                                     * now */
    assert_true(attainable_of_common(&p) == all_have_it);
    open_at(&s, &p);
    const eg_change changes[] = {{.kind = EG_CHANGE_CLOSE, .close = {ids[9], EG_CLOSE_DELETED, EG_STR("bob")}},
                                 {.kind = EG_CHANGE_ERASE, .erase = {&ids[9], 1}}};
    assert_int_equal(apply(&s, NULL, 0, changes, 2, NULL), EG_OK);
    close_store(&s);
    assert_int_equal(ask(&p, "SELECT count(*) FROM term_totals"), 0);
    remove_place(&p);
}

int main(void) {
    if (sodium_init() < 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_reads_blocks),
        cmocka_unit_test(blocks_of_other_processes_are_read),
        cmocka_unit_test(erasing_leaves_no_trace),
        cmocka_unit_test(workspaces_move_with_their_blocks),
        cmocka_unit_test(stores_without_blocks_get_them),
        cmocka_unit_test(read_only_stores_answer),
        cmocka_unit_test(commits_do_not_depend_on_blocks),
        cmocka_unit_test(kills_leave_true_blocks),
        cmocka_unit_test(parts_find_what_one_scan_finds),
        cmocka_unit_test(counts_of_common_words_are_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
