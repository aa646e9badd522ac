"""/ws/tts/multi: contexts, their messages, settings and limits."""

import json

from client import now
from statement import scenario, statement
from stream_settings import SAID, WORD, dictionaries, sounds
from stream_turns import LONG
from wire import (audio_of, milliseconds, names_of, same_keys, seconds, shape, shown, texts_of, the)

IDLE_S = (19.0, 32.0)  # after the last sign of life; the machine may be busy


@scenario
def conversation(world):
    """The messages of the document in their order: initialize, text, text with flush, flush,
    keep-alive, close."""
    with world.multi() as client:
        seen = {}
        client.send(flush_timeout_ms=60000)  # a pause of a busy machine is no reason to speak
        client.send_text('{"text": " ", "context_id": "ctx1", "voice_settings": {"voice_id": %d}}'
                         % world.voice)
        seen["init"] = client.until("context_created") + client.during(0.3)
        client.send_text('{"text": "Hello", "context_id": "ctx1"}')
        seen["text"] = client.during(0.2)
        client.send_text('{"text": " there, this is a context.", "context_id": "ctx1", "flush": true}')
        seen["text and flush"] = client.until("final")
        client.send_text('{"text": "A second turn of it", "context_id": "ctx1"}')
        client.send_text('{"flush": true, "context_id": "ctx1"}')
        seen["flush"] = client.until("final")
        client.send_text('{"text": "", "context_id": "ctx1"}')
        seen["keep-alive"] = client.during(0.4)
        client.send_text('{"text": "Queued sentence one. Queued sentence two. Tail without end", '
                         '"context_id": "ctx1"}')
        client.send_text('{"close_context": true, "context_id": "ctx1"}')
        seen["close"] = client.until("context_closed")
        seen["after"] = client.during(0.4)
        seen["again"] = client.open("ctx1", world.voice) + client.close_context("ctx1")
        client.send_text('{"close_socket": true}')
        seen["end"], seen["code"] = client.closes()
    return seen


# From the client


@statement("context-initialize",
           "002 Client → Server Messages / 002 Server → Client Messages / 002 Voice Settings",
           "A text of one space with voice_settings.voice_id creates a context; the reply is "
           "context_created with its context_id.")
def check_init(world):
    frames = conversation(world)["init"]
    assert [f.frame for f in frames] == [{"context_created": True, "context_id": "ctx1"}], shape(frames)
    return shown(frames[0])


@statement("context-text", "002 Client → Server Messages", "Text is sent to a context by its id.")
def check_text(world):
    seen = conversation(world)
    assert not seen["text"] and texts_of(seen["text and flush"])[0].startswith("Hello")
    return repr(texts_of(seen["text and flush"]))


@statement("context-text-and-flush", "002 Client → Server Messages",
           "A message can contain text and flush: all buffered text is spoken.")
def check_text_and_flush(world):
    frames = conversation(world)["text and flush"]
    assert texts_of(frames) == ["Hello there, this is a context."], texts_of(frames)
    return shape(frames)


@statement("context-text-and-flush-literally", "002 Client → Server Messages",
           "The document's message with the text ... and flush, sent literally, is answered with final.")
def check_text_and_flush_literally(world):
    with world.multi() as client:
        client.open("ctx1", world.voice)
        client.send_text('{"text": "...", "context_id": "ctx1", "flush": true}')
        frames = client.until("final", context_id="ctx1")
        assert client.is_open
    assert "error" not in names_of(frames), shape(frames)
    return shape(frames)


@statement("context-all-in-one", "002 Client → Server Messages / 002 Voice Settings",
           "Text, voice_settings and flush can be in one message, which also creates the context.")
def check_all_in_one(world):
    with world.multi() as client:
        frames = client.speak("x", "All in one.", voice_settings={"voice_id": world.voice})
    assert names_of(frames)[0] == "context_created" and texts_of(frames) == ["All in one."]
    return shape(frames)


@statement("context-flush", "002 Client → Server Messages",
           "flush with a context_id speaks the context's buffered text.")
