/* trees.c - see trees.h. */
#include "trees.h"

#include <math.h>
#include <stdlib.h>

enum { NAME = 32, MAX_TREES = 1 << 14, MAX_NODES = 1 << 21, MAX_POINTS = 1 << 12, MISSING_LEFT = 0x8000 };

typedef struct node { /* as in the file */
    float value;      /* of a leaf; else: a feature up to it goes left */
    uint16_t feature; /* of the row; MISSING_LEFT: a NaN goes left */
    uint16_t right;   /* within the tree; 0: a leaf. Left is the next node */
} node;

typedef struct point {
    float sum, probability;
} point;

typedef struct stage {
    uint32_t trees, points;
    float base, least;
    uint32_t first_tree, first_point;
} stage;

struct trees {
    uint32_t stage_count;
    stage stages[MAX_STAGES];
    point *points;
    uint32_t *roots; /* of the nodes */
    node *nodes;
};

/* What is left of the bytes. */
typedef struct reader {
    const char *at;
    size_t left;
    const char *what;
    eg_error *err;
} reader;

static eg_status refuse(const reader *r, const char *why, uint32_t number) {
    *r->err = (eg_error){.code = EG_EFORMAT};
    snprintf(r->err->text, sizeof r->err->text, "'%s' is damaged or of another version: %s (%u). Install the model again",
             r->what, why, number);
    return EG_EFORMAT;
}

static int take(reader *r, void *out, size_t n) {
    if (r->left < n) return 0;
    memcpy(out, r->at, n);
    r->at += n;
    r->left -= n;
    return 1;
}

/* The row's place of each feature of the file. */
static eg_status read_names(reader *r, uint32_t count, const char *const *names, size_t name_count, uint16_t *places) {
    for (uint32_t i = 0; i < count; i++) {
        char name[NAME];
        size_t k = 0;
        if (!take(r, name, NAME) || name[NAME - 1]) return refuse(r, "the names of the features end early", i);
        while (k < name_count && strcmp(names[k], name) != 0) k++;
        if (k == name_count) return refuse(r, "it uses a feature that this plugin does not know", i);
        places[i] = (uint16_t)k;
    }
    return EG_OK;
}

static eg_status read_stages(reader *r, trees *t, uint32_t points, uint32_t tree_count) {
    uint32_t used_points = 0, used_trees = 0;
    for (uint32_t i = 0; i < t->stage_count; i++) {
        stage *s = &t->stages[i];
        if (!take(r, s, offsetof(stage, first_tree))) return refuse(r, "the stages end early", i);
        if (s->trees > tree_count - used_trees || s->points > points - used_points || !isfinite(s->base) || isnan(s->least))
            return refuse(r, "a stage is out of range", i);
        s->first_tree = used_trees;
        s->first_point = used_points;
        used_trees += s->trees;
        used_points += s->points;
    }
    return used_points == points && used_trees == tree_count ? EG_OK
                                                             : refuse(r, "trees or points belong to no stage", used_trees);
}

static eg_status read_points(reader *r, trees *t, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        point *p = &t->points[i];
        if (!take(r, p, sizeof *p)) return refuse(r, "the points of the calibration end early", i);
        if (!isfinite(p->sum) || !(p->probability >= 0 && p->probability <= 1))
            return refuse(r, "a point of the calibration is out of range", i);
    }
    for (uint32_t s = 0; s < t->stage_count; s++)
        for (uint32_t i = 1; i < t->stages[s].points; i++) {
            const point *p = &t->points[t->stages[s].first_point + i];
            if (p->sum <= p[-1].sum || p->probability < p[-1].probability)
                return refuse(r, "the points of the calibration do not ascend", i);
        }
    return EG_OK;
}

/* Every child comes after its parent within its tree, so that a walk ends. */
static eg_status read_tree(reader *r, node *nodes, uint32_t count, const uint16_t *places, uint32_t features) {
    for (uint32_t i = 0; i < count; i++) {
        node *n = &nodes[i];
        if (!take(r, n, sizeof *n)) return refuse(r, "the nodes end early", i);
        if (n->right == 0) {
            if (!isfinite(n->value)) return refuse(r, "a leaf is not a number", i);
            continue;
        }
        uint32_t feature = n->feature & (MISSING_LEFT - 1u);
        if (feature >= features || n->right <= i + 1 || n->right >= count || isnan(n->value))
            return refuse(r, "a node is out of range", i);
        n->feature = (uint16_t)(places[feature] | (n->feature & MISSING_LEFT));
    }
    return count && nodes[count - 1].right == 0 ? EG_OK : refuse(r, "a tree does not end with a leaf", count);
}

