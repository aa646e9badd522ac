"""A server of its own that speaks texts into WAV files.

The server is started once, because loading a neural voice takes longer than
speaking with it.
"""

import contextlib
import os
import pathlib
import re
import subprocess
import tempfile
import time

START_S = 60


class Speaker:
    def __init__(self, syrinx):
        self.syrinx = syrinx
        self.data = tempfile.TemporaryDirectory(prefix="syrinx-listen-")
        self.log = pathlib.Path(self.data.name) / "log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [syrinx, "serve", "--data", self.data.name, "--listen", "127.0.0.1:0"],
                env=os.environ | {"SYRINX_SPEECH_REPEATABLE": "on"},  # tables can be compared
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        try:
            self.url = f"http://127.0.0.1:{self.wait_for_port()}"
        except BaseException:
            self.close()
            raise

    def wait_for_port(self):
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            found = re.search(r"listening on \S+:(\d+)", self.log.read_text("utf-8"))
            if found:
                return found[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError("the server does not start:\n" + self.log.read_text("utf-8"))

    def say(self, voice, text, path):
        """Speaks a text at the highest rate on offer, so that nothing of it is lost."""
        subprocess.run(
            [self.syrinx, "say", "--server", self.url, "--data", self.data.name, "--voice",
             str(voice), "--format", "pcm_24000", "--output", path, text], check=True)

    def close(self):
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.data.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def catalogue(syrinx):
    """The rows of `syrinx voices`, each as a dict by the names of its columns."""
    lines = subprocess.run([syrinx, "voices"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    columns = [(found.group(), found.start()) for found in re.finditer(r"\S+", lines[0])]
    ends = [start for _, start in columns[1:]] + [None]
    rows = []
    for line in lines[1:]:
        if not re.match(r"\d+ ", line):
            break  # what follows the table is about it
        rows.append({name.lower(): line[start:end].strip()
                     for (name, start), end in zip(columns, ends)})
    return rows


def choose(syrinx, wanted):
    """The voices with these ids, or all of the neural engine; an error when there is none."""
    rows = catalogue(syrinx)
    if wanted:
        chosen = [row for row in rows if row["id"] in wanted]
        missing = set(wanted) - {row["id"] for row in chosen}
        if missing:
            raise SystemExit("no voice has the id " + ", ".join(sorted(missing)))
        return chosen
    chosen = [row for row in rows if row["engine"] == "vits"]
    if not chosen:
        raise SystemExit("no neural voice is installed: make voices")
    return chosen
