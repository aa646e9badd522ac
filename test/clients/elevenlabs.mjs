// elevenlabs.mjs CASE [JSON]…: ElevenLabs' own JavaScript SDK, with another base URL.
//
// SYRINX_URL and SYRINX_KEY say where and who.  For the cases that speak, each further argument is
// a request with its voice; the audio of the first is written to the file audio0, that of the
// second to audio1, and so on.  What else came is printed as JSON.  The SDK has no WebSocket for
// speech: see sockets.mjs.
import { File } from "node:buffer"; // a global from Node 20 on
import { createReadStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";

const client = new ElevenLabsClient({
	baseUrl: process.env.SYRINX_URL,
	apiKey: process.env.SYRINX_KEY,
	maxRetries: 0,
});
const [action, ...rest] = process.argv.slice(2);
const requests = rest.map((request) => JSON.parse(request));

async function each(call) {
	const answers = [];
	for (const [i, { voice, ...request }] of requests.entries())
		answers.push(await call(voice, { modelId: "eleven_flash_v2_5", ...request }, `audio${i}`));
	return answers;
}

async function save(stream, file) {
	const pieces = [];
	for await (const piece of stream) pieces.push(Buffer.from(piece));
	await writeFile(file, Buffer.concat(pieces));
	return pieces.length;
}

const refusal = (call) =>
	call().then(
		() => null,
		(error) => ({ name: error.name, statusCode: error.statusCode, body: error.body }),
	);

const cases = {
	convert: () =>
		each(async (voice, request, file) => {
			const { data, rawResponse } = await client.textToSpeech
				.convert(voice, request)
				.withRawResponse();
			await save(data, file);
			return Object.fromEntries(rawResponse.headers);
		}),

	stream: () =>
		each(async (voice, request, file) => {
			const pieces = await save(await client.textToSpeech.stream(voice, request), file);
			return { pieces };
		}),

	convertWithTimestamps: () =>
		each(async (voice, request, file) => {
			const answer = await client.textToSpeech.convertWithTimestamps(voice, request);
			await writeFile(file, Buffer.from(answer.audioBase64, "base64"));
			return answer.alignment;
		}),

	streamWithTimestamps: () =>
		each(async (voice, request, file) => {
			const audio = [];
			const alignments = [];
			for await (const line of await client.textToSpeech.streamWithTimestamps(voice, request)) {
				audio.push(Buffer.from(line.audioBase64, "base64"));
				if (line.alignment) alignments.push(line.alignment);
			}
			await writeFile(file, Buffer.concat(audio));
			return {
				characters: alignments.flatMap((a) => a.characters),
				characterStartTimesSeconds: alignments.flatMap((a) => a.characterStartTimesSeconds),
				characterEndTimesSeconds: alignments.flatMap((a) => a.characterEndTimesSeconds),
			};
		}),

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
		return { voices, found, one: await client.voices.get(requests[0]) };
	},

	search: () =>
		Promise.all(
			requests.map(async (request) => {
				const page = await client.voices.search({ pageSize: 100, ...request });
				return page.voices.map(({ voiceId, name }) => ({ voiceId, name }));
			}),
		),

	settings: async () => ({
		usual: await client.voices.settings.getDefault(),
		own: await client.voices.settings.get(requests[0]),
	}),

	models: () => client.models.list(),

	async user() {
		const user = await client.user.get();
		const subscription = await client.user.subscription.get();
		return { user, subscription, history: await client.history.list() };
	},

	// Of yesterday, today and tomorrow, wherever midnight is.
	usage: () =>
		client.usage.get({ startUnix: Date.now() - 86_400_000, endUnix: Date.now() + 86_400_000 }),

	token: () => client.tokens.singleUse.create("tts_websocket"),

	// A dictionary through its life; the text is spoken by it, and then without it.
	async dictionary() {
		const [rules, { voice, ...request }] = requests;
		const { pronunciationDictionaries } = client;
		const made = await pronunciationDictionaries.createFromRules({ name: "Names", rules });
		const locator = { pronunciationDictionaryId: made.id, versionId: made.versionId };
		const spoken = { ...request, pronunciationDictionaryLocators: [locator] };
		await save(await client.textToSpeech.convert(voice, spoken), "audio0");
		await save(await client.textToSpeech.convert(voice, request), "audio1");
		const { pronunciationDictionaries: listed } = await pronunciationDictionaries.list();
		const one = await pronunciationDictionaries.get(made.id);
		const ruleStrings = rules.map((rule) => rule.stringToReplace);
		const less = await pronunciationDictionaries.rules.remove(made.id, { ruleStrings });
		const more = await pronunciationDictionaries.rules.add(made.id, { rules });
		return { made, listed, one, less, more };
	},

	// The same from a file: audio0 with the dictionary.
	async dictionaryFile() {
		const [[lexicon], { voice, ...request }] = requests;
		const made = await client.pronunciationDictionaries.createFromFile({
			name: "Names in a file",
			file: new File([lexicon], "names.pls"),
		});
		const locator = { pronunciationDictionaryId: made.id, versionId: made.versionId };
		request.pronunciationDictionaryLocators = [locator];
		await save(await client.textToSpeech.convert(voice, request), "audio0");
		return { made };
	},

	// The transcript of the file recording.wav.
	transcribe: async () => {
		const [request] = requests;
		return client.speechToText.convert({
			file: createReadStream("recording.wav"),
			modelId: "scribe_v2",
			...request,
		});
	},

	// The file recording.pcm as live audio, until there are so many segments.
	realtime: async () => {
		const [{ segments, tokenType, ...request }] = requests;
		const options = { modelId: "scribe_v2_realtime", ...request };
		if (tokenType) options.token = (await client.tokens.singleUse.create(tokenType)).token;
		const bytes = await readFile("recording.pcm");
		const messages = [];
		// Nothing is awaited after this, or the first message would be missed.
		const connection = await client.speechToText.realtime.connect(options);
		return new Promise((resolve, reject) => {
			connection.on("error", (error) => reject(new Error(JSON.stringify(error))));
			connection.on("partial_transcript", (message) => messages.push(message));
			connection.on("session_started", (message) => {
				messages.push(message);
				for (let at = 0; at < bytes.length; at += 8192)
					connection.send({
						audioBase64: bytes.subarray(at, at + 8192).toString("base64"),
					});
				if (options.commitStrategy !== "vad") connection.commit();
			});
			connection.on("committed_transcript_with_timestamps", (message) => {
				messages.push(message);
				const done = messages.filter((m) => m.words).length;
				if (done < segments) return;
				connection.close();
				resolve(messages);
			});
		});
	},

	// The whole life of a speech engine.
	engines: async () => {
		const engines = client.speechEngine;
		const { conversations } = client.conversationalAi;
		const created = await engines.create({
			name: "Life A",
			speechEngine: { wsUrl: "wss://example.com/ws", requestHeaders: { "X-A": "b" } },
			turn: { turnTimeout: 5, turnEagerness: "eager" },
			tags: ["one"],
		});
		const id = created.engineId;
		const updated = await engines.update(id, {
			name: "Life B",
			language: "de",
			tts: { speed: 1.1 },
		});
		const copy = await engines.duplicate(id, { name: "Life C" });
		const shown = { search: "life", pageSize: 1, sortBy: "name", sortDirection: "asc" };
		const page = await engines.list(shown);
		const rest = await engines.list({ ...shown, cursor: page.nextCursor });
		const sameByOtherName = await engines.get(id.replace("seng_", "agent_"));
		const signed = await conversations.getSignedUrl({ agentId: id });
		const once = await conversations.getSignedUrl({ agentId: id, includeConversationId: true });
		const bad = await refusal(() => engines.update(id, { cascadeTimeoutSeconds: 99 }));
		await engines.delete(id);
		await engines.delete(copy.engineId);
		return {
			id,
			created: created.config,
			got: sameByOtherName.config,
			updated: updated.config,
			copy: copy.config,
			copyId: copy.engineId,
			pages: [page, rest],
			signed: signed.signedUrl,
			once: once.signedUrl,
			bad,
			gone: await refusal(() => engines.get(id)),
			left: (await engines.list(shown)).speechEngines.length,
		};
	},

	refused: () =>
		each((voice, request) => refusal(() => client.textToSpeech.convert(voice, request))),

	// Calls that a server without this part of the API refuses.
	refusedElsewhere: async () => ({
		sounds: await refusal(() => client.textToSoundEffects.convert({ text: "rain" })),
		dialogue: await refusal(() =>
			client.textToDialogue.convert({ inputs: [{ text: "Hello.", voiceId: "1071" }] }),
		),
		history: await refusal(() => client.history.get("none")),
		shared: await refusal(() => client.voices.getShared()),
		agents: await refusal(() => client.conversationalAi.agents.list()),
		voice: await refusal(() => client.voices.get("no-such-voice")),
		settings: await refusal(() => client.voices.settings.get("no-such-voice")),
		dictionary: await refusal(() => client.pronunciationDictionaries.get("none")),
	}),

	wrongKey: async () => ({
		speech: await refusal(() => client.textToSpeech.convert("1071", { text: "Hello." })),
		models: await refusal(() => client.models.list()),
		voices: await refusal(() => client.voices.getAll()),
		user: await refusal(() => client.user.get()),
	}),
};

console.log(JSON.stringify(await cases[action]()));
