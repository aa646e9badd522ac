"""The servers that statements are checked against: one that is given, or our own, each with the
configuration that some statements need and started when the first of them asks for it."""

import contextlib
import functools
import pathlib
import shutil
import ssl
import subprocess
import tempfile
import threading
import urllib.parse

import program
from fake_llm import FakeLlm
from rest import Rest
from statement import NotRun, Skip
from wire import Multi, Once, Stream

ENGINE_KEY = "sk_conformance_0123456789"
RESIDENT_KEY = "sk_conformance_9876543210"

# The fake model's name says what it does, see test/e2e/fake_llm.py.
AGENTS = {
    "/words": "text=w0_w1_w2_w3_w4,delay_ms=60",
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
        self.llm = None

    def __enter__(self):
        self.directory = pathlib.Path(self.stack.enter_context(
            tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True)))
        if not self.remote:
            program.become_subreaper()
            self.llm = self.stack.enter_context(FakeLlm())
        return self

    def __exit__(self, *exception):
        try:
            for server in self.servers.values():
                server.stop()
        finally:
            self.stack.close()

    def abandon(self):
        """For a run that is being ended from outside: nothing is left behind."""
        for server in self.servers.values():
            server.process.terminate()

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
                    self.servers[name] = CONFIGURATIONS[name](self, directory)
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

    def repeatable(self):
        """The setting that makes neural voices say the same text in the same way."""
        return {"speech.repeatable": "on"} if self.has_setting("repeatable") else {}

    @functools.lru_cache
    def has_setting(self, name):
        return f"#{name} = " in program.syrinx("check", "--sample").stdout.decode()

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


# Configurations


def configure_main(world, directory):
    """agents that ask a language model of ours"""
    text = ""
    for path, model in AGENTS.items():
        text += (f"[agent {path[1:]}]\npath = {path}\napi_key = {ENGINE_KEY}\nllm = openai\n"
                 f"llm_url = {world.llm.url}\nllm_model = {model}\nprompt = You are a test.\n"
                 "begin_ms = 60000\nfirst_token_ms = 60000\nconnect_ms = 60000\n\n")
    text += f"[agent resident]\npath = /resident\napi_key = {RESIDENT_KEY}_residency_eu\nllm = echo\n"
    return program.Server(directory, world.repeatable(), config=text)


def configure_unpriced(world, directory):
    """no price"""
    return program.Server(directory, program.tone_alone() | {"prices.cents_per_minute": ""})


def configure_cheap(world, directory):
    """a very low price, and one worker"""
    return program.Server(directory, world.repeatable() | {
        "prices.cents_per_minute": "0.1", "speech.workers": 1})


def configure_locked(world, directory):
    """a store that can be made unavailable"""
    return program.Server(directory, program.tone_alone())


def configure_tls(world, directory):
    """a certificate of our own"""
    if not shutil.which("openssl"):
        raise Skip("there is no openssl command")
    key, certificate = directory / "server.key", directory / "server.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
    server = program.Server(directory, program.tone_alone() | {
        "server.tls_key": key, "server.tls_certificate": certificate})
    server.tls = ssl.create_default_context(cafile=certificate)
    return server


def start_neural(world, directory, settings):
    voices = world.neural_voices()
    server = program.Server(directory, {"voices": voices} | settings)
    server.wait_for_log(r"vits: \d+ new speakers")
    return server


def configure_neural(world, directory):
    """neural voices that repeat themselves"""
    return start_neural(world, directory, world.repeatable())


def configure_varied(world, directory):
    """neural voices"""
    return start_neural(world, directory, {})


CONFIGURATIONS = {
    "main": configure_main,
    "unpriced": configure_unpriced,
    "cheap": configure_cheap,
    "locked": configure_locked,
    "tls": configure_tls,
    "neural": configure_neural,
    "varied": configure_varied,
}

TONE = 1  # the voice of servers that have the tone engine alone
ESPEAK = 2003
