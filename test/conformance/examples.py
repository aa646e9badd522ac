"""The programs in the documents.  Their messages are sent in the same order, with the same waits, by
programs of our own.  The documents' texts are not part of this project: if --examples names a directory
that has them, their programs are run as well, with nothing changed but address, key and voice."""

import asyncio
import base64
import json
import re
import subprocess
import sys
import textwrap

import websockets
from kugelaudio_session import Session
from program import SOURCE
from statement import statement

# The session of the second example listens for 50 ms after a sentence; a busy machine may be late.
TRIES = 8


def text_of(world, number):
    """A document of the given directory, by its number."""
    for path in sorted(world.examples.glob(f"{number}*")):
        return path.read_text(encoding="utf-8")
    raise AssertionError(f"{world.examples} has no file {number}*")


def between(text, first, last):
    """From the line that begins with `first` to the one that begins with `last`, that one included."""
    found = re.search(rf"^{re.escape(first)}.*?^{re.escape(last)}[^\n]*$", text, re.S | re.M)
    assert found, f"no program from {first!r} to {last!r}"
    return found[0]


def run_program(world, name, source):
    """What a program prints; the last line is what it played, as JSON."""
    path = world.directory / name
    path.write_text(source, encoding="utf-8")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=60,
                          cwd=world.directory, check=False,
                          env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(SOURCE / "test/clients/python")})
    assert done.returncode == 0, done.stderr.strip().splitlines()[-1:] or done
    *lines, played = done.stdout.strip().splitlines()
    return lines, json.loads(played)


# What the programs take for granted: something that plays audio.  Seconds of each turn are noted.
PLAYER = """
import json as _json
_played, _made = [0], []
def play_audio(chunk):
    _played[-1] += len(chunk if isinstance(chunk, bytes) else chunk.audio) / 48000
"""

PLAYER_END = """
print(_json.dumps({"played": _played, "made": _made}))
"""


# 003


@statement("example-stream", "003 Example",
           "The messages of the document's program in Python return all of the audio, and a usage with "
           "its cost.")
def check_stream(world):
    address = world.url().replace("http", "ws", 1)
    seconds, cost, played = asyncio.run(stream_tokens(
        f"{address}/ws/tts/stream?api_key={world.server().key}", world.voice))
    assert abs(played - seconds) < 1e-4 and seconds > 1 and cost > 0, (played, seconds, cost)
    evidence = f"{seconds:.3f} s in usage, all of them played; {cost} ct"
    if world.examples:
        run_stream_program(world, address)
        evidence += "; with the document's own program, too"
    return evidence


def run_stream_program(world, address):
    source = between(text_of(world, "003"), "import asyncio", "asyncio.run(")
    source = source.replace("wss://api.kugelaudio.com", address).replace(
        "YOUR_API_KEY", world.server().key)
    source = re.sub(r'("voice_id": )\d+', rf"\g<1>{world.voice}", source)
    lines, noted = run_program(world, "stream.py", PLAYER + source + PLAYER_END)
    usage = re.fullmatch(r"Usage: ([\d.]+)s, ([\d.]+) ct", lines[-1])
    assert usage, lines
    seconds, cost = float(usage[1]), float(usage[2])
    assert abs(noted["played"][0] - seconds) < 1e-4 and seconds > 1 and cost > 0, (noted, lines)


async def stream_tokens(address, voice):
    """Tokens with a glance at the socket after each, flush and close_socket, then the rest."""
    played = 0

    def take(text):
        nonlocal played
        frame = json.loads(text)
        if "audio" in frame:
            played += len(base64.b64decode(frame["audio"])) / 48000
        return frame

    async with websockets.connect(address) as socket:
        await socket.send(json.dumps({"voice_id": voice, "model_id": "kugel-3", "cfg_scale": 2.0}))
        for token in ("Hello, ", "this ", "is ", "streaming ", "from ", "an ", "LLM."):
            await socket.send(json.dumps({"text": token}))
            try:
                take(await asyncio.wait_for(socket.recv(), timeout=0.01))
            except asyncio.TimeoutError:
                pass
        await socket.send(json.dumps({"flush": True}))
        await socket.send(json.dumps({"close_socket": True}))
        async for text in socket:
            frame = take(text)
            if frame.get("session_closed"):
                return frame["usage"]["audio_seconds"], frame["usage"]["cost_cents"], played
    raise AssertionError("no session_closed")


