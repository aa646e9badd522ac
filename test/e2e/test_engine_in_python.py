"""An engine can be any program: the example in Python beside the others."""

import os
import signal

import pytest
from client import Client, Turn, is_speech
from program import BUILD, SOURCE, syrinx, wait_until


@pytest.fixture
def engines(tmp_path):
    directory = tmp_path / "engines"
    directory.mkdir()
    for engine in ("syrinx-tone", "syrinx-flite", "syrinx-espeak"):
        (directory / engine).symlink_to(BUILD / engine)
    beep = directory / "syrinx-beep"
    beep.write_bytes((SOURCE / "examples/engine.py").read_bytes())
    beep.chmod(0o755)
    return directory


def find_voice(engines):
    """The id of its voice, as the command lists it."""
    done = syrinx("voices", settings={"speech.engines_dir": engines})
    assert done.returncode == 0, done.stderr
    (line,) = [l for l in done.stdout.decode().splitlines() if " beep " in l]
    return int(line.split()[0])


def test_example_engine_is_listed_and_speaks(engines, start_server):
    voice = find_voice(engines)
    server = start_server({"speech.engines_dir": engines})
    with Client(server) as client:
        turn = client.speak("One two three four.", voice_id=voice, word_timestamps=True)
        assert is_speech(turn.pcm())
        assert abs(turn.samples / 24000 - 4 * 0.15) < 0.1
        assert [w["word"].strip(".") for w in turn.words[0]] == ["One", "two", "three", "four"]
        again = client.speak("One two three four.")
        assert again.audio == turn.audio
        client.send(text="One two three four. " * 50)
        turn = Turn()
        while not turn.frame_samples:
            turn.add(client.receive())
        client.send(cancel=True)
        while "interrupted" not in client.receive():
            pass
        assert client.speak("After it.").texts == ["After it."]


def test_example_engine_that_is_killed_is_not_heard(engines, start_server):
    voice = find_voice(engines)
    server = start_server({"speech.engines_dir": engines, "speech.workers": 1})
    text = "beep " * 150
    with Client(server) as client, Client(server, receive_buffer=8192) as disturbed:
        want = client.speak(text, voice_id=voice)
        disturbed.send(voice_id=voice, text=text, flush=True)
        turn = Turn()
        while len(turn.frame_samples) < 3:
            turn.add(disturbed.receive())
        beeps = [pid for pid in server.workers()
                 if b"syrinx-beep" in open(f"/proc/{pid}/cmdline", "rb").read()]
        for pid in beeps:
            os.kill(pid, signal.SIGKILL)
        assert beeps
        disturbed.read_turn(turn)
    assert turn.audio == want.audio


def test_engine_that_does_not_start_costs_only_its_own_voices(engines, start_server):
    (engines / "syrinx-broken").write_text("#!/bin/sh\nexit 3\n")
    (engines / "syrinx-broken").chmod(0o755)
    server = start_server({"speech.engines_dir": engines})
    wait_until(lambda: "syrinx-broken does not start" in server.log(), "it was said")
    with Client(server) as client:
        assert client.speak("The others speak.", voice_id=1).samples > 0


def test_engine_that_says_nothing_does_not_keep_the_others_from_speaking(engines, start_server):
    (engines / "syrinx-mute").write_text("#!/bin/sh\nexec sleep 1000\n")
    (engines / "syrinx-mute").chmod(0o755)
    server = start_server({"speech.engines_dir": engines, "speech.stall_seconds": 60}, waits=False)
    assert server.get("/ready")[0] == 503
    with Client(server) as client:
        assert client.speak("The others speak.", voice_id=1).samples > 0
