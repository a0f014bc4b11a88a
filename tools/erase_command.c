/* erase_command.c - `engram erase`: takes the texts of facts away for good. It tells what it will
 * erase and asks before it does. */
#include <string.h>

#include "core/base/json.h"
#include "core/base/utf8.h"
#include "core/memory/ids.h"
#include "tools/memory_request.h"

enum { SHOWN = 70 /* bytes of a text */ };

static eg_erase_args arguments_of(const call *c, uint32_t flags) {
    return (eg_erase_args){.size = sizeof(eg_erase_args),
                           .flags = flags | (call_option(c, "hard") ? EG_ERASE_HARD : 0u),
                           .fact_id = eg_str_of(c->positional_count ? c->positional[0] : NULL),
                           .scope = eg_str_of(call_option(c, "scope")),
                           .agent_id = eg_str_of(call_option(c, "agent"))};
}

static void print_examples(const eg_erased *e) {
    for (uint32_t i = 0; i < e->example_count; i++) {
        const eg_fact *f = &e->examples[i];
        char id[EG_ID_TEXT];
        size_t n = eg_utf8_floor(f->content.ptr, f->content.len, SHOWN);
        eg_id_format(f->id, id);
        printf("  %s  ", id + EG_ID_TEXT - 9);
        print_shown((eg_str){f->content.ptr, n});
        printf("%s  [%.*s]\n", n < f->content.len ? "..." : "", (int)f->scope.len, f->scope.ptr);
    }
    if (e->facts > e->example_count) printf("  and %llu more\n", (unsigned long long)(e->facts - e->example_count));
}

static void tell(const call *c, const eg_erased *e, int dry_run) {
    if (c->json) {
        printf("{\"dry_run\":%s,\"facts\":%llu,\"conflicts_ended\":%llu,\"purged\":%s,\"copies_removed\":%llu}\n",
               dry_run ? "true" : "false", (unsigned long long)e->facts, (unsigned long long)e->conflicts_ended,
               e->purged ? "true" : "false", (unsigned long long)e->copies_removed);
        return;
    }
    if (dry_run) print_examples(e);
    printf("%s%llu fact%s\n", dry_run ? "would erase " : "erased ", (unsigned long long)e->facts, e->facts == 1 ? "" : "s");
    if (e->purged) puts("the files of the store have no trace of what was erased");
    if (e->copies_removed)
        printf("removed %llu cop%s of the store from before upgrades\n", (unsigned long long)e->copies_removed,
               e->copies_removed == 1 ? "y" : "ies");
}

/* 1 when what the dry run found may be erased. */
static int may_erase(const call *c, const eg_erased *found) {
    char question[100], doing[160];
    if (!found->facts || call_option(c, "yes")) return 1;
    snprintf(question, sizeof question, "Erase the text of %llu fact%s for good?", (unsigned long long)found->facts,
             found->facts == 1 ? "" : "s");
    snprintf(doing, sizeof doing, "the text of %llu fact%s would be gone for good, and nothing can bring it back",
             (unsigned long long)found->facts, found->facts == 1 ? "" : "s");
    if (!c->json) print_examples(found);
    return is_confirmed(c, question, doing);
}

static int erase(const call *c, const memory_request *r) {
    eg_erased found, done;
    int dry_run = call_option(c, "dry-run") != NULL;
    const eg_erase_args look = arguments_of(c, EG_ERASE_DRY_RUN), args = arguments_of(c, 0);
    if (r->ops->erase(r->memory, r->rq, &look, &found) != EG_OK) return memory_request_complain(r);
    if (dry_run) {
        tell(c, &found, 1);
        return EXIT_FINE;
    }
    if (!may_erase(c, &found)) return EXIT_ERROR;
    if (r->ops->erase(r->memory, r->rq, &args, &done) != EG_OK) return memory_request_complain(r);
    int nothing = !done.facts && !done.purged;
    if (c->json || !nothing) tell(c, &done, 0);
    if (nothing) note("no fact matches: nothing was erased");
    return EXIT_FINE;
}

int run_erase(const call *c) {
    int by_id = c->positional_count > 0, by_filter = call_option(c, "scope") || call_option(c, "agent");
    if (c->positional_count > 1) return complain_of_usage(c);
    if (by_id == by_filter)
        return complain(by_id ? "give either FACT_ID, or --scope and --agent" : "say what to erase: FACT_ID, --scope or --agent");
    memory_request r;
    int status = memory_request_begin(c, &r);
    if (!status) status = erase(c, &r);
    memory_request_end(&r);
    return status;
}
