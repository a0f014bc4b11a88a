"""check_offers.py - resources, prompts, and the results of three kinds, in the shape of each
revision."""
import json
import os

from harness import (bad_call, checked, every_revision, good_call, made_up, open_peer, run,
                     tools_of, with_peer)
from peer import META, STATELESS, check

LINKS_SINCE = "2025-06-18"


def two_facts(rev, peer):
    """Two facts that contradict each other, in a scope of their own: the scope, both receipts, the
    conflict's id."""
    tools = tools_of(rev, peer)
    scope = f"offers/{rev}/{os.getpid()}"
    receipts = [good_call(rev, peer, tools, "engram_commit", {
        "content": f"The page size of the offers service is {size} kB.", "scope": scope,
        "agent_id": agent, "wait_ms": 10000})
        for size, agent in ((4, "ann"), (16, "ben"))]
    first, second = (r["fact_id"] for r in receipts)
    ours = [c for c in receipts[1]["conflicts"]
            if {c["fact_a"]["fact_id"], c["fact_b"]["fact_id"]} == {first, second}]
    check(len(ours) == 1, "a conflict was expected", receipts[1])
    return scope, receipts, ours[0]["conflict_id"]


def listed(rev, peer, method, key, definition, result_name):
    result = run.judge.response(rev, peer.ask(method), result_name)
    for item in result[key]:
        run.judge.strict(rev, definition, item)
        check(item["description"], "a description", item)
        check(("title" in item) <= (rev >= "2025-06-18"), "title", item)
    if rev == STATELESS:
        check(result["ttlMs"] > 0 and result["cacheScope"] == "private", "cache members", result)
    run.judge.error(rev, peer.ask(method, {"cursor": "x"}), -32602)
    return result[key]


def read(rev, peer, uri):
    result = run.judge.response(rev, peer.ask("resources/read", {"uri": uri}), "ReadResourceResult")
    if rev == STATELESS:
        check(result["ttlMs"] == 0 and result["cacheScope"] == "private",
              "facts change at any time", result)
    for contents in result["contents"]:
        run.judge.strict(rev, "TextResourceContents", contents)
    return result["contents"]


@checked
@every_revision
def offers_resources(rev):
    """facts and conflicts by address, whole, with their history; unknown addresses are refused"""
    peer = with_peer(rev)
    check(listed(rev, peer, "resources/list", "resources", "Resource", "ListResourcesResult") == [],
          "only templates")
    templates = listed(rev, peer, "resources/templates/list", "resourceTemplates",
                       "ResourceTemplate",
                       "ListResourceTemplatesResult")
    check([t["uriTemplate"] for t in templates]
          == ["engram://facts/{id}", "engram://conflicts/{id}"], "templates", templates)
    scope, (first, _), conflict = two_facts(rev, peer)
    for id in (first["fact_id"], first["fact_id"][-8:], first["fact_id"].upper()):
        uri = f"engram://facts/{id}"
        (contents,) = read(rev, peer, uri)
        check(contents["uri"] == uri and contents["mimeType"] == "application/json", "uri and type",
              contents)
        value = json.loads(contents["text"])
        check(next(iter(value)) == "notice", "notice comes first", value)
        check(value["fact"]["fact_id"] == first["fact_id"] and value["fact"]["agent_id"] == "ann",
              "fact", value)
        check(value["fact"]["has_open_conflict"] and value["fact"]["scope"] == scope, "fact", value)
        check(first["fact_id"] in [f["fact_id"] for f in value["history"]], "history", value)
    stated = ["The page size of the offers service is 8 kB in production."]
    receipt = good_call(rev, peer, tools_of(rev, peer), "engram_commit", {
        "content": "Page size of the offers service, production: 8 kB, fixed at build time.",
        "scope": scope + "/stated", "statements": stated})
    (contents,) = read(rev, peer, f"engram://facts/{receipt['fact_id']}")
    check(json.loads(contents["text"])["fact"]["statements"] == stated, "statements", contents)
    (contents,) = read(rev, peer, f"engram://conflicts/{conflict}")
    value = json.loads(contents["text"])
    check(value["conflict"]["conflict_id"] == conflict and value["conflict"]["status"] == "open",
          "conflict", value)
    check({f["agent_id"] for f in value["history"]} >= {"ann", "ben"}, "history", value)
    not_found = -32602 if rev == STATELESS else -32002
    for uri in ("engram://nothing/x", "engram://facts/", "engram://facts/a/b", "file:///etc/passwd",
                "",
                "engram://conflicts/00000000-0000-7000-8000-000000000000"):
        error = run.judge.error(rev, peer.ask("resources/read", {"uri": uri}), not_found)
        check(len(error["message"]) > 10, "a sentence", error)
    for params in ({}, {"uri": 5}, {"uri": None}):
        run.judge.error(rev, peer.ask("resources/read", params), -32602)
    peer.finish()


