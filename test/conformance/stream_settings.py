"""The config message of /ws/tts/stream: its fields, their defaults and how long they hold."""

import json

from statement import DIFFERS, Different, scenario, statement
from wire import audio_of, milliseconds, names_of, shape, texts_of, the

EXAMPLE = """{
  "voice_id": %d,
  "model_id": "kugel-3",
  "cfg_scale": 2.0,
  "temperature": 0.4,
  "sample_rate": 24000,
  "normalize": true,
  "language": "en",
  "word_timestamps": false,
  "flush_timeout_ms": 500,
  "max_buffer_length": 1000,
  "chunk_length_schedule": [5, 80, 150, 250],
  "auto_mode": false,
  "speed": 1.0
}"""

# A sentence starts "at once" when it does so within this time in one of so many tries: less than any of
# the waits that there could be, and a busy machine is not busy all the time.
AT_ONCE_S = 0.025
TRIES = 20


# The message


@statement("config-example", "001 Config Message / 003 Config Message",
           "The config message of the document, sent literally, is accepted; it has no reply and starts "
           "no turn.")
def check_example(world):
    with world.stream() as client:
        client.send_text(EXAMPLE % world.voice)
        frames = client.during(0.7)
        turn = client.say("Dr. Smith paid 50 dollars.")
    assert not frames, shape(frames)
    return f"no frame in 0.7 s; then a turn: {shape(turn.seen)}"


@statement("config-example-is-default", "001 Config Message / 003 Config Message",
           "The values of the document's config message are the defaults: with voice_id alone the "
           "audio is the same.")
def check_defaults(world):
    world.ours("needs voices that repeat themselves")
    text = "Dr. Smith paid 50 dollars. And then he left."
    with world.stream() as client:
        client.send_text(EXAMPLE % world.voice)
        given = client.say(text)
    with world.speaking() as client:
        default = client.say(text)
    assert given.audio == default.audio and given.texts == default.texts
    assert given.usage["model_id"] == default.usage["model_id"] == "kugel-3"
    return f"{given.samples} samples, byte for byte the same"


@statement("config-is-sticky",
           "000 What a turn is / 000 Session reuse / 001 Protocol / 003 Protocol",
           "The configuration is sent once: later turns have the same voice and format.")
def check_sticky(world):
    with world.speaking(sample_rate=16000, speed=1.1) as client:
        turns = [client.say("The same words.") for _ in range(3)]
    assert len({turn.audio for turn in turns}) == 1 and turns[2].rate == 16000
    return f"three turns after one config: sr 16000, the same {turns[0].samples} samples"


@statement("config-changes-format",
           "000 What a turn is / 000 Session reuse / 001 Protocol / 003 Protocol",
           "A new config message between turns changes the format on the same connection.")
def check_change(world):
    with world.speaking() as client:
        before = client.say("One.").rate
        client.send(sample_rate=16000)
        after = client.say("Two.").rate
    assert (before, after) == (24000, 16000)
    return f"sr {before}, then {after}"


@statement("config-change-is-sticky", "000 Session reuse",
           "A change also applies to the following turns.")
def check_change_sticky(world):
    with world.speaking() as client:
        client.send(sample_rate=16000)
        rates = [client.say(text).rate for text in ("One.", "Two.", "Three.")]
    assert set(rates) == {16000}
    return "sr 16000 in three turns"


@statement("config-changes-voice", "000 Session reuse",
           "A new voice_id between turns changes the voice without a new connection, and stays in "
           "effect.")
def check_voice(world):
    def alone(voice):
        with world.speaking(voice=voice) as client:
            return client.say("Who is speaking?").audio

    want = [alone(world.voice), alone(world.second_voice)]
    assert want[0] != want[1]
    with world.speaking() as client:
        got = [client.say("Who is speaking?").audio]
        client.send(voice_id=world.second_voice)
        got += [client.say("Who is speaking?").audio for _ in range(2)]
    assert got == [want[0], want[1], want[1]]
    return "byte for byte what fresh connections with each voice give, twice for the second"


@statement("config-in-next-turn-is-optional", "000 Session reuse / 001 Protocol / 003 Protocol",
           "The next turn can start with text alone, or with another config message.")
