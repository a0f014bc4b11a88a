/* config.h - the settings of a process: one table of what there is, and the values with their
 * origin. Strength: option (flag) > environment > project .engram.conf > user engram.conf >
 * default. A project file comes with a cloned repository and is not trusted: until the user has
 * allowed its content (core/access/approval.h), it sets only what the table marks, and numbers
 * only within the limits of the table; the rest is left out and named by eg_conf_ignored().
 * Settings of plugins are in no table: a plugin's are those that it reads while it opens. Used by
 * host.c. Thread class: main; read-only afterwards. */
#ifndef EG_HOST_CONFIG_H
#define EG_HOST_CONFIG_H

#include "core/base/arena.h"

typedef enum eg_setting_type { EG_SETTING_TEXT = 0, EG_SETTING_INTEGER, EG_SETTING_NUMBER, EG_SETTING_BOOLEAN } eg_setting_type;

/* How a value may be printed. */
typedef enum eg_setting_shown {
    EG_SHOWN_WHOLE = 0,
    EG_SHOWN_LOCATION, /* a path or URL: a URL without user, password, query and fragment */
    EG_SHOWN_NEVER     /* a secret: only that it is set, and from where */
} eg_setting_shown;

typedef struct eg_setting {
    const char *key; /* "section.name", or a name without section */
    eg_setting_type type;
    double low, high;      /* of numbers */
    const char *words;     /* of texts: "a|b|c", NULL: any */
    const char *otherwise; /* the default */
    const char *variable;  /* of the environment */
    int project;           /* 1: a project file may set it, numbers within these: */
    double project_low, project_high;
    eg_setting_shown shown;
} eg_setting;

/* How far the source of settings is trusted. */
typedef enum eg_conf_trust {
    EG_CONF_USER = 0, /* the user's own file */
    EG_CONF_PROJECT,  /* a project file that the user has not allowed */
    EG_CONF_ALLOWED   /* one that the user has allowed: sets everything but a workspace that is not
                       * the project's to name (eg_workspace_is_reserved) */
} eg_conf_trust;

enum { EG_CONF_MAX_FILE = 64 << 10 }; /* bytes of a file */

typedef struct eg_conf eg_conf;

/* The table and its length. */
const eg_setting *eg_settings(size_t *n);

/* All settings at their defaults. Lives in the arena. */
eg_status eg_conf_create(eg_arena *arena, eg_conf **out, eg_error *err);
/* Reads the user's INI file; a missing one is fine. Indentation means nothing. EG_EPERM: it belongs
 * to somebody else, or others may write it. Errors name file and line. EG_ELIMIT: the file or a
 * line of it is too long. */
eg_status eg_conf_read(eg_conf *config, const char *path, eg_error *err);
/* The same for bytes in memory; path is for messages. */
eg_status eg_conf_read_text(eg_conf *config, eg_str text, const char *path, eg_conf_trust trust, eg_error *err);
/* What a project file that is not allowed sets in vain: "plugins, workspace"; NULL: nothing. Names
 * of settings that are Engram's own, so that no words of the file get into messages. */
const char *eg_conf_ignored(const eg_conf *config);
/* Writes "section.name = value" into the INI file at path: the last line that sets it is changed,
 * else a line is added to its section, else the section. All other bytes stay. Made, with its
 * folder, when it is not there; replaced only whole; refused with nothing changed when the result
 * would not be read back as this value. The path of a link is followed. */
eg_status eg_conf_write(const char *path, const char *key, const char *value, eg_error *err);
/* Variables of the environment (none of a privileged process). */
eg_status eg_conf_environment(eg_conf *config, eg_error *err);
/* "key=value", the strongest. */
eg_status eg_conf_option(eg_conf *config, const char *text, eg_error *err);
/* Refuses settings of sections that are not a listed plugin's. After the last source. */
eg_status eg_conf_finish(eg_conf *config, eg_error *err);

/* Notes that a plugin reads this setting, so that it is not misspelt. Main thread only, before
 * others read settings. */
eg_status eg_conf_note_read(eg_conf *config, const char *key, eg_error *err);
/* Calls each for every setting "SECTION.key" that was set but noted by none, with where it is set.
 * meant: the most similar name that was noted, or NULL; known: the noted ones of this section,
 * separated by ", ", or "". */
eg_status eg_conf_unread(const eg_conf *config, eg_str section,
                         void (*each)(void *self, const char *key, const char *origin, const char *meant, const char *known),
                         void *self, eg_error *err);

/* The value of a setting or of a plugin's "NAME.key"; NULL when there is none or it is empty. */
const char *eg_conf_get(const eg_conf *config, const char *key);
/* Where the value of a setting of the table comes from, and its default. */
const char *eg_conf_origin(const eg_conf *config, const char *key);
const char *eg_conf_default(const char *key);
/* The next word of a value that is a list (blanks or commas between them); 0 at its end. */
int eg_conf_next_word(const char **at, eg_str *word);
/* A numeric setting of the table. */
double eg_conf_number(const eg_conf *config, const char *key);
/* A location as it may be printed: scheme://user:password@host/path?query#fragment without user,
 * password, query and fragment; anything else as it is. Written to out where it is shortened. */
const char *eg_conf_location(const char *location, char *out, size_t size);
/* All settings of the table, then those of plugins, with the value as it may be printed ("" when it
 * is not set). A plugin's setting is a secret when its name ends with token, secret, password or
 * key ("cloud.api_key"). */
void eg_conf_each(const eg_conf *config, void (*each)(void *self, const char *key, const char *value, const char *origin),
                  void *self);

#endif
