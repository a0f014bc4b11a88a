/* schemas.h - descriptions and JSON Schemas of the memory tools, as callers see them in tools/list.
 * The argument tables of tools_core.c and tools_team.c say the same to the reader; a test drives
 * each schema against them, and validates real results with the output schemas.
 *
 * The descriptions are written for language models, which pay for every byte of them in each
 * session: each says what the tool does, when to call it and what to mind. */
#ifndef ENGRAM_MEMORY_SCHEMAS_H
#define ENGRAM_MEMORY_SCHEMAS_H

/* One property a line reads better than what the formatter makes of it. */
/* clang-format off */

/* --- pieces --- */

/* Properties of an object: the first, and each further one. */
#define P(name, schema) "\"" name "\":" schema
#define ALSO(name, schema) "," P(name, schema)
#define ARRAY(items) "{\"type\":\"array\",\"items\":" items "}"
#define ONE_OF(words) "{\"enum\":[" words "]}"
#define S_TEXT "{\"type\":\"string\"}"
#define S_OPT "{\"type\":[\"string\",\"null\"]}"
#define S_BOOL "{\"type\":\"boolean\"}"
#define S_INT "{\"type\":\"integer\"}"
#define S_INT_OPT "{\"type\":[\"integer\",\"null\"]}"
#define S_NUM "{\"type\":\"number\"}"
#define S_FACT "{\"$ref\":\"#/$defs/fact\"}"
#define S_FACTS ARRAY(S_FACT)
#define S_FACT_OR_NULL "{\"anyOf\":[" S_FACT ",{\"type\":\"null\"}]}"
#define S_CONFLICTS ARRAY("{\"$ref\":\"#/$defs/conflict\"}")

#define WORDS_FACT_TYPE "\"observation\",\"inference\",\"decision\""
#define WORDS_DURABILITY "\"durable\",\"ephemeral\""
#define WORDS_RESOLUTION "\"winner\",\"merge\",\"dismissed\",\"both_valid\""
#define WORDS_STATUS "\"open\",\"resolved\",\"dismissed\",\"expired\",\"suspected\""
#define WORDS_JUDGEMENT "\"contradiction\",\"update\",\"both_valid\",\"same\",\"unrelated\""
#define WORDS_FEEDBACK "\"false_positive\",\"true_positive\""
#define S_SEVERITY ONE_OF("\"low\",\"medium\",\"high\"")

#define OBJECT(properties, required) \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]}"
#define OBJECT_WITH(defs, properties, required) \
    "{\"type\":\"object\",\"properties\":{" properties "}," \
    "\"required\":[" required "],\"$defs\":{" defs "}}"
/* Inputs: no other argument is taken. */
#define INPUT(properties) \
    "{\"type\":\"object\",\"properties\":{" properties "},\"additionalProperties\":false}"
#define INPUT_REQUIRED(properties, required) \
    "{\"type\":\"object\",\"properties\":{" properties "}," \
    "\"required\":[" required "],\"additionalProperties\":false}"

/* Arguments. A text is limited in bytes, but maxLength counts characters: so the description names
 * the limit. */
#define A_TEXT(bytes, about) "{\"type\":\"string\",\"maxLength\":" #bytes ",\"description\":\"" about "\"}"
#define A_FULL_TEXT(bytes, about) \
    "{\"type\":\"string\",\"minLength\":1,\"maxLength\":" #bytes ",\"description\":\"" about "\"}"
#define A_WORD(words) "{\"type\":\"string\",\"enum\":[" words "]}"
#define A_WORD_OR(words, usual) "{\"type\":\"string\",\"enum\":[" words "],\"default\":\"" usual "\"}"
#define A_ID(about) A_FULL_TEXT(64, about)
#define A_FLAG(about) "{\"type\":\"boolean\",\"description\":\"" about "\"}"

#define ARG_SCOPE P("scope", A_TEXT(200, "topic area, a path like payments/api of [a-z0-9._-]"))
#define ARG_SCOPE_FILTER P("scope", A_TEXT(200, "this scope and those below it; / is all"))
#define ARG_AGENT P("agent_id", A_TEXT(200, "max 200 bytes"))
#define ARG_CONFLICT_ID P("conflict_id", A_ID("id or its last 8 digits"))

/* --- facts and conflicts in results --- */

