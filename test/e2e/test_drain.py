"""The end in good order: SIGTERM, a second one, and the hand-over to a new process."""

import contextlib
import os
import signal
import sqlite3
import threading

import pytest
from client import Client, Closed, Turn
from program import WAIT_S, free_port, process_name, tone_alone, wait_until
from websockets.exceptions import InvalidState

SETTINGS = tone_alone()


@pytest.fixture
def server(start_server):
    """Whoever waits for the end of its drain waits in vain."""
    return start_server({"speech.test_hooks": "on", "server.drain_seconds": 3600})


def is_draining(server):
    return server.get("/ready")[0] == 503


def test_idle_sockets_are_closed_1012_and_the_process_ends(server):
    clients = [Client(server) for _ in range(5)]
    clients[0].speak("One turn before.", voice_id=1)
    server.terminate()
    for client in clients:
        assert client.expect_close(1012) == "server stopping"
        client.socket.close()
    assert server.wait_for_end() == 0


def test_process_without_connections_ends_at_once(server):
    server.terminate()
    assert server.wait_for_end() == 0


def test_interrupt_from_the_keyboard_drains_as_well(server):
    with Client(server) as client:
        server.process.send_signal(signal.SIGINT)
        client.expect_close(1012)
    assert server.wait_for_end() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_to_the_whole_group_leaves_the_workers_to_their_turns(start_server, number):
    """As Ctrl-C in a terminal and a service manager send it."""
    server = start_server({"speech.test_hooks": "on"}, own_group=True)
    with Client(server) as client:
        client.send(voice_id=1, text="[[slow:20]] A turn that goes on after it.", flush=True)
        turn = Turn()
        while not turn.frame_samples:
            turn.add(client.receive())
        # One that is being started is nobody's yet.
        workers = [pid for pid in server.workers() if process_name(pid).startswith("syrinx-")]
        os.killpg(server.pid, number)
        assert not client.read_turn(turn).errors
        client.expect_close(1012)
    assert server.wait_for_end() == 0
    assert workers and not any(f"(pid {pid}) lost" in server.log() for pid in workers)


def test_busy_socket_finishes_its_turn_before_1012(server):
    with Client(server) as busy, Client(server) as idle:
        busy.send(voice_id=1, text="A turn that has begun ")
        turn = Turn()
        while not turn.frame_samples:  # flush_timeout has had it spoken
            turn.add(busy.receive())
        server.terminate()
        idle.expect_close(1012)
        wait_until(lambda: is_draining(server), "/ready says 503")
        assert server.get("/health")[0] == 200
        with Client(server) as late:
            assert late.expect_close(1013) == "server stopping"
        busy.send(text="and goes on to its end.", flush=True)
        busy.read_turn(turn)
        assert turn.texts == ["A turn that has begun", "and goes on to its end."]
        busy.expect_close(1012)
    assert server.wait_for_end() == 0
    assert [row["samples"] for row in server.ledger()] == [turn.samples]
    assert "GET /ready" not in server.log()  # a balancer's question is no news


def test_rows_that_an_orderly_end_left_are_recorded_and_nobody_is_said_to_have_died(start_server):
    server = start_server()
    database = sqlite3.connect(server.data / "syrinx.db", isolation_level=None)
    with contextlib.closing(database), Client(server) as client:
        database.execute("BEGIN IMMEDIATE")
        client.speak("A turn that the store does not take.", voice_id=1)
        server.terminate()
        assert server.wait_for_end() == 0
        database.execute("ROLLBACK")
    assert "1 turn is left in" in server.log() and "had died" not in server.log()
    assert server.ledger() == []
    again = start_server(data=server.data)
    again.wait_for_log("recorded 1 turn that server [0-9a-f]+ left in .*/spool when it ended")
    assert "had died" not in again.log()
    assert len(again.ledger()) == 1


def test_queued_turns_are_not_started_in_a_drain(server):
    with Client(server) as client:
        client.send(voice_id=1, text="[[slow:20]] The turn that speaks.", flush=True)
        client.send(text="The turn that waits.", flush=True)
        turn = Turn()
        while not turn.frame_samples:
            turn.add(client.receive())
        server.terminate()
        client.read_turn(turn)
        client.expect_close(1012)
    assert server.wait_for_end() == 0


def test_second_signal_ends_at_once_and_books_what_was_sent(server):
    client = Client(server)
    client.send(voice_id=1, text="[[slow:200]] A slow turn, which nobody will hear to its end.",
                flush=True)
    turn = Turn()
    while not turn.frame_samples:
        turn.add(client.receive())
    server.terminate()
    wait_until(lambda: is_draining(server), "it drains")
    server.terminate()
    assert server.wait_for_end() == 0
    (row,) = server.ledger()
    assert row["status"] == "cancelled" and row["samples"] >= turn.samples
    client.socket.close()


