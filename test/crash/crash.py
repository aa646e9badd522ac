#!/usr/bin/python3
"""The ledger under kill -9: what a client was told is in it, once, and the sums are those of its rows.

Clients speak turns and talk with an agent, cancel some answers and vanish from others, while the server
is killed at random moments and started again on the same data.  With --store postgresql the database is stopped and started too;
with --disk the data lie on a small file system that is filled up and emptied.

    crash.py [--kills 1000] [--clients 8] [--seed N] [--store sqlite|postgresql] [--disk]

The programs are those of SYRINX_BUILD (build).  Exit 0: all held.  2: this machine cannot do it.
"""

import argparse
import collections
import contextlib
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
os.environ.setdefault("SYRINX_BUILD", str(HERE.parent.parent / "build"))
sys.path.insert(0, str(HERE.parent / "e2e"))

# pylint: disable=wrong-import-position
import postgres  # noqa: E402
import program  # noqa: E402
from client import Client, Closed, Refused  # noqa: E402
from engine import Engine  # noqa: E402
from rest import Rest  # noqa: E402

WORDS = "the quick brown fox jumps over a lazy dog while seven dull clerks count their coins".split()
TONE_VOICE = 1
IN_PRICE, OUT_PRICE = 1000, 3000  # micro-cents for a token
ASKERS = 3
DISK_MIB = 80  # the files of one process are 21 MiB, and those of a dead one stay until the next start


class Told:
    """What clients have heard, of all threads together."""

    def __init__(self):
        self.lock = threading.Lock()
        self.promised = {}  # turn id: usage, of session_closed with a cost
        self.unknown = {}  # the same, where the cost was not known
        self.failed = set()  # turn ids of session_closed behind an error
        self.answers = []  # usage of answers of the agent, where the cost was known
        self.counts = collections.Counter()

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def promise(self, usage):
        with self.lock:
            kind = self.unknown if usage.get("cost_unavailable") else self.promised
            assert usage["turn_id"] not in kind, "one turn id for two turns"
            kind[usage["turn_id"]] = usage
            self.counts["promised" if kind is self.promised else "of unknown cost"] += 1


class Talker(threading.Thread):
    """A client that opens turns until it is told to stop, over servers that come and go."""

    def __init__(self, crash, seed):
        super().__init__(daemon=True)
        self.crash = crash
        self.random = random.Random(seed)
        self.error = None

    def run(self):
        try:
            while not self.crash.stop.is_set():
                with contextlib.suppress(OSError, Closed, Refused, EOFError):
                    self.talk()
                time.sleep(0.01)
        except Exception as error:  # pylint: disable=broad-except
            self.error = error

    def talk(self):
        with Client(self.crash.address) as client:
            while not self.crash.stop.is_set():
                one = self.fail if self.random.random() < 0.1 else self.speak
                if not one(client):
                    return

    def fail(self, client):
        """A turn that costs nothing, and is booked all the same."""
        told = self.crash.told
        told.count("begun")
        try:
            client.send(text='<prosody rate="warp">No.</prosody>', voice_id=TONE_VOICE, flush=True)
            while True:
                frame = client.receive()
                if frame.get("session_closed"):
                    break
        except (OSError, Closed, AssertionError):
            told.count("cut")
            raise Closed(0, "cut") from None
        if "turn_id" in frame["usage"]:
            told.count("failed")
            told.failed.add(frame["usage"]["turn_id"])
        return True

    def speak(self, client):
        """One turn; false when the connection is not to be used again."""
        told = self.crash.told
        text = " ".join(self.random.choices(WORDS, k=self.random.randint(1, 60))) + "."
        slow = self.random.choice(["", "", "[[slow:3]] "])
        ending = self.random.choice(["hear", "hear", "hear", "cancel", "vanish"])
        frames = self.random.randint(1, 20)  # until the client has had enough
        told.count("begun")
        try:
            client.send(text=slow + text, voice_id=TONE_VOICE, flush=True)
            return self.listen(client, ending, frames)
        except (OSError, Closed, AssertionError):
            told.count("cut")
            raise Closed(0, "cut") from None

    def listen(self, client, ending, frames):
        told = self.crash.told
        heard = 0
        while True:
            frame = client.receive()
            heard += "audio" in frame
            if frame.get("session_closed"):
                if ending != "fail":
                    told.promise(frame["usage"])
                if ending != "cancelled":  # else `interrupted` is still to come
                    return True
            if frame.get("interrupted"):
                told.count("cancelled")
                return True
            if "error" in frame and ending != "cancelled":
                told.count(f"refused with {frame.get('error_code')}")
                ending = "fail"  # its session_closed has no figures
            if heard >= frames and ending == "vanish":
                told.count("vanished")
                client.reset()
                return False
            if heard >= frames and ending == "cancel":
                client.send(cancel=True)
                ending = "cancelled"


