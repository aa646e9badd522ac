"""What clients should not send: they are told, and nobody else notices."""

import json
import socket
import struct
import subprocess
import sys

import pytest
from program import SOURCE, WAIT_S


@pytest.fixture
def server(shared_server):
    return shared_server


MASK = b"\x11\x22\x33\x44"


def frame(opcode, payload, first=0x80):
    """A client's frame, byte by byte: what a WebSocket library would not send."""
    n = len(payload)
    if n <= 125:
        length = bytes([0x80 | n])
    elif n <= 0xFFFF:
        length = b"\xfe" + struct.pack(">H", n)
    else:
        length = b"\xff" + struct.pack(">Q", n)
    masked = bytes(byte ^ MASK[i % 4] for i, byte in enumerate(payload))
    return bytes([first | opcode]) + length + MASK + masked


MALFORMED = [
    "", " ", "{", "}", "[]", "null", "42", '"text"', "{text: 1}", "{'text': 'x'}", '{"text": "x"',
    '{"text": "x"} {}', '{"text": "x",}', '{"text": "\\x"}', '{"text": "a\nb"}', "\ufeff{}",
    '{"speed": 01}', '{"speed": .5}', '{"speed": NaN}', '{"text": "x" "flush": true}',
    "[" * 100000, '{"a":' * 50000,
]


@pytest.mark.parametrize("index", range(len(MALFORMED)))
def test_malformed_json_is_answered_and_the_turn_goes_on(client, index):
    client.send(voice_id=1, text="Before ")
    client.send_text(MALFORMED[index])
    client.expect_error(400, "VALIDATION_ERROR")
    client.send(text="and after.", flush=True)
    assert client.read_turn().texts == ["Before and after."]


WRONG_VALUES = [
    {"text": 1}, {"text": ["x"]}, {"text": {"x": 1}}, {"text": True}, {"flush": "true"},
    {"flush": 1}, {"cancel": "yes"}, {"close": 1}, {"voice_id": 1.5}, {"voice_id": True},
    {"voice_id": [1071]}, {"sample_rate": 24001}, {"sample_rate": 0}, {"sample_rate": "24000"},
    {"output_format": "mp3"}, {"output_format": 8000}, {"speed": 0.1}, {"speed": 9}, {"speed": "1"},
    {"temperature": -0.1}, {"temperature": 1.1}, {"cfg_scale": "2"}, {"max_new_tokens": 0},
    {"max_new_tokens": 2049}, {"max_buffer_length": -1}, {"flush_timeout_ms": -1},
    {"flush_timeout_ms": "soon"}, {"chunk_length_schedule": []}, {"chunk_length_schedule": [0, -5]},
    {"chunk_length_schedule": ["a"]}, {"chunk_length_schedule": 5}, {"auto_mode": "on"},
    {"normalize": 1}, {"word_timestamps": "true"}, {"language": 7}, {"language": "xx"},
    {"model_id": "gpt-4"}, {"model_id": 3}, {"dictionary_ids": "all"}, {"update_settings": True},
    {"update_settings": {"speed": 5}}, {"update_settings": {"output_format": "pcm_8000"}},
    {"sample_rate": 8000, "output_format": "pcm_16000"},
]


@pytest.mark.parametrize("message", WRONG_VALUES, ids=json.dumps)
def test_wrong_value_is_answered_and_the_whole_message_has_no_effect(client, message):
    client.send({"voice_id": 1, "text": "Before "})
    client.send({"text": "LOST ", "speed": 1.2} | message)
    client.expect_error(400, "VALIDATION_ERROR")
    client.send(text="and after.", flush=True)
    turn = client.read_turn()
    assert turn.texts == ["Before and after."]
    assert turn.rate == 24000


def test_unknown_keys_and_null_are_ignored(client):
    client.send({"voice_id": 1, "text": "Fine.", "no_such_key": [1, {"x": None}], "speed": None,
                 "language": None, "cancel": None, "close": False, "flush": True})
    assert client.read_turn().texts == ["Fine."]


def test_unknown_voice_is_404_and_the_one_before_stays(client):
    client.speak("Known.", voice_id=1)
    for voice in (987654, "Sally", -1):
        client.send(voice_id=voice, text="Unknown.", flush=True)
        client.expect_error(404, "NOT_FOUND")
    assert client.speak("Known again.").texts == ["Known again."]


def test_missing_voice_fails_the_turn_with_its_own_code(client):
    client.send(text="Who speaks? ")
    client.expect_error(400, "MISSING_VOICE_ID")
    client.send(flush=True)
    closed = client.receive()
    assert closed["session_closed"] and closed["total_audio_seconds"] == 0
    assert client.speak("I do.", voice_id=1).texts == ["I do."]


def test_blank_text_starts_no_turn(server, client):
    booked = len(server.ledger())
    for text in ("", " ", "\n\t ", "\u3000\u00a0"):
        client.send(voice_id=1, text=text)
    client.send(flush=True)
    turn = client.read_turn()
    assert turn.texts == [] and turn.samples == 0
    assert len(server.ledger()) == booked


