/* known.c - see known.h. Licences and sizes are those of the model cards. A revision with its
 * checksum stands only where several independent projects publish the same pair for that
 * repository. */
#include "core/hub/known.h"

#include <string.h>

static const eg_known_model table[] = {
    {"all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", "embed", "Apache-2.0", 91,
     "1110a243fdf4706b3f48f1d95db1a4f5529b4d41", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", ""},
    {"bge-small-en-v1.5", "BAAI/bge-small-en-v1.5", "embed", "MIT", 134, "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
     "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad", ""},
    {"e5-small-v2", "intfloat/e5-small-v2", "embed", "MIT", 134, "ffb93f3bd4047442299a41ebb6fa998a38507c52",
     "45bfa60070649aae2244fbc9d508537779b93b6f353c17b0f95ceccb1c5116c1",
     "trained with the prefixes \"query: \" and \"passage: \": write them into the texts"},
    {"gte-small", "thenlper/gte-small", "embed", "MIT", 67, NULL, NULL, ""},
    {"nli-deberta-v3-xsmall", "cross-encoder/nli-deberta-v3-xsmall", "nli", "Apache-2.0", 284, NULL, NULL, ""},
    {"nli-deberta-v3-small", "cross-encoder/nli-deberta-v3-small", "nli", "Apache-2.0", 568, NULL, NULL, ""},
    {"nli-deberta-v3-base", "cross-encoder/nli-deberta-v3-base", "nli", "Apache-2.0", 738, NULL, NULL, ""},
    {"nli-MiniLM2-L6-H768", "cross-encoder/nli-MiniLM2-L6-H768", "nli", "Apache-2.0", 329, NULL, NULL, ""},
    {"nli-distilroberta-base", "cross-encoder/nli-distilroberta-base", "nli", "Apache-2.0", 329, NULL, NULL, ""},
    {"ms-marco-MiniLM-L6-v2", "cross-encoder/ms-marco-MiniLM-L6-v2", "rank", "Apache-2.0", 91, NULL, NULL, ""},
    {"bert-base-NER", "dslim/bert-base-NER", "tokens", "MIT", 433, NULL, NULL, ""},
};

const eg_known_model *eg_known_models(size_t *n) {
    *n = sizeof table / sizeof *table;
    return table;
}

const eg_known_model *eg_known_model_find(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0 || strcmp(table[i].repo, name) == 0) return &table[i];
    return NULL;
}
