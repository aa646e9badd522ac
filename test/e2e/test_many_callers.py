"""Many callers at once with default settings: workers come as they are needed."""

from contextlib import ExitStack

from client import Client, Turn
from program import wait_until

VOICE, ENGINE = 1, "tone"  # exact, and a process for each sentence
TEXT = ("When the sunlight strikes raindrops in the air, they act like a prism and form a rainbow, "
        "which is a division of white light into many beautiful colours")

# A client that reads little keeps its sentence in the worker.
SMALL_BUFFER = 8192


def ask_at_once(stack, server, count, text):
    clients = [stack.enter_context(Client(server, receive_buffer=SMALL_BUFFER))
               for _ in range(count)]
    for client in clients:
        client.send(voice_id=VOICE, text=text, flush=True)
    return clients


def test_64_callers_at_once_are_all_heard_though_few_workers_are_there(start_server):
    server = start_server({})
    assert 0 < len(server.workers(ENGINE)) < 16
    with Client(server) as client:
        want = client.speak(TEXT, voice_id=VOICE)
    with ExitStack() as stack:
        clients = ask_at_once(stack, server, 64, TEXT)
        turns = [Turn() for _ in clients]
        # Nobody reads on until all have heard something, so all sentences are in progress.
        for client, turn in zip(clients, turns):
            while not turn.frame_samples:
                turn.add(client.receive())
        for client, turn in zip(clients, turns):
            client.read_turn(turn)
    assert not any(turn.errors for turn in turns)
    assert all(turn.audio == want.audio for turn in turns)


def test_workers_follow_the_number_of_sentences(start_server):
    server = start_server({})
    with ExitStack() as stack:
        ask_at_once(stack, server, 24, 8 * TEXT)
        wait_until(lambda: len(server.workers(ENGINE)) >= 24, "each sentence has a worker")


def test_the_number_that_is_configured_is_the_most(start_server):
    server = start_server({"speech.workers": 2})
    with ExitStack() as stack:
        for client in ask_at_once(stack, server, 12, TEXT):
            assert not client.read_turn().errors
            assert len(server.workers(ENGINE)) <= 2
