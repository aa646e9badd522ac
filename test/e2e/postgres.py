"""A real PostgreSQL server on the loopback, from Debian's package, in a directory of its own.

It refuses to run as root: then it runs as the user postgres, or as nobody.
"""

import contextlib
import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import urllib.parse

import program

PASSWORD = "p/ss:w@rd"  # in an address it is written with %XX
PR_SET_PDEATHSIG = 1


def programs():
    """The directory of the newest server that is installed, or None."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"),
                   key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


def find_user():
    """Whom to run it as, or None for ourselves."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    return None


class Postgres:
    """A server with one database, "syrinx", of the user "syrinx"."""

    def __init__(self, settings=()):
        self.programs = programs()
        self.user = find_user()
        self.settings = settings  # of postgresql.conf: "fsync=on"
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="syrinx-pg-"))
        self.own(self.directory)
        self.port = program.free_port()
        self.process = None
        self.make()
        self.start()
        self.run("createdb", "-h", "127.0.0.1", "-p", self.port, "-U", "syrinx", "syrinx")

    @property
    def address(self):
        """What store.address is set to."""
        password = urllib.parse.quote(PASSWORD, safe="")
        return f"postgresql://syrinx:{password}@127.0.0.1:{self.port}/syrinx"

    def own(self, path):
        if self.user:
            os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def options(self):
        plain = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
        identity = {"user": self.user.pw_uid, "group": self.user.pw_gid,
                    "extra_groups": []} if self.user else {}
        return {"env": plain | {"PGPASSWORD": PASSWORD}, "cwd": self.directory,
                "stdin": subprocess.DEVNULL} | identity

    def run(self, name, *arguments):
        done = subprocess.run([self.programs / name, *map(str, arguments)], text=True,
                              capture_output=True, timeout=program.WAIT_S * 2, check=False,
                              **self.options())
        assert done.returncode == 0, done.stderr
        return done.stdout

    def make(self):
        secret = self.directory / "password"
        secret.write_text(PASSWORD + "\n")
        self.own(secret)
        self.run("initdb", "-D", self.directory / "data", "-U", "syrinx", "-A", "scram-sha-256",
                 f"--pwfile={secret}", "-E", "UTF8", "--locale=C", "--no-sync")

    def start(self):
        """On its files and its port; waits until it answers."""
        assert self.process is None
        die_with_us = lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)
        arguments = [self.programs / "postgres", "-D", self.directory / "data", "-k",
                     self.directory, "-p", str(self.port)]
        for setting in ("listen_addresses=127.0.0.1", "shared_buffers=16MB", "fsync=off",
                        "max_connections=60", *self.settings):
            arguments += ["-c", setting]
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen(arguments, stdout=log, stderr=log,
                                            preexec_fn=die_with_us, **self.options())
        program.companions.add(self.process.pid)
        program.wait_until(self.answers, "PostgreSQL answers")

    def is_running(self):
        return self.process is not None

    def answers(self):
        assert self.process.poll() is None, self.log()
        ready = subprocess.run([self.programs / "pg_isready", "-h", "127.0.0.1", "-p",
                                str(self.port)], capture_output=True, check=False)
        return ready.returncode == 0

    def log(self):
        return (self.directory / "log").read_text(errors="replace")

    def stop(self, number=signal.SIGQUIT):
        """As if its machine had lost power; SIGINT is the polite way."""
        if self.process:
            self.process.send_signal(number)
            self.process.wait(timeout=program.WAIT_S)
            program.companions.discard(self.process.pid)
        self.process = None

    def ask(self, sql):
        """Rows of texts."""
        out = self.run("psql", "-h", "127.0.0.1", "-p", self.port, "-U", "syrinx", "-d", "syrinx",
                       "-A", "-t", "-F", "\t", "-q", "-c", f"SET search_path TO syrinx; {sql}")
        return [line.split("\t") for line in out.splitlines()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)
