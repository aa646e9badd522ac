"""Usage of agents' language models: whose limits and credit apply, and which ledger rows are written;
on the real server, with a fake language model that speaks the real protocols."""

import itertools
import signal

import pytest
from client import Closed, Refused
from engine import Engine
from fake_llm import FakeLlm
from program import syrinx, tone_alone, wait_until
from rest import Rest

SETTINGS = tone_alone()
KEY = "sk_test_0123456789abcdef"
PRICES = """
[prices]
input_cents_per_million = 2
output_cents_per_million = 30
"""
IN, OUT = 2, 30  # micro-cents for a token
TOLD_IN = 11  # tokens that the model counts in any question
ANSWER = "one_two_three_four_five"
NAMES = itertools.count()


@pytest.fixture(scope="module")
def llm():
    with FakeLlm() as fake:
        yield fake


def agent(name, llm, model=f"text={ANSWER}", dialect="openai", more=""):
    return f"""
[agent {name}]
path = /engine/{name}
api_key = {KEY}
llm = {dialect}
llm_url = {llm.url}
llm_model = {model}
llm_key = x
{more}
"""


class Talker(Engine):
    """A client that talks to an agent with an API key of the server, and asks for usage."""

    def __init__(self, server, name, key=None, query="&usage=true"):
        super().__init__(server, path=f"/ws/talk/{name}", given="",
                         query=f"api_key={key or server.key}{query}")

    def read_usage(self):
        frame = self.receive()
        assert frame["type"] == "usage", frame
        return frame

    def expect_denial(self, code):
        frame = self.receive()
        assert frame["type"] == "error" and frame["code"] == code, frame
        assert frame["event_id"] == self.event_id
        final = self.receive_response()
        assert final["is_final"] and final["content"] == ""
        return frame


def command(server, *arguments):
    done = syrinx(*arguments, "--data", server.data, settings=server.settings)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def key_of(server, *limits, cents=None):
    """A key of an account of its own, and the account's name."""
    name = f"account-{next(NAMES)}"
    command(server, "account", "create", "--name", name, *limits)
    if cents is not None:
        command(server, "account", "top-up", name, "--cents", cents, "--id", name)
    done = syrinx("key", "create", "--account", name, "--data", server.data,
                  settings=server.settings)
    assert done.returncode == 0, done.stderr
    server.secrets.append(done.stdout.decode().strip())
    return server.secrets[-1], name


def rows_of(server):
    return {row["id"]: dict(row) for row in server.ledger()}


def asked(llm, model):
    return [request for request in llm.requests if request.model == model]


# What is recorded

@pytest.mark.parametrize("dialect", ["openai", "responses", "anthropic"])
def test_tokens_are_those_that_the_model_has_counted(start_server, llm, dialect):
    model = f"text={ANSWER},tokens=1234"
    server = start_server(config=PRICES + agent("a", llm, model, dialect))
    with Talker(server, "a") as talker:
        assert talker.ask("hello") == ANSWER.replace("_", " ")
        usage = talker.read_usage()
        talker.end()
    assert (usage["input_tokens"], usage["output_tokens"], usage["estimated"]) == (1234, 5, False)
    assert usage["cost_cents"] == pytest.approx((1234 * IN + 5 * OUT) / 1e6)
    assert usage["currency"] == "eur"
    rows = rows_of(server)
    assert list(rows) == usage["turn_ids"]
    for identity, kind, tokens, price in zip(
            usage["turn_ids"], ("model_input", "model_output"), (1234, 5), (IN, OUT)):
        row = rows[identity]
        assert (row["kind"], row["unit"], row["quantity"]) == (kind, "tokens", tokens)
        assert (row["status"], row["is_estimated"]) == ("finished", 0)
        assert row["amount_microcents"] == tokens * price
        assert row["samples"] == row["characters"] == row["voice_id"] == 0
        assert (row["model"] or row["model_id"]) == model
        assert len(row["model_id"]) < 24 # what the previous release can read
        assert row["account_id"] == 1 and row["key_id"]


