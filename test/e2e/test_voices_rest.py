"""Voices and models over REST: the catalogue, and what other vendors' clients see of it."""

import array
import io
import json
import time
import sqlite3
import wave

import pytest
from client import Client, Turn, is_speech
from program import syrinx, wait_until
from rest import Rest

SETTINGS = {"speech.workers": 1}  # one caller at a time

INFO = {"id", "voice_id", "handle", "public_id", "name", "description", "category", "sex", "age",
        "quality", "supported_languages", "sample_url", "avatar_url", "is_public", "availability"}
DETAIL = INFO | {"generative_voice_description", "verified", "pending_verification", "sample_text"}
CATEGORIES = {"premade", "cloned", "designed", "conversational", "narrative", "narrative_story",
              "characters", "characters_animation", "social_media", "entertainment_tv",
              "advertisement", "informative_educational"}


@pytest.fixture
def rest(server):
    with Rest(server) as connection:
        yield connection


def vendor(rest, path, root=""):
    """What a client that carries its key as ElevenLabs' do gets."""
    connection = Rest(rest.server, root=root)
    connection.key = None
    with connection:
        status, body = connection.raw("GET", path, headers={"xi-api-key": rest.server.key})
        return status, json.loads(body)


def refused(answer, code, error_code, text):
    status, body = answer
    assert status == code == body["code"], answer
    assert body["error_code"] == error_code and text in body["error"], answer


# The catalogue


def test_voices_are_listed_in_pages(rest):
    page = rest.must(200, rest.get("/voices"))
    assert set(page) >= {"voices", "total", "limit", "offset"}
    assert page["limit"] == 20 and page["offset"] == 0 and len(page["voices"]) == 20
    assert page["total"] > 78  # two for each language that clients can name
    everything = []
    while len(everything) < page["total"]:
        more = rest.must(200, rest.get(f"/voices?limit=100&offset={len(everything)}"))
        assert more["total"] == page["total"] and more["voices"]
        everything += more["voices"]
    ids = [voice["id"] for voice in everything]
    assert ids[-2:] == [1, 2]  # those that hum come last: clients take the first
    assert ids[:-2] == sorted(set(ids[:-2])) and {1071, 1072} <= set(ids)
    handles = [voice["handle"] for voice in everything]
    assert len(set(handles)) == len(handles)
    assert rest.must(200, rest.get(f"/voices?offset={page['total']}"))["voices"] == []


def test_a_voice_has_the_words_that_clients_know(rest):
    for voice in rest.must(200, rest.get("/voices?limit=100"))["voices"]:
        assert set(voice) == INFO
        assert isinstance(voice["id"], int) and voice["id"] == voice["voice_id"]
        assert voice["category"] in CATEGORIES and voice["quality"] in ("low", "mid", "high")
        assert voice["sex"] in ("male", "female", None) and voice["age"] is None
        assert all(isinstance(code, str) for code in voice["supported_languages"])


def test_engine_and_licence_are_shown_on_request(rest):
    voices = rest.must(200, rest.get("/voices?limit=100&include_engine=true"))["voices"]
    assert all(set(voice) == INFO | {"engine", "licence"} for voice in voices)
    assert {"espeak", "flite"} <= {voice["engine"] for voice in voices}


def test_lists_are_filtered(rest):
    german = rest.must(200, rest.get("/voices?language=de-DE&limit=100"))
    assert {2001, 2002} <= {voice["id"] for voice in german["voices"]}
    assert all(voice["supported_languages"] == ["de"] for voice in german["voices"])
    assert german["total"] == len(german["voices"])
    everything = rest.must(200, rest.get("/voices"))["total"]
    assert rest.must(200, rest.get("/voices?category=premade"))["total"] == everything
    assert rest.must(200, rest.get("/voices?category=cloned"))["total"] == 0
    assert rest.must(200, rest.get("/voices?include_public=false"))["total"] == 0


@pytest.mark.parametrize("query, name", [
    ("limit=0", "limit"), ("limit=101", "limit"), ("limit=x", "limit"), ("limit=", "limit"),
    ("offset=-1", "offset"), ("offset=1e3", "offset"), ("offset=99999999999999999999", "offset"),
    ("language=1", "language"), ("language=e", "language"), ("language=%ff", "language"),
    ("category=loud", "category"), ("include_public=maybe", "include_public"),
    ("include_engine=maybe", "include_engine")])
def test_a_bad_query_is_refused_by_its_name(rest, query, name):
    refused(rest.get("/voices?" + query), 400, "VALIDATION_ERROR", name)


