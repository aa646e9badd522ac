"""Conversations on every WebSocket, compared with golden files (test_transcripts.py says how)."""

import contextlib
import json
import urllib.parse

from engine import HEADER, agent, sign, token, user
from transcript import AGENT_KEY, CHOICES, LISTS, NUMBERS, OBJECTS, TEXTS, TRUTHS

WRONG_KEY = "ka_" + "0" * 40
NOBODY = 987654
COMMANDS = [7, "x", [], {}]  # wrong values of commands, which must be true or false
# The engine stops in the middle of this, when two frames have been sent.
STALL = {"voice_id": 1, "normalize": False, "text": "Hm [[stall]]", "flush": True}
STALLED = '"idx":1'
SETTINGS_FIELDS = {
    "voice_id": [True, [], {}, 1.5, NOBODY, "nobody", None], "model_id": CHOICES, "model": CHOICES,
    "cfg_scale": NUMBERS, "temperature": NUMBERS, "seed": NUMBERS, "max_new_tokens": NUMBERS,
    "sample_rate": NUMBERS, "output_format": CHOICES, "normalize": TRUTHS, "language": CHOICES,
    "speed": [*NUMBERS, 0.7, 1.3], "word_timestamps": TRUTHS, "flush_timeout_ms": NUMBERS,
    "max_buffer_length": [*NUMBERS, 0], "chunk_length_schedule": [*LISTS, [], [5] * 17, [10001]],
    "auto_mode": TRUTHS, "dictionary_ids": [*LISTS, [1] * 51], "project_id": NUMBERS,
    "speaker_prefix": TRUTHS}
UPDATES = [*OBJECTS, {"speed": 5}, {"speed": 1.1}, {"cfg_scale": 9}, {"temperature": 0},
           {"language": "de-DE"}, {"normalize": False}, {"max_new_tokens": 5}, {"voice_id": 1}, {"sample_rate": 8000},
           {"temperature": None, "language": None}]
BAD_JSON = ["", "no JSON", "[]", "7", "null", '{"text":', '{"text":"a" "b"}', '{"text":"\\x"}', "{}{}",
            '{"a":' * 40]


def handshakes(transcript, path):
    """Upgrades with keys of each kind, in each carrier."""
    transcript.title("handshakes of " + path)
    poor = transcript.new_key("read")
    transcript.open(path, key=None, note="no key")
    for key, note in ((WRONG_KEY, "wrong key"), (poor, "poor key"), (transcript.server.key, "")):
        transcript.open(path, key=None, query="api_key=" + key, note=note)
        for name, value in (("Authorization", "Bearer " + key), ("X-API-Key", key), ("xi-api-key", key)):
            with transcript.open(path, key=None, headers={name: value}, note=note) \
                    or contextlib.nullcontext() as tap:
                if tap:
                    tap.send_text("no JSON")
                    tap.settle()


def send_binary(tap):
    tap.transcript.lines.append("> a binary message")
    tap.protocol.send_binary(b"{}")
    tap.push()
    tap.settle()


def send_no_utf8(tap):
    tap.transcript.lines.append("> no UTF-8")
    tap.protocol.send_text(b"\xff\xfe")
    tap.push()
    tap.end()


