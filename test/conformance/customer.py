"""A customer's server, to which a speech engine connects; here the engine is `syrinx talk`."""

import asyncio
import contextlib
import json
import os
import select
import subprocess
import threading
import time

import program
import websockets
from wire import PATIENCE_S


class Customer:
    """Accepts WebSockets, keeps what comes, and answers with a coroutine (message, send) -> None."""

    def __init__(self, answer):
        self.answer = answer
        self.headers = None
        self.messages = []  # (time, message)
        self.connections = 0
        self.close_code = None

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = asyncio.run_coroutine_threadsafe(self.listen(), self.loop).result(30)
        self.url = f"ws://127.0.0.1:{self.server.sockets[0].getsockname()[1]}/ws"
        return self

    async def listen(self):
        return await websockets.serve(self.serve, "127.0.0.1", 0)

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self.stop(), self.loop).result(30)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(30)

    async def stop(self):
        self.server.close()
        await self.server.wait_closed()

    async def serve(self, socket, _path=None):
        self.connections += 1
        self.headers = socket.request_headers

        async def send(message):
            await socket.send(message if isinstance(message, str) else json.dumps(message))

        with contextlib.suppress(websockets.ConnectionClosed):
            async for text in socket:
                message = json.loads(text)
                self.messages.append((time.monotonic(), message))
                await self.answer(message, send)
        self.close_code = socket.close_code

    def of(self, kind):
        return [message for _, message in list(self.messages) if message.get("type") == kind]

    def wait_for(self, kind, count=1):
        return program.wait_until(lambda: len(self.of(kind)) >= count and self.of(kind),
                                  f"{count} {kind} came", seconds=30)


async def pong(message, send):
    if message.get("type") == "ping":
        await send({"type": "pong"})


def response(event_id, content, is_final=False):
    return {"type": "agent_response", "content": content, "event_id": event_id, "is_final": is_final}


class Talk:
    """`syrinx talk` with a customer's server; lines are typed into a pipe."""

    def __init__(self, customer, key, *arguments, extra=None):
        self.process = subprocess.Popen(
            [program.SYRINX, "talk", "--url", customer.url, "--key", key, *map(str, arguments)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=program.environment({}) | (extra or {}))
        program.companions.add(self.process.pid)
        self.printed = b""  # and not read yet

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()

    def type(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def read_line(self):
        """The next line that it prints."""
        pipe, deadline = self.process.stdout.fileno(), time.monotonic() + PATIENCE_S
        while b"\n" not in self.printed:
            left = max(0.0, deadline - time.monotonic())
            assert select.select([pipe], [], [], left)[0], "syrinx talk prints nothing"
            data = os.read(pipe, 1 << 16)
            assert data, "syrinx talk has ended"
            self.printed += data
        line, self.printed = self.printed.split(b"\n", 1)
        return line.decode()

    def end(self):
        """End of the input; gives the status."""
        self.process.stdin.close()
        return self.process.wait(30)