def test_any_number_of_signals_ends_it_in_order(start_server):
    server = start_server({"speech.test_hooks": "on", "server.drain_seconds": 3600})
    with Client(server) as client:
        client.send(voice_id=1, text="[[slow:200]] A turn that is cut.", flush=True)
        client.receive()
        while server.process.poll() is None:
            server.terminate()
    assert server.wait_for_end() == 0
    assert "second signal: stopping now" in server.log()
    again = start_server(data=server.data)
    assert "had died" not in again.log()
    assert [row["status"] for row in again.ledger()] == ["cancelled"]


def test_drain_time_bounds_a_turn_that_takes_too_long(start_server):
    server = start_server({"speech.test_hooks": "on", "server.drain_seconds": 1})
    client = Client(server)
    client.send(voice_id=1, text="[[slow:300]] Much slower than anybody has the patience for.",
                flush=True)
    turn = Turn()
    while not turn.frame_samples:
        turn.add(client.receive())
    server.terminate()
    assert server.wait_for_end() == 0
    assert [row["status"] for row in server.ledger()] == ["cancelled"]
    client.socket.close()


def test_client_that_does_not_close_its_side_does_not_hold_the_process(server):
    client = Client(server)
    server.terminate()
    assert server.wait_for_end() == 0  # nothing was read from the client's socket
    client.socket.close()


def test_upgrade_hands_new_connections_to_the_new_process(start_server):
    port = free_port()
    old = start_server({"speech.test_hooks": "on"}, port=port)
    with Client(old) as busy:
        busy.send(voice_id=1, text="A turn of the old process")
        new = start_server({"speech.test_hooks": "on"}, port=port, data=old.data)
        old.terminate()
        old.wait_for_log("draining")
        for i in range(20):
            busy.send(text=" ")  # else it would end by itself where this takes long
            with Client(new) as client:
                assert client.speak(f"New connection {i}.", voice_id=1).samples > 0
        assert new.get("/ready")[0] == 200
        busy.send(text=" ends there.", flush=True)
        assert busy.read_turn().texts[-1].endswith("ends there.")
        assert busy.expect_close(1012) == "server restarting"
    assert old.wait_for_end() == 0
    with Client(new) as client:
        assert client.speak("Still served.", voice_id=1).samples > 0
    assert len(new.ledger()) == 22


def test_a_process_that_starts_during_a_drain_has_all_new_callers(start_server):
    port = free_port()
    old = start_server({"speech.test_hooks": "on", "server.drain_seconds": 3600}, port=port)
    client = Client(old)
    client.send(voice_id=1, text="[[slow:300]] " + "A turn that keeps the old process. " * 20,
                flush=True)
    client.receive()
    old.terminate()
    wait_until(lambda: is_draining(old), "it drains")
    new = start_server(port=port, data=old.data)
    old.wait_for_log(f"process {new.pid} listens")
    assert {new.get("/ready")[0] for _ in range(20)} == {200}
    old.terminate()
    assert old.wait_for_end() == 0
    client.socket.close()


