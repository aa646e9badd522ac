// livekit.mjs CASE [OPTIONS [TEXT]…]: LiveKit's plug-ins, without a room, with another base URL.
//
// SYRINX_URL and SYRINX_KEY say where and who; OPTIONS (JSON) are more of the plug-in's own.  The
// audio of the first text is written to the file audio0, that of the second to audio1, and so on,
// as PCM.  What else came is printed as JSON.
import { writeFile } from "node:fs/promises";
import { initializeLogger, tokenize } from "@livekit/agents";
import * as elevenlabs from "@livekit/agents-plugin-elevenlabs";
import * as openai from "@livekit/agents-plugin-openai";

initializeLogger({ pretty: false, level: "fatal" });

const [action, given = "{}", ...texts] = process.argv.slice(2);
const { byWords, ...options } = JSON.parse(given);
if (byWords) options.wordTokenizer = new tokenize.basic.WordTokenizer(false);
const plugin = action === "openai" ? openai : elevenlabs;
const tts = new plugin.TTS({
	baseURL: process.env.SYRINX_URL + "/v1",
	apiKey: process.env.SYRINX_KEY,
	...options,
});
const errors = [];
tts.on("error", ({ error }) => errors.push(error.message));

function bytes({ data }) {
	return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

// One utterance over the socket, which the plug-in keeps for the next.
async function say(text, file, flushes = false) {
	const stream = tts.stream();
	const audio = [];
	const words = [];
	for (const word of text.match(/\S+\s*/g) ?? [text]) {
		stream.pushText(word);
		if (flushes && word.trimEnd().endsWith("?")) stream.flush();
	}
	stream.endInput();
	for await (const event of stream) {
		if (typeof event === "symbol") break;
		audio.push(bytes(event.frame));
		words.push(...(event.timedTranscripts ?? []).map((w) => [w.text, w.startTime, w.endTime]));
	}
	stream.close();
	await writeFile(file, Buffer.concat(audio));
	return words;
}

async function synthesize(text, file) {
	const audio = [];
	for await (const event of tts.synthesize(text)) audio.push(bytes(event.frame));
	await writeFile(file, Buffer.concat(audio));
}

async function inTurn(call) {
	const words = [];
	for (const [i, text] of texts.entries()) words.push(await call(text, `audio${i}`));
	return { words };
}

const cases = {
	stream: () => inTurn(say),
	flush: () => inTurn((text, file) => say(text, file, true)),
	synthesize: () => inTurn(synthesize),
	openai: () => inTurn(synthesize),

	async parallel() {
		return { words: await Promise.all(texts.map((text, i) => say(text, `audio${i}`))) };
	},

	// Another voice for the second text.
	async update() {
		await say(texts[0], "audio0");
		tts.updateOptions({ voiceId: texts[1] });
		return { words: await say(texts[0], "audio1") };
	},

	// The listener interrupts all but the last.
	bargeIn: () =>
		inTurn(async (text, file) => {
			if (text === texts.at(-1)) return say(text, file);
			const stream = tts.stream();
			stream.pushText(text);
			stream.endInput();
			await stream.next();
			stream.close();
			return [];
		}),

	voices: async () => ({ voices: await tts.listVoices() }),
};

const answer = await cases[action]();
console.log(JSON.stringify({ sampleRate: tts.sampleRate, errors, ...answer }));
await tts.close();
process.exit(0);
