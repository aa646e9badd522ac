"""The Speech Engine's upstream protocol.  Syrinx is the customer's server; of the engine's side there is
`syrinx talk`, which is typed to instead of spoken to."""

import asyncio
import base64
import json
import pathlib
import subprocess
import time

import program
from client import Closed, Refused, now
from customer import Customer, Talk, pong, response
from engine import HEADER, ISSUER, SUBJECT, Engine, agent, claims, digest, sign, token, user
from statement import DIFFERS, SDK, Different, Skip, scenario, statement
from websockets.connection import State
from wire import PATIENCE_S, Tapped, milliseconds, seconds
from world import ENGINE_KEY, ESPEAK, RESIDENT_KEY, construct

OURS = "needs an agent, and the key of its speech engine"
HEAD = {"alg": "HS256", "typ": "JWT"}


class Conversation(Engine):
    """A speech engine that does not wait for ever."""

    def receive(self):
        deadline = now() + PATIENCE_S
        while not self.waiting and not self.has_ended and self.protocol.state is State.OPEN:
            assert self.can_read(max(0.0, deadline - now())), f"nothing came for {PATIENCE_S:.0f} s"
            self.pull()
        return super().receive()


def connect(world, path="/words", key=ENGINE_KEY, **options):
    return Conversation(world.ours(OURS), key=key, path=path, **options)


def accepted(world, **options):
    with connect(world, **options) as engine:
        engine.ping()
    return "HTTP 101"


def refused(world, **options):
    try:
        connect(world, **options).socket.close()
    except Refused as refusal:
        assert refusal.status == 401, refusal
        return f"HTTP {refusal.status} {refusal.body['error_code']}, no upgrade"
    raise AssertionError("HTTP 101")


# Who may connect


@statement("token-valid", "004 Authentication",
           "A connection is accepted whose header X-Elevenlabs-Speech-Engine-Authorization has a "
           "JWT signed with HS256 and the SHA-256 digest of the API key.")
def check_valid(world):
    return accepted(world)


@statement("token-issuer-and-subject", "004 Authentication",
           f"Its issuer is {ISSUER}, its subject {SUBJECT}.")
def check_claims(world):
    good = claims()
    assert (good["iss"], good["sub"]) == (ISSUER, SUBJECT)
    return accepted(world, given=sign(digest(ENGINE_KEY), HEAD, good))


@statement("token-before-upgrade", "004 Authentication",
           "The token is verified before the upgrade: without one there is no WebSocket.")
def check_none(world):
    return refused(world, given="")


REFUSED = {
    "issuer": ("another issuer", lambda: token(ENGINE_KEY, iss="https://api.elevenlabs.io")),
    "subject": ("another subject", lambda: token(ENGINE_KEY, sub="convai")),
    "no-issuer": ("no issuer", lambda: token(ENGINE_KEY, iss=None)),
    "no-subject": ("no subject", lambda: token(ENGINE_KEY, sub=None)),
    "no-expiry": ("no expiry", lambda: token(ENGINE_KEY, exp=None)),
    "other-key": ("a signature made with the digest of another key", lambda: token("sk_of_another_account")),
    "raw-key": ("a signature made with the key itself",
                lambda: sign(ENGINE_KEY.encode(), HEAD, claims())),
    "hex-digest": ("a signature made with the digest in hexadecimal",
                   lambda: sign(digest(ENGINE_KEY).hex().encode(), HEAD, claims())),
    "alg-none": ("the algorithm none", lambda: token(ENGINE_KEY, alg="none")),
    "alg-other": ("the algorithm HS512", lambda: token(ENGINE_KEY, alg="HS512")),
    "unsigned": ("no signature", lambda: token(ENGINE_KEY).rsplit(".", 1)[0] + "."),
    "garbage": ("something that is no token", lambda: "garbage"),
}

for name, (what, make) in REFUSED.items():
    @statement("token-refused-" + name, "004 Authentication", f"A token with {what} is refused."
               if name != "garbage" else "Something that is no token is refused.")
    def check_refused(world, make=make):
        return refused(world, given=make())


