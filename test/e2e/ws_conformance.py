"""WebSocket conformance: cases from RFC 6455, run against a listening server.

    ws_conformance.py --spawn ECHO_SERVER        starts it (it prints its port) and runs all cases
    ws_conformance.py HOST:PORT[/PATH]           the same against a server that is there
    --no-echo   leaves out the cases that need every message sent back
    --only TEXT runs the cases whose name holds TEXT

Prints one line per failing case and a count; the status is 1 when any failed.
It speaks bytes, not through a WebSocket library: most cases are what no library would send.
"""

import argparse
import base64
import hashlib
import socket
import struct
import subprocess
import sys
import time

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
WAIT_S = 60.0
MESSAGE_MAX = 1024 * 1024

target = None  # (host, port, path)
cases = []  # (name, needs an echo, function)


class Failure(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Failure(what)


def case(name, echo=True):
    def add(function):
        cases.append((name, echo, function))
        return function

    return add


# -- bytes ---------------------------------------------------------------------------------------


def frame(opcode, payload=b"", fin=True, rsv=0, mask=b"\x37\xfa\x21\x3d", length=None, width=None):
    """One frame; `length` and `width` (0, 2 or 8 bytes) to lie about or pad the length."""
    n = len(payload) if length is None else length
    if width is None:
        width = 0 if n <= 125 else 2 if n <= 0xFFFF else 8
    first = (0x80 if fin else 0) | rsv << 4 | opcode
    short = n if width == 0 else 126 if width == 2 else 127
    head = bytes([first, (0x80 if mask is not None else 0) | short])
    if width:
        head += n.to_bytes(width, "big")
    if mask is None:
        return head + payload
    key = (mask * (len(payload) // 4 + 1))[: len(payload)]
    masked = (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(
        len(payload), "big"
    )
    return head + mask + masked


def close_body(code, reason=b""):
    return struct.pack(">H", code) + reason


class Connection:
    def __init__(self):
        self.sock = socket.create_connection(target[:2], timeout=WAIT_S)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b""

    def send(self, data):
        try:
            self.sock.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server has had enough: what it said is still to be read

    def chop(self, data, size):
        for i in range(0, len(data), size):
            self.send(data[i : i + size])

    def more(self):
        try:
            data = self.sock.recv(1 << 20)
        except socket.timeout:
            raise Failure("nothing came for %g s" % WAIT_S)
        except ConnectionResetError:
            raise Failure("the connection was reset")
        self.bytes += data
        return len(data) > 0

    def take(self, n):
        while len(self.bytes) < n:
            check(self.more(), "the connection ended inside a frame")
        out, self.bytes = self.bytes[:n], self.bytes[n:]
        return out

    def head(self):
        while b"\r\n\r\n" not in self.bytes:
            check(self.more(), "the connection ended before the answer")
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        return head.decode("latin-1")

    def read(self):
        """(opcode, payload) of the next frame, or None at the end; checks what every frame must."""
        if not self.bytes and not self.more():
            return None
        first, second = self.take(2)
        check(first & 0x70 == 0, "a reserved bit is set")
        check(second & 0x80 == 0, "a server's frame is masked")
        n = second & 0x7F
        if n == 126:
            (n,) = struct.unpack(">H", self.take(2))
            check(n > 125, "a length is not in its shortest form")
        elif n == 127:
            (n,) = struct.unpack(">Q", self.take(8))
            check(n > 0xFFFF, "a length is not in its shortest form")
        check(first & 0x80, "the server sent a fragment")
        return first & 0x0F, self.take(n)

    def expect(self, opcode, payload):
        got = self.read()
        check(got is not None, "the connection ended, wanted opcode %d" % opcode)
        check(got[0] == opcode, "opcode %d came, wanted %d" % (got[0], opcode))
        check(got[1] == payload, "the payload of opcode %d is another" % opcode)

    def expect_close(self, code, skip=()):
        """A close frame with this code (None: with no code), then the end of the connection."""
        got = self.read()
        while got is not None and got[0] in skip:
            got = self.read()
        check(got is not None, "no close frame came, wanted %s" % code)
        check(got[0] == CLOSE, "opcode %d came, wanted close %s" % (got[0], code))
        if code is None:
            check(got[1] == b"", "the close frame has a body")
        else:
            check(len(got[1]) >= 2, "the close frame has no code, wanted %d" % code)
            came = struct.unpack(">H", got[1][:2])[0]
            check(came == code, "closed with %d, wanted %d" % (came, code))
            got[1][2:].decode("utf-8")
        self.expect_end()

    def expect_end(self):
        check(self.bytes == b"" and not self.more(), "bytes came after the close frame")

    def expect_alive(self):
        self.send(frame(PING, b"still there?"))
        self.expect(PONG, b"still there?")

    def done(self):
        self.send(frame(CLOSE, close_body(1000)))
        self.expect_close(1000)


def request(changes=None, method="GET", version="HTTP/1.1", extra=b"", path=None):
    """A handshake; changes: header name -> value, None to leave it out, a list for several."""
    headers = {
        "Host": "%s:%d" % target[:2],
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    headers.update(changes or {})
    lines = ["%s %s %s" % (method, path or target[2], version)]
    for name, value in headers.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                lines.append("%s: %s" % (name, one))
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + extra


def opened(extra=b""):
    c = Connection()
    c.send(request(extra=extra))
    head = c.head()
    check(head.startswith("HTTP/1.1 101 "), "the handshake was answered: " + head.split("\r\n")[0])
    return c


# -- the handshake (section 4) -------------------------------------------------------------------


@case("handshake: the accept value is the RFC's", echo=False)
def _():
    c = Connection()
    c.send(request())
    head = c.head()
    want = base64.b64encode(hashlib.sha1(b"dGhlIHNhbXBsZSBub25jZQ==" + GUID).digest()).decode()
    check(want == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "the sample of section 1.3")
    check("sec-websocket-accept: " + want.lower() in head.lower(), "no such accept value")
    check("\r\nupgrade: websocket" in head.lower(), "no Upgrade header")
    check("\r\nconnection: upgrade" in head.lower(), "no Connection header")
    c.done()


def handshake_case(name, wanted, needle=None, **how):
    @case("handshake: " + name, echo=False)
    def _():
        c = Connection()
        c.send(request(**how))
        head = c.head()
        status = int(head.split(" ")[1])
        allowed = wanted if isinstance(wanted, tuple) else (wanted,)
        check(status in allowed, "status %d, wanted %s" % (status, wanted))
        if needle:
            check(needle in head.lower(), "no '%s' in the head" % needle)
        if wanted == 101:
            c.expect_alive()
            c.done()


for name, wanted, how in [
    ("Connection is a list", 101, {"changes": {"Connection": "keep-alive, Upgrade"}}),
    ("Connection in two lines", 101, {"changes": {"Connection": ["keep-alive", "upgrade"]}}),
    ("Upgrade in capitals", 101, {"changes": {"Upgrade": "WEBSOCKET"}}),
    ("Upgrade is a list", 101, {"changes": {"Upgrade": "h2c, websocket"}}),
    ("an Origin of this machine is no obstacle", 101,
     {"changes": {"Origin": "https://localhost:3000"}}),
    ("blanks around values", 101, {"changes": {"Sec-WebSocket-Version": "  13 \t"}}),
    ("POST is refused", (400, 405), {"method": "POST", "changes": {"Content-Length": "0"}}),
    ("HTTP/1.0 is refused", 400, {"version": "HTTP/1.0"}),
    ("no Host", 400, {"changes": {"Host": None}}),
    ("two Hosts", 400, {"changes": {"Host": ["a", "b"]}}),
    ("no key", 400, {"changes": {"Sec-WebSocket-Key": None}}),
    ("two keys", 400, {"changes": {"Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZQ=="] * 2}}),
    ("an empty key", 400, {"changes": {"Sec-WebSocket-Key": ""}}),
    ("a key of 15 bytes", 400, {"changes": {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25j"}}),
    ("a key of 17 bytes", 400, {"changes": {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZTE="}}),
    ("a key that is not base64", 400, {"changes": {"Sec-WebSocket-Key": "dGhlIHNhbXBsZS!ub25jZQ=="}}),
    ("a key without padding", 400, {"changes": {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ"}}),
]:
    handshake_case(name, wanted, **how)

for version in ["12", "8", "0", "14", "x", None]:
    handshake_case(
        "version %s is refused and 13 named" % version,
        426,
        "\r\nsec-websocket-version: 13",
        changes={"Sec-WebSocket-Version": version},
    )


@case("handshake: deflate is not agreed to", echo=False)
def _():
    c = Connection()
    c.send(request({"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}))
    head = c.head()
    check(head.startswith("HTTP/1.1 101"), "refused")
    check("sec-websocket-extensions" not in head.lower(), "an extension was agreed to")
    c.send(frame(TEXT, b"x", rsv=4))
    c.expect_close(1002)


@case("handshake: no subprotocol is chosen", echo=False)
def _():
    c = Connection()
    c.send(request({"Sec-WebSocket-Protocol": "chat, superchat"}))
    head = c.head()
    check(head.startswith("HTTP/1.1 101"), "refused")
    check("sec-websocket-protocol" not in head.lower(), "a subprotocol was chosen")
    c.done()


@case("handshake: byte by byte", echo=False)
def _():
    c = Connection()
    c.chop(request(), 1)
    check(c.head().startswith("HTTP/1.1 101"), "refused")
    c.done()


@case("handshake: the first frame may come with it")
def _():
    c = opened(extra=frame(TEXT, b"early"))
    c.expect(TEXT, b"early")
    c.done()


@case("handshake: half of the first frame may come with it")
def _():
    whole = frame(TEXT, b"early bird")
    c = opened(extra=whole[:7])
    c.send(whole[7:])
    c.expect(TEXT, b"early bird")
    c.done()


@case("handshake: three frames may come with it")
def _():
    c = opened(extra=frame(TEXT, b"1") + frame(PING, b"2") + frame(TEXT, b"3"))
    c.expect(TEXT, b"1")
    c.expect(PONG, b"2")
    c.expect(TEXT, b"3")
    c.done()


# -- frames (section 5.2) ------------------------------------------------------------------------


def echo_case(name, opcode, payload, chop=None, mask=b"\x37\xfa\x21\x3d"):
    @case("frames: " + name)
    def _():
        c = opened()
        data = frame(opcode, payload, mask=mask)
        if chop:
            c.chop(data, chop)
        else:
            c.send(data)
        c.expect(opcode, payload)
        c.done()


LENGTHS = [0, 1, 124, 125, 126, 127, 128, 65535, 65536, 65537, 200000, MESSAGE_MAX]
for n in LENGTHS:
    echo_case("text of %d bytes" % n, TEXT, b"*" * n)
    echo_case("binary of %d bytes" % n, BINARY, bytes(i & 0xFF for i in range(n)))
for n in [0, 1, 125, 126, 300]:
    echo_case("text of %d bytes, byte by byte" % n, TEXT, b"x" * n, chop=1)
for n in [65535, 65536, 200000]:
    echo_case("text of %d bytes, 997 at a time" % n, TEXT, b"y" * n, chop=997)
    echo_case("binary of %d bytes, 4099 at a time" % n, BINARY, b"\xfe" * n, chop=4099)
echo_case("a mask of zeros", TEXT, b"plain", mask=bytes(4))
echo_case("a mask of ones", TEXT, b"plain", mask=b"\xff" * 4)
for n in range(1, 18):
    echo_case("unmasking %d bytes" % n, BINARY, bytes(range(n)))


@case("frames: many in one segment come back in order")
def _():
    c = opened()
    c.send(b"".join(frame(TEXT, b"m%d" % i) for i in range(500)))
    for i in range(500):
        c.expect(TEXT, b"m%d" % i)
    c.done()


def refused_case(name, data, code, chop=None):
    @case(name, echo=False)
    def _():
        c = opened()
        if chop:
            c.chop(data, chop)
        else:
            c.send(data)
        c.expect_close(code)


for opcode, word in [(TEXT, "text"), (BINARY, "binary"), (PING, "ping"), (PONG, "pong"), (CLOSE, "close")]:
    body = close_body(1000) if opcode == CLOSE else b"x"
    refused_case("mask: a %s frame without one" % word, frame(opcode, body, mask=None), 1002)
    for rsv in [4, 2, 1, 7]:
        refused_case("reserved bits %d in a %s frame" % (rsv, word), frame(opcode, body, rsv=rsv), 1002)
for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15]:
    refused_case("opcode %d has no meaning" % opcode, frame(opcode, b"x"), 1002)
    refused_case("opcode %d, empty" % opcode, frame(opcode), 1002)
for n, width in [(0, 2), (1, 2), (125, 2), (0, 8), (125, 8), (126, 8), (65535, 8)]:
    refused_case(
        "length %d in %d bytes is not the shortest form" % (n, width),
        frame(BINARY, b"z" * n, width=width),
        1002,
    )
refused_case("length with its highest bit set", frame(BINARY, b"", length=1 << 63, width=8), 1002)
refused_case("the first byte alone is enough to refuse", frame(TEXT, rsv=4)[:1], 1002)
refused_case("a bad opcode is refused at its byte", frame(11)[:1], 1002)
refused_case("a missing mask is refused at its byte", frame(TEXT, b"abc", mask=None)[:2], 1002)
refused_case("size: one byte over the maximum", frame(TEXT, b"", length=MESSAGE_MAX + 1, width=8), 1009)
refused_case("size: 2^62 bytes announced", frame(BINARY, b"", length=1 << 62, width=8), 1009)


@case("size: fragments that sum to one byte over the maximum", echo=False)
def _():
    c = opened()
    c.send(frame(BINARY, bytes(MESSAGE_MAX // 2), fin=False))
    c.send(frame(0, bytes(MESSAGE_MAX // 2), fin=False))
    c.send(frame(0, b"x"))
    c.expect_close(1009)


@case("size: fragments that sum to the maximum")
def _():
    c = opened()
    c.send(frame(BINARY, b"a" * (MESSAGE_MAX // 2), fin=False))
    c.send(frame(0, b"b" * (MESSAGE_MAX // 2)))
    c.expect(BINARY, b"a" * (MESSAGE_MAX // 2) + b"b" * (MESSAGE_MAX // 2))
    c.done()


# -- control frames (section 5.5) ----------------------------------------------------------------

for n in [0, 1, 5, 124, 125]:
    for chop in [None, 1]:

        @case("ping of %d bytes%s" % (n, ", byte by byte" if chop else ""), echo=False)
        def _(n=n, chop=chop):
            c = opened()
            payload = bytes((i * 7) & 0xFF for i in range(n))
            c.chop(frame(PING, payload), chop or 4096)
            c.expect(PONG, payload)
            c.done()


for opcode, word in [(PING, "ping"), (PONG, "pong"), (CLOSE, "close")]:
    body = close_body(1000, b"r" * 124) if opcode == CLOSE else b"p" * 126
    refused_case("a %s of 126 bytes" % word, frame(opcode, body), 1002)
    refused_case("a fragmented %s" % word, frame(opcode, body[:2], fin=False), 1002)

for count in [10, 200]:

    @case("%d pings at once are all answered in order" % count, echo=False)
    def _(count=count):
        c = opened()
        c.send(b"".join(frame(PING, b"p%d" % i) for i in range(count)))
        for i in range(count):
            c.expect(PONG, b"p%d" % i)
        c.done()


@case("10 pings, byte by byte", echo=False)
def _():
    c = opened()
    c.chop(b"".join(frame(PING, b"p%d" % i) for i in range(10)), 1)
    for i in range(10):
        c.expect(PONG, b"p%d" % i)
    c.done()


for payload in [b"", b"unsolicited"]:

    @case("a pong of %d bytes nobody asked for is ignored" % len(payload), echo=False)
    def _(payload=payload):
        c = opened()
        c.send(frame(PONG, payload) * 10)
        c.expect_alive()
        c.done()


@case("pings nobody reads the answers of end the connection", echo=False)
def _():
    c = opened()
    c.sock.settimeout(2)
    data = frame(PING, b"f" * 125) * 500
    sent = 0
    try:
        while sent < 32 << 20:
            sent += c.sock.send(data)
    except (socket.timeout, BrokenPipeError, ConnectionResetError):
        pass
    c.sock.settimeout(WAIT_S)
    c.expect_close(1008, skip=(PONG,))


# -- fragments (section 5.4) ---------------------------------------------------------------------


def fragments_case(name, parts, wanted, chop=None):
    """parts: frames to send; wanted: (opcode, payload) to come, or a close code."""

    @case("fragments: " + name, echo=not isinstance(wanted, int))
    def _():
        c = opened()
        data = b"".join(parts)
        c.chop(data, chop or len(data))
        if isinstance(wanted, int):
            c.expect_close(wanted, skip=(PONG,))
            return
        for opcode, payload in wanted:
            c.expect(opcode, payload)
        c.done()


first, middle, last = frame(TEXT, b"one ", fin=False), frame(0, b"two ", fin=False), frame(0, b"three")
ping, pong = frame(PING, b"between"), frame(PONG, b"between")
whole = [(TEXT, b"one two three")]
for chop in [None, 1]:
    how = ", byte by byte" if chop else ""
    fragments_case("three make one" + how, [first, middle, last], whole, chop)
    fragments_case("a ping between" + how, [first, ping, middle, last], [(PONG, b"between")] + whole, chop)
    fragments_case(
        "pings between all" + how,
        [first, ping, ping, middle, ping, last],
        [(PONG, b"between")] * 3 + whole,
        chop,
    )
    fragments_case("a pong between" + how, [first, pong, middle, last], whole, chop)
    fragments_case(
        "an empty first" + how, [frame(TEXT, b"", fin=False), frame(0, b"x")], [(TEXT, b"x")], chop
    )
    fragments_case(
        "an empty last" + how, [frame(TEXT, b"x", fin=False), frame(0)], [(TEXT, b"x")], chop
    )
    fragments_case("all empty" + how, [frame(TEXT, fin=False), frame(0, fin=False), frame(0)], [(TEXT, b"")], chop)
    fragments_case(
        "two messages" + how, [first, last, first, middle, last], [(TEXT, b"one three")] + whole, chop
    )
    fragments_case(
        "binary" + how,
        [frame(BINARY, b"\xff\x00", fin=False), frame(0, b"\xfe")],
        [(BINARY, b"\xff\x00\xfe")],
        chop,
    )
fragments_case("many small ones", [frame(TEXT, b"a", fin=False)] + [frame(0, b"b", fin=False)] * 2000 + [frame(0, b"c")], [(TEXT, b"a" + b"b" * 2000 + b"c")])
fragments_case("nothing to continue", [last], 1002)
fragments_case("nothing to continue, not final", [middle], 1002)
fragments_case("text inside a text", [first, frame(TEXT, b"x")], 1002)
fragments_case("binary inside a text", [first, frame(BINARY, b"x")], 1002)
fragments_case("text inside a binary", [frame(BINARY, b"x", fin=False), frame(TEXT, b"x")], 1002)
fragments_case("a new fragmented text inside a text", [first, first], 1002)
fragments_case("an unmasked continuation", [first, frame(0, b"x", mask=None)], 1002)
fragments_case("a reserved bit in a continuation", [first, frame(0, b"x", rsv=4)], 1002)
fragments_case("a bad opcode between", [first, frame(4, b"x"), last], 1002)
fragments_case("a close between", [first, frame(CLOSE, close_body(1000))], 1000)


# -- UTF-8 (section 8.1) -------------------------------------------------------------------------

VALID = {
    "kosme": "κόσμε".encode(),
    "German": "Grüße aus Köln, €27,50".encode(),
    "CJK": "こんにちは世界".encode(),
    "emoji": "👩‍🚀🎉".encode(),
    "U+0000": b"\x00",
    "U+007F": b"\x7f",
    "U+0080": b"\xc2\x80",
    "U+07FF": b"\xdf\xbf",
    "U+0800": b"\xe0\xa0\x80",
    "U+D7FF": b"\xed\x9f\xbf",
    "U+E000": b"\xee\x80\x80",
    "U+FFFD": b"\xef\xbf\xbd",
    "U+FFFE": b"\xef\xbf\xbe",
    "U+FFFF": b"\xef\xbf\xbf",
    "U+10000": b"\xf0\x90\x80\x80",
    "U+10FFFF": b"\xf4\x8f\xbf\xbf",
}
INVALID = {
    "a lone continuation": b"\x80",
    "two lone continuations": b"\x80\xbf",
    "0xC0": b"\xc0\x80",
    "0xC1": b"\xc1\xbf",
    "an overlong slash of 2": b"\xc0\xaf",
    "an overlong slash of 3": b"\xe0\x80\xaf",
    "an overlong slash of 4": b"\xf0\x80\x80\xaf",
    "an overlong U+07FF": b"\xe0\x9f\xbf",
    "an overlong U+FFFF": b"\xf0\x8f\xbf\xbf",
    "U+D800": b"\xed\xa0\x80",
    "U+DBFF": b"\xed\xaf\xbf",
    "U+DC00": b"\xed\xb0\x80",
    "a surrogate pair": b"\xed\xa0\x80\xed\xb0\x80",
    "U+110000": b"\xf4\x90\x80\x80",
    "0xF5": b"\xf5\x80\x80\x80",
    "0xFE": b"\xfe",
    "0xFF": b"\xff",
    "a sequence of 5": b"\xf8\x88\x80\x80\x80",
    "a sequence of 6": b"\xfc\x84\x80\x80\x80\x80",
    "2 of 2 missing": b"\xc3",
    "3 of 3 missing": b"\xe2\x82",
    "4 of 4 missing": b"\xf0\x9f\x98",
    "a letter in place of a continuation": b"\xe2\x28\xa1",
    "Latin-1": b"Gr\xfc\xdfe",
}
for word, text in VALID.items():

    @case("UTF-8: %s is taken" % word)
    def _(text=text):
        c = opened()
        c.send(frame(TEXT, text))
        c.expect(TEXT, text)
        c.done()

    @case("UTF-8: %s is taken in fragments of one byte" % word)
    def _(text=text):
        c = opened()
        c.send(frame(TEXT, b"", fin=False))
        c.send(b"".join(frame(0, text[i : i + 1], fin=False) for i in range(len(text))))
        c.send(frame(0))
        c.expect(TEXT, text)
        c.done()


for word, text in INVALID.items():

    @case("UTF-8: %s is refused" % word, echo=False)
    def _(text=text):
        c = opened()
        c.send(frame(TEXT, text))
        c.expect_close(1007)

    @case("UTF-8: %s is refused behind good text" % word, echo=False)
    def _(text=text):
        c = opened()
        c.send(frame(TEXT, "good, ünd long enough: ".encode() * 4 + text))
        c.expect_close(1007)

    @case("UTF-8: %s is refused in fragments of one byte" % word, echo=False)
    def _(text=text):
        c = opened()
        c.send(frame(TEXT, b"", fin=False))
        c.send(b"".join(frame(0, text[i : i + 1], fin=False) for i in range(len(text))))
        c.send(frame(0))
        c.expect_close(1007)


@case("UTF-8: a bad byte is noticed before its message ends", echo=False)
def _():
    c = opened()
    c.send(frame(TEXT, b"good \xff", fin=False))
    c.expect_close(1007)  # though the rest never comes


@case("UTF-8: a bad byte is noticed before its frame ends", echo=False)
def _():
    c = opened()
    c.send(frame(TEXT, b"good \xff" + b"x" * 1000)[:20])
    c.expect_close(1007)


@case("UTF-8: a surrogate is noticed at its second byte", echo=False)
def _():
    c = opened()
    c.send(frame(TEXT, b"\xed\xa0", fin=False))
    c.expect_close(1007)


@case("UTF-8: past U+10FFFF is noticed at its second byte", echo=False)
def _():
    c = opened()
    c.send(frame(TEXT, b"ok\xf4\x90", fin=False))
    c.expect_close(1007)


@case("UTF-8: a character may be split by a ping")
def _():
    c = opened()
    c.send(frame(TEXT, b"\xe2\x82", fin=False) + frame(PING, b"\xff") + frame(0, b"\xac"))
    c.expect(PONG, b"\xff")
    c.expect(TEXT, "€".encode())
    c.done()


@case("UTF-8: binary may hold anything")
def _():
    c = opened()
    payload = b"".join(INVALID.values())
    c.send(frame(BINARY, payload))
    c.expect(BINARY, payload)
    c.done()


# -- the close handshake (section 7) -------------------------------------------------------------


def close_case(name, body, wanted):
    @case("close: " + name, echo=False)
    def _():
        c = opened()
        c.send(frame(CLOSE, body))
        c.expect_close(wanted)


close_case("an empty one is answered by an empty one", b"", None)
close_case("a body of one byte", b"\x03", 1002)
close_case("with a reason", close_body(1000, b"bye"), 1000)
close_case("with the longest reason", close_body(1000, b"r" * 123), 1000)
close_case("with a reason in Greek", close_body(1000, "τέλος".encode()), 1000)
close_case("a reason that is not UTF-8", close_body(1000, b"\xff\xfe"), 1007)
close_case("a reason cut inside a character", close_body(1000, b"\xe2\x82"), 1007)
for code in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]:
    close_case("code %d is answered by itself" % code, close_body(code), code)
for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]:
    close_case("code %d may not be sent" % code, close_body(code), 1002)


@case("close: byte by byte", echo=False)
def _():
    c = opened()
    c.chop(frame(CLOSE, close_body(1001, b"going")), 1)
    c.expect_close(1001)


@case("close: a text after it is not answered", echo=False)
def _():
    c = opened()
    c.send(frame(CLOSE, close_body(1000)) + frame(TEXT, b"late"))
    c.expect_close(1000)


@case("close: a ping after it is not answered", echo=False)
def _():
    c = opened()
    c.send(frame(CLOSE, close_body(1000)) + frame(PING, b"late"))
    c.expect_close(1000)


@case("close: a second one is not answered", echo=False)
def _():
    c = opened()
    c.send(frame(CLOSE, close_body(1000)) * 2)
    c.expect_close(1000)


@case("close: what was asked before is answered first")
def _():
    c = opened()
    c.send(frame(TEXT, b"last words") + frame(CLOSE, close_body(1000)))
    c.expect(TEXT, b"last words")
    c.expect_close(1000)


@case("close: a large answer is sent whole first")
def _():
    c = opened()
    c.send(frame(BINARY, bytes(500000)) + frame(CLOSE, close_body(1000)))
    c.expect(BINARY, bytes(500000))
    c.expect_close(1000)


@case("close: nothing is heard after a failure", echo=False)
def _():
    c = opened()
    c.send(frame(3) + frame(TEXT, b"late") + frame(PING, b"late"))
    c.expect_close(1002)


@case("close: much unread input does not swallow the close frame", echo=False)
def _():
    c = opened()
    c.send(frame(3) + bytes(100000))
    c.expect_close(1002)


@case("close: a client that just leaves harms nobody", echo=False)
def _():
    for data in [b"", frame(TEXT, b"half of it")[:6], frame(TEXT, b"f", fin=False)]:
        c = opened()
        c.send(data)
        c.sock.close()
    c = opened()
    c.expect_alive()
    c.done()


# -- running -------------------------------------------------------------------------------------


def run(only, no_echo):
    failed = ran = 0
    started = time.monotonic()
    for name, echo, function in cases:
        if (no_echo and echo) or (only and only not in name):
            continue
        ran += 1
        try:
            function()
        except (Failure, OSError, UnicodeDecodeError) as error:
            failed += 1
            print("FAILED %s: %s" % (name, error))
    print("%d cases, %d failed, %.1f s" % (ran, failed, time.monotonic() - started))
    return 0 if ran > 0 and failed == 0 else 1


def main():
    global target
    parser = argparse.ArgumentParser()
    parser.add_argument("address", nargs="?", help="HOST:PORT[/PATH]")
    parser.add_argument("--spawn", metavar="PROGRAM")
    parser.add_argument("--no-echo", action="store_true")
    parser.add_argument("--only")
    options = parser.parse_args()
    child = None
    address = options.address
    if options.spawn:
        child = subprocess.Popen([options.spawn], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        address = "127.0.0.1:" + child.stdout.readline().decode().strip()
    if not address:
        parser.error("an address or --spawn is needed")
    authority, _, path = address.partition("/")
    host, _, port = authority.rpartition(":")
    target = (host, int(port), "/" + path)
    status = run(options.only, options.no_echo)
    if child:
        child.stdin.close()
        if child.wait(timeout=WAIT_S) != 0:
            print("FAILED the server ended with status %d" % child.returncode)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
