/* pull.c - see pull.h. The hidden folder is .NAME.part: finished files, at most one FILE.part with
 * FILE.etag, and the file .source that says what it is a part of. Its flock is held while somebody
 * works on it.
 *
 * Names of files that a server sends (in the index of weights) are checked before they become
 * paths; addresses are made of checked parts only. */
#include "core/hub/pull.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/hub/files.h"
#include "core/hub/http.h"
#include "core/hub/sums.h"

enum { MOST_PATH = 4096, ATTEMPTS = 5, MOST_FILES = 256, SPARE = 16 << 20 };
/* of a configuration or tokenizer: the engine reads no more */
#define MOST_SMALL ((uint64_t)64 << 20)
#define MOST_WEIGHTS ((uint64_t)32 << 30)

/* One download of one model. */
typedef struct job {
    const eg_pull *p;
    eg_pulled *out;
    eg_arena arena;
    const char *endpoint, *revision;
    char staging[MOST_PATH], commit[EG_MAX_HEADER];
    int useless;      /* the engine cannot run what the hub has */
    eg_sums *sums;    /* of what is installed, later of what will be */
    eg_sums *fetched; /* of the files that this process downloaded */
} job;

/* One file of it, under way. */
typedef struct fetch {
    job *j;
    const char *name;
    char path[MOST_PATH + 256], part[MOST_PATH + 264], etag_path[MOST_PATH + 264];
    char etag[EG_MAX_HEADER]; /* of the content that lies in part */
    uint64_t have, all, most;
    int fd, resumed;
} fetch;

/* ---- arguments ---- */

static int is_word(eg_str s) {
    int good = s.len > 0 && s.len <= 100 && s.ptr[0] != '.' && s.ptr[0] != '-';
    for (size_t i = 0; good && i < s.len; i++) {
        char c = s.ptr[i];
        good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
               (c == '.' && s.ptr[i - 1] != '.');
    }
    return good;
}

static int is_revision(const char *s) {
    size_t n = strlen(s);
    for (const char *p = s; *p; p += strcspn(p, "/"), p += *p == '/')
        if (!is_word((eg_str){p, strcspn(p, "/")})) return 0;
    return n > 0 && n <= 100 && s[n - 1] != '/';
}

eg_status eg_pull_parse(const char *text, char *repo, char *revision, size_t size, eg_error *err) {
    char quoted[120];
    size_t n = strcspn(text, "@"), org = strcspn(text, "/");
    int good = n < size && strlen(text + n) < size && org < n && is_word((eg_str){text, org}) &&
               is_word((eg_str){text + org + 1, n - org - 1}) && (!text[n] || is_revision(text + n + 1));
    if (!good)
        return eg_fail(err, EG_EINVAL,
                       "'%s' is no model of a hub: write a name of `engram models list`, ORG/REPO or ORG/REPO@REVISION",
                       eg_quote(eg_str_of(text), 100, quoted, sizeof quoted));
    memcpy(repo, text, n);
    repo[n] = '\0';
    snprintf(revision, size, "%s", text[n] ? text + n + 1 : "");
    return EG_OK;
}

/* Printable ASCII without blanks: what may stand in an address or a header. */
static int is_plain(const char *s) {
    while ((unsigned char)*s > ' ' && (unsigned char)*s < 0x7f) s++;
    return !*s;
}

