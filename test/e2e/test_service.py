"""Commands and the server they belong to: which configuration they find, which store they use."""

import os
import pwd
import subprocess

import pytest
from program import WAIT_S, syrinx

NOBODY = pwd.getpwnam("nobody")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")


def test_an_installed_program_finds_its_service_s_store_from_anywhere(installed):
    installed.configure()
    installed.key("create", "--create", "--name", "first")
    assert (installed.data / "syrinx.db").exists()
    assert "first" in installed.key("list")
    assert not list(installed.elsewhere.iterdir())
    # The file may say otherwise, and is also the installed one when it is named.
    other = installed.root / "other"
    installed.configure(f"[server]\ndata = {other}\n")
    installed.key("create", "--create", "--name", "second", "--config", installed.config)
    assert (other / "syrinx.db").exists()
    listed = installed.key("list")
    assert "second" in listed and "first" not in listed


def test_a_named_file_or_directory_wins_over_the_installed_one(installed):
    installed.configure()
    installed.key("create", "--create", "--name", "service")
    named = installed.root / "named.conf"
    named.write_text(f"[server]\ndata = {installed.root}/named\n")
    by_variable = {"SYRINX_CONFIG": str(named)}
    installed.key("create", "--create", "--name", "variable", extra=by_variable)
    assert "variable" in installed.key("list", "--data", installed.root / "named")
    assert "variable" in installed.key("list", "--config", named)
    assert "service" in installed.key("list", "--config", installed.config, extra=by_variable)
    # An empty variable is no file at all: ./data.
    done = installed.run("key", "list", extra={"SYRINX_CONFIG": ""})
    assert done.returncode == 1 and "there is no store in data/syrinx.db" in done.stderr


def environment_of(installed, text):
    path = installed.root / "etc/default/syrinx"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_commands_have_the_variables_of_the_service(installed):
    installed.configure("[agent support]\napi_key = env:TEST_AGENT_KEY\n")
    # Where no agent is used, its key need not be there.
    installed.key("create", "--create", "--name", "file")
    assert installed.run("backup", installed.root / "backup.db").returncode == 0
    for command in (["check"], ["serve"], ["talk"], ["mint-token"]):
        done = installed.run(*command)
        assert done.returncode == 1 and "the variable TEST_AGENT_KEY is not set" in done.stderr
    store = installed.root / "elsewhere.db"
    environment_of(installed, f'# of the service\nTEST_AGENT_KEY="a key"\n'
                              f"SYRINX_STORE_ADDRESS=sqlite:{store}\nSYRINX_CONFIG=/none\n")
    installed.key("create", "--create", "--name", "variable")
    assert store.exists() and "variable" in installed.key("list")
    assert "file" in installed.key("list", "--store", f"sqlite:{installed.data}/syrinx.db")
    assert installed.run("mint-token").returncode == 0
    assert f"sqlite:{store}\n" in installed.run("check").stdout
    assert f"sqlite:{store}\n" in installed.run("check", "--config", installed.config).stdout
    # What is set already wins, and another server has other variables.
    listed = installed.key("list", extra={"SYRINX_STORE_ADDRESS":
                                          f"sqlite:{installed.data}/syrinx.db"})
    assert "file" in listed and "variable" not in listed
    assert "file" in installed.key("list", "--data", installed.data)


@needs_root
def test_variables_that_a_user_may_not_read_are_left_out(installed):
    installed.configure()
    path = environment_of(installed, "SYRINX_STORE_ADDRESS=memory:\n")
    path.chmod(0o600)
    done = installed.run("key", "list", **as_nobody())
    assert "there is no store in" in done.stderr
    done = installed.run("key", "list")
    assert "in-memory store" in done.stderr


def test_a_program_of_a_checkout_does_not_use_the_installed_service(installed, tmp_path):
    installed.configure()
    installed.key("create", "--create", "--name", "service")
    done = syrinx("key", "list", cwd=tmp_path)
    assert done.returncode == 1 and b"there is no store in data/syrinx.db" in done.stderr


@pytest.mark.parametrize("command", [
    ("key", "create"), ("key", "list"), ("account", "create", "--name", "x"),
    ("account", "top-up", "1", "--cents", "5"), ("project", "create", "--name", "x"), ("usage",),
    ("token", "create", "--key", "ka_absent", "--path", "/ws/tts/stream")])
