"""HTTP as odd clients speak it: the right status, a body of JSON, and the connection goes on where
it can.

What a Content-Type says is not looked at: a body is JSON or it is refused for not being JSON.
Clients of several vendors send none, or text/plain, and mean JSON all the same.
"""

import json
import socket

import pytest
from program import WAIT_S, Server

BODY_MAX = 1 << 20  # of most routes
LARGE_BODY_MAX = 8 << 20  # of all entries of a dictionary


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("input"))
    yield server
    server.stop()


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        assert self.headers["content-type"] == "application/json"
        return json.loads(self.body)

    @property
    def closes(self):
        return self.headers.get("connection") == "close"


class Raw:
    """A connection on which every byte is ours; answers are read by their length."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S)
        self.waiting = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def more(self):
        try:
            part = self.socket.recv(65536)
        except ConnectionResetError:
            part = b""
        self.waiting += part
        return bool(part)

    def take(self, count):
        while len(self.waiting) < count:
            assert self.more(), f"ended within an answer: {self.waiting!r}"
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        return taken

    def answer(self, method="GET"):
        while b"\r\n\r\n" not in self.waiting:
            assert self.more(), f"ended without an answer: {self.waiting!r}"
        lines = self.take(self.waiting.index(b"\r\n\r\n") + 4).decode().split("\r\n")
        headers = {name.lower(): value for name, value in
                   (line.split(": ", 1) for line in lines[1:] if line)}
        status = int(lines[0].split(" ")[1])
        has_body = method != "HEAD" and status >= 200
        body = self.take(int(headers.get("content-length", 0))) if has_body else b""
        return Answer(status, headers, body)

    def has_ended(self):
        """Whether the server ends the connection, with nothing more said."""
        return not self.more() and not self.waiting


def head(server, method, target, *lines, version="1.1"):
    lines = [f"{method} {target} HTTP/{version}", "Host: here", f"X-API-Key: {server.key}", *lines]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def post(server, target, body, *lines):
    return head(server, "POST", target, f"Content-Length: {len(body)}", *lines) + body


def chunked(*parts):
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def check_goes_on(server, raw):
    """The same connection serves the next request."""
    raw.send(head(server, "GET", "/health"))
    answer = raw.answer()
    assert (answer.status, answer.json()) == (200, {"status": "healthy"})


def check_error(answer, status, error_code):
    body = answer.json()
    assert (answer.status, body["code"], body["error_code"]) == (status, status, error_code), body
    assert body["error"]
    return body


def new_name(names=iter(range(1000))):
    return json.dumps({"name": f"Dictionary {next(names)}"}).encode()


# How large

@pytest.mark.parametrize("target", ["/v1/dictionaries", "/v1/normalize", "/health", "/nowhere"])
def test_body_over_the_limit_is_413_before_it_is_read(server, target):
    with Raw(server) as raw:
        raw.send(head(server, "POST", target, f"Content-Length: {BODY_MAX + 1}"))
        answer = raw.answer()
        check_error(answer, 413, "VALIDATION_ERROR")
        assert answer.closes and raw.has_ended()


def test_client_that_sends_its_large_body_first_still_reads_413(server):
    with Raw(server) as raw:
        raw.send(post(server, "/v1/dictionaries", b"x" * (2 * BODY_MAX)))
        check_error(raw.answer(), 413, "VALIDATION_ERROR")


def test_chunks_over_the_limit_are_413(server):
    with Raw(server) as raw:
        raw.send(head(server, "POST", "/v1/dictionaries", "Transfer-Encoding: chunked"))
        raw.send(chunked(*[b" " * 65536] * 17))
        answer = raw.answer()
        check_error(answer, 413, "VALIDATION_ERROR")
        assert answer.closes


def test_body_of_the_limit_is_read(server):
    body = new_name()
    with Raw(server) as raw:
        raw.send(post(server, "/v1/dictionaries", body + b" " * (BODY_MAX - len(body))))
        assert raw.answer().status == 201
        check_goes_on(server, raw)


def test_all_entries_of_a_dictionary_have_a_limit_of_their_own(server):
    with Raw(server) as raw:
        raw.send(post(server, "/v1/dictionaries", new_name()))
        target = f"/v1/dictionaries/{raw.answer().json()['id']}/entries"
        body = b'{"entries": []}'
        for length in (BODY_MAX + 1, LARGE_BODY_MAX):
            raw.send(head(server, "PUT", target, f"Content-Length: {length}")
                     + body + b" " * (length - len(body)))
            assert raw.answer().json() == {"upserted": 0, "deleted": 0, "total": 0}
        raw.send(head(server, "PUT", target, f"Content-Length: {LARGE_BODY_MAX + 1}"))
        check_error(raw.answer(), 413, "VALIDATION_ERROR")


# What kind

@pytest.mark.parametrize("kind", [None, "application/json", "application/json; charset=utf-8",
                                  "text/plain", "application/x-www-form-urlencoded",
                                  "audio/wav", "nonsense", ""])
def test_json_is_read_whatever_it_is_called(server, kind):
    lines = [] if kind is None else ["Content-Type: " + kind]
    with Raw(server) as raw:
        raw.send(post(server, "/v1/dictionaries", new_name(), *lines))
        assert raw.answer().status == 201
        check_goes_on(server, raw)


@pytest.mark.parametrize("body", [b"name=x", b"<name>x</name>", b"--b\r\n\r\nx\r\n--b--\r\n",
                                  b"\x1f\x8b\x08\x00\x00\x00\x00\x00", b"\xff\xfe{\x00}\x00", b""])
def test_what_is_no_json_is_400_whatever_it_is_called(server, body):
    for kind in ("application/json", "text/plain", "multipart/form-data; boundary=b"):
        with Raw(server) as raw:
            raw.send(post(server, "/v1/dictionaries", body, "Content-Type: " + kind))
            check_error(raw.answer(), 400, "VALIDATION_ERROR")
            check_goes_on(server, raw)


def test_body_of_a_request_that_needs_none_is_passed_over(server):
    with Raw(server) as raw:
        for method in ("GET", "HEAD"):
            raw.send(head(server, method, "/health", "Content-Length: 5") + b"hello")
            assert raw.answer(method).status == 200
        check_goes_on(server, raw)


# How it is sent

def test_chunked_body_is_read_however_it_is_cut(server):
    with Raw(server) as raw:
        for size in (1, 3, 1000):
            body = new_name()
            parts = [body[at:at + size] for at in range(0, len(body), size)]
            raw.send(head(server, "POST", "/v1/dictionaries", "Transfer-Encoding: chunked"))
            for byte in chunked(*parts):
                raw.send(bytes([byte]))
            assert raw.answer().status == 201
        check_goes_on(server, raw)


def test_chunk_extensions_and_trailers_are_passed_over(server):
    body = new_name()
    with Raw(server) as raw:
        raw.send(head(server, "POST", "/v1/dictionaries", "Transfer-Encoding: chunked")
                 + b"%x;name=value\r\n%s\r\n0\r\nX-Trailer: yes\r\n\r\n" % (len(body), body))
        assert raw.answer().status == 201
        check_goes_on(server, raw)


@pytest.mark.parametrize("body", [b"x\r\n", b"-1\r\n", b"5\r\nabc", b"ffffffffffffffffff\r\n",
                                  b"2\r\n{}XX"])
def test_broken_chunks_are_400_and_end_the_connection(server, body):
    with Raw(server) as raw:
        raw.send(head(server, "POST", "/v1/dictionaries", "Transfer-Encoding: chunked") + body)
        if body == b"5\r\nabc":  # it may still come
            raw.send(b"deXX\r\n")
        answer = raw.answer()
        check_error(answer, 400, "VALIDATION_ERROR")
        assert answer.closes


def test_other_transfer_codings_are_501(server):
    with Raw(server) as raw:
        raw.send(head(server, "POST", "/v1/dictionaries", "Transfer-Encoding: gzip, chunked"))
        answer = raw.answer()
        check_error(answer, 501, "INTERNAL_ERROR")
        assert answer.closes


def test_client_that_expects_100_is_told_to_go_on(server):
    body = new_name()
    with Raw(server) as raw:
        raw.send(head(server, "POST", "/v1/dictionaries", f"Content-Length: {len(body)}",
                      "Expect: 100-continue"))
        assert raw.answer().status == 100
        raw.send(body)
        assert raw.answer().status == 201
        check_goes_on(server, raw)


def test_client_that_expects_100_and_does_not_wait_gets_its_answer(server):
    with Raw(server) as raw:
        raw.send(post(server, "/v1/dictionaries", new_name(), "Expect: 100-continue"))
        answer = raw.answer()
        assert (answer if answer.status != 100 else raw.answer()).status == 201
        check_goes_on(server, raw)


def test_expectation_that_would_be_in_vain_is_answered_at_once(server):
    for line, status in ((f"Content-Length: {BODY_MAX + 1}", 413), ("Content-Length: 3", 417)):
        expects = "100-continue" if status == 413 else "a-miracle"
        with Raw(server) as raw:
            raw.send(head(server, "POST", "/v1/dictionaries", line, "Expect: " + expects))
            check_error(raw.answer(), status, "VALIDATION_ERROR")


def test_http_1_0_gets_a_whole_answer_and_the_end(server):
    with Raw(server) as raw:
        raw.send(head(server, "GET", "/v1/dictionaries", version="1.0"))
        answer = raw.answer()
        assert answer.status == 200 and "dictionaries" in answer.json()
        assert answer.closes and raw.has_ended()


# What for

KNOWN = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "SEARCH"]


@pytest.mark.parametrize("target, allowed", [
    ("/health", {"GET", "HEAD"}),
    ("/v1/dictionaries", {"GET", "HEAD", "POST"}),
    ("/v1/dictionaries/1/entries/1", {"PATCH", "DELETE"}),
    ("/ws/tts/stream", {"GET", "HEAD"}),
])
def test_method_that_a_path_has_not_is_405_and_names_those_it_has(server, target, allowed):
    with Raw(server) as raw:
        for method in KNOWN:
            if method in allowed:
                continue
            raw.send(head(server, method, target, "Content-Length: 0"))
            answer = raw.answer()
            check_error(answer, 405, "VALIDATION_ERROR")
            assert set(answer.headers["allow"].split(", ")) == allowed
        check_goes_on(server, raw)


@pytest.mark.parametrize("method", ["BREW", "GETT", "get", "X-OWN"])
def test_method_that_nobody_has_is_501(server, method):
    with Raw(server) as raw:
        raw.send(head(server, method, "/health"))
        answer = raw.answer()
        check_error(answer, 501, "INTERNAL_ERROR")
        assert answer.closes and raw.has_ended()


@pytest.mark.parametrize("target", ["//", "/web/", "/nowhere", "/health/", "//health", "/Health", "/v1",
                                    "/v1/", "/v1/dictionaries/", "/v1/dictionaries//entries",
                                    "/v1/dictionaries/1/entries/2/3", "/health%20", "/%e2%82%ac",
                                    "/ws/tts/", "/openapi", "/..", "/health/..%2fhealth"])
def test_unknown_path_is_404_for_every_method_and_with_no_key_too(server, target):
    with Raw(server) as raw:
        for method in ("GET", "POST", "DELETE"):
            raw.send(f"{method} {target} HTTP/1.1\r\nHost: here\r\n"
                     "Content-Length: 0\r\n\r\n".encode())
            check_error(raw.answer(), 404, "NOT_FOUND")
        check_goes_on(server, raw)


@pytest.mark.parametrize("target", ["/%", "/%4", "/%zz", "/%00", "/health%00", "/%%", "/%u20ac",
                                    "/v1/dictionaries/%g1"])
def test_escape_that_is_none_is_400_and_the_connection_goes_on(server, target):
    with Raw(server) as raw:
        raw.send(head(server, "GET", target))
        answer = raw.answer()
        check_error(answer, 400, "VALIDATION_ERROR")
        raw.send(post(server, target, b"{}"))  # and a body is read to its end
        check_error(raw.answer(), 400, "VALIDATION_ERROR")
        check_goes_on(server, raw)


@pytest.mark.parametrize("query", ["limit=%", "limit=%zz", "limit=%00", "offset=%31%", "search=%ff",
                                   "search=%c3", "search=%00", "project_id=%zz", "limit=",
                                   "limit=1e2", "limit=0", "limit=501", "offset=-1",
                                   "limit=99999999999999999999"])
def test_nonsense_in_a_query_is_400_and_the_connection_goes_on(server, query):
    with Raw(server) as raw:
        raw.send(post(server, "/v1/dictionaries", new_name()))
        target = f"/v1/dictionaries/{raw.answer().json()['id']}/entries"
        raw.send(head(server, "GET", f"{target}?{query}"))
        check_error(raw.answer(), 400, "VALIDATION_ERROR")
        raw.send(head(server, "GET", f"{target}?limit=%31&x=%zz&"))  # unknown ones are nobody's
        assert raw.answer().json()["limit"] == 1


@pytest.mark.parametrize("number", ["0", "-1", "1.5", "x", "9223372036854775808", "%31x", "1%20",
                                    "9" * 400])
def test_id_of_nothing_is_404(server, number):
    with Raw(server) as raw:
        raw.send(head(server, "GET", "/v1/dictionaries/" + number))
        check_error(raw.answer(), 404, "NOT_FOUND")
        check_goes_on(server, raw)


def test_refusals_leave_the_connection_to_the_next_request(server):
    """A wrong key, a wrong body, a wrong path: none of them is the connection's fault."""
    with Raw(server) as raw:
        for request, status in [
                (b"GET /v1/dictionaries HTTP/1.1\r\nHost: here\r\n\r\n", 401),
                (b"GET /v1/dictionaries HTTP/1.1\r\nHost: here\r\nX-API-Key: no\r\n\r\n", 401),
                (post(server, "/v1/dictionaries", b"{"), 400),
                (post(server, "/v1/dictionaries", b'{"name": "x", "colour": 1}'), 400),
                (head(server, "GET", "/v1/dictionaries/999"), 404),
                (head(server, "DELETE", "/health"), 405)]:
            raw.send(request)
            answer = raw.answer()
            assert answer.status == status and answer.json()["code"] == status
            assert answer.json()["request_id"] == answer.headers["x-request-id"]
            assert not answer.closes
        check_goes_on(server, raw)


