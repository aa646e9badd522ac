"""Fixtures: servers that live for one test (start_server, server), a client to talk with, and the
folder of the real neural voices (neural_voices)."""

import pathlib
import subprocess

import program
import pytest
from client import Client

program.become_subreaper()


@pytest.fixture
def start_server(tmp_path):
    """Makes servers; each is stopped, and checked, at the end of the test."""
    servers = []

    def start(settings=None, **options):
        directory = tmp_path / f"server{len(servers)}"
        directory.mkdir()
        servers.append(program.Server(directory, settings, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def server(start_server):
    """A server whose tone engine obeys the words for tests."""
    return start_server({"speech.test_hooks": "on"})


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory):
    """One for a whole file, where cases are many and small."""
    server = program.Server(tmp_path_factory.mktemp("shared"), {"speech.test_hooks": "on"})
    yield server
    server.stop()


@pytest.fixture
def client(server):
    with Client(server) as connection:
        yield connection


@pytest.fixture(scope="session")
def neural_voices():
    """The folder of the real runtime and model, fetched once for all tests of this machine."""
    done = subprocess.run([program.SOURCE / "tools/test-voices", program.SYRINX],
                          capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        pytest.skip("no neural voices: " + done.stderr.strip())
    return pathlib.Path(done.stdout.strip())