def check_flush(world):
    frames = conversation(world)["flush"]
    assert texts_of(frames) == ["A second turn of it"]
    return shape(frames)


@statement("context-survives-flush", "002 Session-Level Config",
           "A flush does not close a context: its id is kept for the next turn, and is not created "
           "again.")
def check_survives(world):
    seen = conversation(world)
    assert "context_closed" not in names_of(seen["text and flush"])
    assert "context_created" not in names_of(seen["flush"])
    return "second turn in ctx1: " + shape(seen["flush"])


@statement("context-keep-alive", "002 Client → Server Messages",
           "An empty text produces no audio and has no reply.")
def check_keep_alive(world):
    frames = conversation(world)["keep-alive"]
    assert not frames, shape(frames)
    return "no frame in 0.4 s"


@statement("context-close", "002 Client → Server Messages",
           "close_context lets queued sentences finish: all of the text is spoken, then final, "
           "then context_closed.")
def check_close(world):
    frames = conversation(world)["close"]
    assert " ".join(texts_of(frames)) == "Queued sentence one. Queued sentence two. Tail without end"
    assert names_of(frames)[-2:] == ["final", "context_closed"], shape(frames)
    return shape(frames)


@scenario
def barge_in(world):
    """An immediate close of one of two contexts that are speaking."""
    with world.multi() as client:
        client.open("a", world.voice)
        client.open("b", world.second_voice)
        for name in ("a", "b"):
            client.send(text=LONG, context_id=name)
        client.until("audio", context_id="a")
        client.until("audio", context_id="b")
        sent = client.send_text('{"close_context": true, "context_id": "a", "immediate": true}')
        before = client.until("context_closed", context_id="a")
        after = client.until("audio", count=20, context_id="b")
        again = client.open("a", world.voice) + client.speak("a", "Here again.")
        return sent, before, after, again


def of(context, frames):
    return [seen for seen in frames if seen.get("context_id") == context]


@statement("context-immediate-close", "002 Client → Server Messages",
           "An immediate close cancels generation and drops buffered text at once.")
def check_immediate(world):
    sent, before, _, _ = barge_in(world)
    after = before[-1].at - sent
    assert after < 10, after  # there are minutes of speech left
    return "context_closed at once, with minutes of speech left", milliseconds(after)


@statement("context-immediate-no-final", "002 Server → Client Messages",
           "An immediate close has no final.")
def check_immediate_final(world):
    _, before, after, _ = barge_in(world)
    assert "final" not in names_of(of("a", before + after))
    return "context_closed without final"


@statement("context-immediate-others-go-on", "002 Client → Server Messages",
           "Nothing more of that context is sent; the others continue.")
def check_immediate_others(world):
    _, _, after, _ = barge_in(world)
    assert not of("a", after) and len(of("b", after)) >= 20
    return "no frame of the closed context, audio of the other"


@statement("context-immediate-id-is-free", "002 Client → Server Messages",
           "The id can be reused immediately.")
def check_immediate_again(world):
    again = of("a", barge_in(world)[3])
    assert texts_of(again) == ["Here again."]
    return shape(again)


@statement("multi-close-socket", "002 Client → Server Messages",
           "close_socket closes all contexts, then the session and the connection.")
def check_close_socket(world):
    with world.multi() as client:
        for name in ("a", "b"):
            client.open(name, world.voice)
        client.send(text="Still to be said", context_id="a")
        client.send(close_socket=True)
        frames, code = client.closes()
    names = names_of(frames)
    assert names[-1] == "session_closed" and names.count("context_closed") == 2 and code == 1000
    assert texts_of(frames) == ["Still to be said"]
    return (f"a: {shape(of('a', frames))}; b: {shape(of('b', frames))}; then session_closed, "
            f"close code {code}")


# From the server


@statement("context-created-fields", "002 Server → Client Messages",
           "context_created has the keys context_created and context_id, and is the first frame of the "
           "context.")
def check_created(world):
    return same_keys(conversation(world)["init"][0], "context_created", "context_id")


@statement("multi-generation-started", "002 Server → Client Messages",
           "generation_started has context_id, chunk_id from 0, and text.")