static eg_status read_trees(reader *r, trees *t, uint32_t tree_count, uint32_t node_count, const uint16_t *places,
                            uint32_t features) {
    const char *sizes = r->at;
    uint32_t used = 0;
    if (r->left / sizeof(uint32_t) < tree_count) return refuse(r, "the sizes of the trees end early", tree_count);
    r->at += tree_count * sizeof(uint32_t);
    r->left -= tree_count * sizeof(uint32_t);
    for (uint32_t i = 0; i < tree_count; i++) {
        uint32_t size;
        memcpy(&size, sizes + i * sizeof size, sizeof size);
        if (size > node_count - used) return refuse(r, "a tree has too many nodes", i);
        t->roots[i] = used;
        eg_status s = read_tree(r, t->nodes + used, size, places, features);
        if (s != EG_OK) return s;
        used += size;
    }
    return used == node_count && r->left == 0 ? EG_OK : refuse(r, "bytes are left over", used);
}

eg_status trees_read(eg_str bytes, const char *what, const char *const *names, size_t name_count, size_t stages, trees **out,
                     eg_error *err) {
    reader r = {bytes.ptr, bytes.len, what, err};
    char magic[8];
    uint32_t head[5] = {0}; /* features, stages, points, trees, nodes */
    uint16_t places[MAX_TREE_FEATURES];
    *out = NULL;
    if (!take(&r, magic, sizeof magic) || memcmp(magic, "EGTREES1", sizeof magic) != 0)
        return refuse(&r, "it does not begin as a file of trees", 0);
    if (!take(&r, head, sizeof head) || head[0] > MAX_TREE_FEATURES || head[1] != stages || stages > MAX_STAGES ||
        head[2] > MAX_POINTS || head[3] > MAX_TREES || head[4] > MAX_NODES)
        return refuse(&r, "its head is out of range", head[1]);
    trees *t = calloc(1, sizeof *t);
    if (t) {
        t->stage_count = head[1];
        t->points = malloc((head[2] + 1) * sizeof *t->points);
        t->roots = malloc((head[3] + 1) * sizeof *t->roots);
        t->nodes = malloc((head[4] + 1) * sizeof *t->nodes);
    }
    eg_status s = t && t->points && t->roots && t->nodes ? EG_OK : EG_ENOMEM;
    if (s != EG_OK) *err = (eg_error){s, "out of memory for the trees of the verdict"};
    if (s == EG_OK) s = read_names(&r, head[0], names, name_count, places);
    if (s == EG_OK) s = read_stages(&r, t, head[2], head[3]);
    if (s == EG_OK) s = read_points(&r, t, head[2]);
    if (s == EG_OK) s = read_trees(&r, t, head[3], head[4], places, head[0]);
    if (s == EG_OK) *out = t;
    else trees_destroy(t);
    return s;
}

void trees_destroy(trees *t) {
    if (!t) return;
    free(t->points);
    free(t->roots);
    free(t->nodes);
    free(t);
}

static float leaf_of(const node *tree, const float *row) {
    uint32_t i = 0;
    while (tree[i].right) {
        float x = row[tree[i].feature & (MISSING_LEFT - 1u)];
        int left = isnan(x) ? (tree[i].feature & MISSING_LEFT) != 0 : x <= tree[i].value;
        i = left ? i + 1 : tree[i].right;
    }
    return tree[i].value;
}

double trees_sum(const trees *t, size_t stage_number, const float *row) {
    const stage *s = &t->stages[stage_number];
    double sum = (double)s->base;
    for (uint32_t i = 0; i < s->trees; i++) sum += (double)leaf_of(t->nodes + t->roots[s->first_tree + i], row);
    return sum;
}

int trees_pass(const trees *t, size_t stage_number, double sum) { return sum >= (double)t->stages[stage_number].least; }

double trees_probability(const trees *t, size_t stage_number, double sum) {
    const stage *s = &t->stages[stage_number];
    const point *p = t->points + s->first_point;
    if (s->points == 0) return 1 / (1 + exp(-sum));
    if (sum <= (double)p[0].sum) return (double)p[0].probability;
    for (uint32_t i = 1; i < s->points; i++) {
        if (sum > (double)p[i].sum) continue;
        double share = (sum - (double)p[i - 1].sum) / ((double)p[i].sum - (double)p[i - 1].sum);
        return (double)p[i - 1].probability + share * ((double)p[i].probability - (double)p[i - 1].probability);
    }
    return (double)p[s->points - 1].probability;
}
