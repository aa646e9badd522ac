"""Every error that a client can read, provoked: status, error_code, code and text.

The table is src/wire/error.h.  A row that is said somewhere and has no case here fails, and so does
a case without a row.  What needs something broken breaks it for real: an engine that fails or has
no seat, a store whose table is gone.
"""

import contextlib
import http.client
import json
import re
import sqlite3

import pytest
from beeps import beeps, form, put_engines, wav
from client import Client, Turn
from multi import MultiClient
from program import SOURCE, WAIT_S, Server, syrinx
from rest import Rest

CASES = {}
UNKNOWN = 987654
SPOOL_ROWS = 100  # the fewest that there may be
# Memory that is not there, an engine that fails on its own, hours of audio, and the errors of
# ElevenLabs' socket that listens, whose frames have another shape: test/proto/listen_scribe and
# test/unit/session/test_transcription.c provoke each of them.
# So do test/unit/call/test_call.c and test_calls.py with those of calls, and
# test/unit/server/cases/speech_engines.script with those of speech engines.
WITHOUT_CASE = {"INTERNAL", "HEARING_FAILED", "AUDIO_TOO_LONG", "BAD_MESSAGE", "MESSAGE_TOO_LONG",
                "TOO_MANY_COMMITS", "CALL_TOO_LONG", "NO_ANSWER", "ENGINE_IS_FIXED",
                "ENGINE_NOT_FOUND", "SIGNING_KEY_ENDED", "WEBSOCKET_ONLY"}
OTHER_SERVERS = {"UNAVAILABLE": "busy_server", "NO_LEDGER": "lost_server",
                 "NO_HEARING": "deaf_server"}


def read_table():
    """name: (number, error_code, text)"""
    source = (SOURCE / "src/wire/error.h").read_text(encoding="utf-8")
    source = re.sub(r"\\\n", "\n", source[source.index("#define WIRE_ERRORS(X)"):])
    rows = re.findall(r'X\((\w+), (\d+), "(\w+)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', source)
    assert len(rows) == len(re.findall(r"^\s*X\(", source, re.M))
    return {name: (int(number), code, "".join(re.findall(r'"([^"]*)"', text)))
            for name, number, code, text in rows}


TABLE = read_table()


def provokes(*names):
    """Marks a way to provoke an error: it gets a server and gives the answer's status and its body,
    or None and a frame."""
    def mark(case):
        for name in names:
            CASES.setdefault(name, []).append(case)
        return case
    return mark


SETTINGS = {"speech.test_hooks": "on", "speech.workers": 1, "store.spool_rows": SPOOL_ROWS}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("errors")
    server = Server(folder, SETTINGS | {"speech.engines_dir": put_engines(folder / "engines")})
    yield server
    server.stop()


@pytest.fixture
def busy_server(start_server):
    """For those who find no seat, and must not wait long for one."""
    return start_server(SETTINGS | {"speech.start_timeout_ms": 300})


@pytest.fixture
def lost_server(start_server):
    """What it could not book it remembers."""
    return start_server(SETTINGS)


@pytest.fixture
def deaf_server(start_server, tmp_path):
    """Without a program that listens."""
    engines = put_engines(tmp_path / "engines", listens=False)
    return start_server(SETTINGS | {"speech.engines_dir": engines})


# What clients do

def ask(server, method, path, body=None, key=None):
    with Rest(server, key) as rest:
        return rest.ask(method, path, body)


def frame_of(client):
    """The first error that comes."""
    while True:
        frame = client.receive()
        if "error" in frame:
            return None, frame


@provokes("INVALID_REQUEST")
def unknown_key_in_a_body(server):
    return ask(server, "POST", "/tts/generate", {"text": "x", "voice_id": 1, "pitch": 1})


@provokes("INVALID_REQUEST")
def value_out_of_range(server):
    with Client(server) as client:
        client.send(speed=5)
        return frame_of(client)


@provokes("MISSING_VOICE")
def speech_without_a_voice(server):
    return ask(server, "POST", "/tts/generate", {"text": "Who?"})


