"""The descriptions of the API are those of the running server, in both directions.

Routes: those of the documents are those of the server's table, with the same scopes.  Calls: each operation
is made as its examples say, with every field and parameter in turn, and what comes back is held
against its schema; then each error it names is provoked.  Sockets: the examples of all that a
client can say are a conversation, and all that a server can say is heard in it.

Objects of answers list all their fields and allow no others, so a field that is added, lost or
changes its type fails here.
"""

import http.client
import itertools
import json
import re
import subprocess
import urllib.parse

import jsonschema
import pytest
from beeps import base64_of, beeps, put_engines
from client import Client, Closed
from program import BUILD, WAIT_S, Server, syrinx
from rest import Rest
from test_twilio import TOKEN, sign

HTTP = json.loads((BUILD / "docs/api/openapi.json").read_text(encoding="utf-8"))
SOCKETS = json.loads((BUILD / "docs/api/asyncapi.json").read_text(encoding="utf-8"))
OPERATIONS = {o["operationId"]: (path, method, o)
              for path, methods in HTTP["paths"].items() for method, o in methods.items()}
WITH_BODY = [i for i, (_, _, o) in OPERATIONS.items()
             if "application/json" in o.get("requestBody", {}).get("content", {})]
WITH_PARAMETERS = [i for i, (_, _, o) in OPERATIONS.items() if "parameters" in o]
WITH_KEY = [i for i, (_, _, o) in OPERATIONS.items() if "security" not in o]
NOWHERE = "987654"
# An agent that can be called by telephone; nobody is, so nobody pays.
TELEPHONE = f"""[agent echo]
api_key = k
llm = echo
twilio_token = {TOKEN}
account_key = ka_{40 * "a"}
"""
# Operations with a field that must be new each time.
NAMES = {"addDictionary": "name", "addPronunciationDictionary": "name",
         "addPronunciationDictionaryBelow11labs": "name",
         "addPronunciationDictionaryFromFile": "name",
         "addPronunciationDictionaryFromFileBelow11labs": "name",
         "changePronunciationDictionary": "name",
         "changePronunciationDictionaryBelow11labs": "name",
         "addVoice": "name", "addAccount": "name", "addProject": "name", "addTopUp": "id"}
REFUSED = {404, 501}  # what is answered in all cases, if there is no success
NOT_PROVOKED = {500, 503}  # of broken engines and stores: test_errors.py breaks them


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("described")
    server = Server(folder, {"speech.test_hooks": "on",
                             "speech.engines_dir": put_engines(folder / "engines")},
                    config=TELEPHONE)
    yield server
    server.stop()


def resolve(document, part):
    while "$ref" in part:
        found = document
        for key in part["$ref"][2:].split("/"):
            found = found[key]
        part = found
    return part


def validate(document, schema, value):
    """With the document's components beside the schema, where its references lead."""
    whole = {"components": document["components"], "allOf": [schema]}
    jsonschema.Draft202012Validator(whole).validate(value)


def is_valid(document, schema, value):
    try:
        validate(document, schema, value)
    except jsonschema.ValidationError:
        return False
    return True


def walk(part):
    if isinstance(part, dict):
        yield part
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from walk(inner)


# The documents themselves

@pytest.mark.parametrize("document", [HTTP, SOCKETS], ids=["openapi", "asyncapi"])
def test_references_lead_somewhere_and_schemas_are_schemas(document):
    for part in walk(document):
        if isinstance(part.get("$ref"), str):
            resolve(document, part)
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_component_is_used():
    for document in (HTTP, SOCKETS):
        used = {part["$ref"] for part in walk(document) if isinstance(part.get("$ref"), str)}
        for kind in ("schemas", "responses"):
            for name in document["components"].get(kind, {}):
                assert f"#/components/{kind}/{name}" in used


def test_examples_fit_their_schemas():
    for _, _, operation in OPERATIONS.values():
        for parameter in operation.get("parameters", []):
            assert resolve(HTTP, parameter["schema"]).get("examples"), parameter["name"]
        for content in operation.get("requestBody", {"content": {}})["content"].values():
            validate(HTTP, content["schema"], content["example"])
    for document in (HTTP, SOCKETS):
        for part in walk(document):
            for example in part.get("examples", []) if "type" in part or "enum" in part else []:
                validate(document, part, example)
    for channel in SOCKETS["channels"].values():
        for message in channel["messages"].values():
            message = resolve(SOCKETS, message)
            for example in message.get("examples", []):
                validate(SOCKETS, message["payload"], example["payload"])


