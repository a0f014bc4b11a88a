/* model_paths.c - where models lie: those that ship and those that were pulled, by name or by the
 * setting that names them. Opens none (inference.c). See host.h. */
#include <stdio.h>

#include "core/base/file.h"
#include "core/base/status.h"
#include "core/host/internal.h"

/* Where models that ship may lie, from the folder of the program: in the build folder's source
 * tree, installed, in one folder. */
static const char *const shipped_below[] = {"/../models/weights", "/" ENGRAM_MODELS_FROM_BIN, "/models/weights"};
enum { SHIPPED = sizeof shipped_below / sizeof *shipped_below };

eg_status eg_host_find_models(eg_host *h, eg_error *err) {
    eg_arena *a = &h->arena;
    h->paths.models = eg_arena_printf(a, "%s/models", h->folders.data);
    if (!h->paths.models) return eg_fail_memory(err, MAX_PATH);
    for (size_t i = 0; i < SHIPPED && !h->paths.shipped; i++) {
        char *path = eg_arena_printf(a, "%s%s", h->beside, shipped_below[i]);
        if (!path) return eg_fail_memory(err, MAX_PATH);
        if (eg_file_exists(path)) h->paths.shipped = path;
    }
    return EG_OK;
}

eg_status eg_host_model_folder(const eg_host *h, const char *name, char *out, size_t out_size, eg_error *err) {
    int is_path = strchr(name, '/') != NULL;
    for (size_t i = 0; i < (is_path ? 1u : 1u + SHIPPED); i++) {
        char config[MAX_PATH + 16];
        int n = is_path
                    ? snprintf(out, out_size, "%s", name)
                    : snprintf(out, out_size, "%s%s/%s", i ? h->beside : h->paths.models, i ? shipped_below[i - 1] : "", name);
        if (n < 0 || (size_t)n >= out_size || n >= MAX_PATH)
            return eg_fail(err, EG_ELIMIT, "the path of the model '%.60s' is too long", name);
        snprintf(config, sizeof config, "%s/config.json", out);
        if (eg_file_exists(config)) return EG_OK;
    }
    if (is_path) return eg_fail(err, EG_ENOENT, "'%s' holds no model: config.json is missing", name);
    return eg_fail(err, EG_ENOENT,
                   "there is no model '%.60s' in %s, %s/../models/weights or %s/" ENGRAM_MODELS_FROM_BIN
                   ": put it into one of them, or choose another (`engram models` lists those that are known)",
                   name, h->paths.models, h->beside, h->beside);
}

eg_status eg_host_model_configured(const eg_host *h, const char *setting, char *out, size_t out_size, eg_error *err) {
    const char *name = eg_conf_get(h->config, setting);
    if (!name || !*name) return eg_fail(err, EG_ENOENT, "no model: %s is empty; `engram models use` sets it", setting);
    return eg_host_model_folder(h, name, out, out_size, err);
}
