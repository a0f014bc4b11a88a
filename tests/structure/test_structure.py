#!/usr/bin/env python3
"""Tests of the structure checks over small trees made here: each rule is broken once and must be
found."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import arrows
import circles
import columns
import sources

GOOD = {
    "core/include/engram/status.h": "int eg_status_text(int code);\n",
    "core/base/status.c":
        '#include "engram/status.h"\nint eg_status_text(int code) { return code; }\n',
    "kernels/kernels.h": '#include "engram/status.h"\nint eg_dot(void);\n',
    "kernels/dot.c":
        '#include "kernels/kernels.h"\nint eg_dot(void) { return eg_status_text(0); }\n',
    "models/model.c": '#include "kernels/kernels.h"\nint model(void) { return eg_dot(); }\n',
    "plugins/toolsets/one/one.c": '#include "engram/status.h"\n#include <stdio.h>\n',
    "tools/engram.c": '#include "kernels/kernels.h"\n',
}
FOLDERS = ("core", "kernels", "models", "plugins")


class Trees(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def tree(self, **changes):
        """The good tree with these files added or changed; __ in a name stands for /."""
        files = dict(GOOD, **{name.replace("__", "/").replace("_DOT_", "."): text
                              for name, text in changes.items()})
        for name, text in files.items():
            path = os.path.join(self.folder.name, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return self.folder.name


class Arrows(Trees):
    def broken(self, **changes):
        return list(arrows.violations(self.tree(**changes)))

    def test_the_good_tree(self):
        self.assertEqual(self.broken(), [])

    def test_an_upward_include(self):
        self.assertEqual(
            self.broken(kernels__up_DOT_c='/* "models/model.h" */\n#include "models/model.h"\n',
                        models__model_DOT_h="int model(void);\n"),
            ["kernels/up.c:2: kernels/ may not include models/model.h"])

    def test_an_include_relative_to_the_file(self):
        self.assertEqual(self.broken(core__base__up_DOT_c='#  include "../../kernels/kernels.h"\n'),
                         ["core/base/up.c:1: core/base/ may not include kernels/kernels.h"])

    def test_a_single_file_of_a_layer(self):
        found = self.broken(kernels__private_DOT_h="int x;\n",
                            models__load_DOT_c='#include "kernels/private.h"\n')
        self.assertEqual(found, ["models/load.c:1: models/ may not include kernels/private.h"])

    def test_files_directly_in_a_folder(self):
        found = self.broken(
            kernels__generic__gemm_DOT_h='#include "kernels/kernels.h"\n',
            kernels__avx2__lanes_DOT_h='#include "kernels/generic/gemm.h"\n',
            kernels__neon__lanes_DOT_h='#include "kernels/avx2/lanes.h"\n',
            kernels__dispatch_DOT_c='#include "kernels/avx2/lanes.h"\n')
        self.assertEqual(found,
                         ["kernels/dispatch.c:1: kernels/ may not include kernels/avx2/lanes.h",
                          "kernels/neon/lanes.h:1: kernels/neon/ may not include "
                          "kernels/avx2/lanes.h"])

    def test_plugins_see_no_core_and_no_other_plugin(self):
        found = self.broken(
            plugins__toolsets__one__one_DOT_h="int one;\n",
            plugins__toolsets__two__two_DOT_c='#include "plugins/toolsets/one/one.h"\n'
                                              '#include "core/base/clock.h"\n',
            core__base__clock_DOT_h="int now;\n")
        self.assertEqual(found, [
            "plugins/toolsets/two/two.c:1: plugins/toolsets/two/ may not include "
            "plugins/toolsets/one/one.h",
            "plugins/toolsets/two/two.c:2: plugins/toolsets/two/ may not include "
            "core/base/clock.h"])

    def test_a_library_elsewhere(self):
        found = self.broken(models__db_DOT_c="#include <sqlite3.h>\n",
                            storage__sqlite__store_DOT_h="#include <sqlite3.h>\n")
        self.assertEqual(found, ["models/db.c:1: sqlite3.h belongs to storage/sqlite/"])

    def test_an_unknown_folder(self):
        self.assertEqual(self.broken(extra__x_DOT_c="int x;\n"),
                         ["extra/x.c: this folder is no layer of tests/structure/arrows.py"])

    def test_a_header_that_does_not_compile_alone(self):
        top = self.tree(core__include__engram__bad_DOT_h="size_t eg_bad(void);\n")
        found = list(arrows.broken_headers(top, "cc"))
        self.assertEqual(len(found), 1)
        self.assertIn("core/include/engram/bad.h does not compile alone", found[0])


class Circles(Trees):
    def found(self, **changes):
        edges = circles.Tree(self.tree(**changes), FOLDERS).dependencies()
        return [(path, [edges[a][b] for a, b in zip(path, path[1:] + path[:1])])
                for path, _ in circles.circles(edges)]

    def test_the_good_tree(self):
        self.assertEqual(self.found(), [])

    def test_a_circle_of_includes(self):
        (path, reasons), = self.found(
            models__a_DOT_h='#include "b.h"\n', models__a_DOT_c='#include "a.h"\n',
            models__b_DOT_h="int b;\n", models__b_DOT_c='#include "b.h"\n#include "a.h"\n')
        self.assertEqual(path, ["models/a", "models/b"])
        self.assertEqual(reasons, ["models/a.h:1 includes models/b.h",
                                   "models/b.c:2 includes models/a.h"])

    def test_a_circle_of_calls_through_a_shared_header(self):
        shared = "int one(int x);\nint two(int x);\nextern const int three[];\n"
        (path, reasons), = self.found(
            models__internal_DOT_h=shared,
            models__one_DOT_c='#include "internal.h"\nint one(int x) {\n    return two(x);\n}\n',
            models__two_DOT_c='#include "internal.h"\nint two(int x) { return three[x]; }\n',
            models__three_DOT_c='#include "internal.h"\nconst int three[] = {1};\n'
                                "static int call(void) { return one(1); }\n")
        self.assertEqual(path, ["models/one", "models/two", "models/three"])
        self.assertEqual(reasons, ["models/one.c:3 uses two of models/two",
                                   "models/two.c:2 uses three of models/three",
                                   "models/three.c:3 uses one of models/one"])

    def test_a_circle_of_headers(self):
        found = self.found(models__x_DOT_h='#include "y.h"\n', models__y_DOT_h='#include "x.h"\n')
        self.assertEqual([path for path, _ in found], [["models/x.h", "models/y.h"]])

    def test_no_circle(self):
        # names of its own, members, comments and strings are no uses; a shared header may name the
        # interface of a unit that includes it
        self.assertEqual(self.found(
            models__all_DOT_h='#include "p.h"\nint one(int x);\nint two(int x);\n',
            models__p_DOT_h="int p(void);\n",
            models__p_DOT_c='#include "all.h"\nint p(void) { return one(1); }\n',
            models__one_DOT_c='#include "all.h"\nint one(int two) { return two; } /* p() */\n',
            models__two_DOT_c='#include "all.h"\nint two(int x) { return one(x); }\n'
                              'static const char text[] = "p()";\n'), [])


class Columns(Trees):
    def found(self, **changes):
        return list(columns.wide_lines(self.tree(**changes)))

    def test_the_good_tree(self):
        self.assertEqual(self.found(), [])

    def test_comments_of_c(self):
        wide = "x" * 94
        self.assertEqual(self.found(
            models__a_DOT_c=f"/* {wide} */\n/* {wide}x */\n\n/* a\n * {wide}xxxx\n */\n",
            models__b_DOT_h=f"int {'b' * 80}; /* a comment behind code */\n// {wide}xxxx\n"), [
                "models/a.c:2: a comment ends in column 101: at most 100",
                "models/a.c:5: a comment ends in column 101: at most 100",
                "models/b.h:1: a comment ends in column 113: at most 100",
                "models/b.h:2: a comment ends in column 101: at most 100"])

    def test_code_of_c_is_left_alone(self):
        self.assertEqual(self.found(
            models__a_DOT_c=f'int a = 1; /* {"x" * 60} */ int b = {"2 + " * 20} 2;\n'
                            f'char c[] = "/* {"y" * 100} */";\n'), [])

    def test_scripts(self):
        self.assertEqual(self.found(tools__one_DOT_py="x = 1\n" + "y" * 101,
                                    tools__two_DOT_sh="z" * 101, tools__run="#" * 101,
                                    models__three_DOT_txt="t" * 101),
                         ["tools/one.py:2: a line ends in column 101: at most 100",
                          "tools/run:1: a line ends in column 101: at most 100",
                          "tools/two.sh:1: a line ends in column 101: at most 100"])


class Sources(unittest.TestCase):
    def test_definitions(self):
        self.assertEqual(sources.definitions(
            "int declared(void);\nstatic int inner(void) { return 1; }\nenum { VALUE = 2 };\n"
            "__attribute__((format(printf, 1, 2))) int f(const char *s) { int x = 1; return x; }\n"
            "struct s { int m; };\nconst struct s table[] = {{1}, {2}};\nextern int other;\n"
            "struct s *g(int (*h)(int)) { if (h) { return 0; } return 0; }\n"
            "#define M(x) int m() {\n"),
            {"f", "table", "g"})


if __name__ == "__main__":
    unittest.main()
