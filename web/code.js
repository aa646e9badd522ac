// The same turn as code to paste.  Values go in as JSON, which all three languages read.

function settingsOf({voice, language, speed, format}) {
  const settings = {voice_id: Number(voice), output_format: format};
  if (language) settings.language = language;
  if (speed !== 1) settings.speed = speed;
  return settings;
}

function python(wish) {
  const settings = JSON.stringify(settingsOf(wish));
  return `import asyncio, base64, json, websockets

async def main():
    async with websockets.connect("${wish.socket}/ws/tts/stream?api_key=${wish.key}") as ws:
        await ws.send(json.dumps(${settings}))
        await ws.send(json.dumps({"text": ${JSON.stringify(wish.text)}}))
        await ws.send('{"flush": true}')
        audio = b""
        async for message in ws:
            frame = json.loads(message)
            if "audio" in frame:
                audio += base64.b64decode(frame["audio"])
            if "error" in frame:
                raise SystemExit(frame["error"])
            if frame.get("session_closed"):
                break
    open("speech.raw", "wb").write(audio)
    print(frame["usage"])

asyncio.run(main())
`;
}

function javascript(wish) {
  return `import WebSocket from "ws";
import { writeFileSync } from "node:fs";

const audio = [];
const ws = new WebSocket("${wish.socket}/ws/tts/stream?api_key=${wish.key}");
ws.on("open", () => {
  ws.send(JSON.stringify(${JSON.stringify(settingsOf(wish))}));
  ws.send(JSON.stringify({ text: ${JSON.stringify(wish.text)} }));
  ws.send(JSON.stringify({ flush: true }));
});
ws.on("message", (data) => {
  const frame = JSON.parse(data);
  if (frame.audio) audio.push(Buffer.from(frame.audio, "base64"));
  if (frame.error) throw new Error(frame.error);
  if (frame.session_closed) {
    writeFileSync("speech.raw", Buffer.concat(audio));
    console.log(frame.usage);
    ws.close();
  }
});
`;
}

// For a POSIX shell: inside single quotes only the quote itself is special.
function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

// A file that can be played where that can be had; µ-law and A-law come as they are.
function curl(wish) {
  const {output_format: format, ...settings} = settingsOf(wish);
  const isPcm = format.startsWith('pcm_');
  const sound = isPcm ? {sample_rate: Number(format.slice(4))} : {output_format: format};
  const body = JSON.stringify({text: wish.text, ...settings, ...sound});
  return `curl ${quote(`${wish.http}/v1/tts/generate`)} \\
  -H ${quote(`X-API-Key: ${wish.key}`)} -H 'Content-Type: application/json'${isPcm ? ` -H 'Accept: audio/wav'` : ''} \\
  -d ${quote(body)} -o ${isPcm ? 'speech.wav' : 'speech.raw'}
`;
}

const LANGUAGES = {python, javascript, curl};

// wish: {text, voice, language, speed, format, key}
export function codeFor(language, wish) {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
  return LANGUAGES[language]({...wish, socket: `${scheme}//${location.host}`, http: location.origin, key: wish.key || 'KEY'});
}
