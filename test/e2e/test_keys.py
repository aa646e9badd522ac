"""Who may speak: keys on the way in, and where a key may never be seen."""

import stat
import urllib.parse

import pytest
from client import Client, Refused
from program import syrinx, tone_alone

SETTINGS = tone_alone()

CARRIERS = {
    "bearer": lambda key: {"headers": {"Authorization": "Bearer " + key}},
    "bearer in small letters": lambda key: {"headers": {"authorization": "bearer " + key}},
    "X-API-Key": lambda key: {"headers": {"X-API-Key": key}},
    "xi-api-key": lambda key: {"headers": {"xi-api-key": key}},
    "query": lambda key: {"query": "api_key=" + key},
    "query, every byte percent-encoded":
        lambda key: {"query": "api_key=" + "".join(f"%{ord(c):02x}" for c in key)},
    "query among others":
        lambda key: {"query": f"sdk=js&sdk_version=1.2.3&api_key={key}&org_id=7&x"},
    "query as token": lambda key: {"query": "token=" + key},
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_key_is_taken_from(server, carrier):
    key = server.new_key()
    with Client(server, key=None, **CARRIERS[carrier](key)) as client:
        assert client.speak("Yes.", voice_id=1).samples > 0
        assert client.response_headers["X-KugelAudio-AI-Generated"] == "true"


@pytest.mark.parametrize("carrier", CARRIERS)
def test_wrong_key_is_refused_with_403_from(server, carrier):
    wrong = server.key[:-4] + ("aaaa" if server.key[-4:] != "aaaa" else "bbbb")
    with pytest.raises(Refused) as refused:
        Client(server, key=None, **CARRIERS[carrier](wrong))
    assert refused.value.status == 403
    assert refused.value.body["error_code"] == "UNAUTHORIZED"


def test_missing_key_is_refused_with_401(server):
    for options in ({}, {"query": "api_key="}, {"query": "sdk=js"}):
        with pytest.raises(Refused) as refused:
            Client(server, key=None, **options)
        assert refused.value.status == 401
        assert refused.value.body["error"] == "Unauthorized"
        assert refused.value.body["code"] == 401


def test_odd_keys_are_refused_and_harm_nothing(server):
    for key in ("x", "ka_", "k" * 8000, "%00", "%", "%zz", "ka_%ff%fe", "' OR 1=1 --"):
        with pytest.raises(Refused) as refused:
            Client(server, key=None, query="api_key=" + key.replace(" ", "+"))
        assert refused.value.status == 403
    with Client(server) as client:
        assert client.speak("Still here.", voice_id=1).samples > 0


def test_key_made_while_the_server_runs_works_at_once_and_revoked_no_more(server):
    key = server.new_key("--name", "fresh")
    with Client(server, key=key) as client:
        turn = client.speak("A fresh key.", voice_id=1)
        assert syrinx("key", "revoke", key, "--data", server.data).returncode == 0
        client.expect_error(401, "UNAUTHORIZED")
        client.expect_close(4001)
        with pytest.raises(Refused) as refused:
            Client(server, key=key)
        assert refused.value.status == 403
    (row,) = server.ledger("turn.id, (SELECT name FROM key WHERE key.id = key_id) AS name")
    assert (row["id"], row["name"]) == (turn.usage["turn_id"], "fresh")


def test_key_text_is_in_no_log_at_any_level(start_server):
    # Server.stop looks for the texts of its keys; this makes it say all it can.
    server = start_server({"server.log_level": "debug", "server.log_texts": "on"})
    key = server.new_key()
    for options in ({"query": "api_key=" + key}, {"headers": {"X-API-Key": key}}):
        with Client(server, key=None, **options) as client:
            client.speak("Hello.", voice_id=1)
    wrong = key[:-1] + "!"
    server.secrets.append(wrong)
    with pytest.raises(Refused):
        Client(server, key=None, query="api_key=" + urllib.parse.quote(wrong))
    assert server.log()


def test_local_key_is_readable_by_its_owner_alone_and_stays_the_same(start_server):
    server = start_server()
    file = server.data / "local.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    server.stop()
    again = start_server(data=server.data)
    assert again.key == server.key
    with Client(again) as client:
        assert client.speak("Again.", voice_id=1).samples > 0


def test_store_holds_no_key_as_text(server):
    key = server.new_key()
    with Client(server, key=key) as client:
        client.speak("Hello.", voice_id=1)
    for file in server.data.glob("syrinx.db*"):
        content = file.read_bytes()
        assert key.encode() not in content and server.key.encode() not in content


def test_health_and_ready_need_no_key(server):
    assert server.get("/health") == (200, {"status": "healthy"})
    assert server.get("/ready")[0] == 200
    assert server.get("/nowhere")[0] == 404
    assert server.get("/health", method="POST")[0] == 405


def test_texts_stand_in_the_log_only_when_the_operator_asks(start_server):
    for settings, expected in (({}, False), ({"server.log_texts": "on"}, True)):
        server = start_server(settings)
        with Client(server) as client:
            assert client.speak("Remember the xylophone.", voice_id=1).samples > 0
        assert ("xylophone" in server.log()) == expected
