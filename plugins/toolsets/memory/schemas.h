/* schemas.h - names, words and JSON Schemas of the memory tools, as callers see them in tools/list. The
 * argument tables of tools_core.c and tools_team.c say the same to the reader; a test drives each schema
 * against them, and validates real results with the output schemas. Descriptions are prompts for a language
 * model: they say when to call and what to mind, in few words, since every agent pays for them in each
 * session. */
#ifndef ENGRAM_MEMORY_SCHEMAS_H
#define ENGRAM_MEMORY_SCHEMAS_H

#define S_TEXT "{\"type\":\"string\"}"
#define S_OPT "{\"type\":[\"string\",\"null\"]}"
#define S_BOOL "{\"type\":\"boolean\"}"
#define S_INT "{\"type\":\"integer\"}"
#define S_NUM "{\"type\":\"number\"}"
#define S_FACT "{\"$ref\":\"#/$defs/fact\"}"
#define S_FACTS "{\"type\":\"array\",\"items\":" S_FACT "}"
#define S_FACT_OR_NULL "{\"anyOf\":[" S_FACT ",{\"type\":\"null\"}]}"
#define S_SEVERITY "{\"enum\":[\"low\",\"medium\",\"high\"]}"
#define S_CONFLICTS "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/conflict\"}}"

#define FACT_PROPERTIES                                                                                                   \
    "\"fact_id\":" S_TEXT ",\"lineage_id\":" S_OPT ",\"content\":" S_TEXT ",\"truncated\":" S_BOOL ",\"scope\":" S_TEXT   \
    ",\"confidence\":" S_NUM ",\"fact_type\":{\"enum\":[\"observation\",\"inference\",\"decision\"]},\"agent_id\":" S_OPT \
    ",\"engineer\":" S_OPT ",\"committed_at\":" S_OPT ",\"valid_from\":" S_OPT ",\"valid_until\":" S_OPT                  \
    ",\"durability\":{\"enum\":[\"durable\",\"ephemeral\"]},\"provenance\":" S_OPT ",\"verified\":" S_BOOL                \
    ",\"artifact_hash\":" S_OPT ",\"supersedes_fact_id\":" S_OPT ",\"has_open_conflict\":" S_BOOL
#define FACT_REQUIRED                                                                             \
    "\"fact_id\",\"lineage_id\",\"content\",\"scope\",\"confidence\",\"fact_type\",\"agent_id\"," \
    "\"engineer\","                                                                               \
    "\"committed_at\",\"valid_from\",\"valid_until\",\"durability\",\"provenance\",\"verified\"," \
    "\"artifact_hash\",\"supersedes_fact_id\",\"has_open_conflict\""
#define DEF_FACT "\"fact\":{\"type\":\"object\",\"properties\":{" FACT_PROPERTIES "},\"required\":[" FACT_REQUIRED "]}"
#define DEF_CONFLICT                                                                                                        \
    "\"conflict\":{\"type\":\"object\",\"properties\":{\"conflict_id\":" S_TEXT ",\"fact_a\":" S_FACT ",\"fact_b\":" S_FACT \
    ",\"detection_tier\":" S_TEXT ",\"score\":" S_NUM ",\"explanation\":" S_OPT ",\"severity\":" S_SEVERITY                 \
    ",\"status\":{\"enum\":[\"open\",\"resolved\",\"dismissed\",\"expired\"]},"                                             \
    "\"detected_at\":" S_OPT "},\"required\":[\"conflict_id\",\"fact_a\",\"fact_b\",\"detection_tier\","                    \
    "\"score\",\"explanation\",\"severity\",\"status\"]}"

#define OBJECT(properties, required) "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]}"
#define OBJECT_WITH(defs, properties, required) \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "],\"$defs\":{" defs "}}"
/* Inputs: no other argument is taken. */
#define INPUT(properties) "{\"type\":\"object\",\"properties\":{" properties "},\"additionalProperties\":false}"
#define INPUT_REQUIRED(properties, required) \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "],\"additionalProperties\":false}"

#define I_SCOPE "\"scope\":{\"type\":\"string\",\"maxLength\":200,\"description\":\"a/b: segments [a-z0-9._-]\"}"
#define I_SCOPE_FILTER \
    "\"scope\":{\"type\":\"string\",\"maxLength\":200,\"description\":\"this scope and those below it; / is all\"}"
