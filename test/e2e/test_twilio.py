"""A telephone call of Twilio: its webhook, and its Media Stream as its documentation describes it.

Signatures are made here, by their definition.  The phone plays what it receives at the speed of a
telephone and returns marks when they were played, as Twilio does; the caller's words are beeps (beeps.py).
"""

import base64
import hashlib
import hmac
import http.client
import time
import urllib.parse
import xml.etree.ElementTree

import pytest
from beeps import beeps, put_engines
from client import Client, Closed, Refused
from decode import decode_mulaw
from program import WAIT_S, Server, create_key, syrinx

TOKEN = "12345678901234567890123456789012"
STREAM = "MZ18ad3ab5a668481ce02b83e7395059f0"
CALL = {"CallSid": "CA0123", "From": "+15550100", "To": "+15550199", "Direction": "inbound",
        "CallerName": "O'Neil & Söhne", "ForwardedFrom": ""}
RATE = 8000
FRAME_S, FRAME = 0.02, 160  # of a message
CONFIG = """
[calls]
max = 2
[agent anna]
path = /anna
api_key = k
llm = echo
voice = 1
twilio_token = env:TWILIO_TOKEN_OF_TESTS
account_key = {key}
first_message = Hello {{{{caller_id}}}}. {more}
[agent bert]
path = /bert
api_key = k
llm = echo
"""
# The agent says this while it is interrupted.
LONG = "This is a very long message, and it goes on. " * 8


def sign(url, params=None, token=TOKEN):
    text = url + "".join(name + value for name, value in sorted((params or {}).items()))
    return base64.b64encode(hmac.new(token.encode(), text.encode(), hashlib.sha1).digest()).decode()


def encode_mulaw(sample):
    """The inverse of decode_mulaw."""
    sign_bit = 0x80 if sample < 0 else 0
    magnitude = min(abs(sample), 32635) + 0x84
    exponent = max(magnitude.bit_length() - 8, 0)
    return ~(sign_bit | exponent << 4 | (magnitude >> exponent + 3) & 0x0F) & 0xFF


SILENCE = bytes([encode_mulaw(0)]) * FRAME


def start(folder, monkeypatch, more="", settings=None):
    monkeypatch.setenv("TWILIO_TOKEN_OF_TESTS", TOKEN)
    key = create_key(folder / "data", "--create", "--name", "telephone")
    server = Server(folder, {"speech.engines_dir": put_engines(folder / "engines")}
                    | (settings or {}), config=CONFIG.format(key=key, more=more))
    server.secrets += [key, TOKEN]
    return server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        server = start(tmp_path_factory.mktemp("twilio"), monkeypatch)
    yield server
    server.stop()


def url_of(server, agent="anna", scheme="http"):
    return f"{scheme}://127.0.0.1:{server.port}/twilio/{agent}"


def call_in(server, params=None, signature=None, agent="anna", headers=None):
    """The answer to Twilio's question what to do with a call."""
    params = CALL if params is None else params
    signature = signature or sign(url_of(server, agent), params)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S)
    try:
        connection.request("POST", f"/twilio/{agent}", urllib.parse.urlencode(params), {
            "Content-Type": "application/x-www-form-urlencoded",
            "X-Twilio-Signature": signature} | (headers or {}))
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