@pytest.mark.parametrize("text", ["...", "\U0001f600", "\u0000\u0001\u0002", "\u202e\u200d\ufe0f",
                                  "a\u0300" * 50, "\ufdfd" * 20, "\U0010ffff", "\ufffd\ufffe",
                                  "(((((((((((((((((((", "<break", "<spell>", "%s%n%d", "\\"],
                         ids=ascii)
def test_odd_text_is_spoken_or_passed_over_and_the_turn_ends(client, text):
    for voice in (1, 1071, 2001):
        turn = client.speak(text, voice_id=voice)
        assert turn.usage["characters"] == len(text)
    assert client.speak("Still here.").samples > 0


def test_binary_frame_is_an_error_and_the_socket_stays_open(client):
    client.send_bytes(frame(2, b'{"text": "x"}'))
    client.expect_error(400, "VALIDATION_ERROR")
    assert client.speak("As text.", voice_id=1).samples > 0


def test_message_over_a_mebibyte_closes_1009(client):
    client.send_bytes(frame(1, b'{"text": "' + b"x" * (1 << 20) + b'"}'))
    client.expect_close(1009)


def test_fragments_over_a_mebibyte_close_1009(client):
    client.send_bytes(frame(1, b'{"text": "', first=0))
    for _ in range(17):
        client.send_bytes(frame(0, b"x" * 65536, first=0))
    client.expect_close(1009)


def test_invalid_utf8_closes_1007(client):
    client.send_bytes(frame(1, b'{"text": "\xc3\x28"}'))
    client.expect_close(1007)


@pytest.mark.parametrize("data", [frame(1, b"{}", first=0xC0), frame(3, b""), frame(9, b"x" * 126),
                                  b"\x81\x02{}", frame(0, b"{}"), frame(8, b"\x00")])
def test_frame_against_the_protocol_closes_1002(client, data):
    client.send_bytes(data)
    client.expect_close(1002)


def test_million_characters_in_one_turn_is_413_and_the_connection_lives(client):
    client.send(voice_id=1)
    piece = "word " * 20000
    for _ in range(10):
        client.send(text=piece)
    frames = []
    while not frames or "error" not in frames[-1]:
        frames.append(client.receive())
    assert (frames[-1]["code"], frames[-1]["error_code"]) == (413, "VALIDATION_ERROR")
    client.send(flush=True)
    while not client.receive().get("session_closed"):
        pass
    assert client.speak("Short enough.").texts == ["Short enough."]


def test_million_characters_in_one_message_is_413_and_the_connection_lives(client):
    client.send(voice_id=1, text="x " * 500000, flush=True)
    assert client.read_turn().errors[0]["code"] == 413
    assert client.speak("Short enough.").texts == ["Short enough."]


def test_too_many_queued_turns_are_refused_and_the_others_spoken(client):
    client.send(voice_id=1, text="[[slow:20]] The first holds the queue.", flush=True)
    for i in range(40):
        client.send(text=f"Turn {i}.", flush=True)
    errors, closed, speaking = 0, 0, True
    while speaking:
        received = client.receive()
        errors += received.get("code") == 429
        closed += received.get("session_closed", False)
        speaking = closed < 17
    assert errors == 24


# Below WebSocket

def answer_to(server, data):
    """Status line that a server has for these bytes, b"" when it just ends."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as raw:
        raw.sendall(data)
        answer = b""
        while b"\r\n" not in answer:
            try:
                part = raw.recv(65536)
            except ConnectionResetError:
                break
            if not part:
                break
            answer += part
        return answer.split(b"\r\n")[0].decode()


GARBAGE = [b"\x00\x01\x02\x03\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 64,
           b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /health HTTP/1.1\r\nHost : x\r\n\r\n",
           b"GET /health HTTP/1.1\r\nBad Header: x\r\n\r\n", b"HELO there\r\n\r\n",
           b"GET /health HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
           b"GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
           b"POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked"
           b"\r\n\r\n0\r\n\r\n"]


def test_http_garbage_is_400_and_the_server_lives(server):
    for data in GARBAGE:
        status = answer_to(server, data).split(" ")
        assert status[0] == "HTTP/1.1" and status[1] in ("400", "505"), (data, status)
    assert server.get("/health")[0] == 200


def test_header_flood_is_431(server):
    request = b"GET /health HTTP/1.1\r\nHost: x\r\n"
    many = b"".join(b"X-Header-%d: y\r\n" % i for i in range(5000))
    for flood in (many, b"X-Long: %s\r\n" % (b"y" * 100000), b"Cookie: %s\r\n" % (b"z" * 16384)):
        assert " 431 " in answer_to(server, request + flood + b"\r\n")
    assert " 431 " in answer_to(server, b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n")
    assert server.get("/health")[0] == 200


def test_real_server_passes_the_websocket_conformance_cases(server):
    done = subprocess.run(
        [sys.executable, SOURCE / "test/e2e/ws_conformance.py", "--no-echo",
         f"127.0.0.1:{server.port}/ws/tts/stream?api_key={server.key}"],
        stdout=subprocess.PIPE, timeout=WAIT_S * 4, check=False)
    assert done.returncode == 0, done.stdout.decode()