def test_pipelined_requests_are_answered_in_order(server):
    with Raw(server) as raw:
        raw.send(b"".join(head(server, "GET", f"/v1/dictionaries/{i}0000{i}/entries?limit={i}")
                          + head(server, "GET", "/health") for i in range(1, 9)))
        for _ in range(8):
            assert raw.answer().status == 404
            assert raw.answer().status == 200


def test_head_is_get_without_its_body(server):
    with Raw(server) as raw:
        for target in ("/health", "/v1/dictionaries", "/nowhere", "/openapi.json"):
            raw.send(head(server, "GET", target))
            got = raw.answer()
            raw.send(head(server, "HEAD", target))
            told = raw.answer("HEAD")
            assert told.status == got.status
            assert told.headers["content-length"] == got.headers["content-length"]
        check_goes_on(server, raw)


def test_socket_asked_for_without_an_upgrade_is_426(server):
    with Raw(server) as raw:
        for target in ("/ws/tts/stream", "/ws/tts/multi"):
            raw.send(head(server, "GET", target))
            answer = raw.answer()
            check_error(answer, 426, "VALIDATION_ERROR")
            assert answer.headers["upgrade"] == "websocket"
            assert answer.headers["connection"] == "Upgrade"
            assert answer.headers["sec-websocket-version"] == "13"
        check_goes_on(server, raw)


def test_two_hosts_or_none_are_400(server):
    for lines in (b"", b"Host: a\r\nHost: b\r\n"):
        with Raw(server) as raw:
            raw.send(b"GET /health HTTP/1.1\r\n" + lines + b"\r\n")
            check_error(raw.answer(), 400, "VALIDATION_ERROR")
