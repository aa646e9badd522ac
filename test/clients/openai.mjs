// openai.mjs CASE: OpenAI's own JavaScript SDK, with another base URL.
//
// SYRINX_URL and SYRINX_KEY say where and who.  Audio is written to the file `audio`, what else
// came is printed as JSON.
import { writeFile } from "node:fs/promises";
import OpenAI from "openai";

const client = new OpenAI({
	baseURL: process.env.SYRINX_URL + "/v1",
	apiKey: process.env.SYRINX_KEY,
	maxRetries: 0,
});
const [action, voice, input, response_format] = process.argv.slice(2);
const request = { model: "tts-1", voice, input, response_format };

const cases = {
	async speech() {
		const answer = await client.audio.speech.create(request);
		await writeFile("audio", Buffer.from(await answer.arrayBuffer()));
		return { type: answer.headers.get("content-type") };
	},

	// What a player does: it begins before all is there.
	async stream() {
		const answer = await client.audio.speech.create(request);
		const pieces = [];
		for await (const piece of answer.body) pieces.push(Buffer.from(piece));
		await writeFile("audio", Buffer.concat(pieces));
		return { pieces: pieces.length };
	},

	async models() {
		const ids = [];
		for await (const model of client.models.list()) ids.push(model.id);
		return ids;
	},

	async refused() {
		try {
			await client.audio.speech.create(request);
		} catch (error) {
			const { status, type, param, code, message } = error;
			return { name: error.constructor.name, status, type, param, code, message };
		}
		return null;
	},
};

console.log(JSON.stringify(await cases[action]()));
