"""`syrinx hear`: a file goes to a server, and the words come back; the server is one on this machine
that does what the case needs."""

import email.parser
import email.policy
import hashlib
import http.server
import json
import os
import re
import ssl
import subprocess
import threading

import pytest
from program import BUILD, SYRINX, WAIT_S, environment, syrinx
from registry import make_certificate

WORDS = "Hello from a file."
FILE = __file__  # that there is one


class Listener:
    """Answers uploads; `status` and `answer` are what it says, `calls` what it was sent: headers and
    the parts of the form, as names and bytes.  `is_early`: it answers before the body is sent."""

    def __init__(self, certificate=None):
        self.calls = []
        self.status, self.answer = 200, json.dumps({"text": WORDS}).encode()
        self.is_early = self.never_continues = False
        listener = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_expect_100(self):
                if listener.is_early:
                    listener.calls.append((self.path, self.headers, None))
                    self.reply()
                    return False
                return listener.never_continues or super().handle_expect_100()

            def do_POST(self):
                body = self.read_body()
                listener.calls.append((self.path, self.headers, parts_of(self.headers, body)))
                self.reply()

            def read_body(self):
                if self.headers["Transfer-Encoding"] != "chunked":
                    return self.rfile.read(int(self.headers["Content-Length"]))
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def reply(self):
                self.send_response(listener.status)
                self.send_header("Content-Length", str(len(listener.answer)))
                self.end_headers()
                self.wfile.write(listener.answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate[1], certificate[0])
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def parts_of(headers, body):
    """A list of (name, file name, content)."""
    head = f"Content-Type: {headers['Content-Type']}\r\n\r\n".encode()
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    assert not message.defects
    return [(part.get_param("name", header="content-disposition"), part.get_filename(),
             part.get_payload(decode=True)) for part in message.iter_parts()]


@pytest.fixture
def listener():
    made = Listener()
    yield made
    made.stop()


@pytest.fixture
def audio(tmp_path):
    path = tmp_path / 'an "odd" name.wav'
    path.write_bytes(b"RIFF\r\n--not a boundary\r\n" + bytes(range(256)) * 4000)
    return path


def hear(listener, *arguments, **options):
    return syrinx("hear", "--server", listener.url, "--key", "ka_test", *arguments, **options)


def error_of(done):
    assert done.returncode == 1 and not done.stdout, done
    return done.stderr.decode()


def test_only_the_words_are_printed(listener, audio):
    done = hear(listener, audio)
    assert done.returncode == 0 and done.stdout.decode() == WORDS + "\n" and not done.stderr
    ((path, headers, parts),) = listener.calls
    assert path == "/v1/audio/transcriptions"
    assert headers["Authorization"] == "Bearer ka_test" and headers["Content-Length"]
    assert [part[0] for part in parts] == ["response_format", "file"]
    assert parts[0][2] == b"json"
    assert parts[1] == ("file", "an %22odd%22 name.wav", audio.read_bytes())


def test_model_language_and_json_are_asked_for(listener, audio):
    listener.answer = b'{"text": "Hallo.", "words": []}'
    done = hear(listener, "--model", "whisper-base", "--language", "de", "--json", audio)
    assert done.stdout == listener.answer + b"\n"
    fields = [(name, content.decode()) for name, _, content in listener.calls[0][2][:-1]]
    assert fields == [("model", "whisper-base"), ("language", "de"),
                      ("response_format", "verbose_json"),
                      ("timestamp_granularities[]", "segment"),
                      ("timestamp_granularities[]", "word")]


def test_standard_input_is_sent_as_it_comes(listener):
    sent = os.urandom(300000)
    done = hear(listener, "-", stdin=sent)
    assert done.stdout.decode() == WORDS + "\n", done.stderr
    (_, headers, parts) = listener.calls[0]
    assert headers["Transfer-Encoding"] == "chunked" and headers["Content-Length"] is None
    assert parts[-1] == ("file", "audio", sent)


def test_key_and_audio_can_both_come_from_standard_input(listener):
    done = syrinx("hear", "-", "--server", listener.url, "--key-file", "-", stdin=b"ka_key\nRIFF...")
    assert done.stdout.decode() == WORDS + "\n", done.stderr
    (_, headers, parts) = listener.calls[0]
    assert headers["Authorization"] == "Bearer ka_key" and parts[-1][2] == b"RIFF..."


def test_file_on_standard_input_is_sent_from_where_it_is(listener, audio):
    with open(audio, "rb") as file:
        file.seek(1000)
        done = subprocess.run([SYRINX, "hear", "-", "--server", listener.url, "--key", "ka_test"],
                              stdin=file, capture_output=True, env=environment({}), timeout=WAIT_S,
                              check=True)
    assert done.stdout.decode() == WORDS + "\n"
    assert listener.calls[0][2][-1][2] == audio.read_bytes()[1000:]


def test_large_file_arrives_whole(listener, tmp_path):
    path = tmp_path / "large.flac"
    path.write_bytes(os.urandom(1 << 20) * 24)
    assert hear(listener, path).returncode == 0
    received = listener.calls[0][2][-1][2]
    assert hashlib.sha256(received).digest() == hashlib.sha256(path.read_bytes()).digest()


def test_empty_file_is_sent_too(listener, tmp_path):
    (tmp_path / "empty.wav").write_bytes(b"")
    listener.status, listener.answer = 400, b'{"error": "The file is empty"}'
    assert "HTTP 400: The file is empty" in error_of(hear(listener, tmp_path / "empty.wav"))
    assert listener.calls[0][2][-1][2] == b""


def test_silence_prints_nothing(listener, audio):
    listener.answer = b'{"text": ""}'
    done = hear(listener, audio)
    assert done.returncode == 0 and not done.stdout and not done.stderr


