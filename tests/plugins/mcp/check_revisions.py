"""check_revisions.py - what each revision must answer: tools, results, errors, ids, garbage, eras,
batches."""
import json
import os

import jsonschema

from harness import (CORE, FACT, READS, TEAM, bad_call, checked, every_revision, good_call,
                     open_peer, run, tools_of,
                     with_peer)
from peer import LEGACY, META, STATELESS, check

SERVICES = dict(zip(LEGACY + [STATELESS], ("billing", "search", "checkout", "shipping", "login")))


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
            check(("annotations" in tools[name]) == (rev >= "2025-03-26"), "annotations",
                  tools[name])
            check(("outputSchema" in tools[name]) == (rev >= "2025-06-18"), "outputSchema",
                  tools[name])
            check(("title" in tools[name]) == (rev >= "2025-06-18"), "title", tools[name])
            check(len(tools[name]["description"]) < 400, "few words", tools[name])
            if "annotations" in tools[name]:
                check(tools[name]["annotations"]["readOnlyHint"] == (name in READS), "readOnlyHint",
                      tools[name])
        run.judge.error(rev, peer.ask("tools/list", {"cursor": "x"}), -32602)
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
    service = SERVICES[rev]  # another one in each revision: facts of other scopes stay in the store
    first = good_call(rev, peer, tools, "engram_commit", {
        "content": f"The retry limit of the {service} service is 3.", "scope": scope,
        "agent_id": "a",
        "provenance": "billing.c:1", "wait_ms": 10000})
    second = good_call(rev, peer, tools, "engram_commit", {
        "content": f"The retry limit of the {service} service is 5.", "scope": scope,
        "agent_id": "b",
        "fact_type": "decision", "confidence": 0.9, "wait_ms": 10000})
    check(first["operation"] == "add" and not first["duplicate"] and first["undo_id"] > 0,
          "receipt", first)
    ours = [c for c in second["conflicts"]
            if first["fact_id"] in (c["fact_a"]["fact_id"], c["fact_b"]["fact_id"])]
    check(len(ours) == 1 and second["detection"] == "done", "a conflict was expected", second)
    conflict = ours[0]
    check(FACT <= set(conflict["fact_a"]) and FACT <= set(conflict["fact_b"]), "members of a fact",
          conflict)
    hits = good_call(rev, peer, tools, "engram_query", {
        "topic": f"retry limit of {service}", "scope": scope})["results"]
    ours = {hit["fact_id"]: hit for hit in hits}
    for receipt in (first, second):
        hit = ours[receipt["fact_id"]]
        check(FACT | {"relevance", "why", "open_conflicts"} <= set(hit), "members of a hit", hit)
        check(hit["has_open_conflict"] and conflict["conflict_id"] in hit["open_conflicts"],
              "open conflict", hit)
        check(hit["committed_at"].endswith("Z") and len(hit["fact_id"]) == 36, "time and id", hit)
    check(ours[first["fact_id"]]["verified"] and not ours[second["fact_id"]]["verified"],
          "verified", hits)
    found = good_call(rev, peer, tools, "engram_conflicts",
                      {"scope": scope, "limit": 100})["conflicts"]
    check(conflict["conflict_id"] in [c["conflict_id"] for c in found], "conflicts", found)
    done = good_call(rev, peer, tools, "engram_resolve", {
        "conflict_id": conflict["conflict_id"], "resolution_type": "winner",
        "resolution": "the code says 5",
        "winning_fact_id": second["fact_id"], "agent_id": "bob"})
    check(done["closed"][0]["closed_by"] == "bob", "who settled it", done)
    check(done["resolved"] and done["closed"][0]["fact_id"] == first["fact_id"], "resolved", done)
    found = good_call(rev, peer, tools, "engram_conflicts",
                      {"scope": scope, "limit": 100})["conflicts"]
    check(conflict["conflict_id"] not in [c["conflict_id"] for c in found], "still open", found)
    would = good_call(rev, peer, tools, "engram_check", {
        "content": f"The retry limit of the {service} service is 9.", "scope": scope})
    check(would["would_conflict"] and would["would_conflict"][0]["fact"], "a dry run finds it",
          would)
    would = good_call(rev, peer, tools, "engram_check", {"scope": scope, "statements": [
        "Port of cache is 1.", "The retry limit of mail is 1.", "The retry limit of mail is 2."]})
    check(any(w["statement"] == 2 and w["other_statement"] == 1 for w in would["would_conflict"]),
          "each other", would)
    peer.finish()


