/* given.c - see given.h. */
#include "core/memory/given.h"

#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/memory/arguments.h"
#include "core/text/given.h"
#include "core/text/text.h"

enum { SHOWN = 60 /* bytes of a statement in a message */ };

eg_status eg_given_check(eg_request *rq, const eg_commit_args *args) {
    if (args->statement_count == 0) return EG_OK;
    if (args->operation == EG_OP_DELETE || !args->statements)
        return eg_request_fail(rq, EG_EINVAL, "statements: they are of the content, and there is none: leave them out");
    if (args->statement_count > EG_MAX_STATEMENTS)
        return eg_request_fail(rq, EG_ELIMIT, "statements: %zu were given, at most %d are taken: split the fact",
                               args->statement_count, EG_MAX_STATEMENTS);
    for (size_t i = 0; i < args->statement_count; i++) {
        char name[40];
        snprintf(name, sizeof name, "statements: number %zu", i + 1);
        eg_status s = eg_check_stored(rq, name, args->statements[i], EG_MAX_STATEMENT, 1);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

static int was_before(const eg_str *texts, size_t n, eg_str text) {
    for (size_t i = 0; i < n; i++)
        if (eg_str_eq(texts[i], text)) return 1;
    return 0;
}

static eg_status refuse(eg_request *rq, const eg_commit_args *args, const eg_str *texts, const eg_given_refusal *r) {
    eg_str text = texts[r->index];
    size_t number = 1, shown = eg_utf8_floor(text.ptr, text.len, SHOWN), word = eg_utf8_floor(r->word.ptr, r->word.len, SHOWN);
    while (!eg_str_eq(args->statements[number - 1], text)) number++;
    const char *more = shown < text.len ? "..." : "";
    if (r->fault == EG_GIVEN_ADDS)
        return eg_request_fail(rq, EG_EINVAL,
                               "statements: number %zu (\"%.*s%s\") has '%.*s', which the content does not: the content is what "
                               "is kept, so write it there too, or leave it out of the statement",
                               number, (int)shown, text.ptr, more, (int)word, r->word.ptr);
    return eg_request_fail(
        rq, EG_EINVAL,
        "statements: number %zu (\"%.*s%s\") says what the content does not: use the words of the content, add "
        "the claim to it, or leave the statement out",
        number, (int)shown, text.ptr, more);
}

eg_status eg_given_match(eg_request *rq, eg_arena *arena, const eg_commit_args *args, eg_str scope, eg_statement_list *out) {
    *out = (eg_statement_list){0};
    if (args->statement_count == 0) return EG_OK;
    eg_str *texts = eg_arena_array(arena, args->statement_count, sizeof *texts);
    eg_statement *read = eg_arena_array(arena, EG_MAX_STATEMENTS, sizeof *read);
    out->rows = eg_arena_array(arena, args->statement_count, sizeof *out->rows);
    if (!texts || !read || !out->rows) return eg_fail_memory(rq->err, EG_MAX_STATEMENTS * sizeof *read);
    for (size_t i = 0; i < args->statement_count; i++)
        if (!was_before(texts, out->count, args->statements[i])) texts[out->count++] = args->statements[i];
    size_t n;
    eg_given_refusal refusal;
    eg_status s = eg_text_read_statements(arena, args->content, read, EG_MAX_STATEMENTS, &n, rq->err);
    if (s == EG_OK)
        s = eg_text_match_given(arena, args->content, scope, read, n, texts, out->count, out->rows, &refusal, rq->err);
    return s == EG_OK && refusal.fault != EG_GIVEN_FITS ? refuse(rq, args, texts, &refusal) : s;
}
