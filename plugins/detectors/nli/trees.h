/* trees.h - gradient-boosted trees out of a file, and their walk. Knows no case: features have
 * names and numbers only. The file is written by tools/train/train_verdict.py. Called by verdict.c.
 * Thread class: any.
 *
 * The file, little-endian: "EGTREES1"; u32 features, stages, points, trees, nodes; each feature's
 * name, 32 bytes, padded with zeros; each stage: u32 trees, u32 points, f32 base, f32 least;
 * points: f32 sum, f32 probability; each tree: u32 nodes; nodes: f32 value, u16 feature, u16 right.
 * Trees and points stand in the order of their stages. */
#ifndef EG_NLI_TREES_H
#define EG_NLI_TREES_H

#include "engram/plugin.h"

/* Stages decide one after the other: what falls below the least of one is not looked at by the
 * next, which knows more. */
enum { MAX_STAGES = 4, MAX_TREE_FEATURES = 256 };

typedef struct trees trees;

/* Reads and checks a file. names: of the features that the caller has, in the order of its rows.
 * `what` names the file in errors. EG_EFORMAT with what is wrong, EG_ENOMEM. */
eg_status trees_read(eg_str bytes, const char *what, const char *const *names, size_t name_count, size_t stages, trees **out,
                     eg_error *err);
void trees_destroy(trees *t);

/* The sum over the trees of a stage: the logarithm of the odds. row: as names; a NaN goes where it
 * went in training. */
double trees_sum(const trees *t, size_t stage, const float *row);
/* 1 when the sum is at least what the stage lets pass. */
int trees_pass(const trees *t, size_t stage, double sum);
/* The calibrated probability of a sum. */
double trees_probability(const trees *t, size_t stage, double sum);

#endif
