"""`syrinx migrate`: from SQLite to PostgreSQL and back, with the real programs."""

import re

import postgres
import pytest
from client import Client
from program import SANITIZER_REPORT, create_key, syrinx
from rest import Rest


@pytest.fixture
def empty_database():
    """Of its own: only a new store is filled."""
    if not postgres.programs():
        pytest.skip("there is no PostgreSQL server: Debian's package postgresql")
    with postgres.Postgres() as database:
        yield database


def migrate(source, target):
    done = syrinx("migrate", "--from", source, "--to", target)
    said = (done.stdout + done.stderr).decode()
    assert not SANITIZER_REPORT.search(said)
    assert postgres.PASSWORD not in said and "p%2Fss" not in said
    return done.returncode, said


def figures(said):
    return {name: int(number) for name, number in re.findall(r"^ *([a-z-]+) +(\d+)$", said, re.M)}


def test_a_server_goes_on_with_another_store(start_server, empty_database, tmp_path):
    server = start_server({"prices.cents_per_minute": "6"})
    with Rest(server) as rest:
        assert rest.post("/dictionaries", {"name": "House"})[0] == 201
    with Client(server) as client:
        spoken = client.speak("Moved with everything.", voice_id=1).usage
    server.stop()
    sqlite = f"sqlite:{server.data}/syrinx.db"
    status, there = migrate(sqlite, empty_database.address)
    assert status == 0, there
    assert figures(there)["turns"] == 1

    moved = start_server({"store.address": empty_database.address,
                          "prices.cents_per_minute": "6"})
    with Rest(moved, key=server.key) as rest:  # whose hash was moved
        assert [d["name"] for d in rest.get("/dictionaries")[1]["dictionaries"]] == ["House"]
    with Client(moved, key=server.key) as client:
        client.speak("And on.", voice_id=1)
    moved.stop()
    rows = empty_database.ask("SELECT id FROM turn ORDER BY seq")
    assert rows[0] == [spoken["turn_id"]] and len(rows) == 2

    status, back = migrate(empty_database.address, f"sqlite:{tmp_path}/back.db")
    assert status == 0, back
    assert figures(back)["turns"] == 2


def test_a_store_that_a_server_runs_on_is_not_moved(start_server, empty_database, tmp_path):
    server = start_server()
    sqlite = f"sqlite:{server.data}/syrinx.db"
    status, said = migrate(sqlite, empty_database.address)
    assert status == 1 and f"process {server.process.pid} has {sqlite} open" in said
    server.stop()
    assert migrate(sqlite, empty_database.address)[0] == 0
    moved = start_server({"store.address": empty_database.address})
    status, said = migrate(empty_database.address, f"sqlite:{tmp_path}/back.db")
    assert status == 1 and "a server is using one of the stores" in said
    moved.stop()
    assert migrate(empty_database.address, f"sqlite:{tmp_path}/back.db")[0] == 0


def test_what_cannot_be_moved_is_said(empty_database, tmp_path):
    data = tmp_path / "data"
    create_key(data, "--create")
    source = f"sqlite:{data}/syrinx.db"
    assert migrate(source, empty_database.address)[0] == 0
    for wrong, says in [
            ((source, empty_database.address), "the target is not empty"),
            ((f"sqlite:{tmp_path}/none.db", f"sqlite:{tmp_path}/new.db"), "No such file"),
            ((source, "memory:"), "cannot be migrated"),
            ((source, "mysql://root:secret@host/x"),
             "cannot open mysql://host/x: there is no such store; the address must be sqlite:PATH, postgresql:"),
            ((source, f"postgresql://syrinx:no@127.0.0.1:{empty_database.port}/syrinx"),
             "password authentication failed"),
            ((source, "postgresql://syrinx:secret@127.0.0.1:1/syrinx"),
             "cannot open postgresql://127.0.0.1:1/syrinx: the database could not be reached")]:
        status, said = migrate(*wrong)
        assert status == 1 and says in said, said
        assert "secret" not in said
    assert migrate(source, source)[0] == 2
    assert not (tmp_path / "none.db").exists()
