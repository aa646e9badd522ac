"""Words that are said in another way: the REST resource, who may touch it, and what is heard of it.

The tone engine's audio depends on the text alone, so that two texts that are said alike sound alike:
a word sounds like its replacement when its dictionary applies."""

import contextlib
import json
import re
import signal
import sqlite3
import threading
import urllib.parse

import pytest
from client import Client, Refused
from multi import MultiClient
from program import SOURCE, Server, syrinx
from rest import Rest

SETTINGS = {"speech.workers": 1}  # one caller at a time

TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")


@pytest.fixture
def rest(server):
    with Rest(server) as connection:
        yield connection


def make(rest, name="words", **fields):
    """A new dictionary's id."""
    status, body = rest.post("/dictionaries", {"name": name} | fields)
    assert status == 201, body
    return body["id"]


def add(rest, dictionary, word, replacement, **fields):
    status, body = rest.post(f"/dictionaries/{dictionary}/entries",
                             {"word": word, "replacement": replacement} | fields)
    assert status == 201, body
    return body["id"]


def audio(client, text, **settings):
    turn = client.speak(text, voice_id=1, **settings)
    assert not turn.errors and turn.samples > 0, turn.errors
    return turn.audio


class Speaker:
    """A connection, and what a text sounds like on it and without dictionaries."""

    def __init__(self, server, **settings):
        self.server = server
        self.settings = settings
        self.client = Client(server)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.__exit__(None, None, None)

    def says(self, text, as_if, **settings):
        """Whether the text is said as if the other had been written."""
        with Client(self.server) as other:
            expected = audio(other, as_if, dictionary_ids=[])
        return audio(self.client, text, **(self.settings | settings)) == expected


# The resource


def test_a_dictionary_is_made_read_changed_and_removed(rest):
    status, made = rest.post("/dictionaries", {"name": "Städte", "description": "of Europe",
                                               "language": "de"})
    assert status == 201
    assert set(made) == {"id", "project_id", "name", "description", "language", "is_active",
                         "created_at", "updated_at"}
    assert (made["name"], made["description"], made["language"]) == ("Städte", "of Europe", "de")
    assert made["is_active"] is True and made["project_id"] == 1 and isinstance(made["id"], int)
    assert TIME.fullmatch(made["created_at"]) and made["updated_at"] == made["created_at"]
    path = f"/dictionaries/{made['id']}"
    assert rest.get(path) == (200, made)
    assert rest.get("/dictionaries") == (200, {"dictionaries": [made]})
    changed = rest.must(200, rest.patch(path, {"name": "Orte", "description": None,
                                               "is_active": False}))
    assert changed | {"updated_at": 0} == made | {"name": "Orte", "description": None,
                                                  "is_active": False, "updated_at": 0}
    assert rest.get(path) == (200, changed)
    assert rest.patch(path, {})[0] == 200
    assert rest.delete(path) == (200, {"deleted": True})
    for method in ("GET", "PATCH", "DELETE"):
        status, body = rest.ask(method, path, {} if method == "PATCH" else None)
        assert status == 404
        assert (body["error"], body["error_code"], body["code"]) == (
            "Dictionary not found", "NOT_FOUND", 404)
    assert rest.get("/dictionaries") == (200, {"dictionaries": []})


def test_an_entry_is_made_listed_changed_and_removed(rest):
    path = f"/dictionaries/{make(rest)}/entries"
    status, made = rest.post(path, {"word": "Postgres", "replacement": "post gress",
                                    "ipa": "ˈpoʊstɡrɛs", "case_sensitive": True})
    assert status == 201
    assert set(made) == {"id", "dictionary_id", "word", "replacement", "ipa", "case_sensitive",
                         "created_at", "updated_at"}
    assert (made["word"], made["replacement"], made["ipa"], made["case_sensitive"]) == (
        "Postgres", "post gress", "ˈpoʊstɡrɛs", True)
    assert TIME.fullmatch(made["created_at"])
    assert rest.get(path) == (200, {"entries": [made], "total": 1, "limit": 100, "offset": 0})
    changed = rest.must(200, rest.patch(f"{path}/{made['id']}", {"ipa": None, "word": "postgres"}))
    assert changed | {"updated_at": 0} == made | {"ipa": None, "word": "postgres", "updated_at": 0}
    assert rest.delete(f"{path}/{made['id']}") == (200, {"deleted": True})
    for method in ("PATCH", "DELETE"):
        status, body = rest.ask(method, f"{path}/{made['id']}", {} if method == "PATCH" else None)
        assert (status, body["error"]) == (404, "Entry not found")
    assert rest.get(path) == (200, {"entries": [], "total": 0, "limit": 100, "offset": 0})


