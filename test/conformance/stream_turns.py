"""Turns of /ws/tts/stream: how they begin and end, and what a barge-in does."""

import json

from client import Refused, now
from statement import DIFFERS, Different, scenario, statement
from wire import (Stream, Tapped, audio_of, milliseconds, names_of, seconds, shape,
                  shown, texts_of, the)
from world import ESPEAK, TONE

WARNING = ('Turn ended after 5s of inactivity. Send {"flush": true} to end a turn explicitly '
           "— it lowers latency and avoids this auto-flush.")

FIRST = "Hello, this is streaming."
SECOND = "And here is a second sentence that follows it."
# More than a minute of speech.
MINUTE = "This sentence is one of a great many that are spoken one after the other. " * 20
# More than the buffers between server and client hold: it cannot have been sent before it is cancelled.
LONG = MINUTE * 4

IDLE_S = (4.95, 15.0)  # after the last text; the machine may be busy


@scenario
def plain(world):
    """A turn of two sentences that is flushed, and what comes half a second after it."""
    with world.speaking() as client:
        client.send(text=FIRST + " ")
        client.send(text=SECOND)
        client.send(flush=True)
        turn = client.turn()
        turn.later = client.during(0.5)
        turn.is_open = client.is_open
    return turn


# The connection


@statement("connect-key-in-query", "001 Connection / 003 Connection",
           "A WebSocket to /ws/tts/stream with the key as the query parameter api_key is accepted.")
def check_query(world):
    server = world.server()
    with world.stream(key=None, query="api_key=" + server.key) as client:
        assert not client.during(0.1)
    return "HTTP 101"


@statement("connect-tls", "003 Connection",
           "The same works over TLS, with a wss URL.")
def check_tls(world):
    server = world.server("tls")
    with world.stream("tls", key=None, query="api_key=" + server.key) as client:
        turn = client.say("Hello.", voice_id=TONE)
    return f"HTTP 101 over TLS; {shape(turn.seen)}"


@statement("connect-no-key",
           "003 Errors", "A connection without a key is refused with an HTTP status.")
def check_no_key(world):
    return refused(world, None, 401)


@statement("connect-wrong-key", "003 Errors",
           "A connection with a wrong key is refused with an HTTP status.")
def check_wrong_key(world):
    return refused(world, "ka_wrong_key", 403)


def refused(world, key, status):
    """The status is ours: the document names none."""
    try:
        world.stream(key=key).socket.close()
    except Refused as refusal:
        if world.remote:
            assert 400 <= refusal.status < 500, refusal
            return f"HTTP {refusal.status}"
        assert refusal.status == status, refusal
        return f"HTTP {status} {refusal.body['error_code']}"
    raise AssertionError("HTTP 101")


@statement("connection-serves-many-turns",
           "000 What a turn is / 000 Session reuse / 001 Protocol / 003 Protocol",
           "One connection serves turn after turn; each ends with one session_closed.")
def check_many_turns(world):
    with world.speaking() as client:
        turns = [client.say(text) for text in ("One.", "And two.", "And three.")]
        assert client.is_open and not client.during(0.3)
    count = sum(shape(turn.seen).count("session_closed") for turn in turns)
    assert count == 3, count
    return "three turns, three session_closed"


@scenario
def silence(world):
    """43 seconds in which the client says nothing, then a turn."""
    with world.speaking() as client:
        begun = now()
        frames = client.during(43)
        pings = [at - begun for at in client.pings]
        turn = client.say("Still here.")
    return frames, pings, turn


@statement("connection-persists", "000 What a turn is",
           "A connection on which the client is silent for a long time stays open.", waits=43)
def check_persists(world):
    frames, pings, _ = silence(world)
    assert not frames, shape(frames)
    assert world.remote or len(pings) >= 2, pings  # the document does not speak of pings
    return ("43 s of silence: no frame, not closed",
            "pings of the server after " + " and ".join(f"{at:.0f} s" for at in pings[:2]))


@statement("connection-after-silence", "000 What a turn is",
           "After a long silence, the next turn works on the same connection.", waits=43)
