"""`syrinx call`: a script has a conversation with an agent, spoken or typed.

Most of the servers here are scripted, so what they hear and say, and in which order, is known. The
last ones are real, with the listener that hears beeps.
"""

import array
import asyncio
import base64
import contextlib
import http
import io
import json
import subprocess
import threading
import urllib.parse
import wave

import pytest
import websockets
from beeps import beeps, put_engines, wav
from program import BUILD, SYRINX, WAIT_S, Server, environment, free_port, syrinx, wait_until

KEY = "ka_of_the_scripted_server"
PATH = "/v1/convai/conversation"
LOUD = 184


class Conversation:
    """The server's side of one call: what was received, and the messages of the protocol."""

    def __init__(self, socket, formats):
        self.socket = socket
        self.formats = formats
        self.start = None  # the first message
        self.messages = []  # all but audio
        self.audio = b""
        self.pieces = []  # their lengths
        self.code = None  # with which the caller hung up

    async def send(self, kind, key, **fields):
        await self.socket.send(json.dumps({"type": kind, key: fields}))

    async def begin(self):
        """The caller's first message is awaited; the formats are sent."""
        self.start = json.loads(await self.socket.recv())
        given, taken = self.formats
        await self.send("conversation_initiation_metadata", "conversation_initiation_metadata_event",
                        conversation_id="conv_1", agent_output_audio_format=given,
                        user_input_audio_format=taken)

    async def say(self, event_id, samples):
        await self.send("audio", "audio_event", event_id=event_id,
                        audio_base_64=base64.b64encode(samples).decode())

    async def answer(self, event_id, text):
        await self.send("agent_response", "agent_response_event", agent_response=text,
                        event_id=event_id)

    async def transcript(self, event_id, text):
        await self.send("user_transcript", "user_transcription_event", user_transcript=text,
                        event_id=event_id)

    async def receive(self):
        """The next message, which is None for audio."""
        message = json.loads(await self.socket.recv())
        if "user_audio_chunk" not in message:
            self.messages.append(message)
            return message
        piece = base64.b64decode(message["user_audio_chunk"], validate=True)
        self.audio += piece
        self.pieces.append(len(piece))
        return None

    def samples(self):
        return array.array("h", self.audio)

    async def hear_speech(self, loud_ms, rate=16000):
        """Listens until so much more sound has arrived, and then silence."""
        begin = len(self.audio)

        def loud():
            return sum(abs(s) > LOUD for s in array.array("h", self.audio[begin:]))

        # Samples of a tone near its zeros are not loud; the resampler rounds the edges.
        while loud() < 0.9 * loud_ms * rate / 1000 or any(self.samples()[-rate // 20:]):
            await self.receive()

    async def hear_end(self):
        with contextlib.suppress(websockets.ConnectionClosed):
            while True:
                await self.receive()
        self.code = self.socket.close_code


class Agent:
    """A server that accepts one call after the other and plays `script` in each."""

    def __init__(self, script, formats=("pcm_16000", "pcm_16000")):
        self.script = script
        self.formats = formats
        self.calls = []
        self.requests = []  # paths, headers
        self.failure = None
        self.port = free_port()

    async def refuse(self, path, headers):
        self.requests.append((path, headers))
        if headers.get("Authorization") != f"Bearer {KEY}":
            body = {"detail": {"status": "invalid_api_key", "message": "Invalid API key"}}
            return http.HTTPStatus.UNAUTHORIZED, [], json.dumps(body).encode()
        return None

    async def handle(self, socket):
        call = Conversation(socket, self.formats)
        self.calls.append(call)
        try:
            await self.script(call)
        except websockets.ConnectionClosed:
            call.code = socket.close_code
        except Exception as failure:  # of the test itself
            self.failure = failure

    async def serve(self, ready):
        self.end = asyncio.Event()
        self.loop = asyncio.get_running_loop()
        async with websockets.serve(self.handle, "127.0.0.1", self.port, max_size=None,
                                    process_request=self.refuse, ping_interval=None):
            ready.set()
            await self.end.wait()

    def __enter__(self):
        ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.serve(ready)))
        self.thread.start()
        assert ready.wait(WAIT_S)
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.end.set)
        self.thread.join(WAIT_S)

    def called(self, *arguments, key=KEY):
        """Runs the command to its end."""
        done = syrinx("call", "--server", f"http://127.0.0.1:{self.port}", *arguments,
                      extra={"SYRINX_KEY": key})
        assert not self.failure, self.failure
        return done


