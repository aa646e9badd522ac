"""ElevenLabs' WebSockets: stream-input and multi-stream-input."""

import array
import base64

import pytest
from client import Client, Closed, Refused, is_speech

SETTINGS = {"speech.workers": 1}  # one caller at a time

TEXT = "Hello there. How are you today?"


class Stream(Client):
    """A connection of stream-input; keys as ElevenLabs' clients carry them."""

    kind = "stream-input"
    prefix = ""

    def __init__(self, server, voice=1, key="", query="output_format=pcm_24000", headers=None):
        self.path = f"{self.prefix}/v1/text-to-speech/{voice}/{self.kind}"
        if key == "":
            headers = {"xi-api-key": server.key}
        super().__init__(server, key=None, query=query, headers=headers)

    def read_to_end(self):
        """(audio, characters, close code) of a stream."""
        audio, chars = b"", []
        try:
            while True:
                frame = self.receive()
                assert "error" not in frame, frame
                if frame["isFinal"]:
                    self.final = frame
                    continue
                audio += base64.b64decode(frame["audio"], validate=True)
                if frame["alignment"]:
                    alignment = frame["alignment"]
                    assert len(alignment["chars"]) == len(alignment["charStartTimesMs"]) == \
                        len(alignment["charDurationsMs"])
                    assert frame["normalizedAlignment"] == alignment
                    chars += alignment["chars"]
        except Closed as closed:
            return audio, "".join(chars), closed.code

    def expect_refusal(self, name):
        frame = self.receive()
        assert frame["error"] == name and frame["code"] == 1008 and frame["message"], frame
        assert self.expect_close(1008) in ("", "the error sent before has the reason")


class Multi(Stream):
    """A connection of multi-stream-input."""

    kind = "multi-stream-input"


class Proxied(Stream):
    prefix = "/11labs"


@pytest.mark.parametrize("kind,voice", [
    (Stream, 1071), (Proxied, 1071), (Stream, "21m00Tcm4TlvDq8ikWAM"),
    (Proxied, "bIHbv24MWmeRgasZH58o")])
def test_stream_is_spoken_and_closed(server, kind, voice):
    with kind(server, voice=voice) as client:
        client.send(text=" ", voice_settings={"stability": 0.5, "similarity_boost": 0.8})
        for word in TEXT.split():
            client.send(text=word + " ", try_trigger_generation=True)
        client.send(text="")
        audio, chars, code = client.read_to_end()
        assert client.final == {"audio": None, "isFinal": True}
    assert code == 1000
    assert is_speech(array.array("h", audio))
    assert chars == TEXT + " "
    assert len(server.ledger()) == 1


def alignments(client, count):
    """The next alignments, and the milliseconds of audio that came with them."""
    found, samples = [], 0
    while len(found) < count:
        frame = client.receive()
        samples += len(base64.b64decode(frame["audio"])) // 2
        if frame["alignment"]:
            found.append(frame["alignment"])
    return found, samples / 24


def starts_and_end(alignment):
    starts = alignment["charStartTimesMs"]
    assert starts == sorted(starts)
    return starts[0], starts[-1] + alignment["charDurationsMs"][-1]


@pytest.mark.parametrize("sync", [False, True])
@pytest.mark.parametrize("kind", [Stream, Proxied, Multi])
def test_times_count_from_the_chunk_or_with_sync_alignment_from_the_context(server, kind, sync):
    if kind is Multi:
        kind = type("ProxiedMulti", (Multi,), {"prefix": "/11labs"})
    query = "output_format=pcm_24000" + ("&sync_alignment=true" if sync else "")
    with kind(server, voice=1071, query=query) as client:
        client.send(text="One is here. ", flush=True)
        (first,), first_ms = alignments(client, 1)
        client.send(text="Two is here. ", flush=True)  # another turn in a context
        (second,), second_ms = alignments(client, 1)
    assert abs(starts_and_end(first)[1] - first_ms) < 2
    start, end = starts_and_end(second)
    shift = first_ms if sync else 0
    assert shift - 2 < start < shift + second_ms and abs(end - shift - second_ms) < 3


def test_markup_is_not_in_the_alignment_and_breaks_are_as_long_as_they_say(server):
    def speak(text, query=""):
        with Stream(server, voice=1071, query="output_format=pcm_24000" + query) as client:
            client.send(text=text)
            client.send(text="")
            audio, chars, code = client.read_to_end()
            assert code == 1000
            return len(audio) / 48000, chars

    plain, _ = speak("Hello there you.")
    seconds, chars = speak('Hello <break time="1.5s" />there <phoneme ph="x">you</phoneme>.')
    assert chars == "Hello there you. " and seconds > plain + 1.3
    v3 = "&model_id=eleven_v3"
    _, chars = speak("[whispers] Hello there[laughs] you [1].", v3)
    assert chars == " Hello there you [1]. "
    assert speak("[whispers] Hello there.", v3)[0] < speak("[whispers] Hello there.")[0] - 0.2


