"""Everything that clients receive, compared with golden files: restructuring must not change them.

Each test starts a server, talks to it as clients of one kind do, and compares what was received with
its file in test/e2e/transcripts (transcript.py says what is replaced by placeholders).  Every route of
the server must be there with its refusals and with a success, so a new route needs a transcript.
test_transcripts_sockets.py does the same for WebSockets.  After an intended change, write the files
again and read their diff:

    SYRINX_UPDATE_TRANSCRIPTS=1 /usr/bin/python3 -m pytest -q test_transcripts*.py
"""

import contextlib
import functools
import itertools
import json
import re
import sqlite3
import urllib.parse

import pytest
from beeps import base64_of, beeps, form as upload, put_engines, wav
from program import BUILD, WAIT_S, wait_until
from test_descriptions import routes_of_the_server
from test_twilio import TOKEN, sign
from transcript import CHOICES, FOLDER, LISTS, NUMBERS, OBJECTS, SCOPES, TEXTS, TRUTHS

NOBODY = "987654"
# Routes that need no key; reading.txt has their long bodies.
OPEN = {"/", "/web/{id}", "/metrics", "/openapi.json", "/asyncapi.json", "/v1/models",
        "/11labs/v1/models", "/v1/audio/models"}
WRONG_KEY = "ka_" + "0" * 40

# Every route

def fits(route, path):
    return re.fullmatch(re.escape(route).replace(r"\{id\}", "[^/]+"), path)


def test_routes(record):
    """Refusals of each route: no key, a wrong one, scopes, methods, ids of nothing, bodies."""
    transcript = record()
    routes = sorted(routes_of_the_server(), key=lambda route: (route[1], route[0]))
    keys = {scope: transcript.new_key(scope) for scope in SCOPES}
    everything = transcript.new_key(*SCOPES)
    refused = set()  # paths of which another method was tried
    for method, path in routes:
        target = path.replace("{id}", NOBODY)
        has_body = method in ("POST", "PUT", "PATCH")
        shown = None if has_body or path not in OPEN else lambda data: [f"<{bool(data)}>"]
        transcript.title(f"{method} {path}")
        body = b"[" if has_body else None
        transcript.call(method, target, body, key=None, shown=shown)
        transcript.call(method, target, body, key=WRONG_KEY, shown=shown, note="wrong key")
        statuses = {}
        for scope, key in keys.items():
            before = len(transcript.lines)
            statuses[scope] = transcript.call(method, target, body, key=key, shown=shown)[0]
            if statuses[scope] != 403 or 403 in list(statuses.values())[:-1]:
                del transcript.lines[before:]
        transcript.lines.append("scopes: " + ", ".join(f"{k} {v}" for k, v in statuses.items()))
        if has_body:
            transcript.call(method, target, body, key=everything)
            for body in ([], {}, {"no_such_key": 1}):
                transcript.brief(method, target, body, key=everything)
        elif path not in OPEN:
            transcript.call(method, target, key=everything)
        if path in refused:
            continue
        refused.add(path)
        allowed = {m for m, other in routes if fits(other, target)}
        other = next(m for m in ("PUT", "DELETE", "POST") if m not in allowed)
        transcript.call(other, target, key=everything)


def test_every_route_has_a_success():
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt"))
                     if path.stem != "routes")
    done = {(method, path) for method, path, status in
            re.findall(r"^> ([A-Z]+) ([^\s?]+).*\n< (\d+)", text, re.M) if status[0] == "2"
            or status in ("101", "501")}
    missing = [(method, route) for method, route in sorted(routes_of_the_server())
               if not route.endswith("/convai/conversation/token")  # it always refuses
               and not any(fits(route, path) and said in (method, "WEBSOCKET") for said, path in done)]
    assert not missing, "no success of these is in a transcript"


# Telephone calls

def test_twilio(record):
    url = "https://voice.example.com/twilio/phone"
    transcript = record({"server.public_url": "https://voice.example.com"}, more=f"""
[agent phone]
path = /phone
api_key = k
llm = echo
twilio_token = {TOKEN}
account_key = {WRONG_KEY}
""")

    def call(method, query="", body=None, signed=None, path="/twilio/phone"):
        signature = sign(url + query) if signed is None else signed
        transcript.call(method, path + query, body, key=None,
                        headers={"X-Twilio-Signature": signature} if signature else {})

    form = {"From": "+15550100", "To": "+15550199", "CallSid": "CA0123"}
    body = urllib.parse.urlencode(form).encode()
    call("POST", body=body, signed=sign(url, form))
    call("POST", body=b"")
    call("GET", "?" + body.decode())
    call("POST", body=body)
    call("POST", body=body, signed="")
    call("GET", signed="x")
    call("POST", body=b"From=%")
    call("POST", body=b"", path="/twilio/one")


# Transcripts of recordings

