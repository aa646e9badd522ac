"""What a turn of /ws/tts/stream consists of: its last frames, its other frames, and its chunks."""

import array
import json

from statement import DIFFERS, Different, scenario, statement
from stream_turns import FIRST, SECOND, closed_socket, every_stream, idle, plain
from wire import NAMES, milliseconds, names_of, same_keys, shape, shown, the
from world import ESPEAK

# final and session_closed


@statement("final-before-session-closed",
           "000 final vs session_closed / 000 How a turn ends / 001 Final (End of Audio) / 003 "
           "Final (End of Audio) / 000 Who is responsible for what",
           "final is sent right after the last audio of the turn, and session_closed right after final.")
def check_order(world):
    turn = plain(world)
    names = names_of(turn.seen)
    assert names[-3:] == ["chunk_complete", "final", "session_closed"], names
    assert max(i for i, name in enumerate(names) if name == "audio") == len(names) - 4
    return shape(turn.seen)


@statement("final-no-more-audio",
           "000 final vs session_closed / 001 Final (End of Audio) / 003 Final (End of Audio)",
           "After final no more audio of the turn is sent.", last=True)
def check_no_audio_after_final(world):
    count = 0
    for client in every_stream():
        is_over = False
        for seen in client.seen:
            is_over = seen.name == "final" or is_over and seen.name != "generation_started"
            assert not (is_over and seen.name == "audio"), shape(client.seen)
            count += seen.name == "final"
    return "in no turn of this run", f"{count} turns"


@statement("final-fields", "000 final vs session_closed / 003 Final (End of Audio)",
           "final has the keys final, total_audio_seconds, total_text_chunks and "
           "total_audio_chunks.")
def check_final_fields(world):
    return same_keys(plain(world).final, "final", "total_audio_seconds", "total_text_chunks",
                     "total_audio_chunks")


@statement("session-closed-fields", "000 final vs session_closed / 003 Session Closed",
           "session_closed has the totals of final and a usage with audio_seconds, characters, "
           "cost_cents, currency and model_id.")
def check_closed_fields(world):
    closed = plain(world).closed
    same_keys(closed, "session_closed", "total_audio_seconds", "total_text_chunks",
              "total_audio_chunks", "usage")
    documented = {"audio_seconds", "characters", "cost_cents", "currency", "model_id"}
    assert documented <= set(closed["usage"]), closed["usage"]
    more = sorted(set(closed["usage"]) - documented)
    return shown(closed) + (f"; additional: {', '.join(more)}" if more else "")


@statement("session-closed-on-every-end",
           "000 Per-session usage / 001 Session Closed / 003 Session Closed / 000 Who is "
           "responsible for what",
           "Every graceful end (flush, idle end, close) has a session_closed with usage.", waits=6)
def check_closed_always(world):
    ends = {"flush": plain(world).closed, "idle end": the(idle(world)[1], "session_closed").frame,
            "close_socket": the(closed_socket(world)[0], "session_closed").frame}
    with world.speaking() as client:
        client.send(text=FIRST, close=True)
        ends["close"] = client.turn().closed
    for name, closed in ends.items():
        assert closed["usage"]["audio_seconds"] > 0 and "cost_cents" in closed["usage"], (name, closed)
    return ", ".join(ends) + ": usage in each"


@statement("totals-are-true", "000 final vs session_closed",
           "The totals of final and session_closed match the frames that were received.")
def check_totals(world):
    turn = plain(world)  # Turn compares each total as it comes
    frames = names_of(turn.seen)
    assert turn.final["total_text_chunks"] == frames.count("generation_started")
    assert turn.final["total_audio_chunks"] == frames.count("audio")
    assert abs(turn.final["total_audio_seconds"] - turn.samples / 24000) < 1e-6
    for name in ("total_audio_seconds", "total_text_chunks", "total_audio_chunks"):
        assert turn.final[name] == turn.closed[name]
    return (f"{turn.samples} samples = {turn.final['total_audio_seconds']:.3f} s, "
            f"{len(turn.texts)} chunks", f"{len(turn.frame_samples)} frames")


# Frames


@statement("generation-started-fields", "001 Generation Started / 003 Generation Started",
           "generation_started has the keys generation_started, chunk_id and text.")