@checked
@every_revision
def is_brief(rev):
    """what an agent pays for: the list of tools, a receipt, a hit, a conflict; ids still work"""
    peer = with_peer(rev)
    tools = tools_of(rev, peer)
    core = {name: tool for name, tool in tools.items() if name.startswith("engram_")}
    size = len(json.dumps({"tools": list(core.values())}, separators=(",", ":")))
    check(size <= 6000, "the list of the core tools", size)
    scope, service = rev[:7], SERVICES[rev]

    def call(name, **arguments):
        value = good_call(rev, peer, tools, name, arguments, brief=True)
        check("notice" not in value and None not in value.values(), "what nobody needs", value)
        return value, len(json.dumps(value, separators=(",", ":")))

    first, _ = call("engram_commit", content=f"The queue limit of the {service} service is 30.",
                    scope=scope, agent_id="agent-linnet", wait_ms=10000)
    # a lineage of its own comes from the made-up memory, related facts from earlier revisions
    check(set(first) - {"lineage_id", "related"}
          == {"fact_id", "operation", "conflicts", "detection", "undo_id"}
          and len(first["fact_id"]) == 12, "a plain receipt", first)
    second, size = call("engram_commit", content=f"The queue limit of the {service} service is 50.",
                        scope=scope, agent_id="agent-osprey", wait_ms=10000)
    (conflict,) = second["conflicts"]
    check(size < 1000 and conflict["fact_a"]["fact_id"] == first["fact_id"]
          and "fact_b" not in conflict and "next_step" in second, "a receipt with a conflict",
          second)
    hits, _ = call("engram_query", topic=f"queue limit of {service}", scope=scope)
    for hit in hits["results"]:
        overhead = dict(hit, content="")
        overhead.pop("open_conflicts")
        for own in ("lineage_id", "stale"):  # which the made-up memory has of its own
            overhead.pop(own, None)
        check(len(json.dumps(overhead, separators=(",", ":"))) <= 120, "a hit", hit)
    check(all(hit["open_conflicts"] == [conflict["conflict_id"]] for hit in hits["results"]),
          "disputed", hits)
    found, _ = call("engram_conflicts", scope=scope)
    check(found["conflicts"][0]["conflict_id"] == conflict["conflict_id"], "conflicts", found)
    would, _ = call("engram_check", content=f"The queue limit of the {service} service is 70.",
                    scope=scope)
    check("fact" in would["would_conflict"][0], "check", would)
    done, _ = call("engram_resolve", conflict_id=conflict["conflict_id"], resolution="measured",
                   resolution_type="winner", winning_fact_id=second["fact_id"])
    check(done["closed"][0]["fact_id"] == first["fact_id"], "resolved", done)
    undone, _ = call("engram_undo", undo_id=done["undo_id"])
    check(undone["undone"], "undone", undone)
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
    bad_call(rev, peer, "engram_query", {"topic": "a", "as_of": "a while ago"}, "as_of")
    bad_call(rev, peer, "engram_query", {"topic": "a\x00b"}, "U+0000")
    bad_call(rev, peer, "engram_commit", {"content": "a" * 8193}, "content")
    bad_call(rev, peer, "engram_commit", {"content": "a", "fact_type": "guess"}, "fact_type")
    bad_call(rev, peer, "engram_commit", {"content": ""}, "content")
    bad_call(rev, peer, "engram_resolve",
             {"conflict_id": "x", "resolution_type": "winner", "resolution": "r"},
             "winning_fact_id")
    bad_call(rev, peer, "engram_status", [1], "arguments")
    run.judge.error(rev, peer.call("engram_nothing", {}), -32602)
    # of another profile
    run.judge.error(rev, peer.call("engram_promote", {"fact_id": "1"}), -32602)
    run.judge.error(rev, peer.ask("tools/call", {"arguments": {}}), -32602)
    run.judge.error(rev, peer.ask("tools/call", {"name": 5}), -32602)
    peer.finish()


