"""ElevenLabs' SDK, and its WebSockets with the package ws, as users run them (see clients.py)."""

import pytest
from clients import (CLOSED_NORMALLY, CODEC_S, CUT_S, ESPEAK, FLITE, LONG_ANSWER, NOTHING_TO_SAY,
                     SILENCE_S, TEXT, TONE, node_program, seconds)

# Every format that the SDK knows, and the rate of each.
FORMATS = ["mp3_22050_32", "mp3_24000_48", "mp3_44100_32", "mp3_44100_64", "mp3_44100_96",
           "mp3_44100_128", "mp3_44100_192", "opus_48000_32", "opus_48000_64", "opus_48000_96",
           "opus_48000_128", "opus_48000_192", "ulaw_8000", "alaw_8000",
           *(f"{form}_{rate}" for form in ("pcm", "wav")
             for rate in (8000, 16000, 22050, 24000, 32000, 44100, 48000))]
# Ids that quick starts and defaults of other programs use: Rachel, George, Sarah, and Will, who is
# LiveKit's default.
VENDOR_VOICES = ["21m00Tcm4TlvDq8ikWAM", "JBFqnCBsd6RMkjVDRZzb", "EXAVITQu4vr4xnSDxMaL",
                 "bIHbv24MWmeRgasZH58o"]


@pytest.fixture
def server(shared_server):
    return shared_server


@pytest.fixture
def elevenlabs(server, tmp_path):
    return node_program(server, tmp_path, "elevenlabs.mjs")


@pytest.fixture
def sockets(server, tmp_path):
    return node_program(server, tmp_path, "sockets.mjs")


def request(**more):
    return {"voice": FLITE, "text": TEXT, "outputFormat": "pcm_24000"} | more


# The SDK

def test_convert_in_every_format(elevenlabs, server):
    elevenlabs.run("convert", *(request(outputFormat=token) for token in FORMATS))
    for i, token in enumerate(FORMATS):
        form, rate, *_ = token.split("_")
        heard = elevenlabs.heard(form, int(rate), f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE), abs=CODEC_S), token


def test_every_engine_converts(elevenlabs, server):
    voices = [FLITE, ESPEAK, TONE]
    elevenlabs.run("convert", *(request(voice=voice) for voice in voices))
    for i, voice in enumerate(voices):
        heard = elevenlabs.heard("pcm", 24000, f"audio{i}")
        assert heard == pytest.approx(seconds(server, voice), abs=CODEC_S)


def test_stream(elevenlabs, server):
    settings = {"stability": 0.3, "similarityBoost": 0.5, "style": 0.2, "useSpeakerBoost": True,
                "speed": 1.0}
    every = request(
        voiceSettings=settings, languageCode="en", seed=7, previousText="Hi.", nextText="Bye.",
        previousRequestIds=["a"], nextRequestIds=["b"], usePvcAsIvc=True, enableLogging=False,
        optimizeStreamingLatency=3, applyTextNormalization="auto",
        applyLanguageTextNormalization=False)
    requests = [request(outputFormat="mp3_22050_32"), request(outputFormat="opus_48000_64"), every]
    for answer in elevenlabs.run("stream", *requests):
        assert answer["pieces"] > 1
    for i, (form, rate) in enumerate([("mp3", 22050), ("opus", 48000), ("pcm", 24000)]):
        heard = elevenlabs.heard(form, rate, f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE), abs=CODEC_S)


def check_characters(alignment, text, audio_s):
    """Of the text, each once and in its place."""
    assert "".join(alignment["characters"]) == text
    starts, ends = alignment["characterStartTimesSeconds"], alignment["characterEndTimesSeconds"]
    assert len(starts) == len(ends) == len(text)
    assert starts == sorted(starts) and all(a <= b for a, b in zip(starts, ends))
    assert 0 <= starts[0] and audio_s / 2 < ends[-1] <= audio_s + 0.001


@pytest.mark.parametrize("action", ["convertWithTimestamps", "streamWithTimestamps"])
def test_characters_have_times(elevenlabs, server, action):
    texts = [TEXT, "A café, naïve and \U0001f600 old. It cost €5. The end."]
    alignments = elevenlabs.run(action, *(request(text=text, outputFormat="mp3_44100_128")
                                          for text in texts))
    for i, text in enumerate(texts):
        heard = elevenlabs.heard("mp3", 44100, f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE, text), abs=CODEC_S)
        check_characters(alignments[i], text, seconds(server, FLITE, text))


