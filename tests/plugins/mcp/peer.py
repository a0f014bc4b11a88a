"""peer.py - the client's end of a stdio MCP connection, for tests: sends what it is told,
well-formed or not, and keeps what comes back. And the judge: validates messages with the published
schema of a revision. """
import copy
import json
import os
import queue
import subprocess
import sys
import threading
import time

try:
    import jsonschema
except ImportError:
    sys.exit("drive.py: the Python package jsonschema is missing (Debian: python3-jsonschema); "
             "nothing was tested")

LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
STATELESS = "2026-07-28"
META = "io.modelcontextprotocol/"


class Failure(Exception):
    pass


def check(condition, text, *details):
    if not condition:
        raise Failure(text + "".join("\n    " + json.dumps(d, default=repr)[:1500]
                                     for d in details))


class Judge:
    """Validates by the schema of a revision, and refuses members that the revision does not
    define."""

    def __init__(self, folder):
        self.schemas = {}
        for rev in LEGACY + [STATELESS]:
            with open(os.path.join(folder, f"schema-{rev}.json"), encoding="utf-8") as f:
                self.schemas[rev] = json.load(f)

    def definitions(self, rev):
        s = self.schemas[rev]
        return s.get("$defs") or s["definitions"]

    def validate(self, rev, name, value):
        schema = copy.copy(self.schemas[rev])
        place = "$defs" if "$defs" in schema else "definitions"
        check(name in schema[place], f"{rev} has no definition {name}")
        for key in ("anyOf", "oneOf", "allOf", "type", "properties", "required"):
            schema.pop(key, None)
        schema["$ref"] = f"#/{place}/{name}"
        errors = list(jsonschema.validators.validator_for(schema)(schema).iter_errors(value))
        check(not errors, f"{rev} {name}: {errors[0].message if errors else ''}", value)

    def strict(self, rev, name, value):
        self.validate(rev, name, value)
        unknown = sorted(set(value) - set(self.definitions(rev)[name].get("properties", {})))
        check(not unknown, f"{rev} {name} has members that the revision does not know", unknown)

    def response(self, rev, message, name):
        """A success whose result is of this definition."""
        self.validate(rev, "JSONRPCResponse", message)
        check("result" in message, f"{rev}: a {name} was expected", message)
        self.strict(rev, name, message["result"])
        if rev == STATELESS:
            self.validate(rev, "JSONRPCResultResponse", message)
            check(message["result"]["resultType"] == "complete", "resultType", message)
            info = message["result"]["_meta"][META + "serverInfo"]
            self.strict(rev, "Implementation", info)
        else:
            check("resultType" not in message["result"], "resultType in the initialize era",
                  message)
        return message["result"]

    def error(self, rev, message, code):
        check("error" in message and message["error"]["code"] == code,
              f"error {code} was expected", message)
        name = "JSONRPCError" if "JSONRPCError" in self.definitions(rev) else "JSONRPCErrorResponse"
        shown = dict(message)
        # JSON-RPC's way for errors of no known request; no schema has it
        if "id" in shown and shown["id"] is None:
            check(name == "JSONRPCError", "a null id in a revision that leaves it out", message)
            shown["id"] = 0
        self.validate(rev, name, shown)
        check(message["error"]["message"], "an error without a sentence", message)
        return message["error"]


class Peer:
    def __init__(self, command, env=None):
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=env)
        self.lines = queue.Queue()
        self.kept = []
        self.next_id = 0
        self.meta = None
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), line))
        self.lines.put((time.monotonic(), None))

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def receive(self, timeout=20):
        """The next message; None at the end of output."""
        try:
            self.arrived, line = self.lines.get(timeout=timeout)
        except queue.Empty:
            raise Failure("no message came") from None
        if line is None:
            return None
        check(line.endswith(b"\n") and line.count(b"\n") == 1, "a message is one line", repr(line))
        try:
            return json.loads(line.decode("utf-8"))
        except ValueError as e:
            raise Failure(f"not JSON: {e}: {line[:200]!r}") from None

    def nothing(self, seconds):
        try:
            _, line = self.lines.get(timeout=seconds)
        except queue.Empty:
            return
        raise Failure(f"an unexpected message: {line!r}")

    def start(self, method, params=None, id=None):
        if id is None:
            self.next_id += 1
            id = self.next_id
        if self.meta is not None:
            params = dict(params or {}, _meta=self.meta)
        self.send({"jsonrpc": "2.0", "id": id, "method": method}
                  | ({} if params is None else {"params": params}))
        return id

    def wait_for(self, id, timeout=20):
        for i, message in enumerate(self.kept):
            if isinstance(message, dict) and message.get("id") == id:
                return self.kept.pop(i)
        until = time.monotonic() + timeout
        while True:
            message = self.receive(max(0.01, until - time.monotonic()))
            check(message is not None, f"the output ended before the answer to {id}")
            if isinstance(message, dict) and message.get("id") == id:
                return message
            self.kept.append(message)

    def ask(self, method, params=None, timeout=20):
        return self.wait_for(self.start(method, params), timeout)

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method}
                  | ({} if params is None else {"params": params}))

    def call(self, tool, arguments=None, timeout=20):
        return self.ask("tools/call", {"name": tool}
                        | ({} if arguments is None else {"arguments": arguments}), timeout)

    def initialize(self, rev):
        answer = self.ask("initialize", {"protocolVersion": rev, "capabilities": {},
                                         "clientInfo": {"name": "drive", "version": "1"}})
        self.notify("notifications/initialized")
        return answer

    def stateless(self):
        self.meta = {META + "protocolVersion": STATELESS, META + "clientCapabilities": {},
                     META + "clientInfo": {"name": "drive", "version": "1"}}

    def close_input(self):
        self.process.stdin.close()

    def finish(self, seconds=20):
        """Closes the input; returns the remaining messages and the exit status."""
        if not self.process.stdin.closed:
            self.close_input()
        rest, until = list(self.kept), time.monotonic() + seconds
        while (message := self.receive(max(0.01, until - time.monotonic()))) is not None:
            rest.append(message)
        return rest, self.process.wait(timeout=max(0.01, until - time.monotonic()))

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