class Phone(Client):
    """Twilio's end of a Media Stream.  `marks` are those that were played, `clears` how often what was
    left of the sound was dropped, `heard` is all sound that came."""

    def __init__(self, server, url=None, agent="anna", signature=None, headers=None):
        self.path = f"/twilio/{agent}"
        url = url or url_of(server, agent, "ws")
        super().__init__(server, key=None, headers={"X-Twilio-Signature": signature or sign(url)}
                         | (headers or {}))
        self.number = 0
        self.heard = b""
        self.marks, self.clears = [], 0
        self.queue = []  # bytes to be played, and names of marks
        self.words = b""  # of the caller, which were not sent yet
        self.due = time.monotonic()

    def tell(self, event, **fields):
        self.number += 1
        self.send({"event": event, "sequenceNumber": str(self.number), "streamSid": STREAM} | fields)

    def media(self, payload=SILENCE):
        self.tell("media", media={"track": "inbound", "chunk": str(self.number),
                                  "timestamp": str(20 * self.number),
                                  "payload": base64.b64encode(payload).decode()})

    def begin(self, parameters):
        self.send({"event": "connected", "protocol": "Call", "version": "1.0.0"})
        self.media()  # sound may come first
        self.tell("start", start={
            "streamSid": STREAM, "accountSid": "AC1", "callSid": CALL["CallSid"],
            "tracks": ["inbound"], "customParameters": parameters,
            "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": RATE, "channels": 1}})

    def say(self, count):
        self.words += bytes(encode_mulaw(s) for s in beeps(count, RATE, before=0.1, after=0.0))

    def take(self, message):
        assert message["streamSid"] == STREAM, message
        if message["event"] == "media":
            assert set(message["media"]) == {"payload"}
            sound = base64.b64decode(message["media"]["payload"], validate=True)
            self.heard += sound
            self.queue.append(sound)
        elif message["event"] == "mark":
            self.queue.append(message["mark"]["name"])
        else:
            assert message["event"] == "clear", message
            self.clears += 1
            names = [item for item in self.queue if isinstance(item, str)]
            self.queue = []
            self.return_marks(names)

    def return_marks(self, names):
        for name in names:
            self.marks.append(name)
            self.tell("mark", mark={"name": name})

    def play(self):
        """Twenty milliseconds of what was received."""
        left = FRAME
        while self.queue and left > 0:
            item = self.queue.pop(0)
            if isinstance(item, str):
                self.return_marks([item])
            elif len(item) > left:
                self.queue.insert(0, item[left:])
                left = 0
            else:
                left -= len(item)

    def tick(self):
        """Twenty milliseconds of the call, in both directions."""
        frame, self.words = self.words[:FRAME], self.words[FRAME:]
        self.media(frame + SILENCE[len(frame):])
        self.play()
        self.due += FRAME_S
        while self.can_read(max(self.due - time.monotonic(), 0)):
            self.take(self.receive())

    def until(self, condition, what):
        deadline = time.monotonic() + WAIT_S
        while not condition():
            assert time.monotonic() < deadline, "waited in vain until " + what
            self.tick()


def loudest(sound):
    return max(abs(decode_mulaw(byte)) for byte in sound)


def connect(server):
    """A call that has begun, as Twilio begins it: with what the webhook has answered."""
    status, body = call_in(server)
    assert status == 200, body
    stream = xml.etree.ElementTree.fromstring(body).find("./Connect/Stream")
    assert stream.get("url") == url_of(server, scheme="ws")
    phone = Phone(server, url=stream.get("url"))
    phone.begin({p.get("name"): p.get("value") for p in stream.findall("Parameter")})
    return phone


# A call

def test_call_is_answered_and_heard(server):
    rows = len(server.ledger())
    with connect(server) as phone:
        phone.until(lambda: phone.marks and not phone.queue, "the first message was played")
        greeting = len(phone.heard)
        assert loudest(phone.heard) > 1000
        assert greeting > RATE / 2  # "Hello" and a number
        phone.say(3)
        phone.until(lambda: len(phone.heard) > greeting + RATE / 2 and not phone.queue,
                    "the echo was played")
        assert phone.clears == 0
        assert len(phone.marks) == len(set(phone.marks))
        phone.tell("dtmf", dtmf={"track": "inbound_track", "digit": "1"})
        phone.tell("mark", mark={"name": "not ours"})
        phone.tell("stop", stop={"accountSid": "AC1", "callSid": CALL["CallSid"]})
        with pytest.raises(Closed) as closed:
            while True:
                phone.take(phone.receive())
        assert closed.value.code == 1000
    server.wait_for_log(r"call: conv_\w+ has ended: code=1000 turns=\d+")
    assert len(server.wait_for_ledger(rows + 2)) >= rows + 2  # the account pays for what was said


