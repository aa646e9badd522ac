"""Speech engines: who may connect, and what agents say to them.  The agent is the echo, which needs
no language model; test_llm.py has the others."""

import json
import re
import signal
import time

import pytest
from client import Refused
from engine import HEADER, Engine, claims, digest, echo_key, encode, sign, token, user
from program import syrinx, tone_alone, wait_until

SETTINGS = tone_alone()

KEY, OLD_KEY = "sk_new_0123456789", "sk_old_0123456789"
AGENTS = f"""
[agent one]
path = /one
api_key = {KEY} {OLD_KEY}
llm = echo

[agent two]
path = /two/deep
api_key = sk_two
llm = echo
"""


@pytest.fixture
def server(shared_server):
    return shared_server


# Who may connect


def accepted(server, **options):
    with Engine(server, **options) as engine:
        engine.ping()
        engine.end()
    return True


def refused(server, **options):
    with pytest.raises(Refused) as error:
        Engine(server, **options)
    assert error.value.status == 401, error.value
    assert error.value.body["error_code"] == "UNAUTHORIZED"
    return True


def test_a_good_token_opens_the_door(server):
    key = echo_key(server)
    assert accepted(server)
    assert accepted(server, given="Bearer " + token(key))
    assert accepted(server, given="bearer  " + token(key))
    assert accepted(server, query="agent_id=x&other=y")
    assert accepted(server, given=token(key, nbf=9999999999, aud="x", jti="1"))
    assert accepted(server, given=token(key, iat=int(time.time()), exp=int(time.time()) + 3600))


def test_a_token_that_lives_too_long_is_refused_and_the_log_says_why(server):
    now = int(time.time())
    for expiry in (now + 31536000, 253402300799, 1e300):
        assert refused(server, given=token(echo_key(server), iat=now, exp=expiry))
    assert refused(server, given=token(echo_key(server), iat=now - 86400))
    server.wait_for_log(r"agent echo refuses 127\.0\.0\.1: valid for longer than token_seconds")


def test_how_long_a_token_may_live_is_configured(start_server):
    server = start_server(config="[agent day]\npath = /day\napi_key = sk_of_a_whole_day\nllm = echo\n"
                                 "token_seconds = 86400\n")
    server.secrets.append("sk_of_a_whole_day")
    now = int(time.time())
    assert accepted(server, path="/day", key="sk_of_a_whole_day",
                    given=token("sk_of_a_whole_day", iat=now, exp=now + 86400))
    assert refused(server, path="/day", key="sk_of_a_whole_day",
                   given=token("sk_of_a_whole_day", iat=now, exp=now + 86400 + 120))


def test_clocks_may_differ_by_a_minute(server):
    now = int(time.time())
    key = echo_key(server)
    assert accepted(server, given=token(key, exp=now - 30))
    assert accepted(server, given=token(key, iat=now + 55))
    assert refused(server, given=token(key, exp=now - 62))
    assert refused(server, given=token(key, iat=now + 75))


def test_forged_tokens_are_refused_before_the_upgrade(server):
    key = echo_key(server)
    head = {"alg": "HS256", "typ": "JWT"}
    for secret in (digest(key).hex().encode(), encode(digest(key)).encode(), key.encode(),
                   digest("other"), b"\0" * 32):
        assert refused(server, given=sign(secret, head, claims()))
    for alg in ("none", "HS512", "RS256", "hs256"):
        assert refused(server, given=token(key, alg=alg))
    for changes in ({"iss": None}, {"iss": "x"}, {"sub": None}, {"sub": "x"}, {"exp": None},
                    {"exp": str(int(time.time()) + 60)}, {"iat": None}, {"iat": "1"}):
        assert refused(server, given=token(key, **changes))


def test_what_is_no_token_is_refused(server):
    good = token(echo_key(server))
    head, payload, signature = good.split(".")
    for text in ("", "x", "a.b", "...", f"{head}.{payload}", f"{head}.{payload}.", f"{good}.x",
                 f"{head}.{payload}.{signature[:-2]}", "Bearer", "A" * 9000):
        assert refused(server, given=text)
    assert refused(server, given="", headers={"Authorization": "Bearer " + good})
    assert refused(server, given="", headers={"x-api-key": server.key})
    server.wait_for_log(r"agent echo refuses 127\.0\.0\.1: no token")


def test_only_a_websocket_can_be_opened_there(server):
    headers = {HEADER: token(echo_key(server))}
    assert server.get("/speech-engine/ws", headers)[0] in (400, 426)
    assert server.get("/speech-engine/ws", headers, method="POST")[0] == 405
    assert server.get("/speech-engine/ws")[0] == 401
    assert server.get("/speech-engine/other", headers)[0] == 404


def test_a_host_name_of_a_tunnel_is_no_obstacle(server):
    assert accepted(server, headers={"Host": "abc.tunnel.example"})


# Answers


