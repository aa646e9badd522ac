"""/ws/tts: one request after the other on one connection."""

import array
import asyncio
import base64
import json
import urllib.parse

import websockets
from client import BYTES_PER_SAMPLE, Client, is_speech

SETTINGS = {"speech.workers": 1}  # one caller at a time

TEXT = "Hello there. How are you?"


class Once(Client):
    """A connection of /ws/tts."""

    path = "/ws/tts"

    def read_answer(self):
        """(audio, frames, final) of the next request."""
        audio, frames, words = b"", [], []
        while True:
            frame = self.receive()
            if "audio" in frame:
                assert frame["idx"] == len(frames)
                data = base64.b64decode(frame["audio"], validate=True)
                assert len(data) == frame["samples"] * BYTES_PER_SAMPLE[frame["enc"]]
                audio += data
                frames.append(frame)
            elif "word_timestamps" in frame:
                words.append(frame)
            else:
                assert frame.get("final") is True, frame
                self.words = words
                check_final(frame, frames)
                return audio, frames, frame


def check_final(final, frames):
    samples = sum(frame["samples"] for frame in frames)
    assert final["chunks"] == len(frames)
    assert final["total_samples"] == samples
    if frames:
        assert abs(final["dur_ms"] - samples * 1000 / frames[0]["sr"]) < 0.001
        assert isinstance(final["gen_ms"], int)
        assert abs(final["rtf"] * final["dur_ms"] - final["gen_ms"]) < 0.501  # only gen_ms is rounded
        assert final["debug"]["ttfa_ms"] > 0


def test_request_is_spoken_and_booked(server):
    with Once(server) as client:
        client.send(text=TEXT, voice_id=1071, model_id="kugel-3", cfg_scale=2.0,
                    max_new_tokens=2048, sample_rate=24000, normalize=True)
        audio, _, final = client.read_answer()
    assert is_speech(array.array("h", audio))
    assert final["debug"]["original_text"] == TEXT
    assert final["usage"]["characters"] == len(TEXT)
    rows = server.ledger("status, samples, id")
    assert [(row["samples"], row["id"]) for row in rows] == [
        (final["total_samples"], final["usage"]["turn_id"])]


def test_words_come_before_the_final(server):
    with Once(server) as client:
        client.send(text=TEXT, voice_id=1, word_timestamps=True)
        client.read_answer()
        assert [word["word"] for frame in client.words for word in frame["word_timestamps"]] == \
            TEXT.split()


def test_requests_sent_ahead_are_answered_in_order(server):
    texts = [f"This is request number {i}." for i in range(10)]
    with Once(server) as client:
        for i, text in enumerate(texts):
            client.send(text=text, voice_id=1 + i % 2)
        client.send(text="nobody speaks this", voice_id=123456789)
        client.send(text="The last.", voice_id=1)
        for text in texts:
            assert client.read_answer()[2]["debug"]["original_text"] == text
        client.expect_error(404, "NOT_FOUND")
        assert client.read_answer()[2]["debug"]["original_text"] == "The last."
    assert len(server.ledger()) == 11


def test_cancel_ends_the_one_that_is_spoken(server):
    with Once(server) as client:
        client.send(text="[[slow:20]] This one takes long to say.", voice_id=1)
        client.send(text="The next.", voice_id=1)
        assert "audio" in client.receive()
        client.send(cancel=True)
        while "audio" in (frame := client.receive()):
            pass
        assert frame == {"interrupted": True}
        assert client.read_answer()[2]["debug"]["original_text"] == "The next."
    assert sorted(row["status"] for row in server.ledger("status")) == ["cancelled", "finished"]


def test_a_failed_request_leaves_the_connection(server):
    with Once(server) as client:
        client.send_text("no JSON")
        client.expect_error(400, "VALIDATION_ERROR")
        client.send(text="No voice.")
        client.expect_error(400, "MISSING_VOICE_ID")
        client.send(text="x" * 10001, voice_id=1)
        client.expect_error(400, "VALIDATION_ERROR")
        client.send(text="Works.", voice_id=1)
        client.read_answer()


def test_defaults_hold_for_requests_that_leave_them_out(server):
    with Once(server) as client:
        client.send(update_settings={"speed": 1.2})
        assert client.receive() == {"settings_updated": True, "settings": {"speed": 1.2}}
        client.send(text=TEXT, voice_id=1)
        fast = client.read_answer()[2]
        client.send(text=TEXT, voice_id=1, speed=0.8)
        slow = client.read_answer()[2]
    assert fast["debug"]["speed"] == 1.2 and slow["debug"]["speed"] == 0.8
    assert fast["total_samples"] < slow["total_samples"]


def test_first_request_may_stand_in_the_address(server):
    message = json.dumps({"text": "Größe zählt: 50 % & mehr.", "voice_id": 1})
    with Once(server, query="initial_message=" + urllib.parse.quote(message)) as client:
        assert client.read_answer()[2]["debug"]["original_text"] == "Größe zählt: 50 % & mehr."
        client.send(text="And a second one.", voice_id=1)
        client.read_answer()


def test_bad_first_requests_in_the_address_are_errors(server):
    long = json.dumps({"text": "x" * 4096, "voice_id": 1})
    for value in ("%7B", "%zz", urllib.parse.quote(long)):
        with Once(server, query="model_id=kugel-3&initial_message=" + value) as client:
            client.expect_error(400, "VALIDATION_ERROR")
            client.send(text="Still here.", voice_id=1)
            client.read_answer()


def test_requests_that_are_spoken_are_finished_when_the_server_goes(server):
    with Once(server) as client:
        client.send(text="[[slow:20]] This one is finished.", voice_id=1)
        client.send(text="This one is not begun.", voice_id=1)
        assert client.receive()["idx"] == 0
        server.terminate()
        frame = client.receive()
        while not frame.get("final"):
            frame = client.receive()
        assert frame["debug"]["original_text"] == "[[slow:20]] This one is finished."
        client.expect_close(1012)
    assert server.wait_for_end() == 0


def test_another_client_library(server):
    async def speak():
        uri = f"ws://127.0.0.1:{server.port}/ws/tts?api_key={server.key}"
        async with websockets.connect(uri) as socket:
            await socket.send(json.dumps({"text": TEXT, "voice_id": 1}))
            audio = b""
            async for message in socket:
                frame = json.loads(message)
                audio += base64.b64decode(frame.get("audio", ""))
                if frame.get("final"):
                    return audio, frame

    audio, final = asyncio.run(speak())
    assert len(audio) == 2 * final["total_samples"]
