"""OpenAI's SDK and the AI SDK of Vercel, as their users run them (see clients.py)."""

import pytest
from beeps import beeps, put_engines, wav
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

def test_speech_in_every_format(openai, server):
    answers = openai.run("speech", *(request(response_format=form) for form in TYPES))
    assert [answer["type"] for answer in answers] == list(TYPES.values())
    for i, form in enumerate(TYPES):
        heard = openai.heard(form, 24000, f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE), abs=CODEC_S), form


def test_speech_streams(openai, server):
    assert openai.run("stream", request(voice="alloy"))[0]["pieces"] > 1
    assert openai.heard("pcm", 24000, "audio0") > seconds(server, FLITE) / 2


def test_speech_can_be_aborted(openai, server):
    assert openai.run("abort", request(input=LONG_ANSWER))[0]["bytes"] > 0
    openai.run("speech", request())
    heard = openai.heard("pcm", 24000, "audio0")
    assert heard == pytest.approx(seconds(server, FLITE), abs=CODEC_S)


def test_server_sent_events(openai, server):
    answer, nothing = openai.run("sse", request(), request(input="..."))
    assert answer["type"].startswith("text/event-stream")
    *deltas, done = [event["type"] for event in answer["events"]]
    assert set(deltas) == {"speech.audio.delta"} and done == "speech.audio.done"
    usage = answer["events"][-1]["usage"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
    heard = openai.heard("pcm", 24000, "audio0")
    assert heard == pytest.approx(seconds(server, FLITE), abs=CODEC_S)
    assert nothing["events"][-1]["type"] == "speech.audio.done"
    assert openai.silence("pcm", 24000, "audio1") < SILENCE_S


def test_voices_by_every_name(openai):
    named = [*VOICES, "Alloy", "ALLOY", "sally", "Sally", 1071, {"id": FLITE}]
    requests = [request(voice=voice, input="Hello.") for voice in named]
    requests.append({"input": "Hello.", "response_format": "pcm"})
    openai.run("speech", *requests)
    for i in range(len(requests)):
        assert openai.heard("pcm", 24000, f"audio{i}") > 0.2, requests[i]


def test_speeds_are_real(openai, server):
    speeds = [0.25, 0.5, 1, 1.5, 4]
    openai.run("speech", *(request(speed=speed) for speed in speeds))
    for i, speed in enumerate(speeds):
        heard = openai.heard("pcm", 24000, f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE) / speed, rel=STRETCH), speed


def test_unsupported_options_are_ignored(openai, server):
    requests = [request(instructions="Whisper."), request(model="tts-9"), request(model=None),
                request(colour="blue"), request(speed=None, instructions=None)]
    openai.run("speech", *requests)
    for i, asked in enumerate(requests):
        heard = openai.heard("pcm", 24000, f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE), abs=CODEC_S), asked


def test_text_with_nothing_to_say_is_a_short_silence(openai):
    openai.run("speech", *(request(input=text) for text in NOTHING_TO_SAY),
               request(input="...", response_format="mp3"))
    for i, text in enumerate(NOTHING_TO_SAY):
        assert openai.silence("pcm", 24000, f"audio{i}") < SILENCE_S, text
    assert openai.silence("mp3", 24000, f"audio{len(NOTHING_TO_SAY)}") < SILENCE_S


REFUSED = {"voice": request(voice="no such voice"), "input": request(input=""),
           "speed": request(speed=5), "response_format": request(response_format="amr")}


def test_errors_have_the_vendors_format(openai):
    errors = openai.run("refused", *REFUSED.values(), request(input="a" * 4097),
                        request(input="   "))
    for param, error in zip([*REFUSED, "input", "input"], errors):
        assert (error["status"], error["name"]) == (400, "BadRequestError"), error
        assert (error["type"], error["param"]) == ("invalid_request_error", param), error


def test_a_wrong_key_is_refused_everywhere(openai):
    error, = openai.run("refused", request(), key="wrong")
    assert (error["status"], error["name"]) == (401, "AuthenticationError"), error
    elsewhere = openai.run("refusedElsewhere", key="wrong")
    assert elsewhere["list"]["name"] == "AuthenticationError", elsewhere


def test_models(openai):
    answer = openai.run("models")
    assert {"tts-1", "tts-1-hd", "gpt-4o-mini-tts"} <= set(answer["ids"])
    assert (answer["one"]["id"], answer["one"]["object"]) == ("tts-1", "model")


def test_what_does_not_exist_is_refused_in_its_own_form(openai):
    elsewhere = openai.run("refusedElsewhere")
    assert elsewhere["list"] is None
    for name in ("retrieve", "translations", "chat", "responses", "withoutV1"):
        error = elsewhere[name]
        assert (error["status"], error["name"]) == (404, "NotFoundError"), error
        assert error["type"] == "invalid_request_error" and error["code"], error


