"""What a server does when nothing comes for long: all of it at the same time, for each takes as long
as it takes and needs nobody's attention.  A case is a function; the tests look how they have ended."""

import concurrent.futures
import http.client
import json
import select
import socket

import pytest
from client import Client, Turn, now
from program import WAIT_S

CASES = {}


def takes_its_time(case):
    CASES[case.__name__] = case
    return case


@pytest.fixture(scope="module")
def begun(shared_server):
    with concurrent.futures.ThreadPoolExecutor(len(CASES)) as pool:
        yield {name: pool.submit(case, shared_server) for name, case in CASES.items()}


@pytest.mark.parametrize("name", CASES)
def test_time_passes(begun, name):
    begun[name].result()


# Requests

def read_to_end(raw):
    answer = b""
    try:
        while part := raw.recv(65536):
            answer += part
    except ConnectionResetError:
        pass
    return answer


def end_of_handshake(raw, began_at):
    """10 s, whatever has come; a machine that is busy is later."""
    answer = read_to_end(raw)
    assert answer == b"" or b" 408 " in answer.split(b"\r\n")[0]
    assert now() - began_at > 5


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=10 + WAIT_S)


@takes_its_time
def silent_handshake_is_ended(server):
    began_at = now()
    with connect(server) as raw:
        end_of_handshake(raw, began_at)


@takes_its_time
def half_a_handshake_is_ended(server):
    began_at = now()
    with connect(server) as raw:
        raw.sendall(b"GET /ws/tts/stream HTTP/1.1\r\nHost: x\r\nX-Sl")
        end_of_handshake(raw, began_at)


@takes_its_time
def handshake_of_a_byte_a_second_is_ended(server):
    began_at = now()
    with connect(server) as raw:
        for byte in b"GET /ws/tts/stream HTTP/1.1\r\nHost: x\r\nX-Slow: " + b"z" * WAIT_S:
            raw.sendall(bytes([byte]))
            if select.select([raw], [], [], 1)[0]:
                break
        end_of_handshake(raw, began_at)


@takes_its_time
def body_that_does_not_come_is_408(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60 + WAIT_S)
    connection.putrequest("POST", "/v1/dictionaries")
    connection.putheader("X-API-Key", server.key)
    connection.putheader("Content-Length", "100")
    connection.endheaders(b'{"name": ')
    answer = connection.getresponse()
    body = json.loads(answer.read())
    assert (answer.status, body["code"], body["error_code"]) == (408, 408, "VALIDATION_ERROR")
    assert answer.headers["Connection"] == "close"


# Sockets

@takes_its_time
def client_that_answers_no_ping_is_given_up(server):
    """40 s; others go on, among them those of the other cases."""
    began_at = now()
    deaf = Client(server)
    deaf.socket.settimeout(40 + WAIT_S)
    read_to_end(deaf.socket)
    deaf.socket.close()
    assert now() - began_at > 30


@takes_its_time
def client_that_only_answers_pings_is_kept(server):
    began_at = now()
    with Client(server) as client:
        while now() - began_at < 45:
            if client.can_read(1):
                client.pull()  # which answers
        assert client.speak("Still here.", voice_id=1).samples > 0


# Turns

@takes_its_time
def idle_turn_ends_after_a_warning_with_its_text_spoken(server):
    with Client(server) as client:
        began_at = now()
        client.send(voice_id=1, text="Never flushed and without an end")
        turn = client.read_turn()
        assert turn.warnings == [
            'Turn ended after 5s of inactivity. Send {"flush": true} to end a turn explicitly — it '
            'lowers latency and avoids this auto-flush.']
        assert now() - began_at > 4.9
        assert " ".join(turn.texts) == "Never flushed and without an end"
        assert client.speak("The next turn.").texts == ["The next turn."]


@takes_its_time
def pings_do_not_keep_a_turn_open(server):
    with Client(server) as client:
        client.send(voice_id=1, text="Text ")
        deadline = now() + WAIT_S
        turn = Turn()
        while not turn.warnings:
            client.protocol.send_ping(b"still here")
            client.push()
            assert now() < deadline
            while client.can_read(0.2) and not turn.warnings:
                client.pull()
                while client.waiting:
                    turn.add(client.receive())
        client.read_turn(turn)
