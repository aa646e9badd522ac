#!/usr/bin/python3
"""Floods against a server of its own, with real sockets: what they cost it, and whether a client with
a key is still served.

    test/abuse/floods.py                          every kind, a minute each
    test/abuse/floods.py --seconds 10 --only cancel --only slow_heads
    test/abuse/floods.py --server-build build-asan

Each kind has a limit on the server's memory, which is not enforced for sanitizer builds.  The witness,
a separate process, keeps speaking turns on new connections during the flood.  The additional delay of
its first audio is printed but not judged, because other programs on this machine cause delays, too.
The exit status is 1 when a limit is exceeded or the witness was not served.  Only 127.0.0.1 is
flooded, by at most 2,000 connections at a time.
"""

import argparse
import collections
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

KIB = 1024
BUSY_S = 0.2  # between two turns of the witness
QUIET_S = 3.0  # the witness alone, for comparison
FLAT_KIB = 1024  # how much memory may grow in the second half of a flood

Kind = collections.namedtuple("Kind", "name has_key clients bound_kib make again settings")
KINDS = []


def kind(clients, bound_kib, has_key=False, again=True, settings=None):
    """A kind of flood.  bound_kib is the limit for all clients together; `again`: closed connections
    are replaced."""
    def add(make):
        KINDS.append(Kind(make.__name__, has_key, clients, bound_kib, make, again, settings or {}))
        return make
    return add


def commands(name):
    def make(server, _):
        return flood.command_flooder(server, name)
    make.__name__ = name
    return make