#define FACT_PROPERTIES \
    P("fact_id", S_TEXT) ALSO("lineage_id", S_OPT) \
    ALSO("content", S_TEXT) ALSO("truncated", S_BOOL) \
    ALSO("scope", S_TEXT) ALSO("confidence", S_NUM) \
    ALSO("fact_type", ONE_OF(WORDS_FACT_TYPE)) \
    ALSO("agent_id", S_OPT) ALSO("engineer", S_OPT) \
    ALSO("committed_at", S_OPT) ALSO("valid_from", S_OPT) ALSO("valid_until", S_OPT) \
    ALSO("durability", ONE_OF(WORDS_DURABILITY)) \
    ALSO("provenance", S_OPT) ALSO("verified", S_BOOL) ALSO("artifact_hash", S_OPT) \
    ALSO("supersedes_fact_id", S_OPT) ALSO("has_open_conflict", S_BOOL)
#define FACT_REQUIRED \
    "\"fact_id\",\"lineage_id\",\"content\",\"scope\",\"confidence\",\"fact_type\",\"agent_id\"," \
    "\"engineer\",\"committed_at\",\"valid_from\",\"valid_until\",\"durability\",\"provenance\"," \
    "\"verified\",\"artifact_hash\",\"supersedes_fact_id\",\"has_open_conflict\""
#define DEF_FACT P("fact", OBJECT(FACT_PROPERTIES, FACT_REQUIRED))
#define DEF_CONFLICT \
    P("conflict", OBJECT(P("conflict_id", S_TEXT) ALSO("fact_a", S_FACT) ALSO("fact_b", S_FACT) \
        ALSO("detection_tier", S_TEXT) ALSO("score", S_NUM) ALSO("explanation", S_OPT) \
        ALSO("severity", S_SEVERITY) ALSO("status", ONE_OF(WORDS_STATUS)) ALSO("detected_at", S_OPT) \
        ALSO("stated_a", S_TEXT) ALSO("stated_b", S_TEXT), \
        "\"conflict_id\",\"fact_a\",\"fact_b\",\"detection_tier\",\"score\",\"explanation\"," \
        "\"severity\",\"status\""))

/* One side of a review: a statement in its fact. */
#define S_STATEMENT \
    OBJECT(P("statement", S_TEXT) ALSO("stated", S_TEXT) ALSO("content", S_TEXT) ALSO("fact_id", S_TEXT) ALSO("scope", S_TEXT) \
        ALSO("agent_id", S_OPT) ALSO("committed_at", S_OPT), \
        "\"statement\",\"content\",\"fact_id\",\"scope\",\"agent_id\",\"committed_at\"")

/* --- the core profile --- */

#define STATUS_DESCRIPTION \
    "Reports which store and workspace this is, which models run and what waits. If the result " \
    "has next_prompt, ask the person exactly that; if it has a warning, tell them."
#define STATUS_INPUT INPUT("")
#define STATUS_OUTPUT \
    OBJECT(P("status", ONE_OF("\"ready\",\"unconfigured\",\"awaiting_db\"")) \
        ALSO("mode", ONE_OF("\"local\",\"team\"")) ALSO("storage", S_TEXT) \
        ALSO("workspace", S_TEXT) ALSO("workspace_why", S_OPT) ALSO("next_prompt", S_TEXT) \
        ALSO("warning", S_TEXT) ALSO("settings", S_TEXT) ALSO("writing_problem", S_TEXT) \
        ALSO("version", S_OPT) ALSO("location", S_OPT) \
        ALSO("facts", S_INT) ALSO("current_facts", S_INT) \
        ALSO("conflicts_open", S_INT) ALSO("conflicts_total", S_INT) ALSO("agents", S_INT) \
        ALSO("jobs_queued", S_INT) ALSO("jobs_dead", S_INT) ALSO("store_problem", S_TEXT) \
        ALSO("models", "{\"type\":\"object\"}"), \
        "\"status\",\"mode\",\"storage\",\"workspace\"")

#define QUERY_DESCRIPTION \
    "Returns what the team's agents know about a topic, best first. Call it BEFORE you start " \
    "on an area, with a specific topic, at most 3 times a task. has_open_conflict: disputed, " \
    "do not rely on it. reviews: may be disputed; read that conflict_id with engram_conflicts and answer " \
    "with engram_judge. verified=false: its author named no evidence."
