"""A language model for tests: real HTTP and Server-Sent Events in three dialects.

What it does with a request is said by the model's name, `key=value` with commas between them:

    text=TEXT        what it says, a word at a time, blanks as "_" (TEXT below)
    first_ms, delay_ms   before the first word, and between words
    split=N          writes so many bytes at a time (all of an event)
    eol=lf|crlf|cr   how its lines end
    frame=chunked|close|length   how the body's end is told
    fault=...        what goes wrong (see Answer.fault), after `at` words (0), with the first
                     `times` requests for this model (all)
    status=N         refused with this status instead
    usage=no         counts no tokens, as some servers do (yes)
    tokens=N         that it counts in a question (11); in an answer it counts words

The path chooses the dialect.  Requests are kept: what was asked, how it ended, when.  Run as a
program it listens on the port that it is given and prints each request as a line of JSON.
"""

import asyncio
import contextlib
import json
import sys
import threading
import time

TEXT = "Grüße, 😀 my friend."
FAULTS = ("hang_up", "reset", "garbage", "no_json", "error", "early", "silent", "endless", "html",
          "redirect", "huge")


def parse_script(model):
    """A name without "=" is that of a model that does everything right."""
    script = {"text": TEXT, "first_ms": 0, "delay_ms": 0, "split": 0, "eol": "lf", "at": 0,
              "frame": "chunked", "fault": "", "times": sys.maxsize, "status": 0,
              "usage": "yes", "tokens": 11}
    for part in model.split(",") if "=" in model else []:
        key, value = part.split("=", 1)
        script[key] = type(script[key])(value)
    script["text"] = script["text"].replace("_", " ")
    assert script["fault"] in ("", *FAULTS), model
    return script


def words_of(text):
    """With the blank before each, as models say them."""
    first, *rest = text.split(" ")
    return [first, *(" " + word for word in rest)]


class Dialect:
    def __init__(self, script):
        self.script = script

    def usage(self, **counts):
        """As a member of an event; nothing from a server that does not count."""
        return {"usage": counts} if self.script["usage"] == "yes" else {}


class OpenAi(Dialect):
    def begin(self):
        return [(None, {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""},
                                     "finish_reason": None}]})]

    def word(self, word):
        return [(None, {"choices": [{"index": 0, "delta": {"content": word},
                                     "finish_reason": None}]})]

    def end(self, count):
        usage = self.usage(prompt_tokens=self.script["tokens"], completion_tokens=count)
        return [(None, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
                *([(None, {"choices": [], **usage})] if usage else []),
                (None, "[DONE]")]

    def error(self, words):
        return [(None, {"error": {"message": words, "type": "server_error"}})]


class Responses(Dialect):
    def begin(self):
        return self.event("response.created", response={"error": None, "usage": None})

    def event(self, kind, **members):
        return [(kind, {"type": kind, **members})]

    def word(self, word):
        return (self.event("response.reasoning_summary_text.delta", delta="hm")
                + self.event("response.output_text.delta", delta=word))

    def end(self, count):
        return self.event("response.completed", response={
            "error": None, **self.usage(input_tokens=self.script["tokens"], output_tokens=count)})

    def error(self, words):
        return self.event("response.failed", response={"error": {"message": words}})


class Anthropic(Dialect):
    def begin(self):
        usage = self.usage(input_tokens=self.script["tokens"] - 3, cache_read_input_tokens=1,
                           cache_creation_input_tokens=2, output_tokens=1)
        return (self.event("message_start", message=usage)
                + self.event("content_block_start", content_block={"type": "text", "text": ""})
                + self.event("ping"))

    def event(self, kind, **members):
        return [(kind, {"type": kind, **members})]

    def word(self, word):
        return self.event("content_block_delta", delta={"type": "text_delta", "text": word})

    def end(self, count):
        return (self.event("content_block_stop")
                + self.event("message_delta", delta={"stop_reason": "end_turn"},
                             **self.usage(output_tokens=count))
                + self.event("message_stop"))

    def error(self, words):
        return self.event("error", error={"type": "overloaded_error", "message": words})


DIALECTS = {"/chat/completions": OpenAi, "/responses": Responses, "/messages": Anthropic}


class Request:
    """One that came, and what became of it; times are those of time.monotonic."""

    def __init__(self, path, headers, body):
        self.path, self.headers, self.body = path, headers, body
        self.came_at = time.monotonic()
        self.words = 0  # sent so far
        self.ended_at = None  # by us
        self.closed_at = None  # by the client, before that

    @property
    def model(self):
        return self.body.get("model", "")

    def texts(self):
        """The turns of the conversation, as (role, text)."""
        turns = self.body.get("messages") or self.body.get("input") or []
        return [(turn["role"], turn["content"]) for turn in turns]


class Closed(Exception):
    """The client has closed the connection."""


class Answer:
    """What is sent for one request."""

    def __init__(self, connection, request, script):
        self.connection, self.request, self.script = connection, request, script
        self.dialect = next(kind(script) for end, kind in DIALECTS.items()
                            if request.path.split("?")[0].endswith(end))
        self.held = None
        self.eol = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}[script["eol"]]

    async def send(self):
        """True when the connection may be used again."""
        if self.script["status"]:
            await self.refuse(self.script["status"], self.dialect.error("refused, as told")[0][1])
            return False
        if self.script["fault"] == "redirect":
            await self.write(b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:9/\r\n"
                             b"Content-Length: 0\r\n\r\n")
            return False
        if self.script["fault"] == "html":
            await self.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                             b"Content-Length: 3\r\n\r\n<p>")
            return False
        return await self.stream()

    async def refuse(self, status, body):
        text = json.dumps(body).encode()
        await self.write(b"HTTP/1.1 %d No\r\nContent-Type: application/json\r\nConnection: close\r\n"
                         b"Content-Length: %d\r\n\r\n%s" % (status, len(text), text))

    async def stream(self):
        words = words_of(self.script["text"])
        if self.script["frame"] == "length":
            self.held = b""  # until its length is known
        else:
            await self.head()
        await self.events(self.dialect.begin())
        for i in range(len(words) + 1):
            if i == self.script["at"] and not await self.fault():
                return False
            if i == len(words):
                break
            await self.connection.sleep(self.script["first_ms" if i == 0 else "delay_ms"])
            self.request.words += 1
            await self.events(self.dialect.word(words[i]))
        await self.events(self.dialect.end(len(words)))
        return await self.finish()

    async def head(self, length=0):
        how = {"chunked": b"Transfer-Encoding: chunked\r\n", "close": b"Connection: close\r\n",
               "length": b"Content-Length: %d\r\n" % length}[self.script["frame"]]
        await self.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
                         + how + b"\r\n")

    async def finish(self):
        """True when the connection may be used again."""
        if self.script["frame"] == "length":
            await self.head(len(self.held))
            await self.write(self.held)
        elif self.script["frame"] == "chunked":
            await self.write(b"0\r\n\r\n")
        return self.script["frame"] != "close"

    async def fault(self):
        """Does what goes wrong here; false when nothing follows."""
        kind = self.script["fault"]
        if kind in ("", "html", "redirect"):
            return True
        if kind == "reset":
            self.connection.writer.transport.abort()
        elif kind == "garbage":
            await self.write(b"\xff\x00garbage\r\n\r\n" * 3)
        elif kind == "no_json":
            await self.lines(["data: {\"choices\":[" + self.eol])
        elif kind == "error":
            await self.events(self.dialect.error("failed, as told"))
        elif kind == "early":
            await self.finish()  # without the last events
        elif kind == "silent":
            await self.connection.sleep(3600 * 1000)
        elif kind == "huge":
            await self.lines(["data: " + "x" * 65536] * 64)
        elif kind == "endless":
            while True:
                self.request.words += 1
                await self.events(self.dialect.word(" la"))
                await self.connection.sleep(self.script["delay_ms"])
        return False

    async def events(self, events):
        for kind, members in events:
            lines = [f"event: {kind}"] if kind else []
            text = members if isinstance(members, str) else json.dumps(members, ensure_ascii=False)
            await self.lines([*lines, "data: " + text, ""])

    async def lines(self, lines):
        data = "".join(line + self.eol for line in lines).encode()
        if self.held is not None:
            self.held += data
        elif self.script["frame"] == "chunked":
            await self.write(b"%x\r\n%s\r\n" % (len(data), data))
        else:
            await self.write(data)

    async def write(self, data):
        step = self.script["split"] or len(data)
        for at in range(0, len(data), step):
            await self.connection.write(data[at:at + step])
            if self.script["split"]:
                await asyncio.sleep(0)


