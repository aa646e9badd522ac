"""Conversations on /ws/tts/multi: contexts that speak at the same time on one socket."""

import asyncio
import json
import time

import pytest
import soak_multi
import websockets
from client import Refused, is_speech
from multi import Context, MultiClient
from program import WAIT_S

LONG = ("The train to the coast leaves at noon from platform nine. It stops in five small towns. "
        "If you miss it, the next one goes two hours later. Nobody minds that very much.")


@pytest.fixture
def socket(server):
    with MultiClient(server) as connection:
        yield connection


async def talk(server):
    """A stranger's client, with the messages of the protocol's own table."""
    address = f"ws://127.0.0.1:{server.port}/ws/tts/multi?api_key={server.key}"
    contexts = {"ctx1": Context(), "ctx2": Context()}
    rest = []
    async with websockets.connect(address) as connection:
        for message in (
                {"text": " ", "context_id": "ctx1", "voice_settings": {"voice_id": 1071}},
                {"text": " ", "context_id": "ctx2", "voice_settings": {"voice_id": 1072}},
                {"text": "Hello from the first.", "context_id": "ctx1"},
                {"text": "Hello from the second.", "context_id": "ctx2", "flush": True},
                {"flush": True, "context_id": "ctx1"},
                {"text": "", "context_id": "ctx1"},
                {"close_context": True, "context_id": "ctx1"},
                {"close_socket": True}):
            await connection.send(json.dumps(message))
        async for text in connection:
            frame = json.loads(text)
            if "context_id" in frame:
                contexts[frame["context_id"]].add(frame)
            else:
                rest.append(frame)
    return contexts, rest, connection.close_code


def test_two_contexts_speak_then_usage_then_session_closed_then_close_1000(server):
    contexts, rest, close_code = asyncio.run(asyncio.wait_for(talk(server), WAIT_S))
    assert close_code == 1000
    assert contexts["ctx1"].texts == ["Hello from the first."]
    assert contexts["ctx2"].texts == ["Hello from the second."]
    for context in contexts.values():
        assert context.finals == 2  # the flush's and the close's
        assert 0.5 < context.samples / context.rate < 5
        assert context.usage["currency"] == "eur"
        assert abs(context.usage["cost_cents"]
                   - context.usage["audio_seconds"] * 5.4 / 60) < 1.1e-6  # two rows, each rounded
    (closed,) = rest
    assert set(closed) == {"session_closed", "total_audio_seconds"}
    total = sum(context.usage["audio_seconds"] for context in contexts.values())
    assert abs(closed["total_audio_seconds"] - total) < 1e-6
    rows = {row["id"]: row["samples"] for row in server.ledger()}
    assert rows == {context.usage["turn_ids"][0]: context.samples
                    for context in contexts.values()}


def test_twenty_contexts_speak_at_once_and_interleave(server):
    soak_multi.warm_up(server, 1)  # workers for all, else the first are done when the last begin
    with MultiClient(server) as socket:
        ids = [f"c{i}" for i in range(20)]
        for i, context_id in enumerate(ids):
            socket.say(context_id, f"This is context {i}. " + LONG, flush=True,
                       voice_settings={"voice_id": 2003 if i % 2 else 1})
        socket.say("one-more", "Too many.", flush=True)
        for context_id in ids:
            socket.say(context_id, close_context=True)
        socket.read_until(lambda: len(socket.contexts) == 21
                          and all(c.closed for n, c in socket.contexts.items() if n != "one-more"))
        (refused,) = socket.contexts["one-more"].errors
        assert (refused["error_code"], refused["code"]) == ("TOO_MANY_CONTEXTS", 429)
        for i, context_id in enumerate(ids):
            context = socket.contexts[context_id]
            assert not context.errors
            assert "".join(context.texts).startswith(f"This is context {i}.")
            assert "".join(context.texts).endswith("that very much.")
            assert context.finals == 2
        # Each was heard before any had said all it had to say.
        first_end = min(len(socket.order) - socket.order[::-1].index(i) for i in ids)
        assert {*socket.order[:first_end]} == {*ids}
        changes = sum(a != b for a, b in zip(socket.order, socket.order[1:]))
        assert changes > 100
        socket.say("one-more", "Now there is room.", flush=True, voice_settings={"voice_id": 1})
        del socket.contexts["one-more"]
        assert socket.read_finals("one-more").texts == ["Now there is room."]
        assert len(server.wait_for_ledger(41)) == 41  # those of the warm-up, too


def test_a_long_text_does_not_keep_another_context_waiting(socket):
    socket.say("long", LONG * 20, flush=True, voice_settings={"voice_id": 2003})
    socket.read_until(lambda: socket.order)
    socket.say("short", "Quick.", flush=True, voice_settings={"voice_id": 2003})
    socket.read_until(lambda: "short" in socket.order)
    assert socket.contexts["long"].finals == 0
    socket.say("long", close_context=True, immediate=True)
    socket.read_closed("long")
    assert socket.read_finals("short").texts == ["Quick."]