@provokes("MISSING_VOICE")
def turn_without_a_voice(server):
    with Client(server) as client:
        client.send(text="Who?", flush=True)
        return frame_of(client)


@provokes("MISSING_KEY")
def no_key(server):
    with Rest(server) as rest:
        rest.key = None
        return rest.get("/dictionaries")


@provokes("WRONG_KEY")
def wrong_key(server):
    return ask(server, "GET", "/dictionaries", key="ka_wrong")


@provokes("KEY_ENDED")
def key_that_is_revoked_while_it_is_connected(server):
    key = server.new_key()
    with Client(server, key=key) as client:
        assert syrinx("key", "revoke", key, "--data", server.data).returncode == 0
        return frame_of(client)


@provokes("NO_CREDIT")
def account_that_has_paid_nothing(server):
    done = syrinx("account", "create", "--name", "broke", "--prepaid", "yes", "--data", server.data)
    assert done.returncode == 0, done.stderr
    key = server.new_key("--account", "broke")
    return ask(server, "POST", "/tts/generate", {"text": "Hello.", "voice_id": 1}, key)


@provokes("CREDIT_LEASED")
def account_whose_credit_another_server_holds(server):
    for command in (("create", "--name", "lent", "--prepaid", "yes"), ("top-up", "lent", "--cents", "1")):
        done = syrinx("account", *command, "--data", server.data)
        assert done.returncode == 0, done.stderr
    key = server.new_key("--account", "lent")
    with contextlib.closing(sqlite3.connect(server.data / "syrinx.db", timeout=WAIT_S)) as database:
        database.execute("INSERT INTO lease SELECT 0, id, 'another', credit_microcents,"
                         " unixepoch() * 1000 + 3600000 FROM account WHERE name = 'lent'")
        database.commit()
    with Rest(server, key) as rest:
        answer = rest.post("/tts/generate", {"text": "Hello.", "voice_id": 1})
        assert int(rest.headers["retry-after"]) > 0
    return answer


@provokes("RATE_LIMITED")
def one_request_too_many(server):
    key = server.new_key("--requests-per-minute", "1")
    assert ask(server, "GET", "/voices", key=key)[0] == 200
    return ask(server, "GET", "/voices", key=key)


@provokes("FORBIDDEN")
def key_without_the_scope(server):
    return ask(server, "GET", "/dictionaries", key=server.new_key("--scopes", "speak"))


@provokes("FORBIDDEN")
def project_of_somebody_else(server):
    return ask(server, "GET", "/dictionaries?project_id=7", key=server.new_key())


@provokes("VOICE_IS_FIXED")
def voice_of_the_catalogue(server):
    return ask(server, "DELETE", "/voices/1071")


@provokes("VOICE_NOT_FOUND")
def unknown_voice(server):
    return ask(server, "GET", f"/voices/{UNKNOWN}")


@provokes("VOICE_NOT_FOUND")
def speech_of_an_unknown_voice(server):
    return ask(server, "POST", "/tts/generate", {"text": "Who?", "voice_id": UNKNOWN})


@provokes("VOICE_NOT_FOUND")
def turn_of_an_unknown_voice(server):
    with Client(server) as client:
        client.send(text="Who?", voice_id=UNKNOWN)
        return frame_of(client)


@provokes("MODEL_NOT_FOUND")
def unknown_model(server):
    with Rest(server) as rest:  # whose shape it is says the key's carrier
        status, body = rest.raw("GET", "/models/none", headers={"X-API-Key": server.key})
        return status, json.loads(body)


@provokes("DICTIONARY_NOT_FOUND")
def unknown_dictionary(server):
    return ask(server, "GET", f"/dictionaries/{UNKNOWN}")


@provokes("PROJECT_NOT_FOUND")
def dictionary_of_an_unknown_project(server):
    operator = server.new_key("--scopes", "dictionaries,admin")
    path = f"/dictionaries?project_id={UNKNOWN}"
    return ask(server, "POST", path, {"name": "Nobody's"}, operator)


@provokes("ACCOUNT_NOT_FOUND")
def unknown_account(server):
    return ask(server, "GET", f"/admin/accounts/{UNKNOWN}", key=server.new_key("--scopes", "admin"))


