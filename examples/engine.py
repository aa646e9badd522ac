#!/usr/bin/env python3
"""An engine in Python: one beep per word, with the standard library alone.

It speaks the worker protocol of docs/worker-protocol.md on the socket it
inherits as descriptor 3. Replace `beeps` to make something better of it.
"""
import math
import socket
import struct
import sys

RATE = 16000
HELLO, SPEAK, CREDIT, CANCEL, READY, VOICE, AUDIO, WORD, DONE = 1, 2, 3, 4, 16, 17, 18, 19, 20
OK, CANCELLED, UNKNOWN_VOICE = 0, 1, 3
DETERMINISTIC, WORD_TIMES = 1, 2
PAYLOAD_MAX = 1 << 20


def string(text):
    return struct.pack("<I", len(text.encode())) + text.encode()


def take_string(payload, at):
    end = at + 4 + struct.unpack_from("<I", payload, at)[0]
    return payload[at + 4:end], end


def beeps(text):
    """Yields (start byte, end byte, samples) for each word, then a pause."""
    at = 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        step = 2 * math.pi * (300 + sum(word) % 500) / RATE
        count = RATE // 10
        yield start, at, [int(8000 * math.sin(step * i) * min(1, (count - i) / 200))
                          for i in range(count)]
        yield None, None, [0] * (RATE // 20)


class Job:
    def __init__(self, payload):
        self.voice, at = take_string(payload, 0)
        _language, at = take_string(payload, at)
        self.text, at = take_string(payload, at)
        _text_before, at = take_string(payload, at)
        (_turn, self.skip, self.credit, _deadline, _speed, _temperature,
         self.want_words) = struct.unpack_from("<QQIIff?", payload, at)
        self.text = bytes(c if c >= 32 else 32 for c in self.text)
        self.cancelled = False
        self.samples = 0  # skipped or sent


class Worker:
    def __init__(self, connection):
        self.connection = connection
        self.received = b""
        self.jobs = {}  # by id, in the order they came

    def send(self, kind, job, payload=b""):
        self.connection.sendall(struct.pack("<IHHI", len(payload), kind, 0, job) + payload)

    def read(self, wait):
        """Takes what the server has sent; the first message at least if wait."""
        try:
            more = self.connection.recv(65536, 0 if wait else socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        if not more:
            sys.exit(0)  # the server is gone
        self.received += more
        while len(self.received) >= 12:
            length, kind, zero, job = struct.unpack_from("<IHHI", self.received)
            if length > PAYLOAD_MAX or zero:
                sys.exit("no message")
            if len(self.received) < 12 + length:
                break
            payload = self.received[12:12 + length]
            self.received = self.received[12 + length:]
            self.take(kind, job, payload)

    def take(self, kind, job, payload):
        if kind == HELLO:
            self.greet(*struct.unpack_from("<HH", payload))
        elif kind == SPEAK:
            self.jobs[job] = Job(payload)
        elif kind == CREDIT and job in self.jobs:
            self.jobs[job].credit += struct.unpack_from("<I", payload)[0]
        elif kind == CANCEL and job in self.jobs:
            self.jobs[job].cancelled = True

    def greet(self, lowest, highest):
        if not lowest <= 1 <= highest:
            sys.exit("the server does not speak version 1")
        self.send(VOICE, 0, string("beep") + string("en") + string("Beep")
                  + struct.pack("<IBB", RATE, 0, 0))
        self.send(READY, 0, struct.pack("<HHI", 1, 1, DETERMINISTIC | WORD_TIMES)
                  + string("beep"))

    def put(self, number, job, samples):
        """Sends samples as the credit allows; false when the job was cancelled."""
        self.read(wait=False)
        skipped = min(job.skip, len(samples))
        job.skip -= skipped
        job.samples += skipped
        samples = samples[skipped:]
        while samples and not job.cancelled:
            count = min(len(samples), job.credit)
            if count == 0:
                self.read(wait=True)
                continue
            self.send(AUDIO, number,
                      struct.pack("<II%dh" % count, 0, RATE, *samples[:count]))
            job.credit -= count
            job.samples += count
            samples = samples[count:]
        return not job.cancelled

    def speak(self, number, job):
        if job.voice != b"beep":
            return UNKNOWN_VOICE
        position = 0
        for start, end, samples in beeps(job.text):
            if start is not None and job.want_words:
                self.send(WORD, number,
                          struct.pack("<IIQQ", start, end, position, position + len(samples)))
            if not self.put(number, job, samples):
                return CANCELLED
            position += len(samples)
        return OK

    def run(self):
        while True:
            self.read(wait=True)
            while self.jobs:
                number, job = next(iter(self.jobs.items()))
                status = CANCELLED if job.cancelled else self.speak(number, job)
                self.send(DONE, number, struct.pack("<IIQ", status, 0, job.samples) + string(""))
                del self.jobs[number]


if __name__ == "__main__":
    Worker(socket.socket(fileno=3)).run()