def test_names_are_unique_in_the_project_and_words_in_the_dictionary(rest):
    first, second = make(rest, "one"), make(rest, "two")
    for answer in (rest.post("/dictionaries", {"name": "one"}),
                   rest.patch(f"/dictionaries/{second}", {"name": "one"})):
        assert answer[0] == 400
        assert answer[1]["error_code"] == "VALIDATION_ERROR" and "name" in answer[1]["error"]
    add(rest, first, "API", "a p i")
    entry = add(rest, first, "api", "appy")  # another word: the case differs
    add(rest, second, "API", "a p i")
    for answer in (rest.post(f"/dictionaries/{first}/entries", {"word": "API",
                                                                "replacement": "x"}),
                   rest.patch(f"/dictionaries/{first}/entries/{entry}", {"word": "API"})):
        assert answer[0] == 400 and "word" in answer[1]["error"]


def test_all_entries_are_replaced_at_once(rest):
    dictionary = make(rest)
    path = f"/dictionaries/{dictionary}/entries"
    kept = add(rest, dictionary, "kept", "as it was")
    add(rest, dictionary, "gone", "x")
    new = [{"word": "kept", "replacement": "as it was"},
           {"word": "new", "replacement": "fresh", "case_sensitive": True, "ipa": "nuː"}]
    assert rest.put(path, {"entries": new}) == (200, {"upserted": 2, "deleted": 1, "total": 2})
    entries = rest.must(200, rest.get(path))["entries"]
    assert [(e["word"], e["id"] == kept) for e in entries] == [("kept", True), ("new", False)]
    assert entries[1]["ipa"] == "nuː" and entries[1]["case_sensitive"]
    # the same again changes nothing
    assert rest.put(path, {"entries": new}) == (200, {"upserted": 2, "deleted": 0, "total": 2})
    assert rest.must(200, rest.get(path))["entries"] == entries
    # one wrong entry, and nothing of it counts
    status, body = rest.put(path, {"entries": [{"word": "a", "replacement": "b"}, {"word": ""}]})
    assert status == 400 and "entries[1]" in body["error"]
    status, body = rest.put(path, {"entries": [{"word": "a", "replacement": "b"},
                                               {"word": "a", "replacement": "c"}]})
    assert status == 400 and "entries[1]" in body["error"]
    assert rest.must(200, rest.get(path))["entries"] == entries
    assert rest.put(path, {"entries": []}) == (200, {"upserted": 0, "deleted": 2, "total": 0})


def test_a_search_knows_the_letters_of_all_scripts_and_pages_are_exact(rest):
    dictionary = make(rest)
    path = f"/dictionaries/{dictionary}/entries"
    words = ["Ärger", "ÄPFEL", "äther", "Москва", "МОСТ", "ΑΘΉΝΑ", "100%", "50_50", "東京"]
    rest.must(200, rest.put(path, {"entries": [{"word": w, "replacement": "x"} for w in words]}))

    def search(text, **page):
        query = urllib.parse.urlencode({"search": text} | page)
        body = rest.must(200, rest.get(f"{path}?{query}"))
        return [entry["word"] for entry in body["entries"]], body["total"]

    assert search("ä") == (["Ärger", "ÄPFEL", "äther"], 3)
    assert search("Ä", limit=1, offset=1) == (["ÄPFEL"], 3)
    assert search("МОС") == search("мос") == (["Москва", "МОСТ"], 2)
    assert search("αθήνα") == (["ΑΘΉΝΑ"], 1)
    assert search("京") == (["東京"], 1)
    assert search("%") == (["100%"], 1)
    assert search("_") == (["50_50"], 1)
    assert search("") == (words, 9)
    assert search("zz") == ([], 0)
    body = rest.must(200, rest.get(f"{path}?limit=4&offset=8"))
    assert [e["word"] for e in body["entries"]] == ["東京"]
    assert (body["total"], body["limit"], body["offset"]) == (9, 4, 8)
    assert rest.must(200, rest.get(f"{path}?offset=1000000"))["entries"] == []


