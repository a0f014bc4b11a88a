/* infer.h - libengram-infer: transformer encoders on a CPU, read straight from a Hugging Face model folder.
 *
 * An engine holds the thread pool and the choice of kernels; models are opened on it. There is no global
 * state. Everything that a call returns lies in the caller's buffers. Any number of threads may call into the
 * same engine and the same model at once; destroy a thing only when nobody is inside a call on it. What a caller cannot mean
 * (NULL where something is needed, a wrong size, a number that its enum lacks) is EG_EINVAL. Structures with a size may be those
 * of a newer header while its new fields are 0. A child of fork() may go on with what it finds, alone in it, when no call was
 * running.
 *
 * Same bits: for finite weights the results do not depend on the batch a text is in, on the number of threads, nor on the
 * thread's floating-point control word; those of f32 and s8 not on the instruction set either (EG_GEMM_OPENBLAS is outside this
 * promise). */
#ifndef ENGRAM_INFER_H
#define ENGRAM_INFER_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EG_INFER_API __attribute__((visibility("default")))

typedef struct eg_engine eg_engine;
typedef struct eg_model eg_model;

/* Kernel ISAs; EG_ISA_AUTO takes the best that this CPU has and that was measured on such a CPU (or the one that
 * $ENGRAM_ISA names: scalar, avx2, avx512, neon, avxvnni, avx512vnni, dotprod, amx, i8mm, avx512bf16). Asking for an ISA that
 * the CPU lacks: EG_EUNSUPPORTED. */
typedef enum eg_isa {
    EG_ISA_AUTO = 0,
    EG_ISA_SCALAR,
    EG_ISA_AVX2,
    EG_ISA_AVX512,
    EG_ISA_NEON,
    EG_ISA_AVXVNNI,    /* AVX2 with vpdpbusd */
    EG_ISA_AVX512VNNI, /* AVX-512 with vpdpbusd */
    EG_ISA_DOTPROD,    /* NEON with sdot */
    EG_ISA_AMX,        /* AVX-512 with vpdpbusd and tiles, of int8 and of bf16 */
    EG_ISA_I8MM,       /* NEON with smmla and bfdot */
    EG_ISA_AVX512BF16  /* AVX-512 with vpdpbusd and vdpbf16ps */
} eg_isa;

typedef enum eg_gemm_kind { EG_GEMM_OWN = 0, EG_GEMM_OPENBLAS } eg_gemm_kind;

typedef struct eg_engine_options {
    size_t size;       /* sizeof(eg_engine_options); later fields are appended, 0 is their default */
    uint32_t threads;  /* 0: what affinity and the cgroup quota allow; at most 256 */
    uint32_t isa;      /* eg_isa */
    uint32_t gemm;     /* eg_gemm_kind */
    uint32_t reserved; /* 0 */
} eg_engine_options;

/* options may be NULL for the defaults. EG_EINVAL, EG_ENOMEM, EG_EUNSUPPORTED, EG_EBUSY: no thread could be started. */
EG_INFER_API eg_status eg_engine_create(const eg_engine_options *options, eg_engine **out, eg_error *err);
EG_INFER_API void eg_engine_destroy(eg_engine *engine);
/* Threads in use and the name of the ISA ("avx512"); 0 and "" of NULL. */
EG_INFER_API uint32_t eg_engine_threads(const eg_engine *engine);
EG_INFER_API const char *eg_engine_isa(const eg_engine *engine);

typedef enum eg_head { EG_HEAD_EMBEDDING = 0, EG_HEAD_CLASSES = 1, EG_HEAD_TOKENS = 2 } eg_head;

/* The arithmetic of a model's matrices. EG_FORMAT_AUTO: s8 for weights that are stored as s8, else f32. EG_FORMAT_S8: weights
 * and activations of 8 bit in blocks of 128 with f32 scales, quantised at load where the file holds floats. EG_FORMAT_BF16:
 * weights and activations as bfloat16, sums in f32. ISAs without an instruction for it (all but avx512bf16, amx and i8mm) give
 * the same bits as each other. One with it has bits of its own: such instructions round within pairs of inputs, and take numbers
 * below 2^-126 for 0. Each sum then is within inputs * 2^-22 times the sum of the products' magnitudes of the others'. */
typedef enum eg_format { EG_FORMAT_AUTO = 0, EG_FORMAT_F32, EG_FORMAT_S8, EG_FORMAT_BF16 } eg_format;