@statement("token-leeway", "004 Authentication",
           "exp has a leeway of 60 s: a token that expired 50 s ago is accepted.")
def check_leeway(world):
    return accepted(world, given=token(ENGINE_KEY, exp=int(time.time()) - 50))


@statement("token-expired", "004 Authentication",
           "A token that expired more than 60 s ago is refused: 62 s, and 120 s.")
def check_expired(world):
    refused(world, given=token(ENGINE_KEY, iat=int(time.time()) - 130, exp=int(time.time()) - 120))
    return refused(world, given=token(ENGINE_KEY, exp=int(time.time()) - 62))


@statement("token-header-case", SDK,
           "The name of the header is not case-sensitive.")
def check_case(world):
    return accepted(world, given="", headers={HEADER.lower(): token(ENGINE_KEY)})


@statement("token-without-iat", "004 Authentication",
           "A token needs only the claims iss, sub and exp: one without iat is accepted.",
           expected=DIFFERS,
           reason="A token without a time of issue is refused, because its lifetime, which the document "
                  "says is short, could not be checked. ElevenLabs' own libraries also require iat, and "
                  "its engine sends it.")
def check_no_iat(world):
    try:
        return accepted(world, given=token(ENGINE_KEY, iat=None))
    except Refused as refusal:
        raise Different(f"HTTP {refusal.status}") from None


@statement("token-region", SDK,
           "A regional key: the part after _residency_ is not part of the secret.")
def check_region(world):
    return accepted(world, path="/resident", key=RESIDENT_KEY)


# Messages


@statement("engine-init", "004 Message exchange",
           "The engine starts with init and its conversation_id; it needs no reply.")
def check_init(world):
    with connect(world) as engine:
        engine.send(type="init", conversation_id="conv_conformance")
        assert not engine.can_read(0.3)
        engine.ping()
    world.server().wait_for_log("conv_conformance")
    return "no frame; the log names the conversation"


@statement("engine-ping", "004 Keep-alive", 'ping is answered with {"type": "pong"}.')
def check_ping(world):
    with connect(world) as engine:
        engine.send(type="ping")
        reply = engine.receive()
    assert reply == {"type": "pong"}, reply
    return json.dumps(reply)


@statement("engine-every-ping", "004 Keep-alive", "Every ping is answered.")
def check_pings(world):
    with connect(world) as engine:
        for _ in range(20):
            engine.send(type="ping")
        replies = [engine.receive() for _ in range(20)]
        assert not engine.can_read(0.2)
    assert replies == [{"type": "pong"}] * 20
    return "20 pongs for 20 pings"


@scenario
def answered(world):
    """An answer of five words, 60 ms apart."""
    with connect(world) as engine:
        engine.send(type="init", conversation_id="conv_words")
        engine.say("Say it.")
        frames = [engine.receive()]
        while not frames[-1]["is_final"]:
            frames.append(engine.receive())
        return frames, engine.event_id


@statement("response-format", "004 Streaming responses",
           "An answer is a sequence of agent_response with content, event_id and is_final false, "
           "then one with is_final true and empty content.")
def check_response(world):
    frames, _ = answered(world)
    assert len(frames) > 2 and "".join(frame["content"] for frame in frames) == "w0 w1 w2 w3 w4"
    for frame in frames:
        assert set(frame) == {"type", "content", "event_id", "is_final"}, frame
        assert frame["type"] == "agent_response"
    assert all(frame["is_final"] is False and frame["content"] for frame in frames[:-1])
    assert frames[-1]["is_final"] is True and frames[-1]["content"] == ""
    return f"{json.dumps(frames[0])} … {json.dumps(frames[-1])}"


@statement("response-event-id", "004 Streaming responses",
           "Each has the event_id of the transcript that it answers.")
def check_event_id(world):
    frames, event_id = answered(world)
    assert {frame["event_id"] for frame in frames} == {event_id}
    return f"event_id {event_id} in all of them"


@statement("response-streams", "004 Streaming responses",
           "Words are sent as the model writes them, not when it is done.")
