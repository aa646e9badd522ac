"""An engine whose code an attacker controls: every attempt of test/attack/attack.c, behind every kind of
confinement that this machine has, and over the worker protocol of a real server.

A kind is defined by the user that starts the server, the version of Landlock, and whether a service
manager allows namespaces.  All attempts of a kind are made in one run; each attempt is a test."""

import dataclasses
import functools
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import tempfile

import pytest
from client import Client
from program import (BUILD, SANITIZER, SOURCE, SYRINX, WAIT_S, Server, environment, orphans,
                     process_status, syrinx, wait_until)

pytestmark = pytest.mark.skipif(
    SANITIZER != "none",
    reason="built with a sanitizer, which starts processes, traces itself and writes reports")

ATTACK = BUILD / "test/attack/attack"
ENGINE = BUILD / "test/attack/syrinx-attack"
LISTENER = BUILD / "test/attack/syrinx-hear-attack"
NAMES = subprocess.run([ATTACK, "list"], capture_output=True, text=True).stdout.split()
NEEDS = [name for name in NAMES if name.startswith("need_")]
ATTEMPTS = [name for name in NAMES if name not in NEEDS]

# No program makes these by accident: they end the process.
FATAL = {"ptrace_parent", "read_parent_memory", "mount_call", "chroot_call", "open_tree_call",
         "open_by_handle", "userfaultfd_call", "bpf_call", "perf_call", "keyctl_call",
         "fanotify_call", "kexec_call", "pidfd_getfd_call", "x32_call", "call_of_32_bits"}
ALONE = FATAL | {"need_to_execute", "execute_unlisted", "too_many_threads"}

# Attempts that only Landlock or a root directory of its own prevents for the same user.
READING = {"read_key", "read_database", "list_data", "data_by_path_descriptor", "read_passwd",
           "list_root", "list_var", "list_proc", "parent_cmdline", "parent_status",
           "other_cmdline", "execute_unlisted"}

# And what modes alone keep from everybody else.
ROOTS_OWN = {"read_shadow", "parent_fd"}

ROOT = os.geteuid() == 0
NOBODY = 65534
USER = 54321 if ROOT else os.geteuid()  # who need not be in the list of users


@dataclasses.dataclass(frozen=True)
class Kind:
    starter: str  # "root" or "user"
    switches: bool = False  # root's workers run as nobody
    landlock: int = None  # at most; None: what the kernel has
    unit: bool = False  # with the system calls of deploy/syrinx.service and no namespaces

    def __str__(self):
        words = [self.starter + ("-as-nobody" if self.switches else ""),
                 "landlock-" + ("own" if self.landlock is None else str(self.landlock))]
        return "-".join(words + ["unit"] * self.unit)

    def uid(self):
        return 0 if self.starter == "root" else USER

    def switches_here(self):
        """Without mounts an engine that another user cannot reach stays root's."""
        return self.switches and mounts_work()

    def worker_uid(self):
        return NOBODY if self.switches_here() else self.uid()

    def why_not(self):
        if self.starter == "root" and not ROOT:
            return "the tests are not run by root"
        if self.unit and not shutil.which("systemd-analyze"):
            return "systemd-analyze is not installed, which says what a unit's names stand for"
        if not self.landlock and landlock_version() == 0 and self.landlock is None:
            return "this kernel has no Landlock"
        if self.switches and self.landlock == 0 and not mounts_work():
            return NO_MOUNTS + ", and nobody cannot run a program in a directory of root's"
        return None

    def keeps_files(self):
        """Whether Landlock or a root directory of its own is there to keep it from reading."""
        return self.landlock != 0 or (mounts_work() and not self.unit)


NO_MOUNTS = "no mount namespace can be made here, which a plain chroot prevents"


@functools.cache
def mounts_work():
    """Whether an engine can be given a root directory of its own."""
    done = subprocess.run([SYRINX, "confine", "--explain"], capture_output=True, text=True,
                          env=os.environ | {"SYRINX_ENGINE_LANDLOCK_MAX": "0"})
    return "a root directory of its own" in done.stdout


# Debian 12 has version 2; 1 is the first that there was; 0 is none.
KINDS = ([Kind("root", True, version) for version in (None, 0)] +
         [Kind("root", False, version) for version in (None, 0)] +
         [Kind("user", False, version) for version in (None, 2, 1, 0)] +
         [Kind("user", False, version, True) for version in (None, 2, 0)])