# 000


@statement("example-session-reuse", "000 Session reuse",
           "With the calls of the document's program, two turns with two voices on one session, send() "
           "yields the audio of both turns.")
def check_reuse(world):
    evidence = reuse_session(lambda: asyncio.run(two_turns(
        world.url(), world.server().key, world.voice, world.second_voice)))
    if world.examples:
        reuse_session(lambda: run_reuse_program(world))
        evidence += "; with the document's own program, too"
    return evidence


def reuse_session(play):
    """All of both turns must have been played; see TRIES."""
    for _ in range(TRIES):
        played, made = play()
        if len(played) == len(made) == 2 and all(
                heard > 0 and abs(heard - there) < 1e-3 for heard, there in zip(played, made)):
            return f"{played[0]:.2f} s and {played[1]:.2f} s played, all that was made"
    raise AssertionError(f"{played} s of {made} s played")


async def two_turns(url, key, voice, second):
    """A sentence, and a flush whose audio is not played; the session's end; another voice and another
    sentence.  Gives what was played in each turn, and what was made."""
    played, made = [0, 0], []

    async def play(turn, chunks):
        async for chunk in chunks:
            played[turn] += chunk.samples / 24000

    async with Session(url, key, voice_id=voice) as session:
        await play(0, session.send("Hello from voice one."))
        await session.flush()
        made.append(session.usage["audio_seconds"])
        await session.end_session()
        session.update_config(voice_id=second)
        await play(1, session.send("Hello from voice two."))
    made.append(session.usage["audio_seconds"])
    return played, made


def run_reuse_program(world):
    source = between(text_of(world, "000"), "async with client.tts.streaming_session(",
                     "# close() is called")
    source = source.replace("voice_id=1071", f"voice_id={world.voice}").replace(
        "voice_id=1072", f"voice_id={world.second_voice}")
    client = CLIENT.format(url=world.url(), key=world.server().key)
    program = PLAYER + client + textwrap.indent(source, "    ") + CLIENT_END + PLAYER_END
    _, noted = run_program(world, "reuse.py", program)
    return noted["played"], noted["made"]


# What the second program takes for granted as well: the client object, whose session is the one of
# test/clients/python.
CLIENT = """
import asyncio
from kugelaudio_session import Session


class _Noted(Session):
    def _end(self, closed):
        super()._end(closed)
        if closed and closed["usage"]["audio_seconds"]:
            _made.append(closed["usage"]["audio_seconds"])

    def update_config(self, **config):
        super().update_config(**config)
        _played.append(0)


class _Client:
    tts = property(lambda self: self)

    def streaming_session(self, **config):
        return _Noted("{url}", "{key}", **config)


client = _Client()


async def _main():
"""

CLIENT_END = """
asyncio.run(_main())
"""


@statement("example-session-reuse-messages", "000 Session reuse",
           "The messages of that program, with enough time to receive all replies: voice, flush, "
           "end_session, another voice, close.")
def check_messages(world):
    with world.speaking() as client:
        one = client.say("Hello from voice one.")
        client.send(end_session=True)
        ended = client.until("session_closed")
        client.send(voice_id=world.second_voice, text="Hello from voice two.")
        client.send(close=True)
        two = client.turn()
        client.protocol.send_close(1000)
        client.push()
        _, code = client.closes()
    assert one.samples and two.samples and len(ended) == 1 and code == 1000
    return (f"{one.samples} and {two.samples} samples, one session_closed for end_session, "
            f"close code {code}")
