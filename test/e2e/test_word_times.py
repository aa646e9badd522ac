"""Word timestamps over /ws/tts/stream: every word of every language, in order, inside its audio."""

import re

import pytest
from client import Client
from neural import wait_for_voices
from program import syrinx
from rest import Rest

# What engines join (of the), leave out, begin twice, or have no blanks between.
TEXTS = {
    "en": "The end of the road is near, and isn't it well-known? Most of it is in the room.",
    "de": "Der Zug fährt um acht Uhr ab, und ich habe in der Tat keine U-Bahn-Karte.",
    "fr": "L'homme qu'il a vu aujourd'hui, c'est l'ami de Jean-Pierre, n'est-ce pas ?",
    "es": "¿Dónde está la biblioteca? El niño come pan con aceite de oliva.",
    "it": "L'amico dell'uomo è andato all'università, perché c'era un'altra festa.",
    "nl": "Het is mooi weer, en het kind speelt in de tuin.",
    "pl": "W Szczebrzeszynie chrząszcz brzmi w trzcinie i z tego słynie.",
    "pt": "O rapaz deu-lhe um livro, e à noite foi-se embora com a mãe.",
    "ru": "В лесу родилась ёлочка, в лесу она росла с братом и к нам пришла.",
    "hi": "राम ने सीता को एक फूल दिया, और वह खुश हुई।",
    "ar": "ذهب الولد إلى المدرسة في الصباح، ثم عاد إلى البيت.",
    "ko": "안녕하세요, 오늘은 날씨가 좋습니다.",
    "hu": "A kisfiú az iskolába ment, és nem jött vissza.",
    "zh": "你好，世界。今天天气很好，我们去公园吧。",
    "ja": "こんにちは、世界。きょうはいいてんきです。",
    "th": "สวัสดีครับ วันนี้อากาศดีมาก",
}
WITHOUT_BLANKS = {"zh", "ja", "th"}


@pytest.fixture(scope="module")
def voices():
    """{language: id} of eSpeak NG's voices."""
    table = {}
    for line in syrinx("voices").stdout.decode().split("\n\n")[0].splitlines()[1:]:
        number, language = line.split()[:2]
        if int(number) >= 2001:
            table.setdefault(language, int(number))
    return table


@pytest.fixture(scope="module")
def connection(shared_server):
    with Client(shared_server) as client:
        yield client


def check_chunk(text, words, samples, rate):
    """One chunk's words: as they are written, in order, inside the audio."""
    end_char = end_ms = 0
    for word in words:
        assert word["word"] == text[word["char_start"]:word["char_end"]]
        assert end_char <= word["char_start"] < word["char_end"]
        assert end_ms - 1 <= word["start_ms"] < word["end_ms"] <= samples * 1000 / rate + 1
        end_char, end_ms = word["char_end"], word["end_ms"]


def count(words, start, end):
    """Words that touch the characters."""
    return sum(word["char_start"] < end and word["char_end"] > start for word in words)


def check(turn, language):
    assert not turn.errors
    assert len(turn.words) == len(turn.texts)
    for text, words, samples in zip(turn.texts, turn.words, turn.chunk_samples):
        check_chunk(text, words, samples, turn.rate)
        for run in re.finditer(r"\S*\w\S*", text):
            found = count(words, *run.span())
            assert found == 1 or found > 1 and language in WITHOUT_BLANKS, (run[0], words)


@pytest.mark.parametrize("language", TEXTS)
def test_every_word_has_one_time(voices, connection, language):
    check(connection.speak(TEXTS[language], voice_id=voices[language], language=language,
                           word_timestamps=True), language)


@pytest.mark.parametrize("settings", [{"speed": 0.8}, {"speed": 1.2}, {"sample_rate": 8000},
                                      {"output_format": "ulaw_8000"}, {"normalize": False}])
def test_every_word_has_one_time_with_any_settings(voices, shared_server, settings):
    for voice in (voices["en"], 1, 1071):
        with Client(shared_server) as client:
            check(client.speak(TEXTS["en"], voice_id=voice, language="en", word_timestamps=True,
                               **settings), "en")


def test_neural_voices_tell_every_word(start_server, spoken_voices):
    server = start_server({"speech.voices_dir": spoken_voices})
    with Client(wait_for_voices(server)) as client:
        check(client.speak(TEXTS["en"], voice_id=1081, language="en", word_timestamps=True), "en")


def test_texts_of_which_the_library_would_die_are_spoken(voices, connection):
    for language, text in {"te": "🅱ϖ", "gu": "aⓜ", "ky": "s'ss", "el": "α🅾🅷",
                           "en": "s'" * 200, "de": "un" * 200}.items():
        turn = connection.speak(text, voice_id=voices[language], language=None, normalize=False,
                                word_timestamps=True)
        assert not turn.errors, language
        assert turn.samples > 0


def word_of(turn, wanted):
    (words, ) = turn.words
    (found, ) = [word for word in words if word["word"] == wanted]
    return found["end_ms"] - found["start_ms"]


def test_phonemes_of_a_dictionary_are_spoken_as_one_word(voices, server):
    """By engines that read them; the others say the replacement, here a short one."""
    text, ipa = "We went to Qxz in the end.", "ˈmanaˌmanamaˈnamanaˌmanama"
    with Rest(server) as rest:
        status, made = rest.post("/dictionaries", {"name": "places"})
        assert status == 201
        status, _ = rest.post(f"/dictionaries/{made['id']}/entries",
                              {"word": "Qxz", "replacement": "a", "ipa": ipa})
        assert status == 201
    for voice, reads in ((voices["en"], True), (voices["es"], True), (1, True), (1071, False)):
        with Client(server) as client:
            turn = client.speak(text, voice_id=voice, word_timestamps=True)
            check(turn, "en")
            assert (word_of(turn, "Qxz") > 3 * word_of(turn, "to")) == reads
