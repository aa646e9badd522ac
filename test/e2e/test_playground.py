"""The playground in a real browser (browser.py): its tabs that speak, and who may use it.

What a person does is in test/clients/browser/page.mjs, a case each; here is what they must see.
"""

import http.client
import signal
import subprocess

import pytest
from fake_llm import FakeLlm
from program import WAIT_S, free_port, wait_until

QUIET = 0.01  # of full scale


@pytest.fixture(scope="module")
def server(shared_server):
    return shared_server


@pytest.fixture
def browse(browser):
    return lambda server, case, answer=None: browser.run("page.mjs", case, server, answer)


def test_a_sentence_is_heard_and_shown(server, browse):
    seen = browse(server, "speaks")
    assert seen["level"] > QUIET
    assert seen["lit"]
    assert seen["said"] == 12
    assert float(seen["first"]) > 0
    assert float(seen["audio"].split()[0]) > 1
    assert not seen["showsCost"]  # there are no prices
    assert seen["characters"] == "61"
    assert seen["events"] == ["sent", "started", "audio", "complete", "final", "closed"]
    assert int(seen["messages"]) > 5


def test_a_cost_is_shown_with_its_currency(start_server, browse):
    server = start_server(config="[prices]\ncurrency = usd\ncents_per_minute = 60\n")
    seen = browse(server, "speaks")
    assert seen["showsCost"]
    cents, currency = seen["cost"].split(" ", 1)
    assert float(cents) > 0 and currency == "USD cents"


def test_text_can_be_typed_at_the_speed_of_a_model(server, browse):
    seen = browse(server, "types_at_the_speed_of_a_model")
    assert len(seen["sent"]) > 5
    assert not any("flush" in line for line in seen["sent"])  # it is heard while it is written


def test_stop_is_a_barge_in(server, browse):
    seen = browse(server, "stops")
    assert seen["stop"].endswith(" ms")
    assert seen["state"] == "Stopped"
    assert not seen["isPlaying"]
    assert seen["sources"] == 0
    assert seen["heardSince"] == 0


def test_what_came_before_a_connection_was_lost_can_be_stopped(server, browse):
    seen = browse(server, "stops_what_is_left_of_a_lost_connection")
    assert "connection was closed" in seen["notice"]
    assert seen["canStop"]
    assert seen["state"] == "Stopped"
    assert not seen["isPlaying"]


def test_voice_format_and_speed_can_be_chosen(server, browse):
    seen = browse(server, "speaks_another_voice_format_and_speed")
    assert seen["level"] > QUIET
    assert seen["rate"] == 8000
    assert f'"voice_id":{seen["voice"]},"output_format":"ulaw_8000","speed":1.2' in seen["sent"]


def test_what_is_wrong_with_a_key_is_said(server, browse):
    seen = browse(server, "says_what_is_wrong_with_the_key")
    assert "make run" in seen["without"]
    assert "A key is needed" in seen["speaking"]
    assert seen["isHidden"]
    assert seen["key"] == server.key
    assert seen["fromAddress"] == "ka_of_another_day"
    assert "ka_" not in seen["address"]


def test_a_text_that_is_too_long_or_empty_is_refused_in_words(server, browse):
    seen = browse(server, "says_that_a_text_is_too_long_or_empty")
    assert "nothing to say" in seen["empty"]
    assert "100,000" in seen["long"]


def test_a_hundred_thousand_characters_are_spoken(server, browse):
    seen = browse(server, "speaks_a_hundred_thousand_characters")
    assert seen["level"] > QUIET
    assert seen["count"] == "99,990 characters"
    assert seen["sources"] < 100  # the browser has ten seconds of it, not all that came
    assert seen["height"] < 300  # what is below it stays in sight


def test_a_voice_that_is_gone_is_told_and_leaves_the_list(server, browse):
    seen = browse(server, "says_that_a_voice_is_gone")
    assert "not there any more" in seen["notice"]
    assert seen["voice"] != "999999"
    assert seen["talking"] == seen["notice"]


def test_blocked_sound_is_told(server, browse):
    seen = browse(server, "says_that_sound_is_blocked")
    assert "keeps the page silent" in seen["notice"]
    assert "keeps the page silent" in seen["without"]


