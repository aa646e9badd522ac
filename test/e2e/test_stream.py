"""Conversations on /ws/tts/stream, as its documentation and its official clients hold them."""

import asyncio
import json

import pytest
import websockets
from client import Client, Turn, is_speech, read_turns
from program import SANITIZER, WAIT_S

# A sanitized server takes a minute for 200 at once, and shows nothing that it does not show for 50.
MANY = 200 if SANITIZER == "none" else 50

TOKENS = ["Good ", "morn", "ing, ", "this ", "is ", "a ", "reply ", "that ", "comes ", "in ", "to",
          "kens. ", "It ", "has ", "two ", "sentences."]


async def talk(server):
    """Tokens while listening, flush and close_socket back to back, then all that is left."""
    address = f"ws://127.0.0.1:{server.port}/ws/tts/stream?api_key={server.key}"
    turn = Turn()
    async with websockets.connect(address) as socket:
        await socket.send(json.dumps({"voice_id": 1071, "model_id": "kugel-3", "cfg_scale": 2.0}))
        for token in TOKENS:
            await socket.send(json.dumps({"text": token}))
            try:
                turn.add(json.loads(await asyncio.wait_for(socket.recv(), 0.01)))
            except asyncio.TimeoutError:
                pass
        await socket.send('{"flush": true}')
        await socket.send('{"close_socket": true}')
        async for message in socket:
            turn.add(json.loads(message))
    return turn, socket.close_code


def test_tokens_become_audio_then_usage_then_close_1000(server):
    turn, close_code = asyncio.run(asyncio.wait_for(talk(server), WAIT_S))
    assert turn.texts == ["Good morning, this is a reply that comes in tokens.",
                          "It has two sentences."]
    assert close_code == 1000
    assert turn.rate == 24000
    assert 2.0 < turn.samples / turn.rate < 8.0
    assert is_speech(turn.pcm())
    usage = turn.usage
    assert usage["characters"] == len("".join(TOKENS))
    assert usage["model_id"] == "kugel-3"
    assert usage["currency"] == "eur"
    assert abs(usage["cost_cents"] - usage["audio_seconds"] * 5.4 / 60) < 6e-7
    (row,) = server.ledger()
    assert (row["id"], row["samples"]) == (usage["turn_id"], turn.samples)
    assert row["status"] == "finished"


def test_a_hundred_turns_on_one_connection_are_each_booked_once(server, client):
    client.send(voice_id=1, sample_rate=16000)
    turns = [client.speak(f"Turn number {i}. And its second sentence.") for i in range(100)]
    assert all(len(turn.texts) == 2 and turn.rate == 16000 for turn in turns)
    rows = server.ledger()
    assert [row["id"] for row in rows] == [turn.usage["turn_id"] for turn in turns]
    assert [row["samples"] for row in rows] == [turn.samples for turn in turns]
    assert [row["characters"] for row in rows] == [turn.usage["characters"] for turn in turns]
    assert {(row["status"], row["sample_rate"], row["voice_id"]) for row in rows} == {
        ("finished", 16000, 1)}


def test_text_that_arrives_while_a_sentence_is_spoken_joins_the_turn(client):
    client.send(voice_id=1, text="[[slow:20]] The first sentence is slow. ")
    turn = Turn()
    while not turn.frame_samples:
        turn.add(client.receive())
    client.send(text="The second one ends the turn.", flush=True)
    client.read_turn(turn)
    assert len(turn.texts) == 2


def test_voice_changes_from_one_turn_to_the_next(client):
    first = client.speak("Hello from voice one.", voice_id=1071)
    second = client.speak("Hello from voice one.", voice_id=1072)
    third = client.speak("Hello from voice one.")
    assert first.audio != second.audio
    assert second.audio == third.audio


# The Python SDK

def test_python_sdk_first_frame_carries_text_and_every_setting(client):
    client.send({
        "text": "Everything at once. ", "flush": False, "cfg_scale": 2.0, "max_new_tokens": 2048,
        "sample_rate": 24000, "flush_timeout_ms": 500, "max_buffer_length": 1000,
        "normalize": True, "word_timestamps": True, "speed": 1.0, "voice_id": 1071,
        "model_id": "kugel-3", "output_format": "pcm_16000", "language": "en",
        "chunk_length_schedule": [5, 80, 150, 250], "auto_mode": False, "temperature": 0.4,
        "dictionary_ids": []})
    client.send(text="Then tokens.", flush=False)
    client.send(flush=True)
    turn = client.read_turn()
    assert not turn.errors
    assert turn.rate == 16000  # the format counts where sample_rate has its default
    assert [len(words) for words in turn.words] == [3, 2]


def test_python_sdk_close_is_answered_when_flush_has_ended_the_turn(client):
    client.speak("A turn.", voice_id=1)
    client.send(close=True)
    assert client.receive()["session_closed"] is True
    client.send(flush=True)
    assert client.receive()["final"] is True
    closed = client.receive()
    assert closed["session_closed"] and closed["total_audio_seconds"] == 0
    assert closed["usage"]["cost_cents"] == 0


