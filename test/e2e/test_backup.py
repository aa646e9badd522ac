"""`syrinx backup` and `syrinx restore`: with SQLite and PostgreSQL, while servers run and write."""

import contextlib
import os
import pwd
import re
import shutil
import signal
import sqlite3
import subprocess
import threading

import postgres
import pytest
from client import Client
from program import SANITIZER_REPORT, SYRINX, WAIT_S, create_key, environment, syrinx, wait_until
from rest import Rest

NOBODY = pwd.getpwnam("nobody")
LOCKS = {"syrinx.lock", "syrinx.servers"}  # by which a restore keeps servers from starting


@pytest.fixture
def empty_database():
    if not postgres.programs():
        pytest.skip("there is no PostgreSQL server: Debian's package postgresql")
    with postgres.Postgres() as database:
        yield database


def run(*arguments, status=0, **options):
    done = syrinx(*arguments, **options)
    said = (done.stdout + done.stderr).decode()
    assert not SANITIZER_REPORT.search(said)
    assert postgres.PASSWORD not in said and "p%2Fss" not in said
    assert done.returncode == status, said
    return said


def figures(said):
    return {name: int(number) for name, number in re.findall(r"^ *([a-z -]+?) +(\d+)$", said, re.M)}


def turns_of(path):
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [row[0] for row in database.execute("SELECT id FROM turn ORDER BY seq")]


class Speaker(threading.Thread):
    """Speaks turn after turn until it is told to stop, and notes which were booked."""

    def __init__(self, server):
        super().__init__()
        self.server = server
        self.booked = []
        self.is_over = False
        self.start()

    def run(self):
        with Client(self.server) as client:
            while not self.is_over:
                self.booked.append(client.speak("On and on.", voice_id=1).usage["turn_id"])

    def wait_for(self, count):
        wait_until(lambda: len(self.booked) >= count or not self.is_alive(),
                   f"{count} turns were booked")
        assert self.is_alive()

    def stop(self):
        self.is_over = True
        self.join(WAIT_S)
        assert not self.is_alive()


@contextlib.contextmanager
def speaking(server):
    speaker = Speaker(server)
    try:
        yield speaker
    finally:
        speaker.stop()


def back_up_while_speaking(server, tmp_path, *options, **more):
    """Three backups of a server that books all the time; gives the last, and what it must have."""
    with speaking(server) as speaker:
        for number in range(3):
            speaker.wait_for(5 * (number + 1))
            known = list(speaker.booked)
            path = tmp_path / f"backup{number}.db"
            said = run("backup", path, "--data", server.data, *options, **more)
            kept = turns_of(path)
            assert set(known) <= set(kept) and len(kept) == len(set(kept))
            assert figures(said)["turns"] == len(kept)
            assert "all totals match the ledger" in run("account", "check", "--store",
                                                          f"sqlite:{path}")
    assert not list(tmp_path.glob("*.part*")) and path.stat().st_mode & 0o777 == 0o600
    return path, kept


def test_a_backup_of_a_server_that_speaks_is_whole_and_can_be_restored(start_server, tmp_path):
    server = start_server({"billing.cents_per_minute": "6"})
    with Rest(server) as rest:
        assert rest.post("/dictionaries", {"name": "House"})[0] == 201
    path, kept = back_up_while_speaking(server, tmp_path)
    server.stop()

    data = tmp_path / "moved"
    said = run("restore", path, "--data", data)
    assert figures(said)["turns"] == len(kept) and figures(said)["dictionaries"] == 1
    assert turns_of(data / "syrinx.db") == kept
    assert {p.name for p in data.iterdir()} - LOCKS == {"syrinx.db"}
    assert (data / "syrinx.db").stat().st_mode & 0o777 == 0o600
    assert turns_of(path) == kept  # the backup is as it was
    moved = start_server(data=data)
    with Rest(moved, key=server.key) as rest:  # whose hash was kept
        assert [d["name"] for d in rest.get("/dictionaries")[1]["dictionaries"]] == ["House"]
    with Client(moved, key=server.key) as client:
        client.speak("And on.", voice_id=1)
    moved.secrets.append(server.key)


