"""Folders of neural voices for tests, and what is measured of their speech.

The real model is used in the plain build alone: the runtime is not built with
a sanitizer, so a sanitized engine learns nothing from it that the tiny voice
does not show, and needs ten times as long.  There a tiny voice stands in for
it, under its name and with its speakers, so that the same ids are spoken.
"""

import array
import json
import math
import os
import shutil
import subprocess

from program import SANITIZER, SOURCE, WAIT_S

RUNTIME = "libonnxruntime.so"
MODEL = "libritts.onnx"
FILES = (RUNTIME, MODEL, MODEL + ".json")

# What the install step calls the speakers: two that flite speaks where no model
# is, and those that nobody else speaks.
SHARED = {1071: "sally", 1072: "ross"}
ONLY_NEURAL = {1081: "clara", 1082: "emma", 1083: "grace", 1084: "hannah", 1085: "julia",
               1086: "arthur", 1087: "daniel", 1088: "edward", 1089: "henry", 1090: "oliver"}
IDS = sorted(SHARED | ONLY_NEURAL)

# For tests that compare the samples of several turns.
REPEATABLE = {"speech.repeatable": "on"}

HAS_REAL_MODEL = SANITIZER == "none"

# A sentence of 31 characters, and one that takes the decoder many windows.
SHORT = "The weather is lovely this day."
LONG = ("When the sunlight strikes raindrops in the air, they act like a prism and form a rainbow, "
        "which is a division of white light into many beautiful colours.")


def make_tiny(path, *options):
    """A voice with random weights."""
    subprocess.run([SOURCE / "tools/tiny-voice", *options, path], check=True, timeout=WAIT_S)
    return path


def change_json(model, **members):
    """Sets members of the JSON beside a model."""
    path = model.with_name(model.name + ".json")
    path.write_text(json.dumps(json.loads(path.read_text()) | members))


def make_stand_in(folder):
    """A tiny voice that is called as the real model is."""
    model = make_tiny(folder / MODEL)
    names = list((SHARED | ONLY_NEURAL).values())
    change_json(model, syrinx={"family": "vits", "licence": "of a test", "speakers": [
        {"name": name, "title": name.title(), "speaker": i % 4, "sex": "female", "gain_db": 0}
        for i, name in enumerate(names)]})


def put(source, folder, name=None):
    """As it should be done: the file is whole when it gets its name."""
    path = folder / (name or source.name)
    part = path.with_name(path.name + ".part")
    shutil.copyfile(source, part)
    os.rename(part, path)
    return path


def put_all(source, folder):
    for name in (RUNTIME, MODEL + ".json", MODEL):
        put(source / name, folder)


def wait_for_voices(server):
    """A server does not wait for ever for a model that is loaded on a busy machine."""
    server.wait_for_log(r"vits: \d+ new speakers")
    return server


# Measures; samples are of 16 bits.

def decibels(power):
    return 10 * math.log10(power) if power > 0 else -120.0


def block_levels(pcm, rate, milliseconds=10):
    """Of each block, against full scale."""
    size = rate * milliseconds // 1000
    return [decibels(sum(x * x for x in pcm[i:i + size]) / size / 32768 ** 2)
            for i in range(0, len(pcm) - size + 1, size)]


def active_level(pcm, rate):
    """Of the speech without its pauses: blocks at most 25 dB below the loudest."""
    levels = block_levels(pcm, rate, 20)
    active = [level for level in levels if level > max(levels) - 25]
    return decibels(sum(10 ** (level / 10) for level in active) / len(active))


def silence_around(pcm, rate, silent_db=-50):
    """Milliseconds before the first sound and after the last."""
    levels = block_levels(pcm, rate)
    sounds = [i for i, level in enumerate(levels) if level > silent_db]
    assert sounds, "nothing but silence"
    return 10 * sounds[0], 10 * (len(levels) - 1 - sounds[-1])


def find_clicks(pcm, times=4.0, reach=30, floor=400):
    """Where the signal bends much more sharply than anywhere around: a sample that
    does not continue what was before it.  Speech has sharp bends, never a single one."""
    bends = [abs(a - 2 * b + c) for a, b, c in zip(pcm, pcm[1:], pcm[2:])]
    clicks = []
    for i in (i for i, bend in enumerate(bends) if bend > floor):
        around = bends[max(0, i - reach):max(0, i - 2)] + bends[i + 3:i + reach]
        if around and bends[i] > times * max(around):
            clicks.append(i + 1)
    return clicks


def chunks_of(turn):
    """The samples of each chunk."""
    pcm, out, at = turn.pcm(), [], 0
    for count in turn.chunk_samples:
        out.append(array.array("h", pcm[at:at + count]))
        at += count
    return out