@pytest.mark.parametrize("dialect", ["openai", "responses", "anthropic"])
def test_tokens_that_nobody_counts_are_estimated(start_server, llm, dialect):
    server = start_server(config=PRICES + agent("a", llm, f"text={ANSWER},usage=no", dialect,
                                                more="prompt = 0123456789"))
    with Talker(server, "a") as talker:
        talker.ask("hello")  # 15 characters with the prompt
        usage = talker.read_usage()
        talker.end()
    assert usage["estimated"] is True
    assert (usage["input_tokens"], usage["output_tokens"]) == (4, 6)  # 23 characters
    assert all(row["is_estimated"] for row in rows_of(server).values())


def test_reports_tell_tokens_apart_from_speech(start_server, llm):
    server = start_server(config=PRICES + agent("a", llm))
    with Talker(server, "a") as talker:
        talker.ask("hello")
        talker.read_usage()
        talker.end()
    with Rest(server) as rest:
        report = rest.must(200, rest.get("/usage?by=kind,model"))
        turns = rest.must(200, rest.get("/usage/turns"))["turns"]
    assert [row["kind"] for row in report["rows"]] == ["model_input", "model_output"]
    total = report["total"]
    assert (total["turns"], total["audio_seconds"], total["characters"]) == (0, 0, 0)
    assert (total["model_answers"], total["input_tokens"], total["output_tokens"]) == (1, 11, 5)
    assert total["cost_microcents"] == TOLD_IN * IN + 5 * OUT
    assert [(t["kind"], t["quantity"], t["unit"]) for t in turns] \
        == [("model_input", 11, "tokens"), ("model_output", 5, "tokens")]
    assert "model_output" in command(server, "usage", "--by", "kind")
    command(server, "account", "check")


def test_prices_are_those_of_the_agent_and_the_model(start_server, llm):
    server = start_server(config=f"""
        [price model]
        model = text={ANSWER}
        input_cents_per_million = 1
        [price agent]
        agent = b
        output_cents_per_million = 7
        """ + agent("a", llm) + agent("b", llm))
    costs = {}
    for name in "ab":
        with Talker(server, name) as talker:
            talker.ask("hello")
            costs[name] = talker.read_usage()["cost_cents"]
            talker.end()
    assert costs == {"a": pytest.approx(11 / 1e6), "b": pytest.approx((11 + 5 * 7) / 1e6)}


def test_whoever_does_not_ask_for_usage_is_not_told(start_server, llm):
    server = start_server(config=agent("a", llm))
    for query in ("", "&usage=false"):
        with Talker(server, "a", query=query) as talker:
            talker.ask("hello")
            talker.ask("again")
            talker.end()
    with pytest.raises(Refused) as refused:
        Talker(server, "a", query="&usage=perhaps")
    assert refused.value.status == 400
    assert len(server.wait_for_ledger(8)) == 8


# Limits and credit

@pytest.mark.parametrize("how", ["account", "key"])
def test_without_credit_nobody_gets_in_and_no_model_is_asked(start_server, llm, how):
    server = start_server(config=PRICES + agent("a", llm, f"text=free_{how}"))
    if how == "account":
        key, _ = key_of(server, "--prepaid", "yes")
    else:
        key = server.new_key("--credit-cents", "0")
    for _ in range(3):
        with pytest.raises(Refused) as refused:
            Talker(server, "a", key)
        assert refused.value.status == 402
        assert refused.value.body["error_code"] == "INSUFFICIENT_CREDITS"
    assert not asked(llm, f"text=free_{how}") and not server.ledger()


def test_credit_that_is_used_up_ends_the_talk(start_server, llm):
    server = start_server(config="""
        [prices]
        input_cents_per_million = 1000
        output_cents_per_million = 1000
        """ + agent("a", llm, "text=used_up"))
    key, name = key_of(server, "--prepaid", "yes", cents="0.02")
    # An answer costs 0.013 cents: there is credit for two, the second of which overdraws.
    with Talker(server, "a", key) as talker:
        for _ in range(2):
            talker.ask("hello")
            talker.read_usage()
        talker.say("and once more")
        talker.expect_denial(402)
        talker.expect_close(4003)
    assert len(asked(llm, "text=used_up")) == 2
    with pytest.raises(Refused) as refused:
        Talker(server, "a", key)
    assert refused.value.status == 402
    command(server, "account", "top-up", name, "--cents", "1", "--id", "more")

    def comes_in():
        try:
            with Talker(server, "a", key) as talker:
                return talker.ask("hello")
        except Refused:
            return None
    wait_until(comes_in, "the credit is there")
    command(server, "account", "check")