def test_documents_are_served_to_anyone_and_are_of_this_version(server):
    assert server.get("/openapi.json") == (200, HTTP)
    assert server.get("/asyncapi.json") == (200, SOCKETS)
    version = syrinx("version").stdout.decode()
    for document in (HTTP, SOCKETS):
        assert document["info"]["version"] in version


# Routes

def routes_of_the_server():
    """Scopes of each (method, path), {id} for what is not fixed."""
    listed = subprocess.run([BUILD / "test/e2e/route-list"], check=True, stdout=subprocess.PIPE)
    routes = {}
    for row in json.loads(listed.stdout)[1:]:
        # What two vendors have at one path needs the same key.
        scopes = routes.setdefault((row["method"], row["path"]), set(row["scopes"]))
        assert scopes == set(row["scopes"]), row["path"]
    assert len(routes) > 10
    return routes


def without_names(path):
    return re.sub(r"\{[^}]+\}", "{id}", path)


def test_documents_have_the_routes_that_the_server_has():
    calls = {(method.upper(), without_names(path)) for path, method, _ in OPERATIONS.values()}
    sockets = {("GET", without_names(channel["address"]))
               for channel in SOCKETS["channels"].values()}
    assert not calls & sockets
    assert calls | sockets == set(routes_of_the_server())


def test_calls_need_the_scopes_that_they_name():
    routes = routes_of_the_server()
    for path, method, operation in OPERATIONS.values():
        named = re.match(r"Scopes of which the key needs one: ([^.]*)\.",
                         operation.get("description", ""))
        scopes = set(re.findall(r"\w+", named[1])) if named else set()
        if {} in operation.get("security", []):
            scopes = {"optional"}
        assert scopes == routes[method.upper(), without_names(path)], (method, path)


def address_of(channel):
    address = SOCKETS["channels"][channel]["address"]
    return address.replace("{voice_id}", "1").replace("{name}", "echo")


@pytest.mark.parametrize("name", SOCKETS["channels"])
def test_described_socket_is_one(server, name):
    path = address_of(name)
    status, body = server.get(path, headers={"X-API-Key": server.key})
    assert (status, body["code"]) == (426, 426)


# Calls

