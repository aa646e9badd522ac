"""Clients that nobody here wrote, as their users run them: only the base URL and the key are ours.

The scripts are in test/clients.  Those in JavaScript use packages of the npm registry, fetched once
(test/clients/install); where that cannot be done they are skipped.  Those in Python use Debian's
python3-websockets.
"""

import json
import pathlib
import re
import shutil
import subprocess

import pytest
from client import is_speech
from decode import decode
from program import SOURCE, WAIT_S
from rest import Rest

CLIENTS = SOURCE / "test/clients"
PYTHON = "/usr/bin/python3"
TEXT = "Good morning, how are you? All is well here."
FLITE, ESPEAK, TONE = "1071", "2003", "1"  # a voice of each engine
CLOSED_NORMALLY = 1000

# An encoder's own delay and the rest of its last frame: 1,105 and 1,152 samples of MP3.
CODEC_S = 0.12
# Text that is cut elsewhere has other pauses.
CUT_S = 0.5


@pytest.fixture
def server(shared_server):
    return shared_server


@pytest.fixture(scope="module")
def seconds(shared_server):
    """How long TEXT is in a voice, told by the native door."""
    known = {}

    def measure(voice):
        if voice not in known:
            with Rest(shared_server) as rest:
                body = json.dumps({"text": TEXT, "voice_id": int(voice)})
                audio = rest.must(200, rest.raw("POST", "/tts/generate", body.encode()))
            known[voice] = len(audio) / 2 / 24000
        return known[voice]

    return measure


def install(folder):
    done = subprocess.run([CLIENTS / "install", folder], capture_output=True, text=True,
                          timeout=600, check=False)
    if done.returncode != 0:
        pytest.skip(f"no clients: {done.stderr.strip()}")
    return pathlib.Path(done.stdout.strip())


@pytest.fixture(scope="session")
def packages():
    return install(".")


@pytest.fixture(scope="session")
def livekit_packages():
    return install("livekit")