def check_started(world):
    return same_keys(plain(world).seen[0], "generation_started", "chunk_id", "text")


@statement("generation-started-text", "003 Generation Started",
           "Its text is the text of the chunk, as the client wrote it.")
def check_started_text(world):
    assert plain(world).texts == [FIRST, SECOND], plain(world).texts
    return repr(plain(world).texts)


@statement("chunk-id-counts", "003 Generation Started", "chunk_id counts from 0 within the turn.")
def check_chunk_ids(world):
    ids = [seen["chunk_id"] for seen in plain(world).seen if seen.name == "generation_started"]
    assert ids == list(range(len(ids))) and len(ids) == 2
    return str(ids)


@statement("audio-fields", "001 Audio Chunk / 003 Audio Chunk",
           "An audio frame has the keys audio, enc, idx, sr, samples and chunk_id.")
def check_audio_fields(world):
    frame = next(seen for seen in plain(world).seen if seen.name == "audio")
    return same_keys(frame, "audio", "enc", "idx", "sr", "samples", "chunk_id")


@statement("audio-encoding", "003 Audio Chunk",
           "By default audio is base64 of 16-bit PCM (pcm_s16le) at 24000 Hz; samples is the number of "
           "samples.")
def check_encoding(world):
    turn = plain(world)  # Turn compares samples with the payload of each frame
    assert (turn.encoding, turn.rate) == ("pcm_s16le", 24000)
    assert max(map(abs, turn.pcm())) > 1000
    return "pcm_s16le, sr 24000; samples is half of the payload's bytes in every frame"


@statement("audio-idx-counts", "003 Audio Chunk", "idx counts from 0 over all chunks of the turn.")
def check_idx(world):
    indices = [seen["idx"] for seen in plain(world).seen if seen.name == "audio"]
    assert indices == list(range(len(indices)))
    return "0, 1, 2 … over both chunks", f"0 to {indices[-1]}"


@statement("audio-as-generated", "001 Protocol / 003 Protocol",
           "Audio is sent in pieces while the turn is being generated: before the text is complete, and "
           "not in one frame.")
def check_as_generated(world):
    with world.speaking() as client:
        client.send(text=FIRST + " ")
        first = client.until("audio")
        client.send(text=SECOND, flush=True)
        rest = client.until("session_closed")
    count = names_of(first + rest).count("audio")
    assert count > 5
    return "audio of the first sentence came before the second was sent", f"{count} frames"


@statement("chunk-complete-fields", "001 Chunk Complete / 003 Chunk Complete",
           "chunk_complete has the keys chunk_complete, chunk_id, audio_seconds and gen_ms.")
def check_complete(world):
    frame = next(seen for seen in plain(world).seen if seen.name == "chunk_complete")
    return same_keys(frame, "chunk_complete", "chunk_id", "audio_seconds", "gen_ms")


@statement("chunk-complete-seconds", "003 Chunk Complete",
           "Its audio_seconds is the audio of that chunk.")
def check_complete_seconds(world):
    turn = plain(world)
    given = [seen["audio_seconds"] for seen in turn.seen if seen.name == "chunk_complete"]
    assert all(abs(a - b / 24000) < 1e-6 for a, b in zip(given, turn.chunk_samples))
    return ", ".join(f"{value:.3f} s" for value in given)


@statement("chunk-complete-gen-ms",
           "003 Chunk Complete", "gen_ms is a whole number of milliseconds.")
def check_gen_ms(world):
    given = [seen["gen_ms"] for seen in plain(world).seen if seen.name == "chunk_complete"]
    assert all(type(value) is int for value in given), given
    return "integers", str(given)


@scenario
def timed_words(world):
    with world.speaking(word_timestamps=True) as client:
        return client.say("Hello world, this is a test.")


@statement("word-timestamps-fields",
           "001 Word Timestamps (when word_timestamps: true) / 003 Word Timestamps (when "
           "word_timestamps: true)",
           "With word_timestamps a frame has the keys word_timestamps and chunk_id; each word has "
           "word, start_ms, end_ms, char_start, char_end and score.")
