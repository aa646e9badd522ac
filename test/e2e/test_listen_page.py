"""The playground's Listen tab in a real browser (browser.py), with a microphone that plays a file, and a
developer's page with ElevenLabs' client.

What a person does is in test/clients/browser/listen.mjs, a case each, and what the developer's page does in
scribe.mjs; here is what they must see.
The engine is the example in Python, for which every burst of sound is the word "beep".
"""

import array
import math
import re
import wave

import program
import pytest
from program import BUILD, SOURCE

RATE = 16000
NO_MODELS = ("This server cannot transcribe speech: no models are installed; "
             "`syrinx models fetch` downloads them.")
# Has its model only when that is in the folder of models.
WAITS = '''
import os
if not os.path.exists(os.environ["SYRINX_MODELS"] + "/beeps"):
    Worker.greet = lambda self, *_: self.send(READY, 0, struct.pack("<HHI", 1, 16, LISTENS) + string(""))

if __name__ == '''


class Machine:
    """Where the server runs: its engines, and its models."""

    def __init__(self, directory):
        self.engines, self.models = directory / "engines", directory / "models"
        self.engines.mkdir()
        self.models.mkdir()
        self.settings = {"speech.engines_dir": self.engines, "models": self.models,
                         "hearing.workers": 1}
        for name in ("syrinx-tone", "syrinx-decode"):
            (self.engines / name).symlink_to(BUILD / name)
        listener = self.engines / "syrinx-hear-beeps"
        text = (SOURCE / "examples/listener.py").read_text()
        listener.write_text(text.replace("\nif __name__ == ", WAITS, 1))
        listener.chmod(0o755)

    def fetch(self):
        (self.models / "beeps").mkdir()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    directory = tmp_path_factory.mktemp("listening")
    machine = Machine(directory)
    machine.fetch()
    made = program.Server(directory, machine.settings | {"server.hosts": "syrinx.test"})
    yield made
    made.stop()


