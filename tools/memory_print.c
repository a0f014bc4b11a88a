/* memory_print.c - the results of the memory's tools, for people. See memory_print.h. */
#include "tools/memory_print.h"

#include <stdio.h>
#include <string.h>

#include "core/base/hidden.h"
#include "tools/cli.h"

const char *text_of(const cJSON *o, const char *key) {
    cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    if (!cJSON_IsString(v)) return "";
    eg_str text = eg_str_of(v->valuestring);
    if (eg_hidden_next(text, 0, NULL) == text.len) return v->valuestring;
    eg_buffer b = {0};
    eg_hidden_show(&b, text, EG_HIDDEN_TEXT);
    eg_buffer_add(&b, "", 1);
    /* lives as long as the result */
    const char *shown = b.failed ? NULL : cJSON_SetValuestring(v, b.ptr);
    eg_buffer_release(&b);
    return shown ? shown : "";
}
double number_of(const cJSON *o, const char *key) {
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(v) ? v->valuedouble : 0;
}
int true_of(const cJSON *o, const char *key) { return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, key)); }

const char *short_id(const cJSON *o, const char *key) {
    const char *id = text_of(o, key);
    size_t n = strlen(id);
    return n > 8 ? id + n - 8 : id;
}

void print_lines(const char *text, int indent) {
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
        printf("%.*s\n%*s", (int)(end - text), text, indent, "");
    fputs(text, stdout);
}

void print_side(const char *label, const cJSON *fact) {
    if (!cJSON_IsObject(fact)) {
        puts("  (a fact that was erased)");
        return;
    }
    int indent = printf("  %s  ", label);
    print_lines(text_of(fact, "content"), indent);
    printf("  [%s, %s%s%s]\n", text_of(fact, "scope"), text_of(fact, "agent_id"), *text_of(fact, "provenance") ? ", " : "",
           text_of(fact, "provenance"));
}

void print_stated(const cJSON *o, const char *key) {
    if (!*text_of(o, key)) return;
    int indent = printf("    stated as: ");
    print_lines(text_of(o, key), indent);
    putchar('\n');
}

void print_conflict(const cJSON *c) {
    printf("conflict %s  %s  %s %.2f  %s\n", short_id(c, "conflict_id"), text_of(c, "severity"), text_of(c, "detection_tier"),
           number_of(c, "score"), text_of(c, "status"));
    const cJSON *a = cJSON_GetObjectItemCaseSensitive(c, "fact_a"), *b = cJSON_GetObjectItemCaseSensitive(c, "fact_b");
    print_side(short_id(a, "fact_id"), a);
    print_stated(c, "stated_a");
    print_side(short_id(b, "fact_id"), b);
    print_stated(c, "stated_b");
    fputs("  ", stdout);
    print_lines(text_of(c, "explanation"), 2);
    putchar('\n');
    if (strcmp(text_of(c, "status"), "expired") == 0) {
        const char *of_a = text_of(a, "valid_until"), *of_b = text_of(b, "valid_until");
        /* UTC: as texts they are in order */
        int first = *of_a && (!*of_b || strcmp(of_a, of_b) <= 0);
        printf("  expired: fact %s was valid until %s\n", short_id(first ? a : b, "fact_id"), first ? of_a : of_b);
    }
    if (*text_of(c, "judged_by")) printf("  judged by %s: %s\n", text_of(c, "judged_by"), text_of(c, "judgement"));
    if (!*text_of(c, "resolution_type")) return;
    printf("  settled: %s by %s  ", text_of(c, "resolution_type"), text_of(c, "resolved_by"));
    print_lines(text_of(c, "resolution"), 2);
    putchar('\n');
}

/* The number for `engram undo`, where the change can be undone. */
static void print_undo_id(const cJSON *r) {
    if (number_of(r, "undo_id") > 0) printf("  (undo %.0f)", number_of(r, "undo_id"));
    putchar('\n');
}

/* The pairs that a commit asks about. */
static void print_reviews(const cJSON *reviews) {
    const cJSON *one;
    cJSON_ArrayForEach(one, reviews) {
        const cJSON *a = cJSON_GetObjectItemCaseSensitive(one, "earlier"), *b = cJSON_GetObjectItemCaseSensitive(one, "later");
        printf("review %s  perhaps a contradiction (%.2f): answer with `engram review`\n", short_id(one, "review_id"),
               number_of(one, "probability"));
        print_side(short_id(a, "fact_id"), a);
        print_stated(a, "stated");
        print_side(short_id(b, "fact_id"), b);
        print_stated(b, "stated");
    }
}

