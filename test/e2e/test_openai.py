"""OpenAI's API, as its clients and the programs that can be given another base URL use it."""

import array
import base64
import http.client
import json

import pytest
from client import is_speech, largest_step, loudness, pitch
from decode import decode
from program import WAIT_S
from rest import Rest

SPEECH = "/v1/audio/speech"
TEXT = "The same words at every speed, so that their length can be compared."


@pytest.fixture
def server(shared_server):
    return shared_server


def ask(server, method, path, body=None, key=True, **headers):
    """(status, headers, bytes); `key` False: none, or one that is not ours."""
    key = server.key if key is True else key
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    if key:
        headers["Authorization"] = "Bearer " + key
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    raw = body if isinstance(body, bytes) else body and json.dumps(body).encode()
    connection.request(method, path, raw, headers)
    answer = connection.getresponse()
    got = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    connection.close()
    return got


def heard(server, **body):
    """Samples of 24 kHz."""
    status, _, audio = ask(server, "POST", SPEECH, {
        "model": "tts-1", "input": TEXT, "voice": "1", "response_format": "pcm"} | body)
    assert status == 200, audio
    return array.array("h", audio)


# Speed

@pytest.mark.parametrize("voice", ["1", "1071", "2003"])  # stretched by the server, flite, eSpeak
def test_speed_changes_the_length_without_clicks_or_changes_of_level(server, voice):
    plain = heard(server, voice=voice)
    for speed in (0.25, 0.5, 0.8, 1.5, 2, 4):
        samples = heard(server, voice=voice, speed=speed)
        assert len(samples) * speed / len(plain) == pytest.approx(1, abs=0.06), speed
        assert is_speech(samples)
        assert loudness(samples)[1] == pytest.approx(loudness(plain)[1], rel=0.15), speed
        # A click would be a step that the voice itself does not make.
        assert largest_step(samples) < 1.3 * largest_step(plain), speed


@pytest.mark.parametrize("voice", ["1071", "2003"])
def test_speed_does_not_change_the_pitch(server, voice):
    """Resampled audio would be higher or lower by the whole factor."""
    plain = pitch(heard(server, voice=voice))
    assert 80 < plain < 250
    for speed in (0.25, 0.5, 2, 4):
        assert pitch(heard(server, voice=voice, speed=speed)) == pytest.approx(
            plain, rel=0.15), speed


@pytest.mark.parametrize("voice", ["1", "1071"])
def test_speeds_of_elevenlabs_reach_down_to_their_least(server, voice):
    def samples(speed):
        status, _, audio = ask(
            server, "POST", f"/v1/text-to-speech/{voice}?output_format=pcm_24000",
            {"text": TEXT, "voice_settings": {"speed": speed}})
        assert status == 200
        return len(audio) // 2

    assert samples(0.7) * 0.7 / samples(1) == pytest.approx(1, abs=0.02)


# Voices

@pytest.mark.parametrize("name,voice", [
    ("Alloy", "alloy"), ("ALLOY", "alloy"), ("Sally", "1071"), ("SALLY", "1071"),
    ("German-Female", "2002"), ("german, female", "2002"), (1071, "1071"), ({"id": 1071}, "1071"),
    ({"id": "sally"}, "1071"), (None, "alloy")])
def test_voices_are_found_by_what_people_call_them(server, name, voice):
    if voice == "2002":  # eSpeak NG's samples differ from call to call
        assert is_speech(heard(server, voice=name))
    else:
        assert heard(server, voice=name) == heard(server, voice=voice)


def test_a_request_without_a_voice_has_the_usual_one(server):
    """As programs for LocalAI send it."""
    status, headers, audio = ask(server, "POST", SPEECH, {"input": TEXT, "backend": "x"})
    assert status == 200 and headers["content-type"] == "audio/mpeg" and audio


@pytest.mark.parametrize("voice", ["nobody", "", 999, -1, 1071.5, {"id": "nobody"}])
def test_an_unknown_voice_is_a_bad_value(server, voice):
    status, _, answer = ask(server, "POST", SPEECH, {"input": TEXT, "voice": voice})
    error = json.loads(answer)["error"]
    assert (status, error["param"], error["code"]) == (400, "voice", "voice_not_found")
    assert error["type"] == "invalid_request_error" and "Voice not found" in error["message"]


# Events

