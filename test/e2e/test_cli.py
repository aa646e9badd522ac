"""The commands as a user types them."""

import array
import base64
import hashlib
import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import threading
import wave

import pytest
from client import is_speech
from program import SANITIZER, SYRINX, WAIT_S, environment, free_port, syrinx, wait_until


@pytest.fixture
def server(shared_server):
    return shared_server


def read_wav(path):
    """(rate, samples)."""
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        return file.getframerate(), array.array("h", file.readframes(file.getnframes()))


def say(*arguments, **options):
    done = syrinx("say", *arguments, **options)
    assert done.returncode == 0, done.stderr
    return done


def test_say_writes_a_wav_without_a_server(tmp_path):
    say("Hello, world.", "-o", tmp_path / "out.wav", cwd=tmp_path)
    rate, samples = read_wav(tmp_path / "out.wav")
    assert rate == 24000 and is_speech(samples)
    assert [path.name for path in tmp_path.iterdir()] == ["out.wav"]  # no data directory


def test_say_through_a_server_gives_the_same_samples(server, tmp_path):
    say("The same words.", "-o", tmp_path / "local.wav", "--local")
    say("The same words.", "-o", tmp_path / "remote.wav", "--data", server.data,
        "--server", f"http://127.0.0.1:{server.port}")
    assert read_wav(tmp_path / "local.wav") == read_wav(tmp_path / "remote.wav")


def booked(server):
    return len(server.ledger())


def test_say_uses_the_server_of_the_data_directory(server, tmp_path):
    before = booked(server)
    done = say("Through", "the", "server.", "-o", tmp_path / "out.wav", "--data", server.data)
    assert not done.stderr and is_speech(read_wav(tmp_path / "out.wav")[1])
    server.wait_for_ledger(before + 1)
    done = say("Here.", "-o", tmp_path / "out.wav", "--data", server.data, "--local")
    assert not done.stderr and booked(server) == before + 1


def test_say_speaks_itself_when_the_server_has_gone(start_server, tmp_path):
    """Also after one that was killed, whose note of its address is still there."""
    server = start_server()
    server.process.kill()
    server.process.wait()
    assert (server.data / "syrinx.pid").exists()
    done = say("Alone.", "-o", tmp_path / "out.wav", "--data", server.data)
    assert b"no server is running on the data directory" in done.stderr
    assert is_speech(read_wav(tmp_path / "out.wav")[1])


def test_say_speaks_itself_when_the_server_refuses_its_key(start_server, tmp_path):
    server = start_server()
    done = say("Alone.", "-o", tmp_path / "out.wav", "--data", server.data, "--key", "ka_wrong")
    assert b"cannot be used: HTTP 403: Forbidden; starting engines" in done.stderr


def test_say_starts_only_the_engine_of_the_voice(tmp_path):
    """The others would hold it up: here one that never answers."""
    engines = tmp_path / "engines"
    engines.mkdir()
    (engines / "syrinx-espeak").symlink_to(SYRINX.with_name("syrinx-espeak"))
    stuck = engines / "syrinx-flite"
    stuck.write_text("#!/bin/sh\nexec sleep 1000\n")
    stuck.chmod(0o755)
    for voice in ("2004", "English, female", "english, FEMALE"):
        say("Quick.", "--voice", voice, "-o", tmp_path / "out.wav", "--local",
            settings={"speech.engines_dir": engines})
        assert is_speech(read_wav(tmp_path / "out.wav")[1])


@pytest.mark.parametrize("voice,voice_id", [
    ("german, female", 2002), ("german-female", 2002), ("2002", 2002), ("Sally", 1071),
    ("nova", 1071)])  # like nova, among the voices that are not neural
def test_say_takes_the_name_of_a_voice(server, tmp_path, voice, voice_id):
    def spoken(name, *where):
        say("Guten Tag.", "--voice", name, "-o", tmp_path / "out.wav", *where)
        return len(read_wav(tmp_path / "out.wav")[1])

    before = booked(server)
    length = spoken(voice, "--data", server.data)
    assert server.wait_for_ledger(before + 1)[-1]["voice_id"] == voice_id
    assert abs(spoken(voice, "--local") / length - 1) < 0.01  # eSpeak NG varies by a sample


