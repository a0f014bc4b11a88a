/* exchange.c - records of an exported memory, read and written by one table of members. */
#include "core/memory/exchange.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/base/hidden.h"
#include "core/base/status.h"
#include "core/memory/ids.h"

typedef enum member_kind {
    TEXT,  /* eg_str; left out when empty */
    ID,    /* eg_id; left out when none */
    TIME,  /* int64_t microseconds; left out when 0 */
    END,   /* the same, for which EG_FOREVER is left out and meant by what is missing */
    WORD,  /* uint32_t: an index; left out where the word is "" */
    COUNT, /* uint32_t; left out when 0 */
    FLAG,  /* uint32_t 0 or 1; left out when 0 */
    REAL,  /* double */
    SPAN   /* eg_span as [start, end]; left out when empty */
} member_kind;

typedef struct member {
    const char *name;
    member_kind kind;
    size_t at; /* its offset in the struct of the record */
    const char *const *words;
    uint32_t word_count;
} member;

#define WORDS(list) (list), sizeof(list) / sizeof *(list)
static const char *const kind_words[] = {"fact", "link", "conflict", "answer", "end"};
static const char *const type_words[] = EG_FACT_TYPE_WORDS, *const operation_words[] = EG_OPERATION_WORDS,
                         *const durability_words[] = EG_DURABILITY_WORDS, *const close_words[] = EG_CLOSE_REASON_WORDS,
                         *const status_words[] = EG_CONFLICT_STATUS_WORDS, *const severity_words[] = EG_SEVERITY_WORDS,
                         *const resolution_words[] = EG_RESOLUTION_WORDS, *const verdict_words[] = EG_ANSWER_VERDICT_WORDS,
                         *const link_words[] = {"corroborates", "both_valid", "update", "context"};

_Static_assert(EG_MARK_PINNED == 1, "the only mark is exported as a flag");
static const member fact_members[] = {{"fact_id", ID, offsetof(eg_fact, id), NULL, 0},
                                      {"lineage_id", ID, offsetof(eg_fact, lineage_id), NULL, 0},
                                      {"content", TEXT, offsetof(eg_fact, content), NULL, 0},
                                      {"scope", TEXT, offsetof(eg_fact, scope), NULL, 0},
                                      {"fact_type", WORD, offsetof(eg_fact, fact_type), WORDS(type_words)},
                                      {"operation", WORD, offsetof(eg_fact, operation), WORDS(operation_words)},
                                      {"durability", WORD, offsetof(eg_fact, durability), WORDS(durability_words)},
                                      {"confidence", REAL, offsetof(eg_fact, confidence), NULL, 0},
                                      {"agent_id", TEXT, offsetof(eg_fact, agent_id), NULL, 0},
                                      {"engineer", TEXT, offsetof(eg_fact, engineer), NULL, 0},
                                      {"provenance", TEXT, offsetof(eg_fact, provenance), NULL, 0},
                                      {"artifact_hash", TEXT, offsetof(eg_fact, artifact_hash), NULL, 0},
                                      {"committed_at", TIME, offsetof(eg_fact, committed_at), NULL, 0},
                                      {"valid_from", TIME, offsetof(eg_fact, valid_from), NULL, 0},
                                      {"valid_until", END, offsetof(eg_fact, valid_until), NULL, 0},
                                      {"ttl_days", COUNT, offsetof(eg_fact, ttl_days), NULL, 0},
                                      {"supersedes_fact_id", ID, offsetof(eg_fact, supersedes), NULL, 0},
                                      {"restored_from_fact_id", ID, offsetof(eg_fact, restored_from), NULL, 0},
                                      {"parent_a", ID, offsetof(eg_fact, parents[0]), NULL, 0},
                                      {"parent_b", ID, offsetof(eg_fact, parents[1]), NULL, 0},
                                      {"closed_at", TIME, offsetof(eg_fact, closed_at), NULL, 0},
                                      {"close_reason", WORD, offsetof(eg_fact, close_reason), WORDS(close_words)},
                                      {"closed_by", TEXT, offsetof(eg_fact, closed_by), NULL, 0},
                                      {"pinned", FLAG, offsetof(eg_fact, marks), NULL, 0},
                                      {0}};

