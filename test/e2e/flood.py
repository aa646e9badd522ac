"""Clients that send much and read little, many of them in one thread.

A Flooder is a socket and the bytes that it sends again and again.  drive() writes to all of them
whenever they take something and reads a byte of each now and then, so that no stall timer of the
server ever fires.  Frames are masked with zeros: what is sent is what one reads here.
"""

import select
import socket
import struct
import time

from client import Client
from program import WAIT_S

BATCH = 64 * 1024

# path and message of the commands that are answered at once
COMMANDS = {
    "flush": ("/ws/tts/stream", '{"flush":true}'),
    "close_context": ("/ws/tts/multi", '{"context_id":"nobody","close_context":true}'),
    "bad_json": ("/ws/tts/stream", "{"),
    "bad_json_once": ("/ws/tts", "{"),
    "update_settings": ("/ws/tts/stream", '{"update_settings":{"speed":1.1}}'),
    "cancel": ("/ws/tts/stream", '{"cancel":true}'),
    "cancel_multi": ("/ws/tts/multi", '{"cancel":true}'),
}


def frame(payload, opcode=1, final=True):
    """A client's frame."""
    payload = payload.encode() if isinstance(payload, str) else payload
    first = (0x80 if final else 0) | opcode
    if len(payload) < 126:
        head = struct.pack("!BB", first, 0x80 | len(payload))
    elif len(payload) < 65536:
        head = struct.pack("!BBH", first, 0x80 | 126, len(payload))
    else:
        head = struct.pack("!BBQ", first, 0x80 | 127, len(payload))
    return head + b"\0\0\0\0" + payload


class Flooder:
    """One connection.  Without `again` it sends `first` and nothing more."""

    def __init__(self, sock, first=b"", again=b"", most=None):
        self.socket = sock
        self.socket.setblocking(False)
        self.waiting = memoryview(first)
        self.again = memoryview(again * max(1, BATCH // len(again))) if again else None
        self.most = most  # bytes
        self.sent = 0
        self.read = 0
        self.received = b""  # the last of it
        self.ended = False

    def fileno(self):
        return self.socket.fileno()

    @property
    def wants_write(self):
        if self.ended or (self.most is not None and self.sent >= self.most):
            return False
        return len(self.waiting) > 0 or self.again is not None

    def write(self):
        if len(self.waiting) == 0:
            self.waiting = self.again
        try:
            n = self.socket.send(self.waiting)
        except BlockingIOError:
            return
        except OSError:
            self.ended = True
            return
        self.sent += n
        self.waiting = self.waiting[n:]

    def read_some(self, count):
        """Gives how many bytes came; 0: none, or the end."""
        try:
            part = self.socket.recv(count)
        except BlockingIOError:
            return 0
        except OSError:
            part = b""
        if not part:
            self.ended = True
        self.read += len(part)
        self.received = (self.received + part)[-4096:]
        return len(part)

    def read_to_end(self):
        """What the server said last, and whether it ended the connection."""
        until = time.monotonic() + WAIT_S
        while not self.ended:
            left = until - time.monotonic()
            assert left > 0 and select.select([self], [], [], left)[0], "no end came"
            self.read_some(BATCH)
        return self.received

    def close(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def last_close_code(received):
    """Of a close frame at the end of what was received; None: there is none."""
    for at in range(len(received) - 2, -1, -1):
        if received[at] == 0x88 and at + 2 + received[at + 1] == len(received):
            return struct.unpack("!H", received[at + 2:at + 4])[0] if received[at + 1] else 1005
    return None


def connect(port, receive_buffer=4096):
    sock = socket.socket()
    if receive_buffer:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    sock.settimeout(WAIT_S)
    sock.connect(("127.0.0.1", port))
    return sock


def shake_hands(server, path, key="", most=None, first=b"", again=b""):
    """A Flooder on a WebSocket; key None: it has none."""
    class At(Client):
        pass
    At.path = path
    client = At(server, key=key, receive_buffer=4096)
    return Flooder(client.socket, first=first, again=again, most=most)


def command_flooder(server, kind, most=None):
    path, message = COMMANDS[kind]
    return shake_hands(server, path, again=frame(message), most=most)


def drive(flooders, seconds, until=lambda: False, byte_each_s=2.0, each=None, each_s=0.25):
    """Floods for so long, or until something holds.  `each` is called every each_s."""
    begun = time.monotonic()
    byte_due = begun + byte_each_s
    each_due = begun
    while (now := time.monotonic()) < begun + seconds and not until():
        if each and now >= each_due:
            each()
            each_due = now + each_s
        if now >= byte_due:
            for flooder in flooders:
                if not flooder.ended:
                    flooder.read_some(1)
            byte_due = now + byte_each_s
        writers = [flooder for flooder in flooders if flooder.wants_write]
        poll = select.poll()
        by_fd = {}
        for flooder in writers:
            by_fd[flooder.fileno()] = flooder
            poll.register(flooder.fileno(), select.POLLOUT)
        for fd, _ in poll.poll(50):
            by_fd[fd].write()