def test_no_command_makes_a_store_by_itself(tmp_path, command):
    done = syrinx(*command, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    said = done.stderr.decode()
    assert "there is no store in data/syrinx.db" in said and "--data DIR" in said
    assert not list(tmp_path.iterdir()) and not done.stdout
    may_create = command[0] in ("key", "account", "project") and command[1] != "list"
    assert ("--create" in said) == may_create


def test_nor_does_one_that_lists_with_create(tmp_path):
    done = syrinx("key", "list", "--create", "--data", tmp_path / "none")
    assert done.returncode == 1 and not (tmp_path / "none").exists()


def test_a_file_that_is_no_store_is_not_taken_for_one(tmp_path):
    (tmp_path / "syrinx.db").write_bytes(b"")
    assert b"there is no store" in syrinx("key", "list", "--data", tmp_path).stderr
    (tmp_path / "syrinx.db").write_bytes(b"something else entirely" * 100)
    done = syrinx("key", "create", "--create", "--data", tmp_path)
    assert done.returncode == 1 and b"cannot open" in done.stderr


# Users

def as_nobody():
    return {"user": NOBODY.pw_uid, "group": NOBODY.pw_gid, "extra_groups": []}


def path_with(installed, has_sudo):
    """A PATH in which there is a sudo, or nothing."""
    directory = installed.root / "tools"
    directory.mkdir()
    if has_sudo:
        (directory / "sudo").write_text("#!/bin/sh\n")
        (directory / "sudo").chmod(0o755)
    return {"PATH": f"/nonexistent:{directory}"}


@needs_root
@pytest.mark.parametrize("has_sudo, suggestion", [
    (True, "try sudo syrinx {} ..., or"), (False, "try su -c 'syrinx {} ...', or")])
def test_who_may_not_read_the_service_s_file_is_told_what_to_do(installed, has_sudo, suggestion):
    installed.configure()
    extra = path_with(installed, has_sudo)
    os.chown(installed.config, 0, NOBODY.pw_gid)
    installed.config.chmod(0o640)
    user = {"user": 65533, "group": 65533, "extra_groups": []}
    for command in (("key", "create"), ("usage",), ("check",), ("serve",)):
        done = installed.run(*command, extra=extra, **user)
        assert done.returncode == 1
        assert f"may not read {installed.config}" in done.stderr, done.stderr
        assert suggestion.format(command[0]) in done.stderr, done.stderr
    # Voices and models that the service never sees are not installed either.
    for verb in (("fetch",), ("add", "voice.onnx"), ("remove", "voice")):
        done = installed.run("voices", *verb, **user)
        assert done.returncode == 1 and f"may not read {installed.config}" in done.stderr
        assert "syrinx voices" in done.stderr and "--voices DIR" in done.stderr
    for verb in (("fetch",), ("remove", "model")):
        done = installed.run("models", *verb, **user)
        assert done.returncode == 1 and f"may not read {installed.config}" in done.stderr
        assert "syrinx models" in done.stderr and "--models DIR" in done.stderr
    for kind in ("voices", "models"):
        done = installed.run(kind, "remove", "none", f"--{kind}", installed.elsewhere, **user)
        assert done.returncode == 1 and "may not read" not in done.stderr
    # Commands that need nothing of it are not in the way.
    done = installed.run("ready", "--server", "http://127.0.0.1:1", **user)
    assert "Connection refused" in done.stderr and "may not read" not in done.stderr
    done = installed.run("ready", **user)
    assert "may not read" in done.stderr and "--server" in done.stderr


@needs_root
@pytest.mark.parametrize("has_sudo, suggestion", [
    (True, "sudo -u nobody syrinx serve ..."), (False, "or runuser -u nobody -- syrinx serve ...")])
def test_root_does_not_serve_on_the_data_of_the_service_by_accident(installed, has_sudo, suggestion):
    installed.configure("[server]\nlisten = 127.0.0.1:0\n")
    installed.data.mkdir(parents=True)
    os.chown(installed.data, NOBODY.pw_uid, NOBODY.pw_gid)
    done = installed.run("serve", extra=path_with(installed, has_sudo))
    assert done.returncode == 1 and "systemctl start syrinx" in done.stderr
    assert suggestion in done.stderr, done.stderr
    assert not list(installed.data.iterdir())


@needs_root
def test_root_s_commands_leave_files_that_the_service_can_write(installed):
    """Also while it does not run, and for the first time."""
    installed.configure()
    installed.data.mkdir(parents=True)
    os.chown(installed.data, NOBODY.pw_uid, NOBODY.pw_gid)
    installed.data.chmod(0o700)
    installed.key("create", "--create", "--name", "by root")
    installed.key("create", "--name", "by root again")
    owners = {path.name: path.stat().st_uid for path in installed.data.rglob("*")}
    assert owners and set(owners.values()) == {NOBODY.pw_uid}, owners
    # While the service has it open, too: SQLite's journals are there then.
    keeper = subprocess.Popen(
        ["/usr/bin/python3", "-c", f"""
import sqlite3, sys
database = sqlite3.connect({str(installed.data / 'syrinx.db')!r})
database.execute("PRAGMA journal_mode").fetchone()
database.execute("UPDATE account SET name = name")
database.commit()
print("open", flush=True)
sys.stdin.read()
"""], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **as_nobody())
    try:
        assert keeper.stdout.readline() == b"open\n"
        installed.key("create", "--name", "meanwhile")
        owners = {path.name: path.stat().st_uid for path in installed.data.rglob("*")}
        assert "syrinx.db-wal" in owners and set(owners.values()) == {NOBODY.pw_uid}, owners
    finally:
        keeper.communicate(timeout=WAIT_S)
    assert "meanwhile" in installed.key("list", **as_nobody())
