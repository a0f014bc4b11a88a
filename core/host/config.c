/* config.c - the table of settings and where their values come from. See config.h. */
#include "core/host/config.h"

#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/access/owner.h"
#include "core/access/workspace.h"
#include "core/base/file.h"
#include "core/base/spelling.h"
#include "core/base/status.h"
#include "core/base/utf8.h"

enum { MAX_EXTRAS = 256, MAX_VALUE = 4096, MAX_KEY = 100, LINE_BYTES = 2 * MAX_VALUE };

static const eg_setting table[] = {
    {"workspace", EG_SETTING_TEXT, 0, 0, NULL, "", "ENGRAM_WORKSPACE", 0, 0, 0, EG_SHOWN_WHOLE},
    {"scope", EG_SETTING_TEXT, 0, 0, NULL, "", "ENGRAM_SCOPE", 1, 0, 0, EG_SHOWN_WHOLE},
    {"storage", EG_SETTING_TEXT, 0, 0, NULL, "sqlite", "ENGRAM_STORAGE", 0, 0, 0, EG_SHOWN_WHOLE},
    {"database", EG_SETTING_TEXT, 0, 0, NULL, "", "ENGRAM_DATABASE", 0, 0, 0, EG_SHOWN_LOCATION},
    {"plugins", EG_SETTING_TEXT, 0, 0, NULL, "sqlite memory mcp rules nli secrets", "ENGRAM_PLUGINS", 0, 0, 0, EG_SHOWN_WHOLE},
    {"plugins_required", EG_SETTING_TEXT, 0, 0, NULL, "", "ENGRAM_PLUGINS_REQUIRED", 0, 0, 0, EG_SHOWN_WHOLE},
    {"gates_required", EG_SETTING_TEXT, 0, 0, NULL, "secrets", "ENGRAM_GATES_REQUIRED", 0, 0, 0, EG_SHOWN_WHOLE},
    {"model.embed", EG_SETTING_TEXT, 0, 0, NULL, "engram-embed-0", "ENGRAM_MODEL_EMBED", 0, 0, 0, EG_SHOWN_WHOLE},
    {"model.nli", EG_SETTING_TEXT, 0, 0, NULL, "engram-nli-exact-0", "ENGRAM_MODEL_NLI", 0, 0, 0, EG_SHOWN_WHOLE},
    {"detection.wait_ms", EG_SETTING_INTEGER, 0, 60000, NULL, "1000", "ENGRAM_WAIT_MS", 1, 0, 10000, EG_SHOWN_WHOLE},
    {"detection.entailment", EG_SETTING_NUMBER, 0, 1, NULL, "", "ENGRAM_ENTAILMENT", 1, 0.5, 1, EG_SHOWN_WHOLE},
    {"detection.tier1_nli", EG_SETTING_NUMBER, 0, 1, NULL, "", "ENGRAM_TIER1_NLI", 1, 0.3, 0.95, EG_SHOWN_WHOLE},
    {"detection.tier1_nli_documents", EG_SETTING_NUMBER, 0, 1, NULL, "", "ENGRAM_TIER1_NLI_DOCUMENTS", 1, 0, 0.99,
     EG_SHOWN_WHOLE},
    {"detection.nli_gate", EG_SETTING_NUMBER, 0, 1, NULL, "", "ENGRAM_NLI_GATE", 1, 0, 0.9, EG_SHOWN_WHOLE},
    {"detection.nli_gate_documents", EG_SETTING_NUMBER, 0, 1, NULL, "", "ENGRAM_NLI_GATE_DOCUMENTS", 1, 0, 0.9, EG_SHOWN_WHOLE},
    {"detection.tier1_nli_review", EG_SETTING_NUMBER, 0, 1, NULL, "", "ENGRAM_TIER1_NLI_REVIEW", 1, 0, 1, EG_SHOWN_WHOLE},
    {"detection.reviews_per_commit", EG_SETTING_NUMBER, 0, 2, NULL, "0.5", "ENGRAM_REVIEWS_PER_COMMIT", 1, 0, 1, EG_SHOWN_WHOLE},
    {"detection.query_words", EG_SETTING_NUMBER, 0, 10, NULL, "", "ENGRAM_QUERY_WORDS", 1, 0, 1, EG_SHOWN_WHOLE},
    {"threads", EG_SETTING_INTEGER, 0, 256, NULL, "0", "ENGRAM_THREADS", 0, 0, 0, EG_SHOWN_WHOLE},
    {"isa", EG_SETTING_TEXT, 0, 0, "auto|scalar|avx2|avx512|neon|avxvnni|avx512vnni|dotprod|amx|i8mm|avx512bf16", "auto",
     "ENGRAM_ISA", 0, 0, 0, EG_SHOWN_WHOLE},
    {"format", EG_SETTING_TEXT, 0, 0, "auto|f32|s8|bf16", "auto", "ENGRAM_FORMAT", 0, 0, 0, EG_SHOWN_WHOLE},
    {"gemm", EG_SETTING_TEXT, 0, 0, "own|openblas", "own", "ENGRAM_GEMM", 0, 0, 0, EG_SHOWN_WHOLE},
    {"log", EG_SETTING_TEXT, 0, 0, "error|warning|info|debug", "warning", "ENGRAM_LOG", 0, 0, 0, EG_SHOWN_WHOLE},
};
enum { SETTINGS = sizeof table / sizeof *table };

