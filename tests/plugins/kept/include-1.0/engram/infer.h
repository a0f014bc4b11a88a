/* infer.h - libengram-infer: transformer encoders on a CPU, read straight from a Hugging Face model
 * folder.
 *
 * An engine holds the thread pool and the choice of kernels; models are opened on it. There is no
 * global state. Everything that a call returns is in the caller's buffers, unless its comment says
 * otherwise. Any number of threads may call into the same engine and the same model at once;
 * destroy an object only when no call uses it. Arguments that make no sense (NULL where something
 * is needed, a wrong size, a number that is not in the enumeration) give EG_EINVAL. A structure
 * with a size may be that of a newer header as long as its new fields are 0. After fork(), the
 * child may use engines and models, on its one thread, if no call was running.
 *
 * Reproducibility: for finite weights, results do not depend on the batch that a text is in, on the
 * number of threads or on the calling thread's floating-point control word. Those of f32 and s8 do
 * not depend on the instruction set either. EG_GEMM_OPENBLAS makes none of these promises. */
#ifndef ENGRAM_INFER_H
#define ENGRAM_INFER_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EG_INFER_API __attribute__((visibility("default")))

typedef struct eg_engine eg_engine;
typedef struct eg_model eg_model;

/* Instruction sets. EG_ISA_AUTO: the one that $ENGRAM_ISA names (scalar, avx2, avx512, neon,
 * avxvnni, avx512vnni, dotprod, amx, i8mm, avx512bf16), else the best of this CPU that has been
 * measured on such a CPU. EG_EUNSUPPORTED if the CPU lacks it. */
typedef enum eg_isa {
    EG_ISA_AUTO = 0,
    EG_ISA_SCALAR,
    EG_ISA_AVX2,
    EG_ISA_AVX512,
    EG_ISA_NEON,
    EG_ISA_AVXVNNI,    /* AVX2 with vpdpbusd */
    EG_ISA_AVX512VNNI, /* AVX-512 with vpdpbusd */
    EG_ISA_DOTPROD,    /* NEON with sdot */
    EG_ISA_AMX,        /* AVX-512 with vpdpbusd, and tiles for int8 and bf16 */
    EG_ISA_I8MM,       /* NEON with smmla and bfdot */
    EG_ISA_AVX512BF16  /* AVX-512 with vpdpbusd and vdpbf16ps */
} eg_isa;

typedef enum eg_gemm_kind { EG_GEMM_OWN = 0, EG_GEMM_OPENBLAS } eg_gemm_kind;

typedef struct eg_engine_options {
    size_t size;       /* sizeof(eg_engine_options); later fields are appended, 0 is their
                        * default */
    uint32_t threads;  /* 0: what affinity and the cgroup quota allow; at most 256 */
    uint32_t isa;      /* eg_isa */
    uint32_t gemm;     /* eg_gemm_kind */
    uint32_t reserved; /* 0 */
} eg_engine_options;

/* options: NULL for the defaults. EG_EINVAL, EG_ENOMEM, EG_EUNSUPPORTED; EG_EBUSY if a thread
 * cannot be started. */
EG_INFER_API eg_status eg_engine_create(const eg_engine_options *options, eg_engine **out, eg_error *err);
EG_INFER_API void eg_engine_destroy(eg_engine *engine);
/* The number of threads, and the name of the ISA ("avx512"); 0 and "" for NULL. */
EG_INFER_API uint32_t eg_engine_threads(const eg_engine *engine);
EG_INFER_API const char *eg_engine_isa(const eg_engine *engine);
/* The name of an eg_isa as $ENGRAM_ISA takes it; "unknown" for any other number. */
EG_INFER_API const char *eg_isa_name(eg_isa isa);

typedef enum eg_head { EG_HEAD_EMBEDDING = 0, EG_HEAD_CLASSES = 1, EG_HEAD_TOKENS = 2 } eg_head;

/* The arithmetic of a model's matrices. EG_FORMAT_AUTO: s8 if the file stores s8 weights, else f32.
 * EG_FORMAT_S8: weights and activations of 8 bits in blocks of 128 with f32 scales; weights are
 * quantised when they are loaded if the file holds floats. EG_FORMAT_BF16: weights and activations
 * as bfloat16, sums in f32. ISAs without an instruction for bf16 (all but avx512bf16, amx and i8mm)
 * give the same bits as each other. Those with one have bits of their own, since such instructions
 * round within pairs of inputs and take numbers below 2^-126 for 0: each sum is within inputs *
 * 2^-22 times the sum of the products' magnitudes of the others'. */
typedef enum eg_format { EG_FORMAT_AUTO = 0, EG_FORMAT_F32, EG_FORMAT_S8, EG_FORMAT_BF16 } eg_format;