@checked
@every_revision
def answers_what_is_not_offered(rev):
    """methods that are not offered are -32601"""
    peer = with_peer(rev)
    for method in ("resources/subscribe", "resources/unsubscribe", "prompts/LIST",
                   "completion/complete", "nonsense",
                   "tools/LIST", ""):
        run.judge.error(rev, peer.ask(method, {}), -32601)
    for method in ("ping", "logging/setLevel"):
        if rev == STATELESS:
            run.judge.error(rev, peer.ask(method, {"level": "info"}), -32601)
        else:
            run.judge.response(rev, peer.ask(method, {"level": "info"}), "EmptyResult")
    for method in ("server/discover", "subscriptions/listen"):
        if rev != STATELESS:
            run.judge.error(rev, peer.ask(method, {"notifications": {}}), -32601)
    if rev != STATELESS:
        run.judge.error(rev, peer.ask("logging/setLevel", {"level": "loud"}), -32602)
        run.judge.error(rev, peer.ask("logging/setLevel"), -32602)
    rest, status = peer.finish()
    check(rest == [] and status == 0, "end", rest, status)


@checked
@every_revision
def keeps_ids(rev):
    """ids come back as they were sent: strings, negative and huge integers; others are refused"""
    peer = with_peer(rev)
    for id in (0, -7, "x", "", "ü\"\\ \u2028", 2**53 + 1, 2**63 - 1, 10**40):
        answer = peer.wait_for(peer.start("tools/call", {"name": "engram_status"}, id))
        run.judge.validate(rev, "JSONRPCResponse", answer)
        check(answer["id"] == id and type(answer["id"]) is type(id), "another id", answer)
    meta = json.dumps({"_meta": peer.meta} if peer.meta else {}).encode()
    # whole, whatever the way of writing
    for id in (b"11.0", b"1e1", b"-2.50E1", b"120e-1", b"0e-9"):
        peer.raw(b'{"jsonrpc":"2.0","id":' + id + b',"method":"tools/list","params":' + meta
                 + b'}\n')
        answer = peer.receive()
        check("result" in answer and repr(answer["id"]) == repr(json.loads(id)), "another id",
              answer)
    for id in (1.5, 0.125, 1e-7, 1234.5e1 + 0.5, True, [1], {"a": 1}):
        peer.send({"jsonrpc": "2.0", "id": id, "method": "tools/list",
                   "params": {"_meta": peer.meta} if peer.meta else {}})
        answer = peer.receive()
        run.judge.error(rev, answer, -32600)
        check(answer.get("id") is None, "an id that is none", answer)
    peer.finish()