def test_caller_interrupts(tmp_path, monkeypatch):
    server = start(tmp_path, monkeypatch, more=LONG)
    try:
        with connect(server) as phone:
            phone.until(lambda: len(phone.heard) > RATE, "the agent speaks")
            phone.say(6)
            phone.until(lambda: phone.clears, "the agent is interrupted")
            heard = len(phone.heard)
            assert heard < 12 * RATE  # of a message that is much longer
            phone.until(lambda: len(phone.heard) > heard + RATE / 2, "the answer is spoken")
            phone.tell("stop", stop={})
    finally:
        server.stop()


def test_lines_may_be_busy(server):
    with connect(server), connect(server):
        status, body = call_in(server)
        assert status == 200
        reject = xml.etree.ElementTree.fromstring(body).find("./Reject")
        assert reject.get("reason") == "busy" and "Stream" not in body
        with pytest.raises(Refused) as refused:
            Phone(server)
        assert refused.value.status == 503 and "calls.max" in refused.value.body["error"]


# The answer to a call

def test_answer_has_the_parameters_of_the_call(server):
    status, body = call_in(server, CALL | {"From": 'sip:"<a>&b@example.org'})
    stream = xml.etree.ElementTree.fromstring(body).find("./Connect/Stream")
    assert status == 200
    assert {p.get("name"): p.get("value") for p in stream} == {
        "caller_id": 'sip:"<a>&b@example.org', "called_number": "+15550199",
        "call_sid": "CA0123"}


def test_url_is_that_of_the_proxy(server):
    url = f"https://127.0.0.1:{server.port}/twilio/anna"
    status, body = call_in(server, signature=sign(url, CALL), headers={"X-Forwarded-Proto": "https"})
    assert status == 200 and f'"wss://127.0.0.1:{server.port}/twilio/anna"' in body
    Phone(server, url="wss" + url[len("https"):], headers={"X-Forwarded-Proto": "https"}).socket.close()


def test_public_url_replaces_that_of_the_request(tmp_path, monkeypatch):
    server = start(tmp_path, monkeypatch,
                   settings={"server.public_url": "https://voice.example.com"})
    try:
        url = "https://voice.example.com/twilio/anna"
        status, body = call_in(server, signature=sign(url, CALL))
        assert status == 200 and 'url="wss://voice.example.com/twilio/anna"' in body
        assert call_in(server)[0] == 403
        Phone(server, url="wss://voice.example.com/twilio/anna").socket.close()
    finally:
        server.stop()


# Others than Twilio

def test_other_signatures_are_refused(server):
    url = url_of(server)
    for signature in (sign(url, CALL, "another token"), sign(url), sign(url + "/", CALL),
                      sign(url, CALL | {"From": "+1"}), "x", "a" * 28):
        status, body = call_in(server, signature=signature)
        assert status == 403 and "X-Twilio-Signature" in body
    for signature in (sign(url), sign(url_of(server, "bert", "ws")),
                      sign(url_of(server, scheme="ws"), token="another token")):
        with pytest.raises(Refused) as refused:
            Phone(server, signature=signature)
        assert refused.value.status == 403
    server.wait_for_log(r"twilio: agent anna refuses 127\.0\.0\.1: X-Twilio-Signature does not match")


def test_agent_must_have_a_telephone(server):
    status, body = call_in(server, agent="bert")
    assert status == 404 and "[agent bert] has no twilio_token" in body
    status, body = call_in(server, agent="carl")
    assert status == 404 and "no agent has this name" in body
    for agent in ("bert", "carl"):
        with pytest.raises(Refused) as refused:
            Phone(server, agent=agent)
        assert refused.value.status == 404


def test_check_wants_somebody_who_pays(tmp_path):
    config = tmp_path / "syrinx.conf"
    config.write_text("[agent anna]\napi_key = k\nllm = echo\ntwilio_token = t\n")
    done = syrinx("check", "--config", config)
    assert done.returncode != 0 and b"[agent anna] has a twilio_token" in done.stdout + done.stderr
