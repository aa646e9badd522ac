"""Which server a command finds without being told, and to whom it sends a key."""

import contextlib
import fcntl
import http.server
import os
import pwd
import threading

import pytest
from client import is_speech
from program import SYRINX, free_port, syrinx, tone_alone, wait_until
from test_cli import read_wav
from test_second_start import running

SETTINGS = tone_alone()
NOBODY = pwd.getpwnam("nobody")


def test_every_command_finds_the_server_of_the_data_directory(tmp_path):
    """Also where it listens on another address than that of the configuration, or 127.0.0.1."""
    data, log, wav = tmp_path / "data", tmp_path / "log", tmp_path / "out.wav"
    base = f"127.0.0.2:{free_port()}"
    with running([SYRINX, "serve", "--data", data, "--listen", base], log):
        wait_until(lambda: syrinx("ready", "--data", data).returncode == 0, "it is ready")
        done = syrinx("say", "Hello.", "--voice", "1", "-o", wav, "--data", data)
        assert done.returncode == 0 and not done.stderr and is_speech(read_wav(wav)[1])
        done = syrinx("voices", "--data", data)
        assert done.returncode == 0 and not done.stderr
        done = syrinx("top", "--once", "--data", data)
        assert done.returncode == 0 and base in done.stdout.decode(), done.stderr
        done = syrinx("talk", "--data", data, stdin=b"Hello there.\n")
        assert done.returncode == 0 and b"Hello there." in done.stdout, done.stderr
        (data / "local.key").rename(data / "local.key.away")
        done = syrinx("say", "Hello.", "--voice", "1", "-o", wav, "--data", data)
        assert f"a server is running, but {data}/local.key cannot be read" in done.stderr.decode()


class Listener(http.server.BaseHTTPRequestHandler):
    """Keeps the headers of whoever asks."""

    def do_GET(self):
        self.server.heard.append(str(self.headers))
        self.send_error(404)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def listening(host):
    with http.server.ThreadingHTTPServer((host, 0), Listener) as listener:
        listener.heard = []
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        yield listener
        listener.shutdown()


@contextlib.contextmanager
def pretending(data, url):
    """Like a server: this process holds a shared lock, and the file names it."""
    data.mkdir(exist_ok=True)
    with open(data / "syrinx.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        (data / "syrinx.pid").write_text(f"{os.getpid()} 127.0.0.1:1 0 {url}\n")
        yield


def test_a_file_that_names_another_host_is_not_believed(tmp_path):
    data, secret = tmp_path / "data", {"SYRINX_KEY": "ka_secret"}
    out = ["--voice", "1", "-o", tmp_path / "out.wav", "--data", data]
    with listening("127.0.0.3") as listener:
        port = listener.server_address[1]
        with pretending(data, f"http://127.0.0.3:{port}"):  # that is believed
            done = syrinx("say", "Hello.", *out, extra=secret)
            assert b"cannot be used" in done.stderr and "ka_secret" in "".join(listener.heard)
        for host in ("192.0.2.1", "[2001:db8::1]", "no.such.host.invalid",
                     "127.0.0.3@192.0.2.1", "192.0.2.1#127.0.0.3"):
            with pretending(data, f"http://{host}:{port}"):
                done = syrinx("say", "Hello.", *out, extra=secret)
                assert b"no server is running on the data directory" in done.stderr, host


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_root_uses_the_server_of_another_user_only_where_it_was_named(start_server, reachable_path):
    data = reachable_path / "data"
    data.mkdir(mode=0o700)
    os.chown(data, NOBODY.pw_uid, NOBODY.pw_gid)
    start_server(data=data, user=NOBODY.pw_uid)
    out = ["--voice", "1", "-o", reachable_path / "out.wav"]
    done = syrinx("say", "Hello.", *out, cwd=reachable_path)
    assert b"no server is running on the data directory data" in done.stderr
    assert not syrinx("say", "Hello.", *out, "--data", "data", cwd=reachable_path).stderr
    assert not syrinx("say", "Hello.", *out, settings={"server.data": data}, cwd=reachable_path).stderr