typedef struct eg_model_options {
    size_t size;       /* sizeof(eg_model_options); later fields are appended */
    uint32_t format;   /* eg_format */
    uint32_t reserved; /* 0 */
    /* A folder for packed weights, or NULL: written at the first open (atomically, once for several starts), mapped and shared
     * between processes afterwards. A file in it that is damaged or of other weights is packed anew; a folder that cannot be
     * written costs only the packing. The folder is made when it is not there. Its files may be deleted or replaced at any time,
     * but not written into or cut off: like every mapped file, that would change or end the processes that use them. */
    const char *cache;
} eg_model_options;

typedef struct eg_model_info {
    size_t size;              /* in: sizeof(eg_model_info) of the caller */
    const char *architecture; /* "bert", "roberta", "deberta-v2"; lives as long as the model, as all strings here */
    uint32_t head;            /* eg_head: what the folder's config declares */
    uint32_t layers, hidden, heads, intermediate, vocabulary;
    uint32_t max_tokens;            /* longest input with its special tokens; longer ones are truncated */
    uint32_t labels;                /* number of classes, 0 without a classification head */
    const char *const *label_names; /* labels names in id order */
    uint64_t weight_bytes;          /* of the packed weights in memory */
    uint32_t format;                /* eg_format in use: never EG_FORMAT_AUTO */
    uint32_t prompts;               /* of config_sentence_transformers.json */
    const char *const *prompt_names;
    uint32_t normalizes; /* 1: embeddings have length 1; 0: modules.json has no Normalize */
} eg_model_info;

/* Opens the folder dir: config.json, model.safetensors (or the files that model.safetensors.index.json names), tokenizer.json or
 * else vocab.txt, vocab.json with merges.txt or spm.model, and for embeddings the sentence-transformers files where they are.
 * options may be NULL for the defaults. Nothing is kept open or half loaded on an error, which names the
 * file and the field: EG_ENOENT, EG_EPERM, EG_EINVAL (no folder, or no regular file in it), EG_EFORMAT,
 * EG_EUNSUPPORTED, EG_ELIMIT, EG_ENOMEM, EG_EIO. */
EG_INFER_API eg_status eg_model_open(eg_engine *engine, const char *dir, const eg_model_options *options, eg_model **out,
                                     eg_error *err);
EG_INFER_API void eg_model_close(eg_model *model);
/* Fills *info as far as info->size covers. */
EG_INFER_API eg_status eg_model_describe(const eg_model *model, eg_model_info *info, eg_error *err);

/* A flag that another thread may set, and a deadline. Long calls check both between texts, between layers, and while they wait
 * for the engine's threads. */
typedef struct eg_cancel {
    const int *flag;  /* NULL: cannot be cancelled; else set with eg_cancel_request() and read with eg_cancel_is_set() only */
    int64_t deadline; /* CLOCK_MONOTONIC microseconds, 0: none */
} eg_cancel;

/* Asks every call that got this flag to stop. Any thread; also safe in a signal handler. */
static inline void eg_cancel_request(int *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }
/* 1 when somebody asked to stop. c may be NULL. Does not check the deadline: that needs a clock. */
static inline int eg_cancel_is_set(const eg_cancel *c) { return c && c->flag && __atomic_load_n(c->flag, __ATOMIC_ACQUIRE) != 0; }

/* Sentence embeddings: pooled as the folder says (mean by default), L2-normalised but where modules.json has no Normalize. Writes
 * n rows of `hidden` floats to out. White space at the ends of a text, its prompt in front, does not count; a text without a
 * single token gives the vector of its special tokens. cancel may be NULL. EG_EINVAL for invalid UTF-8 (which text), EG_ELIMIT
 * for more than 1,048,576 texts, EG_ECANCELLED, EG_ENOMEM. */
EG_INFER_API eg_status eg_model_embed(const eg_model *model, const eg_str *texts, size_t n, float *out, const eg_cancel *cancel,
                                      eg_error *err);

/* Bytes [begin, end) of a text. */
typedef struct eg_range {
    size_t begin, end;
} eg_range;

/* The same with the prompt of that name before each text ("query", "passage": what the folder calls them). NULL: the folder's
 * default prompt where it names one, which is what eg_model_embed takes too. EG_EINVAL for a name that the folder lacks, with
 * those it has. */
EG_INFER_API eg_status eg_model_embed_prompted(const eg_model *model, const char *prompt, const eg_str *texts, size_t n,
                                               float *out, const eg_cancel *cancel, eg_error *err);

typedef struct eg_pair {
    eg_str first, second; /* premise and hypothesis; second.ptr NULL: a single text */
} eg_pair;

