"""A caller who uses one neural voice through upgrades and restarts is never refused and hears one person.

The sentence sounds the same each time it is spoken, so a second sound would be somebody else.  `make
upgrade-test` does it more often, on a machine whose processors are all busy, and with the server's own
time limits.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest
from neural import REPEATABLE
from program import WAIT_S, free_port, wait_until
from test_upgrade import end, is_gone, pid_of

IS_LONG = "SYRINX_UPGRADES" in os.environ
UPGRADES = int(os.environ.get("SYRINX_UPGRADES", 2))
RESTARTS = int(os.environ.get("SYRINX_RESTARTS", 1))
VOICE = 1081


@pytest.fixture
def busy():
    """In a long run every processor has something else to do."""
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"])
              for _ in range(os.cpu_count() if IS_LONG else 0)]
    yield
    for other in others:
        other.kill()
        other.wait()


@pytest.fixture
def caller():
    processes = []

    def start(server):
        program = pathlib.Path(__file__).with_name("one_voice.py")
        processes.append(subprocess.Popen(
            [sys.executable, program, f"127.0.0.1:{server.port}", server.key, str(VOICE)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def spoken(server):
    return len(server.ledger("id"))


def wait_for_turn(server):
    before = spoken(server)
    wait_until(lambda: spoken(server) > before + 1, "a turn was spoken")


def upgrade(server):
    pid = pid_of(server.data)
    os.kill(pid, signal.SIGUSR2)
    wait_until(lambda: pid_of(server.data) != pid, "the successor serves")
    wait_until(lambda: is_gone(pid), "the predecessor has ended")


def test_a_caller_hears_one_person_through_upgrades_and_restarts(start_server, spoken_voices, busy,
                                                                 caller):
    settings = REPEATABLE | {"speech.voices_dir": spoken_voices}
    if IS_LONG:
        settings |= {"speech.start_timeout_ms": 2000, "speech.load_timeout_ms": 10000}  # the defaults
    server = start_server(settings, port=free_port())
    calls = caller(server)
    for restart in range(RESTARTS + 1):
        wait_for_turn(server)
        for _ in range(UPGRADES * restart // RESTARTS - UPGRADES * (restart - 1) // RESTARTS
                       if restart else 0):
            upgrade(server)
            wait_for_turn(server)
        end(pid_of(server.data))
        if restart < RESTARTS:
            server = start_server(settings, port=server.port, data=server.data, waits=False)
    said, _ = calls.communicate(timeout=WAIT_S)
    seen = json.loads(said)
    print(f"{seen['turns']} turns through {UPGRADES} upgrades and {RESTARTS} restarts")
    assert seen["errors"] == []
    assert seen["sounds"] == 1
    assert seen["turns"] > UPGRADES + RESTARTS
