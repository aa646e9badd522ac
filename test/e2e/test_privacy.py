"""Other users of the machine can see nothing in the data directory, whatever the umask and whoever
created it, and no key on a command line."""

import contextlib
import os
import pathlib
import pwd
import shlex
import socket
import stat
import subprocess

import pytest
from client import Client
from engine import Engine, echo_key
from program import SYRINX, WAIT_S, environment, syrinx, tone_alone, wait_until
from rest import Rest

SETTINGS = tone_alone()

NOBODY = pwd.getpwnam("nobody")


@contextlib.contextmanager
def umask(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def open_to_others(directory):
    """What others have rights to, the directory itself included."""
    found = [path for path in (directory, *directory.rglob("*"))
             if not path.is_symlink() and stat.S_IMODE(path.lstat().st_mode) & 0o077]
    return [str(path.relative_to(directory.parent)) for path in found]


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def use(server):
    """Makes every kind of file there is."""
    with Client(server) as client:
        client.speak("Hello.", voice_id=1)
    with Rest(server) as rest:
        voice = rest.must(201, rest.post("/voices", {"name": "x", "base_voice_id": 1}))
        rest.must(200, rest.post(f"/voices/{voice['id']}/generate-sample"))


def start_alone(*arguments, **options):
    """A server that does not come up; gives what it said."""
    return subprocess.run([SYRINX, "serve", "--listen", "127.0.0.1:0", *arguments],
                          capture_output=True, env=environment(SETTINGS), timeout=WAIT_S, **options)


# The data directory

def test_everything_in_a_directory_that_the_server_makes_is_private(start_server):
    with umask(0):
        server = start_server()
    use(server)
    files = {path.name for path in server.data.rglob("*")}
    assert {"syrinx.db", "syrinx.db-wal", "syrinx.db-shm", "local.key", "syrinx.pid", "syrinx.lock",
            "syrinx.listener", "spool", "samples", "engines"} <= files
    assert open_to_others(server.data) == []
    server.stop()
    assert open_to_others(server.data) == []


@pytest.mark.parametrize("mode", [0o755, 0o777, 0o750])
def test_a_directory_that_somebody_made_is_closed_and_the_log_says_so(start_server, tmp_path, mode):
    data = tmp_path / "made"
    data.mkdir()
    data.chmod(mode)
    with umask(0):
        server = start_server(data=data)
    use(server)
    assert mode_of(data) == 0o700 and open_to_others(data) == []
    server.wait_for_log(rf"{data} was open to other users \(mode {mode:04o}\); it is 0700 now")


def test_files_that_were_left_open_are_closed_at_the_start(start_server):
    first = start_server()
    use(first)
    first.stop()
    everything = [first.data, *first.data.rglob("*")]
    for path in everything:
        path.chmod(0o777 if path.is_dir() else 0o666)
    again = start_server(data=first.data)
    assert open_to_others(first.data) == []
    again.wait_for_log(r"files in .* were open to other users")
    use(again)
    assert open_to_others(first.data) == []


def test_commands_leave_nothing_open_either(tmp_path):
    data = tmp_path / "made"
    data.mkdir(mode=0o755)
    with umask(0):
        done = syrinx("key", "create", "--create", "--data", data)
    assert done.returncode == 0 and b"it is 0700 now" in done.stderr
    assert (data / "syrinx.db").exists() and open_to_others(data) == []
    elsewhere = tmp_path / "other.db"
    with umask(0):
        assert syrinx("key", "create", "--create", "--data", data, "--store",
                      f"sqlite:{elsewhere}").returncode == 0
    assert mode_of(elsewhere) == 0o600


def test_the_voices_and_models_inside_it_stay_as_they_are(start_server, tmp_path):
    data = tmp_path / "made"
    (data / "voices" / "inner").mkdir(parents=True)
    model = data / "voices" / "inner" / "voice.onnx"
    model.write_bytes(b"no model")
    for path, mode in ((data, 0o755), (data / "voices", 0o755), (model, 0o644)):
        path.chmod(mode)
    (data / "models").mkdir(mode=0o755)
    start_server({"speech.voices_dir": data / "voices", "hearing.models_dir": data / "models"},
                 data=data)
    assert mode_of(data) == 0o700 and mode_of(data / "models") == 0o755
    assert mode_of(data / "voices") == 0o755 and mode_of(model) == 0o644


def test_a_directory_with_other_things_in_it_keeps_its_mode_and_our_files_are_private(
        start_server, tmp_path):
    data = tmp_path / "shared"
    (data / "site").mkdir(parents=True)
    page = data / "site" / "index.html"
    page.write_text("hello")
    for path, mode in ((data, 0o755), (data / "site", 0o755), (page, 0o644)):
        path.chmod(mode)
    with umask(0):
        server = start_server(data=data)
    use(server)
    assert (mode_of(data), mode_of(data / "site"), mode_of(page)) == (0o755, 0o755, 0o644)
    assert [name for name in open_to_others(data) if "site" not in name] == ["shared"]
    server.wait_for_log("also contains other files, so its mode is left as it is")


def test_a_directory_of_everybody_with_other_things_in_it_is_refused(tmp_path):
    data = tmp_path / "everybodys"
    data.mkdir()
    (data / "notes").write_text("hello")
    data.chmod(0o1777)
    done = start_alone("--data", data)
    assert done.returncode == 1 and b"every user of this machine can write to" in done.stderr
    assert mode_of(data) == 0o1777 and os.listdir(data) == ["notes"]


def test_an_empty_volume_that_everybody_can_write_to_is_closed(start_server, tmp_path):
    """A file system in memory has this mode when it is mounted."""
    data = tmp_path / "volume"
    data.mkdir()
    data.chmod(0o1777)
    start_server(data=data)
    assert mode_of(data) == 0o700


def test_an_empty_tmp_stays_everybodys():
    """Such as that of a container.  The program is opened before the mount, which may hide it."""
    script = (f"exec 9<{SYRINX} && mount -t tmpfs -o mode=1777 none /tmp && "
              "/proc/self/fd/9 serve --data /tmp; stat -c %a /tmp")
    done = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", script],
                          capture_output=True, timeout=WAIT_S, check=False)
    if done.returncode != 0 or b"mount: " in done.stderr:
        pytest.skip("no mount namespace can be made here: " + done.stderr.decode().strip()[-100:])
    assert b"every user of this machine can write to" in done.stderr
    assert done.stdout == b"1777\n"