def check_after_silence(world):
    return shape(silence(world)[2].seen)


@statement("connection-no-turn-no-idle-end", "000 How a turn ends",
           "Without a turn there is no idle timeout: no warning, no session_closed.", waits=8)
def check_no_idle_end(world):
    with world.speaking() as client:
        frames = client.during(8)
        assert not frames and client.is_open, shape(frames)
    return "8 s after a config message: no frame, not closed"


@statement("connection-client-leaves", "000 What a turn is",
           "The client can end the connection by disconnecting.")
def check_leaves(world):
    with world.speaking() as client:
        client.send(text=LONG)
        client.until("audio")
        client.protocol.send_close(1000)
        client.push()
        _, code = client.closes()
    assert code == 1000, code
    return "the close frame of a client that leaves in the middle of a turn is answered with 1000"


@scenario
def closed_socket(world):
    with world.speaking() as client:
        client.send(text="Hello before the end of it")
        client.send(close_socket=True)
        return client.closes()


@statement("close-socket",
           "000 What a turn is / 000 How a turn ends / 001 Close Message / 003 Close Message",
           "close_socket ends the turn as close does, then the server closes the WebSocket.")
def check_close_socket(world):
    frames, code = closed_socket(world)
    assert names_of(frames)[-2:] == ["final", "session_closed"] and code == 1000, (shape(frames), code)
    return f"{shape(frames)}, close code {code}"


@statement("close-socket-without-turn", "001 Protocol / 003 Protocol",
           "close_socket between turns closes the connection.")
def check_close_socket_idle(world):
    with world.speaking() as client:
        client.say("Hello.")
        client.send(close_socket=True)
        frames, code = client.closes()
    assert code == 1000 and "audio" not in names_of(frames), (shape(frames), code)
    return f"close code {code}"


@statement("close-socket-after-flush", "003 Example",
           "close_socket can follow flush immediately: all audio is still delivered, with one "
           "session_closed.")
def check_close_socket_after_flush(world):
    with world.speaking() as client:
        client.send(text="Every word of this is still heard.")
        client.send(flush=True)
        client.send(close_socket=True)
        frames, code = client.closes()
    closed = the(frames, "session_closed")
    heard = len(audio_of(frames)) / 2 / 24000
    assert code == 1000 and abs(heard - closed["total_audio_seconds"]) < 1e-4, (code, heard)
    return f"{shape(frames)}, close code {code}; {heard:.3f} s heard, all that was made"


# How a turn begins


@statement("turn-begins-with-text", "000 What a turn is",
           "The first text after the connection has opened starts a turn.")
def check_begins(world):
    with world.speaking() as client:
        assert not client.during(0.2)
        client.send(text=FIRST + " ")
        frames = client.until("generation_started")
        client.send(flush=True)
        turn_end = the(client.until("session_closed"), "session_closed")
    assert turn_end["usage"]["characters"] == len(FIRST) + 1
    return f"nothing after the config; after the text {shown(frames[-1])}"


@statement("turn-begins-after-session-closed",
           "000 What a turn is / 000 Session reuse / 001 Protocol / 003 Protocol",
           "Text after session_closed starts the next turn; its chunk_id and idx count from 0 again.")
def check_begins_again(world):
    with world.speaking() as client:
        client.say(FIRST)
        turn = client.say("The second turn.")  # Turn checks that both count from 0
    return shown(turn.seen[0])


@statement("turn-blank-text", "000 What a turn is",
           "Any text message starts a turn, even one that contains only whitespace.",
           waits=8, expected=DIFFERS,
           reason="A turn starts with the first text that contains something other than whitespace. "
                  "Clients send spaces to keep a connection open; a turn of spaces would have nothing to "
                  "say, and would end with a warning after 5 s. The spaces are counted in the turn that "
                  "follows.")
def check_blank(world):
    with world.speaking() as client:
        client.send(text=" ")
        frames = client.during(7.5)
        if not frames:
            raise Different("no frame for 7 s after a blank text: no turn, so no idle end")
    return shape(frames)


