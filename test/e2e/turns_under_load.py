"""turns_under_load.py HOST:PORT KEY SECONDS: turns on ten connections at a time, for so long.

Counts those that were spoken whole and those that were cut, and prints both.  A connection that is
told to come back (1012, 1013) does so: that is how a restart looks to clients.  Uses nothing but
Debian's python3-websockets, so that it runs anywhere.
"""

import asyncio
import json
import sys
import time

import websockets

CONNECTIONS = 10
TEXT = "One two three four five six seven eight nine ten. "
COME_BACK = {1012, 1013}
PATIENCE_S = 60  # for a handshake on a busy machine


async def speak(socket):
    """One turn; True when it was whole."""
    await socket.send(json.dumps({"voice_id": 2003, "text": TEXT, "flush": True}))
    samples = 0
    async for message in socket:
        frame = json.loads(message)
        samples += frame.get("samples", 0)
        if "error" in frame:
            return False
        if frame.get("session_closed"):
            return samples > 24000 and abs(frame["usage"]["audio_seconds"] - samples / 24000) < 1e-6
    raise websockets.ConnectionClosedError(None, None)


async def caller(address, key, end, count):
    while time.monotonic() < end:
        begun = False
        try:
            async with websockets.connect(f"ws://{address}/ws/tts/stream?api_key={key}",
                                          open_timeout=PATIENCE_S) as socket:
                while time.monotonic() < end:
                    begun = True
                    count["whole" if await speak(socket) else "cut"] += 1
                    begun = False
                    await asyncio.sleep(0.05)
        except websockets.ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd else None
            # Between two turns it may go; a text that crossed its close was never begun.
            if begun and code not in COME_BACK:
                count["cut"] += 1
            await asyncio.sleep(0.05)
        except (ConnectionResetError, websockets.InvalidMessage):
            count["reset"] += 1
            await asyncio.sleep(0.05)
        except OSError:
            count["refused"] += 1
            await asyncio.sleep(0.05)


async def main():
    address, key, seconds = sys.argv[1:]
    end = time.monotonic() + float(seconds)
    count = {"whole": 0, "cut": 0, "refused": 0, "reset": 0}
    await asyncio.gather(*(caller(address, key, end, count) for _ in range(CONNECTIONS)))
    print(f"{count['whole']} turns whole, {count['cut']} cut, {count['refused']} refused, "
          f"{count['reset']} reset")
    is_good = count["whole"] and not (count["cut"] or count["refused"] or count["reset"])
    sys.exit(0 if is_good else 1)


asyncio.run(main())
