"""ElevenLabs' pronunciation dictionaries: the project's dictionaries in their shape."""

import json

import pytest
from rest import Rest
from test_elevenlabs_ws import Multi, Stream

ROOT = "/v1/pronunciation-dictionaries"
ALIAS = {"type": "alias", "string_to_replace": "UN", "alias": "United Nations Organisation"}
PHONEME = {"type": "phoneme", "string_to_replace": "tomato", "phoneme": "t\u0259m\u0251\u02d0t\u0259\u028a",
           "alphabet": "ipa"}
PLS = """<?xml version="1.0" encoding="UTF-8"?>
<lexicon version="1.0" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon" alphabet="ipa"
  xml:lang="en-US">
  <!-- two words, one of them with two spellings -->
  <lexeme><grapheme>Apfel</grapheme><grapheme>apfel</grapheme>
    <phoneme>\u02c8apf\u0259l</phoneme></lexeme>
  <lexeme><grapheme>R&amp;D</grapheme><alias>research &lt;and&gt; development</alias></lexeme>
</lexicon>"""


class Eleven(Rest):
    """A client that carries its key as ElevenLabs' do."""

    def __init__(self, server, root=""):
        super().__init__(server, root=root)
        self.xi, self.key = self.key, None

    def raw(self, method, path, body=None, headers=None):
        return super().raw(method, path, body, {"xi-api-key": self.xi} | (headers or {}))

    def add(self, name, rules):
        return self.must(200, self.post(ROOT + "/add-from-rules", {"name": name, "rules": rules}))

    def refused(self, answer, status, words, name="invalid_request"):
        assert answer[0] == status and answer[1]["detail"]["status"] == name, answer
        assert words in answer[1]["detail"]["message"], answer

    def form(self, **fields):
        """A form as browsers and the SDK send it."""
        lines = []
        for name, value in fields.items():
            file = '; filename="x.pls"\r\nContent-Type: text/xml' if name == "file" else ""
            lines.append(f'--x-y\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
                         f"{value}\r\n")
        status, got = self.raw("POST", ROOT + "/add-from-file",
                               ("".join(lines) + "--x-y--\r\n").encode(),
                               {"Content-Type": "multipart/form-data; boundary=x-y"})
        return status, json.loads(got)


@pytest.fixture
def server(shared_server):
    """Without dictionaries."""
    with Rest(shared_server) as native:
        for row in native.get("/dictionaries")[1]["dictionaries"]:
            native.must(200, native.delete(f"/dictionaries/{row['id']}"))
    return shared_server


@pytest.fixture(params=["", "/11labs"])
def eleven(server, request):
    with Eleven(server, request.param) as client:
        yield client


def test_a_dictionary_is_made_changed_and_listed(server, eleven):
    made = eleven.add("Tech", [ALIAS, PHONEME, ALIAS | {"alias": "ignored"}])
    assert made["id"] == str(int(made["id"])) and made["version_rules_num"] == 2
    assert made["name"] == "Tech" and made["created_by"] and made["creation_time_unix"] > 1e9
    path = f"{ROOT}/{made['id']}"
    got = eleven.must(200, eleven.get(path))
    assert got["latest_version_id"] == made["version_id"] and got["latest_version_rules_num"] == 2
    rest = {"case_sensitive": True, "word_boundaries": True}
    assert got["rules"] == [ALIAS | rest, PHONEME | rest]
    with Rest(server) as native:  # and it is one of the project's, for those who name it
        assert native.get(f"/dictionaries/{made['id']}")[1]["is_active"] is False

    more = {"type": "alias", "string_to_replace": "SQL", "alias": "sequel",
            "case_sensitive": False}
    changed = eleven.must(200, eleven.post(path + "/add-rules",
                                           {"rules": [more, ALIAS | {"alias": "U N"}]}))
    assert changed["id"] == made["id"] and changed["version_rules_num"] == 3
    assert changed["version_id"] != made["version_id"]
    rules = {r["string_to_replace"]: r for r in eleven.get(path)[1]["rules"]}
    assert rules["UN"]["alias"] == "U N" and rules["SQL"]["case_sensitive"] is False
    changed = eleven.must(200, eleven.post(path + "/remove-rules",
                                           {"rule_strings": ["UN", "nothing", "UN"]}))
    assert changed["version_rules_num"] == 2
    assert {r["string_to_replace"] for r in eleven.get(path)[1]["rules"]} == {"SQL", "tomato"}
    assert eleven.must(200, eleven.post(path + "/set-rules", {"rules": [ALIAS]}))[
        "version_rules_num"] == 1
    assert eleven.must(200, eleven.post(path + "/set-rules", {"rules": []}))[
        "version_rules_num"] == 0

    renamed = eleven.must(200, eleven.patch(path, {"name": "Other", "archived": False}))
    assert renamed["name"] == "Other" and renamed["archived_time_unix"] is None
    eleven.add("Another", [])
    names = [d["name"] for d in eleven.get(ROOT)[1]["pronunciation_dictionaries"]]
    assert names == ["Another", "Other"]
    first = eleven.must(200, eleven.get(ROOT + "?page_size=1&sort=name&sort_direction=descending"))
    assert [d["name"] for d in first["pronunciation_dictionaries"]] == ["Other"]
    assert first["has_more"] is True
    last = eleven.get(f"{ROOT}?page_size=1&sort=name&sort_direction=DESCENDING"
                      f"&cursor={first['next_cursor']}")[1]
    assert [d["name"] for d in last["pronunciation_dictionaries"]] == ["Another"]
    assert last["has_more"] is False and last["next_cursor"] is None


