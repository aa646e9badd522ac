"""A person starts a server where one runs already, or where another program has the address."""

import contextlib
import os
import re
import shlex
import signal
import socket
import subprocess

import pytest
from client import Client
from program import SYRINX, WAIT_S, environment, free_port, tone_alone, wait_until
from test_upgrade import end, pid_of

SETTINGS = tone_alone()


def plain_environment(is_by_make):
    """The tests themselves may have been started by make."""
    plain = environment(SETTINGS)
    plain.pop("MAKELEVEL", None)
    return plain | ({"MAKELEVEL": "1"} if is_by_make else {})


def start_in_vain(*options, is_by_make=False):
    """What it said."""
    done = subprocess.run([SYRINX, "serve", *options], capture_output=True, text=True,
                          env=plain_environment(is_by_make), timeout=WAIT_S)
    assert done.returncode == 1 and done.stdout == "", done
    return done.stderr


@contextlib.contextmanager
def running(words, log):
    """A server of a command that was shown, until it listens and then until it is left."""
    with open(log, "wb") as out, subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=out, env=plain_environment(False)) as process:
        try:
            wait_until(lambda: process.poll() is not None or b"listening on" in log.read_bytes(),
                       "it listens")
            yield process
        finally:
            process.terminate()
        assert process.wait(WAIT_S) == 0, log.read_text()


def shown(text, pattern):
    return re.search(pattern, text)[1]


def test_the_log_names_the_address_once(start_server):
    server = start_server()
    assert re.search(rf"(?m)listening on 127\.0\.0\.1:{server.port}$", server.log())


def test_a_second_start_with_a_greeting_is_refused_and_the_first_is_undisturbed(start_server, tmp_path):
    first = start_server(port=free_port())
    with Client(first) as client:
        address = f"127.0.0.1:{first.port}"
        said = start_in_vain("--greet", "--data", first.data, "--listen", address)
        assert f"process {first.pid}, on {address}" in said and str(first.data) in said
        assert f"kill {first.pid}\n" in said and f"kill -USR2 {first.pid}\n" in said
        another = shlex.split(shown(said, "alongside it: +(.*)"))
        assert another[:2] == [str(SYRINX), "serve"]
        assert another[another.index("--data") + 1] == f"{first.data}-2"
        with running(another, tmp_path / "log"):
            assert client.speak("Undisturbed.", voice_id=1).samples > 0
    assert pid_of(first.data) == first.pid
    assert "listens on" not in first.log()


def test_a_second_make_run_is_answered_with_the_make_run_that_works(start_server):
    first = start_server(port=free_port())
    said = start_in_vain("--greet", "--fetch-voices", "--data", first.data, "--listen",
                         f"127.0.0.1:{first.port}", is_by_make=True)
    arguments = shlex.split(shown(said, 'alongside it: +make run ARGS="(.*)"'))
    assert arguments[0::2] == ["--data", "--listen"] and arguments[1] == f"{first.data}-2"


def test_a_start_with_a_greeting_takes_over_from_a_server_that_drains(start_server, tmp_path):
    first = start_server({"speech.test_hooks": "on", "server.drain_seconds": 3600}, port=free_port())
    with Client(first) as client:
        client.send(voice_id=1, text="[[slow:300]] " + "A turn that keeps the process. " * 20,
                    flush=True)
        client.receive()
        first.terminate()
        first.wait_for_log("draining")
        with running([SYRINX, "serve", "--greet", "--data", first.data, "--listen",
                      f"127.0.0.1:{first.port}"], tmp_path / "log"):
            assert f"from process {first.pid}" in (tmp_path / "log").read_text()
            first.terminate()
            assert first.process.wait(WAIT_S) == 0


def test_an_upgrade_of_a_server_with_a_greeting_is_not_refused(tmp_path):
    log = tmp_path / "log"
    with open(log, "wb") as out, subprocess.Popen(
            [SYRINX, "serve", "--greet", "--data", tmp_path / "data", "--listen",
             f"127.0.0.1:{free_port()}"],
            stdout=subprocess.DEVNULL, stderr=out, env=plain_environment(False)) as process:
        wait_until(lambda: b"listening on" in log.read_bytes(), "it listens")
        process.send_signal(signal.SIGUSR2)
        assert process.wait(WAIT_S) == 0, log.read_text()
    successor = pid_of(tmp_path / "data")
    assert successor != process.pid
    end(successor)
    assert f"from process {process.pid}" in log.read_text() and "had died" not in log.read_text()


@pytest.fixture
def taken_port():
    """The address of another program, and the next one taken too."""
    with socket.socket() as first, socket.socket() as second:
        while True:
            port = free_port()
            with contextlib.suppress(OSError):
                second.bind(("127.0.0.1", port + 1))
                break
        second.listen()
        first.bind(("127.0.0.1", port))
        first.listen()
        yield port


def test_an_address_of_another_program_is_answered_with_a_command_that_works(taken_port, tmp_path):
    data = tmp_path / "it's data"
    said = start_in_vain("--data", data, "--listen", f"127.0.0.1:{taken_port}")
    line = shown(said, rf"cannot listen on 127\.0\.0\.1:{taken_port}: Address already in use; "
                       "to use another address: (.*)")
    words = shlex.split(line)
    assert words[:4] == [str(SYRINX), "serve", "--data", str(data)]
    assert words[4] == "--listen" and words[5] > f"127.0.0.1:{taken_port + 1}"
    with running(words, tmp_path / "log"):
        assert f"listening on {words[5]}\n" in (tmp_path / "log").read_text()


def test_make_run_at_an_address_of_another_program_shows_the_make_run_that_works(taken_port, tmp_path):
    said = start_in_vain("--greet", "--fetch-voices", "--listen", f"127.0.0.1:{taken_port}", "--data",
                         tmp_path / "data", is_by_make=True)
    assert re.search(r'another address: make run ARGS="--data \S+ --listen 127\.0\.0\.1:\d+"\n', said)
    assert not os.path.exists(tmp_path / "data-2")
