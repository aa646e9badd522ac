"""The commands of docs/operations.md and docs/security.md do what stands there.

Blocks of `sh` are run in their order, each as a script of its own that stops at the first failure
and hands its variables to the next; the first block of `ini` is the configuration.
"""

import os
import re
import signal
import socket
import subprocess

import pytest
from client import Client
from postgres import Postgres, programs
from program import BUILD, SANITIZER_REPORT, SOURCE, SYRINX, WAIT_S, environment, free_port, \
    wait_until

STOPPED = {"Restoring", "Moving to PostgreSQL"}  # what is done while no server runs


def blocks_of(name):
    """(heading, language, text) of each block, in order."""
    text = (SOURCE / "docs" / name).read_text(encoding="utf-8")
    heading, blocks = None, []
    for part in re.finditer(r"^#+ ([^\n]+)$|^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        if part[1]:
            heading = part[1]
        else:
            blocks.append((heading, part[2], part[3]))
    assert blocks
    return blocks


class Place:
    """A directory in which the commands are run, and a server on its data."""

    def __init__(self, directory):
        self.directory = directory
        self.port = free_port()
        self.server = None
        self.variables = {}
        (directory / "build").symlink_to(BUILD)
        (directory / "variables").write_text("")

    def text(self, text):
        return text.replace("127.0.0.1:8080", f"127.0.0.1:{self.port}")

    def start(self, *options, **more):
        # The log stays open: what the program says at its end is looked at.
        with open(self.directory / "log", "ab") as log:
            self.server = subprocess.Popen(
                [SYRINX, "serve", *options], cwd=self.directory, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=log, env=environment({}) | more)
        wait_until(self.is_open, "the server listens")

    def is_open(self):
        assert self.server.poll() is None, (self.directory / "log").read_text()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self):
        if self.server:
            self.server.send_signal(signal.SIGTERM)
            assert self.server.wait(timeout=WAIT_S) == 0
            self.server = None
            log = (self.directory / "log").read_text()
            assert not SANITIZER_REPORT.search(log), log

    def run(self, script):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c",
             f"set -a; . ./variables\n{self.text(script)}\nexport -p > variables"],
            cwd=self.directory, env=environment({}) | self.variables, capture_output=True,
            timeout=4 * WAIT_S, check=False)
        assert done.returncode == 0, f"{script}\n{done.stderr.decode()}"
        return done.stdout.decode()

    def variable(self, name):
        found = re.search(rf'^declare -x {name}="(.*)"$',
                          (self.directory / "variables").read_text(), re.M)
        return found[1]


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path)
    yield place
    if place.server:
        place.server.kill()
        place.server.wait()


def speak(place, key):
    class Where:
        port = place.port

    Where.key = key
    with Client(Where) as client:
        return client.speak("Still here.", voice_id=1).samples


def test_commands_of_operations(place):
    blocks = blocks_of("operations.md")
    said = {}
    place.directory.joinpath("syrinx.conf").write_text(
        place.text(next(text for _, kind, text in blocks if kind == "ini")))
    place.start("--config", "syrinx.conf")
    for heading, kind, text in blocks:
        if kind != "sh" or heading == "Moving to PostgreSQL":
            continue
        if heading in STOPPED:
            place.stop()
        said[heading] = said.get(heading, "") + place.run(text)
    for heading, words in {"Accounts, projects, keys": ["website", "kt_", "kiosk", '"token"'],
                           "Credit": ["the balance is 2000 ", "refund-7"],
                           "Reports": ["total", "cost_microcents", '"turn_id"'],
                           "Backing up": ["all totals match"], "Restoring": ["all totals match"]}.items():
        for word in words:
            assert word in said[heading], (heading, word, said[heading])
    place.start("--config", "syrinx.conf")
    assert speak(place, place.variable("KEY")) > 0
    place.stop()


@pytest.mark.skipif(not programs(), reason="PostgreSQL is not installed")
def test_move_to_postgresql(place):
    place.run("build/syrinx account create --create --name acme\n"
              "KEY=$(build/syrinx key create --account acme)")
    (move,) = [text for heading, kind, text in blocks_of("operations.md")
               if (heading, kind) == ("Moving to PostgreSQL", "sh")]
    with Postgres() as database:
        place.variables["POSTGRESQL"] = database.address
        assert "all totals match" in place.run(move)
        place.start("--listen", f"127.0.0.1:{place.port}", SYRINX_STORE_ADDRESS=database.address)
        assert speak(place, place.variable("KEY")) > 0
        place.stop()


def test_commands_of_security(place):
    place.start("--listen", f"127.0.0.1:{place.port}")
    said = "".join(place.run(text) for _, kind, text in blocks_of("security.md") if kind == "sh")
    assert re.search(r"^ka_\w{40}$", said, re.M) and re.search(r"\|[0-9A-F]{64}\|visitor", said)
    assert "all totals match" in said and os.listdir(place.directory / "data")
    place.stop()


def test_every_configuration_that_is_shown_is_good(place):
    for number, (_, kind, text) in enumerate(blocks_of("operations.md")):
        if kind == "ini":
            place.directory.joinpath(f"{number}.conf").write_text(text)
            place.run(f"build/syrinx check --config {number}.conf")
