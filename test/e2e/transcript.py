"""What a client receives, written down so that two runs can be compared.

A Transcript records HTTP answers and WebSocket frames as lines of text, in the order in which they
were received.  What differs from run to run (ids, keys, times, ports) is replaced by a placeholder; all
else, such as the order of keys, the case of headers and the form of numbers, is kept as it was sent.
Audio is replaced by its length, and by its SHA-256 where every machine makes the same samples: that
excludes lossy encodings, resampling and changes of speed, which use the instructions of the processor.
transcripts/README explains the notation.
"""

import base64
import difflib
import hashlib
import http.client
import json
import os
import pathlib
import re
import socket

from client import Client, Closed, Refused
from program import WAIT_S
from rest import Rest
from websockets.connection import State
from websockets.frames import Frame, Opcode

FOLDER = pathlib.Path(__file__).resolve().parent / "transcripts"
UPDATE = "SYRINX_UPDATE_TRANSCRIPTS"

AGENT_KEY = "sk_transcripts_0123456789"
CONFIG = f"""
[plan small]
turns = 1
text_max = 20

[agent one]
path = /one
api_key = {AGENT_KEY}
llm = echo
language = en

[agent broken]
path = /broken
api_key = {AGENT_KEY}
llm_url = http://127.0.0.1:1/v1/chat/completions
llm_model = none
retries = 0
fallback_text = Please say that again.
"""
SETTINGS = {
    "speech.test_hooks": "on", "speech.repeatable": "on", "prices.cents_per_minute": "6",
    "server.origins": "https://page.example"}
SCOPES = ("speak", "read", "dictionaries", "voices", "admin")
# What may be no good for a field, whatever it is.
TEXTS = [7, True, [], {}, None, "", "\x01", "y" * 20001]
CHOICES = [7, True, [], {}, None, "", "nonsense"]
NUMBERS = ["x", "", True, [], {}, None, -1e9, 1e99, 1.5]
TRUTHS = [7, "x", [], {}, None]
LISTS = [7, "x", True, {}, None, [7], ["x"], [None], [[]]]
OBJECTS = [7, "x", True, [], None, {"x": 1}]

PLACEHOLDERS = [(re.compile(pattern), placeholder) for pattern, placeholder in (
    (r"req_[0-9a-f]{16}", "REQUEST"),
    (r"conv_[0-9a-z]{26}", "CONVERSATION"),
    (r"\bk[at]_[A-Za-z0-9_-]{40,}", "KEY"),
    (r"\beyJ[\w-]+\.[\w.-]+", "TOKEN"),
    (r"\b[0-9a-f]{32}\b", "TURN"),
    (r'(?:"TURN",){9,}', '"TURNS",'),
    (r'((?i:retry[-_]after"?|x-ratelimit-reset): ?)\d\d+', r"\1SECONDS"),
    (r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)", "TIME"),
    (r"Date: [^|]+ GMT", "Date: NOW"),
    (r'("last_used_at":)(?:null|"TIME")', r"\1USED"),  # the store hears of it later
    (r"\b20\d\d-\d\d-\d\d\b", "DAY"),
    (r"\b1[789]\d{11}\b", "UNIX_MS"),
    (r"\b1[789]\d{8}\b", "UNIX_S"),
    (r"(total;dur=)[\d.]+", r"\1MS"),
    (r'("(?:gen_ms|rtf|ttfa_ms|time_ms|processing_ms)":)[\d.eE+-]+', r"\1N"),
    (r"(?i)((?:sec-websocket-accept|etag): )[^ |]+", r"\1HASH"),
)]

