"""/ws/tts/multi: two contexts on one socket, spoken at the same time.  Prints what closed them;
writes audio.CONTEXT."""

import asyncio
import base64
import json
import os
import sys

import websockets

CONTEXTS = ["one", "two"]


async def main(voice, text):
    uri = f"{os.environ['SYRINX_URL'].replace('http', 'ws', 1)}/ws/tts/multi"
    audio = {context: b"" for context in CONTEXTS}
    closed = {}
    async with websockets.connect(f"{uri}?api_key={os.environ['SYRINX_KEY']}") as socket:
        for context in CONTEXTS:
            await socket.send(json.dumps({"text": " ", "context_id": context,
                                          "voice_settings": {"voice_id": int(voice)}}))
            await socket.send(json.dumps({"text": text, "context_id": context, "flush": True}))
        for context in CONTEXTS:
            await socket.send(json.dumps({"close_context": True, "context_id": context}))
        async for message in socket:
            frame = json.loads(message)
            if "error" in frame:
                raise SystemExit(frame["error"])
            if "audio" in frame:
                audio[frame["context_id"]] += base64.b64decode(frame["audio"])
            if frame.get("context_closed"):
                closed[frame["context_id"]] = frame
            if len(closed) == len(CONTEXTS):
                break
        await socket.send(json.dumps({"close_socket": True}))
        await socket.wait_closed()
    for context in CONTEXTS:
        with open("audio." + context, "wb") as file:
            file.write(audio[context])
    print(json.dumps({"closed": closed, "code": socket.close_code}))


asyncio.run(main(*sys.argv[1:3]))