def test_a_conversation(server):
    with Engine(server) as engine:
        engine.send({"type": "init", "conversation_id": "conv_e2e1"})
        assert "hello there" in engine.ask("hello there")
        assert "grüße, 你好" in engine.ask("grüße, 你好")
        engine.ping()
        engine.end()
    line = server.wait_for_log(r"conv_e2e1: over agent=echo .*")[0]
    assert "turns=2" in line and "cancels=0" in line


def test_words_come_in_pieces(server):
    with Engine(server) as engine:
        engine.say("one two three four five six seven eight nine ten")
        frames = [engine.receive_response()]
        while not frames[-1]["is_final"]:
            frames.append(engine.receive_response())
        assert len(frames) > 3
        engine.end()


def test_a_new_turn_ends_the_old_answer(server):
    with Engine(server) as engine:
        engine.say("a very long question " * 50)
        assert engine.receive_response()["event_id"] == 1
        engine.history.append(user("stop"))
        engine.event_id = 2
        engine.send_transcript([user("stop")], 2)
        seen = set()
        text = ""
        while True:
            frame = engine.receive_response()
            seen.add(frame["event_id"])
            assert not (frame["is_final"] and frame["event_id"] == 1), "a final of the old answer"
            assert not (frame["event_id"] == 1 and 2 in seen), "an outdated id"
            if frame["event_id"] == 2:
                text += frame["content"]
            if frame["is_final"]:
                break
        assert "stop" in text and "question" not in text
        engine.end()


def test_repeated_and_lower_ids_are_ignored(server):
    with Engine(server) as engine:
        engine.send_transcript([user("hi")], 5)
        engine.event_id = 5
        engine.send_transcript([user("hi")], 5)
        engine.send_transcript([user("other")], 4)
        assert "hi" in engine.read_answer()
        engine.send_transcript([user("hi")], 5)
        engine.ping()  # and nothing came before it
        engine.end()


def test_a_retry_hears_the_same_answer_again(server):
    with Engine(server) as engine:
        first = engine.ask("hi")
        engine.send_transcript([user("hi")], 2)
        engine.event_id = 2
        assert engine.read_answer() == first
        engine.end()


@pytest.mark.parametrize("event_id", ["abc", 0, "", 1.5, 12345678901234567890])
def test_an_odd_id_is_echoed(server, event_id):
    with Engine(server) as engine:
        engine.send_transcript([user("hi")], event_id)
        engine.event_id = event_id
        assert "hi" in engine.read_answer()


def test_without_an_id_none_is_sent(server):
    with Engine(server) as engine:
        for _ in range(2):
            engine.send_transcript([user("hi")])
            while True:
                frame = engine.receive_response()
                assert "event_id" not in frame
                if frame["is_final"]:
                    break


# Bad input


def test_nothing_that_is_not_understood_ends_it(server):
    with Engine(server) as engine:
        for text in ("", "x", "[]", "{}", "{\"type\":\"later\"}", "{\"type\":\"user_transcript\"}",
                     "{\"type\":\"user_transcript\",\"user_transcript\":7}",
                     "{\"type\":\"user_transcript\",\"user_transcript\":[{}],\"event_id\":[]}"[:-1]):
            engine.send_text(text)
        assert "still there" in engine.ask("still there")
        engine.end()


def test_binary_frames_are_read_like_text(server):
    with Engine(server) as engine:
        message = {"type": "user_transcript", "user_transcript": [user("bits")], "event_id": 1}
        engine.protocol.send_binary(json.dumps(message).encode())
        engine.protocol.send_binary(b"\xff\xfe\x00")
        engine.push()
        engine.event_id = 1
        assert "bits" in engine.read_answer()
        engine.end()


def test_a_history_of_megabytes_is_answered(server):
    with Engine(server) as engine:
        history = [user("m" * 1000) for _ in range(2000)] + [user("short")]
        engine.send_transcript(history, 1)
        engine.event_id = 1
        assert "short" in engine.read_answer()
        engine.end()


def test_a_message_beyond_four_mebibytes_closes_1009(server):
    with Engine(server) as engine:
        engine.send_text(json.dumps({"type": "x", "y": "m" * (4 << 20)}))
        engine.expect_close(1009)


def test_error_closes(server):
    with Engine(server) as engine:
        engine.say("hello " * 100)
        engine.send({"type": "error", "message": "cascade timeout"})
        while True:
            try:
                engine.receive()
            except Exception as closed:
                assert closed.code == 1000
                break
    server.wait_for_log("the engine reports: cascade timeout")


# Agents of the configuration


def test_agents_have_paths_and_keys_of_their_own(start_server):
    server = start_server(config=AGENTS)
    server.secrets += [KEY, OLD_KEY]
    assert accepted(server, path="/one", key=KEY)
    assert accepted(server, path="/one", key=OLD_KEY)
    assert accepted(server, path="/two/deep", key="sk_two")
    assert refused(server, path="/two/deep", key=KEY)
    with pytest.raises(Refused) as error:
        Engine(server)  # the echo is there only where nobody else is
    assert error.value.status == 404


