"""Tags in the text, through the real engines: pauses, rates, spelling, and what is wrong of them."""

import pytest
from client import Client

TONE, FLITE, ESPEAK = 1, 1071, 2003
VOICES = [TONE, FLITE, ESPEAK]


@pytest.fixture
def connection(shared_server):
    with Client(shared_server) as client:
        yield client


def longest_silence(pcm):
    longest = run = 0
    for sample in pcm:
        run = run + 1 if sample == 0 else 0
        longest = max(longest, run)
    return longest


@pytest.mark.parametrize("voice", VOICES)
@pytest.mark.parametrize("rate", [8000, 22050, 24000])
def test_a_pause_is_silence_of_its_length(connection, voice, rate):
    connection.send(voice_id=voice, sample_rate=rate)
    turn = connection.speak('One <break time="500ms"/><break time="500ms"/> two.')
    assert len(turn.texts) == 1
    assert longest_silence(turn.pcm()) >= rate
    assert turn.samples > rate * 1.2


def test_every_sample_of_a_pause_is_there(connection):
    connection.send(voice_id=TONE)
    assert connection.speak("One two.").samples == 12960
    assert connection.speak('One <break time="400ms"/> two.').samples == 12960 + 9600
    assert connection.speak("<break/>").samples == 4800


@pytest.mark.parametrize("voice", VOICES)
def test_a_rate_counts_between_its_tags(connection, voice):
    connection.send(voice_id=voice)
    words = "several words that are said at one speed or another"
    plain = connection.speak(words).samples
    for name, speed in (("slow", 0.8), ("medium", 1.0), ("fast", 1.2)):
        turn = connection.speak(f'<prosody rate="{name}">{words}</prosody>')
        assert abs(turn.samples * speed / plain - 1) < 0.1, name


@pytest.mark.parametrize("voice", VOICES)
def test_words_lie_inside_the_chunk_whatever_stands_between_them(connection, voice):
    text = 'One <break/> two <prosody rate="fast">three <spell>ab1</spell></prosody> for €5.'
    connection.send(voice_id=voice, word_timestamps=True, language="en")
    turn = connection.speak(text)
    (words,) = turn.words
    times = [(word["start_ms"], word["end_ms"]) for word in words]
    assert times == sorted(times)
    assert all(0 <= start <= end <= 1000 * turn.samples / turn.rate for start, end in times)
    assert all(word["word"] == text[word["char_start"]:word["char_end"]] for word in words)
    said = [word["word"].rstrip(".") for word in words]
    assert said[:4] == ["One", "two", "three", "a"] and said[-1] == "€5"
    assert times[1][0] - times[0][1] >= 190  # the pause


def test_a_part_that_kills_its_worker_twice_fails_the_turn_and_not_the_connection(server):
    with Client(server) as client:
        client.send(voice_id=TONE, text="One <break/> [[crash]]", flush=True)
        turn = client.read_turn()
        assert [error["error_code"] for error in turn.errors] == ["INTERNAL_ERROR"]
        assert client.speak("Well again.").samples > 0


def test_prosody_that_is_wrong_is_told_and_the_connection_lives(connection):
    connection.send(voice_id=TONE, text='<prosody pitch="high">No.</prosody>', flush=True)
    turn = connection.read_turn()
    (error,) = turn.errors
    assert (error["error_code"], error["code"]) == ("VALIDATION_ERROR", 400)
    assert "no attribute but rate" in error["error"]
    assert connection.speak("Yes.").samples > 0
