/* test_tool_schemas.c - each argument of each memory tool, driven by the tool's own schema: what
 * the schema allows is accepted, what it forbids is refused by name. */
#include "tool_calls.h"

/* Calls the tool with value (taken) as the argument `name`; must says whether it is to be accepted.
 */
static void try_value(const eg_tool *tool, const char *name, cJSON *value, int must) {
    cJSON *arguments = enough_for(tool->name);
    assert_non_null(value);
    cJSON_DeleteItemFromObjectCaseSensitive(arguments, name);
    /* of check they stand in the place of the content */
    if (strcmp(name, "statements") == 0 && strcmp(tool->name, "engram_check") == 0)
        cJSON_DeleteItemFromObjectCaseSensitive(arguments, "content");
    cJSON_AddItemToObject(arguments, name, value);
    char *text = cJSON_PrintUnformatted(arguments);
    if (must) accepted(tool->name, text);
    else refused(tool->name, text, name);
    cJSON_free(text);
    cJSON_Delete(arguments);
}

static cJSON *long_text(size_t n) {
    char *p = malloc(n + 1);
    assert_non_null(p);
    memset(p, 'a', n);
    p[n] = 0;
    cJSON *text = cJSON_CreateString(p);
    free(p);
    return text;
}

static int is_required(const cJSON *schema, const char *name) {
    const cJSON *word;
    cJSON_ArrayForEach(word, pj_get(schema, "required")) if (strcmp(word->valuestring, name) == 0) return 1;
    return 0;
}

static void try_text(const eg_tool *tool, const cJSON *property, int required) {
    const cJSON *most = pj_get(property, "maxLength"), *words = pj_get(property, "enum"), *word;
    cJSON_ArrayForEach(word, words) try_value(tool, property->string, cJSON_CreateString(word->valuestring), 1);
    if (words) {
        try_value(tool, property->string, cJSON_CreateString("nonsense"), 0);
        try_value(tool, property->string, cJSON_CreateString(""), !required);
    }
    if (most) {
        try_value(tool, property->string, long_text((size_t)most->valuedouble), 1);
        try_value(tool, property->string, long_text((size_t)most->valuedouble + 1), 0);
    }
    try_value(tool, property->string, cJSON_CreateNumber(1), 0);
}

static void try_number(const eg_tool *tool, const cJSON *property, int whole) {
    /* bounds that the schema leaves to the tool */
    const cJSON *least = pj_get(property, "minimum"), *most = pj_get(property, "maximum");
    double low = least ? least->valuedouble : 1, high = most ? most->valuedouble : 36500;
    if (strcmp(property->string, "undo_id") == 0) high = 9007199254740991.0;
    try_value(tool, property->string, cJSON_CreateNumber(low), 1);
    try_value(tool, property->string, cJSON_CreateNumber(high), 1);
    try_value(tool, property->string, cJSON_CreateNumber(low - 1), 0);
    try_value(tool, property->string, cJSON_CreateNumber(high > 1e15 ? high * 2 : high + 1), 0);
    try_value(tool, property->string, cJSON_CreateNumber(low + 0.5), !whole);
    try_value(tool, property->string, cJSON_CreateString("1"), 0);
    try_value(tool, property->string, cJSON_CreateBool(1), 0);
}

static void try_texts(const eg_tool *tool, const cJSON *property) {
    size_t most = (size_t)pj_get(property, "maxItems")->valuedouble;
    int objects = strcmp(pj_get(pj_get(property, "items"), "type")->valuestring, "object") == 0;
    for (size_t n = most; n <= most + 1; n++) {
        cJSON *list = cJSON_CreateArray();
        for (size_t i = 0; i < n; i++)
            cJSON_AddItemToArray(list, objects ? cJSON_Parse("{\"content\":\"Beta is 2\"}") : cJSON_CreateString("Beta is 2"));
        try_value(tool, property->string, list, n == most);
    }
    static const char *const wrong[] = {"[]", "[1]", "[\"a\",\"\"]", "[null]", "[[\"a\"]]", "{}", "\"a\""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) try_value(tool, property->string, cJSON_Parse(wrong[i]), 0);
}