@checked
@every_revision
def survives_garbage(rev):
    """lines that are no message get an error each, and the connection goes on"""
    peer = with_peer(rev)
    if rev == STATELESS:
        tools_of(rev, peer)
    parse_errors = [b"{", b"nonsense", b"\xff\xfe", b'{"jsonrpc":"2.0","id":1,"method":"ping\xc3"}',
                    b"[" * 100000,
                    b'{"a":' * 65 + b"1" + b"}" * 65, b'{"jsonrpc":"2.0" "id":1}', b'{"a":01}',
                    b'{"a":"\x01"}',
                    b'\x00', b'{"a":"\\x"}', b'{} {}', b"'a'", b"1" * 64]
    for line in parse_errors:
        peer.raw(line + b"\n")
        run.judge.error(rev, peer.receive(), -32700)
    requests = [b"5", b'"text"', b"null", b"{}", b'{"a":"\\ud800"}',
                b'{"jsonrpc":"1.0","method":"ping","id":1}',
                b'{"jsonrpc":"2.0","id":1}',
                b'{"jsonrpc":"2.0","id":1,"method":5}',
                b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
                b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
                b'{"jsonrpc":"2.0","id":1,"method":"tools/call\\u0000"}']
    for line in requests:
        peer.raw(line + b"\n")
        run.judge.error(rev, peer.receive(), -32600)
    peer.send({"jsonrpc": "2.0", "id": 77, "method": "tools/list", "params": [1]})
    run.judge.error(rev, peer.receive(), -32602)
    for quiet in (b"\n", b"\r\n", b"   \n", b'{"jsonrpc":"2.0","method":"notifications/unheard"}\n',
                  b'{"jsonrpc":"2.0","method":"notifications/cancelled"}\n',
                  b'{"jsonrpc":"2.0","method":"notifications/cancelled",'
                  b'"params":{"requestId":999}}\n',
                  b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
                  b'{"jsonrpc":"2.0","id":5,"result":{}}\n',
                  b'{"jsonrpc":"2.0","method":"tools/list"}\n'):
        peer.raw(quiet)
    check(set(CORE) <= set(tools_of(rev, peer)), "it goes on")
    rest, status = peer.finish()
    check(rest == [] and status == 0, "nothing more", rest, status)


@checked
@every_revision
def answers_what_it_cannot_read(rev):
    """a call with half of a surrogate pair is served; one beyond the limits gets its error with its
    id"""
    peer = with_peer(rev)
    tools = tools_of(rev, peer)
    good_call(rev, peer, tools, "engram_query", {"topic": "half \ud83d of a pair"})
    deep = 1
    for _ in range(70):
        deep = [deep]
    for topic in (10**70, deep):
        # waits for the id
        error = run.judge.error(rev, peer.call("engram_query", {"topic": topic}), -32700)
        check("63 characters" in error["message"] or "64" in error["message"], "which limit", error)
        peer.raw(json.dumps({"method": "tools/call",
                             "params": {"name": "x", "arguments": {"id": 5, "topic": topic}},
                             "id": "last"}).encode() + b"\n")
        run.judge.error(rev, peer.wait_for("last"), -32700)
    peer.raw(b'{"jsonrpc":"2.0","id":"first","method":01}\n')
    run.judge.error(rev, peer.wait_for("first"), -32700)
    for line in (b'{"jsonrpc":"2.0","method":01,"id":3}\n',
                 b'{"jsonrpc":"2.0","id":1.5,"method":01}\n'):
        peer.raw(line)
        answer = peer.receive()
        run.judge.error(rev, answer, -32700)
        check(answer.get("id") is None, "an id that is none", answer)
    peer.finish()


@checked
@every_revision
def says_who_asks(rev):
    """a fact without agent_id is of the client that initialize, or the request's _meta, names; else
    of mcp"""
    names = [("drive", "drive"), ("ü" * 150, "ü" * 100), ("a\nb", "mcp"), ("", "mcp"), (5, "mcp"),
             (None, "mcp")]
    scope = f"who/{rev}/{os.getpid()}"
    for i, (name, shown) in enumerate(names):
        peer = open_peer()
        info = {} if name is None else {"clientInfo": {"name": name, "version": "1"}}
        if rev == STATELESS:
            peer.stateless()
            del peer.meta[META + "clientInfo"]
            peer.meta |= {META + key: value for key, value in info.items()}
        else:
            run.judge.response(rev, peer.ask("initialize",
                                             {"protocolVersion": rev, "capabilities": {}} | info),
                               "InitializeResult")
        tools = tools_of(rev, peer)
        words = f"Caller{i} came by stage {i}."
        ours = good_call(rev, peer, tools, "engram_commit",
                         {"content": words, "scope": scope})["fact_id"]
        bobs = good_call(rev, peer, tools, "engram_commit", {
            "content": words + " Bob too.", "scope": scope, "agent_id": "bob"})["fact_id"]
        hits = good_call(rev, peer, tools, "engram_query",
                         {"topic": words, "scope": scope, "limit": 50})["results"]
        agents = {hit["fact_id"]: hit["agent_id"] for hit in hits}
        check((agents[ours], agents[bobs]) == (shown, "bob"), f"{name!r}: who asks", agents)
        peer.finish()


