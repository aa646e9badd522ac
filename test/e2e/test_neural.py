"""Neural voices as their listeners hear them: speech, its words, its seams, its levels."""

import array
import functools
import json

import pytest
from client import Client, is_speech
from neural import (HAS_REAL_MODEL, IDS, LONG, REPEATABLE, SHORT, active_level, chunks_of,
                    find_clicks, silence_around, wait_for_voices)
from program import Server
from rest import Rest

TEXT = f"{SHORT} {LONG} Is that not beautiful?"

# Frames of 256 samples after which a window ends: each has twice as many, up to 128.
SEAMS = (24, 72, 168, 296, 424, 552)


@pytest.fixture(scope="module")
def server(tmp_path_factory, spoken_voices):
    server = Server(tmp_path_factory.mktemp("neural"),
                    REPEATABLE | {"speech.voices_dir": spoken_voices})
    yield wait_for_voices(server)
    server.stop()


@pytest.fixture
def client(server):
    with Client(server) as connection:
        yield connection


@pytest.fixture(scope="module")
def heard(server):
    """What a voice says of two sentences; spoken once, for it is always the same."""
    @functools.cache
    def speak(voice):
        with Client(server) as connection:
            return connection.speak(f"{SHORT} {LONG}", voice_id=voice)

    return speak


needs_real_model = pytest.mark.skipif(
    not HAS_REAL_MODEL, reason="built with a sanitizer: the tiny voice speaks, which says nothing")


# Speech

@needs_real_model
def test_sentence_is_as_long_and_as_loud_as_speech(client):
    turn = client.speak(SHORT, voice_id=1071)
    assert turn.rate == 24000 and turn.texts == [SHORT]
    assert 1.2 < turn.samples / turn.rate < 4
    assert is_speech(turn.pcm())
    assert -30 < active_level(turn.pcm(), turn.rate) < -14


@pytest.mark.parametrize("voice", IDS)
def test_every_voice_of_the_model_speaks(heard, voice):
    assert not heard(voice).errors and is_speech(heard(voice).pcm())


def test_same_words_are_spoken_by_voices_of_their_own(client):
    assert len({client.speak(SHORT, voice_id=voice).audio for voice in (1071, 1072, 1081)}) == 3


def test_word_times_cover_the_words_in_order_and_within_the_audio(client):
    turn = client.speak(TEXT, voice_id=1071, word_timestamps=True)
    assert len(turn.words) == len(turn.texts) == 3
    for text, words, samples in zip(turn.texts, turn.words, turn.chunk_samples):
        assert [w["word"] for w in words] == [w.strip(".,?") for w in text.split()]
        assert [text[w["char_start"]:w["char_end"]] for w in words] == [w["word"] for w in words]
        times = [t for w in words for t in (w["start_ms"], w["end_ms"])]
        assert times == sorted(times) and times[0] >= 0 and times[-1] <= samples / 24 + 1
        assert all(w["start_ms"] < w["end_ms"] for w in words)


# Settings

def test_same_request_gives_the_same_samples(client):
    turns = [client.speak(TEXT, voice_id=1071) for _ in range(2)]
    assert turns[0].audio == turns[1].audio


@pytest.mark.parametrize("voice, text", [(1071, LONG), (1086, SHORT)], ids=["long", "short"])
def test_speed_changes_the_length(client, voice, text):
    """By about as much as was asked for: the rest is rounding to frames of 12 ms."""
    lengths = {speed: client.speak(text, voice_id=voice, speed=speed).samples
               for speed in (0.8, 0.9, 1, 1.1, 1.2)}
    assert sorted(lengths.values(), reverse=True) == list(lengths.values())
    for speed, samples in lengths.items():
        assert abs(samples * speed / lengths[1] - 1) < 0.08


def test_wide_speeds_change_the_length(server):
    """Beyond 0.8 to 1.2 the server stretches what the voice says."""
    def samples(speed):
        body = {"input": SHORT, "voice": "1071", "response_format": "pcm", "speed": speed}
        with Rest(server) as rest:
            audio = rest.must(200, rest.raw("POST", "/audio/speech", json.dumps(body).encode(),
                                            {"Content-Type": "application/json"}))
        return array.array("h", audio)

    plain = samples(1)
    for speed in (0.25, 0.5, 2, 4):
        stretched = samples(speed)
        assert len(stretched) * speed / len(plain) == pytest.approx(1, abs=0.08), speed
        assert is_speech(stretched), speed


def test_temperature_changes_the_melody_and_cfg_scale_nothing(client):
    def speak(**settings):
        return client.speak(SHORT, voice_id=1071, **settings).audio

    calm, usual, lively = (speak(temperature=t) for t in (0, 0.4, 1))
    assert len({calm, usual, lively}) == 3
    assert {speak(temperature=0.4, cfg_scale=c) for c in (1.2, 2.5)} == {usual}


# Readings

