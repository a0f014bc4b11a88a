/* place.c - whose memory: the workspace of a folder, by the settings, by what was recorded for its
 * git repository, or by the repository's files. */
#include "core/access/record.h"
#include "core/base/status.h"
#include "core/host/internal.h"

/* What was recorded for the repository outweighs what its files say today. */
static eg_status take_record(eg_host *h, eg_place *p, eg_error *err) {
    eg_record r;
    const eg_repository *repository = p->repository;
    eg_status s = eg_record_find(&h->arena, h->folders.data, repository, &r, NULL);
    if (s == EG_ENOMEM) return eg_fail_memory(err, MAX_PATH);
    if (s != EG_OK || eg_str_eq(r.workspace, p->workspace)) return EG_OK;
    const char *why = r.borrowed ? eg_arena_printf(&h->arena, "%.*s, which shares its memory with '%.*s'", (int)p->why.len,
                                                   p->why.ptr, (int)r.folder.len, r.folder.ptr)
                                 : eg_arena_printf(&h->arena, "recorded for the git folder %s", repository->folder);
    if (!why) return eg_fail_memory(err, MAX_PATH);
    p->workspace = r.workspace;
    p->why = eg_str_of(why);
    return EG_OK;
}

eg_status eg_host_place_of(eg_host *h, const char *folder, eg_place *out, eg_error *err) {
    eg_repository *r = eg_arena_alloc(&h->arena, sizeof *r);
    if (!r) return eg_fail_memory(err, sizeof *r);
    eg_status s = eg_repository_find(&h->arena, folder, r, err);
    if (s != EG_OK) return s;
    *out = (eg_place){.workspace = r->workspace, .why = r->why, .repository = r};
    return take_record(h, out, err);
}

const eg_place *eg_host_place(const eg_host *h) { return __atomic_load_n(&h->place, __ATOMIC_ACQUIRE); }

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
    out->workspace_why = eg_host_place(h)->why;
    out->notice = h->notice;
    out->settings = h->set;
}
