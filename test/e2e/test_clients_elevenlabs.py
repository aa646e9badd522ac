"""ElevenLabs' SDK, and its WebSockets with the package ws, as users run them (see clients.py)."""

import pytest
from beeps import beeps, put_engines, wav
from clients import (CLOSED_NORMALLY, CODEC_S, CUT_S, ESPEAK, FLITE, LONG_ANSWER, NOTHING_TO_SAY,
                     SILENCE_S, TEXT, TONE, SharedNode, node_program, seconds)

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


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    with SharedNode(tmp_path_factory.mktemp("node"), "elevenlabs.mjs", "sockets.mjs") as node:
        yield node


@pytest.fixture
def elevenlabs(node, server, tmp_path):
    return node.program(server, tmp_path, "elevenlabs.mjs")


@pytest.fixture
def sockets(node, server, tmp_path):
    return node.program(server, tmp_path, "sockets.mjs")


def request(**more):
    return {"voice": FLITE, "text": TEXT, "outputFormat": "pcm_24000"} | more


# The SDK

def test_convert_in_every_format(elevenlabs, server):
    elevenlabs.run("convert", *(request(outputFormat=token) for token in FORMATS))
    for i, token in enumerate(FORMATS):
        form, rate, *_ = token.split("_")
        heard = elevenlabs.heard(form, int(rate), f"audio{i}")
        assert heard == pytest.approx(seconds(server, FLITE), abs=CODEC_S), token


def test_content_types_tell_the_two_laws_apart(elevenlabs):
    ulaw, alaw = elevenlabs.run("convert", request(outputFormat="ulaw_8000"),
                                request(outputFormat="alaw_8000"))
    assert ulaw["content-type"] == "audio/basic"  # which is µ-law by RFC 2046
    assert "alaw" in alaw["content-type"].lower() or "pcma" in alaw["content-type"].lower()


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


def test_ids_of_the_vendor_are_voices(elevenlabs):
    elevenlabs.run("convert", *(request(voice=voice) for voice in VENDOR_VOICES))
    for i, voice in enumerate(VENDOR_VOICES):
        assert elevenlabs.heard("pcm", 24000, f"audio{i}") > 1, voice


def test_headers_of_an_answer(elevenlabs):
    headers, = elevenlabs.run("convert", request())
    assert headers["request-id"] and int(headers["character-cost"]) == len(TEXT)


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


@pytest.mark.parametrize("action", ["convertWithTimestamps", "streamWithTimestamps"])
def test_markup_has_no_characters(elevenlabs, server, action):
    plain = "Good morning. All is well here."
    tagged = 'Good morning. <break time="1s"/> All is well here.'
    alignment, _ = elevenlabs.run(action, request(text=tagged), request(text=plain))
    assert "".join(alignment["characters"]).split() == plain.split()
    starts = alignment["characterStartTimesSeconds"]
    assert starts == sorted(starts)
    pause = elevenlabs.heard("pcm", 24000, "audio0") - elevenlabs.heard("pcm", 24000, "audio1")
    assert pause > 0.2


def test_audio_tags_are_not_read_aloud(elevenlabs):
    elevenlabs.run("convert", *(request(modelId="eleven_v3", text=text)
                                for text in ("[whispers] " + TEXT, TEXT)))
    tagged, plain = (elevenlabs.heard("pcm", 24000, f"audio{i}") for i in range(2))
    assert tagged == pytest.approx(plain, abs=0.2)


def test_text_with_nothing_to_say_is_a_short_silence(elevenlabs):
    for action in ("convert", "stream", "convertWithTimestamps", "streamWithTimestamps"):
        texts = NOTHING_TO_SAY if action == "convert" else NOTHING_TO_SAY[:1]
        elevenlabs.run(action, *(request(text=text) for text in texts),
                       request(text="...", outputFormat="mp3_44100_128"))
        for i, text in enumerate(texts):
            assert elevenlabs.silence("pcm", 24000, f"audio{i}") < SILENCE_S, text
        assert elevenlabs.silence("mp3", 44100, f"audio{len(texts)}") < SILENCE_S