def buzz(seconds):
    """Something like a voice, which a browser does not take for noise."""
    return [int((15000 + 10000 * math.sin(6.28 * 8 * i / RATE)) * ((i * 130 / RATE) % 1 - 0.5))
            for i in range(int(seconds * RATE))]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Two bursts, a pause, and bursts for longer than a test listens."""
    path = tmp_path_factory.mktemp("sound") / "beeps.wav"
    burst, gap, pause = buzz(0.5), [0] * (RATE // 5), [0] * RATE
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(array.array("h", pause + burst + gap + burst + pause
                                     + (burst + gap) * 40).tobytes())
    return path


@pytest.fixture
def browse(browser, sound):
    return lambda server, case, answer=None, **extra: browser.run(
        "listen.mjs", case, server, answer, SOUND=str(sound), **extra)


@pytest.fixture
def developers_page(browser, sound):
    """Returns the events that a page receives: their names, and what came with them."""
    return lambda server, case: [
        (name, data) for name, data in browser.run("scribe.mjs", case, server,
                                                   SOUND=str(sound))["events"]]


def is_beeps(line):
    """How many they are depends on the browser, whose microphone has gaps on a busy machine."""
    return set(line.split()) == {"beep"}


def test_words_appear_while_they_are_said(server, browse):
    seen = browse(server, "hears_the_microphone")
    assert seen["models"] == ["Automatic", "Beeps"]
    status, model = server.get("/v1/models/beeps")
    assert status == 200 and model["task"] == "automatic-speech-recognition" and model["partials"]
    assert seen["partial"].startswith("beep")
    assert 0.01 < seen["level"] <= 1
    assert seen["spans"] >= 1
    assert int(seen["figure"]) > 400  # the pause is part of it
    assert len(seen["lines"]) >= 2  # the last is what Stop has cut off
    assert all(is_beeps(line) for line in seen["lines"])
    assert " ".join(word for word, _ in seen["times"]) == seen["lines"][0]
    assert seen["outputs"]["srt"].startswith("1\n00:00:0")
    assert seen["query"]["model_id"] == "beeps"
    assert seen["query"]["vad_silence_threshold_secs"] == "0.5"
    assert any("session_started" in line for line in seen["messages"])
    assert any(re.search(r"… \(2732 characters\).* and \d+ more$", line)
               for line in seen["messages"])
    assert seen["isReleased"]


def test_a_transcript_comes_as_text_subtitles_and_json(server, browse):
    seen = browse(server, "transcribes_files")
    assert seen["lines"] == ["Good morning.", "Tea & <milk>?"]
    outputs = seen["outputs"]
    assert outputs["text"] == "Good morning.\nTea & <milk>?\n"
    assert outputs["srt"] == ("1\n00:00:00,500 --> 00:00:01,400\nGood morning.\n\n"
                              "2\n00:00:08,000 --> 00:00:09,000\nTea & <milk>?\n\n")
    assert outputs["vtt"] == ("WEBVTT\n\n00:00:00.500 --> 00:00:01.400\nGood morning.\n\n"
                              "00:00:08.000 --> 00:00:09.000\nTea &amp; &lt;milk&gt;?\n\n")
    assert seen["name"] == "talk.json" and seen["downloaded"] == outputs["json"]
    assert seen["language"] == "English"
    assert seen["cues"] == [["One two three four five six.", 0, 2.9], ["Seven", 3, 3.4],
                            ["eight nine ten", 11, 12.9]]
    assert seen["direction"] == "rtl" and seen["dropped"] == ["שלום, עולם."]
    assert seen["notice"] == "The file is not audio that can be decoded."
    assert seen["state"] == ""
    assert "26 MB" in seen["long"]


def test_what_is_missing_is_said_in_the_servers_words(tmp_path, start_server, browse):
    machine = Machine(tmp_path)
    server = start_server(machine.settings)
    seen = browse(server, "says_why_it_cannot_listen", lambda _: machine.fetch(),
                  READER=server.new_key("--scopes", "read"))
    assert seen["hint"] == NO_MODELS
    assert seen["without"] == NO_MODELS
    assert "scope “speak”" in seen["refused"]
    assert seen["state"] == "" and not seen["canStop"]


def test_a_microphone_that_is_not_allowed_is_told(server, browse):
    seen = browse(server, "says_that_the_microphone_is_not_allowed")
    assert "does not let this page use the microphone" in seen["notice"]
    assert seen["state"] == ""


def test_a_page_without_tls_says_why_it_has_no_microphone(server, browse):
    seen = browse(server, "says_that_a_page_without_tls_has_no_microphone")
    assert "only for https" in seen["notice"]


def test_nothing_is_listened_to_out_of_sight(server, browse):
    seen = browse(server, "stops_when_another_tab_is_shown")
    assert seen["first"] == "listen"  # the keyboard is enough
    assert seen["tab"] == "tab-talk"
    assert not seen["isLive"]
    assert seen["state"] == "Stopped"
    assert seen["unnamed"] == []


def test_a_phone_shows_all_of_the_tab(server, browse):
    seen = browse(server, "fits_a_phone_and_the_dark")
    assert seen["overflow"] <= 0
    assert seen["isInSight"]  # the words, and the button that stops them
    assert seen["rate"] in (44100, 48000) and is_beeps(seen["line"])


def test_a_file_is_uploaded_and_transcribed(server, browse):
    seen = browse(server, "uploads_a_file")
    assert seen["lines"][0] == "beep beep"
    assert seen["outputs"]["srt"].startswith("1\n00:00:01,")
    assert "beep beep\n" in seen["outputs"]["text"]


def test_elevenlabs_client_hears_the_microphone(server, developers_page):
    events = developers_page(server, "hears_the_microphone")
    names = [name for name, _ in events]
    assert names.index("session_started") < names.index("partial_transcript")
    assert "error" not in names
    said = [data for name, data in events if name == "committed_transcript_with_timestamps"]
    assert len(said) >= 2 and is_beeps(said[0]["text"])
    words = [word for word in said[0]["words"] if word["type"] == "word"]
    assert words and all(0 < word["start"] < word["end"] for word in words)
    assert names[-1] == "close"


def test_elevenlabs_client_sends_a_file(server, developers_page):
    events = developers_page(server, "sends_a_file_and_commits")
    assert [data["text"] for name, data in events if name == "committed_transcript"][0] == "beep beep"
    assert "error" not in [name for name, _ in events]


def test_elevenlabs_client_is_told_that_a_token_is_spent(server, developers_page):
    events = developers_page(server, "uses_a_token_twice")
    assert events[0][0] == "open" and events[1][0] == "auth_error", events
    assert "session_started" not in [name for name, _ in events] and events[-1][0] == "close"