@checked
@every_revision
def offers_prompts(rev):
    """settle_conflicts lists the open conflicts of a scope with both facts; bad arguments are
    -32602"""
    peer = with_peer(rev)
    (prompt,) = listed(rev, peer, "prompts/list", "prompts", "Prompt", "ListPromptsResult")
    check(prompt["name"] == "settle_conflicts"
          and [a["name"] for a in prompt["arguments"]] == ["scope"], "prompt", prompt)
    run.judge.strict(rev, "PromptArgument", prompt["arguments"][0])
    check(prompt["arguments"][0]["required"] is False, "an optional scope", prompt)
    scope, receipts, conflict = two_facts(rev, peer)

    def get(arguments):
        params = {"name": "settle_conflicts"} | ({} if arguments is None
                                                 else {"arguments": arguments})
        result = run.judge.response(rev, peer.ask("prompts/get", params), "GetPromptResult")
        (message,) = result["messages"]
        run.judge.strict(rev, "PromptMessage", message)
        check(message["role"] == "user" and message["content"]["type"] == "text",
              "a text of the user", message)
        return message["content"]["text"]

    for arguments in (None, {}, {"scope": scope}, {"scope": ""}):
        text = get(arguments)
        check("engram_resolve" in text and "Do not guess" in text, "the task", text)
        # a store of many conflicts: it lists 20, and all of a scope as small as ours
        if conflict not in text:
            check("there are more" in text and arguments != {"scope": scope}, "the conflict", text)
            continue
        check(all(r["fact_id"] in text for r in receipts) and "4 kB" in text and "16 kB" in text,
              "both facts", text)
    check(scope in get({"scope": scope}), "it names its scope")
    for arguments in ({"scope": 5}, {"scop": "a"}, {"scope": "a" * 201}):
        run.judge.error(rev, peer.ask("prompts/get",
                                      {"name": "settle_conflicts", "arguments": arguments}), -32602)
    for params in ({"name": "nothing"}, {"name": 5}, {}):
        run.judge.error(rev, peer.ask("prompts/get", params), -32602)
    peer.finish()


@checked
def prompt_without_conflicts():
    """with nothing to settle, the prompt says so"""
    rev = "2025-11-25"
    peer = with_peer(rev)
    if run.options.real:  # the made-up memory lists conflicts whatever the scope
        peer_scope = f"quiet/{os.getpid()}"
        result = run.judge.response(rev, peer.ask("prompts/get", {
            "name": "settle_conflicts", "arguments": {"scope": peer_scope}}), "GetPromptResult")
        text = result["messages"][0]["content"]["text"]
        check("no open conflict in scope " + peer_scope in text and "engram_resolve" not in text,
              "nothing to settle", text)
    else:
        text = peer.ask("prompts/get", {"name": "settle_conflicts"})["result"]["messages"][0][
            "content"]["text"]
        check("no open conflict" in text and "engram_resolve" not in text, "nothing to settle",
              text)
    peer.finish()


