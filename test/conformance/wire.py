"""Sockets that remember every frame with the time it came, and how frames are shown as evidence."""

import base64
import json
import select

from client import Client, Closed, Refused, Turn, now
from websockets.connection import State
from websockets.frames import Frame, Opcode

# How long something is waited for that must come.  A check that fails takes as long.
PATIENCE_S = 40.0

NAMES = ("error", "warning", "audio", "word_timestamps", "generation_started", "chunk_complete",
         "context_created", "context_closed", "interrupted", "final", "session_closed",
         "settings_updated")


class Seen:
    """A frame and when it came."""

    def __init__(self, at, frame):
        self.at = at
        self.frame = frame

    @property
    def name(self):
        return next((name for name in NAMES if self.frame.get(name) not in (None, False)), "?")

    def __getitem__(self, key):
        return self.frame[key]

    def get(self, key, default=None):
        return self.frame.get(key, default)


class Tapped(Client):
    """A client whose frames are kept, with what it has sent; `every` has all clients of the run."""

    every = []

    def __init__(self, server, *arguments, **options):
        self.pings = []  # of the server
        self.sent = []
        self.seen = []
        super().__init__(server, *arguments, context=getattr(server, "tls", None), **options)
        self.opened_at = now()
        self.socket.settimeout(PATIENCE_S)
        received = self.protocol.events_received
        self.protocol.events_received = lambda: self.note_pings(received())
        Tapped.every.append(self)

    def note_pings(self, events):
        self.pings += [now() for event in events
                       if isinstance(event, Frame) and event.opcode is Opcode.PING]
        return events

    def shake_hands(self, headers):
        try:
            super().shake_hands(headers)
        except json.JSONDecodeError:  # another server may refuse with a page of text
            response = self.protocol.handshake_exc.response
            response.body = None
            raise Refused(response) from None

    def send_text(self, text):
        """Sends, and gives the time before that: the server's clock cannot have started earlier."""
        self.sent.append(text)
        before = now()
        super().send_text(text)
        return before

    def send(self, message=None, **fields):
        """The same with a message, or with its members."""
        return self.send_text(json.dumps(message if message is not None else fields))

    def ping(self):
        self.protocol.send_ping(b"alive")
        self.push()

    @property
    def is_open(self):
        return self.protocol.state is State.OPEN and not self.has_ended

    def take(self, seconds):
        """The next frame, or None when none comes for so long."""
        deadline = now() + seconds
        while not self.waiting:
            if self.has_ended or self.protocol.state is State.CLOSED:
                raise Closed(self.protocol.close_code, self.protocol.close_reason)
            left = deadline - now()
            if not self.has_bytes(max(0.0, left)):
                return None
            self.pull()
        seen = Seen(now(), self.waiting.pop(0))
        self.seen.append(seen)
        return seen

    def has_bytes(self, seconds):
        pending = getattr(self.socket, "pending", lambda: 0)
        return pending() > 0 or bool(select.select([self.socket], [], [], seconds)[0])

    def until(self, name, count=1, within=PATIENCE_S, **fields):
        """Frames up to the one of this name (and with these members)."""
        frames, deadline = [], now() + within
        while count:
            seen = self.take(max(0.0, deadline - now()))
            assert seen, f"no {name} within {within:.0f} s; came: {shape(frames) or 'nothing'}"
            frames.append(seen)
            if seen.name == name and fields.items() <= seen.frame.items():
                count -= 1
        return frames

    def during(self, seconds):
        """Frames that come within this time."""
        frames, deadline = [], now() + seconds
        while (left := deadline - now()) > 0:
            seen = self.take(left)
            if seen:
                frames.append(seen)
        return frames

    def closes(self, within=PATIENCE_S):
        """Reads to the end of the connection; gives its frames and its close code."""
        frames, deadline = [], now() + within
        while True:
            try:
                seen = self.take(max(0.0, deadline - now()))
            except Closed as closed:
                return frames, closed.code
            assert seen, f"the connection was not closed within {within:.0f} s"
            frames.append(seen)

    def say(self, text, **fields):
        """A whole turn in one message, and its frames."""
        self.send({"text": text, "flush": True} | fields)
        return self.turn()

    def turn(self):
        """A turn whose frames are read to session_closed, checked one by one (see client.Turn)."""
        turn = Turn()
        turn.seen = self.until("session_closed")
        for seen in turn.seen:
            turn.add(seen.frame)
        return turn


class Stream(Tapped):
    path = "/ws/tts/stream"


class Multi(Tapped):
    path = "/ws/tts/multi"

    def open(self, context, voice, **fields):
        """A context that is there."""
        self.send({"text": " ", "context_id": context, "voice_settings": {"voice_id": voice}} | fields)
        return self.until("context_created", context_id=context)

    def speak(self, context, text, **fields):
        """Text and a flush in a context; its frames up to the final."""
        self.send({"text": text, "context_id": context, "flush": True} | fields)
        return self.until("final", context_id=context)

    def close_context(self, context, **fields):
        self.send({"close_context": True, "context_id": context} | fields)
        return self.until("context_closed", context_id=context)


class Once(Tapped):
    path = "/ws/tts"


# Evidence


def shape(frames):
    """Their names in order, repetitions of audio as one: what stays the same from run to run."""
    names = []
    for seen in frames:
        if not (seen.name == "audio" and names and names[-1] == "audio"):
            names.append(seen.name)
    return " ".join(names)


def shown(frame):
    """A frame as evidence: without audio, without what is different each time."""
    frame = dict(frame.frame if isinstance(frame, Seen) else frame)
    if isinstance(frame.get("audio"), str):
        frame["audio"] = "…"
    for name in ("request_id", "turn_id", "turn_ids"):
        frame.pop(name, None)
    if "gen_ms" in frame:
        frame["gen_ms"] = "…"
    if isinstance(frame.get("usage"), dict):
        frame["usage"] = {key: "…" if key in ("turn_id", "turn_ids") else value
                          for key, value in frame["usage"].items()}
    return json.dumps(frame, ensure_ascii=False)


def names_of(frames):
    return [seen.name for seen in frames]


def audio_of(frames, context=None):
    """The samples' bytes of these frames."""
    return b"".join(base64.b64decode(seen["audio"]) for seen in frames
                    if seen.name == "audio" and context in (None, seen.get("context_id")))


def texts_of(frames):
    return [seen["text"] for seen in frames if seen.name == "generation_started"]


def the(frames, name):
    """The only frame of this name."""
    found = [seen for seen in frames if seen.name == name]
    assert len(found) == 1, f"{len(found)} {name} in {shape(frames)}"
    return found[0]


def same_keys(frame, *keys):
    """The frame has exactly these keys."""
    frame = frame.frame if isinstance(frame, Seen) else frame
    assert set(frame) == set(keys), f"keys {sorted(frame)}, documented {sorted(keys)}"
    return shown(frame)


def seconds(value):
    """For evidence: a tenth of a second is what stays the same."""
    return f"{value:.1f} s"


def milliseconds(value):
    return f"{1000 * value:.1f} ms"
