"""/metrics: every row of the table, in a form that Prometheus reads, with what has happened and
nothing else; who may read it; and what the log and an answer tell of a request."""

import contextlib
import http.client
import itertools
import json
import os
import re
import signal
import socket
import time

import prometheus
import pytest
from client import Client, Refused, Turn
from engine import Engine
from multi import MultiClient
from program import WAIT_S, process_status, syrinx, tone_alone, wait_until
from prometheus import Look, fetch
from rest import Rest

SETTINGS = tone_alone()

TEXT = "One sentence that is spoken, and not a short one. And here is another one for it."
LONG = "[[slow:20]] " + "This goes on for a while. " * 40
NAMES = itertools.count()


def bearer(key):
    return {"Authorization": "Bearer " + key}


def command(server, *arguments):
    done = syrinx(*arguments, "--data", server.data)
    assert done.returncode == 0, done.stderr


def key_of(server, *limits):
    """Of an account of its own."""
    name = f"account-{next(NAMES)}"
    command(server, "account", "create", "--name", name, *limits)
    return server.new_key("--account", name)


def settled(server):
    """A look when nothing is open and nothing waits, so that all is counted."""
    def look():
        seen = Look(server)
        busy = ("connections", "conversations", "contexts", "jobs_running", "ledger_waiting")
        return None if any(seen[name] for name in busy) else seen

    return wait_until(look, "everything has come to rest")


@contextlib.contextmanager
def counting(server):
    """What is counted inside, in a dict that is filled at its end."""
    counted = {}
    before = settled(server)
    yield counted
    counted.update(settled(server).since(before))


def begin_turn(client, text=LONG):
    """A turn that speaks for long."""
    client.send(voice_id=1, text=text, flush=True)
    turn = Turn()
    while not turn.frame_samples:
        turn.add(client.receive())
    return turn


# The form

def test_every_metric_is_there_with_its_type_and_labels(shared_server):
    families = Look(shared_server).families
    table = prometheus.table()
    assert list(families) == list(table)
    for name, row in table.items():
        labels = [labels for suffix, labels in families[name].samples if suffix in ("", "_count")]
        assert families[name].type == row.kind
        if row.label and not row.values:
            assert all([label for label, _ in one] == [row.label] for one in labels)
        else:
            assert labels == ([((row.label, value),) for value in row.values] or [()])


def test_the_answer_says_which_format_it_is(shared_server):
    status, headers, _ = fetch(shared_server, "/metrics")
    assert status == 200
    assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"


@pytest.mark.parametrize("bad", [
    "a 1", "# TYPE a counter\na 1\n", "# HELP a_total x\n# TYPE a_total counter\na_total 1\n"
    "a_total 2\n", "# HELP a x\n# TYPE a gauge\na x\n",
    "# HELP a x\n# TYPE a gauge\na{b=c} 1\n", "# HELP a x\na 1\n# TYPE a gauge\n",
    "# HELP a x\n# TYPE a gauge\na 1\n\n",
    "# HELP h x\n# TYPE h histogram\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\n"
    "h_count 1\n"])
def test_the_reader_of_these_tests_is_strict(bad):
    with pytest.raises((AssertionError, KeyError)):
        prometheus.read(bad)


# What has happened

def test_a_turn_is_counted_once_in_everything_that_it_has(server):
    with counting(server) as counted:
        with Client(server) as client:
            turn = client.speak(TEXT, voice_id=1)
    row = server.ledger()[-1]
    assert counted == {
        "connections_opened_total": 1, "http_requests_total 1xx": 1, "turns_total finished": 1,
        "chunks_total": len(turn.texts), "frames_total": len(turn.frame_samples),
        "audio_seconds_total": pytest.approx(turn.samples / turn.rate, abs=1e-6),
        "characters_total": row["characters"],
        "first_audio_seconds_count": 1, "added_seconds_count": 1, "ledger_seconds_count": 1}


def test_bytes_are_those_that_were_sent(server):
    before = settled(server)
    with Client(server) as client:
        turn = client.speak(TEXT, voice_id=1)
    sent = settled(server)["sent_bytes_total"] - before["sent_bytes_total"]
    assert sent > len(json.dumps(turn.frames)) * 0.9


def test_a_barge_in_is_a_cancel_with_its_time_and_a_cancelled_turn(server):
    with counting(server) as counted:
        with Client(server) as client:
            begin_turn(client)
            client.send(cancel=True)
            while not client.receive().get("interrupted"):
                pass
            server.wait_for_ledger(1)
    samples = server.ledger()[-1]["samples"]
    assert counted["turns_total cancelled"] == 1 and "turns_total finished" not in counted
    assert counted["cancels_total"] == counted["cancel_seconds_count"] == 1
    assert counted["audio_seconds_total"] == pytest.approx(samples / 24000, abs=1e-6)
    assert counted["ledger_seconds_count"] == 1


