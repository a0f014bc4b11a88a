"""check_flow.py - order, cancellation, floods, end of input, speed: checks that do not depend on
the revision."""
import json
import os
import random
import signal
import subprocess
import time

from harness import FACT, TEAM, checked, good_call, made_up, open_peer, run, tools_of, with_peer
from peer import LEGACY, META, STATELESS, Failure, check


def spans(answer):
    words = json.loads(answer["result"]["content"][0]["text"])["results"][0]["why"].split()
    return int(words[1]), int(words[3]), int(words[5])


def receipt_span(answer):
    undo = json.loads(answer["result"]["content"][0]["text"])["undo_id"]
    return undo // 1000, undo % 1000


@made_up
def orders_calls():
    """reads run concurrently; a write waits for all calls before it, and later calls wait for it"""
    peer = with_peer("2025-11-25")
    peer.call("engram_commit", {"content": "one"})

    def query(ms):
        return peer.start("tools/call", {"name": "engram_query",
                                         "arguments": {"topic": f"sleep:{ms}",
                                                       "verbose": True}})

    def commit(text):
        return peer.start("tools/call", {"name": "engram_commit", "arguments": {"content": text}})

    before = [query(200), query(200), query(100)]
    first, second = commit("x sleep:100"), commit("y sleep:50")
    after = [query(100), query(100)]
    reads_before = [spans(peer.wait_for(id)) for id in before]
    writes = [receipt_span(peer.wait_for(id)) for id in (first, second)]
    reads_after = [spans(peer.wait_for(id)) for id in after]
    check(all(beside == 2 for _, _, beside in reads_before), "side by side", reads_before)
    check(max(end for _, end, _ in reads_before) < writes[0][0], "the write waits", reads_before,
          writes)
    check(writes[0][1] < writes[1][0], "writes one at a time", writes)
    check(writes[1][1] < min(begin for begin, _, _ in reads_after), "later ones wait", writes,
          reads_after)
    check(all(beside == 1 for _, _, beside in reads_after), "side by side again", reads_after)
    peer.finish()


@made_up
def answers_at_once():
    """ping and lists are answered while calls run"""
    peer = with_peer("2025-11-25")
    slow = [peer.start("tools/call", {"name": "engram_query",
                                      "arguments": {"topic": "sleep:10000"}}) for _ in range(12)]
    run.judge.response("2025-11-25", peer.ask("ping"), "EmptyResult")
    tools_of("2025-11-25", peer)
    check(not peer.kept, "before any of the calls", peer.kept)
    # an id in flight
    run.judge.error("2025-11-25", peer.wait_for(peer.start("ping", None, slow[0])), -32600)
    for id in slow:
        peer.notify("notifications/cancelled", {"requestId": id})
    run.judge.response("2025-11-25", peer.wait_for(
        peer.start("tools/call", {"name": "engram_query", "arguments": {"topic": "x"}})),
        "CallToolResult")
    rest, status = peer.finish(10)
    check(rest == [] and status == 0, "what is cancelled is not answered", rest, status)


@made_up
def cancels():
    """a cancelled request, running or queued, alone or in an array, stops soon and gets no
    response"""
    peer = with_peer("2025-03-26")
    running = peer.start("tools/call", {"name": "engram_query",
                                        "arguments": {"topic": "sleep:20000"}}, "run")
    waiting = peer.start("tools/call", {"name": "engram_commit",
                                        "arguments": {"content": "sleep:20000 w"}}, 4)
    later = peer.start("tools/call", {"name": "engram_status"}, 5)
    peer.nothing(0.2)
    peer.notify("notifications/cancelled", {"requestId": waiting, "reason": "test"})
    peer.notify("notifications/cancelled", {"requestId": "4"})  # another id: a string
    # 5: nothing that writes is before it any more
    run.judge.response("2025-03-26", peer.receive(10), "CallToolResult")
    peer.notify("notifications/cancelled", {"requestId": running})
    check(receipt_span(peer.call("engram_commit", {"content": "after"}, 10))[0] > 0, "the write "
                                                                                     "need not "
                                                                                     "wait")
    peer.send([{"jsonrpc": "2.0", "id": 60, "method": "tools/call",
                "params": {"name": "engram_query", "arguments": {"topic": "sleep:20000"}}},
               {"jsonrpc": "2.0", "id": 61, "method": "tools/call",
                "params": {"name": "engram_status"}}])
    peer.nothing(0.2)
    peer.notify("notifications/cancelled", {"requestId": 60})
    answer = peer.receive(10)
    check([m["id"] for m in answer] == [61], "the array without the cancelled", answer)
    peer.notify("notifications/cancelled", {"requestId": later})  # answered long ago
    rest, status = peer.finish(10)
    check(rest == [] and status == 0, "nothing more", rest, status)


