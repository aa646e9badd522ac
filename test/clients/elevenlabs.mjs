// elevenlabs.mjs CASE: ElevenLabs' own JavaScript SDK, with another base URL.
//
// SYRINX_URL and SYRINX_KEY say where and who.  Audio is written to the file `audio`, what else
// came is printed as JSON.  The SDK has no WebSocket for speech: see sockets.mjs.
import { writeFile } from "node:fs/promises";
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";

const client = new ElevenLabsClient({
	baseUrl: process.env.SYRINX_URL,
	apiKey: process.env.SYRINX_KEY,
});
const [action, voice, text, outputFormat] = process.argv.slice(2);
const request = { text, modelId: "eleven_flash_v2_5", outputFormat };

async function save(stream) {
	const pieces = [];
	for await (const piece of stream) pieces.push(Buffer.from(piece));
	await writeFile("audio", Buffer.concat(pieces));
	return { pieces: pieces.length };
}

const cases = {
	convert: async () => save(await client.textToSpeech.convert(voice, request)),
	stream: async () => save(await client.textToSpeech.stream(voice, request)),

	async convertWithTimestamps() {
		const answer = await client.textToSpeech.convertWithTimestamps(voice, request);
		await writeFile("audio", Buffer.from(answer.audioBase64, "base64"));
		return answer.alignment;
	},

	async streamWithTimestamps() {
		const audio = [];
		const alignments = [];
		for await (const line of await client.textToSpeech.streamWithTimestamps(voice, request)) {
			audio.push(Buffer.from(line.audioBase64, "base64"));
			if (line.alignment) alignments.push(line.alignment);
		}
		await writeFile("audio", Buffer.concat(audio));
		return {
			pieces: audio.length,
			characters: alignments.flatMap((a) => a.characters),
			characterStartTimesSeconds: alignments.flatMap((a) => a.characterStartTimesSeconds),
			characterEndTimesSeconds: alignments.flatMap((a) => a.characterEndTimesSeconds),
		};
	},

	// The list, the one voice, and the search, page after page.
	async voices() {
		const found = [];
		let nextPageToken;
		do {
			const page = await client.voices.search({ pageSize: 100, nextPageToken });
			found.push(...page.voices);
			nextPageToken = page.hasMore ? page.nextPageToken : undefined;
		} while (nextPageToken);
		const { voices } = await client.voices.getAll();
		return { voices, found, one: await client.voices.get(voice) };
	},

	models: async () => client.models.list(),

	async user() {
		const user = await client.user.get();
		const subscription = await client.user.subscription.get();
		return { user, subscription, history: await client.history.list() };
	},

	async refused() {
		try {
			await save(await client.textToSpeech.convert(voice, request));
		} catch (error) {
			return { statusCode: error.statusCode, body: error.body };
		}
		return null;
	},
};

console.log(JSON.stringify(await cases[action]()));