def test_a_server_that_goes_away_and_comes_back_is_noticed(start_server, browse):
    first = start_server(port=free_port())
    started = []

    def answer(word):
        if word == "stop":
            first.stop()
        else:
            started.append(start_server(port=first.port, data=first.data))

    seen = browse(first, "waits_for_a_server_that_went_away", answer)
    assert len(started) == 1
    assert seen["heard"]
    assert seen["isBack"]


def test_two_contexts_speak_at_once(server, browse):
    seen = browse(server, "lets_two_speak_at_once")
    assert all(seconds > 1 for seconds in seen["seconds"])


def test_two_voices_take_double_clicks_stops_and_mistakes(server, browse):
    seen = browse(server, "takes_what_people_do_with_two_voices")
    assert seen["notice"] == ""
    assert "not there any more" in seen["gone"]
    assert seen["stillGone"] == seen["gone"]


def test_an_agent_answers_aloud(server, browse):
    seen = browse(server, "talks_with_an_agent")
    assert seen["answer"]
    assert seen["level"] > QUIET


def test_a_sentence_before_the_last_was_answered_takes_its_place(server, browse):
    seen = browse(server, "hears_two_sentences_at_once")
    assert seen["level"] > QUIET
    assert sorted(seen["sockets"]) == ["/ws/talk/echo", "/ws/talk/echo", "/ws/tts/stream"]
    assert [who for who, _ in seen["turns"]] == ["user", "user", "agent"]
    assert "evening" in seen["turns"][2][1]
    assert seen["notice"] == ""
    assert seen["last"] == "You said: Are you there?"


def agent(name, llm):
    return (f"[agent {name}]\napi_key = sk_0123456789\nllm_url = {llm.url}\n"
            "llm_model = fault=endless,delay_ms=20\n")


def test_stop_ends_the_words_of_an_agent_too(start_server, browse):
    with FakeLlm() as llm:
        seen = browse(start_server(config=agent("talker", llm)), "stops_an_agent_that_writes",
                      lambda _: wait_until(lambda: llm.requests[0].closed_at,
                                           "the model's stream is closed"))
    assert seen["state"] == "Stopped"
    assert seen["stopped"]
    assert seen["turns"] == ["user", "agent cut", "user", "agent"]


def test_an_agent_that_is_gone_is_told_and_leaves_the_list(start_server, browse):
    with FakeLlm() as llm:
        server = start_server(config=agent("old", llm))

        def rename(_):
            server.config_path.write_text(agent("new", llm))
            server.process.send_signal(signal.SIGHUP)
            server.wait_for_log("SIGHUP: 1 agent")

        seen = browse(server, "says_that_an_agent_is_gone", rename)
    assert seen["agents"] == ["new"]
    assert seen["state"] == ""


def test_what_a_key_may_not_do_is_said(start_server, browse):
    server = start_server()
    server.key = server.new_key("--scopes", "read")
    assert "scope “speak”" in browse(server, "says_that_a_key_may_not")["notice"]


def test_a_connection_too_many_is_not_called_a_wrong_key(start_server, browse):
    server = start_server()
    server.key = server.new_key("--connections", "1")
    assert "too many are open" in browse(server, "says_why_a_connection_is_refused")["notice"]


def test_voices_are_grouped_by_their_language(server, browse):
    seen = browse(server, "lists_voices_by_language")
    groups = seen["lists"][0]
    assert groups[0][:2] == ["English", ["en"]]  # as the server sorts them
    assert ["German", ["de"], 2] in groups
    assert len({label for label, _, _ in groups}) == len(groups)
    assert all(groups == other for other in seen["lists"])
    assert seen["left"] != seen["right"]
    names = dict(seen["names"])
    assert names["1071"] == "Sally (1071, stand-in)"  # the neural voice is not installed
    assert names["1073"] == "Alan (1073)"


def test_the_next_text_does_not_wait_for_the_last(server, browse):
    seen = browse(server, "speaks_something_else_at_once")
    assert seen["texts"] == ["Another text."]
    assert seen["seconds"] > 0.3


def test_a_stop_may_cross_the_end(server, browse):
    seen = browse(server, "stops_what_has_just_ended")
    assert seen["state"] == "Stopped"
    assert seen["seconds"] > 1