class Caller:
    """Makes the request of an operation; `made` has what its path needs."""

    numbers = itertools.count()  # no name twice

    def __init__(self, server, operation_id):
        self.path, self.method, self.operation = OPERATIONS[operation_id]
        self.server = server
        self.made = {}
        self.key = server.key
        self.headers = {}
        self.length = None  # instead of the body's
        self.is_signed = self.path.startswith("/twilio/")
        body = self.operation.get("requestBody")
        self.kind, content = next(iter(body["content"].items())) if body else (None, {})
        self.body = content.get("example")
        self.schema = resolve(HTTP, content["schema"]) if body else None
        if operation_id in NAMES:
            name = NAMES[operation_id]
            self.body = self.body | {name: f"{self.body[name]} {next(self.numbers)}"}
        self.query = {p["name"]: p["schema"]["examples"][0]
                      for p in self.operation.get("parameters", [])
                      if p["in"] == "query" and p["required"]}
        self.rest = Rest(server)
        if "dictionar" in self.path:
            self.make_room()

    def make_room(self):
        """A project may have 100 dictionaries; what earlier requests have made is not needed."""
        with Rest(self.server) as rest:
            made = rest.get("/dictionaries")[1]["dictionaries"]
            for row in made if len(made) > 90 else []:
                rest.must(200, rest.delete(f"/dictionaries/{row['id']}"))

    def make(self, name):
        """What stands in the path, new for each request: a delete must not be felt by the next."""
        with Rest(self.server) as rest:
            if name == "dictionary_id" and "invalidate" in self.path:
                return 1
            if name == "dictionary_id":
                body = {"name": f"Made {next(self.numbers)}"}
                made = rest.must(201, rest.post("/dictionaries", body))
                self.made["dictionary_id"] = made["id"]
                return made["id"]
            if name == "entry_id":
                body = {"word": "Made", "replacement": "made"}
                path = f"/dictionaries/{self.made['dictionary_id']}/entries"
                return rest.must(201, rest.post(path, body))["id"]
            if name == "account_id":
                body = {"name": f"Made {next(self.numbers)}"}
                return rest.must(201, rest.post("/admin/accounts", body))["id"]
            if name == "prefix":
                made = rest.must(201, rest.post("/admin/keys", {"name": "Made"}))
                self.server.secrets.append(made["key"])
                return made["prefix"]
            if name == "speech_engine_id":
                body = {"speech_engine": {"ws_url": "ws://127.0.0.1:9/ws"}}
                return rest.must(200, rest.post("/speech-engine", body))["speech_engine_id"]
            if name in ("type", "file", "model", "agent"):
                return {"type": "tts_websocket", "file": "app.js", "model": "tts-1",
                        "agent": "echo"}[name]
            is_read = self.method == "get" and not self.path.endswith("/sample")
            if name == "voice_id" and "/voices/" in self.path and not is_read:
                return self.make_voice(rest)
            return 1

    def make_voice(self, rest):
        made = rest.must(201, rest.post("/voices", {"name": f"Made {next(self.numbers)}",
                                                    "base_voice_id": 2003}))["id"]
        if self.path.endswith("/sample"):
            rest.must(200, rest.post(f"/voices/{made}/generate-sample"))
        return made

    def target(self):
        path = self.path
        for name in re.findall(r"\{([^}]+)\}", self.path):
            if name not in self.made:
                self.made[name] = self.make(name)
            path = path.replace("{%s}" % name, str(self.made[name]))
        query = {name: json.dumps(value) if isinstance(value, bool) else value
                 for name, value in self.query.items()}
        return path + ("?" + urllib.parse.urlencode(query) if query else "")

    def call(self):
        """Status, headers, body as bytes; what came is held against the description."""
        target = self.target()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=WAIT_S)
        body = None if self.body is None else json.dumps(self.body).encode()
        headers = {"X-API-Key": self.key} if self.key else {}
        if self.key and self.path == "/v1/audio/transcriptions":
            # Two vendors' clients use it, and the description has OpenAI's errors.
            headers = {"Authorization": "Bearer " + self.key}
        if self.kind == "multipart/form-data":
            headers["Content-Type"] = self.kind + "; boundary=x"
            if isinstance(self.body, dict):
                body = "".join(f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
                               f"{value}\r\n" for name, value in self.body.items())
                body = (body + "--x--\r\n").encode()
        if self.kind == "application/x-www-form-urlencoded":
            body = (self.body if isinstance(self.body, str)
                    else urllib.parse.urlencode(self.body)).encode()
        if self.is_signed:
            url = f"http://127.0.0.1:{self.server.port}{target}"
            form = self.body if isinstance(self.body, dict) else {}
            headers["X-Twilio-Signature"] = sign(url, form)
        if self.length is not None:
            headers["Content-Length"] = str(self.length)
            body = None
        try:
            connection.putrequest(self.method.upper(), target)
            if body is not None:
                headers["Content-Length"] = str(len(body))
            for name, value in (headers | self.headers).items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return self.check(answer.status, {k.lower(): v for k, v in answer.getheaders()},
                              answer.read())
        finally:
            connection.close()

    def check(self, status, headers, body):
        described = self.operation["responses"].get(str(status))
        assert described, f"{status} is not described: {body[:300]}"
        described = resolve(HTTP, described)
        for name, header in described.get("headers", {}).items():
            if header.get("required") or name in headers:
                value = headers[name.lower()]
                whole = header["schema"].get("type") == "integer"
                validate(HTTP, header["schema"], int(value) if whole else value)
        content = described.get("content")
        if not content:
            assert body == b"" and "content-type" not in headers
            return status, headers, body
        kind = headers["content-type"].split(";")[0]
        assert kind in content, f"{kind} is not described"
        if kind == "application/json":
            validate(HTTP, content[kind]["schema"], json.loads(body))
        elif kind == "application/x-ndjson":
            for line in body.splitlines():
                validate(HTTP, content[kind]["schema"], json.loads(line))
        else:
            assert body
        return status, headers, body

    def expected(self):
        """The statuses of a good request: the successes, or what is answered in all cases."""
        statuses = {int(s) for s in self.operation["responses"] if s.isdigit()}
        return {s for s in statuses if s < 300} or REFUSED & statuses