def check_started(world):
    frame = conversation(world)["text and flush"][0]
    assert frame["chunk_id"] == 0
    return same_keys(frame, "generation_started", "context_id", "chunk_id", "text")


@statement("multi-audio", "002 Server → Client Messages",
           "An audio frame has audio, enc, context_id, idx, sr, samples and chunk_id; idx counts "
           "from 0.")
def check_audio(world):
    frames = [f for f in conversation(world)["text and flush"] if f.name == "audio"]
    assert [f["idx"] for f in frames] == list(range(len(frames)))
    assert frames[0]["enc"] == "pcm_s16le" and frames[0]["sr"] == 24000
    assert sum(f["samples"] for f in frames) * 2 == len(audio_of(frames))
    return same_keys(frames[0], "audio", "enc", "context_id", "idx", "sr", "samples", "chunk_id")


@statement("multi-chunk-complete", "002 Server → Client Messages",
           "chunk_complete has context_id, chunk_id, audio_seconds of the chunk, and gen_ms as a "
           "whole number.")
def check_complete(world):
    frames = conversation(world)["text and flush"]
    frame = the(frames, "chunk_complete")
    assert abs(frame["audio_seconds"] - len(audio_of(frames)) / 48000) < 1e-6
    assert type(frame["gen_ms"]) is int, f"gen_ms {frame['gen_ms']}"
    return same_keys(frame, "chunk_complete", "context_id", "chunk_id", "audio_seconds", "gen_ms")


@statement("multi-word-timestamps", "002 Server → Client Messages",
           "With word_timestamps a frame has word_timestamps, context_id and chunk_id.")
def check_words(world):
    with world.multi() as client:
        client.open("a", world.voice, word_timestamps=True)
        frame = the(client.speak("a", "One two three."), "word_timestamps")
    assert [w["word"].strip(".") for w in frame["word_timestamps"]] == ["One", "two", "three"]
    same_keys(frame, "word_timestamps", "context_id", "chunk_id")
    return json.dumps(frame["word_timestamps"][0]) + " and 2 more"


@statement("multi-final", "002 Server → Client Messages",
           "A flush is answered with final, which has only context_id, after every audio frame of the "
           "text before it.")
def check_final(world):
    frames = conversation(world)["text and flush"]
    assert names_of(frames)[-2:] == ["chunk_complete", "final"]
    return same_keys(frames[-1], "final", "context_id")


@statement("multi-final-per-flush", "002 Server → Client Messages",
           "Each flush has its own final; audio of text after a flush follows that flush's final.")
def check_final_per_flush(world):
    with world.multi() as client:
        client.open("a", world.voice)
        client.send(text="The first text.", context_id="a", flush=True)
        client.send(text="The second text.", context_id="a", flush=True)
        frames = client.until("final", count=2)
    names = names_of(frames)
    first = frames[:names.index("final")]
    assert texts_of(first) == ["The first text."]
    assert texts_of(frames) == ["The first text.", "The second text."]
    return shape(frames)


@statement("multi-final-on-close", "002 Server → Client Messages",
           "A graceful close has its own final right before context_closed: a flush and a close give "
           "two.")
def check_final_on_close(world):
    with world.multi() as client:
        client.open("a", world.voice)
        client.send(text="Said once.", context_id="a", flush=True)
        client.send(close_context=True, context_id="a")
        frames = client.until("context_closed")
    assert names_of(frames)[-3:] == ["final", "final", "context_closed"], shape(frames)
    return shape(frames)


@statement("context-closed-fields", "002 Server → Client Messages",
           "context_closed has context_id and a usage with audio_seconds, cost_cents, currency and "
           "model_id.")
def check_closed(world):
    frame = conversation(world)["close"][-1]
    same_keys(frame, "context_closed", "context_id", "usage")
    documented = {"audio_seconds", "cost_cents", "currency", "model_id"}
    assert documented <= set(frame["usage"]), frame["usage"]
    more = sorted(set(frame["usage"]) - documented)
    return shown(frame) + (f"; additional: {', '.join(more)}" if more else "")


