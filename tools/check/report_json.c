/* report_json.c - the findings for programs. */
#include "tools/check/json_text.h"
#include "tools/check/report.h"

static cJSON *json_side(const report_side *s) {
    cJSON *o = cJSON_CreateObject(), *at = cJSON_CreateArray();
    cJSON_AddItemToObject(o, "file", json_text(s->file));
    cJSON_AddNumberToObject(o, "line", s->line);
    cJSON_AddNumberToObject(o, "last_line", s->last_line);
    cJSON_AddItemToObject(o, "content", json_text(s->content));
    cJSON_AddItemToObject(o, "scope", json_text(s->scope));
    cJSON_AddItemToArray(at, cJSON_CreateNumber(s->span.start));
    cJSON_AddItemToArray(at, cJSON_CreateNumber(s->span.end));
    cJSON_AddItemToObject(o, "span", at);
    return o;
}

static cJSON *json_finding(const report *r, const eg_check_finding *f) {
    static const char *const severities[] = EG_SEVERITY_WORDS;
    cJSON *one = cJSON_CreateObject();
    report_side earlier = side_of(r, f, 0), later = side_of(r, f, 1);
    cJSON_AddItemToObject(one, "a", json_side(&earlier));
    cJSON_AddItemToObject(one, "b", json_side(&later));
    cJSON_AddBoolToObject(one, "stored", f->other == UINT32_MAX);
    cJSON_AddStringToObject(one, "severity", severities[f->severity]);
    cJSON_AddNumberToObject(one, "score", f->score);
    cJSON_AddItemToObject(one, "detection_tier", json_text(f->tier));
    cJSON_AddItemToObject(one, "explanation", json_text(f->explanation));
    return one;
}

void print_report_json(const report *r) {
    cJSON *o = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(o, "findings");
    for (size_t i = 0; i < r->count; i++) cJSON_AddItemToArray(list, json_finding(r, r->findings[i]));
    cJSON_AddNumberToObject(o, "files", (double)r->files);
    cJSON_AddNumberToObject(o, "statements", (double)r->statements->count);
    cJSON_AddNumberToObject(o, "pairs", (double)r->checked->pairs);
    cJSON_AddNumberToObject(o, "suppressed", (double)r->suppressed);
    cJSON_AddNumberToObject(o, "in_baseline", (double)r->accepted);
    cJSON_AddNumberToObject(o, "below_limits", (double)r->minor);
    cJSON_AddBoolToObject(o, "nli", !r->checked->without_nli);
    json_print(o);
}