class Connection:
    """Reads ahead all the time, to see when the client closes."""

    def __init__(self, fake, reader, writer):
        self.fake, self.reader, self.writer = fake, reader, writer
        self.next_byte = asyncio.ensure_future(reader.read(1))

    async def run(self):
        with contextlib.suppress(Closed, ConnectionError, asyncio.IncompleteReadError):
            while await self.serve():
                pass
        self.next_byte.cancel()
        self.writer.close()

    async def read_request(self):
        head = (await self.next_byte) + await self.reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")[:-2]
        headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines)}
        body = await self.reader.readexactly(int(headers["content-length"]))
        self.next_byte = asyncio.ensure_future(self.reader.read(1))
        return Request(first.split(" ")[1], headers, json.loads(body))

    async def serve(self):
        request = await self.read_request()
        script = self.fake.take(request)
        try:
            keeps = await Answer(self, request, script).send()
            request.ended_at = time.monotonic()
            return keeps
        except (Closed, ConnectionError):
            request.closed_at = time.monotonic()
            raise
        finally:
            self.fake.tell(request)

    def check_open(self):
        if self.next_byte.done() and not self.next_byte.cancelled():
            if self.next_byte.exception() or not self.next_byte.result():
                raise Closed

    async def write(self, data):
        self.check_open()
        self.writer.write(data)
        await self.writer.drain()

    async def sleep(self, milliseconds):
        """Shorter if the client closes meanwhile."""
        if milliseconds:
            await asyncio.wait([self.next_byte], timeout=milliseconds / 1000)
        self.check_open()


class FakeLlm:
    """A server on a thread of its own: `with FakeLlm() as llm`."""

    def __init__(self, port=0, told=None):
        self.port, self.told = port, told
        self.requests = []
        self.seen = {}
        self.connections = 0

    def take(self, request):
        script = parse_script(request.model)
        nth = self.seen[request.model] = self.seen.get(request.model, 0) + 1
        if nth > script["times"]:
            script |= {"fault": "", "status": 0}
        self.requests.append(request)
        return script

    def tell(self, request):
        if self.told:
            self.told(request)

    async def accept(self, reader, writer):
        self.connections += 1
        await Connection(self, reader, writer).run()

    async def start(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        self.loop.run_until_complete(self.start())
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self.stop(), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def stop(self):
        self.server.close()
        tasks = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def print_request(request):
    print(json.dumps({"path": request.path, "model": request.model, "turns": request.texts(),
                      "words": request.words, "was_closed": request.closed_at is not None}),
          flush=True)


async def main():
    fake = FakeLlm(int(sys.argv[1]) if len(sys.argv) > 1 else 0, print_request)
    await fake.start()
    print(fake.url, flush=True)
    await fake.server.serve_forever()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
