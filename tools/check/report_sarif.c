/* report_sarif.c - the findings as SARIF 2.1.0, for code scanning. */
#include <ctype.h>
#include <string.h>

#include "core/base/json.h"
#include "tools/check/json_text.h"
#include "tools/check/report.h"

/* A path as a URI reference: bytes that RFC 3986 does not list as unreserved are written as %XX. */
static cJSON *json_uri(eg_str path) {
    eg_buffer b = {0};
    if (path.len && path.ptr[0] == '/') eg_buffer_text(&b, "file://");
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        if (c && ((c < 0x80 && isalnum(c)) || strchr("/._-~", c))) eg_buffer_add(&b, path.ptr + i, 1);
        else eg_buffer_format(&b, "%%%02X", c);
    }
    cJSON *j = json_text((eg_str){b.ptr, b.len});
    eg_buffer_release(&b);
    return j;
}

static cJSON *location(const report_side *s) {
    cJSON *o = cJSON_CreateObject(), *physical = cJSON_AddObjectToObject(o, "physicalLocation");
    cJSON_AddItemToObject(cJSON_AddObjectToObject(physical, "artifactLocation"), "uri", json_uri(s->file));
    cJSON *region = cJSON_AddObjectToObject(physical, "region");
    cJSON_AddNumberToObject(region, "startLine", s->line ? s->line : 1);
    if (s->last_line > s->line) cJSON_AddNumberToObject(region, "endLine", s->last_line);
    return o;
}

static void add_message(cJSON *to, const eg_buffer *text) {
    cJSON_AddItemToObject(cJSON_AddObjectToObject(to, "message"), "text", json_shown((eg_str){text->ptr, text->len}));
}

/* The explanation and the other statement: viewers show this text beside one of the two places
 * only. */
static void message(cJSON *to, const eg_check_finding *f, const report_side *other) {
    eg_buffer b = {0};
    eg_str why = f->explanation;
    if (why.len && why.ptr[why.len - 1] == '.') why.len--; /* the sentence goes on */
    eg_buffer_format(&b, "%.*s; against ", (int)why.len, why.ptr);
    if (!other->file.len) eg_buffer_format(&b, "a stored fact of %.*s: ", (int)other->scope.len, other->scope.ptr);
    else eg_buffer_format(&b, "%.*s:%u: ", (int)other->file.len, other->file.ptr, other->line);
    eg_buffer_add(&b, other->content.ptr, other->content.len);
    add_message(to, &b);
    eg_buffer_release(&b);
}

static void related(cJSON *list, const report_side *other) {
    eg_buffer b = {0};
    cJSON *place = location(other);
    eg_buffer_add(&b, other->content.ptr, other->content.len);
    add_message(place, &b);
    eg_buffer_release(&b);
    cJSON_AddItemToArray(list, place);
}

/* Adds the tier that found something as a rule of SARIF, once. */
static void add_rule(cJSON *rules, eg_str tier) {
    cJSON *rule;
    cJSON_ArrayForEach(rule, rules) if (eg_str_eq(eg_str_of(cJSON_GetObjectItem(rule, "id")->valuestring), tier)) return;
    cJSON_AddItemToArray(rules, rule = cJSON_CreateObject());
    cJSON_AddItemToObject(rule, "id", json_text(tier));
    cJSON_AddStringToObject(cJSON_AddObjectToObject(rule, "shortDescription"), "text", "Two statements contradict each other");
}

static cJSON *result(const report *r, const eg_check_finding *f) {
    static const char *const levels[] = {"note", "warning", "error"}; /* low, medium, high */
    cJSON *one = cJSON_CreateObject();
    int later = is_at_later(r, f);
    report_side other = side_of(r, f, !later), here = side_of(r, f, later);
    cJSON_AddItemToObject(one, "ruleId", json_text(f->tier));
    cJSON_AddStringToObject(one, "level", levels[f->severity]);
    cJSON_AddNumberToObject(one, "rank", f->score * 100);
    message(one, f, &other);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(one, "locations"), location(&here));
    cJSON *list = cJSON_AddArrayToObject(one, "relatedLocations");
    if (other.file.len) related(list, &other);
    return one;
}

void print_report_sarif(const report *r) {
    cJSON *o = cJSON_CreateObject(), *run, *driver, *rules, *results;
    cJSON_AddStringToObject(o, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON_AddStringToObject(o, "version", "2.1.0");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(o, "runs"), run = cJSON_CreateObject());
    driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(run, "tool"), "driver");
    cJSON_AddStringToObject(driver, "name", "engram");
    cJSON_AddStringToObject(driver, "version", ENGRAM_VERSION);
    rules = cJSON_AddArrayToObject(driver, "rules");
    results = cJSON_AddArrayToObject(run, "results");
    for (size_t i = 0; i < r->count; i++) {
        add_rule(rules, r->findings[i]->tier);
        cJSON_AddItemToArray(results, result(r, r->findings[i]));
    }
    json_print(o);
}
