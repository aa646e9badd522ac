"""Every language that clients can name has a voice, and it speaks its own script."""

import pytest
from client import Client, is_speech
from program import syrinx

TEXTS = {
    "de": "Guten Morgen, wie geht es dir?", "en": "Good morning, how are you?",
    "fr": "Bonjour, comment ça va ?", "es": "¡Buenos días! ¿Cómo estás?",
    "it": "Buongiorno, come stai?", "pt": "Bom dia, como está?", "nl": "Goedemorgen, hoe gaat het?",
    "pl": "Dzień dobry, jak się masz?", "sv": "God morgon, hur mår du?",
    "da": "Godmorgen, hvordan går det?", "no": "God morgen, hvordan går det?",
    "fi": "Hyvää huomenta, mitä kuuluu?", "cs": "Dobré ráno, jak se máš?",
    "hu": "Jó reggelt, hogy vagy?", "ro": "Bună dimineața, ce mai faci?",
    "el": "Καλημέρα, τι κάνεις;", "uk": "Доброго ранку, як справи?",
    "bg": "Добро утро, как си?", "tr": "Günaydın, nasılsın?",
    "vi": "Chào buổi sáng, bạn khỏe không?", "ar": "صباح الخير، كيف حالك؟",
    "hi": "सुप्रभात, आप कैसे हैं?", "zh": "早上好，你好吗？", "ja": "おはようございます。",
    "ko": "좋은 아침입니다. 어떻게 지내세요?", "sk": "Dobré ráno, ako sa máš?",
    "sl": "Dobro jutro, kako si?", "hr": "Dobro jutro, kako si?", "sr": "Добро јутро, како си?",
    "ru": "Доброе утро, как дела?", "he": "בוקר טוב, מה שלומך?",
    "fa": "صبح بخیر، حال شما چطور است؟", "ur": "صبح بخیر، آپ کیسے ہیں؟",
    "bn": "সুপ্রভাত, আপনি কেমন আছেন?", "ta": "காலை வணக்கம், எப்படி இருக்கிறீர்கள்?",
    "yue": "早晨，你好嗎？", "th": "สวัสดีตอนเช้า", "id": "Selamat pagi, apa kabar?",
    "ms": "Selamat pagi, apa khabar?",
}


def rows(done):
    """The lines of the table, which a blank line ends."""
    return done.stdout.decode().split("\n\n")[0].splitlines()[1:]


@pytest.fixture(scope="module")
def voices():
    """{language: [ids]} as the command lists them."""
    done = syrinx("voices")
    assert done.returncode == 0, done.stderr
    table = {}
    for line in rows(done):
        number, language = line.split()[:2]
        table.setdefault(language, []).append(int(number))
    return table


@pytest.fixture(scope="module")
def connection(shared_server):
    with Client(shared_server) as client:
        yield client


def test_voices_of_the_documentation_are_listed(voices):
    assert len(TEXTS) == 39
    assert {1071, 1072} <= set(voices["en"])
    assert set(TEXTS) <= set(voices)


@pytest.mark.parametrize("language", TEXTS)
def test_voice_speaks_its_own_script(voices, connection, language):
    for voice in (min(voices[language], key=lambda number: (number < 2001, number)), ):
        turn = connection.speak(TEXTS[language], voice_id=voice, language=language)
        assert not turn.errors
        assert turn.samples > 0.4 * 24000, "too short to be these words"
        assert is_speech(turn.pcm())


@pytest.mark.parametrize("language", ["de-DE", "en-GB", "zh-CN", "pt-BR"])
def test_region_of_a_language_is_taken_as_the_language(connection, language):
    assert connection.speak("Test.", voice_id=2003, language=language).samples > 0


def test_voices_can_be_filtered_by_language(voices):
    lines = rows(syrinx("voices", "--language", "de"))
    assert [int(line.split()[0]) for line in lines] == voices["de"]