def check_optional(world):
    with world.speaking() as client:
        turns = [client.say("One.")]
        client.send(voice_id=world.voice, model_id="kugel-3", cfg_scale=2.0)
        turns += [client.say("One."), client.say("One.")]
    assert len({turn.audio for turn in turns}) == 1
    return "both: the same audio"


@statement("config-shares-rest-defaults", "003 Config Message",
           "The other fields have the same meaning and defaults as in a Generate Speech request.")
def check_rest(world):
    pairs = []
    with world.rest() as rest, world.stream() as client:
        for fields in ({}, {"speed": 1.2}, {"sample_rate": 8000}, {"normalize": False},
                       {"language": "en", "cfg_scale": 2.0}):
            body = {"text": "Dr. Smith is 42.", "voice_id": world.voice} | world.exact() | fields
            status, audio = rest.raw("POST", "/tts/generate", json.dumps(body).encode())
            assert status == 200, audio[:200]
            pairs.append((client.say(body.pop("text"), **body).audio, audio))
            client.send(speed=1.0, sample_rate=24000, normalize=True)
    assert all(a == b for a, b in pairs), [(len(a), len(b)) for a, b in pairs]
    return ("with speed, sample_rate, normalize, language, cfg_scale, and with none of them: the same audio "
            "as from POST /v1/tts/generate")


# Single fields


@statement("model-id", "003 Config Message / 000 Per-session usage",
           "model_id kugel-3 is accepted, and usage names the model.")
def check_model(world):
    with world.speaking(model_id="kugel-3") as client:
        usage = client.say("Hello.").usage
    assert usage["model_id"] == "kugel-3"
    return f"model_id {usage['model_id']}"


@statement("cfg-scale", "003 Config Message / 003 Example", "cfg_scale is accepted.")
def check_cfg_scale(world):
    with world.speaking(cfg_scale=2.0) as client:
        return shape(client.say("Hello.").seen)


for rate in (8000, 16000, 22050, 24000):
    @statement(f"sample-rate-{rate}", "002 Session-Level Config / 003 Config Message",
               f"sample_rate {rate} gives audio of that rate.")
    def check_rate(world, rate=rate):
        with world.speaking(sample_rate=rate) as client:
            turn = client.say("Hello there.")
        with world.speaking() as client:
            want = client.say("Hello there.").samples / 24000
        assert turn.rate == rate and abs(turn.samples / rate - want) < 0.01
        return f"sr {turn.rate}, {turn.samples / rate:.2f} s"


@statement("sample-rate-others", "002 Session-Level Config",
           "A sample_rate other than these is refused.")
def check_other_rate(world):
    errors = []
    for client in (world.stream(), world.multi()):
        with client:
            client.send(sample_rate=12345)
            errors.append(client.until("error")[-1])
            assert client.is_open
    assert all(error["error_code"] == "VALIDATION_ERROR" for error in errors)
    return f"{errors[0]['error']} ({errors[0]['code']}), on both sockets"


@statement("speed", "003 Config Message", "speed changes how fast the text is spoken; 1.0 is the default.")
def check_speed(world):
    with world.stream() as client:
        counts = [client.say("How fast is this spoken?", voice_id=world.voice, speed=speed,
                             **world.exact()).samples
                  for speed in (1.0, 1.2, 0.8)]
    assert counts[1] < counts[0] < counts[2], counts
    return f"{counts[0]} samples at 1.0, {counts[1]} at 1.2, {counts[2]} at 0.8"


@statement("normalize", "003 Config Message / 002 Session-Level Config",
           "normalize is true by default: numbers and abbreviations are read as words; false turns "
           "it off.")
def check_normalize(world):
    text = "Dr. Smith paid $50.99 at 2:30 PM."
    with world.speaking() as client:
        default = client.say(text).samples
        on = client.say(text, normalize=True).samples
        off = client.say(text, normalize=False).samples
    assert default == on != off, (default, on, off)
    return f"{default} samples by default, {on} with true, {off} with false"


@statement("language", "003 Config Message / 002 Session-Level Config",
           "language is a two-letter code that determines how numbers and so on are read.")
def check_language(world):
    with world.speaking() as client:
        english = client.say("42", language="en").audio
        german = client.say("42", language="de").audio
        words = client.say("zweiundvierzig", language="de").audio
    assert english != german and german == words
    return "42 with language de is read as zweiundvierzig, with en differently"


