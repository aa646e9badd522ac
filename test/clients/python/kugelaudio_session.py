"""A streaming session on /ws/tts/stream that behaves on the wire like the one of KugelAudio's Python
SDK (2.3.0): the same frames, the same waits, the same frames dropped.  The SDK is not packaged
anywhere that tests can fetch it from; this is a restatement, not its code.

What matters to a server:

- Text is sent with `flush` in it.  The configuration is part of the first text of a session, and
  again of the first text after `end_session`, `cancel_current` or `update_config`.
- After `send(text)` the client listens for 50 ms.  When no frame comes, it returns, and what the
  server says later is read by a later call, or is lost: `end_session` and `close` drop audio.
- Once a frame has come, it reads on until `session_closed`, or until 2 s have passed after a
  `chunk_complete`, or until 30 s have passed without any frame.
- A pong must come within 15 s; compression is not offered.

    async with Session(url, key, voice_id=1071) as session:
        async for chunk in session.send("Hello."):
            play(chunk.audio)
"""

import asyncio
import base64
import dataclasses
import json
import time

import websockets

FIRST_FRAME_S = 0.05  # after text that is not flushed
REPLY_S = 30.0  # after anything that must be answered, and between frames
NEXT_CHUNK_S = 2.0  # after chunk_complete
PING_S = 15.0
CLOSE_S = 5.0

# Sent with every configuration; the rest is sent when it is set.
DEFAULTS = {"cfg_scale": 2.0, "max_new_tokens": 2048, "sample_rate": 24000,
            "flush_timeout_ms": 500, "max_buffer_length": 1000, "normalize": True,
            "word_timestamps": False, "speed": 1.0}


class SessionError(Exception):
    """An error frame of the server."""

    def __init__(self, frame):
        super().__init__(frame["error"])
        self.frame = frame


@dataclasses.dataclass
class Chunk:
    """One audio frame."""

    audio: bytes
    index: int
    sample_rate: int
    samples: int


class Audio:
    """Frames as they come, for `async for`.  It can be awaited too, for a list of all: the published
    examples await flush(), which the SDK's own does not allow."""

    def __init__(self, chunks):
        self.chunks = chunks

    def __aiter__(self):
        return self.chunks

    def __await__(self):
        return self.collect().__await__()

    async def collect(self):
        return [chunk async for chunk in self.chunks]


class Session:
    """Other waits than the SDK's are for tests: a longer first one shows what was missed, a shorter
    last one saves time where no further chunk can come."""

    def __init__(self, url, key, first_frame_s=FIRST_FRAME_S, next_chunk_s=NEXT_CHUNK_S, **config):
        self.url = f"{url.replace('http', 'ws', 1)}/ws/tts/stream?api_key={key}&sdk=python"
        self.first_frame_s = first_frame_s
        self.next_chunk_s = next_chunk_s
        self.config = DEFAULTS | config
        self.config_is_sent = False
        self.socket = None
        self.words = []  # of the last word_timestamps
        self.final = None  # the last one
        self.usage = None  # of the last session_closed
        self.first_frame_after_s = None  # the last text was sent; None: not while it was awaited
        self.drained = None  # the session_closed that drain() read

    async def __aenter__(self):
        await self.connect()
        return self

    async def __aexit__(self, *exception):
        await self.close()

    async def connect(self):
        self.socket = await websockets.connect(self.url, compression=None, ping_interval=PING_S,
                                               ping_timeout=PING_S, close_timeout=CLOSE_S)

    def send(self, text, flush=False):
        """Audio that the text brings.  Nothing is sent before the first frame is asked for."""
        return Audio(self._send({"text": text, "flush": flush}, must_answer=flush))

    def flush(self):
        """Ends the turn: audio up to session_closed."""
        return Audio(self._send({"flush": True}, must_answer=True))

    def drain(self):
        """Ends the session: audio up to session_closed, which end_session() then returns."""
        return Audio(self._drain())

    async def end_session(self):
        """Ends the session; audio that is still to come is dropped.  Returns session_closed."""
        closed, self.drained = self.drained, None
        if closed is None and self.socket:
            async for frame in self._frames_until("session_closed", {"close": True}):
                closed = frame
            self._end(closed)
        self.config_is_sent = False
        return closed

    async def cancel_current(self):
        """Abandons the turn; audio that is still to come is dropped."""
        async for _ in self._frames_until("interrupted", {"cancel": True}):
            pass
        self.config_is_sent = False

    def update_config(self, **config):
        """For the next text: nothing is sent now."""
        self.config |= config
        self.config_is_sent = False

    async def close(self):
        """Ends the session and the connection."""
        closed = await self.end_session()
        if self.socket:
            await self.socket.close()
            self.socket = None
        return closed

    async def _send(self, frame, must_answer):
        if not self.socket:
            await self.connect()
        if not self.config_is_sent:
            frame = frame | {name: value for name, value in self.config.items()
                             if value is not None}
            self.config_is_sent = True
        await self.socket.send(json.dumps(frame))
        async for chunk in self._receive_until_idle(REPLY_S if must_answer else self.first_frame_s):
            yield chunk

    async def _receive_until_idle(self, patience_s):
        sent, self.first_frame_after_s = time.monotonic(), None
        while True:
            try:
                frame = await self._receive(patience_s)
            except (asyncio.TimeoutError, websockets.ConnectionClosedOK):
                return
            if self.first_frame_after_s is None:
                self.first_frame_after_s = time.monotonic() - sent
            if "audio" in frame:
                yield self._chunk(frame)
            self._note(frame)
            if frame.get("session_closed"):
                return
            if frame.get("generation_started") or "audio" in frame:
                patience_s = REPLY_S
            elif frame.get("chunk_complete"):
                patience_s = self.next_chunk_s

    async def _drain(self):
        async for frame in self._frames_until("session_closed", {"close": True}):
            if "audio" in frame:
                yield self._chunk(frame)
            self._note(frame)
            self.drained = frame

    async def _frames_until(self, name, request):
        """All frames after a request up to the one that answers it."""
        await self.socket.send(json.dumps(request))
        while True:
            frame = await self._receive(REPLY_S)
            yield frame
            if frame.get(name):
                return

    async def _receive(self, patience_s):
        frame = json.loads(await asyncio.wait_for(self.socket.recv(), patience_s))
        if frame.get("error"):
            raise SessionError(frame)
        return frame

    def _note(self, frame):
        if "word_timestamps" in frame:
            self.words = frame["word_timestamps"]
        if frame.get("final"):
            self.final = frame
        if frame.get("session_closed"):
            self._end(frame)

    def _end(self, closed):
        if closed and closed.get("usage"):
            self.usage = closed["usage"]

    @staticmethod
    def _chunk(frame):
        return Chunk(base64.b64decode(frame["audio"]), frame["idx"], frame["sr"], frame["samples"])