@pytest.mark.parametrize("voice,words", [
    ("Saly", "did you mean Sally (1071)?"), ("german", "German, male (2001), German, female (2002)"),
    ("Bartholomew", "there is no voice \"Bartholomew\""),
    ('1,"text":"y"', "there is no voice")])
def test_say_names_the_voices_that_may_have_been_meant(server, tmp_path, voice, words):
    for where in (["--data", server.data], ["--local"]):
        done = syrinx("say", "x", "--voice", voice, "-o", tmp_path / "out.wav", *where)
        assert done.returncode == 1 and words in done.stderr.decode(), done.stderr
        assert not (tmp_path / "out.wav").exists()


def test_say_joins_words_and_reads_a_pipe(server, tmp_path):
    where = ["--data", server.data, "--voice", "1"]
    say("One two three.", "-o", tmp_path / "quoted.wav", *where)
    say("One", "two", "three.", f"-o{tmp_path}/joined.wav", *where)
    say("-o", tmp_path / "piped.wav", *where, stdin=b"One two three.")
    assert (tmp_path / "quoted.wav").read_bytes() == (tmp_path / "joined.wav").read_bytes()
    assert (tmp_path / "quoted.wav").read_bytes() == (tmp_path / "piped.wav").read_bytes()
    done = syrinx("say", *where, stdin=b"")
    assert done.returncode == 1 and b"standard input is empty" in done.stderr