@functools.cache
def landlock_version():
    done = subprocess.run([SYRINX, "confine", "--explain"], capture_output=True, text=True)
    found = re.search(r"Landlock (\d+)", done.stdout)
    return int(found[1]) if found else 0


def expand(name):
    """The system calls of a name in a unit."""
    if not name.startswith("@"):
        return {name}
    done = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True,
                          text=True, check=True)
    lines = (line.strip() for line in done.stdout.splitlines()[1:])
    return set().union(*(expand(line) for line in lines if line and line[0] != "#"))


@functools.cache
def unit_calls():
    """Those that the service may make, by the service manager."""
    unit = (SOURCE / "deploy/syrinx.service").read_text(encoding="utf-8")
    (names,) = re.findall(r"(?m)^SystemCallFilter=(.*)$", unit)
    return set().union(*(expand(name) for name in [*names.split(), "@default"]))


class Place:
    """A data directory, voices and programs for the servers of one user.  Those of root are in a
    directory that nobody else may enter; modes and owners would allow an engine everything."""

    def __init__(self, root, kind):
        self.root = root / str(kind)
        self.home, self.data, self.voices = (self.root / name for name in ("home", "data", "voices"))
        if kind.starter == "root":
            self.voices = self.home / "voices"
        for folder in (self.root, self.home, self.data, self.voices, self.voices / "empty"):
            folder.mkdir()
            folder.chmod(0o755)
        self.program, self.syrinx = self.home / "attack", self.home / "syrinx"
        shutil.copy(ATTACK, self.program)
        shutil.copy(SYRINX, self.syrinx)
        self.calls, self.inherited = self.root / "calls", self.root / "inherited"
        self.calls.write_text("\n".join(unit_calls() if kind.unit else []))
        self.inherited.write_text("not to be changed")
        (self.data / "local.key").write_text("a secret")
        (self.data / "syrinx.db").write_text("a secret")
        shutil.copy("/bin/true", self.data / "program")
        (self.root / "linked.txt").write_text("a voice on another disk")
        (self.voices / "linked.txt").symlink_to(self.root / "linked.txt")
        for name in ("old.txt", "other.txt"):
            (self.voices / name).write_text("a voice")
        self.has_attributes = self.add_attribute(self.voices / "old.txt")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.voices / "socket"))
        self.listener.listen()
        for path in (self.voices, self.voices / "old.txt", self.voices / "other.txt",
                     self.inherited):
            path.chmod(0o777 if path.is_dir() else 0o666)
        self.data.chmod(0o700)
        if ROOT:
            for path in [self.data, *self.data.iterdir()]:
                os.chown(path, kind.uid(), kind.uid())
            for path in [self.voices, self.inherited, *self.voices.iterdir()]:
                os.chown(path, kind.worker_uid(), kind.worker_uid(), follow_symlinks=False)
        if kind.starter == "root":
            self.home.chmod(0o700)

    @staticmethod
    def add_attribute(path):
        try:
            os.setxattr(path, "user.kept", b"1")
        except OSError:
            return False
        return True

    def look(self):
        """Everything an attempt could have changed."""
        found = {}
        for path in [self.data, *self.data.iterdir(), self.voices, *self.voices.iterdir(),
                     self.inherited]:
            status = path.lstat()
            text = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
            found[path.name] = (status.st_mode, status.st_uid, status.st_mtime_ns, text)
        return found