@made_up
def tells_progress():
    """a long call reports progress with the token of its request, in each revision; not without a
    token or after cancellation"""
    for rev in LEGACY + [STATELESS]:
        for token in ("p-1", 7):
            peer = with_peer(rev)
            call = {"name": "engram_check", "arguments": {"content": "sleep:600"},
                    "_meta": dict(peer.meta or {}, progressToken=token)}
            begun = time.monotonic()
            peer.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": call})
            told, message = [], peer.receive()
            while "id" not in message:
                run.judge.validate(rev, "JSONRPCNotification", message)
                run.judge.validate(rev, "ProgressNotification", message)
                told, message = told + [message["params"]], peer.receive()
            run.judge.response(rev, message, "CallToolResult")
            pauses = (peer.arrived - begun) / 0.2
            check(4 <= len(told) <= pauses + 5, "three, then a pause between them", pauses, told)
            check(all(p["progressToken"] == token and type(p["progressToken"]) is type(token)
                      for p in told), "the token as it came", told)
            steps = [p["progress"] for p in told]
            check(steps[2] <= 3, "the first three at once", told)
            check(steps == sorted(set(steps)) and told[-1]["progress"] == told[-1]["total"] == 120,
                  "each more, and the end", told)
            peer.finish()
    peer = with_peer("2025-11-25")
    slow = {"name": "engram_check", "arguments": {"content": "sleep:500"}}
    check("result" in peer.ask("tools/call", slow) and not peer.kept, "silent without a token")
    check("result" in peer.ask("tools/call", dict(slow, _meta={"progressToken": 1.5}))
          and not peer.kept, "nor by a wrong one")
    slow["arguments"]["content"] = "sleep:20000"
    gone = peer.start("tools/call", dict(slow, _meta={"progressToken": "gone"}))
    check(peer.receive()["params"]["progress"] >= 0, "it runs")
    peer.notify("notifications/cancelled", {"requestId": gone})
    peer.ask("ping")
    peer.kept.clear()
    peer.nothing(0.6)
    rest, status = peer.finish(10)
    check(rest == [] and status == 0, "nothing more", rest, status)


@checked
def reads_dribbled_input():
    """a message that arrives byte by byte, two in one write, and both kinds of line endings"""
    rev = "2025-11-25"
    peer = with_peer(rev)
    for byte in b'{"jsonrpc":"2.0","id":"dribble","method":"ping"}\r\n':
        peer.raw(bytes([byte]))
    run.judge.response(rev, peer.wait_for("dribble"), "EmptyResult")
    peer.raw(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,'
             b'"method":"ping"}\r\n\n'
             b'{"jsonrpc":"2.0",')
    peer.raw(b'"id":3,"method":"ping"}\n')
    check([peer.receive()["id"] for _ in range(3)] == [1, 2, 3], "in order")
    peer.finish()


@checked
def survives_a_flood():
    """many more requests than the limit in flight: each is answered once"""
    peer = with_peer("2025-11-25")
    count = 1000
    for i in range(count):
        method = ("ping", None) if i % 10 == 0 else ("tools/call", {"name": "engram_status"})
        peer.start(*method, id=f"f{i}")
    rest, status = peer.finish()
    check(status == 0, "exit status", status)
    check(sorted(m["id"] for m in rest) == sorted(f"f{i}" for i in range(count)), "each once",
          len(rest))
    check(all("result" in m for m in rest), "all succeeded")


@made_up
def reads_on_while_calls_wait():
    """a ping behind 80 calls is answered at once, and no call is lost"""
    peer = with_peer("2025-11-25")
    for i in range(80):
        peer.start("tools/call", {"name": "engram_query", "arguments": {"topic": "sleep:100"}},
                   id=i + 1000)
    ping = peer.start("ping")
    messages = []
    while not messages or messages[-1]["id"] != ping:
        messages.append(peer.receive())
    check(len(messages) < 40, "the ping waits for no call", len(messages))
    rest, _ = peer.finish()
    check(len(messages) + len(rest) == 81, "each once", len(messages), len(rest))


