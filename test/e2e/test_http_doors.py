"""Speech over HTTP, through each door: what comes, how it is refused, and what a client that goes
away costs."""

import array
import base64
import http.client
import io
import json
import socket
import struct
import wave

import pytest
from client import Client, is_speech
from program import WAIT_S, wait_until

TEXT = "Good morning, how are you? All is well here."
LONG = "This is one sentence of very many that are spoken one after the other. " * 130
MEDIUM = LONG[:3000]
GENERATE = "/v1/tts/generate"
ELEVENLABS = "/v1/text-to-speech/1071"


@pytest.fixture
def server(shared_server):
    return shared_server


class Door:
    """One connection; `key` says how it is carried."""

    def __init__(self, server, **headers):
        self.server = server
        self.headers = {"Content-Type": "application/json"} | {
            name.replace("_", "-"): value for name, value in headers.items()}
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def begin(self, path, body, headers=None):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.connection.request("POST", path, raw, self.headers | (headers or {}))
        return self.connection.getresponse()

    def post(self, path, body, headers=None):
        """(status, headers, bytes)"""
        answer = self.begin(path, body, headers)
        return (answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())

    def refused(self, path, body, headers=None):
        status, got, answer = self.post(path, body, headers)
        assert got["content-type"] == "application/json" and got["x-request-id"]
        return status, json.loads(answer)

    def heard(self, path, body, headers=None):
        status, got, audio = self.post(path, body, headers)
        assert status == 200, audio
        assert got["x-kugelaudio-ai-generated"] == "true" and got["x-request-id"]
        return got, audio


@pytest.fixture
def native(server):
    with Door(server, Authorization="Bearer " + server.key) as door:
        yield door


@pytest.fixture
def eleven(server):
    with Door(server, xi_api_key=server.key) as door:
        yield door


def pcm(audio):
    return array.array("h", audio)


def mp3_seconds(audio):
    """Walks the frames of MPEG layer III; a byte between two of them is a fault."""
    bitrates = {3: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
                2: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)}
    rates = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000)}
    at, seconds = 0, 0.0
    while at + 4 <= len(audio):
        sync, version, layer = audio[at] << 3 | audio[at + 1] >> 5, audio[at + 1] >> 3 & 3, \
            audio[at + 1] >> 1 & 3
        assert sync == 0x7FF and layer == 1, at
        rate = rates[version][audio[at + 2] >> 2 & 3]
        samples = 1152 if version == 3 else 576
        seconds += samples / rate
        at += (samples // 8 * bitrates[version][audio[at + 2] >> 4] * 1000 // rate
               + (audio[at + 2] >> 1 & 1))
    assert at == len(audio)
    return seconds


def opus_seconds(audio):
    """The granule position of the last page, without what a decoder skips."""
    at, granule = 0, 0
    assert audio[28:36] == b"OpusHead"
    skipped = int.from_bytes(audio[38:40], "little")
    while at < len(audio):
        assert audio[at:at + 4] == b"OggS"
        granule = int.from_bytes(audio[at + 6:at + 14], "little")
        segments = audio[at + 26]
        at += 27 + segments + sum(audio[at + 27:at + 27 + segments])
    return (granule - skipped) / 48000


def flac_seconds(audio):
    """FLAC's frames are for its decoder; that it is one, of 24 kHz and 16 bits, stands in its head."""
    assert audio[:4] == b"fLaC" and audio[18] << 12 | audio[19] << 4 | audio[20] >> 4 == 24000
    return None


def wav_seconds(audio):
    with wave.open(io.BytesIO(audio)) as file:
        return (len(audio) - 44) / 2 / file.getframerate()


def aac_seconds(audio):
    """Walks the ADTS frames of 1024 samples; a byte between two of them is a fault."""
    rates = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000)
    at, seconds = 0, 0.0
    while at + 7 <= len(audio):
        assert audio[at] == 0xFF and audio[at + 1] & 0xF6 == 0xF0, at
        seconds += 1024 / rates[audio[at + 2] >> 2 & 15]
        at += (audio[at + 3] & 3) << 11 | audio[at + 4] << 3 | audio[at + 5] >> 5
    assert at == len(audio)
    return seconds


