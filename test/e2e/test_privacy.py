"""What a local user who is not the server's can see: nothing in the data directory, whatever the umask and
whoever made it, and no key on a command line."""

import contextlib
import os
import pwd
import stat
import subprocess

import pytest
from client import Client
from program import SYRINX, WAIT_S, environment, syrinx, tone_alone
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
            "syrinx.listener", "spool", "samples"} <= files
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
        done = syrinx("key", "create", "--data", data)
    assert done.returncode == 0 and b"it is 0700 now" in done.stderr
    assert (data / "syrinx.db").exists() and open_to_others(data) == []
    elsewhere = tmp_path / "other.db"
    with umask(0):
        assert syrinx("key", "create", "--data", data, "--store", f"sqlite:{elsewhere}").returncode == 0
    assert mode_of(elsewhere) == 0o600


def test_the_voices_inside_it_stay_as_they_are(start_server, tmp_path):
    data = tmp_path / "made"
    (data / "voices" / "inner").mkdir(parents=True)
    model = data / "voices" / "inner" / "voice.onnx"
    model.write_bytes(b"no model")
    for path, mode in ((data, 0o755), (data / "voices", 0o755), (model, 0o644)):
        path.chmod(mode)
    start_server({"speech.voices_dir": data / "voices"}, data=data)
    assert mode_of(data) == 0o700
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
    server.wait_for_log("has other things in it, so it stays open")


def test_a_directory_of_everybody_with_other_things_in_it_is_refused(tmp_path):
    data = tmp_path / "everybodys"
    data.mkdir()
    (data / "notes").write_text("hello")
    data.chmod(0o1777)
    done = start_alone("--data", data)
    assert done.returncode == 1 and b"every user of this machine may write to" in done.stderr
    assert mode_of(data) == 0o1777 and os.listdir(data) == ["notes"]


def test_links_lead_nobody_astray(start_server, tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("not ours")
    outside.chmod(0o644)
    data = tmp_path / "made"
    data.mkdir()
    (data / "syrinx.notes").symlink_to(outside)
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


def reachable(tmp_path_factory):
    """A directory that another user can get to."""
    directory = tmp_path_factory.mktemp("reachable")
    for above in (directory, *directory.parents):
        if above.stat().st_uid == os.geteuid() and str(above).startswith("/tmp/"):
            above.chmod(0o711)
    return directory


def test_a_directory_of_somebody_else_that_everybody_writes_to_is_refused(tmp_path_factory):
    options = as_nobody()
    data = reachable(tmp_path_factory) / "roots"
    data.mkdir()
    data.chmod(0o777)
    done = start_alone("--data", data, **options)
    assert done.returncode == 1 and b"every user of this machine may write to" in done.stderr
    assert os.listdir(data) == []


def test_a_directory_of_somebody_else_that_is_open_to_a_group_is_warned_of(tmp_path_factory):
    """As volumes of container systems are."""
    options = as_nobody()
    data = reachable(tmp_path_factory) / "roots"
    data.mkdir()
    os.chown(data, 0, NOBODY.pw_gid)
    data.chmod(0o2775)
    done = subprocess.run([SYRINX, "key", "create", "--data", data], capture_output=True,
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
    server.wait_for_log(rf"local\.key was made by user {NOBODY.pw_uid}: it is not trusted")
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
