"""`syrinx talk` and `syrinx mint-token`: with our own server, and with ElevenLabs' library as the
server that gives an engine its words."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

import pytest
from client import Refused
from engine import HEADER, Engine, digest, echo_key, sign
from engine import claims as good_claims
from program import SYRINX, WAIT_S, environment, syrinx
from speech_engine_peer import KEY, start_peer


@pytest.fixture
def server(shared_server):
    return shared_server


def talk(*arguments, lines="", extra=None):
    """What a program that writes lines to it reads from it."""
    return syrinx("talk", *arguments, stdin=lines.encode(), extra=extra)


def at(server, *more):
    return ["--data", server.data, "--server", f"http://127.0.0.1:{server.port}", *more]


class Ended(AssertionError):
    """The program has closed its terminal."""


class Terminal:
    """A person at a terminal: what was written (text), and what is seen of it (rows).  A dumb one
    shows what is typed by itself."""

    COLUMNS = 80

    def __init__(self, *arguments, term="xterm", extra=None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(SYRINX, [SYRINX, "talk", *map(str, arguments)],
                      environment({}) | {"NO_COLOR": "1", "TERM": term} | (extra or {}))
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("4H", 24, self.COLUMNS, 0, 0))
        self.text = ""
        self.unseen = ""
        self.rows = [[]]
        self.row = self.column = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)

    def type(self, text):
        os.write(self.fd, text.encode())

    def put(self, letter):
        row = self.rows[self.row]
        row += " " * (self.column + 1 - len(row))
        row[self.column] = letter
        self.column += 1
        assert self.column < self.COLUMNS, f"the terminal has to wrap: {self.shown()}"

    def steer(self, count, what):
        count = int(count or 1)
        if what == "A":
            self.row -= count
        elif what == "C":
            self.column += count
        elif what == "D":
            self.column -= count
        elif what == "K":
            del self.rows[self.row][self.column:]
        assert self.row >= 0 and self.column >= 0

    def see(self, text):
        """Escapes may come in two parts."""
        self.unseen += text
        while found := re.match(r"\033\[(\d*)([A-Z])|[^\033]", self.unseen):
            self.unseen = self.unseen[found.end():]
            if found[2]:
                self.steer(*found.groups())
            elif found[0] == "\r":
                self.column = 0
            elif found[0] == "\n":
                self.row += 1
                self.rows += [[] for _ in range(self.row + 1 - len(self.rows))]
            else:
                self.put(found[0])

    def shown(self):
        return ["".join(row).rstrip() for row in self.rows]

    def read_more(self, what):
        """False when there is nothing for a while."""
        if not select.select([self.fd], [], [], 1)[0]:
            return False
        try:
            text = os.read(self.fd, 4096).decode(errors="replace")
        except OSError as error:
            raise Ended(f"no {what}, ended: {self.shown()}") from error
        self.text += text
        return text

    def read_until(self, pattern):
        """What is written up to the pattern, which is read away."""
        deadline = time.monotonic() + WAIT_S
        while not (found := re.search(pattern, self.text)):
            assert time.monotonic() < deadline, f"no {pattern} in {self.text!r}"
            self.read_more(pattern)
        before, self.text = self.text[:found.end()], self.text[found.end():]
        return before

    def wait_for_rows(self, *patterns):
        """Until the lowest rows are these; gives all of them."""
        deadline = time.monotonic() + WAIT_S
        while not (len(self.rows) >= len(patterns) and all(
                map(re.fullmatch, patterns, self.shown()[-len(patterns):]))):
            assert time.monotonic() < deadline, f"no {patterns} in {self.shown()}"
            self.see(self.read_more(patterns) or "")
        return self.shown()

    def is_cooked(self):
        """Whether the terminal is as shells want it."""
        modes = termios.tcgetattr(self.fd)[3]
        return bool(modes & termios.ICANON and modes & termios.ECHO)

    def wait_for_end(self):
        deadline = time.monotonic() + WAIT_S
        with contextlib.suppress(Ended):
            while time.monotonic() < deadline:
                self.see(self.read_more("end") or "")
        assert time.monotonic() < deadline, f"it does not end: {self.shown()}"
        pid, self.pid = self.pid, 0
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


# It is answered a word each 20 ms, for as long as a busy machine needs to do something meanwhile.
STORY = "tell me a very long story " * 45


# With our own server


def test_each_line_is_a_turn_and_each_answer_a_line(server):
    done = talk(*at(server), lines="hello there\n\nund grüß dich\nno newline")
    assert done.returncode == 0, done.stderr
    answers = done.stdout.decode().splitlines()
    assert len(answers) == 3, answers
    assert all(words in answer for words, answer in
               zip(("hello there", "grüß dich", "no newline"), answers))


def test_at_a_terminal_it_is_a_conversation(server):
    with Terminal(*at(server)) as terminal:
        assert terminal.wait_for_rows("you>")[0].startswith("Talking to echo at http")
        terminal.type("good morning\n")
        terminal.wait_for_rows("you> good morning", "echo> You said: good morning.", "you>")
        terminal.type("\n")
        terminal.type("bad\x15gut\x1b[H\x1b[3~n\x1b[Fen Täg\x7f\x7fag\r")
        terminal.wait_for_rows("you> nuten Tag", "echo> You said: nuten Tag.", "you>")
        terminal.type("\x1b[A\x1b[A")
        terminal.wait_for_rows("you> good morning")
        terminal.type("\x1b[B!\n")
        terminal.wait_for_rows("you> nuten Tag!", "echo> You said: nuten Tag!", "you>")
        assert not terminal.is_cooked()
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0
        assert terminal.shown()[-2:] == ["echo> You said: nuten Tag!", ""]
        assert terminal.is_cooked()


def test_what_is_typed_while_an_answer_comes_is_not_mixed_with_it(server):
    """Letter by letter, each between two words of the answer."""
    with Terminal(*at(server)) as terminal:
        terminal.wait_for_rows("you>")
        terminal.type(STORY + "\n")
        terminal.wait_for_rows("echo> You said: tell me.*", "you>")
        typed = ""
        for letter in "enough":
            seen = terminal.shown()[-2]
            terminal.type(letter)
            typed += letter
            terminal.wait_for_rows(f"(?!{re.escape(seen)}$).+", f"you> {typed}")
        terminal.type("\n")
        rows = terminal.wait_for_rows(r".* \(interrupted\)", "you> enough",
                                      "echo> You said: enough.", "you>")
        first = next(i for i, row in enumerate(rows) if row.startswith("echo> "))
        answer = " ".join(rows[first:-3])
        assert ("echo> You said: " + STORY).startswith(answer.removesuffix(" (interrupted)"))


def test_ctrl_c_stops_an_answer_then_empties_the_line_then_ends(server):
    with Terminal(*at(server)) as terminal:
        terminal.wait_for_rows("you>")
        terminal.type(STORY + "\n")
        terminal.wait_for_rows("echo> You said: tell me.*", "you>")
        terminal.type("next\x03")
        terminal.wait_for_rows(r".* \(stopped\)", "you> next")
        terminal.type("\x03")
        terminal.wait_for_rows(r".* \(stopped\)", "you>")
        terminal.type("another\n")  # a new conversation with the same history
        terminal.wait_for_rows("you> another", "echo> You said: another.", "you>")
        terminal.type(STORY + "\n")
        terminal.wait_for_rows("echo> You said: tell me.*", "you>")
        terminal.type("\x03")
        terminal.wait_for_rows(r".* \(stopped\)", "you>")
        os.kill(terminal.pid, signal.SIGINT)  # as if it were the key
        assert terminal.wait_for_end() == 0
        assert terminal.is_cooked()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT])
def test_signals_give_the_terminal_back(server, number):
    with Terminal(*at(server)) as terminal:
        terminal.wait_for_rows("you>")
        terminal.type("half a l")
        terminal.wait_for_rows("you> half a l")
        os.kill(terminal.pid, number)
        assert terminal.wait_for_end() == -number
        assert terminal.is_cooked()


def test_a_dumb_terminal_is_used_as_it_is(server):
    with Terminal(*at(server), term="dumb") as terminal:
        assert "Talking to echo at http" in terminal.read_until("you> ")
        terminal.type(STORY[:100] + "\n")
        terminal.read_until("echo> ")
        terminal.type("enough\n")
        terminal.read_until("echo> .*enough")
        terminal.read_until("you> ")
        terminal.type(STORY + "\n")
        terminal.read_until("echo> ")
        terminal.type("\x03")
        shown = terminal.read_until(r"\(stopped\)\s+you> ")
        assert "\033" not in shown
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0


def test_an_answer_that_arrives_with_the_interrupt_is_stopped_all_the_same(server):
    with Terminal(*at(server), term="dumb") as terminal:
        terminal.read_until("you> ")
        terminal.type(STORY + "\n")
        terminal.read_until("echo> ")
        os.kill(terminal.pid, signal.SIGSTOP)
        time.sleep(0.5)  # so that words and the signal are there when it goes on
        os.kill(terminal.pid, signal.SIGINT)
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.read_until(r"\(stopped\)\s+you> ")
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize("voice,voice_id", [("2003", 2003), ("german, FEMALE", 2002)])
def test_answers_can_be_heard(server, tmp_path, voice, voice_id):
    """A player is what reads WAV from a pipe."""
    before = len(server.ledger())
    player = tmp_path / "pw-play"
    player.write_text(f"#!/bin/sh\ncat > {tmp_path}/heard.$$\nmv {tmp_path}/heard.$$ "
                      f"{tmp_path}/heard.wav\n")
    player.chmod(0o755)
    done = talk(*at(server, "--voice", voice), lines="good morning\n",
                extra={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr
    assert b"good morning" in done.stdout
    audio = (tmp_path / "heard.wav").read_bytes()
    assert audio[:4] == b"RIFF" and len(audio) > 24000, len(audio)
    assert server.wait_for_ledger(before + 1)[-1]["voice_id"] == voice_id


def test_unknown_voice_is_told_before_the_conversation(server):
    done = talk(*at(server), "--voice", "Saly", lines="Hello.\n")
    assert done.returncode == 1 and not done.stdout
    assert done.stderr == b'syrinx talk: there is no voice "Saly"; did you mean Sally (1071)?\n'


def test_who_cannot_speak_says_so_once_and_goes_on_in_text(server, tmp_path):
    """On a row of its own, with what is true of talk."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "sh").symlink_to("/bin/sh")  # and no player
    (tmp_path / "aplay").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "aplay").chmod(0o755)
    with_player = f"{tmp_path}:{folder}"
    cases = [("99999", with_player, "voice"), ("2003", with_player, "sound card"),
             ("2003", folder, "no player")]
    for voice, path, words in cases:
        done = talk(*at(server, "--voice", voice), lines="one\ntwo\n", extra={"PATH": str(path)})
        assert done.returncode == 0, done.stderr
        assert done.stdout == b"You said: one.\nYou said: two.\n"
        told = done.stderr.decode().splitlines()
        assert len(told) == 1 and words in told[0] and "continuing with text only" in told[0], told
        assert "-o" not in told[0].split() and "{" not in told[0]
    with Terminal(*at(server, "--voice", "99999")) as terminal:
        terminal.wait_for_rows("you>")
        terminal.type(STORY[:400] + " story\n")
        terminal.wait_for_rows(".+", "you>")
        rows = terminal.wait_for_rows(r".*story\.", "you>")
        assert sum("cannot speak" in row for row in rows) == 1
        assert any(row.startswith("(cannot speak: ") for row in rows), rows


