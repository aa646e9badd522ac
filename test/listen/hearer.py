"""syrinx-hear without a server, which is given whole recordings.

It speaks the worker protocol of docs/worker-protocol.md, as a server would.
"""

import os
import socket
import struct
import subprocess

RATE = 16000
HELLO, LISTEN, SAMPLES, RECOGNIZE, FINISH = 1, 7, 8, 9, 11
READY, DONE, MODEL, ROOM, WORDS = 16, 20, 23, 24, 26
STEP = 65536  # samples of a message


def string(text):
    return struct.pack("<I", len(text.encode())) + text.encode()


def take_string(payload, at):
    end = at + 4 + struct.unpack_from("<I", payload, at)[0]
    return payload[at + 4:end].decode(), end


class Hearer:
    """One process of the engine, with the models in a folder."""

    def __init__(self, program, models, voices):
        ours, theirs = socket.socketpair()
        self.connection = ours
        self.job = 0
        self.models = {}  # samples of the longest piece, by name
        self.process = subprocess.Popen(
            [program, "--fd", str(theirs.fileno())], pass_fds=[theirs.fileno()],
            env=os.environ | {"SYRINX_MODELS": str(models), "SYRINX_VOICES": str(voices)})
        theirs.close()
        self.send(HELLO, 0, struct.pack("<HH", 1, 1))
        while (message := self.read())[0] != READY:
            if message[0] == MODEL:
                name, at = take_string(message[2], 0)
                for _ in range(3):  # title, languages, licence
                    _text, at = take_string(message[2], at)
                self.models[name] = struct.unpack_from("<II", message[2], at)[1]

    def send(self, kind, job, payload=b""):
        self.connection.sendall(struct.pack("<IHHI", len(payload), kind, 0, job) + payload)

    def read_exactly(self, count):
        received = b""
        while len(received) < count:
            more = self.connection.recv(count - len(received))
            if not more:
                raise RuntimeError("syrinx-hear has ended")
            received += more
        return received

    def read(self):
        """(kind, job, payload) of the next message."""
        length, kind, _zero, job = struct.unpack("<IHHI", self.read_exactly(12))
        return kind, job, self.read_exactly(length)

    def listen(self, model, samples):
        """The words of a recording, given as bytes, that is recognized as one piece."""
        self.job += 1
        count, sent, room, text = len(samples) // 2, 0, 0, None
        self.send(LISTEN, self.job, string(model) + string("") + struct.pack("<QI", 0, 0) + string(""))
        while True:
            kind, job, payload = self.read()
            if job != self.job:
                continue
            if kind == DONE:
                break
            if kind == WORDS:
                _language, at = take_string(payload, 8)
                text, _at = take_string(payload, at + 8)
            elif kind == ROOM:
                room += struct.unpack("<I", payload)[0]
                while sent < count and room > 0:
                    step = min(STEP, room, count - sent)
                    self.send(SAMPLES, self.job, samples[2 * sent:2 * (sent + step)])
                    sent, room = sent + step, room - step
                    if sent == count:
                        self.send(RECOGNIZE, self.job, struct.pack("<IQQ?I", 1, 0, count, True, 0))
                        self.send(FINISH, self.job)
        if text is None:
            raise RuntimeError(f"syrinx-hear does not recognize with {model}: {payload!r}")
        return text

    def close(self):
        self.connection.close()
        self.process.wait(10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
