/* static_plugins.h - the plugins that are part of the program itself: in a static build a generated
 * table, else none. They have the same descriptors and registrations as shared objects; only
 * finding them differs. */
#ifndef EG_HOST_STATIC_PLUGINS_H
#define EG_HOST_STATIC_PLUGINS_H

#include "core/include/engram/plugin.h"

typedef struct eg_static_plugin {
    const char *name;
    const eg_plugin *(*entry)(void);
} eg_static_plugin;

/* Ends with a row of name NULL. Weak and empty in the host's library; a static program brings its
 * own. */
extern const eg_static_plugin eg_static_plugins[];

#endif