def define():
    """Needs flood.py, which needs to know the build."""
    from flood import Flooder, command_flooder, connect, frame, shake_hands

    for name in flood.COMMANDS:
        kind(1, KIB, has_key=True)(commands(name))

    @kind(200, 200 * 256, has_key=True)
    def commands_of_200(server, i):
        return command_flooder(server, list(flood.COMMANDS)[i % len(flood.COMMANDS)])

    enough = []  # how many replies close a connection, as far as the kernel takes some

    def find_enough(server):
        probe = shake_hands(server, "/ws/tts/stream")
        count = 0
        while "closed with 1008" not in server.log():
            probe.socket.send(frame('{"cancel":true}') * 50)
            count += 50
            time.sleep(0.01)
        probe.close()
        return count

    @kind(200, 200 * 256, has_key=True, again=False)
    def replies_below_the_bound(server, _):
        """As many as may wait, and none of them is read."""
        if not enough:
            enough.append(find_enough(server))
        return shake_hands(server, "/ws/tts/stream",
                           first=frame('{"cancel":true}') * (enough[0] * 9 // 10))

    @kind(1, KIB, has_key=True)
    def reports(server, _):
        """Each reply has the text of the last turn in it."""
        text = frame(json.dumps({"voice_id": 1, "text": "A sentence to report. " * 100,
                                 "flush": True}))
        return shake_hands(server, "/ws/tts/stream", first=text,
                           again=frame('{"cancel":true,"report":true}'))

    @kind(1, KIB, has_key=True)
    def flushes_behind_a_turn(server, _):
        text = frame(json.dumps({"context_id": "a", "voice_id": 1, "text": "Long. " * 2000,
                                 "flush": True}))
        return shake_hands(server, "/ws/tts/multi", first=text,
                           again=frame('{"context_id":"a","flush":true}'))

    @kind(1, 4 * KIB, has_key=True)
    def failing_contexts(server, _):
        """Each begins to speak and then fails, with audio that waits."""
        parts = []
        for i in range(200):
            parts.append(frame(json.dumps({"context_id": f"c{i}", "voice_id": 1,
                                           "text": "Hello there, whoever you are. And so on. "})))
            parts.append(frame(json.dumps({"context_id": f"c{i}",
                                           "text": "<break time='no'/>", "flush": True})))
        return shake_hands(server, "/ws/tts/multi", again=b"".join(parts))

    @kind(1, KIB, has_key=True)
    def agent_pings(server, _):
        return shake_hands(server, "/ws/talk/echo",
                           again=frame('{"type":"ping","ping_event":{"event_id":1}}'))

    @kind(1, KIB, has_key=True)
    def agent_words(server, _):
        """The agent says again what it is told: long answers, none of which is read."""
        turns = []
        for i in range(1, 200):
            history = [{"role": "user", "content": f"{i} " + "word " * 2000}]
            turns.append(frame(json.dumps({"type": "user_transcript", "event_id": i,
                                           "user_transcript": history})))
        return shake_hands(server, "/ws/talk/echo", first=b"".join(turns))

    @kind(50, 50 * 256, has_key=True)
    def pings(server, _):
        return shake_hands(server, "/ws/tts/stream", again=frame(b"p" * 125, opcode=9))

    @kind(100, 100 * 64, has_key=True)
    def chunk_extensions(server, _):
        head = ("POST /v1/dictionaries HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n"
                f"X-API-Key: {server.key}\r\n\r\n1;")
        return Flooder(connect(server.port), first=head.encode(), again=b"a" * 100)

    @kind(100, 100 * 64, has_key=True)
    def trailers(server, _):
        head = ("POST /v1/dictionaries HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n"
                f"X-API-Key: {server.key}\r\n\r\n0\r\n")
        return Flooder(connect(server.port), first=head.encode(), again=b"X-Trailer: yes\r\n")

    @kind(400, 400 * 32)
    def half_bodies(server, _):
        head = b"POST /v1/tts/generate HTTP/1.1\r\nHost: here\r\nContent-Length: 1048576\r\n\r\n"
        return Flooder(connect(server.port), first=head, again=b"x" * 1024, most=512 * KIB)

    @kind(400, 400 * 96)
    def half_bodies_of_wrong_keys(server, i):
        head = ("POST /v1/tts/generate HTTP/1.1\r\nHost: here\r\nContent-Length: 1048576\r\n"
                f"X-API-Key: ka_wrong{i}\r\n\r\n")
        return Flooder(connect(server.port), first=head.encode(), again=b"x" * 1024,
                       most=512 * KIB)

    # Unauthenticated connections together may hold 32 MiB.
    @kind(1500, 48 * KIB, settings={"server.max_connections": 2000})
    def unfinished_first_messages(server, _):
        return shake_hands(server, "/v1/text-to-speech/1/stream-input", key=None,
                           first=frame("x" * 65000)[:64000])

    @kind(100, 100 * 96)
    def too_long_first_messages(server, _):
        return shake_hands(server, "/v1/text-to-speech/1/stream-input", key=None,
                           first=frame("x" * 65000)[:64000], again=b"x" * 1024)

    @kind(200, 200 * 160)
    def pings_without_a_key(server, _):
        return shake_hands(server, "/v1/text-to-speech/1/stream-input", key=None,
                           again=frame(b"p" * 125, opcode=9))

    @kind(2000, 2000 * 8)
    def slow_heads(server, _):
        return Flooder(connect(server.port), first=b"GET / HTTP/1.1\r\nX-Slow: ", again=b"x",
                       most=200)

    @kind(2000, 48 * KIB)
    def long_heads(server, _):
        return Flooder(connect(server.port),
                       first=b"GET / HTTP/1.1\r\nX-Long: " + b"x" * 16000)

    @kind(400, 400 * 8, settings={"server.max_connections": 200})
    def idle_connections_until_full(server, _):
        return Flooder(connect(server.port), first=b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n")

    @kind(100, 100 * 16)
    def places_for_large_bodies(server, _):
        head = (b"PUT /v1/dictionaries/1/entries HTTP/1.1\r\nHost: here\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")
        return Flooder(connect(server.port), first=head)

    @kind(500, 48 * KIB)
    def pages_not_read(server, _):
        return Flooder(connect(server.port),
                       again=b"GET /openapi.json HTTP/1.1\r\nHost: here\r\n\r\n", most=KIB * KIB)


# The witness

def witness(port, key):
    """Speaks and prints how long its first audio took, until it is ended."""
    from client import Client, Turn
    At = collections.namedtuple("At", "port key")
    while True:
        begun = time.monotonic()
        try:
            with Client(At(port, key)) as client:
                client.send(voice_id=1, text="Am I still heard?", flush=True)
                turn = Turn()
                while not turn.frame_samples:
                    turn.add(client.receive())
                first = time.monotonic() - begun
                client.read_turn(turn)
                print(f"{begun:.3f} {first * 1000:.1f}", flush=True)
        except Exception as error:  # refused, reset, or nothing came
            print(f"{begun:.3f} failed {error!r}", flush=True)
        time.sleep(BUSY_S)


class Witness:
    def __init__(self, server, path):
        self.path = path
        with open(path, "wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, __file__, "--witness", str(server.port)], stdout=out,
                env=os.environ | {"FLOODS_KEY": server.key})

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def times(self, since, until=float("inf")):
        """Delays of the turns that began in this time, and the failures."""
        served, failed = [], []
        for line in self.path.read_text().splitlines():
            begun, result = line.split(" ", 1)
            if since <= float(begun) < until:
                (failed if result.startswith("failed") else served).append(result)
        return [float(time_ms) for time_ms in served], failed


# A run

def replace_ended(server, kind_of, flooders, made):
    """How many were."""
    count = 0
    for i, flooder in enumerate(flooders):
        if flooder.ended and time.monotonic() > made[i] + 0.5:
            flooder.close()
            try:
                flooders[i] = kind_of.make(server, i)
            except Exception:  # it is full, and says so
                continue
            made[i] = time.monotonic()
            count += 1
    return count


def run(kind_of, seconds, folder):
    server = program.Server(folder, program.tone_alone() | kind_of.settings)
    samples = []  # (time, KiB)
    closes = 0
    flooders = []
    made = []
    watching = None
    try:
        watching = Witness(server, folder / "witness")
        program.wait_until(lambda: len(watching.times(0)[0]) > QUIET_S / (2 * BUSY_S),
                           "the witness speaks")
        before = server.resident_kib()
        begun = time.monotonic()
        for i in range(kind_of.clients):
            try:
                flooders.append(kind_of.make(server, i))
                made.append(time.monotonic())
            except Exception as error:  # refused: there are as many as there may be
                print(f"  {i} of {kind_of.clients} were let in: {error!r}")
                break

        def each():
            nonlocal closes
            samples.append((time.monotonic() - begun, server.resident_kib()))
            assert server.process.poll() is None, "the server has died:\n" + server.log()[-4000:]
            for flooder in flooders:
                if not flooder.ended and not flooder.wants_write:
                    flooder.read_some(1)
            if kind_of.again:
                closes += replace_ended(server, kind_of, flooders, made)

        flood.drive(flooders, seconds, each=each)
        ended = time.monotonic()
        for flooder in flooders:
            closes += flooder.ended
            flooder.close()
        program.wait_until(lambda: server.open_files() < 200, "connections are given up")
        served, failed = watching.times(begun, ended)
        quiet, _ = watching.times(0, begun)
        after = server.resident_kib()
        log = server.log()
    finally:
        if watching:
            watching.stop()
        for flooder in flooders:
            flooder.socket.close()
    server.stop()  # which looks for reports of sanitizers
    peak = max(kib for _, kib in samples)
    half = samples[-1][0] / 2
    middle = [kib for at, kib in samples if half <= at < half * 1.5]
    last = [kib for at, kib in samples if at >= half * 1.5]
    grown = max(last) - max(middle) if middle and last else 0
    wrong = []
    if program.SANITIZER == "none" and peak - before > kind_of.bound_kib:
        wrong.append(f"{peak - before} KiB are more than {kind_of.bound_kib}")
    if program.SANITIZER == "none" and grown > FLAT_KIB:
        wrong.append(f"grew by {grown} KiB in the last half")
    if failed or not served:
        wrong.append(f"the witness: {len(served)} served, {len(failed)} not: {failed[:1]}")
    print(f"{kind_of.name:27} {'yes' if kind_of.has_key else 'no':3} {kind_of.clients:7} "
          f"{before:7} {peak:7} {after:7} {(peak - before) / kind_of.clients:9.1f} "
          f"{kind_of.bound_kib / kind_of.clients:9.1f} {grown:6} {closes:6} "
          f"{log.count('closed with 1008'):5} {len(served):6} "
          f"{statistics.median(served) - statistics.median(quiet) if served else -1:8.1f}  "
          f"{'; '.join(wrong) or 'ok'}", flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server-build", default=os.environ.get("SYRINX_BUILD", "build"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--only", action="append")
    parser.add_argument("--witness", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["SYRINX_BUILD"] = str(pathlib.Path(options.server_build).resolve())
    if options.witness:
        witness(options.witness, os.environ["FLOODS_KEY"])
    global flood, program
    import flood
    import program
    define()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192) if hard > 0 else 8192, hard))
    unknown = set(options.only or []) - {one.name for one in KINDS}
    if unknown:
        parser.error(f"no such kind: {', '.join(unknown)}; there are "
                     + ", ".join(one.name for one in KINDS))
    print("kind                        key clients  before    peak   after KiB/client "
          "    bound  grown closed  1008 served delay ms")
    results = []
    for one in KINDS:
        if options.only and one.name not in options.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            results.append(run(one, options.seconds, pathlib.Path(folder)))
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