class Crowd:
    """Threads that open connection after connection and ask for something on each."""

    def __init__(self, ask, threads):
        self.answers = []
        self.failures = []
        self.goes_on = True
        self.ask = ask
        self.threads = [threading.Thread(target=self.run) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def run(self):
        while self.goes_on:
            try:
                self.answers.append(self.ask())
            except Exception as error:  # a thread's own would be lost
                self.failures.append(repr(error))

    def end(self):
        self.goes_on = False
        for thread in self.threads:
            thread.join()


def ask_for_a_turn(server):
    """True: spoken.  A socket that was open when its process was told to end hears 1012 or 1013."""
    with Client(server) as client:
        with contextlib.suppress(InvalidState):  # what is sent after the server's close
            client.send(voice_id=1, text="Hi.", flush=True)
        try:
            return client.read_turn().samples > 0
        except Closed as closed:
            assert closed.code in (1012, 1013)
            return False


def test_every_caller_is_answered_during_upgrades(start_server):
    port = free_port()
    old = first = start_server(port=port)
    asking = Crowd(lambda: first.get("/health")[0], threads=3)
    speaking = Crowd(lambda: ask_for_a_turn(first), threads=2)
    try:
        for _ in range(4):
            new = start_server(port=port, data=first.data)
            old.terminate()
            assert old.process.wait(timeout=WAIT_S) == 0, old.log()
            old = new
    finally:
        asking.end()
        speaking.end()
    assert asking.failures + speaking.failures == []
    assert set(asking.answers) == {200}
    assert speaking.answers.count(True) > len(speaking.answers) / 2


def test_one_that_ends_beside_another_leaves_all_new_callers_to_it(start_server):
    port = free_port()
    settings = {"speech.test_hooks": "on", "server.drain_seconds": 3600}
    first = start_server(settings, port=port)
    second = start_server(settings, port=port, data=first.data)
    second.wait_for_log(f"process {first.pid} with the same data directory listens on")
    first.process.send_signal(signal.SIGSTOP)  # so that the second one has the next caller
    with Client(second) as client:
        client.send(voice_id=1, text="[[slow:300]] " + "A turn that keeps the process. " * 20,
                    flush=True)
        client.receive()
        first.process.send_signal(signal.SIGCONT)
        second.terminate()
        second.wait_for_log(f"new clients are served by process {first.pid}")
        assert {first.get("/ready")[0] for _ in range(20)} == {200}
        assert (first.data / "syrinx.pid").read_text().split()[0] == str(first.pid)
        second.terminate()
        assert second.wait_for_end() == 0


def test_a_third_takes_over_after_the_second_was_rolled_back(start_server):
    first = start_server(port=free_port())
    asking = Crowd(lambda: first.get("/health")[0], threads=2)
    speaking = Crowd(lambda: ask_for_a_turn(first), threads=2)
    try:
        second = start_server(port=first.port, data=first.data)
        second.terminate()
        assert second.process.wait(timeout=WAIT_S) == 0, second.log()
        third = start_server(port=first.port, data=first.data)
        first.terminate()
        assert first.process.wait(timeout=WAIT_S) == 0, first.log()
        with Client(third) as client:
            assert client.speak("The third serves.", voice_id=1).samples > 0
    finally:
        asking.end()
        speaking.end()
    assert asking.failures + speaking.failures == []
    assert set(asking.answers) == {200}


def test_a_third_takes_over_after_the_second_was_killed(start_server):
    first = start_server(port=free_port())
    second = start_server(port=first.port, data=first.data)
    second.process.kill()
    second.process.wait()
    third = start_server(port=first.port, data=first.data)
    third.wait_for_log(f"process {first.pid} with the same data directory listens on")
    first.terminate()
    assert first.wait_for_end() == 0
    with Client(third) as client:
        assert client.speak("The third serves.", voice_id=1).samples > 0
    assert "had died" in third.log()


def test_a_third_takes_over_when_the_first_drains_and_its_successor_has_died(start_server):
    """The first has given its socket away, and nobody listens any more."""
    settings = {"speech.test_hooks": "on", "server.drain_seconds": 3600}
    first = start_server(settings, port=free_port())
    client = Client(first)
    client.send(voice_id=1, text="[[slow:300]] " + "A turn that keeps the process. " * 20, flush=True)
    client.receive()
    second = start_server(settings, port=first.port, data=first.data)
    first.terminate()
    first.wait_for_log(f"new clients are served by process {second.pid}")
    second.process.kill()
    second.process.wait()
    third = start_server(settings, port=first.port, data=first.data)
    assert "does not hand over" not in third.log()
    assert {third.get("/ready")[0] for _ in range(20)} == {200}
    first.terminate()
    assert first.wait_for_end() == 0
    client.socket.close()


def test_a_successor_that_ends_during_the_drain_of_the_first_answers_those_who_come(start_server):
    settings = {"speech.test_hooks": "on", "server.drain_seconds": 3600}
    first = start_server(settings, port=free_port())
    busy = "[[slow:300]] " + "A turn that keeps the process. " * 20
    kept = Client(first)
    kept.send(voice_id=1, text=busy, flush=True)
    kept.receive()
    second = start_server(settings, port=first.port, data=first.data)
    first.terminate()
    first.wait_for_log(f"new clients are served by process {second.pid}")
    with Client(second) as client:
        client.send(voice_id=1, text=busy, flush=True)
        client.receive()
        second.terminate()
        wait_until(lambda: is_draining(second), "it drains")
        with Client(second) as late:
            assert late.expect_close(1013) == "server stopping"
    assert second.process.wait(WAIT_S) == 0, second.log()
    first.terminate()
    assert first.wait_for_end() == 0
    kept.socket.close()


def test_kill_of_the_server_loses_no_booked_turn_and_leaves_no_worker(start_server):
    server = start_server({"speech.test_hooks": "on"})
    with Client(server) as client:
        turns = [client.speak(f"Turn {i}.", voice_id=1) for i in range(20)]
        client.send(text="[[slow:50]] A turn that never ends.", flush=True)
        turn = Turn()
        while not turn.frame_samples:
            turn.add(client.receive())
        server.process.kill()
        with pytest.raises(Closed):
            while True:
                turn.add(client.receive())
    assert server.wait_for_end() == -9
    again = start_server(data=server.data)
    again.wait_for_log("server [0-9a-f]+ had died: recorded ")
    rows = again.ledger()
    assert [row["id"] for row in rows][:20] == [turn.usage["turn_id"] for turn in turns]
    with Client(again) as client:
        assert client.speak("Back again.", voice_id=1).samples > 0