SECONDS = {"audio/mpeg": mp3_seconds, "audio/ogg": opus_seconds, "audio/aac": aac_seconds,
           "audio/flac": flac_seconds, "audio/wav": wav_seconds}


def has_length_of(kind, audio, plain):
    """A file has the length of the same speech as PCM16 at 24 kHz, but for an encoder's padding."""
    seconds = SECONDS[kind](audio)
    return seconds is None or -0.01 < seconds - len(plain) / 48000 < 0.15


# The native door

@pytest.mark.parametrize("path", [GENERATE, "/predict"])
def test_raw_audio_with_its_headers(native, path):
    headers, audio = native.heard(path, {"text": TEXT, "voice_id": 1071})
    assert headers["content-type"] == "audio/pcm"
    assert headers["x-sample-rate"] == "24000" and headers["x-audio-format"] == "pcm_s16le"
    assert headers["transfer-encoding"] == "chunked"
    assert is_speech(pcm(audio))


def test_it_is_the_audio_of_the_socket(server, native):
    _, audio = native.heard(GENERATE, {"text": TEXT, "voice_id": 1})
    with Client(server) as client:
        assert client.speak(TEXT, voice_id=1, auto_mode=True).audio == audio


@pytest.mark.parametrize("token,kind,encoding,rate", [
    ("pcm_8000", "audio/pcm", "pcm_s16le", 8000), ("ulaw_8000", "audio/basic", "mulaw", 8000),
    ("alaw_8000", "audio/x-alaw-basic", "alaw", 8000), ("wav", "audio/wav", "wav", 24000)])
def test_formats_are_named_in_the_headers(native, token, kind, encoding, rate):
    headers, audio = native.heard(GENERATE, {"text": TEXT, "voice_id": 1, "output_format": token})
    assert (headers["content-type"], headers["x-audio-format"]) == (kind, encoding)
    assert headers["x-sample-rate"] == str(rate) and len(audio) > rate // 2


@pytest.mark.parametrize("body,headers,rate", [
    ({"output_format": "wav"}, {}, 24000), ({}, {"Accept": "audio/wav"}, 24000),
    ({"sample_rate": 16000}, {"Accept": "audio/wav, */*"}, 16000),
    ({"sample_rate": 44100, "output_format": "wav"}, {}, 44100)])