static void try_property(const eg_tool *tool, const cJSON *schema, const cJSON *property) {
    const char *type = pj_get(property, "type")->valuestring, *name = property->string;
    if (strcmp(type, "string") == 0) try_text(tool, property, is_required(schema, name));
    if (strcmp(type, "number") == 0) try_number(tool, property, 0);
    if (strcmp(type, "integer") == 0) try_number(tool, property, 1);
    if (strcmp(type, "array") == 0) try_texts(tool, property);
    if (strcmp(type, "boolean") == 0) {
        try_value(tool, name, cJSON_CreateBool(1), 1);
        try_value(tool, name, cJSON_CreateBool(0), 1);
        try_value(tool, name, cJSON_CreateString("true"), 0);
        try_value(tool, name, cJSON_CreateNumber(1), 0);
    }
    try_value(tool, name, cJSON_CreateObject(), 0);
    if (!is_required(schema, name)) {
        /* null is "not given"; of check's two, one must be */
        if (strcmp(tool->name, "engram_check") != 0) try_value(tool, name, cJSON_CreateNull(), 1);
        return;
    }
    try_value(tool, name, cJSON_CreateNull(), 0);
    cJSON *without = enough_for(tool->name);
    cJSON_DeleteItemFromObjectCaseSensitive(without, name);
    char *text = cJSON_PrintUnformatted(without);
    refused(tool->name, text, name);
    cJSON_free(text);
    cJSON_Delete(without);
}

static void arguments_follow_the_schemas(void **state) {
    (void)state;
    assert_int_equal(host.registrar.tool_count, 18);
    for (size_t i = 0; i < host.registrar.tool_count; i++) {
        const eg_tool *tool = host.registrar.tools[i];
        cJSON *schema = cJSON_Parse(tool->input_schema);
        assert_non_null(schema);
        const cJSON *property;
        cJSON_ArrayForEach(property, pj_get(schema, "properties")) try_property(tool, schema, property);
        try_value(tool, "unheard_of", cJSON_CreateNumber(1), 0);
        try_value(tool, "Topic", cJSON_CreateString("t"), 0);
        static const char *const wrong[] = {"", "[]", "null", "5", "{\"a\":1", "{\"\\u0000\":1}", "{\"a\":1,\"a\":2}"};
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
            refused(tool->name, wrong[k], strchr(wrong[k], 'a') && strchr(wrong[k], '}') ? "a: is given twice" : "arguments");
        cJSON_Delete(schema);
    }
}

static void tools_are_described(void **state) {
    (void)state;
    size_t words = 0;
    for (size_t i = 0; i < host.registrar.tool_count; i++) {
        const eg_tool *tool = host.registrar.tools[i];
        assert_int_equal(tool->size, sizeof(eg_tool));
        assert_true(strncmp(tool->name, "engram_", 7) == 0);
        assert_true(tool->title[0] && tool->description[0]);
        assert_int_equal(tool->profile, i < 8 ? EG_PROFILE_CORE : i < 16 ? EG_PROFILE_TEAM : EG_PROFILE_ALL);
        if (tool->profile == EG_PROFILE_CORE)
            words += strlen(tool->description) + strlen(tool->input_schema) + strlen(tool->output_schema);
        cJSON *schema = cJSON_Parse(tool->output_schema);
        assert_non_null(schema);
        assert_string_equal(text_of(schema, "type"), "object");
        cJSON_Delete(schema);
        /* an agent that gives it loses what it found */
        assert_null(strstr(tool->input_schema, "\"none\""));
        assert_true(!strstr(tool->input_schema, "8192") || strstr(tool->input_schema, "max 8192 bytes"));
    }
    assert_true(words < 5000); /* below 6,000 with names and annotations */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(arguments_follow_the_schemas),
        TEST(tools_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
