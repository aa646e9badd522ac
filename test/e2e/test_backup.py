"""`syrinx backup` and `syrinx restore`: with SQLite and PostgreSQL, while servers run and write."""

import contextlib
import os
import pwd
import re
import shutil
import sqlite3
import threading

import postgres
import pytest
from client import Client
from program import SANITIZER_REPORT, WAIT_S, create_key, syrinx, wait_until
from rest import Rest

NOBODY = pwd.getpwnam("nobody")


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
    assert [p.name for p in data.iterdir()] == ["syrinx.db"]
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
    assert "a server runs on the database" in said
    server.stop()
    rows = [row[0] for row in empty_database.ask("SELECT id FROM turn ORDER BY seq")]
    assert kept == rows[:len(kept)]

    said = run("restore", path, "--data", server.data, settings=settings, status=1)
    assert "the database is not empty: DROP SCHEMA syrinx CASCADE" in said
    assert "--replace is for a store in a file" in run(
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
    assert "it exists, and is not overwritten" in said
    assert (tmp_path / "backup.db").read_text() == "mine"
    said = run("backup", tmp_path / "no/such/folder.db", "--data", data, status=1)
    assert "No such file or directory" in said
    assert "in memory" in run("backup", tmp_path / "x.db", "--store", "memory:", status=1)
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
    assert "there is a store in" in said and "--replace" in said
    assert turns_of(server.data / "syrinx.db") == [turn]
    said = run("restore", path, "--replace", "--data", server.data)
    assert turns_of(server.data / "syrinx.db") == []
    kept = re.search(r"the store that was there is kept as (\S+)", said)[1]
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
    assert "there is a store in" in run("restore", tmp_path / "backup.db", "--data", data, status=1)
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
        assert "it is no backup of a store, or damaged" in said
        assert path.read_bytes() == wrong
        assert not other.exists() or not list(other.iterdir())
    said = run("restore", tmp_path / "none.db", "--data", other, status=1)
    assert "No such file or directory" in said


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
