"""The programs in Python that the documentation shows (see clients.py for the others)."""

import re

import pytest
from clients import CLOSED_NORMALLY, CODEC_S, CUT_S, FLITE, TEXT, python_program, seconds


@pytest.fixture
def server(shared_server):
    return shared_server


# The documents' examples in Python

@pytest.fixture
def python(server, tmp_path):
    return lambda script: python_program(server, tmp_path, script)


def test_python_tts(python, server):
    client = python("tts.py")
    answer = client.run(FLITE, TEXT)
    assert client.heard("pcm", 24000) == pytest.approx(seconds(server, FLITE), abs=CODEC_S)
    assert answer["final"]["dur_ms"] == pytest.approx(seconds(server, FLITE) * 1000, abs=1)
    assert [word["word"] for word in answer["words"]] == re.findall(r"\w+", TEXT)


def test_python_tts_stream(python, server):
    client = python("tts_stream.py")
    answer = client.run(FLITE, TEXT)
    heard = client.heard("pcm", 24000)
    assert heard == pytest.approx(seconds(server, FLITE), abs=CUT_S)
    final, closed = answer["last"]
    assert final["final"] and closed["session_closed"]
    assert closed["total_audio_seconds"] == pytest.approx(heard, abs=0.001)
    assert answer["code"] == CLOSED_NORMALLY


def test_python_tts_multi(python, server):
    client = python("tts_multi.py")
    answer = client.run(FLITE, TEXT)
    for name in ("one", "two"):
        heard = client.heard("pcm", 24000, "audio." + name)
        assert heard == pytest.approx(seconds(server, FLITE), abs=CUT_S)
        assert answer["closed"][name]["usage"]["characters"] >= len(TEXT)
    assert answer["code"] == CLOSED_NORMALLY


def test_python_stream_input_with_the_key_in_the_first_message(python, server):
    client = python("stream_input.py")
    answer = client.run(FLITE, TEXT, "mp3_44100_128")
    assert client.heard("mp3", 44100) == pytest.approx(seconds(server, FLITE), abs=CUT_S)
    assert answer["is_final"] and answer["code"] == CLOSED_NORMALLY
    characters = "".join("".join(alignment["chars"]) for alignment in answer["alignments"])
    assert characters.replace(" ", "") == TEXT.replace(" ", "")