@pytest.mark.parametrize("operation", OPERATIONS)
def test_call_made_from_its_example_answers_as_described(server, operation):
    caller = Caller(server, operation)
    assert caller.call()[0] in caller.expected()


@pytest.mark.parametrize("operation", WITH_BODY)
def test_every_field_of_a_body_is_taken(server, operation):
    fields = {name: resolve(HTTP, schema)["examples"] for name, schema in
              Caller(server, operation).schema["properties"].items()}
    assert fields
    for name, examples in fields.items():
        for example in examples:
            caller = Caller(server, operation)
            if name == "signing_key_id":
                example = server.key[:8]  # one that is there
            if NAMES.get(operation) != name:  # which it has, and it is its own
                caller.body = (caller.body or {}) | {name: example}
            status, _, body = caller.call()
            assert status in caller.expected(), (name, example, body[:300])


@pytest.mark.parametrize("operation", WITH_BODY)
def test_body_that_allows_no_other_keys_is_read_so(server, operation):
    caller = Caller(server, operation)
    caller.body = (caller.body or {}) | {"no_such_key": 1}
    is_strict = caller.schema.get("additionalProperties") is False
    assert (caller.call()[0] == 400) == is_strict


@pytest.mark.parametrize("operation", WITH_PARAMETERS)
def test_every_parameter_is_taken(server, operation):
    _, _, described = OPERATIONS[operation]
    for parameter in described["parameters"]:
        for example in resolve(HTTP, parameter["schema"])["examples"]:
            caller = Caller(server, operation)
            if parameter["name"] == "key":
                example = server.key[:8]  # one that is there
            if parameter["in"] == "query":
                caller.query[parameter["name"]] = example
            elif parameter["in"] == "header":
                caller.headers[parameter["name"]] = str(example)
                caller.query.clear()  # for which a header may stand
            status, _, body = caller.call()
            assert status in caller.expected(), (parameter["name"], example, body[:300])


LIMITED = [(i, p) for i, (_, _, o) in OPERATIONS.items() for p in o.get("parameters", [])
           if p["in"] == "query" and "maximum" in p["schema"]]


@pytest.mark.parametrize("operation, parameter", LIMITED,
                         ids=[f"{i}-{p['name']}" for i, p in LIMITED])
def test_largest_page_is_the_one_that_is_described(server, operation, parameter):
    most = parameter["schema"]["maximum"]
    caller = Caller(server, operation)
    caller.query[parameter["name"]] = most
    assert caller.call()[0] in caller.expected()
    caller.query[parameter["name"]] = most + 1
    status, _, body = caller.call()
    assert status in (400, 422) or json.loads(body)["limit"] == most


# What is wrong

def with_wrong_key(caller):
    caller.key = "ka_" + "0" * 40


def without_key(caller):
    caller.key = None
    if {} in caller.operation.get("security", []):
        with_wrong_key(caller)  # none is fine


def with_poor_key(caller):
    """A key that may do nothing that is asked of it here."""
    if caller.is_signed:
        caller.is_signed = False
        return
    caller.target()  # what it needs is made with a good one
    scopes = caller.operation["description"]
    poor = next(s for s in ("dictionaries", "read", "speak") if f"`{s}`" not in scopes)
    caller.key = caller.server.new_key("--scopes", poor)


def with_wrong_body_or_query(caller):
    if caller.kind == "application/x-www-form-urlencoded":
        caller.body = "a=%"
        return
    if caller.body is not None:
        caller.body = []
        return
    if "{type}" in caller.path:
        caller.made["type"] = "no_such_type"
        return
    wrong = {"integer": "x", "boolean": "maybe", "string": "\x01" * 500}
    parameter = next(p for p in caller.operation["parameters"] if p["in"] == "query")
    caller.query[parameter["name"]] = wrong[parameter["schema"]["type"]]


