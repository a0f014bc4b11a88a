/* json_text.h - what the reports in JSON share. */
#ifndef EG_TOOLS_CHECK_JSON_TEXT_H
#define EG_TOOLS_CHECK_JSON_TEXT_H

#include <cjson/cJSON.h>

#include "core/include/engram/status.h"

cJSON *json_text(eg_str s);
/* The same with hidden characters shown, for texts that viewers put before people. */
cJSON *json_shown(eg_str s);
/* Prints and deletes it. Hidden characters are printed as escapes, so that places in texts stay
 * what they are. */
void json_print(cJSON *o);

#endif