@statement("temperature-range", "001 Config Message / 003 Config Message",
           "temperature ranges from 0 to 1: other values are refused.")
def check_temperature_range(world):
    errors = []
    with world.speaking() as client:
        for value in (1.5, -0.1):
            client.send(temperature=value)
            errors.append(client.until("error")[-1])
        assert client.is_open
    assert all(error["error_code"] == "VALIDATION_ERROR" for error in errors)
    return f"1.5: {errors[0]['error']} ({errors[0]['code']})"


@statement("temperature-limits", "001 Config Message / 003 Config Message",
           "0 and 1 themselves are accepted.")
def check_temperature_limits(world):
    with world.speaking() as client:
        client.send(temperature=0)
        client.send(temperature=1)
        client.send(temperature=0.0)
        assert not client.during(0.3)
        return shape(client.say("Hello.").seen)


def readings(world, server, temperature, count):
    fields = {} if temperature is None else {"temperature": temperature}
    with world.speaking(server, **fields) as client:
        return [client.say("The weather is lovely.").audio for _ in range(count)]


@statement("temperature-zero-is-stable", "001 Config Message / 003 Config Message",
           "At temperature 0 a neural voice reads the same text the same way every time.")
def check_stable(world):
    audios = readings(world, "varied", 0, 3)
    assert len(set(audios)) == 1, [len(audio) for audio in audios]
    return f"three turns: the same {len(audios[0]) // 2} samples"


@statement("temperature-above-zero-varies", "001 Config Message / 003 Config Message",
           "Above 0, up to 1, its readings vary from turn to turn.")
def check_varies(world):
    for temperature in (0.4, 1):
        audios = readings(world, "varied", temperature, 3)
        count = len(set(audios))
        assert count == 3, f"{temperature}: {count} different readings in three turns"
    return "three turns at 0.4 and at 1: three different readings each"


@statement("temperature-default", "001 Config Message / 003 Config Message",
           "The default is 0.4: a neural voice whose readings repeat sounds the same with 0.4 as "
           "without a temperature.")
def check_temperature_default(world):
    default, given, other = (readings(world, "neural", value, 1)[0] for value in (None, 0.4, 0))
    assert default == given != other
    return "the same samples as with 0.4, others than with 0"


# When text is handed over


@statement("flush-timeout-default", "001 Config Message / 003 Config Message",
           "flush_timeout_ms is 500 by default: buffered text is spoken after that time without new "
           "text.", waits=2)
def check_timeout_default(world):
    return spoken_after(world, 0.5)


@statement("flush-timeout-given", "001 Config Message / 003 Config Message",
           "Another flush_timeout_ms, 1500, is respected.", waits=3)
def check_timeout_given(world):
    return spoken_after(world, 1.5, flush_timeout_ms=1500)


def spoken_after(world, want, **config):
    """The text ends with a blank: a last word that may go on is held once more."""
    with world.speaking(**config) as client:
        sent = client.send(text="no end of a sentence ")
        started = client.until("generation_started")[-1]
    after = started.at - sent
    assert want - 0.01 <= after <= want + 2.5, f"after {after:.3f} s"
    return f"generation_started {want} s after the text", f"{after:.3f} s"


@statement("flush-timeout-counts-from-last", "001 Config Message / 003 Config Message",
           "The time counts from the last text.", waits=7)
def check_timeout_last(world):
    """More than 3 s for all tokens, so that a time that counts from the first one is noticed."""
    with world.speaking(flush_timeout_ms=3000) as client:
        for _ in range(5):
            sent = client.send(text="token ")
            early = client.during(0.7)
            assert not early, shape(early)
        frames = client.until("generation_started")
    after = frames[-1].at - sent
    assert names_of(frames) == ["generation_started"], shape(frames)  # not the idle end
    assert frames[-1]["text"] == "token token token token token" and after >= 2.99, (after, texts_of(frames))
    return "five tokens 0.7 s apart, all of them spoken 3 s after the last", f"{after:.3f} s"


@statement("flush-timeout-keeps-turn", "001 Config Message",
           "The turn continues after that: later text belongs to it.", waits=2)