def check_words(world):
    frame = next(seen for seen in timed_words(world).seen if seen.name == "word_timestamps")
    same_keys(frame, "word_timestamps", "chunk_id")
    for word in frame["word_timestamps"]:
        same_keys(word, "word", "start_ms", "end_ms", "char_start", "char_end", "score")
    return json.dumps(frame["word_timestamps"][0]) + f" and {len(frame['word_timestamps']) - 1} more"


@statement("word-timestamps-offsets", "003 Word Timestamps (when word_timestamps: true)",
           "char_start and char_end delimit the word in the chunk's text; times increase and are within "
           "its audio.")
def check_offsets(world):
    turn = timed_words(world)
    (words,) = turn.words
    for word in words:
        assert turn.texts[0][word["char_start"]:word["char_end"]] == word["word"], word
    times = [time for word in words for time in (word["start_ms"], word["end_ms"])]
    assert times == sorted(times) and times[-1] <= turn.samples / 24 + 1, times
    return " ".join(word["word"] for word in words)


@statement("word-timestamps-types", "003 Word Timestamps (when word_timestamps: true)",
           "Times and offsets are integers; score is a number up to 1.")
def check_word_types(world):
    for word in timed_words(world).words[0]:
        assert all(type(word[key]) is int for key in ("start_ms", "end_ms", "char_start", "char_end"))
        assert 0 <= word["score"] <= 1
    return "integers; score " + str(timed_words(world).words[0][0]["score"])


@statement("word-timestamps-default", "003 Config Message",
           "word_timestamps is false by default: no such frames are sent.")
def check_no_words(world):
    assert "word_timestamps" not in names_of(plain(world).seen)
    return shape(plain(world).seen)


@statement("frames-are-documented", "003 Response Messages",
           "Only documented frames are sent in a turn.", last=True)
def check_documented(world):
    known = set(NAMES) - {"context_created", "context_closed", "settings_updated"}
    count = 0
    for client in every_stream():
        for seen in client.seen:
            assert seen.name in known, seen.frame
            count += 1
    return "every frame on stream sockets in this run is one of them", f"{count} frames"


# Where chunks begin and end

STORY = ("First one. The second sentence is long enough to be of a certain length, I hope. The third is "
         "also a sentence that has a certain length, as it was written to be long. The fourth sentence "
         "of this little story is about as long as the third, with the commas that it has. Fifth. The "
         "sixth and last of them is short too.")


@scenario
def story(world):
    """A text of six sentences in tokens, as a model writes them."""
    with world.speaking(flush_timeout_ms=60000) as client:
        words = STORY.split(" ")
        for i, word in enumerate(words):
            client.send(text=word + (" " if i + 1 < len(words) else ""))
        client.send(flush=True)
        return client.turn()


@statement("synthesis-by-itself", "000 What triggers synthesis / 000 Who is responsible for what",
           "The server starts generation on its own at a sentence end, before any flush.")
def check_by_itself(world):
    with world.speaking(flush_timeout_ms=60000) as client:
        sent = client.send(text="This sentence is complete. The next has only")
        started = client.until("generation_started")[-1]
        client.send(flush=True)
        client.turn_end = client.until("session_closed")
    assert started["text"] == "This sentence is complete." and started.at - sent < 4
    return shown(started), f"after {milliseconds(started.at - sent)}"


@statement("chunks-end-with-sentences",
           "000 What triggers synthesis / 000 Who is responsible for what",
           "Chunks end at sentence ends.")
def check_sentence_ends(world):
    texts = story(world).texts
    assert len(texts) > 1 and all(text.endswith(".") for text in texts), texts
    return f"{len(texts)} chunks, each ends with a full stop"


@statement("chunks-hold-all-text", "000 What triggers synthesis",
           "The chunks of a turn contain its whole text: nothing is lost, nothing is repeated.")
def check_all_text(world):
    assert " ".join(story(world).texts) == STORY, story(world).texts
    return f"{len(STORY)} characters"


@statement("tokens-are-reassembled", "000 What triggers synthesis / 001 Protocol / 003 Protocol",
           "The end of a message is not a boundary: tokens are joined to the sentence that they are "
           "parts of.")
def check_tokens(world):
    with world.speaking(flush_timeout_ms=60000) as client:
        for token in ("Hel", "lo wor", "ld, h", "ow are", " you", "?"):
            client.send(text=token)
        client.send(flush=True)
        turn = client.turn()
    assert turn.texts == ["Hello world, how are you?"], turn.texts
    return repr(turn.texts)


