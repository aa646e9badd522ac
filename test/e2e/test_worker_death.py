"""Workers that die, hang or fail: the listener hears nothing of it, or is told."""

import os
import signal

import pytest
from client import Client, Turn, largest_step
from program import wait_until

LONG = ("When the sunlight strikes raindrops in the air, they act like a prism and form a rainbow, "
        "which is a division of white light into many beautiful colours that take the shape of a "
        "long round arch with its path high above and its two ends apparently beyond the horizon")

# A client that reads little keeps its sentence in the worker.
SMALL_BUFFER = 8192


def speak_undisturbed(server, voice, text=LONG):
    with Client(server) as client:
        return client.speak(text, voice_id=voice)


def kill_workers(server, engine):
    """All of an engine's at once."""
    for pid in wait_until(lambda: server.workers(engine), "a worker is there"):
        os.kill(pid, signal.SIGKILL)


def speak_disturbed(server, voice, engine, frames_before, times=1, text=LONG):
    """Kills the engine's workers in mid-sentence, after so many frames."""
    turn = Turn()
    with Client(server, receive_buffer=SMALL_BUFFER) as client:
        client.send(voice_id=voice, text=text, flush=True)
        for i in range(times):
            while len(turn.frame_samples) < frames_before * (i + 1):
                turn.add(client.receive())
            kill_workers(server, engine)
        return client.read_turn(turn)


@pytest.mark.parametrize("workers", [1, 16])
@pytest.mark.parametrize("voice,engine", [(1, "tone"), (1071, "flite")])
def test_killed_worker_of_an_exact_engine_is_not_heard(start_server, voice, engine, workers):
    server = start_server({"speech.workers": workers})
    want = speak_undisturbed(server, voice)
    for frames_before in (1, 4):
        got = speak_disturbed(server, voice, engine, frames_before)
        assert got.texts == want.texts and not got.errors
        assert got.samples == want.samples
        assert got.audio == want.audio
    rows = server.ledger()
    assert [(row["status"], row["samples"]) for row in rows] == [("finished", want.samples)] * 3


def test_worker_killed_in_every_sentence_of_a_turn_is_not_heard(server):
    sentence = ("this sentence is so long that its worker is killed before it has come to its end, "
                "and so short that it stays in one piece, wherever it stands in the turn.")
    text = f"First, {sentence} Then, {sentence} Last, {sentence}"
    want = speak_undisturbed(server, 1, text)
    assert len(want.texts) == 3 and min(want.chunk_samples) > 6 * 24000
    turn = Turn()
    with Client(server, receive_buffer=SMALL_BUFFER) as client:
        client.send(voice_id=1, text=text, flush=True)
        for i in range(3):
            # So far into the sentence that the server, which is ahead, is in it as well.
            while len(turn.texts) <= i or turn.chunk_samples[i] < 4 * 24000:
                turn.add(client.receive())
            kill_workers(server, "tone")
        client.read_turn(turn)
    assert (turn.texts, turn.audio) == (want.texts, want.audio)


@pytest.mark.parametrize("jobs", [1, 8])
def test_killed_worker_of_an_engine_with_state_is_not_heard(start_server, jobs):
    """The pitch of its second sentence depends on the first, which the next worker has not spoken."""
    first = "This is the first sentence, and all that follows depends on it."
    text = first + (" The second one is so long that its worker is killed before it has come to its end, "
                    "and so short that it stays in one piece, wherever it stands in the turn.")
    stateless = start_server({"speech.test_hooks": "on"})
    plain = speak_undisturbed(stateless, 1, text)
    server = start_server({"speech.test_hooks": "on", "engine.tone_turns": 8,
                           "engine.tone_jobs": jobs})
    want = speak_undisturbed(server, 1, text)
    assert len(want.texts) == 2 and want.samples == plain.samples and want.audio != plain.audio
    turn = Turn()
    with Client(server, receive_buffer=SMALL_BUFFER) as client:
        client.send(voice_id=1, text=text, flush=True)
        while len(turn.texts) < 2 or turn.chunk_samples[1] < 24000:
            turn.add(client.receive())
        kill_workers(server, "tone")
        client.read_turn(turn)
    assert (turn.texts, turn.audio) == (want.texts, want.audio)
    # Nothing was left of those turns: the same text sounds as at first.
    assert speak_undisturbed(server, 1, text).audio == want.audio


