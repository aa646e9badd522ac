"""The playground in a real browser: Debian's Chromium, driven by playwright-core.

What a person does is a case of a script in test/clients/browser.  SYRINX_PICTURES names a folder for
screenshots.
"""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from program import SOURCE, WAIT_S, become_subreaper, companions

SCRIPTS = SOURCE / "test/clients/browser"


def install():
    """The folder of the packages; skips the test if there is no browser or no package."""
    if not shutil.which("chromium"):
        pytest.skip("there is no chromium")
    done = subprocess.run([SOURCE / "test/clients/install", "browser"], capture_output=True,
                          text=True, timeout=600, check=False)
    if done.returncode != 0:
        pytest.skip(f"no playwright-core: {done.stderr.strip()}")
    return pathlib.Path(done.stdout.strip())


class Browser:
    def __init__(self, folder, packages):
        self.folder = folder
        for script in SCRIPTS.glob("*.mjs"):
            shutil.copy(script, folder)
        (folder / "node_modules").symlink_to(packages)

    def run(self, script, case, server, answer=None, **extra):
        """What was seen in a case.  `server` has a port and a key; `answer` is called for each line
        that waits for it."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder),
                       "SYRINX_URL": f"http://127.0.0.1:{server.port}", "SYRINX_KEY": server.key,
                       "CHROMIUM": shutil.which("chromium"),
                       "PICTURES": os.environ.get("SYRINX_PICTURES", ""), **extra}
        # What the browser leaves stays the browser's, and is not taken for what a server left.
        with subprocess.Popen(["node", script, case], cwd=self.folder, env=environment, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, preexec_fn=become_subreaper) as process:
            companions.add(process.pid)
            last = ""
            for line in process.stdout:
                if line.startswith("wait"):
                    answer(line.split(":")[1].strip())
                    process.stdin.write("\n")
                    process.stdin.flush()
                else:
                    last = line
            said = process.stderr.read()
            assert process.wait(WAIT_S) == 0, said
        seen = json.loads(last)
        assert not seen["complaints"], seen  # the page's own, and those of its content policy
        assert not seen["foreign"], seen  # nothing is loaded from elsewhere
        return seen