#define QUERY_INPUT \
    INPUT_REQUIRED(P("topic", "{\"type\":\"string\",\"minLength\":1}") "," ARG_SCOPE_FILTER \
        ALSO("limit", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":50,\"default\":10}") \
        ALSO("as_of", "{\"type\":\"string\",\"description\":\"RFC 3339: what was known then\"}") \
        ALSO("fact_type", A_WORD(WORDS_FACT_TYPE)) "," ARG_AGENT \
        ALSO("include_ephemeral", A_FLAG("also short-lived facts")) \
        ALSO("include_history", A_FLAG("also replaced and expired facts")), \
        "\"topic\"")
#define QUERY_OUTPUT \
    OBJECT(P("notice", S_TEXT) ALSO("results", ARRAY(OBJECT(FACT_PROPERTIES ALSO("relevance", S_NUM) \
            ALSO("why", S_OPT) ALSO("open_conflicts", ARRAY(S_TEXT)) ALSO("reviews", ARRAY(S_TEXT)), \
            FACT_REQUIRED ",\"relevance\",\"why\",\"open_conflicts\""))) \
        ALSO("text_only", S_BOOL) ALSO("topic_cut", S_BOOL), \
        "\"notice\",\"results\",\"text_only\",\"topic_cut\"")

#define COMMIT_DESCRIPTION \
    "Saves one verified finding for all agents of the team: a constraint, side effect, failed " \
    "approach, decision or setting. One claim a fact, a full sentence: subject, value, unit, environment. " \
    "Never a secret; no guesses (confidence below 0.5 if unsure). Read the conflicts in the " \
    "answer before you go on. At most 5 a task."
#define COMMIT_INPUT \
    INPUT_REQUIRED(P("content", A_FULL_TEXT(8192, "max 8192 bytes")) \
        ALSO("statements", "{\"type\":\"array\",\"minItems\":1,\"maxItems\":64,\"items\":{\"type\":\"string\"," \
            "\"minLength\":1,\"maxLength\":1000},\"description\":\"for content of several claims: each as a sentence " \
            "that stands alone, with no value that content lacks; max 1000 bytes\"}") \
        "," ARG_SCOPE \
        ALSO("confidence", "{\"type\":\"number\",\"minimum\":0,\"maximum\":1,\"default\":0.8}") "," ARG_AGENT \
        ALSO("engineer", A_TEXT(200, "max 200 bytes")) \
        ALSO("provenance", A_TEXT(1000, "max 1000 bytes: file:line, test or command that shows it")) \
        ALSO("fact_type", A_WORD_OR(WORDS_FACT_TYPE, "observation")) \
        ALSO("ttl_days", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":36500}") \
        ALSO("operation", "{\"type\":\"string\",\"enum\":[\"add\",\"update\",\"delete\"],\"default\":\"add\"," \
            "\"description\":\"update: replaces the fact of corrects_lineage, else the closest of the scope; " \
            "delete: closes the fact of corrects_lineage\"}") \
        ALSO("corrects_lineage", A_TEXT(64, "lineage_id of the fact to correct; all its versions share it")) \
        ALSO("durability", "{\"type\":\"string\",\"enum\":[" WORDS_DURABILITY "],\"default\":\"durable\"," \
            "\"description\":\"ephemeral: expires after a day, no conflict check\"}") \
        ALSO("artifact_hash", A_TEXT(1000, "max 1000 bytes")) \
        ALSO("wait_ms", "{\"type\":\"integer\",\"minimum\":0,\"maximum\":60000," \
            "\"description\":\"wait for the conflict check\"}"), \
        "\"content\"")
#define COMMIT_OUTPUT \
    OBJECT_WITH(DEF_FACT "," DEF_CONFLICT, \
        P("notice", S_TEXT) ALSO("fact_id", S_OPT) ALSO("lineage_id", S_OPT) ALSO("committed_at", S_OPT) \
        ALSO("duplicate", S_BOOL) \
        ALSO("operation", ONE_OF("\"add\",\"update\",\"delete\",\"none\"")) \
        ALSO("supersedes_fact_id", S_OPT) ALSO("conflicts", S_CONFLICTS) \
        ALSO("detection", ONE_OF("\"done\",\"queued\"")) ALSO("undo_id", S_INT_OPT) ALSO("next_step", S_TEXT) \
        ALSO("review", ARRAY(OBJECT(P("review_id", S_TEXT) ALSO("question", S_TEXT) ALSO("probability", S_NUM) \
            ALSO("earlier", S_STATEMENT) ALSO("later", S_STATEMENT), \
            "\"review_id\",\"question\",\"probability\",\"earlier\",\"later\""))), \
        "\"notice\",\"fact_id\",\"lineage_id\",\"committed_at\",\"duplicate\",\"operation\"," \
        "\"supersedes_fact_id\",\"conflicts\",\"detection\",\"undo_id\"")

