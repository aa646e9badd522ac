"""Floods: a client that does not read its replies, or that sends much before it is authenticated, costs
the server little and does not keep other clients from being served.  `make floods` has more of them, for longer."""

import json
import re

import pytest
from client import Client, Closed
from flood import (COMMANDS, Flooder, command_flooder, connect, drive, frame, last_close_code,
                   shake_hands)
from program import SANITIZER, WAIT_S, Server, tone_alone
from rest import Rest

SETTINGS = tone_alone()
FLOOD_MAX_KIB = 1024  # for one client


class StreamInput(Client):
    """A socket whose key comes in its first message."""

    path = "/v1/text-to-speech/1/stream-input"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("floods"), SETTINGS)
    with Client(server) as client:
        client.speak("To begin with.", voice_id=1)
    yield server
    server.stop()


@pytest.mark.parametrize("kind", COMMANDS)
def test_replies_that_nobody_reads_close_the_connection_with_1008(server, kind):
    before = server.resident_kib()
    peak = before
    closed = server.log().count("closed with 1008")

    def look():
        nonlocal peak
        peak = max(peak, server.resident_kib())

    flooder = command_flooder(server, kind)
    drive([flooder], WAIT_S, until=lambda: server.log().count("closed with 1008") > closed,
          each=look)
    look()
    assert last_close_code(flooder.read_to_end()) == 1008
    flooder.close()
    lines = [line for line in server.log().splitlines() if "closed with 1008" in line]
    assert len(lines) == closed + 1
    assert "bytes=26" in lines[-1] and "key=" in lines[-1], lines[-1]
    if SANITIZER == "none":
        assert peak - before <= FLOOD_MAX_KIB, f"{peak - before} KiB for one client"
    with Client(server) as other:
        assert other.speak("Somebody else.", voice_id=1).samples > 0


def status_and_body(answer):
    """An answer's status, and its body without what is another one each time."""
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]), json.loads(re.sub(rb"req_[0-9a-f]{16}", b"req", body))


def post_head(path, length, key=None):
    lines = [f"POST {path} HTTP/1.1", "Host: here", f"Content-Length: {length}"]
    lines += [f"X-API-Key: {key}"] if key else []
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@pytest.mark.parametrize("path", ["/v1/tts/generate", "/v1/text-to-speech/1", "/v1/audio/speech",
                                  "/v1/dictionaries", "/v1/normalize"])
@pytest.mark.parametrize("key", [None, "ka_wrong"])
def test_long_body_without_a_good_key_is_refused_before_it_is_read(server, path, key):
    """With the words that a short one is refused with."""
    answers = []
    for length in (2, 1 << 20):
        with connect(server.port, None) as raw:
            raw.sendall(post_head(path, length, key) + b"{}")
            answers.append(raw.recv(65536))
    short, long = map(status_and_body, answers)
    assert short == long and short[0] in (401, 403)
    assert b"Connection: close" not in answers[0] and b"Connection: close" in answers[1]


def test_half_bodies_without_a_key_cost_nothing(server):
    before = server.resident_kib()
    flooders = [Flooder(connect(server.port), first=post_head("/v1/tts/generate", 1 << 20),
                        again=b"x" * 4096, most=512 * 1024) for _ in range(50)]
    drive(flooders, WAIT_S, until=lambda: not any(one.wants_write for one in flooders))
    grown = server.resident_kib() - before
    for one in flooders:
        assert one.read_to_end().startswith(b"HTTP/1.1 401 ")
        one.close()
    if SANITIZER == "none":
        assert grown < 50 * 16, f"{grown} KiB for 50 half bodies without a key"


