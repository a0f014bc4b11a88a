// sdk_client.cjs - one session of the official TypeScript SDK (npm package
// @modelcontextprotocol/sdk) with a stdio server: what is offered, two facts that contradict each
// other, the conflict seen in the receipt, in the list, as a resource and in the prompt, settled
// and gone; what is not offered is refused; two clients share one memory.
//
//     node sdk_client.cjs COMMAND [ARGUMENT ...]
//
// Node finds the package by NODE_PATH (the node_modules folder that holds it). Exit 77 with a line
// that says why when it is not there.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

let sdk;
try {
  sdk = {
    ...require("@modelcontextprotocol/sdk/client/index.js"),
    ...require("@modelcontextprotocol/sdk/client/stdio.js"),
    ...require("@modelcontextprotocol/sdk/types.js"),
  };
} catch (e) {
  console.log(`skip: the official MCP SDK for TypeScript is not there (${e.code}); NODE_PATH ` +
              "should name the node_modules folder that holds it; nothing was tested");
  process.exit(77);
}

const [command, ...args] = process.argv.slice(2);
const home = fs.mkdtempSync(path.join(os.tmpdir(), "engram-sdk-"));
const env = {...process.env, ENGRAM_HOME: home, ENGRAM_WORKSPACE: "sdk"};

async function connect(name) {
  const client = new sdk.Client({name, version: "1"}, {capabilities: {roots: {}}});
  client.setRequestHandler(sdk.ListRootsRequestSchema, () => ({roots: []}));
  await client.connect(new sdk.StdioClientTransport({command, args, env}));
  return client;
}

async function call(client, name, given) {
  const result = await client.callTool({name, arguments: given});
  assert(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent,
                   `${name}: text and structured content differ`);
  return result.structuredContent;
}

async function refused(promise, code) {
  await assert.rejects(promise, (e) => (assert.equal(e.code, code), true));
}

async function main() {
  const scope = "sdk/ts", one = await connect("one"), two = await connect("two");
  const timeout = "The request timeout of the gateway service is";
  assert.equal(one.getServerVersion().name, "engram");
  assert.match(one.getInstructions(), /engram_query/);
  const {tools} = await one.listTools();
  for (const tool of ["engram_commit", "engram_query", "engram_conflicts", "engram_resolve"])
    assert(tools.some((t) => t.name === tool && t.inputSchema.type === "object" && t.outputSchema),
           tool);
  assert.deepEqual((await one.listResources()).resources, []);
  const {resourceTemplates} = await one.listResourceTemplates();
  assert.deepEqual(resourceTemplates.map((t) => t.uriTemplate),
                   ["engram://facts/{id}", "engram://conflicts/{id}"]);
  const {prompts} = await one.listPrompts();
  assert(prompts.some((p) => p.name === "settle_conflicts"));

  const first = await call(one, "engram_commit", {content: `${timeout} 30 seconds.`, scope,
                                                  agent_id: "ts-a", wait_ms: 10000});
  const second = await call(two, "engram_commit", {content: `${timeout} 45 seconds.`, scope,
                                                   agent_id: "ts-b", wait_ms: 10000});
  assert.equal(second.conflicts.length, 1, JSON.stringify(second));
  const conflict = second.conflicts[0].conflict_id;
  const open = async (client) =>
    (await call(client, "engram_conflicts", {scope})).conflicts.map((c) => c.conflict_id);
  assert.deepEqual(await open(one), [conflict]);
  const {results} = await call(one, "engram_query", {topic: "gateway timeout", scope});
  assert.deepEqual(results.map((r) => r.fact_id).sort(), [first.fact_id, second.fact_id].sort());
  const read = async (uri) => JSON.parse((await two.readResource({uri})).contents[0].text);
  assert((await read(`engram://conflicts/${conflict}`)).conflict.conflict_id.endsWith(conflict));
  assert((await read(`engram://facts/${first.fact_id}`)).fact.content.endsWith("30 seconds."));
  const prompt = await two.getPrompt({name: "settle_conflicts", arguments: {scope}});
  assert(prompt.messages[0].content.text.includes(conflict));

  const done = await call(two, "engram_resolve", {
    conflict_id: conflict, resolution_type: "winner", resolution: "measured",
    winning_fact_id: second.fact_id});
  assert.deepEqual(done.closed.map((f) => f.fact_id), [first.fact_id]);
  assert.deepEqual(await open(one), []);
  assert.equal((await read(`engram://conflicts/${conflict}`)).conflict.status, "resolved");

  const wrong = await one.callTool({name: "engram_query", arguments: {topicx: "a"}});
  assert(wrong.isError && wrong.content[0].text.includes("topicx"));
  await refused(one.callTool({name: "no_such_tool", arguments: {}}), sdk.ErrorCode.InvalidParams);
  await refused(one.readResource({uri: "engram://facts/abababababab"}), -32002);
  // what is not offered is not announced, and the SDK itself would refuse to ask
  const offered = one.getServerCapabilities();
  assert(!offered.completions && !offered.resources.subscribe, JSON.stringify(offered));
  const refusals = [
    {method: "completion/complete", params: {ref: {type: "ref/prompt", name: "settle_conflicts"},
                                             argument: {name: "scope", value: "s"}}},
    {method: "resources/subscribe", params: {uri: `engram://facts/${first.fact_id}`}}];
  for (const request of refusals)
    await refused(one.request(request, sdk.EmptyResultSchema), sdk.ErrorCode.MethodNotFound);
  await one.ping();
  await Promise.all([one.close(), two.close()]);
  console.log(`ok   ${tools.length} tools, ${prompts.length} prompt, two clients, commit, query, ` +
              "conflicts, resources, prompt, resolve, refusals");
}

main().catch((e) => {
  console.error(`FAIL ${e.stack}`);
  process.exitCode = 1;
}).finally(() => fs.rmSync(home, {recursive: true}));