def test_links_lead_nobody_astray(start_server, tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("not ours")
    outside.chmod(0o644)
    data = tmp_path / "made"
    data.mkdir()
    (data / "syrinx.notes").symlink_to(outside)
    (data / "syrinx.db-journal").symlink_to(outside)
    start_server(data=data)
    assert mode_of(outside) == 0o644


def as_nobody():
    """Options of a process of another user; skips where there can be none."""
    if os.geteuid() != 0:
        pytest.skip("only root can be two users")
    options = {"user": NOBODY.pw_uid, "group": NOBODY.pw_gid, "extra_groups": []}
    with contextlib.suppress(PermissionError):
        if subprocess.run([SYRINX, "version"], capture_output=True, **options).returncode == 0:
            return options
    pytest.skip("another user cannot run the program where it was built")


def test_a_directory_of_somebody_else_that_everybody_writes_to_is_refused(reachable_path):
    options = as_nobody()
    data = reachable_path / "roots"
    data.mkdir()
    data.chmod(0o777)
    done = start_alone("--data", data, **options)
    assert done.returncode == 1 and b"every user of this machine can write to" in done.stderr
    assert os.listdir(data) == []


def test_a_directory_of_somebody_else_that_is_open_to_a_group_is_warned_of(reachable_path):
    """As volumes of container systems are."""
    options = as_nobody()
    data = reachable_path / "roots"
    data.mkdir()
    os.chown(data, 0, NOBODY.pw_gid)
    data.chmod(0o2775)
    done = subprocess.run([SYRINX, "key", "create", "--create", "--data", data], capture_output=True,
                          env=environment({}), umask=0, timeout=WAIT_S, **options)
    assert done.returncode == 0, done.stderr
    assert b"is open to other users (mode 2775) and belongs to user 0" in done.stderr
    assert open_to_others(data) == ["roots"]


def test_a_local_key_that_somebody_else_made_is_not_taken(start_server, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can make files of two users")
    planted = "ka_" + "A" * 40
    data = tmp_path / "made"
    data.mkdir()
    (data / "local.key").write_text(planted + "\n")
    os.chown(data / "local.key", NOBODY.pw_uid, NOBODY.pw_gid)
    server = start_server(data=data)
    assert server.key != planted
    assert server.get("/v1/voices", {"X-API-Key": planted})[0] == 401
    server.wait_for_log(rf"local\.key was created by user {NOBODY.pw_uid}, so it is not trusted")
    assert (data / "local.key").stat().st_uid == 0


# Other files with secrets

AGENT = "[agent a]\npath = /a\nllm = echo\napi_key = "


@pytest.mark.parametrize("text, mode, warns", [
    (AGENT + "sk_something\n", 0o644, True),
    (AGENT + "sk_something\n", 0o640, False),
    (AGENT + "env:AGENT_KEY\n", 0o644, False),
    ("[store]\naddress = postgresql://u:secret@127.0.0.1/x\n", 0o644, True),
    ("[store]\naddress = postgresql://127.0.0.1/x?password=secret\n", 0o644, True),
    ("[store]\naddress = postgresql://u@127.0.0.1/x\n", 0o644, False),
    ("[server]\nlog_level = info\n", 0o644, False)])
def test_a_configuration_with_secrets_that_all_can_read_is_warned_of(tmp_path, text, mode, warns):
    path = tmp_path / "syrinx.conf"
    path.write_text(text)
    path.chmod(mode)
    done = syrinx("check", "--config", path, extra={"AGENT_KEY": "sk_something"})
    assert done.returncode == 0, done.stderr
    assert (b"every user of this machine can read it" in done.stderr) == warns
    assert b"secret" not in done.stderr and b"sk_something" not in done.stderr


def test_the_server_warns_of_it_too(start_server):
    with umask(0o022):
        server = start_server(config=AGENT + "sk_something_secret\n")
    server.secrets.append("sk_something_secret")
    server.wait_for_log("every user of this machine can read it")


@pytest.mark.parametrize("key", ["speech.voices_dir", "hearing.models_dir", "speech.engines_dir"])
def test_folders_that_code_comes_from_and_everybody_writes_to_are_warned_of(tmp_path, key):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "syrinx-tone").symlink_to(SYRINX.parent / "syrinx-tone")
    for mode, warns in ((0o777, True), (0o1777, False), (0o755, False)):
        folder.chmod(mode)
        done = syrinx("check", settings={key: folder})
        assert done.returncode == 0, done.stderr
        assert (b"every user of this machine can write to" in done.stderr) == warns, mode


def test_a_private_key_that_all_can_read_is_warned_of(tmp_path):
    names = {"server.tls_certificate": tmp_path / "cert.pem", "server.tls_key": tmp_path / "key.pem"}
    for path in names.values():
        path.write_text("x")
    for mode, warns in ((0o644, True), (0o640, False)):
        names["server.tls_key"].chmod(mode)
        done = syrinx("check", settings=names)
        assert (b"every user of this machine can read the private key" in done.stderr) == warns


# Keys on command lines

KEY = "ka_" + "Zq8" * 13 + "x"
TOKEN = "head.payload.signature-of-a-token"
PASSWORD = "a-password-of-the-database"


@pytest.fixture
def deaf():
    """Listens and never answers: who connects to it waits."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(WAIT_S)
        yield listener


@contextlib.contextmanager
def running(*arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL):
    with subprocess.Popen([SYRINX, *arguments], stdin=stdin, stdout=stdout,
                          stderr=subprocess.DEVNULL, env=environment({})) as process:
        try:
            yield process
        finally:
            process.kill()


def arguments_of(process):
    """What `ps` shows of it."""
    return pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def commands_with_a_server(address):
    return [["say", "Hello.", "-o", "/dev/null", "--server", address, "--key", KEY],
            ["say", "Hello.", "-o", "/dev/null", "--server", address, "--key=" + KEY],
            ["top", "--once", "--server", address, "--key", KEY],
            ["talk", "--url", address + "/x", "--key", KEY],
            ["talk", "--url", address + "/x", "--key", KEY, "--token", TOKEN]]


def commands_with_a_store(address):
    store = ["--store", f"postgresql://user:{PASSWORD}@{address}/syrinx"]
    return [["key", "revoke", KEY, *store], ["key", "change", KEY, "--name", "x", *store],
            ["key", "list", *store], ["token", "create", "--key", KEY, "--path", "/ws/tts", *store],
            ["usage", "--key", KEY, *store], ["usage", "--store=" + store[1]],
            ["account", "list", *store], ["project", "list", *store],
            ["migrate", "--from", store[1], "--to", "sqlite:/nowhere/x.db"]]


@pytest.mark.parametrize("which", range(5))
def test_keys_for_a_server_are_not_on_the_command_line(deaf, which):
    command = commands_with_a_server(f"http://127.0.0.1:{deaf.getsockname()[1]}")[which]
    with running(*command) as process:
        connection = deaf.accept()  # it has read its arguments; it ends when this is closed
        shown = arguments_of(process)
        assert connection and command[0] in shown and command[-2].split("=")[0] in shown
        for secret in (KEY, KEY[8:], TOKEN):
            assert secret not in shown


@pytest.mark.parametrize("which", range(9))
def test_keys_and_passwords_for_a_store_are_not_on_the_command_line(deaf, which):
    command = commands_with_a_store(f"127.0.0.1:{deaf.getsockname()[1]}")[which]
    with running(*command) as process:
        connection, _ = deaf.accept()
        shown = arguments_of(process)
        assert command[0] in shown
        for secret in (KEY, KEY[8:], PASSWORD):
            assert secret not in shown
        # It has not lost what it was given: its first message asks for the database by name.
        connection.settimeout(WAIT_S)
        assert connection.recv(1000)
        connection.close()


def test_a_token_is_minted_without_a_key_on_the_command_line():
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(write_end, b"x" * 4096)
    os.set_blocking(write_end, True)
    with running("mint-token", "--key", KEY, stdout=write_end) as process:  # it cannot print, and stays
        wait_until(lambda: KEY[8:] not in arguments_of(process), "the key is blanked out")
        assert process.poll() is None
    os.close(read_end)
    os.close(write_end)


def at(server):
    return ["--server", f"http://127.0.0.1:{server.port}"]


def test_a_key_comes_from_a_file_or_from_standard_input(server, tmp_path):
    key = server.new_key()
    file = tmp_path / "key"
    for text in (key, key + "\n", f"  {key}\r\n", key + "\n\n"):
        file.write_text(text)
        file.chmod(0o600)
        say = ["say", "Hello.", "--voice", "1", *at(server), "-o", tmp_path / "x.wav"]
        done = syrinx(*say, "--key-file", file)
        assert (done.returncode, done.stderr) == (0, b"")
        assert syrinx(*say, "--key-file", "-", stdin=text.encode()).returncode == 0
    rows = server.ledger("(SELECT prefix FROM key WHERE key.id = key_id) AS prefix")
    assert [row["prefix"] for row in rows] == [key[:8]] * 8


def test_a_key_and_a_text_may_both_come_on_standard_input(server, tmp_path):
    done = syrinx("say", "-", "--voice", "1", *at(server), "-o", tmp_path / "x.wav", "--key-file", "-",
                  stdin=server.new_key().encode() + b"\nHello there.")
    assert done.returncode == 0, done.stderr
    assert server.ledger()[-1]["characters"] == len("Hello there.")


def test_what_is_no_file_with_a_key_is_told(server, tmp_path):
    file = tmp_path / "key"
    for text, why in ((b"", b"the file contains no key"), (b" \n", b"the file contains no key"),
                      (b"ka_a\nka_b\n", b"it must be a single short line"),
                      (b"x" * 2000, b"it must be a single short line"),
                      (b"ka_\0x", b"it must be a single short line")):
        file.write_bytes(text)
        done = syrinx("top", "--once", *at(server), "--key-file", file)
        assert done.returncode == 1 and why in done.stderr, done.stderr
        assert b"ka_" not in done.stderr
    done = syrinx("top", "--once", *at(server), "--key-file", tmp_path / "absent")
    assert done.returncode == 1 and b"No such file" in done.stderr
    done = syrinx("top", "--once", "--key-file", file, "--key", "x")
    assert done.returncode == 2 and b"--key or --key-file, not both" in done.stderr
    done = syrinx("say", "x", "--key-file", "-", stdin=b"ka_x\n")
    assert done.returncode == 2 and b"--key-file needs a server" in done.stderr


def test_a_file_that_everybody_can_read_is_warned_of(server, tmp_path):
    file = tmp_path / "key"
    file.write_text(server.key)
    file.chmod(0o644)
    done = syrinx("top", "--once", *at(server), "--key-file", file)
    assert done.returncode == 0 and b"every user of this machine can read" in done.stderr


def test_keys_are_changed_and_revoked_by_a_file(server, tmp_path):
    key = server.new_key()
    file = tmp_path / "key"
    file.write_text(key)
    file.chmod(0o600)
    where = ["--data", server.data]
    done = syrinx("key", "change", "--key-file", file, "--name", "renamed", *where)
    assert done.returncode == 0, done.stderr
    assert b"renamed" in syrinx("key", "list", *where).stdout
    assert syrinx("usage", "--key-file", file, *where).returncode == 0
    done = syrinx("key", "revoke", "--key-file", "-", *where, stdin=key.encode())
    assert done.returncode == 0, done.stderr
    assert b"revoked" in syrinx("key", "list", *where).stdout
    for wrong in (["revoke"], ["create", "--key-file", file], ["revoke", key, "--key-file", file]):
        assert syrinx("key", *wrong, *where).returncode == 2
    done = syrinx("key", "revoke", key, *where)
    assert done.returncode == 0, done.stderr


def test_tokens_are_made_with_a_key_that_nobody_sees(server, tmp_path):
    key = server.new_key()
    file = tmp_path / "key"
    file.write_text(key)
    file.chmod(0o600)
    make = ["token", "create", "--path", "/ws/tts/stream", "--data", server.data]
    for options, extra in ((["--key-file", file], {}), ([], {"SYRINX_KEY": key}),
                           (["--key", key[:8]], {"SYRINX_KEY": "ka_of_another_server"})):
        done = syrinx(*make, *options, extra=extra)
        assert done.returncode == 0, done.stderr
        with Client(server, key=done.stdout.decode().strip()) as client:
            client.speak("Hello.", voice_id=1)
    assert syrinx(*make).returncode == 2


def test_an_engines_key_comes_from_a_file(server, tmp_path):
    file = tmp_path / "key"
    file.write_text(echo_key(server))
    file.chmod(0o600)
    done = syrinx("mint-token", "--key-file", file)
    with Engine(server, given=done.stdout.decode().strip()) as engine:
        engine.ping()
    url = f"ws://127.0.0.1:{server.port}/speech-engine/ws"
    done = syrinx("talk", "--url", url, "--key-file", file, stdin=b"hello\n")
    assert done.returncode == 0 and b"hello" in done.stdout, done.stderr
    done = syrinx("talk", "--url", url, "--key-file", "-",
                  stdin=echo_key(server).encode() + b"\nhello\n")
    assert done.returncode == 0 and b"hello" in done.stdout, done.stderr


def test_the_greeting_has_a_command_without_a_key_in_it(tmp_path):
    with subprocess.Popen([SYRINX, "serve", "--greet", "--listen", "127.0.0.1:0", "--data",
                           tmp_path / "data"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=environment(SETTINGS), text=True) as process:
        try:
            for line in process.stdout:
                if " say " in line:
                    break
            assert "--key-file" in line and "ka_" not in line
            words = shlex.split(line)
            done = subprocess.run([*words, "--voice", "1", "-o", tmp_path / "x.wav"], capture_output=True,
                                  env=environment({}), timeout=WAIT_S)
            assert done.returncode == 0, done.stderr
        finally:
            process.terminate()