@statement("message-end-after-abbreviation", "001 Protocol / 003 Protocol",
           "The end of a message after a full stop is not by itself the end of a sentence: the last "
           "word may be an abbreviation.")
def check_abbreviation(world):
    texts = back_to_back(world, "He works at Acme Inc.", " in Ohio.")
    assert texts == ["He works at Acme Inc. in Ohio."], texts
    return repr(texts)


@statement("message-end-after-sentence", "001 Protocol / 003 Protocol",
           "A message that is a complete sentence does not end it either, if the next message continues "
           "in lower case.",
           expected=DIFFERS,
           reason="A message that is a whole sentence of at least two words ends it, unless the sentence "
                  "is likely to go on, as after an abbreviation or within a quotation. Clients that send "
                  "sentences would otherwise wait for the next message before they hear anything.")
def check_whole_sentence(world):
    texts = back_to_back(world, "The meeting is on Monday.", " or so she said.")
    if texts != ["The meeting is on Monday. or so she said."]:
        raise Different(repr(texts))
    return repr(texts)


def back_to_back(world, *messages):
    """Chunks of messages of which all have been sent before the first is answered."""
    with world.speaking(flush_timeout_ms=60000, chunk_length_schedule=[5]) as client:
        for text in messages:
            client.protocol.send_text(json.dumps({"text": text}).encode())
        client.send(flush=True)
        return client.turn().texts


@statement("model-state-across-chunks",
           "000 What triggers synthesis / 000 Who is responsible for what",
           "Within a turn the model's state carries over: a sentence sounds different after "
           "another than alone (neural voices).", expected=DIFFERS,
           reason="The models of the neural voices have no state to carry over. The engine only "
                  "begins a sentence that follows another with a pause. An engine that keeps state "
                  "during a turn can (docs/worker-protocol.md).")
def check_model_state(world):
    """The sentence without its silent ends is compared: leveling may differ by a little."""
    alone, after = second_chunk(world, "neural", world.voice)
    pause = len(after) - len(alone)
    spoken = [audio_without_silence(audio) for audio in (alone, after)]
    if len(spoken[0]) == len(spoken[1]):
        raise Different(f"the sentence is as long as it is alone, after {pause // 2} samples of pause")
    return f"{len(after) // 2} samples as the second chunk, {len(alone) // 2} alone"


def audio_without_silence(audio):
    """16-bit samples up to the last and from the first that are louder than -60 dBFS."""
    samples = array.array("h", audio)
    loud = [i for i, sample in enumerate(samples) if abs(sample) > 32]
    return samples[loud[0]:loud[-1] + 1]


@statement("model-state-other-engines", "000 What triggers synthesis",
           "The same with voices of flite and eSpeak.", expected=DIFFERS,
           reason="These engines have no model and no state to carry over: they read each sentence "
                  "separately. A sentence is still read as a whole, so that its intonation is right.")
def check_no_model_state(world):
    """Where chunks meet, rounding may give a sample more or less.  eSpeak does not repeat a sentence
    exactly: it may be 10 ms longer or shorter each time, in a turn of its own as well."""
    same = []
    for engine, voice, tolerance in (("flite", 1073, 20), ("eSpeak", ESPEAK, 480)):
        alone, after = second_chunk(world, "main", voice)
        if abs(len(alone) - len(after)) <= 2 * tolerance:
            same.append(engine)
    if same == ["flite", "eSpeak"]:
        raise Different("with both, the second chunk is as long as the sentence alone")
    assert not same, f"{same[0]} has no state, the other has"
    return "with both, the second chunk is longer or shorter than the sentence alone"


def second_chunk(world, server, voice):
    """(audio of a sentence alone, audio of it as a second chunk)."""
    world.ours("needs to know which engine speaks")
    settings = {"auto_mode": True, "temperature": 0}
    with world.speaking(server, voice=voice, **settings) as client:
        alone = client.say("He said nothing more.")
        both = client.say("Is that all of it? He said nothing more.")
    assert len(both.texts) == 2, both.texts
    return alone.audio, both.audio[2 * both.chunk_samples[0]:]
