"""A client of the REST API that blocks: one connection, JSON both ways."""

import http.client
import json

from program import WAIT_S


class Rest:
    """Requests with a key, under a path; each gives (status, body)."""

    def __init__(self, server, key=None, root="/v1"):
        self.server = server
        self.key = key or server.key
        self.root = root
        self.headers = {}  # of the last answer
        host, tls = getattr(server, "host", "127.0.0.1"), getattr(server, "tls", None)
        self.connection = (
            http.client.HTTPSConnection(host, server.port, timeout=WAIT_S, context=tls) if tls
            else http.client.HTTPConnection(host, server.port, timeout=WAIT_S))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def raw(self, method, path, body=None, headers=None):
        """Status and bytes."""
        carried = {"Authorization": "Bearer " + self.key} if self.key else {}
        self.connection.request(method, self.root + path, body=body,
                                headers=carried | (headers or {}))
        answer = self.connection.getresponse()
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, answer.read()

    def ask(self, method, path, body=None):
        sent = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        status, got = self.raw(method, path, sent)
        return status, json.loads(got) if got else None

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, body=None):
        return self.ask("POST", path, body)

    def put(self, path, body):
        return self.ask("PUT", path, body)

    def patch(self, path, body):
        return self.ask("PATCH", path, body)

    def delete(self, path):
        return self.ask("DELETE", path)

    def must(self, status, answer):
        """The body of an answer that must have this status."""
        assert answer[0] == status, answer
        return answer[1]