class Asker(Talker):
    """A client that talks with the agent: overtakes some answers, and vanishes from others."""

    def talk(self):
        address = self.crash.address
        query = f"api_key={address.key}&usage=true"
        with Engine(address, path="/ws/talk/echo", given="", query=query) as engine:
            while not self.crash.stop.is_set():
                if not self.ask(engine):
                    return

    def ask(self, engine):
        told = self.crash.told
        ending = self.random.choice(["hear", "hear", "hear", "overtake", "vanish"])
        told.count("asked")
        try:
            engine.send_transcript([{"role": "user", "content": " ".join(
                self.random.choices(WORDS, k=self.random.randint(1, 12)))}], self.next_id(engine))
            if ending == "hear":
                while not self.hear(engine):
                    pass
                return True
            engine.receive()  # its first word, or what an earlier one has used
            if ending == "vanish":
                told.count("answers vanished from")
                engine.reset()
            return ending != "vanish"
        except (OSError, Closed, AssertionError):
            told.count("answers cut")
            raise Closed(0, "cut") from None

    def next_id(self, engine):
        engine.event_id += 1
        return engine.event_id

    def hear(self, engine):
        """True when the newest answer's usage was told, after which nothing comes."""
        frame = engine.receive()
        if frame["type"] == "error":
            self.crash.told.count(f"answers refused with {frame['error_code']}")
            return True
        if frame["type"] != "usage":
            return False
        if frame["cost_cents"] is not None:
            with self.crash.told.lock:
                self.crash.told.answers.append(frame)
                self.crash.told.counts["answers promised"] += 1
        return frame["event_id"] == engine.event_id


class Crash:
    """The server that dies, its clients, and what goes wrong around it."""

    def __init__(self, directory, options, settings):
        self.directory = directory
        self.options = options
        self.random = random.Random(options.seed)
        self.told = Told()
        self.stop = threading.Event()
        self.address = None  # what clients connect to: .port, .key
        engines = directory / "engines"
        engines.mkdir()
        (engines / "syrinx-tone").symlink_to(program.BUILD / "syrinx-tone")
        self.settings = {"speech.engines_dir": engines, "speech.workers": 4,
                         "speech.test_hooks": "on",
                         "prices.input_cents_per_million": IN_PRICE,
                         "prices.output_cents_per_million": OUT_PRICE} | settings
        self.port = program.free_port()
        self.server = None

    def start(self):
        self.server = program.Server(self.directory, self.settings, port=self.port)
        self.address = self.server

    def kill(self):
        """At any moment; what it said until then must be clean."""
        self.server.process.kill()
        self.server.process.wait()
        log = self.server.log()
        assert not program.SANITIZER_REPORT.search(log), log
        assert "damaged" not in log, log
        if re.search("does not take turns|store is slow", log):
            self.told.count("lives with a store that failed")

    def run(self):
        self.start()
        talkers = [Talker(self, self.random.random()) for _ in range(self.options.clients)] \
            + [Asker(self, self.random.random()) for _ in range(ASKERS)]
        for talker in talkers:
            talker.start()
        for number in range(self.options.kills):
            self.disturb(number)
            time.sleep(self.random.uniform(0.01, 0.4))
            self.kill()
            self.start()
            if number % 50 == 49:
                print(f"{number + 1} kills, {self.told.counts['promised']} turns", flush=True)
            for talker in talkers:
                assert talker.error is None, talker.error
        self.calm()
        self.stop.set()
        for talker in talkers:
            talker.join(program.WAIT_S)
            assert not talker.is_alive() and talker.error is None, talker.error
        return self.check()

    def disturb(self, number):
        """Something that is not a kill; see below."""

    def calm(self):
        """All is well again."""

    def rows(self):
        """The ledger, as its owner is told."""
        rows = []
        after = ""
        with Rest(self.server) as rest:
            while after is not None:
                query = "/usage/turns?limit=1000" + (f"&after={after}" if after else "")
                page = rest.must(200, rest.get(query))
                rows += page["turns"]
                after = page["next"]
        return rows

    def settled_rows(self):
        """When nothing waits on the disk any more: a start delivers what the last one left."""
        self.server.stop()
        self.start()
        left = list((self.server.data / "spool").glob("*"))
        assert len(left) == 2, left  # its own
        return self.rows()

    def check(self):
        rows = self.settled_rows()
        by_id = {row["turn_id"]: row for row in rows}
        assert len(by_id) == len(rows), "a turn stands in the ledger twice"
        for turn_id, usage in self.told.promised.items():
            assert turn_id in by_id, f"a client was told of {turn_id}, the ledger was not"
            check_row(by_id[turn_id], usage)
        for turn_id in self.told.failed:
            assert turn_id in by_id, f"a client was told of {turn_id}, which failed"
            assert (by_id[turn_id]["status"], by_id[turn_id]["cost_microcents"]) == ("failed", 0)
        for usage in self.told.answers:
            check_answer(by_id, usage)
        assert all(row["cost_microcents"] == 0 for row in rows if row["status"] == "lost")
        lost = [row for row in rows if row["status"] == "lost" and row["kind"] == "speech"]
        assert len(lost) <= self.told.counts["cut"] + self.told.counts["vanished"], \
            (len(lost), self.told.counts)
        assert len([row for row in rows if row["kind"] != "speech"]) \
            <= 2 * self.told.counts["asked"], "an answer is booked more often than it was asked for"
        self.check_sums(rows)
        self.server.stop()
        assert not list((self.server.data / "spool").glob("*")), "files were left"
        lost_answers = [row for row in rows if row["status"] == "lost" and row not in lost]
        return {"rows": len(rows), "lost": len(lost), "rows of answers lost": len(lost_answers)} \
            | dict(sorted(self.told.counts.items()))

    def check_sums(self, rows):
        """Balances are the sums of their rows."""
        self.audit()
        with Rest(self.server) as rest:
            usage = rest.must(200, rest.get("/usage"))
        total = sum(row["cost_microcents"] for row in rows)
        assert usage["total"]["cost_microcents"] == total, (usage["total"], total)

    def audit(self):
        done = program.syrinx("account", "check", "--data", self.server.data,
                              settings=self.store_settings())
        assert done.returncode == 0, done.stdout + done.stderr

    def store_settings(self):
        return {name: value for name, value in self.settings.items() if name.startswith("store.")}