#define CONFLICTS_DESCRIPTION \
    "Lists pairs of facts that cannot both be true, worst first; with conflict_id, one pair " \
    "and the history of its facts. Status expired: a fact's validity ended. Call it before " \
    "architecture decisions; settle what you can prove with engram_resolve."
#define CONFLICTS_INPUT \
    INPUT(ARG_SCOPE_FILTER ALSO("status", A_WORD_OR(WORDS_STATUS ",\"all\"", "open")) \
        ALSO("limit", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,\"default\":10}") "," ARG_CONFLICT_ID)
#define CONFLICTS_OUTPUT \
    OBJECT_WITH(DEF_FACT "," DEF_CONFLICT, \
        P("notice", S_TEXT) ALSO("conflicts", S_CONFLICTS) ALSO("more", S_BOOL) ALSO("history", S_FACTS), \
        "\"notice\",\"conflicts\",\"more\"")

#define RESOLVE_DESCRIPTION \
    "Settles a conflict, only with evidence. winner: winning_fact_id is true, the other fact " \
    "is closed. merge: both are partly true, merged_content replaces them. both_valid: each is " \
    "true in its own context. dismissed: they do not contradict each other."
#define RESOLVE_INPUT \
    INPUT_REQUIRED(ARG_CONFLICT_ID ALSO("resolution_type", A_WORD(WORDS_RESOLUTION)) \
        ALSO("resolution", A_FULL_TEXT(8192, "max 8192 bytes: the evidence")) \
        ALSO("winning_fact_id", "{\"type\":\"string\",\"maxLength\":64}") \
        ALSO("merged_content", A_FULL_TEXT(8192, "max 8192 bytes; merge needs it")) "," ARG_AGENT, \
        "\"conflict_id\",\"resolution_type\",\"resolution\"")
#define RESOLVE_OUTPUT \
    OBJECT_WITH(DEF_FACT, \
        P("notice", S_TEXT) ALSO("resolved", S_BOOL) ALSO("conflict_id", S_TEXT) \
        ALSO("resolution_type", ONE_OF(WORDS_RESOLUTION)) \
        ALSO("status", ONE_OF("\"open\",\"resolved\",\"dismissed\"")) \
        ALSO("closed", S_FACTS) ALSO("merged", S_FACT_OR_NULL) \
        ALSO("other_conflicts_closed", S_INT) ALSO("undo_id", S_INT_OPT), \
        "\"notice\",\"resolved\",\"conflict_id\",\"resolution_type\",\"status\",\"closed\",\"merged\"," \
        "\"other_conflicts_closed\",\"undo_id\"")

#define JUDGE_DESCRIPTION \
    "Answers a review of engram_commit or engram_query: can both statements be true? contradiction: " \
    "no. update: the later one replaces the earlier. both_valid: each in its own context. same: they " \
    "say the same. Read both statements; look into the code if in doubt."
#define JUDGE_INPUT \
    INPUT_REQUIRED(P("review_id", A_ID("id or its last 8 digits")) ALSO("verdict", A_WORD(WORDS_JUDGEMENT)) \
        ALSO("reason", A_FULL_TEXT(8192, "max 8192 bytes: why, in a sentence")) "," ARG_AGENT, \
        "\"review_id\",\"verdict\",\"reason\"")
#define JUDGE_OUTPUT \
    OBJECT_WITH(DEF_FACT, \
        P("notice", S_TEXT) ALSO("conflict_id", S_TEXT) ALSO("verdict", ONE_OF(WORDS_JUDGEMENT)) \
        ALSO("status", ONE_OF("\"open\",\"resolved\",\"dismissed\"")) ALSO("closed", S_FACTS) \
        ALSO("next_step", S_TEXT) ALSO("undo_id", S_INT_OPT), \
        "\"notice\",\"conflict_id\",\"verdict\",\"status\",\"closed\",\"undo_id\"")

/* The answer to a review, as a form for a person at a client. Its members are arguments of
 * engram_judge. enumNames are the labels that every revision since 2025-06-18 knows. */