class Runs:
    """The results of all attempts of a kind."""

    def __init__(self, kind, root):
        self.kind, self.place = kind, Place(root, kind)
        before = self.place.look()
        together = [name for name in NAMES if name not in ALONE]
        self.results = self.attempt(*together)
        assert set(self.results) == set(together)
        for name in ALONE:
            self.results |= self.attempt(name)
        self.unchanged = self.place.look() == before

    def run(self, *words, options=()):
        """Runs words as a worker: the process of a server behind a launcher."""
        place, kind = self.place, self.kind
        env = {"PATH": os.environ["PATH"], "SYRINX_VOICES": str(place.voices)}
        if kind.landlock is not None:
            env["SYRINX_ENGINE_LANDLOCK_MAX"] = str(kind.landlock)
        launcher = [place.syrinx, "confine", *options]
        launcher += ["--user", f"{NOBODY}:{NOBODY}"] if kind.switches else []
        server = [place.program, "--inherit", place.inherited]
        server += ["--calls", place.calls] if kind.unit else []
        identity = {"user": kind.uid(), "group": kind.uid(), "extra_groups": []} if ROOT else {}
        return subprocess.run([*server, "server", *launcher, *words], env=env, cwd="/",
                              capture_output=True, text=True, timeout=WAIT_S, **identity)

    def attempt(self, *names, narrow=False, options=()):
        """{name: "done", "refused ERRNO" or "killed"}."""
        words = [self.place.program, *(["--narrow"] if narrow else []), "run", self.place.data,
                 self.place.voices, *names]
        done = self.run("--", *words, options=options)
        results = dict(line.split(" ", 1) for line in done.stdout.splitlines())
        assert "cannot confine" not in done.stderr, done.stderr
        if len(results) < len(names):
            assert len(names) == 1, (done, names)
            ended = done.returncode - 128
            results[names[0]] = "killed" if ended in (signal.SIGSYS, signal.SIGSEGV) else "done"
            assert ended in (signal.SIGSYS, signal.SIGSEGV, -128), done
        return results