def test_socket_stream(record):
    transcript = record()
    path = "/ws/tts/stream"
    handshakes(transcript, path)
    transcript.title("an idle turn is ended")
    idle = transcript.open(path)
    idle.say({"voice_id": 1, "text": "Hi"})
    transcript.title("turns")
    with transcript.open(path) as tap:
        tap.ask({"voice_id": 1, "text": "Hi you.", "flush": True, "word_timestamps": True},
                "session_closed")
        tap.ask({"voice_id": "low-tone", "model_id": "kugel-2.5", "word_timestamps": False})
        for text in ("Go", "od ", "day."):
            tap.say({"text": text})
        tap.ask({"flush": True}, "session_closed")
        tap.ask({"text": "One. Two. Three.", "auto_mode": True, "flush": True}, "session_closed")
        tap.ask({"auto_mode": False, "sample_rate": 8000})
        tap.ask({"text": "Hi.", "end_session": True}, "session_closed")
        tap.ask({"sample_rate": None, "output_format": "ulaw_8000", "text": "Hi.", "flush": True},
                "session_closed")
        tap.ask({"output_format": "pcm_24000", "text": "...", "flush": True}, "session_closed")
        for command in ("flush", "close", "end_session", "cancel", "report"):
            tap.ask({command: True})
            tap.ask({command: False})
        tap.ask({"text": ""})
        tap.ask({"text": None, "flush": None})
        tap.ask({"text": "The last.", "close_socket": True})
        tap.end()
    transcript.title("speeds and tags")
    with transcript.open(path, is_exact=False) as tap:
        tap.ask({"voice_id": 1, "word_timestamps": True})
        tap.ask({"text": "Hi.", "speed": 1.2, "close": True}, "session_closed")
        tap.ask({"speed": 1})
        for text in ('Hi <break time="300ms"/>you.', "<spell>AB</spell>",
                     '<prosody rate="fast">Hi.</prosody>', '<prosody rate="x">Hi.</prosody>', '<prosody rate="slow">Hi.', "</prosody>Hi.",
                     "<b>Hi</b> €5."):
            tap.ask({"text": text, "flush": True}, "session_closed")
    transcript.title("turns that fail")
    with transcript.open(path) as tap:
        tap.ask({"text": "Who?", "flush": True}, "session_closed")
        tap.ask({"text": "Who?", "voice_id": NOBODY, "flush": True}, '"error"')
        tap.ask({"text": "Who?", "voice_id": "nobody", "flush": True}, '"error"')
        tap.ask({"text": "[[fail]]", "normalize": False, "voice_id": 1})
        tap.ask({"flush": True}, "session_closed")
        tap.ask({"text": "[[crash]]", "flush": True}, "session_closed")
        tap.ask({"text": "Hi.", "dictionary_ids": [7], "flush": True}, "session_closed")
        tap.ask({"text": "Hi.", "dictionary_ids": [], "project_id": 7, "flush": True}, "session_closed")
        tap.ask({"text": "Hi.", "dictionary_ids": [1], "flush": True}, "session_closed")
    transcript.title("cancels")
    for cancel in ({}, {"report": True, "playback_offset_ms": 0},
                   {"report": True, "playback_offset_ms": 30}, {"report": True, "playback_offset_ms": 100000}):
        with transcript.open(path) as tap:
            tap.ask(STALL, STALLED)
            tap.ask({"cancel": True} | cancel, "interrupted")
            tap.ask({"text": "Hi.", "flush": True}, "session_closed")
    with transcript.open(path) as tap:
        tap.ask(STALL, STALLED)
        tap.say({"text": "Waiting.", "flush": True})
        tap.ask({"cancel": True, "text": "New.", "flush": True}, "session_closed")
    transcript.title("settings")
    with transcript.open(path) as tap:
        tap.probe_fields({"update_settings": UPDATES})
        tap.probe({"sample_rate": 8000, "output_format": "pcm_16000"})
        tap.probe_fields(SETTINGS_FIELDS)
    transcript.title("messages")
    with transcript.open(path) as tap:
        for text in BAD_JSON:
            tap.probe(text)
        tap.probe_fields({"text": COMMANDS[:1] + [True, [], {}], "playback_offset_ms": NUMBERS} | {
            name: COMMANDS
            for name in ("flush", "close", "end_session", "close_socket", "cancel", "report")})
        send_binary(tap)
        send_no_utf8(tap)
    transcript.title("the idle turn")
    idle.hear("session_closed")


