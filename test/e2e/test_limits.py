"""What accounts may use, on the real server: limits, credit, and keys that end.

Accounts and keys are made and changed beside the running server, with its own commands.
"""

import http.client
import itertools
import json
import threading

import pytest
from client import Client, Closed, Refused, Turn
from multi import MultiClient
from program import WAIT_S, syrinx, tone_alone, wait_until
from rest import Rest

SETTINGS = tone_alone()

MICROCENTS_PER_SECOND = 90000  # 5.4 cents a minute, the usual price
FRAME_BYTES = 9600  # 200 ms of PCM at 24 kHz
LONG = "[[slow:20]] " + "This goes on for a while. " * 40
NAMES = itertools.count()


def command(server, *arguments):
    done = syrinx(*arguments, "--data", server.data)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def key_of(server, *limits, key_limits=()):
    """A key of an account of its own, and the account's name."""
    name = f"account-{next(NAMES)}"
    command(server, "account", "create", "--name", name, *limits)
    return server.new_key("--account", name, *key_limits), name


def begin_turn(client, text=LONG):
    """A turn that speaks for long."""
    client.send(voice_id=1, text=text, flush=True)
    turn = Turn()
    while not turn.frame_samples:
        turn.add(client.receive())
    return turn


def ask(server, key, body, path="/v1/tts/generate", method="POST"):
    """(status, headers, body as it is)"""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    try:
        connection.request(method, path, body and json.dumps(body),
                           {"Authorization": "Bearer " + key})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


SPEAK = {"text": "Hello.", "voice_id": 1}


# Connections

@pytest.mark.parametrize("limits, key_limits", [
    (("--connections", "1"), ()), ((), ("--connections", "1"))])
def test_a_connection_too_many_is_refused_before_the_upgrade(server, limits, key_limits):
    key, _ = key_of(server, *limits, key_limits=key_limits)
    with Client(server, key=key) as first:
        with pytest.raises(Refused) as refused:
            Client(server, key=key)
        assert refused.value.status == 429
        assert refused.value.body["error_code"] == "RATE_LIMITED"
        assert refused.value.body["retry_after"] == 1
        assert first.speak("The first goes on.", voice_id=1).samples > 0

    def comes_in():
        try:
            Client(server, key=key).socket.close()
        except Refused:
            return False
        return True

    wait_until(comes_in, "the place of the one that is gone is free")


def test_a_handshake_that_is_refused_says_when_to_come_back(server):
    key, _ = key_of(server, "--connections", "1")
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    with Client(server, key=key):
        connection.request("GET", "/ws/tts/stream", headers={
            "Authorization": "Bearer " + key, "Connection": "Upgrade", "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="})
        answer = connection.getresponse()
        assert (answer.status, answer.headers["Retry-After"]) == (429, "1")
    connection.close()


# Turns and requests

def test_one_turn_at_once_holds_over_all_doors_of_an_account(server):
    key, name = key_of(server, "--turns", "1")
    other = server.new_key("--account", name)
    with Client(server, key=key) as speaker, Client(server, key=other) as second:
        turn = begin_turn(speaker)
        second.send(voice_id=1, text="Me too.", flush=True)
        error = second.expect_error(429, "RATE_LIMITED")
        assert error["retry_after"] == 1
        second.expect_close(4029)
        status, headers, _ = ask(server, key, SPEAK)
        assert (status, headers["Retry-After"]) == (429, "1")
        with MultiClient(server, key=key) as multi:
            multi.send(context_id="a", text="Me too.", flush=True, voice_settings={"voice_id": 1})
            frames = []
            with pytest.raises(Closed) as closed:
                while True:
                    frames.append(multi.receive())
            assert closed.value.code == 4029
            assert [f.get("error_code") for f in frames] == [None, "RATE_LIMITED", None]
        speaker.send(cancel=True)
        while "interrupted" not in speaker.receive():
            pass
        assert speaker.speak("Free again.").samples > 0
        assert turn.frame_samples
    assert ask(server, other, SPEAK)[0] == 200


def test_requests_of_a_minute_are_counted_and_shown(server):
    key, _ = key_of(server, "--requests-per-minute", "3")
    seen = []
    for _ in range(3):
        status, headers, _ = ask(server, key, None, "/v1/voices", "GET")
        assert status == 200
        assert headers["X-RateLimit-Limit"] == "3"
        seen.append(int(headers["X-RateLimit-Remaining"]))
        assert 0 < int(headers["X-RateLimit-Reset"]) <= 60
    assert seen == [2, 1, 0]
    status, headers, body = ask(server, key, None, "/v1/voices", "GET")
    body = json.loads(body)
    assert (status, body["error_code"]) == (429, "RATE_LIMITED")
    assert body["retry_after"] == int(headers["Retry-After"]) <= 20
    assert headers["X-RateLimit-Remaining"] == "0"
    status, headers, _ = ask(server, key, SPEAK)
    assert status == 429 and int(headers["Retry-After"]) <= 20
    with Client(server, key=key) as client:
        client.send(voice_id=1, text="Too many.", flush=True)
        assert client.expect_error(429, "RATE_LIMITED")["retry_after"] <= 20
        client.expect_close(4029)


