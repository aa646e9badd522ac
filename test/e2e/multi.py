"""A client of /ws/tts/multi that blocks, and what holds of every context.

Context collects one context's frames and checks each as it comes: created first, closed last,
counters that go on, chunks in order, and a usage that is the audio that came.
"""

import base64

from client import BYTES_PER_SAMPLE, Client


class Context:
    """The frames of one context, from context_created to context_closed."""

    def __init__(self):
        self.is_created = False
        self.texts = []  # of the chunks
        self.audio = b""
        self.samples = 0
        self.frames = 0
        self.finals = 0
        self.rate = None
        self.chunk_is_open = False
        self.words = []
        self.interrupted = False
        self.errors = []
        self.closed = None

    @property
    def usage(self):
        return self.closed.get("usage")

    def add(self, frame):
        assert not self.closed, f"after context_closed: {frame}"
        if "error" in frame:
            self.errors.append(frame)
        elif frame.get("context_created"):
            assert not self.is_created
            self.is_created = True
        elif frame.get("context_closed"):
            self.close(frame)
        elif frame.get("interrupted"):
            self.interrupted = True
        else:
            assert self.is_created and not self.interrupted and not self.errors, frame
            self.add_speech(frame)

    def add_speech(self, frame):
        if "audio" in frame:
            assert self.chunk_is_open and frame["chunk_id"] == len(self.texts) - 1
            assert frame["idx"] == self.frames
            audio = base64.b64decode(frame["audio"], validate=True)
            assert len(audio) == frame["samples"] * BYTES_PER_SAMPLE[frame["enc"]]
            assert self.rate in (None, frame["sr"])
            self.rate = frame["sr"]
            self.audio += audio
            self.frames += 1
            self.samples += frame["samples"]
        elif frame.get("generation_started"):
            assert not self.chunk_is_open and frame["chunk_id"] == len(self.texts)
            self.texts.append(frame["text"])
            self.chunk_is_open = True
        elif "word_timestamps" in frame:
            self.words.append(frame["word_timestamps"])
        elif frame.get("chunk_complete"):
            assert self.chunk_is_open
            self.chunk_is_open = False
        elif frame.get("final"):
            assert not self.chunk_is_open and set(frame) == {"final", "context_id"}
            self.finals += 1
        else:
            raise AssertionError(f"no frame of a context: {frame}")

    def close(self, frame):
        self.closed = frame
        assert {"audio_seconds", "characters", "cost_cents", "model_id", "turn_ids"} <= set(self.usage)
        if not self.errors:
            assert abs(self.usage["audio_seconds"] * (self.rate or 1) - self.samples) < 0.5


class MultiClient(Client):
    """One connection, with the contexts that are on it."""

    path = "/ws/tts/multi"

    def __init__(self, *arguments, **options):
        self.contexts = {}  # by id, the living and the last dead
        self.order = []  # of the audio frames, by id
        self.aside = []  # frames without a context
        super().__init__(*arguments, **options)

    def say(self, context_id, text=None, **fields):
        self.send({"context_id": context_id} | ({} if text is None else {"text": text}) | fields)

    def read_one(self):
        """The next frame, given to its context."""
        frame = self.receive()
        context_id = frame.get("context_id")
        if context_id is None:
            self.aside.append(frame)
            return frame
        if frame.get("context_created") or context_id not in self.contexts:
            old = self.contexts.get(context_id)
            assert not old or old.closed, f"created twice: {context_id}"
            self.contexts[context_id] = Context()
        self.contexts[context_id].add(frame)
        if "audio" in frame:
            self.order.append(context_id)
        return frame

    def read_what_came(self, seconds=0.0):
        """Every frame that is there, and no waiting for another: a ping comes alone."""
        while self.can_read(seconds):
            if not self.waiting:
                self.pull()
            while self.waiting or self.has_ended:
                self.read_one()
            seconds = 0.0

    def read_until(self, condition):
        """Reads until the condition of this client holds; gives what it is."""
        while not condition():
            self.read_one()
        return condition()

    def read_closed(self, context_id):
        def is_closed():
            context = self.contexts.get(context_id)
            return context if context and context.closed else None

        return self.read_until(is_closed)

    def read_finals(self, context_id, count=1):
        def has_finals():
            context = self.contexts.get(context_id)
            return context if context and context.finals >= count else None

        return self.read_until(has_finals)
