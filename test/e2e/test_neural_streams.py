"""Many neural turns in one process: they share it, and its death, without hearing of each other."""

import os
import re
import signal

import pytest
from client import Client, Turn, read_turns
from neural import REPEATABLE, SHORT, wait_for_voices
from program import PATIENCE, WAIT_S, Server, process_status, wait_until

# A client that reads little keeps its sentence in the worker.
SMALL_BUFFER = 8192

VOICES = (1071, 1072, 1081, 1086)


@pytest.fixture(scope="module")
def server(tmp_path_factory, spoken_voices):
    server = Server(tmp_path_factory.mktemp("streams"),
                    REPEATABLE | {"speech.voices_dir": spoken_voices})
    yield wait_for_voices(server)
    server.stop()


def request(i):
    """Two chunks, five seconds."""
    return {"voice_id": VOICES[i % len(VOICES)],
            "text": f"Speaker {i} says this. When the sunlight strikes raindrops in the air, "
                    "they act like a prism and form a rainbow."}


def speak_alone(server, i):
    with Client(server) as client:
        return client.speak(**request(i))


@pytest.fixture(scope="module")
def alone(server):
    """What each of eight turns is when nothing disturbs it."""
    return [speak_alone(server, i) for i in range(8)]


def begin(server, count):
    """Turns whose first sound has come."""
    clients = [Client(server, receive_buffer=SMALL_BUFFER) for _ in range(count)]
    for i, client in enumerate(clients):
        client.send(request(i) | {"flush": True})
    turns = [Turn() for _ in clients]
    for client, turn in zip(clients, turns):
        while not turn.frame_samples:
            turn.add(client.receive())
    return clients, turns


def finish(clients, turns):
    for turn, rest in zip(turns, read_turns(clients, turns)):
        assert turn is rest
    for client in clients:
        client.socket.close()


def kill_engine(server):
    """The processes that speak, as an operator or the kernel would."""
    victims = wait_until(lambda: server.workers("vits"), "the engine runs")
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    return victims


@pytest.mark.parametrize("count", [1, 8])
def test_killed_engine_is_not_heard(server, alone, count):
    clients, turns = begin(server, count)
    victims = kill_engine(server)
    finish(clients, turns)
    for turn, want in zip(turns, alone):
        assert not turn.errors
        assert (turn.texts, turn.samples) == (want.texts, want.samples)
        assert turn.audio == want.audio
    assert re.search(rf"(?m)warn  workers: worker of vits .*{victims[0]}|worker of vits ended",
                     server.log())
    successors = wait_until(lambda: server.workers("vits"), "a successor is there")
    assert not set(successors) & set(victims)


def test_engine_killed_again_and_again_is_not_heard(server, alone):
    """The chunk that is spoken has one more try each time it has not died alone."""
    turn = Turn()
    with Client(server, receive_buffer=SMALL_BUFFER) as client:
        client.send(request(0) | {"flush": True})
        while not turn.frame_samples:
            turn.add(client.receive())
        kill_engine(server)
        while len(turn.texts) < 2:
            turn.add(client.receive())
        kill_engine(server)
        client.read_turn(turn)
    assert not turn.errors and turn.audio == alone[0].audio


def test_engine_killed_in_a_reading_of_its_own_is_not_heard(server, alone):
    """The seed stands for what is random in other turns: every try of a chunk has the same."""
    turn = Turn()
    with Client(server, receive_buffer=SMALL_BUFFER) as client:
        want = client.speak(**request(0), seed=20)
        assert want.audio != alone[0].audio
        client.send(request(0) | {"flush": True})  # the seed is kept
        while not turn.frame_samples:
            turn.add(client.receive())
        kill_engine(server)
        client.read_turn(turn)
    assert not turn.errors and turn.audio == want.audio


def test_turns_after_a_death_are_spoken_by_the_successor(server, alone):
    kill_engine(server)
    assert speak_alone(server, 1).audio == alone[1].audio


def test_one_process_is_left_after_deaths(server, alone):
    wait_until(lambda: len(server.workers("vits")) == 1,
               "those that were set aside have gone", seconds=3 * WAIT_S)


def test_twenty_turns_at_once_share_a_process(start_server, spoken_voices, alone):
    server = wait_for_voices(start_server(REPEATABLE | {"speech.voices_dir": spoken_voices}))
    clients = [Client(server) for _ in range(20)]
    for i, client in enumerate(clients):
        client.send(request(i % 8) | {"flush": True})
    turns = read_turns(clients)
    for client in clients:
        client.socket.close()
    for i, turn in enumerate(turns):
        assert not turn.errors and turn.audio == alone[i % 8].audio
    (worker,) = server.workers("vits")
    assert resident_peak_kib(worker) < PATIENCE << 20


def test_cancel_of_one_turn_leaves_the_others_alone(server, alone):
    clients, turns = begin(server, 4)
    clients[0].send(cancel=True)
    while not clients[0].receive().get("interrupted"):
        pass
    finish(clients[1:], turns[1:])
    for turn, want in zip(turns[1:], alone[1:]):
        assert turn.audio == want.audio
    assert clients[0].speak(**request(0)).audio == alone[0].audio
    clients[0].socket.close()


def test_clients_that_vanish_give_their_seats_back(server, alone):
    for _ in range(3):
        clients, _ = begin(server, 8)
        for client in clients:
            client.reset()
    with Client(server) as client:
        assert client.speak(SHORT, voice_id=1071).samples > 0
    assert speak_alone(server, 2).audio == alone[2].audio


def test_stopped_engine_is_replaced_and_not_heard(start_server, spoken_voices, alone):
    server = start_server(REPEATABLE | {"speech.voices_dir": spoken_voices,
                                        "speech.stall_seconds": max(5, 2 * PATIENCE)})
    wait_for_voices(server)
    clients, turns = begin(server, 2)
    (victim,) = server.workers("vits")
    os.kill(victim, signal.SIGSTOP)
    finish(clients, turns)
    assert [turn.audio for turn in turns] == [want.audio for want in alone[:2]]
    wait_until(lambda: victim not in server.workers(), "the stopped engine is gone")


@pytest.mark.parametrize("text,least_seconds", [("x" * 1000, 60), ("rain " * 200, 40)],
                         ids=["a word of 1,000 letters", "1,000 characters without a stop"])
def test_text_without_end_is_spoken_in_little_memory(server, text, least_seconds):
    with Client(server) as client:
        turn = client.speak(text, voice_id=1071, max_buffer_length=10000,
                            chunk_length_schedule=[10000])
    assert not turn.errors and turn.texts == [text.strip()]
    assert turn.samples > least_seconds * turn.rate
    assert all(resident_peak_kib(pid) < PATIENCE << 20 for pid in server.workers("vits"))


def resident_peak_kib(pid):
    return int(process_status(pid)["VmHWM"].split()[0])