def test_speech_by_http_counts_once(server):
    key, _ = key_of(server, "--requests-per-minute", "5")
    _, headers, _ = ask(server, key, SPEAK)
    assert headers["X-RateLimit-Remaining"] == "4"


@pytest.mark.parametrize("path, body, status, name", [
    ("/v1/text-to-speech/1", {"text": "Hello."}, 429, "rate_limit_exceeded"),
    ("/v1/audio/speech", {"input": "Hello.", "voice": "1", "model": "tts-1"}, 429,
     "rate_limit_exceeded"),
    ("/vapi/synthesize?voice_id=1",
     {"message": {"type": "voice-request", "text": "Hello.", "sampleRate": 24000}}, 429,
     "RATE_LIMITED")])
def test_other_doors_say_it_in_their_shapes(server, path, body, status, name):
    key, _ = key_of(server, "--requests-per-minute", "1")
    ask(server, key, None, "/v1/voices", "GET")
    got, _, answer = ask(server, key, body, path)
    assert got == status and f'"{name}"'.encode() in answer


def test_a_text_that_is_too_long_for_the_account(server):
    key, _ = key_of(server, "--text-max", "10")
    status, _, body = ask(server, key, {"text": "Longer than ten.", "voice_id": 1})
    assert status == 413 and "at most 10 characters" in json.loads(body)["error"]
    with Client(server, key=key) as client:
        client.send(voice_id=1, text="Longer than ten.", flush=True)
        client.expect_error(413, "VALIDATION_ERROR")
        assert client.receive()["session_closed"]
        assert client.speak("Well.").samples > 0


def test_a_limit_that_is_lifted_counts_at_once(server):
    key, name = key_of(server, "--text-max", "3")
    assert ask(server, key, SPEAK)[0] == 413
    command(server, "account", "change", name, "--text-max", "none")
    wait_until(lambda: ask(server, key, SPEAK)[0] == 200, "the new limit counts")


def test_plans_of_the_configuration_hold(start_server):
    server = start_server(config="[plan small]\nrequests_per_minute = 1\n")
    key, _ = key_of(server, "--plan", "small", "--config", server.config_path)
    assert ask(server, key, SPEAK)[0] == 200
    assert ask(server, key, SPEAK)[0] == 429


def test_an_account_at_its_limit_does_not_slow_another(server):
    """One is refused as fast as it can ask; the other speaks turn after turn, undisturbed."""
    busy, _ = key_of(server, "--requests-per-minute", "1")
    ask(server, busy, SPEAK)
    stop = threading.Event()
    statuses = []

    def flood():
        while not stop.is_set():
            statuses.append(ask(server, busy, SPEAK)[0])

    floods = [threading.Thread(target=flood) for _ in range(4)]
    for thread in floods:
        thread.start()
    try:
        with Client(server) as client:
            for _ in range(10):
                turn = client.speak("Undisturbed.", voice_id=1)
                assert turn.samples > 0 and not turn.errors
    finally:
        stop.set()
        for thread in floods:
            thread.join()
    assert len(statuses) > 10 and set(statuses) == {429}
    assert len(server.ledger()) == 11, "a turn that was refused is in the ledger"


# Credit

def test_no_credit_is_told_before_any_audio(server):
    key, _ = key_of(server, "--prepaid", "yes")
    with Client(server, key=key) as client:
        client.send(voice_id=1, text="Hello.", flush=True)
        client.expect_error(402, "INSUFFICIENT_CREDITS")
        client.expect_close(4003)
    status, _, body = ask(server, key, SPEAK)
    assert (status, json.loads(body)["error_code"]) == (402, "INSUFFICIENT_CREDITS")
    assert ask(server, key, {"text": "Hello."}, "/v1/text-to-speech/1")[0] == 401
    assert not server.ledger()


def test_credit_that_runs_out_ends_the_turn_with_the_chunk_and_its_usage(server):
    key, name = key_of(server, "--prepaid", "yes")
    command(server, "account", "top-up", name, "--cents", "0.1", "--id", "first")
    with Client(server, key=key) as client:
        client.send(voice_id=1, text="This is one sentence of many. " * 40, flush=True,
                    chunk_length_schedule=[20])
        turn = client.read_turn()
        assert not turn.errors
        assert 1 <= len(turn.texts) < 40
        client.expect_error(402, "INSUFFICIENT_CREDITS")
        client.expect_close(4003)
    (row,) = server.ledger()
    assert (row["id"], row["samples"]) == (turn.usage["turn_id"], turn.samples)
    assert row["amount_microcents"] == round(turn.samples / turn.rate * MICROCENTS_PER_SECOND)
    # What was begun before the credit was used up: the chunk that crossed it.
    assert row["amount_microcents"] > 100000
    spoken_before = sum(turn.chunk_samples[:-1]) / turn.rate * MICROCENTS_PER_SECOND
    assert spoken_before < 100000
    assert ask(server, key, SPEAK)[0] == 402