static const member link_members[] = {{"fact_id", ID, offsetof(eg_link_row, fact), NULL, 0},
                                      {"other_fact_id", ID, offsetof(eg_link_row, other), NULL, 0},
                                      {"kind", WORD, offsetof(eg_link_row, kind), WORDS(link_words)},
                                      {0}};

static const member conflict_members[] = {
    {"conflict_id", ID, offsetof(eg_conflict, id), NULL, 0},
    {"fact_a", ID, offsetof(eg_conflict, fact_a), NULL, 0},
    {"fact_b", ID, offsetof(eg_conflict, fact_b), NULL, 0},
    {"detected_at", TIME, offsetof(eg_conflict, detected_at), NULL, 0},
    {"detection_tier", TEXT, offsetof(eg_conflict, tier), NULL, 0},
    {"detector", TEXT, offsetof(eg_conflict, detector), NULL, 0},
    {"score", REAL, offsetof(eg_conflict, score), NULL, 0},
    {"explanation", TEXT, offsetof(eg_conflict, explanation), NULL, 0},
    {"span_a", SPAN, offsetof(eg_conflict, span_a), NULL, 0},
    {"span_b", SPAN, offsetof(eg_conflict, span_b), NULL, 0},
    {"severity", WORD, offsetof(eg_conflict, severity), WORDS(severity_words)},
    {"status", WORD, offsetof(eg_conflict, status), WORDS(status_words)},
    {"resolution_type", WORD, offsetof(eg_conflict, resolution_type), WORDS(resolution_words)},
    {"resolved_at", TIME, offsetof(eg_conflict, resolved_at), NULL, 0},
    {"resolved_by", TEXT, offsetof(eg_conflict, resolved_by), NULL, 0},
    {"resolution", TEXT, offsetof(eg_conflict, resolution), NULL, 0},
    {"resolved_fact_id", ID, offsetof(eg_conflict, resolved_fact), NULL, 0},
    {0}};

static const member answer_members[] = {{"conflict_id", ID, offsetof(eg_exchange_answer, conflict), NULL, 0},
                                        {"verdict", WORD, offsetof(eg_exchange_answer, verdict), WORDS(verdict_words)},
                                        {"was_review", FLAG, offsetof(eg_exchange_answer, was_review), NULL, 0},
                                        {"judged_at", TIME, offsetof(eg_exchange_answer, judged_at), NULL, 0},
                                        {"judged_by", TEXT, offsetof(eg_exchange_answer, judged_by), NULL, 0},
                                        {"asked", TEXT, offsetof(eg_exchange_answer, asked), NULL, 0},
                                        {0}};

static const member end_members[] = {{"facts", COUNT, offsetof(eg_exchange_counts, of[EG_EXCHANGE_FACT]), NULL, 0},
                                     {"links", COUNT, offsetof(eg_exchange_counts, of[EG_EXCHANGE_LINK]), NULL, 0},
                                     {"conflicts", COUNT, offsetof(eg_exchange_counts, of[EG_EXCHANGE_CONFLICT]), NULL, 0},
                                     {"answers", COUNT, offsetof(eg_exchange_counts, of[EG_EXCHANGE_ANSWER]), NULL, 0},
                                     {0}};

static const member *const members_of[EG_EXCHANGE_KINDS] = {fact_members, link_members, conflict_members, answer_members,
                                                            end_members};

/* ---- writing ---- */