@statement("turn-while-draining", "000 What a turn is",
           "Text that is sent before the previous turn has been delivered belongs to the next "
           "turn, which has its own session_closed.")
def check_draining(world):
    with world.speaking() as client:
        client.send(text=FIRST, flush=True)
        client.send(text="The next one.", flush=True)
        turns = [client.turn(), client.turn()]
    assert [turn.texts for turn in turns] == [[FIRST], ["The next one."]]
    return " | ".join(shape(turn.seen) for turn in turns)


@statement("turn-fresh-session", "000 What a turn is / 001 Protocol / 003 Protocol",
           "Each turn has its own voice session: earlier turns do not affect it.")
def check_fresh(world):
    with world.speaking() as client:
        alone = client.say("The weather is lovely.").audio
    with world.speaking() as client:
        client.say("Was the market closed? It was, for a week!")
        after = client.say("The weather is lovely.").audio
    assert alone == after, (len(alone), len(after))
    return (f"{len(alone) // 2} samples on a fresh connection and after another turn, "
            "byte for byte the same")


@statement("turn-fresh-session-neural", "000 What a turn is / 001 Protocol / 003 Protocol",
           "The same for a neural voice.")
def check_fresh_neural(world):
    world.server("neural")
    with world.speaking("neural") as client:
        alone = client.say("The weather is lovely.").audio
    with world.speaking("neural") as client:
        client.say("Was the market closed? It was, for a week!")
        after = client.say("The weather is lovely.").audio
    assert alone == after, (len(alone), len(after))
    return f"{len(alone) // 2} samples in both cases, byte for byte the same"


@statement("turn-fresh-session-espeak", "000 What a turn is / 001 Protocol / 003 Protocol",
           "The same for an eSpeak voice: a turn is as long as it is in a new worker.")
def check_fresh_espeak(world):
    world.server("cheap")
    with world.speaking("cheap", voice=ESPEAK) as client:
        first = client.say("zork").samples
        client.say("The market was closed.")
        later = [client.say("zork").samples for _ in range(3)]
    worst = max(abs(count - first) for count in later)
    assert worst <= 200, f"{first} samples at first, then {later}"  # it does not repeat exactly
    return ("the same length to within 200 samples before and after another turn of the one worker",
            f"{first}, then {later} samples")


# How a turn ends


@statement("flush-ends-turn", "000 How a turn ends / 001 Protocol / 003 Protocol",
           "flush ends the turn: text that is still buffered is spoken, then final and session_closed "
           "are sent.")
def check_flush(world):
    with world.speaking(flush_timeout_ms=60000) as client:
        client.send(text="A trailing phrase")
        before = client.during(0.3)
        client.send(flush=True)
        turn = client.turn()
    assert not before and turn.texts == ["A trailing phrase"] and turn.samples > 0
    return shape(turn.seen)


@statement("flush-message-example", "000 How a turn ends / 003 Flush Message",
           'The message {"flush": true}, sent literally, ends the turn.')
def check_flush_literally(world):
    with world.speaking() as client:
        client.send_text('{\n  "text": "chunk of text"\n}')
        client.send_text('{\n  "flush": true\n}')
        turn = client.turn()
    assert turn.texts == ["chunk of text"]
    return shape(turn.seen)


@statement("text-message-example", "001 Text Message / 003 Text Message",
           'The message {"text": "chunk of text"}, sent literally, is accepted, and has no reply of its '
           "own.")
def check_text_literally(world):
    with world.speaking(flush_timeout_ms=60000) as client:
        client.send_text('{\n  "text": "chunk of text"\n}')
        frames = client.during(0.4)
        client.send(flush=True)
        turn = client.turn()
    assert not frames and turn.usage["characters"] == len("chunk of text")
    return f"no frame in 0.4 s; spoken by the flush: {turn.texts[0]!r}"


@statement("flush-in-text-message", "001 Protocol / 003 Protocol",
           "flush can be part of a text message: a phrase without punctuation is then spoken "
           "immediately.")