def test_rows_that_wait_in_the_spool_are_in_a_backup(start_server, tmp_path):
    server = start_server()
    path = tmp_path / "backup.db"
    with contextlib.closing(sqlite3.connect(server.data / "syrinx.db", timeout=WAIT_S)) as holder:
        holder.execute("BEGIN IMMEDIATE")  # the server cannot book meanwhile
        with Client(server) as client:
            turn = client.speak("Not in the store yet.", voice_id=1).usage["turn_id"]
        assert turn not in turns_of(server.data / "syrinx.db")
        run("backup", path, "--data", server.data)
        assert turns_of(path) == [turn]
        holder.rollback()
    assert len(server.wait_for_ledger(1)) == 1
    # A row that was delivered stays in the spool's file, and is booked once.
    wait_until(lambda: server.spooled() == 0, "the spool is empty")
    run("backup", tmp_path / "again.db", "--data", server.data)
    assert turns_of(tmp_path / "again.db") == [turn]


def test_a_database_is_backed_up_while_servers_write_and_restored_to_either_kind(
        start_server, empty_database, tmp_path):
    settings = {"store.address": empty_database.address, "billing.cents_per_minute": "6"}
    server = start_server(settings)
    with Rest(server) as rest:
        assert rest.post("/dictionaries", {"name": "House"})[0] == 201
    path, kept = back_up_while_speaking(server, tmp_path, settings=settings)
    said = run("restore", path, "--data", tmp_path / "none", settings=settings, status=1)
    assert "a server is using the database" in said
    server.stop()
    rows = [row[0] for row in empty_database.ask("SELECT id FROM turn ORDER BY seq")]
    assert kept == rows[:len(kept)]

    said = run("restore", path, "--data", server.data, settings=settings, status=1)
    assert "the database is not empty: DROP SCHEMA syrinx CASCADE" in said
    assert "--replace works only for a store in a file" in run(
        "restore", path, "--replace", "--data", server.data, settings=settings, status=2)
    empty_database.ask("DROP SCHEMA syrinx CASCADE")
    said = run("restore", path, "--data", server.data, settings=settings)
    assert figures(said)["turns"] == len(kept)
    assert [r[0] for r in empty_database.ask("SELECT id FROM turn ORDER BY seq")] == kept
    assert not list(server.data.glob("*.part*"))
    again = start_server(settings, data=server.data)
    with Client(again, key=server.key) as client:
        client.speak("And on.", voice_id=1)

    data = tmp_path / "file"
    run("restore", path, "--data", data)
    assert turns_of(data / "syrinx.db") == kept
    beside = start_server(data=data)
    with Client(beside, key=server.key) as client:
        client.speak("In a file now.", voice_id=1)
    beside.secrets.append(server.key)


# What is refused

def test_nothing_is_overwritten_or_invented_by_a_backup(tmp_path):
    data = tmp_path / "data"
    said = run("backup", tmp_path / "backup.db", "--data", data, status=1)
    assert "there is no store in" in said and not list(tmp_path.iterdir())
    create_key(data, "--create")
    (tmp_path / "backup.db").write_text("mine")
    said = run("backup", tmp_path / "backup.db", "--data", data, status=1)
    assert "the file exists and will not be overwritten" in said
    assert (tmp_path / "backup.db").read_text() == "mine"
    said = run("backup", tmp_path / "no/such/folder.db", "--data", data, status=1)
    assert "No such file or directory" in said
    assert "in-memory" in run("backup", tmp_path / "x.db", "--store", "memory:", status=1)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["backup.db", "data"]


def test_a_store_in_use_or_with_something_in_it_is_not_restored_over(start_server, tmp_path):
    server = start_server()
    path = tmp_path / "backup.db"
    run("backup", path, "--data", server.data)
    for more in ([], ["--replace"]):
        said = run("restore", path, "--data", server.data, *more, status=1)
        assert f"a server of {server.data} is running: stop it first" in said
    store = f"sqlite:{server.data}/syrinx.db"
    said = run("restore", path, "--replace", "--data", tmp_path, "--store", store, status=1)
    assert f"process {server.pid} has {server.data}/syrinx.db open" in said
    with Client(server) as client:
        turn = client.speak("After the backup.", voice_id=1).usage["turn_id"]
    server.stop()
    said = run("restore", path, "--data", server.data, status=1)
    assert "there is already a store in" in said and "--replace" in said
    assert turns_of(server.data / "syrinx.db") == [turn]
    said = run("restore", path, "--replace", "--data", server.data)
    assert turns_of(server.data / "syrinx.db") == []
    kept = re.search(r"the previous store was renamed to (\S+)", said)[1]
    assert turns_of(kept) == [turn]


