/* types.h - the things of the domain as they cross the plugin border: facts, statements, claims,
 * conflicts.
 *
 * Structs here cross in arrays, so their sizes are frozen for the whole of ABI major 1. A later
 * minor gives names to bytes that are `reserved` now: whoever fills such a struct zeroes it first.
 * eg_fact keeps room for member, origin, known_at, closed_known_at, kind and attributes.
 *
 * Strings are views of valid UTF-8 that live as long as the request that produced them. Times are
 * microseconds UTC; EG_FOREVER as an end means none. An id of all zero bytes means none. */
#ifndef ENGRAM_TYPES_H
#define ENGRAM_TYPES_H

#include "limits.h"
#include "status.h"

#define EG_FOREVER INT64_MAX

typedef struct eg_id {
    uint8_t bytes[16]; /* UUIDv7; unique, but no order: order is seq */
} eg_id;
static inline int eg_id_eq(eg_id a, eg_id b) { return memcmp(a.bytes, b.bytes, 16) == 0; }
static inline int eg_id_is_none(eg_id a) {
    static const eg_id none = {{0}};
    return eg_id_eq(a, none);
}

/* The words of each enumeration, in order: tables for parsing and printing are made from them. */
#define EG_FACT_TYPE_WORDS \
    { "observation", "inference", "decision" }
#define EG_OPERATION_WORDS \
    { "add", "update", "delete", "none" }
#define EG_DURABILITY_WORDS \
    { "durable", "ephemeral" }
#define EG_CONFLICT_STATUS_WORDS \
    { "open", "resolved", "dismissed", "expired", "suspected" }
#define EG_SEVERITY_WORDS \
    { "low", "medium", "high" }
#define EG_CLOSE_REASON_WORDS \
    { "", "superseded", "deleted", "ttl", "resolved", "merged", "erased", "archived" }
#define EG_RESOLUTION_WORDS \
    { "winner", "merge", "dismissed", "both_valid" }
#define EG_JUDGEMENT_WORDS \
    { "contradiction", "update", "both_valid", "same", "unrelated" }

typedef enum eg_fact_type { EG_FACT_OBSERVATION = 0, EG_FACT_INFERENCE, EG_FACT_DECISION } eg_fact_type;
typedef enum eg_operation { EG_OP_ADD = 0, EG_OP_UPDATE, EG_OP_DELETE, EG_OP_NONE } eg_operation;
typedef enum eg_durability { EG_DURABILITY_DURABLE = 0, EG_DURABILITY_EPHEMERAL } eg_durability;
typedef enum eg_conflict_status {
    EG_CONFLICT_OPEN = 0,
    EG_CONFLICT_RESOLVED,
    EG_CONFLICT_DISMISSED,
    EG_CONFLICT_EXPIRED,  /* nobody settled it, but a fact of it has expired: read so, stored as
                           * open */
    EG_CONFLICT_SUSPECTED /* not sure enough to be reported: somebody is asked, and answers with the
                           * operation judge. Only who asks for this status gets to see it. */
} eg_conflict_status;
/* 1: somebody settled it, or a fact of it was closed */
static inline int eg_is_settled(uint32_t status) { return status == EG_CONFLICT_RESOLVED || status == EG_CONFLICT_DISMISSED; }
typedef enum eg_severity { EG_SEVERITY_LOW = 0, EG_SEVERITY_MEDIUM, EG_SEVERITY_HIGH } eg_severity;
typedef enum eg_close_reason {
    EG_CLOSE_NONE = 0,
    EG_CLOSE_SUPERSEDED,
    EG_CLOSE_DELETED,
    EG_CLOSE_TTL,
    EG_CLOSE_RESOLVED,
    EG_CLOSE_MERGED,
    EG_CLOSE_ERASED,
    EG_CLOSE_ARCHIVED /* out of the way, for restore to bring back */
} eg_close_reason;