class Program:
    """A script of ours, run in a folder of its own; what it printed, and what it wrote there."""

    def __init__(self, server, folder, command):
        self.server = server
        self.folder = folder
        self.command = command

    def run(self, *arguments, key=None):
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.folder),
                       "SYRINX_URL": f"http://127.0.0.1:{self.server.port}",
                       "SYRINX_KEY": key or self.server.key}
        done = subprocess.run([*self.command, *arguments], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=WAIT_S * 4, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        return json.loads(done.stdout)

    def heard(self, form, rate, name="audio"):
        """Seconds of what it wrote, which is speech."""
        pcm = decode(form, (self.folder / name).read_bytes(), rate)
        assert is_speech(pcm)
        return len(pcm) / rate


def node(server, folder, script, packages):
    # Packages are looked for beside the script.
    shutil.copy(CLIENTS / script, folder)
    (folder / "node_modules").symlink_to(packages)
    return Program(server, folder, [shutil.which("node"), pathlib.Path(script).name])


@pytest.fixture
def elevenlabs(server, tmp_path, packages):
    return node(server, tmp_path, "elevenlabs.mjs", packages)


@pytest.fixture
def openai(server, tmp_path, packages):
    return node(server, tmp_path, "openai.mjs", packages)


@pytest.fixture
def sockets(server, tmp_path, packages):
    return node(server, tmp_path, "sockets.mjs", packages)


@pytest.fixture
def livekit(server, tmp_path, livekit_packages):
    return node(server, tmp_path, "livekit/livekit.mjs", livekit_packages)


@pytest.fixture
def python(server, tmp_path):
    return lambda script: Program(server, tmp_path, [PYTHON, CLIENTS / "python" / script])


# ElevenLabs' SDK

@pytest.mark.parametrize("voice", [FLITE, ESPEAK, TONE])
def test_elevenlabs_convert(elevenlabs, seconds, voice):
    elevenlabs.run("convert", voice, TEXT, "mp3_44100_128")
    assert elevenlabs.heard("mp3", 44100) == pytest.approx(seconds(voice), abs=CODEC_S)


@pytest.mark.parametrize("token, form, rate", [
    ("mp3_22050_32", "mp3", 22050), ("opus_48000_64", "opus", 48000), ("pcm_16000", "pcm", 16000)])
def test_elevenlabs_stream(elevenlabs, seconds, token, form, rate):
    assert elevenlabs.run("stream", FLITE, TEXT, token)["pieces"] > 1
    assert elevenlabs.heard(form, rate) == pytest.approx(seconds(FLITE), abs=CODEC_S)


def check_characters(alignment, audio_s):
    """Of TEXT, each once and in its place."""
    assert "".join(alignment["characters"]) == TEXT
    starts, ends = alignment["characterStartTimesSeconds"], alignment["characterEndTimesSeconds"]
    assert len(starts) == len(ends) == len(TEXT)
    assert starts == sorted(starts) and all(a <= b for a, b in zip(starts, ends))
    assert 0 <= starts[0] and audio_s / 2 < ends[-1] <= audio_s + 0.001


@pytest.mark.parametrize("action", ["convertWithTimestamps", "streamWithTimestamps"])
def test_elevenlabs_characters_have_times(elevenlabs, seconds, action):
    alignment = elevenlabs.run(action, FLITE, TEXT, "mp3_44100_128")
    assert elevenlabs.heard("mp3", 44100) == pytest.approx(seconds(FLITE), abs=CODEC_S)
    check_characters(alignment, seconds(FLITE))


def test_elevenlabs_voices_are_the_same_in_all_lists(elevenlabs):
    answer = elevenlabs.run("voices", FLITE)
    ids = [voice["voiceId"] for voice in answer["voices"]]
    assert {FLITE, ESPEAK, TONE} <= set(ids)
    assert [voice["voiceId"] for voice in answer["found"]] == ids
    assert answer["one"] in answer["voices"] and answer["one"]["name"]


def test_elevenlabs_models(elevenlabs):
    models = {model["modelId"]: model for model in elevenlabs.run("models")}
    assert models["eleven_flash_v2_5"]["canDoTextToSpeech"]


def test_elevenlabs_user(elevenlabs):
    answer = elevenlabs.run("user")
    assert answer["user"]["subscription"]["tier"] == answer["subscription"]["tier"]
    assert answer["history"]["history"] == []


@pytest.mark.parametrize("voice, key, status, name", [
    (FLITE, "wrong", 401, "invalid_api_key"), ("99", None, 404, "voice_not_found")])
def test_elevenlabs_errors_are_its_own(elevenlabs, voice, key, status, name):
    error = elevenlabs.run("refused", voice, TEXT, "mp3_44100_128", key=key)
    assert (error["statusCode"], error["body"]["detail"]["status"]) == (status, name)
    assert error["body"]["detail"]["message"]


# OpenAI's SDK

@pytest.mark.parametrize("form, kind", [
    ("mp3", "audio/mpeg"), ("opus", "audio/ogg"), ("aac", "audio/aac"), ("flac", "audio/flac"),
    ("wav", "audio/wav"), ("pcm", "audio/pcm")])
def test_openai_speech(openai, seconds, form, kind):
    assert openai.run("speech", FLITE, TEXT, form)["type"] == kind
    assert openai.heard(form, 24000) == pytest.approx(seconds(FLITE), abs=CODEC_S)


def test_openai_speech_streams(openai, seconds):
    assert openai.run("stream", "alloy", TEXT, "pcm")["pieces"] > 1
    assert openai.heard("pcm", 24000) > seconds(FLITE) / 2


def test_openai_models(openai):
    assert {"tts-1", "tts-1-hd", "gpt-4o-mini-tts"} <= set(openai.run("models"))


@pytest.mark.parametrize("voice, form, key, status, kind", [
    ("alloy", "mp3", "wrong", 401, "AuthenticationError"),
    ("alloy", "wma", None, 400, "BadRequestError"),
    ("nobody", "mp3", None, 400, "BadRequestError")])
def test_openai_errors_are_its_own(openai, voice, form, key, status, kind):
    error = openai.run("refused", voice, TEXT, form, key=key)
    assert (error["status"], error["name"]) == (status, kind), error
    assert error["type"] == "invalid_request_error"


# ElevenLabs' sockets, by the package ws

def characters(messages):
    """What alignments say, with the blanks between sentences left out."""
    alignments = [m["alignment"] for m in messages if m.get("alignment")]
    for alignment in alignments:
        assert (len(alignment["chars"]) == len(alignment["charStartTimesMs"]) ==
                len(alignment["charDurationsMs"]))
    return "".join("".join(a["chars"]) for a in alignments).replace(" ", "")


@pytest.mark.parametrize("token, form, rate", [
    ("", "mp3", 44100), ("pcm_24000", "pcm", 24000), ("opus_48000_32", "opus", 48000)])
def test_stream_input(sockets, seconds, token, form, rate):
    answer = sockets.run("stream", FLITE, TEXT, token)
    *spoken, last = answer["messages"]
    assert answer["code"] == CLOSED_NORMALLY
    assert last["isFinal"] and not last["bytes"]
    assert not any(message["isFinal"] for message in spoken)
    assert characters(spoken) == TEXT.replace(" ", "")
    assert sockets.heard(form, rate) == pytest.approx(seconds(FLITE), abs=CUT_S)


def test_multi_stream_input_speaks_in_two_contexts(sockets, seconds):
    answer = sockets.run("contexts", FLITE, TEXT, "pcm_24000")
    assert answer["code"] == CLOSED_NORMALLY
    for name in ("one", "two"):
        *spoken, last = answer[name]
        assert last["isFinal"] and not any(message["isFinal"] for message in spoken)
        assert characters(spoken) == TEXT.replace(" ", "")
        heard = sockets.heard("pcm", 24000, "audio." + name)
        assert heard == pytest.approx(seconds(FLITE), abs=CUT_S)


def test_multi_stream_input_survives_a_barge_in(sockets, seconds):
    answer = sockets.run("bargeIn", FLITE, TEXT, "pcm_24000")
    assert answer["code"] == CLOSED_NORMALLY
    assert sum(1 for message in answer["old"] if message["isFinal"]) == 1
    assert sum(1 for message in answer["new"] if message["isFinal"]) == 1
    heard = sockets.heard("pcm", 24000, "audio.new")
    assert heard == pytest.approx(seconds(FLITE), abs=CUT_S)


# LiveKit's plug-in, without a room

def test_livekit_stream(livekit, seconds):
    answer = livekit.run("stream", FLITE, TEXT)
    assert livekit.heard("pcm", answer["sampleRate"]) == pytest.approx(seconds(FLITE), abs=CUT_S)
    said = "".join(word for word, _, _ in answer["words"])
    assert said.replace(" ", "") == TEXT.replace(" ", "")


def test_livekit_speaks_again_on_its_socket(livekit, seconds):
    answer = livekit.run("twice", FLITE, TEXT)
    heard = livekit.heard("pcm", answer["sampleRate"])
    assert heard == pytest.approx(seconds(FLITE), abs=CUT_S)
    assert answer["firstBytes"] / 2 / answer["sampleRate"] == pytest.approx(heard, abs=CODEC_S)


def test_livekit_survives_a_barge_in(livekit, seconds):
    answer = livekit.run("bargeIn", FLITE, TEXT)
    assert livekit.heard("pcm", answer["sampleRate"]) == pytest.approx(seconds(FLITE), abs=CUT_S)


def test_livekit_synthesize(livekit, seconds):
    answer = livekit.run("synthesize", FLITE, TEXT)
    assert livekit.heard("pcm", answer["sampleRate"]) == pytest.approx(seconds(FLITE), abs=CODEC_S)


def test_livekit_lists_voices(livekit):
    assert {FLITE, ESPEAK, TONE} <= {voice["id"] for voice in livekit.run("voices")}


# The documents' examples in Python

def test_python_tts(python, seconds):
    client = python("tts.py")
    answer = client.run(FLITE, TEXT)
    assert client.heard("pcm", 24000) == pytest.approx(seconds(FLITE), abs=CODEC_S)
    assert answer["final"]["dur_ms"] == pytest.approx(seconds(FLITE) * 1000, abs=1)
    assert [word["word"] for word in answer["words"]] == re.findall(r"\w+", TEXT)


def test_python_tts_stream(python, seconds):
    client = python("tts_stream.py")
    answer = client.run(FLITE, TEXT)
    heard = client.heard("pcm", 24000)
    assert heard == pytest.approx(seconds(FLITE), abs=CUT_S)
    final, closed = answer["last"]
    assert final["final"] and closed["session_closed"]
    assert closed["total_audio_seconds"] == pytest.approx(heard, abs=0.001)
    assert answer["code"] == CLOSED_NORMALLY


def test_python_tts_multi(python, seconds):
    client = python("tts_multi.py")
    answer = client.run(FLITE, TEXT)
    for name in ("one", "two"):
        heard = client.heard("pcm", 24000, "audio." + name)
        assert heard == pytest.approx(seconds(FLITE), abs=CUT_S)
        assert answer["closed"][name]["usage"]["characters"] >= len(TEXT)
    assert answer["code"] == CLOSED_NORMALLY


def test_python_stream_input_with_the_key_in_the_first_message(python, seconds):
    client = python("stream_input.py")
    answer = client.run(FLITE, TEXT, "mp3_44100_128")
    assert client.heard("mp3", 44100) == pytest.approx(seconds(FLITE), abs=CUT_S)
    assert answer["is_final"] and answer["code"] == CLOSED_NORMALLY
    assert characters([{"alignment": a} for a in answer["alignments"]]) == TEXT.replace(" ", "")