@provokes("KEY_NOT_FOUND")
def unknown_key(server):
    return ask(server, "GET", "/admin/keys/ka_nobod", key=server.new_key("--scopes", "admin"))


@provokes("ENTRY_NOT_FOUND")
def unknown_entry(server):
    with Rest(server) as rest:
        made = rest.must(201, rest.post("/dictionaries", {"name": "Empty"}))
        return rest.delete(f"/dictionaries/{made['id']}/entries/{UNKNOWN}")


@provokes("BAD_VOICE")
def voice_without_a_name(server):
    return ask(server, "POST", "/voices", {"base_voice_id": 1})


@provokes("NO_CLONING")
def voice_without_a_base(server):
    return ask(server, "POST", "/voices", {"name": "From recordings"})


@provokes("NO_CLONING")
def reference_for_a_voice(server):
    return ask(server, "POST", "/voices/1/references")


@provokes("SAMPLE_NOT_FOUND")
def sample_that_was_not_made(server):
    return ask(server, "GET", "/voices/1/sample")


@provokes("INPUT_TIMEOUT")
def stream_in_which_nothing_is_said(server):
    class StreamInput(Client):
        path = "/v1/text-to-speech/1/stream-input"

    with StreamInput(server, query="inactivity_timeout=1") as client:
        client.send(text=" ")
        return frame_of(client)


@provokes("NO_ROUTE")
def unknown_path(server):
    return ask(server, "GET", "/nowhere")


@provokes("METHOD")
def method_that_the_path_has_not(server):
    return ask(server, "DELETE", "/dictionaries")


@provokes("TEXT_TOO_LONG")
def more_text_than_may_wait(server):
    with Client(server) as client:
        client.send(voice_id=1, text="x " * 200000, flush=True)
        return frame_of(client)


# Listening

def transcribe(server, file, key=None, **fields):
    body, kind = form(file=file, **fields)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    try:
        connection.request("POST", "/v1/audio/transcriptions", body,
                           {"Content-Type": kind, "X-API-Key": key or server.key})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


@provokes("BAD_AUDIO")
def file_that_is_no_recording(server):
    return transcribe(server, b"no sound at all")


@provokes("FILE_TOO_LARGE")
def file_of_more_than_25_mb(server):
    return transcribe(server, bytes((25 << 20) + 1))


@provokes("NO_HEARING")
def recording_where_nothing_listens(server):
    return transcribe(server, wav(beeps(1)))


@provokes("TOO_MANY_TURNS")
def turns_faster_than_they_are_spoken(server):
    with Client(server) as client:
        client.send(voice_id=1, text="[[slow:50]] The first holds the queue.", flush=True)
        for _ in range(20):
            client.send(text="Next.", flush=True)
        return frame_of(client)


@provokes("TOO_MANY_FLUSHES")
def flushes_faster_than_they_are_spoken(server):
    with MultiClient(server) as client:
        client.send(context_id="a", text="[[slow:50]] The first holds the queue.", flush=True,
                    voice_settings={"voice_id": 1})
        for _ in range(70):
            client.send(context_id="a", text="Next.", flush=True)
        return frame_of(client)


@provokes("TOO_MANY_CONTEXTS")
def one_context_too_many(server):
    with MultiClient(server) as client:
        for i in range(21):
            client.send(context_id=f"c{i}", text=" ", voice_settings={"voice_id": 1})
        return frame_of(client)


# Engines

@provokes("GENERATION_FAILED")
def engine_that_fails(server):
    return ask(server, "POST", "/tts/generate", {"text": "[[fail]]", "voice_id": 1})


@provokes("GENERATION_FAILED")
def engine_that_dies_of_it(server):
    with Client(server) as client:
        client.send(text="[[crash]]", voice_id=1, flush=True)
        return frame_of(client)


@provokes("SAMPLE_FAILED")
def sample_of_which_the_engine_fails(server):
    with Rest(server) as rest:
        made = rest.must(201, rest.post("/voices", {"name": "Fails", "base_voice_id": 1,
                                                    "sample_text": "[[fail]]"}))
        return rest.post(f"/voices/{made['id']}/generate-sample")


