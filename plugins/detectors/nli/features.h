/* features.h - what the verdict knows about a pair of facts, as numbers: how near they and their
 * statements are, which words they share, what the rules found, what the model says. The training
 * reads the same numbers (rows.c), so there is one implementation. Called by verdict.c. */
#ifndef EG_NLI_FEATURES_H
#define EG_NLI_FEATURES_H

#include "changes.h"
#include "views.h"

/* Of two facts nothing depends on which was first, but for "past". `pair` is the pair of statements
 * that is likeliest to disagree: by nearness and words at first, by the model as soon as it has
 * read. A number that is not known is NaN. */
#define FEATURES(X)                                                                                \
    /* nearness, by cosine of the vectors */                                                       \
    X(COSINE, "cosine") /* the best of the statements, from the search */                          \
    X(COSINE_WHOLE, "cosine_whole")                                                                \
    X(COSINE_PAIR, "cosine_pair")                                                                  \
    X(COSINE_SECOND, "cosine_second") /* of the pair of statements that comes second */            \
    /* candidates that are nearer to the subject; copies of one of the two do not count */         \
    X(RANK_CANDIDATE, "rank_candidate")                                                            \
    X(RANK_SUBJECT, "rank_subject")             /* nearer to this one than the subject */          \
    X(LEAD, "lead")                             /* of the nearest of those over this one */        \
    X(PARALLEL, "parallel")                     /* candidates that are copies of both */           \
    X(CANDIDATES, "candidates")                 /* that are near enough to be looked at */         \
    X(IN_DOCUMENTS, "in_documents")             /* 1: statements of documents */                   \
    X(MARGIN_WHOLE_LEAST, "margin_whole_least") /* eg_margin of the facts */                       \
    X(MARGIN_WHOLE_MOST, "margin_whole_most")                                                      \
    X(MARGIN_PAIR_LEAST, "margin_pair_least") /* of the pair of statements */                      \
    X(MARGIN_PAIR_MOST, "margin_pair_most")                                                        \
    /* words, weighed by how few facts of the case have them */                                    \
    X(WHOLE_SHARED, "whole_shared")                                                                \
    X(WHOLE_ONLY_LEAST, "whole_only_least")                                                        \
    X(WHOLE_ONLY_MOST, "whole_only_most")                                                          \
    X(WHOLE_RATIO, "whole_ratio")                                                                  \
    X(PAIR_SHARED, "pair_shared")                                                                  \
    X(PAIR_ONLY_LEAST, "pair_only_least")                                                          \
    X(PAIR_ONLY_MOST, "pair_only_most")                                                            \
    X(PAIR_RATIO, "pair_ratio")                                                                    \
    X(PAIR_RAREST_SHARED, "pair_rarest_shared")                                                    \
    X(PAIR_RAREST_ONLY_LEAST, "pair_rarest_only_least")                                            \
    X(PAIR_RAREST_ONLY_MOST, "pair_rarest_only_most")                                              \
    X(PAIR_COUNT_ONLY_LEAST, "pair_count_only_least") /* words that are no fillers */              \
    X(PAIR_COUNT_ONLY_MOST, "pair_count_only_most")                                                \
    /* where the first word stands that the other side lacks: 0 to 1, which also is none */        \
    X(PAIR_FIRST_ONLY_LEAST, "pair_first_only_least")                                              \
    X(PAIR_FIRST_ONLY_MOST, "pair_first_only_most")                                                \
    X(PAIR_HEADS, "pair_heads") /* how many of the two first words the other side has */           \
    X(PAIR_NUMBERS_SHARED, "pair_numbers_shared")                                                  \
    X(PAIR_NUMBERS_ONLY_LEAST, "pair_numbers_only_least")                                          \
    X(PAIR_NUMBERS_ONLY_MOST, "pair_numbers_only_most")                                            \
    X(PAIR_IDENTIFIERS_SHARED, "pair_identifiers_shared")                                          \
    X(PAIR_IDENTIFIERS_ONLY_LEAST, "pair_identifiers_only_least")                                  \
    X(PAIR_IDENTIFIERS_ONLY_MOST, "pair_identifiers_only_most")                                    \
    X(WHOLE_NUMBERS_SHARED, "whole_numbers_shared")                                                \
    X(WHOLE_IDENTIFIERS_SHARED, "whole_identifiers_shared")                                        \
    /* between statements of documents: what was changed from one to the other (changes.h) */      \
    X(CHANGE_KEPT, "change_kept")                                                                  \
    X(CHANGE_LEAD, "change_lead")                                                                  \
    X(CHANGE_TAIL, "change_tail")                                                                  \
    X(CHANGE_SWAPS, "change_swaps")                                                                \
    X(CHANGE_INSERTS, "change_inserts")                                                            \
    X(CHANGE_LEAST, "change_least")                                                                \
    X(CHANGE_MOST, "change_most")                                                                  \
    X(CHANGE_ADDED, "change_added")                                                                \
    X(CHANGE_NUMBERS, "change_numbers")                                                            \
    X(CHANGE_NAMES, "change_names")                                                                \
    X(CHANGE_SPELLINGS, "change_spellings")                                                        \
    X(CHANGE_NEGATIONS, "change_negations")                                                        \
    X(CHANGE_RIVAL, "change_rival")   /* kept of the subject and the likest other candidate */     \
    X(CHANGE_FAMILY, "change_family") /* other candidates that keep most of the subject */         \
    X(CONTEXT_KEPT, "context_kept")   /* the same of both as they stand alone */                   \
    /* environments, and words that change what is claimed */                                      \
    X(PAIR_ENVIRONMENTS_SHARED, "pair_environments_shared")                                        \
    X(PAIR_ENVIRONMENTS_ONE_SIDE, "pair_environments_one_side")                                    \
    X(WHOLE_ENVIRONMENTS_SHARED, "whole_environments_shared")                                      \
    X(WHOLE_ENVIRONMENTS_ONE_SIDE, "whole_environments_one_side")                                  \
    X(NEGATIONS, "negations") /* on how many sides of the pair */                                  \
    X(PAST_SUBJECT, "past_subject")                                                                \
    X(PAST_CANDIDATE, "past_candidate")                                                            \
    X(PLANS, "plans")                                                                              \
    X(CONDITIONS, "conditions")                                                                    \
    X(UNIVERSALS, "universals")                                                                    \
    X(OBLIGATIONS, "obligations")                                                                  \
    /* form */                                                                                     \
    X(STATEMENTS_LEAST, "statements_least")                                                        \
    X(STATEMENTS_MOST, "statements_most")                                                          \
    X(WORDS_LEAST, "words_least")                                                                  \
    X(WORDS_MOST, "words_most")                                                                    \
    X(PAIR_WORDS_LEAST, "pair_words_least")                                                        \
    X(PAIR_WORDS_MOST, "pair_words_most")                                                          \
    X(PAIR_FIRST, "pair_first")               /* on how many sides it is the first statement */    \
    X(CONTEXT_DEPENDENT, "context_dependent") /* sides that begin with a pronoun or a label */     \
    X(KIND_ASSERTION, "kind_assertion")       /* on how many sides the statement is of the kind */ \
    X(KIND_INSTRUCTION, "kind_instruction")                                                        \
    X(KIND_PROHIBITION, "kind_prohibition")                                                        \
    X(KIND_OPTION, "kind_option")                                                                  \
    X(KIND_HISTORY, "kind_history")                                                                \
    X(KIND_PROPOSAL, "kind_proposal")                                                              \
    X(KIND_NO_CLAIM, "kind_no_claim")                                                              \
    X(COMPLETED, "completed")       /* sides with words carried in from around it */               \
    X(SCOPE_COMMON, "scope_common") /* segments */                                                 \
    X(SCOPE_BELOW, "scope_below")   /* segments of both below the common ones */                   \
    X(SCOPE_APART, "scope_apart")                                                                  \
    /* claims with typed values, and what the rules found */                                       \
    X(PAIR_VALUES_SAME, "pair_values_same")                                                        \
    X(PAIR_VALUES_COMPATIBLE, "pair_values_compatible")                                            \
    X(PAIR_VALUES_CONFLICT, "pair_values_conflict")                                                \
    X(PAIR_ATTRIBUTES_SHARED, "pair_attributes_shared")                                            \
    X(WHOLE_VALUES_SAME, "whole_values_same")                                                      \
    X(RULE_SAME, "rule_same")                                                                      \
    X(RULE_BOTH_VALID, "rule_both_valid")                                                          \
    X(RULE_UPDATE, "rule_update")                                                                  \
    X(RULE_IN_PAIR, "rule_in_pair") /* 1: the rule spoke of words of the pair */                   \
    /* the model's log-probabilities; forth: the candidate is the premise, back: the subject */    \
    X(WHOLE_FORTH_CONTRADICTION, "whole_forth_contradiction")                                      \
    X(WHOLE_FORTH_ENTAILMENT, "whole_forth_entailment")                                            \
    X(WHOLE_FORTH_NEUTRAL, "whole_forth_neutral")                                                  \
    X(PAIR_FORTH_CONTRADICTION, "pair_forth_contradiction")                                        \
    X(PAIR_FORTH_ENTAILMENT, "pair_forth_entailment")                                              \
    X(PAIR_FORTH_NEUTRAL, "pair_forth_neutral")                                                    \
    X(SECOND_FORTH_CONTRADICTION, "second_forth_contradiction")                                    \
    X(SECOND_FORTH_NEUTRAL, "second_forth_neutral")                                                \
    X(WHOLE_MEAN_CONTRADICTION, "whole_mean_contradiction")                                        \
    X(WHOLE_LEAST_CONTRADICTION, "whole_least_contradiction")                                      \
    X(WHOLE_MEAN_ENTAILMENT, "whole_mean_entailment")                                              \
    X(WHOLE_MEAN_NEUTRAL, "whole_mean_neutral")                                                    \
    X(PAIR_MEAN_CONTRADICTION, "pair_mean_contradiction")                                          \
    X(PAIR_LEAST_CONTRADICTION, "pair_least_contradiction")                                        \
    X(PAIR_MOST_CONTRADICTION, "pair_most_contradiction")                                          \
    X(PAIR_MEAN_ENTAILMENT, "pair_mean_entailment")                                                \
    X(PAIR_MEAN_NEUTRAL, "pair_mean_neutral")                                                      \
    X(SECOND_MEAN_CONTRADICTION, "second_mean_contradiction")