def at_a_terminal(*arguments):
    """(status, what was shown) of a command whose input and output are a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([SYRINX, *arguments], stdin=theirs, stdout=theirs, stderr=theirs,
                               env=environment({}))
    os.close(theirs)
    shown = b""
    with os.fdopen(ours, "rb", buffering=0) as screen:
        try:
            while part := screen.read(4096):
                shown += part
        except OSError:  # the other end was closed
            pass
    return process.wait(timeout=WAIT_S), shown.decode().replace("\r\n", "\n")


def test_say_shows_no_audio_on_a_terminal_and_waits_for_no_text():
    status, shown = at_a_terminal("say", "hi", "-o", "-", "--local")
    assert status == 2 and "audio cannot be written to a terminal" in shown and "RIFF" not in shown
    status, shown = at_a_terminal("say", "--local")
    assert status == 2 and "TEXT is missing" in shown


@pytest.mark.parametrize("where", ["server", "here"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_say_leaves_a_whole_file(server, tmp_path, where, number):
    out = tmp_path / "out.wav"
    options = ["--data", server.data] if where == "server" else ["--local"]
    process = subprocess.Popen([SYRINX, "say", "-o", out, "--voice", "1071", *options],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment({}))
    process.stdin.write(b"This is a sentence that is spoken again and again. " * 3500)
    process.stdin.close()
    wait_until(lambda: out.exists() and out.stat().st_size > 10000, "some of it was spoken")
    process.send_signal(number)
    errors = process.stderr.read()
    assert process.wait(timeout=WAIT_S) == -number
    assert errors.endswith(b"syrinx: interrupted (only part of the text was spoken)\n")
    rate, samples = read_wav(out)
    assert rate == 24000 and is_speech(samples)
    assert out.stat().st_size == 44 + 2 * len(samples)


def test_say_explains_why_the_local_key_is_not_sent(tmp_path):
    done = syrinx("say", "x", "--server", "http://192.0.2.1:1", cwd=tmp_path)
    assert done.returncode == 1
    assert b"is only sent to servers on this machine" in done.stderr
    for command in (["say", "x"], ["ready"], ["top"], ["talk"], ["voices"]):
        done = syrinx(*command, "--server", "ftp://x", cwd=tmp_path)
        assert done.returncode == 2 and b"is not an http(s) address" in done.stderr


def test_say_takes_its_key_from_option_or_environment(server, tmp_path):
    where = ["--server", f"127.0.0.1:{server.port}", "-o", tmp_path / "out.wav"]
    say("By option.", *where, "--key", server.key, cwd=tmp_path)
    say("By environment.", *where, extra={"SYRINX_KEY": server.key}, cwd=tmp_path)
    done = syrinx("say", "Without.", *where, cwd=tmp_path)
    assert done.returncode == 1 and b"no API key" in done.stderr
    done = syrinx("say", "Wrong.", *where, "--key", "ka_wrong", cwd=tmp_path)
    assert done.returncode == 1
    assert b"HTTP 403: Forbidden\n(is this a key of this server" in done.stderr


class OddServer:
    """Answers one handshake with these headers; in them, ACCEPT is the value that fits the key."""

    def __init__(self, headers):
        self.headers = headers
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.listening.settimeout(WAIT_S)
        self.port = self.listening.getsockname()[1]
        self.thread = threading.Thread(target=self.answer, daemon=True)
        self.thread.start()

    def answer(self):
        connection, _ = self.listening.accept()
        connection.settimeout(WAIT_S)
        with connection, connection.makefile("rwb") as file:
            lines = iter(file.readline, b"\r\n")
            key = [line.split()[1] for line in lines if line.lower().startswith(b"sec-websocket-key:")][0]
            guid = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            accept = base64.b64encode(hashlib.sha1(key + guid).digest()).decode()
            head = "HTTP/1.1 101 Switching Protocols\r\n" + "".join(h + "\r\n" for h in self.headers)
            file.write(head.replace("ACCEPT", accept).encode() + b"\r\n")
            file.flush()
            file.read()  # until the client is gone

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.thread.join(WAIT_S)
        self.listening.close()


VALID = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: ACCEPT")


@pytest.mark.parametrize("headers, words", [
    (VALID[1:], b"has no Upgrade header"),
    (("Upgrade: h2c", *VALID[1:]), b"upgrades to something else"),
    (("Upgrade: websocket", "Connection: keep-alive", VALID[2]), b'has no "Connection: Upgrade"'),
    ((*VALID[:2], "Sec-WebSocket-Accept: x"), b"Sec-WebSocket-Accept does not fit the key"),
    ((*VALID, "Sec-WebSocket-Extensions: permessage-deflate"), b"an extension that was not offered"),
    ((*VALID, "Sec-WebSocket-Protocol: chat"), b"a subprotocol that was not offered")])
def test_say_reports_a_bad_handshake(tmp_path, headers, words):
    with OddServer(headers) as odd:
        done = syrinx("say", "Hello.", "--server", f"127.0.0.1:{odd.port}", "--key", "k",
                      "-o", tmp_path / "out.wav", cwd=tmp_path)
    assert done.returncode == 1
    assert b"the server did not open a WebSocket: " in done.stderr and words in done.stderr


def test_say_tells_that_the_credit_ran_out_in_the_middle(start_server, tmp_path):
    server = start_server({"prices.cents_per_minute": 60, "prices.lease_cents": 1})
    account = ["--data", server.data]
    assert syrinx("account", "create", *account, "--name", "a", "--prepaid", "yes").returncode == 0
    assert syrinx("account", "top-up", "a", *account, "--cents", "1", "--id", "1").returncode == 0
    done = syrinx("say", "This is a sentence of some length. " * 5, "-o", tmp_path / "out.wav",
                  "--key", server.new_key("--account", "a"),
                  "--server", f"http://127.0.0.1:{server.port}")
    assert done.returncode == 1
    assert done.stderr == b"syrinx: Insufficient credits (only part of the text was spoken)\n"
    assert is_speech(read_wav(tmp_path / "out.wav")[1])


def test_say_reads_standard_input_and_writes_standard_output(tmp_path):
    done = say("-", "-o", "-", stdin=b"Words from a pipe.")
    (tmp_path / "out.wav").write_bytes(done.stdout)
    assert done.stdout[:4] == b"RIFF"
    say("Words from a pipe.", "-o", tmp_path / "file.wav")
    file = (tmp_path / "file.wav").read_bytes()
    assert done.stdout[44:] == file[44:]  # the lengths in the head cannot be known in a pipe


def test_say_obeys_voice_format_and_speed(tmp_path):
    out = tmp_path / "out.wav"
    say("Guten Tag.", "--voice", "2001", "--format", "pcm_8000", "-o", out)
    rate, samples = read_wav(out)
    assert rate == 8000 and is_speech(samples)
    say("Guten Tag.", "--voice", "1", "-o", out)
    normal = len(read_wav(out)[1])
    say("Guten Tag.", "--voice", "1", "--speed", "0.8", "-o", out)
    assert abs(len(read_wav(out)[1]) * 0.8 / normal - 1) < 0.06


@pytest.mark.parametrize("where", [
    [], ["--server", "127.0.0.1:1"], ["--server", "127.0.0.1:1", "--key", "k"],
    ["--voice", "99999"], ["--speed", "7"]])
def test_say_leaves_the_file_alone_when_nothing_comes(tmp_path, where):
    out = tmp_path / "out.wav"
    out.write_bytes(b"kept")
    text = "x" if where else ""
    done = syrinx("say", text, "-o", out, *where, cwd=tmp_path)
    assert done.returncode == 1 and done.stderr
    assert out.read_bytes() == b"kept"


@pytest.mark.parametrize("text", ["", " \n", "\u3000"])
def test_say_without_words_fails_and_writes_nothing(server, tmp_path, text):
    for where in ([], ["--data", server.data, "--server", f"http://127.0.0.1:{server.port}"]):
        done = syrinx("say", text, "-o", tmp_path / "out.wav", *where)
        assert done.returncode == 1 and b"there is nothing to say" in done.stderr
        assert not (tmp_path / "out.wav").exists()


@pytest.mark.parametrize("arguments,status", [
    (["say", "x", "--nonsense"], 2), (["nonsense"], 2),
    (["say", "x", "--voice", "99999", "-o", "/dev/null"], 1),
    (["say", "x", "--speed", "fast", "-o", "/dev/null"], 2),
    (["say", "x", "--speed", "7", "-o", "/dev/null"], 1),
    (["say", "x", "-o", "/nowhere/out.wav"], 1),
    (["say", "x", "-o", "out.MP3"], 2),
    (["say", "x", "--server", "127.0.0.1:1", "--key", "k", "-o", "/dev/null"], 1),
    (["key"], 2), (["key", "frobnicate"], 2), (["key", "revoke"], 2),
    (["serve", "--listen", "nowhere"], 1), (["serve", "--workers", "1025"], 1),
])
def test_mistake_is_told_on_standard_error(tmp_path, arguments, status):
    done = syrinx(*arguments, cwd=tmp_path)
    assert done.returncode == status, done
    assert done.stderr and not done.stdout


def test_serve_on_a_taken_address_says_so(server, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = syrinx("serve", "--listen", f"127.0.0.1:{port}", "--data", tmp_path / "data")
    assert done.returncode == 1
    assert str(port).encode() in done.stderr and b"in use" in done.stderr


def test_serve_without_engines_says_so(tmp_path):
    done = syrinx("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data",
                  settings={"speech.engines_dir": tmp_path})
    assert done.returncode == 1
    assert str(tmp_path).encode() in done.stderr


# Configuration

@pytest.mark.parametrize("line,complaint", [
    ("colour = red", "colour"), ("listen = nowhere", "HOST:PORT"),
    ("drain_seconds = long", "number"), ("max_connections = 0", "max_connections"),
    ("log_level = loud", "log_level"), ("log_texts = maybe", "log_texts")])
def test_check_names_the_line_of_a_mistake(tmp_path, line, complaint):
    file = tmp_path / "syrinx.conf"
    file.write_text(f"# comment\n[server]\n\n{line}\n")
    done = syrinx("check", "--config", file)
    assert done.returncode == 1
    assert re.search(rf"{re.escape(str(file))}:4\b", done.stderr.decode()), done.stderr
    assert complaint in done.stderr.decode()
    done = syrinx("serve", "--config", file, "--data", tmp_path / "data")
    assert done.returncode == 1 and b":4" in done.stderr


def test_check_tells_every_mistake_at_once(tmp_path):
    file = tmp_path / "syrinx.conf"
    file.write_text("[server]\ncolour = red\n[speech]\nworkers = none\n[shop]\nx = 1\n")
    errors = syrinx("check", "--config", file, settings={"speech.slots": "many"}).stderr.decode()
    for what in (":2", ":4", ":6", "SYRINX_SPEECH_SLOTS"):
        assert what in errors


@pytest.mark.parametrize("line,complaint", [
    ("prompt_file = /nowhere/prompt", "prompt_file /nowhere/prompt: No such file"),
    ("llm_url = ftp://nowhere", "llm_url: it is not an http or https URL"),
    ("fallback_url = http://nowhere", "fallback_model: it must be set if fallback_url is"),
    ("path = /ws/tts", "[agent one] path /ws/tts: the server has /ws/tts there"),
    ("path = /v1/voices/7", "path /v1/voices/7: the server has /v1/voices/{id} there")])
def test_check_finds_what_is_wrong_with_an_agent(tmp_path, line, complaint):
    file = tmp_path / "syrinx.conf"
    file.write_text(f"[agent one]\napi_key = k\nllm_model = m\n{line}\n[agent two]\n"
                    "path = /two\nllm = echo\napi_key = 1 2 3 4 5 6 7 8 9\n")
    done = syrinx("check", "--config", file)
    assert done.returncode == 1 and b"good" not in done.stdout
    assert complaint in done.stderr.decode()
    assert b"[agent two] api_key: more than 8 keys" in done.stderr


def test_check_accepts_its_own_sample(tmp_path):
    sample = syrinx("check", "--sample")
    assert sample.returncode == 0
    file = tmp_path / "syrinx.conf"
    file.write_bytes(sample.stdout)
    assert syrinx("check", "--config", file).returncode == 0
    file.write_bytes(re.sub(rb"(?m)^#(?=\w+ =|\[\w+ NAME\])", b"", sample.stdout)
                     # what an agent needs
                     .replace(b"\napi_key =\n", b"\napi_key = secret\n")
                     .replace(b"\nllm_model =\n", b"\nllm_model = small\n"))
    done = syrinx("check", "--config", file)
    assert done.returncode == 0, done.stderr


# Keys

def test_key_create_prints_the_key_alone(tmp_path):
    done = syrinx("key", "create", "--create", "--data", tmp_path / "data", "--name", "someone")
    assert done.returncode == 0
    key = done.stdout.decode()
    assert re.fullmatch(r"ka_\w{20,}\n", key)
    listed = syrinx("key", "list", "--data", tmp_path / "data").stdout.decode()
    assert "someone" in listed and "active" in listed and key.strip() not in listed
    assert syrinx("key", "revoke", key[:11], "--data", tmp_path / "data").returncode == 0
    assert "revoked" in syrinx("key", "list", "--data", tmp_path / "data").stdout.decode()


# What was done, on standard error: standard output is for scripts

@pytest.fixture
def store(tmp_path):
    """Runs a command on a store of its own; gives (standard output, standard error)."""
    def run(*arguments, status=0):
        create = ["--create"] if arguments[1] == "create" else []
        done = syrinx(*arguments, *create, "--data", tmp_path / "data")
        assert done.returncode == status, done.stderr
        return done.stdout.decode(), done.stderr.decode()

    return run


def test_commands_say_what_they_did(store):
    assert store("account", "create", "--name", "acme") == (
        "2\n", "account 2 (acme) created; to create a key for it: syrinx key create --account 2\n")
    assert store("project", "create", "--account", "acme", "--name", "website") == (
        "3\n", "project 3 (website) created; to create a key for it: syrinx key create --project 3\n")
    key, said = store("key", "create", "--project", "website", "--name", "phone")
    prefix = key[:8]
    assert re.fullmatch(r"ka_\w{40}\n", key)
    assert said == (f"key {prefix} created in project 3 (website) of account 2 (acme); it will "
                    "not be shown again\n")
    assert store("key", "change", prefix, "--turns", "3", "--expires", "30d") == (
        "", f"key {prefix} (phone) changed: expiry, limits\n")
    assert store("account", "change", "acme", "--prepaid", "yes", "--turns", "4") == (
        "", "account 2 (acme) changed: prepaid, limits\n")
    out, said = store("account", "close", "acme")
    assert out == "" and "rejects its valid keys (1) and stops speaking to its callers" in said
    assert store("account", "close", "acme") == (
        "", "account 2 (acme) is already closed; nothing was changed\n")
    assert store("account", "reopen", "acme") == (
        "", "account 2 (acme) reopened: its valid keys (1) work again\n")
    out, said = store("key", "revoke", prefix)
    assert out == "" and said.startswith(f"key {prefix} (phone) permanently revoked: ")
    out, said = store("key", "revoke", prefix)
    assert out == "" and said.startswith(f"key {prefix} (phone) was already revoked, at ")
    assert store("account", "check") == ("all totals match the ledger\n", "")


def test_top_up_says_that_it_would_count_again(store):
    store("account", "create", "--name", "acme")
    out, said = store("account", "top-up", "acme", "--cents", "5")
    made = out.split(":")[0]
    assert re.fullmatch(r"top-up-[0-9a-f]{32}", made) and "the balance is 5 " in out
    assert f"adds the amount again; adding --id {made} makes a repeat harmless" in said
    out, said = store("account", "top-up", "acme", "--cents", "5", "--id", made)
    assert "nothing was added" in out and "balance is 5 " in out and said == ""


def test_project_is_chosen_by_name(store):
    store("account", "create", "--name", "acme")
    store("account", "create", "--name", "other")
    for account in ("acme", "other"):
        store("project", "create", "--account", account, "--name", "shop")
    store("project", "create", "--account", "acme", "--name", "website")
    for named in (["website"], ["website", "--account", "acme"], ["6", "--account", "2"]):
        assert "in project 6 (website)" in store("key", "create", "--project", *named)[1]
    assert "in project 5 (shop)" in store("key", "create", "--project", "shop",
                                          "--account", "other")[1]
    for named, why in ((["shop"], "2 accounts have a project named shop: select one with --account"),
                       (["websit"], "there is no project websit; did you mean website?"),
                       (["website", "--account", "other"], "no project website in the account"),
                       (["77"], "there is no project 77")):
        out, said = store("key", "create", "--project", *named, status=1)
        assert out == "" and why in said


def test_lists_are_also_json(store):
    store("account", "create", "--name", "acme", "--turns", "4")
    store("project", "create", "--account", "acme", "--name", "website")
    store("account", "top-up", "acme", "--cents", "1.5", "--id", "one", "--note", "May")
    key = store("key", "create", "--account", "acme", "--name", "phone")[0].strip()

    def read(*arguments):
        return json.loads(store(*arguments, "--json")[0])

    assert [(row["id"], row["name"]) for row in read("account", "list")["accounts"]] == [
        (1, "default"), (2, "acme")]
    shown = read("account", "show", "acme")
    assert shown["account"] == read("account", "list")["accounts"][1]
    assert shown["account"]["limits"]["turns"] == 4
    assert shown["account"]["balance_microcents"] == 1_500_000
    assert [row["name"] for row in shown["projects"]] == ["default", "website"]
    assert [(row["id"], row["note"]) for row in shown["top_ups"]] == [("one", "May")]
    assert [row["id"] for row in read("project", "list", "--account", "acme")["projects"]] == [2, 3]
    (row,) = read("key", "list", "--account", "acme")["keys"]
    assert (row["prefix"], row["name"], row["state"], row["project_id"]) == (
        key[:8], "phone", "active", 2)


def test_list_of_keys_fits_a_terminal(store, tmp_path):
    store("key", "create", "--name", "phone")
    wide = store("key", "list")[0].splitlines()[0].split()
    assert wide == ["KEY", "ACCOUNT", "PROJECT", "STATE", "CREATED", "USED", "EXPIRES", "SPENT",
                    "CREDIT", "SCOPES", "LIMITS", "NAME"]
    status, shown = at_a_terminal("key", "list", "--data", tmp_path / "data")
    note, head, row = shown.splitlines()
    assert status == 0 and note.startswith("(not shown because the terminal is too narrow: CREATED")
    assert head.split() == ["KEY", "ACCOUNT", "PROJECT", "STATE", "SPENT", "SCOPES", "NAME"]
    assert len(head) <= 80 and len(row) <= 80 and "all but admin" in row and row.endswith("phone")


# A confined program

@pytest.mark.skipif(SANITIZER != "none", reason="a sanitizer does not run within the limits")
def test_confine_finds_programs_and_says_what_they_cannot_do(tmp_path):
    done = syrinx("confine", "--", "id", "-u")
    assert done.returncode == 0 and done.stdout.strip().isdigit() and not done.stderr
    done = syrinx("confine", "--", "nonsuch", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.decode() == f"syrinx confine: there is no program {tmp_path}/nonsuch\n"
    with open(tmp_path / "out", "wb") as file:
        done = subprocess.run([SYRINX, "confine", "--", "id", "-u"], stdout=file,
                              stderr=subprocess.PIPE, env=environment({}), timeout=WAIT_S)
    assert b"standard output is a file, and a confined program cannot write" in done.stderr
    assert (tmp_path / "out").read_bytes() == b""


# Words for a person

def test_without_a_command_the_help_is_shown():
    done = syrinx()
    assert done.returncode == 0 and done.stdout == syrinx("help").stdout and not done.stderr
    assert syrinx("-V").stdout == syrinx("version").stdout


@pytest.mark.parametrize("arguments,meant", [
    (["sya", "hello"], b"did you mean say?"), (["help", "voics"], b"did you mean voices?"),
    (["say", "x", "--vioce", "1"], b"did you mean --voice?"),
    (["key", "creat"], b'unknown verb "creat"; did you mean create? See: syrinx help key'),
    (["voices", "fecth"], b'unknown verb "fecth"; did you mean fetch?'),
    (["project", "x"], b'unknown verb "x": it must be create or list; see'),
    (["voices", "x"], b'unknown verb "x": it must be list, fetch, add or remove; see')])
def test_misspelt_word_is_recognized(arguments, meant):
    done = syrinx(*arguments)
    assert done.returncode == 2 and meant in done.stderr and not done.stdout


def commands():
    return re.findall(r"(?m)^  ([a-z-]+) ", syrinx("help").stdout.decode())


def test_help_explains_every_command():
    assert {"serve", "say", "voices", "key", "check", "version", "help"} <= set(commands())
    for command in commands():
        done = syrinx("help", command)
        assert done.returncode == 0 and syrinx(command, "--help").stdout == done.stdout
        text, examples = done.stdout.decode().split("\nExamples:\n")
        assert all(len(line) <= 110 for line in done.stdout.decode().splitlines()[1:])
        options = set(re.findall(r"--[a-z-]+|(?<= )-[a-z](?=,)", text)) | {"--version", "-"}
        assert len(examples.splitlines()) >= 2
        for line in examples.splitlines():
            called = re.search(r"\bsyrinx(?: .*)?", line)[0]
            if command in ("version", "help", "serve"):
                assert called.startswith("syrinx")
            else:
                assert re.search(rf"\bsyrinx {command}\b", called), line
            assert set(re.findall(r"(?<= )-{1,2}[a-z-]*[a-z]", called)) - {"-u"} <= options, line
    assert re.match(r"syrinx \d+\.\d+", syrinx("version").stdout.decode())


def test_help_of_serve_names_variables_and_signals():
    text = syrinx("help", "serve").stdout.decode()
    for word in ("SYRINX_SERVER_LISTEN", "SYRINX_VOICES", "SIGTERM", "SIGHUP", "SIGUSR2"):
        assert word in text


# Completion

@pytest.fixture
def complete(tmp_path):
    """The line that bash makes of another one when Tab is pressed at its end."""
    (tmp_path / "a file.wav").write_text("")
    (tmp_path / "folder").mkdir()
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(["bash", "--norc", "--noprofile", "-i"], stdin=theirs, stdout=theirs,
                             stderr=theirs, cwd=tmp_path, start_new_session=True,
                             env={"PATH": f"{SYRINX.parent}:{os.environ['PATH']}", "TERM": "dumb",
                                  "INPUTRC": "/dev/null", "HISTFILE": "", "PS1": "$ "})
    os.close(theirs)
    screen = os.fdopen(ours, "r+b", buffering=0)
    shown = b""

    def wait_for(pattern):
        nonlocal shown
        while not (found := re.search(pattern, shown)):
            shown += screen.read(4096)
        shown = shown[found.end():]
        return found

    screen.write(b"source <(syrinx completion bash); stty cols 500; echo loa''ded\n")
    wait_for(rb"loaded\r\n")

    def press_tab(line):
        # to the beginning, and around what stands there by then: echo it
        screen.write(line.encode() + b"\t\x01echo '<\x05>'\n")
        return wait_for(rb"(?m)^<(.*)>\r$")[1].decode()

    yield press_tab
    shell.kill()
    shell.wait()
    screen.close()


def test_bash_completes_commands_options_and_files(complete):
    assert complete("syrinx norm") == "syrinx normalize "
    assert complete("syrinx key cr") == "syrinx key create "
    assert complete("syrinx key create --sco") == "syrinx key create --scopes "
    assert complete("syrinx account change acme --prepaid y") == (
        "syrinx account change acme --prepaid yes ")
    assert complete("syrinx voices re") == "syrinx voices remove "
    assert complete("syrinx say hi -o a") == "syrinx say hi -o a\\ file.wav "
    assert complete("syrinx serve --data f") == "syrinx serve --data folder/"
    assert complete("syrinx help mig") == "syrinx help migrate "
    assert complete("syrinx serve --sco") == "syrinx serve --sco"  # not an option of it


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_every_option(shell):
    script = syrinx("completion", shell).stdout.decode()
    for command in commands():
        assert command in script
        text = syrinx("help", command).stdout.decode().split("\nExamples:")[0]
        for option in re.findall(r"(?m)^  (?:-., )?--([a-z-]+)", text):
            assert (f"-l {option}" if shell == "fish" else f"--{option}") in script
    if shutil.which(shell):
        done = subprocess.run([shell, "-n"], input=script.encode(), capture_output=True,
                              timeout=WAIT_S)
        assert done.returncode == 0 and not done.stderr
    assert syrinx("completion", "tcsh").returncode == 2


def test_greeting_shows_the_address_and_the_local_key(tmp_path):
    address = f"127.0.0.1:{free_port()}"
    process = subprocess.Popen(
        [SYRINX, "serve", "--greet", "--data", tmp_path / "data", "--listen", address],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment({}))
    try:
        log = b""
        while b"listening on" not in log:
            part = process.stderr.read1()
            assert part, log
            log += part
    finally:
        process.terminate()
        shown, _ = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0
    key = (tmp_path / "data" / "local.key").read_text().strip()
    assert key in shown.decode() and address in shown.decode()
    assert key.encode() not in log


def copy_program(directory):
    """The program alone, so that nothing is installed next to it."""
    return shutil.copy(SYRINX, directory / "syrinx")


def test_bench_runs_the_program_that_is_installed_next_to_this_one(tmp_path):
    program = copy_program(tmp_path)
    other = tmp_path / "syrinx-bench"
    other.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexit 3\n', encoding="utf-8")
    other.chmod(0o755)
    done = subprocess.run([program, "bench", "text", "--rounds", "2", "--voices="], check=False,
                          capture_output=True, text=True, timeout=WAIT_S)
    assert (done.stdout, done.returncode) == ("text\n--rounds\n2\n--voices=\n", 3)


def test_bench_says_that_its_program_is_not_installed(tmp_path):
    done = subprocess.run([copy_program(tmp_path), "bench", "text"], check=False,
                          capture_output=True, text=True, timeout=WAIT_S)
    assert (done.stdout, done.returncode) == ("", 1)
    assert done.stderr == ("syrinx bench: the benchmark is a separate program, and it is not installed: "
                           f"there is no {tmp_path}/syrinx-bench\n")


def test_bench_starts_the_server_next_to_it():
    done = syrinx("bench", "start", "--rounds", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"start to ready: median ")


def test_the_benchmark_is_no_engine(tmp_path):
    """Although its name is like an engine's and it is next to them."""
    (tmp_path / "syrinx-bench").symlink_to(SYRINX.parent / "syrinx-bench")
    done = syrinx("say", "Hello.", "-o", tmp_path / "out.wav", "--local",
                  settings={"speech.engines_dir": tmp_path})
    assert done.returncode == 1
    assert b"there is no program syrinx-NAME" in done.stderr
