"""Clients that cannot be installed here, as they are on the wire: the programs in Python that the
documentation shows, KugelAudio's SDKs, and the requests of programs that speak to OpenAI or
ElevenLabs (see clients.py for the others).

What the requests look like is from the sources of those programs.
"""

import json
import re

import pytest
from client import is_speech
from clients import (CLOSED_NORMALLY, CODEC_S, CUT_S, FLITE, LONG_ANSWER, NOTHING_TO_SAY, SILENCE_S,
                     TEXT, node_program, python_program, seconds)
from decode import decode
from rest import Rest


@pytest.fixture
def server(shared_server):
    return shared_server


# The documents' examples in Python

@pytest.fixture
def python(server, tmp_path):
    return lambda script: python_program(server, tmp_path, script)


def test_python_tts(python, server):
    client = python("tts.py")
    answer = client.run(FLITE, TEXT)
    assert client.heard("pcm", 24000) == pytest.approx(seconds(server, FLITE), abs=CODEC_S)
    assert answer["final"]["dur_ms"] == pytest.approx(seconds(server, FLITE) * 1000, abs=1)
    assert [word["word"] for word in answer["words"]] == re.findall(r"\w+", TEXT)


def test_python_tts_stream(python, server):
    client = python("tts_stream.py")
    answer = client.run(FLITE, TEXT)
    heard = client.heard("pcm", 24000)
    assert heard == pytest.approx(seconds(server, FLITE), abs=CUT_S)
    final, closed = answer["last"]
    assert final["final"] and closed["session_closed"]
    assert closed["total_audio_seconds"] == pytest.approx(heard, abs=0.001)
    assert answer["code"] == CLOSED_NORMALLY


def test_python_tts_multi(python, server):
    client = python("tts_multi.py")
    answer = client.run(FLITE, TEXT)
    for name in ("one", "two"):
        heard = client.heard("pcm", 24000, "audio." + name)
        assert heard == pytest.approx(seconds(server, FLITE), abs=CUT_S)
        assert answer["closed"][name]["usage"]["characters"] >= len(TEXT)
    assert answer["code"] == CLOSED_NORMALLY


def test_python_stream_input_with_the_key_in_the_first_message(python, server):
    client = python("stream_input.py")
    answer = client.run(FLITE, TEXT, "mp3_44100_128")
    assert client.heard("mp3", 44100) == pytest.approx(seconds(server, FLITE), abs=CUT_S)
    assert answer["is_final"] and answer["code"] == CLOSED_NORMALLY
    characters = "".join("".join(alignment["chars"]) for alignment in answer["alignments"])
    assert characters.replace(" ", "") == TEXT.replace(" ", "")


# KugelAudio's SDKs

@pytest.fixture
def kugelaudio(server, tmp_path):
    return node_program(server, tmp_path, "kugelaudio.mjs")


def test_kugelaudio_pooled_requests_are_answered_in_order(kugelaudio, server):
    texts = [TEXT, "Hello.", TEXT]
    answer = kugelaudio.run("pooled", FLITE, *texts)
    for i, (text, final) in enumerate(zip(texts, answer["finals"])):
        heard = kugelaudio.heard("pcm", 24000, f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE, text), abs=CODEC_S)
        assert final["dur_ms"] == pytest.approx(heard * 1000, abs=1)
        assert final["usage"]["audio_seconds"] == pytest.approx(heard, abs=0.001)


def test_kugelaudio_streaming_session(kugelaudio, server):
    answer = kugelaudio.run("session", FLITE, TEXT, LONG_ANSWER)
    expected = seconds(server, FLITE)
    for i, (form, rate, length) in enumerate([("pcm", 24000, expected), ("pcm", 24000, expected),
                                              ("ulaw", 8000, expected / 0.8)]):
        heard = kugelaudio.heard(form, rate, f"audio{i}")
        assert heard == pytest.approx(length, abs=CUT_S)
        assert answer["closed"][i]["total_audio_seconds"] == pytest.approx(heard, abs=0.001)
        assert answer["closed"][i]["usage"]["audio_seconds"] == pytest.approx(heard, abs=0.001)
    assert answer["settings"]["speed"] == 0.8


def test_kugelaudio_multi(kugelaudio, server):
    answer = kugelaudio.run("multi", FLITE, TEXT, LONG_ANSWER)
    for i in range(3):
        heard = kugelaudio.heard("pcm", 24000, f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE), abs=CUT_S)
    assert {name: usage["characters"] >= len(TEXT) for name, usage in answer["ended"].items()} == {
        "a": True, "b": True}
    assert answer["code"] == CLOSED_NORMALLY


def test_kugelaudio_plugin_for_livekit(kugelaudio, server):
    answer = kugelaudio.run("livekit", FLITE, TEXT, TEXT)
    for i in range(2):
        heard = kugelaudio.heard("pcm", 24000, f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE), abs=CUT_S)
        assert answer["ended"][i]["usage"]["audio_seconds"] == pytest.approx(heard, abs=0.001)
    assert answer["code"] == CLOSED_NORMALLY


