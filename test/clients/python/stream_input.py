"""ElevenLabs' stream-input with the key in the first message, text cut at its ends and the answer
read meanwhile.  Prints the alignments and the close code; writes `audio`."""

import asyncio
import base64
import json
import os
import sys

import websockets


async def chunks(text):
    """Pieces that end with a blank, none in the middle of a word."""
    for word in text.split():
        yield word + " "


async def listen(socket):
    alignments = []
    is_final = False
    with open("audio", "wb") as file:
        async for message in socket:
            frame = json.loads(message)
            if frame.get("audio"):
                file.write(base64.b64decode(frame["audio"]))
            if frame.get("alignment"):
                alignments.append(frame["alignment"])
            if frame.get("message"):
                raise SystemExit(frame["message"])
            is_final = is_final or bool(frame.get("isFinal"))
    return {"alignments": alignments, "is_final": is_final, "code": socket.close_code}


async def main(voice, text, output_format):
    server = os.environ["SYRINX_URL"].replace("http", "ws", 1)
    uri = (f"{server}/v1/text-to-speech/{voice}/stream-input"
           f"?model_id=eleven_flash_v2_5&output_format={output_format}")
    async with websockets.connect(uri) as socket:
        await socket.send(json.dumps({
            "text": " ",
            "voice_settings": {"stability": 0.5, "similarity_boost": 0.8},
            "xi_api_key": os.environ["SYRINX_KEY"],
        }))
        listener = asyncio.create_task(listen(socket))
        async for piece in chunks(text):
            await socket.send(json.dumps({"text": piece, "try_trigger_generation": True}))
        await socket.send(json.dumps({"text": ""}))
        print(json.dumps(await listener))


asyncio.run(main(*sys.argv[1:4]))