static eg_status check_arguments(job *j, eg_error *err) {
    const eg_pull *p = j->p;
    const char *endpoint = p->endpoint && *p->endpoint ? p->endpoint : "https://huggingface.co";
    if ((strncmp(endpoint, "https://", 8) != 0 && strncmp(endpoint, "http://", 7) != 0) || !is_plain(endpoint) ||
        strpbrk(endpoint, "?#@") || strlen(endpoint) > 500)
        return eg_fail(err, EG_EINVAL, "HF_ENDPOINT is no address of a hub: write for example https://huggingface.co");
    if (p->token && (!is_plain(p->token) || strlen(p->token) > 500))
        return eg_fail(err, EG_EINVAL, "HF_TOKEN is no token: it holds blanks or is too long");
    if (!eg_model_file_name(eg_str_of(p->name)) || strchr(p->name, '/') || strlen(p->name) > 100)
        return eg_fail(err, EG_EINVAL, "'%.60s' is no name for a model: use letters, digits, '.', '_' and '-'", p->name);
    size_t n = strlen(endpoint);
    while (n && endpoint[n - 1] == '/') n--;
    j->endpoint = eg_arena_copy(&j->arena, (eg_str){endpoint, n});
    j->revision = p->revision && *p->revision ? p->revision : p->known && p->known->revision ? p->known->revision : "main";
    if (snprintf(j->out->folder, sizeof j->out->folder, "%s/%s", p->models, p->name) >= (int)sizeof j->out->folder ||
        snprintf(j->staging, sizeof j->staging, "%s/.%s.part", p->models, p->name) >= (int)sizeof j->staging)
        return eg_fail(err, EG_ELIMIT, "the path '%.60s...' is too long", p->models);
    return j->endpoint ? EG_OK : eg_fail_memory(err, n);
}

/* ---- the folder ---- */