def test_the_local_key_stays_on_this_machine(server):
    """0.0.0.0 is here, too, but is not a name of here."""
    done = talk("--data", server.data, "--server", f"http://0.0.0.0:{server.port}", "--speak",
                lines="x\n")
    assert done.returncode == 1 and b"SYRINX_KEY" in done.stderr, done.stderr
    assert b"0.0.0.0" in done.stderr and b"local" not in done.stderr


def test_without_a_server_or_its_key_it_says_so(server, tmp_path):
    done = talk("--data", tmp_path, "--server", f"127.0.0.1:{server.port}")
    assert done.returncode == 1 and b"--data" in done.stderr, done.stderr
    done = talk("--data", server.data, "--server", "127.0.0.1:1", lines="x\n")
    assert done.returncode == 1 and b"talk" in done.stderr
    done = talk(*at(server, "--key", "sk_wrong"), lines="x\n")
    assert done.returncode == 1 and b"HTTP 401" in done.stderr and b"--key" in done.stderr
    assert b"{" not in done.stderr
    done = talk(*at(server, "--token", "a.b.c"), lines="x\n")
    assert done.returncode == 1 and b"HTTP 401" in done.stderr and b"mint-token" in done.stderr
    assert b"{" not in done.stderr and b"--key" not in done.stderr
    done = talk(*at(server, "--agent", "nobody"))
    assert done.returncode == 1 and b"the agents are: echo" in done.stderr