def test_a_large_dictionary_is_shown_and_downloaded_whole(server):
    """Two bodies of the largest size make one dictionary that is larger than any request."""
    def rules(letter):
        return [{"type": "alias", "string_to_replace": f"{letter}{i:03}", "alias": '"' * 1000}
                for i in range(3000)]

    with Eleven(server) as eleven:
        made = eleven.add("Large", rules("a"))
        path = f"{ROOT}/{made['id']}"
        eleven.must(200, eleven.post(path + "/add-rules", {"rules": rules("b")}))
        got = eleven.must(200, eleven.get(path))["rules"]
        assert len(got) == 6000 and {len(rule["alias"]) for rule in got} == {1000}
        status, text = eleven.raw("GET", f"{path}/1/download")
        assert status == 200 and text.count(b"<lexeme>") == 6000 and b"</lexicon>" in text[-20:]
        assert len(text) > 8 << 20


def test_a_lexicon_file_is_read_and_written(eleven):
    status, made = eleven.form(name="F\u00fcr alle", description="d", workspace_access="admin",
                               file=PLS)
    assert status == 200 and made["version_rules_num"] == 3, made
    assert made["name"] == "F\u00fcr alle" and made["description"] == "d"
    rules = {r["string_to_replace"]: r for r in eleven.get(f"{ROOT}/{made['id']}")[1]["rules"]}
    assert rules["apfel"]["phoneme"] == "\u02c8apf\u0259l" and rules["apfel"]["type"] == "phoneme"
    assert rules["R&D"]["alias"] == "research <and> development"
    status, text = eleven.raw("GET", f"{ROOT}/{made['id']}/{made['version_id']}/download")
    assert status == 200 and eleven.headers["content-type"] == "application/pls+xml"
    text = text.decode()
    assert 'xml:lang="en-US"' in text and "<grapheme>R&amp;D</grapheme>" in text
    status, again = eleven.form(name="Again", file=text)
    assert status == 200 and again["version_rules_num"] == 3
    assert eleven.form(name="Empty")[1]["version_rules_num"] == 0


@pytest.mark.parametrize("file,words", [
    ("hello", "line 1 of the file: it is not XML"), ("", "lexicon"), ("<lexicon>", "lexicon"),
    ("<a/>", "one lexicon element"), ('<!DOCTYPE x [<!ENTITY a "b">]><lexicon/>', "DOCTYPE"),
    ("<lexicon>\n<lexeme><alias>x</alias></lexeme></lexicon>", "line 2 of the file: a lexeme has "
     "no grapheme"),
    ("<lexicon><lexeme><grapheme>x</grapheme></lexeme></lexicon>", "neither phoneme nor alias"),
    ('<lexicon alphabet="cmu-arpabet"><lexeme><grapheme>x</grapheme><phoneme>K</phoneme></lexeme>'
     "</lexicon>", "alphabet"),
    ("<lexicon><lexeme><grapheme>" + "x" * 201 + "</grapheme><alias>y</alias></lexeme></lexicon>",
     "may have 200 characters"),
    ("<lexicon><lexeme><grapheme>&x;</grapheme></lexeme></lexicon>", "reference"),
    ("<lexicon></a>", "does not match"), ("<a>" * 99, "one lexicon element"),
    ("<lexicon>" + "<a>" * 99, "inside each other")])
def test_errors_in_a_file_are_reported(server, file, words):
    with Eleven(server) as eleven:
        eleven.refused(eleven.form(name="Bad", file=file), 422, words)
        assert eleven.get(ROOT)[1]["pronunciation_dictionaries"] == []