def test_a_barge_in_is_answered_and_nothing_follows(server, socket):
    socket.say("a", LONG * 10, flush=True, voice_settings={"voice_id": 2003})
    socket.say("b", LONG, flush=True, voice_settings={"voice_id": 1071})
    socket.read_until(lambda: "a" in socket.order)
    socket.say("a", close_context=True, immediate=True)
    context = socket.read_closed("a")
    assert context.finals == 0
    heard = context.samples
    b = socket.read_finals("b")  # and no frame of a: Context would complain
    assert is_speech(memoryview(b.audio).cast("h"))
    rows = server.wait_for_ledger(2)
    assert {row["status"]: row["samples"] for row in rows} == {
        "cancelled": heard, "finished": b.samples}
    socket.say("a", "Back again.", flush=True, voice_settings={"voice_id": 2003})
    del socket.contexts["a"]
    assert socket.read_finals("a").texts == ["Back again."]


def test_sentences_flushed_one_by_one_each_have_a_final_and_a_row(server, socket):
    socket.say("turn", " ", voice_settings={"voice_id": 1071})
    for i in range(30):
        socket.say("turn", f"Sentence number {i}.", flush=True)
    context = socket.read_finals("turn", 30)
    assert context.texts == [f"Sentence number {i}." for i in range(30)]
    socket.say("turn", close_context=True)
    context = socket.read_closed("turn")
    assert context.finals == 31
    rows = server.ledger()
    assert [row["id"] for row in rows] == context.usage["turn_ids"]
    assert sum(row["samples"] for row in rows) == context.samples
    assert sum(row["characters"] for row in rows) == context.usage["characters"]


def is_kept(server, seconds):
    """Whether a context that is kept alive outlives one that is left alone for so long."""
    with MultiClient(server) as socket:
        socket.send(voice_id=1, inactivity_timeout=seconds)
        socket.say("kept", " ")
        socket.say("left", " ")
        closed = []
        while not closed:
            socket.say("kept", "")
            while socket.can_read(seconds / 20):
                frame = socket.read_one()
                closed += [frame["context_id"]] if frame.get("context_closed") else []
        if closed != ["left"]:
            return False
        assert socket.contexts["left"].finals == 1
        return socket.read_closed("kept").usage["turn_ids"] == []


def test_a_context_closes_by_itself_and_a_keep_alive_keeps_it(server):
    # A machine that does not run us for so long is asked again, with more time.
    assert any(is_kept(server, seconds) for seconds in (1, 5, 25))


def test_a_text_that_kills_workers_closes_its_own_context_alone(socket):
    socket.say("bad", "Well, [[crash]]", flush=True, voice_settings={"voice_id": 1})
    socket.say("good", LONG, flush=True, voice_settings={"voice_id": 2})
    bad = socket.read_closed("bad")
    assert [error["error_code"] for error in bad.errors] == ["INTERNAL_ERROR"]
    assert bad.finals == 0
    assert not socket.read_finals("good").errors


def test_a_client_that_vanishes_with_twenty_contexts_leaves_nothing(server):
    baseline = None
    for _ in range(5):
        client = MultiClient(server)
        for i in range(20):
            client.say(f"c{i}", LONG, flush=True, voice_settings={"voice_id": 2003})
        client.read_until(lambda c=client: len(set(c.order)) > 5)
        client.reset()
        baseline = soak_multi.wait_for_rest(server, baseline)
    assert len(server.wait_for_ledger(100)) == 100


def test_a_slow_reader_s_barge_in_takes_back_what_it_has_not_got(server):
    with MultiClient(server, receive_buffer=4096) as client:
        client.say("a", LONG * 20, flush=True, voice_settings={"voice_id": 1})
        client.say("b", LONG * 20, flush=True, voice_settings={"voice_id": 1})
        client.read_until(lambda: len(client.order) > 20)
        time.sleep(0.3)  # it does not read: frames wait at the server
        client.say("a", close_context=True, immediate=True)
        client.say("b", close_context=True, immediate=True)
        a, b = client.read_closed("a"), client.read_closed("b")
        rows = server.wait_for_ledger(2)
        assert sorted(row["samples"] for row in rows) == sorted([a.samples, b.samples])


@pytest.mark.parametrize("key, status", [(None, 401), ("wrong", 403)])
def test_the_door_is_the_same_as_the_stream_s(server, key, status):
    with pytest.raises(Refused) as refused:
        MultiClient(server, key=key)
    assert refused.value.status == status


def test_a_drain_finishes_what_is_spoken_and_closes_1012(server):
    with MultiClient(server) as idle, MultiClient(server) as busy:
        idle.say("c", " ", voice_settings={"voice_id": 1})
        idle.read_until(lambda: idle.contexts)
        busy.say("c", LONG, flush=True, voice_settings={"voice_id": 1071})
        busy.read_until(lambda: busy.order)
        server.terminate()
        idle.expect_close(1012)
        assert busy.read_closed("c").texts
        busy.expect_close(1012)
        assert server.wait_for_end() == 0


def test_a_short_soak_with_random_barge_ins_leaves_nothing(server):
    told = soak_multi.soak(server, seconds=0, acts=300, connections=4, seed=4)
    assert told["closed"] > 20 and told["barge_ins"] > 5