BAD_QUERIES = ["limit=0", "limit=501", "limit=x", "limit=", "limit=1.5", "offset=-1", "offset=x",
               "search=" + "a" * 201, "search=%ff", "project_id=x", "project_id=0",
               "project_id=99999999999999999999"]


@pytest.mark.parametrize("query", BAD_QUERIES)
def test_a_wrong_query_is_refused(rest, query):
    status, body = rest.get(f"/dictionaries/{make(rest)}/entries?{query}")
    assert status == 400 and body["error_code"] == "VALIDATION_ERROR", body
    assert query.split("=")[0] in body["error"]


BAD_BODIES = [
    (b"", "malformed JSON at byte 0"),
    (b"{", "malformed JSON at byte 1"),
    (b"[]", "a JSON object"),
    (b"null", "a JSON object"),
    (b'{"name":"a"', "malformed JSON at byte 11"),
    (b'{"name":"a"}{}', "malformed JSON at byte 12"),
    (b'{"name":"\xff"}', "malformed JSON at byte 9"),
    (b'{"name":""}', "name must have 1 to 200 characters"),
    (b'{"name":7}', "name must be a string"),
    (b'{"name":null}', "name is required"),
    (b'{"language":"de"}', "name is required"),
    (b'{"name":"a","colour":"red"}', "colour"),
    (b'{"name":"a","is_active":"yes"}', "is_active must be true or false"),
    (b'{"name":"a","language":"' + b"d" * 17 + b'"}', "language"),
    (b'{"name":"a","description":"' + "ü".encode() * 2001 + b'"}', "description"),
    (b'{"name":"' + "ü".encode() * 201 + b'"}', "name"),
    (b'{"name":' + b"[" * 100000, "name must be a string"),
]


@pytest.mark.parametrize("body, why", BAD_BODIES, ids=range(len(BAD_BODIES)))
def test_a_bad_body_is_refused_and_says_why(rest, body, why):
    status, answer = rest.raw("POST", "/dictionaries", body)
    answer = json.loads(answer)
    assert status == answer["code"] == 400 and answer["error_code"] == "VALIDATION_ERROR"
    assert answer["error"].startswith("Invalid request: ") and why in answer["error"]
    assert rest.get("/dictionaries") == (200, {"dictionaries": []})


def test_bad_entries_are_refused_one_by_one_and_in_lists(rest):
    path = f"/dictionaries/{make(rest)}/entries"
    for fields, why in (({"word": "a"}, "replacement is required"),
                        ({"word": "a" * 201, "replacement": "x"}, "word"),
                        ({"word": " \t", "replacement": "x"}, "blanks"),
                        ({"word": "a", "replacement": "x" * 1001}, "replacement"),
                        ({"word": "a", "replacement": "x", "ipa": "x" * 201}, "ipa"),
                        ({"word": "a", "replacement": "x", "case_sensitive": 1},
                         "case_sensitive"),
                        ({"word": "a", "replacement": "x", "id": 3}, "id")):
        for answer in (rest.post(path, fields), rest.put(path, {"entries": [fields]})):
            assert answer[0] == 400 and why in answer[1]["error"], (fields, answer)
    longest = {"word": "ü" * 200, "replacement": "😀" * 1000, "ipa": "ə" * 200}
    assert rest.put(path, {"entries": [longest]})[0] == 200
    assert rest.must(200, rest.get(path))["entries"][0]["replacement"] == "😀" * 1000