def test_words_cannot_control_a_terminal(listener, audio):
    listener.answer = json.dumps({"usage": {"text": 1}, "text": "a\u001b[2Jb\nc\u007f ü"}).encode()
    assert hear(listener, audio).stdout.decode() == "a [2Jb\nc  ü\n"


@pytest.mark.parametrize("body, said", [
    (b'{"error": "no model is installed; to install one: syrinx models fetch"}',
     ": no model is installed; to install one: syrinx models fetch"),
    (b'{"error": {"type": "x", "message": "no model; syrinx models fetch"}}',
     ": no model; syrinx models fetch"),
    (b"<html>busy</html>", ""), (b"", "")])
def test_refusal_is_told_before_the_file_is_sent(listener, audio, body, said):
    listener.is_early, listener.status, listener.answer = True, 503, body
    assert error_of(hear(listener, audio)) == f"syrinx hear: {listener.url}: HTTP 503{said}\n"
    assert listener.calls[0][2] is None


def test_wrong_key_is_told(listener, audio):
    listener.is_early, listener.status, listener.answer = True, 401, b'{"error": "Unauthorized"}'
    assert "HTTP 401: Unauthorized\n(is this a key of this server?" in error_of(hear(listener, audio))


def test_server_that_does_not_know_the_question_gets_the_file(listener, audio):
    listener.never_continues = True
    assert hear(listener, audio).stdout.decode() == WORDS + "\n"


@pytest.mark.parametrize("answer", [b"", b"words", b"[]", b'{"words": []}', b'{"text": 1}'])
def test_answer_that_is_no_transcript_is_told(listener, audio, answer):
    listener.answer = answer
    assert "the answer is not a transcript" in error_of(hear(listener, audio))


def test_server_that_is_not_there_is_told(listener, audio):
    listener.stop()
    assert "Connection refused" in error_of(hear(listener, audio))


def test_server_must_prove_its_name(audio, tmp_path):
    certificate = make_certificate(tmp_path)
    listener = Listener(certificate)
    assert "certificate was not accepted" in error_of(hear(listener, audio))
    done = hear(listener, audio, "--ca", certificate[1])
    assert done.stdout.decode() == WORDS + "\n", done.stderr
    listener.stop()
    assert len(listener.calls) == 1


def test_file_that_is_not_there_is_told_first(listener, tmp_path):
    assert "no.wav: No such file or directory" in error_of(hear(listener, tmp_path / "no.wav"))
    assert listener.calls == []


@pytest.mark.parametrize("arguments", [[], ["a", "b"], [FILE, "--frob"],
                                       [FILE, "--local", "--server", "http://127.0.0.1:1"],
                                       [FILE, "--models", "x", "--server", "http://127.0.0.1:1"]])
def test_wrong_call_is_told(arguments):
    done = syrinx("hear", *arguments)
    assert done.returncode == 2 and done.stderr and not done.stdout


@pytest.mark.parametrize("key", ["ka test", "ka_\r\nX-Other: 1"])
def test_key_cannot_make_another_header(listener, audio, key):
    done = syrinx("hear", "--server", listener.url, "--key", key, audio)
    assert "valid key" in error_of(done) and listener.calls == []


# Without a server, and with a real one

def test_without_models_it_says_what_is_missing_and_what_to_run(audio, tmp_path):
    engines = tmp_path / "engines"
    engines.mkdir()
    done = syrinx("hear", audio, "--data", tmp_path / "data", "--models", tmp_path / "models",
                  settings={"speech.engines_dir": engines})
    assert re.search(r"lacks .* and a model that recognizes speech in .*: syrinx models fetch\n",
                     error_of(done))


@pytest.fixture
def listening(real_models, neural_voices):
    """Settings with which there are models."""
    for name in ("syrinx-hear", "syrinx-decode"):
        if not (BUILD / name).exists():
            pytest.skip(f"{name} was not built")
    return {"hearing.models_dir": real_models, "speech.voices_dir": neural_voices}


@pytest.fixture
def fox(listening, tmp_path):
    path = tmp_path / "fox.wav"
    done = syrinx("say", "The quick brown fox jumps over the lazy dog.", "--local", "-o", path,
                  settings=listening)
    assert done.returncode == 0, done.stderr
    return path


def words_in(text):
    return re.findall(r"[a-z]+", text.decode().lower())


FOX = "the quick brown fox jumps over the lazy dog".split()


def test_without_a_server_engines_are_started(listening, fox, tmp_path):
    done = syrinx("hear", fox, "--data", tmp_path / "none", settings=listening)
    assert words_in(done.stdout) == FOX, done.stderr
    assert f"no server is running on the data directory {tmp_path / 'none'}".encode() in done.stderr
    silent = syrinx("hear", "-", "--local", stdin=fox.read_bytes(), settings=listening)
    assert silent.stdout == done.stdout and not silent.stderr
    timed = json.loads(syrinx("hear", fox, "--local", "--json", settings=listening).stdout)
    assert words_in(timed["text"].encode()) == FOX and len(timed["words"]) == len(FOX)
    starts = [word["start"] for word in timed["words"]]
    assert starts == sorted(starts) and timed["segments"]


def test_file_that_is_no_audio_is_told_without_a_server(listening, audio):
    error = error_of(syrinx("hear", audio, "--local", settings=listening))
    assert "the file cannot be decoded: " in error


def test_model_that_is_not_there_is_told_without_a_server(listening, fox):
    error = error_of(syrinx("hear", fox, "--local", "--model", "nope", settings=listening))
    assert "Model not found: nope" in error


def test_running_server_is_found_and_listens(listening, fox, start_server):
    server = start_server(listening)
    done = syrinx("hear", fox, "--data", server.data)
    assert words_in(done.stdout) == FOX and not done.stderr, done.stderr
