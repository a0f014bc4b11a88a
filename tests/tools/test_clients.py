#!/usr/bin/env python3
"""`engram install`: configuration files of nine clients, as people have them, with Engram entered
and taken out again.
usage: test_clients.py ENGRAM"""
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import tomllib
import unittest

ENGRAM = os.path.realpath(sys.argv[1])
FILES = {"claude-code": ".claude.json",
         "claude-desktop": ".config/Claude/claude_desktop_config.json",
         "cursor": ".cursor/mcp.json", "vscode": ".config/Code/User/mcp.json",
         "windsurf": ".codeium/windsurf/mcp_config.json", "codex": ".codex/config.toml",
         "gemini": ".gemini/settings.json", "zed": ".config/zed/settings.json",
         "opencode": ".config/opencode/opencode.json"}
TABLES = {"vscode": "servers", "zed": "context_servers", "opencode": "mcp", "codex": "mcp_servers"}
STDIO = {"claude-code", "vscode"}
JSON_FILES = {
    "empty": "", "a line end": "\n", "an object": "{}", "an object and a line end": "{}\n",
    "an object with a line": "{\n}\n", "blank lines": "\n\n", "blanks": " ",
    "one line": '{"theme":"dark","n":[1,2]}',
    "only comments": "// settings\n// of ours\n", "a comment without a line end": "/* a */ // b",
    "a mark of byte order": '\ufeff{\n  "a": 1\n}\n', "only that mark": "\ufeff",
    "a comment with two CR": '{\n\t"a": 1, // c\r\r\n}\n',
    "two spaces": '{\n  "numStartups": 7,\n  "TABLE": {\n    "github": {\n'
                  '      "command": "npx",\n      "args": ["-y", "x"]\n'
                  '    }\n  },\n  "z": null\n}\n',
    "tabs": '{\n\t"TABLE": {\n\t\t"db": {\n\t\t\t"command": "/opt/db"\n\t\t}\n\t}\n}',
    "four spaces, CRLF": '{\r\n    // which theme\r\n    "theme": "One",\r\n    "TABLE": {\r\n'
                         '        "a": {"command": "x"}, // mine\r\n    },\r\n}\r\n',
    "trailing commas": '{\n  "TABLE": {\n    "a": {\n      "command": "x",\n    }, /* b */ // c\n'
                       '    // engram is not here\n  },\n}\n',
    "a comment behind the last": '{\n  "TABLE": {\n    "a": {"command": "x"} // "engram": {}\n'
                                 '  }\n}\n',
    "an empty table": '{"TABLE": {}, "b": "\\u00e9 {[,"}\n',
    "an empty table with a comment": '{\n  "TABLE": {\n    // none yet\n  }\n}\n',
    "no table": '{\n  "ui": {"theme": "x"}, // a\n  /* b */\n  "c": [1, [2, {}],],\n  // end\n}\n',
    "on lines of one": '{"TABLE":{"a":{"command":"x"}},"k":-1.5e-3}',
    "a name with escapes": '{\n  "\\u0054ABLE_": {},\n  "a\\"b": "c\\\\"\n}\n',
}
TOML_FILES = {
    "empty": "", "a line end": "\n", "a line without an end": 'model = "o"',
    "a comment": "# mine\n", "only a mark of byte order": "\ufeff",
    "as people have it": """\ufeffmodel = "gpt" # the default
approval_policy = "never"

[mcp_servers.a]
command = "npx"
args = [
  "-y", # yes
  "b",
]
[mcp_servers.a.env]
KEY = 'v'

# projects
[projects."/home/me/x.y"]
trust_level = "trusted"
at = 1979-05-27 07:32:00Z
n = { a = 1, "b c" = [ {} ] }
""",
    "CRLF": '[tui]\r\ntheme = """\r\n[mcp_servers.engram]\r\n"""\r\n'
            "keys.a = '''x''''\r\n\r\n",
    "arrays of tables": "[[a]]\nb = 1\n[[a]]\nb = 2\n[mcp_servers]\n",
}


