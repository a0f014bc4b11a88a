/* place.c - whose memory: the workspace of a folder, by the settings, by what was recorded for its
 * git repository, or by the repository's files. */
#include "core/access/record.h"
#include "core/base/status.h"
#include "core/host/internal.h"

/* What was recorded for the repository outweighs what its files say today. */
static eg_status take_record(eg_host *h, eg_arena *a, eg_place *p, eg_error *err) {
    eg_record r;
    const eg_repository *repository = p->repository;
    eg_status s = eg_record_find(a, h->folders.data, repository, &r, NULL);
    if (s == EG_ENOMEM) return eg_fail_memory(err, MAX_PATH);
    if (s != EG_OK || eg_str_eq(r.workspace, p->workspace)) return EG_OK;
    const char *why = r.borrowed ? eg_arena_printf(a, "%.*s, which shares its memory with '%.*s'", (int)p->why.len, p->why.ptr,
                                                   (int)r.folder.len, r.folder.ptr)
                                 : eg_arena_printf(a, "recorded for the git folder %s", repository->folder);
    if (!why) return eg_fail_memory(err, MAX_PATH);
    p->workspace = r.workspace;
    p->why = eg_str_of(why);
    return EG_OK;
}

eg_status eg_host_place_of(eg_host *h, eg_arena *a, const char *folder, eg_place *out, eg_error *err) {
    eg_repository *r = eg_arena_alloc(a, sizeof *r);
    if (!r) return eg_fail_memory(err, sizeof *r);
    eg_status s = eg_repository_find(a, folder, r, err);
    if (s != EG_OK) return s;
    *out = (eg_place){.workspace = r->workspace, .why = r->why, .root = r->root, .repository = r};
    return take_record(h, a, out, err);
}

const eg_place *eg_host_place(const eg_host *h) { return __atomic_load_n(&h->place, __ATOMIC_ACQUIRE); }

int eg_host_wants_folder(void *host) { return ((eg_host *)host)->by_default != NULL; }

/* The place of a client's folder; where that has none, the default with a notice. */
static eg_status place_of_client(eg_host *h, const char *folder, eg_place *out, eg_error *err) {
    eg_error problem = {0};
    eg_arena *a = &h->places;
    eg_status s = *folder ? eg_host_place_of(h, a, folder, out, &problem)
                          : eg_fail(&problem, EG_ENOENT, "the client did not tell the folder that it works in");
    const char *text = s == EG_OK ? eg_arena_printf(a, "%.*s, the client's folder", (int)out->why.len, out->why.ptr)
                                  : eg_arena_printf(a,
                                                    "%s: facts go to the workspace local, which all clients without a "
                                                    "repository share; start the server in the project, or set workspace",
                                                    problem.text);
    if (!text) return eg_fail_memory(err, MAX_PATH);
    if (s == EG_OK) {
        out->why = eg_str_of(text);
        return EG_OK;
    }
    *out = *h->by_default;
    out->notice = eg_str_of(text);
    return eg_fail(err, EG_ENOENT, "%s", text);
}

eg_status eg_host_use_folder(void *host, eg_str folder, eg_error *err) {
    enum { MOST = 1000 }; /* each keeps some memory until the end */
    eg_host *h = host;
    if (!h->by_default) return EG_OK;
    pthread_mutex_lock(&h->place_lock);
    eg_place *p = h->place_count < MOST ? eg_arena_alloc(&h->places, sizeof *p) : NULL;
    const char *path = p ? eg_arena_copy(&h->places, folder) : NULL;
    eg_status s;
    if (path) {
        h->place_count++;
        s = place_of_client(h, path, p, err);
        if (s == EG_OK || s == EG_ENOENT) __atomic_store_n(&h->place, p, __ATOMIC_RELEASE);
    } else {
        s = eg_fail(err, EG_ELIMIT, "the client changed its folder more than %d times, or memory is out: restart the server",
                    MOST);
    }
    pthread_mutex_unlock(&h->place_lock);
    return s;
}

void eg_host_stored(void *host, eg_str workspace) {
    eg_host *h = host;
    eg_error err = {0};
    const eg_place *p = eg_host_place(h);
    if (!p->repository || p->repository->is_own || !eg_str_eq(p->workspace, workspace)) return;
    if (__atomic_exchange_n(&h->recorded, p, __ATOMIC_ACQ_REL) == p) return;
    eg_arena arena;
    eg_arena_init(&arena, 0);
    /* without it the workspace stays what the files say: no reason to fail */
    if (eg_record_write(&arena, h->folders.data, p->repository, workspace, &err) != EG_OK)
        h->services.log(h, EG_LOG_INFO, "workspace", err.text);
    eg_arena_release(&arena);
}

void eg_host_describe_settings(void *host, eg_memory_status *out) {
    const eg_host *h = host;
    const eg_place *p = eg_host_place(h);
    out->workspace_why = p->why;
    out->notice = h->notice.len ? h->notice : p->notice;
    out->settings = h->set;
}

const char *eg_host_working_folder(void *host, int *sure) {
    const eg_place *p = eg_host_place(host);
    *sure = p->repository && !p->repository->is_own;
    return p->root;
}