def check_streams(world):
    """This model writes three words and never comes to an end."""
    with connect(world, path="/unfinished") as engine:
        engine.say("Say a part of it.")
        text = ""
        while text.strip() != "w0 w1 w2":
            frame = engine.receive()
            assert not frame["is_final"], frame
            text += frame["content"]
    return "the first three words reach the engine while the model goes on"


@statement("engine-ping-during-answer", "004 Keep-alive",
           "A ping is answered immediately, even while an answer is being sent.")
def check_ping_during(world):
    """The answer takes more than six seconds."""
    with connect(world, path="/endless") as engine:
        engine.say("Tell me, and I ping.")
        engine.receive_response()
        sent = now()
        engine.send(type="ping")
        while (frame := engine.receive()).get("type") != "pong":
            assert not frame["is_final"], "the pong came after the answer"
        after = now() - sent
        assert not engine.receive_response()["is_final"]
    return "pong before the answer was complete", milliseconds(after)


@statement("transcript-history", "004 User transcripts",
           "user_transcript has the whole conversation, roles user and agent; the model gets all "
           "of it.")
def check_history(world):
    with connect(world, path="/short") as engine:
        engine.send_transcript(
            [user("Hello short"), agent("I said this"), user("second short question")], 1)
        engine.event_id = 1
        engine.read_answer()
    turns = [r.texts() for r in world.llm.requests
             if "second short question" in json.dumps(r.body)][-1]
    assert turns == [("system", "You are a test."), ("user", "Hello short"),
                     ("assistant", "I said this"), ("user", "second short question")], turns
    return "the model is asked with system, user, assistant and user"


@scenario
def spoken_again(world):
    """A user who speaks again before the answer is complete."""
    with connect(world, path="/endless") as engine:
        engine.say("Tell me a lot, please.", event_id=5)
        for _ in range(3):
            assert engine.receive()["event_id"] == 5
        request = [r for r in world.llm.requests if "Tell me a lot, please." in json.dumps(r.body)][-1]
        engine.say("Something else, please.", event_id=6)
        sent = now()
        late, first = 0, None
        while first is None:
            frame = engine.receive()
            late += frame["event_id"] == 5
            first = now() - sent if frame["event_id"] == 6 else None
        after = [engine.receive() for _ in range(3)]
        closed = program.wait_until(lambda: request.closed_at, "the model's connection is closed", 20)
        # A transcript that is older than the newest.
        engine.send_transcript([user("From the past.")], 4)
        after += [engine.receive() for _ in range(3)]
        return {"late": late, "first": first, "after": after, "closed": closed - sent}


@statement("interruption-cancels-model", "004 Interruptions",
           "A transcript with a higher event_id cancels the model's current answer.")
def check_cancels(world):
    return "the connection to the model is closed", milliseconds(max(0, spoken_again(world)["closed"]))


@statement("interruption-answers-new", "004 Interruptions",
           "The new transcript is answered, and nothing more is sent under the old event_id.")
def check_answers_new(world):
    seen = spoken_again(world)
    assert {frame["event_id"] for frame in seen["after"]} == {6}
    return ("after the first agent_response with the new event_id none has the old one",
            f"first after {milliseconds(seen['first'])}; {seen['late']} of the old one on their "
            f"way")


@statement("interruption-lower-id", "004 Interruptions",
           "A transcript with a lower event_id than the newest is not answered: its answer would "
           "be discarded.")
def check_lower(world):
    seen = spoken_again(world)
    assert {frame["event_id"] for frame in seen["after"]} == {6}
    return "no agent_response for event_id 4 after 6"


@statement("transcript-without-event-id", SDK,
           "A transcript without event_id is answered without one.")
def check_no_event_id(world):
    with connect(world, path="/short") as engine:
        engine.send_transcript([user("No id.")])
        frames = [engine.receive_response()]
        while not frames[-1]["is_final"]:
            frames.append(engine.receive_response())
    assert all("event_id" not in frame for frame in frames)
    return json.dumps(frames[-1])


@statement("engine-unknown-message", SDK,
           "A message of an unknown type is ignored; the conversation continues.")
def check_unknown(world):
    with connect(world) as engine:
        engine.send(type="something_new", value=1)
        assert not engine.can_read(0.2)
        engine.ping()
    return "no frame; the next ping is answered"