def test_flush_speaks_and_the_stream_goes_on(server):
    with Stream(server) as client:
        client.send(text="One is here ", flush=True)
        while not client.receive()["alignment"]:
            pass
        client.send(text="and two ")
        client.send(text="")
        _, chars, code = client.read_to_end()
    assert (chars, code) == ("and two ", 1000)
    assert len(server.ledger()) == 1


@pytest.mark.parametrize("token, per_second", [
    ("pcm_16000", 32000), ("pcm_44100", 88200), ("ulaw_8000", 8000), ("pcm_48000", 96000)])
def test_formats(server, token, per_second):
    with Stream(server, query="output_format=pcm_24000") as client:
        client.send(text=TEXT)
        client.send(text="")
        seconds = len(client.read_to_end()[0]) / 48000
    with Stream(server, query="output_format=" + token) as client:
        client.send(text=TEXT)
        client.send(text="")
        assert abs(len(client.read_to_end()[0]) / per_second - seconds) < 0.01


def test_mp3_is_the_default(server):
    with Stream(server, query="") as client:
        client.send(text=TEXT)
        client.send(text="")
        audio, _, code = client.read_to_end()
    assert code == 1000 and len(audio) > 1000
    assert audio[0] == 0xff and audio[1] & 0xe0 == 0xe0  # the sync word of a frame


def test_auto_mode_speaks_every_sentence(server):
    with Stream(server, query="output_format=pcm_24000&auto_mode=true") as client:
        client.send(text="Yes. And ")
        assert client.receive()["audio"]
        client.send(text="more. ")
        client.send(text="")
        assert client.read_to_end()[2] == 1000


def test_cancel_closes(server):
    with Stream(server) as client:
        client.send(text="[[slow:20]] This one takes long to say.", flush=True)
        assert client.receive()["audio"]
        client.send(cancel=True)
        assert client.read_to_end()[2] == 1000