def check_timeout_turn(world):
    with world.speaking() as client:
        client.send(text="one part ")
        first = client.until("chunk_complete")
        client.send(text="another part", flush=True)
        rest = client.until("session_closed")
    closed = the(rest, "session_closed")
    assert "session_closed" not in names_of(first) and closed["total_text_chunks"] == 2
    return f"{shape(first + rest)}"


@statement("max-buffer-default", "001 Config Message / 003 Config Message",
           "max_buffer_length is 1000 by default: that many buffered characters are spoken without "
           "a sentence end.")
def check_buffer_default(world):
    text = "some words that do not end " * 48  # 1296 characters
    started = forced(world, text, flush_timeout_ms=60000)
    assert 900 <= len(started["text"]) <= 1000, len(started["text"])
    return f"a chunk of {len(started['text'])} characters before the flush"


@statement("max-buffer-given", "001 Config Message / 003 Config Message",
           "Another max_buffer_length, 50, is respected.")
def check_buffer_given(world):
    started = forced(world, "no punctuation here at all just words that go on and on",
                     max_buffer_length=50, flush_timeout_ms=60000)
    assert len(started["text"]) <= 50
    return f"a chunk of {len(started['text'])} characters before the flush: {started['text']!r}"


@statement("max-buffer-below", "001 Config Message / 003 Config Message",
           "With fewer characters, nothing is spoken early.")
def check_buffer_below(world):
    with world.speaking(flush_timeout_ms=60000) as client:
        client.send(text="some words that do not end " * 36)  # 972 characters
        frames = client.during(0.5)
        client.send(cancel=True)
    assert not frames, shape(frames)
    return "972 characters: no frame in 0.5 s"


def forced(world, text, **config):
    with world.speaking(**config) as client:
        sent = client.send(text=text)
        started = client.until("generation_started")[-1]
        client.send(cancel=True)
        client.until("interrupted")
    assert started.at - sent < 4
    return started


SENTENCES = [f"Sentence number {name} has about forty letters." for name in
             ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
              "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen")]


def chunks_before_flush(world, text, count, **config):
    """Lengths of the first chunks that a text gives by itself when it comes all at once."""
    with world.speaking(flush_timeout_ms=60000, **config) as client:
        client.send(text=text)
        client.send(text=" And")
        frames = client.until("chunk_complete", count=count)
        client.send(cancel=True)
        client.until("interrupted")
    return [len(chunk) for chunk in texts_of(frames)][:count]


def follows(lengths, schedule):
    """Each chunk has its minimum, and is the shortest run of sentences that has it."""
    longest = max(map(len, SENTENCES)) + 1
    for i, length in enumerate(lengths):
        least = schedule[min(i, len(schedule) - 1)]
        assert least <= length < least + longest + 1, (lengths, schedule)


@statement("schedule-default", "001 Config Message / 003 Config Message",
           "chunk_length_schedule is [5, 80, 150, 250] by default: entry i is the minimum length of "
           "chunk i, and the last one repeats.")
def check_schedule(world):
    lengths = chunks_before_flush(world, " ".join(SENTENCES), 4)
    follows(lengths, [5, 80, 150, 250])
    return f"chunks of {', '.join(map(str, lengths))} characters before any flush"


@statement("schedule-given", "001 Config Message / 003 Config Message",
           "A given schedule, [40, 60], is followed, and its last entry repeats.")
def check_schedule_given(world):
    lengths = chunks_before_flush(world, " ".join(SENTENCES), 6, chunk_length_schedule=[40, 60])
    follows(lengths, [40, 60])
    return f"chunks of {', '.join(map(str, lengths))} … characters"


@statement("schedule-short-first", "001 Config Message",
           "A first sentence below the first entry waits for more: \"Hi.\" has 3 characters.")
def check_short_first(world):
    with world.speaking(flush_timeout_ms=60000) as client:
        client.send(text="Hi. ")
        early = client.during(0.4)
        client.send(text="Yo. A longer sentence.", flush=True)
        turn = client.turn()
    assert not early and turn.texts[0] == "Hi. Yo.", (shape(early), turn.texts)
    return repr(turn.texts)


@scenario
def slow_default(world):
    return slow_text(world)


