"""LiveKit's plug-ins for ElevenLabs and OpenAI, without a room (see clients.py)."""

import pytest
from clients import (CODEC_S, CUT_S, ESPEAK, FLITE, LONG_ANSWER, NOTHING_TO_SAY, TEXT, TONE,
                     node_program, seconds)

GERMAN = "Guten Morgen, wie geht es Ihnen?"


@pytest.fixture
def server(shared_server):
    return shared_server


@pytest.fixture
def livekit(server, tmp_path):
    return node_program(server, tmp_path, "livekit/livekit.mjs")


def check_all_heard(livekit, answer, expected_s, count=1, tolerance_s=CUT_S):
    assert answer["errors"] == []
    for i in range(count):
        heard = livekit.heard("pcm", answer["sampleRate"], f"audio{i}")
        assert heard == pytest.approx(expected_s, abs=tolerance_s)


def test_stream(livekit, server):
    answer = livekit.run("stream", {"voiceId": FLITE}, TEXT)
    check_all_heard(livekit, answer, seconds(server, FLITE))
    said = "".join(word for word, _, _ in answer["words"][0])
    assert said.replace(" ", "") == TEXT.replace(" ", "")


def test_times_of_a_transcript_increase(livekit, server):
    answer = livekit.run("stream", {"voiceId": FLITE}, TEXT)
    times = [time for _, start, end in answer["words"][0] for time in (start, end)]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(livekit.heard("pcm", answer["sampleRate"], "audio0"), abs=1)


def test_tags_are_no_words_of_a_transcript(livekit):
    text = 'Good morning. <break time="500ms"/> All is well here.'
    answer = livekit.run("stream", {"voiceId": FLITE, "enableSsmlParsing": True}, text)
    words = "".join(word for word, _, _ in answer["words"][0])
    assert words.split() == "Good morning. All is well here.".split()


OPTIONS = [
    *({"encoding": f"pcm_{rate}"} for rate in (8000, 16000, 22050, 24000, 44100, 48000)),
    {"autoMode": True}, {"autoMode": False, "byWords": True},
    {"chunkLengthSchedule": [50, 80, 120]}, {"syncAlignment": False},
    {"voiceSettings": {"stability": 0.5, "similarity_boost": 0.7, "speed": 1.0}},
    {"pronunciationDictionaryLocators": []}, {"applyTextNormalization": "on"}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options(livekit, server, options):
    answer = livekit.run("stream", {"voiceId": FLITE} | options, TEXT)
    check_all_heard(livekit, answer, seconds(server, FLITE))


def test_language(livekit):
    answer = livekit.run("stream", {"voiceId": "2001", "language": "de-DE"}, GERMAN)
    assert answer["errors"] == []
    assert livekit.heard("pcm", answer["sampleRate"], "audio0") > 1


def test_utterances_follow_each_other_on_one_socket(livekit, server):
    answer = livekit.run("stream", {"voiceId": FLITE}, *[TEXT] * 8)
    check_all_heard(livekit, answer, seconds(server, FLITE), 8)


def test_utterances_are_spoken_at_once(livekit, server):
    answer = livekit.run("parallel", {"voiceId": FLITE}, *[TEXT] * 5)
    check_all_heard(livekit, answer, seconds(server, FLITE), 5)


def test_a_flush_in_the_middle(livekit, server):
    answer = livekit.run("flush", {"voiceId": FLITE}, TEXT)
    check_all_heard(livekit, answer, seconds(server, FLITE))


def test_another_voice(livekit, server):
    answer = livekit.run("update", {"voiceId": FLITE}, TEXT, ESPEAK)
    assert answer["errors"] == []
    for i, voice in enumerate([FLITE, ESPEAK]):
        heard = livekit.heard("pcm", answer["sampleRate"], f"audio{i}")
        assert heard == pytest.approx(seconds(server, voice), abs=CUT_S)


def test_text_with_nothing_to_say_does_not_stop_the_next(livekit, server):
    answer = livekit.run("stream", {"voiceId": FLITE}, " ", *NOTHING_TO_SAY, TEXT)
    assert answer["errors"] == []
    heard = livekit.heard("pcm", answer["sampleRate"], f"audio{len(NOTHING_TO_SAY) + 1}")
    assert heard == pytest.approx(seconds(server, FLITE), abs=CUT_S)


@pytest.mark.parametrize("times", [1, 6])
def test_it_is_complete_after_interruptions(livekit, server, times):
    answer = livekit.run("bargeIn", {"voiceId": FLITE}, *[LONG_ANSWER] * times, TEXT)
    assert answer["errors"] == []
    heard = livekit.heard("pcm", answer["sampleRate"], f"audio{times}")
    assert heard == pytest.approx(seconds(server, FLITE), abs=CUT_S)


def test_the_default_voice(livekit):
    answer = livekit.run("stream", {}, TEXT)
    assert answer["errors"] == []
    assert livekit.heard("pcm", answer["sampleRate"], "audio0") > 1


def test_a_wrong_key_is_an_error(livekit):
    answer = livekit.run("stream", {"voiceId": FLITE}, TEXT, key="wrong")
    assert answer["errors"] and not (livekit.folder / "audio0").read_bytes()


def test_synthesize(livekit, server):
    answer = livekit.run("synthesize", {"voiceId": FLITE}, TEXT)
    check_all_heard(livekit, answer, seconds(server, FLITE), tolerance_s=CODEC_S)


def test_voices_are_listed(livekit):
    answer = livekit.run("voices")
    assert {FLITE, ESPEAK, TONE} <= {voice["id"] for voice in answer["voices"]}


def test_the_plugin_for_openai(livekit, server):
    answer = livekit.run("openai", {"voice": FLITE}, TEXT)
    check_all_heard(livekit, answer, seconds(server, FLITE), tolerance_s=CODEC_S)