typedef struct eg_model_options {
    size_t size;       /* sizeof(eg_model_options); later fields are appended */
    uint32_t format;   /* eg_format */
    uint32_t reserved; /* 0 */
    /* A folder for packed weights, or NULL. The first open packs the weights and writes them there
     * (atomically, once for several starts); later opens map the file, which all processes share. A
     * damaged file, or one of other weights, is packed anew. The folder is created if it is
     * missing; if it cannot be written, each open packs. Its files may be deleted or replaced at
     * any time, but not modified or truncated: as with any mapped file, that would change or end
     * the processes that use them. */
    const char *cache;
} eg_model_options;

typedef struct eg_model_info {
    size_t size;              /* in: sizeof(eg_model_info) of the caller */
    const char *architecture; /* "bert", "roberta", "deberta-v2"; valid as long as the model, like
                               * all strings here */
    uint32_t head;            /* eg_head, as the folder's configuration declares it */
    uint32_t layers, hidden, heads, intermediate, vocabulary;
    uint32_t max_tokens;            /* longest input, special tokens included; longer ones are
                                     * truncated */
    uint32_t labels;                /* number of classes, 0 without a classification head */
    const char *const *label_names; /* `labels` names, by id */
    uint64_t weight_bytes;          /* of the packed weights, in memory */
    uint32_t format;                /* eg_format in use: never EG_FORMAT_AUTO */
    uint32_t prompts;               /* of config_sentence_transformers.json */
    const char *const *prompt_names;
    uint32_t normalizes; /* 1: embeddings have length 1; 0: modules.json has no Normalize module */
} eg_model_info;

/* Opens the model folder dir: config.json, model.safetensors (or the files that
 * model.safetensors.index.json names), tokenizer.json (or vocab.txt, or vocab.json with merges.txt,
 * or spm.model), and for embeddings the files of sentence-transformers if they exist. options: NULL
 * for the defaults. On an error, which names the file and the field, nothing stays open or
 * allocated: EG_ENOENT, EG_EPERM, EG_EINVAL (not a folder, or not a regular file in it),
 * EG_EFORMAT, EG_EUNSUPPORTED, EG_ELIMIT, EG_ENOMEM, EG_EIO. */
EG_INFER_API eg_status eg_model_open(eg_engine *engine, const char *dir, const eg_model_options *options, eg_model **out,
                                     eg_error *err);
EG_INFER_API void eg_model_close(eg_model *model);
/* Fills the first info->size bytes of *info. */
EG_INFER_API eg_status eg_model_describe(const eg_model *model, eg_model_info *info, eg_error *err);

/* What the configuration of a model folder says, without its weights. */
typedef struct eg_model_kind {
    size_t size;              /* in: sizeof(eg_model_kind) of the caller */
    const char *task;         /* "embed", "nli" (it has a label "contradiction"), "rank" (one
                               * label), "classify", "tokens" */
    const char *architecture; /* as in eg_model_info; both are static strings */
    uint32_t labels;          /* 0 without a classification head */
    uint32_t reserved;        /* 0 */
} eg_model_kind;

/* Reads the JSON files of the folder dir. Errors as for eg_model_open. */
EG_INFER_API eg_status eg_model_kind_of(const char *dir, eg_model_kind *out, eg_error *err);

/* A flag that another thread may set, and a deadline. Long calls check both between texts, between
 * layers, and while they wait for the engine's threads. */
typedef struct eg_cancel {
    const int *flag;  /* NULL: cannot be cancelled; else set with eg_cancel_request() and read with
                       * eg_cancel_is_set() only */
    int64_t deadline; /* CLOCK_MONOTONIC microseconds, 0: none */
} eg_cancel;

/* Asks every call that got this flag to stop. Any thread; also safe in a signal handler. */
static inline void eg_cancel_request(int *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }
/* 1 when somebody asked to stop. c may be NULL. Does not check the deadline: that needs a clock. */
static inline int eg_cancel_is_set(const eg_cancel *c) { return c && c->flag && __atomic_load_n(c->flag, __ATOMIC_ACQUIRE) != 0; }

/* Sentence embeddings, pooled as the folder says (mean by default), and normalised to length 1
 * unless modules.json has no Normalize module. Writes n rows of `hidden` floats to out. White space
 * at both ends of a text, after its prompt has been added, is ignored; a text without tokens gives
 * the vector of the special tokens alone. cancel may be NULL. EG_EINVAL for invalid UTF-8 (the
 * message says in which text), EG_ELIMIT for more than 1,048,576 texts, EG_ECANCELLED,
 * EG_ENOMEM. */
EG_INFER_API eg_status eg_model_embed(const eg_model *model, const eg_str *texts, size_t n, float *out, const eg_cancel *cancel,
                                      eg_error *err);

/* Bytes [begin, end) of a text. */
typedef struct eg_range {
    size_t begin, end;
} eg_range;

/* The same with a prompt of the folder, by its name ("query", "passage"), before each text. NULL:
 * the folder's default prompt if it names one, as in eg_model_embed. EG_EINVAL for a name that the
 * folder does not have; the message lists those that it has. */
