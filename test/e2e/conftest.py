"""Fixtures: servers that live for one test (start_server, server), with the SETTINGS that its file may
have; a client to talk with; a browser (browser); the folders of neural voices: the real ones
(neural_voices), and those that this build is tested with (spoken_voices); the models that recognize
speech (real_models); a registry of packages (make_registry, registry); a database (database)."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import browser as browser_module
import neural
import postgres
import program
import pytest
from client import Client
from installed import Installed
from registry import Registry, refuse
from transcript import AGENT_KEY, CONFIG, SETTINGS, Transcript

program.become_subreaper()

# nohup, and a shell that runs the tests in the background, make programs ignore these, which the
# programs under test would inherit.  A signal with a handler has its default action in a new program.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, lambda *_: None)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Fixtures can see whether their test has failed."""
    report = (yield).get_result()
    item.has_failed = getattr(item, "has_failed", False) or report.failed


@pytest.fixture
def start_server(request, tmp_path):
    """Makes servers; each is stopped, and checked, at the end of the test."""
    servers = []
    usual = getattr(request.module, "SETTINGS", {})

    def start(settings=None, **options):
        directory = tmp_path / f"server{len(servers)}"
        directory.mkdir()
        servers.append(program.Server(directory, usual | (settings or {}), **options))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def server(start_server):
    """A server whose tone engine obeys the words for tests."""
    return start_server({"speech.test_hooks": "on"})


@pytest.fixture
def record(request, start_server):
    """Makes transcripts (transcript.py), with a server each; they are compared at the end of the test.
    Their name is the test's, if they are given none."""
    made = []

    def make(settings=None, name=None, more=""):
        server = start_server(program.tone_alone() | SETTINGS | (settings or {}),
                              config=CONFIG + more)
        server.secrets.append(AGENT_KEY)
        made.append(Transcript(server, name or request.node.name.removeprefix("test_")))
        return made[-1]

    yield make
    if not request.node.has_failed:
        for transcript in made:
            transcript.check()


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
def browser_packages():
    return browser_module.install()


@pytest.fixture
def browser(tmp_path, browser_packages):
    """Runs cases in a real browser (browser.py)."""
    return browser_module.Browser(tmp_path, browser_packages)


@pytest.fixture(scope="module")
def database():
    """A PostgreSQL server for a whole file."""
    if not postgres.programs():
        pytest.skip("there is no PostgreSQL server: Debian's package postgresql")
    with postgres.Postgres() as made:
        yield made


@pytest.fixture
def make_registry(tmp_path, monkeypatch):
    """Makes the registry that will be asked; nothing else of this machine's npm counts."""
    made = []
    for name in [*os.environ]:
        if re.match("npm_config_|https?_proxy$|no_proxy$|node_extra_ca_certs$", name, re.I):
            monkeypatch.delenv(name)
    (tmp_path / "npmrc").write_text("")
    monkeypatch.setenv("npm_config_userconfig", str(tmp_path / "npmrc"))
    monkeypatch.setenv("npm_config_globalconfig", str(tmp_path / "npmrc"))

    def make(answer, certificate=None):
        made.append(Registry(answer, certificate))
        monkeypatch.setenv("npm_config_registry", made[-1].url)
        return made[-1]

    yield make
    for registry in made:
        registry.stop()


@pytest.fixture
def registry(make_registry):
    return make_registry(refuse)


@pytest.fixture(scope="session")
def real_models():
    """The folder of the models that are installed by default, fetched once for all tests of this
    machine."""
    if program.SANITIZER != "none":
        pytest.skip("built with a sanitizer, which learns nothing from a real model that a tiny one "
                    "does not show")
    done = subprocess.run([program.SOURCE / "tools/test-models", program.SYRINX],
                          capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        pytest.skip("no models: " + done.stderr.strip())
    return pathlib.Path(done.stdout.strip())


@pytest.fixture(scope="session")
def neural_voices():
    """The folder of the real runtime and model, fetched once for all tests of this machine."""
    done = subprocess.run([program.SOURCE / "tools/test-voices", program.SYRINX],
                          capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        pytest.skip("no neural voices: " + done.stderr.strip())
    return pathlib.Path(done.stdout.strip())


@pytest.fixture(scope="session")
def runtime(neural_voices):
    """The library that runs models."""
    if not (program.BUILD / "syrinx-vits").exists():
        pytest.skip("syrinx-vits was not built")
    return neural_voices / neural.RUNTIME


@pytest.fixture(scope="session")
def spoken_voices(neural_voices, runtime, tmp_path_factory):
    """A folder in which the neural voices of the catalogue are; see neural.py.  It is the tests'
    own: the other may be renewed by somebody else meanwhile."""
    folder = tmp_path_factory.mktemp("voices")
    (folder / neural.RUNTIME).symlink_to(runtime)
    if neural.HAS_REAL_MODEL:
        (folder / neural.MODEL).symlink_to(neural_voices / neural.MODEL)
        neural.put(neural_voices / (neural.MODEL + ".json"), folder)
    else:
        neural.make_stand_in(folder)
    return folder


@pytest.fixture
def reachable_path():
    """A directory that every user can enter.  It is not below tmp_path: each pytest that starts
    closes the directory above that to other users again, also beneath a test that is running."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="reachable-"))
    for above in (directory, *directory.parents):
        if above.stat().st_uid == os.geteuid() and str(above).startswith("/tmp/"):
            above.chmod(0o755)
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def installed(reachable_path):
    return Installed(reachable_path)