@statement("context-closed-terminal", "002 Server → Client Messages",
           "context_closed is the last frame of its context.")
def check_terminal(world):
    assert not conversation(world)["after"]
    return "no frame in 0.4 s after it"


@statement("context-id-reused", "002 Session-Level Config",
           "A closed id can be opened again.")
def check_reused(world):
    return shape(conversation(world)["again"])


@statement("context-usage-covers-all", "002 Server → Client Messages",
           "usage covers the whole conversation of the context, all its turns.")
def check_usage(world):
    seen = conversation(world)
    heard = sum(len(audio_of(seen[name])) for name in ("text and flush", "flush", "close")) / 48000
    claimed = seen["close"][-1]["usage"]["audio_seconds"]
    assert abs(claimed - heard) < 1e-4, (claimed, heard)
    return f"{claimed:.3f} s in three turns, as received"


@statement("multi-session-closed", "002 Server → Client Messages",
           "session_closed is sent when all contexts are closed, and has total_audio_seconds of all of "
           "them.")
def check_session_closed(world):
    seen = conversation(world)
    heard = sum(len(audio_of(seen[name])) for name in ("text and flush", "flush", "close")) / 48000
    closed = the(seen["end"], "session_closed")
    assert abs(closed["total_audio_seconds"] - heard) < 1e-3, (closed.frame, heard)
    return (f"total_audio_seconds {closed['total_audio_seconds']:.3f}, as received; "
            f"close code {seen['code']}")


# Voices


@statement("context-own-voice", "002 Voice Settings",
           "voice_settings is a nested object; each context speaks with its own voice.")
def check_voices(world):
    def alone(voice):
        with world.speaking(voice=voice) as client:
            return client.say("Who is speaking?").audio

    with world.multi() as client:
        client.open("a", world.voice)
        client.open("b", world.second_voice)
        for name in ("a", "b"):
            client.send(text="Who is speaking?", context_id=name, flush=True)
        frames = client.until("final", count=2)
    assert audio_of(frames, "a") == alone(world.voice)
    assert audio_of(frames, "b") == alone(world.second_voice)
    return "two at once, byte for byte what each voice says on a stream socket"


@statement("contexts-in-parallel", "002 Session-Level Config",
           "Contexts speak in parallel: their frames are mixed on the connection.")
def check_parallel(world):
    with world.multi() as client:
        client.open("a", world.voice)
        client.open("b", world.second_voice)
        for name in ("a", "b"):
            client.send(text=LONG[:370], context_id=name, flush=True)
        frames = client.until("final", count=2)
    order = [f["context_id"] for f in frames if f.name == "audio"]
    switches = sum(a != b for a, b in zip(order, order[1:]))
    assert switches >= 2, switches
    return "audio of one context between that of the other", f"{switches} switches in {len(order)} frames"


@statement("multi-example", "002 Example",
           "Two speakers, a narrator and a character, are heard on one connection. (The document has "
           "a heading for an example and nothing below it; this one is ours.)")
