"""test/clients/speech_engine.mjs: ElevenLabs' library as the server that gives an engine its words."""

import contextlib
import json
import pathlib
import queue
import subprocess
import threading

import pytest
from program import SOURCE, WAIT_S

CLIENTS = SOURCE / "test/clients"
KEY = "sk_test_0123456789abcdef"


class Peer:
    """The program, and what it tells."""

    def __init__(self, folder, packages):
        (folder / "node_modules").symlink_to(packages)
        script = folder / "speech_engine.mjs"
        script.write_bytes((CLIENTS / "speech_engine.mjs").read_bytes())
        self.process = subprocess.Popen(
            ["node", script], stdout=subprocess.PIPE, cwd=folder,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "ENGINE_KEY": KEY})
        self.events = queue.Queue()
        self.passed_over = []
        threading.Thread(target=self.read, daemon=True).start()
        self.url = f"ws://127.0.0.1:{self.wait_for('listening')['port']}/ws"

    def read(self):
        for line in self.process.stdout:
            if line.startswith(b"{"):
                self.events.put(json.loads(line))

    def wait_for(self, event, **fields):
        """The next of these; others stay for later."""
        def fits(found):
            return found["event"] == event and fields.items() <= found.items()

        for i, found in enumerate(self.passed_over):
            if fits(found):
                return self.passed_over.pop(i)
        while not fits(found := self.events.get(timeout=WAIT_S)):
            self.passed_over.append(found)
        return found

    def at(self, *more):
        return ["--url", self.url, "--key", KEY, *more]

    def forget(self):
        """What was told so far."""
        self.passed_over.clear()
        with contextlib.suppress(queue.Empty):
            while True:
                self.events.get_nowait()


@contextlib.contextmanager
def start_peer(folder):
    """Skips the test if its packages cannot be installed."""
    done = subprocess.run([CLIENTS / "install", "."], capture_output=True, text=True, timeout=600,
                          check=False)
    if done.returncode != 0:
        pytest.skip(f"no clients: {done.stderr.strip()}")
    peer = Peer(folder, pathlib.Path(done.stdout.strip()))
    try:
        yield peer
    finally:
        peer.process.kill()
        peer.process.wait()
