"""Calls: a caller talks with an agent over the conversation WebSocket.

Speech is recognized by the example in Python (beeps.py), which hears every burst of sound as "beep"; the
agent is the echo, or a developer's server in this process.
"""

import array
import asyncio
import json
import time

import pytest
import websockets
from beeps import base64_of, beeps, put_engines
from client import Client, Closed, Refused
from program import Server, syrinx, wait_until
from rest import Rest

CONFIG = """
[agent echo]
api_key = sk_of_the_echo_agent_0123456789
llm = echo
voice = 1
first_message = Hello.

[agent open]
path = /open
api_key = sk_of_the_open_agent_0123456789
account_key = env:ACCOUNT_KEY
llm = echo
voice = 1
public = on
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calls")
    key = syrinx("key", "create", "--data", folder / "data", "--create").stdout.decode().strip()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ACCOUNT_KEY", key)
        server = Server(folder, {"speech.engines_dir": put_engines(folder / "engines"),
                                 "calls.max": 3}, config=CONFIG)
    server.secrets.append(key)
    server.wait_for_log("beeps")
    yield server
    server.stop()


class Call(Client):
    path = "/v1/convai/conversation"

    def __init__(self, server, agent="echo", key="", query="", **options):
        headers = options.pop("headers", {})
        if key is not None:
            headers["xi-api-key"] = key or server.key
        super().__init__(server, key=None, headers=headers,
                         query=f"agent_id={agent}" + (f"&{query}" if query else ""), **options)

    def start(self, **overrides):
        self.send({"type": "conversation_initiation_client_data"}
                  | ({"conversation_config_override": overrides} if overrides else {}))
        first = self.receive()
        assert first["type"] == "conversation_initiation_metadata", first
        return first["conversation_initiation_metadata_event"]

    def until(self, kind):
        """Reads up to a message of this type; gives the messages by type, and this one's body."""
        seen = []
        while not seen or seen[-1]["type"] != kind:
            frame = self.receive()
            if frame["type"] == "ping":
                self.send(type="pong", event_id=frame["ping_event"]["event_id"])
            else:
                seen.append(frame)
        body = [value for name, value in seen[-1].items() if name != "type"]
        return [frame["type"] for frame in seen], body[0] if body else {}

    def speak(self, samples):
        """In real time: what was said when is part of the protocol."""
        begun = time.monotonic()
        for at in range(0, len(samples), 512):
            self.send(user_audio_chunk=base64_of(samples[at:at + 512]))
            time.sleep(max(0.0, begun + (at + 512) / 16000 - time.monotonic()))


TEXT = {"conversation": {"text_only": True}}


def test_spoken_words_are_answered(server):
    with Call(server) as call:
        formats = call.start()
        assert formats["conversation_id"].startswith("conv_")
        assert formats["user_input_audio_format"] == "pcm_16000"
        kinds, _ = call.until("audio")
        assert kinds == ["agent_response", "audio"]
        call.speak(beeps(2, before=1.5, after=1.5))
        kinds, heard = call.until("user_transcript")
        assert heard["user_transcript"] == "beep beep"
        _, answer = call.until("agent_response")
        assert answer["agent_response"] == "You said: beep beep."
        assert answer["event_id"] == heard["event_id"]


def test_written_words_are_answered_in_parts(server):
    with Call(server) as call:
        call.start(**TEXT)
        call.until("agent_response")  # the greeting
        call.send(type="user_message", text="good morning")
        kinds, answer = call.until("agent_response")
        assert answer["agent_response"] == "You said: good morning."
        assert "agent_chat_response_part" in kinds and "audio" not in kinds


def test_the_subprotocol_is_selected_only_if_it_is_offered(server):
    async def select(*offered):
        url = f"ws://127.0.0.1:{server.port}{Call.path}?agent_id=echo"
        async with websockets.connect(url, subprotocols=offered or None,
                                      extra_headers={"xi-api-key": server.key}) as socket:
            return socket.subprotocol

    assert asyncio.run(select("other", "convai", "bearer.token")) == "convai"
    assert asyncio.run(select("convai2")) is None
    assert asyncio.run(select()) is None


@pytest.mark.parametrize("agent, key, status, words", [
    ("nobody", "", 404, "not found"), ("echo", None, 401, "signed URL"), ("echo", "ka_wrong", 401, ""),
    ("", "", 422, "agent_id")])
def test_calls_that_are_refused(server, agent, key, status, words):
    with pytest.raises(Refused) as refused:
        Call(server, agent, key)
    assert refused.value.status == status
    assert words.lower() in json.dumps(refused.value.body).lower()


def test_key_that_may_not_speak_is_refused(server):
    with pytest.raises(Refused) as refused:
        Call(server, key=server.new_key("--scopes", "read"))
    assert refused.value.status == 403 and "speak" in json.dumps(refused.value.body)


def test_public_agent_needs_no_key(server):
    with Call(server, "open", key=None) as call:
        call.start(**TEXT)
        call.send(type="user_message", text="who pays")
        assert call.until("agent_response")[1]["agent_response"] == "You said: who pays."


def sign(server, agent, **query):
    with Rest(server) as rest:
        asked = "&".join(f"{k}={v}" for k, v in {"agent_id": agent, **query}.items())
        answer = rest.must(200, rest.get(f"/convai/conversation/get-signed-url?{asked}"))
    return answer["signed_url"].split("conversation_signature=")[1]


def test_signed_url_replaces_the_key(server):
    signature = sign(server, "echo")
    for _ in range(2):
        with Call(server, key=None, query=f"conversation_signature={signature}") as call:
            call.start(**TEXT)
            call.until("agent_response")
    with pytest.raises(Refused) as refused:
        Call(server, "open", key=None, query=f"conversation_signature={signature}")
    assert refused.value.status == 401


def test_signed_url_for_one_conversation_works_once(server):
    signature = sign(server, "echo", include_conversation_id="true")
    with Call(server, key=None, query=f"conversation_signature={signature}") as call:
        assert call.start(**TEXT)["conversation_id"] == signature.split(".")[0]
    with pytest.raises(Refused) as refused:
        Call(server, key=None, query=f"conversation_signature={signature}")
    assert refused.value.status == 401


def test_more_calls_than_the_maximum_are_refused_at_the_start(server):
    calls = [Call(server) for _ in range(3)]
    with pytest.raises(Refused) as refused:
        Call(server)
    assert refused.value.status == 503 and "calls.max" in json.dumps(refused.value.body)
    for call in calls:
        call.socket.close()
    wait_until(lambda: opens(server), "there is room again")


def opens(server):
    try:
        with Call(server):
            return True
    except Refused:
        return False


def test_voice_that_does_not_exist_is_refused(server):
    with Call(server) as call:
        call.send(type="conversation_initiation_client_data",
                  conversation_config_override={"tts": {"voice_id": "no-such-voice"}})
        assert call.receive()["error_event"]["error_type"] == "override_error"
        with pytest.raises(Closed) as closed:
            call.receive()
        assert closed.value.code == 1008


def test_what_was_heard_and_spoken_is_booked(server):
    key = server.new_key()
    with Call(server, key=key) as call:
        call.start()
        call.until("audio")
        call.speak(array.array("h", bytes(32000)))
    with Rest(server, key) as rest:
        rows = wait_until(lambda: len(rest.get("/usage/turns")[1]["turns"]) >= 2
                          and rest.get("/usage/turns")[1]["turns"], "both rows are there")
    assert {row.get("kind", "speech") for row in rows} >= {"hearing"}, rows
