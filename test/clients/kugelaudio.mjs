// kugelaudio.mjs CASE VOICE TEXT…: what KugelAudio's JavaScript SDK (1.0.1) sends, with ws.
//
// The SDK is in no registry that the tests can fetch it from; these are its frames and the frames
// that it waits for, restated.  SYRINX_URL and SYRINX_KEY say where and who.  Audio is written to
// the files audio0, audio1 and so on, what else came is printed as JSON.  An acknowledgement that
// does not come within the SDK's own patience is an error.
import { writeFile } from "node:fs/promises";
import WebSocket from "ws";

const [action, voice, ...texts] = process.argv.slice(2);
const voice_id = Number(voice);
const QUIET_MS = { session_closed: 15_000, interrupted: 5_000, settings_updated: 15_000 };
const OTHER_QUIET_MS = 60_000;

class Socket {
	frames = []; // that nothing has waited for yet
	seen = () => {};

	async open(path) {
		const base = process.env.SYRINX_URL.replace("http://", "ws://");
		const query = `api_key=${process.env.SYRINX_KEY}&sdk=js&sdk_version=1.0.1`;
		this.ws = new WebSocket(`${base}${path}?${query}`);
		this.ws.on("message", (raw) => {
			this.frames.push(JSON.parse(raw.toString()));
			this.seen();
		});
		this.closed = new Promise((resolve) => this.ws.on("close", resolve));
		await new Promise((resolve, reject) => this.ws.on("open", resolve).on("error", reject));
		return this;
	}

	send(message) {
		this.ws.send(JSON.stringify(message));
	}

	async next(quiet_ms) {
		if (!this.frames.length)
			await new Promise((resolve, reject) => {
				const timer = setTimeout(() => reject(new Error("quiet time-out")), quiet_ms);
				this.seen = () => (clearTimeout(timer), resolve());
			});
		const frame = this.frames.shift();
		if (frame.error) throw new Error(JSON.stringify(frame));
		return frame;
	}

	// Frames up to one that has this key, for this context if there is one.
	async until(key, context_id) {
		const frames = [];
		do frames.push(await this.next(QUIET_MS[key] ?? OTHER_QUIET_MS));
		while (!frames.at(-1)[key] || (context_id && frames.at(-1).context_id !== context_id));
		return frames;
	}
}

async function save(frames, file) {
	const audio = frames.filter((f) => f.audio).map((f) => Buffer.from(f.audio, "base64"));
	await writeFile(file, Buffer.concat(audio));
	return frames.at(-1);
}

const tokens = (text) => text.match(/\S+\s*/g);
const config = { voice_id, model_id: "kugel-3" };

const cases = {
	// generate() and stream() share a socket and do not wait for each other; answers are in order.
	async pooled() {
		const socket = await new Socket().open("/ws/tts");
		for (const text of texts)
			socket.send({
				text,
				...config,
				cfg_scale: 2.0,
				max_new_tokens: 2048,
				sample_rate: 24000,
				normalize: true,
				word_timestamps: true,
			});
		const finals = [];
		for (const i of texts.keys()) finals.push(await save(await socket.until("final"), `audio${i}`));
		socket.ws.close();
		return { finals };
	},

	// streamingSession(): tokens and endSession(); tokens and a flush; a turn that is cancelled; and
	// after updateConfig() and updateSettings() one more.  The first frame of each has the settings.
	async session() {
		const [text, long] = texts;
		const socket = await new Socket().open("/ws/tts/stream");
		const closed = [];
		const say = (more) =>
			tokens(text).forEach((token, i) =>
				socket.send({ text: token, flush: false, ...(i ? {} : config), ...(i ? {} : more) }),
			);

		say({ auto_mode: true, chunk_length_schedule: [50, 100, 150, 250] });
		socket.send({ close: true });
		closed.push(await save(await socket.until("session_closed"), "audio0"));

		say();
		socket.send({ text: "", flush: true });
		closed.push(await save(await socket.until("session_closed"), "audio1"));

		socket.send({ text: long, flush: false, ...config });
		await socket.until("audio");
		socket.send({ cancel: true });
		await socket.until("interrupted");

		socket.send({ update_settings: { speed: 0.8 } });
		const [{ settings }] = (await socket.until("settings_updated")).slice(-1);
		say({ output_format: "ulaw_8000" });
		socket.send({ close: true });
		closed.push(await save(await socket.until("session_closed"), "audio2"));
		socket.ws.close();
		return { closed, settings };
	},

	// createMultiContextSession(): two contexts that are created, flushed and closed, one that is
	// interrupted, and one that a text creates after that.
	async multi() {
		const [text, long] = texts;
		const socket = await new Socket().open("/ws/tts/multi");
		const voice_settings = { voice_id };
		const create = (context_id, more) =>
			socket.send({ text: " ", context_id, ...more, voice_settings });
		create("a", { sample_rate: 24000, normalize: true, language: "en" });
		create("b");
		for (const context_id of ["a", "b"]) {
			for (const token of tokens(text)) socket.send({ text: token, context_id, flush: false });
			socket.send({ text: "", context_id });
			socket.send({ flush: true, context_id });
		}
		const ended = {};
		const frames = [];
		const closing = new Set();
		while (Object.keys(ended).length < 2) {
			const frame = await socket.next(OTHER_QUIET_MS);
			const { context_id } = frame;
			frames.push(frame);
			// The close is answered with a second `final`.
			if (frame.final && !closing.has(context_id)) {
				closing.add(context_id);
				socket.send({ close_context: true, context_id });
			}
			if (frame.context_closed) ended[context_id] = frame.usage;
		}
		await save(frames.filter((f) => f.context_id === "a"), "audio0");
		await save(frames.filter((f) => f.context_id === "b"), "audio1");

		create("c");
		socket.send({ text: long, context_id: "c", flush: true });
		await socket.until("audio");
		socket.send({ close_context: true, context_id: "c", immediate: true });
		await socket.until("context_closed", "c");

		create("c");
		socket.send({ text, context_id: "c", flush: true });
		await save(await socket.until("final", "c"), "audio2");
		socket.send({ close_socket: true });
		return { ended, code: await socket.closed };
	},

	// The plug-in for LiveKit, synthesize(): it closes the context at the end of each chunk.
	async livekit() {
		const socket = await new Socket().open("/ws/tts/multi");
		const ended = [];
		for (const [i, text] of texts.entries()) {
			const context_id = `utterance${i}`;
			socket.send({
				text,
				context_id,
				flush: true,
				model_id: "kugel-3",
				sample_rate: 24000,
				word_timestamps: true,
				normalize: true,
				voice_settings: { voice_id },
			});
			const frames = [];
			do {
				const frame = await socket.next(OTHER_QUIET_MS);
				if (frame.context_id !== context_id) continue; // of one that has ended
				frames.push(frame);
				if (frame.chunk_complete) socket.send({ close_context: true, context_id });
			} while (!frames.at(-1)?.context_closed);
			ended.push(await save(frames, `audio${i}`));
		}
		socket.send({ close_socket: true });
		return { ended, code: await socket.closed };
	},
};

console.log(JSON.stringify(await cases[action]()));
