"""Barge-in: after `interrupted` the old turn is never heard again, and what was heard is booked."""

import random

from client import Client, Turn, now


def read_until_interrupted(client, turn):
    """The old turn's frames, then `interrupted`; true when the turn had ended before."""
    frame = client.receive()
    while "interrupted" not in frame:
        turn.add(frame)
        frame = client.receive()
    assert frame["interrupted"] is True
    return turn.closed is not None


def test_cancel_is_answered_with_interrupted_alone(server, client):
    client.send(voice_id=1, text="[[slow:20]] This will be cut off in the middle.", flush=True)
    turn = Turn()
    while not turn.frame_samples:
        turn.add(client.receive())
    client.send(cancel=True)
    assert not read_until_interrupted(client, turn)
    after = client.speak("The next turn.")
    assert after.texts == ["The next turn."]
    rows = server.wait_for_ledger(2)
    assert [row["status"] for row in rows] == ["cancelled", "finished"]
    assert rows[0]["samples"] == turn.samples
    assert rows[0]["amount_microcents"] == round(turn.samples * 5.4e6 / 60 / 24000)


def test_cancel_when_idle_is_answered_and_booked_nowhere(server, client):
    client.send(cancel=True)
    assert client.receive() == {"interrupted": True}
    client.send(cancel=False)
    assert client.speak("Goes on.", voice_id=1).texts == ["Goes on."]
    assert len(server.ledger()) == 1


def test_cancel_drops_every_queued_turn_and_is_answered_once(server, client):
    client.send(voice_id=1, text="[[slow:20]] The first is being spoken.", flush=True)
    for i in range(10):
        client.send(text=f"Queued turn {i}.", flush=True)
    turn = Turn()
    while not turn.frame_samples:
        turn.add(client.receive())
    client.send(cancel=True)
    assert not read_until_interrupted(client, turn)
    assert client.speak("After all of them.").texts == ["After all of them."]


def test_cancel_with_the_next_turn_in_the_same_message(client):
    client.send(voice_id=1, text="[[slow:20]] To be dropped, all of it.", flush=True)
    turn = Turn()
    while not turn.frame_samples:
        turn.add(client.receive())
    client.send(cancel=True, text="The new turn.", flush=True)
    assert not read_until_interrupted(client, turn)
    assert client.read_turn().texts == ["The new turn."]


def test_cancel_with_report_tells_what_was_heard(client):
    text = "One two three four. Five six [[slow:40]] seven eight nine ten."
    client.send(voice_id=1, text=text, auto_mode=True, flush=True)
    turn = Turn()
    while len(turn.texts) < 2 or turn.chunk_samples[1] == 0:
        turn.add(client.receive())
    client.send(cancel=True, report=True, playback_offset_ms=100000)
    frame = client.receive()
    while "interrupted" not in frame:
        turn.add(frame)
        frame = client.receive()
    assert frame["text_spoken"].startswith("One two three four.")
    assert (frame["text_spoken"] + " " + frame["text_remaining"]).split() == text.split()
    assert round(frame["usage"]["audio_seconds"] * 24000) == turn.samples


def test_cancel_reaches_a_server_whose_client_does_not_read(server):
    with Client(server, receive_buffer=8192) as client:
        client.send(voice_id=1, text="[[long:120]]", flush=True)
        turn = Turn()
        while not turn.frame_samples:
            turn.add(client.receive())
        client.send(cancel=True)
        assert not read_until_interrupted(client, turn)
        assert turn.samples < 30 * 24000
        (row,) = server.wait_for_ledger(1)
        assert (row["status"], row["samples"]) == ("cancelled", turn.samples)
        assert client.speak("At once.").texts == ["At once."]


class Caller:
    """Interrupts itself at random moments; the next turn's text goes right behind the cancel."""

    def __init__(self, server, dice, voice):
        self.client = Client(server)
        self.client.send(voice_id=voice)
        self.dice = dice
        self.number = 0
        self.cancelled = []  # samples heard of each
        self.finished = []
        self.turn = None
        self.begin()

    def text(self):
        return (f"Turn {self.number} is spoken. It has a second sentence, which is longer. "
                "And a third")

    def begin(self):
        self.number += 1
        self.turn = Turn()
        self.client.send(text=self.text(), flush=self.dice.random() < 0.5)

    def listen(self, seconds):
        """What comes in this time, or until the turn has ended by itself."""
        deadline = now() + seconds
        while not self.turn.closed and self.client.can_read(max(0.0, deadline - now())):
            if not self.client.waiting:
                self.client.pull()
            while self.client.waiting and not self.turn.closed:
                self.hear(self.client.receive())

    def hear(self, frame):
        self.turn.add(frame)
        assert all(text in self.text() for text in self.turn.texts), (self.number, frame)
        assert not self.turn.texts or self.turn.texts[0].startswith(f"Turn {self.number} ")

    def interrupt(self):
        old = self.turn
        self.client.send(cancel=True)
        if self.dice.random() < 0.3:
            self.client.send(cancel=True)
            doubled = True
        else:
            doubled = False
        number = self.number
        self.begin()
        new, self.turn, self.number = self.turn, old, number
        frame = self.client.receive()
        while "interrupted" not in frame:
            self.hear(frame)
            frame = self.client.receive()
        (self.finished if old.closed else self.cancelled).append(old.samples)
        self.turn, self.number = new, number + 1
        if doubled:
            assert self.client.receive() == {"interrupted": True}

    def end(self):
        self.client.send(flush=True)
        self.client.read_turn(self.turn)
        self.finished.append(self.turn.samples)
        self.client.socket.close()


def test_no_frame_of_a_cancelled_turn_ever_follows_interrupted(server):
    dice = random.Random(20261)
    callers = [Caller(server, dice, voice) for voice in (1, 1, 1071, 2001, 1, 2003)]
    for _ in range(60):
        for caller in dice.sample(callers, len(callers)):
            caller.listen(dice.choice((0, 0, 0.0005, 0.002, 0.005, 0.02)))
            caller.interrupt()
    for caller in callers:
        caller.end()
    finished = sorted(n for caller in callers for n in caller.finished)
    cancelled = sorted(n for caller in callers for n in caller.cancelled)
    rows = server.wait_for_ledger(len(finished) + len(cancelled))
    assert sorted(r["samples"] for r in rows if r["status"] == "finished") == finished
    assert sorted(r["samples"] for r in rows if r["status"] == "cancelled") == cancelled
