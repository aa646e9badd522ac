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


def limited_key(database, name, *limits):
    """Of an account of its own."""
    for command in (("account", "create", "--name", name, *limits),
                    ("key", "create", "--account", name)):
        done = syrinx(*command, settings=settings(database))
        assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


def status_of(server, key):
    """Of an upgrade: 101, or why not."""
    try:
        Client(server, key=key).socket.close()
    except Refused as refused:
        return refused.status
    return 101


def test_a_limit_holds_across_servers_and_a_place_is_free_for_both(two_servers, database):
    key = limited_key(database, "together", "--connections", "1")
    for here, there in (two_servers, two_servers[::-1]):
        wait_until(lambda server=here: status_of(server, key) == 101, "there is a place")
        wait_until(lambda: held(database, "together") == 0, "it is given back")
        with Client(here, key=key) as client:
            assert status_of(there, key) == 429
            assert client.speak("Only here.", voice_id=1).samples > 0
            assert status_of(there, key) == 429


def held(database, name):
    """Places of the account that the database knows of."""
    rows = database.ask("SELECT coalesce(sum(amount), 0) FROM share_slot JOIN account ON"
                        f" account.id = holder_id AND kind = 0 WHERE name = '{name}'")
    return int(rows[0][0])


def test_a_limit_holds_after_the_database_has_crashed(two_servers, database):
    key = limited_key(database, "crashed", "--connections", "1")
    with Client(two_servers[0], key=key):
        assert held(database, "crashed") == 1
        database.stop()
        database.start()
        wait_until(lambda: held(database, "crashed") == 1, "the database knows it again")
        # Until the other has found it again too, its own count is all that it has.
        wait_until(lambda: status_of(two_servers[1], key) == 429, "both ask the database again")
        wait_until(lambda: held(database, "crashed") == 1, "what it took meanwhile is given back")
        assert status_of(two_servers[1], key) == 429
    wait_until(lambda: held(database, "crashed") == 0, "the place is given back")


def test_requests_of_a_minute_are_counted_across_servers(two_servers, database):
    key = limited_key(database, "per minute", "--requests-per-minute", "2")
    codes = []
    for server in two_servers * 2:
        with Client(server, key=key) as client:
            client.send(text="One.", voice_id=1, flush=True)
            frame = client.receive()
            codes.append(frame.get("code", 200))
    assert codes == [200, 200, 429, 429]


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