def test_the_log_of_a_lost_store_is_not_applied_to_a_restored_one(tmp_path):
    """SQLite knows a write-ahead log by its name alone."""
    data = tmp_path / "data"
    create_key(data, "--create", "--name", "first")
    run("backup", tmp_path / "backup.db", "--data", data)
    with contextlib.closing(sqlite3.connect(data / "syrinx.db")) as holder:
        holder.execute("SELECT count(*) FROM key").fetchone()  # keeps the log
        create_key(data, "--name", "second")
        shutil.copy(data / "syrinx.db-wal", tmp_path / "wal")
    (data / "syrinx.db").unlink()
    shutil.copy(tmp_path / "wal", data / "syrinx.db-wal")
    assert "there is already a store in" in run("restore", tmp_path / "backup.db", "--data", data, status=1)
    run("restore", tmp_path / "backup.db", "--replace", "--data", data)
    listed = run("key", "list", "--data", data)
    assert "first" in listed and "second" not in listed


def test_a_damaged_backup_changes_nothing(tmp_path):
    data, other = tmp_path / "data", tmp_path / "other"
    create_key(data, "--create")
    for name in range(30):
        create_key(data, "--name", f"key {name}")
    path = tmp_path / "backup.db"
    run("backup", path, "--data", data)
    whole = path.read_bytes()
    for wrong in (b"", b"not a backup at all\n" * 200, whole[:len(whole) // 2],
                  whole[:20000] + bytes(60000) + whole[80000:]):
        path.write_bytes(wrong)
        said = run("restore", path, "--data", other, status=1)
        assert "this is not a backup, or it is damaged" in said
        assert path.read_bytes() == wrong
        assert not other.exists() or {p.name for p in other.iterdir()} <= LOCKS
    for path, why in ((tmp_path / "none.db", "No such file or directory"),
                      (tmp_path, "Is a directory")):
        said = run("restore", path, "--data", tmp_path / "new", status=1)
        assert f"{path}: {why}" in said and "not a backup" not in said
    assert not (tmp_path / "new").exists()


def test_a_store_that_is_elsewhere_needs_no_data_directory(tmp_path):
    create_key(tmp_path / "data", "--create")
    run("backup", tmp_path / "backup.db", "--data", tmp_path / "data")
    run("restore", tmp_path / "backup.db", "--data", tmp_path / "none", "--store",
        f"sqlite:{tmp_path}/store.db")
    assert (tmp_path / "store.db").exists() and not (tmp_path / "none").exists()


# While it is being done

@contextlib.contextmanager
def started(*arguments, settings=None):
    with subprocess.Popen([SYRINX, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment(settings or {})) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


@contextlib.contextmanager
def copying(backup, data):
    """A restore that has begun to copy, and waits for the file."""
    with contextlib.closing(sqlite3.connect(backup, timeout=WAIT_S)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with started("restore", backup, "--data", data) as process:
            wait_until(lambda: list(data.glob("*.part")), "the copy has begun")
            yield process, holder


def test_no_server_starts_while_its_store_is_restored(start_server, tmp_path):
    data, backup, listen = tmp_path / "data", tmp_path / "backup.db", "127.0.0.1:0"
    create_key(tmp_path / "old", "--create", "--name", "kept")
    run("backup", backup, "--data", tmp_path / "old")
    with copying(backup, data) as (process, holder):
        process.send_signal(signal.SIGSTOP)
        holder.rollback()
        said = run("serve", "--data", data, "--listen", listen, status=1)
        assert f"the store of {data} is being restored" in said
        assert not (data / "syrinx.db").exists() and not (data / "local.key").exists()
        said = run("restore", backup, "--data", data, status=1)
        assert "is running: stop it first" in said
        process.send_signal(signal.SIGCONT)
        assert process.wait(WAIT_S) == 0, process.stdout.read()
    assert "kept" in run("key", "list", "--data", data)
    start_server(data=data)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_restore_leaves_nothing(tmp_path, number):
    data, backup = tmp_path / "data", tmp_path / "backup.db"
    create_key(tmp_path / "old", "--create")
    run("backup", backup, "--data", tmp_path / "old")
    with copying(backup, data) as (process, _):
        process.send_signal(number)
        assert process.wait(WAIT_S) == -number
    assert {p.name for p in data.iterdir()} <= LOCKS


@contextlib.contextmanager
def locked(database, table):
    """Nobody can read the table meanwhile."""
    def lock():
        with contextlib.suppress(Exception):  # it is ended below
            database.ask(f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE; "
                         f"SELECT pg_sleep({WAIT_S * 10})")

    asking = threading.Thread(target=lock)
    asking.start()
    sleeping = "FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    try:
        wait_until(lambda: database.ask(f"SELECT pid {sleeping}"), "the table is locked")
        yield
    finally:
        database.ask(f"SELECT pg_terminate_backend(pid) {sleeping}")
        asking.join(WAIT_S)


def test_an_interrupted_backup_leaves_nothing(empty_database, tmp_path):
    settings = {"store.address": empty_database.address}
    run("key", "create", "--create", settings=settings, cwd=tmp_path)
    (tmp_path / "here").mkdir()
    backup = tmp_path / "here/backup.db"
    with locked(empty_database, "turn"), started("backup", backup, settings=settings) as process:
        wait_until(lambda: list(backup.parent.glob("*.part")), "the copy has begun")
        process.terminate()
        assert process.wait(WAIT_S) == -signal.SIGTERM
    assert not list(backup.parent.iterdir())


def test_totals_that_are_wrong_are_copied_with_a_warning(empty_database, tmp_path):
    """With both kinds of store: a backup of them is better than none.  Only SQLite's files are copied
    as they are; a database computes its totals from the rows."""
    settings = {"store.address": empty_database.address}
    wrong = "UPDATE account SET spent_microcents = spent_microcents + 1 WHERE id = 1"
    run("key", "create", "--create", "--name", "kept", settings=settings, cwd=tmp_path)
    empty_database.ask(wrong)
    create_key(tmp_path / "data", "--create", "--name", "kept")
    with contextlib.closing(sqlite3.connect(tmp_path / "data/syrinx.db")) as database:
        database.execute(wrong)
        database.commit()
    for number, (options, kind) in enumerate(((["--data", tmp_path / "data"], {}),
                                              (["--data", tmp_path / "none"], settings))):
        backup = tmp_path / f"backup{number}.db"
        said = run("backup", backup, *options, settings=kind)
        assert "the totals in the store do not match its rows" in said
        assert ("computed from the rows" in said) == bool(kind)
        said = run("restore", backup, "--data", tmp_path / f"file{number}")
        assert ("the totals in this backup do not match its rows" in said) == (not kind)
        assert "kept" in run("key", "list", "--data", tmp_path / f"file{number}")
        empty_database.ask("DROP SCHEMA syrinx CASCADE")
        said = run("restore", backup, "--data", tmp_path / "none", settings=settings)
        assert ("the totals in the database were recomputed from the rows" in said) == (not kind)
        assert "kept" in run("key", "list", settings=settings, cwd=tmp_path)
        assert "all totals match the ledger" in run("account", "check", settings=settings,
                                                    cwd=tmp_path)
        empty_database.ask(wrong)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_a_backup_belongs_to_who_made_it(empty_database, tmp_path):
    """Whoever owns the directory, and whatever the store is."""
    settings = {"store.address": empty_database.address}
    run("key", "create", "--create", settings=settings, cwd=tmp_path)
    create_key(tmp_path / "data", "--create")
    (tmp_path / "there").mkdir()
    os.chown(tmp_path / "there", NOBODY.pw_uid, NOBODY.pw_gid)
    run("backup", tmp_path / "there/database.db", settings=settings, cwd=tmp_path)
    run("backup", tmp_path / "there/file.db", "--data", tmp_path / "data")
    for path in (tmp_path / "there").iterdir():
        assert path.stat().st_uid == 0 and path.stat().st_mode & 0o777 == 0o600, path


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_what_root_restores_belongs_to_the_owner_of_the_data_directory(tmp_path):
    create_key(tmp_path / "old", "--create")
    run("backup", tmp_path / "backup.db", "--data", tmp_path / "old")
    assert (tmp_path / "backup.db").stat().st_uid == 0
    data = tmp_path / "data"
    for more in ([], ["--replace"]):
        data.mkdir(mode=0o700, exist_ok=True)
        os.chown(data, NOBODY.pw_uid, NOBODY.pw_gid)
        run("restore", tmp_path / "backup.db", "--data", data, *more)
        owners = {(path.stat().st_uid, path.stat().st_gid) for path in data.iterdir()}
        assert owners == {(NOBODY.pw_uid, NOBODY.pw_gid)}
        assert (data / "syrinx.db").stat().st_mode & 0o777 == 0o600