# Headers that nearly every answer has, in their order, and how they are abbreviated.
HEADS = {"JSON": "Date: NOW | x-request-id: REQUEST | server-timing: total;dur=MS |"
                 " Content-Length: BODY | Content-Type: application/json",
         "JSON+": "Date: NOW | x-request-id: REQUEST | server-timing: total;dur=MS |"
                  " request-id: REQUEST | Content-Length: BODY | Content-Type: application/json",
         "SOCKET": "Date: NOW | X-KugelAudio-AI-Generated: true | x-request-id: REQUEST |"
                   " Upgrade: websocket | Connection: Upgrade | Sec-WebSocket-Accept: HASH"}


def describe(data, is_exact):
    """Bytes, by what is the same on every machine."""
    name = f"{len(data)} bytes"
    return name + (" sha256 " + hashlib.sha256(data).hexdigest()[:16] if is_exact else "")


def compact(message):
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


class Transcript:
    """Lines of one golden file."""

    def __init__(self, server, name):
        self.server = server
        self.name = name
        self.lines = []
        self.names = {}  # texts of this run, and their placeholders
        self.hide(server.key, "KEY")
        self.hide(server.key[:8], "PREFIX")
        self.hide(f"127.0.0.1:{server.port}", "HOST")

    def hide(self, text, placeholder):
        self.names[text] = placeholder
        return text

    def manage(self, method, path, body=None):
        """Does something as the operator, which is not recorded."""
        with Rest(self.server, root="/v1/admin") as rest:
            status, answer = rest.ask(method, path, body)
        assert status in (200, 201), answer
        return answer

    def new_key(self, *scopes, **fields):
        made = self.manage("POST", "/keys", fields | ({"scopes": scopes} if scopes else {}))
        self.server.secrets.append(made["key"])
        self.hide(made["key"], "KEY")
        self.hide(made["prefix"], "PREFIX")
        return made["key"]

    def new_account(self, name, **fields):
        """A key of an account of its own."""
        return self.new_key(account_id=self.manage("POST", "/accounts", {"name": name} | fields)["id"])

    def normal(self, text):
        for own, placeholder in self.names.items():
            text = text.replace(own, placeholder)
        for pattern, placeholder in PLACEHOLDERS:
            text = pattern.sub(placeholder, text)
        return text

    def add(self, mark, text):
        self.lines.append(mark + " " + self.normal(text))

    def title(self, text):
        self.lines += ["", "# " + text]

    def hide_audio(self, text, is_exact):
        """A JSON text, with its audio described."""
        def replace(found):
            data = base64.b64decode(found[2], validate=True)
            return f'{found[1]}"<{describe(data, is_exact)}>"'

        return re.sub(r'("audio(?:_base64)?":)"([A-Za-z0-9+/]{16,}=*)"', replace, text)

    # HTTP

    def call(self, method, path, body=None, key="", headers=None, note="", is_exact=True, shown=None,
             length=None):
        """One request on a connection of its own; gives its status and its body, as JSON if it is
        that.  A body is JSON, or bytes as they are sent."""
        sent = body if body is None or isinstance(body, bytes) else compact(body).encode()
        carried = {"Authorization": "Bearer " + (key or self.server.key)} if key is not None else {}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=WAIT_S)
        try:
            connection.putrequest(method, path, skip_host="Host" in (headers or {}),
                                  skip_accept_encoding=True)
            if length is not None or sent is not None:
                connection.putheader("Content-Length", str(len(sent) if length is None else length))
            for name, value in (carried | (headers or {})).items():
                connection.putheader(name, value)
            connection.endheaders(sent)
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        said = "" if sent is None else sent.decode("utf-8", "replace").replace("\r\n", "\\r\\n")
        if len(said) > 300:
            said = f"{said[:60]}… ({len(sent)} bytes)"
        told = "".join(f" {name}: {value[:300]}" for name, value in (headers or {}).items())
        self.add(">", f"{method} {path}{told} {said}".rstrip() + (f"  ({note})" if note else ""))
        self.add_head(answer.status, answer.getheaders(), data, shown)
        self.add_body(answer.getheader("content-type", ""), data, is_exact, shown)
        return answer.status, json.loads(data) if data[:1] in (b"{", b"[") and data[-1:] in b"}]" \
            and b"\n{" not in data else data

    def add_head(self, status, headers, data, shown=None):
        """The length is left out where the body shows it."""
        is_known = shown or ("Content-Length", str(len(data))) in headers
        text = self.normal(" | ".join(
            f"{name}: {'BODY' if is_known and name == 'Content-Length' else value}"
            for name, value in headers))
        for name, head in HEADS.items():
            text = name if text == head else text
        self.lines.append(f"< {status} {text}")

    def add_body(self, kind, data, is_exact, shown):
        if shown is not None:
            self.lines += ["  " + line for line in shown(data)]
        elif re.match(r"application/(json|x-ndjson)|text/", kind):
            lines = [self.normal(self.hide_audio(line, is_exact)) for line in data.decode().splitlines()]
            if len(lines) == 1:
                self.lines[-1] += " " + lines[0]
            else:
                self.lines += ["  " + line for line in lines]
        elif data:
            self.lines[-1] += " <" + describe(data, is_exact) + ">"

    def brief(self, method, path, body, **options):
        """As call, in one line, for calls of which there are many: without headers, and of a success
        only the status."""
        lines, self.lines = self.lines, []
        try:
            status, _ = self.call(method, path, body, **options)
            sent, head, *_ = self.lines
        finally:
            self.lines = lines
        body = head[head.index("{"):] if status >= 400 else ""
        self.lines.append(f"{sent} -> {status} {body}".rstrip())
        return status

    def try_fields(self, method, path, base, values):
        """Values of each field in turn, in a body that is good without them; a callable base gives
        a new one each time."""
        for name, tried in values.items():
            for value in tried:
                made = base() if callable(base) else base
                self.brief(method, path, made | {name: value})

    # WebSockets

    def open(self, path, note="", **options):
        """A connection whose handshake is recorded; None if it is refused."""
        told = "".join(f" {name}: {value}" for name, value in options.get("headers", {}).items())
        query = "?" + options["query"] if options.get("query") else ""
        self.add(">", f"WEBSOCKET {path}{query}{told}" + (f"  ({note})" if note else ""))
        try:
            return Tap(self, path, **options)
        except Refused as refused:
            self.add_head(refused.status, refused.raw_headers, refused.data)
            self.add_body("application/json", refused.data, False, None)
            return None

    # The golden file

    def check(self):
        """Compares with the golden file, or writes it."""
        path = FOLDER / (self.name + ".txt")
        text = "\n".join(self.lines).lstrip("\n") + "\n"
        if os.environ.get(UPDATE):
            path.write_text(text, encoding="utf-8")
            return
        golden = path.read_text(encoding="utf-8") if path.exists() else ""
        if text != golden:
            diff = difflib.unified_diff(golden.splitlines(), text.splitlines(),
                                        f"transcripts/{path.name}", "this server", lineterm="")
            raise AssertionError(f"clients receive something else ({UPDATE}=1 accepts it):\n"
                                 + "\n".join(diff))