@scenario
def slow_given(world):
    return slow_text(world, chunk_length_schedule=[5, 80, 150, 250])


def slow_text(world, **config):
    """Chunks of a second sentence that comes when the first has been heard to its end."""
    with world.speaking(flush_timeout_ms=60000, **config) as client:
        client.send(text="Hello there. And")
        heard = client.until("chunk_complete")[-1]["audio_seconds"]
        assert not client.during(heard), "the turn did not wait for the rest of its text"
        client.send(text=" then. The")  # a sentence of 9 characters, of 80
        frames = client.during(3)  # not yet the idle end
        client.send(cancel=True)
        client.until("interrupted")
    return texts_of(frames)


@statement("schedule-given-slow-text", "001 Config Message / 003 Config Message",
           "A schedule that the client gives is followed exactly, even if text arrives more slowly than "
           "it is spoken.", waits=8)
def check_slow_given(world):
    chunks = slow_given(world)
    assert not chunks, f"{chunks}: fewer than 80 characters"
    return "with [5, 80, 150, 250] a second sentence of 9 characters waits"


@statement("schedule-default-slow-text", "001 Config Message / 003 Config Message",
           "The default schedule is followed exactly if text arrives more slowly than it is spoken.",
           waits=8, expected=DIFFERS,
           reason="With the default schedule, complete sentences are spoken before they reach its "
                  "lengths when the listener is about to run out of audio: a gap in the middle of a "
                  "reply is worse than a short chunk. A client that wants the exact lengths sends the "
                  "schedule.")
def check_slow_default(world):
    chunks = slow_default(world)
    if chunks:
        raise Different(f"a second sentence of {len(chunks[0])} characters is spoken when the first "
                        "has been heard")
    return "a second sentence of 9 characters waits"


@statement("schedule-smaller-is-sooner", "001 Config Message / 003 Config Message",
           "Smaller entries start earlier, larger ones give longer chunks.")
def check_smaller(world):
    small = chunks_before_flush(world, " ".join(SENTENCES[:6]), 1, chunk_length_schedule=[5])
    large = chunks_before_flush(world, " ".join(SENTENCES[:6]), 1, chunk_length_schedule=[200])
    assert small[0] < 60 < 200 <= large[0], (small, large)
    return f"[5]: the first chunk starts with {small[0]} characters, [200]: with {large[0]}"


@statement("auto-mode", "001 Config Message / 003 Config Message",
           "With auto_mode every sentence is started at its end, whatever the schedule says.")
def check_auto(world):
    with world.speaking(auto_mode=True, chunk_length_schedule=[200], flush_timeout_ms=60000) as client:
        client.send(text="Short one. Another short one. And a third. Now")
        frames = client.until("chunk_complete", count=3)
        client.send(cancel=True)
    assert texts_of(frames) == ["Short one.", "Another short one.", "And a third."], texts_of(frames)
    return repr(texts_of(frames))


@statement("auto-mode-default", "001 Config Message / 003 Config Message",
           "auto_mode is false by default: the schedule applies.")
def check_auto_default(world):
    with world.speaking(chunk_length_schedule=[200], flush_timeout_ms=60000) as client:
        client.send(text="Short one. Another short one. And a third. Now")
        frames = client.during(0.5)
        client.send(cancel=True)
    assert not frames, shape(frames)
    return "the same text with [200] and no auto_mode: no frame in 0.5 s"


def soonest(world, **config):
    """The least time from a complete sentence to its generation_started."""
    best = None
    with world.speaking(flush_timeout_ms=60000, **config) as client:
        for _ in range(TRIES):
            sent = client.send(text="Hello there. ")
            after = client.until("generation_started")[-1].at - sent
            client.send(cancel=True)
            client.until("interrupted")
            best = after if best is None else min(best, after)
            if best < AT_ONCE_S:
                break
    assert best < AT_ONCE_S, f"{1000 * best:.0f} ms at best in {TRIES} tries"
    return "a complete sentence in one message starts without a wait", milliseconds(best)


@statement("auto-mode-at-once", "001 Config Message / 003 Config Message",
           "auto_mode has the lowest time to first audio: a complete sentence is started immediately.")
def check_auto_at_once(world):
    return soonest(world, auto_mode=True)