def test_limits_of_requests_and_characters_hold(start_server, llm):
    server = start_server(config=agent("a", llm, "text=limited"))
    for limit in (("--requests-per-minute", "2"), ("--characters-per-minute", "10")):
        key, _ = key_of(server, *limit)
        before = len(asked(llm, "text=limited"))
        with Talker(server, "a", key, query="") as talker:
            talker.ask("hello")
            talker.ask("hello")
            talker.say("hello")
            assert talker.expect_denial(429)["retry_after"] > 0
            talker.ping()  # it may come again
            talker.end()
        assert len(asked(llm, "text=limited")) == before + 2


def test_answers_at_once_are_limited_over_connections(start_server, llm):
    server = start_server(config=agent("slow", llm, "text=a_b,delay_ms=60000"))
    key, _ = key_of(server, "--turns", "1")
    with Talker(server, "slow", key) as first, Talker(server, "slow", key) as second:
        first.say("hello")
        assert first.receive_response()["content"] == "a"
        second.say("hello")
        second.expect_denial(429)
        first.send({"type": "close"})
        first.expect_close(1000)
        second.say("now")
        assert second.receive_response()["content"] == "a"
        second.end()


def test_connections_are_limited(start_server, llm):
    server = start_server(config=agent("a", llm))
    key, _ = key_of(server, "--connections", "1")
    with Talker(server, "a", key) as talker:
        with pytest.raises(Refused) as refused:
            Talker(server, "a", key)
        assert refused.value.status == 429
        talker.end()


# Answers that do not come to their end

def test_an_answer_that_is_interrupted_is_charged_for_what_was_asked_and_said(start_server, llm):
    server = start_server(config=PRICES + agent("slow", llm, "text=four_four,delay_ms=60000"))
    with Talker(server, "slow") as talker:
        talker.say("12345678")
        assert talker.receive_response()["content"] == "four"
        talker.say("no")
        while (usage := talker.receive())["type"] != "usage":
            assert usage["event_id"] == 2  # the next answer's words may come first
        assert usage["event_id"] == 1
        assert (usage["input_tokens"], usage["output_tokens"]) == (2, 1)
        assert usage["estimated"] and usage["cost_cents"] == pytest.approx((2 * IN + OUT) / 1e6)
    assert {row["status"] for row in server.wait_for_ledger(4)} == {"cancelled"}


@pytest.mark.parametrize("model", ["status=400", "text=one_two,fault=reset,at=1"])
def test_an_answer_that_failed_costs_nothing(start_server, llm, model):
    server = start_server(config=PRICES + agent("a", llm, model, more="fallback_text = Sorry."))
    with Talker(server, "a") as talker:
        talker.ask("hello")
        assert talker.read_usage()["cost_cents"] == 0
        talker.end()
    rows = server.ledger()
    assert {row["status"] for row in rows} == {"failed"}
    assert [row["amount_microcents"] for row in rows] == [0, 0]
    assert rows[0]["quantity"] == 2


def test_an_answer_that_runs_when_the_server_dies_is_lost_and_costs_nothing(start_server, llm,
                                                                            tmp_path):
    data = tmp_path / "data"
    config = PRICES + agent("slow", llm, "text=a_b,delay_ms=60000") + agent("a", llm)
    server = start_server(data=data, config=config)
    slow = Talker(server, "slow")
    slow.say("hello")
    assert slow.receive_response()["content"] == "a"
    talker = Talker(server, "a")  # one thread writes both marks, so the other's is durable, too
    talker.ask("hello")
    told = talker.read_usage()
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    for connection in (talker, slow):
        with pytest.raises((Closed, OSError, AssertionError)):
            connection.receive()
        connection.socket.close()
    for _ in range(2):  # and once, however often it starts
        server = start_server(data=data, config=config)
        server.wait_for_ledger(4)  # what the dead one left is booked after the start
        rows = rows_of(server)
        assert len(rows) == 4 and {*told["turn_ids"]} < {*rows}
        for identity, row in rows.items():
            was_told = identity in told["turn_ids"]
            assert row["status"] == ("finished" if was_told else "lost")
            assert (row["amount_microcents"] > 0) == was_told
        assert sum(row["amount_microcents"] for row in rows.values()) == TOLD_IN * IN + 5 * OUT
        server.stop()
    command(server, "account", "check")


