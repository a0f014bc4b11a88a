/* kinds.c - see kinds.h. Closed lists of words and phrases; phrases are looked for as whole words,
 * whatever their case. */
#include "core/text/kinds.h"

#include "core/text/fold.h"
#include "core/text/words.h"

/* BEGINNING: bytes in which a phrase that marks a statement must begin */
enum { MAX_LABEL = 60, BEGINNING = 160 };

static int is_word_char(char c) { return eg_is_alpha(c) || eg_is_digit(c) || c == '_' || c == '\''; }

/* The word that s begins with; code and emphasis signs before it are no part of it. */
static eg_str first_word(eg_str s) {
    size_t n = 0;
    while (n < s.len && is_word_char(s.ptr[n])) n++;
    return (eg_str){s.ptr, n};
}

static eg_str behind(eg_str s, size_t n) {
    while (n < s.len && s.ptr[n] == ' ') n++;
    return (eg_str){s.ptr + n, s.len - n};
}

static int same(eg_str s, size_t at, const char *phrase, size_t n) {
    if (s.len - at < n) return 0;
    for (size_t i = 0; i < n; i++)
        if (eg_lower(s.ptr[at + i]) != phrase[i]) return 0;
    return 1;
}

/* Whether one of the phrases, lower case and separated by '|', stands in s, or at its beginning
 * only. */
static int holds(eg_str s, const char *phrases, int at_beginning) {
    size_t most = at_beginning ? 1 : s.len < BEGINNING ? s.len : BEGINNING;
    for (size_t i = 0; i < most && i < s.len; i++) {
        if (i && is_word_char(s.ptr[i - 1])) continue;
        for (const char *p = phrases; *p;) {
            size_t n = 0;
            while (p[n] && p[n] != '|') n++;
            if (same(s, i, p, n) && (i + n == s.len || !is_word_char(s.ptr[i + n]))) return 1;
            p += n + (p[n] == '|');
        }
    }
    return 0;
}

eg_lead eg_lead_of(eg_str s) {
    static const struct {
        eg_lead lead;
        const char *phrases;
    } leads[] = {
        {EG_LEAD_FORBIDS, "do not|don't|don'ts|never|off limits|forbidden|not allowed|prohibited|avoid|must not|what not to do"},
        {EG_LEAD_WEIGHS, "alternatives|alternative|alternatives considered|considered options|options considered|pros|cons|"
                         "pros and cons|drawbacks|merits|advantages|disadvantages|for and against|against|in favour"},
        {EG_LEAD_PROPOSES,
         "rejected|refused|turned down|considered|not taken|not chosen|dropped on the way|planned|plans|planned for|"
         "proposal|proposals|proposed|roadmap|ideas|idea|future work|out of scope|open questions|open|todo|to do|"
         "under discussion|postponed|ruled out|not now|next steps|follow-ups|follow-up|later"},
        {EG_LEAD_ASKS, "question|q|asked"},
        {EG_LEAD_SHOWS, "example|examples|e.g|for example|for instance|sample"},
        {EG_LEAD_TELLS, "history|formerly|previously|before|until now|timeline|old"},
        {EG_LEAD_NEUTRAL,
         "note|nb|fix|why|cause|reason|rule|warning|caution|exception|invariant|answer|a|important|tip|fyi|update|"
         "correction|result|results|lesson|lesson learned|lessons|remark|attention|careful|hint|findings|finding|"
         "conclusion|summary|short version|long version|tl;dr|reminder|advice|decision|decided|outcome|positive|"
         "negative|recommendation|bottom line|root cause|workaround|caveat|in short|problem|context|impact|"
         "consequence|consequences|one more|also|besides|background|details|detail|rules|action items|actions"}};
    if (s.len > MAX_LABEL) return EG_LEAD_NONE;
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        /* a lead-in that forbids may say more: "Never commit", "Do not touch on production" */
        if (leads[i].lead == EG_LEAD_FORBIDS ? holds(s, leads[i].phrases, 1) : 0) return leads[i].lead;
        for (const char *p = leads[i].phrases; *p;) {
            size_t n = 0;
            while (p[n] && p[n] != '|') n++;
            if (n == s.len && same(s, 0, p, n)) return leads[i].lead;
            p += n + (p[n] == '|');
        }
    }
    return EG_LEAD_NONE;
}

