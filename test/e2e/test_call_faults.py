"""Calls while something dies beside them: the recognizer in the middle of an utterance, and the developer's
server in the middle of its answer (voice_app.py).  The recognizer is the real one."""

import base64
import os
import signal

import pytest
from callers import RATE, say, start_hearing_server
from client import Client, now
from program import WAIT_S, wait_until
from voice_app import App

EVENTS = ["audio", "user_transcript", "agent_response", "agent_response_correction", "interruption",
          "ping", "vad_score"]
WORDS = "The quick brown fox jumps over the lazy dog."
CHUNK = RATE // 10  # samples


class Caller(Client):
    """The client of a conversation, with a key instead of a signed URL."""

    path = "/v1/convai/conversation"

    def __init__(self, server, agent):
        super().__init__(server, key=None, query=f"agent_id={agent}",
                         headers={"xi-api-key": server.key})
        self.send(type="conversation_initiation_client_data",
                  conversation_config_override={"conversation": {"client_events": EVENTS}})
        first = self.receive()
        assert first["type"] == "conversation_initiation_metadata", first
        self.wait_for("ping")  # from now on, scores are sent

    def speak(self, samples):
        for at in range(0, len(samples), CHUNK):
            audio = samples[at:at + CHUNK].tobytes()
            self.send(user_audio_chunk=base64.b64encode(audio).decode())

    def wait_for(self, kind, fits=lambda message: True):
        deadline = now() + 2 * WAIT_S
        while True:
            while not self.waiting and not self.has_ended:  # the server's pings of WebSockets come as well
                assert now() < deadline, f"no {kind}"
                if self.can_read(1):
                    self.pull()
            message = self.receive()
            assert message["type"] != "error", message
            if message["type"] == kind and fits(message):
                return message


@pytest.fixture(scope="module")
def server(tmp_path_factory, real_models, runtime):
    made = start_hearing_server(tmp_path_factory.mktemp("calls"), real_models, runtime)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def app(server, tmp_path_factory):
    made = App(server, tmp_path_factory.mktemp("app"))
    made.agent = made.engine(asr={"userInputAudioFormat": f"pcm_{RATE}"})
    yield made
    made.kill()


@pytest.fixture(scope="module")
def spoken(server, tmp_path_factory):
    return say(server, tmp_path_factory.mktemp("sound") / "fox.wav", WORDS, before_s=0.5, after_s=4)


def words_of(caller):
    return caller.wait_for("user_transcript")["user_transcription_event"]["user_transcript"]


def is_speech(message):
    return message["vad_score_event"]["vad_score"] > 0.8


def test_words_are_the_same_when_the_recognizer_is_killed_while_they_are_said(server, app, spoken):
    with Caller(server, app.agent) as caller:
        caller.speak(spoken)
        undisturbed = words_of(caller)
    assert "fox" in undisturbed.lower()
    half = RATE * 3 // 2
    with Caller(server, app.agent) as caller:
        caller.speak(spoken[:half])
        caller.wait_for("vad_score", is_speech)
        killed = server.workers("hear")
        assert killed
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not set(killed) & set(server.workers("hear")), "they are gone")
        caller.speak(spoken[half:])
        assert words_of(caller) == undisturbed
        app.wait_for("transcript", words=undisturbed)
        caller.wait_for("audio")


def test_a_server_that_is_killed_while_it_answers_answers_the_next_question(server, app):
    with Caller(server, app.agent) as caller:
        caller.send(type="user_message", text="Tell me a story.")
        caller.wait_for("audio")
        app.restart()
        caller.send(type="user_message", text="And now?")
        caller.wait_for("agent_response", lambda message: message["agent_response_event"][
            "agent_response"] == "You said: And now?")
        caller.wait_for("audio")
    assert app.wait_for("transcript", words="And now?")["history"][0]["content"] == "Tell me a story."