def tone(ms, rate=16000, value=3000):
    return array.array("h", [value] * (rate * ms // 1000)).tobytes()


def lines(done):
    """What was printed, without the times."""
    rows = [line.split(" ms  ", 1) for line in done.stdout.decode().splitlines()]
    assert all(row[0].strip().isdigit() for row in rows), done.stdout
    return [row[1] for row in rows]


def objects(done):
    found = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert all(isinstance(one["at_ms"], int) for one in found)
    return found


def read_wav(path):
    with wave.open(str(path)) as file:
        assert file.getsampwidth() == 2
        return file.getparams(), array.array("h", file.readframes(file.getnframes()))


def loud_at(samples, rate=16000):
    """The first and the last second in which something is heard."""
    loud = [i for i, sample in enumerate(samples) if abs(sample) > LOUD]
    return loud[0] / rate, (loud[-1] + 1) / rate


@pytest.fixture
def question(tmp_path):
    """Two beeps, which are half a second of sound, and a second of silence."""
    path = tmp_path / "question.wav"
    path.write_bytes(wav(beeps(2)))
    return path


async def answer_each(call):
    """Hears as many questions as there are, and answers each with half a second of sound."""
    await call.begin()
    event_id = 0
    while True:
        event_id += 1
        await call.hear_speech(500)
        await call.transcript(event_id, "beep beep")
        await call.answer(event_id, f"Answer {event_id}.")
        for _ in range(5):
            await call.say(event_id, tone(100))


def test_a_recording_is_played_and_answered(question):
    with Agent(answer_each) as agent:
        done = agent.called(question, "--agent", "a b/ü", "--wait", "1")
    assert done.returncode == 0, done.stderr
    assert lines(done) == ["conversation conv_1", f"you speak: {question}", "you stop",
                           "you: beep beep", "agent: Answer 1.", "sound begins", "sound ends"]
    assert b"ms from the end of the speech to the answer" in done.stderr
    path, headers = agent.requests[0]
    assert urllib.parse.urlsplit(path).path == PATH
    assert urllib.parse.parse_qs(urllib.parse.urlsplit(path).query) == {"agent_id": ["a b/ü"]}
    call, = agent.calls
    assert call.start["type"] == "conversation_initiation_client_data"
    assert call.start["conversation_config_override"] == {}
    assert call.code == 1000
    assert set(call.pieces) == {1024}  # 32 ms


def test_what_is_sent_is_the_recording_and_silence_around_it(question):
    with Agent(answer_each) as agent:
        agent.called(question, "--wait", "1")
    sent = agent.calls[0].samples()
    whole = beeps(2)
    first = next(i for i, sample in enumerate(whole) if sample)
    at = next(i for i, sample in enumerate(sent) if sample)
    assert sent[at:at + len(whole) - first] == whole[first:]
    assert not any(sent[at + len(whole) - first:])


@pytest.mark.parametrize("rate, channels, taken", [
    (8000, 1, "pcm_16000"), (44100, 2, "pcm_16000"), (16000, 1, "pcm_48000"), (48000, 6, "pcm_8000")])
def test_recordings_are_converted(tmp_path, rate, channels, taken):
    async def script(call):
        await call.begin()
        await call.hear_speech(500, int(taken[4:]))
        await call.say(1, tone(100))
        await call.hear_end()

    path = tmp_path / "question.wav"
    path.write_bytes(wav(beeps(2, rate), rate, channels))
    with Agent(script, ("pcm_16000", taken)) as agent:
        done = agent.called(path, "--wait", "0")
    assert done.returncode == 0, done.stderr
    begin, end = loud_at(agent.calls[0].samples(), int(taken[4:]))
    assert abs(end - begin - 0.75) < 0.01


def test_telephone_formats_are_spoken_and_heard(question, tmp_path):
    async def script(call):
        await call.begin()
        while len(call.audio) < 8000 * 2 or call.audio[-8000:] != b"\xff" * 8000:
            await call.receive()
        await call.say(1, b"\x80" * 800)  # the loudest sample for 100 ms
        await call.hear_end()

    with Agent(script, ("ulaw_8000", "ulaw_8000")) as agent:
        done = agent.called(question, "--wait", "0", "-o", tmp_path / "heard.wav")
    assert done.returncode == 0, done.stderr
    assert set(agent.calls[0].pieces) == {256}
    params, samples = read_wav(tmp_path / "heard.wav")
    assert params.framerate == 8000 and sum(s == 32124 for s in samples) == 800


def test_every_file_is_played_after_the_answer_to_the_one_before(question):
    with Agent(answer_each) as agent:
        done = agent.called(question, question, "--wait", "1", "--json")
    assert done.returncode == 0, done.stderr
    found = objects(done)
    order = [o.get("note") or o["event"]["type"] for o in found[:-1]]
    assert [o for o in order if o in ("you speak", "agent_response", "sound ends")] == [
        "you speak", "agent_response", "sound ends"] * 2
    assert [turn["answered"] for turn in found[-1]["turns"]] == [True, True]
    for turn in found[-1]["turns"]:
        assert turn["file"] == str(question)
        assert 0 <= turn["audio_after_ms"] == turn["answer_after_ms"]


def test_json_has_every_event_and_the_length_of_its_audio(question):
    async def script(call):
        await call.begin()
        await call.send("vad_score", "vad_score_event", vad_score=0.5)
        await call.hear_speech(500)
        await call.say(1, tone(100))
        await call.hear_end()

    with Agent(script) as agent:
        done = agent.called(question, "--wait", "0", "--json")
    events = [o["event"] for o in objects(done) if "event" in o]
    assert {"type": "vad_score", "vad_score_event": {"vad_score": 0.5}} in events
    assert {"type": "audio", "audio_event": {"event_id": 1, "audio_base_64": 3200}} in events


def test_the_recording_has_what_is_heard_at_its_time(question, tmp_path):
    """Frames that come at once are heard one after the other; an interruption drops the rest."""
    async def script(call):
        await call.begin()
        await call.hear_speech(500)
        for _ in range(20):
            await call.say(1, tone(1000))
        received = len(call.audio)
        while len(call.audio) < received + 32000:  # a second of the caller's silence
            await call.receive()
        await call.send("interruption", "interruption_event", event_id=1)
        await call.say(2, tone(200, value=-5000))
        await call.hear_end()

    with Agent(script) as agent:
        done = agent.called(question, "--wait", "1", "-o", tmp_path / "heard.wav", "--json")
    assert done.returncode == 0, done.stderr
    params, samples = read_wav(tmp_path / "heard.wav")
    assert (params.nchannels, params.framerate) == (1, 16000)
    cut = samples.index(-5000)
    assert all(s in (0, 3000) for s in samples[:cut])
    assert 0 < samples.count(3000) < 20 * 16000
    assert samples[cut:cut + 3200].count(-5000) == 3200 and not any(samples[cut + 3200:])
    assert len(samples) - cut - 3200 >= 16000 - 1  # --wait
    assert objects(done)[-1]["turns"][0]["interruptions"] == 1


def test_the_caller_is_on_the_left(question, tmp_path):
    with Agent(answer_each, ("pcm_24000", "pcm_16000")) as agent:
        done = agent.called(question, "--wait", "1", "-o", tmp_path / "call.wav", "--stereo")
    assert done.returncode == 0, done.stderr
    params, samples = read_wav(tmp_path / "call.wav")
    assert (params.nchannels, params.framerate) == (2, 24000)
    spoken, heard = loud_at(samples[::2], 24000), loud_at(samples[1::2], 24000)
    assert abs(spoken[1] - spoken[0] - 0.75) < 0.01
    assert heard[0] > spoken[1]


def test_the_greeting_is_heard_before_the_caller_speaks(question):
    async def script(call):
        await call.begin()
        await call.answer(1, "Welcome.")
        await call.say(1, tone(300))
        await call.hear_speech(500)
        await call.say(2, tone(100))
        await call.hear_end()

    with Agent(script) as agent:
        done = agent.called(question, "--wait", "0", "--first-message", "Welcome.")
    assert done.returncode == 0, done.stderr
    assert lines(done)[:6] == ["conversation conv_1", "agent: Welcome.", "sound begins",
                               "sound ends", f"you speak: {question}", "you stop"]
    assert agent.calls[0].start["conversation_config_override"] == {
        "agent": {"first_message": "Welcome."}}


def test_pings_and_calls_of_functions_are_answered(question):
    async def script(call):
        await call.begin()
        await call.send("ping", "ping_event", event_id=41, ping_ms=None)
        await call.send("client_tool_call", "client_tool_call", tool_name="weather",
                        tool_call_id="c1", parameters={}, event_id=1)
        await call.hear_speech(500)
        await call.say(1, tone(100))
        await call.hear_end()

    with Agent(script) as agent:
        done = agent.called(question, "--wait", "0")
    assert "agent wants to call: weather" in lines(done)
    pong, result = agent.calls[0].messages
    assert pong == {"type": "pong", "event_id": 41}
    assert (result["type"], result["tool_call_id"], result["is_error"]) == (
        "client_tool_result", "c1", True)


# Typed messages

def test_typed_messages_are_answered_one_after_the_other():
    async def script(call):
        await call.begin()
        for event_id in (1, 2):
            said = await call.receive()
            await call.answer(event_id, "You said: " + said["text"])
        await call.hear_end()

    with Agent(script) as agent:
        done = agent.called("--text", "Hello.", "--text", 'Say "ü".')
    assert done.returncode == 0, done.stderr
    assert lines(done) == ["conversation conv_1", "you type: Hello.", "agent: You said: Hello.",
                           'you type: Say "ü".', 'agent: You said: Say "ü".']
    call, = agent.calls
    assert call.start["conversation_config_override"] == {"conversation": {"text_only": True}}
    assert call.messages == [{"type": "user_message", "text": "Hello."},
                             {"type": "user_message", "text": 'Say "ü".'}]
    assert call.code == 1000 and not call.audio


# What goes wrong

def test_a_refused_connection_has_its_own_status(question):
    with Agent(answer_each) as agent:
        done = agent.called(question, key="another")
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"HTTP 401: Invalid API key" in done.stderr and b"another" not in done.stderr
    done = syrinx("call", question, "--server", f"http://127.0.0.1:{agent.port}",
                  extra={"SYRINX_KEY": KEY})
    assert done.returncode == 3 and b"syrinx call: http://127.0.0.1" in done.stderr


def test_an_error_of_the_server_has_its_own_status(question, tmp_path):
    async def script(call):
        await call.begin()
        await call.hear_speech(250)
        await call.send("error", "error_event", code=1011, message="No\x1b words.")
        await call.socket.close(1011, "broken")

    with Agent(script) as agent:
        done = agent.called(question, "-o", tmp_path / "heard.wav")
    assert done.returncode == 4
    assert "error: No  words." in lines(done)
    assert b"syrinx call: the server reports an error: No  words.\n" in done.stderr
    assert b"syrinx call: the server ended the call (1011)\n" in done.stderr
    assert not any(read_wav(tmp_path / "heard.wav")[1])


def test_no_answer_has_its_own_status(question):
    async def script(call):
        await call.begin()
        await call.hear_end()

    with Agent(script) as agent:
        done = agent.called(question, "--timeout", "1")
    assert done.returncode == 5
    assert b"no answer\n" in done.stderr and b"the agent did not answer" in done.stderr
    assert agent.calls[0].code == 1000


def test_an_agent_that_hangs_up_ends_the_call(question):
    async def script(call):
        await call.begin()
        await call.hear_speech(500)
        await call.say(1, tone(100))
        await call.socket.close(1000)

    with Agent(script) as agent:
        done = agent.called(question, question)
    assert done.returncode == 0, done.stderr
    assert lines(done)[-1] == "the agent hangs up"


def test_a_format_that_is_not_known_is_an_error_of_the_server(question):
    async def script(call):
        await call.begin()
        await call.hear_end()

    with Agent(script, ("mp3_44100_128", "pcm_16000")) as agent:
        done = agent.called(question)
    assert done.returncode == 4 and b"not supported: mp3_44100_128" in done.stderr


def test_files_are_checked_before_the_call(question, tmp_path):
    with io.BytesIO() as out, wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(16000)
        file.writeframes(b"\x80" * 100)
        narrow = out.getvalue()
    (tmp_path / "narrow.wav").write_bytes(narrow)
    (tmp_path / "text.wav").write_bytes(b"hello")
    for name, why in (("narrow.wav", "it has 8 bit PCM; 16 bit PCM is needed"),
                      ("text.wav", "it is not a WAV file"),
                      ("none.wav", "No such file or directory")):
        done = syrinx("call", question, tmp_path / name)
        assert done.returncode == 1
        assert done.stderr.decode() == f"syrinx call: {tmp_path / name}: {why}\n"


@pytest.mark.parametrize("arguments, why", [
    ([], "FILE or --text is missing"),
    (["a.wav", "--text", "b"], "FILE cannot be combined with --text"),
    (["a.wav", "--stereo"], "--stereo needs --output"),
    (["--text", "a", "-o", "b.wav"], "--output cannot be combined with --text"),
    (["a.wav", "--wait", "-1"], "--wait must be a number"),
])
def test_wrong_calls_are_refused(arguments, why):
    done = syrinx("call", *arguments)
    assert done.returncode == 2 and why in done.stderr.decode()


def test_an_interrupted_command_leaves_its_recording(question, tmp_path):
    """Ctrl-C hangs up: what was heard until then is kept."""
    said = threading.Event()

    async def script(call):
        await call.begin()
        await call.say(1, tone(100))
        said.set()
        await call.hear_end()

    with Agent(script) as agent:
        process = subprocess.Popen(
            [SYRINX, "call", "--server", f"http://127.0.0.1:{agent.port}", question,
             "-o", tmp_path / "heard.wav"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment({}) | {"SYRINX_KEY": KEY})
        assert said.wait(WAIT_S)
        while b"sound begins" not in process.stdout.readline():
            pass
        process.send_signal(2)
        process.communicate(timeout=WAIT_S)
    assert process.returncode == -2
    assert agent.calls[0].code == 1000
    assert any(read_wav(tmp_path / "heard.wav")[1])


# A real server

@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One that listens, and has not spoken yet."""
    if not (BUILD / "syrinx-decode").exists():
        pytest.skip("syrinx-decode was not built")
    folder = tmp_path_factory.mktemp("call")
    server = Server(folder, {"speech.engines_dir": put_engines(folder / "engines")},
                    config="[agent echo]\nllm = echo\napi_key = k\n")
    (folder / "beep.wav").write_bytes(wav(beeps(1)))
    wait_until(lambda: syrinx("hear", folder / "beep.wav", *at(server)).returncode == 0,
               "it listens")
    yield server
    server.stop()


def at(server):
    return ["--server", f"http://127.0.0.1:{server.port}", "--data", server.data]


def test_a_real_agent_repeats_what_was_typed(server):
    done = syrinx("call", "--text", "Hello.", "--text", "Bye.", "--agent", "echo", *at(server))
    assert done.returncode == 0, done.stderr
    assert [line for line in lines(done) if line.startswith("agent: ")] == [
        "agent: You said: Hello.", "agent: You said: Bye."]


def test_a_real_agent_hears_a_recording_and_is_heard(server, question, tmp_path):
    done = syrinx("call", question, "--agent", "echo", "--first-message", "Welcome.", "--json",
                  "--timeout", str(WAIT_S), "-o", tmp_path / "call.wav", "--stereo", *at(server))
    assert done.returncode == 0, done.stderr
    found = objects(done)
    events = [o["event"] for o in found if "event" in o]
    answers = [e["agent_response_event"]["agent_response"] for e in events
               if e["type"] == "agent_response"]
    assert answers[0] == "Welcome." and "beep beep" in answers[-1]
    assert found[-1]["turns"][0]["answered"]
    params, samples = read_wav(tmp_path / "call.wav")
    heard = [e["audio_event"]["audio_base_64"] for e in events if e["type"] == "audio"]
    assert 0 < sum(heard) // 2 <= params.nframes
    assert loud_at(samples[1::2], params.framerate)[0] < loud_at(samples[::2], params.framerate)[0]


def test_a_real_server_refuses_an_unknown_agent(server):
    done = syrinx("call", "--text", "Hello.", "--agent", "nobody", *at(server))
    assert done.returncode == 3 and b"HTTP 404" in done.stderr, done.stderr
