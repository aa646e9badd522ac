"""Servers on one PostgreSQL database: what they share, and what they do while it is away."""

import concurrent.futures
import signal
import urllib.parse

import postgres
import program
import pytest
from client import Client, Closed, Refused
from multi import MultiClient
from program import syrinx, tone_alone, wait_until
from rest import Rest

PRICE = {"prices.cents_per_minute": "6"}


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


CENT = 1_000_000  # micro-cents
LONG = " ".join(["One"] * 10) + "."


def prepaid_key(database, name, cents):
    key = limited_key(database, name, "--prepaid", "yes")
    done = syrinx("account", "top-up", name, "--cents", str(cents), settings=settings(database))
    assert done.returncode == 0, done.stderr
    return key


def price_of(server, text, cents):
    """The price of a minute at which the text costs so much."""
    with Client(server) as client:
        turn = client.speak(text, voice_id=1)
    return f"{cents * 60 * turn.rate / turn.samples:.4f}"


def credit_left(database, name):
    return int(database.ask("SELECT credit_microcents - spent_microcents FROM account"
                            f" WHERE name = '{name}'")[0][0])


def speak_until_refused(database, server, name, key):
    """One connection for each turn; what the client was told in the end, and what is left then."""
    for text in ["One.", *[LONG] * 8]:
        try:
            with Client(server, key=key) as client:
                turn = client.speak(text, voice_id=1)
        except Closed as closed:
            return closed.code, credit_left(database, name)
        if turn.errors or turn.usage.get("cut_short_by"):
            return turn.frames[-1], credit_left(database, name)
    return "nothing", credit_left(database, name)


def test_nobody_is_told_that_credit_is_spent_while_some_is_left(start_server, database):
    """Turns cost two leases each, so that the last of them finds all that is left leased to its own
    server; rows are booked while leases are asked for."""
    prices = {"prices.lease_cents": "5"} | tone_alone()
    price = price_of(start_server(settings(database) | tone_alone()), LONG, 10.8)
    server = start_server(settings(database) | prices | {"prices.cents_per_minute": price})
    names = [f"dear {number}" for number in range(16)]
    keys = [prepaid_key(database, name, 40) for name in names]
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        told = list(threads.map(lambda pair: speak_until_refused(database, server, *pair),
                                zip(names, keys)))
    assert [left for _, left in told if left > 0] == [], told
    # No more than a lease is overdrawn.
    assert all(left >= -5 * CENT for _, left in told), told


def test_credit_that_another_server_holds_is_not_said_to_be_spent(start_server, database):
    prices = {"prices.cents_per_minute": "6", "prices.lease_cents": "20"} | tone_alone()
    here, there = (start_server(settings(database) | prices) for _ in range(2))
    key = prepaid_key(database, "lent", 5)
    with Client(there, key=key) as client:
        assert client.speak("One.", voice_id=1).samples > 0
        # All that is left is leased there; no turn of the other server is told 402 and closed.
        with Client(here, key=key) as refused:
            for _ in range(2):  # the connection stays
                error = refused.speak("One.", voice_id=1).errors[0]
                assert (error["code"], error["error_code"]) == (503, "INTERNAL_ERROR")
                assert error["retry_after"] > 0
        for root, path, body in (("/v1", "/tts/generate", {"text": "One.", "voice_id": 1}),
                                 ("/v1", "/audio/speech",
                                  {"input": "One.", "voice": "1", "model": "tts-1"})):
            with Rest(here, key, root=root) as rest:
                assert rest.post(path, body)[0] == 503
                assert int(rest.headers["retry-after"]) > 0
        assert client.speak("One.", voice_id=1).samples > 0
    there.stop()  # gives back what it held

    def is_served():
        with Client(here, key=key) as client:
            return not client.speak("One.", voice_id=1).errors

    wait_until(is_served, "what the other has given back is here")


@pytest.mark.parametrize("address, says", [
    ("postgresql://syrinx:tell-no1@127.0.0.1:{port}/syrinx", "password authentication failed"),
    ("postgresql://nobody:tell-no1@127.0.0.1:{port}/syrinx", "password authentication failed"),
    ("postgresql://syrinx:{password}@127.0.0.1:{port}/no_such", "\"no_such\" does not exist"),
    ("postgresql://syrinx:tell-no1@[::1/syrinx", "address is invalid"),
])
def test_what_an_operator_must_mend_ends_the_start_and_is_said_without_the_password(
        database, tmp_path, address, says):
    password = urllib.parse.quote(postgres.PASSWORD, safe="")
    store = address.format(port=database.port, password=password)
    done = syrinx("serve", "--data", tmp_path, "--listen", "127.0.0.1:0",
                  settings={"store.address": store})
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 1
    assert says in said
    assert "tell-no1" not in said and password not in said
    assert not program.SANITIZER_REPORT.search(said)


