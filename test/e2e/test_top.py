"""`syrinx top` and `syrinx ready` against real servers: at a terminal, in a pipe, and where there
is no server, or another one."""

import contextlib
import fcntl
import http.server
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time

import pytest
from client import Client, Turn
from program import SYRINX, WAIT_S, companions, environment, free_port, syrinx, tone_alone

SETTINGS = tone_alone()

TEXT = "One sentence that is spoken, and not a short one."
ROWS, COLUMNS = 24, 80
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def address(server):
    return f"http://127.0.0.1:{server.port}"


# ready

def test_ready_is_an_exit_status(server):
    voices = server.get("/ready")[1]["voices"]
    done = syrinx("ready", "--server", address(server))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"ready: {voices} voices\n".encode(), b"")
    done = syrinx("ready", "--server", address(server), "--json")
    assert json.loads(done.stdout) == {"ready": True, "server": address(server), "voices": voices,
                                       "reason": None}
    done = syrinx("ready", settings={"server.listen": f"0.0.0.0:{server.port}"})
    assert done.returncode == 0, done.stderr


def test_not_ready_is_one_line_that_says_why(server):
    port = free_port()
    done = syrinx("ready", "--server", f"127.0.0.1:{port}")
    assert done.returncode == 1
    assert done.stderr.decode() == f"syrinx ready: 127.0.0.1:{port}: Connection refused\n"
    done = syrinx("ready", "--server", f"127.0.0.1:{port}", "--json")
    assert done.returncode == 1 and not done.stderr
    assert json.loads(done.stdout) == {"ready": False, "server": f"http://127.0.0.1:{port}",
                                       "voices": None,
                                       "reason": f"127.0.0.1:{port}: Connection refused"}
    done = syrinx("ready", "--server", "ftp://127.0.0.1")
    assert done.returncode == 2 and b"is not an http(s) address" in done.stderr


def test_a_server_that_ends_is_not_ready(server):
    with Client(server) as client:
        client.send(voice_id=1, text="[[slow:50]] " + TEXT * 5, flush=True)
        turn = Turn()
        turn.add(client.receive())
        server.terminate()
        server.wait_for_log("draining")
        done = syrinx("ready", "--server", address(server))
        assert done.returncode == 1
        assert done.stderr.decode() == (
            f"syrinx ready: {address(server)} is not ready: the server is ending\n")
        client.send(cancel=True)
    assert server.wait_for_end() == 0


class Stranger(http.server.BaseHTTPRequestHandler):
    """A server that is not Syrinx: its path says what it answers."""

    answers = {"/metrics": (200, b"process_start_time_seconds 1\n"),
               "/page/metrics": (200, b"<html>Hello</html>"),
               "/long/metrics": (200, b"# " + b"x" * 3000000 + b"\n"),
               "/moved/metrics": (302, b""),
               "/moved/ready": (302, b"")}

    def do_GET(self):
        status, body = self.answers.get(self.path, (404, b"no"))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def stranger():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()


@pytest.mark.parametrize("command, path, words", [
    (["top", "--once"], "", "did not answer with Syrinx metrics: is it Syrinx?"),
    (["top", "--once"], "/page", "did not answer with Syrinx metrics: is it Syrinx?"),
    (["top", "--once"], "/long", "long"),
    (["top", "--once"], "/moved", "answered 302: is it Syrinx?"),
    (["top", "--once"], "/nowhere", "answered 404: it has no /metrics: is it Syrinx?"),
    (["ready"], "", "answered 404: is it Syrinx?"),
    (["ready"], "/moved", "answered 302: is it Syrinx?")])
def test_another_server_is_told_from_ours(stranger, command, path, words):
    done = syrinx(*command, "--server", stranger + path)
    assert done.returncode == 1 and done.stdout == b""
    assert words in done.stderr.decode() and done.stderr.count(b"\n") == 1


# top, in a pipe