def test_one_voice_by_id_and_by_handle(rest):
    voice = rest.must(200, rest.get("/voices/1071"))
    assert set(voice) == DETAIL and voice["id"] == 1071 and voice["name"] == "Sally"
    assert voice["is_public"] is True and voice["verified"] is False
    assert rest.must(200, rest.get("/voices/" + voice["handle"])) == voice
    assert rest.must(200, rest.get("/voices/german-female"))["id"] == 2002


@pytest.mark.parametrize("name", ["0", "7", "99999999999999999999", "-1", "nobody", "%00", "%ff"])
def test_a_voice_that_is_not_there_is_not_found(rest, name):
    status, body = rest.get("/voices/" + name)
    assert status in (400, 404), body  # %00 is refused before anyone looks
    if status == 404:
        refused((status, body), 404, "NOT_FOUND", "Voice not found")


def test_head_has_no_body(rest):
    for path in ("/voices", "/voices/1071", "/models"):
        status, body = rest.raw("HEAD", path)
        assert status == 200 and body == b"" and int(rest.headers["content-length"]) > 0


def test_keys_are_asked_for_where_they_must_be(server):
    with Rest(server, key="ka_none") as stranger:
        refused(stranger.get("/voices"), 401, "UNAUTHORIZED", "Invalid API key")
        refused(stranger.get("/voices/1071"), 401, "UNAUTHORIZED", "Invalid API key")
        stranger.key = None  # and now as a client of ElevenLabs
        status, body = stranger.raw("GET", "/voices", headers={"xi-api-key": "no"})
        assert status == 401 and json.loads(body)["detail"]["status"] == "invalid_api_key"
    nobody = Rest(server)
    nobody.key = None
    with nobody:
        refused(nobody.get("/voices"), 401, "UNAUTHORIZED", "Unauthorized")
        assert nobody.get("/models")[0] == 200


# Models


def test_models_in_two_vendors_keys(rest):
    models = rest.must(200, rest.get("/models"))
    assert "kugel-3" in [model["id"] for model in models["models"]]
    for model in models["models"]:
        assert model["id"] == model["model_id"] and model["name"]
        assert model["max_input_length"] == 10000 and model["sample_rate"] == 24000
    assert models["object"] == "list"
    assert {"tts-1", "tts-1-hd", "gpt-4o-mini-tts"} <= {model["id"] for model in models["data"]}
    for model in models["data"]:
        assert set(model) == {"id", "object", "created", "owned_by"}
        assert model["object"] == "model" and isinstance(model["created"], int)


# ElevenLabs' shapes


def test_elevenlabs_models_are_a_bare_list(rest):
    for path, root in (("/v1/models", "/11labs"), ("/v1/models", "")):
        status, models = vendor(rest, path, root)
        assert status == 200 and isinstance(models, list)
        assert {"eleven_v3", "eleven_multilingual_v2", "eleven_flash_v2_5"} <= {
            m["model_id"] for m in models}
        spoken = {language["language_id"] for language in models[0]["languages"]}
        assert {"en", "de", "yue"} <= spoken and len(spoken) == 39
        assert [language["name"] for m in models if m["model_id"] == "eleven_flash_v2"
                for language in m["languages"]] == ["English"]
        assert {m["max_characters_request_subscribed_user"] for m in models} == {10000}
        assert all(m["can_do_text_to_speech"] is True and m["can_be_finetuned"] is False
                   for m in models)


def test_elevenlabs_voices_have_string_ids(rest):
    for root in ("", "/11labs"):
        status, body = vendor(rest, "/v1/voices", root)
        assert status == 200
        voices = {voice["voice_id"]: voice for voice in body["voices"]}
        assert voices["1071"]["name"] == "Sally" and voices["1071"]["category"] == "premade"
        assert voices["1071"]["labels"] == {"language": "en", "gender": "female"}
        assert vendor(rest, "/v1/voices/1071", root) == (200, voices["1071"])
        assert vendor(rest, "/v1/voices/21m00Tcm4TlvDq8ikWAM", root) == (200, voices["1071"])
        assert "21m00Tcm4TlvDq8ikWAM" not in voices
        status, body = vendor(rest, "/v1/voices/21m00Tcm4TlvDq8ikWAX", root)
        assert status == 404 and body["detail"]["status"] == "voice_not_found"
        assert body["detail"]["message"]


