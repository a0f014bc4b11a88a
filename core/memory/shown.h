/* shown.h - text of the store on its way out: characters that nobody sees are shown
 * (core/base/hidden.h). New text has none (arguments.h); that of older stores may. */
#ifndef EG_MEMORY_SHOWN_H
#define EG_MEMORY_SHOWN_H

#include "core/base/hidden.h"
#include "core/include/engram/request.h"

/* Replaces *text by its shown form, in the memory of the request, where it has a hidden
 * character. */
eg_status eg_show_text(eg_request *rq, eg_str *text, eg_hidden_form form);

#endif