def with_nothing_there(caller):
    """In the path; else it is the voice of the body, or of the query."""
    names = re.findall(r"\{([^}]+)\}", caller.path)
    caller.target()
    if names:
        caller.made[names[-1]] = NOWHERE
    elif "agent_id" in caller.query:
        caller.query["agent_id"] = NOWHERE
    elif "tts" in caller.schema["properties"]:
        caller.body = caller.body | {"tts": {"voice_id": NOWHERE}}
    elif "account_id" in caller.schema["properties"]:
        caller.body = caller.body | {"account_id": int(NOWHERE)}
    elif "base_voice_id" in caller.schema["properties"]:
        caller.body = caller.body | {"base_voice_id": int(NOWHERE)}
    elif "file" in caller.schema["properties"]:
        name = "model_id" if "model_id" in caller.schema["properties"] else "model"
        caller.body = caller.body | {name: NOWHERE}
    elif "voice_id" in caller.schema["properties"]:
        caller.body = caller.body | {"voice_id": NOWHERE}
    else:
        caller.query["voice_id"] = NOWHERE


def with_too_much(caller):
    caller.target()
    caller.length = 64 << 20


def with_recordings(caller):
    """A voice without a base would have to be cloned."""
    caller.body = {"name": "Cloned"}


PROVOKED = {400: with_wrong_body_or_query, 401: without_key, 403: with_poor_key,
            404: with_nothing_there, 413: with_too_much, 422: with_wrong_body_or_query,
            501: with_recordings}


def errors_described():
    for operation_id, (_, _, operation) in OPERATIONS.items():
        statuses = {int(s) for s in operation["responses"] if s.isdigit()}
        successes = {s for s in statuses if s < 300}
        for status in sorted(statuses - NOT_PROVOKED - successes):
            if successes or status not in REFUSED:  # else that is what a good request gets
                yield operation_id, status


@pytest.mark.parametrize("operation, status", errors_described())
def test_described_error_is_provoked(server, operation, status):
    caller = Caller(server, operation)
    PROVOKED[status](caller)
    assert caller.call()[0] == status


@pytest.mark.parametrize("operation", WITH_KEY)
def test_wrong_key_is_refused_as_described(server, operation):
    caller = Caller(server, operation)
    caller.target()
    with_wrong_key(caller)
    assert caller.call()[0] == 401


@pytest.mark.parametrize("operation", sorted(set(OPERATIONS) - set(WITH_KEY)))
def test_public_call_needs_no_key(server, operation):
    caller = Caller(server, operation)
    caller.key = None
    assert caller.call()[0] in caller.expected()


@pytest.mark.parametrize("scheme", HTTP["components"]["securitySchemes"])
def test_key_is_taken_from_every_carrier_that_is_described(server, scheme):
    assert {scheme: []} in HTTP["security"]
    carrier = HTTP["components"]["securitySchemes"][scheme]
    path, headers = "/v1/dictionaries", {}
    if carrier["type"] == "http":
        headers["Authorization"] = "Bearer " + server.key
    elif carrier["in"] == "header":
        headers[carrier["name"]] = server.key
    else:
        path += f"?{carrier['name']}={server.key}"
    assert server.get(path, headers=headers)[0] == 200


def test_other_shapes_come_with_the_other_key(server):
    for path, schema in (("/v1/voices", "ElevenLabsVoiceList"), ("/v1/voices/1", "ElevenLabsVoice"),
                         ("/v1/models", "ElevenLabsModelList"),
                         ("/v2/voices", "ElevenLabsVoicePage")):
        status, body = server.get(path, headers={"xi-api-key": server.key})
        assert status == 200
        validate(HTTP, {"$ref": "#/components/schemas/" + schema}, body)
    for path, schema in (("/v1/voices", "VoiceList"), ("/v1/voices/1", "VoiceDetail"),
                         ("/v1/models", "ModelList")):
        status, body = server.get(path, headers={"X-API-Key": server.key})
        assert status == 200
        validate(HTTP, {"$ref": "#/components/schemas/" + schema}, body)


# Conversations