def test_voices_are_the_same_in_all_lists(elevenlabs):
    answer = elevenlabs.run("voices", FLITE)
    ids = [voice["voiceId"] for voice in answer["voices"]]
    assert {FLITE, ESPEAK, TONE} <= set(ids)
    assert [voice["voiceId"] for voice in answer["found"]] == ids
    assert answer["one"] in answer["voices"] and answer["one"]["name"]


def test_user(elevenlabs):
    answer = elevenlabs.run("user")
    assert answer["user"]["subscription"]["tier"] == answer["subscription"]["tier"]
    assert answer["history"]["history"] == []


ALIAS = {"type": "alias", "stringToReplace": "SRX", "caseSensitive": True, "wordBoundaries": True,
         "alias": "the server that speaks while the model is still writing"}
LEXICON = """<?xml version="1.0" encoding="UTF-8"?>
<lexicon version="1.0" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon"
         alphabet="ipa" xml:lang="en-US">
  <lexeme>
    <grapheme>SRX</grapheme>
    <alias>the server that speaks while the model is still writing</alias>
  </lexeme>
</lexicon>
"""
ASKED = "This is SRX."
REPLACED = ASKED.replace("SRX", ALIAS["alias"])


def test_errors_are_its_own(elevenlabs):
    unknown, long, fast = elevenlabs.run(
        "refused", request(voice="no-such-voice"), request(text="a" * 50000),
        request(voiceSettings={"speed": 9}))
    assert unknown["statusCode"] == 404
    assert unknown["body"]["detail"]["status"] == "voice_not_found"
    assert long["statusCode"] in (400, 422)
    assert (fast["statusCode"], fast["name"]) == (422, "UnprocessableEntityError")


# Its sockets, by the package ws

def characters(messages):
    """What alignments say, with the blanks between sentences left out."""
    alignments = [m["alignment"] for m in messages if m.get("alignment")]
    for alignment in alignments:
        assert (len(alignment["chars"]) == len(alignment["charStartTimesMs"]) ==
                len(alignment["charDurationsMs"]))
    return "".join("".join(a["chars"]) for a in alignments).replace(" ", "")


@pytest.mark.parametrize("token, form, rate", [
    ("", "mp3", 44100), ("pcm_24000", "pcm", 24000), ("opus_48000_32", "opus", 48000),
    ("ulaw_8000", "ulaw", 8000)])
def test_stream_input(sockets, server, token, form, rate):
    answer = sockets.run("stream", FLITE, TEXT, token)
    *spoken, last = answer["messages"]
    assert answer["code"] == CLOSED_NORMALLY
    assert last["isFinal"] and not last["bytes"]
    assert not any(message["isFinal"] for message in spoken)
    assert characters(spoken) == TEXT.replace(" ", "")
    assert sockets.heard(form, rate) == pytest.approx(seconds(server, FLITE), abs=CUT_S)


def test_stream_input_with_a_single_use_token(elevenlabs, server, tmp_path_factory):
    token = elevenlabs.run("token")["token"]
    sockets = node_program(server, tmp_path_factory.mktemp("sockets"), "sockets.mjs")
    sockets.run("stream", FLITE, TEXT, "pcm_24000", token, key="none")
    heard = sockets.heard("pcm", 24000)
    assert heard == pytest.approx(seconds(server, FLITE), abs=CUT_S)


def test_multi_stream_input_speaks_in_two_contexts(sockets, server):
    answer = sockets.run("contexts", FLITE, TEXT, "pcm_24000")
    assert answer["code"] == CLOSED_NORMALLY
    for name in ("one", "two"):
        *spoken, last = answer[name]
        assert last["isFinal"] and not any(message["isFinal"] for message in spoken)
        assert characters(spoken) == TEXT.replace(" ", "")
        heard = sockets.heard("pcm", 24000, "audio." + name)
        assert heard == pytest.approx(seconds(server, FLITE), abs=CUT_S)


def test_multi_stream_input_survives_a_barge_in(sockets, server):
    answer = sockets.run("bargeIn", FLITE, TEXT, "pcm_24000")
    assert answer["code"] == CLOSED_NORMALLY
    assert sum(1 for message in answer["old"] if message["isFinal"]) == 1
    assert sum(1 for message in answer["new"] if message["isFinal"]) == 1
    heard = sockets.heard("pcm", 24000, "audio.new")
    assert heard == pytest.approx(seconds(server, FLITE), abs=CUT_S)