@statement("engine-close", "004 Message exchange",
           "close ends the conversation: the answer is cancelled, and the connection is closed.")
def check_close(world):
    with connect(world, path="/endless") as engine:
        engine.say("Tell me, and I close.")
        engine.receive_response()
        engine.send(type="close")
        code = closed(engine)
    request = [r for r in world.llm.requests if "Tell me, and I close." in json.dumps(r.body)][-1]
    program.wait_until(lambda: request.closed_at, "the model's connection is closed", 20)
    assert code == 1000
    return "close code 1000; the connection to the model is closed"


@statement("engine-error", "004 Errors",
           "After an error message of the engine the connection is closed.")
def check_error(world):
    with connect(world) as engine:
        engine.send({"type": "error", "message": "A protocol error."})
        code = closed(engine)
    assert code == 1000
    return "close code 1000"


def closed(engine):
    try:
        while True:
            engine.receive()
    except Closed as end:
        return end.code


@statement("conversation-persists", "004 Keep-alive",
           "A silent conversation stays open.", waits=43)
def check_persists(world):
    with connect(world) as engine:
        deadline = now() + 43
        pings = 0
        while (left := deadline - now()) > 0:
            if engine.can_read(left):
                engine.pull()  # answers the ping
                pings += 1
                assert not engine.waiting and not engine.has_ended
        engine.ping()
    assert pings >= 2
    return "43 s of silence: open, with pings of the server on the WebSocket; then ping and pong"


# The engine's side, as far as it is there


def talking(world, answer, *arguments, **options):
    world.ours("runs syrinx talk")
    customer = Customer(answer)
    return customer, lambda: Talk(customer, ENGINE_KEY, *arguments, **options)


async def echo(message, send):
    await pong(message, send)
    if message.get("type") == "user_transcript":
        words = message["user_transcript"][-1]["content"]
        for part in ("You ", "said: ", words):
            await send(response(message["event_id"], part))
        await send(response(message["event_id"], "", True))


@scenario
def typed(world):
    """Two lines typed into `syrinx talk`, which connects to a server of ours."""
    customer, talk = talking(world, echo)
    with customer, talk() as engine:
        lines = []
        for text in ("hello", "and again"):
            engine.type(text)
            lines.append(engine.read_line())
        status = engine.end()
        program.wait_until(lambda: customer.close_code, "the connection has ended", 30)
        return customer, lines, status


@statement("talk-connects-with-token", "004 Connection / 004 Authentication",
           "The engine is the client: it opens the WebSocket and sends the token in the header (syrinx "
           "talk).")
def check_talk_token(world):
    customer, _, _ = typed(world)
    head, payload, signature = customer.headers[HEADER].removeprefix("Bearer ").split(".")
    parts = [json.loads(decode(part)) for part in (head, payload)]
    assert parts[0]["alg"] == "HS256"
    assert sign(digest(ENGINE_KEY), parts[0], parts[1]).split(".")[2] == signature
    assert (parts[1]["iss"], parts[1]["sub"]) == (ISSUER, SUBJECT)
    return "HS256, signed with the digest of the key, with the documented issuer and subject"


@statement("talk-token-short-lived", "004 Authentication",
           "The token is short-lived (syrinx talk, syrinx mint-token).")
def check_talk_expiry(world):
    payload = typed(world)[0].headers[HEADER].removeprefix("Bearer ").split(".")[1]
    payload = json.loads(decode(payload))
    life = payload["exp"] - payload["iat"]
    assert 0 < life <= 900, life
    return f"exp is {life} s after iat"


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@statement("talk-init", "004 Message exchange",
           "The first message of the engine is init with the conversation_id (syrinx talk).")
def check_talk_init(world):
    first = typed(world)[0].messages[0][1]
    assert set(first) == {"type", "conversation_id"} and first["type"] == "init", first
    assert first["conversation_id"]
    return '{"type": "init", "conversation_id": "conv_…"}'


@statement("talk-transcripts", "004 User transcripts",
           "user_transcript has the full history and an event_id that increases with each turn (syrinx "
           "talk).")