def test_listening(record, tmp_path):
    engines = put_engines(tmp_path / "engines", "syrinx-tone", "syrinx-decode")
    transcript = record({"speech.engines_dir": engines})
    recording = wav(beeps(1, 8000) + beeps(2, 8000), 8000)

    def hear(path, headers, file=recording, **fields):
        body, kind = upload(file=file, **fields)
        return transcript.call("POST", path, body, key=None, note=f"{fields}",
                               headers={"Content-Type": kind} | headers)

    openai = {"Authorization": "Bearer " + transcript.server.key}
    native = {"X-API-Key": transcript.server.key}
    xi = {"xi-api-key": transcript.server.key}
    transcript.server.wait_for_log("models: beeps")
    transcript.title("OpenAI's formats")
    for form in ("json", "text", "srt", "vtt", "verbose_json"):
        hear("/v1/audio/transcriptions", openai, model="whisper-1", response_format=form)
    hear("/v1/audio/transcriptions", openai, model="whisper-1", response_format="verbose_json",
         **{"timestamp_granularities[]": ["word", "segment"]})
    hear("/v1/audio/transcriptions", openai, model="gpt-4o-transcribe", language="en", stream="true")
    transcript.title("KugelAudio's")
    hear("/v1/audio/transcriptions", native, language="en")
    transcript.title("ElevenLabs'")
    for prefix in ("", "/11labs"):
        hear(prefix + "/v1/speech-to-text", xi, model_id="scribe_v2", language_code="eng")
        hear(prefix + "/v1/speech-to-text", xi, model_id="scribe_v2", timestamps_granularity="none")
    transcript.title("what is refused")
    for headers in (openai, native):
        hear("/v1/audio/transcriptions", headers, file=b"no sound")
        hear("/v1/audio/transcriptions", headers, model="none")
        hear("/v1/audio/transcriptions", headers, response_format="none")
    hear("/v1/speech-to-text", xi, file=b"no sound")
    hear("/v1/speech-to-text", xi, model_id="none")
    hear("/v1/speech-to-text", xi, webhook="true")
    transcript.title("live")
    for prefix in ("", "/11labs"):
        query = "commit_strategy=manual&include_timestamps=true&audio_format=pcm_8000"
        with transcript.open(prefix + "/v1/speech-to-text/realtime", key=None, headers=xi,
                             query=query) as tap:
            tap.ask({"message_type": "input_audio_chunk", "commit": True,
                     "audio_base_64": base64_of(beeps(1, 8000, 0, 0))}, "with_timestamps")
            tap.say({"message_type": "nonsense"})
            tap.end()


# Transcripts of conversations

def test_conversations(record):
    transcript = record(more="[agent greeter]\npath = /greeter\napi_key = sk_of_the_greeter_0123456789\n"
                             "llm = echo\nvoice = 1\nfirst_message = Hello.\n")
    xi = {"xi-api-key": transcript.server.key}
    begin = {"type": "conversation_initiation_client_data",
             "conversation_config_override": {"conversation": {"text_only": True}}}
    for prefix in ("", "/11labs"):
        transcript.title(prefix + "/v1/convai/conversation")
        with transcript.open(prefix + "/v1/convai/conversation", key=None, headers=xi,
                             query="agent_id=greeter") as tap:
            tap.ask(begin, '"type":"stop"')
            tap.ask({"type": "user_message", "text": "good morning"}, '"type":"stop"')
            tap.ask({"type": "user_message", "text": 7}, '"type":"error"')
    transcript.title("what is refused")
    for headers, query in ((xi, "agent_id=nobody"), (xi, "agent_id="), ({}, "agent_id=greeter")):
        transcript.open("/v1/convai/conversation", key=None, headers=headers, query=query)


# Resources

def test_dictionaries(record):
    transcript = record()
    call, root = transcript.call, "/v1/dictionaries"
    transcript.title("a dictionary")
    call("GET", root)
    call("POST", root, {"name": "Products", "description": "All of them", "language": "en",
                        "is_active": True})
    call("POST", root, {"name": "Products"})
    call("GET", root)
    call("GET", root + "?project_id=1")
    call("GET", root + "?project_id=x")
    call("GET", root + "?project_id=7")
    call("GET", root + "/1")
    call("PATCH", root + "/1", {"name": "Things", "description": None, "language": None})
    call("PATCH", root + "/1", {})
    transcript.title("its entries")
    entries = root + "/1/entries"
    call("POST", entries, {"word": "Syrinx", "replacement": "seer inks", "ipa": "ˈsɪrɪŋks",
                           "case_sensitive": True})
    call("POST", entries, {"word": "Pan", "replacement": "a god"})
    call("POST", entries, {"word": "pan", "replacement": "a god"})
    for query in ("", "?limit=1", "?limit=1&offset=1", "?search=syr", "?limit=x", "?limit=0",
                  "?limit=100000", "?offset=-1", "?search=" + "x" * 300, "?search=%zz"):
        call("GET", entries + query)
    call("PATCH", entries + "/1", {"replacement": "the pipes", "ipa": None})
    call("PATCH", entries + "/" + NOBODY, {"replacement": "x"})
    call("PUT", entries, {"entries": [{"word": "One", "replacement": "1"},
                                      {"word": "Two", "replacement": "2"}]})
    for wrong in ([{"word": "x"}], [{"word": "x", "replacement": "y"}] * 2, [7], 7,
                  [{"word": " ", "replacement": "y"}], [{"word": "w" * 300, "replacement": "y"}]):
        transcript.brief("PUT", entries, {"entries": wrong})
    transcript.brief("PUT", entries, b'{"entries":[],"entries":[]}')
    call("GET", entries)
    call("DELETE", entries + "/4")
    call("DELETE", entries + "/4")
    call("POST", root + "/1/invalidate", key=transcript.new_key(*SCOPES))
    transcript.title("fields")
    number = itertools.count()
    transcript.try_fields("POST", root, lambda: {"name": f"Made {next(number)}"},
                          {"name": TEXTS, "description": TEXTS, "language": TEXTS, "is_active": TRUTHS})
    transcript.try_fields("POST", entries, lambda: {"word": f"w{next(number)}", "replacement": "x"},
                          {"word": TEXTS, "replacement": TEXTS, "ipa": TEXTS, "case_sensitive": TRUTHS})
    call("DELETE", root + "/1")
    call("DELETE", root + "/1")


RULES = [{"type": "alias", "string_to_replace": "UN", "alias": "United Nations"},
         {"type": "phoneme", "string_to_replace": "tomato", "phoneme": "təˈmɑːtəʊ",
          "alphabet": "ipa", "case_sensitive": False}]
