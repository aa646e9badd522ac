"""kugelaudio_session.py as a voice agent uses it: a turn of tokens, one that is interrupted, one in a
single text.  Prints the usage of the complete ones; writes `audio0` and `audio1`."""

import asyncio
import json
import os
import re
import sys

from kugelaudio_session import Session


async def main(voice, text, long_text):
    usage = []
    async with Session(os.environ["SYRINX_URL"], os.environ["SYRINX_KEY"],
                       voice_id=int(voice)) as session:
        audio = b""
        for token in re.findall(r"\S+\s*", text):
            audio += b"".join([chunk.audio async for chunk in session.send(token)])
        audio += b"".join([chunk.audio async for chunk in session.flush()])
        usage.append(session.usage)
        with open("audio0", "wb") as file:
            file.write(audio)

        async for _ in session.send(long_text):
            break
        await session.cancel_current()

        chunks = await session.send(text, flush=True)
        usage.append(session.usage)
        with open("audio1", "wb") as file:
            file.write(b"".join(chunk.audio for chunk in chunks))
    print(json.dumps(usage))


asyncio.run(main(*sys.argv[1:4]))