def test_kugelaudio_session_in_python(python, server):
    client = python("kugelaudio.py")
    usage = client.run(FLITE, TEXT, LONG_ANSWER)
    for i in range(2):
        heard = client.heard("pcm", 24000, f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE), abs=CUT_S)
        assert usage[i]["audio_seconds"] == pytest.approx(heard, abs=0.001)


# Chat front-ends and others

BEARER = {"Authorization": "Bearer KEY"}
XI = {"xi-api-key": "KEY", "Accept": "audio/mpeg"}
OPENAI = "/v1/audio/speech"
ELEVENLABS = f"/v1/text-to-speech/{FLITE}"
SETTINGS = {"similarity_boost": 0.5, "stability": 0.5}

# Program: path, headers, body with TEXT as its text, what comes back.
REQUESTS = {
    "Open WebUI, engine OpenAI": (
        OPENAI, BEARER | {"X-OpenWebUI-User-Name": "Ann", "X-OpenWebUI-User-Role": "user"},
        {"input": TEXT, "voice": FLITE, "model": "tts-1"}, ("mp3", 24000)),
    "Open WebUI, engine ElevenLabs": (
        ELEVENLABS, XI, {"text": TEXT, "model_id": "eleven_multilingual_v2",
                         "voice_settings": SETTINGS}, ("mp3", 44100)),
    "SillyTavern, OpenAI Compatible": (
        OPENAI, BEARER, {"input": TEXT, "response_format": "mp3", "voice": FLITE, "speed": 1,
                         "model": "tts-1"}, ("mp3", 24000)),
    "LibreChat, openai": (
        OPENAI, BEARER, {"input": TEXT, "model": "tts-1", "voice": FLITE, "backend": "piper"},
        ("mp3", 24000)),
    "LibreChat, localai": (
        OPENAI, BEARER, {"input": TEXT, "model": "en-us-amy-low.onnx", "backend": "llama"},
        ("mp3", 24000)),
    "LibreChat, elevenlabs": (
        ELEVENLABS + "/stream", XI, {"model_id": "eleven_turbo_v2", "text": TEXT,
                                     "voice_settings": SETTINGS | {"style": 0.1,
                                                                   "use_speaker_boost": True}},
        ("mp3", 44100)),
    "AnythingLLM, generic OpenAI": (
        OPENAI, BEARER | {"Accept": "application/octet-stream", "X-Stainless-Lang": "js"},
        {"model": "tts-1", "voice": "alloy", "input": TEXT}, ("mp3", 24000)),
    "Home Assistant, openai_tts": (
        OPENAI, BEARER, {"model": "tts-1", "input": TEXT, "voice": "shimmer",
                         "response_format": "wav", "speed": 1.0}, ("wav", 24000)),
    "Home Assistant, openai_tts, MP3": (
        OPENAI, BEARER, {"model": "gpt-4o-mini-tts", "input": TEXT, "voice": "shimmer",
                         "response_format": "mp3", "speed": 1.25, "instructions": "Calm."},
        ("mp3", 24000)),
}


def send(server, path, headers, body):
    """The audio that is answered."""
    headers = {name: value.replace("KEY", server.key) for name, value in headers.items()}
    headers["Content-Type"] = "application/json"
    with Rest(server, root="") as rest:
        rest.key = None
        return rest.must(200, rest.raw("POST", path, json.dumps(body).encode(), headers))


@pytest.mark.parametrize("name", REQUESTS)
def test_requests_of_other_programs(server, name):
    path, headers, body, (form, rate) = REQUESTS[name]
    pcm = decode(form, send(server, path, headers, body), rate)
    assert is_speech(pcm) and len(pcm) / rate > seconds(server, FLITE) / 2


@pytest.mark.parametrize("text", NOTHING_TO_SAY)
@pytest.mark.parametrize("name", ["Open WebUI, engine OpenAI", "Open WebUI, engine ElevenLabs"])
def test_pieces_of_answers_with_nothing_to_say(server, name, text):
    path, headers, body, (form, rate) = REQUESTS[name]
    body = {key: text if value == TEXT else value for key, value in body.items()}
    pcm = decode(form, send(server, path, headers, body), rate)
    assert not is_speech(pcm) and 0 < len(pcm) / rate < SILENCE_S


def test_open_webui_lists_voices_and_models_without_a_key(server):
    status, voices = server.get("/v1/audio/voices")
    assert status == 200
    names = {voice["id"]: voice["name"] for voice in voices["voices"]}
    assert "alloy" in names and FLITE in names
    status, models = server.get("/v1/audio/models")
    assert status == 200 and "tts-1" in [model["id"] for model in models["models"]]
    for voice in list(names)[:3]:
        body = {"input": "Hello.", "voice": voice, "model": "tts-1", "response_format": "pcm"}
        assert is_speech(decode("pcm", send(server, OPENAI, BEARER, body), 24000)), voice


def test_open_webui_lists_voices_and_models_of_elevenlabs(server):
    status, answer = server.get("/v1/voices", {"xi-api-key": server.key})
    assert status == 200 and FLITE in [voice["voice_id"] for voice in answer["voices"]]
    status, models = server.get("/v1/models", {"xi-api-key": server.key})
    assert status == 200 and all(model["name"] and model["model_id"] for model in models)
