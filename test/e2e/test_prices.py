"""Prices by voice, engine, quality and model, as they are charged; the currency; and a server that has no
prices."""

import json
import re
from fractions import Fraction

import pytest
from client import Client
from multi import MultiClient
from neural import MODEL, put_all, wait_for_voices
from program import syrinx
from rest import Rest
from test_elevenlabs_ws import Stream
from test_engine_in_python import engines, find_voice
from test_http_doors import Door
from test_ws_once import Once

TEXT = "What does it cost?"

# Voices 1 and 2 are spoken by tone, 1071 and 1073 by flite in mid quality, 1074 by flite in low
# quality, 2003 by espeak in low quality.
PRICES = """
    [prices]
    cents_per_minute = 6
    [price flite]
    engine = flite
    cents_per_minute = 12
    [price low]
    quality = low
    cents_per_minute = 18
    [price low-flite]
    engine = flite
    quality = low
    cents_per_minute = 24
    [price old]
    model = kugel-1
    cents_per_minute = 30
    [price old-espeak]
    engine = espeak
    model = kugel-1
    cents_per_minute = 36
    [price second]
    voice = 2
    cents_per_minute = 42
    [price own]
    engine = beep
    cents_per_minute = 48
    """


def assert_charged(row, cents_per_minute):
    exact = Fraction(row["samples"] * cents_per_minute * 1_000_000, row["sample_rate"] * 60)
    assert row["samples"] > 0
    assert row["amount_microcents"] == (exact + Fraction(1, 2)).__floor__(), dict(row)


def test_the_most_specific_price_is_charged(start_server, engines):
    beep = find_voice(engines)
    server = start_server({"speech.engines_dir": engines}, config=PRICES)
    with Rest(server) as rest:
        derived = rest.must(201, rest.post("/voices", {"name": "Mine", "base_voice_id": 1073,
                                                       "quality": "low"}))["id"]
        of_second = rest.must(201, rest.post("/voices", {"name": "His", "base_voice_id": 2}))["id"]
    cases = [(1071, "kugel-3", 12), (1074, "kugel-3", 24), (1, "kugel-3", 18),
             (2003, "kugel-3", 18), (1071, "kugel-1", 12), (1, "kugel-1", 18),
             (2003, "kugel-1", 36), (2, "kugel-3", 42), (2, "kugel-1", 42), (beep, "kugel-3", 48),
             (derived, "kugel-3", 12), (of_second, "kugel-3", 42)]
    with Client(server) as client:
        for voice, model, _ in cases:
            client.speak(TEXT, voice_id=voice, model_id=model)
    for row, (voice, model, cents) in zip(server.wait_for_ledger(len(cases)), cases):
        assert (row["voice_id"], row["model_id"]) == (voice, model)
        assert_charged(row, cents)


def speak_by_every_path(server):
    """A turn of voice 1071 by each; how many there were."""
    with Client(server) as client:
        client.speak(TEXT, voice_id=1071)
    with MultiClient(server) as multi:
        multi.send(context_id="a", text=TEXT, flush=True, voice_settings={"voice_id": 1071})
        multi.send(context_id="a", close_context=True)
        while not multi.receive().get("context_closed"):
            pass
    with Once(server) as once:
        once.send(text=TEXT, voice_id=1071)
        once.read_answer()
    with Stream(server, voice=1071) as stream:
        stream.send(text=TEXT + " ")
        stream.send(text="")
        stream.read_to_end()
    native = {"Authorization": "Bearer " + server.key}
    for headers, path, body in (
            (native, "/v1/tts/generate", {"text": TEXT, "voice_id": 1071}),
            (native, "/v1/audio/speech", {"model": "tts-1", "input": TEXT, "voice": "1071",
                                          "response_format": "pcm"}),
            ({"xi_api_key": server.key}, "/v1/text-to-speech/1071?output_format=pcm_24000",
             {"text": TEXT})):
        with Door(server, **headers) as door:
            door.heard(path, body)
    return 7


def test_every_path_has_the_price_of_the_engine(start_server):
    server = start_server(config="[price flite]\nengine = flite\ncents_per_minute = 33\n")
    rows = server.wait_for_ledger(speak_by_every_path(server))
    assert len(rows) == 7
    for row in rows:
        assert_charged(row, 33)


def test_a_neural_voice_has_its_price_and_what_stands_in_for_it_another(start_server, tmp_path,
                                                                        spoken_voices):
    """1071 is neural where there is a model; where there is none flite speaks it, and nobody pays for
    what was not heard."""
    folder = tmp_path / "voices"
    folder.mkdir()
    put_all(spoken_voices, folder)
    server = start_server({"speech.voices_dir": folder}, config="""
        [price neural]
        engine = vits
        cents_per_minute = 9
        """)
    wait_for_voices(server)
    with Client(server) as client:
        for voice in (1081, 1071):
            client.speak(TEXT, voice_id=voice)
    for name in (MODEL, MODEL + ".json"):
        (folder / name).unlink()
    server.wait_for_log(r"vits: 12 speakers gone")
    with Client(server) as client:
        client.speak(TEXT, voice_id=1071)
    clara, sally, stand_in = server.wait_for_ledger(3)
    assert_charged(clara, 9)
    assert_charged(sally, 9)
    assert_charged(stand_in, Fraction(54, 10))