def test_a_configured_agent_is_found_by_its_name(start_server):
    server = start_server(config="[agent a]\npath = /a\napi_key = sk_a\nllm = echo\n"
                                 "[agent b]\npath = /b\napi_key = sk_b\nllm = echo\n")
    for name in ("a", "b"):
        done = talk(*at(server, "--config", server.config_path, "--agent", name), lines="hi\n")
        assert done.returncode == 0 and b"hi" in done.stdout, done.stderr


def test_minted_tokens_open_the_door(server):
    done = syrinx("mint-token", "--data", server.data)
    token = done.stdout.decode().strip()
    assert done.returncode == 0 and token.count(".") == 2
    with Engine(server, given=token) as engine:
        engine.ping()
    done = syrinx("mint-token", "--key", echo_key(server), "--header")
    name, token = done.stdout.decode().strip().split(": ")
    assert name == HEADER
    with Engine(server, given=token) as engine:
        engine.ping()
    done = syrinx("mint-token", "--data", server.data, "--seconds", "-100")
    with pytest.raises(Refused):
        Engine(server, given=done.stdout.decode().strip())
    assert syrinx("mint-token", "--key", "").returncode == 1
    assert syrinx("mint-token", "--key", "x", "--agent", "y").returncode == 2


# With ElevenLabs' library