/* What somebody marked a fact with: bits. */
typedef enum eg_mark {
    EG_MARK_PINNED = 1 /* it never ages and ranks a little higher; so does what replaces it */
} eg_mark;
typedef enum eg_resolution {
    EG_RESOLUTION_WINNER = 0,
    EG_RESOLUTION_MERGE,
    EG_RESOLUTION_DISMISS,
    EG_RESOLUTION_BOTH_VALID
} eg_resolution;

/* What a person or an agent says of a suspected contradiction. */
typedef enum eg_judgement {
    EG_JUDGED_CONTRADICTION = 0, /* they cannot both be true: it becomes an open conflict */
    EG_JUDGED_UPDATE,            /* the later fact replaces the earlier one, which is closed */
    EG_JUDGED_BOTH_VALID,        /* each is true in its own context */
    EG_JUDGED_SAME,              /* they say the same */
    EG_JUDGED_UNRELATED
} eg_judgement;

/* A fact. current at t iff valid_from <= t < valid_until. It changes by closing and by marks. */
typedef struct eg_fact {
    int64_t seq; /* order of commit in the store; 0 before it is stored */
    eg_id id, lineage_id, supersedes, restored_from;
    eg_id parents[2];                                                     /* of a merged fact */
    eg_str content, scope, agent_id, engineer, provenance, artifact_hash; /* empty: not given */
    double confidence;                                                    /* 0 to 1 */
    uint32_t fact_type, operation, durability;                            /* the enums above */
    uint32_t ttl_days;                                                    /* 0: none */
    int64_t committed_at, valid_from, valid_until;
    int64_t closed_at; /* 0: not closed */
    uint32_t close_reason;
    uint32_t open_conflicts; /* filled by reads */
    uint32_t corroborations; /* distinct other agents that said the same; filled by reads */
    uint32_t query_hits;
    eg_str closed_by;
    uint8_t content_hash[32]; /* SHA-256 of the normalised content */
    uint32_t marks;           /* eg_mark */
    uint32_t reserved0;       /* 0 */
    uint64_t reserved[15];    /* 0 */
} eg_fact;

/* A byte range [start, end) of a fact's content. */
typedef struct eg_span {
    uint32_t start, end;
} eg_span;

/* What a statement does. Only some kinds can contradict others: see core/text/text.h. */
typedef enum eg_statement_kind {
    EG_STATEMENT_ASSERTION = 0,
    EG_STATEMENT_INSTRUCTION, /* "Run the migrations first." */
    EG_STATEMENT_PROHIBITION, /* "Never edit files in gen/." */
    EG_STATEMENT_OPTION,      /* a named key, flag or field with its value or default */
    EG_STATEMENT_EXAMPLE,
    EG_STATEMENT_HISTORY,  /* was, until, renamed, removed */
    EG_STATEMENT_PROPOSAL, /* planned, rejected, under discussion */
    EG_STATEMENT_QUESTION,
    EG_STATEMENT_STEP,        /* of a numbered procedure */
    EG_STATEMENT_ASIDE,       /* says nothing about the system */
    EG_STATEMENT_ALTERNATIVE, /* one of several that a decision record weighs, with merits and
                               * drawbacks */
    EG_STATEMENT_PLACEHOLDER, /* a template to fill in */
    EG_STATEMENT_HEADER_FIELD /* front matter, status, date, owner of a document */
} eg_statement_kind;

typedef enum eg_statement_flag {
    EG_STATEMENT_GIVEN = 1 /* the agent that committed the fact wrote `alone` */
} eg_statement_flag;

/* A statement of a fact, as it was read. */
typedef struct eg_statement {
    eg_span span;
    uint32_t kind;        /* eg_statement_kind */
    uint32_t flags;       /* eg_statement_flag */
    eg_str alone;         /* the statement so that it stands by itself: subject, condition, heading,
                           * row and column carried in; empty: its own words do already */
    uint64_t reserved[2]; /* 0 */
} eg_statement;
EG_SIZE_FROZEN(eg_statement, 48);

/* The statement's text as it stands alone. */
static inline eg_str eg_statement_text(eg_str content, const eg_statement *s) {
    return s->alone.len ? s->alone : (eg_str){content.ptr + s->span.start, s->span.end - s->span.start};
}