/* What a new fact replaces by its own words, repeats, or stands beside in another context. */
static void print_related(const cJSON *related) {
    const cJSON *one;
    cJSON_ArrayForEach(one, related) {
        const char *outcome = text_of(one, "outcome");
        int updates = strcmp(outcome, "update") == 0, agrees = strcmp(outcome, "same") == 0;
        printf("%s %s  [%s]\n  ",
               updates  ? "replaces, by its own words,"
               : agrees ? "agrees with"
                        : "holds beside",
               short_id(one, "fact_id"), text_of(one, "agent_id"));
        print_lines(text_of(one, "why"), 2);
        putchar('\n');
        if (updates)
            printf("  close the old one with: engram commit --operation update --corrects %s and the same text\n",
                   short_id(one, "fact_id"));
    }
}

static void print_commit(const cJSON *r) {
    const cJSON *one;
    if (!*text_of(r, "fact_id")) {
        puts("nothing was stored");
        return;
    }
    int known = true_of(r, "duplicate"), deleted = strcmp(text_of(r, "operation"), "delete") == 0;
    printf("%s: fact %s", known ? "already known" : text_of(r, "operation"), short_id(r, "fact_id"));
    /* what it superseded itself is of no interest now */
    if (deleted) fputs(" closed, nothing replaces it", stdout);
    else if (!known && *text_of(r, "supersedes_fact_id")) printf(", supersedes %s", short_id(r, "supersedes_fact_id"));
    print_undo_id(r);
    const cJSON *conflicts = cJSON_GetObjectItemCaseSensitive(r, "conflicts");
    cJSON_ArrayForEach(one, conflicts) print_conflict(one);
    print_related(cJSON_GetObjectItemCaseSensitive(r, "related"));
    const cJSON *nearest = cJSON_GetObjectItemCaseSensitive(r, "nearest");
    if (nearest) {
        printf("nothing was replaced; the nearest fact is %s  ", short_id(nearest, "fact_id"));
        print_lines(text_of(nearest, "content"), 2);
        printf("\n  [%s] if this update replaces it, commit it again with --corrects %s\n", text_of(nearest, "scope"),
               short_id(nearest, "lineage_id"));
    }
    print_reviews(cJSON_GetObjectItemCaseSensitive(r, "review"));
    if (strcmp(text_of(r, "detection"), "queued") == 0)
        puts("the search for contradictions has not finished yet: run `engram conflicts` later");
}

static void print_query(const cJSON *r) {
    const cJSON *one;
    int n = 0;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(r, "results")) {
        n++;
        printf("%.2f  %s  ", number_of(one, "relevance"), short_id(one, "fact_id"));
        print_lines(text_of(one, "content"), 6);
        printf("\n      [%s, %s, %s%s%s] %s\n", text_of(one, "scope"), text_of(one, "agent_id"), text_of(one, "fact_type"),
               *text_of(one, "provenance") ? ", " : "", text_of(one, "provenance"), text_of(one, "why"));
        if (*text_of(one, "close_reason"))
            printf("      CLOSED %s: %s\n", text_of(one, "closed_at"), text_of(one, "close_reason"));
        else if (*text_of(one, "valid_until")) printf("      valid until %s\n", text_of(one, "valid_until"));
        if (*text_of(one, "stale")) printf("      STALE: %s; look before you rely on it\n", text_of(one, "stale"));
        if (true_of(one, "has_open_conflict")) puts("      DISPUTED: another fact contradicts it; see `engram conflicts`");
    }
    if (n == 0) puts("nothing is known about that");
}

static void print_conflicts(const cJSON *r) {
    const cJSON *one;
    int n = 0;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(r, "conflicts")) {
        if (n++) putchar('\n');
        print_conflict(one);
    }
    if (n == 0) puts("no conflicts");
    const cJSON *history = cJSON_GetObjectItemCaseSensitive(r, "history");
    if (cJSON_GetArraySize(history) > 2) puts("history:");
    if (cJSON_GetArraySize(history) <= 2) return; /* the two facts stand above */
    cJSON_ArrayForEach(one, history) {
        printf("  %s  ", text_of(one, "committed_at"));
        print_lines(text_of(one, "content"), 6);
        printf("  [%s%s%s]\n", text_of(one, "agent_id"), *text_of(one, "close_reason") ? ", closed: " : "",
               text_of(one, "close_reason"));
    }
}

