"""Servers on one PostgreSQL database: what they share, and what they do while it is away."""

import program
import pytest
from client import Client, Refused
from program import syrinx, wait_until

PRICE = {"billing.cents_per_minute": "6"}


def settings(database, **more):
    return {"store.address": database.address, "speech.workers": 1} | PRICE | more


@pytest.fixture
def two_servers(start_server, database):
    """Each with a data directory of its own: the database is all they share."""
    return [start_server(settings(database)) for _ in range(2)]


def booked(database, turn):
    rows = database.ask(f"SELECT status, amount_microcents, server FROM turn"
                        f" WHERE id = '{turn.usage['turn_id']}'")
    assert len(rows) == 1
    return rows[0]


def test_a_key_of_one_server_is_good_at_the_other_and_both_book(two_servers, database):
    servers = set()
    for server in two_servers:
        with Client(server, key=two_servers[0].key) as client:
            turn = client.speak("One ledger.", voice_id=1)
        status, amount, name = booked(database, turn)
        assert status == "finished"
        assert int(amount) > 0
        servers.add(name)
    assert len(servers) == 2


def test_a_key_revoked_at_one_server_ends_at_the_other(two_servers, database):
    done = syrinx("key", "create", settings=settings(database))
    key = done.stdout.decode().strip()
    assert done.returncode == 0, done.stderr
    with Client(two_servers[1], key=key) as client:
        assert client.speak("Yes.", voice_id=1).samples > 0
    assert syrinx("key", "revoke", key[:8], settings=settings(database)).returncode == 0

    def is_refused():
        try:
            Client(two_servers[1], key=key).socket.close()
        except Refused as refused:
            return refused.status == 403
        return False

    wait_until(is_refused, "the key is refused")


def test_turns_spoken_while_the_database_is_away_are_booked_when_it_is_back(
        start_server, database):
    server = start_server(settings(database))
    with Client(server) as client:
        before = client.speak("Before.", voice_id=1)
        database.stop()
        try:
            while_away = client.speak("Meanwhile.", voice_id=1)
        finally:
            database.start()
        assert "turn_id" in while_away.usage
        after = client.speak("After.", voice_id=1)
    count = "SELECT count(*) FROM turn WHERE id IN ('{}')"
    ids = "', '".join(turn.usage["turn_id"] for turn in (before, while_away, after))
    wait_until(lambda: database.ask(count.format(ids)) == [["3"]], "all three are booked")
    assert database.ask("SELECT (SELECT sum(amount_microcents) FROM turn WHERE account_id = 1)"
                        " = (SELECT spent_microcents FROM account WHERE id = 1)") == [["t"]]


@pytest.mark.parametrize("address, says", [
    ("postgresql://syrinx:tell-no1@127.0.0.1:{port}/syrinx", "password authentication failed"),
    ("postgresql://syrinx:tell-no1@127.0.0.1:1/syrinx", "cannot connect to the database"),
    ("postgresql://syrinx:tell-no1@[::1/syrinx", "address is not understood"),
])
def test_a_wrong_address_is_said_without_the_password(database, tmp_path, address, says):
    done = syrinx("serve", "--data", tmp_path, "--listen", "127.0.0.1:0",
                  settings={"store.address": address.format(port=database.port)})
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 1
    assert says in said
    assert "tell-no1" not in said
    assert not program.SANITIZER_REPORT.search(said)