class Tap(Client):
    """A connection that records what is sent and received.  Frames are texts, as they came."""

    def __init__(self, transcript, path, is_exact=True, **options):
        self.transcript = transcript
        self.path = path
        self.is_exact = is_exact
        self.run = None  # of audio frames: what is alike, where its line ends, those after the first
        super().__init__(transcript.server, **options)
        transcript.add_head(101, list(self.response_headers.raw_items()), b"")

    def shake_hands(self, headers):
        try:
            super().shake_hands(headers)
        except Refused as refused:
            answer = self.protocol.handshake_exc.response
            refused.raw_headers = list(answer.headers.raw_items())
            refused.data = answer.body or b""
            raise

    def pull(self):
        """As Client.pull, but keeps texts as they are."""
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        except socket.timeout as error:
            last = self.transcript.lines[-5:]
            raise AssertionError(f"nothing came for {WAIT_S} s after {last}") from error
        if data:
            self.protocol.receive_data(data)
        else:
            self.protocol.receive_eof()
            self.has_ended = True
        self.push()
        for event in self.protocol.events_received():
            if not isinstance(event, Frame):
                self.response = event
            elif event.opcode is Opcode.TEXT:
                self.waiting.append(event.data.decode())
            elif event.opcode is Opcode.PONG:
                self.waiting.append(None)
            elif event.opcode is Opcode.BINARY:
                self.waiting.append("binary " + describe(event.data, False))

    def say(self, message, shown=None):
        """Sends a message: an object, or text as it is."""
        text = message if isinstance(message, str) else compact(message)
        self.transcript.add(">", shown or text)
        self.send_text(text)

    def hear(self, *patterns):
        """Records frames up to the first in which one of the patterns is found, or up to the close."""
        while True:
            try:
                text = self.receive()
            except Closed as closed:
                self.add_close(closed)
                return None
            if text is None:
                if not patterns:
                    return None
                continue
            self.add_frame(text)
            if any(re.search(pattern, text) for pattern in patterns):
                return text

    def add_frame(self, text):
        """Of audio frames that follow each other and are alike, all but the first are one line."""
        is_exact = self.is_exact and ('"sr":' not in text or '"sr":24000' in text)
        found = re.search(r'"audio":"([A-Za-z0-9+/=]{16,})"', text)
        alike = found and re.sub(r'"(audio|idx|samples)":("[^"]*"|\d+)', r'"\1":', text)
        lines = self.transcript.lines
        if found and self.run and self.run[0] == alike and self.run[1] == len(lines):
            _, _, more = self.run
            if more:
                lines.pop()
            more.append((base64.b64decode(found[1]), re.findall(r'"(?:idx|samples)":(\d+)', text)))
            digest = hashlib.sha256(b"".join(data for data, _ in more)).hexdigest()[:16]
            lines.append("< " + ", ".join("/".join([str(len(data)), *numbers])
                                          for data, numbers in more)
                         + (" sha256 " + digest if is_exact else ""))
            self.run = (alike, len(lines), more)
            return
        self.transcript.add("<", self.transcript.hide_audio(text, is_exact))
        self.run = (alike, len(lines), []) if found else None

    def add_close(self, closed):
        self.transcript.add("<", f"close {closed.code} {closed.reason}".rstrip())

    def settle(self):
        """Records what comes before the answer to a ping: all that is answered at once."""
        if self.protocol.state is State.OPEN:
            self.protocol.send_ping(b"x")
            self.push()
        self.hear()

    def ask(self, message, *patterns, shown=None):
        """A message, and what it is answered with."""
        self.say(message, shown)
        if patterns:
            return self.hear(*patterns)
        return self.settle()

    def probe(self, message):
        """As ask, in one line, for messages of which there are many."""
        lines, self.transcript.lines = self.transcript.lines, []
        try:
            self.ask(message)
            sent, *told = self.transcript.lines
        finally:
            self.transcript.lines = lines
        lines.append(sent + " -> " + (" ".join(line[2:] for line in told) or "nothing"))

    def probe_fields(self, values, base=None):
        for name, tried in values.items():
            for value in tried:
                self.probe((base or {}) | {name: value})

    def gather(self, pattern, count):
        """Records frames up to the last of those in which the pattern is found; the frames of each
        context together, since contexts speak at the same time."""
        frames = []
        while sum(bool(re.search(pattern, text)) for text in frames) < count:
            frames += filter(None, [self.receive()])
        for text in sorted(frames, key=lambda text: re.findall(r'"context_?[iI]d":"([^"]*)"', text)):
            self.add_frame(text)

    def end(self):
        """Records the rest, up to the server's close."""
        self.hear(r"(?!)")
        self.socket.close()