@pytest.fixture(scope="module")
def root():
    """A folder that everybody may enter."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="syrinx-attack-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def runs_of(root):
    """Runs of a kind, made when the first test asks for them."""
    made = {}

    def runs(kind):
        if kind.why_not():
            pytest.skip(kind.why_not())
        if kind not in made:
            made[kind] = Runs(kind, root)
        return made[kind]

    yield runs
    for runs in made.values():
        runs.place.listener.close()


@pytest.mark.parametrize("name", ATTEMPTS)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_attempt_is_refused(runs_of, kind, name):
    runs = runs_of(kind)
    if name in READING | (ROOTS_OWN if kind.worker_uid() == 0 else set()) and \
            not kind.keeps_files():
        pytest.skip("without Landlock and namespaces only modes keep an engine from other files")
    if name == "getxattr_call" and not runs.place.has_attributes:
        pytest.skip("the file system has no attributes to read")
    if name == "too_many_threads" and kind.worker_uid() == 0:
        pytest.skip("the kernel does not count the threads of root; server.worker_user is for that")
    result = runs.results[name]
    assert result == "killed" or result.startswith("refused"), f"{name}: {result}"
    if name in FATAL:
        assert result == "killed", result


# Without confinement each attempt succeeds; only the harmless ones are tried.
HARMLESS = ["read_key", "read_database", "list_data", "data_by_path_descriptor", "read_passwd",
            "list_proc", "parent_cmdline", "parent_status", "other_cmdline", "create",
            "create_for_reading", "creat_call", "open_for_writing", "open_for_both",
            "openat2_call", "write_inherited", "map_inherited", "chmod_inherited",
            "lock_inherited", "lock_a_region_inherited", "map_shared", "chmod_call", "fchmod_call",
            "utimes_call", "inotify_call", "signal_parent", "signal_group",
            "signal_parent_thread", "signal_parent_task", "signal_parent_queue",
            "signal_by_owner", "signal_by_async", "signal_by_pidfd", "limit_parent", "pin_parent",
            "outlive_parent", "adopt_orphans", "fork_call", "fork_syscall", "vfork_call",
            "clone_syscall", "clone3_syscall", "spawn_call", "memory_made_executable",
            "memory_writable_and_executable", "own_memory_by_proc", "memfd_call", "socket_tcp",
            "socket_udp", "socket_unix", "socket_unix_datagrams", "socketpair_datagrams",
            "bind_abstract"]


def test_attempts_work_without_confinement(root):
    place = Place(root, dataclasses.replace(Kind("user"), landlock=99))
    identity = {"user": USER, "group": USER, "extra_groups": []} if ROOT else {}
    done = subprocess.run([place.program, "--inherit", place.inherited, "server", place.program, "run",
                           place.data, place.voices, *HARMLESS], capture_output=True, text=True,
                          timeout=WAIT_S, cwd="/", **identity)
    place.listener.close()
    refused = [line for line in done.stdout.splitlines() if not line.endswith(" done")]
    assert done.returncode == 0 and refused == []


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_nothing_was_changed(runs_of, kind):
    assert runs_of(kind).unchanged


@pytest.mark.parametrize("name", NEEDS)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_engines_need_works(runs_of, kind, name):
    assert runs_of(kind).results[name] == "done"


# One of each kind, for each needs a process of its own.
OPEN = ["read_key", "list_data", "parent_mem", "parent_status", "create", "open_for_writing",
        "truncate_call", "truncate_inherited", "map_inherited", "rename_call", "unlink_call",
        "chmod_call", "fchmodat2_call", "signal_parent", "signal_by_owner", "limit_parent",
        "outlive_parent", "fork_call", "clone3_syscall", "spawn_call", "execute_unlisted",
        "memory_made_executable", "memory_made_executable_by_key",
        "memory_writable_and_executable", "memfd_call", "socket_unix", "socketpair_datagrams",
        "io_uring_call", "ptrace_parent", "unshare_user"]


@pytest.mark.parametrize("name", OPEN)
def test_attempt_of_an_open_engine_in_c_is_refused(runs_of, name):
    result = runs_of(Kind("user", False, 2)).attempt(name, narrow=True)[name]
    assert result == "killed" or result.startswith("refused"), f"{name}: {result}"
    # After it is ready its memory stays as it is, and it becomes no other program.
    if name.startswith("memory_") or name == "execute_unlisted":
        assert result == "killed", result


def test_only_an_engine_that_was_named_makes_code(runs_of):
    runs = runs_of(Kind("user", False, 2))
    memory = [name for name in ATTEMPTS if name.startswith("memory_")]
    made = runs.attempt(*memory, options=["--jit"])
    assert made["memory_made_executable"] == made["memory_writable_and_executable"] == "done"
    for name in memory:
        assert runs.attempt(name, narrow=True, options=["--jit"])[name] == "killed"


def test_program_that_is_executed_inherits_everything(runs_of):
    runs = runs_of(Kind("user", False, 2))
    script = f"true; : < {runs.place.voices}/old.txt && echo read; : > {runs.place.voices}/new.txt"
    done = runs.run("--", "/bin/sh", "-c", script)
    assert done.stdout == "read\n" and done.returncode != 0
    assert not (runs.place.voices / "new.txt").exists()


def explain(runs):
    done = runs.run("--explain")
    assert done.returncode == 0, done
    return done.stdout


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_is_enforced_is_explained(runs_of, kind):
    text = explain(runs_of(kind))
    (line,) = re.findall(r"(?m)^enforced: (.*)$", text)
    missing = re.findall(r"(?m)^not enforced: (.*)$", text)
    if kind.landlock != 0:
        assert f"Landlock {kind.landlock or landlock_version()}" in line
    else:
        assert "Landlock" not in line
    assert ("a root directory of its own" in line) == (
        kind.switches_here() or (kind.landlock == 0 and not kind.unit and mounts_work()))
    assert f"user {kind.worker_uid()} " in line
    assert any("can read every file" in text for text in missing) == (not kind.keeps_files())
    assert any("run as root" in text for text in missing) == (kind.worker_uid() == 0)


def test_landlock_can_be_lowered_and_not_raised():
    done = syrinx("confine", "--explain", extra={"SYRINX_ENGINE_LANDLOCK_MAX": "99"})
    assert f"Landlock {landlock_version()}" in done.stdout.decode()


# Over the worker protocol

EARLY = ["read_key", "read_database", "list_data", "read_shadow", "parent_mem", "parent_mem_write",
         "parent_environ", "parent_maps", "parent_fd", "parent_status", "signal_parent",
         "limit_parent", "pin_parent", "fork_call", "socket_tcp", "memory_made_executable"]
LATE = ["read_key", "read_database", "list_data", "read_shadow", "parent_mem", "parent_environ",
        "parent_maps", "parent_status"]
STARTERS = ["root", "root-as-root", "user"]


@pytest.fixture
def start_as(tmp_path_factory, root, request):
    """Makes servers of root or another user, whose engines are the attacking one and tone."""
    servers = []

    def start(starter, settings=None, engines=(ENGINE, BUILD / "syrinx-tone")):
        uid = 0 if starter.startswith("root") else USER
        if uid == 0 and not ROOT:
            pytest.skip("the tests are not run by root")
        directory = pathlib.Path(tempfile.mkdtemp(dir=root))
        (directory / "engines").mkdir()
        for engine in engines:
            shutil.copy(engine, directory / "engines")
        shutil.copy(SYRINX, directory)
        own = {"speech.engines_dir": directory / "engines",
               "engine.target": f"data:{directory}/data"}
        if starter == "root-as-root":
            own["server.worker_user"] = ""
        for path in (directory, directory / "engines"):
            path.chmod(0o755 if uid else 0o700)
            os.chown(path, uid, uid)
        servers.append(Server(directory, own | (settings or {}), user=uid if ROOT else None,
                              program=directory / "syrinx"))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


def voice_of(server, name):
    """The id of an engine's voice."""
    connection = server.get("/v1/voices", headers={"X-API-Key": server.key})
    assert connection[0] == 200, connection
    return next(v["id"] for v in connection[1]["voices"] if name in str(v).lower())


