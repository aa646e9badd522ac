// ai_sdk.mjs PROVIDER [JSON]…: Vercel's AI SDK with its providers openai and elevenlabs.
//
// SYRINX_URL and SYRINX_KEY say where and who.  Each further argument has the options of one
// generateSpeech(); its audio is written to the file audio0, audio1 and so on.  What else came is
// printed as JSON.
import { writeFile } from "node:fs/promises";
import { createElevenLabs } from "@ai-sdk/elevenlabs";
import { createOpenAI } from "@ai-sdk/openai";
import { generateSpeech } from "ai";

const base = process.env.SYRINX_URL;
const apiKey = process.env.SYRINX_KEY;
const providers = {
	openai: () => createOpenAI({ apiKey, baseURL: base + "/v1" }).speech("gpt-4o-mini-tts"),

	// This provider has no setting for the address.
	elevenlabs: () =>
		createElevenLabs({
			apiKey,
			fetch: (url, options) =>
				fetch(String(url).replace("https://api.elevenlabs.io", base), options),
		}).speech("eleven_flash_v2_5"),
};
const [provider, ...requests] = process.argv.slice(2);
const model = providers[provider]();

async function speak(request, file) {
	try {
		const { audio, warnings } = await generateSpeech({ model, maxRetries: 0, ...request });
		await writeFile(file, audio.uint8Array);
		return { mediaType: audio.mediaType, warnings: warnings.map((warning) => warning.feature) };
	} catch (error) {
		return { error: error.name, status: error.statusCode, message: error.message };
	}
}

const answers = [];
for (const [i, request] of requests.entries())
	answers.push(await speak(JSON.parse(request), `audio${i}`));
console.log(JSON.stringify(answers));
