"""TLS: certificates made here, checked by the clients."""

import shutil
import signal
import ssl
import subprocess
import wave

import pytest
from client import Client
from program import WAIT_S, syrinx, wait_until

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="there is no openssl command")


def make_certificate(directory, name, names="DNS:localhost,IP:127.0.0.1"):
    key, certificate = directory / f"{name}.key", directory / f"{name}.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
         "-addext", f"subjectAltName={names}"],
        check=True, capture_output=True)
    return key, certificate


@pytest.fixture
def pair(tmp_path):
    return make_certificate(tmp_path, "server")


@pytest.fixture
def tls_server(start_server, pair):
    key, certificate = pair
    return start_server({"server.tls_key": key, "server.tls_certificate": certificate,
                         "speech.test_hooks": "on"})


@pytest.fixture
def context(pair):
    return ssl.create_default_context(cafile=pair[1])


def test_turns_over_tls_are_the_same_as_without(tls_server, context, start_server):
    plain_server = start_server()
    with Client(tls_server, context=context) as secure, Client(plain_server) as plain:
        for voice in (1, 1071):
            text = "The same words, with and without a cipher. " * 3
            want = plain.speak(text, voice_id=voice)
            assert secure.speak(text, voice_id=voice).audio == want.audio
        secure.send(close_socket=True)
        assert secure.receive()["session_closed"]
        secure.expect_close(1000)


def test_long_audio_over_tls_to_a_slow_reader_arrives_whole(tls_server, context):
    with Client(tls_server, context=context, receive_buffer=4096) as client:
        assert client.speak("[[long:30]]", voice_id=1).samples > 30 * 24000


def test_cancel_over_tls_keeps_what_was_not_sent_unbooked(tls_server, context):
    with Client(tls_server, context=context, receive_buffer=4096) as client:
        client.send(voice_id=1, text="[[long:120]]", flush=True)
        samples = 0
        frame = client.receive()
        while "audio" not in frame:
            frame = client.receive()
        client.send(cancel=True)
        while "interrupted" not in frame:
            samples += frame.get("samples", 0)
            frame = client.receive()
        (row,) = tls_server.wait_for_ledger(1)
        assert (row["status"], row["samples"]) == ("cancelled", samples)


def test_say_checks_the_certificate_and_speaks(tls_server, pair, tmp_path):
    out = tmp_path / "out.wav"
    server = f"https://127.0.0.1:{tls_server.port}"
    done = syrinx("say", "Over a cipher.", "--server", server, "--ca", pair[1], "--data",
                  tls_server.data, "-o", out)
    assert done.returncode == 0, done.stderr
    with wave.open(str(out)) as file:
        assert file.getnframes() > 5000
    other = make_certificate(tmp_path, "stranger")[1]
    done = syrinx("say", "Refused.", "--server", server, "--ca", other, "--data", tls_server.data,
                  "-o", tmp_path / "none.wav")
    assert done.returncode == 1
    assert b"certificate" in done.stderr


def test_plain_client_of_a_tls_server_and_back_are_refused(tls_server, context, start_server):
    with pytest.raises(Exception):
        Client(tls_server)
    with pytest.raises(ssl.SSLError):
        Client(start_server(), context=context)
    with Client(tls_server, context=context) as client:
        assert client.speak("Still here.", voice_id=1).samples > 0


# What a person is told who asks in the wrong way

def ways(address, data):
    """Every command that asks a server."""
    return {"say": ["say", "Hello.", "-o", "/dev/null", "--data", data, "--server", address],
            "ready": ["ready", "--server", address],
            "top": ["top", "--once", "--data", data, "--server", address]}


@pytest.mark.parametrize("command", ["say", "ready", "top"])
def test_the_wrong_scheme_is_recognized(tls_server, start_server, pair, command):
    plain = start_server()
    done = syrinx(*ways(f"http://127.0.0.1:{tls_server.port}", tls_server.data)[command])
    said = done.stderr.decode() + done.stdout.decode()
    assert done.returncode == 1
    assert f"does it use TLS? try https://127.0.0.1:{tls_server.port}" in said
    done = syrinx(*ways(f"https://127.0.0.1:{plain.port}", plain.data)[command], "--ca", pair[1])
    said = done.stderr.decode() + done.stdout.decode()
    assert done.returncode == 1
    assert f"it does not use TLS; try http://127.0.0.1:{plain.port}" in said


@pytest.mark.parametrize("command", ["say", "ready", "top"])
def test_a_wrong_name_and_an_unknown_authority_are_told_apart(start_server, tmp_path, pair, command):
    key, certificate = make_certificate(tmp_path, "other", "DNS:other.example.com")
    server = start_server({"server.tls_key": key, "server.tls_certificate": certificate})
    way = ways(f"https://127.0.0.1:{server.port}", server.data)[command]
    done = syrinx(*way, "--ca", certificate)
    said = done.stderr.decode() + done.stdout.decode()
    assert done.returncode == 1 and "its certificate is not for this name" in said
    assert "authority" not in said
    done = syrinx(*way, "--ca", pair[1])
    said = done.stderr.decode() + done.stdout.decode()
    assert done.returncode == 1 and "not signed by an authority that is known here" in said
    assert "name" not in said.replace("--ca FILE names one", "")