/* Long texts are limited in bytes, maxLength counts characters: so the description says it. */
#define I_BYTES_200 "\"maxLength\":200,\"description\":\"max 200 bytes"
#define I_BYTES_1000 "\"maxLength\":1000,\"description\":\"max 1000 bytes"
#define I_BYTES_8192 "\"maxLength\":8192,\"description\":\"max 8192 bytes"
#define I_AGENT "\"agent_id\":{\"type\":\"string\"," I_BYTES_200 "\"}"
#define I_FACT_TYPE "\"fact_type\":{\"type\":\"string\",\"enum\":[\"observation\",\"inference\",\"decision\"]"
#define I_CONFLICT_ID                                                                                    \
    "\"conflict_id\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":64,\"description\":\"id or its " \
    "last 8 digits\"}"

#define STATUS_DESCRIPTION                                                                                \
    "Which store and workspace this is, and what waits. If next_prompt is there, ask the person exactly " \
    "that."
#define STATUS_INPUT INPUT("")
#define STATUS_OUTPUT                                                                                                          \
    OBJECT("\"status\":{\"enum\":[\"ready\",\"unconfigured\",\"awaiting_db\"]},"                                               \
           "\"mode\":{\"enum\":[\"local\",\"team\"]},\"storage\":" S_TEXT ",\"workspace\":" S_TEXT ",\"workspace_why\":" S_OPT \
           ",\"next_prompt\":" S_TEXT ",\"version\":" S_OPT ",\"location\":" S_OPT ",\"facts\":" S_INT                         \
           ",\"current_facts\":" S_INT ",\"conflicts_open\":" S_INT ",\"conflicts_total\":" S_INT ",\"agents\":" S_INT         \
           ",\"jobs_queued\":" S_INT ",\"jobs_dead\":" S_INT ",\"models\":{\"type\":\"object\"}",                              \
           "\"status\",\"mode\",\"storage\",\"workspace\"")

#define COMMIT_DESCRIPTION                                                                                \
    "Save one verified finding for every agent of the team: a constraint, side effect, failed approach, " \
    "decision, "                                                                                          \
    "setting. Write a full sentence with names, values, units, versions. No secrets, no guesses "         \
    "(confidence below "                                                                                  \
    "0.5 if unsure). Read conflicts in the answer before you go on. At most 5 a task."
#define COMMIT_INPUT                                                                                                     \
    INPUT_REQUIRED(                                                                                                      \
        "\"content\":{\"type\":\"string\",\"minLength\":1," I_BYTES_8192 "\"}," I_SCOPE                                  \
        ",\"confidence\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1,\"default\":0.8}," I_AGENT                     \
        ",\"engineer\":{\"type\":\"string\"," I_BYTES_200 "\"},"                                                         \
        "\"provenance\":{\"type\":\"string\"," I_BYTES_1000 ": file:line, test or "                                      \
        "command that shows it\"}," I_FACT_TYPE ",\"default\":\"observation\"},"                                         \
        "\"ttl_days\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":36500},"                                           \
        "\"operation\":{\"type\":\"string\",\"enum\":[\"add\",\"update\",\"delete\"],\"default\":"                       \
        "\"add\",\"description\":\"update: replaces the fact of corrects_lineage, or the closest of the scope; delete: " \
        "retires corrects_lineage\"},"                                                                                   \
        "\"corrects_lineage\":{\"type\":\"string\",\"maxLength\":64,\"description\":\"lineage_id that this "             \
        "replaces\"},"                                                                                                   \
        "\"durability\":{\"type\":\"string\",\"enum\":[\"durable\",\"ephemeral\"],\"default\":\"durable\"},"             \
        "\"artifact_hash\":{\"type\":\"string\"," I_BYTES_1000 "\"},"                                                    \
        "\"wait_ms\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":60000,\"description\":\"wait for the "              \
        "verdict\"}",                                                                                                    \
        "\"content\"")
#define COMMIT_OUTPUT                                                                                            \
    OBJECT_WITH(DEF_FACT "," DEF_CONFLICT,                                                                       \
                "\"notice\":" S_TEXT ",\"fact_id\":" S_OPT ",\"lineage_id\":" S_OPT ",\"committed_at\":" S_OPT   \
                ",\"duplicate\":" S_BOOL ",\"operation\":{\"enum\":[\"add\",\"update\",\"delete\",\"none\"]},"   \
                "\"supersedes_fact_id\":" S_OPT ",\"conflicts\":" S_CONFLICTS                                    \
                ",\"detection\":{\"enum\":[\"done\",\"queued\"]},\"undo_id\":{\"type\":[\"integer\",\"null\"]}," \
                "\"next_step\":" S_TEXT,                                                                         \
                "\"notice\",\"fact_id\",\"lineage_id\",\"committed_at\",\"duplicate\",\"operation\","            \
                "\"supersedes_fact_id\",\"conflicts\",\"detection\",\"undo_id\"")