@pytest.mark.parametrize("option", [["--once"], []])
def test_a_pipe_gets_one_plain_table(server, option):
    with Client(server) as client:
        client.speak(TEXT, voice_id=1)
        client.send_text("{")
        client.expect_error(400, "VALIDATION_ERROR")
        done = syrinx("top", "--server", address(server) + "/", *option)
    text = done.stdout.decode()
    assert done.returncode == 0 and done.stderr == b""
    assert "\x1b" not in text and text.endswith("\n")
    assert text.startswith(f"syrinx {address(server)} ")
    assert "rates and times since the server started" in text
    assert re.search(r"^connections +1 +turns finished +\d+\.\d +1$", text, re.M)
    assert re.search(r"^first audio +[\d.]+ m?s +[\d.]+ m?s +[\d.]+ m?s +1$", text, re.M)
    assert re.search(r"^ERRORS +VALIDATION_ERROR 1$", text, re.M)
    assert all(len(line) <= COLUMNS for line in text.splitlines())


def test_metrics_are_also_json(server):
    with Client(server) as client:
        client.speak(TEXT, voice_id=1)
        done = syrinx("top", "--once", "--json", "--server", address(server))
    assert done.returncode == 0 and done.stderr == b""
    shown = json.loads(done.stdout)
    assert shown["server"] == address(server)
    values = {(row["name"], row.get("label")): row["value"] for row in shown["metrics"]}
    assert values[("syrinx_connections", None)] == 1
    assert values[("syrinx_turns_total", "finished")] == 1


def test_a_key_is_wanted_where_it_is_configured_so(start_server):
    server = start_server({"server.metrics": "key"})
    user = server.new_key()
    here = ["top", "--once", "--server", address(server)]
    done = syrinx(*here)
    assert done.returncode == 1
    assert "answered 401: it requires an API key: give --key-file FILE or set SYRINX_KEY" in done.stderr.decode()
    done = syrinx(*here, "--key", user)
    assert done.returncode == 1
    assert "answered 403: the key is not allowed to read the metrics" in done.stderr.decode()
    assert syrinx(*here, "--key", server.key).returncode == 0
    assert syrinx(*here, extra={"SYRINX_KEY": server.key}).returncode == 0
    assert syrinx(*here, "--data", server.data).returncode == 0  # the local key
    done = syrinx(*here, "--key", server.key + "\r\nX: y")
    assert done.returncode == 1 and b"this is not a valid key" in done.stderr


def test_no_server_is_an_error_in_a_pipe():
    port = free_port()
    done = syrinx("top", "--server", f"http://127.0.0.1:{port}")
    assert done.returncode == 1 and done.stdout == b""
    assert done.stderr.decode() == f"syrinx top: 127.0.0.1:{port}: Connection refused\n"


@pytest.mark.parametrize("interval", ["0", "x", "3601", "0.5"])
def test_an_interval_is_whole_seconds(interval):
    done = syrinx("top", "--interval", interval)
    assert done.returncode == 2 and b"--interval must be a number from 1 to 3600" in done.stderr


# top, at a terminal

