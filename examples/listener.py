#!/usr/bin/env python3
"""An engine in Python that listens: every burst of sound is the word "beep", with the standard
library alone.

It speaks the worker protocol of docs/worker-protocol.md on the socket it inherits as descriptor 3.
Replace `words_in` to make something better of it, and `probability` to be less easily impressed.
"""
import array
import socket
import struct
import sys

RATE, FRAME, STEP = 16000, 512, 160  # a step is 10 ms
KEEP, LONGEST = 60 * RATE, 30 * RATE  # samples of a job, and of a piece
LOUD = 500
HELLO, CANCEL, LISTEN, SAMPLES, RECOGNIZE, RELEASE, FINISH = 1, 4, 7, 8, 9, 10, 11
READY, DONE, MODEL, ROOM, ACTIVITY, WORDS = 16, 20, 23, 24, 25, 26
OK, CANCELLED, UNKNOWN_MODEL = 0, 1, 3
LISTENS, TIMES, PARTIALS, WANT_TIMES = 256, 1, 16, 1
PAYLOAD_MAX = 1 << 20


def string(text):
    return struct.pack("<I", len(text.encode())) + text.encode()


def take_string(payload, at):
    end = at + 4 + struct.unpack_from("<I", payload, at)[0]
    return payload[at + 4:end].decode(), end


def probability(frame):
    """How probable it is that somebody speaks in this frame, times 255."""
    return 230 if max(frame) > LOUD else 5


def words_in(samples):
    """Yields (word, first sample, end sample)."""
    start = None
    for at in range(0, len(samples) + STEP, STEP):
        is_loud = at < len(samples) and max(samples[at:at + STEP]) > LOUD
        if is_loud and start is None:
            start = at
        elif not is_loud and start is not None:
            yield "beep", start, min(at, len(samples))
            start = None


class Job:
    def __init__(self, payload):
        self.model, at = take_string(payload, 0)
        _language, at = take_string(payload, at)
        self.first, self.wants = struct.unpack_from("<QI", payload, at)
        self.audio = array.array("h")  # from `first` on
        self.scored = self.first  # frames before this have been answered
        self.heard = 0  # samples
        self.pieces = []
        self.finished = False

    def samples(self, start, end):
        return self.audio[start - self.first:end - self.first]

    def end(self):
        return self.first + len(self.audio)

    def release(self, sample):
        del self.audio[:sample - self.first]
        self.first = sample


class Worker:
    def __init__(self, connection):
        self.connection = connection
        self.received = b""
        self.jobs = {}

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
            length, kind, zero, number = struct.unpack_from("<IHHI", self.received)
            if length > PAYLOAD_MAX or zero:
                sys.exit("no message")
            if len(self.received) < 12 + length:
                break
            payload = self.received[12:12 + length]
            self.received = self.received[12 + length:]
            self.take(kind, number, self.jobs.get(number), payload)

    def take(self, kind, number, job, payload):
        if kind == HELLO:
            self.greet(*struct.unpack_from("<HH", payload))
        elif kind == LISTEN:
            job = self.jobs[number] = Job(payload)
            if job.model not in ("", "beeps"):
                self.done(number, UNKNOWN_MODEL)
            else:
                self.send(ROOM, number, struct.pack("<I", KEEP))
        elif kind == SAMPLES and job:
            more = array.array("h", payload)
            if sys.byteorder == "big":
                more.byteswap()
            job.audio += more
            job.heard += len(more)
        elif kind == RECOGNIZE and job:
            asked, start, end, final, due = struct.unpack_from("<IQQ?I", payload)
            if not job.first <= start < end <= job.end():
                sys.exit("a piece that was not sent")
            job.pieces.append((not final, due, asked, start, end))
        elif kind == RELEASE and job:
            before = job.first
            job.release(struct.unpack_from("<Q", payload)[0])
            self.send(ROOM, number, struct.pack("<I", job.first - before))
        elif kind == FINISH and job:
            job.finished = True
        elif kind == CANCEL and job:
            self.done(number, CANCELLED)

    def greet(self, lowest, highest):
        if not lowest <= 1 <= highest:
            sys.exit("the server does not speak version 1")
        self.send(MODEL, 0, string("beeps") + string("Beeps") + string("") + string("")
                  + struct.pack("<II", TIMES | PARTIALS, LONGEST))
        self.send(READY, 0, struct.pack("<HHI", 1, 16, LISTENS) + string("beeps"))

    def done(self, number, status):
        job = self.jobs.pop(number)
        self.send(DONE, number, struct.pack("<IIQ", status, 0, job.heard) + string(""))

    def score(self, number, job):
        first, values = job.scored, bytearray()
        while job.scored + FRAME <= job.end():
            values.append(probability(job.samples(job.scored, job.scored + FRAME)))
            job.scored += FRAME
        if values:
            self.send(ACTIVITY, number, struct.pack("<Q", first) + values)

    def recognize(self, number, job, asked, start, end):
        text, words = "", []
        for word, begin, stop in words_in(job.samples(start, end)):
            text += " " * bool(text) + word
            words.append(struct.pack("<IIQQf", len(text) - len(word), len(text), start + begin,
                                     start + stop, 1.0))
        words = words if job.wants & WANT_TIMES else []
        self.send(WORDS, number, struct.pack("<II", asked, 0) + string("") + struct.pack("<fI", 0, 0)
                  + string(text) + struct.pack("<H", len(words)) + b"".join(words))

    def run(self):
        while True:
            self.read(wait=True)
            for number, job in list(self.jobs.items()):
                self.score(number, job)
            # The most urgent piece of all jobs; what arrives meanwhile may be more urgent.
            while waiting := [(job.pieces, number) for number, job in self.jobs.items()
                              if job.pieces]:
                piece, number = min((min(pieces), number) for pieces, number in waiting)
                self.jobs[number].pieces.remove(piece)
                self.recognize(number, self.jobs[number], *piece[2:])
                self.read(wait=False)
                for other, job in list(self.jobs.items()):
                    self.score(other, job)
            for number in [number for number, job in self.jobs.items() if job.finished]:
                self.done(number, OK)


if __name__ == "__main__":
    Worker(socket.socket(fileno=3)).run()