def test_a_wav_can_be_played(native, body, headers, rate):
    _, plain = native.heard(GENERATE, {"text": TEXT, "voice_id": 1, "sample_rate": rate})
    _, audio = native.heard(GENERATE, {"text": TEXT, "voice_id": 1} | body, headers)
    with wave.open(io.BytesIO(audio)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (rate, 1, 2)
    assert audio[44:] == plain


def test_what_was_asked_for_beats_what_is_accepted(native):
    headers, _ = native.heard(GENERATE, {"text": TEXT, "voice_id": 1, "output_format": "ulaw_8000"},
                              {"Accept": "audio/wav"})
    assert headers["x-audio-format"] == "mulaw"


def test_a_connection_is_used_again(native):
    first = native.heard(GENERATE, {"text": TEXT, "voice_id": 1})[1]
    local = native.connection.sock.getsockname()
    assert native.heard(GENERATE, {"text": TEXT, "voice_id": 1})[1] == first
    assert native.connection.sock.getsockname() == local


def test_an_http_1_0_client_reads_to_the_end(server, native):
    _, audio = native.heard(GENERATE, {"text": TEXT, "voice_id": 1})
    body = json.dumps({"text": TEXT, "voice_id": 1}).encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as old:
        old.sendall(f"POST {GENERATE} HTTP/1.0\r\nX-API-Key: {server.key}\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        got = b""
        while piece := old.recv(1 << 16):
            got += piece
    head, _, heard = got.partition(b"\r\n\r\n")
    assert b" 200 " in head and b"chunked" not in head.lower() and heard == audio


@pytest.mark.parametrize("body,status,code,words", [
    ({"voice_id": 1}, 400, "VALIDATION_ERROR", "text is required"),
    ({"text": "", "voice_id": 1}, 400, "VALIDATION_ERROR", "1 to 10000"),
    ({"text": " \n\t", "voice_id": 1}, 400, "VALIDATION_ERROR", "blanks"),
    ({"text": "x" * 10001, "voice_id": 1}, 400, "VALIDATION_ERROR", "got 10001"),
    ({"text": 5, "voice_id": 1}, 400, "VALIDATION_ERROR", "text must be a string"),
    ({"text": "Hi."}, 400, "MISSING_VOICE_ID", "voice_id is required"),
    ({"text": "Hi.", "voice_id": 999}, 404, "NOT_FOUND", "999"),
    ({"text": "Hi.", "voice_id": "nobody"}, 404, "NOT_FOUND", "nobody"),
    ({"text": "Hi.", "voice_id": 1.5}, 400, "VALIDATION_ERROR", "voice_id"),
    ({"text": "Hi.", "voice_id": 1, "word_timestamps": True}, 400, "VALIDATION_ERROR",
     "word_timestamps"),
    ({"text": "Hi.", "voice_id": 1, "speaker_prefix": True}, 400, "VALIDATION_ERROR",
     "speaker_prefix"),
    ({"text": "Hi.", "voice_id": 1, "auto_mode": True}, 400, "VALIDATION_ERROR", "auto_mode"),
    ({"text": "Hi.", "voice_id": 1, "foo": [{}]}, 400, "VALIDATION_ERROR", "foo"),
    ({"text": "Hi.", "voice_id": 1, "speed": 3}, 400, "VALIDATION_ERROR", "speed"),
    ({"text": "Hi.", "voice_id": 1, "output_format": "pcm_1"}, 400, "VALIDATION_ERROR", "pcm_1"),
    ({"text": "Hi.", "voice_id": 1, "output_format": "pcm_8000", "sample_rate": 16000}, 400,
     "VALIDATION_ERROR", "conflicts"),
    ({"text": "Hi.", "voice_id": 1, "dictionary_ids": [77]}, 400, "VALIDATION_ERROR", "77"),
    ({"text": "Hi <prosody>.", "voice_id": 1}, 400, "VALIDATION_ERROR", "prosody"),
    ([], 400, "VALIDATION_ERROR", "object"), (b"{", 400, "VALIDATION_ERROR", "JSON"),
    (b"", 400, "VALIDATION_ERROR", "JSON")])
def test_what_is_wrong_is_told_before_any_audio(native, body, status, code, words):
    got, answer = native.refused(GENERATE, body)
    assert (got, answer["code"], answer["error_code"]) == (status, status, code), answer
    assert words in answer["error"] and answer["request_id"]
    native.heard(GENERATE, {"text": "Hi.", "voice_id": 1})  # and the connection goes on


def test_null_is_as_absent(native):
    native.heard(GENERATE, {"text": TEXT, "voice_id": "1071", "language": None, "model_id": None,
                            "project_id": None, "dictionary_ids": None, "output_format": None})


@pytest.mark.parametrize("key,status", [(None, 401), ("ka_wrong", 401)])
def test_a_key_is_needed(server, key, status):
    headers = {"Authorization": "Bearer " + key} if key else {}
    with Door(server, **headers) as door:
        assert door.refused(GENERATE, {"text": "Hi.", "voice_id": 1})[0] == status
        assert door.refused(GENERATE, b"")[0] == status


def test_a_failure_before_audio_has_a_status(native):
    status, answer = native.refused(GENERATE, {"text": "[[fail]]", "voice_id": 1})
    assert (status, answer["error_code"]) == (500, "INTERNAL_ERROR")


def test_a_failure_after_audio_cuts_the_answer_off(server, native):
    answer = native.begin(GENERATE, {"text": "Good morning. [[fail]]", "voice_id": 1})
    assert answer.status == 200
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        answer.read()
    # Rows of turns before it may still be on their way.
    row = wait_until(lambda: next((row for row in server.ledger() if row["status"] == "failed"
                                   and row["samples"] > 0), None), "it is booked")
    assert row["amount_microcents"] == 0


def test_a_failure_is_no_clean_end_for_http_1_0(server):
    body = json.dumps({"text": "Good morning. [[fail]]", "voice_id": 1}).encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as old:
        old.sendall(f"POST {GENERATE} HTTP/1.0\r\nX-API-Key: {server.key}\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        with pytest.raises(ConnectionResetError):
            while old.recv(1 << 16):
                pass


def last_row(server, before):
    return wait_until(lambda: len(server.ledger()) > before and server.ledger()[-1],
                      "the turn is booked")


def test_what_was_spoken_is_booked(server, native):
    before = len(server.ledger())
    _, audio = native.heard(GENERATE, {"text": TEXT, "voice_id": 1})
    rows = [(row["samples"], row["characters"]) for row in server.ledger()[before:]
            if row["status"] == "finished"]
    assert rows == [(len(audio) // 2, len(TEXT))]  # durable before the answer's end


@pytest.mark.parametrize("resets", [True, False])
def test_a_client_that_goes_away_cancels_its_turn(server, native, resets):
    before = len(server.ledger())
    native.connection.connect()
    native.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    answer = native.begin(GENERATE, {"text": LONG, "voice_id": 1})
    assert answer.read(1000)
    if resets:
        native.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                          struct.pack("ii", 1, 0))
    answer.close()
    native.connection.close()
    row = last_row(server, before)
    assert row["status"] == "cancelled" and 0 < row["samples"] < 24000 * 600


def test_a_client_that_does_not_read_holds_only_itself(server, native):
    slow = native.begin(GENERATE, {"text": MEDIUM, "voice_id": 1})
    with Door(server, Authorization="Bearer " + server.key) as other:
        for _ in range(3):
            other.heard(GENERATE, {"text": TEXT, "voice_id": 1})
    assert len(slow.read()) > 24000 * 60  # and is served to its end


# ElevenLabs

def timed(alignment):
    characters = alignment["characters"]
    starts = alignment["character_start_times_seconds"]
    ends = alignment["character_end_times_seconds"]
    assert len(characters) == len(starts) == len(ends) > 0
    assert all(a <= b + 0.001 for a, b in zip(starts, ends))
    assert all(a <= b + 0.001 for a, b in zip(starts, starts[1:]))
    return "".join(characters), ends[-1]


@pytest.mark.parametrize("root", ["", "/11labs"])
@pytest.mark.parametrize("end", ["", "/stream"])
def test_elevenlabs_gives_the_format_of_the_query(eleven, root, end):
    headers, audio = eleven.heard(root + ELEVENLABS + end + "?output_format=pcm_16000",
                                  {"text": TEXT, "model_id": "eleven_turbo_v2_5"})
    assert headers["content-type"] == "audio/pcm" and headers["x-sample-rate"] == "16000"
    assert is_speech(pcm(audio))


@pytest.mark.parametrize("end", ["", "/stream", "/with-timestamps", "/stream/with-timestamps"])
def test_elevenlabs_headers_name_the_request_and_its_characters(server, eleven, end):
    headers, _ = eleven.heard("/11labs" + ELEVENLABS + end, {"text": "Zwölf <b>Äpfel</b>."},
                              {"Origin": f"http://127.0.0.1:{server.port}"})
    assert headers["request-id"] == headers["x-request-id"]
    assert headers["character-cost"] == "19" == str(server.ledger()[-1]["characters"])
    exposed = headers["access-control-expose-headers"].split(", ")
    assert {"request-id", "character-cost", "x-request-id"} <= set(exposed)
    status, headers, _ = eleven.post(ELEVENLABS + end, {})
    assert status == 422 and headers["request-id"] == headers["x-request-id"]
    assert "character-cost" not in headers


def test_elevenlabs_ids_of_its_default_voices_are_spoken(eleven):
    for root, theirs, ours in (("", "21m00Tcm4TlvDq8ikWAM", 1071),
                               ("/11labs", "JBFqnCBsd6RMkjVDRZzb", 1072)):
        path = f"{root}/v1/text-to-speech/%s?output_format=pcm_16000"
        _, audio = eleven.heard(path % theirs, {"text": TEXT})
        assert audio == eleven.heard(path % ours, {"text": TEXT})[1]


def test_elevenlabs_ids_of_the_configuration_are_spoken(start_server):
    server = start_server({"elevenlabs.default_voices": "off", "elevenlabs.voices": "theirs:1"})
    with Door(server, xi_api_key=server.key) as door:
        door.heard("/v1/text-to-speech/theirs", {"text": TEXT})
        status, answer = door.refused("/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM", {"text": TEXT})
        assert status == 404 and answer["detail"]["status"] == "voice_not_found"


@pytest.mark.parametrize("token,kind", [
    ("", "audio/mpeg"), ("mp3_22050_32", "audio/mpeg"), ("mp3_44100_192", "audio/mpeg"),
    ("opus_48000_64", "audio/ogg")])
def test_elevenlabs_files_have_the_length_of_the_speech(eleven, token, kind):
    query = "?output_format=" + token if token else ""
    headers, audio = eleven.heard(ELEVENLABS + query, {"text": TEXT})
    _, plain = eleven.heard(ELEVENLABS + "?output_format=pcm_24000", {"text": TEXT})
    assert headers["content-type"] == kind and has_length_of(kind, audio, plain)


@pytest.mark.parametrize("token", [
    "mp3_22050_32", "mp3_24000_48", "mp3_44100_32", "mp3_44100_64", "mp3_44100_96",
    "mp3_44100_128", "mp3_44100_192", "pcm_8000", "pcm_16000", "pcm_22050", "pcm_24000",
    "pcm_32000", "pcm_44100", "pcm_48000", "ulaw_8000", "alaw_8000", "opus_48000_32",
    "opus_48000_64", "opus_48000_96", "opus_48000_128", "opus_48000_192"])
def test_elevenlabs_knows_every_format(eleven, token):
    headers, audio = eleven.heard(f"{ELEVENLABS}/stream?output_format={token}", {"text": "Hello."})
    assert headers["x-sample-rate"] == token.split("_")[1] and len(audio) > 500
    assert headers["content-type"].startswith("audio/")


def test_elevenlabs_takes_what_its_clients_send(eleven):
    body = {"text": TEXT, "model_id": "eleven_multilingual_v2", "language_code": "en",
            "voice_settings": {"stability": 0.5, "similarity_boost": 0.75, "style": 0,
                               "use_speaker_boost": True, "speed": 0.7},
            "seed": 4294967295, "previous_text": "a", "next_text": None,
            "apply_text_normalization": "auto", "pronunciation_dictionary_locators": [],
            "something_new": {"deep": [1, {"deeper": True}]}}
    path = "/v1/text-to-speech/1?output_format=pcm_24000&enable_logging=false&optimize_streaming_latency=0"
    slow = eleven.heard(path, body)[1]
    plain = eleven.heard(path, {"text": TEXT})[1]
    assert abs(len(slow) / len(plain) - 1 / 0.7) < 0.02


def test_elevenlabs_times_of_characters(eleven):
    text = "Hello there, world. Zweiter Satz: süß!"
    path = "/v1/text-to-speech/1/with-timestamps?output_format=pcm_24000"
    headers, got = eleven.heard(path, {"text": text})
    assert headers["content-type"] == "application/json"
    answer = json.loads(got)
    audio = base64.b64decode(answer["audio_base64"], validate=True)
    _, plain = eleven.heard("/v1/text-to-speech/1?output_format=pcm_24000", {"text": text})
    assert audio == plain
    said, end = timed(answer["alignment"])
    assert said == text and 0.5 * len(audio) / 48000 < end <= len(audio) / 48000 + 0.01
    assert answer["normalized_alignment"] == answer["alignment"]


def test_elevenlabs_markup_is_neither_read_nor_timed(eleven):
    def ask(text, model):
        answer = json.loads(eleven.heard(ELEVENLABS + "/with-timestamps?output_format=pcm_24000",
                                         {"text": text, "model_id": model})[1])
        assert answer["normalized_alignment"] == answer["alignment"]
        return (timed(answer["alignment"])[0],
                len(base64.b64decode(answer["audio_base64"])) / 48000)

    _, plain = ask("Hello there. Bye.", "eleven_flash_v2_5")
    text, seconds = ask('Hello <break time="2.5s"/>there. <b>Bye</b>.', "eleven_flash_v2_5")
    assert text == "Hello there. Bye." and seconds > plain + 2.3
    text, seconds = ask("[sighs] Hello there. Bye.", "eleven_v3")
    assert text == " Hello there. Bye." and seconds < plain + 0.2
    text, seconds = ask("[sighs] Hello there. Bye.", "eleven_multilingual_v2")
    assert text == "[sighs] Hello there. Bye." and seconds > plain + 0.2


def test_elevenlabs_times_come_in_lines(eleven):
    text = "Hello there, world. And again."
    path = "/v1/text-to-speech/1/stream/with-timestamps?output_format=pcm_24000"
    _, got = eleven.heard(path, {"text": text})
    lines = [json.loads(line) for line in got.splitlines()]
    assert len(lines) > 4 and all(set(line) == {
        "audio_base64", "alignment", "normalized_alignment"} for line in lines)
    audio = b"".join(base64.b64decode(line["audio_base64"], validate=True) for line in lines)
    whole = json.loads(eleven.heard("/v1/text-to-speech/1/with-timestamps?output_format=pcm_24000",
                                    {"text": text})[1])
    assert audio == base64.b64decode(whole["audio_base64"])
    for key in whole["alignment"]:
        assert sum((line["alignment"][key] for line in lines if line["alignment"]),
                   []) == whole["alignment"][key]


@pytest.mark.parametrize("method,path,status", [
    ("GET", "/v1/text-to-speech/1071", 405), ("POST", "/v1/sound-generation", 404),
    ("GET", "/v1/convai/agents", 404), ("POST", "/v1/text-to-speech/1071/", 404),
    ("GET", "/v1/nothing", 404), ("GET", "/v1/voices/1071/nothing", 404),
    ("POST", "/v1/models", 405), ("GET", "/v3/voices", 404), ("PUT", "/v1/user", 405)])
def test_elevenlabs_shape_of_what_is_not_there(server, method, path, status):
    for root in ("", "/11labs"):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
        connection.request(method, root + path, b"{}", {"xi-api-key": server.key})
        answer = connection.getresponse()
        assert answer.status == status
        detail = json.loads(answer.read())["detail"]
        assert detail["status"] == {404: "not_found", 405: "method_not_allowed"}[status]
        assert detail["message"] and detail["request_id"] == answer.headers["request-id"]
        connection.close()


@pytest.mark.parametrize("path,body,status,name", [
    (ELEVENLABS, {"text": "x" * 10001}, 400, "max_character_limit_exceeded"),
    ("/v1/text-to-speech/nobody", {"text": "Hi."}, 404, "voice_not_found"),
    (ELEVENLABS, {}, 422, "invalid_request"), (ELEVENLABS, b"x", 422, "invalid_request"),
    (ELEVENLABS, {"text": "Hi.", "language_code": "xx"}, 422, "invalid_request"),
    (ELEVENLABS, {"text": "Hi.", "voice_settings": {"speed": 9}}, 422, "invalid_request"),
    (ELEVENLABS + "/stream?output_format=wma", {"text": "Hi."}, 422, "invalid_request"),
    (ELEVENLABS + "?output_format=%zz", {"text": "Hi."}, 422, "invalid_request")])
def test_elevenlabs_reads_its_own_errors(eleven, path, body, status, name):
    for root in ("", "/11labs"):
        got, answer = eleven.refused(root + path, body)
        assert (got, answer["detail"]["status"]) == (status, name) and answer["detail"]["message"]


@pytest.mark.parametrize("headers,name", [({}, "needs_authorization"),
                                          ({"xi-api-key": "wrong"}, "invalid_api_key")])
def test_elevenlabs_keys_are_refused_as_there(server, headers, name):
    with Door(server, **headers) as door:
        status, answer = door.refused(ELEVENLABS, {"text": "Hi."})
    assert (status, answer["detail"]["status"]) == (401, name)


# OpenAI

@pytest.mark.parametrize("voice", ["alloy", "echo", "fable", "onyx", "nova", "shimmer", "ash", "coral",
                                   "sage", "ballad", "verse", "1071", "sally", {"id": "1072"}])
def test_openai_voices_are_voices(native, voice):
    headers, audio = native.heard("/v1/audio/speech", {
        "model": "tts-1", "input": "Hello.", "voice": voice, "response_format": "pcm"})
    assert headers["content-type"] == "audio/pcm" and headers["x-sample-rate"] == "24000"
    assert is_speech(pcm(audio))


@pytest.mark.parametrize("form,kind", [(None, "audio/mpeg"), ("mp3", "audio/mpeg"),
                                       ("opus", "audio/ogg"), ("aac", "audio/aac"),
                                       ("flac", "audio/flac"), ("wav", "audio/wav")])
def test_openai_files_have_the_length_of_the_speech(native, form, kind):
    body = {"model": "gpt-4o-mini-tts", "input": TEXT, "voice": "1", "instructions": "Be glad."}
    headers, audio = native.heard("/v1/audio/speech", body | (
        {"response_format": form} if form else {}))
    _, plain = native.heard("/v1/audio/speech", body | {"response_format": "pcm"})
    assert headers["content-type"] == kind and has_length_of(kind, audio, plain)


@pytest.mark.parametrize("body,status,words", [
    ({"response_format": "wma"}, 400, "mp3, opus, aac, flac, wav, pcm"),
    ({"stream_format": "ndjson"}, 400, "stream_format"), ({"speed": 5}, 400, "speed"),
    ({"input": "x" * 4097}, 400, "4096"), ({"input": None}, 400, "input is required"),
    ({"voice": []}, 400, "voice"), ({"voice": "nobody"}, 400, "nobody"),
    ({"model": 1}, 400, "model")])
def test_openai_reads_its_own_errors(native, body, status, words):
    got, answer = native.refused("/v1/audio/speech", {
        "model": "tts-1", "input": "Hi.", "voice": "alloy"} | body)
    assert got == status and words in answer["error"]["message"]
    assert set(answer["error"]) == {"message", "type", "param", "code"}
    assert answer["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer sk-wrong"}])
def test_openai_keys_are_refused_as_there(server, headers):
    with Door(server, **headers) as door:
        status, answer = door.refused("/v1/audio/speech", {"input": "Hi.", "voice": "alloy"})
    assert (status, answer["error"]["code"]) == (401, "invalid_api_key")


# Vapi

def vapi(**fields):
    return {"message": {"type": "voice-request", "text": TEXT, "sampleRate": 16000,
                        "timestamp": 1, "call": {"id": "c"}, "artifact": {"messages": []}} | fields}


def test_vapi_has_pcm_at_its_rate(server):
    with Door(server) as door:
        headers, audio = door.heard(
            f"/vapi/synthesize?voice_id=1071&model_id=kugel-3&api_key={server.key}", vapi())
    assert headers["x-sample-rate"] == "16000" and is_speech(pcm(audio))


def test_vapi_may_say_it_in_headers(server):
    with Door(server, x_voice_id="1071", x_vapi_secret=server.key) as door:
        assert is_speech(pcm(door.heard("/vapi/synthesize", vapi(sampleRate=24000))[1]))


@pytest.mark.parametrize("query,body,status,words", [
    ("", vapi(), 400, "voice_id is required"), ("voice_id=nobody", vapi(), 404, "nobody"),
    ("voice_id=1", vapi(type="status-update"), 400, "voice-request"),
    ("voice_id=1", vapi(sampleRate=11025), 400, "sampleRate"), ("voice_id=1", {}, 400, "message"),
    ("voice_id=1", {"message": "Hi."}, 400, "message must be an object")])
def test_vapi_is_told_what_is_wrong(native, query, body, status, words):
    got, answer = native.refused("/vapi/synthesize?" + query, body)
    assert got == answer["code"] == status and words in answer["error"]


# The end

def test_a_draining_server_finishes_what_it_speaks(start_server):
    server = start_server({"speech.test_hooks": "on"})
    with Door(server, Authorization="Bearer " + server.key) as door:
        answer = door.begin(GENERATE, {"text": MEDIUM, "voice_id": 1})
        assert answer.read(1000)
        server.terminate()
        server.wait_for_log("draining")
        assert len(answer.read()) > 24000 * 60
    assert server.wait_for_end() == 0
    assert server.ledger()[-1]["status"] == "finished"
