"""Voices and models over REST: the catalogue, and what other vendors' clients see of it."""

import json

import pytest
from rest import Rest

INFO = {"id", "voice_id", "handle", "public_id", "name", "description", "category", "sex", "age",
        "quality", "supported_languages", "sample_url", "avatar_url", "is_public"}
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
    assert ids == sorted(set(ids)) and {1071, 1072} <= set(ids)
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
    ("category=loud", "category"), ("include_public=maybe", "include_public")])
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
        refused(stranger.get("/voices"), 403, "UNAUTHORIZED", "Forbidden")
        refused(stranger.get("/voices/1071"), 403, "UNAUTHORIZED", "Forbidden")
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
        assert {"eleven_multilingual_v2", "eleven_flash_v2_5"} <= {m["model_id"] for m in models}
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
        status, body = vendor(rest, "/v1/voices/21m00Tcm4TlvDq8ikWAM", root)
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


def test_what_elevenlabs_clients_ask_when_they_start(rest):
    for root in ("", "/11labs"):
        status, user = vendor(rest, "/v1/user", root)
        assert status == 200 and user["subscription"]["status"] == "active"
        assert vendor(rest, "/v1/user/subscription", root) == (200, user["subscription"])
        status, history = vendor(rest, "/v1/history", root)
        assert status == 200 and history["history"] == [] and history["has_more"] is False
    with Rest(rest.server, root="/11labs") as connection:
        assert connection.must(200, connection.get("/health")) == {"status": "healthy"}