def events(raw):
    """(name, data) of each."""
    assert raw.endswith(b"\n\n")
    for block in raw.decode().split("\n\n")[:-1]:
        lines = dict(line.split(": ", 1) for line in block.split("\n"))
        yield lines.get("event"), json.loads(lines["data"])


@pytest.mark.parametrize("form", ["pcm", "mp3", "opus", "aac", "flac", "wav"])
def test_events_carry_the_file(server, form):
    body = {"input": TEXT, "voice": "1", "response_format": form}
    status, headers, raw = ask(server, "POST", SPEECH, body | {"stream_format": "sse"})
    assert status == 200 and headers["content-type"] == "text/event-stream"
    assert headers["cache-control"] == "no-cache"
    *deltas, done = events(raw)
    assert len(deltas) > 1
    assert all(name is None and set(delta) == {"type", "audio"}
               and delta["type"] == "speech.audio.delta" for name, delta in deltas)
    audio = b"".join(base64.b64decode(delta["audio"], validate=True) for _, delta in deltas)
    samples = decode(form, audio, 24000)
    plain = heard(server)
    # An encoder's delay and padding, and decoders that take some of it off again.
    assert -0.01 < (len(samples) - len(plain)) / 24000 < 0.15
    tokens = -(-len(plain) * 1000 // (50 * 24000))
    assert done == (None, {"type": "speech.audio.done", "usage": {
        "input_tokens": len(TEXT), "output_tokens": tokens,
        "total_tokens": len(TEXT) + tokens}})


def test_events_of_a_text_with_nothing_to_say_are_silence(server):
    status, _, raw = ask(server, "POST", SPEECH, {
        "input": "...", "voice": "1", "response_format": "pcm", "stream_format": "sse"})
    *deltas, (_, done) = events(raw)
    assert status == 200
    assert b"".join(base64.b64decode(delta["audio"]) for _, delta in deltas) == bytes(4800)
    assert done["usage"] == {"input_tokens": 3, "output_tokens": 0, "total_tokens": 3}


def test_an_error_before_the_events_has_a_status(server):
    status, headers, raw = ask(server, "POST", SPEECH, {
        "input": "[[fail]]", "voice": "1", "stream_format": "sse"})
    assert status == 500 and headers["content-type"] == "application/json"
    assert json.loads(raw)["error"]["type"] == "server_error"


def test_an_error_among_the_events_is_one_of_them(server):
    status, _, raw = ask(server, "POST", SPEECH, {
        "input": "Good morning. [[fail]]", "voice": "1", "response_format": "pcm",
        "stream_format": "sse"})
    *deltas, (name, last) = events(raw)  # and the answer has a clean end
    assert status == 200 and deltas
    assert name == "error" and set(last) == {"error"}
    assert set(last["error"]) == {"message", "type", "param", "code"}
    assert last["error"]["type"] == "server_error"


# Lists

def test_voices_can_be_listed_without_a_key(server):
    """As Open WebUI does."""
    status, _, answer = ask(server, "GET", "/v1/audio/voices", key=None)
    voices = json.loads(answer)["voices"]
    assert status == 200 and list(json.loads(answer)) == ["voices"]
    assert all(set(voice) == {"id", "name", "language", "gender"} for voice in voices)
    ids = [voice["id"] for voice in voices]
    assert len(ids) == len(set(ids)) > 100 and ids[0] == "alloy"
    assert {"id": "1071", "name": "Sally", "language": "en", "gender": "female"} in voices
    for voice in ids[:13]:
        assert heard(server, input="Hi.", voice=voice)


def test_voices_of_a_project_are_listed_for_its_key_alone(server):
    with Rest(server) as rest:
        mine = rest.must(201, rest.post("/voices", {
            "name": "Mine", "base_voice_id": 1071, "is_public": False}))
        shown = rest.must(201, rest.post("/voices", {
            "name": "Shown", "base_voice_id": 1071, "is_public": True}))

    def ids(**key):
        answer = json.loads(ask(server, "GET", "/v1/audio/voices", **key)[2])
        return {voice["id"] for voice in answer["voices"]}

    derived = {str(mine["id"]), str(shown["id"])}
    assert derived <= ids() and not derived & ids(key=None)
    assert heard(server, input="Hi.", voice="Mine")
    with Rest(server) as rest:
        for voice in derived:
            rest.delete("/voices/" + voice)


def test_models_can_be_listed_and_looked_up_without_a_key(server):
    status, _, answer = ask(server, "GET", "/v1/audio/models", key=None)
    models = json.loads(answer)["models"]
    assert status == 200 and {"id": "tts-1", "name": "tts-1"} in models
    for model in models:
        status, _, answer = ask(server, "GET", "/v1/models/" + model["id"], key=None)
        found = json.loads(answer)
        assert status == 200 and found["id"] == model["id"] and found["object"] == "model"
        assert set(found) == {"id", "object", "created", "owned_by"}
        assert found in json.loads(ask(server, "GET", "/v1/models", key=None)[2])["data"]


KEYLESS = ["/v1/models", "/v1/models/tts-1", "/v1/audio/models", "/v1/audio/voices",
           "/11labs/v1/models"]


@pytest.mark.parametrize("path", KEYLESS)
def test_a_wrong_key_is_refused_where_none_is_needed(server, path):
    """Programs call these to check a key."""
    assert ask(server, "GET", path, key=None)[0] == 200
    assert ask(server, "GET", path)[0] == 200
    assert ask(server, "GET", path, key="sk-wrong")[0] == 401
    assert ask(server, "GET", path, key=None, X_API_Key="ka_wrong")[0] == 401
    assert ask(server, "GET", path, key=None, xi_api_key="wrong")[0] == 401
    assert ask(server, "HEAD", path, key=None)[0] == 200


def test_pages_may_read_the_lists(server):
    origin = f"http://127.0.0.1:{server.port}"
    for path in KEYLESS:
        _, headers, _ = ask(server, "GET", path, key=None, Origin=origin)
        assert headers["access-control-allow-origin"] == origin


# Errors

@pytest.mark.parametrize("method,path,key,status,code", [
    ("POST", "/v1/audio/translations", True, 404, "unknown_url"),
    ("GET", "/v1/audio/transcriptions", True, 405, "method_not_supported"),
    ("GET", "/v1/audio", True, 404, "unknown_url"),
    ("GET", "/v1/audio/speech", True, 405, "method_not_supported"),
    ("POST", "/v1/audio/voices", True, 405, "method_not_supported"),
    ("POST", "/v1/audio/speech", None, 401, "invalid_api_key"),
    ("POST", "/v1/audio/speech", "sk-wrong", 401, "invalid_api_key"),
    ("GET", "/v1/models", "sk-wrong", 401, "invalid_api_key"),
    ("DELETE", "/v1/models/tts-1", True, 405, "method_not_supported"),
    ("GET", "/v1/models/gpt-9", True, 404, "model_not_found"),
    ("GET", "/v1/models/tts-1/x", True, 404, "unknown_url"),
    ("POST", "/v1/chat/completions", True, 404, "unknown_url"),
    ("POST", "/v1/responses", True, 404, "unknown_url"),
    ("POST", "/audio/speech", True, 404, "unknown_url")])
def test_errors_are_openais(server, method, path, key, status, code):
    got, _, answer = ask(server, method, path, key=key)
    error = json.loads(answer)["error"]
    assert (got, error["code"]) == (status, code)
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error" and error["message"]


@pytest.mark.parametrize("path", ["/v1/models/gpt-9", "/v1/audio/nothing"])
def test_elevenlabs_clients_read_their_own_errors(server, path):
    status, _, answer = ask(server, "GET", path, key=None, xi_api_key=server.key)
    assert status == 404 and json.loads(answer)["detail"]["status"]


def test_kugelaudios_clients_read_their_own_errors(server):
    """They list models too, and send X-API-Key beside the bearer."""
    status, _, answer = ask(server, "GET", "/v1/models", key="ka_wrong", X_API_Key="ka_wrong")
    answer = json.loads(answer)
    assert (status, answer["error_code"], answer["code"]) == (401, "UNAUTHORIZED", 401)
    assert isinstance(answer["error"], str)


def test_kugelaudios_clients_can_read_what_is_missing(server):
    """Their SDKs show `error` as the message."""
    path = "/v1/audio/enhance"
    status, _, answer = ask(server, "POST", path, b"--x--", X_API_Key=server.key)
    answer = json.loads(answer)
    assert (status, answer["error_code"]) == (404, "NOT_FOUND")
    assert isinstance(answer["error"], str)
    assert "message" in json.loads(ask(server, "POST", path, b"--x--")[2])["error"]


def test_other_unknown_paths_have_the_native_shape(server):
    status, _, answer = ask(server, "GET", "/v1/nothing")
    assert status == 404 and json.loads(answer)["error_code"] == "NOT_FOUND"