CARRIERS = {
    "xi-api-key": lambda key: {"headers": {"xi-api-key": key}},
    "bearer": lambda key: {"headers": {"Authorization": "Bearer " + key}},
    "authorization in the query": lambda key: {"query": "authorization=Bearer%20" + key},
    "single_use_token": lambda key: {"query": "single_use_token=" + key},
    "api_key": lambda key: {"query": "api_key=" + key},
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_key_is_taken_from(server, carrier):
    with Stream(server, key=None, **({"query": ""} | CARRIERS[carrier](server.key))) as client:
        client.send(text="Yes.")
        client.send(text="")
        assert client.read_to_end()[2] == 1000
    with pytest.raises(Refused) as refused:
        Stream(server, key=None, **CARRIERS[carrier]("ka_wrong"))
    assert refused.value.status in (401, 403)


@pytest.mark.parametrize("field", ["xi_api_key", "xi-api-key", "authorization"])
def test_key_may_come_in_the_first_message(server, field):
    key = ("Bearer " if field == "authorization" else "") + server.key
    with Stream(server, key=None) as client:
        client.send({"text": " ", field: key})
        client.send(text=TEXT)
        client.send(text="")
        _, chars, code = client.read_to_end()
    assert (chars, code) == (TEXT + " ", 1000)
    with Multi(server, key=None) as client:
        client.send({"text": TEXT, "context_id": "a", "flush": True, field: key})
        assert client.receive()["contextId"] == "a"


@pytest.mark.parametrize("kind", [Stream, Multi])
def test_wrong_or_missing_key_in_the_first_message(server, kind):
    with kind(server, key=None) as client:
        client.send(text=" ", xi_api_key="ka_wrong")
        client.send(text="More.")
        client.expect_refusal("invalid_api_key")
    with kind(server, key=None) as client:
        client.send(text="Hello.")
        client.expect_refusal("needs_authorization")
    with kind(server, key=None) as client:
        client.send_text("no JSON")
        client.expect_refusal("needs_authorization")


def test_clients_without_a_key_may_vanish(server):
    for _ in range(5):
        with Stream(server, key=None) as client:
            client.send(text=" ", xi_api_key=server.key)
            client.reset()
    with Stream(server, key=None) as waiting:
        server.terminate()
        waiting.expect_close(1012)
    assert server.wait_for_end() == 0


def test_key_without_the_scope_may_not_speak(server):
    key = server.new_key("--scopes", "read")
    with Stream(server, key=None) as client:
        client.send(text=" ", xi_api_key=key)
        client.expect_refusal("missing_permissions")


@pytest.mark.parametrize("kind", [Stream, Multi])
def test_bad_addresses_are_told(server, kind):
    with kind(server, voice="nobody") as client:
        client.expect_refusal("voice_not_found")
    for query in ("output_format=mp4", "inactivity_timeout=1000", "language_code=xx",
                  "output_format=%zz"):
        with kind(server, query=query) as client:
            client.expect_refusal("invalid_input_message")


def test_bad_message_is_the_end(server):
    with Stream(server) as client:
        client.send(text=5)
        client.expect_refusal("invalid_input_message")


def test_silence_is_the_end(server):
    with Stream(server, query="output_format=pcm_24000&inactivity_timeout=1") as client:
        client.send(text=" ")
        client.expect_refusal("input_timeout_exceeded")


def read_context(client, context):
    """(audio, characters) of a context, to its final; nothing else comes."""
    audio, chars = b"", []
    while True:
        frame = client.receive()
        assert frame["contextId"] == context, frame
        if frame["isFinal"]:
            return audio, "".join(chars)
        audio += base64.b64decode(frame["audio"])
        chars += (frame["alignment"] or {"chars": []})["chars"]


def test_contexts_as_a_framework_uses_them(server):
    """Sentences with a flush each, then an empty flush and the close: all is spoken."""
    with Multi(server, query="output_format=pcm_24000&auto_mode=true") as client:
        for context in ("one", "two"):
            client.send(text=" ", voice_settings={}, context_id=context)
            for sentence in ("Hello there. ", "How are you? "):
                client.send(text=sentence, context_id=context, flush=True)
            client.send(text="", context_id=context, flush=True)
            client.send(context_id=context, close_context=True)
            audio, chars = read_context(client, context)
            assert is_speech(array.array("h", audio))
            assert chars == "Hello there. How are you? "
        client.send(close_socket=True)
        client.expect_close(1000)
    assert len(server.ledger()) == 2


def test_barge_in_as_a_framework_does_it(server):
    with Multi(server) as client:
        client.send(text="[[slow:20]] This one takes long to say. ", context_id="a", flush=True)
        assert client.receive()["audio"]
        client.send(context_id="a", close_context=True)
        client.send(text="", context_id="a", flush=True)
        read_context(client, "a")
        client.send(text="The next. ", context_id="b", flush=True)
        client.send(context_id="b", close_context=True)
        assert read_context(client, "b")[1] == "The next. "


# A sentence of it takes half a minute.
LONG = "[[slow:500]] This sentence takes long to say, and more follow it. " * 20


@pytest.mark.parametrize("auto_mode", ["true", "false"])
def test_a_close_without_a_flush_stops_the_sentence_that_is_spoken(server, auto_mode):
    """Pipecat's interruption: it closes the context and sends nothing else."""
    with Multi(server, query=f"output_format=pcm_24000&auto_mode={auto_mode}") as client:
        client.send(text=" ", context_id="a", voice_settings={"stability": 0.5})
        client.send(text=LONG, context_id="a")
        while not client.receive()["audio"]:
            pass
        client.send(context_id="a", close_context=True)
        assert read_context(client, "a")[1] == ""  # the alignment of a sentence follows its audio
        client.send(text="The next. ", context_id="b")
        client.send(context_id="b", flush=True)
        client.send(context_id="b", close_context=True)
        assert read_context(client, "b")[1] == "The next. "
    assert [row["status"] for row in server.wait_for_ledger(2)] == ["cancelled", "finished"]


def test_a_second_close_stops_what_the_first_one_left_to_speak(server):
    """Pipecat closes at the end of an answer, and once more when it is interrupted after that."""
    with Multi(server, query="output_format=pcm_24000&auto_mode=true") as client:
        client.send(text=LONG, context_id="a")
        client.send(context_id="a", flush=True)
        client.send(context_id="a", close_context=True)
        while not client.receive()["audio"]:
            pass
        client.send(context_id="a", close_context=True)
        assert read_context(client, "a")[1] == ""
    (row,) = server.wait_for_ledger(1)
    assert row["status"] == "cancelled"


def test_sixth_context_is_refused_and_the_connection_lives(server):
    with Multi(server) as client:
        for i in range(6):
            client.send(text=" ", context_id=f"c{i}")
        frame = client.receive()
        assert (frame["error"], frame["contextId"]) == ("max_active_contexts", "c5")
        client.send(context_id="c0", close_context=True)
        assert client.receive() == {"audio": None, "isFinal": True, "contextId": "c0"}
        client.send(text="Now it is.", context_id="c5", flush=True)
        assert client.receive()["contextId"] == "c5"
