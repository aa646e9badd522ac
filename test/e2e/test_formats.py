"""Formats of audio: every rate and encoding carries the same seconds of the same speech."""

import array

import pytest
from client import Client, is_speech, loudness
from decode import decode_alaw, decode_mulaw

RATES = [8000, 16000, 22050, 24000, 44100]
TEXT = "The same words in every format, so that their length can be compared. Twice."


@pytest.fixture
def server(shared_server):
    return shared_server


def correlate(a, b):
    """1 when two signals are the same but for loudness."""
    n = min(len(a), len(b))
    dot = sum(x * y for x, y in zip(a[:n], b[:n]))
    return dot / (sum(x * x for x in a[:n]) * sum(y * y for y in b[:n])) ** 0.5


@pytest.mark.parametrize("voice", [1, 1071, 2003])
@pytest.mark.parametrize("rate", RATES)
def test_every_rate_has_the_length_of_the_default(client, rate, voice):
    default = client.speak(TEXT, voice_id=voice)
    turn = client.speak(TEXT, sample_rate=rate)
    assert turn.rate == rate and default.rate == 24000
    seconds = default.samples / 24000
    tolerance = 0.02 if voice == 2003 else 0.001  # eSpeak NG's samples differ from call to call
    assert abs(turn.samples / rate - seconds) < tolerance
    assert is_speech(turn.pcm())
    assert abs(loudness(turn.pcm())[1] / loudness(default.pcm())[1] - 1) < 0.2


@pytest.mark.parametrize("rate", RATES[:4])  # there is no token for 44100
def test_output_format_names_the_rate(client, rate):
    turn = client.speak(TEXT, voice_id=1, output_format=f"pcm_{rate}")
    assert (turn.rate, turn.encoding) == (rate, "pcm_s16le")


@pytest.mark.parametrize("name,encoding,decode", [("ulaw_8000", "mulaw", decode_mulaw),
                                                  ("alaw_8000", "alaw", decode_alaw)])
@pytest.mark.parametrize("voice", [1, 1071])
def test_g711_is_the_speech_at_8_khz_in_frames_of_20_ms(client, voice, name, encoding, decode):
    plain = client.speak(TEXT, voice_id=voice, output_format="pcm_8000")
    turn = client.speak(TEXT, output_format=name)
    assert (turn.rate, turn.encoding) == (8000, encoding)
    assert turn.samples == plain.samples == len(turn.audio)
    decoded = array.array("h", map(decode, turn.audio))
    assert correlate(decoded, plain.pcm()) > 0.99
    for (chunk, samples), (next_chunk, _) in zip(turn.frame_samples, turn.frame_samples[1:]):
        assert samples % 160 == 0 or chunk != next_chunk, turn.frame_samples


def test_first_frame_is_short_and_frames_grow(client):
    turn = client.speak(TEXT, voice_id=1071)
    sizes = [samples / turn.rate for _, samples in turn.frame_samples]
    assert 0.02 <= sizes[0] <= 0.04
    assert max(sizes) <= 0.2001
    assert max(sizes) > 0.1


@pytest.mark.parametrize("speed", [0.8, 1.2])
@pytest.mark.parametrize("voice", [1, 1071, 2003])
def test_speed_changes_the_length(client, voice, speed):
    normal = client.speak(TEXT, voice_id=voice)
    turn = client.speak(TEXT, speed=speed)
    assert abs(turn.samples * speed / normal.samples - 1) < 0.06
    assert is_speech(turn.pcm())


@pytest.mark.parametrize("voice", [1, 1071, 2003])
def test_word_timestamps_cover_the_words_within_the_audio(client, voice):
    turn = client.speak(TEXT, voice_id=voice, word_timestamps=True)
    assert len(turn.words) == len(turn.texts) == 2
    for text, words, samples in zip(turn.texts, turn.words, turn.chunk_samples):
        assert [w["word"] for w in words] == [text[w["char_start"]:w["char_end"]] for w in words]
        starts = [w["start_ms"] for w in words]
        assert starts == sorted(starts)
        assert all(0 <= w["start_ms"] <= w["end_ms"] <= samples / 24 + 1 for w in words)
    assert len(turn.words[0]) == 13


def test_format_changes_between_turns_on_one_connection(server):
    with Client(server) as client:
        rates = [client.speak("Short.", voice_id=1, output_format=f).rate
                 for f in ("pcm_8000", "ulaw_8000", "pcm_22050", "pcm_24000", "pcm_16000")]
    assert rates == [8000, 8000, 22050, 24000, 16000]
    assert [row["sample_rate"] for row in server.ledger()][-5:] == rates