LEXICON = "<lexicon><lexeme><grapheme>UN</grapheme><alias>United Nations</alias></lexeme></lexicon>"


def form(**fields):
    return ("".join(f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
                    for name, value in fields.items()) + "--x--\r\n").encode()


@pytest.mark.parametrize("prefix", ["", "/11labs"], ids=["at_root", "below_11labs"])
def test_pronunciation(record, prefix):
    transcript = record(name="pronunciation" + prefix.replace("/", "_"))
    root = prefix + "/v1/pronunciation-dictionaries"
    key = transcript.new_key()

    def call(*arguments, headers=None, **options):
        return transcript.call(*arguments, key=None, headers={"xi-api-key": key} | (headers or {}),
                               **options)

    made = call("POST", root + "/add-from-rules", {"name": "Tech", "rules": RULES})[1]
    number = made["id"]
    of_form = {"Content-Type": "multipart/form-data; boundary=x"}
    call("POST", root + "/add-from-file", form(name="File", file=LEXICON), headers=of_form)
    call("POST", root + "/add-from-file", form(name="File"), headers=of_form)
    call("POST", root + "/add-from-file", form(name="Bad", file="<lexicon><"), headers=of_form)
    call("POST", root + "/add-from-file", b"--y--", headers=of_form)
    for query in ("", "?page_size=1", "?page_size=1&cursor=1", "?page_size=0", "?sort=nonsense",
                  "?sort=name&sort_direction=descending", "?include_archived=true", "?cursor=x"):
        call("GET", root + query)
    call("GET", f"{root}/{number}")
    call("PATCH", f"{root}/{number}", {"name": "Renamed"})
    call("PATCH", f"{root}/{number}", {"archived": "x"})
    call("GET", f"{root}/{number}/{made['version_id']}/download")
    call("GET", f"{root}/{number}/nonsense/download")
    call("POST", f"{root}/{number}/add-rules", {"rules": [RULES[0] | {"alias": "the UN"}]})
    call("POST", f"{root}/{number}/set-rules", {"rules": RULES[:1]})
    call("POST", f"{root}/{number}/remove-rules", {"rule_strings": ["UN", "none"]})
    call("GET", f"{root}/{number}")
    if prefix:
        return
    transcript.title("fields")
    carried = {"key": None, "headers": {"xi-api-key": key}}
    rule = RULES[0] | {"phoneme": "x"}
    for name, values in {"type": CHOICES, "string_to_replace": TEXTS, "alias": TEXTS, "phoneme": TEXTS,
                         "alphabet": CHOICES, "case_sensitive": TRUTHS,
                         "word_boundaries": [False, 7]}.items():
        for value in values:
            transcript.brief("POST", f"{root}/{number}/add-rules", {"rules": [rule | {name: value}]},
                             **carried)
    for field, values in {"rules": LISTS, "name": TEXTS, "description": TEXTS}.items():
        for value in values:
            transcript.brief("POST", root + "/add-from-rules",
                             {"name": "Made", "rules": RULES} | {field: value}, **carried)
    for value in LISTS:
        transcript.brief("POST", f"{root}/{number}/remove-rules", {"rule_strings": value}, **carried)


def test_voices(record):
    transcript = record()
    call, root = transcript.call, "/v1/voices"
    transcript.title("lists")
    for query in ("", "?limit=1", "?limit=1&offset=1", "?language=en", "?language=zz", "?category=premade",
                  "?include_public=false", "?include_engine=true", "?limit=0", "?limit=x", "?offset=-1",
                  "?include_public=maybe"):
        call("GET", root + query)
    for path in ("/1", "/tone", "/1/references", "/1/settings", "/settings/default"):
        call("GET", root + path)
    transcript.title("derived")
    made = call("POST", root, {"name": "Slower", "base_voice_id": 1, "rate": 0.9,
                        "description": "A slower one", "sample_text": "Hi.", "language": "en"})[1]["id"]
    call("POST", root, {"name": "Deeper", "base_voice_id": 1, "pitch": -2})
    call("POST", root, {"name": "Cloned"})
    call("POST", root, {"base_voice_id": 1})
    call("POST", root, {"name": "Orphan", "base_voice_id": int(NOBODY)})
    made = f"{root}/{made}"
    call("GET", root + "?include_public=false")
    call("GET", made)
    call("PATCH", made, {"rate": 1.1, "name": "Renamed"})
    call("PATCH", root + "/1", {"rate": 1.1})
    call("DELETE", root + "/1")
    call("GET", made + "/sample")
    call("POST", made + "/generate-sample", is_exact=False)
    call("GET", made + "/sample", is_exact=False)
    for method, path in (("POST", "/references"), ("DELETE", "/references/1"), ("POST", "/publish"),
                         ("PUT", "/avatar")):
        call(method, made + path)
    for prefix in ("", "/11labs"):
        call("POST", prefix + made + "/settings/edit", {"speed": 1.1, "stability": 0.5},
             key=None, headers={"xi-api-key": transcript.server.key})
    for value in NUMBERS:
        transcript.brief("POST", made + "/settings/edit", {"speed": value})
    transcript.title("fields")
    transcript.try_fields("PATCH", made, {}, {
        "name": TEXTS, "variant": TEXTS, "description": TEXTS, "generative_voice_description": TEXTS,
        "sample_text": TEXTS, "sex": CHOICES, "age": CHOICES, "category": CHOICES, "quality": CHOICES,
        "base_voice_id": [True, [], {}, None, "nobody", 1.5, int(NOBODY)], "pitch": NUMBERS,
        "rate": NUMBERS, "language": CHOICES, "supported_languages": LISTS, "is_public": TRUTHS,
        "no_such_key": [1]})
    call("DELETE", made)
    call("DELETE", made)
    transcript.title("as ElevenLabs' clients ask")
    xi = {"key": None, "headers": {"xi-api-key": transcript.server.key}}
    for prefix in ("", "/11labs"):
        for path in ("/v1/voices", "/v1/voices/1", "/v1/voices/nobody", "/v1/voices/1/settings",
                     "/v1/voices/settings/default", "/v2/voices", "/v2/voices?page_size=1",
                     "/v2/voices?voice_ids=1&voice_ids=2", "/v2/voices?search=low&sort=name",
                     "/v2/voices?sort=x", "/v2/voices?category=x", "/v2/voices?page_size=x",
                     "/v2/voices?voice_type=x", "/v2/voices?sort_direction=x"):
            call("GET", prefix + path, **xi)


