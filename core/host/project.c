/* project.c - the project file .engram.conf: what of it is obeyed, and how the user allows the
 * rest. It comes with a repository, so somebody else may have written it. See config.h for the
 * rules. */
#include <sys/stat.h>

#include "core/access/approval.h"
#include "core/base/file.h"
#include "core/base/status.h"
#include "core/host/internal.h"

static eg_status read_file(eg_host *h, eg_str *text, eg_error *err) {
    eg_error problem = {0};
    eg_status s = eg_file_read(h->project_file, EG_CONF_MAX_FILE, &h->arena, text, &problem);
    return s == EG_OK ? EG_OK : eg_fail(err, s, "%s", problem.text);
}

static eg_status note(eg_host *h, const char *text, eg_error *err) {
    h->notice = eg_str_of(text);
    return text ? EG_OK : eg_fail_memory(err, MAX_PATH);
}

eg_status eg_host_read_project(eg_host *h, eg_error *err) {
    struct stat st;
    eg_str text;
    if (!h->project_file) return EG_OK;
    int is_link = lstat(h->project_file, &st) == 0 && S_ISLNK(st.st_mode);
    eg_status s = read_file(h, &text, err);
    if (s == EG_ENOENT) return EG_OK; /* gone meanwhile */
    if (s == EG_OK) h->project_allowed = eg_approval_is_given(&h->arena, h->folders.config, h->project_file, text);
    /* not even its errors are told: they hold words of any file of the user's */
    if (is_link && !h->project_allowed)
        return note(h,
                    eg_arena_printf(&h->arena,
                                    "'%s' is a link and is not obeyed: if you trust it, run `engram allow` in its folder",
                                    h->project_file),
                    err);
    if (s == EG_OK)
        s = eg_conf_read_text(h->config, text, h->project_file, h->project_allowed ? EG_CONF_ALLOWED : EG_CONF_PROJECT, err);
    const char *ignored = s == EG_OK ? eg_conf_ignored(h->config) : NULL;
    if (!ignored) return s;
    return note(
        h,
        eg_arena_printf(&h->arena,
                        "'%s' sets %s, which a project may not do by itself, so that is not obeyed: read the file and, if "
                        "you trust it, run `engram allow` in its folder",
                        h->project_file, ignored),
        err);
}

const char *eg_host_project_file(const eg_host *h, int *allowed) {
    *allowed = h->project_allowed;
    return h->project_file;
}

typedef struct telling {
    void (*each)(void *self, const char *key, const char *value);
    void *self;
    const char *file;
} telling;

static void tell(void *self, const char *key, const char *value, const char *origin) {
    const telling *t = self;
    size_t n = strlen(t->file);
    if (strncmp(origin, t->file, n) == 0 && origin[n] == ':') t->each(t->self, key, value);
}

static eg_status no_file(eg_error *err) {
    return eg_fail(err, EG_ENOENT, "there is no .engram.conf of yours in this folder or above it");
}

eg_status eg_host_project_allow(eg_host *h, void (*each)(void *self, const char *key, const char *value), void *self,
                                eg_error *err) {
    eg_conf *config;
    eg_str text;
    if (!h->project_file) return no_file(err);
    eg_status s = read_file(h, &text, err);
    if (s == EG_OK) s = eg_conf_create(&h->arena, &config, err);
    /* last, so that what it sets is told; the others list plugins that it may have settings for */
    if (s == EG_OK) s = eg_conf_read(config, h->settings_file, err);
    if (s == EG_OK) s = eg_conf_environment(config, err);
    if (s == EG_OK) s = eg_conf_read_text(config, text, h->project_file, EG_CONF_ALLOWED, err);
    if (s == EG_OK) s = eg_conf_finish(config, err);
    if (s != EG_OK) return s;
    telling t = {each, self, h->project_file};
    eg_conf_each(config, tell, &t);
    return eg_approval_give(&h->arena, h->folders.config, h->project_file, text, err);
}

eg_status eg_host_project_forbid(eg_host *h, eg_error *err) {
    eg_str text;
    if (!h->project_file) return no_file(err);
    eg_status s = read_file(h, &text, err);
    return s == EG_OK ? eg_approval_take_back(&h->arena, h->folders.config, h->project_file, text, err) : s;
}