@pytest.mark.parametrize("starter", STARTERS)
def test_engine_of_a_server_gets_nothing(start_as, starter):
    server = start_as(starter, {"engine.attack_early": " ".join(EARLY),
                                "engine.attack": " ".join(LATE)})
    server.wait_for_log("engines are confined: ")
    voice = voice_of(server, "attack")
    server.wait_for_log(f"attack: {EARLY[-1]} ")
    with Client(server) as client:
        turn = client.speak("Read the key to me.", voice_id=voice)
        assert turn.samples > 0 and server.key.encode() not in turn.audio, server.log()
    server.wait_for_log(f"(?s)attack: {LATE[0]} .*attack: {LATE[-1]} .*")
    results = re.findall(r"attack: (\w+) (done|refused)", server.log())
    assert set(results) == {(name, "refused") for name in EARLY + LATE}


@pytest.mark.parametrize("starter", STARTERS)
def test_engine_that_listens_gets_nothing_either(start_as, starter):
    server = start_as(starter, {"engine.attack_early": " ".join(EARLY),
                                "engine.attack": " ".join(LATE)},
                      engines=(LISTENER, BUILD / "syrinx-tone"))
    server.wait_for_log("engines are confined: ")
    server.wait_for_log(f"(?s)attack: {EARLY[-1]} .*attack: {LATE[0]} .*attack: {LATE[-1]} .*")
    results = re.findall(r"attack: (\w+) (done|refused)", server.log())
    assert set(results) == {(name, "refused") for name in EARLY + LATE}


@pytest.mark.parametrize("starter", STARTERS)
def test_workers_have_a_user_without_powers(start_as, starter):
    server = start_as(starter)
    wait_until(lambda: server.workers("tone"), "a worker runs")
    want = {"root": NOBODY if mounts_work() else 0, "root-as-root": 0, "user": USER}[starter]
    for pid in server.workers("tone"):
        status = process_status(pid)
        assert status["Uid"].split() == [str(want)] * 4
        assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2"
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            assert int(status[name], 16) == 0
        if starter != "user":
            assert int(status["CapBnd"], 16) == 0
        if starter == "root" and want != 0:
            assert status["Groups"] == ""


@pytest.mark.parametrize("starter", STARTERS)
def test_workers_die_with_a_server_that_is_killed(start_as, starter):
    server = start_as(starter)
    wait_until(lambda: server.workers("tone"), "a worker runs")
    server.process.kill()
    server.process.wait(timeout=WAIT_S)
    wait_until(lambda: not orphans(), "no worker is left")


def test_descriptors_that_an_engine_sends_are_not_kept(start_as):
    server = start_as("user", {"engine.attack": "send_descriptors", "speech.workers": 1})
    voice = voice_of(server, "attack")
    with Client(server) as client:
        assert client.speak("Once.", voice_id=voice).samples > 0
        before = server.open_files()
        for _ in range(3):
            assert client.speak("Take these.", voice_id=voice).samples > 0
        assert "attack: send_descriptors done" in server.log()
        wait_until(lambda: server.open_files() <= before, "it has no more descriptors")