def check_talk_transcripts(world):
    transcripts = typed(world)[0].of("user_transcript")
    assert [[(t["role"], t["content"]) for t in m["user_transcript"]] for m in transcripts] == [
        [("user", "hello")],
        [("user", "hello"), ("agent", "You said: hello"), ("user", "and again")]], transcripts
    assert transcripts[0]["event_id"] < transcripts[1]["event_id"]
    return "1 message, then 3: user, agent, user; the second event_id is higher"


@statement("talk-close", "004 Message exchange",
           "The engine ends a conversation with close (syrinx talk).")
def check_talk_close(world):
    customer, _, status = typed(world)
    assert customer.messages[-1][1] == {"type": "close"} and status == 0
    return json.dumps(customer.messages[-1][1])


@statement("talk-discards-outdated", "004 Interruptions",
           "An agent_response with an outdated event_id is discarded silently (syrinx talk).")
def check_talk_outdated(world):
    async def answer(message, send):
        await pong(message, send)
        if message.get("type") == "user_transcript":
            await send(response(message["event_id"] - 1, "stale answer"))
            await send(response(message["event_id"] - 1, "", True))
            await send(response(message["event_id"], "fresh answer"))
            await send(response(message["event_id"], "", True))

    customer, talk = talking(world, answer)
    with customer, talk() as engine:
        engine.type("one")
        engine.type("two")
        lines = [engine.read_line(), engine.read_line()]
        assert engine.end() == 0
    assert lines == ["fresh answer", "fresh answer"], lines
    return repr(lines)


@statement("talk-pings", "004 Keep-alive",
           "The engine pings periodically (syrinx talk; every second here, 15 s by "
           "default).", waits=4)
def check_talk_pings(world):
    customer, talk = talking(world, pong, "--ping", "1")
    with customer, talk():
        customer.wait_for("ping", 3)
        times = [at for at, message in customer.messages if message["type"] == "ping"]
    assert times[-1] - times[0] > 1.5, times
    gaps = ", ".join(seconds(b - a) for a, b in zip(times, times[1:]))
    return "pings, one after the other", gaps + " apart"


@statement("talk-speaks-as-chunks-arrive", "004 Streaming responses",
           "Audio is synthesized as chunks arrive, before the answer is complete (syrinx talk "
           "--speak).", waits=5)
def check_talk_speaks(world):
    server = world.ours("runs syrinx talk")
    folder = world.directory / "player"
    folder.mkdir(exist_ok=True)
    heard = folder / "heard"
    player = folder / "pw-play"
    player.write_text(f"#!/bin/sh\nexec cat > {heard}\n")
    player.chmod(0o755)
    seen = {}

    async def answer(message, send):
        """The answer is completed when something of it has been heard."""
        await pong(message, send)
        if message.get("type") == "user_transcript":
            await send(response(message["event_id"], "This is the beginning of it. And "))
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline and not seen.get("bytes"):
                await asyncio.sleep(0.02)
                seen["bytes"] = heard.stat().st_size > 1000 if heard.exists() else False
            await send(response(message["event_id"], "this is its end."))
            await send(response(message["event_id"], "", True))

    customer, talk = talking(
        world, answer, "--speak", "--data", server.data, "--server", f"http://127.0.0.1:{server.port}",
        extra={"PATH": f"{folder}:/usr/bin:/bin", "SYRINX_KEY": server.key})
    with customer, talk() as engine:
        engine.type("go on")
        line = engine.read_line()
        engine.end()
    assert seen.get("bytes"), f"nothing was heard before the answer was complete: {line!r}"
    return "a player got audio before is_final was sent"


@statement("library-as-customer", "004 Overview",
           "ElevenLabs' library, which the document recommends, accepts it as an engine, and verifies "
           "the token (syrinx talk).")