def test_elevenlabs_voices_are_searched_in_pages(rest):
    status, body = vendor(rest, "/v2/voices?page_size=100&search=german")
    assert status == 200 and body["has_more"] is False and body["next_page_token"] is None
    assert {"2001", "2002"} <= {voice["voice_id"] for voice in body["voices"]}
    status, first = vendor(rest, "/v2/voices?page_size=2", "/11labs")
    assert len(first["voices"]) == 2 and first["has_more"] is True and first["total_count"] > 78
    status, second = vendor(rest, "/v2/voices?page_size=2&next_page_token="
                            + first["next_page_token"])
    assert len(second["voices"]) == 2
    assert not {v["voice_id"] for v in first["voices"]} & {v["voice_id"] for v in second["voices"]}
    status, body = vendor(rest, "/v2/voices?page_size=1000")
    assert status in (400, 422) and body["detail"]


def searched(rest, query, root=""):
    status, body = vendor(rest, "/v2/voices?page_size=100&" + query, root)
    assert status == 200, body
    assert body["total_count"] >= len(body["voices"])
    return [voice["voice_id"] for voice in body["voices"]]


def test_elevenlabs_voices_are_filtered_and_sorted(rest):
    zoe = str(derive(rest, "Zoe")["id"])
    adam = str(derive(rest, "adam", sex="male", age="old")["id"])
    assert searched(rest, "voice_ids=1072&voice_ids=1071&voice_ids=7") == ["1071", "1072"]
    assert searched(rest, "voice_ids=21m00Tcm4TlvDq8ikWAM", "/11labs") == ["1071"]
    assert searched(rest, "voice_ids=" + "x" * 500) == []
    for category, voices in (("generated", [zoe, adam]), ("cloned", []), ("professional", [])):
        assert searched(rest, "category=" + category) == voices
    assert zoe not in searched(rest, "category=premade")
    for kind in ("personal", "workspace", "non-default", "non-community", "saved"):
        assert searched(rest, "voice_type=" + kind) == [zoe, adam]
    assert searched(rest, "voice_type=community") == searched(rest, "collection_id=x") == []
    assert "1071" in searched(rest, "voice_type=default")
    own = "voice_type=personal&"
    assert searched(rest, own + "sort=name") == [adam, zoe]
    assert searched(rest, own + "sort=name&sort_direction=desc") == [zoe, adam]
    assert searched(rest, own + "sort=created_at_unix") == [zoe, adam]
    assert searched(rest, own + "sort=created_at_unix&sort_direction=desc") == [adam, zoe]
    assert searched(rest, own + "gender=male&age=old&language=en") == [adam]
    assert searched(rest, own + "search=ZO") == [zoe]
    assert searched(rest, "search=OLD") == [adam]
    names = [voice["name"] for voice in
             vendor(rest, "/v2/voices?page_size=100&voice_ids=1071&voice_ids=1072&sort=name"
                    "&voice_ids=2003")[1]["voices"]]
    assert len(names) == 3 and names == sorted(names, key=str.lower)
    status, body = vendor(rest, "/v2/voices?include_total_count=false&page_size=1")
    assert status == 200 and body["total_count"] == 0 and body["has_more"] is True


@pytest.mark.parametrize("order", ["", "sort_direction=desc", "sort=name",
                                   "sort=name&sort_direction=desc",
                                   "sort=created_at_unix&sort_direction=desc"])
def test_voices_for_tests_are_last_in_every_order(rest, order):
    mine = str(derive(rest, "Zoe")["id"])
    tones = {"1", "2"}
    found = searched(rest, f"{order}&" + "".join(f"voice_ids={i}&" for i in ("1", "2", "1071", mine)))
    assert len(found) == 4 and set(found[2:]) == tones


def test_voices_for_tests_are_last_for_programs_with_openais_api(rest):
    ids = [voice["id"] for voice in rest.must(200, rest.get("/audio/voices"))["voices"]]
    assert ids[-2:] == ["1", "2"]


@pytest.mark.parametrize("query", [
    "sort=age", "sort_direction=up", "voice_type=mine", "category=x", "page_size=0",
    "next_page_token=x", "include_total_count=maybe", "voice_ids=%zz",
    "&".join(["voice_ids=1"] * 101)])
def test_elevenlabs_bad_searches_are_refused(rest, query):
    status, body = vendor(rest, "/v2/voices?" + query)
    assert status == 422 and body["detail"]["status"] == "invalid_request"
    assert query.split("=")[0] in body["detail"]["message"]


