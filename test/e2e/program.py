"""The program under test: the build, a running server, and what can be seen of it from outside.

A server is always the real binary with the real engines and SQLite in a directory of its own.  What
must hold of every run is checked in Server.stop, so every test checks it: the process ends with
status 0, leaves no process behind, no sanitizer found anything, and no key stands in the log.
"""

import contextlib
import ctypes
import http.client
import json
import os
import pathlib
import random
import re
import select
import signal
import socket
import sqlite3
import subprocess
import time

BUILD = pathlib.Path(os.environ["SYRINX_BUILD"])
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SYRINX = BUILD / "syrinx"

PR_SET_CHILD_SUBREAPER = 36
SANITIZER_REPORT = re.compile(r"Sanitizer|runtime error:")


def find_sanitizer():
    """What the build was made with: none, address,undefined, thread."""
    about = BUILD / "meson-info" / "intro-buildoptions.json"
    if not about.exists():  # the server under test is somebody else's
        return "none"
    options = json.loads(about.read_text())
    return next(o["value"] for o in options if o["name"] == "b_sanitize")


SANITIZER = find_sanitizer()

# Sanitized programs are slow.
PATIENCE = {"none": 1}.get(SANITIZER, 6)

# How long something is waited for that must come: no measure of speed, so long enough for a machine
# that is ten times slower and busy with other things.
WAIT_S = 60 if SANITIZER == "none" else 120


def become_subreaper():
    """Processes that a server leaves behind become our children, where we can see them."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def wait_until(condition, what, seconds=None):
    """Polls; gives the condition's value when it is true."""
    deadline = time.monotonic() + (seconds or WAIT_S)
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, "waited in vain until " + what
        select.select([], [], [], 0.005)


def children_of(pid):
    children = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError):
            children += [int(word) for word in (task / "children").read_text().split()]
    return children