#define QUERY_DESCRIPTION                                                                                   \
    "What the team's agents know about a topic. Call it BEFORE you start on an area; ask specifically, at " \
    "most 3 "                                                                                               \
    "times a task. has_open_conflict: disputed, do not rely on it. verified=false: no evidence was given."
#define QUERY_INPUT                                                                                                              \
    INPUT_REQUIRED("\"topic\":{\"type\":\"string\",\"minLength\":1}," I_SCOPE_FILTER                                             \
                   ",\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":50,\"default\":10},"                              \
                   "\"as_of\":{\"type\":\"string\",\"description\":\"RFC 3339: what was known then\"}," I_FACT_TYPE "}," I_AGENT \
                   ",\"include_ephemeral\":{\"type\":\"boolean\"},"                                                              \
                   "\"include_history\":{\"type\":\"boolean\"}",                                                                 \
                   "\"topic\"")
#define QUERY_OUTPUT                                                                                                          \
    OBJECT("\"notice\":" S_TEXT ",\"results\":{\"type\":\"array\",\"items\":" OBJECT(                                         \
               FACT_PROPERTIES ",\"relevance\":" S_NUM ",\"why\":" S_OPT                                                      \
                               ",\"open_conflicts\":{\"type\":\"array\",\"items\":" S_TEXT "}",                               \
               FACT_REQUIRED ",\"relevance\",\"why\",\"open_conflicts\"") "},\"text_only\":" S_BOOL ",\"topic_cut\":" S_BOOL, \
           "\"notice\",\"results\",\"text_only\",\"topic_cut\"")

#define CONFLICTS_DESCRIPTION                                                                                                       \
    "Where agents disagree: pairs of facts that cannot both hold, worst first; or one, by conflict_id, with "                       \
    "the history of both. status expired: the time of a fact ran out. Look before you decide on architecture; settle what you can " \
    "prove with engram_resolve."
#define CONFLICTS_INPUT                                                                                                         \
    INPUT(I_SCOPE_FILTER ",\"status\":{\"type\":\"string\",\"enum\":[\"open\",\"resolved\",\"dismissed\",\"expired\",\"all\"]," \
                         "\"default\":\"open\"},\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,\"default\":"     \
                         "10}," I_CONFLICT_ID)
#define CONFLICTS_OUTPUT                                                                                        \
    OBJECT_WITH(DEF_FACT "," DEF_CONFLICT,                                                                      \
                "\"notice\":" S_TEXT ",\"conflicts\":" S_CONFLICTS ",\"more\":" S_BOOL ",\"history\":" S_FACTS, \
                "\"notice\",\"conflicts\",\"more\"")

#define RESOLVE_DESCRIPTION                                                                               \
    "Settle a conflict, only with evidence. winner: one fact holds (winning_fact_id), the other closes. " \
    "merge: both "                                                                                        \
    "partly hold; merged_content replaces them. both_valid: different contexts. dismissed: no "           \
    "contradiction."
#define RESOLVE_INPUT                                                                                                      \
    INPUT_REQUIRED(I_CONFLICT_ID ",\"resolution_type\":{\"type\":\"string\",\"enum\":[\"winner\",\"merge\",\"dismissed\"," \
                                 "\"both_valid\"]},\"resolution\":{\"type\":\"string\",\"minLength\":1," I_BYTES_8192      \
                                 ": why this is right\"},"                                                                 \
                                 "\"winning_fact_id\":{\"type\":\"string\",\"maxLength\":64},"                             \
                                 "\"merged_content\":{\"type\":\"string\"," I_BYTES_8192 "\"}," I_AGENT,                   \
                   "\"conflict_id\",\"resolution_type\",\"resolution\"")
#define RESOLVE_OUTPUT                                                                                                          \
    OBJECT_WITH(DEF_FACT,                                                                                                       \
                "\"notice\":" S_TEXT ",\"resolved\":" S_BOOL ",\"conflict_id\":" S_TEXT                                         \
                ",\"resolution_type\":{\"enum\":[\"winner\",\"merge\",\"dismissed\",\"both_valid\"]},"                          \
                "\"status\":{\"enum\":[\"open\",\"resolved\",\"dismissed\"]},\"closed\":" S_FACTS ",\"merged\":" S_FACT_OR_NULL \
                ",\"other_conflicts_closed\":" S_INT ",\"undo_id\":{\"type\":[\"integer\",\"null\"]}",                          \
                "\"notice\",\"resolved\",\"conflict_id\",\"resolution_type\",\"status\",\"closed\",\"merged\","                 \
                "\"other_conflicts_closed\",\"undo_id\"")