def test_elevenlabs_settings_of_voices(rest):
    usual = {"stability": 0.5, "similarity_boost": 0.75, "style": 0, "use_speaker_boost": True,
             "speed": 1}
    mine = derive(rest, rate=1.1)["id"]
    for root in ("", "/11labs"):
        assert vendor(rest, "/v1/voices/settings/default", root) == (200, usual)
        assert vendor(rest, "/v1/voices/1071/settings", root) == (200, usual)
        assert vendor(rest, "/v1/voices/EXAVITQu4vr4xnSDxMaL/settings", root) == (200, usual)
        assert vendor(rest, f"/v1/voices/{mine}/settings", root) == (200, usual | {"speed": 1.1})
        status, body = vendor(rest, "/v1/voices/nobody/settings", root)
        assert status == 404 and body["detail"]["status"] == "voice_not_found"
    status, voice = vendor(rest, f"/v1/voices/{mine}")
    assert voice["settings"] == usual | {"speed": 1.1} and voice["created_at_unix"] > 1e9
    assert [row["language"] for row in voice["verified_languages"]] == ["en"]


def test_elevenlabs_settings_are_changed_where_that_has_an_effect(rest):
    mine = derive(rest)["id"]

    def edit(voice, body, root=""):
        connection = Rest(rest.server, root=root)
        connection.key = None
        with connection:
            status, answer = connection.raw("POST", f"/v1/voices/{voice}/settings/edit",
                                            json.dumps(body), {"xi-api-key": rest.server.key})
            return status, json.loads(answer)

    assert edit(mine, {"stability": 0.1, "speed": 0.9}) == (200, {"status": "ok"})
    assert rest.get(f"/voices/{mine}")[1]["rate"] == 0.9
    assert edit(mine, {"stability": 0.7}, "/11labs") == (200, {"status": "ok"})
    assert vendor(rest, f"/v1/voices/{mine}/settings")[1]["speed"] == 0.9
    status, body = edit(mine, {"speed": 2})
    assert status == 422 and "speed" in body["detail"]["message"]
    status, body = edit(1071, {"speed": 0.9})
    assert status == 403 and body["detail"]["status"] == "missing_permissions"
    assert "catalogue" in body["detail"]["message"]
    status, body = edit("nobody", {})
    assert status == 404 and body["detail"]["status"] == "voice_not_found"


def test_elevenlabs_usage_is_that_of_the_ledger(rest):
    today = int(time.time()) // 86400 * 86400000
    range_ = f"start_unix={today - 86400000}&end_unix={today + 86399999}"
    said(rest.server, 1, "Twelve chars")
    for root in ("", "/11labs"):
        status, body = vendor(rest, "/v1/usage/character-stats?" + range_, root)
        assert status == 200, body
        assert body == {"time": [today - 86400000, today], "usage": {"All": [0, 12]}}
    for query in ("", "start_unix=5", "start_unix=9&end_unix=8", "start_unix=1&end_unix=99999999999",
                  range_ + "&breakdown_type=voice", range_ + "&aggregation_interval=hour",
                  range_ + "&metric=minutes_used"):
        status, body = vendor(rest, "/v1/usage/character-stats?" + query)
        assert status == 422 and body["detail"]["status"] == "invalid_request", query
    status, body = vendor(rest, "/v1/history/abc")
    assert status == 404 and body["detail"]["status"] == "not_found"


def test_what_elevenlabs_clients_ask_when_they_start(rest):
    for root in ("", "/11labs"):
        status, user = vendor(rest, "/v1/user", root)
        assert status == 200 and user["subscription"]["status"] == "active"
        assert vendor(rest, "/v1/user/subscription", root) == (200, user["subscription"])
        status, history = vendor(rest, "/v1/history", root)
        assert status == 200 and history["history"] == [] and history["has_more"] is False
    with Rest(rest.server, root="/11labs") as connection:
        assert connection.must(200, connection.get("/health")) == {"status": "healthy"}


# Derived voices


def derive(rest, name="Mine", base=2003, **fields):
    return rest.must(201, rest.post("/voices", {"name": name, "base_voice_id": base} | fields))


def said(server, voice, text="One two three four five six seven.", **settings):
    """A turn that must be heard."""
    with Client(server) as client:
        turn = client.speak(text, voice_id=voice, **settings)
    assert not turn.errors and turn.samples > 0, turn.errors
    return turn


