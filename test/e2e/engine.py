"""A speech engine: who connects to an agent with a token and sends transcripts."""

import base64
import hashlib
import hmac
import json
import time

from client import Client

HEADER = "X-Elevenlabs-Speech-Engine-Authorization"
ISSUER = "https://api.elevenlabs.io/convai/speech-engine"
SUBJECT = "convai_speech_engine_upstream"
PATH = "/speech-engine/ws"


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(secret, header, claims):
    """A token of anything, signed with any bytes."""
    text = ".".join(encode(json.dumps(part, separators=(",", ":")).encode())
                    for part in (header, claims))
    return text + "." + encode(hmac.new(secret, text.encode(), hashlib.sha256).digest())


def digest(key):
    return hashlib.sha256(key.encode()).digest()


def claims(**changes):
    """Those of a good token; None takes one out."""
    now = int(time.time())
    good = {"iss": ISSUER, "sub": SUBJECT, "iat": now, "exp": now + 60}
    return {k: v for k, v in (good | changes).items() if v is not None}


def token(key, alg="HS256", **changes):
    return sign(digest(key), {"alg": alg, "typ": "JWT"}, claims(**changes))


def echo_key(server):
    """Of the agent that is there when none is configured."""
    return "speech-engine-" + server.key


def user(text):
    return {"role": "user", "content": text}


def agent(text):
    return {"role": "agent", "content": text}


class Engine(Client):
    """One conversation; token "" sends none."""

    def __init__(self, server, key=None, path=PATH, given=None, headers=None, **options):
        self.path = path
        own = token(key or echo_key(server)) if given is None else given
        super().__init__(server, key=None, headers=({HEADER: own} if own else {}) | (headers or {}),
                         **options)
        self.history = []
        self.event_id = 0

    def say(self, text, event_id=None):
        """A turn of the user, with all that was said before."""
        self.history.append(user(text))
        self.event_id = self.event_id + 1 if event_id is None else event_id
        self.send_transcript(self.history, self.event_id)

    def send_transcript(self, history, *event_id):
        message = {"type": "user_transcript", "user_transcript": history}
        if event_id:
            message["event_id"] = event_id[0]
        self.send(message)

    def receive_response(self):
        """The next frame, which must be of an answer."""
        frame = self.receive()
        assert list(frame) in (["type", "content", "event_id", "is_final"],
                               ["type", "content", "is_final"]), frame
        assert frame["type"] == "agent_response", frame
        return frame

    def read_answer(self):
        """Its text; every frame must have the current id, and the final be empty."""
        text = ""
        while True:
            frame = self.receive_response()
            assert frame["event_id"] == self.event_id, frame
            if frame["is_final"]:
                assert frame["content"] == ""
                self.history.append(agent(text))
                return text
            assert frame["content"]
            text += frame["content"]

    def ask(self, text):
        self.say(text)
        return self.read_answer()

    def ping(self):
        self.send({"type": "ping"})
        assert self.receive() == {"type": "pong"}

    def end(self):
        self.send({"type": "close"})
        self.expect_close(1000)
