"""Clients that are slow, silent, greedy or gone: they cost little, and nobody else notices."""

import socket

import pytest
from client import Client, Turn
from program import SANITIZER, WAIT_S, tone_alone, wait_until

SETTINGS = tone_alone()


@pytest.fixture
def quiet_server(start_server):
    """Few workers, so that a seat that leaked is missed at once."""
    return start_server({"speech.test_hooks": "on", "speech.workers": 2})


def read_to_end(raw):
    answer = b""
    while True:
        try:
            part = raw.recv(65536)
        except ConnectionResetError:
            return answer
        if not part:
            return answer
        answer += part


def test_half_closed_client_still_gets_its_answer(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as raw:
        raw.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        raw.shutdown(socket.SHUT_WR)
        assert read_to_end(raw).startswith(b"HTTP/1.1 200 ")


def test_clients_that_never_read_cost_little_and_hold_nobody_up(server):
    with Client(server) as other:
        other.speak("To begin with.", voice_id=1)
        before = server.resident_kib()
        sleepers = [Client(server, receive_buffer=4096) for _ in range(20)]
        for sleeper in sleepers:
            sleeper.send(voice_id=1, text="[[long:60]]", flush=True)
        for i in range(30):
            other.speak(f"Turn {i} of somebody who listens.")
        assert not any(row["status"] == "cancelled" for row in server.ledger())  # they sleep still
        grown = server.resident_kib() - before
        if SANITIZER == "none":
            assert grown < 16 * 1024, f"{grown} KiB for 20 clients that do not read"
        for sleeper in sleepers:
            sleeper.reset()
        rows = server.wait_for_ledger(1 + 30 + 20)
    cancelled = [row["samples"] for row in rows if row["status"] == "cancelled"]
    assert len(cancelled) == 20
    assert max(cancelled) < 10 * 24000  # what was handed to the kernel, not what was made


def test_client_that_reads_slowly_gets_all_of_it(server):
    with Client(server, receive_buffer=4096) as client:
        client.send(voice_id=1, text="[[long:20]]", flush=True)
        assert client.read_turn().samples > 20 * 24000


def test_clients_that_vanish_are_booked_and_leave_nothing(quiet_server):
    server = quiet_server
    with Client(server) as client:
        for _ in range(2):
            client.speak("Warm.", voice_id=1)
    wait_until(lambda: server.get("/health")[0] == 200, "it answers")
    files = server.open_files()
    heard = []
    for i in range(40):
        client = Client(server)
        client.send(voice_id=1, text="[[slow:5]] A sentence that nobody hears to its end.",
                    flush=i % 2 == 0)
        turn = Turn()
        while len(turn.frame_samples) < i % 3:
            turn.add(client.receive())
        heard.append(turn.samples)
        client.reset() if i % 4 else client.socket.close()
    rows = server.wait_for_ledger(2 + 40)[2:]
    assert {row["status"] for row in rows} == {"cancelled"}
    # In the order in which their ends were noticed.
    assert all(a >= b for a, b in zip(sorted(row["samples"] for row in rows), sorted(heard)))
    wait_until(lambda: server.open_files() <= files, "descriptors are given back")
    # Both seats are free: two turns speak at once, neither waits for the other.
    with Client(server) as one, Client(server) as two:
        one.send(voice_id=1, text="[[slow:10]] First.", flush=True)
        two.send(voice_id=1, text="[[slow:10]] Second.", flush=True)
        assert one.read_turn().samples > 0 and two.read_turn().samples > 0
    assert len(server.workers("tone")) <= 2


def test_handshakes_that_vanish_leave_nothing(server):
    with Client(server) as client:
        client.speak("Warm.", voice_id=1)
    wait_until(lambda: server.open_files(), "it runs")
    files = server.open_files()
    request = (f"GET /ws/tts/stream?api_key={server.key} HTTP/1.1\r\nHost: x\r\n"
               "Upgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
    for i in range(200):
        with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as raw:
            raw.sendall(request.encode()[:len(request) - i % 3 * 40])
            if i % 2:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    wait_until(lambda: server.open_files() <= files, "descriptors are given back")
    assert len(server.ledger()) == 1


def test_connections_over_the_limit_are_refused_and_later_ones_served(start_server):
    server = start_server({"server.max_connections": 4})
    clients = [Client(server) for _ in range(4)]
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as raw:
        raw.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b" 503 " in read_to_end(raw)[:40]
    for client in clients:
        client.socket.close()
    wait_until(lambda: can_connect(server), "there is room again")


def can_connect(server):
    try:
        with Client(server) as client:
            return client.speak("Room.", voice_id=1).samples > 0
    except Exception:  # refused with 503, or reset
        return False


def test_caller_who_finds_no_worker_is_told_503_and_running_turns_go_on(start_server):
    server = start_server({"speech.test_hooks": "on", "speech.workers": 1,
                           "speech.start_timeout_ms": 1000})
    with Client(server) as holder, Client(server) as caller:
        holder.send(voice_id=1, text="[[slow:100]] This one speaks in real time, and for long.",
                    flush=True)
        turn = Turn()
        while not turn.frame_samples:
            turn.add(holder.receive())
        caller.send(voice_id=1, text="No room.", flush=True)
        error = caller.read_turn().errors[0]
        assert (error["code"], error["error_code"]) == (503, "MODEL_UNAVAILABLE")
        assert not holder.read_turn(turn).errors
        assert caller.speak("Room now.").samples > 0