def test_socket_once(record):
    transcript = record()
    path = "/ws/tts"
    handshakes(transcript, path)
    transcript.title("requests")
    with transcript.open(path) as tap:
        tap.ask({"text": "Hi you.", "voice_id": 1, "word_timestamps": True}, '"final"')
        tap.say({"text": "Ahead.", "voice_id": 2, "model_id": "kugel-2.5"})
        tap.say({"text": "Next.", "voice_id": NOBODY})
        tap.say({"text": "Without."})
        tap.ask({"text": "Last.", "voice_id": 1}, '"text":"Last|original_text":"Last')
        tap.ask({"text": "...", "voice_id": 1}, '"final"|"error"')
        tap.ask({"text": "[[fail]]", "voice_id": 1, "normalize": False}, '"error"')
        tap.ask({"text": "Hi.", "voice_id": 1, "dictionary_ids": [7]}, '"error"')
        tap.ask({"cancel": True})
        tap.ask(STALL, STALLED)
        tap.say({"text": "After.", "voice_id": 1})
        tap.ask({"cancel": True}, "original_text")
        tap.is_exact = False
        tap.ask({"update_settings": {"speed": 1.2}})
        tap.ask({"text": "Hi.", "voice_id": 1}, '"final"')
        tap.ask(STALL, STALLED)
        for _ in range(16):
            tap.send_text('{"text":"Ahead.","voice_id":1}')
        tap.ask({"text": "Seventeenth.", "voice_id": 1})
    transcript.title("requests in the address")
    for value in (urllib.parse.quote(json.dumps({"text": "Hi.", "voice_id": 1})), "%7B", "%zz",
                  urllib.parse.quote(json.dumps({"text": "x" * 4096, "voice_id": 1}))):
        with transcript.open(path, query="initial_message=" + value) as tap:
            tap.hear('"final"|"error"')
    transcript.title("messages")
    with transcript.open(path) as tap:
        for text in BAD_JSON:
            tap.probe(text)
        tap.probe_fields({"text": [*TEXTS, "   "], "cancel": COMMANDS})
        tap.probe_fields({"update_settings": UPDATES})
        tap.probe_fields({name: [value for value in values if value not in (None, False)]
                          for name, values in SETTINGS_FIELDS.items()}, {"text": "Hi."})
        send_binary(tap)
        send_no_utf8(tap)


def test_socket_multi(record):
    transcript = record()
    path = "/ws/tts/multi"
    handshakes(transcript, path)
    transcript.title("contexts")
    with transcript.open(path) as tap:
        tap.ask({"text": " ", "context_id": "a", "voice_settings": {"voice_id": 1}})
        tap.ask({"text": "Hi you.", "context_id": "a", "flush": True, "word_timestamps": True}, '"final"')
        tap.ask({"flush": True, "context_id": "a"}, '"final"')
        for message in ({"text": "", "context_id": "a"}, {"keep_alive": True, "context_id": "a"},
                        {"flush": True, "context_id": "x"}, {"keep_alive": True, "context_id": "x"},
                        {"cancel": True, "context_id": "x"}, {"close_context": True, "context_id": "x"},
                        {"text": "Hi.", "flush": True}, {"flush": True}, {"cancel": False}):
            tap.ask(message)
        tap.ask({"text": "Bye.", "context_id": "a"})
        tap.ask({"close_context": True, "context_id": "a"}, "context_closed")
        tap.ask({"text": "Who?", "context_id": "n", "flush": True}, "context_closed")
        tap.ask({"text": "Who?", "context_id": "n", "voice_settings": {"voice_id": NOBODY}})
        tap.ask({"text": "[[fail]]", "normalize": False, "context_id": "f", "flush": True,
                 "voice_settings": {"voice_id": 1}}, "context_closed")
        tap.ask({"text": '<prosody rate="x">Hi.', "context_id": "p", "flush": True,
                 "voice_settings": {"voice_id": 1}}, "context_closed")
    transcript.title("two contexts at a time")
    with transcript.open(path) as tap:
        tap.ask({"voice_id": 1, "update_settings": {"speed": 1}})
        for name in ("a", "b"):
            tap.say({"text": f"Context {name}.", "context_id": name, "flush": True})
        tap.gather('"final"', 2)
        for name in ("a", "b"):
            tap.say({"close_context": True, "context_id": name})
        tap.gather("context_closed", 2)
        tap.ask({"text": "More.", "context_id": "c"})
        tap.say({"close_socket": True})
        tap.end()
    transcript.title("interruptions")
    stall = {"context_id": "a", "voice_settings": {"voice_id": 1}} | STALL
    with transcript.open(path) as tap:
        tap.ask(stall, STALLED)
        tap.ask({"close_context": True, "immediate": True, "context_id": "a"}, "context_closed")
        tap.ask(stall, STALLED)
        tap.ask({"cancel": True, "context_id": "a"}, "context_closed")
        tap.ask(stall, STALLED)
        tap.ask({"cancel": True}, "context_closed")
        tap.ask({"cancel": True})
        tap.ask(stall, STALLED)
        tap.ask({"close_context": True, "context_id": "a"})
        tap.ask({"text": "Late.", "context_id": "a"})
        tap.ask({"close_context": True, "context_id": "a"})
        tap.ask({"cancel": True, "context_id": "a"}, "context_closed")
    transcript.title("formats of a connection")
    with transcript.open(path) as tap:
        tap.ask({"output_format": "pcm_16000"})
        tap.ask({"output_format": "pcm_16000", "sample_rate": 24000})
        tap.ask({"output_format": "pcm_8000"})
        tap.ask({"sample_rate": 8000})
        tap.ask({"text": "Hi.", "context_id": "a", "flush": True, "voice_settings": {
            "voice_id": 1, "output_format": "pcm_24000"}})
        tap.ask({"text": "Hi.", "context_id": "a", "flush": True, "voice_settings": {"voice_id": 1}},
                '"final"')
    transcript.title("an idle context is closed")
    with transcript.open(path) as tap:
        tap.ask({"text": " ", "context_id": "a", "voice_settings": {"voice_id": 1},
                 "inactivity_timeout": 1}, "context_closed")
    transcript.title("messages")
    with transcript.open(path) as tap:
        for text in BAD_JSON:
            tap.probe(text)
        tap.probe_fields({"context_id": [7, True, [], {}, "", "x" * 257]})
        tap.probe_fields({"text": [7, True, [], {}], "voice_settings": [
            *OBJECTS[:-1], {"voice_id": True}, {"voice_id": []}, {"cfg_scale": "x"}, {"max_new_tokens": 0},
            {"output_format": "x"}], "inactivity_timeout": NUMBERS} | {
                name: COMMANDS for name in ("flush", "close_context", "immediate", "keep_alive", "cancel",
                                            "close_socket")}, {"context_id": "e"})
        tap.probe_fields({"update_settings": UPDATES})
        tap.probe_fields({name: values for name, values in SETTINGS_FIELDS.items()
                          if name in ("voice_id", "speed", "sample_rate", "output_format")})
        send_binary(tap)
        send_no_utf8(tap)


