#!/usr/bin/env python3
"""sdk_client.py - one session of the official Python SDK (package mcp) with a stdio server: list
the tools, commit two facts that contradict each other, query, see the conflict, read a fact as a
resource, get the prompt, resolve the conflict, in both eras.

    sdk_client.py COMMAND [ARGUMENT ...]

Exit 77 with a line that says why when the package is not there or is too old to know revision
2026-07-28. """
import asyncio
import json
import os
import sys

try:
    from mcp import Client, StdioServerParameters
except ImportError as e:
    print(f"skip: the official MCP SDK for Python is not there ({e}); nothing was tested")
    sys.exit(77)


def check(condition, text, detail=None):
    if not condition:
        sys.exit(f"FAIL {text}: {detail}")


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    value = result.structured_content
    check(not result.is_error, tool, result.content)
    check(json.loads(result.content[0].text) == value, f"{tool}: text and structured content "
                                                       f"differ")
    return value


async def session(mode, scope, service):
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        version = client.session.protocol_version
        names = [tool.name for tool in (await client.list_tools()).tools]
        check({"engram_commit", "engram_query", "engram_conflicts",
               "engram_resolve"} <= set(names), "tools", names)
        timeout = f"The request timeout of the {service} service is"
        first = await call(client, "engram_commit", content=f"{timeout} 30 seconds.", scope=scope,
                           agent_id="sdk-a", wait_ms=10000)
        second = await call(client, "engram_commit", content=f"{timeout} 45 seconds.", scope=scope,
                            agent_id="sdk-b", wait_ms=10000)
        ours = [c for c in second["conflicts"]
                if first["fact_id"] == c["fact_a"]["fact_id"] and "fact_b" not in c]
        check(len(ours) == 1, "the receipt names the conflict", second)
        conflict = ours[0]["conflict_id"]
        hits = (await call(client, "engram_query", topic=f"request timeout of {service}",
                           scope=scope))["results"]
        check({first["fact_id"], second["fact_id"]} <= {hit["fact_id"] for hit in hits}, "query",
              hits)
        found = (await call(client, "engram_conflicts", scope=scope, limit=100))["conflicts"]
        check(conflict in [c["conflict_id"] for c in found], "conflicts", found)
        fact = json.loads((await client.read_resource(
            f"engram://facts/{first['fact_id']}")).contents[0].text)
        check(fact["fact"]["fact_id"].endswith(first["fact_id"]) and fact["history"],
              "resource of a fact", fact)
        prompt = await client.get_prompt("settle_conflicts", {"scope": scope})
        check(conflict in prompt.messages[0].content.text, "the prompt lists the conflict", prompt)
        done = await call(client, "engram_resolve", conflict_id=conflict, resolution_type="winner",
                          resolution="measured", winning_fact_id=second["fact_id"])
        check([f["fact_id"] for f in done["closed"]] == [first["fact_id"]], "resolve", done)
        found = (await call(client, "engram_conflicts", scope=scope, limit=100))["conflicts"]
        check(conflict not in [c["conflict_id"] for c in found], "it is settled", found)
        wrong = await client.call_tool("engram_query", {"topicx": "a"})
        check(wrong.is_error and "topicx" in wrong.content[0].text, "bad arguments", wrong)
        print(f"ok   mode {mode}: revision {version}, {len(names)} tools, commit, query, "
              f"conflicts, resolve, resource, prompt")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for mode, service in (("auto", "upload"), ("legacy", "export")):
        asyncio.run(session(mode, f"sdk/{mode}/{os.getpid()}", service))


if __name__ == "__main__":
    main()
