"""one_voice.py HOST:PORT KEY VOICE: speaks one sentence again and again, until standard input ends.

It connects again when it is told to (1012, 1013), finds nobody there, or its connection ends between two
turns: that is how restarts and upgrades look to clients.  Prints, as JSON, how many turns were spoken,
every error that the server sent, and how many different sounds were heard.  Uses nothing but Debian's
python3-websockets.
"""

import asyncio
import base64
import hashlib
import json
import sys

import websockets

TEXT = "The weather is lovely this day."
COME_BACK = {1012, 1013}
PAUSE_S = 0.05


async def speak(socket, voice, seen):
    await socket.send(json.dumps({"voice_id": voice, "text": TEXT, "flush": True}))
    sound = hashlib.sha256()
    async for message in socket:
        frame = json.loads(message)
        if "error" in frame:
            seen["errors"].append(frame)
        if "audio" in frame:
            sound.update(base64.b64decode(frame["audio"]))
        if frame.get("session_closed"):
            seen["turns"] += 1
            seen["sounds"].add(sound.hexdigest())
            return
    raise websockets.ConnectionClosedError(None, None)


async def call(address, key, voice, seen):
    """One connection, for as long as it lasts."""
    speaks = False
    try:
        async with websockets.connect(f"ws://{address}/ws/tts/stream?api_key={key}",
                                      open_timeout=60) as socket:
            while True:
                speaks = True
                await speak(socket, voice, seen)
                speaks = False
                await asyncio.sleep(PAUSE_S)
    except websockets.ConnectionClosed as closed:
        code = closed.rcvd.code if closed.rcvd else None
        if speaks and code not in COME_BACK:
            seen["errors"].append(f"closed with {code}")
    except (OSError, websockets.InvalidMessage):
        pass  # nobody was there


async def callers(address, key, voice, seen):
    while True:
        await call(address, key, voice, seen)
        await asyncio.sleep(PAUSE_S)


async def main():
    address, key, voice = sys.argv[1:]
    seen = {"turns": 0, "errors": [], "sounds": set()}
    calling = asyncio.create_task(callers(address, key, int(voice), seen))
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    calling.cancel()
    print(json.dumps(seen | {"sounds": len(seen["sounds"])}))


asyncio.run(main())
