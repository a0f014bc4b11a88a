#!/usr/bin/env python3
"""Latency of a commit with its verdict in a large memory, through the real server, for several
programs side by side: each is given a memory of its own with the same facts, and then the same
notes, one by one and in turns.

usage: bench/latency.py [--engram PROGRAM]... [--facts N] [--commits N] [--set VARIABLE=VALUE]...

The memory is filled with the notes of train and dev and the facts of scenarios of train
(tools/train/data), up to --facts (default 10,000; an embedding for each statement is made, which
takes about a minute per thousand on a slow machine). The commits are notes of test of two to four
statements. Printed are the medians and the 99th percentiles in milliseconds, what of them is spent
in the process as CPU time, and the ratio to the first program."""
import argparse
import itertools
import os
import random
import shutil
import subprocess
import tempfile
import time

import detection
from detection import dataset


def texts(facts, commits):
    """(facts to fill the memory with, notes to commit)"""
    notes = [f for split in ("train", "dev") for s in dataset.read_notes(split) for f in s["facts"]]
    short = (f for s in dataset.read_scenarios("train") for f in s["facts"])
    fill = list(itertools.islice(itertools.chain(notes, short), facts))
    later = [f for s in dataset.read_notes("test") for f in s["facts"]
             if 2 <= len(f["statements"]) <= 4]
    rng = random.Random(5)
    rng.shuffle(fill)
    return fill, rng.sample(later, min(commits, len(later)))


def fill(program, home, settings, facts):
    """Commits the facts to a memory without detectors, which therefore owes no verdict."""
    without_detectors = settings | {"ENGRAM_PLUGINS": "sqlite memory mcp secrets"}
    server = detection.Server(program, home, without_detectors)
    for f in facts:
        server.call("engram_commit", {"content": f["content"], "scope": f["scope"],
                                      "agent_id": f["agent"]})
    server.close()


def cpu_seconds(process):
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engram", action="append")
    parser.add_argument("--facts", type=int, default=10000)
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--set", action="append", default=[], metavar="VARIABLE=VALUE")
    o = parser.parse_args()
    programs = [os.path.abspath(shutil.which(p) or p) for p in
                o.engram or [os.path.join(detection.HERE, "..", "build", "engram")]]
    settings, (before, later) = dict(s.split("=", 1) for s in o.set), texts(o.facts, o.commits)
    with tempfile.TemporaryDirectory() as top:
        servers, seconds, cpu = [], [[] for _ in programs], []
        for number, program in enumerate(programs):
            home = os.path.join(top, str(number))
            if number:
                shutil.copytree(os.path.join(top, "0"), home)
            else:
                os.mkdir(home)
                fill(program, home, settings, before)
        servers = [detection.Server(p, os.path.join(top, str(i)), settings)
                   for i, p in enumerate(programs)]
        for server in servers:  # loads the models
            server.commit(later[0] | {"content": "The mascot of the team is a heron."})
        begun = [cpu_seconds(s.process) for s in servers]
        for fact in later:
            for server, took in zip(servers, seconds):
                start = time.monotonic()
                server.commit(fact)
                took.append(time.monotonic() - start)
        cpu = [cpu_seconds(s.process) - b for s, b in zip(servers, begun)]
        for server in servers:
            server.close()
    with subprocess.Popen(["uname", "-srm"], stdout=subprocess.PIPE, text=True) as p:
        machine = p.communicate()[0].strip()
    print(f"{len(before)} facts, then {len(later)} notes of two to four statements; "
          f"{os.cpu_count()} CPUs, {machine}")
    print(f"{'program':50} {'p50':>8} {'p99':>8} {'CPU/commit':>11} {'ratio of p50':>13}")
    first = sorted(seconds[0])[len(later) // 2]
    for program, took, used in zip(programs, seconds, cpu):
        took.sort()
        print(f"{program[-50:]:50} {1000 * took[len(took) // 2]:8.1f} "
              f"{1000 * took[min(len(took) - 1, int(0.99 * len(took)))]:8.1f} "
              f"{1000 * used / len(later):11.1f} {took[len(took) // 2] / first:13.2f}")


if __name__ == "__main__":
    main()