def check_example(world):
    with world.multi() as client:
        client.open("narrator", world.voice)
        client.open("character", world.second_voice)
        client.send(text="The narrator begins the story.", context_id="narrator", flush=True)
        client.send(text="And I answer the narrator!", context_id="character", flush=True)
        client.send(close_context=True, context_id="narrator")
        client.send(close_context=True, context_id="character")
        client.send(close_socket=True)
        frames, code = client.closes()
    heard = {name: len(audio_of(frames, name)) // 2 for name in ("narrator", "character")}
    assert all(heard.values()) and names_of(frames).count("context_closed") == 2 and code == 1000
    return ", ".join(f"{name} {count} samples" for name, count in heard.items()) + f", close code {code}"


# Settings of the session


@statement("multi-option-on-any-message", "002 Session-Level Config",
           "An option can be in any message, and applies to that message's text.")
def check_any_message(world):
    with world.multi() as client:
        client.open("a", world.voice)
        before = client.speak("a", "No words.")
        after = client.speak("a", "With words.", word_timestamps=True)
    assert "word_timestamps" not in names_of(before) and "word_timestamps" in names_of(after)
    return shape(after)


@statement("multi-option-for-session", "002 Session-Level Config",
           "It applies to the entire session: to existing contexts and to new ones.")
def check_session(world):
    with world.multi() as client:
        client.open("a", world.voice)
        client.open("b", world.voice)
        client.speak("a", "With words.", word_timestamps=True)
        there = client.speak("b", "Here too.")
        client.open("c", world.voice)
        new = client.speak("c", "And here.")
    assert "word_timestamps" in names_of(there) and "word_timestamps" in names_of(new)
    return "word_timestamps set in one context: sent in another that was there, and in a new one"


@statement("multi-options-before-contexts", "002 Session-Level Config",
           "Options sent before any context apply to the contexts that follow.")
def check_before(world):
    with world.multi() as client:
        client.send(sample_rate=16000, word_timestamps=True, language="en", normalize=True,
                    model_id="kugel-3")
        quiet = client.during(0.2)
        client.open("a", world.voice)
        frames = client.speak("a", "One two.")
    assert not quiet and "word_timestamps" in names_of(frames)
    assert {f["sr"] for f in frames if f.name == "audio"} == {16000}
    return shape(frames) + ", sr 16000"


@statement("multi-model-default", "002 Session-Level Config", "model_id is kugel-3 by default.")
def check_model(world):
    with world.multi() as client:
        client.open("a", world.voice)
        client.speak("a", "Hello.")
        usage = client.close_context("a")[-1]["usage"]
    assert usage["model_id"] == "kugel-3"
    return f"model_id {usage['model_id']} in usage"


@statement("multi-rate-default", "002 Session-Level Config",
           "sample_rate is 24000 by default, and word_timestamps false.")
def check_defaults(world):
    frames = conversation(world)["text and flush"]
    assert {f["sr"] for f in frames if f.name == "audio"} == {24000}
    assert "word_timestamps" not in names_of(frames)
    return shape(frames) + ", sr 24000"


for rate in (8000, 16000, 22050, 24000):
    @statement(f"multi-rate-{rate}", "002 Session-Level Config",
               f"sample_rate {rate} gives audio of that rate.")
    def check_rate(world, rate=rate):
        with world.multi() as client:
            client.open("a", world.voice, sample_rate=rate)
            frames = client.speak("a", "Hello there.")
        assert {f["sr"] for f in frames if f.name == "audio"} == {rate}
        return f"sr {rate}, {len(audio_of(frames)) / 2 / rate:.2f} s"


@statement("multi-rate-for-session", "002 Session-Level Config",
           "sample_rate applies to the entire session: even to an existing context, from its next turn "
           "on.")
def check_rate_session(world):
    with world.multi() as client:
        client.open("a", world.voice)
        client.open("b", world.voice)
        client.speak("a", "Before.")
        first = client.speak("a", "After.", sample_rate=8000)
        other = client.speak("b", "After.")
        client.open("c", world.voice)
        new = client.speak("c", "After.")
    rates = [next(f["sr"] for f in frames if f.name == "audio") for frames in (first, other, new)]
    assert rates == [8000, 8000, 8000], f"sr {rates}"
    return "sr 8000 in the context of the message, in another that was there, and in a new one"


def formatted(world, *messages):
    """(enc, sr) of a context's audio after these messages."""
    with world.multi() as client:
        for message in messages:
            client.send(message)
        frame = next(f for f in client.speak("z", "Hello.", voice_settings={"voice_id": world.voice})
                     if f.name == "audio")
    return frame["enc"], frame["sr"]


@statement("multi-output-format", "002 Session-Level Config",
           "output_format specifies codec and rate: ulaw_8000, sent at the top level, gives mulaw at "
           "8000 Hz.")
def check_format(world):
    assert formatted(world, {"output_format": "ulaw_8000"}) == ("mulaw", 8000)
    return "enc mulaw, sr 8000"


@statement("multi-output-format-nested", "002 Session-Level Config",
           "output_format can also be inside voice_settings.")
def check_nested(world):
    with world.multi() as client:
        client.send({"text": " ", "context_id": "a",
                     "voice_settings": {"voice_id": world.voice, "output_format": "ulaw_8000"}})
        client.until("context_created")
        frames = [f for f in client.speak("a", "Hello.") if f.name == "audio"]
        client.open("b", world.voice)
        others = [f for f in client.speak("b", "Hello.") if f.name == "audio"]
    assert {(f["enc"], f["sr"]) for f in frames + others} == {("mulaw", 8000)}
    return "enc mulaw, sr 8000, in that context and in the next"


@statement("multi-output-format-once", "002 Session-Level Config",
           "output_format is set once for a session: a different one later is refused and changes "
           "nothing.")
def check_once(world):
    with world.multi() as client:
        client.open("a", world.voice, output_format="ulaw_8000")
        client.send(output_format="pcm_16000")
        reply = client.during(0.5)
        assert names_of(reply) == ["error"], shape(reply) or "a second output_format is not answered"
        frames = client.speak("b", "Hello.", voice_settings={"voice_id": world.voice})
    error = reply[0]
    audio = next(f for f in frames if f.name == "audio")
    assert error["error_code"] == "VALIDATION_ERROR" and audio["enc"] == "mulaw"
    return f"{error['error_code']}, {error['code']}; later audio has enc mulaw"


@statement("multi-normalize", "002 Session-Level Config",
           "normalize is true by default, and can be turned off for the session.")
def check_normalize(world):
    text = "Dr. Smith paid $50.99 at 2:30 PM."
    sizes = []
    for options in ({}, {"normalize": True}, {"normalize": False}):
        with world.multi() as client:
            client.open("a", world.voice, **options)
            sizes.append(len(audio_of(client.speak("a", text))) // 2)
    assert sizes[0] == sizes[1] != sizes[2], sizes
    return f"{sizes[0]} samples by default and with true, {sizes[2]} with false"


@statement("multi-language", "002 Session-Level Config",
           "language decides how numbers are read, for the session.")
def check_language(world):
    with world.multi() as client:
        client.open("a", world.voice, language="de")
        german = audio_of(client.speak("a", "42"))
        words = audio_of(client.speak("a", "zweiundvierzig"))
    with world.multi() as client:
        client.open("a", world.voice)
        english = audio_of(client.speak("a", "42"))
    assert german == words != english
    return "42 with de is read as zweiundvierzig, without it differently"


@statement("multi-dictionaries", "002 Session-Level Config",
           "dictionary_ids belongs to the session: it applies to the context of the message and to "
           "others.")
def check_dictionaries(world):
    ids, known = dictionaries(world), sounds(world)
    with world.multi() as client:
        client.send(language="en")
        client.open("a", world.voice, dictionary_ids=[ids["german"]])
        client.open("b", world.voice)
        said = [known.get(audio_of(client.speak(name, WORD)), "?") for name in ("a", "b")]
    assert said == ["german", "german"], said
    return f"in both contexts {WORD!r} is read as {SAID['german']!r}"


# Limits


@scenario
def twenty(world):
    """Twenty contexts, a twenty-first, one that is closed for it; then all are left alone."""
    with world.multi() as client:
        created = []
        for i in range(20):
            created += client.open(f"c{i}", world.voice)
        client.send(text="Too many", context_id="c20", voice_settings={"voice_id": world.voice})
        refusal = client.until("error")
        speech = client.speak("c0", "The connection is open.")
        client.close_context("c1")
        begun = now()
        retried = client.open("c21", world.voice)
        client.send(text="Too many", context_id="c22", voice_settings={"voice_id": world.voice})
        client.until("error")
        released = client.until("context_closed", count=20)
        again = client.open("c22", world.voice)
        return {"created": created, "refusal": refusal[-1], "speech": speech, "retried": retried,
                "released": released, "seconds": released[-1].at - begun, "again": again,
                "is_open": client.is_open}


@statement("limit-20-contexts",
           "002 Limits", "A connection has up to 20 contexts at a time.", waits=21)
def check_twenty(world):
    assert names_of(twenty(world)["created"]).count("context_created") == 20
    return "20 context_created"


@statement("limit-21st-context", "002 Limits",
           "The 21st is refused with a specific error: error_code TOO_MANY_CONTEXTS, code 429, and its "
           "context_id.", waits=21)
def check_refused(world):
    error = twenty(world)["refusal"]
    assert (error["error_code"], error["code"], error["context_id"]) == ("TOO_MANY_CONTEXTS", 429, "c20")
    return shown(error)


@statement("limit-connection-stays", "002 Limits",
           "This does not close the connection, and the other contexts speak.", waits=21)
def check_stays(world):
    return shape(twenty(world)["speech"])


@statement("limit-close-then-retry", "002 Limits",
           "After a context has been closed, another can be opened.", waits=21)
def check_retry(world):
    return shape(twenty(world)["retried"])


@statement("limit-idle-then-retry", "002 Limits",
           "Idle contexts are released automatically, and then another can be opened.", waits=21)
def check_idle_retry(world):
    seen = twenty(world)
    assert IDLE_S[0] <= seen["seconds"] <= IDLE_S[1], seen["seconds"]
    return "20 context_closed 20 s later, then context_created", seconds(seen["seconds"])


@scenario
def left_alone(world):
    """A context that says nothing, one that has spoken, and one that is kept alive once, at 15 s."""
    with world.multi() as client:
        begun = now()
        client.open("silent", world.voice)
        client.open("kept", world.voice)
        asked = now()
        final = client.speak("spoke", "Then nothing more.", voice_settings={"voice_id": world.voice})[-1]
        frames = client.during(15 - (now() - begun))
        kept = client.send(text="", context_id="kept")
        while names_of(frames).count("context_closed") < 3:
            frames += client.until("context_closed")
        closed = {f["context_id"]: f for f in frames if f.name == "context_closed"}
        still = client.open("later", world.voice)
        return {"silent": closed["silent"].at - begun, "asked": closed["spoke"].at - asked,
                "spoke": closed["spoke"].at - final.at, "kept": closed["kept"].at - kept,
                "frames": frames, "still": still}


def idle_time(after):
    assert IDLE_S[0] <= after <= IDLE_S[1], f"{after:.3f} s"
    return f"{after:.3f} s"


@statement("limit-idle-20-s", "002 Limits", "A context closes after 20 s of inactivity.", waits=36)
def check_idle(world):
    return "context_closed after 20 s", idle_time(left_alone(world)["silent"])


@statement("limit-idle-after-speech", "002 Limits",
           "For a context that has spoken, the 20 s count from the end of its speech.", waits=36)
def check_idle_spoke(world):
    """A final that is read late is no proof that the context was closed too early."""
    seen = left_alone(world)
    assert IDLE_S[0] <= seen["asked"] and seen["spoke"] <= IDLE_S[1], (seen["asked"], seen["spoke"])
    return "context_closed 20 s after its final", f"{seen['spoke']:.3f} s"


@statement("limit-idle-graceful", "002 Server → Client Messages / 002 Limits",
           "This is a graceful close: final is sent right before context_closed.", waits=36)
def check_idle_graceful(world):
    frames = of("silent", left_alone(world)["frames"])
    assert names_of(frames) == ["final", "context_closed"], shape(frames)
    return shape(frames)


@statement("limit-idle-connection-stays", "002 Limits",
           "The connection stays open when its contexts are released.", waits=36)
def check_idle_stays(world):
    return "then " + shape(left_alone(world)["still"])


@statement("limit-keep-alive-resets", "002 Client → Server Messages / 002 Limits",
           "An empty text resets the 20 s of its context.", waits=36)
def check_reset(world):
    return "sent at 15 s; context_closed 20 s after it", idle_time(left_alone(world)["kept"])


@statement("limit-idle-per-context", "002 Client → Server Messages / 002 Limits",
           "The keep-alive of one context does not keep another one open.", waits=36)
def check_per_context(world):
    seen = left_alone(world)
    assert seen["silent"] < 33 and seen["kept"] + 15 > seen["silent"]
    return "one is kept alive at 15 s, the other closes after 20 s", idle_time(seen["silent"])