@contextlib.contextmanager
def no_seat(server):
    """The only worker of the tone is taken, for longer than anyone may wait for one."""
    with Client(server) as holder:
        holder.send(voice_id=1, text="This one stops in the middle of [[stall]] it.", flush=True)
        turn = Turn()
        while not turn.frame_samples:
            turn.add(holder.receive())
        yield


@provokes("UNAVAILABLE")
def engine_without_a_seat(server):
    with no_seat(server):
        return ask(server, "POST", "/tts/generate", {"text": "No room.", "voice_id": 1})


@provokes("UNAVAILABLE")
def turn_without_a_seat(server):
    with no_seat(server), Client(server) as client:
        client.send(voice_id=1, text="No room.", flush=True)
        return frame_of(client)


# The store

@contextlib.contextmanager
def without_table(server, table):
    """Somebody takes a table away from the running server, and gives it back."""
    with contextlib.closing(sqlite3.connect(server.data / "syrinx.db", timeout=WAIT_S,
                                            isolation_level=None)) as database:
        database.execute("PRAGMA legacy_alter_table = ON")  # leave what refers to it alone
        database.execute(f"ALTER TABLE {table} RENAME TO gone")
        try:
            yield
        finally:
            database.execute(f"ALTER TABLE gone RENAME TO {table}")


@provokes("NO_KEYS")
def store_without_keys(server):
    key = server.new_key()  # which nobody has asked for yet
    with without_table(server, "key"):
        return ask(server, "GET", "/dictionaries", key=key)


@provokes("NO_LEDGER")
def store_that_takes_no_turns_for_too_long(server):
    with without_table(server, "turn"), Client(server) as client:
        errors = []
        for _ in range(SPOOL_ROWS + 1):
            errors += client.speak("Hm.", voice_id=1).errors
        return None, errors[0]


@provokes("NO_STORE")
def store_without_accounts(server):
    key = server.new_key("--scopes", "admin")
    assert ask(server, "GET", "/admin/accounts", key=key)[0] == 200
    with without_table(server, "top_up"):
        return ask(server, "GET", "/admin/accounts/1/top-ups", key=key)


@provokes("NO_DICTIONARIES")
def store_without_dictionaries(server):
    with Rest(server) as rest:
        rest.must(200, rest.get("/dictionaries"))
        with without_table(server, "dictionary"):
            return rest.get("/dictionaries")


@provokes("NO_VOICES")
def store_without_voices(server):
    with without_table(server, "voice"):
        return ask(server, "POST", "/voices", {"name": "Lost", "base_voice_id": 1})


# All of them

def test_every_error_that_is_said_has_a_case():
    """Rows that no source says are nobody's to provoke: the first that does needs a case."""
    sources = "".join(path.read_text(encoding="utf-8") for path in (SOURCE / "src").rglob("*.c"))
    said = {name for name in TABLE if re.search(rf"WIRE_ERROR_{name}\b", sources)}
    assert set(CASES) | WITHOUT_CASE == said


@pytest.mark.parametrize("name, case", [
    pytest.param(name, case, id=f"{name} {case.__name__}")
    for name, cases in CASES.items() for case in cases])
def test_error_is_told_as_the_table_says(request, name, case):
    number, error_code, text = TABLE[name]
    status, body = case(request.getfixturevalue(OTHER_SERVERS.get(name, "server")))
    assert re.fullmatch("req_[0-9a-f]{16}", body["request_id"])
    if "message" in body:  # what only another vendor's socket says
        assert (body["message"], body["code"]) == (text, 1008)
        return
    assert status in (None, number)
    assert (body["code"], body["error_code"]) == (number, error_code), body
    assert body["error"] == text or body["error"].startswith(text + ": "), body


# In the shapes of other vendors

def vendor(server, root, method, path, body=None, key=""):
    with Rest(server, root=root) as rest:
        rest.key = server.key if key == "" else key
        status, answer = rest.ask(method, path, body)
        assert rest.headers["content-type"] == "application/json"
        assert re.fullmatch("req_[0-9a-f]{16}", rest.headers["x-request-id"])
        return status, answer


