"""The voices folder of a running server: voices that come and go, and files that are none."""

import os
import pathlib
import random
import re
import select
import shutil
import subprocess

import pytest
from client import Client, Turn, is_speech, now
from neural import (MODEL, REPEATABLE, RUNTIME, change_json, make_stand_in, make_tiny, put, put_all,
                    wait_for_voices)
from program import BUILD, SANITIZER, WAIT_S, syrinx, wait_until

HELLO = "Hello there."


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "voices"
    folder.mkdir()
    return folder


@pytest.fixture
def runtime_folder(folder, runtime):
    """With the runtime and no voice."""
    (folder / RUNTIME).symlink_to(runtime)
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A model with one speaker."""
    return make_tiny(tmp_path_factory.mktemp("tiny") / "tiny.onnx", "--speakers", "1")


def put_tiny(tiny, folder, name="tiny"):
    put(tiny.with_name("tiny.onnx.json"), folder, name + ".onnx.json")
    return put(tiny, folder, name + ".onnx")


def neural_ids(folder):
    """Ids of the voices that `syrinx voices` lists for the engine, by name."""
    lines = syrinx("voices", "--voices", folder).stdout.decode().split("\n\n")[0].splitlines()
    rows = [line.split(None, 5) for line in lines[1:]]
    return {row[5]: int(row[0]) for row in rows if row[4] == "vits"}


def say(server, voice, text=HELLO):
    with Client(server) as client:
        return client.speak(text, voice_id=voice)


def keep_open(client, condition):
    """Waits, and says enough meanwhile that its turn does not end by itself."""
    wait_until(lambda: client.send(text=" ") or condition(), "the voices have changed")


def expect_unknown(server, voice):
    with Client(server) as client:
        client.send(voice_id=voice, text=HELLO, flush=True)
        client.expect_error(404, "NOT_FOUND")


def engine_starts(server):
    """Processes of the engine that are seen in some time: what a crash loop has many of."""
    seen, end = set(), now() + 0.3
    while now() < end or not seen:
        seen |= set(server.workers("vits"))
        select.select([], [], [], 0.005)
    return len(seen)


def warnings_of(server):
    return re.findall(r"(?m)^\S+ warn  speech: vits: (.*)$", server.log())


@pytest.fixture(scope="session")
def by_flite(tmp_path_factory):
    """What 1071 says where no neural voice is."""
    path = tmp_path_factory.mktemp("flite") / "out.wav"
    assert syrinx("say", HELLO, "--voice", "1071", "-o", path).returncode == 0
    return path.read_bytes()[44:]


# Voices that come and go

def test_voices_that_come_are_spoken_without_a_restart(start_server, spoken_voices, folder,
                                                       by_flite):
    server = start_server({"speech.voices_dir": folder})
    assert say(server, 1071).audio == by_flite
    expect_unknown(server, 1081)
    put_all(spoken_voices, folder)
    wait_for_voices(server)
    assert say(server, 1071).audio != by_flite
    assert is_speech(say(server, 1081).pcm())
    for name in (MODEL, MODEL + ".json"):
        (folder / name).unlink()
    server.wait_for_log(r"vits: 12 speakers gone")
    assert say(server, 1071).audio == by_flite
    expect_unknown(server, 1081)
    assert warnings_of(server) == []


def test_folder_need_not_be_there_at_the_start(start_server, tiny, runtime, tmp_path):
    later = tmp_path / "not" / "yet"
    server = start_server({"speech.voices_dir": later})
    later.mkdir(parents=True)
    put(runtime, later)
    put_tiny(tiny, later)
    wait_for_voices(server)
    (voice,) = neural_ids(later).values()
    assert is_speech(say(server, voice).pcm())


def test_turn_that_is_spoken_keeps_its_voice(start_server, runtime_folder, by_flite):
    server = start_server({"speech.voices_dir": runtime_folder})
    with Client(server) as client:
        want = client.speak(f"{HELLO} {HELLO}", voice_id=1071, auto_mode=True)
        client.send(voice_id=1071, text=HELLO + " ", auto_mode=True, flush_timeout_ms=0)
        turn = Turn()
        while not turn.frame_samples:
            turn.add(client.receive())
        make_stand_in(runtime_folder)
        keep_open(client, lambda: re.search(r"vits: \d+ new speakers", server.log()))
        client.send(text=HELLO, flush=True)
        client.read_turn(turn)
        assert (turn.texts, turn.audio) == (want.texts, want.audio)
        assert client.speak(HELLO).audio == by_flite  # as long as the connection lasts
    assert say(server, 1071).audio != by_flite


def test_turn_whose_voice_is_removed_ends(start_server, runtime_folder):
    """What was handed to the engine is spoken to its end; what comes later has nobody to speak it."""
    make_stand_in(runtime_folder)
    server = wait_for_voices(start_server(REPEATABLE | {"speech.voices_dir": runtime_folder}))
    want = say(server, 1081)
    with Client(server) as client:
        client.send(voice_id=1081, text=HELLO + " ", auto_mode=True, flush_timeout_ms=0)
        turn = Turn()
        while not turn.frame_samples:
            turn.add(client.receive())
        (runtime_folder / MODEL).unlink()
        keep_open(client, lambda: "vits: 12 speakers gone" in server.log())
        client.send(text=HELLO, flush=True)
        client.read_turn(turn)
        assert turn.audio[:len(want.audio)] == want.audio
        assert [error["error_code"] for error in turn.errors] == ["MODEL_UNAVAILABLE"]


def test_file_that_is_copied_slowly_is_spoken_when_it_is_whole(start_server, runtime_folder, tiny):
    server = start_server({"speech.voices_dir": runtime_folder})
    shutil.copyfile(tiny.with_name("tiny.onnx.json"), runtime_folder / "tiny.onnx.json")
    content = tiny.read_bytes()
    half = len(content) // 2
    with open(runtime_folder / "tiny.onnx", "wb") as file:
        file.write(content[:half])
        file.flush()
        wait_until(lambda: warnings_of(server), "half a file is refused")
        file.write(content[half:])
    wait_for_voices(server)
    assert len(warnings_of(server)) == 1
    (voice,) = neural_ids(runtime_folder).values()
    assert say(server, voice).samples > 0


def test_voice_that_is_dropped_in_has_the_same_id_everywhere(start_server, runtime_folder, tiny):
    put_tiny(tiny, runtime_folder, "amy")
    (voice,) = neural_ids(runtime_folder).values()
    server = wait_for_voices(start_server(REPEATABLE | {"speech.voices_dir": runtime_folder}))
    put_tiny(tiny, runtime_folder, "aaa")
    server.wait_for_log(r"(?s)vits: \d+ new.*vits: \d+ new")
    ids = neural_ids(runtime_folder)
    assert len(set(ids.values())) == 2 and voice in ids.values()
    assert len({say(server, id).audio for id in ids.values()}) == 2


def test_command_adds_and_removes_voices_of_a_running_server(start_server, runtime_folder, tiny):
    server = start_server({"speech.voices_dir": runtime_folder})
    assert syrinx("voices", "add", tiny, "--voices", runtime_folder).returncode == 0
    wait_for_voices(server)
    (voice,) = neural_ids(runtime_folder).values()
    assert say(server, voice).samples > 0
    assert syrinx("voices", "remove", "tiny", "--voices", runtime_folder).returncode == 0
    server.wait_for_log(r"vits: 1 speakers gone")
    expect_unknown(server, voice)


# Models that are none

def make_bad_models(folder, tiny):
    """One of each kind; gives their names."""
    content = tiny.read_bytes()
    noise = random.Random(1).randbytes(len(content))
    files = {"empty": b"", "one_byte": content[:1], "hundred": content[:100],
             "half": content[:len(content) // 2], "last_byte": content[:-1],
             "noise": noise, "noise_inside": content[:1000] + noise[1000:],
             "text": b"This is a letter to my aunt.\n" * 100,
             "program": pathlib.Path("/bin/true").read_bytes(),
             "family": content.replace(b"input_lengths", b"input_lengthz")}
    for name, bytes_of_it in files.items():
        put(tiny.with_name("tiny.onnx.json"), folder, name + ".onnx.json")
        (folder / (name + ".onnx")).write_bytes(bytes_of_it)
    texts = {"json_broken": '{"audio":', "json_empty": "", "json_list": "[]", "json_bare": "{}",
             "json_binary": "\0" * 100, "json_deep": "[" * 100000}
    for name, text in texts.items():
        put(tiny, folder, name + ".onnx")
        (folder / (name + ".onnx.json")).write_text(text)
    put(tiny, folder, "json_missing.onnx")
    (folder / "directory.onnx").mkdir()
    (folder / "nowhere.onnx").symlink_to("/nonexistent")
    (folder / "circle.onnx").symlink_to("circle.onnx")
    (folder / "device.onnx").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.onnx")
    put(tiny, folder, "json_pipe.onnx")
    os.mkfifo(folder / "json_pipe.onnx.json")
    with open(folder / "huge.onnx", "wb") as file:
        file.truncate(5 << 30)
    if os.geteuid() != 0:
        put_tiny(tiny, folder, "secret").chmod(0)
    return sorted(path.stem for path in folder.glob("*.onnx"))


def test_bad_models_are_told_once_and_the_others_speak(start_server, runtime_folder, tiny,
                                                       by_flite):
    bad = make_bad_models(runtime_folder, tiny)
    put_tiny(tiny, runtime_folder, "good")
    server = wait_for_voices(start_server({"speech.voices_dir": runtime_folder}))
    told = sorted(re.match(r"(\w+)\.onnx: .{8,}", line)[1] for line in warnings_of(server))
    assert told == bad
    done = syrinx("voices", "--voices", runtime_folder)
    assert done.returncode == 0
    listed = re.findall(r"(?m)^syrinx voices: (\w+)\.onnx: .{8,}$", done.stderr.decode())
    assert sorted(listed) == bad
    (voice,) = neural_ids(runtime_folder).values()
    assert is_speech(say(server, voice).pcm())
    assert say(server, 1071).audio == by_flite
    assert engine_starts(server) == 1 and "lost" not in server.log()


@pytest.mark.skipif(SANITIZER != "none", reason="built with a sanitizer: no real model")
@pytest.mark.parametrize("part", [0.01, 0.5, 0.999])
def test_real_model_that_was_cut_short_is_told(neural_voices, runtime_folder, part):
    content = (neural_voices / MODEL).read_bytes()
    (runtime_folder / MODEL).write_bytes(content[:int(len(content) * part)])
    put(neural_voices / (MODEL + ".json"), runtime_folder)
    done = syrinx("voices", "--voices", runtime_folder)
    assert done.returncode == 0 and re.search(MODEL + ": .{8,}", done.stderr.decode())
    assert neural_ids(runtime_folder) == {}


def test_phonemes_that_the_model_has_no_symbol_for_are_left_out(start_server, runtime_folder, tiny):
    model = put_tiny(tiny, runtime_folder)
    few = {symbol: [i] for i, symbol in enumerate("_^$ .aeiou")}
    change_json(model, phoneme_id_map=few)
    server = wait_for_voices(start_server({"speech.voices_dir": runtime_folder}))
    (voice,) = neural_ids(runtime_folder).values()
    turn = say(server, voice, "A strange sky over Avignon.")
    assert not turn.errors and turn.samples > 0
    assert not say(server, voice, "Shh. Psst.").errors
    assert engine_starts(server) == 1


# Runtimes that are none

OLD_RUNTIME = """
struct base { const void *(*get)(unsigned); const char *(*version)(void); };
static const void *get(unsigned version) { (void)version; return 0; }
static const char *version(void) { return "1.2.0"; }
static const struct base base = {get, version};
const struct base *OrtGetApiBase(void) { return &base; }
"""


def make_old_runtime(path, _):
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", path], check=True,
                   input=OLD_RUNTIME.encode(), timeout=60)


def cut_runtime(length):
    return lambda path, runtime: path.write_bytes(runtime.read_bytes()[:length])


def copy_libm(path, _):
    shutil.copyfile(next(pathlib.Path("/lib").glob("*-linux-gnu/libm.so.6")), path)


BAD_RUNTIMES = {
    "missing": lambda path, _: None,
    "of another library": copy_libm,
    "of an old version": make_old_runtime,
    "a text": lambda path, _: path.write_text("no library\n"),
    "empty": lambda path, _: path.write_bytes(b""),
    "a folder": lambda path, _: path.mkdir(),
    "a pipe": lambda path, _: os.mkfifo(path),
    "cut to a header": cut_runtime(100),
    "cut early": cut_runtime(1 << 20),
    "cut late": cut_runtime(26900000),
}


@pytest.mark.parametrize("kind", BAD_RUNTIMES)
def test_bad_runtime_is_told_and_the_other_engines_speak(start_server, folder, runtime, by_flite,
                                                         kind):
    make_stand_in(folder)
    BAD_RUNTIMES[kind](folder / RUNTIME, runtime)
    done = syrinx("voices", "--voices", folder)
    assert done.returncode == 0 and neural_ids(folder) == {}
    assert re.search(rf"(?m)^syrinx voices: {RUNTIME}: .{{8,}}$", done.stderr.decode())
    server = start_server({"speech.voices_dir": folder})
    server.wait_for_log("warn  speech: vits: " + RUNTIME)
    assert len(warnings_of(server)) == 1
    assert say(server, 1071).audio == by_flite
    expect_unknown(server, 1081)
    assert engine_starts(server) == 1 and "lost" not in server.log()
    if kind == "a folder":
        (folder / RUNTIME).rmdir()
    put(runtime, folder)
    wait_for_voices(server)
    assert say(server, 1071).audio != by_flite


# An engine that cannot go on

@pytest.fixture
def dying_engine(tmp_path, runtime_folder):
    """Engines, of which the neural one works while a file is there: (their folder, that file)."""
    directory, life = tmp_path / "engines", tmp_path / "voices" / "alive.txt"
    directory.mkdir()
    for name in ("syrinx-flite", "syrinx-tone"):
        (directory / name).symlink_to(BUILD / name)
    script = directory / "syrinx-vits"
    script.write_text(f'#!/bin/sh\n[ -e {life} ] || exit 1\nexec {BUILD}/syrinx-vits "$@"\n')
    script.chmod(0o755)
    make_stand_in(runtime_folder)
    life.write_text("")
    return directory, life


@pytest.mark.parametrize("fallback", ["on", "off"])
def test_voice_whose_engine_has_failed_is_spoken_by_another_or_refused(
        start_server, dying_engine, runtime_folder, by_flite, fallback):
    engines, life = dying_engine
    server = start_server({"speech.voices_dir": runtime_folder, "speech.engines_dir": engines,
                           "speech.engine_paths": BUILD / "syrinx-vits",
                           "speech.fallback": fallback,
                           "speech.start_timeout_ms": WAIT_S * 1000 if fallback == "on" else 2000})
    wait_for_voices(server)
    assert say(server, 1071).audio != by_flite
    life.unlink()
    for pid in server.workers("vits"):
        os.kill(pid, 9)
    server.wait_for_log("syrinx-vits does not start")
    with Client(server) as client:
        if fallback == "on":
            assert client.speak(HELLO, voice_id=1071).audio == by_flite
        else:
            (error,) = client.speak(HELLO, voice_id=1071).errors
            assert (error["code"], error["error_code"]) == (503, "MODEL_UNAVAILABLE")
    assert len(re.findall("worker of vits", server.log())) < 10
    life.write_text("")
    wait_until(lambda: speaks_neurally(server, by_flite), "the engine is back")


def speaks_neurally(server, by_flite):
    with Client(server) as client:
        client.send(voice_id=1071, text=HELLO, flush=True)
        turn = Turn()
        while not turn.closed and not turn.errors:
            turn.add(client.receive())
    return not turn.errors and turn.audio != by_flite


@pytest.mark.skipif(SANITIZER != "none", reason="built with a sanitizer, which needs address space")
@pytest.mark.parametrize("memory_mb", [160, 200])
def test_too_little_memory_is_told_and_the_other_engines_speak(start_server, neural_voices, folder,
                                                               by_flite, memory_mb):
    for name in (RUNTIME, MODEL, MODEL + ".json"):
        (folder / name).symlink_to(neural_voices / name)
    server = start_server({"speech.voices_dir": folder, "speech.neural_memory_mb": memory_mb})
    server.wait_for_log("warn  speech: vits: .*memory")
    assert say(server, 1071).audio == by_flite
    assert engine_starts(server) == 1
