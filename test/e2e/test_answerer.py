"""What a call asks a developer's server (src/agent/remote_answerer.c), with ElevenLabs' library as
that server."""

import contextlib
import queue
import subprocess
import threading

import pytest
from program import BUILD, WAIT_S
from speech_engine_peer import KEY, start_peer

CASCADE_MS = 2000  # the shortest that is allowed


class Asker:
    """test/e2e/ask_answerer.c"""

    def __init__(self, url, key):
        self.process = subprocess.Popen(
            [BUILD / "test/e2e/ask-answerer", url, key, str(CASCADE_MS)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.decode().rstrip("\n"))

    def tell(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def next(self):
        return self.lines.get(timeout=WAIT_S)

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=WAIT_S)


@contextlib.contextmanager
def asking(url, key=KEY):
    asker = Asker(url, key)
    try:
        yield asker
        assert asker.close() == 0
    finally:
        asker.process.kill()
        asker.process.wait()


@pytest.fixture(scope="module")
def only_peer(tmp_path_factory):
    with start_peer(tmp_path_factory.mktemp("peer")) as peer:
        yield peer


@pytest.fixture
def peer(only_peer):
    only_peer.forget()
    return only_peer


def test_questions_are_answered_on_one_connection(peer):
    with asking(peer.url) as asker:
        asker.tell("ask 3 hello “ünïcode”")
        assert asker.next() == "words 3 You said: hello “ünïcode”"
        assert asker.next() == "complete 3"
        asker.tell("ask 5 and again")
        assert asker.next() == "words 5 You said: and again"
        assert asker.next() == "complete 5"
    assert peer.wait_for("init")["id"] == "conv_asker"
    assert peer.wait_for("transcript")["history"] == [
        {"role": "user", "content": "Hi"}, {"role": "agent", "content": "Hello"},
        {"role": "user", "content": "hello “ünïcode”"}]
    peer.wait_for("close")
    peer.wait_for("disconnect")
    assert not [event for event in peer.passed_over if event["event"] == "init"]


def test_the_next_question_interrupts_the_answer(peer):
    with asking(peer.url) as asker:
        asker.tell("ask 1 count")
        assert asker.next() == "words 1 1 "
        asker.tell("ask 2 stop")
        while (line := asker.next()).startswith("words 1 "):
            pass
        assert line == "words 2 You said: stop"
        assert asker.next() == "complete 2"
        peer.wait_for("aborted")
    peer.wait_for("disconnect")


def test_nothing_is_heard_of_a_dropped_answer(peer):
    with asking(peer.url) as asker:
        asker.tell("ask 1 count")
        assert asker.next() == "words 1 1 "
        asker.tell("drop")
        peer.wait_for("counted")  # their library does not know
        asker.tell("ask 2 next")
        while (line := asker.next()).startswith("words 1 "):
            pass  # what came before it was dropped
        assert line == "words 2 You said: next"
    peer.wait_for("disconnect")


def test_a_question_without_an_answer_is_asked_three_times(peer):
    """With the same event_id, which their library would ignore on the same connection."""
    with asking(peer.url) as asker:
        asker.tell("ask 7 fail")
        assert asker.next().startswith("failed 7 SILENT ")
        for _ in range(3):
            peer.wait_for("init")
            assert peer.wait_for("transcript")["history"][-1]["content"] == "fail"
            peer.wait_for("close")
            peer.wait_for("disconnect")
        asker.tell("ask 8 still there")
        assert asker.next() == "words 8 You said: still there"
    peer.wait_for("disconnect")


def test_a_server_that_does_not_accept_the_token_is_unreachable(peer):
    with asking(peer.url, "sk_another") as asker:
        asker.tell("ask 1 hello")
        assert asker.next().startswith("failed 1 UNREACHABLE 127.0.0.1:")