def test_voices_are_the_same_in_all_lists(elevenlabs):
    answer = elevenlabs.run("voices", FLITE)
    ids = [voice["voiceId"] for voice in answer["voices"]]
    assert {FLITE, ESPEAK, TONE} <= set(ids)
    assert [voice["voiceId"] for voice in answer["found"]] == ids
    assert answer["one"] in answer["voices"] and answer["one"]["name"]


def test_search_filters_and_sorts(elevenlabs):
    chosen, cloned, premade, up, down = elevenlabs.run(
        "search", {"voiceIds": [FLITE, ESPEAK]}, {"category": "cloned"}, {"category": "premade"},
        {"sort": "name", "sortDirection": "asc"}, {"sort": "name", "sortDirection": "desc"})
    assert {voice["voiceId"] for voice in chosen} == {FLITE, ESPEAK}
    assert cloned == [] and len(premade) == 100
    names = [voice["name"].casefold() for voice in up]
    assert names == sorted(names)
    names = [voice["name"].casefold() for voice in down]
    assert names == sorted(names, reverse=True) and down[0] != up[0]


def test_settings_of_voices(elevenlabs):
    answer = elevenlabs.run("settings", FLITE)
    for settings in answer.values():
        assert 0 <= settings["stability"] <= 1 and 0 <= settings["similarityBoost"] <= 1
        assert settings["speed"] == 1


def test_models(elevenlabs):
    models = {model["modelId"]: model for model in elevenlabs.run("models")}
    assert models["eleven_flash_v2_5"]["canDoTextToSpeech"] and "eleven_v3" in models
    languages = {language["languageId"] for language in models["eleven_flash_v2_5"]["languages"]}
    assert {"en", "de"} <= languages


def test_user(elevenlabs):
    answer = elevenlabs.run("user")
    assert answer["user"]["subscription"]["tier"] == answer["subscription"]["tier"]
    assert answer["history"]["history"] == []


def test_usage(elevenlabs, server):
    seconds(server, FLITE)
    server.wait_for_ledger(1)
    answer = elevenlabs.run("usage")
    assert sum(answer["usage"]["All"]) > 0
    assert len(answer["time"]) == len(answer["usage"]["All"])


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


def test_a_dictionary_is_heard(elevenlabs, server):
    answer = elevenlabs.run("dictionary", [ALIAS], request(text=ASKED))
    made = answer["made"]
    assert made["id"] in [listed["id"] for listed in answer["listed"]]
    assert made["versionRulesNum"] == 1
    rule, = answer["one"]["rules"]
    assert (rule["stringToReplace"], rule["alias"]) == (ALIAS["stringToReplace"], ALIAS["alias"])
    assert answer["less"]["versionRulesNum"] == 0 and answer["more"]["versionRulesNum"] == 1
    with_it, without = (elevenlabs.heard("pcm", 24000, f"audio{i}") for i in range(2))
    assert with_it == pytest.approx(seconds(server, FLITE, REPLACED), abs=CODEC_S)
    assert without < with_it - 1


def test_a_dictionary_from_a_file_is_heard(elevenlabs, server):
    elevenlabs.run("dictionaryFile", [LEXICON], request(text=ASKED))
    heard = elevenlabs.heard("pcm", 24000, "audio0")
    assert heard == pytest.approx(seconds(server, FLITE, REPLACED), abs=CODEC_S)


def test_errors_have_the_vendors_format(elevenlabs):
    unknown, long, fast = elevenlabs.run(
        "refused", request(voice="no-such-voice"), request(text="a" * 50000),
        request(voiceSettings={"speed": 9}))
    assert unknown["statusCode"] == 404
    assert unknown["body"]["detail"]["status"] == "voice_not_found"
    assert long["statusCode"] == 400
    assert long["body"]["detail"]["status"] == "max_character_limit_exceeded"
    assert (fast["statusCode"], fast["name"]) == (422, "UnprocessableEntityError")


def test_a_wrong_key_is_refused_everywhere(elevenlabs):
    for name, error in elevenlabs.run("wrongKey", key="wrong").items():
        assert error, name
        assert (error["statusCode"], error["body"]["detail"]["status"]) == (401, "invalid_api_key")
        assert error["body"]["detail"]["message"]


def test_what_does_not_exist_is_refused_in_its_own_form(elevenlabs):
    for name, error in elevenlabs.run("refusedElsewhere").items():
        assert error and error["statusCode"] in (404, 405), (name, error)
        assert error["body"]["detail"]["status"] and error["body"]["detail"]["message"], name


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