@pytest.mark.parametrize("command", ["say", "ready", "top"])
def test_an_address_of_another_kind_is_refused(tmp_path, command):
    done = syrinx(*ways("ftp://127.0.0.1:21", tmp_path)[command])
    assert done.returncode == 2
    assert b'"ftp://127.0.0.1:21" is not an http(s) address' in done.stderr


def test_the_local_key_is_for_this_machine(tls_server, tmp_path):
    done = syrinx(*ways("https://voice.example.com", tls_server.data)["say"])
    said = done.stderr.decode()
    assert done.returncode == 1 and "no API key for https://voice.example.com" in said
    assert "is only sent to servers on this machine" in said
    done = syrinx(*ways("http://127.0.0.1:1", tmp_path)["say"])
    assert f"there is no local key in {tmp_path}/local.key" in done.stderr.decode()


# A new certificate without a restart

def certificate_of(server):
    """What a handshake shows now."""
    return ssl.get_server_certificate(("127.0.0.1", server.port), timeout=WAIT_S)


def text_of(path):
    """As a handshake shows it."""
    return ssl.DER_cert_to_PEM_cert(ssl.PEM_cert_to_DER_cert(path.read_text()))


def replace(pair, others):
    for path, other in zip(pair, others):
        other.rename(path)


def reload(server, says):
    """The lines of this reload."""
    before = len(server.log())
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: says in server.log()[before:], f"the log says {says}")
    return server.log()[before:]


def test_sighup_takes_a_new_certificate_and_connections_stay(tls_server, pair, context, tmp_path):
    first = text_of(pair[1])
    assert certificate_of(tls_server) == first
    with Client(tls_server, context=context) as client:
        assert client.speak("Before.", voice_id=1).samples > 0
        replace(pair, make_certificate(tmp_path, "renewed"))
        assert certificate_of(tls_server) == first  # not before it is told to
        assert "expires on" in reload(tls_server, f"new connections use {pair[1]}")
        assert certificate_of(tls_server) == text_of(pair[1]) != first
        assert client.speak("After, on the same connection.", voice_id=1).samples > 0
    with pytest.raises(ssl.SSLCertVerificationError):
        Client(tls_server, context=context)  # which trusts the first one alone
    with Client(tls_server, context=ssl.create_default_context(cafile=pair[1])) as client:
        assert client.speak("After.", voice_id=1).samples > 0


@pytest.mark.parametrize("mistake, says", [
    ("another key", "key values mismatch"), ("no certificate", "No such file"),
    ("half a file", "certificate")])
def test_a_broken_new_certificate_is_refused_and_the_old_one_stays(tls_server, pair, context,
                                                                   tmp_path, mistake, says):
    first = text_of(pair[1])
    whole = pair[1].read_text()
    if mistake == "another key":
        make_certificate(tmp_path, "other")[0].rename(pair[0])
    elif mistake == "no certificate":
        pair[1].unlink()
    else:
        pair[1].write_text(whole[:len(whole) // 2])
    lines = reload(tls_server, "SIGHUP: the certificate stays as it was")
    assert says in lines
    wait_until(lambda: "SIGHUP: 1 agents" in tls_server.log(), "the agents were read anyway")
    assert certificate_of(tls_server) == first
    with Client(tls_server, context=context) as client:
        assert client.speak("Still here.", voice_id=1).samples > 0
    replace(pair, make_certificate(tmp_path, "renewed"))
    reload(tls_server, "new connections use")
    assert certificate_of(tls_server) == text_of(pair[1]) != first


def test_sighup_takes_the_files_that_a_changed_configuration_names(start_server, tmp_path):
    (key, certificate), (other_key, other) = (make_certificate(tmp_path, name)
                                              for name in ("first", "second"))
    text = "[server]\ntls_key = {}\ntls_certificate = {}\ndrain_seconds = {}\n"
    server = start_server(config=text.format(key, certificate, 60))
    server.config_path.write_text(text.format(other_key, other, 61))
    lines = reload(server, "used only after a restart")
    assert "after a restart: server.drain_seconds\n" in lines  # and not the certificate
    assert certificate_of(server) == text_of(other)
    server.config_path.write_text("[server]\ndrain_seconds = 60\n")
    lines = reload(server, "used only after a restart")
    assert "server.tls_certificate, server.tls_key\n" in lines
    assert certificate_of(server) == text_of(other)


@pytest.mark.parametrize("mistake", ["another key", "no key", "not PEM", "a key alone"])
def test_wrong_files_are_a_clear_error_and_exit_1(tmp_path, pair, mistake):
    key, certificate = pair
    settings = {"server.tls_key": key, "server.tls_certificate": certificate}
    if mistake == "another key":
        settings["server.tls_key"] = make_certificate(tmp_path, "other")[0]
    elif mistake == "no key":
        settings["server.tls_key"] = tmp_path / "missing.key"
    elif mistake == "not PEM":
        settings["server.tls_certificate"] = tmp_path / "noise"
        settings["server.tls_certificate"].write_bytes(b"noise")
    else:
        del settings["server.tls_certificate"]
    done = syrinx("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0",
                  settings=settings)
    assert done.returncode == 1
    last_words = done.stderr.decode().lower()
    assert "tls" in last_words or "certificate" in last_words, last_words
    wrong = settings["server.tls_certificate" if mistake == "not PEM" else "server.tls_key"]
    assert str(wrong) in done.stderr.decode() or mistake in ("another key", "a key alone")