def test_paths_that_lead_nowhere_and_methods_that_do_not_fit(rest):
    dictionary = make(rest)
    for path in ("/dictionaries/", "/dictionaries/1/", "/dictionaries/1/words", "/dictionary"):
        assert rest.get(path)[0] == 404, path
    for path in ("abc", "0", "-1", "1.0", "9" * 30, "%31x", f"{dictionary}a"):
        assert rest.get(f"/dictionaries/{path}")[1]["error"] == "Dictionary not found", path
    for method, path, allowed in (
            ("PUT", "/dictionaries", "GET, HEAD, POST"),
            ("POST", f"/dictionaries/{dictionary}", "GET, HEAD, PATCH, DELETE"),
            ("PATCH", f"/dictionaries/{dictionary}/entries", "GET, HEAD, POST, PUT"),
            ("GET", f"/dictionaries/{dictionary}/entries/1", "PATCH, DELETE"),
            ("GET", f"/dictionaries/{dictionary}/invalidate", "POST"),
            ("GET", "/normalize", "POST")):
        assert rest.ask(method, path)[0] == 405, (method, path)
        assert rest.headers["allow"] == allowed
    status, body = rest.raw("HEAD", "/dictionaries")
    assert (status, body) == (200, b"") and int(rest.headers["content-length"]) > 20
    assert rest.headers["x-request-id"].startswith("req_")


def test_there_are_at_most_100_dictionaries_of_10000_entries(rest):
    dictionaries = [make(rest, f"d{i}") for i in range(100)]
    status, body = rest.post("/dictionaries", {"name": "one more"})
    assert status == 400 and "100" in body["error"]
    path = f"/dictionaries/{dictionaries[0]}/entries"
    entries = [{"word": f"word{i}", "replacement": f"what is said instead of it, {i}"}
               for i in range(10000)]
    assert rest.put(path, {"entries": entries})[1]["total"] == 10000
    status, body = rest.put(path, {"entries": entries + [{"word": "x", "replacement": "y"}]})
    assert status == 400 and "10000" in body["error"]
    status, body = rest.post(path, {"word": "x", "replacement": "y"})
    assert status == 400 and "10000" in body["error"]
    assert rest.must(200, rest.get(path + "?limit=1"))["total"] == 10000


def test_the_body_of_a_put_may_be_large_and_others_may_not(rest):
    path = f"/dictionaries/{make(rest)}/entries"
    entries = [{"word": f"w{i}", "replacement": "x" * 700} for i in range(10000)]
    assert len(json.dumps({"entries": entries})) > 7 * 1024 * 1024
    assert rest.put(path, {"entries": entries})[1]["total"] == 10000
    for method, size in (("PUT", 8 * 1024 * 1024 + 1), ("POST", 1024 * 1024 + 1)):
        with Rest(rest.server) as other:
            other.connection.putrequest(method, "/v1" + path)
            other.connection.putheader("Authorization", "Bearer " + other.key)
            other.connection.putheader("Content-Length", str(size))
            other.connection.endheaders()
            answer = other.connection.getresponse()
            assert answer.status == 413
            assert json.loads(answer.read())["error_code"] == "VALIDATION_ERROR"


# Who may


def test_without_a_key_and_with_a_wrong_one_nothing_is_told(server):
    with Rest(server) as rest:
        rest.key = None
        status, body = rest.get("/dictionaries")
        assert status == 401
        assert (body["error"], body["error_code"], body["code"]) == ("Unauthorized",
                                                                     "UNAUTHORIZED", 401)
        rest.key = server.key[:-4] + "aaaa"
        assert rest.get("/dictionaries")[0] == 401


# What each scope lets one do: read, write, speak, normalize.
SCOPES = {
    "speak": (False, False, True, False),
    "read": (True, False, False, False),
    "dictionaries": (True, True, False, False),
    "admin": (False, False, False, True),
    "speak,dictionaries": (True, True, True, False),
}