int eg_is_header_field(eg_str name) {
    return holds(name,
                 "status|date|author|authors|deciders|decider|reviewer|reviewers|reviewed by|approver|approvers|approved by|"
                 "last updated|last reviewed|last review|last modified|created|updated|tags|document owner|document status|title|"
                 "supersedes|superseded by|stakeholders|revision|next review|review date|doc owner|classification",
                 1) &&
           name.len <= 24;
}

static const char imperatives[] =
    "use run set put add keep write ask tell make check remove delete create start stop restart open close install "
    "configure enable disable ensure verify test build deploy push pull commit merge rebase update upgrade change replace move "
    "copy rename read see look go send pass give take get let wait watch note remember bump pin export import define declare "
    "document follow prefer apply avoid increase decrease raise lower edit enter register announce contact notify include "
    "exclude skip ignore retry revert rollback roll flush clear clean rotate mount log throw catch return wrap assign put "
    "render sort store save load expect treat assume report file review sign switch turn try give list click select choose "
    "mock stub bind attach detach drain cordon scale grant revoke request submit publish release tag cherry-pick "
    "back restore seed migrate generate regenerate compile lint format cache limit cap round convert validate sanitize "
    "escape encode decode encrypt decrypt hash quote split join prefix print emit collect measure profile fetch download "
    "upload extract unpack mark leave bring hold do stick initialize init reset reindex reload refresh rerun schedule "
    "subscribe unsubscribe stage squash spell state specify plug connect disconnect allow deny reject accept mind link";

int eg_begins_imperative(eg_str s) {
    for (;;) {
        eg_str w = first_word(s);
        if (w.len == 0) return 0;
        if (!eg_word_in(w, "please always just then first finally instead also and so")) {
            eg_str rest = behind(s, w.len);
            /* "Build is green", "Cache: 5 min", "Log level", "Limit of": a noun */
            if (!eg_word_in(w, imperatives) || rest.len == 0 || strchr(":=,.;)-/", rest.ptr[0])) return 0;
            eg_str next = first_word(rest);
            return !eg_word_in(
                next, "is are was were has have had can may must will of level time size limit rate and or runs takes in "
                      "at on per does fails");
        }
        s = behind(s, w.len);
    }
}

static int is_question(eg_str s) {
    while (s.len && strchr("\"')*_` ", s.ptr[s.len - 1])) s.len--;
    return s.len && s.ptr[s.len - 1] == '?';
}

static int is_prohibition(eg_str s) {
    eg_str w = first_word(s);
    if (eg_word_in(w, "if when while after before in on for from please and so under outside during")) {
        /* a condition first: "When it is red, do not merge." */
        for (size_t i = 0; i + 1 < s.len && i < BEGINNING; i++) {
            eg_str rest = behind(s, i + 1);
            if (s.ptr[i] == ',' && holds(rest, "don't|do not|never", 1)) return 1;
        }
        if (eg_word_in(w, "please and so") && holds(behind(s, w.len), "don't|do not|never", 1)) return 1;
    }
    if (holds(
            s,
            "never|don't|do not|avoid|no one|nobody may|nobody should|keep away from|stay away from|keep your hands off|hands off|"
            "under no circumstances|must not|mustn't|may not|not allowed|forbidden|stop using",
            1))
        return !holds(s, "don't be surprised|don't ask|never mind|don't worry|do not worry|don't get me", 1);
    return holds(
        s,
        "must not|mustn't|must never|should not|shouldn't|should never|is forbidden|are forbidden|is prohibited|are prohibited|"
        "is not allowed|are not allowed|isn't allowed|aren't allowed|nobody may|nobody should|no one may|no one should|"
        "is banned|are banned|never use|never run|never call|never commit|do not use|don't use",
        0);
}

