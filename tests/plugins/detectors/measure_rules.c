/* measure_rules.c - precision and recall of the deterministic detectors on labelled data.
 *   measure_rules [-v] [-m] SCENARIOS.jsonl|CONTRAST_SETS.jsonl ...
 * Scenarios: every fact against every earlier one; what is flagged and not labelled is a false
 * positive. Contrast sets: the anchor against each text of its own set. -v lists false positives,
 * -m the labelled conflicts that were missed. No test: run by hand. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "run_detectors.h"

enum { MAX_FACTS = 400, MAX_ROWS = 64 };

typedef struct row {
    char name[64];
    size_t all, found;
} row;

typedef struct tally {
    row category[MAX_ROWS], difficulty[MAX_ROWS], by_tier[MAX_ROWS];
    size_t true_positives, false_positives, labelled, vetoed_right, same_wrong, updates;
    /* of the facts labelled as updates */
    size_t update_all, update_found, update_conflict, update_wrong, update_false;
    int verbose, missed;
} tally;

static row *row_of(row *rows, const char *name) {
    for (size_t i = 0; i < MAX_ROWS; i++) {
        if (!rows[i].name[0]) snprintf(rows[i].name, sizeof rows[i].name, "%s", name);
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    }
    return &rows[0];
}

static const char *text_of(const cJSON *o, const char *key) {
    const char *s = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));
    return s ? s : "";
}

static const cJSON *label_of(const cJSON *conflicts, const char *a, const char *b) {
    const cJSON *c;
    cJSON_ArrayForEach(c, conflicts) {
        if ((strcmp(text_of(c, "a"), a) == 0 && strcmp(text_of(c, "b"), b) == 0) ||
            (strcmp(text_of(c, "a"), b) == 0 && strcmp(text_of(c, "b"), a) == 0))
            return c;
    }
    return NULL;
}

static const eg_finding *first_with(const eg_finding *f, size_t n, eg_outcome outcome) {
    for (size_t i = 0; i < n; i++)
        if (f[i].outcome == outcome) return &f[i];
    return NULL;
}

static void show(const char *what, eg_str a, eg_str b, const eg_finding *f, const char *note) {
    printf("%s [%s] %.*s\n   new     %.*s\n   earlier %.*s\n", what, note, f ? (int)f->explanation.len : 0,
           f ? f->explanation.ptr : "", (int)a.len, a.ptr, (int)b.len, b.ptr);
}

/* One pair with its label (NULL: both can be true). */
static int count_pair(tally *t, const eg_case_fact *a, const eg_case_fact *b, const char *category, const char *difficulty) {
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_finding found[16];
    size_t n;
    eg_error err = {0};
    eg_status status = test_detect(&arena, a, b, found, 16, &n, &err);
    if (status != EG_OK) {
        fprintf(stderr, "measure_rules: %s\n", err.text);
        eg_arena_release(&arena);
        return 0;
    }
    const eg_finding *f = first_with(found, n, EG_OUTCOME_CONTRADICTION);
    if (first_with(found, n, EG_OUTCOME_UPDATE)) t->updates++;
    if (category) {
        t->labelled++;
        row *c = row_of(t->category, category), *d = row_of(t->difficulty, difficulty);
        c->all++;
        d->all++;
        if (f) t->true_positives++, c->found++, d->found++;
        else if (first_with(found, n, EG_OUTCOME_BOTH_VALID)) t->vetoed_right++;
        if (!f && first_with(found, n, EG_OUTCOME_CORROBORATION)) t->same_wrong++;
        const eg_finding *veto = first_with(found, n, EG_OUTCOME_BOTH_VALID);
        if (!f && veto && t->verbose) show("WRONG VETO", a->fact->content, b->fact->content, veto, category);
        if (!f && t->missed) show("MISSED", a->fact->content, b->fact->content, NULL, category);
    } else if (f) {
        t->false_positives++;
        if (t->verbose) show("FALSE POSITIVE", a->fact->content, b->fact->content, f, difficulty);
    }
    if (f) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)f->tier.len, f->tier.ptr);
        row *r = row_of(t->by_tier, name);
        r->all++;
        r->found += category != NULL;
    }
    eg_arena_release(&arena);
    return 1;
}

/* A fact that was committed later against every fact of the scenario: it replaces one and
 * contradicts no other. */
static void count_update(tally *t, const eg_case_fact *update, const eg_case_fact *earlier, int superseded) {
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_finding found[16];
    size_t n = 0;
    eg_error err = {0};
    if (test_detect(&arena, update, earlier, found, 16, &n, &err) == EG_OK) {
        const eg_finding *u = first_with(found, n, EG_OUTCOME_UPDATE), *c = first_with(found, n, EG_OUTCOME_CONTRADICTION);
        t->update_all += superseded != 0;
        t->update_found += superseded && u;
        t->update_conflict += superseded && !u && c;
        t->update_wrong += !superseded && u;
        t->update_false += !superseded && c;
        if (t->verbose && !superseded && (u || c))
            show("FALSE UPDATE", update->fact->content, earlier->fact->content, u ? u : c, "");
        if (t->verbose && superseded && !u && c) show("UPDATE AS CONFLICT", update->fact->content, earlier->fact->content, c, "");
    }
    eg_arena_release(&arena);
}

