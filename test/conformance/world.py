"""The servers that statements are checked against: one that is given, or our own, each with the
configuration that some statements need and started when the first of them asks for it."""

import contextlib
import os
import pathlib
import shutil
import signal
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse

import program
from fake_llm import FakeLlm
from rest import Rest
from statement import NotRun, Skip, describe
from wire import Multi, Once, Stream

ENGINE_KEY = "sk_conformance_0123456789"
RESIDENT_KEY = "sk_conformance_9876543210"

# Neural voices say the same text in the same way.
REPEATABLE = {"speech.repeatable": "on"}

KILL_S = 5.0  # how long an abandoned run cleans up at most

# The fake model's name says what it does, see test/e2e/fake_llm.py.
AGENTS = {
    "/words": "text=w0_w1_w2_w3_w4,delay_ms=60",
    "/unfinished": "text=w0_w1_w2_w3_w4,fault=silent,at=3",
    "/endless": "text=" + "_".join(f"word{i}" for i in range(110)) + ",delay_ms=60",
    "/short": "text=Fine.",
}


class Remote:
    """A server that the run was given."""

    is_ours = False

    def __init__(self, url, key):
        parts = urllib.parse.urlsplit(url if "//" in url else "http://" + url)
        is_secure = parts.scheme in ("https", "wss")
        self.host = parts.hostname
        self.port = parts.port or (443 if is_secure else 80)
        self.tls = ssl.create_default_context() if is_secure else None
        self.key = key