class Terminal:
    """A pseudo-terminal with `syrinx top` on it, and what stands on its screen."""

    def __init__(self, *arguments, rows=ROWS, columns=COLUMNS, extra=None):
        self.ours, theirs = pty.openpty()
        self.before = termios.tcgetattr(theirs)
        self.theirs = theirs
        self.written = ""
        self.resize(rows, columns)
        self.process = subprocess.Popen(
            [SYRINX, "top", *arguments], stdin=theirs, stdout=theirs, stderr=subprocess.PIPE,
            env=environment({}) | {"TERM": "xterm"} | (extra or {}), start_new_session=True)
        companions.add(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        os.close(self.ours)
        os.close(self.theirs)

    def resize(self, rows, columns):
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        while select.select([self.ours], [], [], 0)[0]:
            self.written += os.read(self.ours, 65536).decode()

    def pictures(self):
        """The lines of every whole picture so far."""
        self.read()
        whole = [p.split("\x1b[J")[0] for p in self.written.split("\x1b[H")[1:] if "\x1b[J" in p]
        return [ESCAPE.sub("", p).replace("\r", "").split("\n") for p in whole]

    def wait_for(self, words):
        """A picture with these words, of those to come or the last one."""
        deadline = time.monotonic() + WAIT_S
        while True:
            pictures = self.pictures()
            if pictures and re.search(words, "\n".join(pictures[-1])):
                return pictures[-1]
            assert time.monotonic() < deadline, (words, pictures[-1:], self.written[-2000:])
            assert self.process.poll() is None, self.process.stderr.read()
            select.select([self.ours], [], [], 0.1)

    def press(self, keys):
        os.write(self.ours, keys)

    def end(self):
        status = self.process.wait(timeout=WAIT_S)
        self.read()
        return status, self.process.stderr.read().decode()

    def is_given_back(self):
        """The other screen, the cursor and the keyboard are as they were."""
        return (self.written.endswith("\x1b[?7h\x1b[?25h\x1b[?1049l")
                and self.written.count("\x1b[?1049h") == 1
                and termios.tcgetattr(self.theirs) == self.before)


def test_the_view_is_live_and_q_gives_the_terminal_back(server):
    with Terminal("--server", address(server)) as terminal:
        terminal.wait_for(r"rates and times over the last 1\.\d s")
        assert termios.tcgetattr(terminal.theirs) != terminal.before
        with Client(server) as client:
            terminal.wait_for(r"connections +1\b")
            client.speak(TEXT, voice_id=1)
            terminal.wait_for(r"turns finished +[\d.]+ +1\b")
        lines = terminal.wait_for(r"connections +0\b")
        assert len(lines) <= ROWS and max(map(len, lines)) <= COLUMNS
        assert "\x1b[1m" in terminal.written  # it has colours
        terminal.press(b"xq")
        assert terminal.end() == (0, "")
        assert terminal.is_given_back()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_end_it_and_give_the_terminal_back(server, number):
    with Terminal("--server", address(server)) as terminal:
        terminal.wait_for("TIMES")
        terminal.process.send_signal(number)
        assert terminal.end() == (0, "")
        assert terminal.is_given_back()


def test_the_picture_follows_the_size_of_the_screen(server):
    with Terminal("--server", address(server), "--interval", "3600") as terminal:
        terminal.wait_for("TIMES")
        for rows, columns in ((10, 40), (50, 200), (1, 10)):
            terminal.resize(rows, columns)
            count = len(terminal.pictures())
            terminal.process.send_signal(signal.SIGWINCH)
            deadline = time.monotonic() + WAIT_S
            while len(terminal.pictures()) <= count and time.monotonic() < deadline:
                select.select([terminal.ours], [], [], 0.05)
            lines = terminal.pictures()[-1]
            assert len(lines) <= rows and max(map(len, lines)) <= columns
        terminal.press(b"q")
        assert terminal.end()[0] == 0


@pytest.mark.parametrize("extra", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_can_be_unwanted(server, extra):
    with Terminal("--server", address(server), extra=extra) as terminal:
        terminal.wait_for("TIMES")
        terminal.press(b"Q")
        assert terminal.end()[0] == 0
        assert not re.search(r"\x1b\[[0-9;]*m", terminal.written)


def test_a_server_that_is_away_is_waited_for(start_server, server):
    port = free_port()
    with Terminal("--server", f"127.0.0.1:{port}", "--interval", "1") as terminal:
        terminal.wait_for("waiting for the server: .*Connection refused")
        later = start_server(port=port)
        terminal.wait_for(r"rates and times over the last")
        later.stop()
        lines = terminal.wait_for("waiting for the server: ")
        assert any(line.startswith("connections") for line in lines)  # the last that was seen
        start_server(port=port)
        terminal.wait_for(r"rates and times over the last")
        terminal.press(b"q")
        assert terminal.end() == (0, "")
        assert terminal.is_given_back()
        assert terminal.pictures()[0][1] == "asking the server"


def test_a_server_that_refuses_is_not_waited_for(start_server, stranger):
    server = start_server({"server.metrics": "key"})
    for where, words in ((address(server), "it requires an API key"), (stranger, "is it Syrinx?")):
        with Terminal("--server", where) as terminal:
            status, told = terminal.end()
            assert status == 1 and words in told
            assert terminal.is_given_back()
