// openai.mjs CASE [JSON]…: OpenAI's own JavaScript SDK, with another base URL.
//
// SYRINX_URL and SYRINX_KEY say where and who.  Each further argument is a request to
// audio.speech, of which the model is filled in; the audio of the first is written to the file
// audio0, that of the second to audio1, and so on.  What else came is printed as JSON.
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import OpenAI from "openai";
import { Stream } from "openai/core/streaming";

const client = new OpenAI({
	baseURL: process.env.SYRINX_URL + "/v1",
	apiKey: process.env.SYRINX_KEY,
	maxRetries: 0,
});
const [action, ...rest] = process.argv.slice(2);
const requests = rest.map((request) => JSON.parse(request));

const filled = (request) => ({ model: "gpt-4o-mini-tts", ...request });

async function each(call) {
	const answers = [];
	for (const [i, request] of requests.entries())
		answers.push(await call(filled(request), `audio${i}`));
	return answers;
}

function explain(error) {
	const { status, type, param, code, message } = error;
	return { name: error.constructor.name, status, type, param, code, message };
}

const refusal = (call) => call().then(() => null, explain);

const cases = {
	speech: () =>
		each(async (request, file) => {
			const answer = await client.audio.speech.create(request);
			await writeFile(file, Buffer.from(await answer.arrayBuffer()));
			return { type: answer.headers.get("content-type") };
		}),

	// What a player does: it begins before everything is there.
	stream: () =>
		each(async (request, file) => {
			const answer = await client.audio.speech.create(request);
			const pieces = [];
			for await (const piece of answer.body) pieces.push(Buffer.from(piece));
			await writeFile(file, Buffer.concat(pieces));
			return { pieces: pieces.length };
		}),

	// The listener has heard enough after the first piece.
	abort: () =>
		each(async (request) => {
			const controller = new AbortController();
			const { signal } = controller;
			const answer = await client.audio.speech.create(request, { signal });
			const { value } = await answer.body.getReader().read();
			controller.abort();
			return { bytes: value.length };
		}),

	sse: () =>
		each(async (request, file) => {
			const answer = await client.audio.speech.create({ ...request, stream_format: "sse" });
			const audio = [];
			const events = [];
			for await (const event of Stream.fromSSEResponse(answer, new AbortController())) {
				if (event.audio) audio.push(Buffer.from(event.audio, "base64"));
				events.push({ ...event, audio: undefined });
			}
			await writeFile(file, Buffer.concat(audio));
			return { type: answer.headers.get("content-type"), events };
		}),

	async models() {
		const ids = [];
		for await (const model of client.models.list()) ids.push(model.id);
		return { ids, one: await client.models.retrieve("tts-1") };
	},

	refused: () => each((request) => refusal(() => client.audio.speech.create(request))),

	// Transcripts of the file recording.wav; events are collected.
	transcribe: async () => {
		const answers = [];
		for (const request of requests) {
			const answer = await client.audio.transcriptions.create({
				file: createReadStream("recording.wav"),
				model: "whisper-1",
				...request,
			});
			if (request.stream) {
				const events = [];
				for await (const event of answer) events.push(event);
				answers.push(events);
			} else {
				answers.push(answer);
			}
		}
		return answers;
	},

	refusedTranscripts: async () => {
		const answers = [];
		for (const request of requests)
			answers.push(
				await refusal(() =>
					client.audio.transcriptions.create({
						file: new File(["no sound"], "a.wav"),
						model: "whisper-1",
						...request,
					}),
				),
			);
		return answers;
	},

	// Calls other than audio.speech.
	refusedElsewhere: async () => ({
		list: await refusal(() => client.models.list()),
		retrieve: await refusal(() => client.models.retrieve("no-such-model")),
		translations: await refusal(() =>
			client.audio.translations.create({
				file: new File(["RIFF"], "a.wav"),
				model: "whisper-1",
			}),
		),
		chat: await refusal(() =>
			client.chat.completions.create({
				model: "gpt-4o",
				messages: [{ role: "user", content: "Hello." }],
			}),
		),
		responses: await refusal(() =>
			client.responses.create({ model: "gpt-4o", input: "Hello." }),
		),
		// What a user who forgets the /v1 sees.
		withoutV1: await refusal(() =>
			client
				.withOptions({ baseURL: process.env.SYRINX_URL })
				.audio.speech.create(filled({ voice: "alloy", input: "Hello." })),
		),
	}),
};

console.log(JSON.stringify(await cases[action]()));