/* Classification: writes n rows of `labels` logits to out. Errors as above; EG_EUNSUPPORTED without the head. */
EG_INFER_API eg_status eg_model_classify(const eg_model *model, const eg_pair *pairs, size_t n, float *logits,
                                         const eg_cancel *cancel, eg_error *err);
/* Token classification: writes a row of `labels` logits to out for every token of every text, special ones too, in the order
 * of eg_model_tokenize; rows of text i are [offsets[i], offsets[i + 1]). offsets: n + 1. most: rows that logits holds; where
 * they are too few, EG_ELIMIT, with offsets filled. Else as above. */
EG_INFER_API eg_status eg_model_label_tokens(const eg_model *model, const eg_str *texts, size_t n, float *logits, size_t most,
                                             size_t *offsets, const eg_cancel *cancel, eg_error *err);

/* How the tokens of a word are brought to one label before words are joined to entities. EG_AGGREGATE_SIMPLE: each token is a
 * word of its own. Else a word is a token with those that continue it (BERT: ##; other vocabularies: no space between), and has
 * the label of its first token, the one of the highest mean probability, or that of its surest token. */
typedef enum eg_aggregation {
    EG_AGGREGATE_SIMPLE = 0,
    EG_AGGREGATE_FIRST,
    EG_AGGREGATE_AVERAGE,
    EG_AGGREGATE_MAX
} eg_aggregation;

typedef struct eg_entity {
    eg_str label;      /* what follows the first hyphen of the model's label, else all of it; lives as long as the model */
    eg_range span;     /* bytes of its text */
    float score;       /* mean probability of the labels of its words */
    uint32_t reserved; /* 0 */
} eg_entity;

/* Entities of texts by a token classification model: words whose labels are of one kind are one entity until a label begins with
 * B-; what is labelled O is none. Labels may have prefixes (B-PER, I-PER) or not (PER). Writes them to entities, in the order of
 * the texts; those of text i are [offsets[i], offsets[i + 1]). offsets: n + 1. most: what entities holds (there are never more
 * than tokens); where they are too few, EG_ELIMIT, with offsets filled. EG_EINVAL for an unknown aggregation; else as above. */
EG_INFER_API eg_status eg_model_entities(const eg_model *model, const eg_str *texts, size_t n, uint32_t aggregation,
                                         eg_entity *entities, size_t most, size_t *offsets, const eg_cancel *cancel,
                                         eg_error *err);
/* Turns rows of logits into probabilities in place: softmax, or the logistic function when labels is 1. */
EG_INFER_API void eg_softmax(float *rows, size_t n, size_t labels);

/* Token ids of one text or pair with special tokens, truncated as for inference. Writes at most `most` ids
 * (and token types, when types is not NULL) and stores the full number in *count. */
EG_INFER_API eg_status eg_model_tokenize(const eg_model *model, eg_pair text, uint32_t *ids, uint8_t *types, size_t most,
                                         size_t *count, eg_error *err);

/* The same, and in spans (when it is not NULL) the bytes of its text that each token comes from: of the second text for its
 * tokens, {0, 0} for special tokens. Spans are those of the reference tokenizer: they hold whole code points, a token may have an
 * empty one, two may overlap, and a space before a word belongs to the word where the tokenizer's files do not say that it is
 * trimmed. */
EG_INFER_API eg_status eg_model_tokenize_spans(const eg_model *model, eg_pair text, uint32_t *ids, uint8_t *types,
                                               eg_range *spans, size_t most, size_t *count, eg_error *err);

/* Probability of each label of one direction, or cosine: small helpers for hosts. n: length of both rows. */
EG_INFER_API float eg_cosine(const float *a, const float *b, size_t n);

/* For bindings that cannot include this header: the library's version ("0.1.0"), and the size of its structures, by which a
 * binding can tell whether its own are the same; 0 for a number that is none. */
typedef enum eg_infer_struct {
    EG_STRUCT_STR = 0,
    EG_STRUCT_ERROR,
    EG_STRUCT_PAIR,
    EG_STRUCT_CANCEL,
    EG_STRUCT_ENGINE_OPTIONS,
    EG_STRUCT_MODEL_OPTIONS,
    EG_STRUCT_MODEL_INFO,
    EG_STRUCT_RANGE,
    EG_STRUCT_ENTITY
} eg_infer_struct;
EG_INFER_API const char *eg_infer_version(void);
EG_INFER_API size_t eg_infer_struct_size(uint32_t which);

#ifdef __cplusplus
}
#endif
#endif
