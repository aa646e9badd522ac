// voice_app.mjs: a developer's server for callers, with ElevenLabs' library: it creates speech engines,
// gives browsers signed URLs, and answers what callers say.
//
// SYRINX_URL and SYRINX_KEY are the server's, PORT is where it listens (0: anywhere).  Prints a line of
// JSON for everything that happens, the first of which says the port.  Requests:
//   POST /engine        creates an engine with these settings, whose answers come from here
//   GET /signed-url     ?agent=ID[&once=true]
//
// What is answered depends on the user's last words: about a "story" in many sentences, to "fail" not
// at all, else what was said.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";

const { SYRINX_URL: baseUrl, SYRINX_KEY: apiKey, PORT: port } = process.env;
const SENTENCES = 20;

const tell = (event) => process.stdout.write(JSON.stringify(event) + "\n");
const client = new ElevenLabsClient({ apiKey, baseUrl });

// A model that writes faster than anybody speaks.
async function* story(signal) {
	for (let i = 1; i <= SENTENCES && !signal.aborted; ++i) {
		yield `This is sentence number ${i} of a story that goes on for a long time. `;
		await sleep(20, undefined, { signal }).catch(() => {});
	}
	tell({ event: signal.aborted ? "aborted" : "told" });
}

async function read(request) {
	let body = "";
	for await (const piece of request) body += piece;
	return JSON.parse(body);
}

const requests = {
	async "POST /engine"(request) {
		const wsUrl = `ws://127.0.0.1:${server.address().port}/ws`;
		const made = await client.speechEngine.create({ ...(await read(request)), speechEngine: { wsUrl } });
		return { id: made.engineId ?? made.speechEngineId };
	},
	async "GET /signed-url"(request, { searchParams }) {
		const made = await client.conversationalAi.conversations.getSignedUrl({
			agentId: searchParams.get("agent"),
			...(searchParams.get("once") && { includeConversationId: true }),
		});
		return { signedUrl: made.signedUrl };
	},
};

const server = createServer(async (request, response) => {
	const url = new URL(request.url, "http://localhost");
	try {
		const answer = await requests[`${request.method} ${url.pathname}`](request, url);
		response.end(JSON.stringify(answer));
	} catch (error) {
		response.writeHead(500).end(JSON.stringify({ error: error.message, status: error.statusCode }));
	}
});
client.speechEngine.attach("seng_any", server, "/ws", {
	onInit: (id) => tell({ event: "init", id }),
	onTranscript(history, signal, session) {
		const words = history.at(-1).content;
		tell({ event: "transcript", words, history });
		if (/fail/i.test(words)) throw new Error("as asked");
		session.sendResponse(/story/i.test(words) ? story(signal) : `You said: ${words}`);
	},
	onClose: () => tell({ event: "close" }),
	onDisconnect: () => tell({ event: "disconnect" }),
	onError: (error) => tell({ event: "error", message: error.message }),
});
server.listen(Number(port), "127.0.0.1", () => tell({ event: "listening", port: server.address().port }));