EG_INFER_API eg_status eg_model_embed_prompted(const eg_model *model, const char *prompt, const eg_str *texts, size_t n,
                                               float *out, const eg_cancel *cancel, eg_error *err);

typedef struct eg_pair {
    eg_str first, second; /* premise and hypothesis; second.ptr NULL: a single text */
} eg_pair;

/* Classification: writes n rows of `labels` logits to out. Errors as above; EG_EUNSUPPORTED if the
 * model has no classification head. */
EG_INFER_API eg_status eg_model_classify(const eg_model *model, const eg_pair *pairs, size_t n, float *logits,
                                         const eg_cancel *cancel, eg_error *err);
/* Token classification: writes a row of `labels` logits to `logits` for every token of every text,
 * special tokens included, in the order of eg_model_tokenize. The rows of text i are [offsets[i],
 * offsets[i + 1]); offsets has n + 1 elements. max: rows that logits has room for; if that is too
 * few, EG_ELIMIT, with offsets filled. Other errors as above. */
EG_INFER_API eg_status eg_model_label_tokens(const eg_model *model, const eg_str *texts, size_t n, float *logits, size_t max,
                                             size_t *offsets, const eg_cancel *cancel, eg_error *err);

/* How the tokens of a word get one label, before words are joined to entities. EG_AGGREGATE_SIMPLE:
 * each token is a word. In the other modes, a word is a token with those that continue it (BERT:
 * ##; other vocabularies: no space between them). It gets the label of its first token, the label
 * with the highest mean probability, or the label of the token with the highest probability. */
typedef enum eg_aggregation {
    EG_AGGREGATE_SIMPLE = 0,
    EG_AGGREGATE_FIRST,
    EG_AGGREGATE_AVERAGE,
    EG_AGGREGATE_MAX
} eg_aggregation;

typedef struct eg_entity {
    eg_str label;      /* the model's label after its first hyphen, or all of it; valid as long as
                        * the model */
    eg_range span;     /* bytes of its text */
    float score;       /* mean probability of the labels of its words */
    uint32_t reserved; /* 0 */
} eg_entity;

/* Entities of texts, by a token classification model: successive words whose labels are of the same
 * kind form one entity, which also ends where a label begins with B-. The label O means no entity.
 * Labels may have prefixes (B-PER, I-PER) or not (PER). Writes the entities in the order of the
 * texts; those of text i are [offsets[i], offsets[i + 1]); offsets has n + 1 elements. max:
 * entities that there is room for (never more than tokens are needed); if that is too few,
 * EG_ELIMIT, with offsets filled. EG_EINVAL for an unknown aggregation; other errors as above. */
EG_INFER_API eg_status eg_model_entities(const eg_model *model, const eg_str *texts, size_t n, uint32_t aggregation,
                                         eg_entity *entities, size_t max, size_t *offsets, const eg_cancel *cancel,
                                         eg_error *err);
/* Turns rows of logits into probabilities in place: softmax, or the logistic function when labels
 * is 1. */
EG_INFER_API void eg_softmax(float *rows, size_t n, size_t labels);

/* Token ids of one text or pair, with special tokens, truncated as for inference. Writes at most
 * `max` ids (and token types, if types is not NULL) and stores the full number in *count. */
EG_INFER_API eg_status eg_model_tokenize(const eg_model *model, eg_pair text, uint32_t *ids, uint8_t *types, size_t max,
                                         size_t *count, eg_error *err);

/* The same, and (if spans is not NULL) the bytes of its text that each token comes from: of the
 * second text for its tokens, {0, 0} for special tokens. Spans are those of the reference
 * tokenizer: they consist of whole code points, may be empty, and may overlap; a space before a
 * word belongs to the word unless the tokenizer's files say that it is trimmed. */
EG_INFER_API eg_status eg_model_tokenize_spans(const eg_model *model, eg_pair text, uint32_t *ids, uint8_t *types,
                                               eg_range *spans, size_t max, size_t *count, eg_error *err);

/* The cosine of the angle between two vectors of n floats. */
EG_INFER_API float eg_cosine(const float *a, const float *b, size_t n);

/* For bindings that cannot include this header: the library's version ("0.1.0"), and the size of
 * each structure, so that a binding can check its own; 0 for a number that is not an
 * eg_infer_struct. */
typedef enum eg_infer_struct {
    EG_STRUCT_STR = 0,
    EG_STRUCT_ERROR,
    EG_STRUCT_PAIR,
    EG_STRUCT_CANCEL,
    EG_STRUCT_ENGINE_OPTIONS,
    EG_STRUCT_MODEL_OPTIONS,
    EG_STRUCT_MODEL_INFO,
    EG_STRUCT_RANGE,
    EG_STRUCT_ENTITY,
    EG_STRUCT_MODEL_KIND
} eg_infer_struct;
EG_INFER_API const char *eg_infer_version(void);
EG_INFER_API size_t eg_infer_struct_size(uint32_t which);

#ifdef __cplusplus
}
#endif
#endif