typedef struct value {
    const char *text, *origin;
} value;
typedef struct extra { /* a plugin's own setting */
    const char *key;
    value v;
} extra;

typedef struct noted { /* a name that a plugin reads, set or not */
    const char *key;
    struct noted *next;
} noted;

struct eg_conf {
    eg_arena *arena;
    value values[SETTINGS];
    extra extras[MAX_EXTRAS];
    size_t extra_count;
    noted *read;         /* the first that was noted last */
    const char *ignored; /* see eg_conf_ignored() */
    const char *listed;  /* the plugins of all sources: a command may load fewer than the files have
                          * settings for */
};

const eg_setting *eg_settings(size_t *n) {
    *n = SETTINGS;
    return table;
}

static size_t find(const char *key) {
    size_t i = 0;
    while (i < SETTINGS && strcmp(table[i].key, key) != 0) i++;
    return i;
}

eg_status eg_conf_create(eg_arena *arena, eg_conf **out, eg_error *err) {
    eg_conf *c = eg_arena_alloc(arena, sizeof *c);
    if (!c) return eg_fail_memory(err, sizeof *c);
    c->arena = arena;
    for (size_t i = 0; i < SETTINGS; i++) c->values[i] = (value){table[i].otherwise, "default"};
    c->listed = c->values[find("plugins")].text;
    *out = c;
    return EG_OK;
}

/* 1 when word is one of the '|'-separated words. */
static int is_word(const char *words, const char *word) {
    size_t n = strlen(word);
    for (const char *p = words; *p;) {
        size_t len = strcspn(p, "|");
        if (len == n && memcmp(p, word, n) == 0) return 1;
        p += len + (p[len] == '|');
    }
    return 0;
}

static eg_status check(const eg_setting *s, const char *text, const char *origin, eg_error *err) {
    if (strlen(text) > MAX_VALUE || eg_utf8_valid_prefix(text, strlen(text)) != strlen(text)) {
        return eg_fail(err, strlen(text) > MAX_VALUE ? EG_ELIMIT : EG_EINVAL, "%s: %s is longer than %d bytes or no valid UTF-8",
                       origin, s->key, MAX_VALUE);
    }
    if (!*text) return EG_OK; /* unset */
    char shown[61];
    eg_quote(eg_str_of(text), 60, shown, sizeof shown);
    if (s->type == EG_SETTING_TEXT) {
        if (!s->words || is_word(s->words, text)) return EG_OK;
        return eg_fail(err, EG_EINVAL, "%s: %s is '%s': use one of %s", origin, s->key, shown, s->words);
    }
    if (s->type == EG_SETTING_BOOLEAN) {
        if (is_word("true|false|1|0|yes|no", text)) return EG_OK;
        return eg_fail(err, EG_EINVAL, "%s: %s is '%s': use true or false", origin, s->key, shown);
    }
    char *end;
    double x = strtod(text, &end);
    int good = end != text && !*end && isfinite(x) && x >= s->low && x <= s->high;
    if (good && s->type == EG_SETTING_INTEGER) good = x == floor(x);
    if (good) return EG_OK;
    return eg_fail(err, EG_EINVAL, "%s: %s is '%s': use %s from %g to %g", origin, s->key, shown,
                   s->type == EG_SETTING_INTEGER ? "a whole number" : "a number", s->low, s->high);
}