@pytest.mark.parametrize("path,body,words", [
    ("/add-from-rules", {"rules": []}, "name is required"),
    ("/add-from-rules", {"name": "x"}, "rules is required"),
    ("/add-from-rules", {"name": "", "rules": []}, "name"),
    ("/add-from-rules", {"name": "x", "rules": [ALIAS, {}]}, "rules[1]: string_to_replace"),
    ("/add-from-rules", {"name": "x", "rules": [ALIAS | {"type": "other"}]}, "type must be one of"),
    ("/add-from-rules", {"name": "x", "rules": [PHONEME | {"alphabet": "arpabet"}]}, "alphabet"),
    ("/add-from-rules", {"name": "x", "rules": [ALIAS | {"word_boundaries": False}]},
     "word_boundaries"),
    ("/add-from-rules", {"name": "x", "rules": [ALIAS | {"alias": " "}]}, "more than blanks"),
    ("/add-from-rules", [], "object"), ("/add-from-file", {"name": "x"}, "form"),
    ("/ID/remove-rules", {"rules": []}, "rule_strings is required"),
    ("/ID/set-rules", {}, "rules is required")])
def test_errors_in_rules_are_reported(server, path, body, words):
    with Eleven(server) as eleven:
        made = eleven.add("Mine", [])
        eleven.refused(eleven.post(ROOT + path.replace("ID", made["id"]), body), 422, words)
        eleven.refused(eleven.patch(f"{ROOT}/{made['id']}", {"archived": True}), 422, "archived")
        eleven.refused(eleven.post(ROOT + "/add-from-rules", {"name": "Mine", "rules": []}), 422,
                       "has this name")
        for query in ("sort=age", "sort_direction=up", "page_size=101", "cursor=x"):
            eleven.refused(eleven.get(f"{ROOT}?{query}"), 422, query.split("=")[0])


def test_a_dictionary_that_is_not_there_is_not_found(eleven):
    for method, path, body in (("GET", "/77", None), ("PATCH", "/77", {"name": "x"}),
                               ("GET", "/77/1/download", None), ("GET", "/abc", None),
                               ("POST", "/77/add-rules", {"rules": []}),
                               ("POST", "/77/set-rules", {"rules": []}),
                               ("POST", "/77/remove-rules", {"rule_strings": []})):
        eleven.refused(eleven.ask(method, ROOT + path, body), 404, "Dictionary not found",
                       "pronunciation_dictionary_not_found")


def test_texts_are_read_with_the_dictionaries_that_they_name(server, eleven):
    made = eleven.add("Words", [ALIAS])
    speech = "/v1/text-to-speech/1071?output_format=pcm_16000"

    def spoken(**more):
        status, audio = eleven.raw("POST", speech, json.dumps({"text": "The UN met.", **more}))
        return status, audio

    plain = spoken()[1]
    named = [{"pronunciation_dictionary_id": made["id"], "version_id": made["version_id"]}]
    status, audio = spoken(pronunciation_dictionary_locators=named)
    assert status == 200 and len(audio) > len(plain) + 10000
    named[0]["version_id"] = "an older one"
    assert spoken(pronunciation_dictionary_locators=named)[1] == audio
    del named[0]["version_id"]
    assert spoken(pronunciation_dictionary_locators=named)[1] == audio
    assert spoken(pronunciation_dictionary_locators=[])[1] == plain
    assert spoken(pronunciation_dictionary_locators=None)[1] == plain
    for unknown in ("77", "abc", ""):
        status, answer = spoken(
            pronunciation_dictionary_locators=[{"pronunciation_dictionary_id": unknown}])
        detail = json.loads(answer)["detail"]
        assert status == 422 and detail["status"] == "invalid_request"
        assert f"no dictionary {unknown}" in detail["message"]
    for wrong in (7, [7], [{}], [{"pronunciation_dictionary_id": 1}], named * 51):
        assert spoken(pronunciation_dictionary_locators=wrong)[0] == 422


@pytest.mark.parametrize("kind", [Stream, Multi])
def test_sockets_take_dictionaries_in_the_first_message(server, kind):
    def spoken(locators):
        more = {} if locators is None else {"pronunciation_dictionary_locators": locators}
        with kind(server, voice=1071) as client:
            client.send(text=" ", **more)
            client.send(text="The UN met. ", flush=True)
            samples = 0
            while True:
                frame = client.receive()
                if "error" in frame:
                    if kind is Stream:
                        client.expect_close(1008)
                    return frame
                samples += len(frame["audio"] or "")
                if frame["alignment"]:
                    return samples

    with Eleven(server) as eleven:
        made = eleven.add("Words", [ALIAS])
    locator = {"pronunciation_dictionary_id": made["id"], "version_id": made["version_id"]}
    assert spoken([locator]) > spoken(None) + 10000
    for unknown in ("77", "abc"):
        refused = spoken([{"pronunciation_dictionary_id": unknown, "version_id": "x"}])
        assert refused["error"] == "invalid_input_message"
        assert f"no dictionary {unknown}" in refused["message"]