def test_python_sdk_close_while_draining_gets_one_session_closed(client):
    client.send(voice_id=1, text="[[slow:10]] A turn that takes a while.", flush=True)
    client.send(close=True)
    client.read_turn()
    assert client.speak("The next.").texts == ["The next."]


def test_close_and_end_session_end_a_turn_and_keep_the_socket(server, client):
    for i, command in enumerate(("close", "end_session")):
        client.send({"voice_id": 1, "text": "Ended by " + command})
        client.send({command: True})
        assert client.read_turn().texts == ["Ended by " + command]
        assert len(server.ledger()) == i + 1


# The JavaScript SDK

def test_javascript_sdk_pipelined_turns_are_answered_in_order(server, client):
    client.send(voice_id=1)
    for i in range(16):
        client.send(text=f"Piped turn {i}.", flush=False)
        client.send(flush=True)
    turns = [client.read_turn() for _ in range(16)]
    assert [turn.texts for turn in turns] == [[f"Piped turn {i}."] for i in range(16)]
    assert [row["id"] for row in server.ledger()] == [turn.usage["turn_id"] for turn in turns]


def test_javascript_sdk_update_settings_counts_from_the_next_turn(client):
    before = client.speak("Some words to be measured.", voice_id=1)
    client.send(text="[[slow:10]] Some words to be measured.")
    client.send(update_settings={"speed": 1.2, "language": "en", "cfg_scale": 9})
    turn = Turn()
    frame = client.receive()
    while "settings_updated" not in frame:
        turn.add(frame)
        frame = client.receive()
    assert frame["settings"] == {"cfg_scale": 2.5, "temperature": None, "max_new_tokens": 2048,
                                 "language": "en", "normalize": False, "speed": 1.2}
    client.send(flush=True)
    running = client.read_turn(turn)
    after = client.speak("Some words to be measured.")
    assert running.samples >= before.samples
    assert abs(after.samples * 1.2 / before.samples - 1) < 0.05


def test_javascript_sdk_update_settings_refuses_identity_and_applies_nothing(client):
    client.send(update_settings={"speed": 1.2, "voice_id": 1072})
    client.expect_error(400, "VALIDATION_ERROR")
    client.send(update_settings={})
    assert client.receive()["settings"]["speed"] == 1.0


def test_javascript_sdk_half_of_an_emoji_in_each_message_is_joined(client):
    client.send_text('{"voice_id": 1, "text": "Smile \\ud83d"}')
    client.send_text('{"text": "\\ude00 now.", "flush": true}')
    turn = client.read_turn()
    assert turn.texts == ["Smile \U0001f600 now."]
    assert turn.usage["characters"] == len("Smile \U0001f600 now.")


def test_javascript_sdk_close_waits_for_the_audio(client):
    client.send(voice_id=1, text="[[slow:10]] Said before the end.", flush=False)
    client.send(close=True)
    turn = client.read_turn()
    assert turn.samples > 0
    client.protocol.send_close(1000)
    client.push()
    client.expect_close(1000)


# Time

def test_stale_buffer_is_spoken_after_flush_timeout_and_the_turn_stays_open(client):
    client.send(voice_id=1, flush_timeout_ms=300, text="no end in sight ")
    turn = Turn()
    while turn.chunk_is_open or not turn.texts:
        turn.add(client.receive())
    assert turn.texts == ["no end in sight"] and not turn.warnings
    client.send(text=" but it goes on", flush=True)
    assert client.read_turn(turn).texts == ["no end in sight", "but it goes on"]


def test_finished_sentence_is_spoken_without_waiting_for_the_buffer_to_get_stale(client):
    client.send(voice_id=1, flush_timeout_ms=30000, text="Ja wohl.")
    turn = Turn()
    while turn.chunk_is_open or not turn.texts:
        turn.add(client.receive())
    assert turn.texts == ["Ja wohl."]
    client.send(flush=True)
    assert client.read_turn(turn).texts == ["Ja wohl."]


# Many

@pytest.mark.parametrize("voice", [1071, 2001])
def test_many_connections_speaking_at_once_all_complete(start_server, voice):
    server = start_server()
    clients = [Client(server) for _ in range(MANY)]
    for i, client in enumerate(clients):
        client.send(voice_id=voice, text=f"Caller {i} speaks.", flush=True)
    turns = read_turns(clients)
    assert [turn.texts for turn in turns] == [[f"Caller {i} speaks."] for i in range(MANY)]
    assert sorted(row["id"] for row in server.ledger()) == sorted(
        turn.usage["turn_id"] for turn in turns)
    for client in clients:
        client.socket.close()


def test_audio_is_the_same_for_pieces_of_any_size(client):
    text = "Some text, in pieces. And more of it."
    client.send(voice_id=1071)
    whole = client.speak(text)
    for size in (1, 3, 7):
        for i in range(0, len(text), size):
            client.send(text=text[i:i + size])
        client.send(flush=True)
        turn = client.read_turn()
        assert (turn.texts, turn.audio) == (whole.texts, whole.audio)