static void put_time(eg_buffer *b, int64_t at) {
    char text[40] = "";
    time_t seconds = (time_t)(at / EG_SECOND);
    struct tm utc;
    if (gmtime_r(&seconds, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    eg_buffer_format(b, "\"%s.%06dZ\"", text, (int)(at % EG_SECOND));
}

/* The shortest text that reads back as the same number. */
static void put_real(eg_buffer *b, double x) {
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    eg_buffer_text(b, text);
}

static void put_id(eg_buffer *b, eg_id id) {
    char text[EG_ID_TEXT];
    eg_id_format(id, text);
    eg_buffer_format(b, "\"%s\"", text);
}

static int is_left_out(const member *m, const void *value) {
    uint32_t number = 0;
    int64_t time = 0;
    if (m->kind == WORD || m->kind == COUNT || m->kind == FLAG) memcpy(&number, value, sizeof number);
    if (m->kind == TIME || m->kind == END) memcpy(&time, value, sizeof time);
    switch (m->kind) {
    case TEXT: return ((const eg_str *)value)->len == 0;
    case ID: return eg_id_is_none(*(const eg_id *)value);
    case TIME: return time == 0;
    case END: return time == EG_FOREVER;
    case WORD: return number >= m->word_count || !*m->words[number];
    case COUNT:
    case FLAG: return number == 0;
    case SPAN: return ((const eg_span *)value)->end == 0;
    case REAL: break;
    }
    return 0;
}

static void put_member(eg_buffer *b, const member *m, const void *value) {
    if (is_left_out(m, value)) return;
    eg_buffer_format(b, ",\"%s\":", m->name);
    switch (m->kind) {
    case TEXT: eg_buffer_json(b, *(const eg_str *)value); break;
    case ID: put_id(b, *(const eg_id *)value); break;
    case TIME:
    case END: put_time(b, *(const int64_t *)value); break;
    case WORD: eg_buffer_format(b, "\"%s\"", m->words[*(const uint32_t *)value]); break;
    case COUNT: eg_buffer_format(b, "%" PRIu32, *(const uint32_t *)value); break;
    case FLAG: eg_buffer_text(b, "true"); break;
    case REAL: put_real(b, *(const double *)value); break;
    case SPAN: eg_buffer_format(b, "[%u,%u]", ((const eg_span *)value)->start, ((const eg_span *)value)->end); break;
    }
}

static void put_statements(eg_buffer *b, const eg_exchange_record *r) {
    for (size_t i = 0; i < r->statement_count; i++) {
        eg_buffer_text(b, i ? "," : ",\"statements\":[");
        eg_buffer_json(b, r->statements[i]);
    }
    if (r->statement_count) eg_buffer_text(b, "]");
}

/* without: names of members that stand elsewhere. */
static void put_record(eg_buffer *b, const eg_exchange_record *r, const char *without, const char *and_without) {
    eg_buffer line = {0};
    eg_buffer_format(&line, "{\"record\":\"%s\"", kind_words[r->kind]);
    for (const member *m = members_of[r->kind]; m->name; m++) {
        int settlement = r->kind == EG_EXCHANGE_CONFLICT && m->at == offsetof(eg_conflict, resolution_type);
        if (settlement && !eg_is_settled(r->conflict.status)) continue;
        if (without && (strcmp(m->name, without) == 0 || strcmp(m->name, and_without) == 0)) continue;
        put_member(&line, m, (const char *)&r->fact + m->at);
    }
    put_statements(&line, r);
    eg_buffer_text(&line, "}");
    if (line.failed) b->failed = line.failed;
    else eg_hidden_show(b, (eg_str){line.ptr, line.len}, EG_HIDDEN_ESCAPED);
    eg_buffer_release(&line);
}

void eg_exchange_write(eg_buffer *out, const eg_exchange_record *r) {
    put_record(out, r, NULL, NULL);
    eg_buffer_text(out, "\n");
}

void eg_exchange_write_item(eg_buffer *out, const eg_exchange_record *r) {
    eg_buffer record = {0}, text = {0};
    put_record(&record, r, "content", "scope");
    eg_hidden_show(&text, r->fact.content, EG_HIDDEN_TEXT);
    eg_buffer_text(out, "- <!-- engram ");
    for (size_t i = 0; i < record.len; i++) /* so that no text in it ends the comment */
        if (record.ptr[i] == '>') eg_buffer_text(out, "\\u003e");
        else eg_buffer_add(out, record.ptr + i, 1);
    eg_buffer_text(out, " -->\n");
    for (size_t i = 0, end; i <= text.len && text.len; i = end + 1) {
        const char *stop = i < text.len ? memchr(text.ptr + i, '\n', text.len - i) : NULL;
        end = stop ? (size_t)(stop - text.ptr) : text.len;
        if (end > i) eg_buffer_text(out, "  ");
        eg_buffer_add(out, text.ptr + i, end - i);
        eg_buffer_text(out, "\n");
    }
    if (record.failed || text.failed) out->failed = EG_BUFFER_MEMORY;
    eg_buffer_release(&record);
    eg_buffer_release(&text);
}

/* ---- reading ---- */

/* Exactly the form that put_time writes. */
static int read_time(eg_str text, int64_t *out) {
    static const char form[] = "dddd-dd-ddTdd:dd:dd.ddddddZ";
    int n[7] = {0}, at = 0;
    if (text.len != sizeof form - 1) return 0;
    for (size_t i = 0; i < text.len; i++) {
        int digit = text.ptr[i] >= '0' && text.ptr[i] <= '9';
        if (form[i] == 'd' ? !digit : text.ptr[i] != form[i]) return 0;
        if (form[i] != 'd') at++;
        else n[at] = n[at] * 10 + text.ptr[i] - '0';
    }
    struct tm utc = {
        .tm_year = n[0] - 1900, .tm_mon = n[1] - 1, .tm_mday = n[2], .tm_hour = n[3], .tm_min = n[4], .tm_sec = n[5]};
    struct tm given = utc;
    time_t seconds = timegm(&utc);
    /* timegm takes February 31 for a day in March */
    if (utc.tm_mon != given.tm_mon || utc.tm_mday != given.tm_mday || utc.tm_hour != given.tm_hour || utc.tm_min != given.tm_min)
        return 0;
    *out = (int64_t)seconds * EG_SECOND + n[6];
    return *out > 0;
}

static int read_count(const eg_json *j, uint32_t *out) {
    if (j->kind != EG_JSON_NUMBER || !j->is_integer || j->integer < 0 || j->integer > UINT32_MAX) return 0;
    *out = (uint32_t)j->integer;
    return 1;
}

static int read_span(eg_json *j, eg_span *out) {
    if (j->kind != EG_JSON_ARRAY) return 0;
    eg_json_next(j);
    if (!read_count(j, &out->start)) return 0;
    eg_json_next(j);
    return read_count(j, &out->end) && eg_json_next(j) == EG_JSON_ARRAY_END;
}

static const char *const wants[] = {[TEXT] = "a text",
                                    [ID] = "an id, a UUID of 36 characters",
                                    [TIME] = "a time such as 2026-11-24T09:00:00.000000Z",
                                    [END] = "a time such as 2026-11-24T09:00:00.000000Z",
                                    [COUNT] = "a whole number",
                                    [FLAG] = "true or false",
                                    [REAL] = "a number",
                                    [SPAN] = "two whole numbers, [start, end]"};

static int read_value(eg_json *j, const member *m, void *to) {
    int text = j->kind == EG_JSON_STRING;
    switch (m->kind) {
    case TEXT: *(eg_str *)to = j->text; return text;
    case ID: return text && eg_id_parse(j->text, to);
    case TIME:
    case END: return text && read_time(j->text, to);
    case COUNT: return read_count(j, to);
    case FLAG: *(uint32_t *)to = j->kind == EG_JSON_TRUE; return j->kind == EG_JSON_TRUE || j->kind == EG_JSON_FALSE;
    case REAL: *(double *)to = j->number; return j->kind == EG_JSON_NUMBER && isfinite(j->number);
    case SPAN: return read_span(j, to);
    case WORD:
        for (uint32_t i = 0; text && i < m->word_count; i++)
            if (eg_str_eq(j->text, eg_str_of(m->words[i]))) return memcpy(to, &i, sizeof i) != NULL;
    }
    return 0;
}

static eg_status refuse_value(const eg_json *j, const member *m, eg_error *err) {
    char list[200] = "";
    if (j->kind == EG_JSON_ERROR) return EG_EFORMAT; /* said already */
    for (uint32_t i = 0; m->kind == WORD && i < m->word_count; i++) {
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "one of ", m->words[i]);
    }
    return eg_fail(err, EG_EINVAL, "%s is not valid: it must be %s", m->name, *list ? list : wants[m->kind]);
}

static eg_status read_statements(eg_json *j, eg_arena *arena, eg_exchange_record *r, eg_error *err) {
    r->statements = eg_arena_array(arena, EG_MAX_STATEMENTS, sizeof *r->statements);
    if (!r->statements) return eg_fail_memory(err, EG_MAX_STATEMENTS * sizeof *r->statements);
    int fits = j->kind == EG_JSON_ARRAY;
    while (fits && eg_json_next(j) != EG_JSON_ARRAY_END) {
        fits = j->kind == EG_JSON_STRING && r->statement_count < EG_MAX_STATEMENTS;
        if (fits) r->statements[r->statement_count++] = j->text;
    }
    if (fits) return EG_OK;
    return j->kind == EG_JSON_ERROR
               ? EG_EFORMAT
               : eg_fail(err, EG_EINVAL, "statements is not valid: it must be a list of at most %d texts", EG_MAX_STATEMENTS);
}

/* The kind of the record, wherever its member stands. */
static eg_status find_kind(eg_str line, eg_arena *arena, uint32_t *kind, eg_error *err) {
    eg_json j;
    eg_str said = {0};
    eg_json_init(&j, "record", line, arena, err);
    if (eg_json_next(&j) != EG_JSON_OBJECT)
        return j.kind == EG_JSON_ERROR ? EG_EFORMAT : eg_fail(err, EG_EFORMAT, "it is not a JSON object");
    while (eg_json_next(&j) == EG_JSON_KEY) {
        int here = eg_str_eq(j.text, EG_STR("record"));
        eg_json_next(&j);
        if (here && j.kind == EG_JSON_STRING) said = j.text;
        if (!eg_json_skip(&j)) return EG_EFORMAT;
    }
    if (j.kind == EG_JSON_ERROR || (j.kind == EG_JSON_OBJECT_END && eg_json_next(&j) != EG_JSON_END)) return EG_EFORMAT;
    for (*kind = 0; *kind < EG_EXCHANGE_KINDS; ++*kind)
        if (eg_str_eq(said, eg_str_of(kind_words[*kind]))) return EG_OK;
    return eg_fail(err, EG_EINVAL, "its member record is '%.*s': it must be fact, link, conflict, answer or end",
                   (int)(said.len < 40 ? said.len : 40), said.len ? said.ptr : "");
}

static eg_status read_members(eg_json *j, eg_arena *arena, eg_exchange_record *out, eg_error *err) {
    uint64_t seen = 0;
    while (eg_json_next(j) == EG_JSON_KEY) {
        eg_str name = j->text;
        const member *m = members_of[out->kind];
        while (m->name && !eg_str_eq(name, eg_str_of(m->name))) m++;
        int given = out->kind == EG_EXCHANGE_FACT && eg_str_eq(name, EG_STR("statements"));
        if (!m->name && !given && !eg_str_eq(name, EG_STR("record")))
            return eg_fail(err, EG_EINVAL, "a record '%s' has no member '%.*s'", kind_words[out->kind],
                           (int)(name.len < 60 ? name.len : 60), name.ptr);
        uint64_t bit = UINT64_C(1) << (given ? 62 : m->name ? m - members_of[out->kind] : 63);
        if (seen & bit)
            return eg_fail(err, EG_EINVAL, "the member '%.*s' stands there twice", (int)(name.len < 60 ? name.len : 60),
                           name.ptr);
        seen |= bit;
        eg_json_next(j);
        eg_status s = EG_OK;
        if (given) s = read_statements(j, arena, out, err);
        else if (m->name && !read_value(j, m, (char *)&out->fact + m->at)) s = refuse_value(j, m, err);
        if (s != EG_OK) return s;
    }
    return j->kind == EG_JSON_ERROR ? EG_EFORMAT : EG_OK;
}

eg_status eg_exchange_read(eg_str line, eg_arena *arena, eg_exchange_record *out, eg_error *err) {
    size_t number = out->line;
    *out = (eg_exchange_record){.line = number};
    eg_status s = find_kind(line, arena, &out->kind, err);
    if (s != EG_OK) return s;
    if (out->kind == EG_EXCHANGE_FACT) out->fact.valid_until = EG_FOREVER;
    eg_json j;
    eg_json_init(&j, "record", line, arena, err);
    eg_json_next(&j);
    return read_members(&j, arena, out, err);
}
