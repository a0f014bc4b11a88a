/* similar.c - libengram-infer in 40 lines: embeds lines of text, prints how alike each is to the
 * first. cc similar.c $(pkg-config --cflags --libs engram-infer) -o similar && ./similar
 * MODEL_FOLDER "a text" "another" ... */
#include <stdio.h>
#include <stdlib.h>

#include "engram/infer.h"

int main(int argc, char **argv) {
    eg_engine *engine = NULL;
    eg_model *model = NULL;
    eg_error err = {0};
    eg_model_info info = {.size = sizeof info};
    if (argc < 3) {
        fprintf(stderr, "usage: similar MODEL_FOLDER TEXT...\n");
        return 2;
    }
    size_t n = (size_t)argc - 2;
    /* all threads, the best kernels of this CPU */
    eg_status s = eg_engine_create(NULL, &engine, &err);
    if (s == EG_OK) s = eg_model_open(engine, argv[1], NULL, &model, &err);
    if (s == EG_OK) s = eg_model_describe(model, &info, &err);
    eg_str *texts = malloc(n * sizeof *texts);
    float *rows = malloc(n * info.hidden * sizeof *rows);
    if (s == EG_OK && (!texts || !rows)) {
        s = EG_ENOMEM;
        snprintf(err.text, sizeof err.text, "no memory for %zu vectors", n);
    }
    if (s == EG_OK) {
        for (size_t i = 0; i < n; i++) texts[i] = eg_str_of(argv[2 + i]);
        s = eg_model_embed(model, texts, n, rows, NULL, &err);
        for (size_t i = 0; s == EG_OK && i < n; i++)
            printf("%.4f  %s\n", (double)eg_cosine(rows, rows + i * info.hidden, info.hidden), argv[2 + i]);
    }
    if (s != EG_OK) fprintf(stderr, "similar: %s\n", err.text);
    free(rows);
    free(texts);
    eg_model_close(model);
    eg_engine_destroy(engine);
    return s == EG_OK ? 0 : 2;
}
