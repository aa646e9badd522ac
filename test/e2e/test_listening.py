"""Recordings and live audio become words, in the shapes of every vendor; what is heard is charged.

The engine is the example in Python (beeps.py); the recordings go through the real decoder.
"""

import array
import http.client
import json

import pytest
from beeps import BEEP_S, base64_of, beeps, form, put_engines, times, wav
from client import Client, Closed
from program import BUILD, WAIT_S, Server, syrinx, wait_until
from rest import Rest

pytestmark = pytest.mark.skipif(not (BUILD / "syrinx-decode").exists(),
                                reason="syrinx-decode was not built")
OPENAI, ELEVENLABS = "/v1/audio/transcriptions", "/v1/speech-to-text"
# The listener looks at steps of 10 ms, and a resampler rounds the edges.
TIME_S = 0.03


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("listening")
    server = Server(folder, {"speech.engines_dir": put_engines(folder / "engines")})
    wait_until(lambda: hear(server, wav(beeps(1)))[0] == 200, "it listens")
    yield server
    server.stop()


def ask(server, path, body, kind, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    try:
        connection.request("POST", path, body, {"Content-Type": kind}
                           | {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def hear(server, file, path=OPENAI, key=None, header="Authorization", **fields):
    """Status, headers and body of the answer to a form whose file comes first."""
    key = key or server.key
    value = f"Bearer {key}" if header == "Authorization" else key
    return ask(server, path, *form(file=file, **fields), **{header: value})


def heard(server, file, path=OPENAI, **options):
    status, _, body = hear(server, file, path, **options)
    assert status == 200, body
    return json.loads(body)


# Recordings

@pytest.mark.parametrize("rate, channels", [(8000, 1), (16000, 1), (22050, 2), (44100, 2), (48000, 1)])
def test_every_rate_is_heard_at_its_time(server, rate, channels):
    answer = heard(server, wav(beeps(3, rate), rate, channels), response_format="verbose_json",
                   **{"timestamp_granularities[]": ["word", "segment"]})
    assert answer["text"] == "beep beep beep" and len(answer["segments"]) == 1
    assert [w["start"] for w in answer["words"]] == pytest.approx(times(3), abs=TIME_S)
    assert [w["end"] - w["start"] for w in answer["words"]] == pytest.approx([BEEP_S] * 3,
                                                                            abs=TIME_S)
    assert answer["duration"] == pytest.approx(3.0, abs=0.01)


def test_both_vendors_read_one_answer(server):
    """OpenAI's library reads `text`, KugelAudio's the rest; words have times for the latter."""
    plain = heard(server, wav(beeps(2)), model="whisper-1")
    assert plain["text"] == plain["transcript"] == "beep beep"
    assert plain["usage"] == {"type": "duration", "seconds": plain["duration_s"]}
    assert plain["word_timestamps"] == [] and plain["model"] == "beeps"
    native = heard(server, wav(beeps(2)), header="X_API_Key", model="luchs-1", language="en")
    assert [w["word"] for w in native["word_timestamps"]] == ["beep", "beep"]
    assert native["language"] == "en" and native["processing_ms"] >= 0
    assert [w["start_s"] for w in native["word_timestamps"]] == pytest.approx(times(2), abs=TIME_S)


def test_elevenlabs_has_words_and_spaces(server):
    answer = heard(server, wav(beeps(2)), ELEVENLABS, header="xi_api_key", model_id="scribe_v2",
                   language_code="deu")
    assert answer["text"] == "beep beep" and answer["language_code"] == "deu"
    assert [w["type"] for w in answer["words"]] == ["word", "spacing", "word"]
    raw = heard(server, beeps(2).tobytes(), ELEVENLABS, header="xi_api_key", model_id="scribe_v2",
                file_format="pcm_s16le_16")
    assert raw["text"] == "beep beep"


def test_text_and_subtitles(server):
    file = wav(beeps(1) + beeps(2))
    status, headers, body = hear(server, file, response_format="text")
    assert (status, body) == (200, b"beep beep beep\n")
    assert headers["content-type"].startswith("text/plain")
    _, _, srt = hear(server, file, response_format="srt")
    assert srt.startswith(b"1\n00:00:00,5") and srt.count(b" --> ") == 2
    _, headers, vtt = hear(server, file, response_format="vtt")
    assert vtt.startswith(b"WEBVTT\n\n00:00:00.5")
    assert headers["content-type"].startswith("text/vtt")


def test_segments_are_streamed(server):
    status, headers, body = hear(server, wav(beeps(1) + beeps(2)), stream="true")
    events = [json.loads(line[6:]) for line in body.decode().split("\n\n") if line]
    assert status == 200 and headers["content-type"] == "text/event-stream"
    assert [event["type"] for event in events] == ["transcript.text.delta"] * 2 \
        + ["transcript.text.done"]
    assert "".join(event["delta"] for event in events[:-1]) == events[-1]["text"] == \
        "beep beep beep"


@pytest.mark.parametrize("kind", ["flac", "mp3", "opus"])
def test_every_kind_of_file_is_decoded(server, kind):
    """What the server speaks it also hears, in every format that it can write."""
    def speak(form):
        body = json.dumps({"input": "Hello there. And more.", "voice": "1", "response_format": form})
        status, _, audio = ask(server, "/v1/audio/speech", body, "application/json",
                               Authorization=f"Bearer {server.key}")
        assert status == 200
        return audio

    words = heard(server, speak("wav"))["text"]
    assert words.startswith("beep")
    assert heard(server, speak(kind))["text"] == words


def test_silence_is_no_words_and_is_charged(start_server, tmp_path):
    server = start_server({"speech.engines_dir": put_engines(tmp_path / "engines")})
    wait_until(lambda: hear(server, wav(array.array("h", bytes(32000))))[0] == 200, "it listens")
    assert heard(server, wav(array.array("h", bytes(64000))))["text"] == ""
    row = server.wait_for_ledger(2)[-1]
    assert (row["kind"], row["quantity"], row["unit"], row["sample_rate"]) \
        == ("hearing", 32000, "samples", 16000)
    assert row["amount_microcents"] == 20000  # 2 s at the default of 0.6 cents a minute
    done = syrinx("usage", "--data", server.data, "--by", "kind")
    assert b"HEARD S" in done.stdout and b"3.000" in done.stdout


def test_prices_are_those_of_the_model(start_server, tmp_path):
    server = start_server({"speech.engines_dir": put_engines(tmp_path / "engines")}, config="""
        [prices]
        heard_cents_per_minute = 6
        [price beeps]
        model = beeps
        heard_cents_per_minute = 60
        """)
    wait_until(lambda: hear(server, wav(array.array("h", bytes(32000))))[0] == 200, "it listens")
    assert server.wait_for_ledger(1)[0]["amount_microcents"] == 1_000_000


def test_key_has_a_limit_of_audio_per_minute(server):
    key = server.new_key("--heard-seconds-per-minute", "5")
    assert hear(server, wav(beeps(1, after=6)), key=key)[0] == 200  # it began within the limit
    status, headers, body = hear(server, wav(beeps(1)), key=key)
    assert status == 429 and b"5 seconds of audio per minute" in body
    assert int(headers["retry-after"]) >= 1


def test_account_without_credit_is_refused(server):
    with Rest(server) as rest:
        rest.must(201, rest.post("/admin/accounts", {"name": "Poor", "prepaid": True}))
    key = server.new_key("--account", "Poor")
    assert hear(server, wav(beeps(1)), key=key, header="X_API_Key")[0] == 402


# Errors

@pytest.mark.parametrize("file, part", [(b"no sound at all", b"unknown format"), (b"", b"")])
def test_files_that_are_none(server, file, part):
    status, _, body = hear(server, file, header="X_API_Key")
    assert status == 400 and part in body
    assert hear(server, wav(beeps(1)))[0] == 200


def test_fields_that_make_no_sense(server):
    for fields, param in (({"response_format": "mp3"}, "response_format"),
                          ({"timestamp_granularities[]": "letter"}, "timestamp_granularities"),
                          ({"stream": "perhaps"}, "stream")):
        status, _, body = hear(server, wav(beeps(1)), **fields)
        assert (status, json.loads(body)["error"]["param"]) == (400, param)
    status, _, body = hear(server, wav(beeps(1)), model="whisper-huge")
    assert (status, json.loads(body)["error"]["code"]) == (404, "model_not_found")


def test_file_that_is_too_large(server):
    status, _, body = hear(server, bytes((25 << 20) + 1), header="X_API_Key")
    assert status == 413 and json.loads(body)["error"] == "File too large (max 25 MB)"


def test_server_without_models_says_what_to_fetch(start_server, tmp_path):
    engines = put_engines(tmp_path / "engines", listens=False)
    server = start_server({"speech.engines_dir": engines})
    status, _, body = hear(server, wav(beeps(1)), header="X_API_Key")
    answer = json.loads(body)
    assert (status, answer["error_code"]) == (503, "MODEL_UNAVAILABLE")
    assert "syrinx-hear" in answer["error"]


# Live audio

class Scribe(Client):
    path = ELEVENLABS + "/realtime"

    def audio(self, samples, commit=False, rate=16000):
        self.send(message_type="input_audio_chunk", audio_base_64=base64_of(samples),
                  commit=commit, sample_rate=rate)

    def until(self, kind):
        while True:
            frame = self.receive()
            if frame["message_type"] == kind:
                return frame
            assert "error" not in frame, frame


def test_live_words_come_with_their_times(server):
    with Scribe(server, query="include_timestamps=true") as scribe:
        assert scribe.receive()["message_type"] == "session_started"
        samples = beeps(2)
        for at in range(0, len(samples), 1600):
            scribe.audio(samples[at:at + 1600])
        scribe.audio(array.array("h"), commit=True)
        assert scribe.until("committed_transcript")["text"] == "beep beep"
        words = scribe.receive()["words"]
        assert [w["start"] for w in words if w["type"] == "word"] == pytest.approx(times(2), abs=TIME_S)


@pytest.mark.parametrize("rate", [8000, 22050, 24000, 44100, 48000])
def test_live_audio_of_every_rate(server, rate):
    with Scribe(server, query=f"commit_strategy=vad&audio_format=pcm_{rate}"
                              "&vad_silence_threshold_secs=0.5") as scribe:
        scribe.audio(beeps(2, rate), rate=rate)
        assert scribe.until("committed_transcript")["text"] == "beep beep"


def test_a_client_that_hurries_is_heard_to_the_end(server):
    """Ten minutes at once are taken as fast as they are heard, and no word is lost."""
    with Scribe(server, query="commit_strategy=vad&vad_silence_threshold_secs=0.5") as scribe:
        message = beeps(20, after=2)
        for _ in range(50):
            scribe.audio(message)
        scribe.audio(array.array("h"), commit=True)
        words = 0
        while words < 1000:
            words += len(scribe.until("committed_transcript")["text"].split())
        assert words == 1000


def test_wrong_token_is_refused_and_a_token_is_used_once(server):
    with Rest(server) as rest:
        token = rest.must(200, rest.post("/single-use-token/realtime_scribe"))["token"]
    with Scribe(server, query="token=" + token, key=None) as scribe:
        assert scribe.receive()["message_type"] == "session_started"
    with Scribe(server, query="token=" + token, key=None) as scribe:
        assert scribe.receive()["message_type"] == "auth_error"
        with pytest.raises(Closed) as closed:
            scribe.receive()
        assert closed.value.code == 1008


def test_live_errors_close_the_connection(server):
    with Scribe(server, query="audio_format=mp3") as scribe:
        assert scribe.receive()["message_type"] == "invalid_request"
        with pytest.raises(Closed) as closed:
            scribe.receive()
        assert closed.value.code == 1008