@statement("sentence-at-once", "000 What triggers synthesis",
           "Even without auto_mode, a complete sentence that reaches the first entry is started "
           "immediately.")
def check_at_once(world):
    return soonest(world)


# Dictionaries


WORD = "zork"
SAID = {"english": "one", "german": "two two", "off": "three three three", "none": WORD}


@scenario
def dictionaries(world):
    """Three that replace the same word: active ones for en and de, and an inactive one for en."""
    world.ours("creates dictionaries")
    ids = {}
    with world.rest() as rest:
        for name, language, is_active in (("english", "en", True), ("german", "de", True),
                                          ("off", "en", False)):
            made = rest.must(201, rest.post("/dictionaries", {
                "name": "conformance " + name, "language": language}))
            rest.must(201, rest.post(f"/dictionaries/{made['id']}/entries", {
                "word": WORD, "replacement": SAID[name]}))
            if not is_active:
                rest.must(200, rest.patch(f"/dictionaries/{made['id']}", {"is_active": False}))
            ids[name] = made["id"]
    return ids


@scenario
def sounds(world):
    """What each replacement sounds like."""
    dictionaries(world)
    with world.speaking(dictionary_ids=[], language="en") as client:
        return {client.say(text).audio: name for name, text in SAID.items()}


def heard(world, *configs):
    """How the word was said in turn after turn, each after a config."""
    known = sounds(world)
    with world.speaking(language="en") as client:
        said = []
        for config in configs:
            said.append(known.get(client.say(WORD, **config).audio, "?"))
    return said


def heard_on_both(world, **config):
    """How the word was said on a stream socket and in a context."""
    said = heard(world, config)
    with world.multi() as client:
        client.send({"language": "en"} | config)
        client.open("a", world.voice)
        said.append(sounds(world).get(audio_of(client.speak("a", WORD)), "?"))
    return said


@statement("dictionaries-omitted",
           "001 Config Message / 003 Config Message / 002 Session-Level Config",
           "Without dictionary_ids all active dictionaries of the language apply.")
def check_omitted(world):
    said = heard_on_both(world)
    assert said == ["english", "english"], said
    return "of active en, active de and inactive en, with language en: the active en, on both sockets"


@statement("dictionaries-language-filter",
           "001 Config Message / 003 Config Message / 002 Session-Level Config",
           "Active dictionaries of another language do not apply.")
def check_filter(world):
    sounds(world)
    with world.speaking(dictionary_ids=[], language="de") as client:
        german = client.say(SAID["german"]).audio
    with world.speaking(language="de") as client:
        assert client.say(WORD).audio == german
    with world.multi() as client:
        client.open("a", world.voice, language="de")
        assert audio_of(client.speak("a", WORD)) == german
    return "with language de: the active de, not the active en, on both sockets"


@statement("dictionaries-none",
           "001 Config Message / 003 Config Message / 002 Session-Level Config",
           "An empty list means no dictionary.")
def check_none(world):
    said = heard_on_both(world, dictionary_ids=[])
    assert said == ["none", "none"], said
    return "the word itself is read, on both sockets"


@statement("dictionaries-exactly",
           "001 Config Message / 003 Config Message / 002 Session-Level Config",
           "A list means exactly those dictionaries, even inactive ones.")
def check_exactly(world):
    said = heard_on_both(world, dictionary_ids=[dictionaries(world)["off"]])
    assert said == ["off", "off"], said
    return "the inactive one applies, the active one does not, on both sockets"


@statement("dictionaries-no-filter",
           "001 Config Message / 003 Config Message / 002 Session-Level Config",
           "A list is not filtered by language.")
def check_no_filter(world):
    said = heard_on_both(world, dictionary_ids=[dictionaries(world)["german"]])
    assert said == ["german", "german"], said
    return "the de dictionary applies with language en, on both sockets"


@statement("dictionaries-sticky", "001 Config Message / 003 Config Message",
           "dictionary_ids is sticky; another list, or an empty one, replaces it.")
def check_dictionaries_sticky(world):
    said = heard(world, {"dictionary_ids": [dictionaries(world)["german"]]}, {},
                 {"dictionary_ids": []}, {})
    assert said == ["german", "german", "none", "none"], said
    return "given, kept in the next turn, taken away, still away"