SPEECH = "/v1/text-to-speech/1"
ELEVENLABS = [
    (401, "needs_authorization", SPEECH, {"text": "Hi."}, None),
    (401, "invalid_api_key", SPEECH, {"text": "Hi."}, "ka_wrong"),
    (403, "missing_permissions", SPEECH, {"text": "Hi."}, "--scopes read"),
    (404, "voice_not_found", f"/v1/text-to-speech/{UNKNOWN}", {"text": "Hi."}, ""),
    (404, "voice_not_found", "/v1/text-to-speech/nobody/stream", {"text": "Hi."}, ""),
    (422, "invalid_request", SPEECH, {}, ""),
    (422, "invalid_request", SPEECH + "/with-timestamps", {"text": 7}, ""),
    (422, "invalid_request", SPEECH + "?output_format=wma", {"text": "Hi."}, ""),
    (400, "max_character_limit_exceeded", SPEECH, {"text": "x" * 10001}, ""),
    (500, "internal_error", SPEECH + "/stream", {"text": "[[fail]]"}, ""),
]


@pytest.mark.parametrize("root", ["", "/11labs"])
@pytest.mark.parametrize("status, name, path, body, key", ELEVENLABS)
def test_elevenlabs_clients_are_told_in_their_shape(server, root, status, name, path, body, key):
    if key and key.startswith("--"):
        key = server.new_key(*key.split())
    got, answer = vendor(server, root, "POST", path, body, key)
    assert (got, answer["detail"]["status"]) == (status, name), answer
    assert answer["detail"]["message"] and set(answer) == {"detail"}


def test_elevenlabs_clients_hear_of_a_busy_server_in_their_shape(busy_server):
    with no_seat(busy_server):
        got, answer = vendor(busy_server, "", "POST", SPEECH, {"text": "No room."})
    assert (got, answer["detail"]["status"]) == (503, "system_busy")


def test_path_and_method_are_told_in_their_shape(server):
    assert vendor(server, "/11labs", "GET", "/v1/nothing")[1]["detail"]["status"] == "not_found"
    status, answer = vendor(server, "/11labs", "PUT", SPEECH)
    assert (status, answer["detail"]["status"]) == (405, "method_not_allowed")


GOOD = {"model": "tts-1", "input": "Hi.", "voice": "1"}
OPENAI = [
    (401, "invalid_request_error", "invalid_api_key", None, GOOD, None),
    (401, "invalid_request_error", "invalid_api_key", None, GOOD, "ka_wrong"),
    (403, "invalid_request_error", None, None, GOOD, "--scopes read"),
    (400, "invalid_request_error", "voice_not_found", "voice", GOOD | {"voice": "nobody"}, ""),
    (400, "invalid_request_error", None, "input", GOOD | {"input": ""}, ""),
    (400, "invalid_request_error", None, "input", GOOD | {"input": "x" * 4097}, ""),
    (400, "invalid_request_error", None, "response_format", GOOD | {"response_format": "wma"}, ""),
    (400, "invalid_request_error", None, "stream_format", GOOD | {"stream_format": "xml"}, ""),
    (400, "invalid_request_error", None, "speed", GOOD | {"speed": 5}, ""),
    (400, "invalid_request_error", None, "voice", GOOD | {"voice": True}, ""),
    (400, "invalid_request_error", None, "input", {"model": "tts-1", "voice": "1"}, ""),
    (400, "invalid_request_error", None, None, [], ""),
    (500, "server_error", None, None, GOOD | {"input": "[[fail]]"}, ""),
]


@pytest.mark.parametrize("status, kind, code, param, body, key", OPENAI)
def test_openai_clients_are_told_in_their_shape(server, status, kind, code, param, body, key):
    if key and key.startswith("--"):
        key = server.new_key(*key.split())
    got, answer = vendor(server, "/v1", "POST", "/audio/speech", body, key)
    assert (got, answer["error"]["type"], answer["error"]["code"]) == (status, kind, code), answer
    assert answer["error"]["message"] and answer["error"]["param"] == param
