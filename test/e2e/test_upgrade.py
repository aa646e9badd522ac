"""A new program in the old one's place: no turn is cut, and a successor that fails changes nothing.

The successor is no child of this process while its predecessor lives, and becomes one after: it is
ended by its process id, which the pid file tells.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys

import pytest
from client import Client
from program import BUILD, SYRINX, WAIT_S, environment, free_port, wait_until

LOAD_S = 4


def pid_of(data):
    return int((data / "syrinx.pid").read_text().split()[0])


def end(pid):
    os.kill(pid, signal.SIGTERM)
    wait_until(lambda: is_gone(pid), f"process {pid} has ended")


def is_gone(pid):
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return not os.path.exists(f"/proc/{pid}")


@pytest.fixture
def manager(tmp_path, monkeypatch):
    """What a service manager would be told."""
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(path)
        listener.settimeout(WAIT_S)
        monkeypatch.setenv("NOTIFY_SOCKET", path)
        yield lambda: dict(line.split("=", 1) for line in listener.recv(512).decode().split("\n"))


def test_the_manager_is_told_when_it_listens(manager, start_server):
    server = start_server()
    said = manager()
    assert said["READY"] == "1"
    assert said["MAINPID"] == str(server.pid)


def test_an_upgrade_under_load_cuts_no_turn(manager, start_server):
    server = start_server(port=free_port())
    assert manager()["MAINPID"] == str(server.pid)
    command = [sys.executable, os.path.join(os.path.dirname(__file__), "turns_under_load.py"),
               f"127.0.0.1:{server.port}", server.key, str(LOAD_S)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as load:
        server.wait_for_log("listening")
        wait_until(lambda: server.ledger(), "the load has begun")
        server.process.send_signal(signal.SIGUSR2)
        successor = int(manager()["MAINPID"])
        try:
            assert successor != server.pid
            assert server.process.wait(timeout=WAIT_S) == 0
            report = load.stdout.read()
            assert load.wait(WAIT_S) == 0, report
            assert pid_of(server.data) == successor
            with Client(server) as client:
                assert client.speak("Still here.", voice_id=1).usage["audio_seconds"] > 0
        finally:
            end(successor)


def test_a_successor_that_fails_changes_nothing(tmp_path):
    program = tmp_path / "syrinx"
    log = tmp_path / "log"
    shutil.copy(SYRINX, program)
    with open(log, "wb") as out:
        process = subprocess.Popen(
            [program, "serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0"],
            stdout=subprocess.DEVNULL, stderr=out,
            env=environment({"speech.engines_dir": str(BUILD)}))
    try:
        wait_until(lambda: b"listening on" in log.read_bytes(), "it listens")
        program.unlink()
        program.write_text("#!/bin/sh\nexit 1\n")
        program.chmod(0o755)
        process.send_signal(signal.SIGUSR2)
        wait_until(lambda: b"this process stays" in log.read_bytes(), "it says so")
        assert process.poll() is None
        process.send_signal(signal.SIGUSR2)  # and again, when the program is mended
        wait_until(lambda: log.read_bytes().count(b"this process stays") == 2, "it says so again")
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_S) == 0


def test_an_upgrade_works_behind_one_that_took_the_socket_and_died(manager, start_server):
    server = start_server(port=free_port())
    other = start_server(port=server.port, data=server.data)
    manager()
    manager()
    other.process.kill()
    other.process.wait()
    server.process.send_signal(signal.SIGUSR2)
    successor = int(manager()["MAINPID"])
    try:
        assert server.process.wait(timeout=WAIT_S) == 0
        with Client(server) as client:
            assert client.speak("Still here.", voice_id=1).usage["audio_seconds"] > 0
    finally:
        end(successor)
