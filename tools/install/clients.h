/* clients.h - the clients of the Model Context Protocol that Engram can enter itself into: where
 * each keeps its configuration, and what an entry looks like there. */
#ifndef EG_TOOLS_INSTALL_CLIENTS_H
#define EG_TOOLS_INSTALL_CLIENTS_H

#include "core/base/arena.h"
#include "tools/install/config_edit.h"

/* The members of an entry. */
typedef enum client_style {
    CLIENT_COMMAND = 0, /* "command" and "args" */
    CLIENT_STDIO,       /* and "type": "stdio" */
    CLIENT_CUSTOM,      /* and "source": "custom" */
    CLIENT_LOCAL        /* "type": "local", "command" with all words, "enabled" */
} client_style;

typedef struct client {
    const char *name;  /* on the command line; NULL ends the table */
    const char *title; /* for people */
    const config_format *format;
    const char *table;    /* the member or TOML table that holds the servers */
    const char *variable; /* of the environment: the absolute folder of its files; NULL: none */
    const char *folder;   /* else that folder beneath $HOME; "" is $HOME itself */
    const char *file;     /* the configuration in it */
    const char *other;    /* its other name, taken if only that one exists; NULL: none */
    const char *sign;     /* in the folder: exists where the client is installed or was used */
    client_style style;
    const char *inner; /* as in config_entry */
    /* Where the hooks stand that run when a session starts (config_hook): the folder beneath $HOME
     * in the place of `folder`, and the file. NULL: there are none, or they have another form. */
    const char *hook_folder, *hook_file;
} client;

extern const client clients[];

/* The row of a name; NULL: there is none. */
const client *client_named(const char *name);
/* The configuration file; NULL without memory or without $HOME. */
char *client_file(const client *c, eg_arena *a);
/* The file of its hooks, of a client that has some. The same. */
char *client_hook_file(const client *c, eg_arena *a);
/* 1 when the client is found here: its file or another sign of it is there. */
int client_is_here(const client *c, eg_arena *a);

enum { CLIENT_MAX_FIELDS = 3 };
/* The entry that starts `words`, at least two, the program first; in the arena. NULL without
 * memory. */
const config_entry *client_entry(const client *c, const char *const *words, size_t n, eg_arena *a);
/* The hook that runs this command of a shell when a session starts. The same. */
const config_entry *client_hook(const char *command, eg_arena *a);

#endif