def test_credit_that_is_paid_in_counts_soon(server):
    key, name = key_of(server, "--prepaid", "yes")
    assert ask(server, key, SPEAK)[0] == 402
    command(server, "account", "top-up", name, "--cents", "100", "--id", "first")
    wait_until(lambda: ask(server, key, SPEAK)[0] == 200, "the credit is there")


def test_credit_that_runs_out_cuts_an_answer_behind_its_chunk(server):
    key, name = key_of(server, "--prepaid", "yes")
    command(server, "account", "top-up", name, "--cents", "0.1", "--id", "first")
    with pytest.raises(http.client.IncompleteRead) as cut:
        ask(server, key, {"text": "This is one sentence of many. " * 40, "voice_id": 1})
    (row,) = server.wait_for_ledger(1)
    assert row["samples"] * 2 == len(cut.value.partial)


def test_prices_are_those_of_the_voice_and_the_model(start_server):
    server = start_server(config="""
        [prices]
        cents_per_minute = 6
        [price low]
        voice = 2
        cents_per_minute = 0.6
        """)
    with Client(server) as client:
        for voice, cents_per_minute in ((1, 6), (2, 0.6)):
            turn = client.speak("What does it cost?", voice_id=voice)
            cents = turn.samples / turn.rate / 60 * cents_per_minute
            assert abs(turn.usage["cost_cents"] - cents) < 6e-7
    dear, cheap = server.ledger("amount_microcents, samples")
    assert dear["amount_microcents"] * cheap["samples"] == pytest.approx(
        10 * cheap["amount_microcents"] * dear["samples"], rel=1e-4)


# Keys that end

def test_a_revoked_key_ends_its_connections(server):
    key, _ = key_of(server)
    with Client(server, key=key) as speaker, Client(server, key=key) as idle, \
            MultiClient(server, key=key) as multi, Client(server) as other:
        multi.send(context_id="a", text=" ", voice_settings={"voice_id": 1})
        assert multi.receive()["context_created"]
        turn = begin_turn(speaker)
        command(server, "key", "revoke", key)
        idle.expect_error(401, "UNAUTHORIZED")
        idle.expect_close(4001)
        with pytest.raises(Closed) as closed:
            while True:
                frame = speaker.receive()
                if "error" not in frame:
                    turn.add(frame)
        assert closed.value.code == 4001
        with pytest.raises(Closed) as closed:
            while True:
                multi.receive()
        assert closed.value.code == 4001
        assert other.speak("Others go on.", voice_id=1).samples > 0
    rows = server.wait_for_ledger(2)
    (cut,) = [row for row in rows if row["status"] == "cancelled"]
    assert cut["samples"] >= turn.samples > 0


def test_a_revoked_key_ends_an_answer_that_is_under_way(server):
    key, _ = key_of(server)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    # It waits for its reader, who waits for the key's end.
    connection.request("POST", "/v1/tts/generate",
                       json.dumps({"text": "This goes on for a while. " * 380, "voice_id": 1}),
                       {"Authorization": "Bearer " + key})
    answer = connection.getresponse()
    assert answer.status == 200 and len(answer.read(1000)) == 1000
    command(server, "key", "revoke", key)
    wait_until(lambda: ask(server, key, None, "/v1/voices", "GET")[0] == 401, "it is noticed")
    with pytest.raises(http.client.IncompleteRead) as cut:
        answer.read()
    connection.close()
    (row,) = server.wait_for_ledger(1)
    assert row["status"] == "cancelled"
    # A frame of which a part has left is charged; Python forgets a chunk that is not whole.
    assert 0 <= row["samples"] * 2 - 1000 - len(cut.value.partial) <= FRAME_BYTES


def test_a_closed_account_ends_all_its_keys(server):
    key, name = key_of(server)
    with Client(server, key=key) as client:
        client.speak("Hello.", voice_id=1)
        command(server, "account", "close", name)
        client.expect_error(401, "UNAUTHORIZED")
        client.expect_close(4001)
    with Rest(server, key) as rest:
        assert rest.get("/voices")[0] == 401


def test_a_key_that_may_not_speak_any_more_ends_its_connections(server):
    key, _ = key_of(server)
    with Client(server, key=key) as client:
        assert client.speak("Hello.", voice_id=1).samples > 0
        command(server, "key", "change", key, "--scopes", "read")
        client.expect_error(401, "UNAUTHORIZED")
        client.expect_close(4001)
    with Rest(server, key) as rest:
        assert rest.get("/voices")[0] == 200


def test_a_key_that_expires_ends_its_connection(server):
    key = server.new_key("--expires", "2s")
    with Client(server, key=key) as client:
        assert client.speak("Hello.", voice_id=1).samples > 0
        client.expect_error(401, "UNAUTHORIZED")
        client.expect_close(4001)