def test_contexts_are_counted_while_they_are_open_and_each_has_its_turn(server):
    with counting(server) as counted:
        with MultiClient(server) as client:
            for name in ("a", "b"):
                client.send({"context_id": name, "voice_id": 1, "text": TEXT, "flush": True})
            wait_until(lambda: Look(server)["contexts"] == 2, "two contexts are open")
            assert Look(server)["connections"] == 1
            client.send({"close_socket": True})
            closed = 0
            while closed < 2:
                closed += bool(client.receive().get("context_closed"))
    assert counted["turns_total finished"] == 2
    assert counted["connections_opened_total"] == 1
    assert counted["first_audio_seconds_count"] == counted["ledger_seconds_count"] == 2


def test_errors_are_counted_by_the_code_that_was_told(server):
    with counting(server) as counted:
        with Client(server) as client:
            client.send_text("{")
            client.expect_error(400, "VALIDATION_ERROR")
        assert fetch(server, "/nowhere")[0] == 404
        assert fetch(server, "/v1/voices/987654", bearer(server.key))[0] == 404
        with pytest.raises(Refused):
            Client(server, key="ka_nobody")
    assert counted["errors_total VALIDATION_ERROR"] == 1
    assert counted["errors_total NOT_FOUND"] == 2
    assert counted["errors_total UNAUTHORIZED"] == 1
    assert counted["http_requests_total 4xx"] == 3
    assert not [name for name in counted if name.startswith("turns")]


def test_a_turn_that_fails_is_one_error(server):
    with counting(server) as counted:
        with Client(server) as client:
            client.send(voice_id=1, text="[[fail]] now", flush=True)
            assert client.read_turn().errors
    assert counted["turns_total failed"] == 1
    assert counted["errors_total INTERNAL_ERROR"] == 1


def test_a_request_that_fails_is_one_error(server):
    with counting(server) as counted, Rest(server) as rest:
        status, _ = rest.post("/tts/generate", {"text": "[[fail]] now", "voice_id": 1,
                                                "normalize": False})
        assert status == 500
    assert counted["errors_total INTERNAL_ERROR"] == 1
    assert counted["http_requests_total 5xx"] == 1


def test_an_answer_that_is_cut_off_is_one_error(server):
    with counting(server) as counted, Rest(server) as rest:
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            rest.post("/tts/generate", {"text": "Good morning. [[fail]]", "voice_id": 1,
                                        "normalize": False})
    assert counted["errors_total INTERNAL_ERROR"] == 1
    assert counted["http_requests_total 2xx"] == 1


def test_who_is_refused_is_counted_by_what_was_too_much(server):
    key = key_of(server, "--connections", "1")
    with counting(server) as counted:
        with Client(server, key=key):
            with pytest.raises(Refused):
                Client(server, key=key)
    assert counted["denials_total connections"] == 1
    assert counted["errors_total RATE_LIMITED"] == 1
    poor = key_of(server, "--prepaid", "yes")
    with counting(server) as counted, Rest(server, poor) as rest:
        assert rest.post("/tts/generate", {"text": TEXT, "voice_id": 1})[0] == 402
    assert counted["denials_total credit"] == 1
    assert counted["errors_total INSUFFICIENT_CREDITS"] == 1


def test_a_worker_that_dies_is_counted_and_its_turn_is_whole(server):
    killed = wait_until(lambda: server.workers("tone"), "a worker is there")
    with counting(server) as counted:
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: Look(server)["worker_deaths_total"] >= len(killed), "all are missed")
        with Client(server) as client:
            assert not client.speak(TEXT, voice_id=1).errors
    assert counted["worker_deaths_total"] == len(killed)
    assert counted["turns_total finished"] == 1
    assert "errors_total INTERNAL_ERROR" not in counted


def test_a_listener_who_runs_dry_is_a_missed_deadline(server):
    with counting(server) as counted:
        with Client(server) as client:
            client.speak("[[slow:400]] " + "a " * 4, voice_id=1)
    assert counted["deadline_misses_total"] >= 1