static void print_facts(const cJSON *r, const char *key, const char *label) {
    const cJSON *one;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(r, key)) {
        printf("  %s %s  ", label, short_id(one, "fact_id"));
        print_lines(text_of(one, "content"), 6);
        putchar('\n');
    }
}

static void print_undone(const cJSON *r) {
    printf("undone: %s", text_of(r, "undone"));
    print_undo_id(r);
    print_facts(r, "restored", "restored");
    print_facts(r, "closed", "closed  ");
}

static void print_resolved(const cJSON *r) {
    const cJSON *merged = cJSON_GetObjectItemCaseSensitive(r, "merged");
    printf("conflict %s: %s", short_id(r, "conflict_id"), text_of(r, "resolution_type"));
    print_undo_id(r);
    print_facts(r, "closed", "closed ");
    if (cJSON_IsObject(merged)) printf("  new     %s  %s\n", short_id(merged, "fact_id"), text_of(merged, "content"));
}

static void print_judged(const cJSON *r) {
    printf("%s: %s, now %s", short_id(r, "conflict_id"), text_of(r, "verdict"), text_of(r, "status"));
    print_undo_id(r);
    print_facts(r, "closed", "closed ");
}

/* "pin: fact 1a2b3c4d  TEXT", with what undoes it. */
static void print_marked(const cJSON *r, const char *name) {
    const cJSON *fact = cJSON_GetObjectItemCaseSensitive(r, "fact"), *undo = cJSON_GetObjectItemCaseSensitive(r, "undo_id");
    int indent = printf("%s: fact %s  ", *text_of(r, "mark") ? text_of(r, "mark") : name, short_id(fact, "fact_id"));
    print_lines(text_of(fact, "content"), indent);
    if (cJSON_IsNumber(undo)) printf("  (undo %.0f)", undo->valuedouble);
    putchar('\n');
}

/* Groups of numbers, each a list of names with their counts. */
static void print_stats(const cJSON *r) {
    const cJSON *group, *one;
    int n = 0;
    cJSON_ArrayForEach(group, r) {
        if (!cJSON_IsArray(group)) continue;
        printf("%s%s\n", n++ ? "\n" : "", group->string);
        cJSON_ArrayForEach(one, group) printf("  %8.0f  %s\n", number_of(one, "count"), text_of(one, "name"));
    }
    if (!n) puts("nothing is stored in this workspace yet");
}

static void print_plain(const cJSON *v) {
    char *text = cJSON_IsString(v) || cJSON_IsNull(v) ? NULL : cJSON_PrintUnformatted(v);
    print_shown(eg_str_of(text ? text : cJSON_IsString(v) ? v->valuestring : "-"));
    cJSON_free(text);
}

/* Of an object, such as a model, the first member, and by their names the others that are set:
 * "/usr/share/engram/engram-embed-0; facts_waiting 3". */
static void print_value(const cJSON *v) {
    const cJSON *one;
    if (!cJSON_IsObject(v) || !v->child) {
        print_plain(v);
        return;
    }
    cJSON_ArrayForEach(one, v) {
        if (one != v->child && cJSON_IsNull(one)) continue;
        if (one != v->child) printf("; %s ", one->string);
        print_plain(one);
    }
}

/* Members of the result, one a line; nested ones indented. The status has two levels. */
static void print_members(const cJSON *o, const char *indent) {
    const cJSON *one, *inner;
    cJSON_ArrayForEach(one, o) {
        if (strcmp(one->string ? one->string : "", "notice") == 0) continue;
        if (cJSON_IsObject(one)) {
            printf("%s%s:\n", indent, one->string);
            cJSON_ArrayForEach(inner, one) {
                printf("%s  %-14s ", indent, inner->string);
                print_value(inner);
                putchar('\n');
            }
        } else {
            printf("%s%-16s ", indent, one->string ? one->string : "");
            print_value(one);
            putchar('\n');
        }
    }
}

void print_result(const char *name, const cJSON *r) {
    if (strcmp(name, "commit") == 0) print_commit(r);
    else if (strcmp(name, "query") == 0) print_query(r);
    else if (strcmp(name, "conflicts") == 0) print_conflicts(r);
    else if (strcmp(name, "resolve") == 0) print_resolved(r);
    else if (strcmp(name, "undo") == 0) print_undone(r);
    else if (strcmp(name, "judge") == 0) print_judged(r);
    else if (strcmp(name, "mark") == 0 || strcmp(name, "promote") == 0) print_marked(r, name);
    else if (strcmp(name, "stats") == 0) print_stats(r);
    else print_members(r, "");
}