def test_killed_worker_of_espeak_leaves_no_gap_and_no_click(server):
    text = "Wenn das Licht der Sonne auf die Tropfen trifft, " + 6 * "dann entsteht ein Bogen, " + (
        "der sich weit über den ganzen Himmel spannt")
    calm = [speak_undisturbed(server, 2001, text) for _ in range(3)]
    for frames_before in (1, 3, 6):
        got = speak_disturbed(server, 2001, "espeak", frames_before, text=text)
        assert not got.errors
        assert abs(got.samples / calm[0].samples - 1) < 0.05
        assert largest_step(got.pcm()) <= 1.1 * max(largest_step(turn.pcm()) for turn in calm)


def test_all_workers_killed_while_many_speak_is_not_heard(server):
    texts = [f"Speaker {i} says this: {LONG}" for i in range(8)]
    want = [speak_undisturbed(server, 1, text) for text in texts]
    clients = [Client(server, receive_buffer=SMALL_BUFFER) for _ in texts]
    turns = [Turn() for _ in texts]
    for client, text in zip(clients, texts):
        client.send(voice_id=1, text=text, flush=True)
    for client, turn in zip(clients, turns):
        while not turn.frame_samples:
            turn.add(client.receive())
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    for client, turn, calm in zip(clients, turns, want):
        with client:
            client.read_turn(turn)
        assert turn.audio == calm.audio


def test_stopped_worker_is_replaced_and_not_heard(start_server):
    server = start_server({"speech.stall_seconds": 1, "speech.workers": 1})
    want = speak_undisturbed(server, 1)
    turn = Turn()
    with Client(server, receive_buffer=SMALL_BUFFER) as client:
        client.send(voice_id=1, text=LONG, flush=True)
        while not turn.frame_samples:
            turn.add(client.receive())
        (victim,) = server.workers("tone")
        os.kill(victim, signal.SIGSTOP)
        assert client.read_turn(turn).audio == want.audio
    wait_until(lambda: victim not in server.workers(), "the stopped worker is gone")


@pytest.mark.parametrize("text", ["[[crash]] now", "Well, [[crash]]", "[[fail]]"])
def test_chunk_that_kills_its_worker_fails_its_turn_alone(server, client, text):
    client.send(voice_id=1, text=text + " and more.", flush=True)
    turn = client.read_turn()
    (error,) = turn.errors
    assert (error["error_code"], error["code"]) == ("INTERNAL_ERROR", 500)
    assert error["error"].startswith("Audio generation failed")
    assert client.speak("The next turn works.").texts == ["The next turn works."]
    rows = server.wait_for_ledger(2)
    assert [row["status"] for row in rows] == ["failed", "finished"]
    assert rows[0]["amount_microcents"] == 0


def test_chunk_that_hangs_its_worker_fails_its_turn_alone(start_server):
    server = start_server({"speech.test_hooks": "on", "speech.stall_seconds": 1})
    with Client(server) as client, Client(server) as other:
        client.send(voice_id=1, text="[[stall]]", flush=True)
        assert other.speak("Meanwhile.", voice_id=1).samples > 0
        assert client.read_turn().errors[0]["code"] == 500
        assert client.speak("The next turn works.").samples > 0


def test_failed_turn_discards_its_text_up_to_the_flush(client):
    client.send(voice_id=1, text="[[fail]] this one. ")
    turn = Turn()
    while not turn.errors:
        turn.add(client.receive())
    client.send(text="Not to be heard. ")
    client.send(flush=True)
    client.read_turn(turn)
    assert turn.samples == 0
    assert client.speak("Heard again.").texts == ["Heard again."]


def test_crashing_chunks_of_many_callers_leave_others_alone(server):
    with Client(server) as quiet:
        want = quiet.speak(LONG, voice_id=1)
        bad = [Client(server) for _ in range(6)]
        for client in bad:
            client.send(voice_id=1, text="[[crash]]", flush=True)
        assert quiet.speak(LONG).audio == want.audio
        for client in bad:
            with client:
                assert client.read_turn().errors[0]["code"] == 500
        assert quiet.speak(LONG).audio == want.audio