typedef enum eg_value_kind {
    EG_VALUE_NONE = 0, /* the claim is about the subject's existence or use */
    EG_VALUE_QUANTITY, /* low..high in the canonical unit of `dimension` */
    EG_VALUE_VERSION,
    EG_VALUE_BOOLEAN, /* text "true" or "false" */
    EG_VALUE_ENUM,    /* a word out of an open set: a product, mode, colour */
    EG_VALUE_NAME,    /* an owner, host, identifier */
    EG_VALUE_PATH,
    EG_VALUE_PORT,
    EG_VALUE_DATE, /* low..high: microseconds UTC, high exclusive */
    EG_VALUE_LIST  /* text: sorted items joined by '\n' */
} eg_value_kind;

typedef enum eg_modality {
    EG_MODALITY_IS = 0,
    EG_MODALITY_SHOULD,
    EG_MODALITY_PLANNED,
    EG_MODALITY_REJECTED,
    EG_MODALITY_QUOTED,
    EG_MODALITY_PAST
} eg_modality;
typedef enum eg_quantifier {
    EG_QUANTIFIER_EXACTLY = 0,
    EG_QUANTIFIER_ALL,
    EG_QUANTIFIER_ONLY,
    EG_QUANTIFIER_NEVER,
    EG_QUANTIFIER_AT_MOST,
    EG_QUANTIFIER_AT_LEAST,
    EG_QUANTIFIER_ABOUT
} eg_quantifier;

/* mantissa * 10^exponent, exact. */
typedef struct eg_decimal {
    int64_t mantissa;
    int32_t exponent;
    uint32_t infinite; /* 1: unlimited (mantissa's sign tells which way) */
} eg_decimal;

/* What the deterministic tiers compare. Keys are normalised text, compared bytewise. */
typedef struct eg_claim {
    uint32_t statement; /* index into the fact's statements */
    eg_span span;       /* of the content: the words of the value */
    eg_str subject;     /* what it is about, as sorted folded words: "auth service",
                         * "billing.retry"; empty: not sure, the value may only be compared with one
                         * in the same place of the same sentence */
    eg_str attribute;   /* "timeout", "rate limit", "database" */
    eg_str qualifiers;  /* sorted "key=value" joined by ';': "env=staging;version=2" */
    uint32_t value_kind;
    eg_decimal low, high;
    eg_str text;      /* normalised value of kinds other than numbers; else as written */
    eg_str dimension; /* of a quantity: "time" (s), "bytes" (B), "rate" (1/s), "percent", "count",
                       * "count:retries" ... */
    int32_t polarity; /* 1, or -1: denied */
    uint32_t modality, quantifier;
    uint32_t extractor;   /* version of the extractor */
    uint64_t reserved[4]; /* 0 */
} eg_claim;

typedef struct eg_conflict {
    eg_id id;
    eg_id fact_a, fact_b; /* a was committed before b */
    int64_t seq, detected_at;
    eg_str tier;     /* "tier0_entity", "tier1_nli", "tier2_numeric", "tier2_temporal",
                      * "tier2b_cross_scope", "tier3_llm" (of a check), "plugin:NAME" */
    eg_str detector; /* name and version of who found it */
    double score;    /* 0 to 1 */
    eg_str explanation;
    eg_span span_a, span_b;
    uint32_t severity, status;
    uint32_t resolution_type; /* eg_resolution, when it is settled */
    int64_t resolved_at;
    eg_str resolved_by, resolution; /* of an open one: who judged it to be a contradiction, and why;
                                     * else empty */
    eg_id resolved_fact;            /* the winner or the merged fact */
    int64_t until_a, until_b;       /* valid_until of the two facts; filled by reads */
    uint64_t reserved[4];           /* 0 */
} eg_conflict;

EG_SIZE_FROZEN(eg_fact, 448);
EG_SIZE_FROZEN(eg_claim, 184);
EG_SIZE_FROZEN(eg_conflict, 256);

#endif