NEVER = [
    ("model = neural", "[price x] model: there is no model neural; did you mean engine = vits?"),
    ("engine = flit", "[price x] engine: there is no engine flit; did you mean flite?"),
    ("voice = 100003", "[price x] voice: 100003 is a derived voice"),
    ("voice = 0\ncents_per_minute = 1\n[price y]", "[price y] matches exactly what [price x] matches")]


def write_price(directory, line):
    path = directory / "syrinx.conf"
    path.write_text(f"[price x]\n{line}\ncents_per_minute = 2\n")
    return path


@pytest.mark.parametrize("line, words", [*NEVER, (
    "quality = best", "price.quality must be low, mid, high or empty")])
def test_a_price_that_cannot_apply_does_not_pass_a_check(tmp_path, line, words):
    done = syrinx("check", "--config", write_price(tmp_path, line))
    assert done.returncode == 1
    assert words in done.stderr.decode()


@pytest.mark.parametrize("line, words", NEVER)
def test_a_server_starts_with_a_price_that_cannot_apply_and_warns(start_server, tmp_path, line, words):
    """As it did when nobody looked at the names."""
    server = start_server(config=write_price(tmp_path, line).read_text())
    server.wait_for_log("warn .*" + re.escape(words))


# The currency

def test_the_currency_is_that_of_the_configuration(start_server):
    server = start_server(config="[prices]\ncurrency = USD\ncents_per_minute = 6\n")
    with Client(server) as client:
        usage = client.speak(TEXT, voice_id=1).usage
        assert usage["currency"] == "usd" and usage["cost_cents"] > 0
        assert "default_price" not in usage
        client.send(close=True)
        nothing = client.receive()["usage"]
        assert (nothing["cost_cents"], nothing["currency"]) == (0, "usd")
    with Rest(server) as rest:
        report = rest.must(200, rest.get("/usage"))
        assert rest.must(200, rest.get("/admin/accounts/1"))["currency"] == "usd"
    assert report["currency"] == "usd"
    done = syrinx("usage", "--data", server.data, "--config", server.config_path, "--json")
    assert json.loads(done.stdout) == report
    done = syrinx("usage", "--data", server.data, "--config", server.config_path)
    assert b" USD CENTS " in done.stdout.splitlines()[0]


@pytest.mark.parametrize("currency", ["euro", "e1", "€€€"])
def test_a_currency_is_three_letters(tmp_path, currency):
    done = syrinx("check", settings={"prices.currency": currency})
    assert done.returncode == 1 and b"must be the three letters of a currency" in done.stderr


# Without prices

def titles(server, *arguments):
    done = syrinx("usage", "--data", server.data, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().splitlines()[0]


def test_a_server_without_prices_shows_no_cost(start_server):
    """It counts at the default price, which the protocol has figures for, and says that it is that."""
    server = start_server()
    with Client(server) as client:
        usage = client.speak(TEXT, voice_id=1).usage
    assert usage["default_price"] is True and usage["cost_cents"] > 0
    (row,) = server.wait_for_ledger(1)
    assert_charged(row, Fraction(54, 10))
    assert "CENTS" not in titles(server)
    assert titles(server).split() == ["DAY", "TURNS", "AUDIO", "S", "CHARACTERS", "HEARD", "S",
                                      "ANSWERS", "TOKENS", "IN", "TOKENS", "OUT"]


@pytest.mark.parametrize("whose", ["an account", "a key with credit"])
def test_whoever_is_charged_sees_the_cost_at_the_default_price(start_server, whose):
    server = start_server()
    if whose == "an account":
        assert syrinx("account", "create", "--data", server.data, "--name", "acme").returncode == 0
        key = server.new_key("--account", "acme")
    else:
        key = server.new_key("--credit-cents", "100")
    with Client(server, key=key) as client:
        usage = client.speak(TEXT, voice_id=1).usage
    assert "default_price" not in usage and usage["cost_cents"] > 0
    assert "CENTS" in titles(server)
    assert "no price is set" not in server.log()
    server.stop()
    again = start_server(data=server.data)
    assert "they are charged the default price, 5.4 EUR cents per minute" in again.log()
    again.stop()
    priced = start_server({"prices.cents_per_minute": "5.4"}, data=server.data)
    assert "no price is set" not in priced.log()


def test_a_price_that_is_empty_is_none(start_server):
    server = start_server({"prices.cents_per_minute": ""})
    with Client(server) as client:
        usage = client.speak(TEXT, voice_id=1).usage
    assert usage["cost_cents"] is None and usage["cost_unavailable"]
    assert "currency" not in usage and "default_price" not in usage
    assert "CENTS" not in titles(server)