def test_a_conversation_is_there_while_it_is_open_and_its_answers_are_counted(server):
    with counting(server) as counted:
        with Engine(server) as engine:
            assert Look(server)["conversations"] == 1
            assert engine.ask("Hello there") and engine.ask("Again")
            engine.end()
    assert counted["llm_answers_total whole"] == 2
    assert counted["llm_first_delta_seconds_count"] == 2
    assert counted["agent_conversations_total echo"] == 1
    assert counted["agent_turns_total echo"] == counted["agent_first_deltas_total echo"] == 2
    assert counted["llm_tokens_total"] == counted["agent_tokens_total echo"] > 0
    assert "llm_errors_total" not in counted


def test_what_is_at_the_moment_is_looked_up(server):
    look = settled(server)
    with Rest(server) as rest:
        assert look["voices"] == rest.must(200, rest.get("/voices"))["total"]
    # One more may be on its way at either moment.
    wait_until(lambda: settled(server)["workers"] == len(server.workers()), "workers are counted")
    assert look["ledger_spooled"] == look["jobs_queued"] == 0
    resident = int(process_status(server.pid)["VmRSS"].split()[0]) * 1024
    assert abs(look["resident_memory_bytes"] - resident) < resident / 5
    assert look["objects"] > 0
    assert abs(look["start_time_seconds"] - time.time()) < 3600
    with Client(server):
        assert Look(server)["connections"] == 1
    wait_until(lambda: Look(server)["connections"] == 0, "the connection has gone")


# Who may read it

def may_read(server, headers=None):
    status, _, body = fetch(server, "/metrics", headers)
    assert status in (200, 401, 403)
    assert (b"syrinx_voices" in body) == (status == 200)
    return status == 200


@pytest.mark.parametrize("readers, here, through_a_proxy", [
    ("local", True, False), ("key", False, False), ("all", True, True)])
def test_who_reads_it_is_configured(start_server, readers, here, through_a_proxy):
    server = start_server({"server.metrics": readers})
    user = server.new_key()
    assert may_read(server) is here
    assert may_read(server, bearer("ka_nobody")) is here
    for proxy in ({"X-Forwarded-For": "192.0.2.1"}, {"Forwarded": "for=192.0.2.1"}):
        assert may_read(server, proxy) is through_a_proxy
        assert may_read(server, proxy | bearer(user)) is through_a_proxy
        assert may_read(server, proxy | bearer(server.key))
    assert may_read(server, bearer(server.key))


# What reverse proxies, load balancers, content networks and tunnels add: one of each kind.
PROXY_HEADERS = [
    "Via", "Forwarded", "X-Forwarded-For", "x-forwarded-host", "X-Forwarded-Proto",
    "X-Forwarded-Anything", "X-Real-IP", "X-Client-IP", "X-Cluster-Client-IP", "Client-IP",
    "True-Client-IP", "CF-Connecting-IP", "CF-Ray", "CDN-Loop", "Fastly-Client-IP", "Fly-Client-IP",
    "X-Envoy-External-Address", "X-Original-Forwarded-For", "X-Azure-ClientIP", "X-Amzn-Trace-Id",
    "X-AppEngine-User-IP", "Tailscale-User-Login", "X-Remote-Addr", "X-ProxyUser-Ip"]


@pytest.mark.parametrize("header", PROXY_HEADERS)
def test_what_a_proxy_of_this_machine_passes_on_is_not_local(shared_server, header):
    for value in ("192.0.2.1", "127.0.0.1", ""):
        status, _, _ = fetch(shared_server, "/metrics", {header: value})
        assert status == 401, value
        assert may_read(shared_server, {header: value} | bearer(shared_server.key))


def test_headers_of_ordinary_clients_are_those_of_no_proxy(shared_server):
    assert may_read(shared_server, {"User-Agent": "Prometheus/2.42", "Accept": "*/*",
                                    "X-Request-Id": "1", "X-Prometheus-Scrape-Timeout-Seconds": "10",
                                    "Traceparent": "00-0af7651916cd43dd8448eb211c80319c-"
                                                   "b7ad6b7169203331-01"})


def test_an_account_that_is_not_the_operators_reads_nothing_of_the_whole_server(start_server):
    server = start_server({"server.metrics": "key"})
    command(server, "account", "create", "--name", "tenant")
    tenant = server.new_key("--account", "tenant", "--scopes", "speak,read,voices,dictionaries,admin")
    status, _, body = fetch(server, "/metrics", bearer(tenant))
    assert status == 403 and b"operator" in body and b"syrinx_voices" not in body
    operator = server.new_key("--scopes", "admin")
    assert may_read(server, bearer(operator))
    done = syrinx("top", "--once", "--server", f"http://127.0.0.1:{server.port}",
                  extra={"SYRINX_KEY": tenant})
    assert done.returncode == 1 and b"operator" in done.stderr, done.stderr