def process_name(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def process_status(pid):
    """/proc/PID/status as a dict."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, value in (line.split(":", 1) for line in lines)}


def tone_alone():
    """Settings of a server that has no other voices and is started in half the time."""
    engines = BUILD / "tone-alone"
    engines.mkdir(exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (engines / "syrinx-tone").symlink_to(BUILD / "syrinx-tone")
    return {"speech.engines_dir": engines}


def environment(settings):
    """The tests' environment, with nothing of ours in it but these settings: also none of the
    neural voices and models that may be installed on this machine.  Nobody is refused because it
    is slow."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith("SYRINX_")}
    plain["SYRINX_VOICES"] = str(BUILD / "no-voices")
    plain["SYRINX_MODELS"] = str(BUILD / "no-models")
    settings = {"speech.start_timeout_ms": WAIT_S * 1000} | settings
    return plain | {f"SYRINX_{k.upper().replace('.', '_')}": str(v) for k, v in settings.items()}


def syrinx(*arguments, settings=None, stdin=None, cwd=None, extra=None):
    """Runs a command to its end."""
    return subprocess.run([SYRINX, *arguments], input=stdin, capture_output=True, cwd=cwd,
                          env=environment(settings or {}) | (extra or {}), timeout=WAIT_S * 2)


def create_key(data, *arguments):
    done = syrinx("key", "create", "--data", data, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


def free_port():
    """One that nobody gets by chance before it is used: below those that the kernel gives away."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.randrange(20000, 32000)))
            return probe.getsockname()[1]


class Server:
    """A server of its own; `settings` are keys of the configuration ("speech.workers": 2), `config`
    is the text of a file of them, `flags` are further options."""

    def __init__(self, directory, settings=None, port=0, data=None, own_group=False, config=None,
                 user=None, program=SYRINX, waits=True, flags=()):
        self.data = pathlib.Path(data or directory / "data")
        self.log_path = directory / "log"
        self.settings = settings or {}
        self.config_path = directory / "syrinx.conf"
        options = [*flags]
        if config is not None:
            self.config_path.write_text(config)
            options += ["--config", self.config_path]
        self.secrets = []  # texts that must not stand in the log
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [program, "serve", "--data", self.data, "--listen", f"127.0.0.1:{port}", *options],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                start_new_session=own_group, env=environment(self.settings),
                **({} if user is None else {"user": user, "group": user, "extra_groups": []}))
        self.pid = self.process.pid
        self.port = int(self.wait_for_log(r"listening on \S+:(\d+)")[1])
        if waits:  # else the test is about a server whose engines are loading
            self.wait_for_log(r"ready: \d+ voices")
        self.key = (self.data / "local.key").read_text().strip()
        self.secrets.append(self.key)

    # What it says and shows

    def log(self):
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def wait_for_log(self, pattern):
        def look():
            assert self.process.poll() is None or re.search(pattern, self.log()), self.log()
            return re.search(pattern, self.log())

        return wait_until(look, f"the log says {pattern}")

    def get(self, path, headers=None, method="GET"):
        """(status, body as JSON or text) of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        with contextlib.closing(connection):
            connection.request(method, path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")

    def ledger(self, columns="*"):
        """The rows of the ledger, in the order they were booked, read beside the server.  A disk that
        is slow has some of them in the spool, where they are durable too."""
        if "the store is slow" in self.log() and self.process.poll() is None:
            wait_until(lambda: self.spooled() == 0, "the spool is empty")
        with contextlib.closing(sqlite3.connect(
                f"file:{self.data}/syrinx.db?mode=ro", uri=True, timeout=WAIT_S)) as database:
            database.row_factory = sqlite3.Row
            return database.execute(f"SELECT {columns} FROM turn ORDER BY seq").fetchall()

    def spooled(self):
        """Rows that are not in the ledger yet."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        with contextlib.closing(connection):
            connection.request("GET", "/metrics", headers={"X-API-Key": self.key})
            text = connection.getresponse().read().decode()
        return int(re.search(r"(?m)^syrinx_ledger_spooled (\d+)$", text)[1])

    def wait_for_ledger(self, count):
        """Rows that no reply announces: those of cancelled turns."""
        return wait_until(lambda: len(self.ledger()) >= count and self.ledger(),
                          f"the ledger has {count} rows")

    def workers(self, engine=None):
        """Process ids of the workers, of one engine or of all."""
        return [pid for pid in children_of(self.pid)
                if process_name(pid) == (f"syrinx-{engine}" if engine else process_name(pid))]

    def open_files(self):
        """Descriptors that are not about workers, whose number changes by itself: a worker has a
        socket, a pipe for what it has to say, and a descriptor of its process."""
        folder = f"/proc/{self.pid}/fd"
        open_files = 0
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):  # it was closed meanwhile
                open_files += os.readlink(f"{folder}/{name}") != "anon_inode:[pidfd]"
        return open_files - 2 * len(self.workers())

    def resident_kib(self):
        return int(process_status(self.pid)["VmRSS"].split()[0])

    # What is done to it

    def new_key(self, *arguments):
        self.secrets.append(create_key(self.data, *arguments))
        return self.secrets[-1]

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait_for_end(self):
        """Its exit status; see the top of this file."""
        status = self.process.wait(timeout=WAIT_S)
        log = self.log()
        wait_until(lambda: not orphans(), "no process of the server is left")
        assert not SANITIZER_REPORT.search(log), log
        for secret in self.secrets:
            assert secret not in log and secret[8:] not in log, "a key is in the log"
        return status

    def stop(self):
        if self.process.returncode is not None:
            return
        if self.process.poll() is None:
            self.terminate()
        try:
            assert self.wait_for_end() == 0, self.log()
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()


companions = set()  # processes of tests that run beside the servers


def orphans():
    """Our children that no Server of ours is: what a server left.  Zombies are buried."""
    left = []
    for pid in set(children_of(os.getpid())) - companions:
        if process_name(pid) == "syrinx" and is_server(pid):
            continue
        with contextlib.suppress(ChildProcessError):
            if os.waitpid(pid, os.WNOHANG) != (0, 0):
                continue
        left.append(pid)
    return left


def is_server(pid):
    try:
        return b"serve" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[1:2]
    except OSError:
        return False