def test_reading(record):
    """What can be asked about the server, the user and what was used."""
    transcript = record()
    call = transcript.call
    transcript.title("the server")
    for path in ("/", "/web/app.js"):
        call("GET", path, key=None, shown=lambda data: ["<the page>"] if data else [])
    call("HEAD", "/", key=None, shown=lambda data: ["<the page>"] if data else [])
    for path in ("openapi", "asyncapi"):
        document = json.loads((BUILD / f"docs/api/{path}.json").read_text(encoding="utf-8"))
        call("GET", f"/{path}.json", key=None,
             shown=lambda data, document=document: [str(json.loads(data) == document)])
    for path in ("/health", "/11labs/health", "/ready"):
        call("GET", path, key=None)
    call("HEAD", "/health", key=None)
    call("GET", "/metrics", shown=lambda data: sorted(
        line for line in data.decode().splitlines() if line.startswith("# TYPE")))
    transcript.title("models and agents")
    xi = {"xi-api-key": transcript.server.key}
    for path in ("/v1/models", "/v1/models/tts-1", "/v1/models/kugel-3", "/v1/models/nonsense",
                 "/v1/audio/models", "/v1/audio/voices"):
        call("GET", path, key=None)
        call("GET", path)
    for path in ("/v1/models", "/11labs/v1/models"):
        call("GET", path, key=None, headers=xi)
    call("GET", "/v1/agents")
    transcript.title("normalized text")
    admin = transcript.new_key(*SCOPES)
    call("POST", "/v1/normalize", {"text": "It costs €5."}, key=admin)
    call("POST", "/v1/normalize", {"text": "Es kostet 5 €.", "language": "de"}, key=admin)
    for name, values in {"text": TEXTS, "language": CHOICES}.items():
        for value in values:
            transcript.brief("POST", "/v1/normalize", {"text": "x"} | {name: value}, key=admin)
    transcript.title("what was used")
    for path in ("/v1/usage", "/v1/usage/turns"):
        call("GET", path)
    speaker = transcript.new_key(name="speaker")
    for text, model in (("Hi you.", "kugel-3"), ("Good day.", "kugel-2.5")):
        call("POST", "/v1/tts/generate", {"text": text, "voice_id": 1, "model_id": model}, key=speaker)
    wait_until(lambda: len(transcript.server.ledger()) == 2, "both are in the ledger")
    for query in ("", "?by=day,key,voice,model", "?by=model", "?by=kind", "?by=nonsense",
                  "?from=2026-05-20", "?from=x", "?to=2099-01-01", "?key=" + speaker[:8], "?key=ka_nobod",
                  "?project_id=1", "?project_id=7", "?project_id=x", "?account_id=1", "?account_id=7"):
        call("GET", "/v1/usage" + query)
    call("GET", "/v1/usage?by=day,key,voice,model", headers={"Accept": "text/csv"})
    first = call("GET", "/v1/usage/turns?limit=1")[1]
    transcript.hide(first["next"], "NEXT")
    for query in ("", "?limit=1&after=" + first["next"], "?limit=0", "?after=x", "?from=x"):
        call("GET", "/v1/usage/turns" + query)
    transcript.title("as ElevenLabs' clients ask")
    for prefix in ("", "/11labs"):
        for path in ("/v1/user", "/v1/user/subscription", "/v1/history",
                     "/v1/usage/character-stats?start_unix=1767225600000&end_unix=1767311999999",
                     "/v1/usage/character-stats", "/v1/usage/character-stats?start_unix=x&end_unix=1",
                     "/v1/usage/character-stats?start_unix=1767225600000&end_unix=1767311999999&metric=x"):
            call("GET", prefix + path, key=None, headers=xi)