@checked
@every_revision
def takes_null_for_absent(rev):
    """arguments, cursor and params that are null count as not given"""
    peer = with_peer(rev)
    result = run.judge.response(rev, peer.ask("tools/call", {"name": "engram_status",
                                                             "arguments": None}), "CallToolResult")
    check(not result.get("isError"), "arguments", result)
    run.judge.response(rev, peer.ask("tools/list", {"cursor": None}), "ListToolsResult")
    if rev != STATELESS:
        for method, name in (("tools/list", "ListToolsResult"), ("ping", "EmptyResult")):
            peer.send({"jsonrpc": "2.0", "id": method, "method": method, "params": None})
            run.judge.response(rev, peer.wait_for(method), name)
    peer.finish()


@checked
@every_revision
def survives_long_lines(rev):
    """a line of more than 4 MiB is skipped with an error; one just below is served"""
    peer = with_peer(rev)
    if rev == STATELESS:
        tools_of(rev, peer)
    peer.raw(b"x" * (9 << 20) + b"\n")
    run.judge.error(rev, peer.receive(), -32600)
    answer = peer.call("engram_query", {"topic": "t" * ((4 << 20) - 1000)})
    run.judge.response(rev, answer, "CallToolResult")
    check(json.loads(answer["result"]["content"][0]["text"])["topic_cut"] is True,
          "a long topic is cut", answer)
    peer.raw(b'{"jsonrpc":"2.0",' + b" " * (4 << 20) + b'"id":1,"method":"ping"}\r\n')
    run.judge.error(rev, peer.receive(), -32600)
    check(set(CORE) <= set(tools_of(rev, peer)), "it goes on")
    peer.raw(b"x" * (5 << 20))  # and the input ends within it
    rest, status = peer.finish()
    check(len(rest) == 1 and status == 0, "one error", rest, status)
    run.judge.error(rev, rest[0], -32600)


@checked
def negotiates():
    """initialize answers known revisions with themselves, others with the newest of its era"""
    for wanted, given in [(r, r) for r in LEGACY] + [("2026-07-28", "2025-11-25"),
                                                     ("1.0", "2025-11-25"),
                                                     ("2099-01-01", "2025-11-25"),
                                                     ("", "2025-11-25")]:
        peer = open_peer()
        result = run.judge.response(given, peer.initialize(wanted), "InitializeResult")
        check(result["protocolVersion"] == given, f"{wanted}", result)
        run.judge.error(given, peer.initialize(given), -32600)
        peer.finish()
    peer = open_peer()
    run.judge.error("2025-11-25", peer.ask("initialize", {"capabilities": {}}), -32602)
    run.judge.error("2025-11-25", peer.ask("initialize"), -32602)
    run.judge.response("2025-11-25", peer.initialize("2025-11-25"), "InitializeResult")
    peer.finish()


@checked
def wants_an_era():
    """without initialize and without _meta: -32600 naming both ways; ping is free"""
    peer = open_peer()
    for method in ("tools/list", "tools/call", "server/discover", "nonsense"):
        error = run.judge.error("2025-11-25", peer.ask(method, {}), -32600)
        check("initialize" in error["message"] and "_meta" in error["message"], "both ways", error)
    run.judge.response("2025-11-25", peer.ask("ping"), "EmptyResult")
    peer.finish()