class Conversation:
    """Says the examples of the document and names what comes back.  Every frame must be exactly one
    of the messages that the document has."""

    def __init__(self, server, name, query="", key=""):
        self.name = name
        channel = SOCKETS["channels"][name]
        self.said, self.heard = set(), set()
        self.sent = self.messages(channel, "send")
        self.received = self.messages(channel, "receive")

        class Path(Client):
            path = address_of(name)

        self.client = Path(server, query=query, key=key)

    def messages(self, channel, action):
        operation = SOCKETS["operations"][self.name + action.capitalize()]
        assert operation["action"] == action
        names = [reference["$ref"].split("/")[-1] for reference in operation["messages"]]
        return {name: resolve(SOCKETS, channel["messages"][name]) for name in names}

    def say(self, name, index=0, **changes):
        self.said.add((name, index))
        self.client.send(self.received[name]["examples"][index]["payload"] | changes)

    def hear(self, *names):
        """Reads up to a message of one of these names."""
        while True:
            frame = self.client.receive()
            kinds = [name for name, message in self.sent.items()
                     if is_valid(SOCKETS, message["payload"], frame)]
            assert len(kinds) == 1, (kinds, frame)
            self.heard.add(kinds[0])
            if kinds[0] in names:
                return frame
            assert kinds[0] != "error", frame

    def again(self, server, **options):
        """Another connection of the same conversation."""
        self.client.socket.close()
        self.client = self.client.__class__(server, **options)

    def end(self, code=None):
        if code:
            with pytest.raises(Closed) as closed:
                self.client.receive()
            assert closed.value.code == code
        self.client.socket.close()

    def check_all(self):
        """Everything that the document has was said and heard."""
        assert self.heard == set(self.sent)
        assert self.said == {(name, index) for name, message in self.received.items()
                             for index in range(len(message["examples"]))}


def test_every_message_of_tts(server):
    talk = Conversation(server, "once")
    talk.say("request")
    talk.hear("final")
    talk.say("updateSettings")
    talk.hear("settingsUpdated")
    talk.say("request", text="[[slow:50]] This is not heard to its end.")
    talk.hear("audio")
    talk.say("cancel")
    talk.hear("interrupted")
    talk.say("request", voice_id=987654)
    talk.hear("error")
    talk.check_all()
    talk.end()


def test_every_message_of_tts_stream(server):
    talk = Conversation(server, "stream")
    talk.say("settings")
    talk.say("text", 0)
    talk.say("flush")
    talk.hear("sessionClosed")
    talk.say("text", 1)
    talk.hear("sessionClosed")
    for index in range(2):
        talk.say("close", index)
        talk.hear("sessionClosed")
    talk.say("updateSettings")
    talk.hear("settingsUpdated")
    for index in range(2):
        talk.say("text", 1, text="[[slow:50]] This is not heard to its end.")
        talk.hear("audio")
        talk.say("cancel", index)
        talk.hear("interrupted")
    talk.say("text", 0, voice_id=987654)
    talk.hear("error")
    talk.say("text", 0)
    talk.hear("warning")
    talk.hear("sessionClosed")
    talk.say("closeSocket")
    talk.hear("sessionClosed")
    talk.check_all()
    talk.end(1000)


def test_every_message_of_tts_multi(server):
    talk = Conversation(server, "multi")
    talk.say("settings")
    talk.say("text", 0)
    talk.hear("contextCreated")
    talk.say("text", 1)
    talk.hear("final")
    talk.say("flush")
    talk.hear("final")
    talk.say("keepAlive")
    talk.say("closeContext", 0)
    talk.hear("contextClosed")
    talk.say("text", 0, context_id="b")
    talk.hear("contextCreated")
    talk.say("closeContext", 1)
    talk.hear("contextClosed")
    talk.say("text", 0, context_id="c")
    talk.hear("contextCreated")
    talk.say("cancel", 0)
    talk.hear("interrupted")
    talk.hear("contextClosed")
    talk.say("cancel", 1)
    talk.hear("interrupted")
    talk.say("updateSettings")
    talk.hear("settingsUpdated")
    talk.say("text", 0, context_id="d", voice_settings={"voice_id": 987654})
    talk.hear("error")
    talk.say("closeSocket")
    talk.hear("sessionClosed")
    talk.check_all()
    talk.end(1000)


