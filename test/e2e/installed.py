"""An installed program: a copy of the built one below a directory of the test's own, at the path where
`make install` would put it."""

import json
import os
import shutil
import subprocess

from program import BUILD, SYRINX, WAIT_S, environment


def prefix():
    options = json.loads((BUILD / "meson-info" / "intro-buildoptions.json").read_text())
    return next(o["value"] for o in options if o["name"] == "prefix")


class Installed:
    """A program in its place, with the file of a service."""

    def __init__(self, root):
        self.root = root
        self.program = root / prefix().strip("/") / "bin/syrinx"
        self.program.parent.mkdir(parents=True)
        shutil.copy(SYRINX, self.program)
        for engine in BUILD.glob("syrinx-*"):
            if engine.is_file() and os.access(engine, os.X_OK):
                (self.program.parent / engine.name).symlink_to(engine)
        self.config = root / "etc/syrinx/syrinx.conf"
        self.data = root / "var/lib/syrinx"
        self.elsewhere = root / "elsewhere"
        self.elsewhere.mkdir()

    def configure(self, text=""):
        self.config.parent.mkdir(parents=True, exist_ok=True)
        self.config.write_text(text)

    def run(self, *arguments, extra=None, **options):
        plain = {k: v for k, v in environment({}).items()
                 if k not in ("SYRINX_VOICES", "SYRINX_MODELS")}
        return subprocess.run([self.program, *arguments], capture_output=True, text=True,
                              cwd=self.elsewhere, timeout=WAIT_S, check=False,
                              env=plain | (extra or {}), **options)

    def key(self, *arguments, **options):
        done = self.run("key", *arguments, **options)
        assert done.returncode == 0, done.stderr
        return done.stdout