@checked
def serves_both_eras():
    """requests with _meta are stateless even after initialize, others keep their era"""
    peer = with_peer("2025-03-26")
    check("outputSchema" not in tools_of("2025-03-26", peer)["engram_query"], "old")
    peer.stateless()
    check("outputSchema" in tools_of(STATELESS, peer)["engram_query"], "new")
    run.judge.error(STATELESS, peer.ask("ping"), -32601)
    run.judge.error(STATELESS, peer.ask("initialize", {"protocolVersion": "2025-11-25"}), -32601)
    peer.meta = None
    check("outputSchema" not in tools_of("2025-03-26", peer)["engram_query"], "old again")
    run.judge.response("2025-03-26", peer.ask("ping"), "EmptyResult")
    peer.finish()


@checked
def discovers():
    """server/discover says what is served; -32022 for other versions; _meta is checked"""
    peer = open_peer()
    peer.stateless()
    result = run.judge.response(STATELESS, peer.ask("server/discover"), "DiscoverResult")
    check(result["supportedVersions"] == [STATELESS] + LEGACY[::-1], "supportedVersions", result)
    check(set(result["capabilities"]) == {"tools", "resources", "prompts"}, "capabilities", result)
    good = peer.meta
    for version in ("2025-11-25", "2099-01-01", ""):
        peer.meta = dict(good, **{META + "protocolVersion": version})
        answer = peer.ask("tools/list")
        run.judge.validate(STATELESS, "UnsupportedProtocolVersionError", answer)
        check(answer["error"]["data"]["requested"] == version, "requested", answer)
        check(answer["error"]["data"]["supported"][0] == STATELESS, "supported", answer)
    peer.meta = dict(good, **{META + "protocolVersion": 5})
    run.judge.error(STATELESS, peer.ask("tools/list"), -32602)
    peer.meta = {k: v for k, v in good.items() if not k.endswith("clientCapabilities")}
    run.judge.error(STATELESS, peer.ask("tools/list"), -32602)
    peer.meta = {k: v for k, v in good.items() if not k.endswith("clientInfo")}
    tools_of(STATELESS, peer)
    peer.meta = dict(good, progressToken="p", **{META + "logLevel": "debug"})
    tools_of(STATELESS, peer)
    peer.finish()


@checked
def subscribes():
    """subscriptions/listen is acknowledged, stays open, ends by cancellation (silent) or with the
    input (a result)"""
    peer = open_peer()
    peer.stateless()
    wanted = {"notifications": {"toolsListChanged": True, "promptsListChanged": True,
                                "resourceSubscriptions": ["a:b"]}}
    for id in ("s1", 200):
        peer.start("subscriptions/listen", wanted, id)
        note = peer.receive()
        run.judge.validate(STATELESS, "SubscriptionsAcknowledgedNotification", note)
        check(note["params"]["_meta"][META + "subscriptionId"] == id, "subscriptionId", note)
        check(note["params"]["notifications"] == {}, "nothing that is not sent is promised", note)
    # the id is in use
    run.judge.error(STATELESS, peer.wait_for(peer.start("tools/list", None, "s1")), -32600)
    run.judge.error(STATELESS, peer.ask("subscriptions/listen", {}), -32602)
    peer.notify("notifications/cancelled", {"requestId": "s1"})
    tools_of(STATELESS, peer)
    for id in range(100, 115):
        peer.start("subscriptions/listen", wanted, id)
        run.judge.validate(STATELESS, "SubscriptionsAcknowledgedNotification", peer.receive())
    run.judge.error(STATELESS, peer.ask("subscriptions/listen", wanted), -32603)  # the seventeenth
    rest, status = peer.finish()
    check(sorted(m["id"] for m in rest) == list(range(100, 115)) + [200] and status == 0, "ends",
          rest, status)
    for message in rest:
        run.judge.validate(STATELESS, "SubscriptionsListenResultResponse", message)
        check(message["result"]["_meta"][META + "subscriptionId"] == message["id"],
              "subscriptionId", message)