@checked
def answers_a_piped_script():
    """at the end of input every accepted request is answered, in order of effects; then it exits
    soon"""
    peer = open_peer()
    scope = f"pipe/{os.getpid()}"
    script = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "drive", "version": "1"}}}]
    for i in range(5):
        script.append({"jsonrpc": "2.0", "id": 10 + i, "method": "tools/call", "params": {
            "name": "engram_commit", "arguments": {"content": f"Piped{i} is here.",
                                                   "scope": scope}}})
    script.append({"jsonrpc": "2.0", "id": 20, "method": "tools/call", "params": {
        "name": "engram_query",
        "arguments": {"topic": "Piped0 Piped1 Piped2 Piped3 Piped4", "scope": scope, "limit": 50}}})
    peer.raw("\n".join(json.dumps(m) for m in script).encode())  # without a line break at the end
    rest, status = peer.finish(10)
    check(status == 0, "exits soon", status)
    check(sorted(m["id"] for m in rest) == [1, 10, 11, 12, 13, 14, 20], "each once",
          [m["id"] for m in rest])
    seen = {hit["content"] for m in rest if m["id"] == 20
            for hit in json.loads(m["result"]["content"][0]["text"])["results"]}
    check({f"Piped{i} is here." for i in range(5)} <= seen, "a script sees its own writes",
          sorted(seen))


@made_up
def ends_with_its_input():
    """a slow call is still answered after the end of input, and abandoned when the client is
    gone"""
    rev = "2025-11-25"
    peer = with_peer(rev)
    slow = peer.start("tools/call", {"name": "engram_query", "arguments": {"topic": "sleep:600"}})
    rest, status = peer.finish()
    check([m["id"] for m in rest] == [slow] and status == 0, "answered", rest, status)
    peer = with_peer("2025-11-25")
    peer.start("tools/call", {"name": "engram_query", "arguments": {"topic": "sleep:60000"}})
    peer.nothing(0.1)
    peer.process.send_signal(signal.SIGTERM)
    check(peer.process.wait(timeout=10) == 0, "told to stop")
    ours, theirs = os.pipe()
    deaf = subprocess.Popen(run.options.command, stdin=subprocess.PIPE, stdout=theirs)
    os.close(theirs)
    for id, method, params in ((1, "initialize", {"protocolVersion": rev}),
                               (2, "tools/call",
                                {"name": "engram_query", "arguments": {"topic": "sleep:60000"}})):
        deaf.stdin.write(json.dumps({"jsonrpc": "2.0", "id": id, "method": method,
                                     "params": params}).encode() + b"\n")
    deaf.stdin.flush()
    os.read(ours, 65536)
    os.close(ours)
    deaf.stdin.close()
    deaf.wait(timeout=10)


@made_up
def keeps_stdout_clean():
    """output of a library goes to standard error; a toolset that violates its contract breaks no
    message"""
    rev = "2025-11-25"
    peer = with_peer(rev, "all")
    tools = tools_of(rev, peer)
    check("test_odd" in tools and set(TEAM) <= set(tools), "all tools", sorted(tools))
    exact = '{"n": 12345678901234567890, "t": "\\u00fc", "deep": [[[1.50]]]}'
    peer.raw(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_odd",'
             b'"arguments":'
             + exact.encode() + b'}}\n')
    answer = peer.receive()
    check(exact in answer["result"]["content"][0]["text"], "arguments reach a tool as they were "
                                                           "written", answer)
    check(answer["result"]["structuredContent"] == {"arguments": json.loads(exact)}, "structured",
          answer)
    for word in ("broken", "array", "fail"):
        result = run.judge.response(rev, peer.call("test_odd", {"do": word}), "CallToolResult")
        check(result["isError"] and result["content"][0]["text"], word, result)
    peer.finish()


