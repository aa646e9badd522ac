"""A client of /ws/tts/stream that blocks, over the protocol core of python3-websockets.

Turn collects one turn's frames and checks, frame by frame, what holds of every turn: chunks in
order, their frames in order and of the length they claim, totals that are the sums.  So every test
that reads a turn checks this as well.
"""

import array
import base64
import json
import select
import socket
import ssl
import statistics
import struct
import time

from websockets.client import ClientConnection
from websockets.connection import State
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from program import WAIT_S

BYTES_PER_SAMPLE = {"pcm_s16le": 2, "mulaw": 1, "alaw": 1}


class Closed(Exception):
    """The server has closed the connection."""

    def __init__(self, code, reason):
        super().__init__(f"closed {code} {reason}")
        self.code = code
        self.reason = reason


class Refused(Exception):
    """The handshake was answered with another status than 101."""

    def __init__(self, response):
        super().__init__(f"HTTP {response.status_code}")
        self.status = response.status_code
        self.headers = {name.lower(): value for name, value in response.headers.raw_items()}
        self.body = json.loads(response.body) if response.body else None


class Turn:
    """The frames of one turn, up to session_closed."""

    def __init__(self):
        self.frames = []
        self.texts = []  # of the chunks
        self.chunk_samples = []
        self.frame_samples = []  # (chunk, samples)
        self.audio = b""
        self.words = []
        self.warnings = []
        self.errors = []
        self.rate = self.encoding = None
        self.final = None
        self.closed = None
        self.chunk_is_open = False

    @property
    def samples(self):
        return sum(self.chunk_samples)

    @property
    def usage(self):
        return self.closed["usage"]

    def pcm(self):
        assert self.encoding in (None, "pcm_s16le")
        return array.array("h", self.audio)

    def add(self, frame):
        self.frames.append(frame)
        assert not self.closed, f"after session_closed: {frame}"
        if "error" in frame:
            self.errors.append(frame)
        elif "audio" in frame:
            self.add_audio(frame)
        elif frame.get("generation_started"):
            assert not self.chunk_is_open and not self.final
            assert frame["chunk_id"] == len(self.texts)
            self.texts.append(frame["text"])
            self.chunk_samples.append(0)
            self.chunk_is_open = True
        elif "word_timestamps" in frame:
            assert self.chunk_is_open and frame["chunk_id"] == len(self.texts) - 1
            self.words.append(frame["word_timestamps"])
        elif frame.get("chunk_complete"):
            self.end_chunk(frame)
        elif "warning" in frame:
            self.warnings.append(frame["warning"])
        elif frame.get("final"):
            assert not self.chunk_is_open and not self.final and not self.errors
            self.final = frame
            self.check_totals(frame)
        elif frame.get("session_closed"):
            self.close(frame)
        else:
            raise AssertionError(f"no frame of a turn: {frame}")

    def add_audio(self, frame):
        assert self.chunk_is_open and frame["chunk_id"] == len(self.texts) - 1, frame["chunk_id"]
        assert frame["idx"] == len(self.frame_samples)
        assert frame["samples"] > 0
        assert (self.rate, self.encoding) in ((None, None), (frame["sr"], frame["enc"]))
        self.rate, self.encoding = frame["sr"], frame["enc"]
        audio = base64.b64decode(frame["audio"], validate=True)
        assert len(audio) == frame["samples"] * BYTES_PER_SAMPLE[frame["enc"]]
        self.audio += audio
        self.chunk_samples[-1] += frame["samples"]
        self.frame_samples.append((frame["chunk_id"], frame["samples"]))

    def end_chunk(self, frame):
        assert self.chunk_is_open and frame["chunk_id"] == len(self.texts) - 1
        assert abs(frame["audio_seconds"] * self.rate - self.chunk_samples[-1]) < 0.5
        assert isinstance(frame["gen_ms"], int) and frame["gen_ms"] >= 0
        self.chunk_is_open = False

    def check_totals(self, frame):
        assert frame["total_text_chunks"] == len(self.texts)
        assert frame["total_audio_chunks"] == len(self.frame_samples)
        assert abs(frame["total_audio_seconds"] * (self.rate or 1) - self.samples) < 0.5

    def close(self, frame):
        self.closed = frame
        if self.errors:
            assert frame["total_audio_seconds"] == 0 and not self.final
            return
        assert self.final, "session_closed without final"
        self.check_totals(frame)
        assert frame["usage"]["audio_seconds"] == frame["total_audio_seconds"]


