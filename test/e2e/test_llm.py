"""Agents with a language model: words of every dialect however they are split, something to say
whatever goes wrong, and a stream that is closed when the user speaks again."""

import pytest
from engine import Engine, agent, user
from fake_llm import TEXT, FakeLlm
from program import WAIT_S, tone_alone, wait_until

SETTINGS = tone_alone()

KEY = "sk_engine_0123456789"
LLM_KEY = "sk_llm_0123456789"
SORRY = "Sorry, later."
DIALECTS = ("openai", "responses", "anthropic")

# An agent each; the model's name says what the fake does (fake_llm.py).
SPLITS = ("split=1", "split=1,eol=crlf", "split=2,eol=cr", "split=3,frame=close",
          "split=7,frame=length", "frame=chunked")
AGAIN = ("status=500", "status=429", "status=503", "fault=hang_up", "fault=reset", "fault=garbage",
         "fault=no_json", "fault=error", "fault=early", "fault=huge", "text=")
FINAL = ("status=400", "status=401", "status=404", "fault=redirect", "fault=html")
BREAKS = ("fault=hang_up,at=2", "fault=reset,at=2", "fault=garbage,at=2", "fault=no_json,at=2",
          "fault=error,at=2", "fault=early,at=2", "fault=silent,at=2")


class Agents:
    """Names and paths for models, and the configuration that has them."""

    def __init__(self, llm):
        self.llm = llm
        self.text = ""

    def add(self, model, dialect="openai", **more):
        path = f"/agent{self.text.count('[agent')}"
        settings = {"path": path, "api_key": KEY, "llm": dialect, "llm_url": self.llm.url,
                    "llm_model": model, "llm_key": LLM_KEY, "fallback_text": SORRY,
                    "begin_ms": WAIT_S * 1000, "first_token_ms": WAIT_S * 1000,
                    "connect_ms": 60000} | more
        lines = "\n".join(f"{key} = {value}" for key, value in settings.items())
        self.text += f"[agent a{path[6:]}]\n{lines}\n\n"
        return path


@pytest.fixture(scope="module")
def llm():
    with FakeLlm() as fake:
        yield fake


@pytest.fixture
def start(llm, start_server):
    """Starts a server with an agent for each (model, more settings)."""

    def begin(*rows):
        agents = Agents(llm)
        paths = [agents.add(model, **more) for model, more in rows]
        return start_server(config=agents.text), paths

    return begin


def ask(server, path, text="Hi"):
    with Engine(server, key=KEY, path=path) as engine:
        answer = engine.ask(text)
        engine.end()
    return answer


def last_of(llm, model):
    return [r for r in llm.requests if r.model == model][-1]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_words_are_the_same_however_they_are_split(llm, start, dialect):
    server, paths = start(*((model, {"dialect": dialect}) for model in SPLITS))
    for path in paths:
        assert ask(server, path) == TEXT


def test_each_dialect_is_asked_as_it_wants(llm, start):
    more = {"prompt": "Be brief.", "max_tokens": 99, "temperature": "0.5",
            "llm_headers": "X-One: 1 | X-Two: 2", "llm_body": '{"top_p": 0.25}'}
    server, paths = start(*((f"asked-{d}", {"dialect": d} | more) for d in DIALECTS))
    for dialect, path in zip(DIALECTS, paths):
        with Engine(server, key=KEY, path=path) as engine:
            engine.history.append(agent("Hello."))
            assert engine.ask("Who are you?") == TEXT
            engine.end()
        request = last_of(llm, f"asked-{dialect}")
        turns = [turn for turn in request.texts() if turn[0] != "system"]
        assert turns[-2:] == [("assistant", "Hello."), ("user", "Who are you?")]
        assert turns[0][0] == "user" and len(turns) == 3
        assert request.headers["x-one"] == "1" and request.headers["x-two"] == "2"
        assert request.body["top_p"] == 0.25 and request.body["temperature"] == 0.5
        assert request.body["stream"] is True
        assert 99 in (request.body.get("max_tokens"), request.body.get("max_output_tokens"))
        key = request.headers.get("x-api-key") or request.headers["authorization"][7:]
        assert key == LLM_KEY
        prompt = (request.body.get("system") or request.body.get("instructions")
                  or dict(request.texts())["system"])
        assert "Be brief." in prompt