@checked
def serves_team_tools():
    """the tools of the team profile"""
    rev = "2025-11-25"
    peer = with_peer(rev, "team")
    tools = tools_of(rev, peer)
    scope = f"team/{os.getpid()}"
    first = good_call(rev, peer, tools, "engram_commit", {
        "content": "The cache size of the team service is 100 MB.", "scope": scope,
        "wait_ms": 10000})
    second = good_call(rev, peer, tools, "engram_commit", {
        "content": "The cache size of the team service is 200 MB.", "scope": scope,
        "wait_ms": 10000})
    passing = good_call(rev, peer, tools, "engram_commit", {
        "content": "Builds are slow today.", "scope": scope, "durability": "ephemeral"})
    check(second["conflicts"], "a conflict was expected", second)
    conflict = second["conflicts"][0]["conflict_id"]
    for word in ("true_positive", "false_positive"):
        value = good_call(rev, peer, tools, "engram_feedback",
                          {"conflict_id": conflict, "feedback": word})
        check(value["recorded"] and value["feedback"] == word, "feedback", value)
    value = good_call(rev, peer, tools, "engram_promote", {"fact_id": passing["fact_id"]})
    check(value["fact"]["fact_id"] == passing["fact_id"] and FACT <= set(value["fact"]), "promote",
          value)
    value = good_call(rev, peer, tools, "engram_lineage", {"lineage_id": first["lineage_id"][-8:]})
    check(value["versions"] and FACT <= set(value["versions"][0]), "lineage", value)
    value = good_call(rev, peer, tools, "engram_facts", {"scope": scope, "since": "1d"})
    check(len(value["facts"]) >= 3 and FACT <= set(value["facts"][0]), "facts", value)
    value = good_call(rev, peer, tools, "engram_expiring", {"within": "2d"})
    check("facts" in value, "expiring", value)
    value = good_call(rev, peer, tools, "engram_timeline", {"scope": scope})
    check({"added", "conflict"} <= {e["event"] for e in value["events"]}, "timeline", value)
    value = good_call(rev, peer, tools, "engram_timeline",
                      {"scope": scope, "since": "1h", "net": True})
    check(value["added"], "the net effect", value)
    value = good_call(rev, peer, tools, "engram_commit_batch", {"facts": [
        {"content": "The team service has two queues.", "scope": scope},
        {"content": "The team service has no cron jobs.", "scope": scope, "wait_ms": 0}]})
    check(len(value["results"]) == 2 and all(r["fact_id"] for r in value["results"]), "batch",
          value)
    for mark in ("pin", "unpin", "archive", "restore"):
        value = good_call(rev, peer, tools, "engram_mark",
                          {"fact_id": passing["fact_id"], "mark": mark})
        check(value["mark"] == mark and value["fact"], mark, value)
    value = good_call(rev, peer, tools, "engram_undo", {"undo_id": second["undo_id"]})
    check(value["undone"] == "commit" and value["undo_id"], "undo", value)
    peer.finish()


@checked
def survives_mutations():
    """messages with bytes changed, cut and doubled (seeded): an answer or silence, never an exit"""
    dice = random.Random(20260728)
    seeds = [json.dumps({"jsonrpc": "2.0", "id": "m", "method": "tools/call", "params": {
                 "name": "engram_query",
                 "arguments": {"topic": "tö\"x", "limit": 5, "as_of": "2026-07-28T00:00:00Z"}}}),
             json.dumps({"jsonrpc": "2.0", "id": "m", "method": "tools/list", "params": {"_meta": {
                 META + "protocolVersion": STATELESS, META + "clientCapabilities": {}}}}),
             json.dumps([{"jsonrpc": "2.0", "id": "m", "method": "ping"},
                         {"jsonrpc": "2.0", "method": "x"}])]
    peer = with_peer("2025-03-26")
    for round in range(60):
        for _ in range(50):
            text = bytearray(dice.choice(seeds).encode())
            for _ in range(dice.randint(1, 4)):
                at = dice.randrange(len(text))
                match dice.randrange(4):
                    case 0: text[at] = dice.randrange(256)
                    case 1: del text[at:at + dice.randint(1, 9)]
                    case 2: text[at:at] = text[at:at + dice.randint(1, 20)]
                    case 3: text[at:at] = dice.choice([b"\"", b"{", b"]", b"\\u0000", b"\xff",
                                                       b"1e999", b",", b"\n"])
                text = text or bytearray(b"x")
            peer.raw(bytes(text) + b"\n")
        check("result" in peer.wait_for(peer.start("ping")), "it lives", round)
        peer.kept.clear()
    _, status = peer.finish()
    check(status == 0, "exit status", status)


@checked
def starts_fast():
    """the first tools/list is answered within 100 ms of process start (best of five: the machine
    may be busy)"""
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
def starts_with_closed_descriptors():
    """without standard error it serves; without standard output or input it fails instead of
    hanging"""
    script = b"".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": "ping"}).encode() + b"\n"
                      for i in range(3))
    for closed, answers, good in (("2>&-", 3, True), ("1>&-", 0, False), ("0<&-", 0, False),
                                  (">/dev/full", 0, True)):
        done = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh"] + run.options.command,
                              input=script,
                              stdout=subprocess.PIPE, timeout=20)
        check(done.stdout.count(b"\n") == answers, f"{closed}: {answers} answers",
              repr(done.stdout))
        check((done.returncode == 0) == good, f"{closed}: exit status", done.returncode)


@checked
def refuses_unknown_options():
    """an unknown profile is an error, printed on standard error"""
    peer = open_peer("nonsense")
    peer.close_input()
    check(peer.process.wait(timeout=10) != 0, "exit status")