def check_row(row, usage):
    """The ledger has the figures that the client was told."""
    assert row["status"] in ("finished", "failed"), row
    assert abs(row["audio_seconds"] - usage["audio_seconds"]) < 1e-6, (row, usage)
    assert row["characters"] == usage["characters"], (row, usage)
    assert row["cost_microcents"] == round(usage["cost_cents"] * 1e6), (row, usage)


def check_answer(by_id, usage):
    """Both rows of an answer whose usage a client was told."""
    assert all(turn_id in by_id for turn_id in usage["turn_ids"]), usage
    rows = [by_id[turn_id] for turn_id in usage["turn_ids"]]
    assert [row["kind"] for row in rows] == ["model_input", "model_output"], rows
    assert [row["quantity"] for row in rows] == [usage["input_tokens"], usage["output_tokens"]]
    assert all(row["status"] in ("finished", "cancelled") for row in rows), rows
    costs = [row["cost_microcents"] for row in rows]
    assert costs == [usage["input_tokens"] * IN_PRICE, usage["output_tokens"] * OUT_PRICE], rows
    assert round(usage["cost_cents"] * 1e6) == sum(costs), usage


class DatabaseCrash(Crash):
    """The database is stopped, at once and without a word, and started again."""

    def __init__(self, directory, options, database):
        super().__init__(directory, options, {"store.address": database.address})
        self.database = database

    def start(self):
        if not self.database.is_running():
            self.database.start()
        super().start()

    def disturb(self, number):
        if number % 5 in (2, 4):
            time.sleep(0.2)  # keys that are not known yet are not let in without it
            self.database.stop()
        if number % 5 == 2:
            time.sleep(self.random.uniform(0.05, 1.0))
            self.database.start()

    def calm(self):
        if not self.database.is_running():
            self.database.start()


class DiskCrash(Crash):
    """The file system of the data is full, then it is not."""

    def __init__(self, directory, options):
        super().__init__(directory, options, {})
        self.ballast = directory / "data" / "ballast"

    def start(self):
        self.calm()  # a server that finds no room for its files says so, and is not what is tested
        super().start()

    def disturb(self, number):
        if number % 2 == 0:
            with contextlib.suppress(OSError), open(self.ballast, "wb") as file:
                while True:
                    os.write(file.fileno(), bytes(65536))
            self.told.count("times the disk was full")

    def calm(self):
        self.ballast.unlink(missing_ok=True)


@contextlib.contextmanager
def small_disk(directory):
    """Mounts it as directory/data; leaves with 2 and the reason where that is not allowed."""
    data = directory / "data"
    data.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "syrinx-crash", data],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print("no small file system here:", done.stderr.strip(), file=sys.stderr)
        sys.exit(2)
    try:
        yield
    finally:
        subprocess.run(["umount", data], check=True)


def run(directory, options):
    """The counts of what happened; AssertionError when something did not hold."""
    if options.disk:
        with small_disk(directory):
            return DiskCrash(directory, options).run()
    if options.store == "postgresql":
        if not postgres.programs():
            print("PostgreSQL is not installed", file=sys.stderr)
            sys.exit(2)
        with postgres.Postgres() as database:
            return DatabaseCrash(directory, options, database).run()
    return Crash(directory, options, {}).run()


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--store", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--disk", action="store_true")
    options = parser.parse_args(arguments)
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 32)
    return options


def main():
    options = parse(None)
    program.become_subreaper()
    print("seed", options.seed, flush=True)
    with tempfile.TemporaryDirectory(prefix="syrinx-crash-") as directory:
        counts = run(pathlib.Path(directory), options)
    print(", ".join(f"{value} {name}" for name, value in counts.items()))


if __name__ == "__main__":
    main()
