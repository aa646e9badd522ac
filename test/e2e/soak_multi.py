"""Random conversations on /ws/tts/multi for as long as one likes, and nothing left at the end.

Connections open contexts, speak, flush, interrupt, let go and come back at random.  Every frame is
checked as it comes (multi.Context), each close must be answered, and when all have gone the server
must have no connection, no job and as many objects as before.  tools/soak-multi runs it for long.
"""

import random
import re
import select
import signal
import time

from multi import MultiClient
from program import wait_until

TEXTS = ("Yes.", "Hello there, how are you?", "One. Two. Three.", "It goes on and on, ",
         "The train leaves at noon. It is late. Nobody minds. ", "…", "Grüße 😀. ", "a")
VOICES = (1, 2, 2003, 1071)
FIGURES = re.compile(r"alive: (\d+) connections, (\d+) jobs, \d+ streams, \d+ recordings, "
                     r"(\d+) workers, (\d+) objects")


# A worker, its process, its endpoint, its stream and its output: the server keeps more or fewer
# workers as it likes.
OBJECTS_PER_WORKER = 5


def figures(server):
    """{connections, jobs, objects} now, as the server says them when asked; of the objects those
    that are not about workers."""
    before = len(FIGURES.findall(server.log()))
    server.process.send_signal(signal.SIGUSR1)
    found = wait_until(lambda: FIGURES.findall(server.log())[before:], "the server says figures")
    connections, jobs, workers, objects = map(int, found[0])
    return {"connections": connections, "jobs": jobs,
            "objects": objects - OBJECTS_PER_WORKER * workers}


def wait_for_rest(server, baseline=None):
    """Until nothing is under way and, with a baseline, all is as it was; gives the figures.  The
    first callers make a server start workers and keep some things for the next: the baseline is
    what it had after them."""
    last = baseline  # without one: twice the same is rest, the ledger's last rows are in

    def is_at_rest():
        nonlocal last
        now = figures(server)
        same = now["objects"] <= baseline["objects"] if baseline else now == last
        if now["connections"] == now["jobs"] == 0 and same:
            return now
        last = baseline or now
        return select.select([], [], [], 0.1)[0]

    try:
        return wait_until(is_at_rest, "the server is at rest")
    except AssertionError as error:
        raise AssertionError(f"was {baseline}, is {figures(server)}") from error


def has_said_all(client):
    return len(client.contexts) == 20 and all(x.finals for x in client.contexts.values())


def warm_up(server, connections):
    """As many at once as will be; what the server has when they are gone.  Every voice must have
    been heard: the server keeps a filter for each pair of sample rates."""
    clients = [MultiClient(server) for _ in range(connections)]
    for client in clients:
        for i in range(20):
            client.say(f"c{i}", "To warm up.", flush=True,
                       voice_settings={"voice_id": VOICES[i % len(VOICES)]})
    while not all(has_said_all(client) for client in clients):
        for client in clients:  # in turns: one that is not read for long is taken for gone
            client.read_what_came(0.01)
            assert not [x.errors for x in client.contexts.values() if x.errors]
    for client in clients:
        client.socket.close()
    return wait_for_rest(server)


class Caller:
    """One connection that does at random what clients do."""

    def __init__(self, server, choose):
        self.server = server
        self.choose = choose
        self.told = {"opened": 0, "closed": 0, "barge_ins": 0, "flushes": 0, "vanished": 0}
        self.serial = 0
        self.connect()

    def connect(self):
        self.client = MultiClient(self.server)
        self.living = {}  # id → flushes
        self.client.send(voice_id=1, inactivity_timeout=30)

    def open(self):
        if len(self.living) >= 20:
            return
        self.serial += 1
        name = f"context {self.serial}"
        self.living[name] = 0
        self.told["opened"] += 1
        self.client.say(name, self.choose.choice(["", " ", *TEXTS]),
                        voice_settings={"voice_id": self.choose.choice(VOICES)})

    def someone(self):
        return self.choose.choice(list(self.living)) if self.living else None

    def act(self):
        what = self.choose.random()
        name = self.someone()
        if what < 0.2 or not name:
            self.open()
        elif what < 0.55:
            flush = self.choose.random() < 0.5
            self.living[name] += flush
            self.told["flushes"] += flush
            self.client.say(name, self.choose.choice(TEXTS), flush=flush)
        elif what < 0.6:
            self.client.say(name, "")
        elif what < 0.75:
            self.barge_in(name)
        elif what < 0.85:
            self.close(name)
        elif what < 0.86:
            self.leave()

    def barge_in(self, name):
        if self.choose.random() < 0.7:
            self.client.say(name, close_context=True, immediate=True)
        else:
            self.client.say(name, cancel=True)
        self.told["barge_ins"] += 1
        context = self.client.read_closed(name)
        assert context.finals <= self.living.pop(name)
        self.told["closed"] += 1

    def close(self, name):
        self.client.say(name, close_context=True)
        self.check_end(self.client.read_closed(name), self.living.pop(name))

    def check_end(self, context, flushes):
        """Each flush has its final, and so has the close."""
        self.told["closed"] += 1
        assert not context.errors
        assert context.finals == flushes + 1, (context.finals, flushes)

    def read(self):
        self.client.read_what_came()
        for name, context in list(self.client.contexts.items()):
            assert name not in self.living or not context.closed, "closed without being asked"
            if name not in self.living:
                del self.client.contexts[name]
        self.client.order.clear()

    def leave(self):
        """Vanishes, or says goodbye; and comes back."""
        if self.choose.random() < 0.5:
            self.told["vanished"] += 1
            self.client.reset()
        else:
            self.goodbye()
        self.connect()

    def goodbye(self):
        self.client.send(close_socket=True)
        self.client.read_until(lambda: any("session_closed" in f for f in self.client.aside))
        for name, flushes in self.living.items():
            self.check_end(self.client.contexts[name], flushes)
        self.client.expect_close(1000)
        self.client.socket.close()


def soak(server, seconds, connections, seed, acts=0):
    """For so long, and until so much was done; what it was, summed up."""
    choose = random.Random(seed)
    baseline = warm_up(server, connections)
    callers = [Caller(server, choose) for _ in range(connections)]
    end = time.monotonic() + seconds
    while acts > 0 or time.monotonic() < end:
        acts -= 1
        caller = choose.choice(callers)
        caller.act()
        for other in callers:
            other.read()
        select.select([], [], [], choose.random() * 0.02)
    for caller in callers:
        caller.goodbye()
    wait_for_rest(server, baseline)
    return {key: sum(caller.told[key] for caller in callers) for key in callers[0].told}


