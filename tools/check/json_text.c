/* json_text.c - see json_text.h. */
#include "tools/check/json_text.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hidden.h"
#include "tools/cli.h"

cJSON *json_text(eg_str s) {
    char *z = malloc(s.len + 1);
    if (!z) return NULL;
    if (s.len) memcpy(z, s.ptr, s.len);
    z[s.len] = '\0';
    cJSON *j = cJSON_CreateString(z);
    free(z);
    return j;
}

cJSON *json_shown(eg_str s) {
    eg_buffer b = {0};
    eg_hidden_show(&b, s, EG_HIDDEN_TEXT);
    cJSON *j = b.failed ? NULL : json_text((eg_str){b.ptr, b.len});
    eg_buffer_release(&b);
    return j;
}

void json_print(cJSON *o) {
    char *text = cJSON_PrintUnformatted(o);
    print_json(eg_str_of(text ? text : "{}"));
    cJSON_free(text);
    cJSON_Delete(o);
}