@pytest.mark.skipif(not ROOT, reason="needs another process that root may not be")
def test_others_of_the_same_user_cannot_look_into_the_server(start_as):
    server = start_as("user")
    for name in ("mem", "environ", "maps", "fd/0"):
        done = subprocess.run(["cat", f"/proc/{server.pid}/{name}"], user=USER, group=USER,
                              capture_output=True, text=True)
        assert done.returncode != 0 and "Permission denied" in done.stderr


PYTHON_ATTACK = '''
import ctypes, os, signal, subprocess, threading

def attempts():
    parent = os.getppid()
    data = os.environ["SYRINX_ENGINE_TARGET"].partition(":")[2]
    yield "read_key", lambda: open(data + "/local.key").read()
    yield "database", lambda: open(data + "/syrinx.db", "rb").read(1)
    yield "passwd", lambda: open("/etc/passwd").read()
    yield "memory", lambda: open(f"/proc/{parent}/mem", "r+b")
    yield "environ", lambda: open(f"/proc/{parent}/environ").read()
    yield "file", lambda: open("/tmp/syrinx-python-attack", "w")
    yield "mkdir", lambda: os.mkdir("/tmp/syrinx-python-attack")
    yield "fork", os.fork
    yield "subprocess", lambda: subprocess.run(["/bin/true"], check=True)
    yield "kill", lambda: os.kill(parent, 0)
    yield "group", lambda: os.killpg(0, signal.SIGCONT)
    yield "socket", lambda: socket.socket()

def attack():
    for name, call in attempts():
        try:
            call()
            sys.stderr.write(f"attack: {name} done\\n")
        except OSError as error:
            sys.stderr.write(f"attack: {name} refused {error.errno}\\n")
    thread = threading.Thread(target=lambda: sys.stderr.write("attack: thread works\\n"))
    thread.start()
    thread.join()
    if ctypes.CDLL(None).abs(-7) == 7:
        sys.stderr.write("attack: ctypes works\\n")

'''


@pytest.mark.parametrize("starter, landlock", [("root", "99"), ("user", "2"), ("user", "0")])
def test_engine_in_python_gets_nothing(start_as, tmp_path, starter, landlock):
    if landlock == "0" and not mounts_work():
        pytest.skip(NO_MOUNTS)
    example = (SOURCE / "examples/engine.py").read_text(encoding="utf-8")
    example = example.replace("#!/usr/bin/env python3", "#!/usr/bin/python3")
    example = example.replace('if __name__ == "__main__":',
                              PYTHON_ATTACK + 'if __name__ == "__main__":\n    attack()')
    engine = tmp_path / "syrinx-beep"
    engine.write_text(example)
    engine.chmod(0o755)
    server = start_as(starter, {"engine.landlock_max": landlock}, engines=[engine])
    server.wait_for_log("attack: ctypes works")
    results = dict(re.findall(r"attack: (\w+) (done|refused|works)", server.log()))
    assert results.pop("thread") == results.pop("ctypes") == "works"
    assert len(results) == 12 and set(results.values()) == {"refused"}, results
    with Client(server) as client:
        assert client.speak("One two.", voice_id=voice_of(server, "beep")).samples > 0


# Mistakes of the operator

def serve_in_vain(tmp_path, **settings):
    done = syrinx("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data",
                  settings={k.replace("__", "."): v for k, v in settings.items()})
    assert done.returncode != 0
    return done.stderr.decode()


@pytest.mark.skipif(not ROOT, reason="only root switches to another user")
def test_worker_user_that_does_not_exist_is_told(tmp_path):
    assert "server.worker_user: there is no user ghost" in serve_in_vain(
        tmp_path, server__worker_user="ghost")


def test_data_directory_that_engines_could_read_is_refused(tmp_path):
    assert "server.data" in serve_in_vain(tmp_path, speech__voices_dir=tmp_path)
    assert "server.data" in serve_in_vain(tmp_path, hearing__models_dir=tmp_path)
    assert "server.data" in serve_in_vain(tmp_path, speech__engine_paths=f"/opt:{tmp_path}")


def test_engine_paths_must_be_absolute(tmp_path):
    assert "speech.engine_paths" in serve_in_vain(tmp_path, speech__engine_paths="engines").replace(
        "SYRINX_SPEECH_ENGINE_PATHS", "speech.engine_paths")
