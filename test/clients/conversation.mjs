// conversation.mjs AGENT SOUND: a program that talks with an agent, with ElevenLabs' library and an audio interface
// whose microphone plays a file of 24 kHz again and again.
//
// SYRINX_URL and SYRINX_KEY say where and who.  What came is printed as JSON, and what was played is written to the
// file `audio`.
import { EventEmitter, once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";
import conversations from "@elevenlabs/elevenlabs-js/api/resources/conversationalAi/conversation/index.js";

const [agentId, sound] = process.argv.slice(2);
const { SYRINX_URL: baseUrl, SYRINX_KEY: apiKey } = process.env;
const WAV_HEADER = 44;
const CHUNK_MS = 250;
const CHUNK_BYTES = (24000 * 2 * CHUNK_MS) / 1000;

const events = [];
const news = new EventEmitter();
function note(name, data) {
	events.push([name, data]);
	news.emit("event");
}

// Waits for an event whose data match, after that many events; returns how many there are up to it.
async function until(name, words = "", after = 0) {
	for (;;) {
		const at = events.findIndex(([found, data], i) => i >= after && found === name && new RegExp(words, "i").test(data));
		if (at >= 0) return at + 1;
		await once(news, "event");
	}
}

class Telephone extends conversations.AudioInterface {
	played = [];
	constructor(samples) {
		super();
		this.samples = samples;
	}
	start(hear) {
		this.hear = hear;
	}
	// Somebody begins to speak.
	speak() {
		let at = 0;
		this.timer = setInterval(() => {
			this.hear(this.samples.subarray(at, at + CHUNK_BYTES));
			at = at + CHUNK_BYTES < this.samples.length ? at + CHUNK_BYTES : 0;
		}, CHUNK_MS);
	}
	stop() {
		clearInterval(this.timer);
		note("stop");
	}
	output(audio) {
		this.played.push(audio);
		note("output", audio.length);
	}
	interrupt() {
		note("interrupt");
	}
}

const telephone = new Telephone((await readFile(sound)).subarray(WAV_HEADER));
const conversation = new conversations.Conversation({
	client: new ElevenLabsClient({ apiKey, baseUrl }),
	agentId,
	requiresAuth: true,
	audioInterface: telephone,
	callbackAgentResponse: (text) => note("agent", text),
	callbackAgentResponseCorrection: (written, heard) => note("correction", heard),
	callbackUserTranscript: (text) => note("user", text),
	callbackLatencyMeasurement: (ms) => note("latency", ms),
});
conversation.on("session_ended", (id, code) => code && note("ended", code));
conversation.on("error", (error) => note("error", error.message));

await conversation.startSession();
conversation.sendUserMessage("At once.");
let at = await until("agent", "You said: At once");
await until("output", "", at);
telephone.speak();
at = await until("user", "story", at);
at = await until("interrupt", "", at);
at = await until("correction", "", at);
conversation.sendContextualUpdate("It is late.");
conversation.registerUserActivity();
conversation.sendMultimodalMessage({ text: "Good night." });
at = await until("agent", "You said: Good night", at);
await until("output", "", at);
const id = conversation.getConversationId();
conversation.endSession();
await until("ended", "", at);
await writeFile("audio", Buffer.concat(telephone.played));
console.log(JSON.stringify({ id, events: events.filter(([name]) => name !== "output") }));
process.exit();
