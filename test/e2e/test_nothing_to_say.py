"""Text with nothing to say: every endpoint answers with a short silence, which costs nothing.

Programs that split an answer into pieces send such pieces (dots, dashes, an emoji), and take an
error for the failure of the whole answer.
"""

import base64
import http.client
import json

import pytest
from decode import decode
from program import WAIT_S

SILENCE_S = 0.1
FRAGMENTS = ["...", "…", "—", "-", "***", '"', "🎉", "👍🏽 🙂", "( )", "---", "!?", "*", "~~", "`"]


@pytest.fixture
def server(shared_server):
    return shared_server


def post(server, path, body, **headers):
    """(status, headers, bytes)"""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    connection.request("POST", path, json.dumps(body), {"X-API-Key": server.key} | headers)
    answer = connection.getresponse()
    got = (answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
    connection.close()
    return got


def is_silence(samples, rate, padding_s=0.0):
    """`padding_s` is what a codec puts around it."""
    return (SILENCE_S * rate <= len(samples) <= (SILENCE_S + padding_s) * rate
            and max(map(abs, samples)) <= 4)  # Opus' decoder dithers


def request(endpoint, text):
    """(path, body) that gives PCM16 at 24 kHz."""
    return {
        "openai": ("/v1/audio/speech", {"input": text, "voice": "1", "response_format": "pcm"}),
        "elevenlabs": ("/v1/text-to-speech/1?output_format=pcm_24000", {"text": text}),
        "elevenlabs stream": ("/11labs/v1/text-to-speech/1/stream?output_format=pcm_24000",
                              {"text": text}),
        "generate": ("/v1/tts/generate", {"text": text, "voice_id": 1}),
        "predict": ("/predict", {"text": text, "voice_id": 1}),
        "vapi": ("/vapi/synthesize?voice_id=1", {"message": {
            "type": "voice-request", "text": text, "sampleRate": 24000}}),
    }[endpoint]


@pytest.mark.parametrize("endpoint", ["openai", "elevenlabs", "elevenlabs stream", "generate",
                                      "predict", "vapi"])
def test_every_endpoint_answers_with_silence(server, endpoint):
    for text in FRAGMENTS:
        status, headers, audio = post(server, *request(endpoint, text))
        assert status == 200, (text, audio)
        assert headers["x-sample-rate"] == "24000"
        assert is_silence(decode("pcm", audio, 24000), 24000), text


@pytest.mark.parametrize("form,padding_s", [("mp3", 0.15), ("opus", 0), ("aac", 0.15), ("flac", 0),
                                            ("wav", 0)])
def test_silence_is_a_file_of_the_format_that_was_asked_for(server, form, padding_s):
    status, _, audio = post(server, "/v1/audio/speech", {
        "input": "...", "voice": "1", "response_format": form})
    assert status == 200
    assert is_silence(decode(form, audio, 24000), 24000, padding_s)


@pytest.mark.parametrize("form,zero", [("ulaw_8000", b"\xff"), ("alaw_8000", b"\xd5")])
def test_silence_of_telephones(server, form, zero):
    status, _, audio = post(server, "/v1/text-to-speech/1?output_format=" + form, {"text": "—"})
    assert (status, audio) == (200, zero * 800)


def test_silence_has_no_times_of_characters(server):
    path = "/v1/text-to-speech/1/with-timestamps?output_format=pcm_16000"
    status, _, answer = post(server, path, {"text": "..."})
    answer = json.loads(answer)
    assert status == 200 and answer["alignment"] is None
    assert is_silence(decode("pcm", base64.b64decode(answer["audio_base64"]), 16000), 16000)

    path = "/v1/text-to-speech/1/stream/with-timestamps?output_format=pcm_16000"
    status, _, answer = post(server, path, {"text": "..."})
    lines = [json.loads(line) for line in answer.splitlines()]
    assert status == 200 and all(line["alignment"] is None for line in lines)
    audio = b"".join(base64.b64decode(line["audio_base64"]) for line in lines)
    assert is_silence(decode("pcm", audio, 16000), 16000)


def test_silence_costs_nothing(server):
    before = len(server.ledger())
    assert post(server, *request("generate", "🎉"))[0] == 200
    rows = server.ledger()[before:]
    assert [(row["status"], row["samples"], row["amount_microcents"], row["characters"])
            for row in rows] == [("finished", 0, 0, 1)]


def test_only_a_text_with_nothing_at_all_to_say_is_silence(server):
    audio = decode("pcm", post(server, *request("generate", "... 🎉 Hello."))[2], 24000)
    assert max(map(abs, audio)) > 1000


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u00a0"])
def test_blanks_are_refused(server, text):
    assert post(server, *request("generate", text))[0] == 400
    assert post(server, *request("elevenlabs", text))[0] == 422
    assert post(server, *request("openai", text))[0] == 400
    assert post(server, *request("vapi", text))[0] == 400


def test_silence_still_needs_a_voice_and_a_key(server):
    path, body = request("generate", "...")
    assert post(server, path, body | {"voice_id": 999})[0] == 404
    assert post(server, path, body, **{"X-API-Key": "ka_wrong"})[0] == 401