class Clients(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.home = os.path.realpath(scratch.name)
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("ENGRAM_", "XDG_", "CLAUDE_", "CODEX_"))}
        self.env.update(HOME=self.home, PATH="/usr/bin:/bin")

    def engram(self, *words, expect=0, **env):
        done = subprocess.run([ENGRAM, "install", *words], capture_output=True, text=True,
                              timeout=60, env={**self.env, **env}, cwd=self.home)
        self.assertEqual(done.returncode, expect, (words, done.stdout, done.stderr))
        return done

    def path(self, client):
        return os.path.join(self.home, FILES[client])

    def write(self, client, text):
        os.makedirs(os.path.dirname(self.path(client)), exist_ok=True)
        with open(self.path(client), "wb") as f:
            f.write(text.encode())

    def read(self, client):
        with open(self.path(client), "rb") as f:
            return f.read().decode()

    def parsed(self, client):
        text = self.read(client).removeprefix("\ufeff")
        if client == "codex":
            return tomllib.loads(text.replace("\r\n", "\n"))
        strings = r'"(?:[^"\\]|\\.)*"'
        text = re.sub(rf"({strings})|//[^\n]*|/\*.*?\*/", lambda m: m[1] or " ", text, flags=re.S)
        text = re.sub(rf"({strings})|,(?=\s*[}}\]])", lambda m: m[1] or "", text)
        return json.loads(text)

    def entry(self, client, *more):
        words = ["mcp", *more]
        if client == "opencode":
            return {"type": "local", "command": [ENGRAM, *words], "enabled": True}
        kind = {"type": "stdio"} if client in STDIO else {}
        kind = {"source": "custom"} if client == "zed" else kind
        return {**kind, "command": ENGRAM, "args": words}

    def entered(self, client):
        return self.parsed(client)[TABLES.get(client, "mcpServers")]["engram"]

    def texts(self, client):
        for name, text in (TOML_FILES if client == "codex" else JSON_FILES).items():
            yield name, text.replace("TABLE", TABLES.get(client, "mcpServers"))

    def test_files_are_kept_and_restored(self):
        """All that was there stays, in its order; removal restores each byte and the mode."""
        for client in FILES:
            for name, text in self.texts(client):
                with self.subTest(client=client, file=name):
                    self.write(client, text)
                    os.chmod(self.path(client), 0o640)
                    shown = self.engram(client, "--dry-run").stdout
                    self.assertEqual(self.read(client), text)
                    self.assertIn("would be entered", shown)
                    self.engram(client)
                    after = self.read(client)
                    self.assertEqual(self.entered(client), self.entry(client))
                    rest = iter(after)
                    self.assertTrue(all(c in rest for c in text), after)
                    if text.count("\n") == text.count("\r\n") > 0:
                        self.assertNotRegex(after, r"(?<!\r)\n")
                    self.assertIn("unchanged", self.engram(client).stdout)
                    self.assertEqual(self.read(client), after)
                    self.assertEqual(stat.S_IMODE(os.stat(self.path(client)).st_mode), 0o640)
                    self.assertIn("removed", self.engram(client, "--remove").stdout)
                    self.assertEqual(self.read(client), text)

    def test_missing_files_are_made_and_deleted(self):
        for client in FILES:
            with self.subTest(client):
                self.engram(client, "--profile", "team")
                self.assertEqual(self.entered(client), self.entry(client, "--profile", "team"))
                self.assertEqual(stat.S_IMODE(os.stat(self.path(client)).st_mode), 0o600)
                self.engram(client, "--remove")
                self.assertFalse(os.path.exists(self.path(client)))
                self.assertIn("not entered", self.engram(client, "--remove").stdout)
                self.assertFalse(os.path.exists(self.path(client)))

    def test_another_entry_stays_without_force(self):
        """What it says is shown; members of the user's own do not make it another one."""
        for client in FILES:
            with self.subTest(client):
                self.engram(client)
                ours = self.read(client)
                self.write(client, ours.replace(ENGRAM, "/old/engram"))
                done = self.engram(client, expect=1)
                self.assertIn("/old/engram", done.stdout)
                self.assertIn(f'{ENGRAM}"', done.stdout)
                self.assertIn("--force", done.stderr)
                self.assertIn("/old/engram", self.read(client))
                self.assertIn("entered, but different", self.engram().stdout)
                self.assertIn("replaced", self.engram(client, "--force").stdout)
                self.assertEqual(self.read(client), ours)

    def test_a_replacement_keeps_what_the_user_added(self):
        """Members that are not ours stay, byte for byte; those of a server elsewhere go."""
        kinds = {client: '"type": "stdio",\n      ' if client in STDIO else "" for client in FILES}
        kinds["zed"] = '"source": "custom",\n      '
        for client in FILES:
            if client in ("codex", "opencode"):
                continue
            table = TABLES.get(client, "mcpServers")
            text = (f'{{\n  "{table}": {{\n    "engram": {{\n      {kinds[client]}"args": [\n'
                    '        "mcp"\n      ], // old\n      "env": {\n        "A": "b"\n      },\n'
                    '      "command": "/old/engram",\n      "disabled": true\n    }\n  }\n}\n')
            with self.subTest(client):
                self.write(client, text)
                self.engram(client, "--force")
                self.assertEqual(self.read(client), text.replace("/old/engram", ENGRAM))
                self.engram(client, "--profile", "all", "--force")
                self.assertEqual(self.entered(client), {
                    **self.entry(client, "--profile", "all"), "env": {"A": "b"}, "disabled": True})
        self.write("opencode", '{"mcp": {"engram": {"type": "remote", "url": "http://a", '
                               '"headers": {}, "environment": {"A": "b"}, "enabled": false}}}')
        self.engram("opencode", "--force")
        words = f'["{ENGRAM}", "mcp"]'
        self.assertEqual(self.read("opencode"),
                         f'{{"mcp": {{"engram": {{"command": {words}, "type": "local", '
                         '"environment": {"A": "b"}, "enabled": true}}}')

    def test_a_replacement_of_odd_entries(self):
        ours = f'"command": "{ENGRAM}"'
        for text, after in (
                ('{"mcpServers": {"engram": {}}}', None),
                ('{"mcpServers": {"engram": 1}}', None),
                ('{"mcpServers": {"engram": {"env":{"A":"b"}}}}',
                 f'{{{ours}, "args": ["mcp"], "env":{{"A":"b"}}}}'),
                ('{"mcpServers": {"engram": {"url": "http://a", "args": [], "args": [1]}}}',
                 f'{{{ours}, "args": ["mcp"]}}'),
                ('{"mcpServers": {"engram": { "url": "http://a" }}}', None),
                ('{"mcpServers": {"engram": {"env": {}, "type": "sse", "url": "a",},}}',
                 f'{{{ours}, "args": ["mcp"], "env": {{}},}}')):
            with self.subTest(text):
                self.write("cursor", text)
                self.engram("cursor", "--force")
                entered = self.entered("cursor")
                self.assertEqual({k: entered[k] for k in ("command", "args")}, self.entry("cursor"))
                self.assertNotIn("url", entered)
                if after:
                    self.assertIn(f'"engram": {after}', self.read("cursor"))
                self.assertIn("unchanged", self.engram("cursor").stdout)

    def test_a_replacement_keeps_tables_of_codex(self):
        for text, after in (
                ('a = 1\n\n[mcp_servers.engram] # ours\ncommand = "/old" # here\n'
                 'startup_timeout_sec = 20\n# c\nargs = [\n  "mcp", # no more\n]\ncwd = "/x"\n\n'
                 '[mcp_servers.engram.env]\nB = "c"\n\n[z]\n',
                 'a = 1\n\n[mcp_servers.engram] # ours\ncommand = "ENGRAM" # here\n'
                 'startup_timeout_sec = 20\n# c\nargs = [\n  "mcp", # no more\n]\ncwd = "/x"\n\n'
                 '[mcp_servers.engram.env]\nB = "c"\n\n[z]\n'),
                ('[mcp_servers.engram]\nurl = "http://a"\nbearer_token_env_var = "T"\n'
                 'http_headers.X = "y"\nenabled = false\n\n[mcp_servers.engram.env_http_headers]\n'
                 'X = "Y"\n\n[z]\n',
                 '[mcp_servers.engram]\ncommand = "ENGRAM"\nargs = ["mcp"]\nenabled = false\n'
                 '\n[z]\n'),
                ('[mcp_servers.engram.env]\nA = "b"',
                 '[mcp_servers.engram]\ncommand = "ENGRAM"\nargs = ["mcp"]\n\n'
                 '[mcp_servers.engram.env]\nA = "b"'),
                ("[mcp_servers.engram]",
                 '[mcp_servers.engram]\ncommand = "ENGRAM"\nargs = ["mcp"]'),
                ("[mcp_servers.engram]\r\nargs.a = 1\r\n",
                 '[mcp_servers.engram]\r\ncommand = "ENGRAM"\r\nargs = ["mcp"]\r\n')):
            with self.subTest(text):
                self.write("codex", text)
                self.engram("codex", "--force")
                self.assertEqual(self.read("codex"), after.replace("ENGRAM", ENGRAM))
                self.assertEqual({k: self.entered("codex")[k] for k in ("command", "args")},
                                 self.entry("codex"))
                self.assertIn("unchanged", self.engram("codex").stdout)

    def test_files_as_the_clients_write_them(self):
        """As `mcp add` of Claude Code 2.1, Codex 0.169 and Gemini CLI 0.61 wrote them: before ours,
        and anew with ours in them."""
        other = {"command": "/usr/bin/true", "args": ["a", "b"], "env": {"KEY": "v"}}
        for client, rest in (("claude-code", {"firstStartTime": "2026-11-24T12:26:14.991Z",
                                              "seenNotifications": {}, "migrationVersion": 13}),
                             ("gemini", {})):
            server = {"type": "stdio", **other} if client in STDIO else other
            def written(**servers):
                return json.dumps({**rest, "mcpServers": servers}, indent=2)
            with self.subTest(client):
                self.write(client, written(other=server))
                self.engram(client)
                self.assertEqual(self.parsed(client)["mcpServers"]["other"], server)
                self.write(client, json.dumps(self.parsed(client), indent=2))
                self.assertIn("unchanged", self.engram(client).stdout)
                self.engram(client, "--remove")
                self.assertEqual(self.read(client), written(other=server))
                self.write(client, written(engram=self.entry(client), other=server))
                self.engram(client, "--remove")
                self.assertEqual(self.read(client), written(other=server))
        text = ('[mcp_servers.other]\ncommand = "/usr/bin/true"\nargs = ["a", "b"]\n\n'
                '[mcp_servers.other.env]\nKEY = "v"\n')
        self.write("codex", text)
        self.engram("codex")
        ours = f'[mcp_servers.engram]\ncommand = "{ENGRAM}"\nargs = ["mcp"]\n'
        self.assertEqual(self.read("codex"), f"{text}\n{ours}")
        self.engram("codex", "--remove")
        self.assertEqual(self.read("codex"), text)
        self.write("codex", f"{ours}\n{text}")
        self.engram("codex", "--remove")
        self.assertEqual(self.read("codex"), text)

    def test_more_members_and_other_spellings_are_the_same(self):
        spelled = ENGRAM.replace("/", "\\/", 1)
        self.write("cursor", f'{{"mcpServers": {{"engr\\u0061m": {{ "args" : [ "mcp", ], // a\n'
                             f'"env": {{"A": "b"}}, "command": "{spelled}" }}}}}}')
        self.assertIn("unchanged", self.engram("cursor").stdout)
        self.write("codex", "[ mcp_servers . 'engram' ]\nargs = [ # a\n 'mcp', ]\n"
                            f"command='{ENGRAM}'\n"
                            "startup_timeout_sec = 20\n[mcp_servers.engram.env]\nA = 'b'\n[z]\n")
        self.assertIn("unchanged", self.engram("codex").stdout)
        self.engram("codex", "--remove")
        self.assertEqual(self.read("codex"), "[z]\n")

    def test_an_entry_between_others_goes_alone(self):
        self.write("zed", '{\n  "context_servers": {\n    "a": {},\n'
                          '    "engram": {"command": "x"}, // e\n    "b": {},\n  }\n}\n')
        self.engram("zed", "--remove")
        self.assertEqual(self.read("zed"),
                         '{\n  "context_servers": {\n    "a": {}, // e\n    "b": {},\n  }\n}\n')
        self.write("zed", '{"context_servers": {"a": {}, // b\n  "engram": {"command": "x"}}}\n')
        self.engram("zed", "--remove")
        self.assertEqual(self.read("zed"), '{"context_servers": {"a": {} // b\n  }}\n')
        self.write("codex", 'a = 1\n\n[mcp_servers.engram]\ncommand = "x"\n\n'
                            "# b\n[mcp_servers.b]\nc = 1\n")
        self.engram("codex", "--remove")
        self.assertEqual(self.read("codex"), "a = 1\n\n# b\n[mcp_servers.b]\nc = 1\n")

    def test_what_is_not_well_formed_is_refused(self):
        for client, text, place, said in (
                ("cursor", '{\n  "a": 1\n  "b": 2\n}', "3:3", "a comma or a closing bracket"),
                ("cursor", '{"é": tru}', "1:7", "a value is missing"),
                ("cursor", '{"a": [1,,2]}', "1:10", "a value is missing"),
                ("cursor", '{"a": "x\n"}', "1:9", "not allowed in a string"),
                ("cursor", '{"a": "\\q"}', "1:8", "not allowed in a string"),
                ("cursor", '{"a": 01}', "1:7", "a value is missing"),
                ("cursor", '{"a" 1}', "1:6", "a colon"),
                ("cursor", "{a: 1}", "1:2", "a name in quotes"),
                ("cursor", "{} {}", "1:4", "should have ended"),
                ("cursor", "[]", "1:1", "an object"),
                ("cursor", '{"a": [}', "1:8", "a value is missing"),
                ("cursor", "{/* a", "1:2", "no end"),
                ("cursor", '{"a": {', "1:8", "before all brackets"),
                ("cursor", '{"a":' + "[" * 600, "1:517", "nested too deep"),
                ("cursor", '{"mcpServers": []}', "1:16", "should stand here"),
                ("cursor", '{"mcpServers": {}, "mcpServers": {}}', "1:20", "twice"),
                ("cursor", '{"mcpServers": {"engram": 1, "engram": 2}}', "1:30", "twice"),
                ("codex", "a = 1\nb\n", "2:2", "an equals sign"),
                ("codex", "[a\n", "1:3", "a closing bracket"),
                ("codex", 'a = "x\n', "1:5", "closing quote"),
                ("codex", "a = 1 2\n", "1:7", "should have ended"),
                ("codex", "a = [1\n\n2]", "3:1", "a comma"),
                ("codex", "a = \n", "1:5", "a value is missing"),
                ("codex", "a = " + "[" * 600, "1:517", "nested too deep"),
                ("codex", "[]\n", "1:2", "a name is missing"),
                ("codex", "[a] b\n", "1:5", "should have ended"),
                ("codex", "mcp_servers = {}\n", "1:1", "another form"),
                ("codex", "[mcp_servers]\nengram.command = 'x'\n", "2:1", "another form"),
                ("codex", "[[mcp_servers.engram]]\n", "1:3", "array of tables"),
                ("codex", "[mcp_servers.engram]\n[mcp_servers.engram]\n", "2:2", "twice")):
            with self.subTest(text[:40]):
                self.write(client, text)
                for words in ([client], [client, "--remove"], [client, "--force"]):
                    done = self.engram(*words, expect=2)
                    self.assertIn(f"{self.path(client)}:{place}: ", done.stderr)
                    self.assertIn(said, done.stderr)
                    self.assertEqual(self.read(client), text)

    def test_links_are_followed(self):
        kept = os.path.join(self.home, "dotfiles.json")
        with open(kept, "w", encoding="ascii") as f:
            f.write("{}\n")
        os.mkdir(os.path.join(self.home, ".cursor"))
        os.symlink("../dotfiles.json", self.path("cursor"))
        self.engram("cursor")
        self.assertTrue(os.path.islink(self.path("cursor")))
        self.assertEqual(self.entered("cursor"), self.entry("cursor"))
        os.remove(kept)
        self.assertIn("cannot follow", self.engram("cursor", expect=2).stderr)
        self.assertFalse(os.path.exists(kept))
        self.assertEqual(os.listdir(os.path.join(self.home, ".cursor")), ["mcp.json"])

    def test_the_list_and_all(self):
        self.assertEqual(self.engram().stdout.count("not found"), len(FILES))
        self.write("gemini", "{}\n")
        self.write("codex", "")
        os.mkdir(os.path.join(self.home, ".claude"))
        self.assertEqual(self.engram().stdout.count("not entered"), 3)
        done = json.loads(self.engram("all", "--json").stdout)["clients"]
        self.assertEqual([(c["client"], c["state"]) for c in done],
                         [("claude-code", "entered"), ("codex", "entered"), ("gemini", "entered")])
        self.assertEqual(done[0]["file"], self.path("claude-code"))
        listed = json.loads(self.engram("--json").stdout)["clients"]
        self.assertEqual({c["client"]: c["state"] for c in listed}["gemini"], "entered")
        self.engram("all", "--remove")
        self.assertEqual(self.read("gemini"), "{}\n")
        self.assertFalse(os.path.exists(self.path("claude-code")))

    def test_where_files_are(self):
        """The variables that move a client's folder; a second name; the program by the PATH."""
        self.engram("codex", CODEX_HOME=self.home + "/cx")
        self.engram("zed", XDG_CONFIG_HOME=self.home + "/xdg")
        self.engram("claude-code", CLAUDE_CONFIG_DIR=self.home + "/cc")
        for name in ("cx/config.toml", "xdg/zed/settings.json", "cc/.claude.json"):
            self.assertTrue(os.path.isfile(os.path.join(self.home, name)), name)
        self.write("opencode", "{}")
        second = self.path("opencode") + "c"
        os.rename(self.path("opencode"), second)
        self.engram("opencode")
        self.assertFalse(os.path.exists(self.path("opencode")))
        with open(second, encoding="utf-8") as f:
            self.assertIn('"local"', f.read())
        os.mkdir(self.home + "/bin")
        os.symlink(ENGRAM, self.home + "/bin/engram")
        self.engram("cursor", "--workspace", "shop", "--home", ".", PATH=self.home + "/bin")
        self.assertEqual(self.entered("cursor"),
                         {"command": self.home + "/bin/engram",
                          "args": ["mcp", "--workspace", "shop", "--home", self.home]})

    def test_the_newer_form_of_opencode(self):
        """mcp.servers, where a file has it; a server of the name servers is none."""
        for text in ('{\n  "mcp": {\n    "servers": {}\n  }\n}\n',
                     '{\n  "mcp": {\n    "servers": {\n      "a": {},\n    },\n  },\n}\n'):
            self.write("opencode", text)
            self.engram("opencode")
            self.assertEqual(self.parsed("opencode")["mcp"]["servers"]["engram"],
                             self.entry("opencode"))
            self.assertIn("unchanged", self.engram("opencode").stdout)
            self.engram("opencode", "--remove")
            self.assertEqual(self.read("opencode"), text)
        self.write("opencode", '{"mcp": {"servers": {"type": "local", "command": ["a"]}}}')
        self.engram("opencode")
        self.assertEqual(self.entered("opencode"), self.entry("opencode"))

    def test_wrong_words(self):
        self.assertIn("there is no client 'emacs': it must be one of claude-code,",
                      self.engram("emacs", "cursor", expect=2).stderr)
        self.assertFalse(os.path.exists(self.path("cursor")))
        self.assertIn("which client?", self.engram("--remove", expect=2).stderr)
        self.assertIn("--profile is 'x'", self.engram("cursor", "--profile", "x", expect=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