def test_stream_input_with_the_default_voice(sockets):
    sockets.run("stream", VENDOR_VOICES[0], TEXT, "pcm_24000")
    assert sockets.heard("pcm", 24000) > 1


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


def test_a_context_that_was_never_flushed_stops_when_it_is_closed(server, start_server, tmp_path):
    """As Pipecat interrupts.  The server that speaks is little ahead of the listener, so that what
    was sent before the interruption is short, even on a busy machine."""
    pacing_server = start_server({"server.max_lead_ms": 1000})
    sockets = node_program(pacing_server, tmp_path, "sockets.mjs")
    answer = sockets.run("interrupt", FLITE, LONG_ANSWER, "pcm_24000")
    assert answer["code"] == CLOSED_NORMALLY
    assert sum(1 for message in answer["old"] if message["isFinal"]) == 1
    assert sockets.heard("pcm", 24000, "audio.old") < seconds(server, FLITE, LONG_ANSWER) / 2
    heard = sockets.heard("pcm", 24000, "audio.new")
    first = LONG_ANSWER[:LONG_ANSWER.index(".") + 1]
    assert heard == pytest.approx(seconds(server, FLITE, first), abs=CUT_S)


# Speech to text

@pytest.fixture
def listening(node, tmp_path, start_server):
    server = start_server({"speech.engines_dir": put_engines(tmp_path / "engines")})
    samples = beeps(1, 24000) + beeps(2, 24000)
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "recording.wav").write_bytes(wav(samples, 24000))
    (folder / "recording.pcm").write_bytes(samples.tobytes())
    return node.program(server, folder, "elevenlabs.mjs")


def test_transcript_of_a_file(listening):
    answer = listening.run("transcribe", {"languageCode": "eng"})
    assert answer["text"] == "beep beep beep" and answer["languageCode"] == "eng"
    assert [w["type"] for w in answer["words"]] == ["word", "spacing", "word", "spacing", "word"]


@pytest.mark.parametrize("strategy, texts", [("manual", ["beep beep beep"]),
                                             ("vad", ["beep", "beep beep"])])
def test_live_transcript(listening, strategy, texts):
    messages = listening.run("realtime", {
        "segments": len(texts), "commitStrategy": strategy, "audioFormat": "pcm_24000",
        "sampleRate": 24000, "vadSilenceThresholdSecs": 0.5, "includeTimestamps": True,
        "tokenType": "realtime_scribe"})
    assert messages[0]["message_type"] == "session_started"
    assert [m["text"] for m in messages if "words" in m] == texts


def test_the_life_of_a_speech_engine(elevenlabs, server):
    life = elevenlabs.run("engines")
    created, updated, copy = life["created"], life["updated"], life["copy"]
    assert life["id"].startswith("seng_") and created["name"] == "Life A"
    assert created["turn"]["turnTimeout"] == 5 and created["turn"]["turnEagerness"] == "eager"
    assert created["cascadeTimeoutSeconds"] == 4 and created["tags"] == ["one"]
    assert created["speechEngine"]["requestHeaders"] == {"X-A": "b"}
    assert updated["name"] == "Life B" and updated["language"] == "de"
    assert updated["tts"]["speed"] == 1.1 and updated["turn"] == created["turn"]
    assert life["got"] == updated
    assert copy["name"] == "Life C" and life["copyId"] != life["id"]
    assert copy["turn"] == created["turn"]
    first, second = life["pages"]
    assert [item["name"] for item in first["speechEngines"]] == ["Life B"] and first["hasMore"]
    assert [item["name"] for item in second["speechEngines"]] == ["Life C"]
    assert not second["hasMore"]
    where = f"ws://127.0.0.1:{server.port}/v1/convai/conversation?agent_id={life['id']}"
    assert life["signed"].startswith(where + "&conversation_signature=ks_")
    assert life["once"].startswith(where + "&conversation_signature=conv_")
    assert life["bad"]["statusCode"] == 422
    assert "cascade_timeout_seconds" in life["bad"]["body"]["detail"]["message"]
    assert life["gone"]["statusCode"] == 404 and life["left"] == 0