def check_flush_in_text(world):
    with world.speaking(flush_timeout_ms=60000) as client:
        sent = client.send(text="A complete phrase", flush=True)
        turn = client.turn()
    assert turn.texts == ["A complete phrase"]
    begun = turn.seen[0].at - sent
    assert begun < 4, begun  # else it was the idle end that did it
    return shape(turn.seen), f"generation_started after {milliseconds(begun)}"


@statement("flush-separate", "001 Protocol / 003 Protocol",
           "flush can also be a separate message after such a phrase.")
def check_flush_separate(world):
    with world.speaking(flush_timeout_ms=60000) as client:
        client.send(text="Another complete phrase")
        sent = client.send(flush=True)
        turn = client.turn()
    begun = turn.seen[0].at - sent
    assert turn.texts == ["Another complete phrase"] and begun < 4
    return shape(turn.seen), f"generation_started after {milliseconds(begun)}"


@statement("flush-lowest-latency", "000 How a turn ends / 001 Protocol / 003 Protocol",
           "A turn that is flushed starts and ends sooner than one that is left to the "
           "timers.", waits=8)
def check_flush_latency(world):
    with world.speaking() as client:
        sent = client.send(text="A phrase", flush=True)
        flushed = client.until("session_closed")
        flushed_s = (flushed[0].at - sent, flushed[-1].at - sent)
        sent = client.send(text="A phrase")
        left = client.until("session_closed")
        left_s = (left[0].at - sent, left[-1].at - sent)
    assert flushed_s[0] < left_s[0] and flushed_s[1] < left_s[1]
    return ("first frame and session_closed both come sooner with a flush",
            f"flush: {milliseconds(flushed_s[0])}, {seconds(flushed_s[1])}; "
            f"none: {milliseconds(left_s[0])}, {seconds(left_s[1])}")


@statement("flush-socket-stays-open",
           "000 How a turn ends / 001 Protocol / 003 Protocol / 001 Session Closed / 003 Session "
           "Closed",
           "After session_closed the socket stays open, and nothing more is sent.")
def check_stays_open(world):
    turn = plain(world)
    assert turn.is_open and not turn.later, shape(turn.later)
    return "0.5 s after session_closed: no frame, not closed"


@statement("close-ends-turn",
           "000 How a turn ends / 001 Close Message / 003 Close Message / 001 Session Closed / 003 "
           "Session Closed",
           'close, as the literal {"close": true}, flushes buffered text, drains the audio and '
           'ends the turn; the socket stays open.')
def check_close(world):
    return ends_with(world, '{\n  "close": true\n}')


@statement("end-session-alias", "000 How a turn ends / 001 Close Message / 003 Close Message",
           "end_session does the same as close.")
def check_end_session(world):
    return ends_with(world, '{"end_session": true}')


def ends_with(world, message):
    with world.speaking(flush_timeout_ms=60000) as client:
        client.send(text="Words that are still buffered")
        client.send_text(message)
        turn = client.turn()
        later = client.during(0.3)
        assert client.is_open and not later, shape(later)
    assert turn.texts == ["Words that are still buffered"] and turn.samples > 0
    return shape(turn.seen) + "; open"


@statement("close-then-text", "001 Close Message / 003 Close Message",
           "After close, the next text starts a new session.")
def check_close_then_text(world):
    with world.speaking() as client:
        client.send(text="The first session.")
        client.send(close=True)
        client.turn()
        turn = client.say("A fresh session.")
    return shown(turn.seen[0])


@statement("close-then-config", "001 Close Message / 003 Close Message",
           "After close, a config message can be sent first; it applies to the next text.")
def check_close_then_config(world):
    with world.speaking() as client:
        client.send(text="The first session.")
        client.send(close=True)
        client.turn()
        client.send(sample_rate=8000)
        turn = client.say("A fresh session.")
    assert turn.rate == 8000
    return f"sr {turn.rate} after the config, chunk_id {turn.seen[0]['chunk_id']}"


