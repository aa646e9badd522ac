#!/usr/bin/python3
"""Where texts are cut when they come as a language model sends them, with simulated time.

    test/bench/token_replay.py                       every corpus, rate and way, in about a minute
    test/bench/token_replay.py --show                also prints each wrong cut

Two corpora, the answers of answers.txt and the golden cases of the chunker's test (which are there to
be difficult), are split by the tokenizers of real models (test/clients/tokens), and at spaces, as
clients do that send words.  The pieces are given to the chunker (chunker_replay.c) at 20 to 100 tokens
a second; the time between two is the mean plus or minus up to its half, and for one piece in fifty
three times as long.  The seed is fixed.  A cut is wrong if the whole text, given at once, is not cut
there; places are counted in letters and digits, so that a closing quote that comes late is not an error.

Compared are: 60 ms for every sentence end, with no regard to the ends of messages; the ends of messages,
and 35 ms for every sentence end that they do not confirm; and what the chunker does, with 100 ms for
the doubtful ones of these.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
TOKENIZERS = ("o200k_base", "cl100k_base")
RATES = (20, 30, 50, 100)
ROUNDS = 5
SEED = 1

Text = collections.namedtuple("Text", "language text")
Way = collections.namedtuple("Way", "name confirm_ms doubt_ms messages")
HEADER = (SOURCE / "src/text/chunker.h").read_text()
NOW_MS = [int(re.search(rf"{name} (\d+)", HEADER)[1])
          for name in ("CHUNKER_CONFIRM_MS", "CHUNKER_DOUBT_MS")]
WAYS = (Way("60 ms, no messages", 60, 60, "pieces"),
        Way(f"{NOW_MS[0]} ms, messages", NOW_MS[0], NOW_MS[0], "whole"),
        Way(f"now: {NOW_MS[0]} or {NOW_MS[1]} ms, messages", *NOW_MS, "whole"))


def escape(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace(" ", "\\s")


def unescape(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "s": " ", "t": "\t", "r": "\r"}.get(m[1], m[1]), text)


def read_answers():
    texts, language = [], "en"
    for line in (HERE / "answers.txt").read_text().splitlines():
        if line.startswith("language "):
            language = line.split()[1]
        elif line and not line.startswith("#"):
            texts.append(Text(language, line))
    return texts


def read_golden():
    """Cases without steps in time, and without markup."""
    texts = []
    for path in sorted((SOURCE / "test/unit/text/chunks").glob("*.txt")):
        language = ""
        for case in re.split(r"(?m)^(?:= |(?=language ))", path.read_text()):
            if case.startswith("language "):
                language = case.split()[1]
            feeds = re.findall(r"(?m)^< (.*)$", case)
            if feeds and not re.search(r"(?m)^(\||max )", case) and "<" not in "".join(feeds):
                texts.append(Text(language, unescape("".join(feeds))))
    return texts


def tokenize(texts, tokenizer):
    done = subprocess.run([SOURCE / "test/clients/install", "tokens"], capture_output=True, text=True,
                          timeout=600, check=False)
    if done.returncode != 0:
        raise SystemExit(f"no tokenizers: {done.stderr.strip()}")
    folder = pathlib.Path(done.stdout.strip()).parent
    script = (HERE.parent / "clients/tokens/tokens.mjs").read_text()
    (folder / f"tokens.{os.getpid()}.mjs").write_text(script)
    try:
        done = subprocess.run(["node", f"tokens.{os.getpid()}.mjs", tokenizer], cwd=folder, timeout=600,
                              input=json.dumps([t.text for t in texts]), capture_output=True,
                              text=True, check=True)
    finally:
        (folder / f"tokens.{os.getpid()}.mjs").unlink()
    return json.loads(done.stdout)


def split_words(texts):
    return [re.findall(r"\S+\s*|^\s+", text.text) for text in texts]


def gaps(count, rate, dice):
    """When pieces come, in microseconds."""
    at, times = 0.0, []
    for _ in range(count):
        times.append(round(at * 1e6))
        at += dice.uniform(0.5, 1.5) / rate * (3 if dice.random() < 0.02 else 1)
    return times


def replay(program, way, timed):
    """The chunks of each text, as (microseconds, text)."""
    lines = []
    for language, pieces in timed:
        lines += [f"language {language}"] + [f"at {at} {escape(piece)}" for at, piece in pieces] + ["end"]
    command = [program, str(way.confirm_ms), str(way.doubt_ms), way.messages]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True,
                          check=True)
    texts, chunks = [], []
    for line in done.stdout.splitlines():
        if line == "end":
            texts.append(chunks)
            chunks = []
        else:
            _, at, text = line.split(" ", 2)
            chunks.append((int(at), unescape(text)))
    return texts


def spoken(text):
    return sum(c.isalnum() for c in text)


def cuts(chunks):
    """Where chunks end, in letters and digits, and when each was ready."""
    at, places = 0, {}
    for time, text in chunks:
        at += spoken(text)
        places[at] = time
    return places


def arrivals(pieces):
    """When the text up to so many letters and digits, and the stop after them, was there."""
    at, times = 0, {}
    for time, piece in pieces:
        at += spoken(piece)
        if at not in times or re.match(r"[.!?…。]", piece):
            times[at] = time
    return times


Count = collections.namedtuple("Count", "sentences wrong delays")


def compare(program, way, texts, splits, rate, show):
    dice = random.Random(SEED)
    whole = replay(program, WAYS[0], [(t.language, [(0, t.text)]) for t in texts])
    sentences, wrong, delays = 0, 0, []
    for _ in range(ROUNDS):
        timed = [(t.language, list(zip(gaps(len(s), rate, dice), s))) for t, s in zip(texts, splits)]
        for text, right, got, (_, pieces) in zip(texts, whole, replay(program, way, timed), timed):
            golden, found, there = cuts(right), cuts(got), arrivals(pieces)
            sentences += len(golden)
            bad = sorted(set(found) - set(golden))
            wrong += len(bad)
            if bad and show:
                print(f"   {rate}/s {text.language}", [chunk for _, chunk in got])
            delays += [found[at] - there[at] for at in golden
                       if at in found and at in there and at != max(golden)]
    return Count(sentences, wrong, delays)


def print_table(program, name, texts, show):
    splits = {tokenizer: tokenize(texts, tokenizer) for tokenizer in TOKENIZERS}
    splits["words"] = split_words(texts)
    print(f"{name}: {len(texts)} texts, {ROUNDS} rounds each")
    for split, pieces in splits.items():
        for rate in RATES:
            row = []
            for way in WAYS:
                count = compare(program, way, texts, pieces, rate, show)
                delay = statistics.mean(count.delays) / 1000 if count.delays else 0
                row.append(f"{count.wrong} wrong, {delay:.0f} ms")
            print(f"  {split:12} {rate:3}/s, {count.sentences} sentences: ",
                  "  ->  ".join(f"{cell:>17}" for cell in row))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    program = options.build.resolve() / "chunker-replay"
    if not program.exists():
        raise SystemExit(f"{program} is not built: ninja -C {options.build} chunker-replay")
    print("columns:", "  ->  ".join(way.name for way in WAYS),
          "(wrong cuts; mean time from a sentence's last piece until it can be spoken)")
    print_table(program, "answers", read_answers(), options.show)
    print_table(program, "golden cases", read_golden(), options.show)


sys.exit(main())