def test_places_for_large_bodies_are_not_for_strangers(server):
    head = (b"PUT /v1/dictionaries/1/entries HTTP/1.1\r\nHost: here\r\n%s"
            b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")
    strangers = [connect(server.port) for _ in range(20)]
    for i, raw in enumerate(strangers):
        raw.sendall(head % (b"X-API-Key: ka_wrong\r\n" if i % 2 else b""))
    with Rest(server) as rest:
        made = rest.must(201, rest.post("/dictionaries", {"name": "Mine"}))
        rest.must(200, rest.put(f"/dictionaries/{made['id']}/entries", {"entries": []}))
    for raw in strangers:
        assert raw.recv(65536)[9:12] in (b"401", b"403")
        raw.close()


def test_stranger_idle_longest_makes_room_for_the_next(start_server):
    server = start_server({"server.max_connections": 8})
    ask = b"GET /health HTTP/1.1\r\nHost: here\r\n%s\r\n"
    known = connect(server.port)
    known.sendall(b"GET /v1/voices HTTP/1.1\r\nHost: here\r\nX-API-Key: %s\r\n\r\n"
                  % server.key.encode())
    assert known.recv(65536).startswith(b"HTTP/1.1 200 ")
    strangers = [connect(server.port) for _ in range(7)]
    for raw in strangers:
        raw.sendall(ask % b"")
        assert raw.recv(65536).startswith(b"HTTP/1.1 200 ")
    strangers[0].sendall(ask % b"")  # now the second has been idle longest
    assert strangers[0].recv(65536).startswith(b"HTTP/1.1 200 ")
    with Client(server) as client:
        assert client.speak("Room.", voice_id=1).samples > 0
        assert strangers[1].recv(65536) == b""
        for raw in [strangers[0]] + strangers[2:]:
            raw.sendall(ask % b"")
            assert raw.recv(65536).startswith(b"HTTP/1.1 200 ")
        # When all have a key, the next is refused.
        others = [Client(server) for _ in range(6)]
        with connect(server.port) as late:
            late.sendall(ask % b"")
            assert late.recv(65536).startswith(b"HTTP/1.1 503 ")
        for other in others:
            other.socket.close()
    known.sendall(ask % b"Connection: close\r\n")
    assert b" 200 " in known.recv(65536)
    for raw in [known] + strangers:
        raw.close()


def test_first_message_that_carries_the_key_may_have_64_kib(server):
    def first(length):
        message = json.dumps({"text": " ", "xi_api_key": server.key})
        return message + " " * (length - len(message))

    with StreamInput(server, key=None) as client:
        client.send_text(first(64 * 1024))
        client.send(text="Hello. ", flush=True)
        assert "audio" in client.receive()
    with StreamInput(server, key=None) as client:
        client.send_text(first(64 * 1024 + 1))
        client.expect_close(1009)


def test_all_that_is_said_before_the_key_is_known_is_heard(server):
    """More than is kept meanwhile: the connection is not read until there is a session."""
    with StreamInput(server, key=None) as client:
        blank = frame(json.dumps({"text": " "}) + " " * 60000)
        hello = frame(json.dumps({"text": "Hello. ", "flush": True}))
        client.send_bytes(frame(json.dumps({"text": " ", "xi_api_key": server.key}))
                          + blank * 30 + hello)
        assert "audio" in client.receive()


def test_binary_message_before_the_key_is_known_ends_it(server):
    with StreamInput(server, key=None) as client:
        client.send_bytes(frame(json.dumps({"text": "Nobody hears this. ", "flush": True,
                                            "xi_api_key": server.key}))
                          + frame(b"x", opcode=2))
        assert client.receive()["error"] == "invalid_input_message"
        client.expect_close(1008)
    assert not any(row["characters"] == len("Nobody hears this. ") for row in server.ledger())


def test_nothing_is_spoken_to_a_client_that_closes_before_its_key_is_known(server):
    """The server has to look this key up, and the close comes with the first message."""
    text = "Nobody waits for this. "
    key = server.new_key()
    with StreamInput(server, key=None) as client:
        client.send_bytes(frame(json.dumps({"text": text, "flush": True, "xi_api_key": key}))
                          + frame(b"\x03\xe8", opcode=8))
        with pytest.raises(Closed):
            client.receive()
        with Client(server, key=key) as other:  # the key is known when this one is heard
            other.speak("Somebody waits for this.", voice_id=1)
    with Client(server, key=key) as other:  # and now the first one is gone
        other.speak("Somebody waits for this, too.", voice_id=1)
    assert not any(row["characters"] == len(text) for row in server.ledger())


def test_unfinished_first_messages_are_bounded_together(server):
    """When unauthenticated connections hold too much memory, the oldest are closed with a reason; a
    client with a key is still served."""
    part = frame("x" * 65000)[:60000]
    flooders = []
    before = server.resident_kib()
    for _ in range(700):
        flooder = shake_hands(server, StreamInput.path, key=None, first=part)
        while flooder.wants_write:
            flooder.write()
        flooders.append(flooder)
    with Client(server) as client:
        assert client.speak("Somebody else.", voice_id=1).samples > 0
    grown = server.resident_kib() - before
    assert last_close_code(flooders[0].read_to_end()) == 1013
    if SANITIZER == "none":
        assert grown < (32 + 8) * 1024, f"{grown} KiB for 700 unfinished messages"
    for flooder in flooders:
        flooder.close()


@pytest.mark.parametrize("waste", [b"1;" + b"a" * 100000, b"0\r\n" + b"X-Trailer: yes\r\n" * 5000,
                                   b"0" * 100000, b"8000000000000000\r\n"])
def test_chunks_that_are_no_body_are_413(server, waste):
    with connect(server.port, None) as raw:
        raw.sendall(b"POST /v1/dictionaries HTTP/1.1\r\nHost: here\r\nX-API-Key: %s\r\n"
                    b"Transfer-Encoding: chunked\r\n\r\n" % server.key.encode())
        raw.sendall(waste)
        status, body = status_and_body(raw.recv(65536))
        assert (status, body["error_code"]) == (413, "VALIDATION_ERROR")