def test_the_keyboard_is_enough(server, browse):
    seen = browse(server, "can_be_used_by_keyboard_alone")
    assert seen["tab"] == "tab-listen"
    assert seen["codeTab"] == "curl" and seen["code"].startswith("curl")
    assert seen["unnamed"] == []


def test_a_phone_shows_all_of_it(server, browse):
    seen = browse(server, "fits_a_phone_and_the_dark")
    assert seen["overflow"] <= 0
    assert seen["ground"] == "rgb(20, 24, 26)"


def test_code_that_it_shows_runs(server, browse, tmp_path):
    code = browse(server, "shows_code_that_can_be_pasted")["code"]
    script = tmp_path / "code.py"
    script.write_text(code["python"].replace("KEY", server.key))
    subprocess.run(["/usr/bin/python3", script], cwd=tmp_path, check=True, timeout=WAIT_S * 2)
    spoken = (tmp_path / "speech.raw").stat().st_size
    assert spoken > 24000
    subprocess.run(["sh", "-c", code["curl"].replace("KEY", server.key)], cwd=tmp_path, check=True,
                   timeout=WAIT_S * 2, stderr=subprocess.DEVNULL)
    assert read_wav_rate(tmp_path / "speech.wav") == 24000
    subprocess.run(["sh", "-c", code["telephone"].replace("KEY", server.key)], cwd=tmp_path,
                   check=True, timeout=WAIT_S * 2, stderr=subprocess.DEVNULL)
    assert read_wav_rate(tmp_path / "speech.wav") == 8000
    assert '\\"' not in code["javascript"]
    assert "It's “quoted” \\\\ here." in code["javascript"]


def read_wav_rate(path):
    head = path.read_bytes()[:28]
    assert head[:4] == b"RIFF"
    return int.from_bytes(head[24:28], "little")


# Who may use the server from a web page

def ask(server, method="GET", path="/health", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_the_page_has_a_strict_policy(server):
    answer, body = ask(server, path="/")
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy and "*" not in policy and "http" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert b"<script>" not in body and b" style=" not in body and b" onclick" not in body
    assert ask(server, path="/web/nothing.js")[0].status == 404


def test_a_strangers_name_does_not_lead_here(server):
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1.evil.example"):
        for path in ("/", "/health", "/ws/tts/stream"):
            answer, body = ask(server, path=path, Host=host)
            assert answer.status == 403
            assert b"server.hosts" in body
    assert ask(server, Host=f"localhost:{server.port}")[0].status == 200


def test_a_strangers_page_is_refused(server):
    answer, body = ask(server, path="/v1/models", Origin="https://evil.example")
    assert answer.status == 403
    assert b"server.origins" in body
    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize("origin", ["http://evil/.localhost", "http://localhost:evil.com",
                                    "http://evil@localhost", "http://localhost/", "null"])
def test_what_is_no_origin_is_refused(server, origin):
    answer, _ = ask(server, path="/v1/models", Origin=origin)
    assert answer.status == 403
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_host_that_is_none_does_not_lead_here(server):
    for host in ("evil/.localhost", "localhost:evil.com", "evil@localhost"):
        assert ask(server, path="/health", Host=host)[0].status == 403, host


def test_a_word_in_the_list_that_is_no_origin_is_told_in_the_log(start_server):
    server = start_server({"server.origins": "https://app.example https://b.example/"})
    server.wait_for_log(r'server\.origins: no page sends "https://b\.example/"')
    assert ask(server, path="/v1/models", Origin="https://app.example:443")[0].status == 200


def test_pages_that_are_named_are_let_in(start_server):
    server = start_server({"server.origins": "https://app.example"})
    answer, _ = ask(server, path="/v1/models", Origin="https://app.example")
    assert answer.status == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example"
    assert answer.headers["Vary"] == "Origin"
    answer, _ = ask(server, "OPTIONS", "/v1/tts/generate", Origin="https://app.example",
                    Access_Control_Request_Method="POST",
                    Access_Control_Request_Headers="x-api-key,content-type")
    assert answer.status == 204
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert answer.headers["Access-Control-Allow-Headers"] == "x-api-key,content-type"
    assert ask(server, Origin="https://other.example")[0].status == 403