@pytest.mark.parametrize("scopes", SCOPES)
def test_a_key_may_do_what_its_scopes_say(server, scopes):
    reads, writes, speaks, normalizes = SCOPES[scopes]
    with Rest(server, server.new_key("--scopes", scopes)) as rest:
        attempts = [(reads, rest.get("/dictionaries")),
                    (writes, rest.post("/dictionaries", {"name": "x"})),
                    (normalizes, rest.post("/normalize", {"text": "5"})),
                    (normalizes, rest.post("/dictionaries/1/invalidate"))]
        for may, (status, body) in attempts:
            assert status in ((200, 201, 204) if may else (403,)), body
            if not may:
                assert body["error_code"] == "UNAUTHORIZED" and body["code"] == 403
                assert "lacks the scope" in body["error"]
        if speaks:
            with Client(server, key=rest.key) as client:
                assert client.speak("Yes.", voice_id=1).samples > 0
        else:
            with pytest.raises(Refused) as refused:
                Client(server, key=rest.key)
            assert refused.value.status == 403
            assert refused.value.body["error"] == "Forbidden: the key lacks the scope speak"


def test_usual_keys_have_all_scopes_but_admin(server):
    with Rest(server, server.new_key()) as rest:
        make(rest)
        assert rest.post("/normalize", {"text": "5"})[0] == 403
    listed = syrinx("key", "list", "--data", server.data).stdout.decode()
    assert "speak,read,dictionaries,voices,admin" in listed  # the local one
    assert re.search(r"speak,read,dictionaries,voices +- +\n", listed)


def test_another_project_is_for_operators(server):
    made = syrinx("project", "create", "--name", "other", "--data", server.data)
    assert made.stdout == b"2\n"
    with Rest(server) as admin, Rest(server, server.new_key()) as other:
        foreign = admin.must(201, admin.post("/dictionaries?project_id=2", {"name": "theirs"}))
        assert foreign["project_id"] == 2
        assert admin.get("/dictionaries") == (200, {"dictionaries": []})
        assert admin.get("/dictionaries?project_id=2") == (200, {"dictionaries": [foreign]})
        assert other.get("/dictionaries?project_id=1") == (200, {"dictionaries": []})
        for path in ("/dictionaries", f"/dictionaries/{foreign['id']}",
                     f"/dictionaries/{foreign['id']}/entries"):
            status, body = other.get(path + "?project_id=2")
            assert (status, body["error_code"]) == (403, "UNAUTHORIZED"), body
        for rest in (admin, other):  # without the query it is the key's own project
            assert rest.get(f"/dictionaries/{foreign['id']}")[0] == 404
            assert rest.get(f"/dictionaries/{foreign['id']}/entries")[0] == 404
            assert rest.delete(f"/dictionaries/{foreign['id']}")[0] == 404
        status, body = admin.post("/dictionaries?project_id=77", {"name": "x"})
        assert (status, body["error"]) == (404, "Project not found")
        with Client(server) as client:
            client.send({"text": "Hello.", "voice_id": 1, "flush": True,
                         "dictionary_ids": [foreign["id"]]})
            frame = client.expect_error(400, "VALIDATION_ERROR")
            assert str(foreign["id"]) in frame["error"]


# What is heard


def test_the_three_meanings_of_dictionary_ids(server, rest):
    active = make(rest, "active")
    add(rest, active, "SQL", "sequel")
    passive = make(rest, "passive", language="fr")
    rest.must(200, rest.patch(f"/dictionaries/{passive}", {"is_active": False}))
    add(rest, passive, "SQL", "squeal")
    with Speaker(server) as speaker:
        assert speaker.says("My SQL is old.", as_if="My sequel is old.")
        assert speaker.says("My SQL is old.", as_if="My squeal is old.", dictionary_ids=[passive])
        assert speaker.says("My SQL is old.", as_if="My squeal is old.")  # it is sticky
        assert speaker.says("My SQL is old.", as_if="My SQL is old.", dictionary_ids=[])
        assert speaker.says("My SQL is old.", as_if="My sequel is old.",
                            dictionary_ids=[active, passive])
        assert speaker.says("My SQLs are old.", as_if="My SQLs are old.")  # whole words