class Client:
    """One connection.  With a small receive_buffer the server feels at once that nobody reads."""

    path = "/ws/tts/stream"

    def __init__(self, server, key="", query="", headers=None, context=None, receive_buffer=None):
        resource = self.path + (query and "?" + query)
        if key == "":
            headers = {"Authorization": "Bearer " + server.key} | (headers or {})
        elif key is not None:
            headers = {"Authorization": "Bearer " + key} | (headers or {})
        scheme = "wss" if context else "ws"
        host = getattr(server, "host", "127.0.0.1")
        self.protocol = ClientConnection(
            parse_uri(f"{scheme}://{host}:{server.port}{resource}"), max_size=None)
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(WAIT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.connect((host, server.port))
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname=host)
        self.waiting = []  # messages that were read and not asked for yet
        self.has_ended = False
        self.shake_hands(headers or {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def shake_hands(self, headers):
        request = self.protocol.connect()
        for name, value in headers.items():
            if name in request.headers:
                del request.headers[name]
            request.headers[name] = value
        self.protocol.send_request(request)
        self.push()
        while self.protocol.state is State.CONNECTING and not self.protocol.handshake_exc:
            self.pull()
        if self.protocol.handshake_exc:
            response = getattr(self.protocol.handshake_exc, "response", None)
            self.socket.close()
            raise Refused(response) if response else self.protocol.handshake_exc
        self.response_headers = self.response.headers

    def push(self):
        for data in self.protocol.data_to_send():
            try:
                if data:
                    self.socket.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                return  # what it said before is still to be read

    def pull(self):
        """Takes what has come, waiting for it."""
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        except (socket.timeout, ssl.SSLWantReadError) as error:
            raise AssertionError(f"nothing came for {WAIT_S} s") from error
        if data:
            self.protocol.receive_data(data)
        else:
            self.protocol.receive_eof()
            self.has_ended = True
        self.push()  # the protocol answers pings and closes
        for event in self.protocol.events_received():
            if isinstance(event, Frame):
                if event.opcode is Opcode.TEXT:
                    self.waiting.append(json.loads(event.data))
            else:
                self.response = event

    # Messages

    def send(self, message=None, **fields):
        message = message if message is not None else fields
        if isinstance(message, dict) and "[[" in str(message.get("text")):
            message = {"normalize": False} | message  # the tone engine's hooks have numbers
        self.send_text(json.dumps(message))

    def send_text(self, text):
        self.protocol.send_text(text.encode())
        self.push()

    def send_bytes(self, data):
        self.socket.sendall(data)

    def can_read(self, seconds=0.0):
        """Whether something comes within this time."""
        if self.waiting:
            return True
        return bool(select.select([self.socket], [], [], seconds)[0])

    def receive(self):
        while not self.waiting:
            if self.has_ended or self.protocol.state is State.CLOSED:
                raise Closed(self.protocol.close_code, self.protocol.close_reason)
            self.pull()
        return self.waiting.pop(0)

    def read_turn(self, turn=None):
        """Reads to session_closed."""
        turn = turn or Turn()
        while not turn.closed:
            turn.add(self.receive())
        return turn

    def speak(self, text, **settings):
        """A whole turn: its text in one message, and its frames."""
        self.send({"text": text, "flush": True} | settings)
        return self.read_turn()

    def expect_error(self, code, error_code):
        frame = self.receive()
        assert (frame.get("code"), frame.get("error_code")) == (code, error_code), frame
        assert frame["error"] and frame["request_id"]
        return frame

    def expect_close(self, code):
        """The server closes with this code, after nothing else; gives its reason."""
        try:
            frame = self.receive()
        except Closed as closed:
            assert closed.code == code, closed
            return closed.reason
        raise AssertionError(f"wanted close {code}, came {frame}")

    def reset(self):
        """Vanishes: the kernel sends a reset instead of a goodbye."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def loudness(pcm):
    """(peak, root of the mean square)."""
    if not pcm:
        return 0, 0.0
    return max(map(abs, pcm)), (sum(x * x for x in pcm) / len(pcm)) ** 0.5


def is_speech(pcm):
    peak, power = loudness(pcm)
    return peak > 1000 and power > 100


def largest_step(pcm):
    return max(abs(b - a) for a, b in zip(pcm, pcm[1:]))


def pitch(pcm, rate=24000, lowest=60, highest=400, frames_max=30):
    """Of speech, in Hz: the median of the louder half of its frames, by autocorrelation."""
    step = rate // 8000
    pcm = [sum(pcm[i:i + step]) // step for i in range(0, len(pcm) - step + 1, step)]
    size, longest = 8000 // 25, 8000 // lowest
    frames = sorted((pcm[i:i + size + longest] for i in range(0, len(pcm) - size - longest, size)),
                    key=lambda frame: sum(x * x for x in frame))
    frames = frames[len(frames) // 2:]
    return statistics.median(8000 / _period(frame, size, range(8000 // highest, longest))
                             for frame in frames[::-(-len(frames) // frames_max)])


def _period(frame, size, lags):
    """The first lag that fits nearly as well as the best: its multiples fit too."""
    fit = {lag: sum(a * b for a, b in zip(frame[:size], frame[lag:])) for lag in lags}
    best = max(fit.values())
    return next(lag for lag in lags if fit[lag] >= 0.9 * best
                and fit[lag] >= max(fit.get(lag - 1, 0), fit.get(lag + 1, 0)))


def now():
    return time.monotonic()


def read_turns(clients, begun=None):
    """A turn of each, read as they come: one that is not read for long answers no ping."""
    turns = {client.socket: turn
             for client, turn in zip(clients, begun or [Turn() for _ in clients])}
    unread = {client.socket: client for client in clients}
    while unread:
        ready = select.select(list(unread), [], [], WAIT_S)[0]
        assert ready, f"nothing came for {WAIT_S} s"
        for sock in ready:
            client, turn = unread[sock], turns[sock]
            client.pull()
            while client.waiting and not turn.closed:
                turn.add(client.waiting.pop(0))
            if turn.closed:
                del unread[sock]
            elif client.has_ended:
                raise Closed(client.protocol.close_code, client.protocol.close_reason)
    return [turns[client.socket] for client in clients]
