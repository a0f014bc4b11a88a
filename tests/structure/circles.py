#!/usr/bin/env python3
"""Prints circles between the source files of a tree, and fails on one.

A .c file and the .h file of the same name beside it are one unit; a header without a .c file is a
unit of its own. A unit depends on another one if it includes a file of it, or uses a function or
variable that the other one defines: the latter matters where several units share a header. A header
alone depends only on what it includes, so a shared header may name the interface of a unit whose .c
file includes it.
usage: circles.py TOP FOLDER..."""
import collections
import os
import sys

import sources


class Tree:
    def __init__(self, top, folders):
        inside = tuple(f.rstrip("/") + "/" for f in folders)
        self.paths = [p for p in sources.files(top) if p.startswith(inside)]
        self.texts = {p: sources.read(top, p) for p in self.paths}
        self.includes = {p: sources.includes(top, p) for p in sources.files(top)}
        self.homes = collections.defaultdict(set)  # name -> units that define it
        for p in self.paths:
            if p.endswith(".c"):
                for name in sources.definitions(self.texts[p]):
                    self.homes[name].add(self.unit_of(p))
        self.names = {p: sources.uses(text) for p, text in self.texts.items()}

    def unit_of(self, path):
        unit = os.path.splitext(path)[0]
        return unit if unit + ".c" in self.texts else path

    def declared_for(self, path):
        """The names in all headers of the folders that a file includes, directly or not."""
        seen, todo = set(), [path]
        while todo:
            for _, target in self.includes[todo.pop()]:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        return {name for header in seen & set(self.texts) for name in self.names[header]}

    def dependencies(self):
        """{unit or header: {what it depends on: reason}}"""
        out = collections.defaultdict(dict)
        for p in self.paths:
            unit = self.unit_of(p)
            out[unit]  # also if it depends on nothing
            for line, target in self.includes[p]:
                if target in self.texts and self.unit_of(target) != unit:
                    reason = f"{p}:{line} includes {target}"
                    out[unit].setdefault(self.unit_of(target), reason)
                    if p.endswith(".h"):
                        out[p].setdefault(target, reason)
            if p.endswith(".c"):
                for other, reason in self.used_units(p):
                    out[unit].setdefault(other, reason)
        # a header alone depends on headers only
        for p in self.paths:
            if self.unit_of(p) == p:
                out[p] = {target: reason for target, reason in out[p].items()
                          if target.endswith(".h")}
        return out

    def used_units(self, path):
        own, declared = sources.own_names(self.texts[path]), self.declared_for(path)
        for name, line in self.names[path].items():
            # of a name that several units define, the linker chooses one: no dependency on one of
            # them
            if len(self.homes[name]) == 1 and name in declared and name not in own:
                home, = self.homes[name]
                if home != self.unit_of(path):
                    yield home, f"{path}:{line} uses {name} of {home}"


def circles(edges):
    """[(a shortest circle, its group)] for each group of units that all depend on each other."""
    reach = {}
    for start in edges:
        seen, todo = set(), [start]
        while todo:
            for other in edges.get(todo.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        reach[start] = seen
    out, done = [], set()
    for start in sorted(edges):
        if start in done or start not in reach[start]:
            continue
        group = {u for u in reach[start] if start in reach.get(u, ())}
        done |= group
        out.append((min((shortest(edges, u, group) for u in sorted(group)), key=len), group))
    return out


def shortest(edges, start, group):
    """The units of a shortest circle that begins at start."""
    before, todo = {}, collections.deque([start])
    while True:
        unit = todo.popleft()
        for other in sorted(group & set(edges[unit])):
            if other == start:
                path = [unit]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1]
            if other not in before:
                before[other] = unit
                todo.append(other)


def main(top, *folders):
    edges = Tree(top, folders).dependencies()
    if not edges:
        sys.exit(f"no sources in {', '.join(folders)} of {top}")
    found = circles(edges)
    for path, group in found:
        print(f"a circle of {len(path)}:")
        for unit, other in zip(path, path[1:] + path[:1]):
            print(f"  {edges[unit][other]}")
        if len(group) > len(path):
            print(f"  in a group of {len(group)} that all depend on each other: "
                  f"{', '.join(sorted(group))}")
    print(f"{len(edges)} units and headers, {len(found)} circles")
    sys.exit(bool(found))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
