"""/ws/tts/stream: tokens as a language model gives them, then a flush.  Prints `final` and
`session_closed`; writes `audio`."""

import asyncio
import base64
import json
import os
import re
import sys

import websockets


async def main(voice, text):
    uri = f"{os.environ['SYRINX_URL'].replace('http', 'ws', 1)}/ws/tts/stream"
    async with websockets.connect(f"{uri}?api_key={os.environ['SYRINX_KEY']}") as socket:
        await socket.send(json.dumps({"voice_id": int(voice), "model_id": "kugel-3"}))
        for token in re.findall(r"\S+\s*", text):
            await socket.send(json.dumps({"text": token}))
        await socket.send(json.dumps({"flush": True}))
        await socket.send(json.dumps({"close_socket": True}))
        last = []
        with open("audio", "wb") as file:
            async for message in socket:
                frame = json.loads(message)
                if "error" in frame:
                    raise SystemExit(frame["error"])
                if "audio" in frame:
                    file.write(base64.b64decode(frame["audio"]))
                if frame.get("final") or frame.get("session_closed"):
                    last.append(frame)
        print(json.dumps({"last": last, "code": socket.close_code}))


asyncio.run(main(*sys.argv[1:3]))