@statement("turn-ends-once", "000 How a turn ends",
           "A turn ends once: one final and one session_closed, however often it is asked to end.")
def check_ends_once(world):
    with world.speaking() as client:
        client.send(text=FIRST, flush=True)
        client.send(flush=True)
        frames = client.until("session_closed") + client.during(0.5)
    the(frames, "final"), the(frames, "session_closed")
    return shape(frames)


# The idle end


@scenario
def idle(world):
    """A phrase without a flush, and with a flush_timeout_ms that does not pass; then a second text."""
    with world.speaking(flush_timeout_ms=60000) as client:
        sent = client.send(text="This is never flushed")
        frames = client.until("session_closed")
        assert client.is_open
        client.send(text="the rest of the reply", flush=True)
        rest = client.turn()
    return sent, frames, rest


@statement("idle-after-5-s",
           "000 How a turn ends / 001 Protocol / 003 Protocol / 000 Who is responsible for what",
           "A turn that gets no more text and no flush is ended by the server after about 5 "
           "s.", waits=6)
def check_idle(world):
    sent, frames, _ = idle(world)
    return idle_time(the(frames, "warning").at - sent)


def idle_time(after):
    assert IDLE_S[0] <= after <= IDLE_S[1], f"after {after:.3f} s"
    return "5 s after the last text", f"{after:.3f} s"


@statement("idle-order", "000 How a turn ends",
           "At an idle timeout the warning is sent first, then the audio of the remaining text, then "
           "session_closed.", waits=6)
def check_idle_order(world):
    _, frames, _ = idle(world)
    names = names_of(frames)
    assert names[0] == "warning" and names[-1] == "session_closed" and "audio" in names, names
    return shape(frames)


@statement("idle-rest-is-spoken", "000 How a turn ends / 001 Protocol / 003 Protocol",
           "Text that is still buffered at an idle timeout is spoken.", waits=6)
def check_idle_spoken(world):
    _, frames, _ = idle(world)
    assert texts_of(frames) == ["This is never flushed"]
    return repr(texts_of(frames)[0])


@statement("idle-final",
           "000 final vs session_closed / 001 Final (End of Audio) / 003 Final (End of Audio)",
           "A turn that ends by idle timeout also has a final, right before its session_closed.", waits=6)
def check_idle_final(world):
    _, frames, _ = idle(world)
    assert names_of(frames)[-2:] == ["final", "session_closed"]
    return shape(frames)


@statement("warning-frame",
           "000 The warning frame / 000 How a turn ends / 001 Warning / 003 Warning",
           "The warning is a frame with the one key warning and the documented text, byte for "
           "byte.", waits=6)
def check_warning(world):
    _, frames, _ = idle(world)
    warning = the(frames, "warning").frame
    assert warning == {"warning": WARNING}, warning
    return json.dumps(warning, ensure_ascii=False)


@statement("warning-socket-stays-open", "000 The warning frame / 001 Warning / 003 Warning",
           "The warning is not an error: the socket stays open.", waits=6)
def check_warning_open(world):
    _, _, rest = idle(world)
    return "the next turn on it: " + shape(rest.seen)


@statement("idle-rest-is-second-turn", "000 How a turn ends / 000 Troubleshooting",
           "Text that is sent after an idle timeout is a second turn, with its own session_closed and "
           "usage.", waits=6)
def check_idle_second(world):
    _, frames, rest = idle(world)
    first = the(frames, "session_closed")["usage"]
    assert first["characters"] == 21 and rest.usage["characters"] == 21, (first, rest.usage)
    assert "turn_id" not in first or first["turn_id"] != rest.usage["turn_id"]
    return "two session_closed, each with the audio_seconds and characters of its own turn"


@statement("idle-warning-only-then", "000 The warning frame / 000 How a turn ends",
           "No warning is sent in a turn that was ended by flush, close or cancel.", last=True)
