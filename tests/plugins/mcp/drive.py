#!/usr/bin/env python3
"""drive.py - drives an MCP stdio server through every message of five protocol revisions and judges
each answer by the published schemas.

    drive.py --schemas DIR COMMAND [ARGUMENT ...]
    drive.py --real --profile-option='--profile {}' --schemas DIR engram mcp

--real: the command is a real server with a real store; checks that need the made-up memory of
mcp_test_host (its "sleep:" texts and its odd tool) are skipped, each with a line that says so.
"""
import argparse
import os
import subprocess
import sys

from peer import Failure, Judge
import jsonschema

from harness import checks, run
import check_revisions, check_offers, check_flow  # noqa: F401  (they fill the list of checks)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--schemas", required=True)
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--profile-option", default="profile={}")
    parser.add_argument("--only")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    run.options = options = parser.parse_args()
    run.judge = Judge(options.schemas)
    for name in [n for n in os.environ if n.startswith("ENGRAM_")
                 and n not in ("ENGRAM_HOME", "ENGRAM_WORKSPACE", "ENGRAM_ISA")]:
        del os.environ[name]  # settings of the caller
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