#define CHECK_DESCRIPTION                                                                                \
    "Would these statements contradict each other or what is stored? Writes nothing. Use it before you " \
    "write a plan, "                                                                                     \
    "a document or a commit."
#define CHECK_INPUT                                                                                             \
    INPUT("\"content\":{\"type\":\"string\",\"minLength\":1," I_BYTES_8192 "\"},\"statements\":{\"type\":"      \
          "\"array\","                                                                                          \
          "\"minItems\":1,\"maxItems\":200,\"items\":{\"type\":\"string\",\"minLength\":1," I_BYTES_8192 "\"}," \
          "\"description\":\"several, instead of content\"}," I_SCOPE)
#define CHECK_OUTPUT                                                                                                         \
    OBJECT_WITH(DEF_FACT,                                                                                                    \
                "\"notice\":" S_TEXT ",\"would_conflict\":{\"type\":\"array\",\"items\":" OBJECT(                            \
                    "\"statement\":" S_INT ",\"content\":" S_TEXT                                                            \
                    ",\"other_statement\":{\"type\":[\"integer\",\"null\"]},\"fact\":" S_FACT_OR_NULL                        \
                    ",\"detection_tier\":" S_TEXT ",\"severity\":" S_SEVERITY ",\"score\":" S_NUM ",\"explanation\":" S_OPT, \
                    "\"statement\",\"content\",\"other_statement\",\"fact\",\"detection_tier\","                             \
                    "\"severity\",\"score\",\"explanation\"") "},\"statements\":" S_INT ",\"pairs\":" S_INT                  \
                                                              ",\"without_nli\":" S_BOOL,                                    \
                "\"notice\",\"would_conflict\",\"statements\",\"pairs\",\"without_nli\"")

#define FEEDBACK_DESCRIPTION "Say whether a reported conflict was real; this moves the detection thresholds."
#define FEEDBACK_INPUT                                                                                                  \
    INPUT_REQUIRED(I_CONFLICT_ID ",\"feedback\":{\"type\":\"string\",\"enum\":[\"false_positive\",\"true_positive\"]}", \
                   "\"conflict_id\",\"feedback\"")
#define FEEDBACK_OUTPUT                                                                                                         \
    OBJECT("\"recorded\":" S_BOOL ",\"conflict_id\":" S_TEXT ",\"feedback\":{\"enum\":[\"false_positive\",\"true_positive\"]}", \
           "\"recorded\",\"conflict_id\",\"feedback\"")

#define UNDO_DESCRIPTION "Take back one commit or resolution by the undo_id it returned."
#define UNDO_INPUT INPUT_REQUIRED("\"undo_id\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9007199254740991}", "\"undo_id\"")
#define UNDO_OUTPUT                                                                                        \
    OBJECT_WITH(DEF_FACT,                                                                                  \
                "\"notice\":" S_TEXT ",\"undone\":" S_TEXT ",\"restored\":" S_FACTS ",\"closed\":" S_FACTS \
                ",\"undo_id\":" S_INT,                                                                     \
                "\"notice\",\"undone\",\"restored\",\"closed\",\"undo_id\"")

#define PROMOTE_DESCRIPTION "Make an ephemeral fact durable, once it has proved right."
#define PROMOTE_INPUT                                                                   \
    INPUT_REQUIRED("\"fact_id\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":64," \
                   "\"description\":\"id or its last 8 digits\"}",                      \
                   "\"fact_id\"")
#define PROMOTE_OUTPUT OBJECT_WITH(DEF_FACT, "\"notice\":" S_TEXT ",\"fact\":" S_FACT, "\"notice\",\"fact\"")

#define LINEAGE_DESCRIPTION "Every version of one fact, oldest first, with who replaced it and why."
#define LINEAGE_INPUT                                                                      \
    INPUT_REQUIRED("\"lineage_id\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":64," \
                   "\"description\":\"id or its last 8 digits\"}",                         \
                   "\"lineage_id\"")
#define LINEAGE_OUTPUT OBJECT_WITH(DEF_FACT, "\"notice\":" S_TEXT ",\"versions\":" S_FACTS, "\"notice\",\"versions\"")

#endif
