"""The design's sentences about money that are seen from outside, by their numbers.

3 is in test_crash.py; 5, 6 and 7 have their tests in test/unit/account too."""

import contextlib
import sqlite3
from fractions import Fraction

import pytest
from client import Client, Closed, Turn
from program import tone_alone
from rest import Rest

SETTINGS = tone_alone()

PRICE = 5_400_000  # micro-cents a minute, by default


def speak_some(server, client):
    """Turns that end in every way that a client can choose; the samples that came of each."""
    heard = [client.speak("One sentence, heard to its end.", voice_id=1).samples]
    heard.append(client.speak("At another rate.", voice_id=1, sample_rate=8000).samples)
    turn = Turn()
    client.send(voice_id=1, text="[[slow:20]] Cut off in the middle of it all.", flush=True)
    while not turn.frame_samples:
        turn.add(client.receive())
    client.send(cancel=True)
    frame = client.receive()
    while "interrupted" not in frame:
        turn.add(frame)
        frame = client.receive()
    heard.append(turn.samples)
    return heard, server.wait_for_ledger(len(heard))


def test_money_1_rows_are_never_changed_or_deleted(server, client):
    client.speak("To be kept.", voice_id=1)
    before = [tuple(row) for row in server.ledger()]
    with contextlib.closing(sqlite3.connect(server.data / "syrinx.db")) as database:
        for statement in ("UPDATE turn SET amount_microcents = 0", "DELETE FROM turn"):
            with pytest.raises(sqlite3.DatabaseError):
                database.execute(statement)
        columns = [column[1] for column in database.execute("PRAGMA table_info(turn)")]
        changed = ["0" if column == "amount_microcents" else column for column in columns]
        with contextlib.suppress(sqlite3.DatabaseError):
            database.execute(f"INSERT OR REPLACE INTO turn SELECT {', '.join(changed)} FROM turn")
        database.commit()
    assert [tuple(row) for row in server.ledger()] == before


def test_money_2_a_balance_is_the_sum_of_its_rows(server, client):
    with Rest(server) as rest:
        for number, amount in enumerate((1_000_000, 1, -250_000)):
            body = {"id": f"payment-{number}", "amount_microcents": amount}
            assert rest.post("/admin/accounts/1/top-ups", body)[0] in (200, 201)
            assert rest.post("/admin/accounts/1/top-ups", body)[0] in (200, 201)  # no second one
        rows = speak_some(server, client)[1]
        account = rest.must(200, rest.get("/admin/accounts/1"))
    spent = sum(row["amount_microcents"] for row in rows)
    assert spent > 0
    assert account["spent_microcents"] == spent
    assert account["balance_microcents"] == 750_001 - spent


def test_money_4_booked_samples_are_those_handed_to_the_socket(server, client):
    heard, rows = speak_some(server, client)
    assert [row["samples"] for row in rows] == heard
    assert [row["status"] for row in rows] == ["finished", "finished", "cancelled"]


@pytest.mark.parametrize("how", ["a close frame", "a broken frame"])
def test_money_4_what_is_made_after_the_end_of_a_connection_is_not_booked(server, client, how):
    """The client has ended the conversation and takes its time to hang up; the engine speaks on."""
    turn = Turn()
    client.send(voice_id=1, text="[[slow:100]] " + "It takes a long time to say. " * 20, flush=True)
    while turn.samples < 12000:
        turn.add(client.receive())
    if how == "a close frame":
        client.protocol.send_close(1000)
        client.push()
    else:
        client.send_bytes(b"\xff\x80\0\0\0\0")  # reserved bits: the server closes with 1002
    with contextlib.suppress(Closed):
        while True:
            turn.add(client.receive())
    row = server.wait_for_ledger(1)[-1]
    assert row["status"] == "cancelled"
    assert row["samples"] == turn.samples


def test_money_5_each_row_is_rounded_once_to_whole_microcents(server, client):
    _, rows = speak_some(server, client)
    for row in rows:
        exact = Fraction(row["samples"] * PRICE, row["sample_rate"] * 60)
        assert row["amount_microcents"] == (exact + Fraction(1, 2)).__floor__()
        assert isinstance(row["amount_microcents"], int)


def test_money_6_a_turn_that_was_cut_by_the_servers_death_is_lost_and_free(start_server):
    server = start_server({"speech.test_hooks": "on"})
    with Client(server) as client:
        client.send(voice_id=1, text="[[slow:50]] " + "A long story without an end. " * 20,
                    flush=True)
        turn = Turn()
        while sum(samples for _, samples in turn.frame_samples) < 24000:
            turn.add(client.receive())
        server.process.kill()
        server.process.wait()
    after = start_server({"speech.test_hooks": "on"}, data=server.data)
    row, = after.ledger()
    assert (row["status"], row["amount_microcents"]) == ("lost", 0)
    assert 0 < row["samples"] <= turn.samples + 24000
    assert row["server"] != ""
