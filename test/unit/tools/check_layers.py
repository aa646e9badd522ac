#!/usr/bin/python3
"""tools/check-layers follows includes: what a folder must not see is found behind other headers.

usage: check_layers.py TOOL     (tools/check-layers)
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop()

FOLDERS = ("base", "net", "store", "account", "session")


class CheckLayers(unittest.TestCase):
    def check(self, files):
        """What the tool says of a tree with these files, and its exit status."""
        with tempfile.TemporaryDirectory() as root:
            root = pathlib.Path(root)
            (root / "meson.build").write_text(
                "".join(f"subdir('src/{name}')\n" for name in FOLDERS))
            for name, text in files.items():
                path = root / "src" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([TOOL, root], capture_output=True, text=True, check=False)
            return done.stdout, done.returncode

    def test_the_store_behind_another_header_is_found_and_the_chain_is_printed(self):
        said, status = self.check({
            "store/store.h": "",
            "account/inner.h": '#include "store/store.h"\n',
            "account/outer.h": '#include "account/inner.h"\n',
            "session/turn.c": '\n#include "account/outer.h"\n',
        })
        self.assertEqual(status, 1)
        self.assertIn("src/session/turn.c:2: account/outer.h leads to store/store.h: session/turn.c"
                      " -> account/outer.h -> account/inner.h -> store/store.h", said)

    def test_a_direct_include_is_reported_once(self):
        said, status = self.check({"store/store.h": "",
                                   "session/turn.c": '#include "store/store.h"\n'})
        self.assertEqual(status, 1)
        self.assertIn("src/session/turn.c:1: store/store.h must not be seen by session", said)
        self.assertIn(" 1 mistakes", said)

    def test_headers_that_include_each_other_end(self):
        said, status = self.check({
            "account/a.h": '#include "account/b.h"\n',
            "account/b.h": '#include "account/a.h"\n',
            "session/turn.c": '#include "account/a.h"\n',
        })
        self.assertEqual(status, 0, said)

    def test_other_folders_may_see_the_store(self):
        said, status = self.check({
            "store/store.h": "",
            "account/ledger.h": '#include "store/store.h"\n',
            "account/ledger.c": '#include "account/ledger.h"\n',
        })
        self.assertEqual(status, 0, said)


unittest.main()