def check_warning_only(world):
    """Every turn of the run: a warning needs five seconds without text before it."""
    count = 0
    for client in every_stream():
        for seen in client.seen:
            assert "warning" not in seen.frame or seen.frame["warning"] == WARNING, seen.frame
            count += seen.name == "session_closed"
        if "warning" in names_of(client.seen):
            assert client.seen[-1].at - client.opened_at > IDLE_S[0], shape(client.seen)
    turn = plain(world)
    assert not turn.warnings
    return "none in a flushed turn, nor in any connection that lasted under 5 s", f"{count} turns seen"


def every_stream():
    return [client for client in list(Tapped.every) if type(client) is Stream]


@statement("idle-pings-do-not-count",
           "000 How a turn ends / 000 Troubleshooting / 001 Protocol / 003 Protocol",
           "WebSocket pings do not reset the idle timer.", waits=6)
def check_idle_pings(world):
    with world.speaking() as client:
        sent, frames = client.send(text="This is never flushed"), []
        while "warning" not in names_of(frames) and now() - sent < IDLE_S[1]:
            pinged = now()
            client.ping()
            frames += client.during(0.4)
        warning = the(frames, "warning")
    assert warning.at - pinged < IDLE_S[0], "the warning came 5 s after the last ping"
    return idle_time(warning.at - sent)


@statement("idle-new-text-counts",
           "000 How a turn ends / 001 Protocol / 003 Protocol / 000 Troubleshooting",
           "New text resets the idle timer.", waits=10)
def check_idle_text(world):
    with world.speaking() as client:
        client.send(text="This is ")
        early = client.during(2)
        sent = client.send(text="never flushed")
        warning = client.until("warning")[-1]
    assert "warning" not in names_of(early)
    return idle_time(warning.at - sent)


@statement("idle-nothing-else-counts", "000 How a turn ends",
           "Neither an empty text nor a config message resets the idle timer.", waits=6)
def check_idle_config(world):
    with world.speaking() as client:
        sent = client.send(text="This is never flushed")
        client.during(2)
        later = client.send(text="")
        client.send(speed=1.0)
        warning = client.until("warning")[-1]
    assert warning.at - later < IDLE_S[0], "the warning came 5 s after the empty text"
    return idle_time(warning.at - sent)


@statement("idle-flush-counts",
           "000 How a turn ends / 001 Protocol / 003 Protocol / 000 Troubleshooting",
           "A flush within the 5 s prevents the idle timeout.", waits=7)
def check_idle_flush(world):
    with world.speaking(flush_timeout_ms=60000) as client:
        client.send(text="This is flushed in the end")
        early = client.during(2)
        client.send(flush=True)
        frames = client.until("session_closed") + client.during(4)
    assert "warning" not in names_of(early + frames), shape(early + frames)
    return "no warning; " + shape(frames)


@statement("idle-while-speaking", "000 How a turn ends",
           "The 5 s count from the last text, even "
           "while audio of the turn is being generated and sent.", waits=7)
def check_idle_speaking(world):
    with world.speaking() as client:
        sent = client.send(text=MINUTE)
        frames = client.until("session_closed")
    names = names_of(frames)
    assert "audio" in names[:names.index("warning")], "no audio before the warning"
    stable, measured = idle_time(the(frames, "warning").at - sent)
    return stable + ", with audio sent before", measured


@statement("idle-long-gap-splits", "000 How a turn ends / 000 Troubleshooting",
           "A pause of more than 5 s within a reply splits it into two turns, which are charged "
           "separately.", waits=7)
def check_gap(world):
    with world.speaking() as client:
        client.send(text="The first half of the reply, ")
        first = client.until("session_closed")
        client.send(text="the second half.", flush=True)
        second = client.until("session_closed")
    closed = [the(frames, "session_closed") for frames in (first, second)]
    assert "warning" in names_of(first) and "warning" not in names_of(second)
    assert [c["usage"]["characters"] for c in closed] == [29, 16]
    assert all(c["usage"]["audio_seconds"] > 0 for c in closed)
    return "session_closed twice, with characters 29 and 16"


# Cancel