@pytest.fixture(scope="module")
def only_peer(tmp_path_factory):
    with start_peer(tmp_path_factory.mktemp("peer")) as peer:
        yield peer


@pytest.fixture
def peer(only_peer):
    """It takes long to start, so it stays; a test that ends waits for its last words."""
    only_peer.forget()
    return only_peer


def test_their_library_takes_our_engine_for_one(peer):
    done = talk(*peer.at(), lines="hello “ünïcode” 你好\nand again\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode() == "You said: hello “ünïcode” 你好\nYou said: and again\n"
    assert peer.wait_for("init")["id"].startswith("conv_")
    assert peer.wait_for("transcript")["history"] == [
        {"role": "user", "content": "hello “ünïcode” 你好"}]
    assert peer.wait_for("transcript")["history"] == [
        {"role": "user", "content": "hello “ünïcode” 你好"},
        {"role": "agent", "content": "You said: hello “ünïcode” 你好"},
        {"role": "user", "content": "and again"}]
    peer.wait_for("close")
    peer.wait_for("disconnect")


def test_their_library_is_interrupted_by_our_engine(peer):
    with Terminal(*peer.at()) as terminal:
        terminal.wait_for_rows("you>")
        terminal.type("count\n")
        terminal.wait_for_rows("agent> 1 2 3.*", "you>")
        terminal.type("stop it\n")
        peer.wait_for("aborted")
        rows = terminal.wait_for_rows(r".* \(interrupted\)", "you> stop it",
                                      "agent> You said: stop it", "you>")
        assert not any("100" in row for row in rows)
        assert len(peer.wait_for("transcript")["history"]) == 1
        history = peer.wait_for("transcript")["history"]
        assert [turn["role"] for turn in history] == ["user", "agent", "user"]
        assert history[1]["content"].startswith("1 2 3 ")
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0
    peer.wait_for("disconnect")


def test_their_library_answers_our_pings_and_hears_our_close(peer):
    with Terminal(*peer.at("--ping", "1")) as terminal:
        terminal.wait_for_rows("you>")
        for _ in range(2):  # the second only when the first was answered
            peer.wait_for("sent", message={"type": "pong"})
        terminal.type("fail\n")  # an answer that never comes
        peer.wait_for("transcript")
        terminal.type("still there\n")
        terminal.wait_for_rows("agent> You said: still there", "you>")
        terminal.type("\x04")
        assert terminal.wait_for_end() == 0
    peer.wait_for("close")
    peer.wait_for("disconnect")


def test_their_library_hangs_up_on_bad_tokens_and_we_say_so(peer):
    header = {"alg": "HS256", "typ": "JWT"}
    now = int(time.time())
    bad = [sign(digest("sk_other"), header, good_claims()),
           sign(digest(KEY).hex().encode(), header, good_claims()),
           sign(KEY.encode(), header, good_claims()),
           sign(digest(KEY), header, good_claims(exp=now - 120)),
           sign(digest(KEY), header, good_claims(iat=now + 120)),
           sign(digest(KEY), header, good_claims(iat=None)),
           sign(digest(KEY), header, good_claims(iss="x")),
           sign(digest(KEY), header, good_claims(sub="x")),
           "a.b"]
    for token in bad:
        done = talk("--url", peer.url, "--key", KEY, "--token", token, lines="x\n")
        assert done.returncode == 1 and b"syrinx talk: ws://" in done.stderr, done
    minted = syrinx("mint-token", "--key", KEY).stdout.decode().strip()
    done = talk("--url", peer.url, "--key", KEY, "--token", minted, lines="x\n")
    assert done.stdout == b"You said: x\n"