@pytest.mark.parametrize("name", ["streamInput", "streamInputBelow11labs"])
def test_every_message_of_stream_input(server, name):
    talk = Conversation(server, name, "output_format=pcm_16000")
    talk.say("open")
    talk.say("text", 0)
    talk.say("flush")
    talk.hear("alignment")
    talk.say("text", 1)
    talk.hear("alignment")
    talk.say("end")
    talk.hear("final")
    talk.end(1000)
    talk.again(server)
    talk.say("open")
    talk.say("cancel")
    talk.end(1000)
    talk.again(server)
    talk.client.send(text=7)
    talk.hear("error")
    talk.end(1008)
    talk.check_all()


@pytest.mark.parametrize("name", ["multiStreamInput", "multiStreamInputBelow11labs"])
def test_every_message_of_multi_stream_input(server, name):
    talk = Conversation(server, name, "output_format=pcm_16000")
    talk.say("open")
    talk.say("text")
    talk.hear("alignment")
    for index in range(2):
        talk.say("flush", index)
    talk.say("keepAlive")
    talk.say("closeContext")
    assert talk.hear("final")["contextId"] == "a"
    for i in range(6):
        talk.say("open", context_id=f"c{i}")
    assert talk.hear("error")["contextId"] == "c5"
    talk.say("closeSocket")
    for _ in range(5):
        talk.hear("final")
    talk.check_all()
    talk.end(1000)


@pytest.mark.parametrize("name", ["scribe", "scribeBelow11labs"])
def test_every_message_of_scribe(server, name):
    talk = Conversation(server, name, "include_timestamps=true&include_language_detection=true"
                                      "&include_voice_activity=true")
    talk.hear("sessionStarted")
    talk.say("audio")
    talk.client.send(audio_base_64=base64_of(beeps(3)))
    talk.hear("partialTranscript")
    talk.say("commit")
    talk.hear("committedTranscriptWithTimestamps")
    talk.client.send(audio_base_64=7)
    talk.hear("error")
    talk.end(1008)
    talk.check_all()


def test_every_message_of_talk(server):
    talk = Conversation(server, "talk", "usage=true")
    talk.say("init")
    talk.say("ping")
    talk.hear("pong")
    talk.say("userTranscript")
    talk.hear("final")
    talk.hear("usage")
    talk.say("userTranscript", event_id="x")
    assert talk.hear("final")["event_id"] == "x"
    talk.hear("usage")
    talk.say("error")
    talk.end(1000)
    talk.again(server)
    talk.say("close")
    talk.end(1000)
    talk.again(server, key=server.new_key("--requests-per-minute", "1"))
    talk.say("userTranscript")
    talk.hear("final")
    talk.say("userTranscript", event_id="x")
    talk.hear("refused")
    talk.hear("final")
    talk.check_all()


@pytest.mark.parametrize("name", ["streamInput", "multiStreamInput"])
def test_key_may_come_in_the_first_message(server, name):
    for key in ("xi_api_key", "xi-api-key", "authorization"):
        talk = Conversation(server, name, "output_format=pcm_16000", key=None)
        talk.say("open", **{key: server.key})
        talk.say("text", 0, flush=True)
        talk.hear("audio")
        talk.end()
    talk = Conversation(server, name, key=None)
    talk.say("open", xi_api_key="wrong")
    talk.hear("error")
    talk.end(1008)


def test_every_setting_of_a_socket_is_one(server):
    """None of them is refused, and what the schema refuses the server refuses."""
    with Client(server) as client:
        for name, schema in SOCKETS["components"]["schemas"]["Speech"]["properties"].items():
            for example in schema["examples"]:
                client.send({name: example})
            client.send({"update_settings": {}})
            assert client.receive().get("settings_updated"), name
            kind = schema["type"] if isinstance(schema["type"], str) else "several"
            wrong = {"string": 7, "array": 7, "several": True}.get(kind, "x")
            assert not is_valid(SOCKETS, schema, wrong)
            client.send({name: wrong})
            if name != "model":
                client.expect_error(400, "VALIDATION_ERROR")
            else:
                client.receive()
