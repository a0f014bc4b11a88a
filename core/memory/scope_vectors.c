/* scope_vectors.c - see scope_vectors.h. A scope's hash chooses the set that keeps it; a full set
 * forgets what came first. The vectors are of one model at a time: another one empties all. */
#include "core/memory/scope_vectors.h"

#include <stdlib.h>

#include "core/base/hash.h"

enum {
    SETS = 512, /* a power of two */
    WAYS = 4    /* slots of a set: 3 MB in all, with 384 numbers each */
};

typedef struct slot {
    char scope[EG_MAX_SCOPE];
    size_t len;
    float *values; /* NULL: free */
} slot;

struct eg_scope_table {
    eg_hash_key key;
    char *model; /* of `model_len` bytes */
    size_t model_len;
    uint32_t dimensions;
    slot sets[SETS][WAYS]; /* the newest of a set first */
};

static void empty(eg_scope_table *t) {
    for (size_t i = 0; i < SETS; i++)
        for (size_t k = 0; k < WAYS; k++) {
            free(t->sets[i][k].values);
            t->sets[i][k].values = NULL;
        }
    free(t->model);
    t->model = NULL;
}

void eg_scope_vectors_release(eg_memory *m) {
    if (m->scopes) empty(m->scopes);
    free(m->scopes);
    m->scopes = NULL;
}

/* The table for this model; NULL when memory is out: then nothing is kept. */
static eg_scope_table *table_of(eg_memory *m, const eg_vector *like) {
    if (!m->scopes && (m->scopes = calloc(1, sizeof *m->scopes))) m->scopes->key = eg_hash_key_make();
    eg_scope_table *t = m->scopes;
    if (!t) return NULL;
    if (t->model && t->dimensions == like->dimensions && eg_str_eq((eg_str){t->model, t->model_len}, like->model_id)) return t;
    empty(t);
    if (!(t->model = malloc(like->model_id.len + 1))) return NULL;
    memcpy(t->model, like->model_id.ptr, like->model_id.len);
    t->model_len = like->model_id.len;
    t->dimensions = like->dimensions;
    return t;
}

static slot *set_of(eg_scope_table *t, eg_str scope) { return t->sets[eg_hash(&t->key, scope.ptr, scope.len) & (SETS - 1)]; }

/* NULL: it is not kept. */
static const float *kept_values(eg_scope_table *t, eg_str scope) {
    const slot *set = set_of(t, scope);
    for (size_t k = 0; k < WAYS; k++)
        if (set[k].values && eg_str_eq((eg_str){set[k].scope, set[k].len}, scope)) return set[k].values;
    return NULL;
}

static void keep(eg_scope_table *t, eg_str scope, const float *values) {
    slot *set = set_of(t, scope), fresh = {.len = scope.len, .values = set[WAYS - 1].values};
    /* kept already: another query was faster */
    if (scope.len > sizeof fresh.scope || kept_values(t, scope)) return;
    if (!fresh.values && !(fresh.values = malloc(t->dimensions * sizeof *values))) return;
    memcpy(fresh.scope, scope.ptr, scope.len);
    memcpy(fresh.values, values, t->dimensions * sizeof *values);
    memmove(set + 1, set, (WAYS - 1) * sizeof *set);
    set[0] = fresh;
}

/* Copies those of the distinct scopes that are kept to `values`, and leaves the first rows to the
 * others: their number. order[k]: which scope row k of `values` is of. */
static size_t take_kept(eg_memory *m, const eg_vector *like, const eg_str *scopes, size_t n, size_t *order, float *values) {
    size_t missing = 0, kept = n;
    pthread_mutex_lock(&m->lock);
    eg_scope_table *t = table_of(m, like);
    for (size_t i = 0; i < n; i++) {
        const float *known = t ? kept_values(t, scopes[i]) : NULL;
        size_t row = known ? --kept : missing++;
        if (known) memcpy(values + row * like->dimensions, known, like->dimensions * sizeof *values);
        order[row] = i;
    }
    pthread_mutex_unlock(&m->lock);
    return missing;
}

static size_t place_of(const eg_str *list, size_t n, eg_str scope) {
    size_t k = 0;
    while (k < n && !eg_str_eq(list[k], scope)) k++;
    return k;
}

eg_status eg_scope_vectors(eg_memory *m, eg_request *rq, const eg_vector *like, const eg_str *scopes, size_t n,
                           const float **out) {
    eg_str *distinct = eg_request_array(rq, n, sizeof *distinct);
    size_t *order = eg_request_array(rq, n, sizeof *order), count = 0;
    if (!distinct || !order) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (place_of(distinct, count, scopes[i]) == count) distinct[count++] = scopes[i];
    float *values = eg_request_array(rq, count * like->dimensions, sizeof *values);
    if (!values) return EG_ENOMEM;
    size_t missing = take_kept(m, like, distinct, count, order, values);
    size_t made = missing < EG_MOST_NEW_SCOPES ? missing : EG_MOST_NEW_SCOPES;
    eg_str unknown[EG_MOST_NEW_SCOPES];
    for (size_t k = 0; k < made; k++) unknown[k] = distinct[order[k]];
    eg_status s = made ? SERVICES(m)->embed(m->env.host, rq, unknown, made, values, like->dimensions) : EG_OK;
    if (s != EG_OK) return s;
    if (made) {
        pthread_mutex_lock(&m->lock);
        eg_scope_table *t = table_of(m, like);
        for (size_t k = 0; t && k < made; k++) keep(t, unknown[k], values + k * like->dimensions);
        pthread_mutex_unlock(&m->lock);
    }
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < n; i++)
            if (eg_str_eq(scopes[i], distinct[order[k]]))
                out[i] = k >= made && k < missing ? NULL : values + k * like->dimensions;
    return EG_OK;
}