def test_admin(record):
    transcript = record()
    key = transcript.new_key(*SCOPES)

    def call(*arguments, **options):
        return transcript.call(*arguments, key=key, **options)

    transcript.title("accounts")
    accounts = "/v1/admin/accounts"
    call("GET", accounts)
    call("POST", accounts, {"name": "Acme", "plan": "small", "prepaid": True, "limits": {"turns": 4}})
    call("POST", accounts, {"name": "Acme"})
    call("POST", accounts, {"name": "7"})
    call("POST", accounts, {"name": "Planned", "plan": "nonsense"})
    for query in ("?limit=1", "?limit=1&after=1", "?limit=0", "?after=x"):
        call("GET", accounts + query)
    call("GET", accounts + "/2")
    call("PATCH", accounts + "/2", {"limits": {"turns": None, "connections": -1}, "plan": None})
    call("PATCH", accounts + "/1", {"closed": True})
    call("POST", accounts + "/2/top-ups", {"id": "invoice-7", "amount_microcents": 500000000,
                                           "note": "paid"})
    call("POST", accounts + "/2/top-ups", {"id": "invoice-7", "amount_microcents": 500000000,
                                           "note": "paid"})
    call("POST", accounts + "/2/top-ups", {"id": "invoice-7", "amount_microcents": 1})
    call("GET", accounts + "/2/top-ups")
    transcript.title("projects")
    call("GET", "/v1/admin/projects")
    call("POST", "/v1/admin/projects", {"name": "Site", "account_id": 2})
    call("POST", "/v1/admin/projects", {"name": "Site", "account_id": 2})
    call("POST", "/v1/admin/projects", {"name": "Site", "account_id": 99})
    call("GET", "/v1/admin/projects?limit=1&after=1")
    transcript.title("keys")
    keys = "/v1/admin/keys"
    for body in ({"name": "phone", "scopes": ["speak"], "limits": {"turns": 2}, "credit_cents": 100,
                  "account_id": 2}, {"name": "short", "expires_in": 60},
                 {"expires_at": "2099-01-01T00:00:00Z"}):
        transcript.lines.append("")
        before = len(transcript.lines)
        made = call("POST", keys, body)[1]
        transcript.hide(made["prefix"], "PREFIX")
        transcript.server.secrets.append(made["key"])
        transcript.lines[before:] = map(transcript.normal, transcript.lines[before:])
    for query in ("", "?limit=1", "?account_id=2", "?account_id=99", "?after=x"):
        call("GET", keys + query)
    own = f"{keys}/{made['prefix']}"
    call("GET", own)
    call("PATCH", own, {"name": "renamed", "scopes": ["read", "voices"], "expires_at": None})
    call("DELETE", own)
    call("DELETE", own)
    call("POST", keys, {"account_id": 99})
    call("POST", keys, {"project_id": 99})
    call("POST", keys, {"expires_in": 1, "expires_at": "2099-01-01T00:00:00Z"})
    transcript.title("fields")
    number = itertools.count()
    own = f"{keys}/{transcript.server.key[:8]}"
    for method, path, base, values in (
            ("POST", accounts, {"name": None}, {
                "name": TEXTS, "plan": CHOICES, "prepaid": TRUTHS, "closed": TRUTHS,
                "limits": [*OBJECTS, {"turns": 0}, {"turns": "x"}, {"text_max": 1.5}]}),
            ("POST", "/v1/admin/projects", {"name": None}, {"name": TEXTS, "account_id": NUMBERS}),
            ("POST", accounts + "/2/top-ups", {"id": None, "amount_microcents": 1}, {
                "id": TEXTS, "amount_microcents": [*NUMBERS, 0], "note": TEXTS}),
            ("PATCH", own, {}, {
                "name": TEXTS, "scopes": LISTS, "limits": [7, {"turns": 0}], "credit_cents": NUMBERS,
                "expires_at": CHOICES, "expires_in": ["x", True, None, 0, 1e99, 1.5]})):
        for name, tried in values.items():
            for value in tried:
                new = {k: f"new {next(number)}" if v is None else v for k, v in base.items()}
                transcript.brief(method, path, new | {name: value}, key=key)
    transcript.title("keys that are no master keys")
    small = transcript.new_key("admin", account_id=2)
    for method, path, body in (("GET", accounts, None), ("POST", accounts, {"name": "x"}),
                               ("GET", accounts + "/1", None), ("GET", keys, None),
                               ("GET", "/v1/admin/projects", None)):
        transcript.call(method, path, body, key=small, note="of another account")


def test_tokens(record):
    transcript = record()
    made = transcript.call("POST", "/v1/tokens", {"path": "/ws/tts/stream", "expires_in": 30})[1]
    transcript.lines[-1] = transcript.lines[-1].replace(made["token"], "TOKEN")
    transcript.server.secrets.append(made["token"])
    transcript.hide(made["token"], "TOKEN")
    transcript.open("/ws/tts", note="another path", key=None, query="token=" + made["token"])
    transcript.open("/ws/tts/stream", key=None, query="token=" + made["token"])
    transcript.open("/ws/tts/stream", note="again", key=None, query="token=" + made["token"])
    for name, values in {"path": [*TEXTS, "/v1/voices"], "expires_in": NUMBERS}.items():
        for value in values:
            transcript.brief("POST", "/v1/tokens", {"path": "/ws/tts"} | {name: value})
    for prefix in ("", "/11labs"):
        path = prefix + "/v1/single-use-token/"
        xi = {"xi-api-key": transcript.server.key}
        single = transcript.call("POST", path + "tts_websocket", key=None, headers=xi)[1]["token"]
        transcript.lines[-1] = transcript.lines[-1].replace(single, "TOKEN")
        transcript.server.secrets.append(transcript.hide(single, "TOKEN"))
        transcript.call("POST", path + "nonsense", key=None, headers=xi)
        path = prefix + "/v1/text-to-speech/1/stream-input"
        transcript.open(path, key=None, query="single_use_token=" + single)
        transcript.open(path, note="again", key=None, query="single_use_token=" + single)


# Speech engines

