// speech_engine.mjs: ElevenLabs' own library as the server that gives an engine its words; the engine
// is ours (`syrinx talk`).
//
// ENGINE_KEY is the API key.  Prints a line of JSON for everything that happens, the first of which
// says the port.  What is answered depends on the user's last words: "count" slowly to a hundred,
// "fail" not at all, else what was said.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";
import WebSocket from "ws";

const tell = (event) => process.stdout.write(JSON.stringify(event) + "\n");

// What leaves, as it leaves: the library does not say when it answers a ping.
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (data, ...rest) {
	tell({ event: "sent", message: JSON.parse(data) });
	return send.call(this, data, ...rest);
};

async function* count(signal) {
	for (let i = 1; i <= 100 && !signal.aborted; ++i) {
		yield `${i} `;
		await sleep(20, undefined, { signal }).catch(() => {});
	}
	tell({ event: signal.aborted ? "aborted" : "counted" });
}

const server = createServer();
const client = new ElevenLabsClient({ apiKey: process.env.ENGINE_KEY });
client.speechEngine.attach("seng_test", server, "/ws", {
	onInit: (id) => tell({ event: "init", id }),
	onTranscript(history, signal, session) {
		const words = history.at(-1).content;
		tell({ event: "transcript", history });
		if (words.startsWith("fail")) throw new Error("as asked");
		session.sendResponse(words.startsWith("count") ? count(signal) : `You said: ${words}`);
	},
	onClose: () => tell({ event: "close" }),
	onDisconnect: () => tell({ event: "disconnect" }),
	onError: (error) => tell({ event: "error", message: error.message }),
});
server.listen(0, "127.0.0.1", () => tell({ event: "listening", port: server.address().port }));
