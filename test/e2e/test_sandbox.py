"""Engines are strangers: what a worker of a running server may do, seen from outside."""

import os
import pathlib

import pytest
from client import Client
from program import BUILD, SANITIZER, process_name, process_status, wait_until

pytestmark = pytest.mark.skipif(
    SANITIZER != "none", reason="built with a sanitizer, which the engines' filter would kill")

ENGINES = {name for name in ("syrinx-tone", "syrinx-flite", "syrinx-espeak", "syrinx-vits",
                            "syrinx-hear")
           if (BUILD / name).exists()}


@pytest.fixture
def workers(server):
    """Workers that have spoken."""
    with Client(server) as client:
        for voice in (1, 1071, 2001):
            assert client.speak("Hello.", voice_id=voice).samples > 0

    def running():
        """All of them, when none is being started: then it has the launcher's name and rights."""
        pids = server.workers()
        return pids if {process_name(pid) for pid in pids} == ENGINES else None

    return wait_until(running, "every worker runs its engine")


def test_workers_have_no_new_privileges_and_a_filter(workers):
    for pid in workers:
        status = process_status(pid)
        assert status["NoNewPrivs"] == "1"
        assert status["Seccomp"] == "2"


def test_workers_have_no_powers(workers):
    for pid in workers:
        status = process_status(pid)
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            assert int(status[name], 16) == 0


def open_files(pid):
    """What its descriptors are; a worker that is just starting opens and closes some meanwhile."""
    links = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            links.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except FileNotFoundError:
            pass
    return links


def test_workers_have_no_socket_but_the_one_to_the_server(workers, server):
    with Client(server):  # one more descriptor that they must not have
        for pid in workers:
            links = open_files(pid)
            assert len([link for link in links if link.startswith("socket:")]) == 1
            assert not any("syrinx.db" in link or "local.key" in link for link in links)


@pytest.mark.parametrize("deed", ["[[socket]]", "[[open-write]]"])
def test_engine_that_reaches_out_gets_nothing(server, tmp_path, deed):
    trace = "/tmp/syrinx-tone-was-here"
    assert not os.path.exists(trace)
    with Client(server) as client:
        client.send(voice_id=1, text=f"{deed} was tried.", flush=True)
        client.read_turn()
        assert client.speak("The next turn.").samples > 0
    assert not os.path.exists(trace)


def test_worker_that_computes_for_ever_is_ended(start_server):
    server = start_server({"speech.test_hooks": "on", "speech.worker_cpu_seconds": 1,
                           "speech.stall_seconds": 3})
    with Client(server) as client:
        client.send(voice_id=1, text="[[hang]]", flush=True)
        assert client.read_turn().errors[0]["code"] == 500
        assert client.speak("The next turn.").samples > 0

def test_workers_see_nothing_of_the_servers_environment(start_server, monkeypatch):
    monkeypatch.setenv("PASSWORD_OF_TEST", "secret")
    server = start_server()
    with Client(server) as client:
        assert client.speak("Hello.", voice_id=1).samples > 0
    def environment_of(pid):
        return pathlib.Path(f"/proc/{pid}/environ").read_bytes()

    assert b"secret" in environment_of(server.process.pid)
    for pid in server.workers():
        environment = wait_until(lambda: process_name(pid) in ENGINES and environment_of(pid),
                                 "the worker runs its engine")
        assert b"PATH=" in environment and b"secret" not in environment