# Transcripts

@pytest.fixture
def listening(tmp_path, start_server):
    engines = put_engines(tmp_path / "engines")
    server = start_server({"speech.engines_dir": engines})
    program = node_program(server, tmp_path, "node22/openai.mjs")
    (tmp_path / "recording.wav").write_bytes(wav(beeps(1) + beeps(2)))
    return program


def test_transcripts_in_every_format(listening):
    plain, verbose, text, srt, vtt, events = listening.run(
        "transcribe", {"model": "gpt-4o-transcribe"},
        {"response_format": "verbose_json", "timestamp_granularities": ["word", "segment"]},
        {"response_format": "text"}, {"response_format": "srt"}, {"response_format": "vtt"},
        {"model": "gpt-4o-mini-transcribe", "stream": True})
    assert plain["text"] == verbose["text"] == "beep beep beep"
    assert len(verbose["words"]) == 3 and len(verbose["segments"]) == 2
    assert text == "beep beep beep\n"
    assert srt.count("-->") == 2 and vtt.startswith("WEBVTT")
    assert [event["type"] for event in events] == ["transcript.text.delta"] * 2 \
        + ["transcript.text.done"]
    assert "".join(event["delta"] for event in events[:-1]) == events[-1]["text"]


def test_transcripts_that_are_refused(listening):
    for error, status in zip(listening.run("refusedTranscripts", {}, {"model": "no-such-model"},
                                           {"response_format": "mp3"}), (400, 404, 400)):
        assert error["status"] == status and error["message"], error


# The AI SDK

def test_ai_sdk_openai_in_every_format(ai_sdk, server):
    asked = [{"text": TEXT, "voice": FLITE, "outputFormat": form} for form in TYPES]
    for answer in ai_sdk.run("openai", *asked):
        assert "error" not in answer, answer
    for i, form in enumerate(TYPES):
        heard = ai_sdk.heard(form, 24000, f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE), abs=CODEC_S), form


def test_ai_sdk_openai_options(ai_sdk):
    answers = ai_sdk.run("openai", {"text": TEXT}, {"text": TEXT, "speed": 2},
                         {"text": TEXT, "instructions": "Whisper.", "language": "en"},
                         {"text": TEXT, "voice": "no such voice"}, {"text": "..."})
    errors = [answer.get("error") for answer in answers]
    assert errors == [None, None, None, "AI_APICallError", None]
    plain = ai_sdk.heard("mp3", 24000, "audio0")
    assert ai_sdk.heard("mp3", 24000, "audio1") == pytest.approx(plain / 2, rel=STRETCH)
    assert ai_sdk.heard("mp3", 24000, "audio2") == pytest.approx(plain, abs=CODEC_S)
    assert answers[2]["warnings"] == ["language"] and answers[3]["status"] == 400
    assert ai_sdk.silence("mp3", 24000, "audio4") < SILENCE_S


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


def test_ai_sdk_elevenlabs_options(ai_sdk):
    settings = {"stability": 0.5, "similarityBoost": 0.7, "style": 0.1, "useSpeakerBoost": True}
    every = {"voiceSettings": settings, "languageCode": "en", "seed": 1, "previousText": "Hi.",
             "nextText": "Bye.", "previousRequestIds": ["a"], "nextRequestIds": ["b"],
             "applyTextNormalization": "on", "applyLanguageTextNormalization": False,
             "enableLogging": False}
    answers = ai_sdk.run(
        "elevenlabs", {"text": TEXT}, {"text": TEXT, "voice": FLITE, "speed": 0.8},
        {"text": TEXT, "voice": FLITE, "providerOptions": {"elevenlabs": every}},
        {"text": TEXT, "voice": "no-such-voice"}, {"text": "...", "voice": FLITE})
    errors = [answer.get("error") for answer in answers]
    assert errors == [None, None, None, "AI_APICallError", None]
    assert ai_sdk.heard("mp3", 44100, "audio0") > 1  # its default voice
    plain = ai_sdk.heard("mp3", 44100, "audio2")
    assert ai_sdk.heard("mp3", 44100, "audio1") == pytest.approx(plain / 0.8, rel=STRETCH)
    assert answers[3]["status"] == 404
    assert ai_sdk.silence("mp3", 44100, "audio4") < SILENCE_S


@pytest.mark.parametrize("provider", ["openai", "elevenlabs"])
def test_ai_sdk_shows_a_wrong_key(ai_sdk, provider):
    answer, = ai_sdk.run(provider, {"text": TEXT, "voice": FLITE}, key="wrong")
    assert (answer["error"], answer["status"]) == ("AI_APICallError", 401)