def pitch(turn):
    """The pitch that most of it has, in Hz, by where a piece is most like itself."""
    rate = 24000
    samples = turn.pcm()
    found = []
    for start in range(0, len(samples) - 2400, 2400):
        piece = samples[start:start + 1600:4]
        if max(map(abs, piece)) < 3000:
            continue
        best = max(range(15, 100), key=lambda lag: sum(
            a * b for a, b in zip(piece, piece[lag:])) / (len(piece) - lag))
        found.append(rate / 4 / best)
    return sorted(found)[len(found) // 2]


def test_a_voice_is_derived_changed_and_removed(server, rest):
    made = derive(rest, "Käthe", "german-female", pitch=-3.5, rate=1.25, variant="f3",
                  description="deep", sex="female", age="old", category="narrative",
                  quality="mid", supported_languages=["de-DE", "en", "de"], is_public=False,
                  sample_text="Guten Tag.", generative_voice_description="by hand")
    assert set(made) == DETAIL | {"base_voice_id", "pitch", "rate", "variant"}
    assert made["id"] == made["voice_id"] == 100000
    expected = {"name": "Käthe", "base_voice_id": 2002, "pitch": -3.5, "rate": 1.25,
                "variant": "f3", "description": "deep", "sex": "female", "age": "old",
                "category": "narrative", "quality": "mid", "supported_languages": ["de", "en"],
                "is_public": False, "sample_text": "Guten Tag.",
                "generative_voice_description": "by hand", "sample_url": None}
    assert expected.items() <= made.items()
    assert rest.get("/voices/100000") == (200, made)
    assert rest.get("/voices/" + made["handle"]) == (200, made)
    said(server, 100000, "Guten Tag.")

    changed = rest.must(200, rest.patch("/voices/100000", {"name": "Karl", "variant": None,
                                                           "sex": None, "rate": 1}))
    assert changed == made | {"name": "Karl", "variant": None, "sex": "female", "rate": 1,
                              "handle": "karl-100000"}
    assert rest.must(200, rest.patch("/voices/100000", {})) == changed
    mine = rest.must(200, rest.get("/voices?include_public=false"))
    assert mine["total"] == 1 and mine["voices"][0]["name"] == "Karl"
    assert rest.must(200, rest.get("/voices?category=narrative"))["total"] == 1

    assert rest.delete("/voices/100000") == (204, None)
    refused(rest.get("/voices/100000"), 404, "NOT_FOUND", "Voice not found")
    refused(rest.delete("/voices/100000"), 404, "NOT_FOUND", "Voice not found")
    with Client(server) as client:
        client.send(text="Hello.", voice_id=100000)
        client.expect_error(404, "NOT_FOUND")
    assert derive(rest)["id"] == 100001  # an id is never given twice


def test_what_is_not_said_is_the_bases(rest):
    made = derive(rest, "Plain", 2001)
    assert {"sex": "male", "age": None, "category": "designed", "quality": "low", "pitch": 0,
            "rate": 1, "variant": None, "supported_languages": ["de"], "is_public": False,
            "description": None, "sample_text": ""}.items() <= made.items()


def test_the_rate_is_heard_with_and_without_an_engine_of_its_own(server, rest):
    for base in (2003, 1073, 1):  # eSpeak NG, flite, and the tone, which is stretched
        slow, fast = derive(rest, base=base, rate=0.5), derive(rest, base=base, rate=2)
        plain = said(server, base).samples
        assert 1.5 < said(server, slow["id"]).samples / plain < 2.5
        assert 0.4 < said(server, fast["id"]).samples / plain < 0.7
        assert said(server, fast["id"], speed=0.8).samples > said(server, fast["id"]).samples
        said(server, fast["id"], speed=1.2)  # beyond what can be done: the most that can


def test_the_pitch_is_heard(server, rest):
    for base in (2003, 1073):
        plain = pitch(said(server, base))
        high = pitch(said(server, derive(rest, base=base, pitch=6)["id"]))
        low = pitch(said(server, derive(rest, base=base, pitch=-6)["id"]))
        assert 1.2 < high / plain < 1.7, (base, low, plain, high)
        assert 0.6 < low / plain < 0.85, (base, low, plain, high)


def test_variants_sound_different(server, rest):
    audio = {said(server, derive(rest, variant=variant)["id"]).audio
             for variant in (None, "f1", "f4", "m3", "m7", "croak", "whisper")}
    assert len(audio) == 7
    for variant in ("f2", "m8", "klatt", "grandpa"):
        said(server, derive(rest, variant=variant)["id"])


def test_what_an_engine_cannot_do_is_refused_with_those_that_can(rest):
    for fields, name in (({"pitch": 2}, "pitch"), ({"variant": "f1"}, "variant")):
        status, body = rest.post("/voices", {"name": "x", "base_voice_id": 1} | fields)
        refused((status, body), 400, "VALIDATION_ERROR", name)
        assert "espeak" in body["error"] and "tone speaks" in body["error"]
    status, body = rest.post("/voices", {"name": "x", "base_voice_id": 1073, "variant": "f1"})
    assert status == 400 and "espeak" in body["error"] and "voices of: espeak" in body["error"]
    made = derive(rest, base=2003, pitch=2)
    refused(rest.patch(f"/voices/{made['id']}", {"base_voice_id": 1}), 400, "VALIDATION_ERROR",
            "pitch")
    assert rest.patch(f"/voices/{made['id']}", {"base_voice_id": 1, "pitch": 0})[0] == 200


@pytest.mark.parametrize("fields, error", [
    ({"name": ""}, "name"), ({"name": "x" * 201}, "name"), ({"name": 5}, "name"),
    ({"pitch": 13}, "pitch"), ({"pitch": "2"}, "pitch"), ({"rate": 0.4}, "rate"),
    ({"rate": 2.1}, "rate"), ({"variant": "x1"}, "variant"), ({"variant": "../m1"}, "variant"),
    ({"variant": ""}, "variant"), ({"sex": "robot"}, "sex"), ({"age": "ancient"}, "age"),
    ({"category": "x"}, "category"), ({"quality": "best"}, "quality"),
    ({"supported_languages": "de"}, "supported_languages"),
    ({"supported_languages": ["xx"]}, "supported_languages"),
    ({"supported_languages": [1]}, "supported_languages"), ({"is_public": 1}, "is_public"),
    ({"description": "x" * 2001}, "description"), ({"sample_text": []}, "sample_text"),
    ({"base_voice_id": -1}, "base_voice_id"), ({"base_voice_id": []}, "base_voice_id"),
    ({"loudness": 3}, "known")])
def test_a_bad_field_is_refused_and_nothing_changes(rest, fields, error):
    refused(rest.post("/voices", {"name": "x", "base_voice_id": 2003} | fields), 400,
            "VALIDATION_ERROR", error)
    assert rest.must(200, rest.get("/voices?include_public=false"))["total"] == 0
    made = derive(rest)
    refused(rest.patch(f"/voices/{made['id']}", fields), 400, "VALIDATION_ERROR", error)
    assert rest.get(f"/voices/{made['id']}") == (200, made)


def test_bases_must_be_voices_of_the_catalogue(rest):
    refused(rest.post("/voices", {"name": "x", "base_voice_id": 7}), 404, "NOT_FOUND", "Voice")
    refused(rest.post("/voices", {"name": "x", "base_voice_id": "nobody"}), 404, "NOT_FOUND",
            "Voice")
    made = derive(rest)
    refused(rest.post("/voices", {"name": "x", "base_voice_id": made["id"]}), 400,
            "VALIDATION_ERROR", "catalogue")
    refused(rest.post("/voices", {"base_voice_id": 2003}), 400, "VALIDATION_ERROR", "name")
    status, _ = rest.raw("POST", "/voices", b"{\"name\":")
    assert status == 400


def test_null_gives_a_derived_voice_its_bases_sound_again(rest):
    made = derive(rest, "x", 2003, pitch=3, rate=1.5, variant="f2")
    plain = rest.must(200, rest.patch(f"/voices/{made['id']}",
                                      {"pitch": None, "rate": None, "variant": None}))
    assert (plain["pitch"], plain["rate"], plain["variant"]) == (0, 1, None)


def test_voices_of_the_catalogue_cannot_be_changed(rest):
    for method in ("PATCH", "DELETE"):
        refused(rest.ask(method, "/voices/1071", {"name": "x"}), 403, "FORBIDDEN", "catalogue")
    refused(rest.patch("/voices/7", {"name": "x"}), 404, "NOT_FOUND", "Voice not found")


def test_what_needs_cloning_is_not_available(rest):
    mine = f"/voices/{derive(rest)['id']}"
    refused(rest.post("/voices", {"name": "x"}), 501, "VALIDATION_ERROR",
            "Voice management is not available")
    status, body = rest.raw("POST", "/voices", b"--x--", {"Content-Type":
                                                          "multipart/form-data; boundary=x"})
    assert status == 501 and json.loads(body)["error_code"] == "VALIDATION_ERROR"
    for method, path in (("POST", "/references"), ("DELETE", "/references/1"),
                         ("POST", "/publish"), ("PUT", "/avatar")):
        refused(rest.ask(method, mine + path), 501, "VALIDATION_ERROR",
                "Voice management is not available")
    assert rest.get(mine + "/references") == (200, [])
    assert rest.get("/voices/1071/references") == (200, [])
    refused(rest.get("/voices/7/references"), 404, "NOT_FOUND", "Voice not found")


def test_scopes_say_who_may_change_voices(server, rest):
    made = derive(rest)
    for scopes, sees, changes in (("speak", True, False), ("read", True, False),
                                  ("dictionaries", False, False), ("voices", False, True)):
        with Rest(server, server.new_key("--scopes", scopes)) as other:
            assert (other.get(f"/voices/{made['id']}")[0] == 200) is sees
            status, _ = other.post("/voices", {"name": "x", "base_voice_id": 2003})
            assert (status == 201) is changes


def test_the_list_for_openais_clients_respects_scopes(server, rest):
    made = str(derive(rest)["id"])
    for scopes, sees in (("speak", True), ("read", True), ("dictionaries", False),
                         ("voices", False)):
        with Rest(server, server.new_key("--scopes", scopes)) as other:
            ids = {voice["id"] for voice in other.must(200, other.get("/audio/voices"))["voices"]}
            assert "1071" in ids and (made in ids) is sees, scopes


def test_ids_of_elevenlabs_do_not_change_the_voices_that_they_stand_for(start_server):
    server = start_server({"elevenlabs.voices": "theirs:100000"})
    with Rest(server) as rest:
        assert derive(rest)["id"] == 100000
        assert vendor(rest, "/v1/voices/theirs")[1]["voice_id"] == "100000"
        for method, path in (("PATCH", "/voices/theirs"), ("DELETE", "/voices/theirs"),
                             ("POST", "/voices/theirs/settings/edit"),
                             ("POST", "/voices/theirs/generate-sample")):
            assert rest.ask(method, path, {"name": "x"})[0] == 404, method + path
        assert rest.must(200, rest.get("/voices/100000"))["name"] == "Mine"
        rest.must(200, rest.patch("/voices/100000", {"name": "x"}))


def test_voices_belong_to_a_project(server, rest):
    made = syrinx("project", "create", "--name", "other", "--data", server.data)
    assert made.stdout == b"2\n"
    other_key = server.new_key("--project", "2")
    mine = f"/voices/{derive(rest)['id']}"
    with Rest(server, other_key) as other:
        refused(other.get(mine), 404, "NOT_FOUND", "Voice not found")
        refused(other.patch(mine, {"name": "x"}), 404, "NOT_FOUND", "Voice not found")
        assert other.must(200, other.get("/voices?include_public=false"))["total"] == 0
        with Client(server, key=other_key) as client:
            client.send(text="Hello.", voice_id=int(mine[8:]))
            client.expect_error(404, "NOT_FOUND")
        rest.must(200, rest.patch(mine, {"is_public": True}))
        assert other.get(mine)[0] == 200
        with Client(server, key=other_key) as client:
            assert client.speak("Hello.", voice_id=int(mine[8:])).samples > 0
        refused(other.patch(mine, {"name": "x"}), 403, "UNAUTHORIZED", "another project")
        refused(other.delete(mine), 403, "UNAUTHORIZED", "another project")
        theirs = derive(other)
    refused(rest.get(f"/voices/{theirs['id']}"), 404, "NOT_FOUND", "Voice not found")


def test_derived_voices_are_there_after_a_restart(start_server):
    first = start_server()
    with Rest(first) as rest:
        made = derive(rest, pitch=3, rate=1.5)
    first.stop()
    again = start_server(data=first.data)
    with Rest(again, first.key) as rest:
        assert rest.get(f"/voices/{made['id']}") == (200, made)
    with Client(again, key=first.key) as client:
        assert client.speak("Hello.", voice_id=made["id"]).samples > 0


def test_a_turn_keeps_the_voice_that_it_began_with(server, rest):
    made = derive(rest, base=1)
    with Client(server) as client:
        turn = Turn()
        client.send(text="A first sentence is spoken now. ", auto_mode=True, voice_id=made["id"])
        while not turn.audio:
            turn.add(client.receive())
        assert rest.delete(f"/voices/{made['id']}") == (204, None)
        client.send(text="And another one.", flush=True)
        client.read_turn(turn)
        assert not turn.errors and len(turn.texts) == 2 and min(turn.chunk_samples) > 0


def test_a_voice_whose_base_is_gone_is_unavailable(server, rest):
    made = derive(rest)
    with sqlite3.connect(server.data / "syrinx.db") as database:  # as if its engine were removed
        database.execute("UPDATE voice SET base_id = 999")

    def is_seen():
        return rest.get(f"/voices/{made['id']}")[1]["base_voice_id"] == 999
    wait_until(is_seen, "the change by hand")
    with Client(server) as client:
        turn = client.speak("Hello.", voice_id=made["id"])
        assert [error["error_code"] for error in turn.errors] == ["MODEL_UNAVAILABLE"]
        assert turn.errors[0]["code"] == 503 and turn.samples == 0
    assert rest.patch(f"/voices/{made['id']}", {"base_voice_id": 2003})[0] == 200
    said(server, made["id"])


def test_a_sample_is_made_kept_and_served(server, rest):
    made = derive(rest, base=2001)
    mine = f"/voices/{made['id']}"
    refused(rest.get(mine + "/sample"), 404, "NOT_FOUND", "Sample not found")
    refused(rest.get("/voices/1071/sample"), 404, "NOT_FOUND", "Sample not found")
    answer = rest.must(200, rest.post(mine + "/generate-sample"))
    assert set(answer) == {"sample_s3_path", "sample_url"}
    assert answer["sample_url"] == f"/v1{mine}/sample"
    assert rest.must(200, rest.get(mine))["sample_url"] == answer["sample_url"]
    status, body = rest.raw("GET", mine + "/sample")
    assert status == 200 and rest.headers["content-type"] == "audio/wav"
    with wave.open(io.BytesIO(body)) as file:
        assert file.getframerate() == 24000 and file.getnframes() > 24000
        assert is_speech(array.array("h", file.readframes(file.getnframes())))
    assert (server.data / answer["sample_s3_path"]).stat().st_mode & 0o777 == 0o600
    assert len(server.wait_for_ledger(1)) == 1  # it is speech as any other

    rest.must(200, rest.patch(mine, {"description": "not heard"}))
    assert rest.raw("GET", mine + "/sample") == (200, body)
    rest.must(200, rest.patch(mine, {"sample_text": "Kurz."}))  # the old one says something else
    assert rest.must(200, rest.get(mine))["sample_url"] is None
    assert rest.get(mine + "/sample")[0] == 404
    rest.must(200, rest.post(mine + "/generate-sample"))
    status, shorter = rest.raw("GET", mine + "/sample")
    assert status == 200 and len(shorter) < len(body) / 2
    assert rest.raw("HEAD", mine + "/sample") == (200, b"")
    assert rest.delete(mine) == (204, None)
    assert list((server.data / "samples").iterdir()) == []


def test_a_voice_of_the_catalogue_has_a_sample_too(server, rest):
    """It is everybody's: what a project's dictionary makes of it is not heard."""
    rest.must(200, rest.post("/voices/1/generate-sample"))
    status, plain = rest.raw("GET", "/voices/1/sample")
    assert status == 200 and wave.open(io.BytesIO(plain)).getnframes() > 24000
    book = rest.must(201, rest.post("/dictionaries", {"name": "Words"}))
    rest.must(201, rest.post(f"/dictionaries/{book['id']}/entries",
                             {"word": "voice", "replacement": "very long and rude word"}))
    rest.must(200, rest.post("/voices/1/generate-sample"))
    assert rest.raw("GET", "/voices/1/sample") == (200, plain)
    refused(rest.post("/voices/7/generate-sample"), 404, "NOT_FOUND", "Voice not found")
    assert len(server.wait_for_ledger(2)) == 2  # speech as any other


def test_a_derived_voice_reads_in_its_own_language(server, rest):
    german = derive(rest, base=1, language="de-DE")
    assert german["supported_languages"] == ["de"]
    text = "21, 22, 23 and 24."
    read = said(server, 1, text, language="de").samples
    assert said(server, german["id"], text).samples == read != said(server, 1, text).samples
    assert said(server, german["id"], text, language="en").samples != read
    refused(rest.patch(f"/voices/{german['id']}", {"language": "xx"}), 400, "VALIDATION_ERROR",
            "language")


def test_other_doors_know_derived_voices(server, rest):
    made = derive(rest, "Door", rate=1.5)
    status, body = vendor(rest, f"/v1/voices/{made['id']}")
    assert status == 200 and body["voice_id"] == str(made["id"]) and body["name"] == "Door"
    status, body = vendor(rest, "/v2/voices?search=door")
    assert [voice["voice_id"] for voice in body["voices"]] == [str(made["id"])]
    status, body = rest.raw("POST", "/tts/generate", json.dumps(
        {"text": "Hello.", "voice_id": made["id"]}).encode(), {"Content-Type": "application/json"})
    assert status == 200 and len(body) > 10000