def test_speech_engines(record):
    transcript = record()
    for prefix in ("", "/11labs"):
        transcript.title(prefix + "/v1/speech-engine")
        path = prefix + "/v1/speech-engine"
        call = functools.partial(transcript.call, key=None,
                                 headers={"xi-api-key": transcript.server.key})

        def made(*request):
            engine = call(*request)[1]["speech_engine_id"]
            transcript.lines[-1] = transcript.lines[-1].replace(engine, "ENGINE")
            return transcript.hide(engine, "ENGINE")

        engine = made("POST", path, {"name": "Left", "speech_engine": {"ws_url": "wss://h/p"}})
        call("GET", f"{path}/{engine}")
        call("PATCH", f"{path}/{engine}", {"turn": {"turn_eagerness": "eager"}, "other": [1]})
        call("PATCH", f"{path}/{engine}", {"turn": {"turn_eagerness": "slow"}})
        copy = made("POST", f"{path}/{engine}/duplicate", {"name": "Right"})
        call("GET", path + "?sort_by=name&sort_direction=asc")
        signing = prefix + "/v1/convai/conversation/get"
        for name, more in (("-signed-url", ""), ("_signed_url", "&include_conversation_id=true")):
            url = call("GET", f"{signing}{name}?agent_id={engine}{more}")[1]
            hidden = url["signed_url"].split("conversation_signature=")[1]
            transcript.server.secrets.append(hidden)
            shown = re.sub("[0-9a-f]{64}", "MAC", transcript.lines[-1])
            transcript.lines[-1] = shown.replace(url.get("conversation_id", "CONV"), "CONV")
        for name in (engine, copy):
            call("DELETE", f"{path}/{name}")
        call("DELETE", f"{path}/{engine}")
        transcript.call("GET", prefix + "/v1/convai/conversation/token?agent_id=x", key=None)


# Speech over HTTP

def test_speech(record):
    transcript = record()
    transcript.call("POST", "/v1/dictionaries", {"name": "Words"})
    native = {"text": "Hi you.", "voice_id": 1}
    for path in ("/v1/tts/generate", "/predict"):
        transcript.title(path)
        call = functools.partial(transcript.call, "POST", path)
        call(native)
        call(native | {"voice_id": "low-tone", "language": "en-GB", "normalize": False})
        call(native, headers={"Accept": "audio/wav"})
        call(native | {"output_format": "flac"}, is_exact=False)
        call(native | {"output_format": "mp3_44100_128"}, is_exact=False)
        call(native | {"output_format": "ulaw_8000"}, is_exact=False)
        call({"text": "Hi."})
        call(native | {"voice_id": int(NOBODY)})
        call(native | {"voice_id": "nobody"})
        call(native | {"text": "..."}, is_exact=False)
        call(native | {"text": "[[fail]]", "normalize": False})
        call(native | {"dictionary_ids": [1]})
        call(native | {"dictionary_ids": [7]})
        call(native | {"project_id": 7, "dictionary_ids": [1]})
        call(native | {"sample_rate": 8000, "output_format": "pcm_16000"})
    transcript.title("fields")
    transcript.try_fields("POST", "/v1/tts/generate", native, {
        "text": [*TEXTS, "   "], "voice_id": [True, [], {}, None, 1.5, ""], "output_format": CHOICES,
        "model_id": CHOICES, "model": CHOICES, "cfg_scale": NUMBERS, "temperature": NUMBERS,
        "seed": NUMBERS, "max_new_tokens": NUMBERS, "sample_rate": NUMBERS, "normalize": TRUTHS,
        "language": CHOICES, "speed": NUMBERS, "project_id": NUMBERS, "dictionary_ids": [*LISTS, [1] * 51],
        "word_timestamps": [True]})

    path, good = "/v1/audio/speech", {"model": "tts-1", "input": "Hi you.", "voice": "1"}
    transcript.title(path)
    call = functools.partial(transcript.call, "POST", path)
    call(good | {"response_format": "pcm"})
    call(good | {"response_format": "wav"})
    call(good, is_exact=False)
    call(good | {"voice": {"id": "tone"}, "response_format": "pcm", "instructions": "Be kind."})
    call(good | {"response_format": "pcm", "stream_format": "sse"})
    call(good | {"voice": "alloy"})
    call(good | {"voice": "nobody"})
    call(good | {"input": "[[fail]]"})
    for key, note in ((None, "no key"), (WRONG_KEY, "wrong key")):
        call(good, key=key, note=note)
    transcript.try_fields("POST", path, good | {"response_format": "pcm"}, {
        "input": TEXTS, "voice": [7, True, [], {}, None, ""], "model": [7, None, "x"],
        "response_format": CHOICES, "speed": [*NUMBERS, 5], "stream_format": CHOICES})

    path, good = "/vapi/synthesize?voice_id=1", {
        "message": {"type": "voice-request", "text": "Hi you.", "sampleRate": 24000}}
    transcript.title("/vapi/synthesize")
    call = functools.partial(transcript.call, "POST")
    call(path, good)
    call(path, good, key=None, headers={"x-vapi-secret": transcript.server.key})
    call("/vapi/synthesize", good, headers={"x-voice-id": "tone"})
    call("/vapi/synthesize", good)
    call("/vapi/synthesize?voice_id=nobody", good)
    call(path + "&model_id=kugel-3", good)
    for name, values in {"type": CHOICES, "text": TEXTS, "sampleRate": NUMBERS}.items():
        for value in values:
            transcript.brief("POST", path, {"message": good["message"] | {name: value}})
    transcript.brief("POST", path, {"message": 7})


@pytest.mark.parametrize("prefix", ["", "/11labs"], ids=["at_root", "below_11labs"])
def test_speech_elevenlabs(record, prefix):
    transcript = record(name="speech_elevenlabs" + prefix.replace("/", "_"))
    root, good = prefix + "/v1/text-to-speech/1", {"text": "Hi you.", "model_id": "eleven_v3"}
    xi = {"key": None, "headers": {"xi-api-key": transcript.server.key}}
    for path in ("", "/stream", "/with-timestamps", "/stream/with-timestamps"):
        transcript.title(root + path)
        call = functools.partial(transcript.call, "POST", **xi)
        call(root + path + "?output_format=pcm_24000", good)
        call(root + path + "?output_format=pcm_24000", good, key="", headers={})
        call(root + path, good | {"voice_settings": {"speed": 1.2}}, is_exact=False)
        call(root + path + "?output_format=nonsense", good)
        call(root + path, {"text": ""})
        call(root + path, {"text": "[[fail]]", "apply_text_normalization": "off"})
        call(f"{prefix}/v1/text-to-speech/nobody{path}", good)
        call(root + path, good, key=None, headers={"xi-api-key": WRONG_KEY})
        call(root + path, good, headers={})
    if not prefix:
        transcript.title("fields")
        for name, values in {
                "text": TEXTS, "model_id": CHOICES, "language_code": CHOICES, "seed": NUMBERS,
                "voice_settings": [*OBJECTS, {"speed": 5}, {"speed": "x"}],
                "apply_text_normalization": CHOICES,
                "pronunciation_dictionary_locators": [
                    *LISTS, [{}], [{"pronunciation_dictionary_id": "7"}],
                    [{"pronunciation_dictionary_id": 7}], [{"pronunciation_dictionary_id": "1"}] * 9],
        }.items():
            for value in values:
                transcript.brief("POST", root + "?output_format=pcm_24000", good | {name: value}, **xi)


