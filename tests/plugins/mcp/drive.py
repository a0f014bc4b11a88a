#!/usr/bin/env python3
"""drive.py - drives an MCP stdio server through every message of five protocol revisions and judges each answer
by the published schemas.

    drive.py [--real] [--profile-option 'profile={}'] --schemas DIR COMMAND [ARGUMENT ...]

--real: the command is a real server with a real store; checks that need the made-up memory of mcp_test_host
(its "sleep:" texts and its odd tool) are skipped, each with a line that says so.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import time

from peer import LEGACY, META, STATELESS, Failure, Judge, Peer, check
import jsonschema

CORE = ["engram_status", "engram_query", "engram_commit", "engram_conflicts", "engram_resolve", "engram_check"]
TEAM = ["engram_feedback", "engram_undo", "engram_promote", "engram_lineage"]
READS = {"engram_status", "engram_query", "engram_conflicts", "engram_check", "engram_lineage"}
FACT = {"fact_id", "lineage_id", "content", "scope", "confidence", "fact_type", "agent_id", "engineer", "committed_at",
        "valid_from", "valid_until", "durability", "provenance", "verified", "artifact_hash", "supersedes_fact_id",
        "has_open_conflict"}

judge = None
options = None
checks = []


def checked(function):
    checks.append((function, False))
    return function


def made_up(function):
    """Needs the made-up memory."""
    checks.append((function, True))
    return function


def open_peer(profile=None):
    extra = options.profile_option.format(profile).split() if profile else []
    return Peer(options.command + extra)


def with_peer(rev, profile=None):
    peer = open_peer(profile)
    if rev == STATELESS:
        peer.stateless()
    else:
        result = judge.response(rev, peer.initialize(rev), "InitializeResult")
        check(result["protocolVersion"] == rev, "another revision than asked for", result)
        judge.strict(rev, "Implementation", result["serverInfo"])
        check("tools" in result["capabilities"] and "resources" not in result["capabilities"]
              and "prompts" not in result["capabilities"], "capabilities", result)
        check(0 < len(result["instructions"]) < 600, "instructions", result)
    return peer


def tools_of(rev, peer):
    result = judge.response(rev, peer.ask("tools/list"), "ListToolsResult")
    for tool in result["tools"]:
        judge.strict(rev, "Tool", tool)
        if "annotations" in tool:
            judge.strict(rev, "ToolAnnotations", tool["annotations"])
        for schema in ("inputSchema", "outputSchema"):
            if schema in tool:
                jsonschema.Draft202012Validator.check_schema(tool[schema])
    if rev == STATELESS:
        check(result["ttlMs"] >= 0 and result["cacheScope"] == "private", "cache members", result)
    return {tool["name"]: tool for tool in result["tools"]}


def good_call(rev, peer, tools, name, arguments):
    """Calls a tool; its structured result, judged."""
    result = judge.response(rev, peer.call(name, arguments), "CallToolResult")
    check(not result.get("isError"), f"{name} failed", result)
    blocks = result["content"]
    check(len(blocks) == 1 and blocks[0]["type"] == "text", "one text block", result)
    value = json.loads(blocks[0]["text"])
    if rev >= "2025-06-18":
        check(result["structuredContent"] == value, "text block and structured content differ", result)
        jsonschema.Draft202012Validator(tools[name]["outputSchema"]).validate(value)
    else:
        check("structuredContent" not in result, "structured content in an old revision", result)
    if name not in ("engram_status", "engram_feedback", "test_odd"):
        check(next(iter(value)) == "notice", "notice comes first", value)
    return value


def bad_call(rev, peer, name, arguments, word):
    """Calls a tool with bad arguments: an error for the model to read, in every revision."""
    result = judge.response(rev, peer.call(name, arguments), "CallToolResult")
    check(result.get("isError") is True, "isError was expected", result)
    check(word in result["content"][0]["text"], f"the sentence must name {word}", result)
    check("structuredContent" not in result, "a failed call has no structured content", result)


# --- every revision ---

def every_revision(function):
    def run_all():
        for rev in LEGACY + [STATELESS]:
            function(rev)
    run_all.__name__ = function.__name__
    run_all.__doc__ = function.__doc__
    return run_all


@checked
@every_revision
def lists_tools(rev):
    """tools/list shows the tools of the profile, in the members that the revision knows"""
    for profile, wanted in ((None, CORE), ("core", CORE), ("team", CORE + TEAM)):
        peer = with_peer(rev, profile)
        tools = tools_of(rev, peer)
        check(set(wanted) <= set(tools), "tools are missing", sorted(tools))
        check(profile == "team" or not set(TEAM) & set(tools), "too many tools", sorted(tools))
        for name in wanted:
            check(("annotations" in tools[name]) == (rev >= "2025-03-26"), "annotations", tools[name])
            check(("outputSchema" in tools[name]) == (rev >= "2025-06-18"), "outputSchema", tools[name])
            check(("title" in tools[name]) == (rev >= "2025-06-18"), "title", tools[name])
            check(len(tools[name]["description"]) < 400, "few words", tools[name])
            if "annotations" in tools[name]:
                check(tools[name]["annotations"]["readOnlyHint"] == (name in READS), "readOnlyHint", tools[name])
        judge.error(rev, peer.ask("tools/list", {"cursor": "x"}), -32602)
        peer.finish()


@checked
@every_revision
def calls_core_tools(rev):
    """each core tool, on facts that contradict each other"""
    peer = with_peer(rev)
    tools = tools_of(rev, peer)
    status = good_call(rev, peer, tools, "engram_status", None)
    check(status["status"] == "ready" and status["workspace"], "status", status)
    scope = f"drive/{rev}/{os.getpid()}"
    first = good_call(rev, peer, tools, "engram_commit", {
        "content": "The retry limit of the billing service is 3.", "scope": scope, "agent_id": "a",
        "provenance": "billing.c:1", "wait_ms": 10000})
    second = good_call(rev, peer, tools, "engram_commit", {
        "content": "The retry limit of the billing service is 5.", "scope": scope, "agent_id": "b",
        "fact_type": "decision", "confidence": 0.9, "wait_ms": 10000})
    check(first["operation"] == "add" and not first["duplicate"] and first["undo_id"] > 0, "receipt", first)
    check(len(second["conflicts"]) == 1 and second["detection"] == "done", "a conflict was expected", second)
    conflict = second["conflicts"][0]
    check(FACT <= set(conflict["fact_a"]) and FACT <= set(conflict["fact_b"]), "members of a fact", conflict)
    hits = good_call(rev, peer, tools, "engram_query", {"topic": "retry limit of billing", "scope": scope})["results"]
    ours = {hit["fact_id"]: hit for hit in hits}
    for receipt in (first, second):
        hit = ours[receipt["fact_id"]]
        check(FACT | {"relevance", "why", "open_conflicts"} <= set(hit), "members of a hit", hit)
        check(hit["has_open_conflict"] and conflict["conflict_id"] in hit["open_conflicts"], "open conflict", hit)
        check(hit["committed_at"].endswith("Z") and len(hit["fact_id"]) == 36, "time and id", hit)
    check(ours[first["fact_id"]]["verified"] and not ours[second["fact_id"]]["verified"], "verified", hits)
    found = good_call(rev, peer, tools, "engram_conflicts", {"scope": scope, "limit": 100})["conflicts"]
    check(conflict["conflict_id"] in [c["conflict_id"] for c in found], "conflicts", found)
    done = good_call(rev, peer, tools, "engram_resolve", {
        "conflict_id": conflict["conflict_id"], "resolution_type": "winner", "resolution": "the code says 5",
        "winning_fact_id": second["fact_id"]})
    check(done["resolved"] and done["closed"][0]["fact_id"] == first["fact_id"], "resolved", done)
    found = good_call(rev, peer, tools, "engram_conflicts", {"scope": scope, "limit": 100})["conflicts"]
    check(conflict["conflict_id"] not in [c["conflict_id"] for c in found], "still open", found)
    would = good_call(rev, peer, tools, "engram_check", {
        "content": "The retry limit of the billing service is 9.", "scope": scope})
    check(would["would_conflict"] and would["would_conflict"][0]["fact"], "a dry run finds it", would)
    would = good_call(rev, peer, tools, "engram_check", {"scope": scope, "statements": [
        "Port of cache is 1.", "The retry limit of search is 1.", "The retry limit of search is 2."]})
    check(any(w["statement"] == 2 and w["other_statement"] == 1 for w in would["would_conflict"]), "each other", would)
    peer.finish()


@checked
@every_revision
def refuses_bad_arguments(rev):
    """bad arguments are isError results that name the argument; an unknown tool is -32602"""
    peer = with_peer(rev)
    bad_call(rev, peer, "engram_query", {"topicx": "a"}, "topicx")
    bad_call(rev, peer, "engram_query", {}, "topic")
    bad_call(rev, peer, "engram_query", {"topic": 5}, "topic")
    bad_call(rev, peer, "engram_query", {"topic": "a", "limit": 51}, "limit")
    bad_call(rev, peer, "engram_query", {"topic": "a", "limit": 1.5}, "limit")
    bad_call(rev, peer, "engram_query", {"topic": "a", "as_of": "yesterday"}, "as_of")
    bad_call(rev, peer, "engram_query", {"topic": "a\x00b"}, "U+0000")
    bad_call(rev, peer, "engram_commit", {"content": "a" * 8193}, "content")
    bad_call(rev, peer, "engram_commit", {"content": "a", "fact_type": "guess"}, "fact_type")
    bad_call(rev, peer, "engram_commit", {"content": ""}, "content")
    bad_call(rev, peer, "engram_resolve", {"conflict_id": "x", "resolution_type": "winner", "resolution": "r"},
             "winning_fact_id")
    bad_call(rev, peer, "engram_status", [1], "arguments")
    judge.error(rev, peer.call("engram_nothing", {}), -32602)
    judge.error(rev, peer.call("engram_undo", {"undo_id": 1}), -32602)  # of another profile
    judge.error(rev, peer.ask("tools/call", {"arguments": {}}), -32602)
    judge.error(rev, peer.ask("tools/call", {"name": 5}), -32602)
    peer.finish()


@checked
@every_revision
def answers_what_is_not_offered(rev):
    """methods that are not offered are -32601"""
    peer = with_peer(rev)
    for method in ("resources/list", "resources/read", "resources/subscribe", "prompts/list", "prompts/get",
                   "completion/complete", "nonsense", "tools/LIST", ""):
        judge.error(rev, peer.ask(method, {}), -32601)
    for method in ("ping", "logging/setLevel"):
        if rev == STATELESS:
            judge.error(rev, peer.ask(method, {"level": "info"}), -32601)
        else:
            judge.response(rev, peer.ask(method, {"level": "info"}), "EmptyResult")
    for method in ("server/discover", "subscriptions/listen"):
        if rev != STATELESS:
            judge.error(rev, peer.ask(method, {"notifications": {}}), -32601)
    if rev != STATELESS:
        judge.error(rev, peer.ask("logging/setLevel", {"level": "loud"}), -32602)
        judge.error(rev, peer.ask("logging/setLevel"), -32602)
    rest, status = peer.finish()
    check(rest == [] and status == 0, "end", rest, status)


@checked
@every_revision
def keeps_ids(rev):
    """ids come back as they were sent: strings, negative and huge integers; others are refused"""
    peer = with_peer(rev)
    for id in (0, -7, "x", "", "ü\"\\ \u2028", 2**53 + 1, 2**63 - 1, 10**40):
        answer = peer.wait_for(peer.start("tools/call", {"name": "engram_status"}, id))
        judge.validate(rev, "JSONRPCResponse", answer)
        check(answer["id"] == id and type(answer["id"]) is type(id), "another id", answer)
    for id in (1.5, True, [1], {"a": 1}):
        peer.send({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"_meta": peer.meta} if peer.meta else {}})
        answer = peer.receive()
        judge.error(rev, answer, -32600)
        check(answer.get("id") is None, "an id that is none", answer)
    peer.finish()


@checked
@every_revision
def survives_garbage(rev):
    """lines that are no message get an error each, and the connection goes on"""
    peer = with_peer(rev)
    if rev == STATELESS:
        tools_of(rev, peer)
    parse_errors = [b"{", b"nonsense", b"\xff\xfe", b'{"jsonrpc":"2.0","id":1,"method":"ping\xc3"}', b"[" * 100000,
                    b'{"a":' * 65 + b"1" + b"}" * 65, b'{"jsonrpc":"2.0" "id":1}', b'{"a":01}', b'{"a":"\x01"}',
                    b'\x00', b'{"a":"\\x"}', b'{"a":"\\ud800"}', b'{} {}', b"'a'", b"1" * 64]
    for line in parse_errors:
        peer.raw(line + b"\n")
        judge.error(rev, peer.receive(), -32700)
    requests = [b"5", b'"text"', b"null", b"{}", b'{"jsonrpc":"1.0","method":"ping","id":1}', b'{"jsonrpc":"2.0","id":1}',
                b'{"jsonrpc":"2.0","id":1,"method":5}', b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
                b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
                b'{"jsonrpc":"2.0","id":1,"method":"tools/call\\u0000"}']
    for line in requests:
        peer.raw(line + b"\n")
        judge.error(rev, peer.receive(), -32600)
    peer.send({"jsonrpc": "2.0", "id": 77, "method": "tools/list", "params": [1]})
    judge.error(rev, peer.receive(), -32602)
    for quiet in (b"\n", b"\r\n", b"   \n", b'{"jsonrpc":"2.0","method":"notifications/unheard"}\n',
                  b'{"jsonrpc":"2.0","method":"notifications/cancelled"}\n',
                  b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}\n',
                  b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
                  b'{"jsonrpc":"2.0","id":5,"result":{}}\n', b'{"jsonrpc":"2.0","method":"tools/list"}\n'):
        peer.raw(quiet)
    check(set(CORE) <= set(tools_of(rev, peer)), "it goes on")
    rest, status = peer.finish()
    check(rest == [] and status == 0, "nothing more", rest, status)


@checked
@every_revision
def survives_long_lines(rev):
    """a line of more than 4 MiB is skipped with an error; one just below is served"""
    peer = with_peer(rev)
    if rev == STATELESS:
        tools_of(rev, peer)
    peer.raw(b"x" * (9 << 20) + b"\n")
    judge.error(rev, peer.receive(), -32600)
    answer = peer.call("engram_query", {"topic": "t" * ((4 << 20) - 1000)})
    judge.response(rev, answer, "CallToolResult")
    check(json.loads(answer["result"]["content"][0]["text"])["topic_cut"] is True, "a long topic is cut", answer)
    peer.raw(b'{"jsonrpc":"2.0",' + b" " * (4 << 20) + b'"id":1,"method":"ping"}\r\n')
    judge.error(rev, peer.receive(), -32600)
    check(set(CORE) <= set(tools_of(rev, peer)), "it goes on")
    peer.finish()


# --- eras ---

@checked
def negotiates():
    """initialize answers known revisions with themselves, others with the newest of its era"""
    for wanted, given in [(r, r) for r in LEGACY] + [("2026-07-28", "2025-11-25"), ("1.0", "2025-11-25"),
                                                     ("2099-01-01", "2025-11-25"), ("", "2025-11-25")]:
        peer = open_peer()
        result = judge.response(given, peer.initialize(wanted), "InitializeResult")
        check(result["protocolVersion"] == given, f"{wanted}", result)
        judge.error(given, peer.initialize(given), -32600)
        peer.finish()
    peer = open_peer()
    judge.error("2025-11-25", peer.ask("initialize", {"capabilities": {}}), -32602)
    judge.error("2025-11-25", peer.ask("initialize"), -32602)
    judge.response("2025-11-25", peer.initialize("2025-11-25"), "InitializeResult")
    peer.finish()


@checked
def wants_an_era():
    """without initialize and without _meta: -32600 naming both ways; ping is free"""
    peer = open_peer()
    for method in ("tools/list", "tools/call", "server/discover", "nonsense"):
        error = judge.error("2025-11-25", peer.ask(method, {}), -32600)
        check("initialize" in error["message"] and "_meta" in error["message"], "both ways", error)
    judge.response("2025-11-25", peer.ask("ping"), "EmptyResult")
    peer.finish()


@checked
def serves_both_eras():
    """requests with _meta are stateless even after initialize, others keep their era"""
    peer = with_peer("2025-03-26")
    check("outputSchema" not in tools_of("2025-03-26", peer)["engram_query"], "old")
    peer.stateless()
    check("outputSchema" in tools_of(STATELESS, peer)["engram_query"], "new")
    judge.error(STATELESS, peer.ask("ping"), -32601)
    judge.error(STATELESS, peer.ask("initialize", {"protocolVersion": "2025-11-25"}), -32601)
    peer.meta = None
    check("outputSchema" not in tools_of("2025-03-26", peer)["engram_query"], "old again")
    judge.response("2025-03-26", peer.ask("ping"), "EmptyResult")
    peer.finish()


@checked
def discovers():
    """server/discover says what is served; -32022 for other versions; _meta is checked"""
    peer = open_peer()
    peer.stateless()
    result = judge.response(STATELESS, peer.ask("server/discover"), "DiscoverResult")
    check(result["supportedVersions"] == [STATELESS] + LEGACY[::-1], "supportedVersions", result)
    check("tools" in result["capabilities"] and "logging" not in result["capabilities"], "capabilities", result)
    good = peer.meta
    for version in ("2025-11-25", "2099-01-01", ""):
        peer.meta = dict(good, **{META + "protocolVersion": version})
        answer = peer.ask("tools/list")
        judge.validate(STATELESS, "UnsupportedProtocolVersionError", answer)
        check(answer["error"]["data"]["requested"] == version, "requested", answer)
        check(answer["error"]["data"]["supported"][0] == STATELESS, "supported", answer)
    peer.meta = dict(good, **{META + "protocolVersion": 5})
    judge.error(STATELESS, peer.ask("tools/list"), -32602)
    peer.meta = {k: v for k, v in good.items() if not k.endswith("clientCapabilities")}
    judge.error(STATELESS, peer.ask("tools/list"), -32602)
    peer.meta = {k: v for k, v in good.items() if not k.endswith("clientInfo")}
    tools_of(STATELESS, peer)
    peer.meta = dict(good, progressToken="p", **{META + "logLevel": "debug"})
    tools_of(STATELESS, peer)
    peer.finish()


@checked
def subscribes():
    """subscriptions/listen is acknowledged, stays open, ends by cancellation (silent) or with the input (a result)"""
    peer = open_peer()
    peer.stateless()
    wanted = {"notifications": {"toolsListChanged": True, "promptsListChanged": True, "resourceSubscriptions": ["a:b"]}}
    for id in ("s1", 200):
        peer.start("subscriptions/listen", wanted, id)
        note = peer.receive()
        judge.validate(STATELESS, "SubscriptionsAcknowledgedNotification", note)
        check(note["params"]["_meta"][META + "subscriptionId"] == id, "subscriptionId", note)
        check(note["params"]["notifications"] == {}, "nothing that is not sent is promised", note)
    judge.error(STATELESS, peer.wait_for(peer.start("tools/list", None, "s1")), -32600)  # the id is in use
    judge.error(STATELESS, peer.ask("subscriptions/listen", {}), -32602)
    peer.notify("notifications/cancelled", {"requestId": "s1"})
    tools_of(STATELESS, peer)
    for id in range(100, 115):
        peer.start("subscriptions/listen", wanted, id)
        judge.validate(STATELESS, "SubscriptionsAcknowledgedNotification", peer.receive())
    judge.error(STATELESS, peer.ask("subscriptions/listen", wanted), -32603)  # the seventeenth
    rest, status = peer.finish()
    check(sorted(m["id"] for m in rest) == list(range(100, 115)) + [200] and status == 0, "ends", rest, status)
    for message in rest:
        judge.validate(STATELESS, "SubscriptionsListenResultResponse", message)
        check(message["result"]["_meta"][META + "subscriptionId"] == message["id"], "subscriptionId", message)


@checked
def serves_batches():
    """arrays of messages: only under 2025-03-26"""
    ping = [{"jsonrpc": "2.0", "id": "b", "method": "ping"}]
    for rev in [r for r in LEGACY if r != "2025-03-26"]:
        peer = with_peer(rev)
        peer.send(ping)
        judge.error(rev, peer.receive(), -32600)
        peer.finish()
    rev = "2025-03-26"
    peer = open_peer()
    peer.send(ping)
    judge.error(rev, peer.receive(), -32600)  # nothing is agreed yet
    judge.response(rev, peer.initialize(rev), "InitializeResult")
    peer.send([{"jsonrpc": "2.0", "id": 50, "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/initialized"},
               {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {"name": "engram_status"}},
               {"jsonrpc": "2.0", "id": 51, "method": "tools/list"}, {"jsonrpc": "2.0", "id": 52, "method": "no"},
               {"jsonrpc": "2.0", "id": 53, "method": "tools/call", "params": {"name": "engram_query"}}, 5])
    answer = peer.receive()
    check(isinstance(answer, list) and len(answer) == 6, "an array of six", answer)
    by_id = {m.get("id"): m for m in answer}
    check(set(by_id) == {50, "c", 51, 52, 53, None}, "ids", sorted(map(str, by_id)))
    judge.validate(rev, "JSONRPCBatchResponse", [m for m in answer if m.get("id") is not None])
    judge.response(rev, by_id[50], "EmptyResult")
    judge.response(rev, by_id["c"], "CallToolResult")
    judge.response(rev, by_id[51], "ListToolsResult")
    judge.error(rev, by_id[52], -32601)
    check(by_id[53]["result"]["isError"], "bad arguments in an array", by_id[53])
    judge.error(rev, by_id[None], -32600)
    peer.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])  # nothing but notifications: no answer
    for wrong in ([], ping * 65, [ping]):
        peer.send(wrong)
        answer = peer.receive()
        judge.error(rev, answer[0] if isinstance(answer, list) else answer, -32600)
    peer.send(ping * 2)
    check([m["id"] for m in peer.receive()] == ["b", "b"], "ping is answered at once, so its id is free again")
    peer.finish()


# --- order, cancellation, ends ---

def spans(answer):
    words = json.loads(answer["result"]["content"][0]["text"])["results"][0]["why"].split()
    return int(words[1]), int(words[3]), int(words[5])


def receipt_span(answer):
    undo = json.loads(answer["result"]["content"][0]["text"])["undo_id"]
    return undo // 1000, undo % 1000


@made_up
def orders_calls():
    """reads run side by side; a write waits for all before it, and all after it wait"""
    peer = with_peer("2025-11-25")
    peer.call("engram_commit", {"content": "one"})

    def query(ms):
        return peer.start("tools/call", {"name": "engram_query", "arguments": {"topic": f"sleep:{ms}"}})

    def commit(text):
        return peer.start("tools/call", {"name": "engram_commit", "arguments": {"content": text}})

    before = [query(200), query(200), query(100)]
    first, second = commit("x sleep:100"), commit("y sleep:50")
    after = [query(100), query(100)]
    reads_before = [spans(peer.wait_for(id)) for id in before]
    writes = [receipt_span(peer.wait_for(id)) for id in (first, second)]
    reads_after = [spans(peer.wait_for(id)) for id in after]
    check(all(beside == 2 for _, _, beside in reads_before), "side by side", reads_before)
    check(max(end for _, end, _ in reads_before) < writes[0][0], "the write waits", reads_before, writes)
    check(writes[0][1] < writes[1][0], "writes one at a time", writes)
    check(writes[1][1] < min(begin for begin, _, _ in reads_after), "later ones wait", writes, reads_after)
    check(all(beside == 1 for _, _, beside in reads_after), "side by side again", reads_after)
    peer.finish()


@made_up
def answers_at_once():
    """ping and lists are answered while calls run"""
    peer = with_peer("2025-11-25")
    slow = [peer.start("tools/call", {"name": "engram_query", "arguments": {"topic": "sleep:500"}}) for _ in range(12)]
    begin = time.monotonic()
    judge.response("2025-11-25", peer.ask("ping"), "EmptyResult")
    tools_of("2025-11-25", peer)
    check(time.monotonic() - begin < 0.3, "at once")
    judge.error("2025-11-25", peer.wait_for(peer.start("ping", None, slow[0])), -32600)  # an id in flight
    for id in slow:
        judge.response("2025-11-25", peer.wait_for(id), "CallToolResult")
    peer.finish()


@made_up
def cancels():
    """a cancelled request stops soon and gets no response, running or waiting, alone or in an array"""
    peer = with_peer("2025-03-26")
    running = peer.start("tools/call", {"name": "engram_query", "arguments": {"topic": "sleep:20000"}}, "run")
    waiting = peer.start("tools/call", {"name": "engram_commit", "arguments": {"content": "sleep:20000 w"}}, 4)
    later = peer.start("tools/call", {"name": "engram_status"}, 5)
    peer.nothing(0.2)
    peer.notify("notifications/cancelled", {"requestId": waiting, "reason": "test"})
    peer.notify("notifications/cancelled", {"requestId": "4"})  # another id: a string
    judge.response("2025-03-26", peer.receive(1), "CallToolResult")  # 5: nothing that writes is before it any more
    peer.notify("notifications/cancelled", {"requestId": running})
    check(receipt_span(peer.call("engram_commit", {"content": "after"}, 1))[0] > 0, "the write need not wait")
    peer.send([{"jsonrpc": "2.0", "id": 60, "method": "tools/call",
                "params": {"name": "engram_query", "arguments": {"topic": "sleep:20000"}}},
               {"jsonrpc": "2.0", "id": 61, "method": "tools/call", "params": {"name": "engram_status"}}])
    peer.nothing(0.2)
    peer.notify("notifications/cancelled", {"requestId": 60})
    answer = peer.receive(1)
    check([m["id"] for m in answer] == [61], "the array without the cancelled", answer)
    peer.notify("notifications/cancelled", {"requestId": later})  # answered long ago
    rest, status = peer.finish(3)
    check(rest == [] and status == 0, "nothing more", rest, status)


@checked
def survives_a_flood():
    """many more requests than may be in flight: each is answered once"""
    peer = with_peer("2025-11-25")
    count = 1000
    for i in range(count):
        method = ("ping", None) if i % 10 == 0 else ("tools/call", {"name": "engram_status"})
        peer.start(*method, id=f"f{i}")
    rest, status = peer.finish()
    check(status == 0, "exit status", status)
    check(sorted(m["id"] for m in rest) == sorted(f"f{i}" for i in range(count)), "each once", len(rest))
    check(all("result" in m for m in rest), "all succeeded")


@made_up
def bounds_what_is_in_flight():
    """no more than 64 calls in flight: then it stops reading, and nothing is lost"""
    peer = with_peer("2025-11-25")
    for i in range(80):
        peer.start("tools/call", {"name": "engram_query", "arguments": {"topic": "sleep:100"}}, id=i + 1000)
    ping = peer.start("ping")
    messages = []
    while not messages or messages[-1]["id"] != ping:
        messages.append(peer.receive())
    check(len(messages) >= 16, "the ping behind 80 calls waits for room", len(messages))
    rest, _ = peer.finish()
    check(len(messages) + len(rest) == 81, "each once", len(messages), len(rest))


@checked
def answers_a_piped_script():
    """at end of input every accepted request is answered, in effect order; then it exits soon"""
    peer = open_peer()
    scope = f"pipe/{os.getpid()}"
    script = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "drive", "version": "1"}}}]
    for i in range(5):
        script.append({"jsonrpc": "2.0", "id": 10 + i, "method": "tools/call", "params": {
            "name": "engram_commit", "arguments": {"content": f"Piped{i} is here.", "scope": scope}}})
    script.append({"jsonrpc": "2.0", "id": 20, "method": "tools/call", "params": {
        "name": "engram_query", "arguments": {"topic": "Piped0 Piped1 Piped2 Piped3 Piped4", "scope": scope, "limit": 50}}})
    peer.raw("\n".join(json.dumps(m) for m in script).encode())  # without a line break at the end
    rest, status = peer.finish()
    ended = peer.arrived
    check(status == 0 and time.monotonic() - ended < 2, "exits within two seconds", status)
    check(sorted(m["id"] for m in rest) == [1, 10, 11, 12, 13, 14, 20], "each once", [m["id"] for m in rest])
    seen = {hit["content"] for m in rest if m["id"] == 20
            for hit in json.loads(m["result"]["content"][0]["text"])["results"]}
    check({f"Piped{i} is here." for i in range(5)} <= seen, "a script sees its own writes", sorted(seen))


@made_up
def ends_with_its_input():
    """a slow call is still answered after the end of input; when nobody listens any more it is given up"""
    rev = "2025-11-25"
    peer = with_peer(rev)
    slow = peer.start("tools/call", {"name": "engram_query", "arguments": {"topic": "sleep:600"}})
    rest, status = peer.finish()
    check([m["id"] for m in rest] == [slow] and status == 0, "answered", rest, status)
    peer = with_peer("2025-11-25")
    peer.start("tools/call", {"name": "engram_query", "arguments": {"topic": "sleep:60000"}})
    peer.nothing(0.1)
    peer.process.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    check(peer.process.wait(timeout=5) == 0 and time.monotonic() - begin < 2, "told to stop")
    ours, theirs = os.pipe()
    deaf = subprocess.Popen(options.command, stdin=subprocess.PIPE, stdout=theirs)
    os.close(theirs)
    for id, method, params in ((1, "initialize", {"protocolVersion": rev}),
                               (2, "tools/call", {"name": "engram_query", "arguments": {"topic": "sleep:60000"}})):
        deaf.stdin.write(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n")
    deaf.stdin.flush()
    os.read(ours, 65536)
    os.close(ours)
    deaf.stdin.close()
    begin = time.monotonic()
    deaf.wait(timeout=5)
    check(time.monotonic() - begin < 2, "nobody listens")


@made_up
def keeps_stdout_clean():
    """what a library prints goes to standard error; a toolset that breaks its contract breaks no message"""
    rev = "2025-11-25"
    peer = with_peer(rev, "all")
    tools = tools_of(rev, peer)
    check("test_odd" in tools and set(TEAM) <= set(tools), "all tools", sorted(tools))
    exact = '{"n": 12345678901234567890, "t": "\\u00fc", "deep": [[[1.50]]]}'
    peer.raw(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_odd","arguments":'
             + exact.encode() + b'}}\n')
    answer = peer.receive()
    check(exact in answer["result"]["content"][0]["text"], "arguments reach a tool as they were written", answer)
    check(answer["result"]["structuredContent"] == {"arguments": json.loads(exact)}, "structured", answer)
    for word in ("broken", "array", "fail"):
        result = judge.response(rev, peer.call("test_odd", {"do": word}), "CallToolResult")
        check(result["isError"] and result["content"][0]["text"], word, result)
    peer.finish()


@made_up
def serves_team_tools():
    """the tools of the team profile"""
    rev = "2025-11-25"
    peer = with_peer(rev, "team")
    tools = tools_of(rev, peer)
    first = good_call(rev, peer, tools, "engram_commit", {"content": "Speed is 1", "durability": "ephemeral"})
    second = good_call(rev, peer, tools, "engram_commit", {"content": "Speed is 2"})
    conflict = second["conflicts"][0]["conflict_id"]
    for word in ("true_positive", "false_positive"):
        value = good_call(rev, peer, tools, "engram_feedback", {"conflict_id": conflict, "feedback": word})
        check(value["recorded"] and value["feedback"] == word, "feedback", value)
    value = good_call(rev, peer, tools, "engram_promote", {"fact_id": first["fact_id"]})
    check(value["fact"]["fact_id"] == first["fact_id"] and FACT <= set(value["fact"]), "promote", value)
    value = good_call(rev, peer, tools, "engram_lineage", {"lineage_id": first["lineage_id"][-8:]})
    check(value["versions"] and FACT <= set(value["versions"][0]), "lineage", value)
    value = good_call(rev, peer, tools, "engram_undo", {"undo_id": second["undo_id"]})
    check(value["undone"] == "commit" and value["undo_id"], "undo", value)
    peer.finish()


@checked
def starts_fast():
    """the first tools/list answers within 100 ms of process start (the best of five: the machine may be busy)"""
    best = 1e9
    for _ in range(5):
        peer = open_peer()
        peer.stateless()
        tools_of(STATELESS, peer)
        best = min(best, peer.arrived - peer.started)
        peer.finish()
    print(f"    first tools/list after {best * 1000:.1f} ms")
    check(best < 0.1, "too slow", best)


@checked
def refuses_unknown_options():
    """an unknown profile is an error, said on standard error"""
    peer = open_peer("nonsense")
    peer.close_input()
    check(peer.process.wait(timeout=10) != 0, "exit status")


def main():
    global judge, options
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--schemas", required=True)
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--profile-option", default="profile={}")
    parser.add_argument("--only")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    judge = Judge(options.schemas)
    failed = done = 0
    for function, needs_made_up in checks:
        if options.only and options.only not in function.__name__:
            continue
        if needs_made_up and options.real:
            print(f"skip {function.__name__}: needs the made-up memory of mcp_test_host")
            continue
        done += 1
        try:
            function()
            print(f"ok   {function.__name__}: {function.__doc__}")
        except (Failure, jsonschema.ValidationError, KeyError, OSError, ValueError, TypeError,
                subprocess.SubprocessError) as e:
            failed += 1
            print(f"FAIL {function.__name__}: {type(e).__name__}: {e}")
        sys.stdout.flush()
    print(f"{done - failed} of {done} checks passed")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
