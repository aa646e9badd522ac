"""A registry of packages on this machine, and a proxy in front of it, for tests that fetch voices or
models."""

import http.server
import re
import socket
import ssl
import subprocess
import threading

from program import WAIT_S, wait_until


class Registry:
    """`answer(request)` serves each request, with http.server's means; `calls` has their paths, and
    `headers` what came with them.  `release` lets those go that wait for it."""

    def __init__(self, answer, certificate=None):
        self.calls, self.headers = [], []
        self.release = threading.Event()
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.registry = registry
                registry.headers.append(self.headers)
                registry.calls.append(self.path)
                registry.answer(self)

            def log_message(self, *_):
                pass

        self.answer = answer
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client that leaves is none
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate[1], certificate[0])
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_port
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.port}/npm/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()


def send(request, body, status=200, length=None, **headers):
    request.send_response(status)
    request.send_header("Content-Length", str(len(body) if length is None else length))
    for name, value in headers.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(body)


def refuse(request):
    request.send_error(503, "no route")


def stall(request):
    """Half a package, and no more until the registry is released."""
    request.send_response(200)
    request.send_header("Content-Length", "11089653")
    request.end_headers()
    request.wfile.write(b"half")
    request.wfile.flush()
    request.registry.release.wait(WAIT_S)


def wait_for_call(registry, count=1):
    wait_until(lambda: len(registry.calls) >= count, "the registry is asked")


class Proxy:
    """Passes what CONNECT asks for on to where it asks; `asked` has the heads of the requests."""

    def __init__(self):
        self.asked = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=[client], daemon=True).start()
        except OSError:
            return  # closed

    def serve(self, client):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += client.recv(1)
        self.asked.append(head.decode())
        host, port = re.match(r"CONNECT (\S+):(\d+) ", head.decode()).groups()
        server = socket.create_connection((host, int(port)))
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        threading.Thread(target=self.pump, args=[server, client], daemon=True).start()
        self.pump(client, server)

    @staticmethod
    def pump(source, target):
        try:
            while bytes_read := source.recv(65536):
                target.sendall(bytes_read)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def stop(self):
        self.listener.close()


def make_certificate(directory):
    key, certificate = directory / "registry.key", directory / "registry.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, capture_output=True)
    return key, certificate
