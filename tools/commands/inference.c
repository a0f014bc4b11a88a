/* inference.c - commands that run models over texts. See table.h. */
#include "tools/cli.h"
#include "tools/commands/table.h"

#define ISAS "auto scalar avx2 avxvnni avx512 avx512vnni avx512bf16 amx neon dotprod i8mm"

#define ISA_OPTION                                                                                               \
    {                                                                                                            \
        .name = "isa", .value = "ISA", .choices = ISAS,                                                          \
        .description = "the instruction set to compute with (default: the setting isa, or the best of this CPU)" \
    }

#define GEMM_OPTION                                                                                           \
    {                                                                                                         \
        .name = "gemm", .value = "LIBRARY", .choices = "own openblas",                                        \
        .description = "what multiplies f32 matrices: Engram or OpenBLAS (default: the setting gemm, or own)" \
    }

#define RUN_OPTIONS                                                                                                \
    {.name = "threads",                                                                                            \
     .value = "N",                                                                                                 \
     .description = "the number of threads (default: the setting threads, or all CPUs that the process may use)"}, \
        ISA_OPTION, GEMM_OPTION, {                                                                                 \
        .name = "format", .value = "FORMAT", .choices = "auto f32 s8 bf16",                                        \
        .description = "the number format of the weights; auto: as stored (default: the setting format, or auto)"  \
    }

#define MODEL_OPTION                                                                                    \
    {                                                                                                   \
        .name = "model", .value = "MODEL", .complete = COMPLETE_FOLDERS,                                \
        .description = "a model folder or the name of an installed model (default: the configured one)" \
    }

static const argument jsonl_arguments[] = {{"FILE", "a JSONL file (default: standard input, also as -)", COMPLETE_FILES}, {0}};
static const exit_status jsonl_exits[] = {
    {0, "success"},
    {2, "an error; for a line that cannot be used, {\"error\": \"...\"} is printed in its place, and the others are answered"},
    {130, "interrupted (128 plus the number of the signal)"},
    {0}};

static const char *const nli_text[] = {
    "Reads a pair of texts a line, {\"premise\": \"...\", \"hypothesis\": \"...\"}, and prints a JSON object a line with the "
    "probability of each label of the model: contradiction, entailment, neutral.",
    NULL};
static const option nli_options[] = {MODEL_OPTION, RUN_OPTIONS, {0}};
static const example nli_examples[] = {
    {"echo '{\"premise\": \"It is on.\", \"hypothesis\": \"It is off.\"}' | engram nli", "classify a pair"}, {0}};

static const char *const embed_text[] = {"Reads {\"text\": \"...\"} a line and prints {\"embedding\": [...]} a line.", NULL};
static const option embed_options[] = {
    MODEL_OPTION,
    {.name = "prompt",
     .value = "NAME",
     .description = "which of the model's prompts to put before each text, such as query or passage (default: that of the "
                    "model's configuration)"},
    RUN_OPTIONS,
    {0}};
static const example embed_examples[] = {{"echo '{\"text\": \"The port is 80.\"}' | engram embed", "embed a text"}, {0}};

static const char *const label_text[] = {
    "Reads {\"text\": \"...\"} a line and prints a line with its named entities, {\"entities\": [{\"label\", \"text\", \"begin\", "
    "\"end\", \"score\"}]}; begin and end count bytes. No model for this ships with Engram: --model is required.",
    NULL};
static const option label_options[] = {{.name = "model",
                                        .value = "MODEL",
                                        .complete = COMPLETE_FOLDERS,
                                        .description = "the folder or name of a token classification model (required)"},
                                       {.name = "aggregation",
                                        .value = "STRATEGY",
                                        .choices = "simple first average max",
                                        .description = "how the labels of a word of several tokens become one (default: simple)"},
                                       RUN_OPTIONS,
                                       {0}};

static const char *const bench_text[] = {"Measures the speed of inference on this machine. End other programs first.", NULL};
static const action bench_actions[] = {
    {"model", "", "the embedding model over batches and lengths of texts"},
    {"nli", "[FILE]", "60 pairs of texts with the NLI model, or those of a JSONL file {\"premise\", \"hypothesis\"}"},
    {0}};
static const option bench_options[] = {
    MODEL_OPTION,
    {.name = "threads", .value = "N", .description = "the number of threads (default: the setting threads, or one and then all)"},
    ISA_OPTION,
    GEMM_OPTION,
    {.name = "format",
     .value = "FORMAT",
     .choices = "auto f32 s8 bf16",
     .description = "the number format of the weights (default: the setting format, or f32 and s8 side by side)"},
    {.name = "quick", .description = "measure fewer cases"},
    {0}};

const command inference_commands[] = {{.name = "nli",
                                       .group = INFERENCE,
                                       .synopsis = "[FILE]",
                                       .summary = "classify pairs of texts as contradiction, entailment or neutral",
                                       .description = nli_text,
                                       .arguments = jsonl_arguments,
                                       .options = nli_options,
                                       .exits = jsonl_exits,
                                       .examples = nli_examples,
                                       .run = run_nli},
                                      {.name = "embed",
                                       .group = INFERENCE,
                                       .synopsis = "[FILE]",
                                       .summary = "compute sentence embeddings of texts",
                                       .description = embed_text,
                                       .arguments = jsonl_arguments,
                                       .options = embed_options,
                                       .exits = jsonl_exits,
                                       .examples = embed_examples,
                                       .run = run_embed},
                                      {.name = "label",
                                       .group = INFERENCE,
                                       .synopsis = "[FILE]",
                                       .summary = "find named entities in texts",
                                       .description = label_text,
                                       .arguments = jsonl_arguments,
                                       .options = label_options,
                                       .exits = jsonl_exits,
                                       .run = run_label},
                                      {.name = "bench",
                                       .group = INFERENCE,
                                       .synopsis = "model | nli [FILE]",
                                       .summary = "measure the speed of inference",
                                       .description = bench_text,
                                       .actions = bench_actions,
                                       .options = bench_options,
                                       .run = run_bench},
                                      {0}};
