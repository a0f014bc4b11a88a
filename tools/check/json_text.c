/* json_text.c - see json_text.h. */
#include "tools/check/json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cJSON *json_text(eg_str s) {
    char *z = malloc(s.len + 1);
    if (!z) return NULL;
    if (s.len) memcpy(z, s.ptr, s.len);
    z[s.len] = '\0';
    cJSON *j = cJSON_CreateString(z);
    free(z);
    return j;
}

void json_print(cJSON *o) {
    char *text = cJSON_PrintUnformatted(o);
    puts(text ? text : "{}");
    cJSON_free(text);
    cJSON_Delete(o);
}
