/* json_text.h - what the reports in JSON share. */
#ifndef EG_TOOLS_CHECK_JSON_TEXT_H
#define EG_TOOLS_CHECK_JSON_TEXT_H

#include <cjson/cJSON.h>

#include "core/include/engram/status.h"

cJSON *json_text(eg_str s);
/* Prints and deletes it. */
void json_print(cJSON *o);

#endif