def test_a_database_of_a_newer_program_ends_the_start(database, tmp_path):
    assert syrinx("account", "list", settings=settings(database)).returncode == 0  # is migrated
    database.ask("UPDATE schema_version SET version = version + 1000")
    try:
        done = syrinx("serve", "--data", tmp_path, "--listen", "127.0.0.1:0",
                      settings={"store.address": database.address})
    finally:
        database.ask("UPDATE schema_version SET version = version - 1000")
    assert done.returncode == 1
    assert "the database is of a newer release" in done.stderr.decode()


def test_commands_do_not_wait_for_a_database_that_is_away(tmp_path):
    done = syrinx("key", "list", "--data", tmp_path,
                  settings={"store.address": "postgresql://syrinx:tell-no1@127.0.0.1:1/syrinx"})
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 1
    assert "cannot connect to the database" in said
    assert "tell-no1" not in said


@pytest.fixture
def late_database(database):
    """A database without Syrinx's tables, which is not running yet."""
    database.ask("DROP SCHEMA IF EXISTS syrinx CASCADE")
    database.stop(signal.SIGINT)
    yield database
    if not database.is_running():
        database.start()


def assert_nobody_is_served(server):
    """No request and no socket is served, even with a valid key."""
    assert server.get("/health") == (200, {"status": "healthy"})
    status, body = server.get("/ready")
    assert (status, body["reason"]) == (503, "the store has not been reached yet")
    for method, path, body in (("GET", "/dictionaries", None),
                               ("POST", "/tts/generate", {"text": "One.", "voice_id": 1})):
        with Rest(server) as rest:
            status, answer = rest.ask(method, path, body)
            assert (status, answer["error"]) == (503, "keys cannot be looked up at the moment")
            assert int(rest.headers["retry-after"]) > 0
    for kind in (Client, MultiClient):
        with pytest.raises(Refused) as refused:
            kind(server)
        assert refused.value.status == 503
        assert int(refused.value.headers["retry-after"]) > 0


def test_a_server_starts_without_its_database_and_serves_when_it_comes(
        start_server, late_database):
    server = start_server(settings(late_database) | tone_alone())
    assert_nobody_is_served(server)
    late_database.start()
    wait_until(lambda: server.get("/ready")[0] == 200, "the server is ready")
    with Client(server) as client:  # with the key that was in its file all the time
        first = client.speak("At last.", voice_id=1)
        late_database.stop()  # and it goes away again
        meanwhile = client.speak("Meanwhile.", voice_id=1)
        assert server.get("/ready")[0] == 200  # keys in use stay good
        late_database.start()
        last = client.speak("Again.", voice_id=1)
    ids = "', '".join(turn.usage["turn_id"] for turn in (first, meanwhile, last))
    wait_until(lambda: late_database.ask(
        f"SELECT count(*) FROM turn WHERE id IN ('{ids}')") == [["3"]], "all are booked")
    said = server.log()
    assert said.count("the server starts without it") == 1
    # The reason is told by each connection once, however often it tries.
    assert 1 <= said.count("cannot connect to the database") <= 12, said


def test_rows_that_a_server_left_are_delivered_when_the_database_comes(
        start_server, late_database):
    late_database.start()
    before = start_server(settings(late_database) | tone_alone())
    with Client(before) as client:
        client.speak("To be known.", voice_id=1)
        late_database.stop()
        left = client.speak("While it is away.", voice_id=1)
    before.process.kill()
    before.process.wait()
    after = start_server(settings(late_database) | tone_alone(), data=before.data)
    assert_nobody_is_served(after)
    late_database.start()
    wait_until(lambda: late_database.ask(
        f"SELECT status FROM turn WHERE id = '{left.usage['turn_id']}'") == [["finished"]],
        "the row is booked")


def test_a_server_that_waits_for_its_database_ends_when_it_is_told_that_it_is_not_wanted(
        start_server, late_database):
    wrong = late_database.address.replace(urllib.parse.quote(postgres.PASSWORD, safe=""), "wrong")
    server = start_server({"store.address": wrong} | tone_alone())
    assert server.get("/ready")[0] == 503
    late_database.start()
    assert server.process.wait(timeout=program.WAIT_S) == 1
    assert "password authentication failed" in server.log()


def test_an_upgrade_while_the_database_is_away_changes_nothing(start_server, late_database):
    late_database.start()
    server = start_server(settings(late_database) | tone_alone(), port=program.free_port())
    with Client(server) as client:
        client.speak("To be known.", voice_id=1)
        late_database.stop()
        server.process.send_signal(signal.SIGUSR2)
        server.wait_for_log("the successor ended before it was ready")
        assert client.speak("Still here.", voice_id=1).samples > 0
    with Client(server) as client:  # a new one, by the key that is known
        assert client.speak("Still here.", voice_id=1).samples > 0