def test_active_dictionaries_apply_by_language(server, rest):
    add(rest, make(rest, "german", language="de-AT"), "SQL", "Essquell")
    add(rest, make(rest, "english", language="EN"), "SQL", "sequel")
    with Speaker(server) as speaker:
        assert speaker.says("My SQL.", as_if="My sequel.")
        turn = speaker.client.speak("Mein SQL.", voice_id=1, language="de")
        with Client(server) as other:
            assert turn.audio == audio(other, "Mein Essquell.", language="de", dictionary_ids=[])


def test_a_change_is_heard_in_the_next_turn_of_an_open_connection(server, rest):
    with Speaker(server) as speaker:
        assert speaker.says("My SQL.", as_if="My SQL.")
        dictionary = make(rest)
        entry = add(rest, dictionary, "SQL", "sequel")
        assert speaker.says("My SQL.", as_if="My sequel.")
        path = f"/dictionaries/{dictionary}"
        rest.must(200, rest.patch(f"{path}/entries/{entry}", {"replacement": "squeal"}))
        assert speaker.says("My SQL.", as_if="My squeal.")
        rest.must(200, rest.put(f"{path}/entries", {"entries": [{"word": "my",
                                                                 "replacement": "your"}]}))
        assert speaker.says("My SQL.", as_if="your SQL.")
        rest.must(200, rest.patch(path, {"is_active": False}))
        assert speaker.says("My SQL.", as_if="My SQL.")
        rest.must(200, rest.patch(path, {"is_active": True, "language": "fr"}))
        assert speaker.says("My SQL.", as_if="My SQL.")
        rest.must(200, rest.patch(path, {"language": None}))
        assert speaker.says("My SQL.", as_if="your SQL.")
        rest.must(200, rest.delete(path))
        assert speaker.says("My SQL.", as_if="My SQL.")


def test_words_keep_their_place_in_the_text(server, rest):
    add(rest, make(rest), "K8s", "koo ber net eez")
    with Client(server) as client:
        turn = client.speak("We run K8s here.", voice_id=1, word_timestamps=True)
        words = [(w["word"], w["char_start"], w["char_end"]) for w in turn.words[0]]
        assert ("K8s", 7, 10) in words and turn.texts == ["We run K8s here."]


def test_a_context_speaks_with_its_sessions_dictionaries(server, rest):
    dictionary = make(rest)
    add(rest, dictionary, "SQL", "sequel")
    with MultiClient(server) as client, Client(server) as other:
        client.send({"text": "My SQL.", "context_id": "a", "flush": True,
                     "dictionary_ids": [dictionary], "voice_settings": {"voice_id": 1}})
        client.send({"close_context": True, "context_id": "a"})
        context = client.read_closed("a")
        assert context.audio == audio(other, "My sequel.", dictionary_ids=[])


def test_an_unknown_id_is_told_before_any_audio_and_costs_nothing(server, rest):
    known = make(rest)
    with Client(server) as client:
        client.send({"text": "Hello.", "voice_id": 1, "flush": True,
                     "dictionary_ids": [known, 4711]})
        frame = client.expect_error(400, "VALIDATION_ERROR")
        assert "4711" in frame["error"]
        assert client.receive()["session_closed"]
        assert client.speak("Hello.", dictionary_ids=[known]).samples > 0
        client.send({"dictionary_ids": list(range(51))})
        assert "50" in client.expect_error(400, "VALIDATION_ERROR")["error"]