# What concerns all routes

CARRIERS = {"none": {}, "bearer": {"Authorization": "Bearer KEY"},
            "basic": {"Authorization": "Basic KEY"}, "x-api-key": {"X-API-Key": "KEY"}, "xi-api-key": {"xi-api-key": "KEY"},
            "x-vapi-secret": {"x-vapi-secret": "KEY"}}


def test_shapes(record):
    """The same refusals as the clients of each vendor read them."""
    transcript = record()
    poor = transcript.new_key("admin")
    paths = (("GET", "/v1/voices"), ("GET", "/v1/voices/nobody"), ("GET", "/v1/models/nonsense"),
             ("GET", "/v1/dictionaries"), ("GET", "/v1/user"), ("GET", "/v1/nothing"),
             ("GET", "/11labs/v1/voices"), ("GET", "/11labs/v1/nothing"), ("GET", "/v2/nothing"),
             ("PUT", "/v1/voices"), ("PUT", "/11labs/v1/voices"), ("PUT", "/v1/audio/speech"),
             ("POST", "/v1/audio/speech"), ("POST", "/v1/text-to-speech/1"),
             ("POST", "/v1/tts/generate"), ("POST", "/vapi/synthesize"),
             ("POST", "/11labs/v1/text-to-speech/1"), ("GET", "/v1/audio/nothing"))
    for name, carrier in CARRIERS.items():
        transcript.title(f"key: {name}")
        for key, note in ((transcript.server.key, ""), (WRONG_KEY, "wrong key"), (poor, "poor key")):
            headers = {header: value.replace("KEY", key) for header, value in carrier.items()}
            for method, path in paths if name != "none" or not note else ():
                transcript.brief(method, path, b"[" if method == "POST" else None, key=None,
                                 headers=headers, note=note)
    transcript.title("keys in the query")
    for name in ("api_key", "token", "master_key", "authorization", "single_use_token", "key"):
        transcript.brief("GET", f"/v1/dictionaries?{name}={transcript.server.key}", None, key=None)
        transcript.brief("GET", f"/v1/dictionaries?{name}={WRONG_KEY}", None, key=None, note="wrong key")
    transcript.title("web pages")
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "xi-api-key, x"}
    for origin in ("https://page.example", "https://other.example", "null"):
        for path in ("/v1/voices", "/v1/audio/speech", "/11labs/v1/text-to-speech/1", "/nowhere"):
            transcript.call("OPTIONS", path, key=None, headers={"Origin": origin} | asks)
        transcript.call("GET", "/v1/agents", headers={"Origin": origin})
        transcript.call("GET", "/v1/agents", key=None, headers={"Origin": origin})
        transcript.open("/ws/tts", headers={"Origin": origin})
    transcript.call("OPTIONS", "/v1/voices", key=None)
    transcript.call("GET", "/v1/agents", headers={"Host": "other.example"})
    transcript.title("requests that are no good")
    transcript.call("GET", "/v1/%zz")
    transcript.call("BREW", "/v1/voices")
    for path in ("/v1/tts/generate", "/v1/audio/speech", "/v1/text-to-speech/1", "/v1/dictionaries",
                 "/v1/pronunciation-dictionaries/add-from-rules", "/v1/admin/keys"):
        transcript.call("POST", path, length=64 << 20)
        transcript.call("POST", path, length=64 << 20, key=None)
    transcript.call("POST", "/v1/tts/generate", headers={"Transfer-Encoding": "gzip"})
    transcript.call("GET", "/health", headers={"x-long": "x" * 20000})
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
    transcript.title("handshakes that are no good")
    for changes in ({"Sec-WebSocket-Version": "8"}, {"Sec-WebSocket-Key": "short"}, {"Upgrade": "h2c"},
                    {"Connection": "close"}):
        for path in ("/ws/tts/stream", "/v1/text-to-speech/1/stream-input", "/ws/talk/one"):
            transcript.call("GET", path, headers=upgrade | changes)