static eg_status set_extra(eg_conf *c, const char *key, value v, eg_error *err) {
    size_t i = 0;
    while (i < c->extra_count && strcmp(c->extras[i].key, key) != 0) i++;
    if (i == MAX_EXTRAS) return eg_fail(err, EG_ELIMIT, "%s: more than %d settings of plugins", v.origin, MAX_EXTRAS);
    const char *copy = eg_arena_copy(c->arena, eg_str_of(key));
    if (!copy) return eg_fail_memory(err, strlen(key));
    c->extras[i] = (extra){copy, v};
    if (i == c->extra_count) c->extra_count++;
    return EG_OK;
}

/* Adds the name of a setting to those that are ignored, once. */
static eg_status ignore(eg_conf *c, const char *name, eg_error *err) {
    size_t n = strlen(name);
    for (const char *at = c->ignored; at && (at = strstr(at, name)); at += n)
        if ((at == c->ignored || at[-1] == ' ') && (!at[n] || at[n] == ',')) return EG_OK;
    c->ignored = eg_arena_printf(c->arena, "%s%s%s", c->ignored ? c->ignored : "", c->ignored ? ", " : "", name);
    return c->ignored ? EG_OK : eg_fail_memory(err, n);
}

/* 1 when a project may set this by itself. An empty value unsets, which is harmless for text
 * only. */
static int is_harmless(const eg_setting *s, const char *text) {
    if (!s->project) return 0;
    if (s->type == EG_SETTING_TEXT) return 1;
    double x = strtod(text, NULL);
    return *text && x >= s->project_low && x <= s->project_high;
}

/* The one way in. Later calls are stronger. */
static eg_status set(eg_conf *c, const char *key, const char *text, const char *origin, eg_conf_trust trust, eg_error *err) {
    size_t i = find(key);
    const char *dot = strchr(key, '.');
    int of_house = !dot || strncmp(key, "model.", 6) == 0 || strncmp(key, "detection.", 10) == 0;
    if (i == SETTINGS && (of_house || strlen(key) > MAX_KEY)) {
        char shown[61];
        eg_suggestion meant = {.written = key};
        for (size_t k = 0; k < SETTINGS; k++) eg_suggestion_offer(&meant, table[k].key);
        return eg_fail(err, EG_EINVAL, "%s: there is no setting '%s'%s%s%s `engram doctor` lists all", origin,
                       eg_quote(eg_str_of(key), 60, shown, sizeof shown), meant.meant ? "; did you mean '" : ":",
                       meant.meant ? meant.meant : "", meant.meant ? "'?" : "");
    }
    if (trust == EG_CONF_PROJECT && i == SETTINGS) return ignore(c, "settings of plugins", err);
    if (i < SETTINGS) {
        eg_status s = check(&table[i], text, origin, err);
        if (s != EG_OK) return s;
        if (trust == EG_CONF_PROJECT && !is_harmless(&table[i], text)) return ignore(c, key, err);
        if (trust == EG_CONF_ALLOWED && i == find("workspace") && eg_workspace_is_reserved(eg_str_of(text)))
            return eg_fail(err, EG_EREFUSED,
                           "%s: a project file may not name the workspace '%s': names that begin with git- belong to "
                           "repositories, and local to what is in none; choose another name",
                           origin, text);
    }
    value v = {eg_arena_copy(c->arena, eg_str_of(text)), eg_arena_copy(c->arena, eg_str_of(origin))};
    if (!v.text || !v.origin) return eg_fail_memory(err, strlen(text));
    if (i == SETTINGS) return set_extra(c, key, v, err);
    c->values[i] = v;
    if (i != find("plugins")) return EG_OK;
    c->listed = eg_arena_printf(c->arena, "%s %s", c->listed, text);
    return c->listed ? EG_OK : eg_fail_memory(err, strlen(text));
}

typedef struct reading {
    eg_conf *config;
    eg_str rest;
    const char *path;
    int line, too_long, most; /* most: bytes of a line */
    eg_conf_trust trust;
    eg_status status;
    eg_error *err;
} reading;

/* Counts lines as libinih asks for them, so that a message can name one. Blanks at the start are
 * left out: libinih takes an indented line for more of the value above it. */
static char *next_line(char *line, int size, void *stream) {
    reading *r = stream;
    if (!r->rest.len) return NULL;
    const char *from = r->rest.ptr, *newline = memchr(from, '\n', r->rest.len);
    const char *end = newline ? newline : from + r->rest.len, *next = newline ? newline + 1 : end;
    r->line++;
    r->rest = (eg_str){next, r->rest.len - (size_t)(next - from)};
    while (from < end && strchr(" \t\r\f\v", *from)) from++;
    r->most = size - 1;
    if (end - from > r->most) {
        r->too_long = r->line;
        return NULL;
    }
    memcpy(line, from, (size_t)(end - from));
    line[end - from] = '\0';
    return line;
}