def test_another_project_in_a_message_is_refused_only_with_ids(server, rest):
    add(rest, make(rest), "SQL", "sequel")
    with Speaker(server) as speaker:
        assert speaker.says("My SQL.", as_if="My SQL.", project_id=2)
        assert speaker.says("My SQL.", as_if="My SQL.", dictionary_ids=[])
        speaker.client.send({"text": "My SQL.", "flush": True, "dictionary_ids": [1]})
        speaker.client.expect_error(403, "UNAUTHORIZED")
        assert speaker.client.receive()["session_closed"]
        assert speaker.says("My SQL.", as_if="My sequel.", project_id=1, dictionary_ids=[1])


def test_normalize_shows_what_would_be_said(rest):
    status, body = rest.post("/normalize", {"text": "Pay €5 <break time=\"1s\"/> now."})
    assert status == 200
    assert set(body) == {"text", "language", "time_ms"} and body["language"] == "en"
    assert body["text"].startswith("Pay five euros") and body["text"].endswith("now.")
    body = rest.must(200, rest.post("/normalize", {"text": "5 €", "language": "de-DE"}))
    assert (body["text"], body["language"]) == ("fünf Euro", "de")
    for bad in ({}, {"text": ""}, {"text": "x" * 10001}, {"text": 5}, {"text": "5", "voice": 1},
                {"text": "5", "language": "xx"}, {"text": "<prosody rate=\"slow\">5"}):
        assert rest.post("/normalize", bad)[0] == 400, bad
    assert rest.post("/normalize", {"text": "7 " * 5000})[0] == 200


# What survives


def test_everything_is_there_after_a_restart(start_server):
    server = start_server()
    with Rest(server) as rest:
        dictionary = make(rest, "kept", description="words", language="en")
        add(rest, dictionary, "SQL", "sequel")
        add(rest, dictionary, "Köln", "Cologne", ipa="kœln", case_sensitive=True)
        before = [rest.get("/dictionaries"), rest.get(f"/dictionaries/{dictionary}/entries")]
    server.stop()
    again = start_server(data=server.data)
    with Rest(again) as rest, Speaker(again) as speaker:
        assert before == [rest.get("/dictionaries"),
                          rest.get(f"/dictionaries/{dictionary}/entries")]
        assert speaker.says("My SQL.", as_if="My sequel.")


def test_puts_at_the_same_time_leave_one_of_them_whole(server, rest):
    dictionary = make(rest)
    path = f"/dictionaries/{dictionary}/entries"
    lists = [[{"word": f"w{i}", "replacement": f"said {n}"} for i in range(200)]
             for n in range(6)]
    answers = []

    def put(entries):
        with Rest(server) as own:
            for _ in range(3):
                answers.append(own.put(path, {"entries": entries}))

    threads = [threading.Thread(target=put, args=(entries,)) for entries in lists]
    for thread in threads:
        thread.start()
    with Client(server) as client:  # and somebody speaks meanwhile
        assert client.speak("Hello there.", voice_id=1).samples > 0
    for thread in threads:
        thread.join()
    assert answers == [(200, {"upserted": 200, "deleted": 0, "total": 200})] * 18
    entries = rest.must(200, rest.get(path + "?limit=500"))["entries"]
    assert len({entry["replacement"] for entry in entries}) == 1 and len(entries) == 200
    with Speaker(server) as speaker:  # what is in memory is what is in the store
        assert speaker.says("Say w7.", as_if=f"Say {entries[7]['replacement']}.")


def test_a_server_killed_in_a_put_has_the_old_list_or_the_new_one(start_server, tmp_path):
    directory = tmp_path / "killed"
    data = directory / "data"
    dictionary = None
    for round in range(6):
        (directory / str(round)).mkdir(parents=True)
        server = Server(directory / str(round), data=data)
        with Rest(server) as rest:
            dictionary = dictionary or make(rest)
            path = f"/dictionaries/{dictionary}/entries"
            for n in range(round + 1):
                rest.must(200, rest.put(path, {"entries": [
                    {"word": f"w{i}", "replacement": f"{round}.{n}"} for i in range(2000)]}))
            body = json.dumps({"entries": [{"word": f"w{i}", "replacement": "cut off"}
                                           for i in range(2000)]})
            rest.connection.request("PUT", "/v1" + path, body=body,
                                    headers={"Authorization": "Bearer " + server.key})
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
    again = start_server(data=data)
    with Rest(again) as rest:
        said = set()
        for offset in range(0, 2000, 500):
            body = rest.must(200, rest.get(f"{path}?limit=500&offset={offset}"))
            assert body["total"] == 2000
            said |= {entry["replacement"] for entry in body["entries"]}
        assert said in ({"5.5"}, {"cut off"})