@made_up
@every_revision
def shows_content_blocks(rev):
    """texts and links as blocks where the revision has them, beside what is structured; errors of a
    tool with both"""
    peer = with_peer(rev, "all")
    result = run.judge.response(rev, peer.call("test_odd", {"do": "blocks"}), "CallToolResult")
    check(result["content"][0] == {"type": "text", "text": "first"}, "a text", result)
    link = {"type": "resource_link", "uri": "test://a", "name": "a", "description": "a link",
            "mimeType": "text/plain"}
    check(result["content"][1:] == [link if rev >= LINKS_SINCE
                                    else {"type": "text", "text": "test://a"}], "a link", result)
    check(result.get("structuredContent") == ({"n": 2} if rev >= LINKS_SINCE else None),
          "structured", result)
    check(not result.get("isError"), "no error", result)
    result = run.judge.response(rev, peer.call("test_odd", {"do": "refuse"}), "CallToolResult")
    check(result["isError"] is True and json.loads(result["content"][0]["text"])
          == {"reason": "closed"}, "error", result)
    check(result.get("structuredContent") == ({"reason": "closed"} if rev >= LINKS_SINCE else None),
          "structured", result)
    for word in ("nothing", "nameless", "unheard", "shapeless"):
        bad_call(rev, peer, "test_odd", {"do": word}, "defect")
    resources = run.judge.response(rev, peer.ask("resources/list"),
                                   "ListResourcesResult")["resources"]
    check(resources == [{"uri": "test://pair", "name": "pair"}], "a resource without a variable",
          resources)
    contents = read(rev, peer, "test://pair")
    check(contents == [{"uri": "test://pair", "mimeType": "text/plain", "text": "one"},
                       {"uri": "test://pair/2", "text": "two"}], "contents", contents)
    run.judge.error(rev, peer.ask("resources/read", {"uri": "test://broken/x"}), -32603)
    peer.finish()


@made_up
@every_revision
def asks_a_person(rev):
    """a tool's question: input_required where the client can ask, else an error that tells the
    model the question"""
    peer = with_peer(rev, "all")
    bad_call(rev, peer, "test_odd", {"do": "ask"},
             "Which city? Ask the person, then call test_odd again with the answer as: city")
    peer.finish()
    if rev != STATELESS:
        return
    peer = open_peer("all")
    peer.stateless()
    peer.meta[META + "clientCapabilities"] = {"elicitation": {"form": {}}}
    answer = peer.call("test_odd", {"do": "ask"})
    result = answer["result"]
    run.judge.validate(rev, "JSONRPCResultResponse", answer)
    run.judge.validate(rev, "CallToolResultResponse", answer)
    run.judge.strict(rev, "InputRequiredResult", result)
    check(result["resultType"] == "input_required", "resultType", result)
    ((key, request),) = result["inputRequests"].items()
    run.judge.strict(rev, "ElicitRequest", request)
    run.judge.strict(rev, "ElicitRequestFormParams", request["params"])
    check(request["params"]["message"] == "Which city?", "the question", request)

    def again(response, arguments={"do": "ask"}):
        return peer.ask("tools/call", {"name": "test_odd", "arguments": arguments,
                                       "inputResponses": {key: response}})

    def echoed(answer):
        return run.judge.response(rev, answer, "CallToolResult")["structuredContent"]["arguments"]

    accepted = {"action": "accept", "content": {"city": "Köln \" 1", "do": "fail"}}
    check(echoed(again(accepted)) == {"do": "ask", "city": "Köln \" 1"},
          "the answer is an argument; given ones stand")
    check(echoed(again({"action": "accept", "content": {"city": "x"}}, {})) == {"city": "x"},
          "no arguments")
    for action in ("decline", "cancel"):
        result = run.judge.response(rev, again({"action": action}), "CallToolResult")
        check(result["isError"] and "did not answer" in result["content"][0]["text"], action,
              result)
    for wrong in ({"action": "accept"}, {"action": "accept", "content": [1]}):
        run.judge.error(rev, again(wrong), -32602)
    run.judge.error(rev, again(accepted, [1]), -32602)
    peer.raw(json.dumps({"jsonrpc": "2.0", "id": "twice", "method": "tools/call", "params": {
        "name": "test_odd", "_meta": peer.meta,
        "inputResponses": {key: {"action": "accept", "content": {"city": 1}}}}})
        .replace('{"city": 1}', '{"city": 1, "city": 2}').encode() + b"\n")
    run.judge.error(rev, peer.wait_for("twice"), -32602)
    other = peer.ask("tools/call", {"name": "test_odd", "arguments": {"do": "ask"},
                                    "inputResponses": {"other": accepted}})
    check(other["result"]["resultType"] == "input_required", "an answer to something else is none",
          other)
    for capability, asks in (({}, True), ({"form": {}, "url": {}}, True), ({"url": {}}, False)):
        peer.meta[META + "clientCapabilities"] = {"elicitation": capability}
        kind = peer.call("test_odd", {"do": "ask"})["result"]["resultType"]
        check((kind == "input_required") == asks, "only a client that shows forms is asked",
              capability, kind)
    peer.finish()