@scenario
def cancelled(world):
    """A barge-in in the middle of a long turn, and the turn after it."""
    with world.speaking(sample_rate=16000) as client:
        client.send(text=LONG)
        client.until("audio")
        sent = client.send_text('{\n  "cancel": true\n}')
        frames = client.until("interrupted")
        later = client.during(1.5)
        turn = client.say("Next turn after barge-in.")
    return sent, frames, later, turn


@statement("cancel-acknowledged",
           "000 final vs session_closed / 001 Cancel Message (barge-in) / 003 Cancel Message "
           "(barge-in) / 001 Interrupted / 003 Interrupted",
           'cancel, as the literal {"cancel": true}, is answered with exactly {"interrupted": true}.')
def check_cancel(world):
    interrupted = cancelled(world)[1][-1].frame
    assert interrupted == {"interrupted": True}, interrupted
    return json.dumps(interrupted)


@statement("cancel-immediate", "001 Cancel Message (barge-in) / 003 Cancel Message (barge-in)",
           "The turn is abandoned immediately, without waiting for audio that is being generated.")
def check_cancel_immediate(world):
    sent, frames, _, _ = cancelled(world)
    after = frames[-1].at - sent
    assert after < 10, after  # there are minutes of speech left
    return ("interrupted at once, with minutes of speech left", milliseconds(after))


@statement("cancel-no-final",
           "000 final vs session_closed / 000 Troubleshooting / 001 Final (End of Audio) / 003 "
           "Final (End of Audio)",
           "After a cancel there is neither final nor session_closed.")
def check_cancel_no_final(world):
    _, frames, later, _ = cancelled(world)
    assert not {"final", "session_closed"} & set(names_of(frames + later))
    return "none before interrupted, none in 1.5 s after it"


@statement("cancel-no-more-audio",
           "001 Cancel Message (barge-in) / 003 Cancel Message (barge-in) / 000 Who is responsible "
           "for what",
           "Generation is cancelled: no audio is sent after interrupted.")
def check_cancel_audio(world):
    _, _, later, _ = cancelled(world)
    assert not later, shape(later)
    return "no frame in 1.5 s after interrupted"


@statement("cancel-next-turn",
           "001 Cancel Message (barge-in) / 003 Cancel Message (barge-in) / 001 Interrupted / 003 "
           "Interrupted",
           "Another turn can follow on the same connection, and nothing of the cancelled text is "
           "spoken in it.")
def check_cancel_next(world):
    turn = cancelled(world)[3]
    assert turn.texts == ["Next turn after barge-in."]
    return f"{turn.texts[0]!r}; {shape(turn.seen)}"


@statement("cancel-config-stays", "000 Session reuse / 001 Protocol / 003 Protocol",
           "The configuration stays in effect after a cancel.")
def check_cancel_config(world):
    turn = cancelled(world)[3]
    assert turn.rate == 16000
    return f"sr {turn.rate}, as configured before"


@statement("cancel-drops-buffer",
           "000 How a turn ends / 001 Cancel Message (barge-in) / 003 Cancel Message (barge-in)",
           "Buffered text is dropped: it is not spoken later, and there is no idle timeout.", waits=7)
def check_cancel_buffer(world):
    with world.speaking(flush_timeout_ms=60000) as client:
        client.send(text="This must never be heard")
        client.send(cancel=True)
        frames = client.until("interrupted")
        later = client.during(6)
    assert names_of(frames) == ["interrupted"] and not later, shape(frames + later)
    return "interrupted, then no frame for 6 s"


@statement("interrupted-only-after-cancel", "001 Interrupted / 003 Interrupted",
           "interrupted is sent only in answer to cancel.", last=True)
def check_interrupted_only(world):
    turns = 0
    for client in every_stream():
        cancels = sum('"cancel"' in text for text in client.sent)
        interrupted = names_of(client.seen).count("interrupted")
        assert interrupted <= cancels, (interrupted, cancels)
        turns += names_of(client.seen).count("session_closed")
    assert turns > 10, turns
    return "no connection of this run had more interrupted than cancel", f"{turns} turns"