def test_limits(record):
    transcript = record()
    doors = (("/v1/tts/generate", {"text": "Hi you.", "voice_id": 1}),
             ("/v1/audio/speech", {"input": "Hi you.", "voice": "1"}),
             ("/v1/text-to-speech/1", {"text": "Hi you."}))

    transcript.title("requests per minute")
    key = transcript.new_account("slow", limits={"requests_per_minute": 1})
    transcript.call("GET", "/v1/agents", key=key)
    for path in ("/v1/agents", "/11labs/v1/voices"):
        transcript.call("GET", path, key=key)
    for path, body in doors:
        transcript.call("POST", path, body, key=key)
    for path in ("/ws/tts/stream", "/ws/tts", "/ws/tts/multi"):
        with transcript.open(path, key=key) as tap:
            tap.ask({"text": "Hi.", "voice_id": 1, "context_id": "a", "flush": True}, r'"error"')
            tap.end()
    with transcript.open("/v1/text-to-speech/1/stream-input", key=key) as tap:
        tap.ask({"text": "Hi.", "flush": True}, r'"error"')
        tap.end()
    transcript.title("characters of a text, and per minute")
    for key in (transcript.new_account("short", limits={"text_max": 3}),
                transcript.new_account("few", limits={"characters_per_minute": 3})):
        for path, body in doors:
            transcript.call("POST", path, body, key=key)
        with transcript.open("/ws/tts/stream", key=key) as tap:
            tap.ask({"text": "Hi you.", "voice_id": 1, "flush": True}, r'"error"')
    transcript.title("connections")
    key = transcript.new_account("single", limits={"connections": 1})
    with transcript.open("/ws/tts/stream", key=key):
        for path in ("/ws/tts/stream", "/v1/text-to-speech/1/stream-input", "/ws/talk/one"):
            transcript.open(path, key=key)
    transcript.title("credit")
    key = transcript.new_account("broke", prepaid=True)
    for path, body in doors:
        transcript.call("POST", path, body, key=key)
    for path in ("/ws/tts/stream", "/ws/tts", "/ws/tts/multi", "/v1/text-to-speech/1/multi-stream-input",
                 "/ws/talk/one"):
        with transcript.open(path, key=key) or contextlib.nullcontext() as tap:
            if tap:
                tap.ask({"text": "Hi.", "voice_id": 1, "context_id": "a", "flush": True}, r'"error"')
                tap.end()
    transcript.title("keys that end")
    key = transcript.new_key()
    with transcript.open("/ws/tts/stream", key=key) as tap, \
            transcript.open("/v1/text-to-speech/1/stream-input", key=key) as other:
        transcript.manage("DELETE", "/keys/" + key[:8])
        tap.end()
        other.end()
    transcript.title("too much at once")
    with transcript.open("/ws/tts/stream") as tap:
        tap.say({"voice_id": 1, "normalize": False, "text": "Hm [[stall]]", "flush": True})
        tap.hear('"idx":1')
        for _ in range(16):
            tap.send_text('{"text":"Next.","flush":true}')
        tap.ask({"text": "Seventeenth.", "flush": True})
        tap.ask({"cancel": True}, "interrupted")
        tap.ask({"text": "x " * 200000}, shown='{"text":"400,000 characters"}')
    with transcript.open("/ws/tts/multi") as tap:
        for i in range(21):
            tap.ask({"context_id": f"c{i}", "text": " ", "voice_settings": {"voice_id": 1}},
                    "created|error")
        tap.say({"context_id": "c0", "normalize": False, "text": "Hm [[stall]]", "flush": True})
        tap.hear('"idx":1')
        for _ in range(64):
            tap.send_text('{"context_id":"c0","text":"Next.","flush":true}')
        tap.say({"context_id": "c0", "text": "Sixty-fifth.", "flush": True})
        tap.hear("context_closed")
    with transcript.open("/ws/tts/stream") as tap:
        tap.say("x" * (2 << 20), shown="2 MiB")
        tap.end()


@contextlib.contextmanager
def without_table(server, table):
    """The running server's store lacks a table meanwhile."""
    with contextlib.closing(sqlite3.connect(server.data / "syrinx.db", timeout=WAIT_S,
                                            isolation_level=None)) as database:
        database.execute("PRAGMA legacy_alter_table = ON")
        database.execute(f"ALTER TABLE {table} RENAME TO gone")
        try:
            yield
        finally:
            database.execute(f"ALTER TABLE gone RENAME TO {table}")


def test_unavailable(record):
    """503, where it is easy: tables that are gone, and no worker that is free."""
    transcript = record({"speech.workers": 1, "speech.start_timeout_ms": 300})
    server, xi = transcript.server, {"key": None, "headers": {"xi-api-key": transcript.server.key}}
    admin = transcript.new_key(*SCOPES)
    transcript.call("GET", "/v1/admin/accounts", key=admin)
    for table, calls in {
            "dictionary": (("GET", "/v1/dictionaries"), ("GET", "/v1/pronunciation-dictionaries")),
            "voice": (("POST", "/v1/voices"),),
            "top_up": (("GET", "/v1/admin/accounts/1/top-ups"),)}.items():
        transcript.title("without the table " + table)
        with without_table(server, table):
            for method, path in calls:
                body = {"name": "Lost", "base_voice_id": 1} if method == "POST" else None
                transcript.call(method, path, body, key=admin)
    key, other = transcript.new_key(), transcript.new_key()
    transcript.title("without the table key")
    with without_table(server, "key"):
        transcript.call("GET", "/v1/agents", key=key)
        transcript.call("GET", "/11labs/v1/voices", key=other)
        transcript.open("/ws/tts/stream", key=other)
    transcript.title("no worker is free")
    with transcript.open("/ws/tts/stream") as holder:
        holder.say({"voice_id": 1, "normalize": False, "text": "Hm [[stall]]", "flush": True})
        holder.hear('"idx":1')
        transcript.call("POST", "/v1/tts/generate", {"text": "No room.", "voice_id": 1})
        transcript.call("POST", "/v1/audio/speech", {"input": "No room.", "voice": "1"})
        transcript.call("POST", "/v1/text-to-speech/1", {"text": "No room."}, **xi)
        with transcript.open("/ws/tts/stream") as tap:
            tap.ask({"voice_id": 1, "text": "No room.", "flush": True}, '"error"')
        with transcript.open("/v1/text-to-speech/1/stream-input", headers=xi["headers"]) as tap:
            tap.ask({"text": "No room.", "flush": True}, '"error"')
            tap.end()
