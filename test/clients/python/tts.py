"""/ws/tts: one request, its audio, `final`.  Prints `final` and the words; writes `audio`."""

import asyncio
import base64
import json
import os
import sys

import websockets


async def main(voice, text):
    uri = f"{os.environ['SYRINX_URL'].replace('http', 'ws', 1)}/ws/tts"
    async with websockets.connect(f"{uri}?api_key={os.environ['SYRINX_KEY']}") as socket:
        await socket.send(json.dumps({"text": text, "voice_id": int(voice), "model_id": "kugel-3",
                                      "word_timestamps": True}))
        words = []
        with open("audio", "wb") as file:
            async for message in socket:
                frame = json.loads(message)
                if "error" in frame:
                    raise SystemExit(frame["error"])
                if "audio" in frame:
                    file.write(base64.b64decode(frame["audio"]))
                if "word_timestamps" in frame:
                    words += frame["word_timestamps"]
                if frame.get("final"):
                    break
    print(json.dumps({"final": frame, "words": words}))


asyncio.run(main(*sys.argv[1:3]))
