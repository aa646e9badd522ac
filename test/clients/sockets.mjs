// sockets.mjs CASE VOICE TEXT [FORMAT [TOKEN]]: the WebSockets of ElevenLabs with the package ws,
// as its documents show.
//
// SYRINX_URL and SYRINX_KEY say where and who; a single-use token replaces the key.  Audio is
// written to the file `audio`, or to audio.CONTEXT, what else came is printed as JSON.
import { writeFile } from "node:fs/promises";
import WebSocket from "ws";

const [action, voice, text, format, token] = process.argv.slice(2);

function open(path, more = "") {
	const url = process.env.SYRINX_URL.replace(/^http/, "ws");
	const query = `model_id=eleven_flash_v2_5${format ? `&output_format=${format}` : ""}${more}`;
	const uri = `${url}/v1/text-to-speech/${voice}/${path}?${query}`;
	if (token) return new WebSocket(`${uri}&single_use_token=${token}`);
	return new WebSocket(uri, { headers: { "xi-api-key": process.env.SYRINX_KEY } });
}

// Sends when it is open; gives what came until the server closed, and its code.
function talk(socket, messages, onMessage) {
	const got = [];
	return new Promise((resolve, reject) => {
		const send = (message) => socket.send(JSON.stringify(message));
		socket.on("open", () => messages.forEach(send));
		socket.on("message", (raw) => {
			const message = JSON.parse(raw.toString());
			got.push(message);
			if (onMessage) onMessage(message, send);
		});
		socket.on("close", (code) => resolve({ got, code }));
		socket.on("error", reject);
	});
}

async function save(messages, file) {
	const audio = messages.filter((m) => m.audio).map((m) => Buffer.from(m.audio, "base64"));
	await writeFile(file, Buffer.concat(audio));
	return messages.map(({ audio, ...rest }) => ({ bytes: audio ? audio.length : 0, ...rest }));
}

const words = () => text.match(/\S+\s*/g).map((word) => ({ text: word.trim() + " " }));

const cases = {
	async stream() {
		const first = {
			text: " ",
			voice_settings: { stability: 0.5, similarity_boost: 0.8, use_speaker_boost: false },
			generation_config: { chunk_length_schedule: [120, 160, 250, 290] },
		};
		const { got, code } = await talk(open("stream-input"), [first, ...words(), { text: "" }]);
		return { code, messages: await save(got, "audio") };
	},

	// Two conversations on one socket; it is closed when both have had their last word.
	async contexts() {
		const names = ["one", "two"];
		const messages = names.flatMap((context_id) => [
			{ context_id, text: text + " ", voice_settings: { stability: 0.5 } },
			{ context_id, flush: true },
			{ context_id, close_context: true },
		]);
		const open_contexts = new Set(names);
		const { got, code } = await talk(open("multi-stream-input"), messages, (message, send) => {
			if (message.isFinal) open_contexts.delete(message.contextId);
			if (message.isFinal && open_contexts.size === 0) send({ close_socket: true });
		});
		const result = { code };
		for (const name of names)
			result[name] = await save(got.filter((m) => m.contextId === name), "audio." + name);
		return result;
	},

	// The listener speaks: the first context goes, the second answers.
	async bargeIn() {
		const messages = [{ context_id: "old", text: (text + " ").repeat(40), flush: true }];
		let is_interrupted = false;
		const { got, code } = await talk(open("multi-stream-input"), messages, (message, send) => {
			if (message.contextId === "old" && message.audio && !is_interrupted) {
				is_interrupted = true;
				send({ context_id: "old", close_context: true });
				send({ context_id: "old", text: "", flush: true });
				send({ context_id: "new", text: text + " ", flush: true });
				send({ context_id: "new", close_context: true });
			}
			if (message.contextId === "new" && message.isFinal) send({ close_socket: true });
		});
		return {
			code,
			old: await save(got.filter((m) => m.contextId === "old"), "audio.old"),
			new: await save(got.filter((m) => m.contextId === "new"), "audio.new"),
		};
	},

	// As Pipecat interrupts: sentences in auto_mode, then close_context without any flush.
	async interrupt() {
		const sentences = text.match(/[^.]+\.\s*/g);
		const messages = [
			{ context_id: "old", text: " ", voice_settings: { stability: 0.5 } },
			...sentences.map((sentence) => ({ context_id: "old", text: sentence })),
		];
		let is_interrupted = false;
		const socket = open("multi-stream-input", "&auto_mode=true");
		const { got, code } = await talk(socket, messages, (message, send) => {
			if (message.contextId === "old" && message.audio && !is_interrupted) {
				is_interrupted = true;
				send({ context_id: "old", close_context: true });
			}
			if (message.contextId === "old" && message.isFinal) {
				send({ context_id: "new", text: " ", voice_settings: { stability: 0.5 } });
				send({ context_id: "new", text: sentences[0] });
				send({ context_id: "new", flush: true });
				send({ context_id: "new", close_context: true });
			}
			if (message.contextId === "new" && message.isFinal) send({ close_socket: true });
		});
		return {
			code,
			old: await save(got.filter((m) => m.contextId === "old"), "audio.old"),
			new: await save(got.filter((m) => m.contextId === "new"), "audio.new"),
		};
	},
};

console.log(JSON.stringify(await cases[action]()));