@checked
def serves_batches():
    """arrays of messages: only under 2025-03-26"""
    ping = [{"jsonrpc": "2.0", "id": "b", "method": "ping"}]
    for rev in [r for r in LEGACY if r != "2025-03-26"]:
        peer = with_peer(rev)
        peer.send(ping)
        run.judge.error(rev, peer.receive(), -32600)
        peer.finish()
    rev = "2025-03-26"
    peer = open_peer()
    peer.send(ping)
    run.judge.error(rev, peer.receive(), -32600)  # nothing is agreed yet
    run.judge.response(rev, peer.initialize(rev), "InitializeResult")
    peer.send([{"jsonrpc": "2.0", "id": 50, "method": "ping"},
               {"jsonrpc": "2.0", "method": "notifications/initialized"},
               {"jsonrpc": "2.0", "id": "c", "method": "tools/call",
                "params": {"name": "engram_status"}},
               {"jsonrpc": "2.0", "id": 51, "method": "tools/list"},
               {"jsonrpc": "2.0", "id": 52, "method": "no"},
               {"jsonrpc": "2.0", "id": 53, "method": "tools/call",
                "params": {"name": "engram_query"}}, 5])
    answer = peer.receive()
    check(isinstance(answer, list) and len(answer) == 6, "an array of six", answer)
    by_id = {m.get("id"): m for m in answer}
    check(set(by_id) == {50, "c", 51, 52, 53, None}, "ids", sorted(map(str, by_id)))
    run.judge.validate(rev, "JSONRPCBatchResponse", [m for m in answer if m.get("id") is not None])
    run.judge.response(rev, by_id[50], "EmptyResult")
    run.judge.response(rev, by_id["c"], "CallToolResult")
    run.judge.response(rev, by_id[51], "ListToolsResult")
    run.judge.error(rev, by_id[52], -32601)
    check(by_id[53]["result"]["isError"], "bad arguments in an array", by_id[53])
    run.judge.error(rev, by_id[None], -32600)
    stateless = {"_meta": {META + "protocolVersion": STATELESS, META + "clientCapabilities": {}}}
    peer.send([{"jsonrpc": "1.0", "id": 1, "method": "ping"},
               {"jsonrpc": "2.0", "id": 2, "method": "ping", "params": [1]},
               {"jsonrpc": "2.0", "id": True, "method": "ping"},
               {"jsonrpc": "2.0", "id": 3, "result": {}},
               {"jsonrpc": "2.0", "method": "x", "params": 5},
               {"jsonrpc": "2.0", "id": 4, "method": "ping"},
               {"jsonrpc": "2.0", "id": 5, "method": "subscriptions/listen",
                "params": dict(stateless, notifications={})}])
    answer = peer.receive()
    check([(m.get("id"), m.get("error", {}).get("code")) for m in answer]
          == [(1, -32600), (2, -32602), (None, -32600), (4, None), (5, -32600)],
          "wrong messages in an array", answer)
    peer.send(ping + [{"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": {
        "name": "engram_query", "arguments": {"topic": "half \ud83d"}}}])
    check(sorted(str(m["id"]) for m in peer.receive()) == ["6", "b"],
          "half of a surrogate pair in an array")
    # nothing but notifications: no answer
    peer.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
    for wrong in ([], ping * 65, [ping]):
        peer.send(wrong)
        answer = peer.receive()
        run.judge.error(rev, answer[0] if isinstance(answer, list) else answer, -32600)
    peer.send(ping * 2)
    check([m["id"] for m in peer.receive()] == ["b", "b"],
          "ping is answered at once, so its id is free again")
    peer.finish()