@pytest.fixture(scope="module")
def varied_server(tmp_path_factory, spoken_voices):
    """With the settings that a server has by itself."""
    server = Server(tmp_path_factory.mktemp("varied"), {"speech.voices_dir": spoken_voices})
    yield wait_for_voices(server)
    server.stop()


@pytest.fixture
def reading(varied_server):
    with Client(varied_server) as connection:
        yield lambda **settings: connection.speak(SHORT, voice_id=1071, **settings).audio


@pytest.mark.parametrize("settings", [{}, {"temperature": 0.1}, {"temperature": 1}],
                         ids=["by default", "a little", "most"])
def test_readings_differ_from_turn_to_turn(reading, settings):
    assert len({reading(**settings) for _ in range(3)}) == 3


def test_readings_are_the_same_at_temperature_0(reading):
    assert len({reading(temperature=0) for _ in range(3)}) == 1


def test_readings_are_the_same_with_a_seed(reading):
    first = reading(seed=7)
    assert reading(seed=8) != first
    assert reading(seed=7) == first


def test_readings_of_a_repeatable_server_are_the_same(client, varied_server):
    """The sentence twice: in one turn it may differ, from turn to turn it does not."""
    turns = [client.speak(f"{SHORT} {SHORT}", voice_id=1071, auto_mode=True) for _ in range(2)]
    assert turns[0].audio == turns[1].audio and len(turns[0].texts) == 2
    with Client(varied_server) as other:
        assert other.speak(SHORT, voice_id=1071, temperature=0).audio == client.speak(
            SHORT, voice_id=1071, temperature=0).audio


@pytest.mark.parametrize("path, body", [
    ("/tts/generate", {"voice_id": 1071}),
    ("/text-to-speech/1071?output_format=pcm_24000", {"voice_settings": {"stability": 1}}),
], ids=["native", "ElevenLabs"])
def test_rest_requests_have_readings_of_their_own(varied_server, path, body):
    def generate(**more):
        with Rest(varied_server) as rest:
            return rest.must(200, rest.raw("POST", path,
                                           json.dumps(body | {"text": SHORT} | more).encode(),
                                           {"Content-Type": "application/json"}))

    assert generate() != generate()
    assert generate(seed=0) == generate(seed=0) != generate(seed=1)


def test_samples_of_a_voice_are_the_same(varied_server):
    def sample(rest):
        rest.must(200, rest.post("/voices/1071/generate-sample"))
        return rest.must(200, rest.raw("GET", "/voices/1071/sample"))

    with Rest(varied_server) as rest:
        assert sample(rest) == sample(rest)


# Seams and edges

@needs_real_model
@pytest.mark.parametrize("voice", [1071, 1072])
def test_no_click_at_the_seams_of_windows(client, voice):
    """At the model's own rate, where no filter rounds off a step."""
    pcm = client.speak(LONG, voice_id=voice, output_format="pcm_22050").pcm()
    assert find_clicks(pcm) == []
    assert len(find_clicks(with_steps(pcm, [256 * frames for frames in SEAMS]))) >= 2


def with_steps(pcm, places):
    """What a seam sounds like whose sides do not meet: up and down by 3 % of full scale.  Where
    speech is loud and sharp itself nobody hears it, and the measure does not see it."""
    places = [*places, len(pcm)]
    for start, end in zip(places[::2], places[1::2]):
        for i in range(start, end):
            pcm[i] = min(32767, pcm[i] + 1000)
    return pcm


@needs_real_model
def test_chunks_begin_and_end_softly(client):
    turn = client.speak(f"{SHORT} {SHORT} {LONG}", voice_id=1071, auto_mode=True)
    chunks = chunks_of(turn)
    assert len(chunks) == 3
    for before, after in zip(chunks, chunks[1:]):
        assert abs(after[0] - before[-1]) < 400


@needs_real_model
@pytest.mark.parametrize("voice", IDS)
def test_little_silence_before_and_after_what_is_said(heard, voice):
    for chunk in chunks_of(heard(voice)):
        lead, tail = silence_around(chunk, heard(voice).rate)
        assert lead <= 120 and tail <= 120


@needs_real_model
def test_voices_are_equally_loud(heard):
    levels = {voice: active_level(heard(voice).pcm(), heard(voice).rate) for voice in IDS}
    assert max(levels.values()) - min(levels.values()) <= 3, levels


# Texts that are none

@pytest.mark.parametrize("text", ["?!", "...", "—", "😀", "   ", "\u200b", "( )", "\n\n"])
def test_text_without_a_word_ends_without_sound(client, text):
    turn = client.speak(text, voice_id=1071)
    assert not turn.errors and turn.samples == 0


@pytest.mark.parametrize("text", ["😀 Hello.", "日本語 says hello.", "a", "Hm.", "1234567890",
                                  "Hello\u0000 there", "e\u0301" + 200 * "\u0301",
                                  "[[crash]] <b>&amp;</b> [[t@st]]"])
def test_strange_text_is_spoken(client, text):
    turn = client.speak(text, voice_id=1071)
    assert not turn.errors and turn.samples > 0