PCM = "output_format=pcm_24000"


def in_band(transcript, path):
    """Keys in the first message."""
    transcript.title("keys in the first message")
    poor = transcript.new_key("read")
    for message in ({"xi_api_key": transcript.server.key}, {"xi-api-key": transcript.server.key},
                    {"authorization": "Bearer " + transcript.server.key}):
        with transcript.open(path, key=None, query=PCM) as tap:
            tap.ask({"text": "Hi. ", "flush": True} | message, '"alignment":{')
    for message in ('{"text":" ","xi_api_key":"%s"}' % WRONG_KEY, '{"text":" ","xi_api_key":"%s"}' % poor,
                    '{"text":" "}', "no JSON", '{"text":" ","xi_api_key":7}'):
        with transcript.open(path, key=None, query=PCM) as tap:
            tap.say(message)
            tap.end()
    with transcript.open(path, key=None) as tap:
        send_binary(tap)


def addresses(transcript, path):
    transcript.title("addresses that are no good")
    for query in ("output_format=nonsense", "language_code=nonsense", "inactivity_timeout=0",
                  "inactivity_timeout=x", "apply_text_normalization=x", "seed=-1", "seed=x"):
        with transcript.open(path, query=query) or contextlib.nullcontext() as tap:
            if tap:
                tap.end()
    with transcript.open(path.replace("/1/", "/nobody/")) or contextlib.nullcontext() as tap:
        if tap:
            tap.end()