static int measure_scenario(tally *t, const cJSON *scenario) {
    static eg_case_fact facts[MAX_FACTS];
    const cJSON *list = cJSON_GetObjectItem(scenario, "facts"), *conflicts = cJSON_GetObjectItem(scenario, "conflicts"), *f;
    const char *ids[MAX_FACTS];
    size_t n = 0;
    int ok = 1;
    eg_arena arena;
    eg_arena_init(&arena, 0);
    cJSON_ArrayForEach(f, list) {
        eg_error err = {0};
        if (n == MAX_FACTS) break;
        ids[n] = text_of(f, "id");
        if (test_fact_read(&arena, eg_str_of(text_of(f, "content")), eg_str_of(text_of(f, "scope")), &facts[n], &err) != EG_OK)
            ok = 0;
        n++;
    }
    for (size_t i = 0; i < n && ok; i++)
        for (size_t k = 0; k < i && ok; k++) {
            const cJSON *label = label_of(conflicts, ids[k], ids[i]);
            ok = count_pair(t, &facts[i], &facts[k], label ? text_of(label, "category") : NULL,
                            label ? text_of(label, "difficulty") : text_of(scenario, "name"));
        }
    const cJSON *updates = cJSON_GetObjectItem(scenario, "updates"), *u;
    cJSON_ArrayForEach(u, updates) {
        eg_case_fact fact;
        eg_error err = {0};
        if (!ok || test_fact_read(&arena, eg_str_of(text_of(u, "content")), eg_str_of(text_of(u, "scope")), &fact, &err) != EG_OK)
            break;
        for (size_t i = 0; i < n; i++) count_update(t, &fact, &facts[i], strcmp(ids[i], text_of(u, "supersedes")) == 0);
    }
    eg_arena_release(&arena);
    return ok;
}

static int measure_contrast_set(tally *t, const cJSON *set) {
    const cJSON *relations = cJSON_GetObjectItem(set, "r"), *r;
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_case_fact anchor, other;
    eg_error err = {0};
    int ok = test_fact_read(&arena, eg_str_of(text_of(set, "a")), EG_STR("general"), &anchor, &err) == EG_OK;
    cJSON_ArrayForEach(r, relations) {
        if (!ok) break;
        ok = test_fact_read(&arena, eg_str_of(text_of(r, "t")), EG_STR("general"), &other, &err) == EG_OK;
        char note[96];
        snprintf(note, sizeof note, "%s %s", text_of(r, "rel"), text_of(r, "cat"));
        int contradicts = strcmp(text_of(r, "rel"), "contradicts") == 0;
        if (ok) ok = count_pair(t, &other, &anchor, contradicts ? text_of(r, "cat") : NULL, contradicts ? "contrast set" : note);
    }
    eg_arena_release(&arena);
    return ok;
}

static int measure_file(tally *t, const char *path) {
    eg_error err = {0};
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return 0;
    }
    size_t capacity = 1 << 20;
    char *line = malloc(capacity);
    int ok = line != NULL;
    while (ok && fgets(line, (int)capacity, f)) {
        cJSON *o = cJSON_Parse(line);
        ok = o && (cJSON_HasObjectItem(o, "facts") ? measure_scenario(t, o) : measure_contrast_set(t, o));
        cJSON_Delete(o);
    }
    if (!ok) fprintf(stderr, "%s: could not be measured %s\n", path, err.text);
    free(line);
    fclose(f);
    return ok;
}

static void print_rows(const char *title, const row *rows) {
    printf("%s\n", title);
    for (size_t i = 0; i < MAX_ROWS && rows[i].name[0]; i++)
        printf("  %-22s %5zu of %5zu\n", rows[i].name, rows[i].found, rows[i].all);
}

int main(int argc, char **argv) {
    static tally t;
    int ok = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0) t.verbose = 1;
        else if (strcmp(argv[i], "-m") == 0) t.missed = 1;
        else ok &= measure_file(&t, argv[i]);
    }
    print_rows("found, by category:", t.category);
    print_rows("found, by difficulty:", t.difficulty);
    print_rows("true positives, of what each tier flagged:", t.by_tier);
    size_t flagged = t.true_positives + t.false_positives;
    printf("labelled %zu, flagged %zu, true positives %zu, false positives %zu: precision %.3f, recall %.3f; contradictions "
           "called both valid %zu, "
           "called the same %zu; updates %zu\n",
           t.labelled, flagged, t.true_positives, t.false_positives, flagged ? (double)t.true_positives / (double)flagged : 0.0,
           t.labelled ? (double)t.true_positives / (double)t.labelled : 0.0, t.vetoed_right, t.same_wrong, t.updates);
    if (t.update_all)
        printf("updates: %zu, found %zu, called contradictions %zu; of other facts: called updates %zu, "
               "contradictions %zu\n",
               t.update_all, t.update_found, t.update_conflict, t.update_wrong, t.update_false);
    return ok ? 0 : 1;
}