def check_library(world):
    world.ours("runs syrinx talk")
    from speech_engine_peer import KEY, Peer
    folder = world.directory / "library"
    folder.mkdir()
    peer = construct(Peer, folder, packages())
    program.companions.add(peer.process.pid)
    try:
        done = program.syrinx("talk", "--url", peer.url, "--key", KEY, stdin=b"hello\n")
        assert done.stdout == b"You said: hello\n", done
        assert peer.wait_for("init")["id"].startswith("conv_")
        peer.wait_for("close")
    finally:
        peer.process.kill()
        peer.process.wait()
    return "its SpeechEngine server answered: You said: hello"


def packages():
    done = subprocess.run([program.SOURCE / "test/clients/install", "."], capture_output=True, text=True,
                          timeout=600, check=False)
    if done.returncode != 0:
        raise Skip("no clients: " + done.stderr.strip())
    return pathlib.Path(done.stdout.strip())


SCHEMAS = """
const [folder, input] = process.argv.slice(1);
for (const [type, message] of JSON.parse(input)) {
	const schema = require(`${folder}/@elevenlabs/elevenlabs-js/serialization/types/${type}.js`)[type];
	const parsed = schema.parse(message, { unrecognizedObjectKeys: "fail" });
	if (!parsed.ok) throw new Error(`${type} ${JSON.stringify(message)} ${JSON.stringify(parsed.errors)}`);
}
"""


@statement("library-message-types", "004 Overview",
           "The messages of both sides match the library's types, without other keys.")