def test_no_key_is_in_it(server):
    keys = [server.key, server.new_key()]
    with Client(server, key=keys[1]) as client:
        client.speak("Hello.", voice_id=1)
    fetch(server, "/metrics?api_key=" + keys[1], bearer("ka_nobody0123456789"))
    text = fetch(server, "/metrics", bearer(server.key))[2].decode()
    for key in [*keys, "ka_nobody0123456789"]:
        assert key not in text and key[3:11] not in text


# What a request leaves behind

@pytest.mark.parametrize("path, status", [
    ("/metrics", 200), ("/health", 200), ("/ready", 200), ("/v1/voices", 200), ("/", 200),
    ("/nowhere", 404), ("/v1/usage", 401), ("/v1/usage?format=csv", 200)])
def test_answers_say_how_long_they_took_and_their_id(shared_server, path, status):
    headers = bearer(shared_server.key) if path.startswith("/v1") and status == 200 else {}
    got, answer, _ = fetch(shared_server, path, headers)
    assert got == status
    assert re.fullmatch(r"total;dur=\d+\.\d\d", answer["Server-Timing"])
    assert float(answer["Server-Timing"].split("=")[1]) < 60000
    assert re.fullmatch(r"req_[0-9a-f]{16}", answer["x-request-id"])


def test_speech_says_so_as_well(shared_server):
    status, answer, _ = fetch(
        shared_server, "/v1/tts/generate", bearer(shared_server.key), "POST",
        json.dumps({"text": "Hello.", "voice_id": 1}))
    assert status == 200
    assert re.fullmatch(r"total;dur=\d+\.\d\d", answer["Server-Timing"])


def ask_raw(server, request):
    """Sends bytes and waits for an answer, whatever it is."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as connection:
        connection.sendall(request)
        assert connection.recv(4096).startswith(b"HTTP/1.1 4")


def json_lines(server):
    """The lines of the log but those of workers, which write them themselves."""
    lines = server.log_path.read_bytes().decode().splitlines()
    return [json.loads(line) for line in lines if not line.startswith("syrinx-")]


def test_a_json_log_is_an_object_in_each_line_with_ids_that_clients_have(start_server):
    server = start_server({"server.log_format": "json", "server.log_level": "debug",
                           "speech.test_hooks": "on"})
    with Client(server) as client:
        client.send_text("{")
        told = {client.expect_error(400, "VALIDATION_ERROR")["request_id"]: "VALIDATION_ERROR"}
        client.send(voice_id=1, text="[[fail]] now", flush=True)
        told[client.read_turn().errors[0]["request_id"]] = "INTERNAL_ERROR"
    statuses = {}
    for path in ("/nowhere", "/nowhere%22%0a%ff{}", "/v1/voices/987654"):
        status, headers, body = fetch(server, path, bearer(server.key))
        assert json.loads(body)["request_id"] == headers["x-request-id"]
        statuses[headers["x-request-id"]] = str(status)
    ask_raw(server, b"GET /caf\xe9\\ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    with pytest.raises(Refused) as refused:
        Client(server, key="ka_nobody0123456789")
    statuses[refused.value.body["request_id"]] = str(refused.value.status)
    server.terminate()
    assert server.wait_for_end() == 0
    lines = json_lines(server)
    assert len(lines) > 5
    for line in lines:
        assert {"time", "level", "area", "message"} <= set(line), line
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert line["level"] in ("error", "warn", "info", "debug")
    for request, code in told.items():
        assert [line for line in lines
                if line.get("request") == request and line.get("code") == code], request
    for request, status in statuses.items():
        assert [line for line in lines
                if line.get("request") == request and line.get("status") == status], request
    assert "ka_nobody" not in server.log()


def test_an_error_of_the_server_is_in_the_usual_log_with_its_id(start_server):
    server = start_server({"speech.test_hooks": "on"})
    with Client(server) as client:
        client.send(voice_id=1, text="[[fail]] now", flush=True)
        request = client.read_turn().errors[0]["request_id"]
    server.wait_for_log(rf"warn +session: an error .*INTERNAL_ERROR .*{request}")
    with Rest(server) as rest:
        status, body = rest.post("/tts/generate", {"text": "[[fail]] now", "voice_id": 1,
                                                   "normalize": False})
        assert status == 500
    server.wait_for_log(rf"warn +http: POST /v1/tts/generate status=500 request="
                        rf"{body['request_id']}")