def test_another_server_on_the_same_data_hears_of_changes(start_server):
    first = start_server()
    second = start_server(data=first.data)
    with Rest(second) as rest, Client(first) as client, Client(second) as other:
        old = audio(other, "My SQL.", dictionary_ids=[])
        new = audio(other, "My sequel.", dictionary_ids=[])
        assert audio(client, "My SQL.") == old
        add(rest, make(rest), "SQL", "sequel")
        heard = audio(client, "My SQL.")
        while heard != new:  # within a second or so; the test's timeout ends it otherwise
            assert heard == old
            heard = audio(client, "My SQL.")


def test_a_hand_in_the_database_is_heard_after_invalidate(server, rest):
    dictionary = make(rest)
    add(rest, dictionary, "SQL", "sequel")
    with Speaker(server) as speaker:
        assert speaker.says("My SQL.", as_if="My sequel.")
        with sqlite3.connect(server.data / "syrinx.db") as database:
            database.execute("UPDATE entry SET replacement = 'squeal'")
        assert rest.post("/dictionaries/1/invalidate") == (204, None)
        assert speaker.says("My SQL.", as_if="My squeal.")
    assert rest.post("/dictionaries/99/invalidate") == (204, None)


# The tables of the first version that was released, with the columns that are read of them.
FIRST_SCHEMA = """
    CREATE TABLE key (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL UNIQUE, hash BLOB NOT NULL,
     name TEXT NOT NULL, credit_cents INTEGER NOT NULL, streams_max INTEGER NOT NULL,
     created_ms INTEGER NOT NULL, revoked_ms INTEGER NOT NULL) STRICT;
    CREATE TABLE turn (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
     key_id INTEGER REFERENCES key (id), at_ms INTEGER NOT NULL, status TEXT NOT NULL,
     samples INTEGER NOT NULL, sample_rate INTEGER NOT NULL, characters INTEGER NOT NULL,
     voice_id INTEGER NOT NULL, model_id TEXT NOT NULL, amount_microcents INTEGER NOT NULL) STRICT;
    CREATE TRIGGER turn_is_never_changed BEFORE UPDATE ON turn
     BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
    CREATE TRIGGER turn_is_never_deleted BEFORE DELETE ON turn
     BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
    CREATE TRIGGER turn_is_never_replaced BEFORE INSERT ON turn
     WHEN EXISTS (SELECT 1 FROM turn WHERE id = NEW.id OR seq = NEW.seq)
     BEGIN SELECT RAISE(IGNORE); END;
    PRAGMA user_version = 1;"""


def test_keys_and_dictionaries_of_an_older_program_are_taken_over(start_server):
    server = start_server()
    server.stop()
    file = server.data / "syrinx.db"
    with sqlite3.connect(file) as database:
        keys = database.execute("SELECT id, prefix, hash, name, -1, -1, created_ms, revoked_ms "
                                "FROM key").fetchall()
    for left in server.data.glob("syrinx.db*"):
        left.unlink()
    with sqlite3.connect(file) as database:
        database.executescript(FIRST_SCHEMA)
        database.executemany("INSERT INTO key VALUES (?, ?, ?, ?, ?, ?, ?, ?)", keys)
    again = start_server(data=server.data)
    assert again.key == server.key
    with Rest(again) as rest, Speaker(again) as speaker:
        add(rest, make(rest), "SQL", "sequel")
        assert speaker.says("My SQL.", as_if="My sequel.")
        assert rest.post("/normalize", {"text": "5"})[0] == 200  # the local key is an admin's
