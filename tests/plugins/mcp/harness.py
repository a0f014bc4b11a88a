"""harness.py - what the checks share: the list of them, the server under test, calls that are
judged."""
import json
import types

import jsonschema

from peer import LEGACY, STATELESS, Peer, check

CORE = ["engram_status", "engram_query", "engram_commit", "engram_conflicts", "engram_resolve",
        "engram_check", "engram_undo"]
TEAM = ["engram_feedback", "engram_promote", "engram_lineage", "engram_facts",
        "engram_expiring", "engram_timeline", "engram_mark",
        "engram_commit_batch"]
READS = {"engram_status", "engram_query", "engram_conflicts", "engram_check", "engram_lineage",
         "engram_facts", "engram_expiring", "engram_timeline"}
FACT = {"fact_id", "lineage_id", "content", "scope", "confidence", "fact_type", "agent_id",
        "engineer", "committed_at",
        "valid_from", "valid_until", "durability", "provenance", "verified", "artifact_hash",
        "supersedes_fact_id",
        "has_open_conflict"}

# what the command line said; set before the first check
run = types.SimpleNamespace(judge=None, options=None)
checks = []


def checked(function):
    checks.append((function, False))
    return function


def made_up(function):
    """Needs the made-up memory."""
    checks.append((function, True))
    return function


def open_peer(profile=None):
    extra = run.options.profile_option.format(profile).split() if profile else []
    return Peer(run.options.command + extra)


def with_peer(rev, profile=None):
    peer = open_peer(profile)
    if rev == STATELESS:
        peer.stateless()
    else:
        result = run.judge.response(rev, peer.initialize(rev), "InitializeResult")
        check(result["protocolVersion"] == rev, "another revision than asked for", result)
        run.judge.strict(rev, "Implementation", result["serverInfo"])
        check(set(result["capabilities"]) == {"logging", "tools", "resources", "prompts"},
              "capabilities", result)
        check(0 < len(result["instructions"]) < 600, "instructions", result)
    return peer


def tools_of(rev, peer):
    result = run.judge.response(rev, peer.ask("tools/list"), "ListToolsResult")
    for tool in result["tools"]:
        run.judge.strict(rev, "Tool", tool)
        if "annotations" in tool:
            run.judge.strict(rev, "ToolAnnotations", tool["annotations"])
        for schema in ("inputSchema", "outputSchema"):
            if schema in tool:
                jsonschema.Draft202012Validator.check_schema(tool[schema])
    if rev == STATELESS:
        check(result["ttlMs"] >= 0 and result["cacheScope"] == "private", "cache members", result)
    return {tool["name"]: tool for tool in result["tools"]}


def good_call(rev, peer, tools, name, arguments, brief=False):
    """Calls a tool; its structured result, judged. brief: as an agent gets it, else with all
    members."""
    verbose = name.startswith("engram_") and not brief and arguments is not None
    if verbose:
        arguments = {**arguments, "verbose": True}
    result = run.judge.response(rev, peer.call(name, arguments), "CallToolResult")
    check(not result.get("isError"), f"{name} failed", result)
    blocks = result["content"]
    check(len(blocks) == 1 and blocks[0]["type"] == "text", "one text block", result)
    value = json.loads(blocks[0]["text"])
    if rev >= "2025-06-18":
        check(result["structuredContent"] == value, "text block and structured content differ",
              result)
        jsonschema.Draft202012Validator(tools[name]["outputSchema"]).validate(value)
    else:
        check("structuredContent" not in result, "structured content in an old revision", result)
    if verbose and name not in ("engram_status", "engram_feedback"):
        check(next(iter(value)) == "notice", "notice comes first", value)
    return value


def bad_call(rev, peer, name, arguments, word):
    """Calls a tool with bad arguments: an error for the model to read, in every revision."""
    result = run.judge.response(rev, peer.call(name, arguments), "CallToolResult")
    check(result.get("isError") is True, "isError was expected", result)
    check(word in result["content"][0]["text"], f"the sentence must name {word}", result)
    check("structuredContent" not in result, "a failed call has no structured content", result)


def every_revision(function):
    def run_all():
        for rev in LEGACY + [STATELESS]:
            function(rev)
    run_all.__name__ = function.__name__
    run_all.__doc__ = function.__doc__
    return run_all