def test_a_reload_changes_agents_and_drops_nobody(start_server):
    server = start_server(config=AGENTS)
    with Engine(server, path="/one", key=KEY) as engine:
        assert "before" in engine.ask("before")
        server.config_path.write_text(AGENTS.replace("/one", "/three").replace(OLD_KEY, "sk_x"))
        server.process.send_signal(signal.SIGHUP)
        server.wait_for_log("SIGHUP: 2 agents")
        assert "after" in engine.ask("after")
        assert accepted(server, path="/three", key=KEY)
        assert refused(server, path="/three", key=OLD_KEY)
        with pytest.raises(Refused) as error:
            Engine(server, path="/one", key=KEY)
        assert error.value.status == 404
        engine.end()


def test_a_reload_says_what_waits_for_a_restart(start_server):
    server = start_server(config=AGENTS)
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log("SIGHUP: 2 agents")
    assert "restart" not in server.log()
    server.config_path.write_text(
        AGENTS.replace("/one", "/three") + "[plan pro]\nturns = 3\n"
        "[speech]\nworkers = 3\n[store]\naddress = postgresql://me:tell-no1@host/x\n")
    server.process.send_signal(signal.SIGHUP)
    server.wait_for_log(r"warn +server: SIGHUP: changed, but used only after a restart: "
                        r"speech.workers, store.address, \[plan pro\]\n")
    assert accepted(server, path="/three", key=KEY)
    assert "tell-no1" not in server.log()


def test_a_reload_with_a_mistake_changes_nothing(start_server):
    server = start_server(config=AGENTS)
    for mistake in ("[agent x]\nllm = echo\n", "[agent x]\napi_key = k\nllm = what\n", "what\n",
                    "[agent x]\napi_key = k\nllm = echo\nprompt_file = /nowhere\n",
                    "[agent x]\napi_key = k\nllm = echo\npath = /ready\n",
                    "[agent x]\napi_key = 1 2 3 4 5 6 7 8 9\nllm = echo\n"):
        server.config_path.write_text(mistake)
        before = server.log().count("the agents stay as they were")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda n=before: server.log().count("the agents stay as they were") > n,
                   "the mistake is told")
        assert re.search(r"error server: .+\n.+the agents stay as they were\n", server.log())
        assert accepted(server, path="/one", key=KEY)


# With an ordinary key


class Talker(Engine):
    """Who has a key of the server's, as a page has it, and no token."""

    def __init__(self, server, name="echo", query=None):
        super().__init__(server, path=f"/ws/talk/{name}", given="",
                         query=f"api_key={server.key}" if query is None else query)


def test_agents_are_listed_without_their_secrets(start_server):
    server = start_server(config=AGENTS + "language = de\nprompt = hidden\n")
    status, body = server.get("/v1/agents", {"X-API-Key": server.key})
    assert status == 200
    assert body == {"agents": [{"name": "one", "path": "/one", "language": None},
                               {"name": "two", "path": "/two/deep", "language": "de"}]}
    assert server.get("/v1/agents")[0] == 401


def test_an_ordinary_key_talks_with_an_agent(start_server):
    server = start_server(config=AGENTS)
    with Talker(server, "two") as talker:
        assert "hello" in talker.ask("hello")
        talker.end()
    for name, query, status in (("three", None, 404), ("two", "", 401), ("two", "api_key=x", 403)):
        with pytest.raises(Refused) as error:
            Talker(server, name, query)
        assert error.value.status == status


def test_a_key_that_ends_ends_its_talk(start_server):
    server = start_server()
    key = server.new_key("--name", "guest")
    with Talker(server, query=f"api_key={key}") as talker, Engine(server) as engine:
        assert "hi" in talker.ask("hi")
        assert syrinx("key", "revoke", key[:8], "--data", server.data).returncode == 0
        talker.expect_close(1008)
        assert "still here" in engine.ask("still here")
        engine.end()


def test_figures_by_agent_are_logged(start_server):
    server = start_server(config=AGENTS)
    refused(server, path="/one", key="sk_wrong")
    for _ in range(2):
        with Engine(server, path="/one", key=KEY) as engine:
            engine.ask("hi")
            engine.end()
    server.process.send_signal(signal.SIGUSR1)
    line = server.wait_for_log(r"agent one: conversations=.*")[0]
    assert "conversations=2 refused=1 turns=2" in line


def test_a_call_goes_on_while_the_server_drains(start_server):
    server = start_server()
    with Engine(server) as engine:
        engine.ask("hi")
        server.terminate()
        server.wait_for_log("draining: 0 connections, 1 conversations")
        assert "last words" in engine.ask("last words")
        engine.end()
    assert server.wait_for_end() == 0