def test_socket_stream_input(record):
    transcript = record()
    path = "/v1/text-to-speech/1/stream-input"
    handshakes(transcript, path)
    in_band(transcript, path)
    addresses(transcript, path)
    for prefix in ("", "/11labs"):
        transcript.title("a stream")
        xi = {"xi-api-key": transcript.server.key}
        with transcript.open(prefix + path, key=None, headers=xi, query=PCM) as tap:
            tap.ask({"text": " ", "voice_settings": {"stability": 0.5, "speed": 1}, "generation_config": {
                "chunk_length_schedule": [50]}})
            tap.ask({"text": "Hi you. ", "flush": True}, '"alignment":{')
            tap.ask({"text": "Good day. ", "try_trigger_generation": True}, '"alignment":{')
            tap.ask({"text": " "})
            tap.say({"text": "Bye."})
            tap.say({"text": ""})
            tap.end()
    transcript.title("other streams")
    with transcript.open(path, query=PCM + "&auto_mode=true&sync_alignment=true") as tap:
        tap.ask({"text": "One is here. ", "flush": True}, '"alignment":{')
        tap.ask({"text": "Two is here. ", "flush": True}, '"alignment":{')
        tap.say({"text": ""})
        tap.end()
    with transcript.open(path, query=PCM) as tap:
        tap.say({"text": ""})
        tap.end()
    with transcript.open(path, query=PCM + "&apply_text_normalization=off") as tap:
        tap.ask({"text": "Hm [[stall]] ", "flush": True}, '"audio"')
        tap.hear('"audio"')
        tap.say({"cancel": True})
        tap.end()
    with transcript.open(path, query=PCM + "&apply_text_normalization=off") as tap:
        tap.say({"text": "[[fail]] ", "flush": True})
        tap.end()
    with transcript.open(path, query="output_format=ulaw_8000", is_exact=False) as tap:
        tap.ask({"text": "Hi.", "flush": True}, '"alignment":{')
    with transcript.open(path, query="inactivity_timeout=1") as tap:
        tap.say({"text": " "})
        tap.end()
    transcript.title("messages that are no good")
    for message in [*BAD_JSON, *({name: value} for name, values in {
            "text": [7, [], {}], "flush": COMMANDS, "try_trigger_generation": COMMANDS[:1],
            "cancel": COMMANDS[:1], "voice_settings": [7, {"speed": "x"}],
            "generation_config": [7, {"chunk_length_schedule": 7}, {"chunk_length_schedule": []}],
            "pronunciation_dictionary_locators": [
                7, [7], [{}], [{"pronunciation_dictionary_id": "7"}], [{"pronunciation_dictionary_id": 7}]],
    }.items() for value in values)]:
        with transcript.open(path, query=PCM) as tap:
            del transcript.lines[-2:]
            tap.probe(message)
    with transcript.open(path) as tap:
        send_binary(tap)
    with transcript.open(path) as tap:
        send_no_utf8(tap)


def test_socket_multi_stream_input(record):
    transcript = record()
    path = "/v1/text-to-speech/1/multi-stream-input"
    handshakes(transcript, path)
    in_band(transcript, path)
    addresses(transcript, path)
    for prefix in ("", "/11labs"):
        transcript.title("contexts")
        xi = {"xi-api-key": transcript.server.key}
        with transcript.open(prefix + path, key=None, headers=xi, query=PCM) as tap:
            tap.ask({"text": " ", "context_id": "a", "voice_settings": {"speed": 1}})
            tap.ask({"text": "Hi you. ", "context_id": "a", "flush": True}, '"alignment":{')
            for message in ({"text": "", "context_id": "a"}, {"keep_alive": True, "context_id": "a"},
                            {"flush": True, "context_id": "x"}, {"close_context": True, "context_id": "x"}):
                tap.ask(message)
            tap.ask({"close_context": True, "context_id": "a"}, '"isFinal":true')
            tap.ask({"text": "Without. ", "flush": True}, '"alignment":{')
            tap.say({"text": "The rest. ", "context_id": "default"})
            tap.say({"close_socket": True})
            tap.end()
    transcript.title("five contexts at a time")
    with transcript.open(path, query=PCM) as tap:
        for i in range(6):
            tap.ask({"text": " ", "context_id": f"c{i}"})
        tap.say({"close_socket": True})
        tap.gather('"isFinal":true', 5)
        tap.end()
    transcript.title("interruptions")
    with transcript.open(path, query=PCM + "&apply_text_normalization=off") as tap:
        stall = {"text": "Hm [[stall]] ", "context_id": "a", "flush": True}
        for interruption in ({"close_context": True}, {"text": "", "flush": True}):
            tap.ask(stall, '"audio"')
            tap.hear('"audio"')
            tap.ask({"close_context": True, "context_id": "a"})
            tap.ask({"context_id": "a"} | interruption, '"isFinal":true')
        tap.ask({"text": "[[fail]] ", "context_id": "f", "flush": True}, '"isFinal":true')
    with transcript.open(path, query="inactivity_timeout=1") as tap:
        tap.ask({"text": " ", "context_id": "a"}, '"isFinal":true')
    transcript.title("messages that are no good")
    with transcript.open(path, query=PCM) as tap:
        for message in BAD_JSON:
            tap.probe(message)
        tap.probe_fields({"context_id": [7, "", "x" * 257]})
        tap.probe_fields({
            "text": [7, [], {}], "flush": COMMANDS, "try_trigger_generation": COMMANDS[:1],
            "close_context": COMMANDS, "keep_alive": COMMANDS[:1], "close_socket": COMMANDS[:1],
            "voice_settings": [7, {"speed": "x"}],
            "generation_config": [7, {"chunk_length_schedule": 7}],
            "pronunciation_dictionary_locators": [7, [7], [{"pronunciation_dictionary_id": "7"}]]},
            {"context_id": "e"})
        send_binary(tap)
        send_no_utf8(tap)