static int is_instruction(eg_str s) {
    if (eg_begins_imperative(s)) return 1;
    eg_str w = first_word(s);
    if (eg_word_in(w, "if when while after before in on for from to until with under once unless whenever"))
        for (size_t i = 0; i + 1 < s.len && i < BEGINNING; i++)
            if ((s.ptr[i] == ',' || s.ptr[i] == ':') && eg_begins_imperative(behind(s, i + 1))) return 1;
    return holds(s, "please|make sure|be sure to|take care to", 1);
}

static int is_proposal(eg_str s) {
    return holds(s,
                 "rejected|considered|planned|proposed|proposal|idea|todo|to do|postponed|under discussion|open question|maybe",
                 1) ||
           holds(
               s,
               "was rejected|were rejected|is rejected|was ruled out|were ruled out|is ruled out|was turned down|were turned down|"
               "was considered|were considered|under discussion|was discussed|is planned|are planned|planned for|is proposed|"
               "was proposed|we might|we may one day|we could|on the table|not now|not decided|undecided|no decision|postponed|is an idea|drafted, not built|not implemented yet|on the roadmap|on the wish list|"
               "talked about|was voted down|was dropped because|is being discussed|being considered|still open|out of scope|"
               "wants to move|want to move|thinking about|proposes|proposed to|plan is to|plans to|will probably|if we ever",
               0);
}

static int is_history(eg_str s) {
    return holds(
               s,
               "previously|formerly|historically|originally|until 20|up to 20|before 20|back in|in the old days|used to|was renamed|"
               "renamed|removed in|deprecated in|yesterday|last week|last month|last year|last night|once upon",
               1) ||
           holds(
               s,
               "used to be|used to have|used to|was renamed|were renamed|has been renamed|was removed in|were removed in|was replaced|"
               "were replaced|had been|had run|ran out|went down|was down|were down|came back|has been removed|have been removed|"
               "formerly|previously|until then|back then|at that time|that day|that week|that night|at the time|went away",
               0);
}

/* Says nothing about the system: it speaks of its writer, and neither code nor a number stands in
 * it. */
static int is_aside(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] == '`' || s.ptr[i] == '=' || eg_is_digit(s.ptr[i])) return 0;
    return holds(s,
                 "took me|cost me|i wasted|i lost|ask me how|thanks|sorry|don't be surprised|never mind|don't ask|i hope|i wish|"
                 "i was surprised|lesson learned|who knew|who'd have thought|sigh|anyway|fun fact|good luck|wasted|lost an hour|"
                 "lost a day|cost us|i'm glad|hope this helps|that was fun|not my best day|feel free",
                 0);
}

static int is_placeholder(eg_str s) {
    return holds(s, "tbd|tba|n/a|lorem ipsum|fill in|your text here|replace me|xxx|<your", 1) ||
           (s.len > 2 && s.ptr[0] == '<' && memchr(s.ptr, '>', s.len) == s.ptr + s.len - 1) ||
           holds(s, "to be filled in|fill this in|replace this text", 0);
}

uint32_t eg_kind_of(eg_str s, int numbered, eg_lead lead) {
    if (is_question(s) || lead == EG_LEAD_ASKS) return EG_STATEMENT_QUESTION;
    if (is_placeholder(s)) return EG_STATEMENT_PLACEHOLDER;
    if (lead == EG_LEAD_WEIGHS) return EG_STATEMENT_ALTERNATIVE;
    if (lead == EG_LEAD_PROPOSES || is_proposal(s)) return EG_STATEMENT_PROPOSAL;
    if (lead == EG_LEAD_SHOWS || holds(s, "e.g|for example|for instance|example", 1)) return EG_STATEMENT_EXAMPLE;
    if (is_aside(s)) return EG_STATEMENT_ASIDE;
    if (lead == EG_LEAD_FORBIDS || is_prohibition(s)) return EG_STATEMENT_PROHIBITION;
    if (lead == EG_LEAD_TELLS || is_history(s)) return EG_STATEMENT_HISTORY;
    if (is_instruction(s)) return numbered ? EG_STATEMENT_STEP : EG_STATEMENT_INSTRUCTION;
    return EG_STATEMENT_ASSERTION;
}