# Speech engines

def test_a_speech_engines_answers_are_nobodys_unless_the_agent_has_an_account(start_server, llm):
    server = start_server(config=PRICES + agent("a", llm))
    with Engine(server, path="/engine/a", key=KEY) as engine:
        engine.ask("hello")
        engine.end()
    rows = server.wait_for_ledger(2)
    assert [row["quantity"] for row in rows] == [11, 5]
    assert not any(row["account_id"] or row["key_id"] or row["amount_microcents"] for row in rows)


def test_the_account_of_an_agent_pays_for_its_speech_engine(start_server, llm, tmp_path):
    data = tmp_path / "data"
    server = start_server(data=data)
    key, name = key_of(server, "--prepaid", "yes", "--connections", "1", cents="0.0001")
    server.stop()
    config = PRICES + agent("a", llm, "text=paid", more=f"account_key = {key}\n"
                            "fallback_text = Sorry.")
    server = start_server(data=data, config=config)
    server.secrets.append(key)
    with Engine(server, path="/engine/a", key=KEY) as engine:
        with pytest.raises(Refused) as refused:
            Engine(server, path="/engine/a", key=KEY)
        assert refused.value.status == 429
        answers = [engine.ask(f"hello {n}") for n in range(5)]
        engine.end()
    # 52 micro-cents an answer, of 100: what the account cannot pay for is not asked.
    assert answers == ["paid"] * 2 + ["Sorry."] * 3
    assert len(asked(llm, "text=paid")) == 2
    rows = server.wait_for_ledger(4)
    assert {row["account_id"] for row in rows} == {2}
    assert syrinx("key", "revoke", key[:8], "--data", server.data).returncode == 0

    def is_refused():
        try:
            Engine(server, path="/engine/a", key=KEY).socket.close()
        except Refused as error:
            return error.status == 403
    wait_until(is_refused, "the key of the account has ended")


def test_a_key_of_ours_that_signs_tokens_pays(start_server, llm, tmp_path):
    data = tmp_path / "data"
    server = start_server(data=data)
    key, _ = key_of(server)
    server.stop()
    server = start_server(data=data, config=PRICES + agent("a", llm).replace(KEY, key))
    server.secrets.append(key)
    with Engine(server, path="/engine/a", key=key) as engine:
        engine.ask("hello")
        engine.end()
    rows = server.wait_for_ledger(2)
    assert {row["account_id"] for row in rows} == {2}
    assert sum(row["amount_microcents"] for row in rows) == TOLD_IN * IN + 5 * OUT


# Servers that share a database

def test_credit_and_limits_hold_over_servers_with_one_database(start_server, llm, database):
    shared = {"store.address": database.address}
    servers = [start_server(shared, config=PRICES + agent("a", llm, "text=shared"))
               for _ in range(2)]
    poor, _ = key_of(servers[0], "--prepaid", "yes")
    busy, _ = key_of(servers[0], "--requests-per-minute", "2")
    for server in servers:
        with pytest.raises(Refused) as refused:
            Talker(server, "a", poor)
        assert refused.value.status == 402
    with Talker(servers[0], "a", busy) as first, Talker(servers[1], "a", busy) as second:
        first.ask("hello")
        usage = first.read_usage()
        second.ask("hello")
        second.read_usage()
        first.say("and again")
        first.expect_denial(429)
        first.end()
        second.end()
    rows = database.ask("SELECT kind, unit, quantity, is_estimated, amount_microcents FROM turn"
                        f" WHERE id IN ('{usage['turn_ids'][0]}', '{usage['turn_ids'][1]}')"
                        " ORDER BY seq")
    assert [[str(value) for value in row[:3]] for row in rows] \
        == [["model_input", "tokens", "11"], ["model_output", "tokens", "1"]]
    assert len(asked(llm, "text=shared")) == 2
