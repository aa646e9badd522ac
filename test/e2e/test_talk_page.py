"""The microphone of the playground's Talk tab in a real browser (browser.py), whose microphone plays a file.

What a person does is in test/clients/browser/talk.mjs, a case each; here is what they must see.
The engine that listens is the example in Python, for which every burst of sound is the word "beep";
the agent is the echo of a server without configured agents, or one that greets at length.
"""

import array
import math
import re
import wave

import program
import pytest
from program import BUILD, SOURCE

RATE = 16000
GREETER = "[agent greeter]\nllm = echo\napi_key = secret1234567890abcdef\nfirst_message = "
GREETING = "This is a greeting that goes on and on, so that there is time to speak over it. " * 8

# Unlike the echo that a server has without a configuration, this one lets the caller begin.
ECHO = "[agent echo]\napi_key = sk_of_the_echo_agent_0123456789\nllm = echo\n"


def make_server(directory, config=None, can_listen=True):
    engines, models = directory / "engines", directory / "models"
    engines.mkdir()
    (models / "beeps").mkdir(parents=True)
    for name in ("syrinx-flite", "syrinx-hear", "syrinx-tone"):
        (engines / name).symlink_to(BUILD / name)
    if can_listen:
        (engines / "syrinx-hear-beeps").symlink_to(SOURCE / "examples/listener.py")
    return program.Server(directory, {"speech.engines_dir": engines, "models": models,
                                      "hearing.workers": 1, "server.hosts": "syrinx.test"},
                          config=config)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = make_server(tmp_path_factory.mktemp("talking"), config=ECHO)
    yield made
    made.stop()


@pytest.fixture
def make(tmp_path):
    """Makes a server of its own, which is stopped at the end of the test."""
    made = []

    def start(**options):
        directory = tmp_path / "server"
        directory.mkdir()
        made.append(make_server(directory, **options))
        return made[-1]

    yield start
    for server in made:
        server.stop()


def buzz(seconds):
    """Something like a voice, which a browser does not take for noise."""
    return [int((15000 + 10000 * math.sin(6.28 * 8 * i / RATE)) * ((i * 130 / RATE) % 1 - 0.5))
            for i in range(int(seconds * RATE))]


def write_sound(path, silence, bursts):
    """Silence, bursts of sound, and silence for longer than a test takes."""
    burst, gap = buzz(0.5), [0] * (RATE // 5)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(array.array("h", [0] * int(silence * RATE) + (burst + gap) * bursts
                                     + [0] * RATE * 120).tobytes())
    return path


@pytest.fixture
def browse(browser, tmp_path):
    def run(server, case, silence=1, bursts=2):
        sound = write_sound(tmp_path / "sound.wav", silence, bursts)
        return browser.run("talk.mjs", case, server, SOUND=str(sound))

    return run


def is_beeps(line):
    """How many they are depends on the browser, whose microphone has gaps on a busy machine."""
    return set(re.findall(r"\w+", line.lower())) == {"beep"}


def milliseconds(words):
    return [int(number) for number in re.findall(r"\d+", words)]


def test_a_spoken_sentence_is_shown_and_answered_aloud(server, browse):
    seen = browse(server, "talks")
    assert is_beeps(seen["partial"])
    assert seen["level"] > 0.01
    (asking, question), (answering, answer) = seen["turns"][:2]
    assert (asking, answering) == ("user", "agent")
    assert is_beeps(question) and question in answer
    words, sound, total = milliseconds(seen["took"])
    assert abs(words + sound - total) <= 1 and words > 0
    assert int(seen["figure"]) == total
    assert [name for name, _ in seen["stretches"]] == ["k-words", "k-sound"]
    assert seen["stretches"][0][1] > 0
    assert [state for state in seen["states"] if state] == [
        "Waiting for the microphone …", "Connecting …", "Listening", "Thinking …", "Speaking",
        "Ended"]
    assert seen["isReleased"]
    assert any(re.search(r"user_audio_chunk.*… \(1368 characters\).* and \d+ more$", line)
               for line in seen["messages"])  # 32 ms each
    assert any(line.startswith('← {"type":"vad_score"') for line in seen["messages"])
    assert "And in writing?" in seen["last"]


def test_words_that_were_not_heard_are_struck_through(make, browse):
    seen = browse(make(config=f"{GREETER}{GREETING}\n"), "interrupts", silence=4, bursts=4)
    name, heard, struck = seen["cut"]
    assert name == "agent cut"
    assert struck and (heard + struck).strip() == GREETING.strip()
    assert milliseconds(seen["silent"]) and milliseconds(seen["figure"])
    assert seen["mute"] == "true"
    # When the beeps were muted, and so where they are shown, depends on the browser.
    assert [turn for turn in seen["turns"] if turn[0] == "user" and not is_beeps(turn[1])] == [
        ["user", "Are you there?"], ["user", "Stop it."]]
    assert "Stop it." in seen["turns"][-1][1]
    assert any('{"type":"user_message","text":"Stop it."}' in line for line in seen["sent"])
    assert not seen["isLive"] and seen["state"] == "Ended"
    assert seen["unnamed"] == []


def test_without_a_microphone_one_can_type(server, browse):
    seen = browse(server, "is_denied")
    assert "does not let this page use the microphone" in seen["notice"]
    assert "press Talk again. You can also type." in seen["notice"]
    assert seen["state"] == "" and seen["canStart"] is None
    assert seen["turns"] == [["user", "Then I type."], ["agent", "You said: Then I type."]]


def test_a_page_without_tls_says_why_it_has_no_microphone(server, browse):
    assert "only for https" in browse(server, "has_no_tls")["notice"]


def test_a_server_that_cannot_listen_says_so(make, browse):
    seen = browse(make(can_listen=False), "is_told_what_is_missing")
    assert "syrinx models fetch" in seen["notice"]


def test_a_phone_shows_all_of_the_conversation(server, browse):
    seen = browse(server, "fits_a_phone_and_the_dark")
    assert seen["rate"] == RATE and is_beeps(seen["words"])
    assert seen["inSight"] == [True, True]
    assert seen["overflow"] <= 0