def test_socket_agents(record):
    transcript = record()
    transcript.title("tokens of speech engines")
    good = token(AGENT_KEY)
    for note, given in {
            "no token": None, "nonsense": "x", "another key": token("sk_other"), "no subject":
            token(AGENT_KEY, sub="x"), "no issuer": token(AGENT_KEY, iss=None), "over":
            token(AGENT_KEY, exp=1), "another algorithm": token(AGENT_KEY, alg="none"),
            "forged": sign(b"x", {"alg": "HS256"}, {"iss": "x"})}.items():
        transcript.open("/one", key=None, headers={HEADER: given} if given else {}, note=note)
    transcript.call("GET", "/one", key=None, headers={HEADER: good})
    transcript.call("POST", "/one", key=None, headers={HEADER: good})
    transcript.open("/nowhere", key=None, headers={HEADER: good})
    transcript.open("/ws/talk/nobody")
    transcript.open("/ws/talk/one", query="usage=maybe")
    handshakes(transcript, "/ws/talk/one")
    for path, options in (("/one", {"key": None, "headers": {HEADER: good}}), ("/ws/talk/one", {}),
                          ("/ws/talk/one", {"query": "usage=true"}),
                          ("/broken", {"key": None, "headers": {HEADER: good}})):
        transcript.title("a conversation")
        ends = '"type":"usage"' if "query" in options else '"is_final":true'
        with transcript.open(path, **options) as tap:
            tap.ask({"type": "init", "conversation_id": "conv_1"})
            tap.ask({"type": "ping"})
            history = [user("hello there")]
            tap.ask({"type": "user_transcript", "user_transcript": history, "event_id": 1}, ends)
            tap.ask({"type": "user_transcript", "user_transcript": history, "event_id": 1})
            history += [agent("hello there"), user("grüße")]
            tap.ask({"type": "user_transcript", "user_transcript": history, "event_id": "two"}, ends)
            tap.ask({"type": "user_transcript", "user_transcript": history}, ends)
            tap.ask({"type": "user_transcript", "user_transcript": [user("  ")], "event_id": 4}, ends)
            if path == "/one":
                for message in (*BAD_JSON, '{"type":"nonsense"}', '{"type":7}', '{"type":"user_transcript"}',
                                '{"type":"user_transcript","user_transcript":7,"event_id":9}',
                                '{"type":"user_transcript","user_transcript":[7],"event_id":9}'):
                    tap.probe(message)
            tap.say({"type": "close"})
            tap.end()
    with transcript.open("/ws/talk/one") as tap:
        tap.say({"type": "error", "message": "it is broken"})
        tap.end()
    transcript.title("limits")
    key = transcript.new_key(limits={"requests_per_minute": 1})
    with transcript.open("/ws/talk/one", key=key, query="usage=true") as tap:
        tap.ask({"type": "user_transcript", "user_transcript": [user("one")], "event_id": 1},
                '"type":"usage"')
        tap.ask({"type": "user_transcript", "user_transcript": [user("two")], "event_id": 2},
                '"is_final":true')


def test_socket_drain(record):
    """How idle connections are closed when the server ends.  Conversations with agents go on."""
    transcript = record()
    taps = [transcript.open(path) for path in (
        "/ws/tts", "/ws/tts/stream", "/ws/tts/multi", "/v1/text-to-speech/1/stream-input",
        "/v1/text-to-speech/1/multi-stream-input")]
    taps[2].ask({"text": " ", "context_id": "a", "voice_settings": {"voice_id": 1}})
    transcript.server.terminate()
    for tap in taps:
        tap.end()
