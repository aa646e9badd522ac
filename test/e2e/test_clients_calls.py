"""Pages on which people talk with an agent, with ElevenLabs' clients in a real browser (browser.py) and a
developer's server with ElevenLabs' library (voice_app.py).

What a page does is in test/clients/browser/conversation.mjs and react.mjs, a case each; here is what it
must be told.  The recognizer is the real one.
"""

import pytest
from callers import say, start_hearing_server
from clients import node_program
from voice_app import App

CONTEXT = "[context] The user looks at the prices."


@pytest.fixture(scope="module")
def server(tmp_path_factory, real_models, runtime):
    made = start_hearing_server(tmp_path_factory.mktemp("calls"), real_models, runtime)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def sound(server, tmp_path_factory):
    """Somebody who asks, and does not wait for the end of a long answer before asking again."""
    path = tmp_path_factory.mktemp("sound") / "caller.wav"
    say(server, path)
    return path


@pytest.fixture(scope="module")
def only_app(server, tmp_path_factory):
    made = App(server, tmp_path_factory.mktemp("app"))
    made.agent = made.engine(name="Open", overrides={"firstMessage": True},
                             cascadeTimeoutSeconds=2)
    made.short = made.engine(name="Short", conversation={"maxDurationSeconds": 1})
    made.closed = made.engine(name="Closed")
    made.wide = made.engine(name="Wide", asr={"userInputAudioFormat": "pcm_24000"})
    yield made
    made.kill()


@pytest.fixture
def app(only_app):
    only_app.forget()
    return only_app


@pytest.fixture
def browse(browser, server, app, sound):
    def run(case, answer=None, script="conversation.mjs"):
        return browser.run(script, case, server, answer, SOUND=str(sound), LOOPS="1", APP=app.url,
                           AGENT=app.agent, SHORT=app.short, CLOSED=app.closed)

    return run


def named(events, name):
    return [data for found, data in events if found == name]


def test_a_caller_talks_and_interrupts(browse, app):
    seen = browse("talks_and_interrupts")
    events = seen["events"]
    assert named(events, "Connect") == [{"conversationId": seen["id"]}]
    assert app.wait_for("init")["id"] == seen["id"]
    assert named(events, "Disconnect")[0]["reason"] == "user"
    # The correction is what was heard: the beginning of what was written.
    correction = named(events, "AgentResponseCorrection")[0]
    heard = correction["corrected_agent_response"].rstrip()
    assert "sentence" in heard and correction["original_agent_response"].startswith(heard)
    assert heard != correction["original_agent_response"].rstrip()
    assert not named(events, "Error"), events
    questions = []
    while not questions or questions[-1]["words"] != "What do you see?":
        questions.append(app.wait_for("transcript"))
    assert questions[0]["history"][0] == {"role": "agent", "content": "Welcome."}
    again = next(q for q in questions[1:] if q["words"] != questions[0]["words"]
                 or len(q["history"]) > len(questions[0]["history"]))
    assert again["history"][-2] == {"role": "agent", "content": correction["corrected_agent_response"]}
    history = [said["content"] for said in questions[-1]["history"]]
    evening = history[history.index("Good evening."):]  # and as much of the answer as was heard
    assert CONTEXT in evening and evening[-1] == "What do you see?"
    app.wait_for("close")
    app.wait_for("disconnect")


def test_a_user_writes_and_sees_words_as_they_come(browse, app):
    events = browse("writes")["events"]
    assert [(m["role"], m["message"]) for m in named(events, "Message")] == [
        ("agent", "Hello in writing."), ("agent", "You said: At once."),
        ("agent", "You said: And now?"), ("agent", "You said: Still there?")]
    parts = named(events, "AgentChatResponsePart")
    assert [part["type"] for part in parts[:3]] == ["start", "delta", "stop"]
    assert parts[1]["text"] == "Hello in writing."
    assert not named(events, "Audio")
    now = app.wait_for("transcript", words="And now?")
    assert [said["content"] for said in now["history"]] == [
        "Hello in writing.", "At once.", "You said: At once.", "[context] It rains.", "And now?"]


def test_a_call_ends_at_its_limit(browse):
    seen = browse("is_ended_by_the_server")
    assert seen["why"] == ""
    assert named(seen["events"], "Disconnect") == [
        {"reason": "error", "message": "The call has reached its maximum duration: at most 1 s"}]


def test_a_page_learns_why_it_is_refused(browse):
    why = browse("is_refused")["why"]
    assert why["first"] == ""
    for case in ("again", "forged", "unknown"):
        assert why[case], case
    assert "override" in why["override"] and "override" in why["prompt"]
    assert "connectionType" in why["webrtc"]


def test_a_call_outlives_a_restart_of_the_developers_server(browse, app):
    events = browse("outlives_the_developers_server", lambda _: app.restart())["events"]
    assert not named(events, "Error")
    after = app.wait_for("transcript", words="After.")
    assert [said["content"] for said in after["history"]] == ["Before.", "You said: Before.", "After."]


def test_a_page_made_with_react_talks(browse):
    lines = browse("talks", script="react.mjs")["lines"]
    assert lines[0].startswith("user: ") and "story" in lines[0]
    assert "agent: You said: Good night." in lines
    assert lines[-1] == "over: user" and not [line for line in lines if line.startswith("error")]


def test_a_program_talks(app, server, sound, tmp_path):
    program = node_program(server, tmp_path, "conversation.mjs")
    told = program.run(app.wide, str(sound))
    assert told["id"].startswith("conv_")
    events = [(name, *data) for name, *data in told["events"]]
    assert not [event for event in events if event[0] == "error"]
    assert events[0] == ("agent", "You said: At once.")
    # On a busy machine the question also interrupts the first answer, which is then corrected, too.
    asked = next(i for i, event in enumerate(events) if event[0] == "user" and "story" in event[1])
    heard = next(event[1] for event in events[asked:] if event[0] == "correction")
    story = next(event[1] for event in events[asked:] if event[0] == "agent" and "sentence number" in event[1])
    assert story.startswith(heard) and heard != story
    night = app.wait_for("transcript", words="Good night.")["history"]
    assert [said["content"] for said in night if "said" not in said["content"]][:1] == ["At once."]
    assert {"role": "agent", "content": heard} in [said | {"content": said["content"].strip()} for said in night]
    assert night[-2]["content"] == "[context] It is late."
    assert program.heard("pcm", 16000) > 1
