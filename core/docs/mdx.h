/* mdx.h - MDX made Markdown. Private to this folder. */
#ifndef EG_DOCS_MDX_H
#define EG_DOCS_MDX_H

#include "core/base/arena.h"
#include "core/include/engram/status.h"

/* *out: the text as Markdown with the same lines: imports, exports and tags are left out, comments
 * become those of HTML. The tag of a component ends a paragraph where it stands alone on its lines,
 * and is dropped elsewhere. Code and expressions stay as they are. EG_ENOMEM. */
eg_status eg_mdx_plain(eg_arena *arena, eg_str text, eg_str *out, eg_error *err);

#endif