def check_schemas(world):
    frames, _ = answered(world)
    messages = [("AgentResponsePayload", frame) for frame in frames] + [("PongPayload", {"type": "pong"})]
    types = {"init": "InitPayload", "user_transcript": "UserTranscriptPayload", "close": "ClosePayload"}
    messages += [(types[m["type"]], m) for _, m in typed(world)[0].messages if m["type"] in types]
    done = subprocess.run(["node", "-e", SCHEMAS, str(packages()), json.dumps(messages)],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return "init, user_transcript, close, agent_response and pong"


# The engine's side: a caller talks with a speech engine whose server is a customer's.


def create_engine(world, url, server):
    """As ElevenLabs' library does it."""
    with world.rest(server) as rest:
        status, body = rest.raw("POST", "/speech-engine", json.dumps(
            {"name": "conformance", "speech_engine": {"ws_url": url},
             "tts": {"voice_id": str(ESPEAK)}}).encode(),
            {"xi-api-key": world.server(server).key, "Content-Type": "application/json"})
    if status not in (200, 201):
        raise Different(f"POST /v1/speech-engine: HTTP {status} {body[:200]}")
    return json.loads(body)


class Caller(Tapped):
    path = "/v1/convai/conversation"


def converse(world, customer, server="main"):
    """A caller's conversation with an engine that connects to the customer."""
    made = create_engine(world, customer.url, server)
    try:
        caller = Caller(world.server(server), query=f"agent_id={made['speech_engine_id']}")
    except Refused as refusal:
        raise Different(f"/v1/convai/conversation: HTTP {refusal.status}") from None
    caller.send(type="conversation_initiation_client_data")
    first = caller.receive()
    if first.get("type") != "conversation_initiation_metadata":
        raise Different(f"the first message is {first}")
    return caller


def speak_to(caller, world, text):
    """The words as a caller's audio, in pieces of 100 ms in real time, and a second of silence."""
    with world.speaking("listening", voice=ESPEAK, sample_rate=16000) as voice:
        audio = voice.say(text).audio + bytes(32000)
    for at in range(0, len(audio), 3200):
        caller.send(user_audio_chunk=base64.b64encode(audio[at:at + 3200]).decode())
        time.sleep(0.1)


def hear(caller, kind):
    """Waits for a message of this type."""
    while seen := caller.take(PATIENCE_S):
        if seen.frame.get("type") == kind:
            return seen.frame
    raise Different(f"no {kind} reaches the caller")


def expect(customer, kind, count=1):
    try:
        return customer.wait_for(kind, count)
    except AssertionError:
        raise Different(f"no {kind} reaches the customer's server") from None


@statement("engine-rest-create", "004 Connection",
           "A speech engine is created and updated over REST, with its wsUrl.")
def check_create(world):
    world.ours("creates a speech engine")
    made = create_engine(world, "ws://127.0.0.1:9/ws", "main")
    with world.rest() as rest:
        status, body = rest.ask("PATCH", f"/speech-engine/{made['speech_engine_id']}",
                                {"speech_engine": {"ws_url": "ws://127.0.0.1:9/other"}})
    if status != 200 or body["speech_engine"]["ws_url"] != "ws://127.0.0.1:9/other":
        raise Different(f"PATCH /v1/speech-engine/{{id}}: HTTP {status} {body}")
    return "created and updated"


@statement("engine-service", "004 Overview",
           "A service acts as the engine and "
           "connects to customers' servers, as their WebSocket client.")
def check_service(world):
    world.ours("creates a speech engine")
    with Customer(echo) as customer, converse(world, customer, "listening"):
        expect(customer, "init")
    return "init reached the customer's server"


@statement("engine-conversation-starts", "004 Connection",
           "When a user starts a conversation, the engine opens the WebSocket to "
           "wsUrl.")
def check_starts(world):
    world.ours("creates a speech engine")
    with Customer(echo) as customer:
        with converse(world, customer, "listening"):
            expect(customer, "init")
            if customer.connections != 1:
                raise Different(f"{customer.connections} connections")
    return "one connection for one conversation"


@statement("engine-recognition", "004 User transcripts",
           "What the user says is recognized, and sent as user_transcript.", waits=4)
def check_recognition(world):
    world.ours("creates a speech engine")
    with Customer(echo) as customer, converse(world, customer, "listening") as caller:
        speak_to(caller, world, "Hello, how are you today?")
        words = expect(customer, "user_transcript")[-1]["user_transcript"][-1]["content"]
        if "how are you" not in words.lower():
            raise Different(f"recognized {words!r}")
    return "the words that were said"


@statement("engine-end-of-turn", "004 User transcripts",
           "The engine detects when the user has "
           "finished: one user_transcript for each turn of speech.", waits=8)
def check_end_of_turn(world):
    world.ours("creates a speech engine")
    with Customer(echo) as customer, converse(world, customer, "listening") as caller:
        for count, words in enumerate(("Hello, how are you today?", "What is the time?"), 1):
            speak_to(caller, world, words)
            expect(customer, "user_transcript", count)
            hear(caller, "agent_response")
        turns = [seen for seen in caller.seen if seen.frame.get("type") == "user_transcript"]
        if len(turns) != 2:
            raise Different(f"{len(turns)} turns were decided")
    return "two turns were decided"


@statement("engine-barge-in", "004 Interruptions",
           "A user who speaks during the answer causes a new user_transcript with a higher "
           "event_id.", waits=8)
def check_barge_in(world):
    world.ours("creates a speech engine")

    async def slowly(message, send):
        await pong(message, send)
        if message.get("type") == "user_transcript":
            await send(response(message["event_id"], "This answer is never completed. " * 20))

    with Customer(slowly) as customer, converse(world, customer, "listening") as caller:
        speak_to(caller, world, "Hello, how are you today?")
        first = expect(customer, "user_transcript")[-1]["event_id"]
        hear(caller, "audio")
        speak_to(caller, world, "Stop, please, I have a question.")
        hear(caller, "interruption")
        last = program.wait_until(
            lambda: [m for m in customer.of("user_transcript") if m["event_id"] > first],
            "a higher event_id came", 30)[-1]
        if not last["user_transcript"][-2]["content"].startswith("This answer"):
            raise Different(f"the history is {last['user_transcript']}")
    return "a higher event_id, with the part of the answer that was heard"


@statement("engine-writes-error", "004 Errors",
           "The engine sends an error message when the protocol is violated, and closes the "
           "connection.")
def check_writes_error(world):
    async def garbage(message, send):
        await pong(message, send)
        if message.get("type") == "user_transcript":
            await send("this is no JSON")

    world.ours("creates a speech engine")
    with Customer(garbage) as customer, converse(world, customer, "listening") as caller:
        caller.send(type="user_message", text="hello")
        expect(customer, "error")
        program.wait_until(lambda: customer.close_code, "the connection is closed", 20)
    return json.dumps(customer.of("error")[0])
