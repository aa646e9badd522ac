// livekit.mjs CASE: LiveKit's ElevenLabs plug-in, without a room, with another base URL.
//
// SYRINX_URL and SYRINX_KEY say where and who.  Audio is written to the file `audio` as PCM, what
// else came is printed as JSON.
import { writeFile } from "node:fs/promises";
import { initializeLogger } from "@livekit/agents";
import { TTS } from "@livekit/agents-plugin-elevenlabs";

initializeLogger({ pretty: false, level: "fatal" });

const [action, voiceId, text] = process.argv.slice(2);
const tts = new TTS({
	baseURL: process.env.SYRINX_URL + "/v1",
	apiKey: process.env.SYRINX_KEY,
	voiceId,
});

function bytes({ data }) {
	return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

// One utterance over the socket, which the plug-in keeps for the next.
async function say() {
	const stream = tts.stream();
	const audio = [];
	const words = [];
	for (const word of text.match(/\S+\s*/g)) stream.pushText(word);
	stream.endInput();
	for await (const event of stream) {
		if (typeof event === "symbol") break;
		audio.push(bytes(event.frame));
		words.push(...(event.timedTranscripts ?? []).map((w) => [w.text, w.startTime, w.endTime]));
	}
	stream.close();
	return { audio: Buffer.concat(audio), words };
}

const cases = {
	async stream() {
		const { audio, words } = await say();
		await writeFile("audio", audio);
		return { sampleRate: tts.sampleRate, words };
	},

	async twice() {
		const first = await say();
		const second = await say();
		await writeFile("audio", second.audio);
		return { sampleRate: tts.sampleRate, firstBytes: first.audio.length };
	},

	async synthesize() {
		const audio = [];
		for await (const event of tts.synthesize(text)) audio.push(bytes(event.frame));
		await writeFile("audio", Buffer.concat(audio));
		return { sampleRate: tts.sampleRate };
	},

	// Speech that nobody wants any more: the socket must be as good as before.
	async bargeIn() {
		const stream = tts.stream();
		stream.pushText((text + " ").repeat(40));
		stream.endInput();
		await stream.next();
		stream.close();
		const { audio } = await say();
		await writeFile("audio", audio);
		return { sampleRate: tts.sampleRate };
	},

	voices: () => tts.listVoices(),
};

console.log(JSON.stringify(await cases[action]()));
await tts.close();
process.exit(0);
