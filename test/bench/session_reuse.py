#!/usr/bin/python3
"""How often a second turn on a reused session is heard, when the session is that of KugelAudio's
Python SDK (test/clients/python/kugelaudio_session.py) and the machine is busy.

    test/bench/session_reuse.py                   200 runs
    test/bench/session_reuse.py --runs 20 --build build-test

A run is one connection with two turns in two voices.  The first is flushed.  The second is only sent,
so that it is heard only if the server answers within the 50 ms for which the SDK listens, and its audio
is complete only if the client does not stop before the last frame.  --patient S listens for S seconds
instead: then the report says how many would have been heard.  One process per processor counts
in a loop meanwhile; they end with this program, or by themselves after two hours.

Uses the neural voices if they can be fetched, else those of flite; prints which.  Prints how many runs
heard all of the second turn (what session_closed says its length is), a part of it, or nothing, and
how long the first frame took.  The exit status is 1 if more runs lost audio than --allow permits.  The
default is 2 in 200 runs, and in proportion for other numbers of runs, rounded up: the SDK gives up after
50 ms, and the scheduler of a busy machine can be that late.
"""

import argparse
import asyncio
import math
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE.parent / "clients/python")]

from kugelaudio_session import FIRST_FRAME_S, Session  # found by the line above

FIRST_VOICE, SECOND_VOICE = 1071, 1072
FIRST_TEXT, SECOND_TEXT = "Hello from voice one.", "Hello from voice two."
BURNER_S = 2 * 3600
ALLOWED_SHARE = 2 / 200  # of the runs may lose audio to the scheduler
QUIET_S = 0.5  # after chunk_complete: the SDK waits longer, which changes nothing for one sentence


def start_burners():
    program = f"import time\nend = time.monotonic() + {BURNER_S}\nwhile time.monotonic() < end: pass"
    return [subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.DEVNULL)
            for _ in range(os.cpu_count())]


def stop_burners(burners):
    for burner in burners:
        burner.send_signal(signal.SIGKILL)
        burner.wait()


def find_voices(build):
    """The folder of neural voices, or None."""
    done = subprocess.run([SOURCE / "tools/test-voices", build / "syrinx"], capture_output=True,
                          text=True, timeout=600, check=False)
    if done.returncode != 0:
        print("no neural voices:", done.stderr.strip())
        return None
    return done.stdout.strip()


async def run_once(url, key, patience_s):
    """Samples heard of the second turn, samples that it had, and seconds until the first frame."""
    async with Session(url, key, first_frame_s=patience_s, next_chunk_s=QUIET_S,
                       voice_id=FIRST_VOICE) as session:
        await session.send(FIRST_TEXT)
        await session.flush()
        await session.end_session()
        session.update_config(voice_id=SECOND_VOICE)
        heard = sum([chunk.samples async for chunk in session.send(SECOND_TEXT)])
        first = session.first_frame_after_s
        closed = await session.close()
    return heard, round(closed["total_audio_seconds"] * 24000), first


def report(runs, allowed):
    """Prints the results; true if at most `allowed` runs lost audio."""
    whole = [run for run in runs if run[0] == run[1] > 0]
    nothing = [run for run in runs if run[0] == 0]
    print(f"{len(runs)} runs: {len(whole)} heard the whole second turn, "
          f"{len(runs) - len(whole) - len(nothing)} a part of it, {len(nothing)} nothing")
    firsts = sorted(first * 1000 for _, _, first in runs if first is not None)
    if firsts:
        print(f"first frame after send: p50 {statistics.median(firsts):.1f} ms, "
              f"p99 {firsts[int(len(firsts) * 0.99)]:.1f} ms, most {firsts[-1]:.1f} ms; "
              f"{sum(first <= FIRST_FRAME_S * 1000 for first in firsts)} within 50 ms")
    print(f"load average: {os.getloadavg()[0]:.1f}")
    lost = len(runs) - len(whole)
    print(f"{lost} lost audio; {allowed} may")
    return lost <= allowed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--allow", type=int, metavar="N", help="runs that may lose audio")
    parser.add_argument("--patient", type=float, metavar="S")
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    options = parser.parse_args()
    build = options.build.resolve()
    os.environ["SYRINX_BUILD"] = str(build)
    import program  # needs to know the build

    program.become_subreaper()
    voices = find_voices(build)
    with tempfile.TemporaryDirectory() as directory:
        settings = {"voices": voices} if voices else {}
        server = program.Server(pathlib.Path(directory), settings)
        if voices:
            server.wait_for_log(r"vits: \d+ new speakers")
        burners = start_burners()
        program.companions.update(burner.pid for burner in burners)
        try:
            url = f"http://127.0.0.1:{server.port}"
            patience_s = options.patient or FIRST_FRAME_S
            runs = [asyncio.run(run_once(url, server.key, patience_s))
                    for _ in range(options.runs)]
        finally:
            stop_burners(burners)
            server.stop()
    print("voices:", "neural" if voices else "flite")
    allowed = math.ceil(options.runs * ALLOWED_SHARE) if options.allow is None else options.allow
    return 0 if report(runs, allowed) else 1


sys.exit(main())