def test_what_goes_wrong_once_is_not_heard(llm, start):
    server, paths = start(*((f"{model},times=1", {}) for model in AGAIN if model != "text="))
    for path in paths:
        assert ask(server, path) == TEXT


def test_what_always_goes_wrong_is_answered_with_the_sentence(llm, start):
    models = [*AGAIN, *FINAL]
    server, paths = start(*((model, {}) for model in models))
    for model, path in zip(models, paths):
        before = len(llm.requests)
        assert ask(server, path) == SORRY, model
        assert len(llm.requests) - before == (1 if model in FINAL else 2), model
    assert server.wait_for_log(r"HTTP 401: refused, as told")
    assert server.wait_for_log(r"redirected to http://127\.0\.0\.1:9/, which is not followed")
    assert LLM_KEY not in server.log()


def test_a_late_model_is_not_waited_for(llm, start):
    server, (path,) = start(("fault=silent", {"first_token_ms": 200, "begin_ms": 400}))
    assert ask(server, path) == SORRY
    wait_until(lambda: all(r.closed_at for r in llm.requests if r.model == "fault=silent"),
               "both tries were closed")


def test_another_model_answers(llm, start):
    server, (path,) = start(("status=500,text=never", {"fallback_model": "text=I_am_here."}))
    assert ask(server, path) == "I am here."


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_broken_stream_ends_with_the_final(llm, start, dialect):
    server, paths = start(*((model, {"dialect": dialect, "between_ms": 1000}) for model in BREAKS))
    for path in paths:
        with Engine(server, key=KEY, path=path) as engine:
            assert engine.ask("Hi") == " ".join(TEXT.split(" ")[:2])
            engine.ping()  # the conversation goes on
            engine.end()


def test_an_interruption_closes_the_stream(llm, start):
    model = "fault=endless,delay_ms=5"
    server, (path,) = start((model, {}))
    with Engine(server, key=KEY, path=path) as engine:
        engine.say("Sing.")
        assert engine.receive_response()["event_id"] == 1
        request = last_of(llm, model)
        engine.say("Stop.")
        wait_until(lambda: request.closed_at, "the first stream was closed")
        wait_until(lambda: last_of(llm, model) is not request, "the second was asked for")
        frame = engine.receive_response()
        while frame["event_id"] == 1:
            assert not frame["is_final"]
            frame = engine.receive_response()
        assert last_of(llm, model).texts()[-1][0] == "user"
        second = last_of(llm, model)
    wait_until(lambda: second.closed_at, "the client's end closed the other one")


def test_an_endless_stream_is_cut(llm, start):
    server, (path,) = start(("fault=endless,delay_ms=2", {"whole_ms": 1000}))
    assert ask(server, path).startswith(" la la")
    server.wait_for_log(r"the answer was cut after 1000 ms")


def test_connections_are_used_again(llm, start):
    server, (path,) = start(("used-again", {}))
    before = llm.connections
    with Engine(server, key=KEY, path=path) as engine:
        for text in ("one", "two", "three"):
            assert engine.ask(text) == TEXT
            wait_until(lambda: last_of(llm, "used-again").ended_at, "its last bytes have left")
        engine.end()
    # One that has not been read to its end when the next turn comes is not used for it.
    assert llm.connections < before + 3
    assert last_of(llm, "used-again").texts()[-1] == ("user", "three")


def test_a_long_history_is_cut_from_the_oldest(llm, start):
    server, (path,) = start(("history", {"history_characters": 1000}))
    history = [user(f"turn {i} " + "x" * 100) for i in range(50)] + [user("last")]
    with Engine(server, key=KEY, path=path) as engine:
        engine.event_id = 1
        engine.send_transcript(history, 1)
        assert engine.read_answer() == TEXT
        engine.end()
    text = last_of(llm, "history").texts()[-1][1]
    assert text.endswith("last") and "turn 49" in text and "turn 40" not in text