typedef enum feature {
#define NAME_OF(id, name) FEATURE_##id,
    FEATURES(NAME_OF)
#undef NAME_OF
        FEATURE_COUNT
} feature;

extern const char *const feature_names[FEATURE_COUNT];

/* Pairs of statements of two facts that the model reads: with the candidate as premise, and of
 * these with the subject as premise. */
enum { MAX_READ = 4, MAX_READ_BACK = 2, LABELS = 3 };
enum { CONTRADICTION = 0, ENTAILMENT, NEUTRAL };

/* A pair of texts: of statements, or of the facts. */
typedef struct text_pair {
    const part_view *subject, *candidate;
    double cosine;
    /* probabilities; below 0 where the model has not read them */
    double forth[LABELS], back[LABELS];
} text_pair;

typedef struct pair_view {
    uint32_t candidate; /* index into the case */
    const fact_view *other;
    text_pair whole, statements[MAX_READ];
    size_t count;           /* of statements, likeliest first */
    int whole_is_statement; /* both facts have one statement: statements[0] is the whole */
    int reads_whole;        /* both facts are short enough for the model to read them whole */
    text_changes changes;   /* of the two contents; in documents only */
    double rival, family;   /* as the features of these names */
    eg_margin margins[2];   /* of the facts, of the pair of statements; below 0: not asked */
    float features[FEATURE_COUNT];
} pair_view;

/* What the pairs of a case have in common. */
typedef struct case_view {
    const eg_case *c;
    const eg_services *services;
    fact_view subject;
    fact_view *others; /* one a pair */
    pair_view *pairs;
    size_t count;
    uint32_t dimensions;
    const eg_finding *rules; /* findings of earlier detectors */
    size_t rule_count;
} case_view;

/* The nearest candidates of a case with the features that need no model. The case must have at
 * least one candidate. */
eg_status features_begin(vector_cache *cache, const eg_services *services, eg_request *rq, const eg_case *c, case_view *out);
/* Fills in the features again after the model has read more of a pair. */
void features_fill(const case_view *v, pair_view *p);
/* Of a pair of texts: the mean of what is known. */
double mean_of(const text_pair *t, int label);

#endif