static int same_folder(int fd, const char *path) {
    struct stat a, b;
    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* What is installed under the name; *there 0: nothing. */
static eg_status look_at_target(job *j, int *there, eg_error *err) {
    eg_error why = {0};
    *there = eg_file_exists(j->out->folder);
    if (!*there) return EG_OK;
    if (eg_sums_read(j->out->folder, &j->arena, j->sums, &why) == EG_OK && *j->sums->source) {
        size_t n = strlen(j->p->repo);
        const char *at = j->sums->source + n;
        int same = strncmp(j->sums->source, j->p->repo, n) == 0 && *at == '@';
        int any = !(j->p->revision && *j->p->revision) && !(j->p->known && j->p->known->revision);
        if (same && (any || strcmp(at + 1, j->revision) == 0 || strcmp(at + 1, j->commit) == 0)) {
            snprintf(j->out->source, sizeof j->out->source, "%s", j->sums->source);
            j->out->already = 1;
            return EG_OK;
        }
        if (same && !j->commit[0]) { /* a branch or tag, whose commit is not known yet */
            *there = 0;
            return EG_OK;
        }
        return eg_fail(err, EG_EREFUSED, "'%s' holds %s: remove that folder, or give this model another name with --name",
                       j->out->folder, j->sums->source);
    }
    return eg_fail(err, EG_EREFUSED,
                   "'%s' is there and was not made by a pull: remove it, or give this model another name with --name",
                   j->out->folder);
}

static void empty_folder(const char *folder, const char *keep) {
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && strcmp(e->d_name, keep) != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
}

static void clear(const job *j, const char *keep) {
    char inner[MOST_PATH + 16];
    snprintf(inner, sizeof inner, "%s/1_Pooling", j->staging);
    empty_folder(inner, "");
    rmdir(inner);
    empty_folder(j->staging, keep);
}

/* Takes the hidden folder, waiting for another process that has it; *fd -1 when the model is
 * installed meanwhile. */
static eg_status take_staging(job *j, int *fd, eg_error *err) {
    eg_status s = eg_folder_make(j->p->models, 0700, err);
    int told = 0;
    for (*fd = -1; s == EG_OK;) {
        int there;
        s = look_at_target(j, &there, err);
        if (s != EG_OK || there) return s;
        if ((s = eg_folder_make(j->staging, 0700, err)) != EG_OK) return s;
        int folder = open(j->staging, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (folder < 0 && errno == ENOENT) continue; /* it has just become the model */
        if (folder < 0) return eg_fail(err, EG_EIO, "cannot open '%s': %s", j->staging, strerror(errno));
        int locked = flock(folder, LOCK_EX | LOCK_NB) == 0;
        if (!locked && !told++ && j->p->waiting) j->p->waiting(j->p->self);
        while (!locked && flock(folder, LOCK_EX) != 0) {
            if (errno == EINTR && !eg_cancel_is_set(&j->p->cancel)) continue;
            close(folder);
            return eg_fail(err, EG_ECANCELLED, "stopped while another process pulls '%s'", j->p->name);
        }
        if (same_folder(folder, j->staging)) {
            *fd = folder;
            s = look_at_target(j, &there, err);
            if (s == EG_OK && !there) return EG_OK;
            rmdir(j->staging);
            *fd = -1;
            close(folder);
            return s;
        }
        close(folder);
    }
    return s;
}

/* What is in the hidden folder counts only for the same commit of the same repository and hub. */
static eg_status match_staging(job *j, eg_error *err) {
    char path[MOST_PATH + 16];
    eg_str old = {0};
    snprintf(path, sizeof path, "%s/.source", j->staging);
    const char *wanted = eg_arena_printf(&j->arena, "%s %s\n", j->endpoint, j->out->source);
    if (!wanted) return eg_fail_memory(err, 1);
    if (eg_file_read(path, 2000, &j->arena, &old, NULL) == EG_OK && eg_str_eq(old, eg_str_of(wanted))) return EG_OK;
    clear(j, "config.json"); /* which has just been fetched */
    return eg_file_replace(path, wanted, strlen(wanted), 0600, err);
}

/* ---- one file ---- */

static eg_status disk_error(const fetch *f, eg_error *err) {
    int e = errno;
    if (e == ENOSPC || e == EDQUOT)
        return eg_fail(err, EG_EIO, "the disk is full: '%s' could not be written; free some space, the same command then goes on",
                       f->part);
    return eg_fail(err, EG_EIO, "cannot write '%s': %s", f->part, strerror(e));
}

/* The server answers: is it the rest of what is here, or a new whole? */
static eg_status begin(void *self, const eg_http_answer *a, eg_error *err) {
    fetch *f = self;
    if (a->status == 206 && (a->range_from != f->have || !f->resumed))
        return eg_fail(err, EG_EBUSY, "%s sent another part of %s than was asked for", a->host, f->name);
    if (a->status == 200) {
        f->have = 0;
        f->resumed = 0;
        if (ftruncate(f->fd, 0) != 0 || lseek(f->fd, 0, SEEK_SET) != 0) return disk_error(f, err);
    }
    /* a weak one does not promise the same bytes */
    snprintf(f->etag, sizeof f->etag, "%s", strncmp(a->etag, "W/", 2) == 0 ? "" : a->etag);
    if (eg_file_replace(f->etag_path, f->etag, strlen(f->etag), 0600, err) != EG_OK) return EG_EIO;
    f->all = a->size == UINT64_MAX ? a->linked_size : f->have + a->size;
    if (a->linked_size != UINT64_MAX && f->all != a->linked_size)
        return eg_fail(err, EG_EFORMAT,
                       "%s sends %llu bytes as %s, the hub says that it has %llu: try again later, or another HF_ENDPOINT",
                       a->host, (unsigned long long)f->all, f->name, (unsigned long long)a->linked_size);
    if (f->all != UINT64_MAX && f->all > f->most)
        return eg_fail(err, EG_ELIMIT, "%s of %s has %llu bytes: at most %llu are fetched", f->name, f->j->p->repo,
                       (unsigned long long)f->all, (unsigned long long)f->most);
    struct statvfs disk;
    if (f->all != UINT64_MAX && fstatvfs(f->fd, &disk) == 0) {
        uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize, need = f->all - f->have + SPARE;
        if (need > room)
            return eg_fail(
                err, EG_EIO,
                "the disk is too full: %s needs %llu MB more and '%s' has %llu MB; free some space, the same command then goes on",
                f->name, (unsigned long long)(need / 1000000 + 1), f->j->p->models, (unsigned long long)(room / 1000000));
    }
    return EG_OK;
}

static eg_status take(void *self, const void *bytes, size_t n, eg_error *err) {
    fetch *f = self;
    const char *p = bytes;
    if (n > f->most - f->have || (f->all != UINT64_MAX && n > f->all - f->have))
        return eg_fail(err, EG_ELIMIT, "%s of %s is longer than %llu bytes, which is all that was expected", f->name,
                       f->j->p->repo, (unsigned long long)(f->all < f->most ? f->all : f->most));
    f->j->out->bytes += n;
    while (n) {
        ssize_t done = write(f->fd, p, n);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return disk_error(f, err);
        p += done, n -= (size_t)done, f->have += (uint64_t)done;
    }
    if (f->j->p->progress) f->j->p->progress(f->j->p->self, f->name, f->have, f->all);
    return EG_OK;
}

/* What an answer other than 200, 206, 404 means; a person can act on it. */
static eg_status refusal(const job *j, const eg_http_answer *a, eg_error *err) {
    const char *repo = j->p->repo, *e = j->endpoint;
    int has_token = j->p->token && *j->p->token;
    if (strcmp(a->error_code, "GatedRepo") == 0)
        return eg_fail(err, EG_EPERM, "%s is gated: accept its conditions at %s/%s in a browser, then set HF_TOKEN to %s", repo,
                       e, repo, has_token ? "a token of that account (this one may not read it)" : "a token of that account");
    if (strcmp(a->error_code, "RevisionNotFound") == 0)
        return eg_fail(err, EG_ENOENT, "%s has no revision '%s': see %s/%s/commits/main", repo, j->revision, e, repo);
    if (strcmp(a->error_code, "RepoNotFound") == 0 || a->status == 404)
        return eg_fail(err, EG_ENOENT, "there is no model %s at %s that %s may read: is it spelled so? A private one needs %s",
                       repo, e, has_token ? "this HF_TOKEN" : "everybody", has_token ? "a token of its owners" : "HF_TOKEN");
    if (a->status == 401 || a->status == 403)
        return eg_fail(
            err, EG_EPERM,
            "%s does not let %s read %s (%d): set HF_TOKEN to a token of an account that may, and accept the model's conditions at %s/%s if it has some",
            a->host, has_token ? "this HF_TOKEN" : "everybody", repo, a->status, e, repo);
    return eg_fail(err, EG_EBUSY, "%s answers with status %d: try again later, or set HF_ENDPOINT to another hub", a->host,
                   a->status);
}

static int is_transient(int status) { return status == 408 || status == 429 || status >= 500; }

/* Half a second, a second, two ... ; 0 when the person does not want to wait. */
static int sleep_before(int attempt, const eg_cancel *cancel) {
    for (int i = 0; i < 5 << attempt; i++) {
        if (eg_cancel_is_set(cancel)) return 0;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return 1;
}

static int hex_length(const char *s) { return (int)strspn(s, "0123456789abcdefABCDEF"); }

/* The checksum in an etag: its hex digits without quotes; their number is 64 (SHA-256), 40 (a blob
 * of git) or, for any other etag, 0. */
static int checksum_of(const char *etag, char out[EG_SHA256_TEXT]) {
    const char *p = strncmp(etag, "W/", 2) == 0 ? etag + 2 : etag;
    p += *p == '"';
    int n = hex_length(p);
    if ((n != 64 && n != 40) || (p[n] && p[n] != '"')) return 0;
    for (int i = 0; i < n; i++) out[i] = (char)(p[i] >= 'A' && p[i] <= 'F' ? p[i] + 32 : p[i]);
    out[n] = '\0';
    return n;
}

static eg_status note_sum(job *j, eg_sums *to, const char *name, const char *sha256, eg_error *err) {
    if (to->count == EG_MAX_SUMS) return eg_fail(err, EG_ELIMIT, "%s has more than %d files", j->p->repo, EG_MAX_SUMS);
    eg_sum *row = &to->rows[to->count];
    if (!(row->name = eg_arena_copy(&j->arena, eg_str_of(name)))) return eg_fail_memory(err, strlen(name));
    memcpy(row->sha256, sha256, sizeof row->sha256);
    to->count++;
    return EG_OK;
}

/* Compares what was written with what the table and the hub say; notes its checksum. */
static eg_status check_content(fetch *f, const eg_http_answer *a, eg_error *err) {
    job *j = f->j;
    eg_digests d;
    char wanted[EG_SHA256_TEXT] = "";
    const eg_known_model *k = j->p->known;
    int pinned = k && k->weights && strcmp(j->revision, k->revision) == 0 && strcmp(f->name, "model.safetensors") == 0;
    int kind = checksum_of(a->linked_etag, wanted);
    if (!kind && !a->linked_etag[0]) kind = checksum_of(a->etag, wanted);
    eg_status s = eg_digest_file(f->part, &j->p->cancel, &d, err);
    if (s != EG_OK) return s;
    if (pinned && strcmp(d.sha256, k->weights) != 0)
        return eg_fail(
            err, EG_EFORMAT,
            "%s of %s is not the published file: its SHA-256 is %s, known is %s. Nothing was installed; is HF_ENDPOINT (%s) a hub that you trust?",
            f->name, j->p->repo, d.sha256, k->weights, j->endpoint);
    const char *got = kind == 40 ? d.blob : d.sha256;
    if (kind && strcmp(got, wanted) != 0)
        return eg_fail(
            err, EG_EFORMAT,
            "%s of %s was damaged on its way: its checksum is %s, the hub says %s. Nothing was installed; try again, and if it stays so another HF_ENDPOINT",
            f->name, j->p->repo, got, wanted);
    if (!kind && !pinned) snprintf(j->out->unchecked, sizeof j->out->unchecked, "%.190s", f->name);
    return note_sum(j, j->fetched, f->name, d.sha256, err);
}

/* One transfer of the file, from what is here on. *status: of the answer. */
static eg_status transfer(fetch *f, eg_http_answer *a, eg_error *err) {
    job *j = f->j;
    char url[EG_MAX_URL], revision[400] = "";
    size_t n = 0;
    const char *r = j->commit[0] ? j->commit : j->revision;
    for (; *r; r++) n += (size_t)snprintf(revision + n, sizeof revision - n, *r == '/' ? "%%2F" : "%c", *r);
    snprintf(url, sizeof url, "%s/%s/resolve/%s/%s", j->endpoint, j->p->repo, revision, f->name);
    off_t have = lseek(f->fd, 0, SEEK_END);
    /* without an etag nobody can tell whether the rest would be of the same file */
    f->have = have > 0 && f->etag[0] ? (uint64_t)have : 0;
    f->resumed = f->have > 0;
    f->all = UINT64_MAX;
    eg_http_get get = {.url = url,
                       .token = j->p->token && *j->p->token ? j->p->token : NULL,
                       .from = f->have,
                       .if_range = f->etag,
                       .cancel = &j->p->cancel,
                       .begin = begin,
                       .take = take,
                       .self = f};
    eg_status s = eg_http_run(&get, a, err);
    if (s == EG_OK && (a->status == 200 || a->status == 206) && f->all != UINT64_MAX &&
        f->have != f->all) /* libcurl sees it too, where there is a Content-Length */
        s = eg_fail(err, EG_EBUSY, "%s broke off %s after %llu of %llu bytes", a->host, f->name, (unsigned long long)f->have,
                    (unsigned long long)f->all);
    return s;
}

/* Transfers with patience: what breaks off goes on, as long as something comes. *found 0: the hub
 * has no such file. */
static eg_status transfer_all(fetch *f, int *found, eg_http_answer *a, eg_error *err) {
    eg_status s = EG_OK;
    uint64_t most = 0;
    /* times that the file was begun anew because its checksum was wrong after a resumption */
    int fresh = 0;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        s = transfer(f, a, err);
        *found = a->status != 404 || (a->error_code[0] && strcmp(a->error_code, "EntryNotFound") != 0);
        if (s == EG_OK && !*found) return EG_OK;
        if (s == EG_OK && a->status == 416 && !fresh++) { /* more is here than there: begin anew */
            f->etag[0] = '\0';
            continue;
        }
        if (s == EG_OK && a->status != 200 && a->status != 206) {
            s = refusal(f->j, a, err);
            if (!is_transient(a->status)) return s;
        } else if (s == EG_OK) {
            int resumed = f->resumed;
            s = check_content(f, a, err);
            if (s != EG_EFORMAT) return s;
            f->etag[0] = '\0';
            if (ftruncate(f->fd, 0) != 0) return disk_error(f, err);
            if (!resumed || fresh++) return s;
            continue;
        }
        if (s != EG_EBUSY) return s;
        if (!a->connected && !f->j->out->bytes && attempt) break; /* there is no network at all */
        if (f->have > most) {
            most = f->have;
            attempt = -1;
        }
        if (attempt + 1 < ATTEMPTS && !sleep_before(attempt < 0 ? 0 : attempt, &f->j->p->cancel))
            return eg_fail(err, EG_ECANCELLED, "stopped");
    }
    eg_error why = *err;
    return eg_fail(err, EG_EBUSY,
                   "%s: check the network, or set HF_ENDPOINT to a hub that can be reached; the same command then goes on",
                   why.text);
}

/* Gets one file into the hidden folder, unless it is there. */
static eg_status get_file(job *j, const char *name, int *found, eg_error *err) {
    fetch f = {.j = j, .name = name, .fd = -1};
    eg_http_answer a = {0};
    eg_str etag;
    size_t length = strlen(name);
    snprintf(f.path, sizeof f.path, "%s/%s", j->staging, name);
    snprintf(f.part, sizeof f.part, "%s.part", f.path);
    snprintf(f.etag_path, sizeof f.etag_path, "%s.etag", f.path);
    f.most = length > 12 && strcmp(name + length - 12, ".safetensors") == 0 ? MOST_WEIGHTS : MOST_SMALL;
    *found = 1;
    if (eg_file_exists(f.path)) return EG_OK; /* checked before it got this name */
    char *slash = strrchr(f.path, '/');
    *slash = '\0';
    eg_status s = eg_folder_make(f.path, 0700, err);
    *slash = '/';
    if (s != EG_OK) return s;
    if (eg_file_read(f.etag_path, sizeof f.etag - 1, &j->arena, &etag, NULL) == EG_OK) memcpy(f.etag, etag.ptr, etag.len + 1);
    if (!is_plain(f.etag)) f.etag[0] = '\0';
    f.fd = open(f.part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (f.fd < 0) return disk_error(&f, err);
    s = transfer_all(&f, found, &a, err);
    if (s == EG_OK && *found && fsync(f.fd) != 0) s = disk_error(&f, err);
    close(f.fd);
    if (s == EG_OK && *found && rename(f.part, f.path) != 0)
        s = eg_fail(err, EG_EIO, "cannot rename '%s': %s", f.part, strerror(errno));
    if (s == EG_OK || s == EG_EFORMAT || s == EG_ELIMIT || f.have == 0) {
        unlink(f.part);
        unlink(f.etag_path);
    }
    /* a commit that was asked for by its hash is that one, whatever a server says */
    int named = hex_length(j->revision) == 40 && !j->revision[40];
    if (s == EG_OK && !j->commit[0])
        snprintf(j->commit, sizeof j->commit, "%s", !named && is_word(eg_str_of(a.commit)) ? a.commit : j->revision);
    return s;
}

/* ---- the whole ---- */

/* The weights in one file, or those that the index names, each once. */
static eg_status get_shards(job *j, eg_error *err) {
    char path[MOST_PATH + 64];
    eg_str text;
    eg_json json;
    const char *names[MOST_FILES];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/model.safetensors.index.json", j->staging);
    eg_status s = eg_file_read(path, MOST_SMALL, &j->arena, &text, err);
    if (s != EG_OK) return s;
    eg_json_init(&json, "model.safetensors.index.json", text, &j->arena, err);
    int in_map = 0;
    for (eg_json_kind k = eg_json_next(&json); k != EG_JSON_END; k = eg_json_next(&json)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k == EG_JSON_KEY && json.depth == 1) in_map = eg_str_eq(json.text, EG_STR("weight_map"));
        if (k != EG_JSON_STRING || json.depth != 2 || !in_map) continue;
        char quoted[80];
        size_t length = json.text.len, i = 0;
        if (!eg_model_file_name(json.text) || memchr(json.text.ptr, '/', length) || length < 13 ||
            memcmp(json.text.ptr + length - 12, ".safetensors", 12) != 0) {
            j->useless = 1;
            return eg_fail(
                err, EG_EREFUSED,
                "%s: its index of weights names the file '%s', which is no plain name of a safetensors file: it is not fetched",
                j->p->repo, eg_quote(json.text, 60, quoted, sizeof quoted));
        }
        while (i < count && !eg_str_eq(json.text, eg_str_of(names[i]))) i++;
        if (i < count) continue;
        if (count == MOST_FILES)
            return eg_fail(err, EG_ELIMIT, "%s has its weights in more than %d files", j->p->repo, MOST_FILES);
        if (!(names[count++] = eg_arena_copy(&j->arena, json.text))) return eg_fail_memory(err, length);
    }
    for (size_t i = 0; s == EG_OK && i < count; i++) {
        int found;
        s = get_file(j, names[i], &found, err);
        if (s == EG_OK && !found)
            s = eg_fail(err, EG_ENOENT, "%s has no %s, though its index names it: the repository is not whole", j->p->repo,
                        names[i]);
    }
    return s == EG_OK && !count ? eg_fail(err, EG_EFORMAT, "%s: its index of weights names no file", j->p->repo) : s;
}

/* A sentence of the engine, about the repository instead of the hidden folder. */
static eg_status unsupported(job *j, const eg_error *why, eg_error *err) {
    char head[MOST_PATH + 20];
    snprintf(head, sizeof head, "model '%s': ", j->staging);
    size_t n = strncmp(why->text, head, strlen(head)) == 0 ? strlen(head) : 0;
    eg_status code = why->code == EG_ENOMEM || why->code == EG_EIO || why->code == EG_ECANCELLED ? why->code : EG_EUNSUPPORTED;
    j->useless = code == EG_EUNSUPPORTED;
    return eg_fail(err, code, "the engine cannot run %s, and it was not installed: %s", j->p->repo, why->text + n);
}

/* Files in the order that lets a model which the engine cannot run be refused before its weights
 * are fetched. config.json is here. */
static eg_status get_files(job *j, eg_error *err) {
    eg_model_kind kind = {.size = sizeof kind};
    eg_error why = {0};
    int has_tokenizer = 0, found = 0;
    for (size_t i = 1; i < EG_MODEL_FILES; i++) {
        const char *name = eg_model_files[i];
        int alternative = strcmp(name, "vocab.txt") == 0 || strcmp(name, "vocab.json") == 0 || strcmp(name, "merges.txt") == 0 ||
                          strcmp(name, "spm.model") == 0 || strcmp(name, "added_tokens.json") == 0;
        if (strncmp(name, "model.safetensors", 17) == 0 || (alternative && has_tokenizer)) continue;
        eg_status s = get_file(j, name, &found, err);
        if (s != EG_OK) return s;
        has_tokenizer |= found && strcmp(name, "tokenizer.json") == 0;
    }
    if (eg_model_kind_of(j->staging, &kind, &why) != EG_OK) return unsupported(j, &why, err);
    eg_status s = get_file(j, "model.safetensors", &found, err);
    if (s != EG_OK || found) return s;
    s = get_file(j, "model.safetensors.index.json", &found, err);
    if (s == EG_OK && !found) {
        j->useless = 1;
        s = eg_fail(
            err, EG_EUNSUPPORTED,
            "%s has no model.safetensors: it was published in another format only. Look for a repository with safetensors",
            j->p->repo);
    }
    return s == EG_OK ? get_shards(j, err) : s;
}

/* A file's checksum: that of its download; computed if an earlier process downloaded it. */
static eg_status add_sum(job *j, const char *name, eg_error *err) {
    char path[MOST_PATH + 256];
    eg_digests d;
    for (size_t i = j->fetched->count; i-- > 0;)
        if (strcmp(j->fetched->rows[i].name, name) == 0) return note_sum(j, j->sums, name, j->fetched->rows[i].sha256, err);
    snprintf(path, sizeof path, "%s/%s", j->staging, name);
    eg_status s = eg_digest_file(path, &j->p->cancel, &d, err);
    return s == EG_OK ? note_sum(j, j->sums, name, d.sha256, err) : s;
}

static int by_name(const void *a, const void *b) { return strcmp(((const eg_sum *)a)->name, ((const eg_sum *)b)->name); }

/* SHA256SUMS over what is in the hidden folder. */
static eg_status record(job *j, eg_error *err) {
    *j->sums = (eg_sums){.source = j->out->source, .licence = j->p->known ? j->p->known->licence : ""};
    eg_status s = EG_OK;
    DIR *d = opendir(j->staging);
    if (!d) return eg_fail(err, EG_EIO, "cannot read '%s': %s", j->staging, strerror(errno));
    for (struct dirent *e; s == EG_OK && (e = readdir(d));) {
        if (e->d_name[0] == '.' || strcmp(e->d_name, "1_Pooling") == 0 || strcmp(e->d_name, EG_SUMS_FILE) == 0) continue;
        s = add_sum(j, e->d_name, err);
    }
    closedir(d);
    char pooling[MOST_PATH + 64];
    snprintf(pooling, sizeof pooling, "%s/1_Pooling/config.json", j->staging);
    if (s == EG_OK && eg_file_exists(pooling)) s = add_sum(j, "1_Pooling/config.json", err);
    qsort(j->sums->rows, j->sums->count, sizeof *j->sums->rows, by_name);
    return s == EG_OK ? eg_sums_write(j->staging, j->sums, err) : s;
}

/* The engine opens it, its checksums are recorded, it gets its name. */
static eg_status install(job *j, eg_error *err) {
    char path[MOST_PATH + 16];
    eg_model *model = NULL;
    eg_error why = {0};
    eg_status s = eg_model_open(j->p->engine, j->staging, NULL, &model, &why);
    eg_model_close(model);
    if (s != EG_OK) return unsupported(j, &why, err);
    snprintf(path, sizeof path, "%s/1_Pooling", j->staging);
    rmdir(path); /* when nothing is in it */
    if ((s = record(j, err)) != EG_OK) return s;
    snprintf(path, sizeof path, "%s/.source", j->staging);
    unlink(path);
    if (rename(j->staging, j->out->folder) != 0)
        return eg_fail(err, EG_EIO, "cannot rename '%s' to '%s': %s", j->staging, j->out->folder, strerror(errno));
    eg_folder_flush(j->p->models);
    return EG_OK;
}

/* In the hidden folder, which is ours. */
static eg_status fetch_and_install(job *j, eg_error *err) {
    int found, there;
    char config[MOST_PATH + 16];
    /* the first request tells the commit, and what is here of another one goes away */
    snprintf(config, sizeof config, "%s/config.json", j->staging);
    unlink(config);
    eg_status s = get_file(j, "config.json", &found, err);
    if (s == EG_OK && !found)
        s = eg_fail(err, EG_ENOENT,
                    "%s has no config.json at '%s': it is no model for transformers, or %s has no such repository", j->p->repo,
                    j->revision, j->endpoint);
    if (s != EG_OK) return s;
    snprintf(j->out->source, sizeof j->out->source, "%s@%s", j->p->repo, j->commit);
    s = look_at_target(j, &there, err);
    if (s != EG_OK) unlink(config); /* of another commit than what is installed */
    if (s != EG_OK || there) return s;
    if ((s = match_staging(j, err)) == EG_OK) s = get_files(j, err);
    return s == EG_OK ? install(j, err) : s;
}

eg_status eg_pull_model(const eg_pull *pull, eg_pulled *out, eg_error *err) {
    job j = {.p = pull, .out = out, .sums = calloc(1, sizeof *j.sums), .fetched = calloc(1, sizeof *j.fetched)};
    int fd = -1;
    *out = (eg_pulled){0};
    eg_arena_init(&j.arena, 0);
    eg_status s = j.sums && j.fetched ? check_arguments(&j, err) : eg_fail_memory(err, sizeof *j.sums);
    if (s == EG_OK) s = take_staging(&j, &fd, err);
    if (fd >= 0) {
        s = fetch_and_install(&j, err);
        /* what may go on another time stays, hidden: a token, a hub or a library can be mended */
        if (out->already || j.useless || s == EG_EFORMAT || s == EG_ELIMIT) clear(&j, "");
        if (s != EG_OK || out->already) rmdir(j.staging); /* when it is empty */
        close(fd);
    }
    eg_arena_release(&j.arena);
    free(j.fetched);
    free(j.sums);
    return s;
}