class World:
    def __init__(self, remote=None, voice=1071, second_voice=1072, examples=None):
        self.remote = remote
        self.voice = voice
        self.second_voice = second_voice
        self.examples = examples
        self.stack = contextlib.ExitStack()
        self.locks = {name: threading.Lock() for name in CONFIGURATIONS}
        self.servers = {}
        self.failures = {}  # servers that could not be started, and why
        self.problems = []  # of the end: servers that did not stop as they should
        self.llm = None

    def __enter__(self):
        self.directory = pathlib.Path(self.stack.enter_context(
            tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True)))
        if not self.remote:
            program.become_subreaper()
            self.llm = self.stack.enter_context(FakeLlm())
        return self

    def __exit__(self, *exception):
        """What goes wrong here is a problem among the others: the results are still to be shown."""
        try:
            self.stack.close()
        except Exception as error:
            self.problems.append(describe(error))

    def stop_server(self, name, server):
        """A server that ends badly is reported, and does not keep the others from being stopped."""
        try:
            server.stop()
        except Exception as error:
            self.problems.append(f"server {name}: {describe(error)}")

    def abandon(self):
        """For a run that is being ended from outside: neither processes nor files are left behind.
        Whatever has lost its parent became a child of this process, so all are found; checks that are
        still running may add some, but cannot start a server when the directory is gone."""
        deadline = time.monotonic() + KILL_S
        while time.monotonic() < deadline:
            left = program.children_of(os.getpid())
            for pid in left:
                with contextlib.suppress(ProcessLookupError, ChildProcessError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, os.WNOHANG)
            shutil.rmtree(self.directory, ignore_errors=True)
            if not left and not self.directory.exists():
                return
            time.sleep(0.005)

    # Servers

    def server(self, name="main"):
        """The server of this configuration."""
        if self.remote:
            if name == "main":
                return self.remote
            raise NotRun(f"needs a server of its own: {CONFIGURATIONS[name].__doc__}")
        with self.locks[name]:
            if name not in self.servers and name not in self.failures:
                directory = self.directory / name
                directory.mkdir()
                try:
                    server = CONFIGURATIONS[name](self, directory)
                    self.stack.callback(self.stop_server, name, server)
                    self.servers[name] = server
                except Exception as error:  # it would not start for the next statement either
                    self.failures[name] = error
            if name in self.failures:
                raise self.failures[name]
            return self.servers[name]

    def ours(self, why):
        """The main server, for a statement that needs more than a client may do."""
        if self.remote:
            raise NotRun(why)
        return self.server()

    def neural_voices(self):
        """The folder of the neural voices for tests."""
        if self.remote:
            raise NotRun("needs a server with neural voices of its own")
        if not (program.BUILD / "syrinx-vits").exists():
            raise Skip("syrinx-vits was not built")
        done = subprocess.run([program.SOURCE / "tools/test-voices", program.SYRINX],
                              capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            raise Skip("no neural voices: " + done.stderr.strip())
        return pathlib.Path(done.stdout.strip())

    def speech_models(self):
        """The folder of the models that recognize speech, for tests."""
        if self.remote:
            raise NotRun("needs a server that recognizes speech of its own")
        if not (program.BUILD / "syrinx-hear").exists():
            raise Skip("syrinx-hear was not built")
        done = subprocess.run(
            [program.SOURCE / "tools/test-models", program.SYRINX, "moonshine-tiny"],
            capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            raise Skip("no models: " + done.stderr.strip())
        return pathlib.Path(done.stdout.strip())

    # Clients

    def stream(self, server="main", **options):
        return Stream(self.server(server), **options)

    def multi(self, server="main", **options):
        client = Multi(self.server(server), **options)
        if self.remote:
            client.send(self.exact())
        return client

    def once(self, server="main", **options):
        return Once(self.server(server), **options)

    def speaking(self, server="main", voice=None, **config):
        """A stream socket whose voice is configured."""
        client = self.stream(server)
        client.send({"voice_id": voice or self.voice} | self.exact() | config)
        return client

    def exact(self):
        """Settings with which the same text gives the same samples.  Our servers need none."""
        return {"temperature": 0} if self.remote else {}

    def rest(self, server="main"):
        return Rest(self.server(server))

    def url(self, server="main"):
        there = self.server(server)
        scheme = "https" if getattr(there, "tls", None) else "http"
        return f"{scheme}://{getattr(there, 'host', '127.0.0.1')}:{there.port}"


def construct(kind, *arguments, **options):
    """An object whose constructor starts a process and waits for it: if it fails, the process is
    ended."""
    made = kind.__new__(kind)
    try:
        made.__init__(*arguments, **options)
    except BaseException:
        process = getattr(made, "process", None)
        if process:
            process.kill()
            process.wait()
        raise
    return made


def start(directory, settings, **options):
    return construct(program.Server, directory, settings, **options)


# Configurations


def configure_main(world, directory):
    """agents that ask a language model of ours"""
    text = ""
    for path, model in AGENTS.items():
        text += (f"[agent {path[1:]}]\npath = {path}\napi_key = {ENGINE_KEY}\nllm = openai\n"
                 f"llm_url = {world.llm.url}\nllm_model = {model}\nprompt = You are a test.\n"
                 "begin_ms = 60000\nfirst_token_ms = 60000\nconnect_ms = 60000\n\n")
    text += f"[agent resident]\npath = /resident\napi_key = {RESIDENT_KEY}_residency_eu\nllm = echo\n"
    return start(directory, REPEATABLE, config=text)


def configure_unpriced(world, directory):
    """no price"""
    return start(directory, program.tone_alone() | {"prices.cents_per_minute": ""})


def configure_cheap(world, directory):
    """a very low price, and one worker"""
    return start(directory, REPEATABLE | {
        "prices.cents_per_minute": "0.1", "speech.workers": 1})


def configure_locked(world, directory):
    """a store that can be made unavailable"""
    return start(directory, program.tone_alone())


def configure_tls(world, directory):
    """a certificate of our own"""
    if not shutil.which("openssl"):
        raise Skip("there is no openssl command")
    key, certificate = directory / "server.key", directory / "server.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
    server = start(directory, program.tone_alone() | {
        "server.tls_key": key, "server.tls_certificate": certificate})
    server.tls = ssl.create_default_context(cafile=certificate)
    return server


class NeuralServer(program.Server):
    """A server whose neural voices are there."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.wait_for_log(r"vits: \d+ new speakers")


def start_neural(world, directory, settings):
    voices = world.neural_voices()
    return construct(NeuralServer, directory, {"voices": voices} | settings)


def configure_neural(world, directory):
    """neural voices that repeat themselves"""
    return start_neural(world, directory, REPEATABLE)


def configure_varied(world, directory):
    """neural voices"""
    return start_neural(world, directory, {})


class ListeningServer(program.Server):
    """A server that recognizes speech."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.wait_for_log(r"hear: models: ")


def configure_listening(world, directory):
    """a model that recognizes speech"""
    settings = {"hearing.models_dir": world.speech_models(),
                "speech.voices_dir": world.neural_voices()}  # it has the library that runs models
    return construct(ListeningServer, directory, settings | REPEATABLE)


CONFIGURATIONS = {
    "main": configure_main,
    "unpriced": configure_unpriced,
    "cheap": configure_cheap,
    "locked": configure_locked,
    "tls": configure_tls,
    "neural": configure_neural,
    "varied": configure_varied,
    "listening": configure_listening,
}

TONE = 1  # the voice of servers that have the tone engine alone
ESPEAK = 2003