#define REVIEW_ANSWER \
    OBJECT(P("verdict", "{\"type\":\"string\",\"title\":\"Verdict\",\"enum\":[" WORDS_JUDGEMENT "],\"enumNames\":[" \
            "\"No, they contradict each other\",\"No, the later one replaces the earlier one\"," \
            "\"Yes, each in its own context\",\"Yes, they say the same\",\"Yes, they are about different things\"]}") \
        ALSO("reason", "{\"type\":\"string\",\"title\":\"Why\",\"description\":\"one sentence; may be empty\"," \
            "\"maxLength\":1000}"), \
        "\"verdict\"")

#define CHECK_DESCRIPTION \
    "Says whether statements would contradict each other or stored facts. Writes nothing. Call " \
    "it before you write a plan, a document or a commit."
#define CHECK_INPUT \
    INPUT(P("content", A_FULL_TEXT(8192, "max 8192 bytes")) \
        ALSO("statements", "{\"type\":\"array\",\"minItems\":1,\"maxItems\":200,\"items\":" \
            A_FULL_TEXT(8192, "max 8192 bytes") ",\"description\":\"several, instead of content\"}") "," ARG_SCOPE)
#define CHECK_OUTPUT \
    OBJECT_WITH(DEF_FACT, \
        P("notice", S_TEXT) ALSO("would_conflict", ARRAY(OBJECT(P("statement", S_INT) ALSO("content", S_TEXT) \
            ALSO("other_statement", S_INT_OPT) ALSO("fact", S_FACT_OR_NULL) ALSO("detection_tier", S_TEXT) \
            ALSO("severity", S_SEVERITY) ALSO("score", S_NUM) ALSO("explanation", S_OPT), \
            "\"statement\",\"content\",\"other_statement\",\"fact\",\"detection_tier\",\"severity\"," \
            "\"score\",\"explanation\""))) \
        ALSO("statements", S_INT) ALSO("pairs", S_INT) ALSO("without_nli", S_BOOL) ALSO("problem", S_TEXT), \
        "\"notice\",\"would_conflict\",\"statements\",\"pairs\",\"without_nli\"")

/* --- the team profile --- */

#define FEEDBACK_DESCRIPTION \
    "Records whether a reported conflict was a real contradiction. Engram moves its detection " \
    "thresholds accordingly."
#define FEEDBACK_INPUT \
    INPUT_REQUIRED(ARG_CONFLICT_ID ALSO("feedback", A_WORD(WORDS_FEEDBACK)), "\"conflict_id\",\"feedback\"")
#define FEEDBACK_OUTPUT \
    OBJECT(P("recorded", S_BOOL) ALSO("conflict_id", S_TEXT) ALSO("feedback", ONE_OF(WORDS_FEEDBACK)), \
        "\"recorded\",\"conflict_id\",\"feedback\"")

#define UNDO_DESCRIPTION \
    "Takes back one commit or resolution, by the undo_id that it returned."
#define UNDO_INPUT \
    INPUT_REQUIRED(P("undo_id", "{\"type\":\"integer\",\"minimum\":1,\"maximum\":9007199254740991}"), \
        "\"undo_id\"")
#define UNDO_OUTPUT \
    OBJECT_WITH(DEF_FACT, \
        P("notice", S_TEXT) ALSO("undone", S_TEXT) ALSO("restored", S_FACTS) ALSO("closed", S_FACTS) \
        ALSO("undo_id", S_INT), \
        "\"notice\",\"undone\",\"restored\",\"closed\",\"undo_id\"")

#define PROMOTE_DESCRIPTION \
    "Makes an ephemeral fact durable, so that it no longer expires. Call it once the fact has " \
    "proved true."
#define PROMOTE_INPUT INPUT_REQUIRED(P("fact_id", A_ID("id or its last 8 digits")), "\"fact_id\"")
#define PROMOTE_OUTPUT OBJECT_WITH(DEF_FACT, P("notice", S_TEXT) ALSO("fact", S_FACT), "\"notice\",\"fact\"")

#define LINEAGE_DESCRIPTION \
    "Returns every version of one fact, oldest first, with who replaced it and why. All " \
    "versions share a lineage_id."
#define LINEAGE_INPUT INPUT_REQUIRED(P("lineage_id", A_ID("id or its last 8 digits")), "\"lineage_id\"")
#define LINEAGE_OUTPUT \
    OBJECT_WITH(DEF_FACT, P("notice", S_TEXT) ALSO("versions", S_FACTS), "\"notice\",\"versions\"")

/* clang-format on */
#endif