static int take_pair(void *user, const char *section, const char *name, const char *text) {
    reading *r = user;
    char key[2 * MAX_KEY], origin[512];
    if (r->status != EG_OK) return 1;
    snprintf(origin, sizeof origin, "%.480s:%d", r->path, r->line);
    int n = snprintf(key, sizeof key, "%s%s%s", section, *section ? "." : "", name);
    if (n < 0 || (size_t)n >= sizeof key) {
        r->status = eg_fail(r->err, EG_EINVAL, "%s: the name of a setting is too long", origin);
    } else {
        r->status = set(r->config, key, text ? text : "", origin, r->trust, r->err);
    }
    return 1;
}

eg_status eg_conf_read_text(eg_conf *config, eg_str text, const char *path, eg_conf_trust trust, eg_error *err) {
    if (text.len && memchr(text.ptr, '\0', text.len))
        return eg_fail(err, EG_EFORMAT, "'%s' has a zero byte in it: write it as plain text in UTF-8", path);
    reading r = {.config = config, .rest = text, .path = path, .trust = trust, .err = err};
    ini_max_line = LINE_BYTES; /* a variable in Debian's libinih, 200 unless set */
    int line = ini_parse_stream(next_line, &r, take_pair, &r);
    if (r.status != EG_OK) return r.status;
    if (r.too_long) return eg_fail(err, EG_ELIMIT, "%s:%d: the line is longer than %d bytes", path, r.too_long, r.most);
    if (line > 0) return eg_fail(err, EG_EFORMAT, "%s:%d: expected [section] or name = value", path, line);
    return line < 0 ? eg_fail_memory(err, LINE_BYTES) : EG_OK;
}

eg_status eg_conf_read(eg_conf *config, const char *path, eg_error *err) {
    eg_error problem = {0};
    struct stat st;
    eg_str text;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
        eg_status s = eg_owner_check(&st, eg_str_of(path), "its settings are not read; give it to yourself by chown", err);
        if (s != EG_OK) return s;
    }
    eg_status s = eg_file_read(path, EG_CONF_MAX_FILE, config->arena, &text, &problem);
    if (s == EG_ENOENT) return EG_OK;
    return s == EG_OK ? eg_conf_read_text(config, text, path, EG_CONF_USER, err) : eg_fail(err, s, "%s", problem.text);
}

const char *eg_conf_ignored(const eg_conf *config) { return config->ignored; }

