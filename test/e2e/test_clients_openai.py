"""OpenAI's SDK and the AI SDK of Vercel, as their users run them (see clients.py)."""

import pytest
from clients import (CODEC_S, FLITE, LONG_ANSWER, NOTHING_TO_SAY, SILENCE_S, TEXT, node_program,
                     seconds)

VOICES = ["alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx",
          "sage", "shimmer", "verse"]
TYPES = {"mp3": "audio/mpeg", "opus": "audio/ogg", "aac": "audio/aac", "flac": "audio/flac",
         "wav": "audio/wav", "pcm": "audio/pcm"}
# How much a stretched reading may differ from the exact length: its pauses are cut by the frame.
STRETCH = 0.15


@pytest.fixture
def server(shared_server):
    return shared_server


@pytest.fixture
def openai(server, tmp_path):
    return node_program(server, tmp_path, "node22/openai.mjs")


@pytest.fixture
def ai_sdk(server, tmp_path):
    return node_program(server, tmp_path, "node22/ai_sdk.mjs")


def request(**more):
    return {"voice": FLITE, "input": TEXT, "response_format": "pcm"} | more


# OpenAI's SDK

def test_speech_streams(openai, server):
    assert openai.run("stream", request(voice="alloy"))[0]["pieces"] > 1
    assert openai.heard("pcm", 24000, "audio0") > seconds(server, FLITE) / 2


def test_speech_can_be_aborted(openai, server):
    assert openai.run("abort", request(input=LONG_ANSWER))[0]["bytes"] > 0
    openai.run("speech", request())
    heard = openai.heard("pcm", 24000, "audio0")
    assert heard == pytest.approx(seconds(server, FLITE), abs=CODEC_S)


def test_what_cannot_be_had_is_passed_over(openai, server):
    requests = [request(instructions="Whisper."), request(model="tts-9"), request(model=None),
                request(colour="blue"), request(speed=None, instructions=None)]
    openai.run("speech", *requests)
    for i, asked in enumerate(requests):
        heard = openai.heard("pcm", 24000, f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE), abs=CODEC_S), asked


REFUSED = {"voice": request(voice="no such voice"), "input": request(input=""),
           "speed": request(speed=5), "response_format": request(response_format="amr")}


# The AI SDK

FORMATS = {"mp3": ("mp3", 44100), "mp3_32": ("mp3", 44100), "pcm_16000": ("pcm", 16000),
           "pcm": ("pcm", 44100), "opus_48000_64": ("opus", 48000), "ulaw": ("ulaw", 8000),
           "wav_24000": ("wav", 24000)}


def test_ai_sdk_elevenlabs_in_every_format(ai_sdk, server):
    asked = [{"text": TEXT, "voice": FLITE, "outputFormat": token} for token in FORMATS]
    for answer in ai_sdk.run("elevenlabs", *asked):
        assert "error" not in answer, answer
    for i, (form, rate) in enumerate(FORMATS.values()):
        heard = ai_sdk.heard(form, rate, f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE), abs=CODEC_S), form


@pytest.mark.parametrize("provider", ["openai", "elevenlabs"])
def test_ai_sdk_shows_a_wrong_key(ai_sdk, provider):
    answer, = ai_sdk.run(provider, {"text": TEXT, "voice": FLITE}, key="wrong")
    assert (answer["error"], answer["status"]) == ("AI_APICallError", 401)
