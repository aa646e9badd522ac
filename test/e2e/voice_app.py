"""test/clients/voice_app.mjs: ElevenLabs' library as a developer's server, whose users talk with agents."""

import contextlib
import json
import os
import queue
import subprocess
import threading
import urllib.request

from clients import CLIENTS, install
from program import WAIT_S, companions


class App:
    """The program, and what it tells."""

    def __init__(self, server, folder, port=0):
        self.server, self.folder = server, folder
        if not (folder / "node_modules").exists():
            (folder / "node_modules").symlink_to(install())
        (folder / "voice_app.mjs").write_bytes((CLIENTS / "voice_app.mjs").read_bytes())
        self.events = queue.Queue()
        self.passed_over = []
        self.start(port)

    def start(self, port):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "PORT": str(port),
                       "SYRINX_URL": f"http://127.0.0.1:{self.server.port}",
                       "SYRINX_KEY": self.server.key}
        self.process = subprocess.Popen(["node", self.folder / "voice_app.mjs"], cwd=self.folder,
                                        stdout=subprocess.PIPE, env=environment)
        companions.add(self.process.pid)
        threading.Thread(target=self.read, args=(self.process,), daemon=True).start()
        self.port = self.wait_for("listening")["port"]
        self.url = f"http://127.0.0.1:{self.port}"

    def read(self, process):
        for line in process.stdout:
            if line.startswith(b"{"):
                self.events.put(json.loads(line))

    def kill(self):
        self.process.kill()
        self.process.wait()
        companions.discard(self.process.pid)

    def restart(self):
        self.kill()
        self.start(self.port)

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

    def forget(self):
        """What was told so far."""
        self.passed_over.clear()
        with contextlib.suppress(queue.Empty):
            while True:
                self.events.get_nowait()

    def request(self, path, body=None):
        request = urllib.request.Request(self.url + path, body and json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
            return json.load(answer)

    def engine(self, **settings):
        """The id of a new engine with these settings, in the library's spelling."""
        return self.request("/engine", settings)["id"]

    def signed_url(self, agent):
        return self.request(f"/signed-url?agent={agent}")["signedUrl"]