eg_status eg_conf_environment(eg_conf *config, eg_error *err) {
    for (size_t i = 0; i < SETTINGS; i++) {
        const char *text = secure_getenv(table[i].variable);
        if (!text) continue;
        eg_status s = set(config, table[i].key, text, table[i].variable, EG_CONF_USER, err);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

eg_status eg_conf_option(eg_conf *config, const char *text, eg_error *err) {
    char key[MAX_KEY + 1];
    size_t n = strcspn(text, "=");
    if (!text[n] || n == 0 || n > MAX_KEY) { return eg_fail(err, EG_EINVAL, "'%.60s' is no setting: write key=value", text); }
    memcpy(key, text, n);
    key[n] = 0;
    return set(config, key, text + n + 1, "option", EG_CONF_USER, err);
}

/* 1 when a listed plugin (a name or the path of NAME.so) is called by the first n bytes of key. */
static int is_listed(const char *list, const char *key, size_t n) {
    for (const char *p = list; *p;) {
        p += strspn(p, " ,\t");
        size_t len = strcspn(p, " ,\t");
        const char *end = p + len, *name = end;
        while (name > p && name[-1] != '/') name--;
        size_t name_len = (size_t)(end - name);
        if (name_len > 3 && memcmp(end - 3, ".so", 3) == 0) name_len -= 3;
        if (name_len == n && memcmp(name, key, n) == 0) return 1;
        p = end;
    }
    return 0;
}

eg_status eg_conf_finish(eg_conf *config, eg_error *err) {
    for (size_t i = 0; i < config->extra_count; i++) {
        const extra *e = &config->extras[i];
        if (is_listed(config->listed, e->key, strcspn(e->key, "."))) continue;
        return eg_fail(err, EG_EINVAL, "%s: there is no setting and no listed plugin for '%.60s'", e->v.origin, e->key);
    }
    return EG_OK;
}

static int is_noted(const eg_conf *config, const char *key) {
    const noted *n = config->read;
    while (n && strcmp(n->key, key) != 0) n = n->next;
    return n != NULL;
}

eg_status eg_conf_note_read(eg_conf *config, const char *key, eg_error *err) {
    if (is_noted(config, key)) return EG_OK;
    noted *n = eg_arena_alloc(config->arena, sizeof *n);
    const char *copy = eg_arena_copy(config->arena, eg_str_of(key));
    if (!n || !copy) return eg_fail_memory(err, sizeof *n + strlen(key));
    *n = (noted){copy, config->read};
    config->read = n;
    return EG_OK;
}

static int is_of_section(const char *key, eg_str section) {
    return strncmp(key, section.ptr, section.len) == 0 && key[section.len] == '.';
}

eg_status eg_conf_unread(const eg_conf *config, eg_str section,
                         void (*each)(void *self, const char *key, const char *origin, const char *meant, const char *known),
                         void *self, eg_error *err) {
    const char *known = "";
    for (const noted *n = config->read; n; n = n->next) {
        if (!is_of_section(n->key, section)) continue;
        known = eg_arena_printf(config->arena, "%s%s%s", n->key, *known ? ", " : "", known);
        if (!known) return eg_fail_memory(err, strlen(n->key));
    }
    for (size_t i = 0; i < config->extra_count; i++) {
        const extra *e = &config->extras[i];
        if (!is_of_section(e->key, section) || is_noted(config, e->key)) continue;
        eg_suggestion s = {.written = e->key};
        for (const noted *n = config->read; n; n = n->next) eg_suggestion_offer(&s, n->key);
        each(self, e->key, e->v.origin, s.meant, known);
    }
    return EG_OK;
}

const char *eg_conf_get(const eg_conf *config, const char *key) {
    const char *text = NULL;
    size_t i = find(key);
    if (i < SETTINGS) text = config->values[i].text;
    for (size_t x = 0; i == SETTINGS && x < config->extra_count; x++) {
        if (strcmp(config->extras[x].key, key) == 0) text = config->extras[x].v.text;
    }
    return text && *text ? text : NULL;
}

const char *eg_conf_origin(const eg_conf *config, const char *key) {
    size_t i = find(key);
    return i < SETTINGS ? config->values[i].origin : "";
}

const char *eg_conf_default(const char *key) {
    size_t i = find(key);
    return i < SETTINGS ? table[i].otherwise : "";
}

int eg_conf_next_word(const char **at, eg_str *word) {
    *at += strspn(*at, " ,\t");
    *word = (eg_str){*at, strcspn(*at, " ,\t")};
    *at += word->len;
    return word->len > 0;
}

double eg_conf_number(const eg_conf *config, const char *key) {
    const char *text = eg_conf_get(config, key);
    return text ? strtod(text, NULL) : 0;
}

/* 1 when the last word of a plugin's setting says that it is a secret. */
static int is_secret(const char *key) {
    static const char *const words[] = {"token", "secret", "password", "key"};
    size_t n = strlen(key);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t m = strlen(words[i]);
        if (n > m && strcmp(key + n - m, words[i]) == 0 && strchr("._-", key[n - m - 1])) return 1;
    }
    return 0;
}

const char *eg_conf_location(const char *location, char *out, size_t size) {
    const char *mark = strstr(location, "://");
    if (!mark || mark == location || memchr(location, '/', (size_t)(mark - location))) return location;
    const char *host = mark + 3, *end = host + strcspn(host, "?#"), *slash = host + strcspn(host, "/?#");
    for (const char *p = host; p < slash; p++)
        if (*p == '@') host = p + 1;
    snprintf(out, size, "%.*s%.*s", (int)(mark + 3 - location), location, (int)(end - host), host);
    return out;
}

void eg_conf_each(const eg_conf *config, void (*each)(void *self, const char *key, const char *value, const char *origin),
                  void *self) {
    char shown[MAX_VALUE + 1];
    for (size_t i = 0; i < SETTINGS; i++) {
        const char *text = config->values[i].text;
        if (table[i].shown == EG_SHOWN_LOCATION) text = eg_conf_location(text, shown, sizeof shown);
        if (table[i].shown == EG_SHOWN_NEVER && *text) text = "(set)";
        each(self, table[i].key, text, config->values[i].origin);
    }
    for (size_t i = 0; i < config->extra_count; i++) {
        const extra *e = &config->extras[i];
        each(self, e->key, is_secret(e->key) && *e->v.text ? "(set)" : e->v.text, e->v.origin);
    }
}
